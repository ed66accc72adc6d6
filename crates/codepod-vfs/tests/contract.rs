//! What every file system must do, run against each of them.
//!
//! All backends start from the same small tree. Behaviours that change something run against those
//! that can be written to; on those that cannot, every change must fail and leave no trace.

mod support;

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_vfs::{
    Access, Caller, FileKind, FileSystem, FsLimits, HostAccess, Image, Memory, NodeRef,
    OpenOptions, Overlay, Tree, Vfs,
};
use support::{TempDir, names, read, root, write, write_all};

/// A backend under test, mounted at `/m`.
struct Bench {
    name: &'static str,
    vfs: Vfs,
    base: NodeRef,
    /// Host directories cannot hold pipes that a sandbox could open.
    fifos: bool,
    /// Whether directories that were there from the start can be renamed.
    moves_old_directories: bool,
    _host: Option<TempDir>,
}

impl Bench {
    fn new(name: &'static str, fs: Box<dyn FileSystem>, host: Option<TempDir>) -> Bench {
        let mut vfs = Vfs::with_tree(Tree::new());
        vfs.mount(b"/m", fs).unwrap();
        let top = vfs.root();
        let base = vfs.resolve(&root(), top, b"/m", true).unwrap();
        let (fifos, moves_old_directories) = (!name.contains("host rw"), !name.contains("overlay"));
        Bench {
            name,
            vfs,
            base,
            fifos,
            moves_old_directories,
            _host: host,
        }
    }

    fn read(&mut self, path: &str) -> Result<Vec<u8>, Errno> {
        read(&mut self.vfs, &root(), self.base, path)
    }

    fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), Errno> {
        write(&mut self.vfs, &root(), self.base, path, bytes)
    }

    fn find(&mut self, path: &str) -> Result<NodeRef, Errno> {
        self.vfs.resolve(&root(), self.base, path.as_bytes(), false)
    }

    fn kind(&mut self, path: &str) -> Result<FileKind, Errno> {
        let node = self.find(path)?;
        Ok(self.vfs.stat(&root(), node)?.kind)
    }

    fn names(&mut self, path: &str) -> Vec<String> {
        let dir = self.find(path).unwrap();
        names(&mut self.vfs, &root(), dir)
    }

    fn open(&mut self, path: &str, options: &OpenOptions) -> Result<NodeRef, Errno> {
        self.vfs.open(&root(), self.base, path.as_bytes(), options)
    }

    fn rename(&mut self, old: &str, new: &str) -> Result<(), Errno> {
        self.vfs.rename(
            &root(),
            self.base,
            old.as_bytes(),
            self.base,
            new.as_bytes(),
        )
    }

    fn unlink(&mut self, path: &str) -> Result<(), Errno> {
        self.vfs.unlink(&root(), self.base, path.as_bytes())
    }

    fn rmdir(&mut self, path: &str) -> Result<(), Errno> {
        self.vfs.rmdir(&root(), self.base, path.as_bytes())
    }

    fn mkdir(&mut self, path: &str) -> Result<NodeRef, Errno> {
        self.vfs.mkdir(&root(), self.base, path.as_bytes(), 0o755)
    }
}

/// The tree that all backends start from.
fn tree() -> Tree {
    Tree::builder()
        .file("hello", 0o644, "hello world")
        .file("dir/inner", 0o644, "inner")
        .file("dir/sub/deep", 0o600, "deep")
        .dir("empty", 0o755)
        .file("run", 0o755, "#!")
        .file("big", 0o644, vec![7; 200_000])
        .symlink("link", "hello")
        .symlink("dirlink", "dir")
        .symlink("dangling", "nowhere")
        .build()
}

fn host() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let host = TempDir::new();
    let at = |path: &str| host.path().join(path);
    std::fs::create_dir_all(at("dir/sub")).unwrap();
    std::fs::create_dir(at("empty")).unwrap();
    for (path, mode, bytes) in [
        ("hello", 0o644, b"hello world".to_vec()),
        ("dir/inner", 0o644, b"inner".to_vec()),
        ("dir/sub/deep", 0o600, b"deep".to_vec()),
        ("run", 0o755, b"#!".to_vec()),
        ("big", 0o644, vec![7; 200_000]),
    ] {
        std::fs::write(at(path), bytes).unwrap();
        std::fs::set_permissions(at(path), PermissionsExt::from_mode(mode)).unwrap();
    }
    std::os::unix::fs::symlink("hello", at("link")).unwrap();
    std::os::unix::fs::symlink("dir", at("dirlink")).unwrap();
    std::os::unix::fs::symlink("nowhere", at("dangling")).unwrap();
    host
}

fn overlay(lower: Box<dyn FileSystem>, limits: FsLimits) -> Box<dyn FileSystem> {
    Box::new(Overlay::new(lower, limits).unwrap())
}

