//! Reads bytes as what a guest sends to be given TLS, and as what a server answers to that.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_gateway::testing::cptls(bytes));
