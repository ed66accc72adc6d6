//! Imports states that are larger than they look, and counts memory.
#![no_main]

use codepod_fuzz::snapshot_memory::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(&input));
