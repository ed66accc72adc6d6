//! Pages that nothing is mapped to. Linux says of them that they were written to (`PAGEMAP_SCAN`
//! without asking for more), and wasmtime then fills each of them with what would be found there
//! anyway: time, and memory that stays taken. So they are mapped before it looks, to the
//! page of zeros or to the module's image, which costs no memory and saves the next process its
//! page faults for reading.
//!
//! Nothing depends on it but time and memory: what wasmtime takes for written to, it puts back.

use rustix::ioctl::{Updater, ioctl, opcode};
use rustix::mm::Advice;

use crate::{dirty_pages, pieces};

/// `PAGEMAP_SCAN`.
const SCAN: rustix::ioctl::Opcode = opcode::read_write::<Scan>(b'f', 16);

const WRITTEN: u64 = 1 << 1;
const PRESENT: u64 = 1 << 3;
const SWAPPED: u64 = 1 << 4;

/// How many regions are asked for at once.
const REGIONS: usize = 32;

/// `struct page_region`.
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
struct Region {
    start: u64,
    end: u64,
    categories: u64,
}

/// `struct pm_scan_arg`.
#[derive(Debug, Default)]
#[repr(C)]
struct Scan {
    size: u64,
    flags: u64,
    start: u64,
    end: u64,
    walk_end: u64,
    regions: u64,
    regions_len: u64,
    max_pages: u64,
    category_inverted: u64,
    category_mask: u64,
    category_anyof_mask: u64,
    return_mask: u64,
}

/// Maps the pages of `memory` that nothing is mapped to. Where Linux cannot tell which, or does not
/// want to, nothing happens.
pub(crate) fn map(memory: &[u8]) {
    let range = memory.as_ptr_range();
    let end = range.end.addr() as u64;
    let mut at = range.start.addr() as u64;
    while at < end {
        let mut regions = [Region::default(); REGIONS];
        let Some(looked_to) = find(at, end, &mut regions) else {
            return;
        };
        for region in regions.iter().take_while(|region| region.end != 0) {
            let first = (region.start as usize).wrapping_sub(range.start.addr());
            let last = (region.end as usize).wrapping_sub(range.start.addr());
            match memory.get(first..last) {
                Some(part) if populate(part) => {}
                _ => return,
            }
        }
        if looked_to <= at {
            return;
        }
        at = looked_to;
    }
}

/// Finds regions in which nothing is mapped, and says how far it looked.
fn find(start: u64, end: u64, regions: &mut [Region; REGIONS]) -> Option<u64> {
    let pagemap = dirty_pages::pagemap()?;
    let mut scan = Scan {
        size: size_of::<Scan>() as u64,
        start,
        end,
        regions: regions.as_mut_ptr().addr() as u64,
        regions_len: REGIONS as u64,
        category_mask: WRITTEN | PRESENT | SWAPPED,
        category_inverted: PRESENT | SWAPPED,
        ..Scan::default()
    };
    #[expect(unsafe_code, reason = "Linux is asked by a structure with addresses")]
    // SAFETY: `Scan` is what the call takes, by its size; it writes to it and to as many regions as
    // it is told there are.
    let asked = unsafe { ioctl(pagemap, Updater::<SCAN, Scan>::new(&mut scan)) };
    asked.ok().map(|()| scan.walk_end)
}

fn populate(memory: &[u8]) -> bool {
    let memory = std::ptr::from_ref(memory).cast_mut();
    #[expect(unsafe_code, reason = "the system knows memory by its address")]
    // SAFETY: the memory is mapped, and its bytes stay what they are: this is as if each page were
    // read.
    unsafe {
        pieces::advise(memory, Advice::LinuxPopulateRead)
    }
}

#[cfg(test)]
#[expect(unsafe_code, reason = "memory of the test's own, known by its address")]
mod tests {
    use std::fs::File;

    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};

    use super::*;

    /// What wasmtime looks for: pages that were written to and are neither of zeros nor of a file.
    fn taken_for_written(memory: &[u8]) -> u64 {
        let pagemap = File::open("/proc/self/pagemap").unwrap();
        let mut regions = [Region::default(); 512];
        let inverted = (1 << 5) | (1 << 2);
        let mut scan = Scan {
            size: size_of::<Scan>() as u64,
            start: memory.as_ptr().addr() as u64,
            end: memory.as_ptr_range().end.addr() as u64,
            regions: regions.as_mut_ptr().addr() as u64,
            regions_len: 512,
            category_mask: WRITTEN | inverted,
            category_inverted: inverted,
            ..Scan::default()
        };
        // SAFETY: as above.
        unsafe { ioctl(&pagemap, Updater::<SCAN, Scan>::new(&mut scan)) }.unwrap();
        regions
            .iter()
            .map(|region| (region.end - region.start) / 4096)
            .sum()
    }

    #[test]
    fn only_pages_that_were_written_to_are_taken_for_such() {
        if !wasmtime::PoolingAllocationConfig::is_pagemap_scan_available() {
            // Before Linux 6.7 nobody asks.
            return;
        }
        let length = 1000 * 4096;
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping, which is left before it goes.
        let start = unsafe {
            mmap_anonymous(std::ptr::null_mut(), length, protection, MapFlags::PRIVATE).unwrap()
        };
        // SAFETY: the whole mapping, and the only reference to it.
        let memory = unsafe { std::slice::from_raw_parts_mut(start.cast::<u8>(), length) };
        for page in (0..1000).step_by(10) {
            memory[page * 4096] = 1;
        }
        map(memory);
        assert_eq!(taken_for_written(memory), 100);
        for page in (0..1000).step_by(10) {
            assert_eq!(memory[page * 4096], 1);
        }
        // SAFETY: nothing refers to it any more.
        unsafe { munmap(start, length).unwrap() };
    }
}