fn writable() -> Vec<Bench> {
    let limits = FsLimits::default();
    let image = || Box::new(Image::new(Arc::new(tree())));
    let over_host = host();
    let lower = Box::new(over_host.host_dir(HostAccess::ReadOnly));
    let host_rw = host();
    let rw = Box::new(host_rw.host_dir(HostAccess::ReadWrite));
    vec![
        Bench::new(
            "memory",
            Box::new(Memory::new(tree().with_limits(limits))),
            None,
        ),
        Bench::new("host rw", rw, Some(host_rw)),
        Bench::new("overlay of an image", overlay(image(), limits), None),
        Bench::new("overlay of a host", overlay(lower, limits), Some(over_host)),
    ]
}

fn read_only() -> Vec<Bench> {
    let ro = host();
    let fs = Box::new(ro.host_dir(HostAccess::ReadOnly));
    vec![
        Bench::new("image", Box::new(Image::new(Arc::new(tree()))), None),
        Bench::new("host ro", fs, Some(ro)),
    ]
}

fn all() -> Vec<Bench> {
    writable().into_iter().chain(read_only()).collect()
}

/// Runs a behaviour on each backend, naming the one that fails.
fn each(benches: Vec<Bench>, behaviour: impl Fn(&mut Bench)) {
    for mut bench in benches {
        let name = bench.name;
        let run = std::panic::AssertUnwindSafe(|| behaviour(&mut bench));
        if let Err(panic) = std::panic::catch_unwind(run) {
            let text = panic.downcast_ref::<String>().cloned().unwrap_or_default();
            panic!("on {name}: {text}");
        }
        if let Some(tree) = bench.vfs.tree(bench.base.mount) {
            assert_eq!(tree.usage(), tree.recount(), "counters on {name}");
        }
    }
}

#[test]
fn files_are_read_in_any_pieces() {
    each(all(), |b| {
        assert_eq!(b.read("hello").unwrap(), b"hello world");
        assert_eq!(b.read("link").unwrap(), b"hello world");
        assert_eq!(b.read("dirlink/sub/../inner").unwrap(), b"inner");
        assert_eq!(b.read("big").unwrap(), vec![7; 200_000]);
        let node = b.open("hello", &OpenOptions::READ).unwrap();
        let mut buf = [0; 5];
        assert_eq!(b.vfs.read_at(&root(), node, 6, &mut buf), Ok(5));
        assert_eq!(&buf, b"world");
        assert_eq!(b.vfs.read_at(&root(), node, 10, &mut buf), Ok(1));
        assert_eq!(b.vfs.read_at(&root(), node, 11, &mut buf), Ok(0));
        assert_eq!(b.vfs.read_at(&root(), node, u64::MAX, &mut buf), Ok(0));
        assert_eq!(
            b.vfs.read_at(&root(), node, i64::MAX as u64, &mut buf),
            Ok(0)
        );
        b.vfs.close(node);
    });
}

#[test]
fn metadata_tells_kind_size_and_mode() {
    each(all(), |b| {
        let node = b.find("run").unwrap();
        let stat = b.vfs.stat(&root(), node).unwrap();
        assert_eq!(
            (stat.kind, stat.size, stat.mode),
            (FileKind::File, 2, 0o755)
        );
        assert_eq!((stat.uid, stat.gid, stat.nlink), (0, 0, 1));
        assert_eq!(b.kind("dir"), Ok(FileKind::Directory));
        assert_eq!(b.kind("link"), Ok(FileKind::Symlink));
        assert_eq!(b.kind("nothing"), Err(Errno::NoEnt));
        assert_eq!(b.kind("hello/x"), Err(Errno::NotDir));
        let link = b.find("link").unwrap();
        assert_eq!(b.vfs.stat(&root(), link).unwrap().size, 5);
        assert_eq!(b.vfs.readlink(&root(), b.base, b"link").unwrap(), b"hello");
        assert_eq!(b.vfs.readlink(&root(), b.base, b"hello"), Err(Errno::Inval));
        assert_eq!(b.find("dir"), b.find("dir"), "a node keeps its number");
        assert_eq!(
            b.vfs
                .access(&root(), node, Access::READ.and(Access::EXECUTE)),
            Ok(())
        );
    });
}

#[test]
fn paths_lead_to_nodes_and_back() {
    each(all(), |b| {
        for path in ["hello", "dir/sub/deep", "empty", "dangling"] {
            let node = b.find(path).unwrap();
            assert_eq!(
                b.vfs.path_of(node).unwrap(),
                format!("/m/{path}").as_bytes()
            );
        }
        let sub = b.find("dir/sub").unwrap();
        let base = b.base;
        assert_eq!(b.vfs.resolve(&root(), sub, b"../..", true), Ok(base));
        assert_eq!(
            b.vfs.resolve(&root(), sub, b"../../..", true),
            Ok(b.vfs.root())
        );
    });
}

