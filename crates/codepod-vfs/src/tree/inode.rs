//! One node of a tree: metadata, names and body.
//!
//! An inode knows every name that leads to it, so a path can be told from the number alone. It
//! does not know its own number, and it changes nothing but itself; `tree.rs` keeps inodes and
//! entries in step.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::budget::Charge;
use crate::map::Map;
use crate::node::{Device, FileKind, InodeId, Stat};
use crate::tree::content::Content;

/// A name in a directory, shared by all who mention it.
pub(crate) type Name = Arc<[u8]>;

/// A node.
#[derive(Debug, Clone)]
pub(crate) struct Inode {
    pub(crate) mode: u16,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) atime: u64,
    pub(crate) mtime: u64,
    pub(crate) ctime: u64,
    /// Whether it is part of a base image and therefore free of charge.
    pub(crate) base: bool,
    /// Where it can be found. Empty for the root and for what is deleted but open.
    pub(crate) links: Links,
    /// The node of the lower file system that this one stands for; only overlays set it.
    pub(crate) origin: Option<InodeId>,
    pub(crate) body: Body,
    /// For what it and its names take.
    pub(crate) held: Held,
}

/// A node's charge. A copy of the node has one of its own, if need be beyond what the budget has
/// left: changes must not fail half-way.
#[derive(Debug, Default)]
pub(crate) struct Held(pub(crate) Charge);

impl Held {
    /// Whether it is the node of a base image that nobody is charged for.
    pub(crate) fn is_free(&self) -> bool {
        self.0.bytes() == 0
    }

    /// One more name, which was asked for before.
    pub(crate) fn add_name(&mut self, bytes: u64) {
        self.0.overdraw(self.0.bytes().saturating_add(bytes));
    }

    /// One name less. Those of a base image were never charged.
    pub(crate) fn remove_name(&mut self, bytes: u64) {
        let left = self.0.bytes().saturating_sub(bytes);
        self.0.overdraw(left.max(self.0.bytes().min(NODE_BYTES)));
    }
}

impl Clone for Held {
    fn clone(&self) -> Held {
        Held(self.0.overdraw_again())
    }
}

/// What a node takes of the host's memory, without names and content.
pub(crate) const NODE_BYTES: u64 = 320;

/// What a name takes beside its bytes: in its directory, in the order of that, and in the node.
pub(crate) const NAME_BYTES: u64 = 160;

/// What a node is made of.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    File(Content),
    Directory(Directory),
    Symlink(Arc<[u8]>),
    Fifo,
    Socket,
    Device(Device),
    /// An overlay's mark that a name of the lower file system is gone.
    Whiteout,
}

/// The entries of a directory, by name and in the order they were made.
#[derive(Debug, Clone)]
pub(crate) struct Directory {
    pub(crate) entries: Map<Name, Entry>,
    /// The names by cookie. Cookies only grow, so a listing in steps neither repeats nor ends
    /// never.
    pub(crate) order: Map<u64, Name>,
    pub(crate) next_cookie: u64,
    /// How many entries are directories.
    pub(crate) subdirectories: u64,
}

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) inode: InodeId,
    pub(crate) cookie: u64,
    /// Whether it is part of a base image and therefore free of charge.
    pub(crate) base: bool,
}

/// A directory and a name in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) directory: InodeId,
    pub(crate) name: Name,
}

impl Ord for Link {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.directory, &self.name).cmp(&(other.directory, &other.name))
    }
}

impl PartialOrd for Link {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// All names of a node; nearly always one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Links {
    None,
    One(Link),
    Many(Map<Link, ()>),
}

impl Links {
    pub(crate) fn count(&self) -> u64 {
        match self {
            Links::None => 0,
            Links::One(_) => 1,
            Links::Many(set) => set.len() as u64,
        }
    }

