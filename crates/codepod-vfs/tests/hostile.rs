//! Guests that want more than their share: room, nodes, time, each other's bytes.

mod support;

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_vfs::testing::Random;
use codepod_vfs::{FileKind, FsLimits, Image, OpenOptions, Overlay, Tree, Usage, Vfs};
use support::{names, read, root, write};

fn limited(limits: FsLimits) -> Vfs {
    Vfs::with_tree(Tree::new().with_limits(limits))
}

fn exact(vfs: &Vfs) -> Usage {
    let tree = vfs.root_tree().unwrap();
    assert_eq!(tree.usage(), tree.recount());
    tree.usage()
}

// FS-08
#[test]
fn fs_08_bytes_are_limited_and_given_back() {
    let mut vfs = limited(FsLimits {
        bytes: 10_000,
        ..FsLimits::default()
    });
    let base = vfs.root();
    assert_eq!(
        write(&mut vfs, &root(), base, "a", &[1; 20_000]),
        Err(Errno::NoSpc)
    );
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 10_000,
            nodes: 1
        }
    );
    assert_eq!(
        read(&mut vfs, &root(), base, "a").unwrap(),
        vec![1; 9_999],
        "the name counts too"
    );
    assert_eq!(vfs.mkdir(&root(), base, b"x", 0o755), Err(Errno::NoSpc));
    assert_eq!(vfs.symlink(&root(), b"t", base, b"x"), Err(Errno::NoSpc));
    assert_eq!(
        vfs.link(&root(), base, b"a", false, base, b"x"),
        Err(Errno::NoSpc)
    );
    assert_eq!(
        vfs.rename(&root(), base, b"a", base, b"ab"),
        Err(Errno::NoSpc)
    );
    assert_eq!(vfs.rename(&root(), base, b"a", base, b"b"), Ok(()));
    vfs.unlink(&root(), base, b"b").unwrap();
    assert_eq!(exact(&vfs), Usage::default());
}

// FS-08
#[test]
fn fs_08_nodes_are_limited_links_included() {
    let mut vfs = limited(FsLimits {
        nodes: 10,
        ..FsLimits::default()
    });
    let base = vfs.root();
    write(&mut vfs, &root(), base, "f", b"").unwrap();
    for n in 0..9 {
        let name = format!("l{n}");
        vfs.link(&root(), base, b"f", false, base, name.as_bytes())
            .unwrap();
    }
    assert_eq!(
        vfs.link(&root(), base, b"f", false, base, b"l9"),
        Err(Errno::NoSpc)
    );
    assert_eq!(write(&mut vfs, &root(), base, "g", b""), Err(Errno::NoSpc));
    assert_eq!(vfs.mkfifo(&root(), base, b"g", 0o600), Err(Errno::NoSpc));
    assert_eq!(
        vfs.rename(&root(), base, b"f", base, b"g"),
        Ok(()),
        "a rename needs no node"
    );
    assert_eq!(exact(&vfs).nodes, 10);
}

// FS-08
#[test]
fn fs_08_holes_are_free_and_files_have_a_largest_size() {
    let mut vfs = limited(FsLimits {
        bytes: 1 << 20,
        file_bytes: 100 << 30,
        ..FsLimits::default()
    });
    let base = vfs.root();
    write(&mut vfs, &root(), base, "f", b"x").unwrap();
    let node = vfs.resolve(&root(), base, b"f", true).unwrap();
    vfs.set_size(&root(), node, 100 << 30).unwrap();
    assert_eq!(exact(&vfs).bytes, 1 + FsLimits::SMALLEST_CHARGE);
    assert_eq!(vfs.stat(&root(), node).unwrap().blocks, 1);
    assert_eq!(
        vfs.set_size(&root(), node, (100 << 30) + 1),
        Err(Errno::Fbig)
    );
    assert_eq!(
        vfs.write_at(&root(), node, 100 << 30, b"x"),
        Err(Errno::Fbig)
    );
    assert_eq!(vfs.write_at(&root(), node, (100 << 30) - 2, b"xyz"), Ok(2));
    assert_eq!(vfs.append(&root(), node, b"x"), Err(Errno::Fbig));
    assert_eq!(
        vfs.write_at(&root(), node, i64::MAX as u64, b"x"),
        Err(Errno::Fbig)
    );
    // Reserving is not a hole; one that cannot be had fails at once.
    let took = time(|| {
        assert_eq!(vfs.allocate(&root(), node, 0, 100 << 30), Err(Errno::NoSpc));
    });
    assert!(took < 0.1, "{took} s");
    assert_eq!(vfs.allocate(&root(), node, 1 << 30, 500_000), Ok(()));
    let used = exact(&vfs).bytes;
    assert_eq!(
        vfs.write_at(&root(), node, 1 << 30, &[1; 65_536]),
        Ok(65_536)
    );
    assert_eq!(exact(&vfs).bytes, used, "what is reserved is paid for");
    vfs.set_size(&root(), node, 0).unwrap();
    assert_eq!(exact(&vfs).bytes, 1);
}

