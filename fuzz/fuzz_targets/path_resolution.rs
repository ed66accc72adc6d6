//! Resolves paths in small worlds of links and mounts, and compares with the reference resolver.
#![no_main]

use codepod_fuzz::path_resolution::{Input, run};

libfuzzer_sys::fuzz_target!(|input: Input| run(&input));
