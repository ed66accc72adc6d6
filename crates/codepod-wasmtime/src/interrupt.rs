//! The interrupt word: how a process that computes learns that a signal has arrived, or that its
//! time slice has ended.
//!
//! WebAssembly code cannot be interrupted to run a signal handler. An interpreter, however, looks
//! at some word of its memory again and again. A module that exports the global
//! `codepod_interrupt` names such a word, and the engine sets bits in it while the process is
//! stopped at the end of a tick. The global is the address of four numbers of 32 bits:
//!
//! | number | meaning |
//! |---|---|
//! | `pointer` | address of a pointer to a structure; nothing is set while it is null |
//! | `offset` | where the word lies in that structure |
//! | `at_signal` | bits to set while caught signals wait to be taken |
//! | `at_tick` | bits to set at every tick |
//!
//! All of that is guest input. Every address is checked against the memory of that process, and a
//! bad one means that nothing is set.

use std::sync::atomic::{AtomicU32, Ordering};

use wasmtime::{AsContext, Global, Memory, Val};

/// The global that names the word.
pub(crate) const EXPORT: &str = "codepod_interrupt";

/// The address that the global of a process holds.
pub(crate) fn address_of(global: Global, store: impl wasmtime::AsContextMut) -> Option<u32> {
    match global.get(store) {
        Val::I32(address) => Some(address.cast_unsigned()),
        _ => None,
    }
}

/// Sets the bits that the process asked for. Only while it is stopped: nothing else may use its
/// memory meanwhile.
pub(crate) fn set(store: impl AsContext, memory: Memory, at: u32, is_signalled: bool) {
    let words = Words {
        start: memory.data_ptr(&store),
        size: memory.data_size(&store),
    };
    words.set(at, is_signalled);
}

/// The memory of a process that is stopped, as words.
struct Words {
    start: *mut u8,
    size: usize,
}

impl Words {
    fn set(&self, at: u32, is_signalled: bool) -> Option<()> {
        let number = |index: u32| self.read(at.checked_add(index * 4)?);
        let (pointer, offset) = (number(0)?, number(1)?);
        let mut bits = number(3)?;
        if is_signalled {
            bits |= number(2)?;
        }
        if bits == 0 {
            return None;
        }
        let structure = self.read(pointer).filter(|structure| *structure != 0)?;
        let word = self.word(structure.checked_add(offset)?)?;
        word.fetch_or(bits.to_le(), Ordering::Relaxed);
        Some(())
    }

    fn read(&self, at: u32) -> Option<u32> {
        Some(u32::from_le(self.word(at)?.load(Ordering::Relaxed)))
    }

    /// The word at an address. `None` if it is not aligned or not all within the memory.
    fn word(&self, at: u32) -> Option<&AtomicU32> {
        let end = (at as usize).checked_add(size_of::<u32>())?;
        if end > self.size || !at.is_multiple_of(4) {
            return None;
        }
        #[expect(
            unsafe_code,
            reason = "wasmtime lends memory at an epoch by pointer only"
        )]
        // SAFETY: linear memory starts at a page, so the word is aligned, and it lies within. The
        // process is stopped, no call of it is under way, so nobody else holds a reference to its
        // memory or can move it while `self` lives.
        let word = unsafe { AtomicU32::from_ptr(self.start.add(at as usize).cast()) };
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A memory of eight words: what the global points to at 4, the pointer at 20.
    fn after(numbers: [u32; 4], pointer: u32, is_signalled: bool) -> [u32; 8] {
        let [a, b, c, d] = numbers;
        let mut memory = [0, a, b, c, d, pointer, 0x100, 0];
        let words = Words {
            start: memory.as_mut_ptr().cast(),
            size: size_of_val(&memory),
        };
        words.set(4, is_signalled);
        memory
    }

    #[test]
    fn bits_are_set_in_the_word_that_the_process_names() {
        assert_eq!(after([20, 8, 2, 1], 16, true)[6], 0x103);
        assert_eq!(after([20, 8, 2, 1], 16, false)[6], 0x101);
        assert_eq!(after([20, 8, 2, 0], 16, false)[6], 0x100);
        assert_eq!(after([20, 8, 2, 1], 0, true)[2..], [8, 2, 1, 0, 0x100, 0]);
    }

    // A guest that names addresses outside of its memory changes nothing.
    #[test]
    fn addresses_outside_or_between_words_are_left_alone() {
        for (numbers, pointer) in [
            ([32, 0, 2, 1], 16),
            ([u32::MAX, 0, 2, 1], 16),
            ([22, 0, 2, 1], 16),
            ([20, 16, 2, 1], 16),
            ([20, 9, 2, 1], 16),
            ([20, u32::MAX, 2, 1], 16),
            ([20, 0, 2, 1], u32::MAX - 3),
            ([20, 0, 2, 1], 29),
        ] {
            let [a, b, c, d] = numbers;
            assert_eq!(
                after(numbers, pointer, true),
                [0, a, b, c, d, pointer, 0x100, 0]
            );
        }
        let mut memory = [7u32; 8];
        let words = Words {
            start: memory.as_mut_ptr().cast(),
            size: size_of_val(&memory),
        };
        for at in [20, 21, 32, u32::MAX, u32::MAX - 3] {
            assert!(words.set(at, true).is_none());
        }
        assert_eq!(memory, [7; 8]);
    }
}
