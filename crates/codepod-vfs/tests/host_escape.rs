//! Nothing leaves a host directory: hostile links, paths, swaps and special files.
//!
//! Every arrangement lies in a directory with a secret beside it. Whatever is tried from within,
//! the secret is neither read nor changed, and nothing new appears beside it.

mod support;

use std::os::unix::fs::{FileTypeExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use codepod_abi::Errno;
use codepod_vfs::{
    FileKind, FileSystem, FsLimits, Guard, HostAccess, HostDir, HostOptions, NodeRef, OpenOptions,
    Overlay, Tree, Vfs,
};
use support::{TempDir, host_dir, read, root, write};

const SECRET: &[u8] = b"the secret outside";
/// A name outside that no path mentions: only a listing could tell it.
const SENTINEL: &str = "sentinel";

/// `outside/secret` beside `inside`, which is mounted.
struct Yard {
    temp: TempDir,
}

impl Yard {
    fn new() -> Yard {
        let temp = TempDir::new();
        std::fs::create_dir_all(temp.path().join("inside/dir/sub")).unwrap();
        std::fs::create_dir_all(temp.path().join("outside/dir")).unwrap();
        std::fs::write(temp.path().join("inside/file"), b"inside").unwrap();
        std::fs::write(temp.path().join("inside/dir/file"), b"inside").unwrap();
        std::fs::write(temp.path().join("outside/secret"), SECRET).unwrap();
        std::fs::write(temp.path().join("outside/dir/secret"), SECRET).unwrap();
        std::fs::write(temp.path().join("outside").join(SENTINEL), SECRET).unwrap();
        Yard { temp }
    }

    fn inside(&self) -> PathBuf {
        self.temp.path().join("inside")
    }

    fn outside(&self) -> PathBuf {
        self.temp.path().join("outside")
    }

    /// A Vfs with the directory at `/m` and, by a second mount, at `/n`.
    fn vfs(&self, access: HostAccess) -> (Vfs, NodeRef) {
        let mut vfs = Vfs::with_tree(Tree::new());
        vfs.mount(b"/m", Box::new(host_dir(&self.inside(), access)))
            .unwrap();
        vfs.mount(b"/n", Box::new(host_dir(&self.inside(), access)))
            .unwrap();
        let top = vfs.root();
        let base = vfs.resolve(&root(), top, b"/m", true).unwrap();
        (vfs, base)
    }

    /// Everything outside, with content, mode and times.
    fn look(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut open = vec![self.outside()];
        while let Some(dir) = open.pop() {
            for entry in std::fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                let meta = std::fs::symlink_metadata(&path).unwrap();
                let content = if meta.is_file() {
                    std::fs::read(&path).unwrap()
                } else {
                    vec![]
                };
                let numbers = (meta.mode(), meta.nlink(), meta.mtime(), meta.mtime_nsec());
                lines.push(format!("{path:?} {numbers:?} {content:?}"));
                if meta.is_dir() {
                    open.push(path);
                }
            }
        }
        let beside = std::fs::read_dir(self.temp.path()).unwrap().count();
        lines.push(format!("{beside} beside"));
        lines.sort();
        lines
    }
}

/// Ways to try, each with one path.
type Attempt = fn(&mut Vfs, NodeRef, &str) -> Option<Vec<u8>>;