#[test]
fn directories_list_each_entry_once_in_any_steps() {
    each(all(), |b| {
        let all = [
            "big", "dangling", "dir", "dirlink", "empty", "hello", "link", "run",
        ];
        assert_eq!(b.names("."), all);
        assert_eq!(b.names("empty"), [""; 0]);
        assert_eq!(b.names("dir"), ["inner", "sub"]);
        let (mut seen, mut cookie) = (Vec::new(), 0);
        loop {
            let mut one = None;
            b.vfs
                .read_dir(&root(), b.base, cookie, u64::MAX, &mut |entry| {
                    if one.is_some() {
                        return false;
                    }
                    one = Some((String::from_utf8(entry.name.to_vec()).unwrap(), entry.next));
                    true
                })
                .unwrap();
            let Some((name, next)) = one else { break };
            assert!(next > cookie);
            seen.push(name);
            cookie = next;
        }
        assert_eq!(seen[..2], [".", ".."]);
        seen[2..].sort();
        assert_eq!(seen[2..], all);
        let hello = b.find("hello").unwrap();
        let list = b.vfs.read_dir(&root(), hello, 0, u64::MAX, &mut |_| true);
        assert_eq!(list, Err(Errno::NotDir));
    });
}

#[test]
fn listed_numbers_are_those_of_the_nodes() {
    each(all(), |b| {
        let mut listed = Vec::new();
        b.vfs
            .read_dir(&root(), b.base, 2, u64::MAX, &mut |entry| {
                listed.push((entry.name.to_vec(), entry.inode, entry.kind));
                true
            })
            .unwrap();
        for (name, inode, kind) in listed {
            let node = b.vfs.resolve(&root(), b.base, &name, false).unwrap();
            let stat = b.vfs.stat(&root(), node).unwrap();
            assert_eq!((stat.inode, stat.kind), (inode, kind), "{:?}", name);
        }
    });
}

#[test]
fn opening_refuses_what_open_refuses() {
    each(all(), |b| {
        let read = OpenOptions::READ;
        assert_eq!(b.open("nothing", &read), Err(Errno::NoEnt));
        assert_eq!(b.open("dangling", &read), Err(Errno::NoEnt));
        assert_eq!(
            b.open(
                "link",
                &OpenOptions {
                    follow: false,
                    ..read
                }
            ),
            Err(Errno::Loop)
        );
        assert_eq!(
            b.open(
                "hello",
                &OpenOptions {
                    directory: true,
                    ..read
                }
            ),
            Err(Errno::NotDir)
        );
        assert_eq!(
            b.open(
                "dir",
                &OpenOptions {
                    write: true,
                    ..read
                }
            ),
            Err(Errno::IsDir)
        );
        let dir = b
            .open(
                "dir",
                &OpenOptions {
                    directory: true,
                    ..read
                },
            )
            .unwrap();
        assert_eq!(
            b.vfs.read_at(&root(), dir, 0, &mut [0; 4]),
            Err(Errno::IsDir)
        );
        b.vfs.close(dir);
    });
}

#[test]
fn files_are_written_cut_and_extended() {
    each(writable(), |b| {
        for path in ["hello", "fresh"] {
            b.write(path, b"0123456789").unwrap();
            let options = OpenOptions {
                read: true,
                ..OpenOptions::READ
            };
            let node = b
                .open(
                    path,
                    &OpenOptions {
                        write: true,
                        ..options
                    },
                )
                .unwrap();
            assert_eq!(b.vfs.write_at(&root(), node, 3, b"abc"), Ok(3));
            assert_eq!(b.vfs.append(&root(), node, b"end"), Ok((13, 3)));
            assert_eq!(b.vfs.write_at(&root(), node, 15, b"x"), Ok(1));
            assert_eq!(b.read(path).unwrap(), b"012abc6789end\0\0x");
            b.vfs.set_size(&root(), node, 4).unwrap();
            b.vfs.set_size(&root(), node, 6).unwrap();
            assert_eq!(b.read(path).unwrap(), b"012a\0\0");
            b.vfs.allocate(&root(), node, 2, 6).unwrap();
            assert_eq!(b.read(path).unwrap(), b"012a\0\0\0\0");
            assert_eq!(b.vfs.allocate(&root(), node, 0, 0), Err(Errno::Inval));
            assert_eq!(b.vfs.write_at(&root(), node, 3, b""), Ok(0));
            b.vfs.sync(node).unwrap();
            b.vfs.close(node);
        }
        b.vfs.truncate(&root(), b.base, b"big", 100_000).unwrap();
        assert_eq!(b.read("big").unwrap(), vec![7; 100_000]);
        assert_eq!(
            b.vfs.truncate(&root(), b.base, b"dir", 0),
            Err(Errno::IsDir)
        );
    });
}