// FS-08
#[test]
fn fs_08_tiny_pieces_cost_what_they_take() {
    let mut vfs = limited(FsLimits {
        bytes: 100_000,
        ..FsLimits::default()
    });
    let base = vfs.root();
    let node = vfs
        .open(&root(), base, b"f", &OpenOptions::REPLACE)
        .unwrap();
    let mut pieces = 0;
    while vfs.write_at(&root(), node, pieces * 65_536, b"x").is_ok() {
        pieces += 1;
    }
    assert_eq!(pieces, 99_999 / FsLimits::SMALLEST_CHARGE);
    exact(&vfs);
}

// FS-08
#[test]
fn fs_08_deleted_open_files_are_charged_until_the_last_close() {
    let mut vfs = limited(FsLimits {
        bytes: 5_000,
        nodes: 3,
        ..FsLimits::default()
    });
    let base = vfs.root();
    write(&mut vfs, &root(), base, "f", &[1; 4_000]).unwrap();
    let node = vfs.open(&root(), base, b"f", &OpenOptions::READ).unwrap();
    vfs.retain(&root(), node).unwrap();
    vfs.unlink(&root(), base, b"f").unwrap();
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 4_000,
            nodes: 1
        }
    );
    assert_eq!(
        write(&mut vfs, &root(), base, "g", &[1; 4_000]),
        Err(Errno::NoSpc)
    );
    vfs.close(node);
    assert_eq!(vfs.stat(&root(), node).unwrap().nlink, 0);
    let snapshot = vfs.snapshot();
    vfs.close(node);
    assert_eq!(vfs.stat(&root(), node), Err(Errno::Stale));
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 1 + 999,
            nodes: 1
        }
    );
    // A snapshot taken while it was open does not bring it back.
    vfs.restore(&snapshot).unwrap();
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 1 + 999,
            nodes: 1
        }
    );
    // A replaced file is freed like a deleted one.
    write(&mut vfs, &root(), base, "h", b"").unwrap();
    let node = vfs.open(&root(), base, b"g", &OpenOptions::READ).unwrap();
    vfs.rename(&root(), base, b"h", base, b"g").unwrap();
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 1 + 999,
            nodes: 2
        }
    );
    vfs.close(node);
    assert_eq!(exact(&vfs), Usage { bytes: 1, nodes: 1 });
}

// FS-08
#[test]
fn fs_08_the_base_image_is_free_but_its_copies_are_not() {
    let base_tree = Tree::builder()
        .file("lib/big", 0o644, vec![1; 300_000])
        .build();
    let limits = FsLimits {
        bytes: 70_000,
        ..FsLimits::default()
    };
    let mut vfs = Vfs::with_tree(base_tree.clone().with_limits(limits));
    let base = vfs.root();
    assert_eq!(exact(&vfs), Usage::default());
    let node = vfs.resolve(&root(), base, b"lib/big", true).unwrap();
    assert_eq!(vfs.write_at(&root(), node, 0, b"x"), Ok(1));
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 65_536,
            nodes: 0
        }
    );
    assert_eq!(vfs.write_at(&root(), node, 65_536, b"x"), Err(Errno::NoSpc));
    // Deleting what was free gives nothing: the room for one's own stays the same.
    vfs.set_size(&root(), node, 0).unwrap();
    vfs.unlink(&root(), base, b"lib/big").unwrap();
    assert_eq!(exact(&vfs), Usage::default());
    assert_eq!(
        write(&mut vfs, &root(), base, "f", &[1; 80_000]),
        Err(Errno::NoSpc)
    );
    // An overlay pays for what it copies up.
    let lower = Box::new(Image::new(Arc::new(base_tree)));
    let mut vfs = Vfs::new(Box::new(Overlay::new(lower, limits).unwrap()));
    let base = vfs.root();
    let node = vfs.resolve(&root(), base, b"lib/big", true).unwrap();
    assert_eq!(vfs.write_at(&root(), node, 0, b"x"), Err(Errno::NoSpc));
    assert_eq!(vfs.set_mode(&root(), node, 0o600), Err(Errno::NoSpc));
    assert_eq!(exact(&vfs), Usage::default());
    assert_eq!(
        vfs.truncate(&root(), base, b"lib/big", 1_000),
        Ok(()),
        "only what stays is copied"
    );
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 1_000 + 3 + 3,
            nodes: 2
        }
    );
    vfs.unlink(&root(), base, b"lib/big").unwrap();
    assert_eq!(
        exact(&vfs),
        Usage {
            bytes: 3 + 3,
            nodes: 2
        },
        "a whiteout is a node"
    );
}

