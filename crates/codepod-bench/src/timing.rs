//! Timing: medians of alternating rounds.

use std::time::{Duration, Instant};

use rustix::time::ClockId;

/// The time of one call.
pub(crate) fn time<R>(f: impl FnOnce() -> R) -> (Duration, R) {
    let start = Instant::now();
    let result = f();
    (start.elapsed(), result)
}

/// The CPU time that this process takes for one call, on all its threads.
pub(crate) fn cpu<R>(f: impl FnOnce() -> R) -> std::io::Result<(Duration, R)> {
    let now = || Duration::try_from(rustix::time::clock_gettime(ClockId::ProcessCPUTime));
    let start = now().map_err(std::io::Error::other)?;
    let result = f();
    let end = now().map_err(std::io::Error::other)?;
    Ok((end.saturating_sub(start), result))
}

/// The median.
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    percentile(times, 50)
}

/// A percentile.
pub(crate) fn percentile(times: &mut [Duration], percent: usize) -> Duration {
    times.sort_unstable();
    times[(times.len() * percent / 100).min(times.len() - 1)]
}

/// A duration in microseconds.
pub(crate) fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

/// A duration, readable.
pub(crate) fn show(duration: Duration) -> String {
    let us = micros(duration);
    if us < 1.0 {
        format!("{:.0} ns", us * 1e3)
    } else if us < 1000.0 {
        format!("{us:.1} µs")
    } else if us < 1e6 {
        format!("{:.2} ms", us / 1e3)
    } else {
        format!("{:.2} s", us / 1e6)
    }
}