#[test]
fn an_unlinked_open_file_stays_readable_and_writable() {
    each(writable(), |b| {
        for path in ["hello", "dir/inner", "fresh"] {
            if path == "fresh" {
                b.write(path, b"hello world").unwrap();
            }
            let options = OpenOptions {
                write: true,
                ..OpenOptions::READ
            };
            let node = b.open(path, &options).unwrap();
            b.unlink(path).unwrap();
            assert_eq!(b.find(path), Err(Errno::NoEnt));
            assert_eq!(b.vfs.path_of(node), Err(Errno::NoEnt));
            let mut buf = [0; 4];
            assert_eq!(b.vfs.read_at(&root(), node, 0, &mut buf), Ok(4));
            write_all(&mut b.vfs, &root(), node, b"still").unwrap();
            assert_eq!(b.vfs.read_at(&root(), node, 1, &mut buf), Ok(4));
            assert_eq!(&buf, b"till");
            // A new file under the old name is another one.
            b.write(path, b"new").unwrap();
            assert_eq!(b.vfs.read_at(&root(), node, 1, &mut buf), Ok(4));
            assert_eq!(b.read(path).unwrap(), b"new");
            b.vfs.close(node);
            assert_eq!(b.read(path).unwrap(), b"new");
        }
    });
}

#[test]
fn exclusive_creation_finds_what_exists() {
    each(writable(), |b| {
        let exclusive = OpenOptions {
            exclusive: true,
            ..OpenOptions::REPLACE
        };
        for path in ["hello", "dir", "dangling", "link"] {
            assert_eq!(b.open(path, &exclusive), Err(Errno::Exist), "{path}");
        }
        let node = b.open("fresh", &exclusive).unwrap();
        b.vfs.close(node);
        assert_eq!(b.open("fresh", &exclusive), Err(Errno::Exist));
        assert_eq!(b.mkdir("hello"), Err(Errno::Exist));
        // Without it, a dangling link is where the new file's name comes from.
        b.write("dangling", b"through").unwrap();
        assert_eq!(b.read("nowhere").unwrap(), b"through");
    });
}

#[test]
fn directories_are_made_and_removed() {
    each(writable(), |b| {
        b.mkdir("new").unwrap();
        b.mkdir("new/inner").unwrap();
        assert_eq!(b.mkdir("no/where"), Err(Errno::NoEnt));
        assert_eq!(b.rmdir("new"), Err(Errno::NotEmpty));
        assert_eq!(b.rmdir("dir"), Err(Errno::NotEmpty));
        assert_eq!(b.rmdir("hello"), Err(Errno::NotDir));
        assert_eq!(b.rmdir("nothing"), Err(Errno::NoEnt));
        b.rmdir("new/inner").unwrap();
        b.rmdir("new").unwrap();
        b.rmdir("empty").unwrap();
        assert_eq!(b.kind("empty"), Err(Errno::NoEnt));
        for path in ["dir/inner", "dir/sub/deep"] {
            b.unlink(path).unwrap();
        }
        b.rmdir("dir/sub").unwrap();
        b.rmdir("dir").unwrap();
        b.mkdir("dir").unwrap();
        assert_eq!(
            b.names("dir"),
            [""; 0],
            "nothing of the old directory shows"
        );
        let rest = ["big", "dangling", "dir", "dirlink", "hello", "link", "run"];
        assert_eq!(b.names("."), rest);
    });
}

#[test]
fn renaming_replaces_in_one_step() {
    each(writable(), |b| {
        b.rename("hello", "dir/inner").unwrap();
        assert_eq!(b.read("dir/inner").unwrap(), b"hello world");
        assert_eq!(b.kind("hello"), Err(Errno::NoEnt));
        let node = b.open("run", &OpenOptions::READ).unwrap();
        b.rename("dir/inner", "run").unwrap();
        assert_eq!(b.read("run").unwrap(), b"hello world");
        let mut buf = [0; 4];
        assert_eq!(
            b.vfs.read_at(&root(), node, 0, &mut buf),
            Ok(2),
            "the replaced file is open"
        );
        b.vfs.close(node);
        let moved = b.open("big", &OpenOptions::READ).unwrap();
        b.rename("big", "bigger").unwrap();
        assert_eq!(b.find("bigger"), Ok(moved));
        assert_eq!(b.vfs.path_of(moved).unwrap(), b"/m/bigger");
        assert_eq!(b.vfs.read_at(&root(), moved, 0, &mut buf), Ok(4));
        b.vfs.close(moved);

        b.mkdir("new").unwrap();
        b.write("new/file", b"x").unwrap();
        assert_eq!(b.rename("new", "run"), Err(Errno::NotDir));
        assert_eq!(b.rename("run", "new"), Err(Errno::IsDir));
        assert_eq!(b.rename("new", "dir"), Err(Errno::NotEmpty));
        assert_eq!(b.rename("new", "new/file/x"), Err(Errno::NotDir));
        assert_eq!(b.rename("new", "new/x"), Err(Errno::Inval));
        assert_eq!(b.rename("nothing", "x"), Err(Errno::NoEnt));
        b.rename("new", "empty").unwrap();
        assert_eq!(b.read("empty/file").unwrap(), b"x");
        assert_eq!(b.names("empty"), ["file"]);
        let old = b.rename("dir", "elsewhere");
        assert_eq!(
            old,
            if b.moves_old_directories {
                Ok(())
            } else {
                Err(Errno::Xdev)
            }
        );
        b.rename("link", "link2").unwrap();
        assert_eq!(b.vfs.readlink(&root(), b.base, b"link2").unwrap(), b"hello");
    });
}

