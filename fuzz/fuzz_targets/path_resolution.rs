//! Resolves paths in small trees with links and mounts, and compares with the reference resolver.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| codepod_vfs::testing::fuzz_path_resolution(data));
