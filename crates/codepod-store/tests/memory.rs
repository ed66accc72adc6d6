//! SN-02: what an import takes in memory is bounded by what it is given. This binary's allocator
//! counts.

#![expect(unsafe_code, reason = "an allocator that counts is unsafe by nature")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use codepod_store::testing::{Sketch, file, gone, root, stream_around};
use codepod_store::{StoreError, import};
use codepod_vfs::{FsLimits, Tree};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

fn add(size: usize) {
    let live = LIVE.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(live, Ordering::Relaxed);
}

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the conditions of `alloc`, which are the same here.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions of `dealloc`, which are the same here.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: the caller keeps the conditions of `alloc_zeroed`, which are the same here.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while the bytes move.
        add(size);
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the conditions of `realloc`, which are the same here.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const MB: usize = 1 << 20;

/// One at a time: the counters are the whole process's.
static ALONE: Mutex<()> = Mutex::new(());

/// Imports a stream into a small sandbox and returns how that went; what it took is within the
/// bound. What shells may have in memory, however little of it is in the stream, comes on top.
#[track_caller]
fn offer(stream: &[u8], shells: usize) -> Result<(), StoreError> {
    let limits = FsLimits {
        bytes: 8 << 20,
        nodes: 10_000,
        ..FsLimits::default()
    };
    let bases = |_: &[u8], _: bool| Some(Tree::new().with_limits(limits));
    let before = LIVE.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let outcome = import(&mut &stream[..], None, &bases).map(drop);
    let peak = PEAK.load(Ordering::Relaxed) - before;
    let most = 4 * stream.len() + 32 * MB + shells;
    assert!(
        peak <= most,
        "{} MB for {} bytes, {outcome:?}",
        peak / MB,
        stream.len()
    );
    outcome
}

