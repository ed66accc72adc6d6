//! `/proc` and `/dev`: what is in them, and that nothing of it is the host's.

mod support;

use codepod_abi::Errno;
use codepod_vfs::{
    Caller, Device, FileKind, NodeRef, OpenOptions, Proc, ProcDescriptor, ProcSource, ProcessInfo,
    Tree, Vfs, dev,
};
use support::{names, read, write};

struct Processes {
    dir: Option<NodeRef>,
}

impl ProcSource for Processes {
    fn pids(&self) -> Vec<u32> {
        vec![1, 7, 40_000]
    }

    fn process(&self, pid: u32) -> Option<ProcessInfo> {
        self.pids().contains(&pid).then(|| ProcessInfo {
            ppid: pid / 7,
            pgid: pid,
            sid: 1,
            state: if pid == 7 { 'R' } else { 'S' },
            uid: 1000,
            gid: 1000,
            argv: b"/bin/a long program name\0arg one\0"[..].into(),
            environ: b"A=1\0B=2\0"[..].into(),
            cwd: b"/home/user"[..].into(),
            exe: b"/bin/program"[..].into(),
            start_ns: 1_500_000_000,
            cpu_ns: 20_000_000,
            memory: 8 << 20,
        })
    }

    fn descriptors(&self, pid: u32) -> Vec<ProcDescriptor> {
        if pid != 7 {
            return Vec::new();
        }
        vec![
            ProcDescriptor {
                fd: 0,
                target: b"/dev/tty".to_vec(),
                node: None,
            },
            ProcDescriptor {
                fd: 1,
                target: b"pipe:[3]".to_vec(),
                node: None,
            },
            ProcDescriptor {
                fd: 9,
                target: b"/dir".to_vec(),
                node: self.dir,
            },
        ]
    }

    fn uptime_ns(&self) -> u64 {
        12_340_000_000
    }

    fn memory_total(&self) -> u64 {
        256 << 20
    }

    fn memory_used(&self) -> u64 {
        64 << 20
    }
}

fn vfs() -> Vfs {
    let tree = Tree::builder()
        .owner(1000, 1000)
        .dir("home/user", 0o755)
        .file("dir/file", 0o644, "found")
        .build();
    let mut vfs = Vfs::with_tree(tree);
    vfs.mount(b"/proc", Box::new(Proc::new())).unwrap();
    vfs.mount(b"/dev", Box::new(dev())).unwrap();
    vfs.mount(b"/odd name", Box::new(dev())).unwrap();
    vfs
}

fn caller(processes: &Processes) -> Caller<'_> {
    let now = 1_000_000_000_000_000_000;
    Caller {
        pid: 7,
        uid: 1000,
        gid: 1000,
        now,
        umask: 0o022,
        proc: processes,
    }
}

fn text(vfs: &mut Vfs, caller: &Caller<'_>, path: &str) -> String {
    let base = vfs.root();
    String::from_utf8(read(vfs, caller, base, path).unwrap()).unwrap()
}

#[test]
fn proc_tells_about_the_sandbox() {
    let processes = Processes { dir: None };
    let caller = caller(&processes);
    let vfs = &mut vfs();
    assert_eq!(text(vfs, &caller, "/proc/uptime"), "12.34 12.34\n");
    let meminfo = text(vfs, &caller, "/proc/meminfo");
    assert!(
        meminfo.starts_with("MemTotal:         262144 kB\nMemFree:          196608 kB\n"),
        "{meminfo}"
    );
    assert!(text(vfs, &caller, "/proc/cpuinfo").contains("processor\t: 0\n"));
    assert!(text(vfs, &caller, "/proc/version").starts_with("Linux version "));
    assert_eq!(text(vfs, &caller, "/proc/sys/kernel/ostype"), "Linux\n");
    assert_eq!(text(vfs, &caller, "/proc/sys/kernel/hostname"), "sandbox\n");
    assert_eq!(
        text(vfs, &caller, "/proc/loadavg"),
        "0.00 0.00 0.00 1/3 40000\n"
    );
    assert!(text(vfs, &caller, "/proc/stat").contains("\nbtime 999999987\n"));
    assert_eq!(
        text(vfs, &caller, "/proc/mounts"),
        "tmpfs / tmpfs rw,noatime 0 0\nproc /proc proc ro,noatime 0 0\n\
         devtmpfs /dev devtmpfs ro,noatime 0 0\ndevtmpfs /odd\\040name devtmpfs ro,noatime 0 0\n"
    );
}

