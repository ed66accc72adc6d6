//! How long something takes, by the clock of the engine's host.
//!
//! The standard library has no clock on every platform, and the kernel's clock is the one that a
//! run's processes see.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use codepod_kernel::Host;

/// Tells how long ago it was started.
#[derive(Clone)]
pub(crate) struct Stopwatch {
    host: Arc<dyn Host>,
    /// The host's monotonic time at the start.
    started: u64,
}

impl Stopwatch {
    /// Starts one by the clock of a host.
    pub(crate) fn start(host: Arc<dyn Host>) -> Stopwatch {
        let started = host.monotonic();
        Stopwatch { host, started }
    }

    /// How long it has been running.
    pub(crate) fn elapsed(&self) -> Duration {
        Duration::from_nanos(self.host.monotonic().saturating_sub(self.started))
    }
}

impl fmt::Debug for Stopwatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stopwatch")
            .field("started", &self.started)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use codepod_kernel::testing::VirtualHost;

    use super::*;

    #[test]
    fn time_passes_as_the_host_says() {
        let host = Arc::new(VirtualHost::new(1));
        let stopwatch = Stopwatch::start(host.clone());
        assert_eq!(stopwatch.elapsed(), Duration::ZERO);
        host.advance(1_500_000);
        assert_eq!(stopwatch.elapsed(), Duration::from_micros(1500));
        assert_eq!(stopwatch.clone().elapsed(), Duration::from_micros(1500));
    }
}
