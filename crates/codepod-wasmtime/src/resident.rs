//! What stays in memory of a process that has ended, for the next one of its module.
//!
//! wasmtime puts the pages that a process wrote to back as they were and keeps them, but only the first 32 runs of them; everything
//! behind is given back to Linux, and the next process pays a page fault for each page that it reads or writes there. What Python
//! writes to when it starts and ends lies in 100 runs. So the shortest gaps between them are bridged: their pages are written to as well,
//! with what they hold already. From then on they are kept, there are few runs, and nothing is given back.

use std::hint::black_box;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::mm::{Advice, madvise};

use crate::config::{KEPT_IN_ALL, KEPT_OF_ONE};
use crate::touched::{PAGE, written_runs};

/// How many runs are left: fewer than wasmtime keeps, since each program writes to some more.
const MOST_RUNS: usize = 24;

/// What a process has grown by further is given back: it did something large, and the next one may not.
const GROWTH_KEPT: usize = 1 << 20;

/// What is smaller always stays: it is a tool's, which wrote to a fraction of it.
const SMALL: usize = 8 << 20;

/// Nothing is learned from a memory that is larger: asking for all its pages would take milliseconds.
const LARGEST_LEARNED_FROM: usize = 256 << 20;

/// What is known of a module's processes.
#[derive(Debug)]
pub(crate) struct Resident {
    /// The memory that each process begins with, in bytes.
    initial: usize,
    ends: AtomicU64,
    learned: Mutex<Learned>,
}

#[derive(Debug, Default)]
struct Learned {
    /// How many pages the process wrote to that wrote to the fewest: these are what all of them write to.
    fewest: Option<usize>,
    gaps: Arc<[Range<usize>]>,
}

impl Resident {
    pub(crate) fn new(initial: usize) -> Resident {
        Resident {
            initial,
            ends: AtomicU64::new(0),
            learned: Mutex::default(),
        }
    }

    /// Prepares the memory of a process that has ended for being kept, or gives it back where enough is kept already. What is returned counts
    /// as kept until wasmtime has the memory.
    pub(crate) fn leave<'a>(
        &self,
        room: &'a Room,
        engine: &wasmtime::Engine,
        memory: &mut [u8],
    ) -> Option<Leaving<'a>> {
        let stays = self.initial.saturating_add(GROWTH_KEPT).min(memory.len());
        let (memory, grown) = memory.split_at_mut(stays);
        if !grown.is_empty() {
            give_back(grown);
        }
        let mut leaving = None;
        if memory.len() > SMALL {
            leaving = room.take(engine);
            if leaving.is_none() {
                give_back(memory);
                return None;
            }
        }
        for page in self.gaps(memory).iter().cloned().flatten() {
            if let Some(byte) = memory.get_mut(page * PAGE) {
                *byte = black_box(*byte);
            }
        }
        leaving
    }

    /// The gaps to bridge; the second, fourth, eighth… process that ends is learned from, so that a host with one process asks for nothing.
    fn gaps(&self, memory: &[u8]) -> Arc<[Range<usize>]> {
        let ends = self.ends.fetch_add(1, Ordering::Relaxed) + 1;
        let mut learned = self.learned.lock().unwrap_or_else(PoisonError::into_inner);
        if ends > 1 && ends.is_power_of_two() && memory.len() <= LARGEST_LEARNED_FROM {
            learned.learn(&written_runs(memory).unwrap_or_default());
        }
        learned.gaps.clone()
    }
}

impl Learned {
    fn learn(&mut self, runs: &[Range<usize>]) {
        let written = runs.iter().map(Range::len).sum();
        if written == 0 || self.fewest.is_some_and(|fewest| fewest <= written) {
            return;
        }
        self.fewest = Some(written);
        self.gaps = gaps(runs, (KEPT_OF_ONE / PAGE).saturating_sub(written)).into();
    }
}

