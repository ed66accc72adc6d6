//! Open files of a host directory: few descriptors of the host, whatever a sandbox has open, and
//! each file stays the one that was opened.

#![cfg(unix)]

mod support;

use codepod_abi::Errno;
use codepod_vfs::{FsLimits, HostAccess, HostDir, HostOptions, NodeRef, OpenOptions, Overlay, Vfs};
use support::{TempDir, read, root, write, write_all};

const CHANGE: OpenOptions = OpenOptions {
    write: true,
    ..OpenOptions::READ
};

/// A mount in which only `open_files` are open at a time.
fn mount(temp: &TempDir, open_files: usize) -> Vfs {
    let options = HostOptions {
        open_files,
        ..HostOptions::default()
    };
    let top = std::fs::File::open(temp.path()).unwrap();
    let host = HostDir::new(top, HostAccess::ReadWrite, options).unwrap();
    Vfs::new(Box::new(host))
}

fn fill(temp: &TempDir, count: usize) {
    for n in 0..count {
        std::fs::write(temp.path().join(format!("f{n}")), format!("this is {n}")).unwrap();
    }
}

fn opened(vfs: &mut Vfs, path: &str, options: &OpenOptions) -> Result<NodeRef, Errno> {
    let top = vfs.root();
    vfs.open(&root(), top, path.as_bytes(), options)
}

fn text(vfs: &mut Vfs, node: NodeRef) -> Result<String, Errno> {
    let mut buffer = [0; 64];
    let length = vfs.read_at(&root(), node, 0, &mut buffer)?;
    Ok(String::from_utf8_lossy(&buffer[..length]).into_owned())
}

// SH-15: with 256 descriptors for the whole process.
#[cfg(target_os = "linux")]
#[test]
fn sh_15_five_thousand_open_files_leave_descriptors_to_the_host() {
    const CHILD: &str = "CODEPOD_TEST_FEW_DESCRIPTORS";
    let name = "sh_15_five_thousand_open_files_leave_descriptors_to_the_host";
    if std::env::var_os(CHILD).is_none() {
        let this = std::env::current_exe().unwrap();
        let status = std::process::Command::new("/bin/sh")
            .args([
                "-c",
                "ulimit -n 256 && exec \"$0\" --exact \"$1\" --nocapture",
            ])
            .arg(this)
            .arg(name)
            .env(CHILD, "1")
            .status()
            .unwrap();
        assert!(status.success());
        return;
    }
    let used = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let temp = TempDir::new();
    fill(&temp, 5_000);
    let lower = temp.host_dir(HostAccess::ReadOnly);
    let overlay = Overlay::new(Box::new(lower), FsLimits::default()).unwrap();
    for (kind, mut vfs) in [
        (
            "read-only",
            Vfs::new(Box::new(temp.host_dir(HostAccess::ReadOnly))),
        ),
        (
            "read-write",
            Vfs::new(Box::new(temp.host_dir(HostAccess::ReadWrite))),
        ),
        ("overlay", Vfs::new(Box::new(overlay))),
    ] {
        let before = used();
        let mut nodes = Vec::new();
        for n in 0..5_000 {
            nodes.push(opened(&mut vfs, &format!("f{n}"), &OpenOptions::READ).unwrap());
            assert!(used() <= 200, "{kind}: {} at {n}", used());
        }
        let mut fork = vfs.fork().unwrap();
        for n in 0..300 {
            opened(&mut fork, &format!("f{n}"), &OpenOptions::READ).unwrap();
        }
        assert!(used() <= 200, "{kind}: {} with a fork", used());
        // Somebody else in this process goes on as if nothing were.
        let _null = std::fs::File::open("/dev/null").unwrap();
        let other = TempDir::new();
        let mut beside = mount(&other, 16);
        let base = beside.root();
        write(&mut beside, &root(), base, "saved", b"well").unwrap();
        assert_eq!(read(&mut beside, &root(), base, "saved").unwrap(), b"well");
        for (n, node) in nodes.iter().enumerate().step_by(7) {
            assert_eq!(text(&mut vfs, *node).unwrap(), format!("this is {n}"));
        }
        for node in nodes {
            vfs.close(node);
        }
        drop((fork, beside, vfs));
        assert!(used() <= before + 1, "{kind}: descriptors are given back");
    }
}

#[test]
fn a_file_that_made_room_is_found_again_wherever_the_sandbox_moved_it() {
    let temp = TempDir::new();
    let mut vfs = mount(&temp, 3);
    let top = vfs.root();
    vfs.mkdir(&root(), top, b"dir", 0o755).unwrap();
    fill(&temp, 10);
    let moved = opened(&mut vfs, "f0", &CHANGE).unwrap();
    let nodes: Vec<NodeRef> = (1..10)
        .map(|n| opened(&mut vfs, &format!("f{n}"), &CHANGE).unwrap())
        .collect();
    vfs.rename(&root(), top, b"f0", top, b"dir/other").unwrap();
    vfs.rename(&root(), top, b"dir", top, b"room").unwrap();
    write_all(&mut vfs, &root(), moved, b"that").unwrap();
    for (n, node) in nodes.iter().enumerate() {
        write_all(&mut vfs, &root(), *node, b"here").unwrap();
        assert_eq!(text(&mut vfs, *node).unwrap(), format!("here is {}", n + 1));
        assert_eq!(vfs.stat(&root(), *node).unwrap().size, 9);
    }
    assert_eq!(text(&mut vfs, moved).unwrap(), "that is 0");
    let host = std::fs::read_to_string(temp.path().join("room/other")).unwrap();
    assert_eq!(host, "that is 0");
}

