//! A mount stays on its file system: what is mounted below it on the host is not gone into, least
//! of all the host's processes.

#![cfg(target_os = "linux")]

mod support;

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use codepod_abi::Errno;
use codepod_vfs::{FsLimits, HostAccess, HostDir, HostOptions, NodeRef, Overlay, Vfs};
use support::{names, read, root};

/// The host's root.
fn host(cross_devices: bool) -> HostDir {
    let options = HostOptions {
        cross_devices,
        ..HostOptions::default()
    };
    let top = std::fs::File::open("/").unwrap();
    HostDir::new(top, HostAccess::ReadOnly, options).unwrap()
}

fn listed(vfs: &mut Vfs, dir: NodeRef) -> Result<usize, Errno> {
    let mut count = 0;
    vfs.read_dir(&root(), dir, 0, u64::MAX, &mut |entry| {
        count += usize::from(!matches!(entry.name, b"." | b".."));
        true
    })?;
    Ok(count)
}

fn device(path: &str) -> Option<u64> {
    std::fs::metadata(path).ok().map(|found| found.dev())
}

/// Whether something else than the root is mounted there.
fn is_border(path: &str) -> bool {
    device(path).is_some_and(|there| Some(there) != device("/"))
}

// FS-07
#[test]
fn fs_07_a_mount_of_the_hosts_root_shows_neither_its_processes_nor_its_kernel() {
    assert!(is_border("/proc"), "this test needs the host's /proc");
    for cross in [false, true] {
        let overlay = Overlay::new(Box::new(host(cross)), FsLimits::default()).unwrap();
        for mut vfs in [Vfs::new(Box::new(host(cross))), Vfs::new(Box::new(overlay))] {
            let top = vfs.root();
            assert!(names(&mut vfs, &root(), top).contains(&"proc".to_owned()));
            for path in [
                "proc/self/environ",
                "proc/self/mem",
                "proc/self/maps",
                "proc/1/status",
                "proc/version",
                "proc/self/root/etc/passwd",
                "proc/self/fd/0",
            ] {
                let got = read(&mut vfs, &root(), top, path);
                assert_eq!(got, Err(Errno::Xdev), "{path}");
            }
            for path in [
                "proc",
                "sys",
                "dev/pts",
                "sys/fs/cgroup",
                "sys/kernel/debug",
            ] {
                if !is_border(&format!("/{path}")) {
                    continue;
                }
                let seen = match vfs.resolve(&root(), top, path.as_bytes(), true) {
                    Ok(dir) => listed(&mut vfs, dir),
                    Err(errno) => Err(errno),
                };
                assert_eq!(seen, Err(Errno::Xdev), "{path}");
            }
        }
    }
}

// FS-07
#[test]
fn fs_07_another_file_system_below_a_mount_is_gone_into_only_if_asked_to() {
    let others = ["/dev/shm", "/dev", "/run", "/tmp", "/boot", "/home"];
    let other = others.into_iter().find(|path| {
        let direct = Path::new(path).parent() == Some(Path::new("/"));
        direct && is_border(path) && std::fs::read_dir(path).is_ok()
    });
    let other = other.expect("a file system below the root, such as /dev");
    let mut within = Vfs::new(Box::new(host(false)));
    let mut across = Vfs::new(Box::new(host(true)));
    let top = within.root();
    let name = &other.as_bytes()[1..];
    let dir = within.resolve(&root(), top, name, true).unwrap();
    assert_eq!(listed(&mut within, dir), Err(Errno::Xdev));
    let inner = [name, b"/anything"].concat();
    let found = within.resolve(&root(), top, &inner, true);
    assert_eq!(found, Err(Errno::Xdev));
    let dir = across.resolve(&root(), top, name, true).unwrap();
    let there = std::fs::read_dir(other).unwrap().count();
    assert_eq!(listed(&mut across, dir), Ok(there));
}

// FS-07
#[test]
fn fs_07_the_hosts_processes_cannot_be_mounted() {
    for path in ["/proc", "/proc/self", "/sys"] {
        let top = std::fs::File::open(path).unwrap();
        let options = HostOptions {
            cross_devices: true,
            ..HostOptions::default()
        };
        let refused = HostDir::new(top, HostAccess::ReadOnly, options);
        assert_eq!(refused.err(), Some(Errno::Xdev), "{path}");
    }
}

#[test]
fn files_of_the_hosts_own_file_system_are_read_as_ever() {
    let mut vfs = Vfs::new(Box::new(host(false)));
    let top = vfs.root();
    let path = ["etc/passwd", "etc/group", "etc/os-release"];
    let path = path.into_iter().find(|path| {
        let found = std::fs::symlink_metadata(format!("/{path}"));
        found.is_ok_and(|found| found.is_file() && Some(found.dev()) == device("/"))
    });
    let path = path.expect("a file of the root's file system");
    let there = std::fs::read(format!("/{path}")).unwrap();
    assert_eq!(read(&mut vfs, &root(), top, path).unwrap(), there);
}
