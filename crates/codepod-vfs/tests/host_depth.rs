//! Deep host directories: a path takes as many steps as it has names, whichever way it goes, and
//! there is an end to depth.

#![cfg(unix)]

mod support;

use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use codepod_abi::Errno;
use codepod_vfs::{FsLimits, HostAccess, HostDir, HostOptions, NodeRef, OpenOptions, Overlay, Vfs};
use rustix::fs::{AtFlags, Mode, OFlags};
use support::{TempDir, read, root, write};

/// A directory with `d` in `d` in `d`, deeper than any path of the host can say.
struct Pit {
    temp: TempDir,
}

impl Pit {
    fn new(depth: usize) -> Pit {
        let temp = TempDir::new();
        let mut at = opened(temp.path());
        for _ in 0..depth {
            rustix::fs::mkdirat(&at, "d", Mode::RWXU).unwrap();
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            at = rustix::fs::openat(&at, "d", flags, Mode::empty()).unwrap();
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&at, "f", flags, Mode::RUSR | Mode::WUSR).unwrap();
        rustix::io::write(file, b"at the bottom").unwrap();
        Pit { temp }
    }
}

impl Drop for Pit {
    /// What is in `d` moves up one level, again and again: no path gets long and no descriptors
    /// pile up.
    fn drop(&mut self) {
        let top = opened(self.temp.path());
        let both = |name: &str| {
            let _ = rustix::fs::unlinkat(&top, name, AtFlags::empty());
            let _ = rustix::fs::unlinkat(&top, name, AtFlags::REMOVEDIR);
        };
        while rustix::fs::renameat(&top, "d/d", &top, "next").is_ok() {
            for name in ["d/f", "d/g", "d/e", "d"] {
                both(name);
            }
            rustix::fs::renameat(&top, "next", &top, "d").unwrap();
        }
    }
}

fn opened(path: &Path) -> OwnedFd {
    std::fs::File::open(path).unwrap().into()
}

