//! The memory of a session between two turns: how a process begins with it, and leaves it.
//!
//! A session is a file of the sandbox (`codepod-kernel`, `process/turn.rs`), in blocks of 64 KiB:
//!
//! * block 0 is the guest's own;
//! * from block 1 on lie a header and single pages, which are copied into the memory of a process:
//!   those of the module's first memory, and those of blocks of which turns have changed a few
//!   only. Pages that the last turn did not change come first, so that their blocks stay as they
//!   are;
//! * block N, behind the first memory, is what lies there in memory if a turn has changed much of
//!   it. It is mapped copy-on-write (`arena.rs`) and costs nothing until a process touches it.
//!
//! What the file does not have is as the session began: with a prepared image or without
//! (`prepared.rs`), mapped as well. Pages that a turn did not write to are still mapped at its end,
//! which Linux tells (`dirty_pages.rs`): they are neither read nor written.
//!
//! A process of wasmtime's pool has its own mappings of the module's image in the first memory.
//! What is put back there in the end is another mapping with the same bytes, private as well, so
//! that wasmtime resets it as it would its own.
//!
//! A saved state can hold any file. So everything is checked that decides where bytes go; what they
//! are is the guest's business, as ever.

use std::ops::Range;
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_kernel::Turn;
use codepod_vfs::{Blocks, OutsideBytes as _};

use crate::arena::{Arena, BLOCK, unmap};
use crate::dirty_pages;
use crate::kept_form::{FIRST, MAGIC, is_kept_by_host};
use crate::prepared::{Beginning, MOST_BLOCKS, NO_IMAGE, PAGE, PAGES, Prepared, Source, is_zero};

/// Magic, build, digest of the image, size of the memory in blocks, number of pages.
const HEADER: usize = 8 + 8 + 32 + 4 + 4;
/// Up to so many pages of a block are kept as single pages.
const FEW: usize = 8;
/// So many mappings a process begins with; what more would need is copied. When that is kept again
/// it lies in a row.
const MOST_MAPPINGS: usize = 1024;

/// A process's memory that is to be kept at the end of its turn.
#[derive(Debug)]
pub(crate) struct KeptMemory {
    arena: Arc<Arena>,
    build: u64,
    /// What the module begins with, and what the session began with.
    plain: Arc<Beginning>,
    began: Arc<Beginning>,
    /// The file that it goes on from. What is mapped is held by it.
    blocks: Option<Blocks>,
    /// Single pages, as the file lists them.
    pages: Vec<u32>,
    /// How large the memory has to be, in bytes.
    size: usize,
}

/// Why a process cannot begin with a session.
const DAMAGED: &str =
    "this session was made by another build of codepod, or is damaged; start a new one";
const UNREADABLE: &str = "this session cannot be read from where it is stored";
const NO_MEMORY: &str = "there is no memory left for this session";

