//! Memory that was prepared when a module was built: an interpreter that has imported a large
//! package already (`guests/runtimes/python/src/image.c`).
//!
//! An image is a header and runs of pages, as the guest writes it (`session.c`). Here the memory
//! that a process begins with, without an image or with one, lies in a row in the arena, and is
//! mapped.

use std::mem::ManuallyDrop;
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
/// The digest that stands for no image.
pub(crate) const NO_IMAGE: [u8; 32] = [0; 32];
/// So much of a program is searched for names of packages, as `image.c` does.
const LOOKED_AT: usize = 1 << 20;
/// The most blocks that a memory has.
pub(crate) const MOST_BLOCKS: usize = 32_768;

/// The memory that sessions of a module begin with.
#[derive(Debug)]
pub(crate) struct Prepared {
    /// Tells builds of the module apart: a digest of the memory that it begins with.
    pub(crate) build: u64,
    /// Without an image.
    plain: OnceLock<Option<Arc<Beginning>>>,
    /// The images, the fullest first.
    images: Vec<(ImageSource, OnceLock<Option<Arc<Beginning>>>)>,
}

/// What the memory of a process begins with.
#[derive(Debug)]
pub(crate) struct Beginning {
    /// Tells images apart; zeros for none.
    pub(crate) digest: [u8; 32],
    /// How large memory is, in bytes.
    pub(crate) size: usize,
    /// All of it. It is never dropped: places of wasmtime's pool have it mapped.
    row: ManuallyDrop<Block>,
}

/// Where a beginning is looked for.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) arena: &'a Arc<Arena>,
    /// The memory of a process of the module that never ran.
    pub(crate) pristine: &'a [u8],
}

impl Prepared {
    /// What sessions of a module can begin with; `None` if it has no images, or they are of
    /// different builds.
    pub(crate) fn new(sources: &[ImageSource]) -> Option<Prepared> {
        let build = build_of(sources.first()?.bytes)?;
        if sources.iter().any(|it| build_of(it.bytes) != Some(build)) {
            return None;
        }
        // One without a package only says which build it is.
        let images = sources.iter().filter(|it| !it.package.is_empty());
        let images = images.map(|source| (*source, OnceLock::new()));
        Some(Prepared {
            build,
            plain: OnceLock::new(),
            images: images.collect(),
        })
    }

    /// What a program begins with that may have memory of `limit` bytes: the image of a package
    /// that it names, if there is one.
    pub(crate) fn wanted_by(
        &self,
        code: &[u8],
        limit: usize,
        source: Source<'_>,
    ) -> Option<Arc<Beginning>> {
        let code = &code[..code.len().min(LOOKED_AT)];
        let names = |package: &str| {
            code.windows(package.len())
                .any(|word| word == package.as_bytes())
        };
        let index = self.images.iter().position(|(image, _)| {
            let size = size_of_memory(image.bytes).unwrap_or(usize::MAX);
            size <= limit && names(image.package)
        });
        match index {
            Some(index) => self.image(index, source),
            None => self.plain(source),
        }
    }

    /// The beginning with a digest.
    pub(crate) fn with_digest(
        &self,
        digest: &[u8; 32],
        source: Source<'_>,
    ) -> Option<Arc<Beginning>> {
        if *digest == NO_IMAGE {
            return self.plain(source);
        }
        let mut images = (0..self.images.len()).filter_map(|index| self.image(index, source));
        images.find(|image| image.digest == *digest)
    }

    /// The memory of a process of the module that never ran.
    pub(crate) fn plain(&self, source: Source<'_>) -> Option<Arc<Beginning>> {
        let plain = self.plain.get_or_init(|| {
            let size = source.pristine.len();
            let beginning = Beginning::new(source, size, NO_IMAGE, Vec::new());
            beginning.map(Arc::new)
        });
        plain.clone()
    }

    fn image(&self, index: usize, source: Source<'_>) -> Option<Arc<Beginning>> {
        let (image, laid_out) = self.images.get(index)?;
        let laid_out = laid_out.get_or_init(|| {
            let size = size_of_memory(image.bytes)?;
            let pages = pages_of(image.bytes, size / PAGE)?;
            let digest = *blake3::hash(image.bytes).as_bytes();
            let beginning = Beginning::new(source, size, digest, pages);
            beginning.map(Arc::new)
        });
        laid_out.clone()
    }
}

impl Beginning {
    fn new(
        source: Source<'_>,
        size: usize,
        digest: [u8; 32],
        pages: Vec<(u32, &'static [u8])>,
    ) -> Option<Beginning> {
        let pristine = source.pristine;
        if pristine.len() > size || !pristine.len().is_multiple_of(BLOCK) {
            return None;
        }
        let row = source.arena.keep_row(size / BLOCK, |target| {
            // What is not written to takes no memory.
            let mut pages = pages.into_iter().peekable();
            for (number, target) in target.chunks_mut(PAGE).enumerate() {
                let at = number * PAGE;
                let page = match pages.next_if(|(page, _)| *page as usize == number) {
                    Some((_, bytes)) => Some(bytes),
                    None => pristine.get(at..at + PAGE).filter(|page| !is_zero(page)),
                };
                if let Some(page) = page {
                    target.copy_from_slice(page);
                }
            }
        })?;
        Some(Beginning {
            digest,
            size,
            row: ManuallyDrop::new(row),
        })
    }

    /// The bytes of the memory, in the arena.
    pub(crate) fn bytes(&self) -> &[u8] {
        self.row.bytes()
    }
}

/// Whether a page holds nothing but zeros.
pub(crate) fn is_zero(page: &[u8]) -> bool {
    let (words, _) = page.as_chunks::<64>();
    words.iter().all(|word| *word == [0; 64])
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