/// The time for which an action ran, in seconds. What else the machine does is not in it.
fn time(action: impl FnOnce()) -> f64 {
    let before = thread_time();
    action();
    thread_time() - before
}

/// For how long this thread has run, in seconds.
#[cfg(target_os = "linux")]
fn thread_time() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    let nanoseconds: f64 = stat.split(' ').next().unwrap().parse().unwrap();
    nanoseconds / 1e9
}

#[cfg(not(target_os = "linux"))]
fn thread_time() -> f64 {
    std::time::SystemTime::UNIX_EPOCH
        .elapsed()
        .unwrap()
        .as_secs_f64()
}

/// The best of a few quotients t(2n)/t(n): caches and memory that is used for the first time make
/// single ones worse.
fn growth(measure: impl Fn(usize) -> f64, n: usize) -> f64 {
    (0..4)
        .map(|_| measure(2 * n) / measure(n))
        .fold(f64::MAX, f64::min)
}

// FS-09
#[test]
fn fs_09_a_directory_of_a_hundred_thousand_files_stays_fast() {
    let fill = |n: usize| {
        let mut vfs = limited(FsLimits::default());
        let base = vfs.root();
        time(|| {
            for i in 0..n {
                let name = format!("file{i}");
                let node = vfs
                    .open(&root(), base, name.as_bytes(), &OpenOptions::REPLACE)
                    .unwrap();
                vfs.close(node);
            }
            assert_eq!(names(&mut vfs, &root(), base).len(), n);
            for i in 0..n {
                vfs.unlink(&root(), base, format!("file{i}").as_bytes())
                    .unwrap();
            }
        })
    };
    assert!(growth(fill, 10_000) < 3.0);
    let mut builder = Tree::builder();
    for i in 0..100_000 {
        builder = builder.file(format!("f{i}"), 0o644, "");
    }
    let mut vfs = Vfs::with_tree(builder.build().with_limits(FsLimits::default()));
    let base = vfs.root();
    let each = time(|| {
        for i in 0..1_000 {
            write(&mut vfs, &root(), base, &format!("new{i}"), b"x").unwrap();
            vfs.unlink(&root(), base, format!("f{i}").as_bytes())
                .unwrap();
        }
    });
    assert!(each < 2.0, "1,000 changes took {each} s");
}

// FS-09
#[test]
fn fs_09_deep_trees_neither_recurse_nor_explode() {
    let dig = |n: usize| {
        let mut vfs = limited(FsLimits::default());
        time(|| {
            let mut dir = vfs.root();
            for _ in 0..n {
                dir = vfs.mkdir(&root(), dir, b"d", 0o755).unwrap();
            }
            for _ in 0..n {
                dir = vfs.resolve(&root(), dir, b"..", true).unwrap();
                vfs.rmdir(&root(), dir, b"d").unwrap();
            }
        })
    };
    assert!(growth(dig, 3_000) < 3.0);
    // On a small stack: nothing that walks, compares or frees a tree may recurse into it.
    let deep = || {
        let mut vfs = limited(FsLimits::default());
        let top = vfs.root();
        let before = vfs.snapshot();
        let mut dir = top;
        for _ in 0..50_000 {
            dir = vfs.mkdir(&root(), dir, b"d", 0o755).unwrap();
        }
        assert_eq!(vfs.path_of(dir).unwrap().len(), 100_000);
        assert_eq!(vfs.rename(&root(), top, b"d", dir, b"d"), Err(Errno::Inval));
        vfs.rename(&root(), top, b"d", top, b"e").unwrap();
        let fork = vfs.fork().unwrap();
        assert_eq!(vfs.root_tree().unwrap().recount().nodes, 50_000);
        vfs.restore(&before).unwrap();
        assert_eq!(vfs.usage(), Usage::default());
        drop((fork, vfs));
    };
    std::thread::Builder::new()
        .stack_size(128 << 10)
        .spawn(deep)
        .unwrap()
        .join()
        .unwrap();
}

// FS-09
#[test]
fn fs_09_a_hundred_thousand_hard_links_of_one_file_stay_fast() {
    let link = |n: usize| {
        let mut vfs = limited(FsLimits::default());
        let base = vfs.root();
        write(&mut vfs, &root(), base, "f", b"x").unwrap();
        time(|| {
            for i in 0..n {
                let name = format!("l{i}");
                vfs.link(&root(), base, b"f", false, base, name.as_bytes())
                    .unwrap();
            }
            for i in 0..n {
                vfs.unlink(&root(), base, format!("l{i}").as_bytes())
                    .unwrap();
            }
        })
    };
    assert!(growth(link, 5_000) < 3.0);
}

