//! Serves bytes as the requests of a guest, up to where they would be sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_gateway::testing::http_request(bytes));