const ATTEMPTS: &[(&str, Attempt)] = &[
    ("read", |v, b, p| read(v, &root(), b, p).ok()),
    ("read through the second mount", |v, b, p| {
        let top = v.root();
        let path = format!("/n/{p}");
        let _ = b;
        read(v, &root(), top, &path).ok()
    }),
    ("write", |v, b, p| {
        write(v, &root(), b, p, b"overwritten")
            .err()
            .map(|_| vec![])
    }),
    ("append", |v, b, p| {
        let options = OpenOptions {
            append: true,
            create: true,
            ..OpenOptions::READ
        };
        let node = v.open(&root(), b, p.as_bytes(), &options).ok()?;
        let _ = v.append(&root(), node, b"appended");
        v.close(node);
        None
    }),
    ("truncate", |v, b, p| {
        v.truncate(&root(), b, p.as_bytes(), 0)
            .err()
            .map(|_| vec![])
    }),
    ("mkdir", |v, b, p| {
        v.mkdir(&root(), b, p.as_bytes(), 0o755)
            .err()
            .map(|_| vec![])
    }),
    ("make in it", |v, b, p| {
        write(v, &root(), b, &format!("{p}/planted"), b"planted")
            .err()
            .map(|_| vec![])
    }),
    ("symlink", |v, b, p| {
        v.symlink(&root(), b"x", b, p.as_bytes())
            .err()
            .map(|_| vec![])
    }),
    ("link to it", |v, b, p| {
        v.link(&root(), b, p.as_bytes(), true, b, b"linked").ok()?;
        let got = read(v, &root(), b, "linked").ok();
        let _ = v.unlink(&root(), b, b"linked");
        got
    }),
    ("link from", |v, b, p| {
        v.link(&root(), b, b"file", false, b, p.as_bytes())
            .err()
            .map(|_| vec![])
    }),
    ("chmod", |v, b, p| {
        let node = v.resolve(&root(), b, p.as_bytes(), true).ok()?;
        v.set_mode(&root(), node, 0o777).err().map(|_| vec![])
    }),
    ("utimes", |v, b, p| {
        let node = v.resolve(&root(), b, p.as_bytes(), true).ok()?;
        v.set_times(&root(), node, Some(1), Some(1))
            .err()
            .map(|_| vec![])
    }),
    ("list", |v, b, p| {
        let node = v.resolve(&root(), b, p.as_bytes(), true).ok()?;
        let mut all = Vec::new();
        v.read_dir(&root(), node, 0, u64::MAX, &mut |entry| {
            all.extend_from_slice(entry.name);
            true
        })
        .ok()?;
        Some(all)
    }),
    ("rename over", |v, b, p| {
        let _ = write(v, &root(), b, "mover", b"moved");
        v.rename(&root(), b, b"mover", b, p.as_bytes())
            .err()
            .map(|_| vec![])
    }),
    ("rename away", |v, b, p| {
        v.rename(&root(), b, p.as_bytes(), b, b"taken").ok()?;
        let got = read(v, &root(), b, "taken").ok();
        let _ = v.rename(&root(), b, b"taken", b, p.as_bytes());
        got
    }),
    ("unlink below", |v, b, p| {
        v.unlink(&root(), b, format!("{p}/secret").as_bytes())
            .err()
            .map(|_| vec![])
    }),
];

/// Links that lead out in every way we could think of: name and target.
fn hostile_links(yard: &Yard) -> Vec<(String, String)> {
    let outside = yard.outside().to_str().unwrap().to_owned();
    let inside = yard.inside().to_str().unwrap().to_owned();
    let mut links: Vec<(String, String)> = [
        ("absolute-file", format!("{outside}/secret")),
        ("absolute-dir", outside.clone()),
        ("absolute-dir-slash", format!("{outside}/")),
        ("absolute-dots", format!("{inside}/../outside/secret")),
        ("absolute-double", format!("//{outside}//secret")),
        ("relative-file", "../outside/secret".to_owned()),
        ("relative-dir", "../outside".to_owned()),
        ("relative-dir-slash", "../outside/".to_owned()),
        ("relative-dot", "./.././outside/./secret".to_owned()),
        ("deep-dots", "dir/sub/../../../outside/secret".to_owned()),
        ("many-dots", format!("{}{outside}/secret", "../".repeat(40))),
        ("parent", "..".to_owned()),
        ("parent-slash", "../".to_owned()),
        ("grandparent", "../..".to_owned()),
        ("host-root", "/".to_owned()),
        ("passwd", "/etc/passwd".to_owned()),
        ("proc-root", "/proc/self/root".to_owned()),
        ("proc-cwd", "/proc/self/cwd".to_owned()),
        ("proc-fd", "/proc/self/fd/3".to_owned()),
        ("new-outside", "../outside/new".to_owned()),
        ("new-outside-absolute", format!("{outside}/new")),
        ("chain-1", "absolute-file".to_owned()),
        ("chain-2", "chain-1".to_owned()),
        ("chain-dir", "relative-dir/dir".to_owned()),
        ("chain-through", "parent/outside/secret".to_owned()),
        ("chain-slash", "relative-dir/".to_owned()),
        ("self", "self".to_owned()),
        ("ping", "pong".to_owned()),
        ("pong", "ping".to_owned()),
        ("dir/up", "../../outside".to_owned()),
        ("dir/sub/up", "../../../outside/secret".to_owned()),
        ("dir/sub/absolute", format!("{outside}/secret")),
        ("second-mount", "/n/absolute-file".to_owned()),
        ("second-mount-up", "/n/../m/relative-file".to_owned()),
    ]
    .into_iter()
    .map(|(name, target)| (name.to_owned(), target))
    .collect();
    links.push(("trailing-chain".to_owned(), "chain-dir/".to_owned()));
    links
}

