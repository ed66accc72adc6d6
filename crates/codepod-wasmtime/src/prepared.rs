//! Memory that was prepared when a module was built: an interpreter that has imported a large
//! package already (`guests/runtimes/python/src/image.c`).
//!
//! An image is a header and runs of pages, as the guest writes it (`session.c`). Here it is laid out
//! so that a process gets it without copying: pages beyond the module's first memory lie in a row in
//! the arena and are mapped; those within it have to be copied, since wasmtime's own image is mapped
//! there.

use std::sync::{Arc, OnceLock};

use codepod_vfs::OutsideBytes as _;

use crate::arena::{Arena, BLOCK, Block};
use crate::modules::ImageSource;

pub(crate) const PAGE: usize = 4096;
/// The pages of a block.
pub(crate) const PAGES: usize = BLOCK / PAGE;
/// The header: magic, build, size of the memory in blocks, 0.
const HEADER: usize = 24;
const MAGIC: &[u8; 8] = b"cpysess1";
/// The most blocks that a memory has.
pub(crate) const MOST_BLOCKS: usize = 32_768;

/// The images of a module, the fullest first.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Tells builds of the module apart: a digest of the memory that it begins with.
    pub(crate) build: u64,
    initial: usize,
    images: Vec<(ImageSource, OnceLock<Option<Arc<Image>>>)>,
}

/// An image, laid out.
#[derive(Debug)]
pub(crate) struct Image {
    /// Tells images apart.
    pub(crate) digest: [u8; 32],
    /// How large memory is, in bytes.
    pub(crate) size: usize,
    /// Pages within the first memory, by number.
    pub(crate) first: Vec<(u32, &'static [u8])>,
    /// What lies behind the first memory.
    pub(crate) behind: Block,
}

impl Prepared {
    /// The images of a module whose memory begins with `initial` bytes; `None` if there are none, or
    /// they are of different builds.
    pub(crate) fn new(sources: &[ImageSource], initial: usize) -> Option<Prepared> {
        let build = build_of(sources.first()?.bytes)?;
        if sources.iter().any(|it| build_of(it.bytes) != Some(build))
            || !initial.is_multiple_of(BLOCK)
        {
            return None;
        }
        let images = sources.iter().map(|source| (*source, OnceLock::new()));
        Some(Prepared {
            build,
            initial,
            images: images.collect(),
        })
    }

    /// The image for a program, where memory of `limit` bytes is allowed.
    pub(crate) fn wanted_by(&self, code: &[u8], limit: usize, arena: &Arc<Arena>) -> Option<Arc<Image>> {
        let names = |package: &str| {
            code.windows(package.len())
                .any(|word| word == package.as_bytes())
        };
        let index = self.images.iter().position(|(source, _)| {
            let size = size_of_memory(source.bytes).unwrap_or(usize::MAX);
            size <= limit && names(source.package)
        })?;
        self.image(index, arena)
    }

    /// The image with a digest.
    pub(crate) fn with_digest(&self, digest: &[u8; 32], arena: &Arc<Arena>) -> Option<Arc<Image>> {
        let mut images = (0..self.images.len()).filter_map(|index| self.image(index, arena));
        images.find(|image| image.digest == *digest)
    }

    fn image(&self, index: usize, arena: &Arc<Arena>) -> Option<Arc<Image>> {
        let (source, image) = self.images.get(index)?;
        let image = image.get_or_init(|| lay_out(source.bytes, self.initial, arena).map(Arc::new));
        image.clone()
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*word))
}

fn build_of(bytes: &[u8]) -> Option<u64> {
    let build = bytes.strip_prefix(MAGIC)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*build))
}

fn size_of_memory(bytes: &[u8]) -> Option<usize> {
    let blocks = u32_at(bytes, 16)? as usize;
    (blocks <= MOST_BLOCKS).then_some(blocks * BLOCK)
}

fn lay_out(bytes: &'static [u8], initial: usize, arena: &Arc<Arena>) -> Option<Image> {
    let size = size_of_memory(bytes).filter(|size| *size >= initial)?;
    let pages = pages_of(bytes, size / PAGE)?;
    let (first, behind): (Vec<_>, Vec<_>) = pages
        .into_iter()
        .partition(|(page, _)| (*page as usize) < initial / PAGE);
    let behind = arena.keep_row((size - initial) / BLOCK, |target| {
        for (page, bytes) in behind {
            let at = page as usize * PAGE - initial;
            target[at..at + PAGE].copy_from_slice(bytes);
        }
    })?;
    Some(Image {
        digest: *blake3::hash(bytes).as_bytes(),
        size,
        first,
        behind,
    })
}

/// The pages of an image, by number.
fn pages_of(bytes: &'static [u8], end: usize) -> Option<Vec<(u32, &'static [u8])>> {
    let mut pages = Vec::new();
    let mut at = HEADER;
    let mut least = 0;
    loop {
        let (first, count) = (u32_at(bytes, at)?, u32_at(bytes, at + 4)?);
        at += 8;
        if count == 0 {
            return Some(pages);
        }
        let last = first.checked_add(count)?;
        if first < least || last as usize > end {
            return None;
        }
        least = last;
        let run = bytes.get(at..)?.get(..count as usize * PAGE)?;
        pages.extend((first..last).zip(run.chunks(PAGE)));
        at += run.len();
    }
}

impl Image {
    /// A page within the first memory, if the image has it.
    pub(crate) fn page(&self, number: usize) -> Option<&'static [u8]> {
        let at = self.first.binary_search_by_key(&number, |(page, _)| *page as usize);
        at.ok().map(|at| self.first[at].1)
    }

    /// What lies behind the first memory.
    pub(crate) fn behind(&self) -> &[u8] {
        self.behind.bytes()
    }
}
