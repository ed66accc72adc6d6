//! How fast the memory tree is. Not run by itself: `cargo test --release -- --ignored --nocapture`.

mod support;

use std::time::{Duration, Instant};

use codepod_vfs::{FsLimits, OpenOptions, Proc, Tree, Vfs, dev};
use support::{root, write};

const CHUNK: usize = 64 << 10;

fn per(start: Instant, count: u32) -> Duration {
    start.elapsed() / count
}

/// What Linux says this process takes; 0 elsewhere.
fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: Option<u64> = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    pages.unwrap_or(0) * 4096
}

#[test]
#[ignore = "a measurement"]
#[expect(clippy::print_stdout, reason = "the figures are what it is for")]
fn figures() {
    let limits = FsLimits {
        bytes: 4 << 30,
        ..FsLimits::default()
    };
    let mut vfs = Vfs::with_tree(Tree::new().with_limits(limits));
    vfs.mount(b"/proc", Box::new(Proc::new())).unwrap();
    vfs.mount(b"/dev", Box::new(dev())).unwrap();
    let base = vfs.root();
    let caller = root();
    let node = vfs
        .open(&caller, base, b"big", &OpenOptions::REPLACE)
        .unwrap();
    let mut buf = vec![7; CHUNK];
    let total = 512 << 20;
    let gigabytes = |start: Instant| total as f64 / start.elapsed().as_secs_f64() / 1e9;
    let start = Instant::now();
    let plain: Vec<Vec<u8>> = (0..total).step_by(CHUNK).map(|_| buf.clone()).collect();
    println!("the same into plain vectors: {:.1} GB/s", gigabytes(start));
    drop(plain);
    for round in ["fresh", "over", "over"] {
        let start = Instant::now();
        for offset in (0..total).step_by(CHUNK) {
            assert_eq!(vfs.write_at(&caller, node, offset as u64, &buf), Ok(CHUNK));
        }
        println!("write {round}: {:.1} GB/s", gigabytes(start));
    }
    let start = Instant::now();
    for offset in (0..total).step_by(CHUNK) {
        assert_eq!(
            vfs.read_at(&caller, node, offset as u64, &mut buf),
            Ok(CHUNK)
        );
    }
    println!("read: {:.1} GB/s", gigabytes(start));
    let appended = vfs
        .open(&caller, base, b"log", &OpenOptions::REPLACE)
        .unwrap();
    let start = Instant::now();
    for _ in 0..1_000_000 {
        vfs.append(&caller, appended, b"a line of a log file\n")
            .unwrap();
    }
    println!("append of 21 bytes: {:?}", per(start, 1_000_000));

    for n in 0..100_000 {
        write(&mut vfs, &caller, base, &format!("file{n}"), b"content").unwrap();
    }
    vfs.mkdir(&caller, base, b"home", 0o755).unwrap();
    vfs.mkdir(&caller, base, b"home/user", 0o755).unwrap();
    write(&mut vfs, &caller, base, "home/user/file", b"content").unwrap();
    let start = Instant::now();
    for _ in 0..100_000 {
        vfs.resolve(&caller, base, b"/home/user/file", true)
            .unwrap();
    }
    println!(
        "resolve of three names among 100,000 files: {:?}",
        per(start, 100_000)
    );
    let start = Instant::now();
    for _ in 0..100_000 {
        let node = vfs
            .open(&caller, base, b"/home/user/file", &OpenOptions::READ)
            .unwrap();
        vfs.close(node);
    }
    println!("open and close: {:?}", per(start, 100_000));
    let start = Instant::now();
    let snapshots: Vec<_> = (0..100_000).map(|_| vfs.snapshot()).collect();
    println!("snapshot: {:?}", per(start, 100_000));
    let start = Instant::now();
    for snapshot in &snapshots {
        vfs.restore(snapshot).unwrap();
    }
    println!("restore: {:?}", per(start, 100_000));
    drop(snapshots);
    let resident = resident_bytes();
    let start = Instant::now();
    let forks: Vec<Vfs> = (0..100_000).map(|_| vfs.fork().unwrap()).collect();
    println!("fork: {:?}", per(start, 100_000));
    let taken = resident_bytes().saturating_sub(resident) / 100_000;
    println!("memory of an idle fork: {taken} bytes");
    let start = Instant::now();
    drop(forks);
    println!("drop of a fork: {:?}", per(start, 100_000));
    let start = Instant::now();
    for n in 0..10_000 {
        let mut fork = vfs.fork().unwrap();
        write(
            &mut fork,
            &caller,
            base,
            &format!("file{}", n * 7),
            b"other",
        )
        .unwrap();
    }
    println!("fork, write over one file, drop: {:?}", per(start, 10_000));
    let start = Instant::now();
    for n in 0..10_000 {
        let mut fork = vfs.fork().unwrap();
        write(&mut fork, &caller, base, &format!("new{n}"), b"content").unwrap();
    }
    println!("fork, make one file, drop: {:?}", per(start, 10_000));
    let before = vfs.snapshot();
    write(&mut vfs, &caller, base, "home/user/file", b"other").unwrap();
    let start = Instant::now();
    for _ in 0..1_000 {
        let trees = (before.root_tree().unwrap(), vfs.root_tree().unwrap());
        assert_eq!(codepod_vfs::diff(trees.0, trees.1).len(), 1);
    }
    println!(
        "diff with one change among 100,000 files: {:?}",
        per(start, 1_000)
    );
    let start = Instant::now();
    drop((vfs, before));
    println!("drop of the whole tree: {:?}", start.elapsed());
}
