//! Memory that can be mapped into processes: one unlinked file of which blocks are handed out.
//!
//! What sessions keep lies here, so that a process begins with it mapped copy-on-write instead of
//! copied. A block is written once, when it is made, and never changes: processes map it privately,
//! and whoever maps one holds it. One file serves the whole engine: its size is address space only,
//! and memory is taken where a block is.

use std::collections::BTreeSet;
use std::fmt;
use std::os::fd::OwnedFd;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_vfs::{Blocks, OutsideBytes};
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap, mmap_anonymous, munmap};

/// The size of a block.
pub(crate) const BLOCK: usize = Blocks::SIZE;

/// How many blocks there can be: 64 GiB.
const BLOCKS: usize = 1 << 20;

/// The file, mapped whole.
#[derive(Debug)]
pub(crate) struct Arena {
    file: OwnedFd,
    view: NonNull<u8>,
    room: Mutex<Room>,
}

#[expect(unsafe_code, reason = "a pointer to memory that all threads may use")]
// SAFETY: the view stays mapped as long as the arena. A block of it is written before anybody else
// knows of it, and only read afterwards.
unsafe impl Send for Arena {}
#[expect(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl Sync for Arena {}

/// Which blocks are free.
#[derive(Debug, Default)]
struct Room {
    /// Those from here on were never used.
    next: usize,
    /// Those before that are free again, the lowest first: what is kept together stays together.
    freed: BTreeSet<usize>,
}

/// Some blocks in a row.
pub(crate) struct Block {
    arena: Arc<Arena>,
    first: usize,
    count: usize,
}

impl Arena {
    /// An arena; `None` where the system gives none.
    pub(crate) fn new() -> Option<Arc<Arena>> {
        let file = memfd_create("codepod-sessions", MemfdFlags::CLOEXEC).ok()?;
        ftruncate(&file, (BLOCKS * BLOCK) as u64).ok()?;
        let flags = MapFlags::SHARED | MapFlags::NORESERVE;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let nowhere = std::ptr::null_mut();
        #[expect(unsafe_code, reason = "mapping memory is unsafe by nature")]
        // SAFETY: a new mapping, at a place that the system chooses.
        let view = unsafe { mmap(nowhere, BLOCKS * BLOCK, protection, flags, &file, 0) }.ok()?;
        Some(Arc::new(Arena {
            file,
            view: NonNull::new(view.cast())?,
            room: Mutex::default(),
        }))
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A block with these bytes; `None` if they are not a block's, or all blocks are taken.
    pub(crate) fn keep(self: &Arc<Arena>, bytes: &[u8]) -> Option<Block> {
        if bytes.len() != BLOCK {
            return None;
        }
        let mut block = self.take(1, true)?;
        block.fill(|target| target.copy_from_slice(bytes));
        Some(block)
    }

    /// So many blocks in a row, zeros that `fill` fills; `None` if there are not as many.
    pub(crate) fn keep_row(
        self: &Arc<Arena>,
        count: usize,
        fill: impl FnOnce(&mut [u8]),
    ) -> Option<Block> {
        let mut block = self.take(count, false)?;
        block.fill(fill);
        Some(block)
    }

    /// Takes blocks: such that were never used, which are zeros, or one that is free again.
    fn take(self: &Arc<Arena>, count: usize, again: bool) -> Option<Block> {
        let mut room = self.room();
        let freed = again.then(|| room.freed.pop_first()).flatten();
        let first = match freed {
            Some(freed) => freed,
            None => {
                let first = room.next;
                room.next = first.checked_add(count).filter(|end| *end <= BLOCKS)?;
                first
            }
        };
        Some(Block {
            arena: self.clone(),
            first,
            count,
        })
    }

    /// Where bytes lie in the file, if that is where they are.
    pub(crate) fn offset_of(&self, bytes: &[u8]) -> Option<usize> {
        let offset = bytes.as_ptr().addr().checked_sub(self.view.addr().get())?;
        (offset < BLOCKS * BLOCK).then_some(offset)
    }

    /// Puts what lies at `offset` in the place of `memory`, copy-on-write; whether the system does.
    /// The caller holds the blocks as long as the memory is used.
    pub(crate) fn map(&self, memory: &mut [u8], offset: usize) -> bool {
        let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let is_inside = offset
            .checked_add(memory.len())
            .is_some_and(|end| end <= BLOCKS * BLOCK);
        let start = memory.as_mut_ptr();
        let is_at_page = start.addr().is_multiple_of(BLOCK.min(4096));
        if !is_inside || !is_at_page || memory.is_empty() {
            return false;
        }
        #[expect(unsafe_code, reason = "mapping memory is unsafe by nature")]
        // SAFETY: the place is memory of a process that nobody else refers to, by the exclusive
        // reference; it has the same protection before and after, and bytes that are as good as
        // any.
        let mapped = unsafe {
            mmap(
                start.cast(),
                memory.len(),
                protection,
                flags,
                &self.file,
                offset as u64,
            )
        };
        mapped.is_ok()
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "unmapping memory is unsafe by nature")]
        // SAFETY: every block holds the arena, so nobody refers to the view any more.
        let unmapped = unsafe { munmap(self.view.as_ptr().cast(), BLOCKS * BLOCK) };
        let _ = unmapped;
    }
}

