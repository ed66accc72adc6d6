//! Path resolution against the reference resolver, and its rules one by one.

mod support;

use codepod_abi::Errno;
use codepod_vfs::testing::{Random, World};
use codepod_vfs::{FsLimits, Memory, OpenOptions, Tree, Vfs};

use support::{names, read, root, user, write};

// FS-01
#[test]
fn fs_01_every_path_leads_where_the_reference_says() {
    for seed in 0..2_000 {
        let mut random = Random(seed);
        let mut world = World::new(&mut random);
        for _ in 0..100 {
            world.compare(&mut random);
        }
    }
}

fn vfs() -> Vfs {
    Vfs::with_tree(
        Tree::builder()
            .dir("dir/inner", 0o755)
            .file("dir/file", 0o644, "in dir")
            .file("file", 0o644, "text")
            .symlink("link", "file")
            .symlink("dirlink", "dir")
            .symlink("dangling", "dir/new")
            .symlink("slashed", "file/")
            .symlink("loop", "loop")
            .build(),
    )
}

// FS-01
#[test]
fn fs_01_dot_dot_stays_at_the_root() {
    let mut vfs = vfs();
    let base = vfs.root();
    for path in ["..", "/..", "../../..", "/../../dir/../..", "dir/../../.."] {
        assert_eq!(
            vfs.resolve(&root(), base, path.as_bytes(), true),
            Ok(base),
            "{path}"
        );
    }
    assert_eq!(
        read(&mut vfs, &root(), base, "/../../../file").unwrap(),
        b"text"
    );
}

#[test]
fn a_trailing_slash_asks_for_a_directory() {
    let mut vfs = vfs();
    let base = vfs.root();
    let mut kind = |path: &str, follow| vfs.resolve(&root(), base, path.as_bytes(), follow);
    assert_eq!(kind("file/", true), Err(Errno::NotDir));
    assert_eq!(kind("link/", false), Err(Errno::NotDir));
    assert_eq!(kind("slashed", true), Err(Errno::NotDir));
    assert_eq!(kind("nothing/", true), Err(Errno::NoEnt));
    let dir = kind("dir", true).unwrap();
    assert_eq!(kind("dir/", false), Ok(dir));
    assert_eq!(kind("dirlink/", false), Ok(dir));
    assert_ne!(kind("dirlink", false), Ok(dir));
    assert_eq!(kind("dirlink//.//", false), Ok(dir));
}

