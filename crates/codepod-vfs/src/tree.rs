//! The copy-on-write tree: inodes in a persistent map, with exact counters.
//!
//! A clone of a [`Tree`] takes constant time and shares everything; each side then copies only
//! what it changes. A tree works on numbers and single names: paths, permissions and open files
//! are the business of `vfs.rs` and `memory.rs`, which say here whether a node is open.
//!
//! Invariant: after every operation, failed ones included, `used` is what [`Tree::recount`]
//! computes, every entry has its link in the inode it names and the other way round, and an inode
//! without links is the root or an orphan.

mod blocks;
mod builder;
#[cfg(test)]
mod charges;
pub(crate) mod chunk;
pub(crate) mod content;
mod diff;
pub(crate) mod inode;
pub(crate) mod portable;
mod reads;
mod rename;
mod write;

use std::sync::Arc;

use codepod_abi::Errno;

pub use self::blocks::Blocks;
pub use self::builder::TreeBuilder;
pub use self::diff::{Change, ChangeKind, diff};
use self::inode::{Body, Directory, Entry, Held, Inode, Link, Links, Name};
pub(crate) use self::reads::reads_of_tree;
use crate::budget::Budget;
use crate::limits::{FsLimits, Usage};
use crate::map::{Difference, Map};
use crate::node::{Device, DirEntryRef, DirSink, InodeId, New, NewBody, Stat};

/// A whole file system as a value.
#[derive(Clone)]
pub struct Tree {
    inodes: Map<InodeId, Arc<Inode>>,
    next: u64,
    used: Usage,
    /// Nodes that lost their last name while open; freed by the last close or by a restore.
    orphans: Map<InodeId, ()>,
    limits: FsLimits,
    /// Who is charged for the memory that it takes.
    budget: Budget,
}

impl std::fmt::Debug for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tree")
            .field("inodes", &self.inodes.len())
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl Default for Tree {
    fn default() -> Self {
        Tree::new()
    }
}

impl Tree {
    pub(crate) const ROOT: InodeId = InodeId(1);

    /// A tree with nothing but a root directory, which everybody may read and root may change.
    pub fn new() -> Tree {
        let root = Inode {
            mode: 0o755,
            uid: 0,
            gid: 0,
            atime: 0,
            mtime: 0,
            ctime: 0,
            base: true,
            links: Links::None,
            origin: None,
            body: Body::Directory(Directory::new()),
            held: Held::default(),
        };
        Tree {
            inodes: Map::unit(Self::ROOT, Arc::new(root)),
            next: Self::ROOT.0 + 1,
            used: Usage::default(),
            orphans: Map::new(),
            limits: FsLimits::UNLIMITED,
            budget: Budget::FREE,
        }
    }

    /// Starts a base image: nothing that is built is charged later.
    pub fn builder() -> TreeBuilder {
        TreeBuilder::new()
    }

    /// Sets other limits. What it holds already stays, even beyond them.
    pub fn with_limits(mut self, limits: FsLimits) -> Tree {
        self.limits = limits;
        self
    }

    /// Charges the tree's changes to a budget: `NoSpc` when that has no memory left. What is held
    /// is counted once, however many trees share it, and given back with the last.
    pub fn with_budget(mut self, budget: &Budget) -> Tree {
        self.budget = budget.clone();
        self
    }

    /// Who is charged.
    pub(crate) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// What it may hold.
    pub fn limits(&self) -> FsLimits {
        self.limits
    }

    /// What it holds beyond its base image.
    pub fn usage(&self) -> Usage {
        self.used
    }

    /// [`Tree::usage`] computed from scratch, which takes long: the oracle of tests.
    pub fn recount(&self) -> Usage {
        let mut used = Usage::default();
        for (id, inode) in &self.inodes {
            match &inode.body {
                Body::File(content) => used.bytes += content.recount(),
                Body::Symlink(target) if !inode.base => used.bytes += target.len() as u64,
                Body::Directory(directory) => {
                    for (name, entry) in directory.entries.iter().filter(|(_, e)| !e.base) {
                        used.bytes += name.len() as u64;
                        used.nodes += 1;
                        debug_assert!(self.inodes.contains_key(&entry.inode));
                    }
                }
                _ => {}
            }
            if self.orphans.contains_key(id) && !inode.base {
                used.nodes += 1;
            }
        }
        used
    }

