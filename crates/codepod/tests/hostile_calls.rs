//! WM-09, WM-10: calls with arguments that no program would pass. The host neither panics nor
//! allocates what a guest asks for without looking: this binary's allocator remembers the largest
//! allocation.

#![expect(unsafe_code, reason = "an allocator that counts is unsafe by nature")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{Oracle, alone, assert_idle, panics, run, sandbox, sandbox_with};

struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions of `alloc`, which are the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the conditions of `dealloc`, which are the same here.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions of `alloc_zeroed`, which are the same here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions of `realloc`, which are the same here.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most that one call may allocate: arguments and environment have the largest limit, 2 MiB.
const LARGEST_ALLOCATION: usize = 4 << 20;

#[test]
fn wm_09_hostile_pointers_and_lengths_are_errors() {
    let _alone = alone();
    // Engine, module and the like are made before we count.
    assert_eq!(
        run(&sandbox(), ["hostile_pointers", "1", "100"]).stdout,
        b"100\n"
    );
    let oracle = Oracle::begin();
    LARGEST.store(0, Ordering::Relaxed);
    let threads: Vec<_> = (0..2)
        .map(|thread| {
            std::thread::spawn(move || {
                for seed in 0..15 {
                    let sandbox = sandbox();
                    let seed = (thread * 1000 + seed + 2).to_string();
                    let result = run(&sandbox, ["hostile_pointers", &seed, "10000"]);
                    assert_eq!(
                        (result.exit_code, &*result.stdout_text()),
                        (0, "10000\n"),
                        "seed {seed}: {}",
                        result.stderr_text()
                    );
                    assert_idle(&sandbox);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    // WM-10: what a guest asks for is not allocated before it is looked at.
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest <= LARGEST_ALLOCATION, "{largest} bytes at once");
    oracle.end();
}

#[test]
fn wm_10_lengths_that_a_guest_chooses_are_not_allocated() {
    let _alone = alone();
    let sandbox = sandbox_with(|options| options.fs_limits.file_bytes = 1 << 20);
    let programs: [&[&str]; 5] = [
        &["poll_many", "4096"],
        &["poll_many", "1000000"],
        &["readdir_forged"],
        &["sparse"],
        &["random"],
    ];
    for argv in programs {
        sandbox.command(argv).run_blocking().unwrap();
    }
    let before = panics();
    LARGEST.store(0, Ordering::Relaxed);
    for argv in programs {
        let result = sandbox.command(argv).run_blocking().unwrap();
        assert_eq!(result.exit_code, 0, "{argv:?}: {result:?}");
    }
    let largest = LARGEST.load(Ordering::Relaxed);
    assert!(largest <= LARGEST_ALLOCATION, "{largest} bytes at once");
    assert_eq!(panics(), before);
    // The measure works.
    drop(std::hint::black_box(vec![1u8; 64 << 20]));
    assert!(LARGEST.load(Ordering::Relaxed) >= 64 << 20);
}
