//! Which pages of a process's memory were written to. A page that was not is still the module's own, mapped from its image; Linux tells the
//! two apart in `/proc/self/pagemap`.

use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

/// The size of the pages that are told apart.
pub(crate) const PAGE: usize = 4096;

/// The page is in memory.
const PRESENT: u64 = 1 << 63;
/// The page has been written out.
const SWAPPED: u64 = 1 << 62;
/// The page belongs to a file: nobody has made a copy of his own.
const OF_FILE: u64 = 1 << 61;
/// How many pages are asked for at once.
const AT_ONCE: usize = 1024;

/// Clears the bits of pages that were not written to. What cannot be found out stays set.
pub(crate) fn clear_untouched(memory: &[u8], bitmap: &mut [u8]) {
    let pages = bitmap.len() * 8;
    each_page(memory, |page, entry| {
        let own = entry & PRESENT != 0 && entry & OF_FILE == 0;
        if page < pages && !own && entry & SWAPPED == 0 {
            bitmap[page / 8] &= !(1 << (page % 8));
        }
    });
}

/// The pages in memory that were written to, in their order, as ranges. None, where that cannot be found out.
pub(crate) fn written_runs(memory: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let found_out = each_page(memory, |page, entry| {
        if entry & PRESENT == 0 || entry & OF_FILE != 0 {
            return;
        }
        match runs.last_mut() {
            Some(run) if run.end == page => run.end += 1,
            _ => runs.push(page..page + 1),
        }
    });
    found_out.then_some(runs)
}

/// Calls `see` with the number of each page and what Linux says of it; whether Linux could be asked about all.
fn each_page(memory: &[u8], mut see: impl FnMut(usize, u64)) -> bool {
    static PAGEMAP: OnceLock<Option<File>> = OnceLock::new();
    let start = memory.as_ptr().addr();
    let Some(pagemap) = PAGEMAP.get_or_init(|| File::open("/proc/self/pagemap").ok()) else {
        return false;
    };
    if rustix::param::page_size() != PAGE || !start.is_multiple_of(PAGE) {
        return false;
    }
    let pages = memory.len() / PAGE;
    let mut entries = vec![0u8; AT_ONCE * 8];
    for first in (0..pages).step_by(AT_ONCE) {
        let count = AT_ONCE.min(pages - first);
        let part = &mut entries[..count * 8];
        let at = ((start / PAGE + first) * 8) as u64;
        if pagemap.read_exact_at(part, at).is_err() {
            return false;
        }
        for (i, entry) in part.as_chunks::<8>().0.iter().enumerate() {
            see(first + i, u64::from_ne_bytes(*entry));
        }
    }
    true
}