    /// Whether both are one and the same state. Two that merely hold the same are not.
    pub fn is_same(&self, other: &Tree) -> bool {
        self.inodes.ptr_eq(&other.inodes)
    }

    /// How many bytes of content this state keeps that `next`, which came from it, does not have.
    pub(crate) fn held_beside(&self, next: &Tree) -> u64 {
        self.inodes
            .diff(&next.inodes, Arc::ptr_eq)
            .map(|difference| match difference {
                Difference::Added(..) => 0,
                Difference::Removed(_, old) => old.held_beside(None),
                Difference::Changed(_, old, new) => old.held_beside(Some(new)),
            })
            .sum()
    }

    /// How many inodes there are, those of the base image included.
    pub fn inode_count(&self) -> usize {
        self.inodes.len()
    }

    pub(crate) fn get(&self, id: InodeId) -> Result<&Inode, Errno> {
        self.inodes
            .get(&id)
            .map(|inode| &**inode)
            .ok_or(Errno::Stale)
    }

    pub(crate) fn get_mut(&mut self, id: InodeId) -> Result<&mut Inode, Errno> {
        let inode = self.inodes.get_mut(&id).map(Arc::make_mut);
        let inode = inode.ok_or(Errno::Stale)?;
        if inode.held.is_free() && !self.budget.is_free() {
            // A copy of what the base image has for nothing.
            inode.held = Held(self.budget.overdrawn(inode::NODE_BYTES));
        }
        Ok(inode)
    }

    /// `NoSpc` when there is no memory for a copy of a node: what only changes one is refused then.
    /// Removing is not.
    fn check_memory(&self) -> Result<(), Errno> {
        match self.budget.lacks(inode::NODE_BYTES) {
            true => Err(Errno::NoSpc),
            false => Ok(()),
        }
    }

    pub(crate) fn directory(&self, id: InodeId) -> Result<&Directory, Errno> {
        match &self.get(id)?.body {
            Body::Directory(directory) => Ok(directory),
            _ => Err(Errno::NotDir),
        }
    }

    fn directory_mut(&mut self, id: InodeId, now: u64) -> Result<&mut Directory, Errno> {
        let inode = self.get_mut(id)?;
        match &mut inode.body {
            Body::Directory(directory) => {
                inode.mtime = now;
                inode.ctime = now;
                Ok(directory)
            }
            _ => Err(Errno::NotDir),
        }
    }

    pub(crate) fn entry(&self, dir: InodeId, name: &[u8]) -> Result<Entry, Errno> {
        self.directory(dir)?
            .entries
            .get(name)
            .copied()
            .ok_or(Errno::NoEnt)
    }

    pub(crate) fn lookup(&self, dir: InodeId, name: &[u8]) -> Result<InodeId, Errno> {
        Ok(self.entry(dir, name)?.inode)
    }

    pub(crate) fn parent(&self, dir: InodeId) -> Result<InodeId, Errno> {
        if dir == Self::ROOT {
            return Ok(dir);
        }
        Ok(self.get(dir)?.links.first().ok_or(Errno::NoEnt)?.directory)
    }

    pub(crate) fn path_of(&self, id: InodeId) -> Result<Vec<u8>, Errno> {
        let link = match self.get(id)?.links.first() {
            Some(link) => link,
            None if id == Self::ROOT => return Ok(Vec::new()),
            None => return Err(Errno::NoEnt),
        };
        self.path_of_link(link)
    }