#[test]
fn names_are_made_and_removed_as_linux_does() {
    let mut vfs = vfs();
    let base = vfs.root();
    let create = OpenOptions {
        create: true,
        write: true,
        ..OpenOptions::READ
    };
    let exclusive = OpenOptions {
        exclusive: true,
        ..create
    };
    let open = |vfs: &mut Vfs, path: &str, options| {
        vfs.open(&root(), base, path.as_bytes(), &options)
            .map(|node| vfs.close(node))
    };
    assert_eq!(open(&mut vfs, "new/", create), Err(Errno::IsDir));
    assert_eq!(open(&mut vfs, "dir", create), Err(Errno::IsDir));
    assert_eq!(open(&mut vfs, "dangling", exclusive), Err(Errno::Exist));
    assert_eq!(
        open(
            &mut vfs,
            "link",
            OpenOptions {
                follow: false,
                ..create
            }
        ),
        Err(Errno::Loop)
    );
    assert_eq!(open(&mut vfs, "loop", create), Err(Errno::Loop));
    assert_eq!(open(&mut vfs, "dangling", create), Ok(()));
    assert!(
        vfs.resolve(&root(), base, b"dir/new", false).is_ok(),
        "made through the link"
    );
    assert_eq!(open(&mut vfs, "", create), Err(Errno::NoEnt));

    assert!(vfs.mkdir(&root(), base, b"d/", 0o755).is_ok());
    assert_eq!(vfs.mkdir(&root(), base, b"/", 0o755), Err(Errno::Exist));
    assert_eq!(
        vfs.mkdir(&root(), base, b"dir/..", 0o755),
        Err(Errno::Exist)
    );
    assert_eq!(
        vfs.mkdir(&root(), base, b"dirlink/", 0o755),
        Err(Errno::Exist)
    );
    assert_eq!(vfs.symlink(&root(), b"x", base, b"new/"), Err(Errno::NoEnt));
    assert_eq!(vfs.symlink(&root(), b"", base, b"new"), Err(Errno::NoEnt));

    assert_eq!(vfs.unlink(&root(), base, b"dir"), Err(Errno::IsDir));
    assert_eq!(vfs.unlink(&root(), base, b"file/"), Err(Errno::NotDir));
    assert_eq!(vfs.unlink(&root(), base, b"/"), Err(Errno::IsDir));
    assert_eq!(vfs.unlink(&root(), base, b"file/x"), Err(Errno::NotDir));
    assert_eq!(vfs.rmdir(&root(), base, b"dirlink/"), Err(Errno::NotDir));
    assert_eq!(vfs.rmdir(&root(), base, b"dir"), Err(Errno::NotEmpty));
    assert_eq!(vfs.rmdir(&root(), base, b"d/."), Err(Errno::Inval));
    assert_eq!(
        vfs.rmdir(&root(), base, b"dir/inner/.."),
        Err(Errno::NotEmpty)
    );
    assert_eq!(vfs.rmdir(&root(), base, b"/"), Err(Errno::Busy));
    assert_eq!(vfs.rmdir(&root(), base, b"d/"), Ok(()));

    assert_eq!(
        vfs.rename(&root(), base, b"file/", base, b"x"),
        Err(Errno::NotDir)
    );
    assert_eq!(
        vfs.rename(&root(), base, b"file", base, b"x/"),
        Err(Errno::NotDir)
    );
    assert_eq!(
        vfs.rename(&root(), base, b"dir", base, b"dir/inner/x"),
        Err(Errno::Inval)
    );
    assert_eq!(vfs.rename(&root(), base, b"dir", base, b"dir"), Ok(()));
    assert_eq!(
        vfs.rename(&root(), base, b".", base, b"x"),
        Err(Errno::Busy)
    );
    assert_eq!(vfs.rename(&root(), base, b"dir", base, b"x/"), Ok(()));
    assert_eq!(
        vfs.rename(&root(), base, b"dirlink", base, b"renamed"),
        Ok(())
    );
    assert_eq!(vfs.readlink(&root(), base, b"renamed").unwrap(), b"dir");
}

#[test]
fn forty_links_are_followed_and_no_more() {
    let mut vfs = vfs();
    let base = vfs.root();
    vfs.symlink(&root(), b"file", base, b"l0").unwrap();
    for n in 1..=40 {
        let target = format!("l{}", n - 1);
        vfs.symlink(&root(), target.as_bytes(), base, format!("l{n}").as_bytes())
            .unwrap();
    }
    assert!(vfs.resolve(&root(), base, b"l39", true).is_ok());
    assert_eq!(vfs.resolve(&root(), base, b"l40", true), Err(Errno::Loop));
    assert!(vfs.resolve(&root(), base, b"l40", false).is_ok());
}

#[test]
fn names_and_paths_have_their_limits() {
    let mut vfs = vfs();
    let base = vfs.root();
    assert!(write(&mut vfs, &root(), base, &"n".repeat(255), b"x").is_ok());
    assert_eq!(
        write(&mut vfs, &root(), base, &"n".repeat(256), b"x"),
        Err(Errno::NameTooLong)
    );
    let fitting = format!("{}file", "./".repeat((4095 - 4) / 2));
    assert!(read(&mut vfs, &root(), base, &fitting).is_ok());
    let long = format!("{}file", "./".repeat(2046));
    assert_eq!(
        read(&mut vfs, &root(), base, &long),
        Err(Errno::NameTooLong)
    );
    assert_eq!(
        vfs.resolve(&root(), base, b"fi\0le", true),
        Err(Errno::Inval)
    );
    let target = vec![b'x'; 4096];
    assert_eq!(
        vfs.symlink(&root(), &target, base, b"far"),
        Err(Errno::NameTooLong)
    );
}

