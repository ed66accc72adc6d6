//! Which pages of a process's memory were written to. A page that was not is still the module's own, mapped from its image; Linux tells the
//! two apart in `/proc/self/pagemap`.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::sync::OnceLock;

const PAGE: usize = 4096;
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
    static PAGEMAP: OnceLock<Option<File>> = OnceLock::new();
    let start = memory.as_ptr().addr();
    let Some(pagemap) = PAGEMAP.get_or_init(|| File::open("/proc/self/pagemap").ok()) else {
        return;
    };
    if rustix::param::page_size() != PAGE || !start.is_multiple_of(PAGE) {
        return;
    }
    let pages = (memory.len() / PAGE).min(bitmap.len() * 8);
    let mut entries = vec![0u8; AT_ONCE * 8];
    for first in (0..pages).step_by(AT_ONCE) {
        let count = AT_ONCE.min(pages - first);
        let part = &mut entries[..count * 8];
        if pagemap
            .read_exact_at(part, ((start / PAGE + first) * 8) as u64)
            .is_err()
        {
            return;
        }
        for (i, entry) in part.as_chunks::<8>().0.iter().enumerate() {
            let entry = u64::from_ne_bytes(*entry);
            let own = entry & PRESENT != 0 && entry & OF_FILE == 0;
            if !own && entry & SWAPPED == 0 {
                let page = first + i;
                bitmap[page / 8] &= !(1 << (page % 8));
            }
        }
    }
}
