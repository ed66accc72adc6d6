//! A guest as the kernel sees it, without an engine: memory between guards, and a waker that
//! remembers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Wake, Waker};

use codepod_kernel::SliceMemory;

const GUARD: usize = 64;
const PATTERN: u8 = 0xa5;

/// A guest's memory in the middle of a larger buffer whose other bytes nobody may touch.
pub(crate) struct GuardedMemory {
    bytes: Vec<u8>,
}

impl GuardedMemory {
    /// A memory of zeros.
    pub(crate) fn new(size: usize) -> GuardedMemory {
        let mut bytes = vec![0; size + 2 * GUARD];
        bytes[..GUARD].fill(PATTERN);
        bytes[GUARD + size..].fill(PATTERN);
        GuardedMemory { bytes }
    }

    /// How large the memory is.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len() - 2 * GUARD
    }

    /// The memory alone.
    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        let end = self.bytes.len() - GUARD;
        &mut self.bytes[GUARD..end]
    }

    /// The memory as a call gets it.
    pub(crate) fn memory(&mut self) -> SliceMemory<'_> {
        SliceMemory(self.bytes())
    }

    /// Writes as the guest itself; what would lie outside is left out.
    pub(crate) fn poke(&mut self, at: u32, bytes: &[u8]) {
        let memory = self.bytes();
        if let Some(target) = memory.get_mut(at as usize..)
            && let Some(target) = target.get_mut(..bytes.len())
        {
            target.copy_from_slice(bytes);
        }
    }

    /// Panics if a byte around the memory has changed.
    pub(crate) fn check_guards(&self) {
        let end = self.bytes.len() - GUARD;
        assert!(
            self.bytes[..GUARD] == [PATTERN; GUARD] && self.bytes[end..] == [PATTERN; GUARD],
            "bytes outside the guest's memory were written"
        );
    }
}

/// Whether a waker has been woken since it was last asked.
#[derive(Default)]
pub(crate) struct Woken(AtomicBool);

impl Woken {
    /// A flag and the waker that sets it.
    pub(crate) fn new() -> (Arc<Woken>, Waker) {
        let woken = Arc::<Woken>::default();
        (woken.clone(), woken.into())
    }

    /// Takes the mark.
    pub(crate) fn take(&self) -> bool {
        self.0.swap(false, Ordering::Relaxed)
    }

    /// Looks without taking.
    pub(crate) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}
