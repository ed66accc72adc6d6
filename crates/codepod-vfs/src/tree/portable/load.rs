//! Reading a tree: data that may be hostile, over a base image, within limits that hold before
//! anything is kept.
//!
//! Pieces of files are not fetched: their lengths are charged, their bytes come when somebody reads
//! them. Nothing here recurses, and the work is in the size of what is read.

use std::sync::Arc;

use codepod_abi::Errno;

use super::save::attributes;
use super::{Attributes, Item, Node};
use crate::limits::Usage;
use crate::node::{Device, InodeId, New, NewBody};
use crate::publish::Fingerprint;
use crate::tree::Tree;
use crate::tree::chunk::{BlockSource, Chunk, Digest};
use crate::tree::content::{CHUNK, Content};
use crate::tree::inode::{Body, Directory, Name};

/// Why a tree cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadError {
    /// The data does not describe a tree.
    Malformed(&'static str),
    /// It is more than the limits allow.
    Limit(&'static str),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LoadError::Malformed(what) => write!(f, "malformed: {what}"),
            LoadError::Limit(what) => write!(f, "beyond the limits of the sandbox: {what}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// A tree that was read, and which of its directories add to what lies below.
#[derive(Debug)]
pub struct LoadedTree {
    pub(crate) tree: Tree,
    /// Directories of an overlay that lie over lower ones; each comes after the one that holds it.
    pub(crate) merged: Vec<InodeId>,
    /// What an overlay had seen of the files below it.
    pub(crate) seen: Vec<(Arc<[u8]>, Fingerprint)>,
    /// What they held before the overlay changed them.
    pub(crate) bases: Option<Tree>,
}

impl LoadedTree {
    /// Fetches the pieces of all files: their source is not asked again.
    pub fn fetch(&self) -> Result<(), Errno> {
        let bases = self.bases.iter().flat_map(|bases| &bases.inodes);
        for (_, inode) in self.tree.inodes.iter().chain(bases) {
            if let Body::File(content) = &inode.body {
                for (_, chunk) in content.chunks() {
                    chunk.bytes()?;
                }
            }
        }
        Ok(())
    }

    /// Adds what the overlay had seen of files below it, by their paths.
    pub fn set_seen(&mut self, seen: Vec<(Arc<[u8]>, Fingerprint)>) {
        self.seen = seen;
    }

    /// Adds what files below the overlay held before it changed them.
    pub fn set_bases(&mut self, bases: LoadedTree) {
        self.bases = Some(bases.tree);
    }

    /// What it holds beyond its base.
    pub fn usage(&self) -> Usage {
        self.tree.usage()
    }

    /// The tree itself.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }
}

/// The file whose pieces come now.
struct OpenFile {
    id: InodeId,
    content: Content,
    /// The smallest place that may come next.
    next: u64,
    /// What the image has under this name.
    image: Option<Content>,
}

/// Reads a tree.
pub struct TreeLoader<'a> {
    tree: Tree,
    source: Arc<dyn BlockSource>,
    hash: &'a dyn Fn(&[u8]) -> Digest,
    /// Whether it is an overlay's upper tree.
    overlay: bool,
    /// The directories entered, with the last name in each.
    stack: Vec<(InodeId, Option<Name>)>,
    links: Vec<InodeId>,
    /// What directories get at the end, when nothing is put into them any more.
    directories: Vec<(InodeId, Attributes)>,
    merged: Vec<InodeId>,
    /// Names that are gone and that the image never had: those of the image that it was written
    /// over.
    absent: u64,
    file: Option<OpenFile>,
}

/// How many names of an image may be gone that this one does not have, beside as many as there may
/// be nodes.
const ABSENT: u64 = 1 << 16;

impl std::fmt::Debug for TreeLoader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TreeLoader")
            .field("tree", &self.tree)
            .finish_non_exhaustive()
    }
}

