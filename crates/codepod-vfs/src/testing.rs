//! A second opinion on paths: small random worlds and a resolver that shares no code with ours.
//!
//! The reference knows a flat map from canonical paths to nodes and rewrites paths as text: a
//! trailing slash is one more component, which only a directory has. Tests and the fuzz target
//! build the same world twice and compare. Not part of the API.

use std::collections::{BTreeMap, VecDeque};

use codepod_abi::Errno;

use crate::caller::Caller;
use crate::memory::Memory;
use crate::tree::Tree;
use crate::vfs::Vfs;

/// A small random number generator, so that a failure can be had again.
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    /// The next number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// One of `items`.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Where choices come from: random numbers in tests, input bytes in the fuzzer.
pub trait Choices {
    /// A number below `limit`.
    fn choose(&mut self, limit: usize) -> usize;
}

impl Choices for Random {
    fn choose(&mut self, limit: usize) -> usize {
        self.below(limit as u64) as usize
    }
}

/// Choices taken from bytes; zeros when they run out.
#[derive(Debug)]
pub struct Bytes<'a>(pub &'a [u8]);

impl Choices for Bytes<'_> {
    fn choose(&mut self, limit: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first) % limit
    }
}

/// A node of the reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefNode {
    /// A directory; others than root may search it only if this is set.
    Directory(bool),
    /// A file.
    File,
    /// A link.
    Link(Vec<u8>),
}

/// The reference: canonical paths (`""` is the root, `/a/b` others) and what is there.
#[derive(Debug, Clone)]
pub struct RefFs {
    nodes: BTreeMap<Vec<u8>, RefNode>,
}

impl RefFs {
    /// A reference that knows these nodes; the root and every node's directories must be among
    /// them.
    pub fn new(nodes: BTreeMap<Vec<u8>, RefNode>) -> RefFs {
        RefFs { nodes }
    }

    /// The canonical path that `path` means from the directory `base`.
    pub fn resolve(
        &self,
        base: &[u8],
        path: &[u8],
        follow: bool,
        root: bool,
    ) -> Result<Vec<u8>, Errno> {
        check(path)?;
        let mut at: Vec<u8> = if path[0] == b'/' {
            Vec::new()
        } else {
            base.to_vec()
        };
        let mut rest: VecDeque<Vec<u8>> = split(path);
        let mut links = 0;
        while let Some(name) = rest.pop_front() {
            match self.nodes.get(&at) {
                // As on Linux, a slash does not search the directory it follows.
                Some(RefNode::Directory(_)) if name == b"/" => continue,
                Some(RefNode::Directory(open)) if *open || root => {}
                Some(RefNode::Directory(_)) => return Err(Errno::Access),
                _ => return Err(Errno::NotDir),
            }
            if name == b"." {
                continue;
            }
            if name == b".." {
                let cut = at.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                at.truncate(cut);
                continue;
            }
            if name.len() > 255 {
                return Err(Errno::NameTooLong);
            }
            let mut next = at.clone();
            next.push(b'/');
            next.extend_from_slice(&name);
            match self.nodes.get(&next) {
                None => return Err(Errno::NoEnt),
                Some(RefNode::Link(target)) if follow || !rest.is_empty() => {
                    links += 1;
                    if links > 40 {
                        return Err(Errno::Loop);
                    }
                    check(target)?;
                    if target[0] == b'/' {
                        at.clear();
                    }
                    for name in split(target).into_iter().rev() {
                        rest.push_front(name);
                    }
                }
                Some(_) => at = next,
            }
        }
        Ok(if at.is_empty() { b"/".to_vec() } else { at })
    }
}

fn check(path: &[u8]) -> Result<(), Errno> {
    match path {
        [] => Err(Errno::NoEnt),
        _ if path.len() >= 4096 => Err(Errno::NameTooLong),
        _ if path.contains(&0) => Err(Errno::Inval),
        _ => Ok(()),
    }
}

/// The components; a trailing slash is one of its own.
fn split(path: &[u8]) -> VecDeque<Vec<u8>> {
    let mut names: VecDeque<Vec<u8>> = path
        .split(|byte| *byte == b'/')
        .filter(|name| !name.is_empty())
        .map(<[u8]>::to_vec)
        .collect();
    if path.ends_with(b"/") && !names.is_empty() {
        names.push_back(b"/".to_vec());
    }
    names
}

/// A small file system twice: for us and for the reference.
pub struct World {
    /// Ours, with mounts at `/m` and `/m/a`.
    pub vfs: Vfs,
    /// The reference.
    pub reference: RefFs,
    directories: Vec<Vec<u8>>,
}

