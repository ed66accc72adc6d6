//! Trees written and read again: the same, over the same image and over another; hostile data
//! refused.

use super::*;
use crate::limits::FsLimits;
use crate::node::{InodeId, New, NewBody};
use crate::tree::chunk::BlockSource;
use crate::tree::{Tree, diff};
use std::collections::HashMap;
use std::sync::Mutex;

/// Not a good one, but good enough to tell the pieces of a test apart.
fn hash(bytes: &[u8]) -> Digest {
    let mut digest = [0u8; 32];
    for (index, byte) in bytes.iter().enumerate() {
        let at = index % 32;
        digest[at] = digest[at].wrapping_mul(31).wrapping_add(*byte) ^ (index as u8);
    }
    digest
}

#[derive(Debug, Default)]
struct Blocks(Mutex<HashMap<Digest, Arc<[u8]>>>);

impl BlockSource for Blocks {
    fn fetch(&self, digest: &Digest, _: usize) -> Result<Arc<[u8]>, Errno> {
        self.0.lock().unwrap().get(digest).cloned().ok_or(Errno::Io)
    }
}

/// What a tree is written as.
#[derive(Debug, Clone, PartialEq)]
enum Written {
    Node(Node),
    Piece(u64, u32, Digest),
}

#[derive(Default)]
struct Sink {
    written: Vec<Written>,
    blocks: Arc<Blocks>,
}

impl TreeSink for Sink {
    type Error = Errno;

    fn node(&mut self, node: &Node) -> Result<(), Errno> {
        self.written.push(Written::Node(node.clone()));
        Ok(())
    }

    fn piece(&mut self, place: u64, piece: Piece<'_>) -> Result<(), Errno> {
        let digest = piece.digest(&hash)?;
        let bytes: Arc<[u8]> = piece.bytes()?.into();
        self.blocks.0.lock().unwrap().insert(digest, bytes);
        self.written
            .push(Written::Piece(place, piece.length(), digest));
        Ok(())
    }
}

fn save(tree: &Tree, base: Option<&Tree>) -> Sink {
    let mut sink = Sink::default();
    tree.save(base, &mut sink).unwrap();
    sink
}

fn load(sink: &Sink, base: Tree) -> Result<Tree, LoadError> {
    let mut loader = TreeLoader::over(base, sink.blocks.clone(), &hash);
    for item in &sink.written {
        match item.clone() {
            Written::Node(node) => loader.node(node)?,
            Written::Piece(place, length, digest) => loader.piece(place, length, digest)?,
        }
    }
    Ok(loader.finish()?.tree)
}

const FILE: New<'static> = New {
    body: NewBody::File,
    mode: 0o640,
    uid: 7,
    gid: 8,
};
const DIR: New<'static> = New {
    body: NewBody::Directory,
    ..FILE
};

fn image() -> Tree {
    Tree::builder()
        .file("usr/bin/a", 0o755, "tool a")
        .file("usr/bin/b", 0o755, "tool b")
        .file("usr/lib/deep/x", 0o644, vec![3; 200_000])
        .file("etc/passwd", 0o644, "root")
        .symlink("bin", "usr/bin")
        .dir("home/user", 0o755)
        .dir("tmp", 0o1777)
        .build()
}

fn at(tree: &Tree, path: &str) -> InodeId {
    tree.at(path.as_bytes()).unwrap()
}

fn file(tree: &mut Tree, dir: &str, name: &str, bytes: &[u8]) -> InodeId {
    let dir = at(tree, dir);
    let id = tree.create(dir, name.as_bytes(), FILE, 5).unwrap();
    tree.write_at(id, 0, bytes, 0, 6).unwrap();
    id
}

/// A tree in which something of every kind has happened.
fn used(image: &Tree) -> Tree {
    let mut tree = image.clone();
    let closed = |_| false;
    file(&mut tree, "home/user", "big", &vec![9; 300_000]);
    file(&mut tree, "home/user", "empty", b"");
    let sparse = file(&mut tree, "home/user", "sparse", b"begin");
    tree.write_at(sparse, 1 << 20, b"end", 0, 7).unwrap();
    tree.set_size(sparse, 2 << 20, 0, 7).unwrap();
    let linked = file(&mut tree, "home/user", "one", b"linked");
    let tmp = at(&tree, "tmp");
    tree.link(linked, tmp, b"two", 8).unwrap();
    let a = at(&tree, "usr/bin/a");
    tree.link(a, tmp, b"a", 8).unwrap();
    let link = New {
        body: NewBody::Symlink(b"../x"),
        ..FILE
    };
    tree.create(tmp, b"link", link, 9).unwrap();
    let fifo = New {
        body: NewBody::Fifo,
        ..FILE
    };
    tree.create(tmp, b"pipe", fifo, 9).unwrap();
    let socket = New {
        body: NewBody::Socket,
        ..FILE
    };
    tree.create(tmp, b"socket", socket, 9).unwrap();
    tree.write_at(at(&tree, "etc/passwd"), 0, b"boot", 0, 9)
        .unwrap();
    tree.set_mode(at(&tree, "usr/lib"), 0o700, 10).unwrap();
    let bin = at(&tree, "usr/bin");
    tree.unlink(bin, b"b", 11, &closed).unwrap();
    let lib = at(&tree, "usr/lib");
    tree.rename(lib, b"deep", tmp, b"moved", 12, &closed)
        .unwrap();
    tree.create(lib, b"deep", DIR, 13).unwrap();
    file(&mut tree, "usr/lib/deep", "y", b"new");
    let x = at(&tree, "tmp/moved/x");
    tree.write_at(x, 70_000, b"!", 0, 14).unwrap();
    tree
}

