//! What stays in memory of a process that has ended, for the next one of its module.
//!
//! wasmtime asks Linux which pages a process wrote to, puts them back as they were and keeps them,
//! so that the next process has no page faults there. How much is kept is decided here: not what a
//! process has grown by, and the rest within a bound for all of them together.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::mm::Advice;

use crate::config::{KEPT_IN_ALL, KEPT_OF_ONE};
use crate::{pieces, unmapped};

/// What a process has grown by further is given back: it did something large, and the next one may
/// not.
const GROWTH_KEPT: usize = 1 << 20;

/// What is smaller is a tool's, which wrote to a fraction of it.
const SMALL: usize = 8 << 20;

/// What large processes may leave behind together. wasmtime counts what is kept when it has it.
#[derive(Debug, Default)]
pub(crate) struct Room {
    /// Bytes that are on their way to being kept.
    leaving: AtomicUsize,
    /// By where a memory is, what was left there last with all of its pages mapped: the module,
    /// and how many bytes. There are as many places as the pool has.
    mapped: Mutex<HashMap<usize, (usize, usize)>>,
}

/// A memory on its way. It counts as kept until wasmtime has it.
pub(crate) struct Leaving<'a> {
    room: &'a Room,
    size: usize,
}

impl Room {
    /// Leaves the memory of a process that has ended, which began with `initial` bytes, for being
    /// kept, or gives it back where enough is kept already. `module` tells its module apart
    /// from others. `is_new` says that all of the memory has just been mapped anew: nobody has
    /// touched it, so wasmtime finds nothing to put back.
    pub(crate) fn leave(
        &self,
        engine: &wasmtime::Engine,
        module: usize,
        initial: usize,
        memory: &mut [u8],
        is_new: bool,
    ) -> Option<Leaving<'_>> {
        if is_new {
            self.forget(memory);
            return self.take(engine, 0);
        }
        let stays = initial.saturating_add(GROWTH_KEPT).min(memory.len());
        let (first, grown) = memory.split_at_mut(stays);
        if !grown.is_empty() {
            give_back(grown);
        }
        let size = match first.len() <= SMALL {
            true => 0,
            false => KEPT_OF_ONE,
        };
        let leaving = self.take(engine, size);
        if leaving.is_none() {
            give_back(first);
        }
        let was_given_back = leaving.is_none() || memory.len() > stays;
        if !self.was_mapped(module, memory) || was_given_back {
            unmapped::map(memory);
        }
        leaving
    }

    /// Whether a process of the same module has left this memory as large, and so with all of its
    /// pages mapped. Wrongly so where Linux has taken some away since: wasmtime then fills
    /// those, within what it keeps.
    fn was_mapped(&self, module: usize, memory: &[u8]) -> bool {
        let left = (module, memory.len());
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.insert(memory.as_ptr().addr(), left) == Some(left)
    }

    /// Pages of this memory are not mapped any more, so that the next process has them mapped.
    fn forget(&self, memory: &[u8]) {
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        mapped.remove(&memory.as_ptr().addr());
    }

    fn take(&self, engine: &wasmtime::Engine, size: usize) -> Option<Leaving<'_>> {
        let leaving = self.leaving.fetch_add(size, Ordering::Relaxed) + size;
        let entry = Leaving { room: self, size };
        let metrics = engine.pooling_allocator_metrics()?;
        let kept = metrics.unused_memory_bytes_resident() + leaving;
        (kept <= KEPT_IN_ALL).then_some(entry)
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.room.leaving.fetch_sub(self.size, Ordering::Relaxed);
    }
}

fn give_back(memory: &mut [u8]) {
    #[expect(unsafe_code, reason = "the system knows memory by its address")]
    // SAFETY: the memory is mapped, nobody else refers to it, and its bytes may become any others:
    // its process has ended, and wasmtime puts everything back that differs from the module's
    // image, which is what the pages are again after this.
    let given = unsafe { pieces::advise(memory, Advice::LinuxDontNeed) };
    // Where Linux refuses, wasmtime gives back what it does not keep, as ever.
    let _ = given;
}
