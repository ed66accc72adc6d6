//! What an overlay notes of the files below it: little, whatever their size and number, and enough
//! not to overwrite what somebody else has done.

#![cfg(unix)]

mod support;

use std::os::unix::fs::FileExt as _;
use std::time::{Duration, Instant, SystemTime};

use codepod_abi::Errno;
use codepod_vfs::{
    Caller, FileSystem as _, Fingerprint, FsLimits, HostAccess, HostDir, HostOptions, NodeRef,
    OpenOptions, Overlay, Publish, Publisher as _, Vfs,
};
use support::{TempDir, read, root, write};

/// Now, as the host tells it: what was just made has changed shortly before.
fn now() -> Caller<'static> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    Caller::root(now.unwrap().as_nanos() as u64)
}

fn overlay(temp: &TempDir, limits: FsLimits) -> (Vfs, NodeRef) {
    let lower = temp.host_dir(HostAccess::ReadOnly);
    let overlay = Overlay::new(Box::new(lower), limits).unwrap();
    let vfs = Vfs::new(Box::new(overlay));
    let top = vfs.root();
    (vfs, top)
}

fn apply(vfs: &mut Vfs) -> Vec<Result<(), Errno>> {
    let mount = vfs.mounts()[0].id;
    let handed = vfs.hand_down(&now(), mount, &[], false).unwrap();
    handed.into_iter().map(|(_, result)| result).collect()
}

const CHANGE: OpenOptions = OpenOptions {
    write: true,
    ..OpenOptions::READ
};

