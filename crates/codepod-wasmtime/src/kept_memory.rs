//! The memory of a session between two turns: how a process begins with it, and leaves it.
//!
//! A session is a file of the sandbox (`codepod-kernel`, `process/turn.rs`), in blocks of 64 KiB:
//!
//! * block 0 is the guest's own;
//! * from block 1 on lie a header and single pages, which are copied into the memory of a process:
//!   those within the module's first memory, where wasmtime's image is mapped, and those of blocks
//!   of which a turn has changed a few only;
//! * block N, behind the first memory, is what lies there in memory if a turn has changed much of
//!   it. It is mapped copy-on-write (`arena.rs`) and costs nothing until a process touches it.
//!
//! What the file does not have is as in the prepared image that the session began with
//! (`prepared.rs`), else as in the module. Pages that a turn did not write to are still mapped from
//! the file, which Linux tells (`touched.rs`): they are neither read nor written at its end.
//!
//! A saved state can hold any file. So everything is checked that decides where bytes go; what they
//! are is the guest's business, as ever.

use std::ops::Range;
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_kernel::Turn;
use codepod_vfs::{Blocks, OutsideBytes as _};

use crate::arena::{Arena, BLOCK, unmap};
use crate::prepared::{Image, MOST_BLOCKS, PAGE, PAGES, Prepared};
use crate::touched;

const MAGIC: &[u8; 8] = b"cpymem02";
/// Magic, build, digest of the image, size of the memory in blocks, number of pages.
const HEADER: usize = 8 + 8 + 32 + 4 + 4;
/// The digest that stands for no image.
const NO_IMAGE: [u8; 32] = [0; 32];
/// The block that the header is in.
const FIRST: u64 = 1;
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
    /// The memory that the module begins with, in bytes.
    initial: usize,
    image: Option<Arc<Image>>,
    /// The file that it began with. What is mapped is held by it.
    blocks: Option<Blocks>,
    /// Single pages, as the file lists them.
    pages: Vec<u32>,
    /// How large the memory has to be, in bytes.
    size: usize,
}

/// Why a process cannot begin with a session.
const DAMAGED: &str =
    "this Python session was made by another build of codepod, or is damaged; start a new one";
const UNREADABLE: &str = "this Python session cannot be read from where it is stored";

impl KeptMemory {
    /// What a turn begins with. A process may have `limit` bytes of memory.
    pub(crate) fn new(
        turn: Turn,
        prepared: &Prepared,
        initial: usize,
        limit: usize,
        arena: &Arc<Arena>,
    ) -> Result<KeptMemory, &'static str> {
        let mut kept = KeptMemory {
            arena: arena.clone(),
            build: prepared.build,
            initial,
            image: None,
            blocks: None,
            pages: Vec::new(),
            size: initial,
        };
        let Some(blocks) = turn.kept else {
            // Half of the memory is for what the program makes.
            kept.image = prepared.wanted_by(&turn.code, limit / 2, arena);
            kept.size = kept.image.as_ref().map_or(initial, |image| image.size);
            return Ok(kept);
        };
        let block = blocks.get(FIRST).map_err(|_| UNREADABLE)?;
        if !block.is_some_and(|block| block.starts_with(MAGIC)) {
            // As builds before this form kept it: the guest reads it itself.
            return Ok(kept);
        }
        let header = Header::read(&blocks).map_err(|_| UNREADABLE)?;
        let header = header.filter(|header| header.build == prepared.build);
        let header = header.ok_or(DAMAGED)?;
        if header.digest != NO_IMAGE {
            let image = prepared.with_digest(&header.digest, arena);
            kept.image = Some(image.ok_or(DAMAGED)?);
        }
        let least = kept.image.as_ref().map_or(initial, |image| image.size);
        if header.size < least {
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
        if memory.len() < self.size {
            return Err(DAMAGED);
        }
        if let Some(image) = &self.image {
            let behind = &mut memory[self.initial..image.size];
            let offset = self.arena.offset_of(image.behind()).ok_or(DAMAGED)?;
            if !behind.is_empty() && !self.arena.map(behind, offset) {
                behind.copy_from_slice(image.behind());
            }
        }
        self.put_blocks(memory)?;
        let mut own = self.pages.iter().copied().peekable();
        for (page, bytes) in self.image.iter().flat_map(|image| &image.first) {
            while own.next_if(|own| own < page).is_some() {}
            if own.peek() != Some(page) {
                put_page(memory, *page, bytes)?;
            }
        }
        if let Some(blocks) = &self.blocks {
            let pages = Pages::of(blocks, self.pages.len());
            for (place, page) in self.pages.iter().enumerate() {
                let bytes = pages.get(place).map_err(|_| UNREADABLE)?;
                put_page(memory, *page, bytes.ok_or(DAMAGED)?)?;
            }
        }
        Ok(())
    }

