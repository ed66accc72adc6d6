//! Makes every call of the table with any arguments, and looks for what must never happen.
#![no_main]

use codepod_fuzz::guest_pointers::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(&input));