#[test]
fn a_huge_file_that_has_just_changed_is_opened_at_once() {
    let temp = TempDir::new();
    let file = std::fs::File::create(temp.path().join("huge")).unwrap();
    file.set_len(64 << 30).unwrap();
    file.write_all_at(b"beginning", 0).unwrap();
    let (mut vfs, top) = overlay(&temp, FsLimits::default());
    let caller = now();
    let start = Instant::now();
    let node = vfs.open(&caller, top, b"huge", &OpenOptions::READ).unwrap();
    let mut first = [0; 9];
    assert_eq!(vfs.read_at(&caller, node, 0, &mut first), Ok(9));
    assert_eq!(&first, b"beginning");
    // Reading all of it took more than a minute.
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// A file of 3 MiB that has changed shortly before it is seen.
fn large(temp: &TempDir) -> std::fs::File {
    let path = temp.path().join("large");
    std::fs::write(&path, vec![b'x'; 3 << 20]).unwrap();
    std::fs::File::options().write(true).open(path).unwrap()
}

#[test]
fn a_large_file_that_had_just_changed_is_replaced_only_if_all_of_it_is_known() {
    for edit in [false, true] {
        let temp = TempDir::new();
        let file = large(&temp);
        let (mut vfs, top) = overlay(&temp, FsLimits::default());
        // Changed in place: all of it is copied, and so known.
        let node = vfs.open(&now(), top, b"large", &CHANGE).unwrap();
        vfs.write_at(&now(), node, 0, b"ours").unwrap();
        vfs.close(node);
        if edit {
            file.write_all_at(b"theirs", 1_500_000).unwrap();
        }
        let expected = if edit { Err(Errno::Stale) } else { Ok(()) };
        assert_eq!(apply(&mut vfs), [expected]);
        let host = std::fs::read(temp.path().join("large")).unwrap();
        assert_eq!(&host[..4], if edit { b"xxxx" } else { b"ours" });
    }
    // Written anew without having been read: nobody knows whether it is what it was.
    let temp = TempDir::new();
    large(&temp);
    let (mut vfs, top) = overlay(&temp, FsLimits::default());
    write(&mut vfs, &now(), top, "large", b"short").unwrap();
    assert_eq!(apply(&mut vfs), [Err(Errno::Stale)]);
    let old = std::fs::metadata(temp.path().join("large")).unwrap().len();
    assert_eq!(old, 3 << 20);
}

/// As on a file system whose times are so coarse that the edit does not show in them.
#[test]
fn an_edit_that_only_the_content_tells_is_not_overwritten() {
    for (size, at) in [(1_000, 500), (3 << 20, 0), (3 << 20, 1_500_000)] {
        let temp = TempDir::new();
        std::fs::write(temp.path().join("file"), vec![b'x'; size]).unwrap();
        let open = || std::fs::File::open(temp.path()).unwrap();
        let mut host = HostDir::new(open(), HostAccess::ReadOnly, HostOptions::default()).unwrap();
        let top = host.root();
        let look = |host: &mut HostDir| {
            let id = host.lookup(&now(), top, b"file").unwrap();
            host.fingerprint(&now(), id).unwrap()
        };
        let before = look(&mut host);
        let path = temp.path().join("file");
        let file = std::fs::File::options().write(true).open(path).unwrap();
        file.write_all_at(b"theirs", at).unwrap();
        let seen = Fingerprint {
            digest: before.digest,
            ..look(&mut host)
        };
        let published = host.publish(b"file", Publish::Nothing, Some(seen));
        assert_eq!(published, Err(Errno::Stale), "{size} {at}");
        let there = std::fs::read(temp.path().join("file")).unwrap();
        assert_eq!(&there[at as usize..][..6], b"theirs");
    }
}

// L19 of the audit of 2026-11-16
#[test]
fn what_is_noted_of_files_below_has_a_limit() {
    let temp = TempDir::new();
    for n in 0..40 {
        std::fs::write(temp.path().join(format!("f{n:02}")), b"below").unwrap();
    }
    let limits = FsLimits {
        // Room for 20 files.
        seen_bytes: 20 * (3 + 128),
        ..FsLimits::default()
    };
    let (mut vfs, top) = overlay(&temp, limits);
    // Reading goes on beyond the half of it.
    for n in 0..40 {
        let text = read(&mut vfs, &root(), top, &format!("f{n:02}")).unwrap();
        assert_eq!(text, b"below");
    }
    // Those that were read and not noted are noted when they are changed, as long as there is room.
    let changed = (0..40)
        .map(|n| write(&mut vfs, &root(), top, &format!("f{n:02}"), b"above"))
        .collect::<Vec<_>>();
    assert!(changed[..20].iter().all(Result::is_ok));
    assert!(changed[20..].iter().all(|r| *r == Err(Errno::NoSpc)));
    std::fs::write(temp.path().join("f03"), b"somebody else's").unwrap();
    let mount = vfs.mounts()[0].id;
    let handed = vfs.hand_down(&root(), mount, &[], false).unwrap();
    let failed = handed.iter().filter(|(_, result)| result.is_err());
    let failed: Vec<_> = failed.map(|(change, _)| change.path.clone()).collect();
    assert_eq!(failed, [b"f03".to_vec()]);
}

// L19 of the audit of 2026-11-16
#[test]
fn a_listing_has_a_limit_in_bytes() {
    let temp = TempDir::new();
    for n in 0..100 {
        let name = format!("{n:0200}");
        std::fs::write(temp.path().join(name), b"").unwrap();
    }
    let list = |listed_bytes| {
        let options = HostOptions {
            listed_bytes,
            ..HostOptions::default()
        };
        let top = std::fs::File::open(temp.path()).unwrap();
        let host = HostDir::new(top, HostAccess::ReadOnly, options).unwrap();
        let mut vfs = Vfs::new(Box::new(host));
        let top = vfs.root();
        vfs.read_dir(&root(), top, 0, u64::MAX, &mut |_| true)
    };
    assert_eq!(list(10_000), Err(Errno::Overflow));
    assert_eq!(list(100_000), Ok(()));
}

/// What a file held before it was changed is kept, however it was changed, up to the limit. A
/// change beyond it happens all the same.
#[test]
fn bases_are_kept_up_to_their_limit() {
    let temp = TempDir::new();
    for name in ["written", "cut", "replaced", "removed", "again", "large"] {
        std::fs::write(temp.path().join(name), format!("{name}, as it was")).unwrap();
    }
    std::fs::write(temp.path().join("large"), vec![b'x'; 5000]).unwrap();
    let limits = FsLimits {
        base_bytes: 4000,
        ..FsLimits::default()
    };
    let (mut vfs, top) = overlay(&temp, limits);
    let caller = now();
    let create = |vfs: &mut Vfs, name: &str, cut: bool| {
        let options = OpenOptions {
            create: true,
            truncate: cut,
            mode: 0o644,
            ..CHANGE
        };
        let node = vfs.open(&caller, top, name.as_bytes(), &options).unwrap();
        vfs.write_at(&caller, node, 0, b"new").unwrap();
        vfs.close(node);
    };
    create(&mut vfs, "written", false);
    create(&mut vfs, "cut", true);
    create(&mut vfs, "other", false);
    vfs.rename(&caller, top, b"other", top, b"replaced")
        .unwrap();
    vfs.unlink(&caller, top, b"removed").unwrap();
    vfs.unlink(&caller, top, b"again").unwrap();
    create(&mut vfs, "again", false);
    create(&mut vfs, "large", false);
    let mount = top.mount;
    let mut base = |name: &str| vfs.base_content(mount, name.as_bytes()).unwrap();
    for name in ["written", "cut", "replaced", "again"] {
        let was = format!("{name}, as it was").into_bytes();
        assert_eq!(base(name), Some(was), "{name}");
    }
    assert_eq!(base("removed"), None, "nobody merges with what is gone");
    assert_eq!(base("large"), None, "beyond the limit");
}
