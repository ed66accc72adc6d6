//! Reads text as rules and URLs, and decides about each in all its spellings.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_gateway::testing::network_policy(bytes));