/// The shortest gaps between runs, as many as are to be bridged and have no more than `most` pages together.
fn gaps(runs: &[Range<usize>], most: usize) -> Vec<Range<usize>> {
    let between = runs.windows(2).map(|pair| pair[0].end..pair[1].start);
    let mut gaps: Vec<_> = between.collect();
    gaps.sort_by_key(Range::len);
    gaps.truncate(runs.len().saturating_sub(MOST_RUNS));
    let mut pages = 0;
    let fitting = gaps.iter().take_while(|gap| {
        pages += gap.len();
        pages <= most
    });
    let fitting = fitting.count();
    gaps.truncate(fitting);
    gaps
}

/// What large processes may leave behind together. wasmtime counts what is kept when it has it.
#[derive(Debug, Default)]
pub(crate) struct Room {
    leaving: AtomicUsize,
}

/// A memory on its way.
pub(crate) struct Leaving<'a>(&'a Room);

impl Room {
    fn take(&self, engine: &wasmtime::Engine) -> Option<Leaving<'_>> {
        let taken = self.leaving.fetch_add(1, Ordering::Relaxed) + 1;
        let leaving = Leaving(self);
        let metrics = engine.pooling_allocator_metrics()?;
        let kept = metrics.unused_memory_bytes_resident() + taken * KEPT_OF_ONE;
        (kept <= KEPT_IN_ALL).then_some(leaving)
    }
}

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.leaving.fetch_sub(1, Ordering::Relaxed);
    }
}

fn give_back(memory: &mut [u8]) {
    #[expect(unsafe_code, reason = "the system knows memory by its address")]
    // SAFETY: the memory is mapped, nobody else refers to it, and its bytes may become any others: its process has ended, and wasmtime puts
    // everything back that differs from the module's image, which is what the pages are again after this.
    let given = unsafe {
        madvise(
            memory.as_mut_ptr().cast(),
            memory.len(),
            Advice::LinuxDontNeed,
        )
    };
    // Where Linux refuses, wasmtime gives back what it does not keep, as ever.
    let _ = given;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs of one page each, with gaps of the lengths given between them.
    fn runs_with(gaps: impl IntoIterator<Item = usize>) -> Vec<Range<usize>> {
        let mut runs: Vec<_> = std::iter::once(10..11).collect();
        for gap in gaps {
            let start = runs[runs.len() - 1].end + gap;
            runs.push(start..start + 1);
        }
        runs
    }

    #[test]
    fn the_shortest_gaps_are_bridged_until_few_runs_are_left() {
        let runs = runs_with((0..100).map(|i| 1 + i % 10));
        let bridged = gaps(&runs, 10_000);
        assert_eq!(bridged.len(), runs.len() - MOST_RUNS);
        assert!(bridged.iter().all(|gap| gap.len() <= 8), "{bridged:?}");
    }

    #[test]
    fn few_runs_need_no_bridge_and_none_is_longer_than_what_is_kept() {
        assert_eq!(gaps(&runs_with([5; MOST_RUNS - 1]), 10_000), []);
        assert_eq!(gaps(&runs_with([5; 100]), 12).len(), 2);
        assert_eq!(gaps(&[], 10), []);
    }

    #[test]
    fn the_process_that_wrote_least_is_learned_from() {
        let mut learned = Learned::default();
        learned.learn(&runs_with([3; 60]));
        let of_few = learned.gaps.clone();
        assert!(!of_few.is_empty());
        learned.learn(&runs_with([3; 90]));
        assert_eq!(learned.gaps, of_few, "wrote more");
        learned.learn(&[]);
        assert_eq!(learned.gaps, of_few, "could not be found out");
        learned.learn(&runs_with([3; 10]));
        assert_eq!(*learned.gaps, [], "wrote less");
    }

    #[test]
    fn a_memory_that_ends_in_a_gap_is_bridged_as_far_as_it_goes() {
        let resident = Resident::new(PAGE);
        resident.learned.lock().unwrap().gaps = std::iter::once(3..9).collect();
        let mut memory = vec![7; 5 * PAGE];
        let engine = wasmtime::Engine::new(&crate::config::config(1, false).unwrap()).unwrap();
        let room = Room::default();
        let left = resident.leave(&room, &engine, &mut memory);
        assert!(left.is_none(), "it is small");
        assert!(memory.iter().all(|byte| *byte == 7), "nothing changes");
    }
}
