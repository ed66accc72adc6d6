//! Counts memory: how much there is, how much there was at once, and how large the largest piece
//! was. No guest may make the host allocate what the guest's limits do not cover.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

struct Counting;

// SAFETY: every method passes its arguments on to the system's allocator, whose conditions are the
// same.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises about `layout` are those that `System` asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller's promises about `layout` are those that `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `System` with this layout, since all pointers of this
        // allocator do.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        add(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `System` with this layout, and `size` is the caller's
        // promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn add(size: usize) {
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
    LARGEST.fetch_max(size, Ordering::Relaxed);
}

/// What is allocated from here on, compared with now.
pub(crate) struct Watch {
    before: usize,
}

impl Watch {
    /// The largest piece that may be allocated at once.
    const LARGEST: usize = 40 << 20;
    /// What all pieces together may come to.
    const LIVE: usize = 96 << 20;

    /// Begins to watch.
    pub(crate) fn new() -> Watch {
        LARGEST.store(0, Ordering::Relaxed);
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        Watch { before }
    }

    /// The most that was allocated at one time since the start.
    pub(crate) fn peak(&self) -> usize {
        PEAK.load(Ordering::Relaxed).saturating_sub(self.before)
    }

    /// Panics if too much was allocated since the start.
    pub(crate) fn check(&self) {
        let largest = LARGEST.load(Ordering::Relaxed);
        assert!(
            largest <= Self::LARGEST,
            "{largest} bytes were allocated at once"
        );
        let live = LIVE.load(Ordering::Relaxed).saturating_sub(self.before);
        assert!(live <= Self::LIVE, "{live} bytes are allocated");
    }
}

impl Default for Watch {
    fn default() -> Watch {
        Watch::new()
    }
}
