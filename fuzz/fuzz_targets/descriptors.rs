//! Compares sequences of descriptor operations with a simple model.
#![no_main]

use codepod_fuzz::descriptors::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(&input));