/// The paths to try: links, with what can come after them, and plain climbing.
fn hostile_paths(links: &[(String, String)], outside: &Path) -> Vec<String> {
    let outside = outside.to_str().unwrap();
    let mut paths = Vec::new();
    for (name, _) in links {
        for tail in [
            "",
            "/",
            "/.",
            "/secret",
            "/outside/secret",
            "/../outside/secret",
            "/dir/../secret",
        ] {
            paths.push(format!("{name}{tail}"));
        }
    }
    paths.extend(
        [
            "../outside/secret",
            "../../outside/secret",
            "dir/../../outside/secret",
            "dir/sub/../../../outside/secret",
            "./../outside/secret",
            "..//outside//secret",
            ".../outside/secret",
            "dir/..\\..\\outside\\secret",
            "%2e%2e/outside/secret",
            "..\u{2215}outside/secret",
            "/m/../../outside/secret",
            "/m/dir/../../../../outside/secret",
        ]
        .map(str::to_owned),
    );
    paths.push(outside.to_owned());
    paths.push(format!("{outside}/secret"));
    paths.push(format!("{}{outside}/secret", "../".repeat(50)));
    paths.push(format!("/m/{outside}/secret"));
    paths
}

fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    bytes.windows(needle.len()).any(|window| window == needle)
}

fn try_all(yard: &Yard, vfs: &mut Vfs, base: NodeRef, paths: &[String]) {
    let before = yard.look();
    for path in paths {
        for (name, attempt) in ATTEMPTS {
            let got = attempt(vfs, base, path).unwrap_or_default();
            let out = contains(&got, SECRET) || contains(&got, SENTINEL.as_bytes());
            assert!(!out, "{name} of {path} got out");
            if yard.look() != before {
                panic!("{name} of {path} changed something outside");
            }
        }
    }
}

// FS-02
#[test]
fn fs_02_links_do_not_lead_out_of_a_host_directory() {
    let yard = Yard::new();
    let links = hostile_links(&yard);
    assert!(links.len() > 30);
    let plant = || {
        let _ = std::fs::remove_dir_all(yard.inside());
        std::fs::create_dir_all(yard.inside().join("dir/sub")).unwrap();
        std::fs::write(yard.inside().join("file"), b"inside").unwrap();
        for (name, target) in &links {
            symlink(target, yard.inside().join(name)).unwrap();
        }
    };
    let paths = hostile_paths(&links, &yard.outside());
    // Attempts succeed inside and change it, so each path starts from the same.
    for path in paths.chunks(1) {
        plant();
        let (mut vfs, base) = yard.vfs(HostAccess::ReadWrite);
        try_all(&yard, &mut vfs, base, path);
    }
    plant();
    let (mut vfs, base) = yard.vfs(HostAccess::ReadOnly);
    try_all(&yard, &mut vfs, base, &paths);
}

// FS-02
#[test]
fn fs_02_links_do_not_lead_out_of_an_overlay() {
    let yard = Yard::new();
    let links = hostile_links(&yard);
    for (name, target) in &links {
        symlink(target, yard.inside().join(name)).unwrap();
    }
    let lower = Box::new(host_dir(&yard.inside(), HostAccess::ReadOnly));
    let mut vfs = Vfs::with_tree(Tree::new());
    vfs.mount(
        b"/m",
        Box::new(Overlay::new(lower, FsLimits::default()).unwrap()),
    )
    .unwrap();
    let top = vfs.root();
    let base = vfs.resolve(&root(), top, b"/m", true).unwrap();
    let paths = hostile_paths(&links, &yard.outside());
    try_all(&yard, &mut vfs, base, &paths);
    assert_eq!(
        std::fs::read(yard.inside().join("file")).unwrap(),
        b"inside",
        "the host is untouched"
    );
    let count = std::fs::read_dir(yard.inside()).unwrap().count();
    assert_eq!(
        count,
        2 + links.iter().filter(|(name, _)| !name.contains('/')).count()
    );
}