// FS-09
#[test]
fn fs_09_links_that_fan_out_cost_no_more_than_their_limit() {
    let mut vfs = limited(FsLimits::default());
    let base = vfs.root();
    // Each link names the one before many times: without a limit, work would be 1,000^10.
    for n in 0..10 {
        let target = format!("l{}/", n - 1).repeat(1_000);
        let target = if n == 0 { ".".to_owned() } else { target };
        let name = format!("l{n}");
        let made = vfs.symlink(
            &root(),
            &target.as_bytes()[..target.len().min(4_000)],
            base,
            name.as_bytes(),
        );
        made.unwrap();
    }
    let took = time(|| {
        assert_eq!(vfs.resolve(&root(), base, b"l9", true), Err(Errno::Loop));
    });
    assert!(took < 0.1, "{took} s");
}

// FS-12
#[test]
fn fs_12_sixteen_forks_see_nothing_of_each_other() {
    let base_tree = Tree::builder()
        .file("shared", 0o644, vec![0; 300_000])
        .file("dir/file", 0o644, "x")
        .build();
    let mut first = Vfs::with_tree(base_tree.with_limits(FsLimits::default()));
    let top = first.root();
    write(&mut first, &root(), top, "own", &[0; 200_000]).unwrap();
    let mut forks: Vec<(Vfs, Vec<u8>, Vec<u8>, u16)> = (0..16)
        .map(|_| {
            (
                first.fork().unwrap(),
                vec![0; 300_000],
                vec![0; 200_000],
                0o644,
            )
        })
        .collect();
    std::thread::scope(|scope| {
        for (index, (vfs, shared, own, mode)) in forks.iter_mut().enumerate() {
            scope.spawn(move || {
                let mut random = Random(index as u64);
                let caller = root();
                for _ in 0..300 {
                    let (path, model) = if random.below(2) == 0 {
                        ("shared", &mut *shared)
                    } else {
                        ("own", &mut *own)
                    };
                    let node = vfs.resolve(&caller, top, path.as_bytes(), true).unwrap();
                    let at = random.below(model.len() as u64) as usize;
                    let length = (random.below(70_000) as usize + 1).min(model.len() - at);
                    let bytes = vec![index as u8 + 1; length];
                    assert_eq!(vfs.write_at(&caller, node, at as u64, &bytes), Ok(length));
                    model[at..at + length].copy_from_slice(&bytes);
                    *mode = random.below(0o1000) as u16;
                    vfs.set_mode(&caller, node, 0o600).unwrap();
                    let dir = vfs.resolve(&caller, top, b"dir", true).unwrap();
                    vfs.set_mode(&caller, dir, *mode).unwrap();
                    let _ = vfs.mkdir(
                        &caller,
                        dir,
                        format!("{}", random.below(50)).as_bytes(),
                        0o700,
                    );
                }
            });
        }
    });
    for (vfs, shared, own, mode) in &mut forks {
        assert_eq!(read(vfs, &root(), top, "shared").unwrap(), *shared);
        assert_eq!(read(vfs, &root(), top, "own").unwrap(), *own);
        let dir = vfs.resolve(&root(), top, b"dir", true).unwrap();
        assert_eq!(vfs.stat(&root(), dir).unwrap().mode, *mode);
        exact(vfs);
    }
    assert_eq!(
        read(&mut first, &root(), top, "shared").unwrap(),
        vec![0; 300_000]
    );
    assert_eq!(
        read(&mut first, &root(), top, "own").unwrap(),
        vec![0; 200_000]
    );
    let dir = first.resolve(&root(), top, b"dir", true).unwrap();
    assert_eq!(names(&mut first, &root(), dir), ["file"]);
}

#[test]
fn a_restore_puts_back_mount_points_that_it_took_away() {
    let mut vfs = limited(FsLimits::default());
    let top = vfs.root();
    let before = vfs.snapshot();
    let image = Tree::builder().file("f", 0o644, "mounted").build();
    vfs.mount(b"/mnt/image", Box::new(Image::new(Arc::new(image))))
        .unwrap();
    assert_eq!(
        read(&mut vfs, &root(), top, "/mnt/image/f").unwrap(),
        b"mounted"
    );
    vfs.restore(&before).unwrap();
    assert_eq!(
        read(&mut vfs, &root(), top, "/mnt/image/f").unwrap(),
        b"mounted"
    );
    let mnt = vfs.resolve(&root(), top, b"mnt", true).unwrap();
    assert_eq!(vfs.stat(&root(), mnt).unwrap().kind, FileKind::Directory);
    // New directories do not become mount points by getting an old number.
    for n in 0..5 {
        let dir = vfs
            .mkdir(&root(), top, format!("d{n}").as_bytes(), 0o755)
            .unwrap();
        assert_eq!(names(&mut vfs, &root(), dir), [""; 0]);
    }
}
