//! Changes that the host wanted and takes back again.

#![cfg(unix)]

mod support;

use codepod_vfs::{
    Caller, FileSystem as _, HostAccess, HostDir, HostOptions, Publish, Publisher as _,
};
use support::TempDir;

/// What somebody has done to what was published stays, and is told; all else is taken back.
#[test]
fn what_was_changed_meanwhile_is_not_taken_back() {
    let directory = TempDir::new();
    let at = |name: &str| directory.path().join(name);
    for name in ["edited", "replaced", "same", "removed", "made-anew"] {
        std::fs::write(at(name), "before").unwrap();
    }
    let root = std::fs::File::open(directory.path()).unwrap();
    let mut host = HostDir::new(root, HostAccess::ReadOnly, HostOptions::default()).unwrap();
    let caller = Caller::root(0);
    host.begin();
    for name in ["edited", "replaced", "same", "removed", "made-anew", "new"] {
        let seen = host
            .lookup(&caller, host.root(), name.as_bytes())
            .and_then(|inode| host.fingerprint(&caller, inode))
            .ok();
        let mut content = |offset: u64, buffer: &mut [u8]| {
            let rest = b"published".get(offset as usize..).unwrap_or(&[]);
            buffer[..rest.len()].copy_from_slice(rest);
            Ok(rest.len())
        };
        let new = match name {
            "removed" | "made-anew" => Publish::Nothing,
            _ => Publish::File {
                mode: 0o644,
                mtime: 1_000_000_000,
                content: &mut content,
            },
        };
        host.publish(name.as_bytes(), new, seen).unwrap();
    }
    assert!(!at("removed").exists());
    assert_eq!(std::fs::read(at("same")).unwrap(), b"published");
    std::fs::write(at("edited"), "by somebody").unwrap();
    std::fs::write(at("another"), "by somebody").unwrap();
    std::fs::rename(at("another"), at("replaced")).unwrap();
    std::fs::write(at("made-anew"), "by somebody").unwrap();

    let mut stuck = host.end(false);
    stuck.sort();
    assert_eq!(stuck, [&b"edited"[..], b"made-anew", b"replaced"]);
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    for name in ["edited", "replaced", "made-anew"] {
        assert_eq!(read(name), "by somebody", "{name}");
    }
    for name in ["same", "removed"] {
        assert_eq!(read(name), "before", "{name}");
    }
    assert!(!at("new").exists());
    // What could not go back is not lost.
    let aside = std::fs::read_dir(directory.path()).unwrap().flatten();
    let aside = aside.filter(|entry| entry.file_name().to_string_lossy().starts_with(".codepod-"));
    assert!(
        aside
            .map(|entry| std::fs::read(entry.path()).unwrap())
            .all(|text| text == b"before")
    );
}