#[test]
fn a_tree_that_was_written_is_read_as_it_was() {
    let image = image();
    let tree = used(&image);
    let written = save(&tree, Some(&image));
    let loaded = load(&written, image.clone()).unwrap();
    assert_eq!(diff(&tree, &loaded), []);
    assert_eq!(loaded.usage(), loaded.recount());
    let again = save(&loaded, Some(&image));
    assert_eq!(written.written, again.written);
    for path in ["tmp/two", "home/user/one", "tmp/a", "usr/bin/a"] {
        assert_eq!(loaded.stat(at(&loaded, path)).unwrap().nlink, 2, "{path}");
    }
    let mut text = [0; 4];
    loaded
        .read_at(at(&loaded, "etc/passwd"), 0, &mut text)
        .unwrap();
    assert_eq!(&text, b"boot");
}

#[test]
fn only_what_differs_from_the_image_is_written() {
    let image = image();
    assert_eq!(save(&image.clone(), Some(&image)).written.len(), 1);
    let mut tree = image.clone();
    file(&mut tree, "home/user", "f", b"x");
    let names: Vec<String> = save(&tree, Some(&image))
        .written
        .iter()
        .filter_map(|item| match item {
            Written::Node(node) => Some(String::from_utf8_lossy(&node.name).into_owned()),
            Written::Piece(..) => None,
        })
        .collect();
    assert_eq!(names, ["", "home", "user", "f"]);
}

#[test]
fn over_another_image_tools_are_new_and_files_stay() {
    let image = image();
    let mut tree = image.clone();
    file(&mut tree, "home/user", "mine", b"mine");
    file(&mut tree, "usr/bin", "own", b"own");
    let bin = at(&tree, "usr/bin");
    tree.unlink(bin, b"b", 1, &|_| false).unwrap();
    let newer = Tree::builder()
        .file("usr/bin/a", 0o755, "newer a")
        .file("usr/bin/b", 0o755, "newer b")
        .file("usr/bin/c", 0o755, "newer c")
        .build();
    let loaded = load(&save(&tree, Some(&image)), newer).unwrap();
    let mut text = [0; 7];
    loaded
        .read_at(at(&loaded, "usr/bin/a"), 0, &mut text)
        .unwrap();
    assert_eq!(&text, b"newer a");
    for path in ["usr/bin/c", "usr/bin/own", "home/user/mine"] {
        at(&loaded, path);
    }
    assert!(loaded.at(b"usr/bin/b").is_err());
    assert_eq!(loaded.usage(), loaded.recount());
}

#[test]
fn sn_11_limits_hold_before_anything_is_fetched() {
    let image = image();
    let tree = used(&image);
    let sink = save(&tree, Some(&image));
    sink.blocks.0.lock().unwrap().clear();
    let over = |limits| load(&sink, image.clone().with_limits(limits));
    let few = FsLimits {
        nodes: 3,
        ..FsLimits::default()
    };
    let small = FsLimits {
        bytes: 10_000,
        ..FsLimits::default()
    };
    let short = FsLimits {
        file_bytes: 1000,
        ..FsLimits::default()
    };
    for limits in [few, small, short] {
        assert!(matches!(over(limits), Err(LoadError::Limit(_))));
    }
    over(FsLimits::default()).unwrap();
}