#[test]
fn a_file_that_made_room_and_was_replaced_on_the_host_is_stale() {
    let temp = TempDir::new();
    fill(&temp, 10);
    let mut vfs = mount(&temp, 3);
    let first = opened(&mut vfs, "f0", &CHANGE).unwrap();
    let second = opened(&mut vfs, "f1", &CHANGE).unwrap();
    for n in 2..10 {
        opened(&mut vfs, &format!("f{n}"), &OpenOptions::READ).unwrap();
    }
    let at = |name: &str| temp.path().join(name);
    std::fs::write(at("new"), "another file").unwrap();
    std::fs::rename(at("new"), at("f0")).unwrap();
    std::fs::remove_file(at("f1")).unwrap();
    std::os::unix::fs::symlink("f2", at("f1")).unwrap();
    for node in [first, second] {
        assert_eq!(text(&mut vfs, node), Err(Errno::Stale));
        assert_eq!(vfs.write_at(&root(), node, 0, b"x"), Err(Errno::Stale));
        assert_eq!(vfs.stat(&root(), node).err(), Some(Errno::Stale));
        assert_eq!(vfs.set_mode(&root(), node, 0o600), Err(Errno::Stale));
    }
    let read = |name: &str| std::fs::read_to_string(at(name)).unwrap();
    assert_eq!(
        (read("f0"), read("f2")),
        ("another file".into(), "this is 2".into())
    );
}

#[test]
fn files_without_a_name_stay_open_and_more_than_that_are_refused() {
    let temp = TempDir::new();
    fill(&temp, 12);
    let mut vfs = mount(&temp, 4);
    let top = vfs.root();
    let nodes: Vec<NodeRef> = (0..6)
        .map(|n| opened(&mut vfs, &format!("f{n}"), &CHANGE).unwrap())
        .collect();
    // Two by removing, one by renaming over it, one by another file under its name on the host.
    vfs.unlink(&root(), top, b"f0").unwrap();
    vfs.unlink(&root(), top, b"f1").unwrap();
    vfs.rename(&root(), top, b"f10", top, b"f2").unwrap();
    assert_eq!(text(&mut vfs, nodes[3]).unwrap(), "this is 3");
    std::fs::rename(temp.path().join("f11"), temp.path().join("f3")).unwrap();
    assert_eq!(read(&mut vfs, &root(), top, "f3"), Err(Errno::Mfile));
    let full = opened(&mut vfs, "f7", &OpenOptions::READ);
    assert_eq!(full, Err(Errno::Mfile));
    let removed = vfs.unlink(&root(), top, b"f4");
    assert_eq!(removed, Err(Errno::Mfile), "it is open, and has no place");
    assert!(temp.path().join("f4").exists());
    vfs.unlink(&root(), top, b"f8").unwrap();
    for (n, node) in nodes.iter().enumerate().take(4) {
        write_all(&mut vfs, &root(), *node, b"gone").unwrap();
        assert_eq!(text(&mut vfs, *node).unwrap(), format!("gone is {n}"));
    }
    vfs.close(nodes[0]);
    assert_eq!(read(&mut vfs, &root(), top, "f7").unwrap(), b"this is 7");
    assert_eq!(read(&mut vfs, &root(), top, "f2").unwrap(), b"this is 10");
    assert_eq!(text(&mut vfs, nodes[4]).unwrap(), "this is 4");
    vfs.unlink(&root(), top, b"f4").unwrap();
    assert_eq!(text(&mut vfs, nodes[4]).unwrap(), "this is 4");
}

#[test]
fn a_removal_that_fails_keeps_no_file_open() {
    let temp = TempDir::new();
    fill(&temp, 10);
    std::fs::create_dir(temp.path().join("full")).unwrap();
    std::fs::write(temp.path().join("full/x"), b"").unwrap();
    let mut vfs = mount(&temp, 2);
    let top = vfs.root();
    for n in 0..4 {
        opened(&mut vfs, &format!("f{n}"), &OpenOptions::READ).unwrap();
        let name = format!("f{n}");
        // A directory does not replace a file.
        let over = vfs.rename(&root(), top, b"full", top, name.as_bytes());
        assert_eq!(over, Err(Errno::NotDir));
    }
    assert_eq!(read(&mut vfs, &root(), top, "f9").unwrap(), b"this is 9");
}

#[test]
fn a_file_whose_mode_forbids_it_is_written_to_by_its_maker_after_many_others() {
    let temp = TempDir::new();
    fill(&temp, 10);
    let mut vfs = mount(&temp, 3);
    let options = OpenOptions {
        mode: 0o444,
        ..OpenOptions::REPLACE
    };
    let made = opened(&mut vfs, "made", &options).unwrap();
    let closed = opened(&mut vfs, "f0", &CHANGE).unwrap();
    vfs.set_mode(&root(), closed, 0o400).unwrap();
    for n in 1..10 {
        let node = opened(&mut vfs, &format!("f{n}"), &OpenOptions::READ).unwrap();
        assert_eq!(text(&mut vfs, node).unwrap(), format!("this is {n}"));
    }
    write_all(&mut vfs, &root(), made, b"still mine").unwrap();
    write_all(&mut vfs, &root(), closed, b"that").unwrap();
    let host = |name: &str| std::fs::read(temp.path().join(name)).unwrap();
    assert_eq!(
        (host("made"), host("f0")),
        (b"still mine".to_vec(), b"that is 0".to_vec())
    );
}