    /// Any of them.
    pub(crate) fn first(&self) -> Option<&Link> {
        match self {
            Links::None => None,
            Links::One(link) => Some(link),
            Links::Many(set) => set.first().map(|(link, ())| link),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Link> {
        let (one, many) = match self {
            Links::None => (None, None),
            Links::One(link) => (Some(link), None),
            Links::Many(set) => (None, Some(set.keys())),
        };
        one.into_iter().chain(many.into_iter().flatten())
    }

    pub(crate) fn add(&mut self, link: Link) {
        *self = match std::mem::replace(self, Links::None) {
            Links::None => Links::One(link),
            Links::One(old) => Links::Many([(old, ()), (link, ())].into_iter().collect()),
            Links::Many(mut set) => {
                set.insert(link, ());
                Links::Many(set)
            }
        };
    }

    pub(crate) fn remove(&mut self, link: &Link) {
        *self = match std::mem::replace(self, Links::None) {
            Links::One(old) if old == *link => Links::None,
            Links::Many(mut set) => {
                set.remove(link);
                match set.first() {
                    Some((last, ())) if set.len() == 1 => Links::One(last.clone()),
                    _ => Links::Many(set),
                }
            }
            other => other,
        };
    }
}

/// What a name takes of the host's memory.
pub(crate) fn name_memory(name: &[u8]) -> u64 {
    NAME_BYTES + name.len() as u64
}

impl Directory {
    /// The first two cookies are those of `.` and `..`.
    pub(crate) const FIRST_COOKIE: u64 = 2;

    pub(crate) fn new() -> Directory {
        Directory {
            entries: Map::new(),
            order: Map::new(),
            next_cookie: Self::FIRST_COOKIE,
            subdirectories: 0,
        }
    }

    pub(crate) fn insert(&mut self, name: Name, inode: InodeId, base: bool) {
        let cookie = self.next_cookie;
        self.next_cookie += 1;
        self.order.insert(cookie, name.clone());
        self.entries.insert(
            name,
            Entry {
                inode,
                cookie,
                base,
            },
        );
    }

    pub(crate) fn remove(&mut self, name: &[u8]) -> Option<Entry> {
        let entry = self.entries.remove(name)?;
        self.order.remove(&entry.cookie);
        Some(entry)
    }
}

impl Inode {
    /// What it keeps that a later state of it, or its absence, does not.
    pub(crate) fn held_beside(&self, next: Option<&Inode>) -> u64 {
        let content = match (&self.body, next.map(|next| &next.body)) {
            (Body::File(old), Some(Body::File(new))) => old.held_beside(new),
            (Body::File(old), _) => old.stored(),
            _ => 0,
        };
        content + size_of::<Inode>() as u64
    }

    pub(crate) fn kind(&self) -> FileKind {
        match self.body {
            Body::File(_) => FileKind::File,
            Body::Directory(_) => FileKind::Directory,
            Body::Symlink(_) => FileKind::Symlink,
            Body::Fifo => FileKind::Fifo,
            Body::Socket => FileKind::Socket,
            Body::Device(_) => FileKind::CharDevice,
            Body::Whiteout => FileKind::Other,
        }
    }

    /// What it and its names take of the host's memory, content apart.
    pub(crate) fn memory(&self) -> u64 {
        let names = self.links.iter().map(|link| name_memory(&link.name));
        let target = match &self.body {
            Body::Symlink(target) => target.len() as u64,
            _ => 0,
        };
        NODE_BYTES + target + names.sum::<u64>()
    }

    /// What the body costs, the name apart.
    pub(crate) fn charge(&self) -> u64 {
        match &self.body {
            Body::File(content) => content.charge(),
            Body::Symlink(target) if !self.base => target.len() as u64,
            _ => 0,
        }
    }

    pub(crate) fn stat(&self, id: InodeId, is_root: bool) -> Stat {
        let (size, stored, nlink) = match &self.body {
            Body::File(content) => (content.size(), content.stored(), self.links.count()),
            Body::Directory(directory) => {
                let alive = is_root || self.links.count() > 0;
                let nlink = if alive {
                    2 + directory.subdirectories
                } else {
                    0
                };
                (4096, 4096, nlink)
            }
            Body::Symlink(target) => (target.len() as u64, 0, self.links.count()),
            Body::Fifo | Body::Socket | Body::Device(_) | Body::Whiteout => {
                (0, 0, self.links.count())
            }
        };
        Stat {
            inode: id.0,
            device: 0,
            kind: self.kind(),
            mode: self.mode,
            uid: self.uid,
            gid: self.gid,
            nlink,
            size,
            blocks: stored.div_ceil(512),
            atime: self.atime,
            mtime: self.mtime,
            ctime: self.ctime,
            rdev: if let Body::Device(device) = self.body {
                device.number()
            } else {
                0
            },
        }
    }
}
