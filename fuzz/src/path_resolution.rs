//! Paths: small worlds of directories, files, links and mounts, resolved by us and by the
//! reference.
//!
//! A world is made by a sequence of changes (make, mount, remove, rename), each told to the
//! [`RefFs`] too, which knows nothing but a flat map of paths. In between, paths are resolved in
//! both, from any directory, as root and as a user, and must lead to the same place or fail with
//! the same error.

use std::collections::BTreeMap;
use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use codepod_abi::Errno;
use codepod_vfs::testing::{RefFs, RefNode};
use codepod_vfs::{Caller, FsLimits, Image, Memory, OpenOptions, Overlay, Tree, Vfs};

/// How a world is made, and what is looked for in it meanwhile.
#[derive(Debug)]
pub struct Input {
    steps: Vec<Step>,
}

impl<'a> Arbitrary<'a> for Input {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Input> {
        Ok(Input {
            steps: crate::as_many_as_there_are(u, 64)?,
        })
    }
}

#[derive(Arbitrary, Debug)]
enum Step {
    Change(Change),
    Look(Lookup),
}

/// How the world changes. Numbers choose among what is there.
#[derive(Arbitrary, Debug)]
enum Change {
    Directory {
        parent: u8,
        name: Name,
        open: bool,
    },
    File {
        parent: u8,
        name: Name,
    },
    Link {
        parent: u8,
        name: Name,
        target: Path,
    },
    /// Links that each lead to the next; the last one leads to itself or to its directory.
    Chain {
        parent: u8,
        length: u8,
        endless: bool,
    },
    Mount {
        at: u8,
        overlay: bool,
    },
    Remove {
        node: u8,
    },
    Rename {
        node: u8,
        parent: u8,
        name: Name,
    },
}

#[derive(Arbitrary, Debug)]
enum Name {
    Plain(u8),
    Hostile(u8),
    Bytes([u8; 3]),
}

#[derive(Arbitrary, Debug)]
struct Path {
    absolute: bool,
    parts: Vec<Part>,
}

#[derive(Arbitrary, Debug)]
enum Part {
    Name(Name),
    /// A name without a slash after it: it runs into the next part, or ends the path.
    Open(Name),
    Dot,
    Up,
    Slash,
    /// The name of a node of the world.
    Known(u8),
    /// A link of a chain.
    Chained(u8),
    /// What makes paths long.
    Repeated(u8, u8),
    /// Slashes up to about the largest length.
    Filled(u8),
    Nul,
}

#[derive(Arbitrary, Debug)]
struct Lookup {
    path: Path,
    base: u8,
    follow: bool,
    root: bool,
}

/// Runs one input; panics where the two resolvers disagree.
pub fn run(input: &Input) {
    let mut world = World::new();
    for step in &input.steps {
        match step {
            Step::Change(change) => {
                world.reference = None;
                world.change(change);
            }
            Step::Look(lookup) => world.compare(lookup),
        }
    }
    world.check_usage();
}

const PLAIN: &[&[u8]] = &[b"a", b"b", b"c", b"m"];
const HOSTILE: &[&[u8]] = &[
    b"...",
    b"..a",
    b".a",
    b" ",
    b"\n",
    b"\\",
    b"\xff\xfe",
    b"-rf",
    b"*",
    b"\xc3\xa4",
    &[b'n'; 255],
    &[b'n'; 256],
    b".wh.a",
    b"%2e%2e",
    b"a\\..\\b",
    b"\x7f",
];

impl Name {
    fn bytes(&self) -> &[u8] {
        match self {
            Name::Plain(n) => PLAIN[usize::from(*n) % PLAIN.len()],
            Name::Hostile(n) => HOSTILE[usize::from(*n) % HOSTILE.len()],
            Name::Bytes(bytes) => bytes,
        }
    }

    /// The name, if a node can have it.
    fn usable(&self) -> Option<&[u8]> {
        let name = self.bytes();
        let unusable = name.len() > 255
            || name.contains(&0)
            || name.contains(&b'/')
            || name == b"."
            || name == b"..";
        (!unusable).then_some(name)
    }
}

