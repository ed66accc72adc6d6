//! Imports bytes as a saved state, and as the form of a tree in one.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_fuzz::snapshot_decode::run(bytes));