/// A mount of the pit at the root, its count of steps, and its name.
type Bench = (&'static str, Vfs, Arc<AtomicU64>);

fn benches(pit: &Pit) -> Vec<Bench> {
    let host = |access| pit.temp.host_dir(access);
    let (rw, ro, lower) = (
        host(HostAccess::ReadWrite),
        host(HostAccess::ReadOnly),
        host(HostAccess::ReadOnly),
    );
    let counts = [rw.steps(), ro.steps(), lower.steps()];
    let overlay = Overlay::new(Box::new(lower), FsLimits::default()).unwrap();
    let [a, b, c] = counts;
    vec![
        ("host rw", Vfs::new(Box::new(rw)), a),
        ("host ro", Vfs::new(Box::new(ro)), b),
        ("overlay", Vfs::new(Box::new(overlay)), c),
    ]
}

/// Steps that `action` takes.
fn steps(count: &AtomicU64, action: impl FnOnce()) -> u64 {
    let before = count.load(Ordering::Relaxed);
    action();
    count.load(Ordering::Relaxed) - before
}

fn bottom(vfs: &mut Vfs, depth: usize) -> NodeRef {
    let top = vfs.root();
    vfs.resolve(&root(), top, "d/".repeat(depth).as_bytes(), true)
        .unwrap()
}

// FS-09
#[test]
fn fs_09_a_deep_path_of_a_host_directory_takes_as_many_steps_as_names() {
    let pit = Pit::new(2_000);
    for (name, mut vfs, count) in benches(&pit) {
        let top = vfs.root();
        let mut taken = Vec::new();
        for depth in [250, 500, 1_000, 2_000] {
            let path = "d/".repeat(depth);
            let start = Instant::now();
            taken.push(steps(&count, || {
                vfs.resolve(&root(), top, path.as_bytes(), true).unwrap();
            }));
            // It was 35 seconds at 2,000.
            assert!(start.elapsed() < Duration::from_secs(2), "{name} {depth}");
        }
        for pair in taken.windows(2) {
            assert!(pair[1] < 3 * pair[0], "{name}: {taken:?}");
        }
        assert!(taken[3] <= 2 * 2_000, "{name}: {taken:?}");
        let path = format!("{}f", "d/".repeat(2_000));
        let reading = steps(&count, || {
            assert_eq!(
                read(&mut vfs, &root(), top, &path).unwrap(),
                b"at the bottom"
            );
        });
        assert!(reading <= 20 * 2_000, "{name}: reading takes {reading}");
    }
}

// FS-09
#[test]
fn fs_09_going_up_and_to_and_fro_in_a_deep_host_directory_takes_as_many_steps_as_names() {
    let pit = Pit::new(2_000);
    for (name, mut vfs, count) in benches(&pit) {
        let low = bottom(&mut vfs, 2_000);
        let there_and_back = |n: usize| "../".repeat(n) + &"d/".repeat(n);
        for path in [
            "../".repeat(1_300),
            there_and_back(800),
            there_and_back(33).repeat(24),
            there_and_back(65).repeat(12),
            there_and_back(130).repeat(6),
        ] {
            let names = path.matches('/').count() as u64;
            let taken = steps(&count, || {
                vfs.resolve(&root(), low, path.as_bytes(), true).unwrap();
            });
            let most = 4 * names + 3 * 2_000;
            assert!(taken <= most, "{name}: {taken} steps for {names} names");
        }
    }
}

// FS-09
#[test]
fn fs_09_writing_deep_below_takes_as_many_steps_as_names() {
    let pit = Pit::new(1_000);
    for (name, mut vfs, count) in benches(&pit) {
        if name == "host ro" {
            continue;
        }
        let top = vfs.root();
        let mut taken = Vec::new();
        for depth in [500, 1_000] {
            let path = format!("{}g", "d/".repeat(depth));
            taken.push(steps(&count, || {
                write(&mut vfs, &root(), top, &path, b"new").unwrap();
            }));
            assert_eq!(read(&mut vfs, &root(), top, &path).unwrap(), b"new");
        }
        assert!(taken[1] < 3 * taken[0], "{name}: {taken:?}");
    }
}

#[test]
fn what_an_overlay_has_changed_deep_below_is_found_in_steps_as_many_as_names() {
    let pit = Pit::new(1_000);
    let lower = pit.temp.host_dir(HostAccess::ReadOnly);
    let count = lower.steps();
    let overlay = Overlay::new(Box::new(lower), FsLimits::default()).unwrap();
    let mut vfs = Vfs::new(Box::new(overlay));
    let top = vfs.root();
    let path = format!("{}g", "d/".repeat(1_000));
    write(&mut vfs, &root(), top, &path, b"new").unwrap();
    let mount = vfs.mounts()[0].id;
    let listing = steps(&count, || {
        let changes = vfs.overlay_changes(&root(), mount).unwrap();
        assert_eq!(changes.len(), 1);
    });
    assert!(listing <= 10 * 1_000, "{listing} steps");
    let applying = Instant::now();
    let handed = vfs.hand_down(&root(), mount, &[], false).unwrap();
    assert!(handed.iter().all(|(_, result)| result.is_ok()));
    assert!(applying.elapsed() < Duration::from_secs(10));
    assert_eq!(read(&mut vfs, &root(), top, &path).unwrap(), b"new");
}

#[test]
fn a_host_directory_ends_at_its_depth() {
    let pit = Pit::new(20);
    let options = HostOptions {
        depth: 10,
        ..HostOptions::default()
    };
    for access in [HostAccess::ReadWrite, HostAccess::ReadOnly] {
        let fs = HostDir::new(opened(pit.temp.path()), access, options).unwrap();
        let mut vfs = Vfs::new(Box::new(fs));
        let top = vfs.root();
        let deepest = bottom(&mut vfs, 10);
        let too_deep = "d/".repeat(11) + "d";
        let found = vfs.resolve(&root(), top, too_deep.as_bytes(), true);
        assert_eq!(found, Err(Errno::NameTooLong));
        if access == HostAccess::ReadOnly {
            continue;
        }
        let made = vfs.mkdir(&root(), deepest, b"e", 0o755);
        assert_eq!(made, Err(Errno::NameTooLong));
        write(&mut vfs, &root(), deepest, "g", b"a file is fine").unwrap();
        vfs.mkdir(&root(), top, b"e", 0o755).unwrap();
        let moved = vfs.rename(&root(), top, b"e", deepest, b"e");
        assert_eq!(moved, Err(Errno::NameTooLong));
        vfs.rmdir(&root(), top, b"e").unwrap();
    }
}

/// Nothing of one path is believed by the next.
#[test]
fn fs_03_a_directory_that_was_moved_or_exchanged_is_not_met_again_under_its_old_name() {
    let temp = TempDir::new();
    let at = |path: &str| temp.path().join(path);
    for dir in ["in/a/b/c", "in/z/b/c", "out"] {
        std::fs::create_dir_all(at(dir)).unwrap();
    }
    std::fs::write(at("in/a/b/c/f"), b"first").unwrap();
    std::fs::write(at("in/z/b/c/f"), b"second").unwrap();
    let host = support::host_dir(&at("in"), HostAccess::ReadWrite);
    let mut vfs = Vfs::new(Box::new(host));
    let top = vfs.root();
    let options = OpenOptions {
        directory: true,
        ..OpenOptions::READ
    };
    let held = vfs.open(&root(), top, b"a/b/c", &options).unwrap();
    assert_eq!(read(&mut vfs, &root(), held, "f").unwrap(), b"first");
    #[cfg(target_os = "linux")]
    {
        let dir = opened(&at("in"));
        let exchange = rustix::fs::RenameFlags::EXCHANGE;
        rustix::fs::renameat_with(&dir, "a", &dir, "z", exchange).unwrap();
        assert_eq!(read(&mut vfs, &root(), held, "f").unwrap(), b"second");
        rustix::fs::renameat_with(&dir, "a", &dir, "z", exchange).unwrap();
    }
    std::fs::rename(at("in/a/b"), at("out/b")).unwrap();
    assert_eq!(read(&mut vfs, &root(), held, "f"), Err(Errno::NoEnt));
    assert_eq!(read(&mut vfs, &root(), top, "a/b/c/f"), Err(Errno::NoEnt));
    let made = write(&mut vfs, &root(), held, "planted", b"x");
    assert_eq!(made, Err(Errno::Stale), "the name is known to be gone");
    assert!(!at("out/b/c/planted").exists());
    // A link in its place is none of ours to follow.
    std::os::unix::fs::symlink(at("out/b"), at("in/a/b")).unwrap();
    assert!(read(&mut vfs, &root(), top, "a/b/c/f").is_err());
    assert!(read(&mut vfs, &root(), held, "f").is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_leaves_no_descriptor_open() {
    let pit = Pit::new(500);
    let descriptors = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    for (name, mut vfs, _) in benches(&pit) {
        let before = descriptors();
        let low = bottom(&mut vfs, 500);
        let up = "../".repeat(400);
        vfs.resolve(&root(), low, up.as_bytes(), true).unwrap();
        let missing = "d/".repeat(400) + "no/thing";
        assert!(vfs.resolve(&root(), low, missing.as_bytes(), true).is_err());
        // Other tests of this process, if they share it, open and close some meanwhile.
        assert!(descriptors() <= before + 20, "{name}");
    }
}