#[test]
fn sn_03_malformed_trees_are_refused() {
    let node = |up, name: &str, item| {
        Written::Node(Node {
            up,
            name: name.as_bytes().into(),
            free: true,
            item,
        })
    };
    let attributes = Attributes::default();
    let dir = || Item::Directory {
        merged: false,
        attributes: Some(attributes),
    };
    let file = |size| Item::File {
        attributes,
        size,
        linked: true,
    };
    let root = || node(0, "", dir());
    let piece = |place, length| Written::Piece(place, length, [0; 32]);
    let cases = [
        vec![],
        vec![node(0, "", file(1))],
        vec![node(0, "x", dir())],
        vec![node(1, "", dir())],
        vec![root(), node(1, "a", dir())],
        vec![root(), node(u64::MAX, "a", dir())],
        vec![root(), node(0, "..", dir())],
        vec![root(), node(0, "", dir())],
        vec![root(), node(0, "a/b", dir())],
        vec![root(), node(0, "b", file(1)), node(0, "a", file(1))],
        vec![root(), node(0, "b", file(1)), node(0, "b", file(1))],
        vec![root(), node(0, "b", Item::Link(0))],
        vec![
            root(),
            node(0, "a", file(1)),
            node(0, "b", Item::Link(u64::MAX)),
        ],
        vec![root(), piece(0, 1)],
        vec![root(), node(0, "a", file(1)), piece(0, 2)],
        vec![root(), node(0, "a", file(1)), piece(0, 0)],
        vec![root(), node(0, "a", file(1)), piece(u64::MAX, 1)],
        vec![
            root(),
            node(0, "a", file(1 << 40)),
            piece(3, 1),
            piece(3, 1),
        ],
        vec![root(), node(0, "a", file(1 << 40)), piece(0, 70_000)],
        vec![root(), node(0, "a", file(u64::MAX))],
        vec![
            root(),
            node(
                0,
                "a",
                Item::Symlink {
                    attributes,
                    target: [][..].into(),
                    linked: false,
                },
            ),
        ],
        vec![
            root(),
            node(
                0,
                "a",
                Item::Device {
                    attributes,
                    number: 99,
                    linked: false,
                },
            ),
        ],
        vec![
            root(),
            node(
                0,
                "a",
                Item::Fifo {
                    attributes: Attributes {
                        mode: 0o17777,
                        ..attributes
                    },
                    linked: false,
                },
            ),
        ],
    ];
    for written in cases {
        let sink = Sink {
            written: written.clone(),
            ..Sink::default()
        };
        assert!(load(&sink, image()).is_err(), "{written:?}");
    }
}

#[test]
fn a_piece_that_cannot_be_fetched_is_an_error_of_the_reader() {
    let image = image();
    let mut tree = image.clone();
    file(&mut tree, "tmp", "f", &vec![1; 100_000]);
    let sink = save(&tree, Some(&image));
    let kept = std::mem::take(&mut *sink.blocks.0.lock().unwrap());
    let mut loaded = load(&sink, image.clone()).unwrap();
    let f = at(&loaded, "tmp/f");
    assert_eq!(loaded.read_at(f, 0, &mut [0; 10]), Err(Errno::Io));
    assert_eq!(loaded.write_at(f, 5, b"x", 0, 1), Err(Errno::Io));
    assert_eq!(loaded.set_size(f, 5, 0, 1), Err(Errno::Io));
    assert_eq!(loaded.usage(), loaded.recount());
    // Whole pieces need nothing of the old ones.
    assert_eq!(
        loaded.clone().write_at(f, 0, &[2; 65_536], 0, 1),
        Ok(65_536)
    );
    *sink.blocks.0.lock().unwrap() = kept;
    loaded.write_at(f, 5, b"x", 0, 1).unwrap();
    let mut text = [0; 7];
    loaded.read_at(f, 0, &mut text).unwrap();
    assert_eq!(text, [1, 1, 1, 1, 1, b'x', 1]);
}

/// Changes a tree at random, names of the image included.
fn shaken(image: &Tree, seed: u64) -> Tree {
    let mut state = seed * 2 + 1;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % below
    };
    let mut tree = image.clone();
    for now in 1..60 {
        let mut nodes = vec![(Tree::ROOT, Vec::new())];
        tree.walk_from(Tree::ROOT, Vec::new(), &mut |path, id| {
            nodes.push((id, path))
        });
        let (id, path) = nodes[next(nodes.len())].clone();
        let (other, _) = nodes[next(nodes.len())].clone();
        let (holder, name) = match path.iter().rposition(|byte| *byte == b'/') {
            Some(at) => (tree.at(&path[..at]).unwrap(), path[at + 1..].to_vec()),
            None => (Tree::ROOT, path.clone()),
        };
        let new_name = format!("n{}", next(6)).into_bytes();
        // Whatever cannot be is refused by the tree.
        let _ = match next(9) {
            0 => tree.create(other, &new_name, FILE, now).map(drop),
            1 => tree.create(other, &new_name, DIR, now).map(drop),
            2 => tree
                .write_at(id, next(200_000) as u64, b"written", 0, now)
                .map(drop),
            3 => tree.set_size(id, next(200_000) as u64, 0, now),
            4 => tree.link(id, other, &new_name, now),
            5 => tree.unlink(holder, &name, now, &|_| false),
            6 => tree.rename(holder, &name, other, &new_name, now, &|_| false),
            7 => tree.rename(holder, &name, other, &name, now, &|_| false),
            _ => tree.set_mode(id, next(0o1000) as u16, now),
        };
    }
    tree
}

#[test]
fn trees_changed_at_random_come_back_as_they_were() {
    let image = image();
    for seed in 0..400 {
        let tree = shaken(&image, seed);
        let written = save(&tree, Some(&image));
        let loaded = load(&written, image.clone()).unwrap();
        assert_eq!(diff(&tree, &loaded), [], "seed {seed}");
        assert_eq!(loaded.usage(), loaded.recount(), "seed {seed}");
        let again = save(&loaded, Some(&image));
        assert_eq!(written.written, again.written, "seed {seed}");
        // Without an image everything is there, too.
        let alone = load(&save(&tree, None), Tree::new()).unwrap();
        assert_eq!(
            save(&alone, None).written,
            save(&tree, None).written,
            "seed {seed}"
        );
    }
}