/// The files, twice.
struct World {
    vfs: Vfs,
    /// Canonical paths, `""` for the root.
    nodes: BTreeMap<Vec<u8>, RefNode>,
    /// Where something is mounted, and whether it is an overlay.
    mounts: BTreeMap<Vec<u8>, bool>,
    /// The reference for these nodes, until they change.
    reference: Option<RefFs>,
}

impl World {
    fn new() -> World {
        World {
            vfs: Vfs::with_tree(Tree::new()),
            nodes: BTreeMap::from([(Vec::new(), RefNode::Directory(true))]),
            mounts: BTreeMap::from([(Vec::new(), false)]),
            reference: None,
        }
    }

    fn directories(&self) -> Vec<&Vec<u8>> {
        let is_directory =
            |(path, node): (_, &RefNode)| matches!(node, RefNode::Directory(_)).then_some(path);
        self.nodes.iter().filter_map(is_directory).collect()
    }

    fn directory(&self, number: u8) -> Vec<u8> {
        let directories = self.directories();
        directories[usize::from(number) % directories.len()].clone()
    }

    fn node(&self, number: u8) -> Vec<u8> {
        let number = usize::from(number) % self.nodes.len();
        self.nodes.keys().nth(number).cloned().unwrap_or_default()
    }

    /// A path for a new node, if the name can be used and is free.
    fn new_path(&self, parent: u8, name: &Name) -> Option<Vec<u8>> {
        let mut path = self.directory(parent);
        path.push(b'/');
        path.extend_from_slice(name.usable()?);
        (!self.nodes.contains_key(&path) && path.len() < 4096).then_some(path)
    }

    fn mount_of(&self, path: &[u8]) -> (&Vec<u8>, bool) {
        let (point, overlay) = self
            .mounts
            .iter()
            .filter(|(point, _)| path == &point[..] || is_beneath(path, point))
            .max_by_key(|(point, _)| point.len())
            .expect("the root is a mount");
        (point, *overlay)
    }

    fn change(&mut self, change: &Change) {
        let caller = Caller::root(0);
        let root = self.vfs.root();
        match change {
            Change::Directory { parent, name, open } => {
                let Some(path) = self.new_path(*parent, name) else {
                    return;
                };
                let mode = if *open { 0o755 } else { 0o700 };
                self.vfs
                    .mkdir(&caller, root, &path, mode)
                    .expect("a new directory");
                self.nodes.insert(path, RefNode::Directory(*open));
            }
            Change::File { parent, name } => {
                let Some(path) = self.new_path(*parent, name) else {
                    return;
                };
                let opened = self
                    .vfs
                    .open(&caller, root, &path, &OpenOptions::REPLACE)
                    .expect("a new file");
                self.vfs.close(opened);
                self.nodes.insert(path, RefNode::File);
            }
            Change::Link {
                parent,
                name,
                target,
            } => {
                let target = self.path(target);
                let Some(path) = self.new_path(*parent, name) else {
                    return;
                };
                let made = self.vfs.symlink(&caller, &target, root, &path);
                let expected = match &target[..] {
                    [] => Err(Errno::NoEnt),
                    _ if target.len() >= 4096 => Err(Errno::NameTooLong),
                    _ if target.contains(&0) => Err(Errno::Inval),
                    _ => Ok(()),
                };
                assert_eq!(made.map(drop), expected, "link to {:?}", Shown(&target));
                if expected.is_ok() {
                    self.nodes.insert(path, RefNode::Link(target));
                }
            }
            Change::Chain {
                parent,
                length,
                endless,
            } => self.chain(*parent, *length, *endless),
            Change::Mount { at, overlay } => self.mount(*at, *overlay),
            Change::Remove { node } => self.remove(&self.node(*node)),
            Change::Rename { node, parent, name } => self.rename(*node, *parent, name),
        }
    }