#[test]
fn proc_tells_about_processes() {
    let processes = Processes { dir: None };
    let caller = caller(&processes);
    let vfs = &mut vfs();
    let base = vfs.root();
    assert_eq!(vfs.readlink(&caller, base, b"/proc/self").unwrap(), b"7");
    assert_eq!(text(vfs, &caller, "/proc/self/comm"), "a long program \n");
    assert_eq!(
        text(vfs, &caller, "/proc/7/cmdline"),
        "/bin/a long program name\0arg one\0"
    );
    assert_eq!(text(vfs, &caller, "/proc/self/environ"), "A=1\0B=2\0");
    let status = text(vfs, &caller, "/proc/self/status");
    assert!(
        status.contains("\nState:\tR (running)\n") && status.contains("\nPPid:\t1\n"),
        "{status}"
    );
    let stat = text(vfs, &caller, "/proc/7/stat");
    assert!(stat.starts_with("7 (a long program ) R 1 7 1 0 "), "{stat}");
    assert_eq!(stat.split_whitespace().count() - 3, 52);
    assert_eq!(
        vfs.readlink(&caller, base, b"/proc/self/cwd").unwrap(),
        b"/home/user"
    );
    let cwd = vfs.resolve(&caller, base, b"/proc/self/cwd", true).unwrap();
    assert_eq!(vfs.path_of(cwd).unwrap(), b"/home/user");
    assert_eq!(read(vfs, &caller, base, "/proc/8/comm"), Err(Errno::NoEnt));
    assert_eq!(
        read(vfs, &caller, base, "/proc/007/comm"),
        Err(Errno::NoEnt)
    );
    let other = Caller {
        uid: 5,
        gid: 5,
        ..caller
    };
    assert_eq!(
        read(vfs, &other, base, "/proc/7/environ"),
        Err(Errno::Access)
    );
    let proc = vfs.resolve(&caller, base, b"/proc", true).unwrap();
    let all = names(vfs, &caller, proc);
    for name in ["1", "7", "40000", "self", "uptime", "sys"] {
        assert!(all.iter().any(|n| n == name), "{name}");
    }
    let fds = vfs.resolve(&caller, base, b"/proc/self/fd", true).unwrap();
    assert_eq!(names(vfs, &caller, fds), ["0", "1", "9"]);
    let node = vfs
        .resolve(&caller, base, b"/proc/40000/status", true)
        .unwrap();
    assert_eq!(vfs.path_of(node).unwrap(), b"/proc/40000/status");
    assert_eq!(
        write(vfs, &caller, base, "/proc/uptime", b"x"),
        Err(Errno::Rofs)
    );
    assert_eq!(
        vfs.mkdir(&caller, base, b"/proc/x", 0o755),
        Err(Errno::Rofs)
    );
}

#[test]
fn descriptors_are_magic_links() {
    let processes = Processes { dir: None };
    let plain = caller(&processes);
    let vfs = &mut vfs();
    let base = vfs.root();
    let node = vfs.resolve(&plain, base, b"/dev/stdout", true).unwrap();
    assert_eq!(vfs.magic_link(node), Some((7, 1)));
    let options = OpenOptions {
        write: true,
        read: false,
        ..OpenOptions::READ
    };
    let opened = vfs.open(&plain, base, b"/dev/fd/1", &options).unwrap();
    assert_eq!(vfs.magic_link(opened), Some((7, 1)));
    assert_eq!(
        vfs.open(
            &plain,
            base,
            b"/proc/self/fd/1",
            &OpenOptions {
                follow: false,
                ..options
            }
        ),
        Err(Errno::Loop)
    );
    assert_eq!(
        vfs.readlink(&plain, base, b"/proc/self/fd/1").unwrap(),
        b"pipe:[3]"
    );
    assert_eq!(
        vfs.resolve(&plain, base, b"/proc/self/fd/3", true),
        Err(Errno::NoEnt)
    );
    assert_eq!(
        vfs.resolve(&plain, base, b"/proc/self/fd/1/x", true),
        Err(Errno::NotDir)
    );
    // A directory behind a descriptor can be walked into.
    let dir = vfs.resolve(&plain, base, b"/dir", true).unwrap();
    let processes = Processes { dir: Some(dir) };
    let caller = caller(&processes);
    assert_eq!(
        read(vfs, &caller, base, "/proc/self/fd/9/file").unwrap(),
        b"found"
    );
    assert_eq!(
        read(vfs, &caller, base, "/dev/fd/9/../dir/file").unwrap(),
        b"found"
    );
    assert_eq!(
        vfs.resolve(&caller, base, b"/proc/self/fd/9/", true),
        Ok(dir)
    );
}