    /// The path that one of a node's names gives it.
    fn path_of_link(&self, link: &Link) -> Result<Vec<u8>, Errno> {
        let mut names: Vec<&Name> = vec![&link.name];
        let mut directory = link.directory;
        while directory != Self::ROOT {
            let up = self.get(directory)?.links.first().ok_or(Errno::NoEnt)?;
            names.push(&up.name);
            directory = up.directory;
        }
        names.reverse();
        let mut path = Vec::with_capacity(names.iter().map(|name| name.len() + 1).sum());
        for name in names {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name);
        }
        Ok(path)
    }

    /// The node at a path of plain names from the root, following nothing.
    pub(crate) fn at(&self, path: &[u8]) -> Result<InodeId, Errno> {
        path.split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty())
            .try_fold(Self::ROOT, |dir, name| self.lookup(dir, name))
    }

    pub(crate) fn stat(&self, id: InodeId) -> Result<Stat, Errno> {
        Ok(self.get(id)?.stat(id, id == Self::ROOT))
    }

    pub(crate) fn device(&self, id: InodeId) -> Option<Device> {
        match self.get(id).ok()?.body {
            Body::Device(device) => Some(device),
            _ => None,
        }
    }

    pub(crate) fn readlink(&self, id: InodeId) -> Result<Arc<[u8]>, Errno> {
        match &self.get(id)?.body {
            Body::Symlink(target) => Ok(target.clone()),
            _ => Err(Errno::Inval),
        }
    }

    pub(crate) fn read_at(&self, id: InodeId, offset: u64, buf: &mut [u8]) -> Result<usize, Errno> {
        match &self.get(id)?.body {
            Body::File(content) => content.read(offset, buf),
            Body::Directory(_) => Err(Errno::IsDir),
            _ => Err(Errno::Inval),
        }
    }

    pub(crate) fn list(
        &self,
        dir: InodeId,
        cookie: u64,
        until: u64,
        sink: DirSink<'_>,
    ) -> Result<(), Errno> {
        let directory = self.directory(dir)?;
        for (cookie, name) in directory.order.range_from(&cookie) {
            if *cookie >= until {
                break;
            }
            let Some(entry) = directory.entries.get(name) else {
                continue;
            };
            let kind = self.get(entry.inode)?.kind();
            let next = cookie + 1;
            if !sink(DirEntryRef {
                name,
                inode: entry.inode.0,
                kind,
                next,
            }) {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn end_cookie(&self, dir: InodeId) -> Result<u64, Errno> {
        Ok(self.directory(dir)?.next_cookie)
    }

    /// Makes a node. `NoEnt` in a removed directory, `Exist`, `NoSpc`.
    pub(crate) fn create(
        &mut self,
        dir: InodeId,
        name: &[u8],
        new: New<'_>,
        now: u64,
    ) -> Result<InodeId, Errno> {
        let body = match new.body {
            NewBody::File => Body::File(content::Content::default()),
            NewBody::Directory => Body::Directory(Directory::new()),
            NewBody::Symlink(target) => Body::Symlink(target.into()),
            NewBody::Fifo => Body::Fifo,
            NewBody::Socket => Body::Socket,
        };
        self.insert(dir, name, body, new, now, false)
    }

    fn insert(
        &mut self,
        dir: InodeId,
        name: &[u8],
        body: Body,
        new: New<'_>,
        now: u64,
        base: bool,
    ) -> Result<InodeId, Errno> {
        self.check_new_name(dir, name)?;
        let name: Name = name.into();
        let mut inode = Inode {
            mode: new.mode & 0o7777,
            uid: new.uid,
            gid: new.gid,
            atime: now,
            mtime: now,
            ctime: now,
            base,
            links: Links::One(Link {
                directory: dir,
                name: name.clone(),
            }),
            origin: None,
            body,
            held: Held::default(),
        };
        if !base {
            let held = self.budget.memory(inode.memory());
            inode.held = Held(held.ok_or(Errno::NoSpc)?);
        }
        let is_directory = matches!(inode.body, Body::Directory(_));
        if !base {
            self.charge(Usage {
                bytes: name.len() as u64 + inode.charge(),
                nodes: 1,
            })?;
        }
        let id = InodeId(self.next);
        self.next += 1;
        self.inodes.insert(id, Arc::new(inode));
        let directory = self.directory_mut(dir, now)?;
        directory.insert(name, id, base);
        directory.subdirectories += u64::from(is_directory);
        Ok(id)
    }

    /// Gives a node that is no directory one more name. `Perm` on a directory.
    pub(crate) fn link(
        &mut self,
        id: InodeId,
        dir: InodeId,
        name: &[u8],
        now: u64,
    ) -> Result<(), Errno> {
        let inode = self.get(id)?;
        if matches!(inode.body, Body::Directory(_)) {
            return Err(Errno::Perm);
        }
        if matches!(inode.links, Links::None) {
            return Err(Errno::NoEnt);
        }
        self.check_new_name(dir, name)?;
        let added = inode::name_memory(name);
        if self.budget.lacks(added) {
            return Err(Errno::NoSpc);
        }
        self.charge(Usage {
            bytes: name.len() as u64,
            nodes: 1,
        })?;
        let name: Name = name.into();
        self.directory_mut(dir, now)?
            .insert(name.clone(), id, false);
        let inode = self.get_mut(id)?;
        inode.links.add(Link {
            directory: dir,
            name,
        });
        inode.held.add_name(added);
        inode.ctime = now;
        Ok(())
    }

    /// Removes a name of something that is no directory. `IsDir` if it is one.
    pub(crate) fn unlink(
        &mut self,
        dir: InodeId,
        name: &[u8],
        now: u64,
        is_open: &dyn Fn(InodeId) -> bool,
    ) -> Result<(), Errno> {
        let entry = self.entry(dir, name)?;
        if matches!(self.get(entry.inode)?.body, Body::Directory(_)) {
            return Err(Errno::IsDir);
        }
        self.remove(dir, name, now, is_open)
    }

    /// Removes an empty directory. `NotDir`, `NotEmpty`.
    pub(crate) fn rmdir(
        &mut self,
        dir: InodeId,
        name: &[u8],
        now: u64,
        is_open: &dyn Fn(InodeId) -> bool,
    ) -> Result<(), Errno> {
        let entry = self.entry(dir, name)?;
        if !self.directory(entry.inode)?.entries.is_empty() {
            return Err(Errno::NotEmpty);
        }
        self.remove(dir, name, now, is_open)
    }

    /// Takes a name away and, with the last one, the node.
    pub(crate) fn remove(
        &mut self,
        dir: InodeId,
        name: &[u8],
        now: u64,
        is_open: &dyn Fn(InodeId) -> bool,
    ) -> Result<(), Errno> {
        let entry = self.entry(dir, name)?;
        let id = entry.inode;
        let inode = self.get_mut(id)?;
        inode.links.remove(&Link {
            directory: dir,
            name: name.into(),
        });
        inode.ctime = now;
        let (last, base) = (matches!(inode.links, Links::None), inode.base);
        inode.held.remove_name(inode::name_memory(name));
        let is_directory = matches!(inode.body, Body::Directory(_));
        let directory = self.directory_mut(dir, now)?;
        directory.remove(name);
        directory.subdirectories -= u64::from(is_directory);
        if !entry.base {
            self.used.bytes -= name.len() as u64;
            self.used.nodes -= 1;
        }
        if last && is_open(id) {
            self.orphans.insert(id, ());
            self.used.nodes += u64::from(!base);
        } else if last {
            self.free(id);
        }
        Ok(())
    }

    /// Frees a node that has no name any more and that nobody has open.
    pub(crate) fn free_orphan(&mut self, id: InodeId) {
        if self.orphans.remove(&id).is_some() {
            if self.get(id).is_ok_and(|inode| !inode.base) {
                self.used.nodes -= 1;
            }
            self.free(id);
        }
    }

    /// Frees all nodes without a name: nothing is open any more.
    pub(crate) fn purge_orphans(&mut self) {
        for id in self.orphans() {
            self.free_orphan(id);
        }
    }

    fn free(&mut self, id: InodeId) {
        if let Some(inode) = self.inodes.remove(&id) {
            self.used.bytes -= inode.charge();
        }
    }

    pub(crate) fn set_times(
        &mut self,
        id: InodeId,
        atime: Option<u64>,
        mtime: Option<u64>,
        now: u64,
    ) -> Result<(), Errno> {
        self.check_memory()?;
        let inode = self.get_mut(id)?;
        inode.atime = atime.unwrap_or(inode.atime);
        inode.mtime = mtime.unwrap_or(inode.mtime);
        inode.ctime = now;
        Ok(())
    }

    pub(crate) fn set_mode(&mut self, id: InodeId, mode: u16, now: u64) -> Result<(), Errno> {
        self.check_memory()?;
        let inode = self.get_mut(id)?;
        inode.mode = mode & 0o7777;
        inode.ctime = now;
        Ok(())
    }

    pub(crate) fn set_owner(
        &mut self,
        id: InodeId,
        uid: Option<u32>,
        gid: Option<u32>,
        now: u64,
    ) -> Result<(), Errno> {
        self.check_memory()?;
        let inode = self.get_mut(id)?;
        inode.uid = uid.unwrap_or(inode.uid);
        inode.gid = gid.unwrap_or(inode.gid);
        inode.ctime = now;
        Ok(())
    }

    /// The lower node that an overlay's node stands for.
    pub(crate) fn origin(&self, id: InodeId) -> Option<InodeId> {
        self.get(id).ok()?.origin
    }

    pub(crate) fn set_origin(&mut self, id: InodeId, origin: InodeId) {
        if let Ok(inode) = self.get_mut(id) {
            inode.origin = Some(origin);
        }
    }

    /// Takes over owner, mode and times, of what an overlay copied.
    pub(crate) fn copy_attributes(&mut self, id: InodeId, stat: &Stat) {
        if let Ok(inode) = self.get_mut(id) {
            (inode.mode, inode.uid, inode.gid) = (stat.mode, stat.uid, stat.gid);
            (inode.atime, inode.mtime, inode.ctime) = (stat.atime, stat.mtime, stat.ctime);
        }
    }

    /// Marks a name as removed from what lies below an overlay.
    pub(crate) fn insert_whiteout(
        &mut self,
        dir: InodeId,
        name: &[u8],
        now: u64,
    ) -> Result<(), Errno> {
        let new = New {
            body: NewBody::File,
            mode: 0,
            uid: 0,
            gid: 0,
        };
        self.insert(dir, name, Body::Whiteout, new, now, false)
            .map(|_| ())
    }

    pub(crate) fn is_whiteout(&self, id: InodeId) -> bool {
        self.get(id)
            .is_ok_and(|inode| matches!(inode.body, Body::Whiteout))
    }

    pub(crate) fn is_orphan(&self, id: InodeId) -> bool {
        self.orphans.contains_key(&id)
    }

    pub(crate) fn orphans(&self) -> Vec<InodeId> {
        self.orphans.keys().copied().collect()
    }

    /// Checks that a name can be made: the directory is one and not removed, the name is free.
    fn check_new_name(&self, dir: InodeId, name: &[u8]) -> Result<(), Errno> {
        let inode = self.get(dir)?;
        let Body::Directory(directory) = &inode.body else {
            return Err(Errno::NotDir);
        };
        if matches!(inode.links, Links::None) && dir != Self::ROOT {
            return Err(Errno::NoEnt);
        }
        if directory.entries.contains_key(name) {
            return Err(Errno::Exist);
        }
        Ok(())
    }

    /// Bytes that may still be added.
    fn room(&self) -> u64 {
        self.limits.bytes.saturating_sub(self.used.bytes)
    }

    /// Adds to the counters, or changes nothing and fails with `NoSpc`.
    fn charge(&mut self, more: Usage) -> Result<(), Errno> {
        self.exchange(Usage::default(), more)
    }

    /// Takes `less` off the counters and adds `more`, or changes nothing and fails with `NoSpc`.
    /// What does not grow never fails, even beyond the limits.
    fn exchange(&mut self, less: Usage, more: Usage) -> Result<(), Errno> {
        let bytes = (self.used.bytes - less.bytes)
            .checked_add(more.bytes)
            .ok_or(Errno::NoSpc)?;
        let nodes = (self.used.nodes - less.nodes)
            .checked_add(more.nodes)
            .ok_or(Errno::NoSpc)?;
        if bytes > self.limits.bytes && bytes > self.used.bytes
            || nodes > self.limits.nodes && nodes > self.used.nodes
        {
            return Err(Errno::NoSpc);
        }
        self.used = Usage { bytes, nodes };
        Ok(())
    }
}