// FS-02
#[test]
fn fs_02_a_link_made_by_the_guest_does_not_lead_out() {
    let yard = Yard::new();
    let mut vfs = Vfs::with_tree(Tree::new());
    for at in [&b"/m"[..], b"/n"] {
        let options = HostOptions {
            guard: Guard::None,
            ..HostOptions::default()
        };
        let top = std::fs::File::open(yard.inside()).unwrap();
        let fs = HostDir::new(top, HostAccess::ReadWrite, options).unwrap();
        vfs.mount(at, Box::new(fs)).unwrap();
    }
    let top = vfs.root();
    let base = vfs.resolve(&root(), top, b"/m", true).unwrap();
    let before = yard.look();
    for (index, (_, target)) in hostile_links(&yard).iter().enumerate() {
        let name = format!("made{index}");
        vfs.symlink(&root(), target.as_bytes(), base, name.as_bytes())
            .unwrap();
        for path in [
            name.clone(),
            format!("{name}/"),
            format!("{name}/secret"),
            format!("/n/{name}"),
        ] {
            let got = read(&mut vfs, &root(), base, &path).unwrap_or_default();
            assert!(!contains(&got, b"secret"), "{target}");
            let _ = write(&mut vfs, &root(), base, &path, b"overwritten");
        }
    }
    assert_eq!(yard.look(), before);
}

// FS-02
#[test]
fn fs_02_the_backend_itself_takes_only_single_names() {
    let yard = Yard::new();
    symlink(yard.outside(), yard.inside().join("out")).unwrap();
    let mut fs = host_dir(&yard.inside(), HostAccess::ReadWrite);
    let top = fs.root();
    for name in [
        &b".."[..],
        b".",
        b"",
        b"/",
        b"a/b",
        b"../outside",
        b"/etc",
        b"a\0b",
        b"out/secret",
    ] {
        assert_eq!(fs.lookup(&root(), top, name), Err(Errno::Inval), "{name:?}");
        assert_eq!(fs.unlink(&root(), top, name), Err(Errno::Inval), "{name:?}");
        assert_eq!(
            fs.rename(&root(), top, b"file", top, name),
            Err(Errno::Inval),
            "{name:?}"
        );
    }
    // A link is a link, even if it leads to a directory.
    let link = fs.lookup(&root(), top, b"out").unwrap();
    assert_eq!(fs.stat(&root(), link).unwrap().kind, FileKind::Symlink);
    assert_eq!(fs.lookup(&root(), link, b"secret"), Err(Errno::NotDir));
    assert_eq!(
        fs.list(&root(), link, 0, u64::MAX, &mut |_| true),
        Err(Errno::NotDir)
    );
    assert_eq!(fs.read_at(&root(), link, 0, &mut [0; 9]), Err(Errno::Loop));
    assert_eq!(fs.set_mode(&root(), link, 0o777), Err(Errno::Loop));
}

/// Stops the other thread also when this one fails.
struct SetOnDrop<'a>(&'a AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