#[test]
fn mounts_are_crossed_both_ways_and_protected() {
    let mut vfs = vfs();
    let base = vfs.root();
    let inner = Tree::builder()
        .file("sub/file", 0o644, "inner")
        .symlink("out", "/file")
        .build();
    vfs.mount(b"/mnt/in", Box::new(Memory::new(inner))).unwrap();
    assert_eq!(
        read(&mut vfs, &root(), base, "/mnt/in/sub/file").unwrap(),
        b"inner"
    );
    assert_eq!(
        read(&mut vfs, &root(), base, "/mnt/in/sub/../../../file").unwrap(),
        b"text"
    );
    assert_eq!(
        read(&mut vfs, &root(), base, "/mnt/in/out").unwrap(),
        b"text"
    );
    let point = vfs.resolve(&root(), base, b"mnt/in", true).unwrap();
    assert_eq!(vfs.path_of(point).unwrap(), b"/mnt/in");
    let sub = vfs.resolve(&root(), point, b"sub", true).unwrap();
    assert_eq!(vfs.path_of(sub).unwrap(), b"/mnt/in/sub");
    let mnt = vfs.resolve(&root(), base, b"mnt", true).unwrap();
    assert_eq!(vfs.resolve(&root(), sub, b"../..", true), Ok(mnt));
    assert_ne!(
        vfs.stat(&root(), point).unwrap().device,
        vfs.stat(&root(), mnt).unwrap().device
    );

    assert_eq!(vfs.rmdir(&root(), base, b"mnt/in"), Err(Errno::Busy));
    assert_eq!(vfs.unlink(&root(), base, b"mnt/in"), Err(Errno::Busy));
    assert_eq!(
        vfs.rename(&root(), base, b"mnt/in", base, b"mnt/out"),
        Err(Errno::Busy)
    );
    assert_eq!(
        vfs.rename(&root(), base, b"dir", base, b"mnt/in"),
        Err(Errno::Busy)
    );
    assert_eq!(
        vfs.rename(&root(), base, b"file", base, b"mnt/in/file"),
        Err(Errno::Xdev)
    );
    let again = vfs.mount(b"/mnt/in", Box::new(Memory::new(Tree::new())));
    assert_eq!(again, Err(Errno::Busy));
    // The directory above a mount may be renamed; the mount goes along.
    vfs.rename(&root(), base, b"mnt", base, b"moved").unwrap();
    assert_eq!(
        read(&mut vfs, &root(), base, "/moved/in/sub/file").unwrap(),
        b"inner"
    );
    assert_eq!(vfs.path_of(sub).unwrap(), b"/moved/in/sub");
    assert_eq!(vfs.rmdir(&root(), base, b"moved"), Err(Errno::NotEmpty));
}

// FS-05
#[test]
fn fs_05_hard_links_stay_on_their_mount() {
    let mut vfs = vfs();
    let base = vfs.root();
    let mounted = Tree::builder().file("there", 0o644, "").build();
    vfs.mount(b"/m", Box::new(Memory::new(mounted))).unwrap();
    assert_eq!(
        vfs.link(&root(), base, b"file", true, base, b"m/file"),
        Err(Errno::Xdev)
    );
    assert_eq!(
        vfs.link(&root(), base, b"m/there", true, base, b"there"),
        Err(Errno::Xdev)
    );
    assert_eq!(
        vfs.link(&root(), base, b"dir", true, base, b"hard"),
        Err(Errno::Perm)
    );
    assert_eq!(
        vfs.link(&root(), base, b"m", true, base, b"hard"),
        Err(Errno::Xdev)
    );
    vfs.link(&root(), base, b"link", false, base, b"link2")
        .unwrap();
    assert_eq!(vfs.readlink(&root(), base, b"link2").unwrap(), b"file");
    vfs.link(&root(), base, b"link", true, base, b"file2")
        .unwrap();
    let node = vfs.resolve(&root(), base, b"file2", false).unwrap();
    assert_eq!(Ok(node), vfs.resolve(&root(), base, b"file", false));
    assert_eq!(vfs.stat(&root(), node).unwrap().nlink, 2);
    vfs.unlink(&root(), base, b"file").unwrap();
    assert_eq!(vfs.stat(&root(), node).unwrap().nlink, 1);
    assert_eq!(vfs.path_of(node).unwrap(), b"/file2");
    // Renaming one name of a file to another of its names does nothing.
    vfs.link(&root(), base, b"file2", true, base, b"file3")
        .unwrap();
    vfs.rename(&root(), base, b"file2", base, b"file3").unwrap();
    assert_eq!(vfs.stat(&root(), node).unwrap().nlink, 2);
}