    /// Maps the blocks behind the first memory, those in a row at once.
    fn put_blocks(&mut self, memory: &mut [u8]) -> Result<(), &'static str> {
        let first = (self.initial / BLOCK) as u64;
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
    pub(crate) fn keep(
        &self,
        memory: &[u8],
        pristine: &[u8],
        stack: usize,
        empty: Blocks,
    ) -> Result<Blocks, Errno> {
        let mut blocks = self.blocks.clone().unwrap_or(empty);
        let mut touched = vec![0xff; memory.len() / PAGE / 8];
        touched::clear_unwritten(memory, &mut touched);
        let is_touched = |page: usize| touched[page / 8] >> (page % 8) & 1 != 0;
        let page_at = |page: usize| &memory[page * PAGE..(page + 1) * PAGE];
        let mut pages = Vec::new();
        for page in (stack / PAGE..self.initial / PAGE).filter(|page| is_touched(*page)) {
            let image = self.image.as_ref().and_then(|image| image.page(page));
            let below = image.or_else(|| pristine.get(page * PAGE..(page + 1) * PAGE));
            if below != Some(page_at(page)) {
                pages.push(page as u32);
            }
        }
        // All that fits between the guest's block and the first that is mapped.
        let most = (self.initial / BLOCK - 1) * PAGES - 16;
        let imaged = self.image.as_ref().map_or(self.initial, |image| image.size);
        for block in self.initial / BLOCK..memory.len() / BLOCK {
            let own = block * PAGES..(block + 1) * PAGES;
            if touched[own.start / 8] == 0 && touched[own.start / 8 + 1] == 0 {
                continue;
            }
            let was_zero = block * BLOCK >= imaged && blocks.get(block as u64)?.is_none();
            let differs = |page: &usize| is_touched(*page) && !(was_zero && is_zero(page_at(*page)));
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
            digest: self.image.as_ref().map_or(NO_IMAGE, |image| image.digest),
            size: memory.len(),
            pages,
        };
        header.write(&mut blocks, self.initial, page_at)?;
        Ok(blocks)
    }

    /// Puts memory back as a process without a session would leave it, apart from its bytes; whether
    /// that was possible. Returns what is left of it for the next process.
    pub(crate) fn release<'a>(&self, memory: &'a mut [u8]) -> Option<&'a mut [u8]> {
        let (first, behind) = memory.split_at_mut_checked(self.initial)?;
        unmap(behind).then_some(first)
    }
}

fn put_page(memory: &mut [u8], page: u32, bytes: &[u8]) -> Result<(), &'static str> {
    let at = page as usize * PAGE;
    let target = memory.get_mut(at..at + PAGE).ok_or(DAMAGED)?;
    target.copy_from_slice(bytes);
    Ok(())
}

fn is_zero(page: &[u8]) -> bool {
    let (words, _) = page.as_chunks::<64>();
    words.iter().all(|word| *word == [0; 64])
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
    adopted.map_err(|_| "there is no memory left for this Python session")?;
    Ok(offset)
}

/// What the file says at its beginning.
struct Header {
    build: u64,
    digest: [u8; 32],
    /// How large the memory is, in bytes.
    size: usize,
    /// The single pages by number, ascending; their bytes follow, from the next page on.
    pages: Vec<u32>,
}

impl Header {
    /// Reads it; `None` if it is none. `Io` if a store does not give it.
    fn read(blocks: &Blocks) -> Result<Option<Header>, Errno> {
        let Some(start) = blocks.get(FIRST)?.and_then(|block| block.first_chunk::<HEADER>()) else {
            return Ok(None);
        };
        let word = |at: usize| u32::from_le_bytes([start[at], start[at + 1], start[at + 2], start[at + 3]]);
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
        let is_ascending = pages.is_sorted_by(|a, b| a < b);
        let is_inside = pages.last().is_none_or(|last| (*last as usize) < size * PAGES);
        Ok((is_ascending && is_inside).then_some(Header {
            build: u64::from(word(8)) | u64::from(word(12)) << 32,
            digest,
            size: size * BLOCK,
            pages,
        }))
    }

    /// Writes it and the pages that it lists, and makes a hole of what was behind.
    fn write<'a>(
        &self,
        blocks: &mut Blocks,
        initial: usize,
        page_at: impl Fn(usize) -> &'a [u8],
    ) -> Result<(), Errno> {
        let start = pages_start(self.pages.len());
        let mut bytes = Vec::with_capacity(start + self.pages.len() * PAGE);
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&self.build.to_le_bytes());
        bytes.extend_from_slice(&self.digest);
        bytes.extend_from_slice(&((self.size / BLOCK) as u32).to_le_bytes());
        bytes.extend_from_slice(&(self.pages.len() as u32).to_le_bytes());
        for page in &self.pages {
            bytes.extend_from_slice(&page.to_le_bytes());
        }
        bytes.resize(start, 0);
        for page in &self.pages {
            bytes.extend_from_slice(page_at(*page as usize));
        }
        let mut next = FIRST;
        for block in bytes.chunks(BLOCK) {
            blocks.set(next, block)?;
            next += 1;
        }
        let end = (initial / BLOCK) as u64;
        let rest: Vec<u64> = blocks.places(next).take_while(|place| *place < end).collect();
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