#[test]
fn a_renamed_directory_takes_its_content_along() {
    each(writable(), |b| {
        b.mkdir("a").unwrap();
        b.mkdir("a/b").unwrap();
        b.write("a/b/c", b"c").unwrap();
        let held = b.find("a/b").unwrap();
        b.vfs.retain(&root(), held).unwrap();
        b.mkdir("z").unwrap();
        b.rename("a", "z/a").unwrap();
        assert_eq!(b.vfs.path_of(held).unwrap(), b"/m/z/a/b");
        assert_eq!(read(&mut b.vfs, &root(), held, "c").unwrap(), b"c");
        assert_eq!(
            read(&mut b.vfs, &root(), held, "../../../hello").unwrap(),
            b"hello world"
        );
        assert_eq!(b.rename("z", "z/a/b/z"), Err(Errno::Inval));
        b.vfs.close(held);
    });
}

#[test]
fn hard_links_share_one_file() {
    each(writable(), |b| {
        for old in ["hello", "fresh"] {
            let new = format!("{old}2");
            if old == "fresh" {
                b.write(old, b"x").unwrap();
            }
            b.vfs
                .link(
                    &root(),
                    b.base,
                    old.as_bytes(),
                    false,
                    b.base,
                    new.as_bytes(),
                )
                .unwrap();
            b.vfs.truncate(&root(), b.base, new.as_bytes(), 0).unwrap();
            let node = b
                .open(
                    &new,
                    &OpenOptions {
                        write: true,
                        ..OpenOptions::READ
                    },
                )
                .unwrap();
            b.vfs.append(&root(), node, b"shared").unwrap();
            b.vfs.close(node);
            assert_eq!(b.read(old).unwrap(), b"shared");
            let stat = b.vfs.stat(&root(), node).unwrap();
            assert_eq!(stat.nlink, 2);
            b.unlink(old).unwrap();
            assert_eq!(b.read(&new).unwrap(), b"shared");
        }
        let taken = b.vfs.link(&root(), b.base, b"run", false, b.base, b"big");
        assert_eq!(taken, Err(Errno::Exist));
        let dir = b.vfs.link(&root(), b.base, b"dir", false, b.base, b"dir2");
        assert_eq!(dir, Err(Errno::Perm));
    });
}

#[test]
fn modes_times_and_links_are_kept() {
    each(writable(), |b| {
        for path in ["hello", "dir", "dir/sub/deep"] {
            let node = b.find(path).unwrap();
            b.vfs.set_mode(&root(), node, 0o640).unwrap();
            b.vfs
                .set_times(&root(), node, Some(5_000_000_001), Some(6_000_000_002))
                .unwrap();
            let stat = b.vfs.stat(&root(), node).unwrap();
            assert_eq!(
                (stat.mode, stat.atime, stat.mtime),
                (0o640, 5_000_000_001, 6_000_000_002)
            );
            b.vfs
                .set_times(&root(), node, None, Some(7_000_000_000))
                .unwrap();
            let stat = b.vfs.stat(&root(), node).unwrap();
            assert_eq!((stat.atime, stat.mtime), (5_000_000_001, 7_000_000_000));
        }
        assert_eq!(b.read("dir/sub/deep").unwrap(), b"deep");
        b.vfs
            .symlink(&root(), b"any/./thing", b.base, b"new link")
            .unwrap();
        assert_eq!(
            b.vfs.readlink(&root(), b.base, b"new link").unwrap(),
            b"any/./thing"
        );
        let link = b.find("new link").unwrap();
        assert_eq!(b.vfs.set_mode(&root(), link, 0o600), Err(Errno::NotSup));
        b.vfs
            .set_times(&root(), link, Some(1_000_000_000), Some(2_000_000_000))
            .unwrap();
        assert_eq!(b.vfs.stat(&root(), link).unwrap().mtime, 2_000_000_000);
        let fifo = b.vfs.mkfifo(&root(), b.base, b"pipe", 0o600);
        if b.fifos {
            fifo.unwrap();
            assert_eq!(b.kind("pipe"), Ok(FileKind::Fifo));
            b.unlink("pipe").unwrap();
        } else {
            assert_eq!(fifo, Err(Errno::Perm));
        }
        let socket = b.vfs.mksocket(&root(), b.base, b"socket");
        if b.fifos {
            socket.unwrap();
            assert_eq!(b.kind("socket"), Ok(FileKind::Socket));
            let again = b.vfs.mksocket(&root(), b.base, b"socket");
            assert_eq!(again, Err(Errno::Exist));
            let opened = b.vfs.open(&root(), b.base, b"socket", &OpenOptions::READ);
            assert_eq!(opened, Err(Errno::Nxio));
            b.unlink("socket").unwrap();
        } else {
            assert_eq!(socket, Err(Errno::Perm));
        }
    });
}

