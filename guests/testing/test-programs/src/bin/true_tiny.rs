//! Ends at once with status 0: no arguments, no environment, nothing of std's start-up.

#![no_main]
#![expect(unsafe_code, reason = "libc has to find the function by its name")]

/// What libc's `_start` calls in place of std's `main`.
#[cfg_attr(target_family = "wasm", unsafe(export_name = "__main_void"))]
#[cfg_attr(not(target_family = "wasm"), unsafe(export_name = "main"))]
pub extern "C" fn start() -> i32 {
    0
}