#[test]
fn devices_are_nodes_that_the_kernel_serves() {
    let processes = Processes { dir: None };
    let caller = caller(&processes);
    let vfs = &mut vfs();
    let base = vfs.root();
    for (name, device, rdev) in [
        ("null", Device::Null, 0x103),
        ("zero", Device::Zero, 0x105),
        ("full", Device::Full, 0x107),
        ("random", Device::Random, 0x108),
        ("urandom", Device::Urandom, 0x109),
        ("tty", Device::Tty, 0x500),
    ] {
        let path = format!("/dev/{name}");
        let node = vfs
            .open(&caller, base, path.as_bytes(), &OpenOptions::REPLACE)
            .unwrap();
        assert_eq!(vfs.device(node), Some(device));
        let stat = vfs.stat(&caller, node).unwrap();
        assert_eq!(
            (stat.kind, stat.mode, stat.rdev),
            (FileKind::CharDevice, 0o666, rdev)
        );
        vfs.close(node);
    }
    assert_eq!(
        write(vfs, &Caller { uid: 0, ..caller }, base, "/dev/new", b""),
        Err(Errno::Rofs)
    );
    assert_eq!(
        vfs.unlink(&Caller { uid: 0, ..caller }, base, b"/dev/null"),
        Err(Errno::Rofs)
    );
}

// FS-07
#[test]
fn fs_07_nothing_of_the_host_is_in_proc_and_dev() {
    let processes = Processes { dir: None };
    let caller = Caller {
        uid: 0,
        ..caller(&processes)
    };
    let vfs = &mut vfs();
    let mut all = Vec::new();
    let mut open = vec![vfs.resolve(&caller, vfs.root(), b"/proc", true).unwrap()];
    open.push(vfs.resolve(&caller, vfs.root(), b"/dev", true).unwrap());
    let mut files = 0;
    while let Some(dir) = open.pop() {
        for name in names(vfs, &caller, dir) {
            all.extend_from_slice(name.as_bytes());
            let node = vfs.resolve(&caller, dir, name.as_bytes(), false).unwrap();
            match vfs.stat(&caller, node).unwrap().kind {
                FileKind::Directory => open.push(node),
                FileKind::Symlink => all.extend(vfs.readlink_node(&caller, node).unwrap()),
                FileKind::File => {
                    files += 1;
                    all.extend(read(vfs, &caller, dir, &name).unwrap());
                }
                _ => {}
            }
            all.push(b'\n');
        }
    }
    assert!(files > 30);
    let shown = String::from_utf8_lossy(&all).into_owned();
    let host = |path: &str| {
        std::fs::read_to_string(path)
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let mut secrets = vec![
        host("/proc/sys/kernel/hostname"),
        host("/proc/sys/kernel/osrelease"),
        host("/proc/sys/kernel/random/boot_id"),
        host("/etc/machine-id"),
        std::env::var("USER").unwrap_or_default(),
        std::env::var("HOME").unwrap_or_default(),
        std::env::current_dir()
            .unwrap()
            .to_string_lossy()
            .into_owned(),
        std::env::current_exe()
            .unwrap()
            .to_string_lossy()
            .into_owned(),
    ];
    let cpus = host("/proc/cpuinfo");
    secrets.extend(cpus.lines().filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == "model name").then(|| value.trim().to_owned())
    }));
    // Short words such as `root` are everywhere; they tell nothing.
    for secret in secrets.iter().filter(|secret| secret.len() > 5) {
        assert!(!shown.contains(secret.as_str()), "{secret} is the host's");
    }
}
