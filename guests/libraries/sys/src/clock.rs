//! Clocks. They are as coarse as the sandbox lets guests see time.

use std::time::Duration;

use codepod_abi::wire::wasi::{CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME, CLOCK_REALTIME};

use crate::{address_mut, raw};

/// The time since 1970.
pub fn now_real() -> Duration {
    read(CLOCK_REALTIME)
}

/// The time since some moment; it never goes back.
pub fn now_monotonic() -> Duration {
    read(CLOCK_MONOTONIC)
}

/// The time that the process has run. Kernels that cannot tell give the time since its start.
pub fn cpu() -> Duration {
    read(CLOCK_PROCESS_CPUTIME)
}

fn read(clock: u32) -> Duration {
    let mut time = 0u64;
    // SAFETY: the call writes to `time` only. It cannot fail: the clocks are known and the address
    // is good.
    let _ = unsafe { raw::clock_time_get(clock, 0, address_mut(&mut time)) };
    Duration::from_nanos(time)
}