// FS-03
#[cfg(target_os = "linux")]
#[test]
fn fs_03_a_swap_between_check_and_use_does_not_lead_out() {
    let yard = Yard::new();
    let inside = yard.inside();
    // `turn` is a directory and a link that leads out, in turns; `turn-file` likewise a file.
    std::fs::create_dir(inside.join("turn")).unwrap();
    std::fs::write(inside.join("turn/secret"), b"harmless").unwrap();
    symlink(yard.outside(), inside.join("other")).unwrap();
    std::fs::write(inside.join("turn-file"), b"harmless").unwrap();
    symlink(yard.outside().join("secret"), inside.join("other-file")).unwrap();
    let before = yard.look();
    let stop = AtomicBool::new(false);
    let seconds: u64 = std::env::var("RACE_SECONDS")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(3);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (mut tries, mut hits) = (0u64, 0u64);
    std::thread::scope(|scope| {
        let _ends_with_us = SetOnDrop(&stop);
        scope.spawn(|| {
            let mut tick = 0u32;
            let dir = std::fs::File::open(&inside).unwrap();
            while !stop.load(Ordering::Relaxed) {
                for (turn, other) in [("turn", "other"), ("turn-file", "other-file")] {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(&dir, turn, &dir, other, exchange).unwrap();
                    // Pauses of many lengths meet the other side at every point.
                    for _ in 0..(tick % 200) * 10 {
                        std::hint::spin_loop();
                    }
                    tick += 1;
                }
            }
        });
        let mut benches: Vec<(Vfs, NodeRef)> = vec![yard.vfs(HostAccess::ReadWrite), {
            let lower = Box::new(host_dir(&inside, HostAccess::ReadOnly));
            let overlay = Overlay::new(lower, FsLimits::default()).unwrap();
            let vfs = Vfs::new(Box::new(overlay));
            let base = vfs.root();
            (vfs, base)
        }];
        while Instant::now() < end {
            for (vfs, base) in &mut benches {
                for path in ["turn/secret", "turn-file"] {
                    tries += 1;
                    if let Ok(got) = read(vfs, &root(), *base, path) {
                        hits += 1;
                        assert!(!contains(&got, SECRET), "read the secret through {path}");
                    }
                    let options = OpenOptions {
                        write: true,
                        ..OpenOptions::READ
                    };
                    if let Ok(node) = vfs.open(&root(), *base, path.as_bytes(), &options) {
                        let _ = vfs.write_at(&root(), node, 0, b"harmless");
                        let _ = vfs.set_mode(&root(), node, 0o600);
                        vfs.close(node);
                    }
                    if let Ok(node) = vfs.resolve(&root(), *base, path.as_bytes(), false) {
                        let _ = vfs.set_mode(&root(), node, 0o666);
                        let _ = vfs.set_times(&root(), node, Some(5), Some(5));
                    }
                }
                if let Ok(node) = vfs.resolve(&root(), *base, b"turn", false) {
                    let _ = vfs.mkdir(&root(), node, b"planted", 0o755);
                    let _ = vfs.rmdir(&root(), node, b"planted");
                    let _ = vfs.set_mode(&root(), node, 0o755);
                }
            }
        }
    });
    assert!(hits > 0, "the race was not run: {tries} tries");
    assert_eq!(yard.look(), before);
}