#[test]
fn names_are_bytes() {
    each(writable(), |b| {
        for name in [
            &b"caf\xe9"[..],
            b"new\nline",
            b"-rf",
            b" ",
            b"\x01",
            b"a\\b",
            "día".as_bytes(),
        ] {
            let node = b
                .vfs
                .open(&root(), b.base, name, &OpenOptions::REPLACE)
                .unwrap();
            b.vfs.write_at(&root(), node, 0, name).unwrap();
            b.vfs.close(node);
            let mut seen = false;
            let list = &mut |entry: codepod_vfs::DirEntryRef<'_>| {
                seen |= entry.name == name;
                true
            };
            b.vfs.read_dir(&root(), b.base, 0, u64::MAX, list).unwrap();
            assert!(seen, "{name:?}");
            b.vfs.unlink(&root(), b.base, name).unwrap();
        }
    });
}

#[test]
fn a_directory_that_changes_while_listed_neither_repeats_nor_ends_never() {
    // FS-14
    each(writable(), |b| {
        let dir = b.mkdir("busy").unwrap();
        for n in 0..50 {
            b.write(&format!("busy/{n}"), b"").unwrap();
        }
        let until = b.vfs.dir_end_cookie(dir).unwrap();
        let (mut seen, mut cookie, mut round) = (Vec::new(), 0, 0);
        loop {
            let mut got = None;
            b.vfs
                .read_dir(&root(), dir, cookie, until, &mut |entry| {
                    if got.is_some() {
                        return false;
                    }
                    got = Some((entry.name.to_vec(), entry.next));
                    true
                })
                .unwrap();
            let Some((name, next)) = got else { break };
            cookie = next;
            if name.starts_with(b".") {
                continue;
            }
            b.vfs.unlink(&root(), dir, &name).unwrap_or(());
            b.write(&format!("busy/new{round}"), b"").unwrap();
            seen.push(name);
            round += 1;
            assert!(round < 200, "the listing does not end");
        }
        let mut unique = seen.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), seen.len());
        let old = seen.iter().filter(|name| !name.starts_with(b"new")).count();
        assert_eq!(old, 50, "what was there all the time is listed");
    });
}

// FS-14
#[test]
fn fs_14_forged_cookies_and_offsets_do_no_harm() {
    each(all(), |b| {
        for cookie in [
            1,
            2,
            3,
            99,
            1 << 31,
            1 << 32,
            i64::MAX as u64,
            u64::MAX - 1,
            u64::MAX,
        ] {
            for until in [0, 1, 2, cookie, u64::MAX] {
                let mut count = 0;
                let list = &mut |entry: codepod_vfs::DirEntryRef<'_>| {
                    assert!(entry.next > cookie || entry.next <= 2);
                    count += 1;
                    true
                };
                b.vfs
                    .read_dir(&root(), b.base, cookie, until, list)
                    .unwrap();
                assert!(count <= 10);
            }
        }
        let node = b.open("hello", &OpenOptions::READ).unwrap();
        for offset in [u64::MAX, u64::MAX - 1, i64::MAX as u64, 1 << 63, 1 << 62] {
            assert_eq!(b.vfs.read_at(&root(), node, offset, &mut [0; 64]), Ok(0));
        }
        b.vfs.close(node);
        // Numbers that nobody handed out.
        for inode in [0, 2, 77, 1 << 40, 1 << 63, u64::MAX] {
            let forged = NodeRef {
                inode: codepod_vfs::InodeId(inode),
                ..b.base
            };
            let _ = b.vfs.stat(&root(), forged);
            let _ = b.vfs.read_at(&root(), forged, 0, &mut [0; 8]);
            let _ = b.vfs.read_dir(&root(), forged, 0, u64::MAX, &mut |_| true);
            let _ = b.vfs.path_of(forged);
            let _ = b.vfs.write_at(&root(), forged, 0, b"");
            b.vfs.close(forged);
        }
        let nowhere = NodeRef {
            mount: codepod_vfs::MountId(99),
            ..b.base
        };
        assert_eq!(b.vfs.stat(&root(), nowhere), Err(Errno::Stale));
        b.vfs.close(nowhere);
    });
}