fn alone() -> impl Drop {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Segments of at most 64 KiB from records.
fn segments(records: impl Iterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
    let mut segments = vec![Vec::new()];
    for record in records {
        let last = segments.last_mut().unwrap();
        if last.len() + record.len() > 65_536 {
            segments.push(record);
        } else {
            last.extend_from_slice(&record);
        }
    }
    segments
}

fn digest(number: u64) -> [u8; 32] {
    *blake3::hash(&number.to_le_bytes()).as_bytes()
}

#[test]
fn sn_02_there_are_only_so_many_mounts_and_shells() {
    let _alone = alone();
    let mounts = |count: usize| {
        let one = |n: usize| (n.to_le_bytes().to_vec(), true, vec![root()]);
        let mounts = (0..count).map(one).collect();
        let sketch = Sketch {
            mounts,
            ..Sketch::default()
        };
        offer(&sketch.stream(), 0)
    };
    mounts(256).unwrap();
    assert!(matches!(mounts(257), Err(StoreError::Limit(_))));
    let shells = |count: usize| {
        let sketch = Sketch {
            shells: (0..count).map(|n| (format!("{n:08}"), vec![])).collect(),
            ..Sketch::default()
        };
        offer(&sketch.stream(), 0)
    };
    shells(1024).unwrap();
    assert!(matches!(shells(1025), Err(StoreError::Limit(_))));
    // What the audit found: three bytes each, and eighty in memory.
    let many = Sketch {
        mounts: vec![(vec![], false, vec![]); 600_000],
        ..Sketch::default()
    };
    assert!(matches!(
        offer(&many.stream(), 0),
        Err(StoreError::Limit(_))
    ));
}

#[test]
fn sn_02_a_manifest_takes_little_more_than_its_bytes() {
    let _alone = alone();
    // A tenth of it is there: the rest is missing, and found out after the manifest was read.
    let blocks: Vec<Vec<u8>> = (0..200_000u32).map(|n| n.to_le_bytes().to_vec()).collect();
    let sketch = Sketch {
        mounts: vec![(b"/".to_vec(), false, blocks)],
        ..Sketch::default()
    };
    let mut stream = sketch.stream();
    assert!(offer(&stream, 0).is_err());
    stream.truncate(stream.len() / 2);
    assert!(offer(&stream, 0).is_err());
    let path = Sketch {
        mounts: vec![(vec![0xff; 20 * MB], false, vec![])],
        ..Sketch::default()
    };
    assert!(offer(&path.stream(), 0).is_err());
}

#[test]
fn sn_02_names_that_are_gone_do_not_stay() {
    let _alone = alone();
    let name = |n: u32| gone(format!("{n:0200}").as_bytes());
    let tree = |count: u32| {
        let records = std::iter::once(root()).chain((0..count).map(name));
        let sketch = Sketch {
            mounts: vec![(b"/".to_vec(), false, segments(records))],
            ..Sketch::default()
        };
        sketch.stream()
    };
    // 10,000 nodes and 65,536 names.
    offer(&tree(75_536), 0).unwrap();
    let more = offer(&tree(75_537), 0);
    assert!(matches!(more, Err(StoreError::Limit(_))), "{more:?}");
    // Beyond the size that a form may have it is not read at all.
    assert!(matches!(
        offer(&tree(360_000), 0),
        Err(StoreError::Limit(_))
    ));
}

#[test]
fn sn_02_blocks_are_kept_only_until_they_are_needed_for_the_last_time() {
    let _alone = alone();
    let tree = |first: u8| {
        let name = |n: u32| gone(format!("{first}{n:0200}").as_bytes());
        segments(std::iter::once(root()).chain((0..70_000).map(name)))
    };
    let mounts = |trees: Vec<Vec<Vec<u8>>>| {
        let one = |(n, tree)| (format!("/{n}").into_bytes(), false, tree);
        let sketch = Sketch {
            mounts: trees.into_iter().enumerate().map(one).collect(),
            ..Sketch::default()
        };
        sketch.stream()
    };
    // All of them different: none is kept. All the same: one is.
    offer(&mounts((1..=4).map(tree).collect()), 0).unwrap();
    offer(&mounts(vec![tree(1); 4]), 0).unwrap();
}

#[test]
fn sn_02_pieces_and_shells_are_within_their_limits() {
    let _alone = alone();
    // Pieces of one byte each, which are charged 128.
    let digests: Vec<[u8; 32]> = (0..60_000).map(digest).collect();
    let files = digests.chunks(1000).enumerate();
    let files = files.map(|(n, digests)| file(format!("{n:03}").as_bytes(), digests, 1));
    let records = std::iter::once(root()).chain(files);
    let sketch = Sketch {
        mounts: vec![(b"/".to_vec(), false, segments(records))],
        ..Sketch::default()
    };
    assert!(matches!(
        offer(&sketch.stream(), 0),
        Err(StoreError::Damaged("a block is missing"))
    ));
    // The same block a thousand times, in shells.
    let shells = |blocks: usize| {
        let sketch = Sketch {
            shells: vec![(String::new(), vec![vec![7; 65_536]; blocks])],
            ..Sketch::default()
        };
        offer(&sketch.stream(), 64 * MB)
    };
    shells(1024).unwrap();
    assert!(matches!(shells(1025), Err(StoreError::Limit(_))));
}

#[test]
fn sn_02_whatever_is_changed_takes_no_more() {
    let _alone = alone();
    let records = [
        root(),
        file(b"a", &[digest(1), digest(2)], 65_536),
        gone(b"b"),
    ];
    let mut whole = Sketch {
        mounts: vec![(b"/".to_vec(), false, segments(records.into_iter()))],
        shells: vec![("s".to_owned(), vec![b"state".to_vec()])],
        contents: vec![b"content".to_vec()],
    }
    .stream();
    whole.extend_from_slice(&[0; 100]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    for _ in 0..1_000 {
        let mut bytes = whole.clone();
        for _ in 0..1 + next() % 4 {
            let at = next() % bytes.len();
            bytes[at] = next() as u8;
        }
        let _ = offer(&bytes, 64 * MB);
        let at = next() % whole.len();
        let _ = offer(&stream_around(&bytes[at..]), 0);
    }
}