// FS-06
#[cfg(target_os = "linux")]
#[test]
fn fs_06_pipes_sockets_and_devices_are_refused_at_once() {
    let yard = Yard::new();
    let inside = yard.inside();
    let dir = std::fs::File::open(&inside).unwrap();
    rustix::fs::mkfifoat(&dir, "fifo", rustix::fs::Mode::from_raw_mode(0o666)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(inside.join("socket")).unwrap();
    let mut names = vec!["fifo", "socket"];
    let null = rustix::fs::makedev(1, 3);
    let mode = rustix::fs::Mode::from_raw_mode(0o666);
    if rustix::fs::mknodat(
        &dir,
        "null",
        rustix::fs::FileType::CharacterDevice,
        mode,
        null,
    )
    .is_ok()
    {
        assert!(
            std::fs::metadata(inside.join("null"))
                .unwrap()
                .file_type()
                .is_char_device()
        );
        names.push("null");
    }
    symlink("fifo", inside.join("to-fifo")).unwrap();
    let lower = Box::new(host_dir(&inside, HostAccess::ReadOnly));
    let overlay = Overlay::new(lower, FsLimits::default()).unwrap();
    let over = Vfs::new(Box::new(overlay));
    let over_base = over.root();
    let start = Instant::now();
    for (mut vfs, base) in [
        yard.vfs(HostAccess::ReadWrite),
        yard.vfs(HostAccess::ReadOnly),
        (over.fork().unwrap(), over_base),
    ] {
        for name in names.iter().copied().chain(["to-fifo"]) {
            for options in [
                OpenOptions::READ,
                OpenOptions {
                    write: true,
                    ..OpenOptions::READ
                },
                OpenOptions {
                    append: true,
                    read: false,
                    ..OpenOptions::READ
                },
                OpenOptions::REPLACE,
            ] {
                assert_eq!(
                    vfs.open(&root(), base, name.as_bytes(), &options),
                    Err(Errno::Nxio),
                    "{name}"
                );
            }
            let node = vfs.resolve(&root(), base, name.as_bytes(), true).unwrap();
            assert_eq!(vfs.stat(&root(), node).unwrap().kind, FileKind::Other);
            assert_eq!(vfs.stat(&root(), node).unwrap().rdev, 0);
            assert!(vfs.read_at(&root(), node, 0, &mut [0; 9]).is_err());
            assert!(vfs.write_at(&root(), node, 0, b"x").is_err());
            assert!(vfs.set_size(&root(), node, 0).is_err());
            assert!(vfs.set_mode(&root(), node, 0).is_err());
            assert!(vfs.truncate(&root(), base, name.as_bytes(), 0).is_err());
            assert!(
                vfs.link(&root(), base, name.as_bytes(), true, base, b"hard")
                    .is_err()
            );
        }
    }
    assert!(
        start.elapsed() < Duration::from_secs(1),
        "something waited: {:?}",
        start.elapsed()
    );
    let (mut vfs, base) = yard.vfs(HostAccess::ReadWrite);
    assert_eq!(
        vfs.unlink(&root(), base, b"fifo"),
        Ok(()),
        "removing one is fine"
    );
}

// FS-07, FS-15
#[test]
fn fs_07_a_host_directory_shows_no_numbers_or_owners_of_the_host() {
    let yard = Yard::new();
    let (mut vfs, base) = yard.vfs(HostAccess::ReadWrite);
    let caller = codepod_vfs::Caller {
        uid: 4242,
        gid: 4343,
        ..root()
    };
    for (path, host) in [
        ("file", yard.inside().join("file")),
        ("dir", yard.inside().join("dir")),
    ] {
        let node = vfs.resolve(&caller, base, path.as_bytes(), true).unwrap();
        let stat = vfs.stat(&caller, node).unwrap();
        let meta = std::fs::metadata(host).unwrap();
        assert_ne!(stat.inode, meta.ino());
        assert_ne!(stat.device, meta.dev());
        assert_eq!((stat.uid, stat.gid), (4242, 4343));
        assert_eq!(vfs.path_of(node).unwrap(), format!("/m/{path}").as_bytes());
    }
    let fixed = HostOptions {
        owner: Some((7, 8)),
        ..HostOptions::default()
    };
    let file = std::fs::File::open(yard.inside()).unwrap();
    let mut fs = HostDir::new(file, HostAccess::ReadOnly, fixed).unwrap();
    let top = fs.root();
    let stat = fs.stat(&caller, top).unwrap();
    assert_eq!((stat.uid, stat.gid), (7, 8));
    let shown = format!("{:?} {:?}", vfs.mounts(), vfs);
    assert!(
        !shown.contains(yard.temp.path().to_str().unwrap()),
        "{shown}"
    );
}

#[test]
fn set_user_bits_are_neither_shown_nor_set() {
    use std::os::unix::fs::PermissionsExt;
    let yard = Yard::new();
    let path = yard.inside().join("file");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o6755)).unwrap();
    let (mut vfs, base) = yard.vfs(HostAccess::ReadWrite);
    let node = vfs.resolve(&root(), base, b"file", true).unwrap();
    assert_eq!(vfs.stat(&root(), node).unwrap().mode, 0o755);
    vfs.set_mode(&root(), node, 0o6700).unwrap();
    assert_eq!(std::fs::metadata(&path).unwrap().mode() & 0o7777, 0o700);
    let options = OpenOptions {
        mode: 0o6777,
        ..OpenOptions::REPLACE
    };
    vfs.open(&root(), base, b"made", &options).unwrap();
    assert_eq!(
        std::fs::metadata(yard.inside().join("made"))
            .unwrap()
            .mode()
            & 0o7000,
        0
    );
}

// FS-08
#[test]
fn fs_08_a_host_directory_grows_only_as_far_as_allowed() {
    let yard = Yard::new();
    let options = HostOptions {
        growth_bytes: 1_000,
        growth_nodes: 3,
        ..HostOptions::default()
    };
    let file = std::fs::File::open(yard.inside()).unwrap();
    let fs = HostDir::new(file, HostAccess::ReadWrite, options).unwrap();
    let mut vfs = Vfs::new(Box::new(fs));
    let base = vfs.root();
    write(&mut vfs, &root(), base, "a", &[1; 600]).unwrap();
    let node = vfs.resolve(&root(), base, b"a", true).unwrap();
    assert_eq!(
        vfs.write_at(&root(), node, 0, &[2; 600]),
        Ok(600),
        "no growth, no charge"
    );
    let mut fork = vfs.fork().unwrap();
    assert_eq!(
        fork.write_at(&root(), node, 600, &[3; 600]),
        Ok(400),
        "a fork shares the budget"
    );
    assert_eq!(vfs.append(&root(), node, b"x"), Err(Errno::NoSpc));
    assert_eq!(vfs.set_size(&root(), node, 2_000), Err(Errno::NoSpc));
    assert_eq!(vfs.set_size(&root(), node, 10), Ok(()));
    assert_eq!(
        vfs.set_size(&root(), node, 11),
        Err(Errno::NoSpc),
        "nothing is given back"
    );
    vfs.mkdir(&root(), base, b"b", 0o755).unwrap();
    vfs.symlink(&root(), b"a", base, b"c").unwrap();
    assert_eq!(vfs.mkdir(&root(), base, b"a", 0o755), Err(Errno::Exist));
    assert_eq!(vfs.mkdir(&root(), base, b"d", 0o755), Err(Errno::NoSpc));
    assert_eq!(
        fork.link(&root(), base, b"a", false, base, b"d"),
        Err(Errno::NoSpc)
    );
}