#[test]
fn writing_at_absurd_offsets_is_refused() {
    // FS-08
    each(writable(), |b| {
        let node = b
            .open(
                "hello",
                &OpenOptions {
                    write: true,
                    ..OpenOptions::READ
                },
            )
            .unwrap();
        for offset in [i64::MAX as u64, i64::MAX as u64 - 1, u64::MAX, 1 << 63] {
            let written = b.vfs.write_at(&root(), node, offset, b"xy");
            assert!(
                matches!(written, Err(Errno::Fbig | Errno::NoSpc)),
                "{offset}: {written:?}"
            );
            let sized = b.vfs.set_size(&root(), node, offset);
            assert!(
                matches!(sized, Err(Errno::Fbig | Errno::NoSpc)),
                "{offset}: {sized:?}"
            );
            let allocated = b.vfs.allocate(&root(), node, offset, u64::MAX);
            assert!(
                matches!(allocated, Err(Errno::Fbig | Errno::NoSpc)),
                "{allocated:?}"
            );
        }
        b.vfs.close(node);
        assert_eq!(b.read("hello").unwrap(), b"hello world");
    });
}

#[test]
fn forks_and_snapshots_of_trees_are_independent() {
    each(writable(), |b| {
        if b.name == "host rw" {
            return;
        }
        b.write("fresh", b"1").unwrap();
        let before = b.vfs.snapshot();
        let mut fork = b.vfs.fork().unwrap();
        b.write("hello", b"changed").unwrap();
        b.unlink("fresh").unwrap();
        assert_eq!(
            read(&mut fork, &root(), b.base, "hello").unwrap(),
            b"hello world"
        );
        assert_eq!(read(&mut fork, &root(), b.base, "fresh").unwrap(), b"1");
        write(&mut fork, &root(), b.base, "fresh", b"2").unwrap();
        b.vfs.restore(&before).unwrap();
        assert_eq!(b.read("hello").unwrap(), b"hello world");
        assert_eq!(b.read("fresh").unwrap(), b"1");
        assert_eq!(read(&mut fork, &root(), b.base, "fresh").unwrap(), b"2");
    });
}

/// One way to change something.
type Change = fn(&mut Vfs, &Caller<'_>, NodeRef) -> Result<(), Errno>;

/// Every way to change something, on paths that exist in the common tree.
const CHANGES: &[(&str, Change)] = &[
    ("open for writing", |v, c, d| {
        v.open(
            c,
            d,
            b"hello",
            &OpenOptions {
                write: true,
                ..OpenOptions::READ
            },
        )
        .map(drop)
    }),
    ("open for appending", |v, c, d| {
        v.open(
            c,
            d,
            b"hello",
            &OpenOptions {
                append: true,
                ..OpenOptions::READ
            },
        )
        .map(drop)
    }),
    ("open and truncate", |v, c, d| {
        v.open(c, d, b"hello", &OpenOptions::REPLACE).map(drop)
    }),
    ("open through a link", |v, c, d| {
        v.open(c, d, b"link", &OpenOptions::REPLACE).map(drop)
    }),
    ("create", |v, c, d| {
        v.open(c, d, b"new", &OpenOptions::REPLACE).map(drop)
    }),
    ("create through a link", |v, c, d| {
        v.open(c, d, b"dangling", &OpenOptions::REPLACE).map(drop)
    }),
    ("truncate", |v, c, d| v.truncate(c, d, b"hello", 0)),
    ("mkdir", |v, c, d| v.mkdir(c, d, b"new", 0o755).map(drop)),
    ("mkfifo", |v, c, d| v.mkfifo(c, d, b"new", 0o644).map(drop)),
    ("mksocket", |v, c, d| v.mksocket(c, d, b"new").map(drop)),
    ("symlink", |v, c, d| v.symlink(c, b"x", d, b"new").map(drop)),
    ("link", |v, c, d| v.link(c, d, b"hello", false, d, b"new")),
    ("unlink", |v, c, d| v.unlink(c, d, b"hello")),
    ("unlink a link", |v, c, d| v.unlink(c, d, b"link")),
    ("rmdir", |v, c, d| v.rmdir(c, d, b"empty")),
    ("rename", |v, c, d| v.rename(c, d, b"hello", d, b"new")),
    ("rename over", |v, c, d| v.rename(c, d, b"hello", d, b"run")),
    ("rename a directory", |v, c, d| {
        v.rename(c, d, b"dir", d, b"new")
    }),
    ("write", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.write_at(c, node, 0, b"x").map(drop)
    }),
    ("append", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.append(c, node, b"x").map(drop)
    }),
    ("set size", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.set_size(c, node, 0)
    }),
    ("allocate", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.allocate(c, node, 0, 100)
    }),
    ("chmod", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.set_mode(c, node, 0)
    }),
    ("chmod of the root", |v, c, d| v.set_mode(c, d, 0)),
    ("chown", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.set_owner(c, node, Some(1), Some(1))
    }),
    ("utimes", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.set_times(c, node, Some(1), Some(1))
    }),
    ("utimes of a link", |v, c, d| {
        let node = v.resolve(c, d, b"link", false)?;
        v.set_times(c, node, Some(1), Some(1))
    }),
    ("writing may be asked for", |v, c, d| {
        let node = v.resolve(c, d, b"hello", true)?;
        v.access(c, node, Access::WRITE)
    }),
];