#[test]
fn permissions_are_those_of_the_mode_bits() {
    let tree = Tree::builder()
        .dir("tmp", 0o1777)
        .dir("closed", 0o700)
        .file("closed/file", 0o666, "")
        .dir("listed", 0o744)
        .file("listed/file", 0o644, "")
        .file("secret", 0o600, "secret")
        .file("program", 0o711, "")
        .file("plain", 0o644, "")
        .owner(5, 5)
        .dir("mine", 0o755)
        .file("mine/file", 0o040, "")
        .build();
    let mut vfs = Vfs::with_tree(tree);
    let base = vfs.root();
    let (five, six) = (user(5), user(6));
    assert_eq!(
        read(&mut vfs, &five, base, "closed/file"),
        Err(Errno::Access)
    );
    assert_eq!(
        read(&mut vfs, &five, base, "listed/file"),
        Err(Errno::Access)
    );
    assert_eq!(read(&mut vfs, &five, base, "secret"), Err(Errno::Access));
    assert_eq!(read(&mut vfs, &root(), base, "secret").unwrap(), b"secret");
    assert_eq!(
        write(&mut vfs, &five, base, "plain", b""),
        Err(Errno::Access)
    );
    assert_eq!(write(&mut vfs, &five, base, "new", b""), Err(Errno::Access));
    assert_eq!(vfs.mkdir(&five, base, b"new", 0o777), Err(Errno::Access));
    assert_eq!(vfs.unlink(&five, base, b"plain"), Err(Errno::Access));
    assert_eq!(
        vfs.rename(&five, base, b"plain", base, b"mine/x"),
        Err(Errno::Access)
    );
    assert_eq!(vfs.truncate(&five, base, b"plain", 0), Err(Errno::Access));
    // The owner's own bits count, not those of the group.
    assert_eq!(read(&mut vfs, &five, base, "mine/file"), Err(Errno::Access));
    // A new file's own mode does not bind who makes it.
    let write_only = OpenOptions {
        mode: 0o000,
        ..OpenOptions::REPLACE
    };
    assert!(vfs.open(&five, base, b"mine/locked", &write_only).is_ok());

    write(&mut vfs, &five, base, "tmp/a", b"a").unwrap();
    assert_eq!(vfs.unlink(&six, base, b"tmp/a"), Err(Errno::Perm));
    assert_eq!(
        vfs.rename(&six, base, b"tmp/a", base, b"tmp/b"),
        Err(Errno::Perm)
    );
    write(&mut vfs, &six, base, "tmp/b", b"b").unwrap();
    assert_eq!(
        vfs.rename(&six, base, b"tmp/b", base, b"tmp/a"),
        Err(Errno::Perm)
    );
    assert_eq!(vfs.unlink(&five, base, b"tmp/a"), Ok(()));

    let mine = vfs.resolve(&five, base, b"mine/file", true).unwrap();
    assert_eq!(vfs.set_mode(&six, mine, 0o777), Err(Errno::Perm));
    assert_eq!(vfs.set_mode(&five, mine, 0o644), Ok(()));
    assert_eq!(vfs.set_owner(&five, mine, Some(6), None), Err(Errno::Perm));
    assert_eq!(vfs.set_owner(&root(), mine, Some(6), Some(6)), Ok(()));
    assert_eq!(
        vfs.set_times(&five, mine, Some(1), Some(1)),
        Err(Errno::Perm)
    );
    assert_eq!(vfs.set_times(&six, mine, Some(1), None), Ok(()));
    let now = six.now;
    vfs.set_mode(&root(), mine, 0o646).unwrap();
    assert_eq!(vfs.set_times(&five, mine, Some(now), Some(now)), Ok(()));

    use codepod_vfs::Access;
    let program = vfs.resolve(&root(), base, b"program", true).unwrap();
    let plain = vfs.resolve(&root(), base, b"plain", true).unwrap();
    assert_eq!(vfs.access(&six, program, Access::EXECUTE), Ok(()));
    assert_eq!(vfs.access(&six, program, Access::READ), Err(Errno::Access));
    assert_eq!(
        vfs.access(&root(), plain, Access::EXECUTE),
        Err(Errno::Access)
    );
    assert_eq!(vfs.access(&root(), program, Access::EXECUTE), Ok(()));
}