const NAMES: &[&[u8]] = &[b"a", b"b", b"c", b"...", b"m"];

impl World {
    /// A world made of choices.
    pub fn new(choices: &mut dyn Choices) -> World {
        let caller = Caller::root(0);
        let mut vfs = Vfs::with_tree(Tree::new());
        let mut nodes = BTreeMap::new();
        nodes.insert(Vec::new(), RefNode::Directory(true));
        let mut directories = vec![Vec::new()];
        for point in [&b"/m"[..], b"/m/a"] {
            if vfs.mount(point, Box::new(Memory::new(Tree::new()))).is_ok() {
                nodes.insert(point.to_vec(), RefNode::Directory(true));
                directories.push(point.to_vec());
            }
        }
        for _ in 0..choices.choose(24) {
            let mut path = directories[choices.choose(directories.len())].clone();
            path.push(b'/');
            path.extend_from_slice(NAMES[choices.choose(NAMES.len())]);
            if nodes.contains_key(&path) {
                continue;
            }
            let root = vfs.root();
            let (made, node) = match choices.choose(6) {
                0..=2 => {
                    let open = choices.choose(8) > 0;
                    let mode = if open { 0o755 } else { 0o700 };
                    directories.push(path.clone());
                    (
                        vfs.mkdir(&caller, root, &path, mode),
                        RefNode::Directory(open),
                    )
                }
                3 => {
                    let options = crate::OpenOptions::REPLACE;
                    (vfs.open(&caller, root, &path, &options), RefNode::File)
                }
                _ => {
                    let target = random_path(choices);
                    if check(&target).is_err() {
                        continue;
                    }
                    (
                        vfs.symlink(&caller, &target, root, &path),
                        RefNode::Link(target),
                    )
                }
            };
            assert!(made.is_ok(), "{made:?}");
            nodes.insert(path, node);
        }
        World {
            vfs,
            reference: RefFs { nodes },
            directories,
        }
    }

    /// Resolves one path both ways and compares where they lead, or why not.
    pub fn compare(&mut self, choices: &mut dyn Choices) {
        let path = random_path(choices);
        let base = self.directories[choices.choose(self.directories.len())].clone();
        let follow = choices.choose(2) == 0;
        let uid = choices.choose(2) as u32;
        let caller = Caller {
            uid,
            ..Caller::root(0)
        };
        let expected = self.reference.resolve(&base, &path, follow, uid == 0);
        let root = self.vfs.root();
        let base_path = if base.is_empty() { b"/" } else { &base[..] };
        let base_node = self.vfs.resolve(&Caller::root(0), root, base_path, false);
        let found = base_node.and_then(|base| self.vfs.resolve(&caller, base, &path, follow));
        let found = found.and_then(|node| self.vfs.path_of(node));
        assert_eq!(
            found.as_deref().map(String::from_utf8_lossy),
            expected.as_deref().map(String::from_utf8_lossy),
            "{:?} from {:?}, follow {follow}, uid {uid}, in {:?}",
            String::from_utf8_lossy(&path),
            String::from_utf8_lossy(&base),
            self.reference,
        );
    }
}

/// Any kind of path: climbing, doubled slashes, trailing slashes, too long, with a NUL, empty.
pub fn random_path(choices: &mut dyn Choices) -> Vec<u8> {
    let mut path = Vec::new();
    if choices.choose(3) == 0 {
        path.push(b'/');
    }
    let count = choices.choose(7);
    for index in 0..count {
        match choices.choose(48) {
            0 => path.extend_from_slice(&[b'x'; 256]),
            1 => path.push(0),
            2 => path.extend_from_slice(&[b'a'; 255]),
            3 => path.extend_from_slice(&b"../".repeat(100)),
            4..=11 => path.extend_from_slice(b".."),
            12..=15 => path.push(b'.'),
            16 => path.extend_from_slice(&b"a/../".repeat(900)),
            other => path.extend_from_slice(NAMES[other % NAMES.len()]),
        }
        if index + 1 < count || choices.choose(4) == 0 {
            path.push(b'/');
        }
        if choices.choose(16) == 0 {
            path.push(b'/');
        }
    }
    path
}

/// The body of the fuzz target `path_resolution`.
pub fn fuzz_path_resolution(data: &[u8]) {
    let mut choices = Bytes(data);
    let mut world = World::new(&mut choices);
    for _ in 0..8 {
        world.compare(&mut choices);
    }
}
