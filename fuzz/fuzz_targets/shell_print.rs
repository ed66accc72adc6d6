//! Parses bytes as a script, prints the tree, and parses that again.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_fuzz::shell_print::run(bytes));