impl KeptMemory {
    /// What a turn begins with. A process may have `limit` bytes of memory.
    pub(crate) fn new(
        turn: Turn,
        prepared: &Prepared,
        limit: usize,
        source: Source<'_>,
    ) -> Result<KeptMemory, &'static str> {
        let plain = prepared.plain(source).ok_or(NO_MEMORY)?;
        let mut kept = KeptMemory {
            arena: source.arena.clone(),
            build: prepared.build,
            size: plain.size,
            began: plain.clone(),
            plain,
            blocks: None,
            pages: Vec::new(),
        };
        let Some(blocks) = turn.kept else {
            // Half of the memory is for what the program makes.
            let began = prepared.wanted_by(&turn.code, limit / 2, source);
            kept.began = began.ok_or(NO_MEMORY)?;
            kept.size = kept.began.size;
            return Ok(kept);
        };
        if !is_kept_by_host(&blocks).map_err(|_| UNREADABLE)? {
            // As builds before this form kept it: the guest reads it itself.
            return Ok(kept);
        }
        let header = Header::read(&blocks).map_err(|_| UNREADABLE)?;
        let header = header.filter(|header| header.build == prepared.build);
        let header = header.ok_or(DAMAGED)?;
        kept.began = prepared
            .with_digest(&header.digest, source)
            .ok_or(DAMAGED)?;
        if header.size < kept.began.size {
            return Err(DAMAGED);
        }
        kept.size = header.size;
        kept.pages = header.pages;
        kept.blocks = Some(blocks);
        Ok(kept)
    }

    /// How large memory has to be.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Puts everything in its place. The memory is a new process's and as large as it has to be.
    pub(crate) fn put(&mut self, memory: &mut [u8]) -> Result<(), &'static str> {
        let target = memory.get_mut(..self.size).ok_or(DAMAGED)?;
        if !self.map(&self.began, target) {
            return Err(NO_MEMORY);
        }
        self.put_blocks(target)?;
        if let Some(blocks) = &self.blocks {
            let pages = Pages::of(blocks, self.pages.len());
            for (place, page) in self.pages.iter().enumerate() {
                let bytes = pages.get(place).map_err(|_| UNREADABLE)?;
                let at = *page as usize * PAGE;
                let target = target.get_mut(at..at + PAGE).ok_or(DAMAGED)?;
                target.copy_from_slice(bytes.ok_or(DAMAGED)?);
            }
        }
        Ok(())
    }

    /// Maps a beginning to the front of memory; whether the system does.
    fn map(&self, beginning: &Beginning, memory: &mut [u8]) -> bool {
        let offset = self.arena.offset_of(beginning.bytes());
        offset
            .zip(memory.get_mut(..beginning.size))
            .is_some_and(|(offset, front)| self.arena.map(front, offset))
    }

    /// Maps the blocks behind the first memory, those in a row at once.
    fn put_blocks(&mut self, memory: &mut [u8]) -> Result<(), &'static str> {
        let first = (self.plain.size / BLOCK) as u64;
        let Some(blocks) = &mut self.blocks else {
            return Ok(());
        };
        let places: Vec<u64> = blocks.places(first).collect();
        let end = (self.size / BLOCK) as u64;
        if places.last().is_some_and(|last| *last >= end) {
            return Err(DAMAGED);
        }
        let mut rows: Vec<(Range<usize>, usize)> = Vec::new();
        for place in places {
            let offset = arena_offset(blocks, place, &self.arena)?;
            let at = place as usize * BLOCK;
            match rows.last_mut() {
                Some((row, start)) if row.end == at && *start + row.len() == offset => {
                    row.end += BLOCK;
                }
                _ => rows.push((at..at + BLOCK, offset)),
            }
        }
        for (number, (row, offset)) in rows.into_iter().enumerate() {
            let target = &mut memory[row.clone()];
            if number < MOST_MAPPINGS && self.arena.map(target, offset) {
                continue;
            }
            for at in row.step_by(BLOCK) {
                let block = blocks.get((at / BLOCK) as u64).map_err(|_| UNREADABLE)?;
                memory[at..at + BLOCK].copy_from_slice(block.ok_or(DAMAGED)?);
            }
        }
        Ok(())
    }

    /// The memory as a file, made from `empty` if there is none to go on from. What lies below
    /// `stack` is not wanted: the stack ends there. `NoSpc` if there is no memory for it.
    pub(crate) fn keep(&self, memory: &[u8], stack: usize, empty: Blocks) -> Result<Blocks, Errno> {
        let mut blocks = self.blocks.clone().unwrap_or(empty);
        let mut touched = vec![0xff; memory.len() / PAGE / 8];
        dirty_pages::clear_unwritten(memory, &mut touched);
        let is_touched = |page: usize| touched[page / 8] >> (page % 8) & 1 != 0;
        let page_at = |page: usize| &memory[page * PAGE..(page + 1) * PAGE];
        let first = self.plain.size / BLOCK;
        let began = self.began.bytes();
        let mut pages: Vec<u32> = (stack / PAGE..first * PAGES)
            .filter(|page| is_touched(*page))
            .filter(|page| began.get(page * PAGE..(page + 1) * PAGE) != Some(page_at(*page)))
            .map(|page| page as u32)
            .collect();
        // All that fits between the guest's block and the first that is mapped.
        let most = (first - 1) * PAGES - 16;
        for block in first..memory.len() / BLOCK {
            let own = block * PAGES..(block + 1) * PAGES;
            if touched[own.start / 8] == 0 && touched[own.start / 8 + 1] == 0 {
                continue;
            }
            let was_zero = block * BLOCK >= began.len() && blocks.get(block as u64)?.is_none();
            let differs =
                |page: &usize| is_touched(*page) && !(was_zero && is_zero(page_at(*page)));
            let changed = own.clone().filter(differs);
            let count = changed.clone().count();
            if count > FEW || pages.len() + count > most {
                let bytes = &memory[block * BLOCK..(block + 1) * BLOCK];
                let kept = self.arena.keep(bytes).ok_or(Errno::NoSpc)?;
                blocks.share(block as u64, Arc::new(kept))?;
            } else {
                pages.extend(changed.map(|page| page as u32));
            }
        }
        if pages.len() > most {
            return Err(Errno::Fbig);
        }
        let header = Header {
            build: self.build,
            digest: self.began.digest,
            size: memory.len(),
            pages: self.in_order(pages, page_at)?,
        };
        header.write(&mut blocks, first as u64, page_at)?;
        Ok(blocks)
    }

    /// Pages in the order in which they are kept: first those that are as the file has them, in its
    /// order, then the others.
    fn in_order<'a>(
        &self,
        mut pages: Vec<u32>,
        page_at: impl Fn(usize) -> &'a [u8],
    ) -> Result<Vec<u32>, Errno> {
        let Some(blocks) = &self.blocks else {
            return Ok(pages);
        };
        let old = Pages::of(blocks, self.pages.len());
        let mut same = Vec::with_capacity(pages.len());
        for (place, page) in self.pages.iter().enumerate() {
            if let Ok(at) = pages.binary_search(page)
                && old.get(place)? == Some(page_at(*page as usize))
            {
                same.push((at, *page));
            }
        }
        let mut is_same = vec![false; pages.len()];
        for (at, _) in &same {
            is_same[*at] = true;
        }
        let mut is_same = is_same.into_iter();
        pages.retain(|_| is_same.next() == Some(false));
        Ok(same
            .into_iter()
            .map(|(_, page)| page)
            .chain(pages)
            .collect())
    }

    /// Puts memory back as a process without a session would leave it, and returns what is left of
    /// it for the next process; `None` if that was not possible.
    pub(crate) fn release<'a>(&self, memory: &'a mut [u8]) -> Option<&'a mut [u8]> {
        let (first, behind) = memory.split_at_mut_checked(self.plain.size)?;
        (unmap(behind) && self.map(&self.plain, first)).then_some(first)
    }
}