    fn chain(&mut self, parent: u8, length: u8, endless: bool) {
        let (caller, root) = (Caller::root(0), self.vfs.root());
        let directory = self.directory(parent);
        let length = length % LONGEST_CHAIN;
        for link in 0..length {
            let path = [&directory[..], b"/", &chained(link)].concat();
            let target = match (link + 1 == length, endless) {
                (false, _) => chained(link + 1),
                (true, true) => chained(link),
                (true, false) => b".".to_vec(),
            };
            if path.len() >= 4096 || self.nodes.contains_key(&path) {
                return;
            }
            self.vfs
                .symlink(&caller, &target, root, &path)
                .expect("a new link");
            self.nodes.insert(path, RefNode::Link(target));
        }
    }

    fn mount(&mut self, at: u8, overlay: bool) {
        let point = self.directory(at);
        let lower = Image::new(Arc::new(
            Tree::builder()
                .dir("a/b", 0o755)
                .file("a/c", 0o644, "text")
                .symlink("b", "a/b")
                .symlink("up", "../../a")
                .symlink("c", "/a/c/")
                .build(),
        ));
        let mounted = if overlay {
            let fs = Overlay::new(Box::new(lower), FsLimits::default()).expect("an overlay");
            self.vfs.mount(&point, Box::new(fs))
        } else {
            self.vfs.mount(&point, Box::new(Memory::new(Tree::new())))
        };
        if self.mounts.contains_key(&point) {
            assert_eq!(mounted, Err(Errno::Busy), "mount at {:?}", Shown(&point));
            return;
        }
        assert!(mounted.is_ok(), "{mounted:?} at {:?}", Shown(&point));
        // What was there can no longer be reached, mounts included.
        self.nodes.retain(|path, _| !is_beneath(path, &point));
        self.mounts.retain(|path, _| !is_beneath(path, &point));
        let mut add = |name: &str, node| {
            let path = [&point[..], name.as_bytes()].concat();
            self.nodes.insert(path, node);
        };
        add("", RefNode::Directory(true));
        if overlay {
            add("/a", RefNode::Directory(true));
            add("/a/b", RefNode::Directory(true));
            add("/a/c", RefNode::File);
            add("/b", RefNode::Link(b"a/b".to_vec()));
            add("/up", RefNode::Link(b"../../a".to_vec()));
            add("/c", RefNode::Link(b"/a/c/".to_vec()));
        }
        self.mounts.insert(point, overlay);
    }

    fn remove(&mut self, path: &[u8]) {
        let (caller, root) = (Caller::root(0), self.vfs.root());
        let is_directory = matches!(self.nodes.get(path), Some(RefNode::Directory(_)));
        let shown = if path.is_empty() { b"/" } else { path };
        let (removed, expected) = if is_directory {
            let expected = if self.mounts.contains_key(path) {
                Err(Errno::Busy)
            } else if self.nodes.keys().any(|other| is_beneath(other, path)) {
                Err(Errno::NotEmpty)
            } else {
                Ok(())
            };
            (self.vfs.rmdir(&caller, root, shown), expected)
        } else {
            (self.vfs.unlink(&caller, root, shown), Ok(()))
        };
        assert_eq!(removed, expected, "removing {:?}", Shown(path));
        if removed.is_ok() {
            self.nodes.remove(path);
        }
    }

    /// Moves a node, with what is in it, to a free name of the same mount.
    fn rename(&mut self, node: u8, parent: u8, name: &Name) {
        let from = self.node(node);
        let Some(to) = self.new_path(parent, name) else {
            return;
        };
        let holds_mount = self
            .mounts
            .keys()
            .any(|point| *point == from || is_beneath(point, &from));
        if holds_mount || self.mount_of(&from) != self.mount_of(&to) {
            return;
        }
        let (caller, root) = (Caller::root(0), self.vfs.root());
        let renamed = self.vfs.rename(&caller, root, &from, root, &to);
        if is_beneath(&to, &from) {
            assert_eq!(renamed, Err(Errno::Inval), "{:?} into itself", Shown(&from));
            return;
        }
        let is_directory = matches!(self.nodes.get(&from), Some(RefNode::Directory(_)));
        // An overlay does not move directories of what lies below it; programs copy then.
        if is_directory && self.mount_of(&from).1 && renamed == Err(Errno::Xdev) {
            return;
        }
        assert_eq!(renamed, Ok(()), "{:?} to {:?}", Shown(&from), Shown(&to));
        let moved: Vec<Vec<u8>> = self
            .nodes
            .keys()
            .filter(|path| **path == from || is_beneath(path, &from))
            .cloned()
            .collect();
        for path in moved {
            if let Some(node) = self.nodes.remove(&path) {
                self.nodes
                    .insert([&to[..], &path[from.len()..]].concat(), node);
            }
        }
    }