/// Puts zeros in the place of memory that may have blocks mapped; whether the system does.
pub(crate) fn unmap(memory: &mut [u8]) -> bool {
    let flags = MapFlags::PRIVATE | MapFlags::FIXED | MapFlags::NORESERVE;
    let protection = ProtFlags::READ | ProtFlags::WRITE;
    if memory.is_empty() {
        return true;
    }
    let start = memory.as_mut_ptr().cast();
    #[expect(unsafe_code, reason = "mapping memory is unsafe by nature")]
    // SAFETY: as in `map`.
    let mapped = unsafe { mmap_anonymous(start, memory.len(), protection, flags) };
    mapped.is_ok()
}

impl Block {
    fn len(&self) -> usize {
        self.count * BLOCK
    }

    fn start(&self) -> *mut u8 {
        self.arena.view.as_ptr().wrapping_add(self.first * BLOCK)
    }

    fn fill(&mut self, fill: impl FnOnce(&mut [u8])) {
        #[expect(
            unsafe_code,
            reason = "memory that the system gave is known by its address"
        )]
        // SAFETY: the blocks are inside the view, and this is the only one that has them.
        fill(unsafe { std::slice::from_raw_parts_mut(self.start(), self.len()) });
    }
}

impl OutsideBytes for Block {
    fn bytes(&self) -> &[u8] {
        #[expect(
            unsafe_code,
            reason = "memory that the system gave is known by its address"
        )]
        // SAFETY: the blocks are inside the view and not written to any more.
        unsafe {
            std::slice::from_raw_parts(self.start(), self.len())
        }
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Block({}, {})", self.first, self.count)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        #[expect(unsafe_code, reason = "the system knows memory by its address")]
        // SAFETY: nobody has the blocks any more; a new owner writes all of them before it reads.
        let removed = unsafe { madvise(self.start().cast(), self.len(), Advice::LinuxRemove) };
        // Where Linux refuses, the memory stays taken until the block is used again.
        let _ = removed;
        let freed = self.first..self.first + self.count;
        self.arena.room().freed.extend(freed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_mapped_copy_on_write_and_used_again_when_it_is_free() {
        let arena = Arena::new().unwrap();
        let row = arena
            .keep_row(3, |bytes| bytes[BLOCK..2 * BLOCK].fill(7))
            .unwrap();
        let block = arena.keep(&[9; BLOCK]).unwrap();
        assert_eq!(arena.keep(&[9; 5]).map(|_| ()), None);
        assert_eq!(arena.offset_of(block.bytes()), Some(3 * BLOCK));
        assert_eq!(arena.offset_of(&[1]), None);
        let mut memory = vec![1u8; 4 * BLOCK];
        let at = memory.as_ptr().align_offset(4096);
        let memory = &mut memory[at..at + 2 * BLOCK];
        assert!(!arena.map(&mut memory[1..4097], 0));
        assert!(!arena.map(memory, BLOCKS * BLOCK - BLOCK));
        assert!(arena.map(memory, 2 * BLOCK));
        assert_eq!((memory[0], memory[BLOCK]), (0, 9));
        memory[BLOCK] = 5;
        assert_eq!(block.bytes()[0], 9);
        assert!(unmap(memory));
        assert_eq!(memory[BLOCK], 0);
        assert_eq!(row.bytes()[BLOCK], 7);
        drop(block);
        assert_eq!(arena.keep(&[2; BLOCK]).unwrap().first, 3);
    }
}
