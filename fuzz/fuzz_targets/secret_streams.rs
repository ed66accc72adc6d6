//! Exchanges placeholders and values in bytes, in pieces and as a whole.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| codepod_gateway::testing::secret_streams(bytes));