    fn path(&self, path: &Path) -> Vec<u8> {
        let mut bytes = Vec::new();
        if path.absolute {
            bytes.push(b'/');
        }
        for part in path.parts.iter().take(64) {
            let mut add = |part: &[u8]| {
                bytes.extend_from_slice(part);
                bytes.push(b'/');
            };
            match part {
                Part::Name(name) => add(name.bytes()),
                Part::Open(name) => bytes.extend_from_slice(name.bytes()),
                Part::Dot => add(b"."),
                Part::Up => add(b".."),
                Part::Slash => bytes.push(b'/'),
                Part::Known(number) => {
                    let path = self.node(*number);
                    let name = path.rsplit(|byte| *byte == b'/').next();
                    bytes.extend_from_slice(name.unwrap_or_default());
                }
                Part::Chained(link) => bytes.extend(chained(link % LONGEST_CHAIN)),
                Part::Filled(more) => {
                    let length = 4090 + usize::from(more % 12);
                    bytes.resize(bytes.len().max(length), b'/');
                }
                Part::Repeated(what, times) => {
                    let what: &[u8] = match what % 4 {
                        0 => b"../",
                        1 => b"a/../",
                        2 => b"./",
                        _ => b"/",
                    };
                    bytes.extend_from_slice(&what.repeat(usize::from(*times) * 8));
                }
                Part::Nul => bytes.push(0),
            }
        }
        bytes
    }

    /// Resolves one path both ways and compares where they lead, or why not.
    fn compare(&mut self, lookup: &Lookup) {
        let path = self.path(&lookup.path);
        let base = self.directory(lookup.base);
        let reference = self
            .reference
            .get_or_insert_with(|| RefFs::new(self.nodes.clone()));
        let expected = reference.resolve(&base, &path, lookup.follow, lookup.root);
        let caller = Caller {
            uid: u32::from(!lookup.root),
            ..Caller::root(0)
        };
        let root = self.vfs.root();
        let shown = if base.is_empty() { b"/" } else { &base[..] };
        let base_node = self
            .vfs
            .resolve(&Caller::root(0), root, shown, false)
            .expect("a directory of the world");
        let found = self
            .vfs
            .resolve(&caller, base_node, &path, lookup.follow)
            .and_then(|node| self.vfs.path_of(node));
        assert_eq!(
            found.as_deref().map(Shown),
            expected.as_deref().map(Shown),
            "{:?} from {:?}, follow {}, root {}, in {:?}",
            Shown(&path),
            Shown(&base),
            lookup.follow,
            lookup.root,
            self.nodes,
        );
    }

    fn check_usage(&self) {
        for mount in self.vfs.mounts() {
            if let Some(tree) = self.vfs.tree(mount.id) {
                assert_eq!(tree.usage(), tree.recount());
            }
        }
    }
}

/// One more link than may be followed, and a few.
const LONGEST_CHAIN: u8 = 44;

/// The name of a link of a chain.
fn chained(link: u8) -> Vec<u8> {
    format!("k{link}").into_bytes()
}

fn is_beneath(path: &[u8], directory: &[u8]) -> bool {
    path.len() > directory.len() && path.starts_with(directory) && path[directory.len()] == b'/'
}

/// Bytes as text.
#[derive(PartialEq)]
struct Shown<'a>(&'a [u8]);

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\"{}\"", self.0.escape_ascii())
    }
}