#[test]
fn new_nodes_get_owner_umask_and_the_directorys_group() {
    let tree = Tree::builder()
        .dir("open", 0o777)
        .dir("shared", 0o2777)
        .build();
    let mut vfs = Vfs::with_tree(tree);
    let base = vfs.root();
    let caller = codepod_vfs::Caller {
        umask: 0o027,
        ..user(5)
    };
    write(&mut vfs, &caller, base, "open/file", b"").unwrap();
    let stat = |vfs: &mut Vfs, path: &str| {
        let node = vfs.resolve(&root(), base, path.as_bytes(), false).unwrap();
        let stat = vfs.stat(&root(), node).unwrap();
        (stat.mode, stat.uid, stat.gid)
    };
    assert_eq!(stat(&mut vfs, "open/file"), (0o640, 5, 5));
    vfs.mkdir(&caller, base, b"shared/dir", 0o777).unwrap();
    assert_eq!(stat(&mut vfs, "shared/dir"), (0o2750, 5, 0));
    vfs.symlink(&caller, b"x", base, b"open/link").unwrap();
    assert_eq!(stat(&mut vfs, "open/link"), (0o777, 5, 5));
    // A write by somebody who is not root takes the set-user bit away.
    let node = vfs.resolve(&root(), base, b"open/file", true).unwrap();
    vfs.set_mode(&root(), node, 0o4755).unwrap();
    vfs.write_at(&caller, node, 0, b"x").unwrap();
    assert_eq!(stat(&mut vfs, "open/file").0, 0o755);
}

#[test]
fn a_removed_directory_can_still_be_held_but_not_filled() {
    let mut vfs = vfs();
    let base = vfs.root();
    let dir = vfs.mkdir(&root(), base, b"gone", 0o755).unwrap();
    vfs.retain(&root(), dir).unwrap();
    vfs.rmdir(&root(), base, b"gone").unwrap();
    assert_eq!(write(&mut vfs, &root(), dir, "x", b""), Err(Errno::NoEnt));
    assert_eq!(vfs.resolve(&root(), dir, b"..", true), Err(Errno::NoEnt));
    assert_eq!(vfs.path_of(dir), Err(Errno::NoEnt));
    assert_eq!(names(&mut vfs, &root(), dir), Vec::<String>::new());
    assert_eq!(vfs.stat(&root(), dir).unwrap().nlink, 0);
    vfs.close(dir);
    assert_eq!(vfs.stat(&root(), dir), Err(Errno::Stale));
}

#[test]
fn limits_on_names_come_from_the_root() {
    let limits = FsLimits {
        name_bytes: 8,
        symlinks: 2,
        ..FsLimits::default()
    };
    let mut vfs = Vfs::with_tree(Tree::new().with_limits(limits));
    let base = vfs.root();
    assert_eq!(
        write(&mut vfs, &root(), base, "123456789", b""),
        Err(Errno::NameTooLong)
    );
    write(&mut vfs, &root(), base, "12345678", b"").unwrap();
}