/// All that can be seen of a tree: paths with metadata and content.
fn look(b: &mut Bench) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open = vec![(String::new(), b.base)];
    while let Some((path, dir)) = open.pop() {
        for name in names(&mut b.vfs, &root(), dir) {
            let path = format!("{path}/{name}");
            let node = b.vfs.resolve(&root(), dir, name.as_bytes(), false).unwrap();
            let stat = b.vfs.stat(&root(), node).unwrap();
            let content = match stat.kind {
                FileKind::File => read(&mut b.vfs, &root(), dir, &name).unwrap().len(),
                FileKind::Directory => {
                    open.push((path.clone(), node));
                    0
                }
                _ => 0,
            };
            lines.push(format!(
                "{path} {:?} {:o} {} {content}",
                stat.kind, stat.mode, stat.mtime
            ));
        }
    }
    lines.sort();
    lines
}

// FS-04
#[test]
fn fs_04_nothing_changes_a_read_only_mount() {
    each(read_only(), |b| {
        let before = look(b);
        for caller in [root(), support::user(1000)] {
            for (name, change) in CHANGES {
                let result = change(&mut b.vfs, &caller, b.base);
                assert_eq!(result, Err(Errno::Rofs), "{name} as {}", caller.uid);
            }
        }
        assert_eq!(look(b), before);
    });
}

#[test]
fn every_change_works_on_a_writable_mount() {
    for (name, change) in CHANGES {
        each(writable(), |b| {
            let result = change(&mut b.vfs, &root(), b.base);
            let expected = match (*name, b.name) {
                ("mkfifo" | "mksocket" | "chown", "host rw") => Err(Errno::Perm),
                ("rename a directory", host) if host.starts_with("overlay") => Err(Errno::Xdev),
                _ => Ok(()),
            };
            assert_eq!(result, expected, "{name}");
        });
    }
}

// FS-13
#[test]
fn fs_13_a_change_that_finds_no_room_changes_nothing() {
    let image = || Box::new(Image::new(Arc::new(tree())));
    type Make = Box<dyn Fn(FsLimits) -> Box<dyn FileSystem>>;
    let makes: [(&'static str, Make); 2] = [
        (
            "memory",
            Box::new(|limits| Box::new(Memory::new(tree().with_limits(limits)))),
        ),
        ("overlay", Box::new(move |limits| overlay(image(), limits))),
    ];
    for (kind, make) in makes {
        for (name, change) in CHANGES {
            let mut failed = 0;
            // One more of what there is to spend, until it is enough.
            for room in (0..40).chain([100, 127, 128, 200, 1_000, 300_000]) {
                for limits in [
                    FsLimits {
                        bytes: room,
                        ..FsLimits::default()
                    },
                    FsLimits {
                        nodes: room,
                        ..FsLimits::default()
                    },
                ] {
                    let mut b = Bench::new(kind, make(limits), None);
                    let before = look(&mut b);
                    let result = change(&mut b.vfs, &root(), b.base);
                    let tree = b.vfs.tree(b.base.mount).unwrap();
                    assert_eq!(tree.usage(), tree.recount(), "{kind}: {name} at {limits:?}");
                    if result.is_err() {
                        assert!(
                            matches!(result, Err(Errno::NoSpc | Errno::Xdev)),
                            "{kind}: {name} at {limits:?}: {result:?}"
                        );
                        assert_eq!(
                            tree.usage(),
                            codepod_vfs::Usage::default(),
                            "{kind}: {name}"
                        );
                        assert_eq!(look(&mut b), before, "{kind}: {name} at {limits:?}");
                        failed += 1;
                    }
                }
            }
            if matches!(
                *name,
                "create" | "mkdir" | "symlink" | "link" | "rename" | "write"
            ) {
                assert!(failed > 0, "{kind}: {name} never failed");
            }
        }
    }
}