impl<'a> TreeLoader<'a> {
    /// Reads what differs from `base`, within the limits that `base` has. Pieces will come from
    /// `source`.
    pub fn over(
        base: Tree,
        source: Arc<dyn BlockSource>,
        hash: &'a dyn Fn(&[u8]) -> Digest,
    ) -> TreeLoader<'a> {
        TreeLoader {
            tree: base,
            source,
            hash,
            overlay: false,
            stack: Vec::new(),
            links: Vec::new(),
            directories: Vec::new(),
            merged: Vec::new(),
            absent: 0,
            file: None,
        }
    }

    /// Reads an overlay's upper tree; `empty` brings the limits.
    pub fn overlay(
        empty: Tree,
        source: Arc<dyn BlockSource>,
        hash: &'a dyn Fn(&[u8]) -> Digest,
    ) -> TreeLoader<'a> {
        TreeLoader {
            overlay: true,
            ..TreeLoader::over(empty, source, hash)
        }
    }

    /// The next node.
    pub fn node(&mut self, node: Node) -> Result<(), LoadError> {
        self.finish_file()?;
        if self.stack.is_empty() {
            return self.root(&node);
        }
        let depth = usize::try_from(node.up).unwrap_or(usize::MAX);
        if depth >= self.stack.len() {
            return Err(LoadError::Malformed("the root directory is left"));
        }
        self.stack.truncate(self.stack.len() - depth);
        self.check_name(&node.name)?;
        let Some((directory, last)) = self.stack.last_mut() else {
            return Err(LoadError::Malformed("no directory"));
        };
        if last.as_ref().is_some_and(|last| **last >= *node.name) {
            return Err(LoadError::Malformed("names do not ascend"));
        }
        *last = Some(node.name.clone());
        let directory = *directory;
        self.put(directory, node)
    }

    /// A piece of the file that was the last node.
    pub fn piece(&mut self, place: u64, length: u32, digest: Digest) -> Result<(), LoadError> {
        let Some(file) = &mut self.file else {
            return Err(LoadError::Malformed("a piece without a file"));
        };
        let end = place
            .checked_mul(CHUNK)
            .and_then(|start| start.checked_add(length.into()));
        if length == 0
            || u64::from(length) > CHUNK
            || place < file.next
            || end.is_none_or(|end| end > file.content.size())
        {
            return Err(LoadError::Malformed("a piece out of place"));
        }
        file.next = place + 1;
        // What the image has there already costs nothing, as before the state was saved.
        let same = file.image.as_ref().and_then(|image| {
            let chunk = image.chunk(place)?;
            let same = chunk.len() == length as usize && chunk.digest(self.hash).ok()? == digest;
            same.then(|| chunk.clone())
        });
        let chunk = match same {
            Some(chunk) => chunk,
            None => {
                let budget = self.tree.budget();
                let stored = Chunk::stored(self.source.clone(), digest, length, budget);
                Arc::new(stored.map_err(|_| LoadError::Limit("memory"))?)
            }
        };
        file.content.put(place, chunk);
        if file.content.charge() > self.tree.room() {
            return Err(LoadError::Limit("bytes"));
        }
        Ok(())
    }

    /// The tree, when all nodes were read.
    pub fn finish(mut self) -> Result<LoadedTree, LoadError> {
        self.finish_file()?;
        if self.stack.is_empty() {
            return Err(LoadError::Malformed("no root directory"));
        }
        for (id, attributes) in self.directories {
            set_attributes(&mut self.tree, id, &attributes);
        }
        Ok(LoadedTree {
            tree: self.tree,
            merged: self.merged,
            seen: Vec::new(),
            bases: None,
        })
    }

    fn root(&mut self, node: &Node) -> Result<(), LoadError> {
        let Item::Directory { attributes, .. } = node.item else {
            return Err(LoadError::Malformed("the root is no directory"));
        };
        if !node.name.is_empty() || node.up != 0 {
            return Err(LoadError::Malformed("the root has a name"));
        }
        self.enter(Tree::ROOT, attributes)?;
        if self.overlay {
            self.merged.push(Tree::ROOT);
        }
        Ok(())
    }

    /// Enters a directory, which gets its attributes when all is read: those given, or those that
    /// it has.
    fn enter(&mut self, id: InodeId, given: Option<Attributes>) -> Result<(), LoadError> {
        let attributes = match given {
            Some(given) => checked(given)?,
            None => self.tree.get(id).map(attributes).map_err(internal)?,
        };
        self.directories.push((id, attributes));
        self.stack.push((id, None));
        Ok(())
    }

    fn put(&mut self, directory: InodeId, node: Node) -> Result<(), LoadError> {
        let Node {
            name, free, item, ..
        } = node;
        let (given, linked, body) = match item {
            Item::Directory { merged, attributes } => {
                let id = self.directory(directory, &name, merged, free)?;
                if merged && self.overlay {
                    self.merged.push(id);
                }
                return self.enter(id, attributes);
            }
            Item::Whiteout if !self.overlay => {
                if !self.clear(directory, &name)? {
                    self.absent += 1;
                    if self.absent > self.tree.limits().nodes.saturating_add(ABSENT) {
                        return Err(LoadError::Limit("names that are gone"));
                    }
                }
                return Ok(());
            }
            Item::Link(number) => return self.link(directory, &name, number, free),
            Item::Whiteout => (Attributes::default(), false, Body::Whiteout),
            Item::File {
                attributes,
                size,
                linked,
            } => {
                return self.file(directory, &name, free, (attributes, size, linked));
            }
            Item::Symlink {
                attributes,
                target,
                linked,
            } => {
                let limit = self.tree.limits().path_bytes;
                if target.is_empty() || target.len() > limit || target.contains(&0) {
                    return Err(LoadError::Malformed("a link's target"));
                }
                (attributes, linked, Body::Symlink(target))
            }
            Item::Fifo { attributes, linked } => (attributes, linked, Body::Fifo),
            Item::Socket { attributes, linked } => (attributes, linked, Body::Socket),
            Item::Device {
                attributes,
                number,
                linked,
            } => {
                let device = Device::ALL
                    .into_iter()
                    .find(|device| device.number() == number)
                    .ok_or(LoadError::Malformed("an unknown device"))?;
                (attributes, linked, Body::Device(device))
            }
        };
        let free = self.clear(directory, &name)? && free;
        self.insert(directory, &name, body, given, (free, linked))?;
        Ok(())
    }

    /// The directory `name`: the image's, or a new one.
    fn directory(
        &mut self,
        directory: InodeId,
        name: &[u8],
        merged: bool,
        free: bool,
    ) -> Result<InodeId, LoadError> {
        if let Ok(entry) = self.tree.entry(directory, name)
            && merged
            && self.tree.directory(entry.inode).is_ok()
        {
            if entry.base && !free {
                self.charge(name)?;
                let names = self.tree.directory_mut(directory, 0).map_err(internal)?;
                if let Some(entry) = names.entries.get_mut(name) {
                    entry.base = false;
                }
            }
            return Ok(entry.inode);
        }
        let free = self.clear(directory, name)? && free;
        let body = Body::Directory(Directory::new());
        let given = Attributes {
            mode: 0o755,
            ..Attributes::default()
        };
        self.insert(directory, name, body, given, (free, false))
    }

    fn file(
        &mut self,
        directory: InodeId,
        name: &[u8],
        free: bool,
        (attributes, size, linked): (Attributes, u64, bool),
    ) -> Result<(), LoadError> {
        if size > self.tree.limits().file_bytes.min(i64::MAX as u64) {
            return Err(LoadError::Limit("the size of a file"));
        }
        let image = match self.tree.lookup(directory, name) {
            Ok(old) => match &self.tree.get(old).map_err(internal)?.body {
                Body::File(content) => Some(content.clone()),
                _ => None,
            },
            Err(_) => None,
        };
        let free = self.clear(directory, name)? && free;
        let body = Body::File(Content::default());
        let id = self.insert(directory, name, body, attributes, (free, linked))?;
        self.file = Some(OpenFile {
            id,
            content: Content::hole(size),
            next: 0,
            image,
        });
        Ok(())
    }

    /// Puts the file in place whose pieces were read.
    fn finish_file(&mut self) -> Result<(), LoadError> {
        let Some(file) = self.file.take() else {
            return Ok(());
        };
        let charge = Usage {
            bytes: file.content.charge(),
            nodes: 0,
        };
        self.tree
            .charge(charge)
            .map_err(|_| LoadError::Limit("bytes"))?;
        let inode = self.tree.get_mut(file.id).map_err(internal)?;
        inode.body = Body::File(file.content);
        Ok(())
    }

    fn insert(
        &mut self,
        directory: InodeId,
        name: &[u8],
        body: Body,
        given: Attributes,
        (free, linked): (bool, bool),
    ) -> Result<InodeId, LoadError> {
        let given = checked(given)?;
        let new = New {
            body: NewBody::File,
            mode: given.mode,
            uid: given.uid,
            gid: given.gid,
        };
        let id = self
            .tree
            .insert(directory, name, body, new, 0, free)
            .map_err(|errno| match errno {
                Errno::NoSpc => LoadError::Limit("bytes or number of files"),
                _ => LoadError::Malformed("a name that cannot be"),
            })?;
        set_attributes(&mut self.tree, id, &given);
        if linked {
            self.links.push(id);
        }
        Ok(id)
    }

    fn link(
        &mut self,
        directory: InodeId,
        name: &[u8],
        number: u64,
        free: bool,
    ) -> Result<(), LoadError> {
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let id = *self
            .links
            .get(index)
            .ok_or(LoadError::Malformed("a link to nothing"))?;
        let before = self.tree.get(id).map(attributes).map_err(internal)?;
        let free = self.clear(directory, name)? && free;
        self.tree
            .link(id, directory, name, 0)
            .map_err(|errno| match errno {
                Errno::NoSpc => LoadError::Limit("bytes or number of files"),
                _ => LoadError::Malformed("a name that cannot be"),
            })?;
        if free {
            self.tree.used.bytes -= name.len() as u64;
            self.tree.used.nodes -= 1;
            let names = self.tree.directory_mut(directory, 0).map_err(internal)?;
            if let Some(entry) = names.entries.get_mut(name) {
                entry.base = true;
            }
        }
        set_attributes(&mut self.tree, id, &before);
        Ok(())
    }

    /// Removes what the image has under a name, with all that is in it; whether there was
    /// something.
    fn clear(&mut self, directory: InodeId, name: &[u8]) -> Result<bool, LoadError> {
        let Ok(id) = self.tree.lookup(directory, name) else {
            return Ok(false);
        };
        let mut below: Vec<(InodeId, Name)> = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if let Ok(directory) = self.tree.directory(id) {
                for (name, entry) in &directory.entries {
                    below.push((id, name.clone()));
                    open.push(entry.inode);
                }
            }
        }
        // The deepest last: nothing is removed before what it holds.
        for (holder, name) in below.into_iter().rev() {
            self.tree
                .remove(holder, &name, 0, &|_| false)
                .map_err(internal)?;
        }
        self.tree
            .remove(directory, name, 0, &|_| false)
            .map_err(internal)?;
        Ok(true)
    }

    /// Charges a name.
    fn charge(&mut self, name: &[u8]) -> Result<(), LoadError> {
        let more = Usage {
            bytes: name.len() as u64,
            nodes: 1,
        };
        self.tree
            .charge(more)
            .map_err(|_| LoadError::Limit("bytes or number of files"))
    }

    fn check_name(&self, name: &[u8]) -> Result<(), LoadError> {
        let bad = matches!(name, b"" | b"." | b"..")
            || name.len() > self.tree.limits().name_bytes
            || name.iter().any(|byte| matches!(byte, b'/' | 0));
        if bad {
            return Err(LoadError::Malformed("a name that cannot be"));
        }
        Ok(())
    }
}

fn checked(attributes: Attributes) -> Result<Attributes, LoadError> {
    if attributes.mode > 0o7777 {
        return Err(LoadError::Malformed("a mode that cannot be"));
    }
    Ok(attributes)
}

fn set_attributes(tree: &mut Tree, id: InodeId, given: &Attributes) {
    if let Ok(inode) = tree.get_mut(id) {
        (inode.mode, inode.uid, inode.gid) = (given.mode, given.uid, given.gid);
        (inode.atime, inode.mtime, inode.ctime) = (given.atime, given.mtime, given.ctime);
    }
}

/// What cannot happen while the tree is ours alone.
fn internal(_: Errno) -> LoadError {
    LoadError::Malformed("a node that is not there")
}