/// Where a block lies in the arena. One that is not there yet, since a store has it, is put there.
fn arena_offset(
    blocks: &mut Blocks,
    place: u64,
    arena: &Arc<Arena>,
) -> Result<usize, &'static str> {
    let bytes = blocks.get(place).map_err(|_| UNREADABLE)?.ok_or(DAMAGED)?;
    if let Some(offset) = arena.offset_of(bytes) {
        return Ok(offset);
    }
    let block = arena.keep(bytes).ok_or(DAMAGED)?;
    let offset = arena.offset_of(block.bytes()).ok_or(DAMAGED)?;
    let adopted = blocks.adopt(place, Arc::new(block));
    adopted.map_err(|_| NO_MEMORY)?;
    Ok(offset)
}

/// What the file says at its beginning.
struct Header {
    build: u64,
    digest: [u8; 32],
    /// How large the memory is, in bytes.
    size: usize,
    /// The single pages by number, each once; their bytes follow, from the next page on.
    pages: Vec<u32>,
}

impl Header {
    /// Reads it; `None` if it is none. `Io` if a store does not give it.
    fn read(blocks: &Blocks) -> Result<Option<Header>, Errno> {
        let Some(start) = blocks
            .get(FIRST)?
            .and_then(|block| block.first_chunk::<HEADER>())
        else {
            return Ok(None);
        };
        let word = |at: usize| {
            u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]])
        };
        let mut digest = NO_IMAGE;
        digest.copy_from_slice(&start[16..48]);
        let (size, count) = (word(48) as usize, word(52) as usize);
        if &start[..8] != MAGIC || size > MOST_BLOCKS || count > size * PAGES {
            return Ok(None);
        }
        let mut list = Vec::with_capacity(count * 4);
        let mut at = HEADER;
        while list.len() < count * 4 {
            let block = blocks.get(FIRST + (at / BLOCK) as u64)?;
            let Some(rest) = block.and_then(|block| block.get(at % BLOCK..)) else {
                return Ok(None);
            };
            let part = &rest[..rest.len().min(count * 4 - list.len())];
            if part.is_empty() {
                return Ok(None);
            }
            list.extend_from_slice(part);
            at += part.len();
        }
        let (words, _) = list.as_chunks::<4>();
        let pages: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        let mut seen = vec![false; size * PAGES];
        let is_new = |page: &u32| {
            let seen = seen.get_mut(*page as usize);
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        Ok(pages.iter().all(is_new).then_some(Header {
            build: u64::from(word(8)) | u64::from(word(12)) << 32,
            digest,
            size: size * BLOCK,
            pages,
        }))
    }

    /// Writes it and the pages that it lists, and makes a hole of what was between that and the
    /// block `end`.
    fn write<'a>(
        &self,
        blocks: &mut Blocks,
        end: u64,
        page_at: impl Fn(usize) -> &'a [u8],
    ) -> Result<(), Errno> {
        let start = pages_start(self.pages.len());
        let mut head = Vec::with_capacity(start);
        head.extend_from_slice(MAGIC);
        head.extend_from_slice(&self.build.to_le_bytes());
        head.extend_from_slice(&self.digest);
        head.extend_from_slice(&((self.size / BLOCK) as u32).to_le_bytes());
        head.extend_from_slice(&(self.pages.len() as u32).to_le_bytes());
        for page in &self.pages {
            head.extend_from_slice(&page.to_le_bytes());
        }
        head.resize(start, 0);
        let pages = self.pages.iter().map(|page| page_at(*page as usize));
        let parts: Vec<&[u8]> = head.chunks(PAGE).chain(pages).collect();
        let mut next = FIRST;
        for parts in parts.chunks(PAGES) {
            let old = blocks.get(next)?.map(|block| block.chunks(PAGE));
            if !old.is_some_and(|old| old.eq(parts.iter().copied())) {
                blocks.set(next, parts.concat())?;
            }
            next += 1;
        }
        let rest: Vec<u64> = blocks
            .places(next)
            .take_while(|place| *place < end)
            .collect();
        for place in rest {
            blocks.remove(place);
        }
        Ok(())
    }
}

/// Where the bytes of so many single pages begin.
fn pages_start(count: usize) -> usize {
    (HEADER + count * 4).next_multiple_of(PAGE)
}

/// The bytes of single pages.
struct Pages<'a> {
    blocks: &'a Blocks,
    start: usize,
}

impl<'a> Pages<'a> {
    fn of(blocks: &'a Blocks, count: usize) -> Pages<'a> {
        let start = pages_start(count);
        Pages { blocks, start }
    }

    fn get(&self, place: usize) -> Result<Option<&'a [u8]>, Errno> {
        let at = self.start + place * PAGE;
        let block = self.blocks.get(FIRST + (at / BLOCK) as u64)?;
        Ok(block.and_then(|block| block.get(at % BLOCK..at % BLOCK + PAGE)))
    }
}
