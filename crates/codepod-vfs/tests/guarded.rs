//! Guarded paths: what programs of the host run or obey is changed neither through a mount that is
//! written to nor by applying an overlay, unless the host says so.

#![cfg(unix)]

mod support;

use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use codepod_abi::Errno;
use codepod_vfs::{
    FsLimits, GUARDED, Guard, HostAccess, HostDir, HostOptions, OpenOptions, Overlay, Vfs,
};
use support::{TempDir, read, root, write};

/// One guarded path for each name that is guarded, and those of git.
fn guarded() -> Vec<String> {
    let mut paths: Vec<String> = GUARDED.iter().map(|name| name.replace('*', "x")).collect();
    let below: Vec<String> = paths.iter().map(|path| format!("sub/{path}")).collect();
    paths.extend(below);
    let more = [
        ".git/hooks/pre-commit",
        ".git/config",
        ".git/config.worktree",
        ".git/commondir",
        ".git/info/attributes",
        ".git/modules/lib/config",
        ".git/modules/lib/hooks/post-checkout",
        ".git/worktrees/w/gitdir",
        ".GIT/Hooks/pre-commit",
        ".vscode/tasks.json",
        ".idea/workspace.xml",
        ".claude/settings.json",
        ".Envrc",
        "sub/.git",
    ];
    paths.extend(more.map(str::to_owned));
    paths
}