#[test]
fn the_table_of_known_nodes_stays_small() {
    let yard = Yard::new();
    let options = HostOptions {
        known_nodes: 50,
        ..HostOptions::default()
    };
    let file = std::fs::File::open(yard.inside()).unwrap();
    let fs = HostDir::new(file, HostAccess::ReadWrite, options).unwrap();
    let mut vfs = Vfs::new(Box::new(fs));
    let base = vfs.root();
    let held = vfs
        .open(&root(), base, b"dir/file", &OpenOptions::READ)
        .unwrap();
    for n in 0..500 {
        write(
            &mut vfs,
            &root(),
            base,
            &format!("n{n}"),
            n.to_string().as_bytes(),
        )
        .unwrap();
    }
    for n in 0..500 {
        assert_eq!(
            read(&mut vfs, &root(), base, &format!("n{n}")).unwrap(),
            n.to_string().as_bytes()
        );
    }
    assert_eq!(vfs.path_of(held).unwrap(), b"/dir/file");
    assert_eq!(vfs.read_at(&root(), held, 0, &mut [0; 3]), Ok(3));
}

#[test]
fn an_overlay_finds_its_way_after_the_host_table_forgot() {
    let yard = Yard::new();
    for n in 0..200 {
        std::fs::create_dir(yard.inside().join(format!("d{n}"))).unwrap();
        std::fs::write(yard.inside().join(format!("d{n}/f")), b"lower").unwrap();
    }
    let options = HostOptions {
        known_nodes: 20,
        ..HostOptions::default()
    };
    let file = std::fs::File::open(yard.inside()).unwrap();
    let fs = HostDir::new(file, HostAccess::ReadOnly, options).unwrap();
    let mut vfs = Vfs::new(Box::new(
        Overlay::new(Box::new(fs), FsLimits::default()).unwrap(),
    ));
    let base = vfs.root();
    for n in 0..200 {
        write(&mut vfs, &root(), base, &format!("d{n}/new"), b"upper").unwrap();
    }
    for n in 0..200 {
        assert_eq!(
            read(&mut vfs, &root(), base, &format!("d{n}/f")).unwrap(),
            b"lower"
        );
        assert_eq!(
            read(&mut vfs, &root(), base, &format!("d{n}/new")).unwrap(),
            b"upper"
        );
        write(&mut vfs, &root(), base, &format!("d{n}/f"), b"changed").unwrap();
    }
    for n in 0..200 {
        assert_eq!(
            read(&mut vfs, &root(), base, &format!("d{n}/f")).unwrap(),
            b"changed"
        );
    }
}

#[test]
fn a_file_replaced_on_the_host_is_another_file() {
    let yard = Yard::new();
    let (mut vfs, base) = yard.vfs(HostAccess::ReadOnly);
    let old = vfs
        .open(&root(), base, b"file", &OpenOptions::READ)
        .unwrap();
    std::fs::write(yard.inside().join("tmp"), b"replaced").unwrap();
    std::fs::rename(yard.inside().join("tmp"), yard.inside().join("file")).unwrap();
    assert_eq!(read(&mut vfs, &root(), base, "file").unwrap(), b"replaced");
    let mut buf = [0; 6];
    assert_eq!(vfs.read_at(&root(), old, 0, &mut buf), Ok(6));
    assert_eq!(&buf, b"inside");
    vfs.close(old);
    std::fs::remove_file(yard.inside().join("file")).unwrap();
    assert_eq!(read(&mut vfs, &root(), base, "file"), Err(Errno::NoEnt));
}
