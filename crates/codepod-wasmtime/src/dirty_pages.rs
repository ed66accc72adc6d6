//! Which pages of a process's memory were written to. A page that was not is still the module's
//! own, mapped from its image; Linux tells the two apart in `/proc/self/pagemap`.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

/// The size of the pages that are told apart.
pub(crate) const PAGE: usize = 4096;

/// The page is in memory.
const PRESENT: u64 = 1 << 63;
/// The page has been written out.
const SWAPPED: u64 = 1 << 62;
/// File-backed: not yet copied on write (pagemap bit 61).
const OF_FILE: u64 = 1 << 61;
/// How many pages are asked for at once.
const AT_ONCE: usize = 1024;

/// Clears the bits of pages that are the module's own still: nobody has written to them. What
/// cannot be found out stays set.
pub(crate) fn clear_unwritten(memory: &[u8], bitmap: &mut [u8]) {
    let pages = bitmap.len() * 8;
    each_page(memory, |page, entry| {
        let own = entry & PRESENT != 0 && entry & OF_FILE == 0;
        if page < pages && !own && entry & SWAPPED == 0 {
            bitmap[page / 8] &= !(1 << (page % 8));
        }
    });
}

/// What Linux says of pages; opened at the first call, which a program makes before it can open
/// nothing any more.
pub(crate) fn pagemap() -> Option<&'static File> {
    static PAGEMAP: OnceLock<Option<File>> = OnceLock::new();
    let open = || File::open("/proc/self/pagemap").ok();
    PAGEMAP.get_or_init(open).as_ref()
}

/// Calls `see` with the number of each page and what Linux says of it, as far as it says something.
fn each_page(memory: &[u8], mut see: impl FnMut(usize, u64)) {
    let start = memory.as_ptr().addr();
    let Some(pagemap) = pagemap() else {
        return;
    };
    if rustix::param::page_size() != PAGE || !start.is_multiple_of(PAGE) {
        return;
    }
    let pages = memory.len() / PAGE;
    let mut entries = vec![0u8; AT_ONCE * 8];
    for first in (0..pages).step_by(AT_ONCE) {
        let count = AT_ONCE.min(pages - first);
        let part = &mut entries[..count * 8];
        let at = ((start / PAGE + first) * 8) as u64;
        if pagemap.read_exact_at(part, at).is_err() {
            return;
        }
        for (i, entry) in part.as_chunks::<8>().0.iter().enumerate() {
            see(first + i, u64::from_ne_bytes(*entry));
        }
    }
}