/// A host directory in which the directory of each path exists; `with` makes the guarded files,
/// too.
fn host(paths: &[String], with: bool) -> TempDir {
    let temp = TempDir::new();
    std::fs::write(temp.path().join("plain"), b"plain").unwrap();
    for path in paths {
        let path = temp.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    for path in paths.iter().filter(|_| with) {
        let path = temp.path().join(path);
        if !path.is_dir() {
            std::fs::write(path, b"the host's").unwrap();
        }
    }
    temp
}

fn mount(temp: &TempDir, access: HostAccess, guard: Guard) -> HostDir {
    let options = HostOptions {
        guard,
        ..HostOptions::default()
    };
    let top = std::fs::File::open(temp.path()).unwrap();
    HostDir::new(top, access, options).unwrap()
}

fn written(temp: &TempDir, guard: Guard) -> Vfs {
    Vfs::new(Box::new(mount(temp, HostAccess::ReadWrite, guard)))
}

fn overlay(temp: &TempDir, guard: Guard) -> Vfs {
    let lower = mount(temp, HostAccess::ReadOnly, guard);
    let overlay = Overlay::new(Box::new(lower), FsLimits::default()).unwrap();
    Vfs::new(Box::new(overlay))
}

/// Ways to make something at a path where nothing is.
type Attempt = fn(&mut Vfs, &[u8]) -> Result<(), Errno>;

const MAKE: [(&str, Attempt); 5] = [
    ("create", |v, p| {
        let top = v.root();
        write(v, &root(), top, std::str::from_utf8(p).unwrap(), b"theirs")
    }),
    ("mkdir", |v, p| {
        let top = v.root();
        v.mkdir(&root(), top, p, 0o755).map(drop)
    }),
    ("symlink", |v, p| {
        let top = v.root();
        v.symlink(&root(), b"plain", top, p).map(drop)
    }),
    ("link", |v, p| {
        let top = v.root();
        v.link(&root(), top, b"plain", false, top, p)
    }),
    ("rename", |v, p| {
        let top = v.root();
        v.rename(&root(), top, b"plain", top, p)
    }),
];

/// Ways to change a file that is there.
const CHANGE: [(&str, Attempt); 10] = [
    ("write", |v, p| {
        let top = v.root();
        let options = OpenOptions {
            write: true,
            ..OpenOptions::READ
        };
        v.open(&root(), top, p, &options).map(drop)
    }),
    ("append", |v, p| {
        let top = v.root();
        let options = OpenOptions {
            append: true,
            read: false,
            ..OpenOptions::READ
        };
        v.open(&root(), top, p, &options).map(drop)
    }),
    ("write without opening", |v, p| {
        let top = v.root();
        let node = v.resolve(&root(), top, p, true)?;
        v.write_at(&root(), node, 0, b"theirs").map(drop)
    }),
    ("truncate", |v, p| {
        let top = v.root();
        v.truncate(&root(), top, p, 0)
    }),
    ("chmod", |v, p| {
        let top = v.root();
        let node = v.resolve(&root(), top, p, true)?;
        v.set_mode(&root(), node, 0o755)
    }),
    ("utimes", |v, p| {
        let top = v.root();
        let node = v.resolve(&root(), top, p, true)?;
        v.set_times(&root(), node, Some(5), Some(5))
    }),
    ("rename over", |v, p| {
        let top = v.root();
        v.rename(&root(), top, b"plain", top, p)
    }),
    ("rename away", |v, p| {
        let top = v.root();
        v.rename(&root(), top, p, top, b"taken")
    }),
    ("another name for it", |v, p| {
        let top = v.root();
        v.link(&root(), top, p, false, top, b"other")
    }),
    ("unlink", |v, p| {
        let top = v.root();
        v.unlink(&root(), top, p)
    }),
];

#[test]
fn nothing_is_made_at_a_guarded_path_of_a_directory_that_is_written_to() {
    let paths = guarded();
    let temp = host(&paths, false);
    let mut vfs = written(&temp, Guard::Usual);
    for path in &paths {
        if temp.path().join(path).exists() {
            continue;
        }
        for (name, attempt) in MAKE {
            let made = attempt(&mut vfs, path.as_bytes());
            assert_eq!(made, Err(Errno::Perm), "{name} {path}");
        }
        assert!(!temp.path().join(path).exists(), "{path}");
    }
    assert_eq!(std::fs::read(temp.path().join("plain")).unwrap(), b"plain");
}

#[test]
fn nothing_of_a_guarded_file_changes_in_a_directory_that_is_written_to() {
    let paths = guarded();
    let temp = host(&paths, true);
    let mut vfs = written(&temp, Guard::Usual);
    let top = vfs.root();
    for path in &paths {
        let there = temp.path().join(path);
        if there.is_dir() {
            continue;
        }
        let mode = there.metadata().unwrap().mode();
        for (name, attempt) in CHANGE {
            let changed = attempt(&mut vfs, path.as_bytes());
            assert_eq!(changed, Err(Errno::Perm), "{name} {path}");
        }
        assert_eq!(read(&mut vfs, &root(), top, path).unwrap(), b"the host's");
        assert_eq!(std::fs::read(&there).unwrap(), b"the host's", "{path}");
        assert_eq!(there.metadata().unwrap().mode(), mode);
    }
}

#[test]
fn a_guarded_file_is_guarded_by_whatever_way_it_is_reached() {
    let temp = host(&[".git/hooks/pre-commit".into()], true);
    std::fs::create_dir(temp.path().join("prepared")).unwrap();
    std::fs::create_dir_all(temp.path().join("module/hooks")).unwrap();
    let mut vfs = written(&temp, Guard::Usual);
    let top = vfs.root();
    let perm = Err(Errno::Perm);
    // Through a link inside, from a directory that is held, by moving a directory above it or into
    // its place.
    vfs.symlink(&root(), b".git/hooks", top, b"way").unwrap();
    assert_eq!(write(&mut vfs, &root(), top, "way/pre-commit", b"x"), perm);
    assert_eq!(write(&mut vfs, &root(), top, "way/new", b"x"), perm);
    let hooks = vfs.resolve(&root(), top, b".git/hooks", true).unwrap();
    assert_eq!(write(&mut vfs, &root(), hooks, "new", b"x"), perm);
    let rename = |vfs: &mut Vfs, from: &str, to: &str| {
        vfs.rename(&root(), top, from.as_bytes(), top, to.as_bytes())
    };
    assert_eq!(rename(&mut vfs, ".git", "moved"), perm);
    assert_eq!(rename(&mut vfs, ".git/hooks", "moved"), perm);
    assert_eq!(rename(&mut vfs, "prepared", ".vscode"), perm);
    assert_eq!(rename(&mut vfs, "prepared", "./.git"), perm);
    assert_eq!(
        rename(&mut vfs, "module", ".git/modules"),
        perm,
        "with its hooks"
    );
    assert_eq!(vfs.rmdir(&root(), top, b".git/hooks"), perm);
    // What it lies in may move: it stays what it is.
    vfs.mkdir(&root(), top, b"empty", 0o755).unwrap();
    rename(&mut vfs, "empty", "named").unwrap();
}

#[test]
fn ordinary_work_with_git_goes_on() {
    let temp = TempDir::new();
    for dir in [
        "objects/pack",
        "refs/heads",
        "logs/refs/heads",
        "hooks",
        "info",
    ] {
        std::fs::create_dir_all(temp.path().join(".git").join(dir)).unwrap();
    }
    std::fs::write(temp.path().join(".git/HEAD"), b"ref: refs/heads/main\n").unwrap();
    std::fs::write(temp.path().join(".git/config"), b"[core]\n").unwrap();
    let mut vfs = written(&temp, Guard::Usual);
    let top = vfs.root();
    // What `git commit` on a new branch does, file by file.
    for (lock, name) in [
        (".git/index.lock", ".git/index"),
        (".git/HEAD.lock", ".git/HEAD"),
        (
            ".git/refs/heads/config-fix.lock",
            ".git/refs/heads/config-fix",
        ),
        (".git/packed-refs.lock", ".git/packed-refs"),
    ] {
        write(&mut vfs, &root(), top, lock, b"x").unwrap();
        vfs.rename(&root(), top, lock.as_bytes(), top, name.as_bytes())
            .unwrap();
    }
    vfs.mkdir(&root(), top, b".git/objects/ab", 0o755).unwrap();
    write(&mut vfs, &root(), top, ".git/objects/ab/tmp_obj", b"x").unwrap();
    vfs.link(
        &root(),
        top,
        b".git/objects/ab/tmp_obj",
        false,
        top,
        b".git/objects/ab/cd",
    )
    .unwrap();
    vfs.unlink(&root(), top, b".git/objects/ab/tmp_obj")
        .unwrap();
    for path in [
        ".git/COMMIT_EDITMSG",
        ".git/logs/HEAD",
        ".git/logs/refs/heads/config-fix",
        ".git/ORIG_HEAD",
    ] {
        write(&mut vfs, &root(), top, path, b"x").unwrap();
    }
    // `git config`, `git remote add`, `git init` in a subdirectory.
    let made = write(&mut vfs, &root(), top, ".git/config.lock", b"x");
    assert_eq!(made, Err(Errno::Perm));
    vfs.mkdir(&root(), top, b"sub", 0o755).unwrap();
    let made = vfs.mkdir(&root(), top, b"sub/.git", 0o755);
    assert_eq!(made.map(drop), Err(Errno::Perm));
    let again = vfs.mkdir(&root(), top, b".git", 0o755);
    assert_eq!(again.map(drop), Err(Errno::Exist), "as `mkdir -p` expects");
}

#[test]
fn links_that_lead_out_are_neither_made_nor_moved_to_where_they_would() {
    let temp = TempDir::new();
    std::fs::create_dir_all(temp.path().join("a/b")).unwrap();
    let mut vfs = written(&temp, Guard::Usual);
    let top = vfs.root();
    let perm = Err(Errno::Perm);
    for (target, path) in [
        ("/etc/passwd", "l"),
        ("../x", "l"),
        ("../../../x", "a/b/l"),
        ("c/../../..", "a/l"),
    ] {
        let made = vfs.symlink(&root(), target.as_bytes(), top, path.as_bytes());
        assert_eq!(made.map(drop), perm, "{path} -> {target}");
    }
    vfs.symlink(&root(), b"../../x", top, b"a/b/l").unwrap();
    let moved = vfs.rename(&root(), top, b"a/b/l", top, b"a/l");
    assert_eq!(moved, perm);
    let linked = vfs.link(&root(), top, b"a/b/l", false, top, b"l");
    assert_eq!(linked, perm);
    vfs.rename(&root(), top, b"a/b/l", top, b"a/b/m").unwrap();
}

#[test]
fn a_directory_is_not_moved_up_with_a_link_that_leads_out_from_there() {
    let temp = TempDir::new();
    std::fs::create_dir_all(temp.path().join("a/b/c/d")).unwrap();
    std::fs::create_dir_all(temp.path().join("e/f")).unwrap();
    let mut vfs = written(&temp, Guard::Usual);
    let top = vfs.root();
    vfs.symlink(&root(), b"../../../../x", top, b"a/b/c/d/l")
        .unwrap();
    let up = vfs.rename(&root(), top, b"a/b/c", top, b"c");
    assert_eq!(up, Err(Errno::Perm));
    vfs.rename(&root(), top, b"a/b/c", top, b"e/f/c").unwrap();
    vfs.unlink(&root(), top, b"e/f/c/d/l").unwrap();
    vfs.symlink(&root(), b"../y", top, b"e/f/c/d/l").unwrap();
    vfs.rename(&root(), top, b"e/f/c", top, b"c").unwrap();
    // More than anybody looks at: tools copy, and each link is looked at on the way.
    for n in 0..4_097 {
        std::fs::write(temp.path().join(format!("e/f/{n}")), b"").unwrap();
    }
    let up = vfs.rename(&root(), top, b"e/f", top, b"f");
    assert_eq!(up, Err(Errno::Xdev));
}

#[test]
fn a_mount_without_a_guard_changes_everything() {
    let paths = guarded();
    let temp = host(&paths, true);
    let mut vfs = written(&temp, Guard::None);
    let top = vfs.root();
    for path in &paths {
        if temp.path().join(path).is_file() {
            write(&mut vfs, &root(), top, path, b"theirs").unwrap();
            assert_eq!(std::fs::read(temp.path().join(path)).unwrap(), b"theirs");
        }
    }
    vfs.symlink(&root(), b"/etc/passwd", top, b"out").unwrap();
}

/// The paths that applying refuses, and those that it does.
fn apply(vfs: &mut Vfs, allow: bool) -> (Vec<String>, Vec<String>) {
    let mount = vfs.mounts()[0].id;
    let handed = vfs.hand_down(&root(), mount, &[], allow).unwrap();
    let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
    let (mut refused, mut applied) = (Vec::new(), Vec::new());
    for (change, result) in handed {
        match result {
            Ok(()) => applied.push(text(&change.path)),
            Err(errno) => {
                assert_eq!(errno, Errno::Perm, "{}", text(&change.path));
                refused.push(text(&change.path));
            }
        }
    }
    (refused, applied)
}

#[test]
fn an_overlay_takes_changes_of_guarded_files_and_hands_them_down_only_if_asked_to() {
    // Each is flushed to disk when it is applied, so one of each kind has to do.
    let mut paths = guarded();
    paths.retain(|path| !path.starts_with("sub/") || path == "sub/.git");
    for exists in [false, true] {
        for (name, attempt) in if exists { &CHANGE[..] } else { &MAKE[..] } {
            // Times are not handed down, and another name leaves the file as it is.
            if matches!(*name, "utimes" | "another name for it" | "append" | "write") {
                continue;
            }
            let temp = host(&paths, exists);
            for path in &paths {
                let there = temp.path().join(path);
                if there.is_dir() || (!exists && there.exists()) {
                    continue;
                }
                let mut vfs = overlay(&temp, Guard::Usual);
                attempt(&mut vfs, path.as_bytes()).unwrap();
                let (refused, _) = apply(&mut vfs, false);
                assert_eq!(refused, std::slice::from_ref(path), "{name}");
                let now = std::fs::read(&there).ok();
                assert_eq!(
                    now.as_deref(),
                    exists.then_some(&b"the host's"[..]),
                    "{name} {path}"
                );
                let look = || std::fs::symlink_metadata(&there).ok().map(|m| m.mode());
                let mode = look();
                let (refused, applied) = apply(&mut vfs, true);
                assert_eq!((refused.len(), applied), (0, vec![path.clone()]), "{name}");
                let changed = std::fs::read(&there).ok() != now || look() != mode;
                assert!(changed, "{name} {path}");
                restore(&there, exists);
                restore(&temp.path().join("plain"), true);
                std::fs::write(temp.path().join("plain"), b"plain").unwrap();
                let _ = std::fs::remove_file(temp.path().join("taken"));
            }
        }
    }
}

/// Makes a file what it was before an attempt.
fn restore(path: &Path, exists: bool) {
    let _ = std::fs::remove_dir(path);
    let _ = std::fs::remove_file(path);
    if exists {
        std::fs::write(path, b"the host's").unwrap();
    }
}

#[test]
fn an_overlay_never_hands_a_link_down_that_leads_out() {
    let temp = TempDir::new();
    std::fs::create_dir_all(temp.path().join("a/b")).unwrap();
    std::fs::write(temp.path().join("file"), b"a file").unwrap();
    let mut vfs = overlay(&temp, Guard::Usual);
    let top = vfs.root();
    vfs.unlink(&root(), top, b"file").unwrap();
    for (target, path) in [
        ("/etc/passwd", "file"),
        ("../x", "up"),
        ("../../x", "a/b/in"),
        ("file", "a/in"),
    ] {
        vfs.symlink(&root(), target.as_bytes(), top, path.as_bytes())
            .unwrap();
    }
    // Moved to where it leads out.
    vfs.symlink(&root(), b"../../x", top, b"a/b/moved").unwrap();
    vfs.rename(&root(), top, b"a/b/moved", top, b"a/moved")
        .unwrap();
    for allow in [false, true] {
        let (refused, _) = apply(&mut vfs, allow);
        assert_eq!(refused, ["a/moved", "file", "up"]);
    }
    assert_eq!(std::fs::read(temp.path().join("file")).unwrap(), b"a file");
    assert!(std::fs::symlink_metadata(temp.path().join("up")).is_err());
    assert!(std::fs::symlink_metadata(temp.path().join("a/b/in")).is_ok());
    let mut free = overlay(&temp, Guard::None);
    let top = free.root();
    free.symlink(&root(), b"/etc/passwd", top, b"out").unwrap();
    assert_eq!(apply(&mut free, false).1, ["out"]);
}
