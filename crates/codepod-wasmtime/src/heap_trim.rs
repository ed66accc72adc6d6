//! Returns freed heap to the host. glibc keeps free memory below the top of each of its arenas:
//! after some large sandboxes that is hundreds of megabytes. `malloc_trim` gives them back, and is
//! called once enough has been freed.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much comes together before the C library is asked, which takes it about a millisecond for 10
/// MB, and others may wait meanwhile.
const WORTH_ASKING: u64 = 32 << 20;

/// What was freed since the C library was asked.
#[derive(Debug, Default)]
pub(crate) struct Freed(AtomicU64);

impl Freed {
    /// Counts bytes that were freed; whether it is time to [`give_back`].
    pub(crate) fn count(&self, bytes: u64) -> bool {
        let freed = self.0.fetch_add(bytes, Ordering::Relaxed);
        let is_time = freed.saturating_add(bytes) >= WORTH_ASKING;
        if is_time {
            self.0.store(0, Ordering::Relaxed);
        }
        is_time
    }
}

/// Gives freed memory back to the system, where the C library has to be asked for that.
pub(crate) fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    #[expect(unsafe_code, reason = "a call of the C library")]
    // SAFETY: it takes a number, no pointer, and moves nothing that is in use.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_comes_together_until_it_is_worth_asking() {
        let freed = Freed::default();
        assert!(!freed.count(WORTH_ASKING / 2));
        assert!(!freed.count(WORTH_ASKING / 2 - 1));
        assert!(freed.count(1));
        assert!(!freed.count(1), "it begins anew");
        assert!(freed.count(u64::MAX));
    }
}
