//! Writing a tree: a walk that recurses into nothing, through what differs from the base image
//! only.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use codepod_abi::Errno;

use super::{Attributes, Item, Node, Piece, TreeSink};
use crate::map::Difference;
use crate::node::InodeId;
use crate::tree::Tree;
use crate::tree::inode::{Body, Directory, Entry, Inode, Name};

/// A directory whose entries are being written.
struct Frame {
    rest: std::vec::IntoIter<(Name, Option<Entry>)>,
    /// The directory of the image that it adds to.
    base: Option<InodeId>,
}

struct Walk<'a> {
    tree: &'a Tree,
    base: Option<&'a Tree>,
    /// Nodes that differ from the image's, and all directories above them.
    touched: HashSet<InodeId>,
    /// The numbers of nodes with several names.
    links: HashMap<InodeId, u64>,
    frames: Vec<Frame>,
    /// Directories left since the last node.
    up: u64,
}

impl Tree {
    /// Writes what differs from `base`, which this tree came from; everything, if there is none.
    ///
    /// In an overlay's upper tree the directories that lie over lower ones are `merged`. What is
    /// deleted but open is left out.
    pub fn save<S: TreeSink>(&self, base: Option<&Tree>, sink: &mut S) -> Result<(), S::Error> {
        let mut walk = Walk {
            tree: self,
            base,
            touched: base.map_or_else(HashSet::new, |base| self.touched(base)),
            links: HashMap::new(),
            frames: Vec::new(),
            up: 0,
        };
        let root = self.get(Tree::ROOT)?;
        sink.node(&Node {
            up: 0,
            name: Arc::from(&[][..]),
            free: true,
            item: walk.merged(root, base.map(|_| Tree::ROOT)),
        })?;
        walk.enter(Tree::ROOT, base.map(|_| Tree::ROOT))?;
        while let Some(frame) = walk.frames.last_mut() {
            let base = frame.base;
            match frame.rest.next() {
                Some((name, entry)) => walk.entry(name, entry, base, sink)?,
                None => {
                    walk.frames.pop();
                    walk.up += 1;
                }
            }
        }
        Ok(())
    }

    /// The nodes that are not as in `base`, and the directories that lead to them.
    fn touched(&self, base: &Tree) -> HashSet<InodeId> {
        let mut touched = HashSet::new();
        for difference in base.inodes.diff(&self.inodes, Arc::ptr_eq) {
            let (id, inode) = match difference {
                Difference::Added(id, inode) | Difference::Changed(id, _, inode) => (*id, inode),
                Difference::Removed(..) => continue,
            };
            touched.insert(id);
            for link in inode.links.iter() {
                let mut at = Some(link.directory);
                while let Some(directory) = at.filter(|id| touched.insert(*id)) {
                    at = self
                        .get(directory)
                        .ok()
                        .and_then(|inode| inode.links.first().map(|link| link.directory));
                }
            }
        }
        touched
    }
}

impl Walk<'_> {
    /// Lists what is to be written of a directory, by name.
    fn enter(&mut self, id: InodeId, base: Option<InodeId>) -> Result<(), Errno> {
        let directory = self.tree.directory(id)?;
        let lower = self.base_directory(base);
        let is_written = |name: &Name, entry: &Entry| match lower.and_then(|d| d.entries.get(name))
        {
            Some(old) => {
                old.inode != entry.inode
                    || old.base != entry.base
                    || self.touched.contains(&entry.inode)
            }
            None => true,
        };
        let mut rest: Vec<(Name, Option<Entry>)> = Vec::new();
        for (name, entry) in &directory.entries {
            if is_written(name, entry) {
                rest.push((name.clone(), Some(*entry)));
            }
        }
        if let Some(lower) = lower {
            let gone = lower
                .entries
                .keys()
                .filter(|name| !directory.entries.contains_key(&***name));
            rest.extend(gone.map(|name| (name.clone(), None)));
            rest.sort_by(|a, b| a.0.cmp(&b.0));
        }
        self.frames.push(Frame {
            rest: rest.into_iter(),
            base,
        });
        Ok(())
    }

    fn base_directory(&self, id: Option<InodeId>) -> Option<&Directory> {
        self.base?.directory(id?).ok()
    }

    fn entry<S: TreeSink>(
        &mut self,
        name: Name,
        entry: Option<Entry>,
        base: Option<InodeId>,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let up = std::mem::take(&mut self.up);
        let tree = self.tree;
        let Some(entry) = entry else {
            return sink.node(&Node {
                up,
                name,
                free: false,
                item: Item::Whiteout,
            });
        };
        let inode = tree.get(entry.inode)?;
        let free = entry.base
            && self
                .base_directory(base)
                .is_some_and(|directory| directory.entries.contains_key(&*name));
        if matches!(inode.body, Body::Directory(_)) {
            let lower = self
                .base_directory(base)
                .and_then(|directory| directory.entries.get(&*name))
                .map(|old| old.inode)
                .filter(|old| *old == entry.inode);
            let item = self.merged(inode, lower);
            sink.node(&Node {
                up,
                name,
                free,
                item,
            })?;
            return Ok(self.enter(entry.inode, lower)?);
        }
        let linked = inode.links.count() > 1;
        if linked {
            let next = self.links.len() as u64;
            if let Some(number) = self.links.get(&entry.inode) {
                let item = Item::Link(*number);
                return sink.node(&Node {
                    up,
                    name,
                    free,
                    item,
                });
            }
            self.links.insert(entry.inode, next);
        }
        let attributes = attributes(inode);
        let item = match &inode.body {
            Body::File(content) => Item::File {
                attributes,
                size: content.size(),
                linked,
            },
            Body::Symlink(target) => Item::Symlink {
                attributes,
                target: target.clone(),
                linked,
            },
            Body::Fifo => Item::Fifo { attributes, linked },
            Body::Socket => Item::Socket { attributes, linked },
            Body::Device(device) => Item::Device {
                attributes,
                number: device.number(),
                linked,
            },
            Body::Whiteout | Body::Directory(_) => Item::Whiteout,
        };
        sink.node(&Node {
            up,
            name,
            free,
            item,
        })?;
        if let Body::File(content) = &inode.body {
            for (place, chunk) in content.chunks() {
                sink.piece(place, Piece { chunk })?;
            }
        }
        Ok(())
    }

    /// A directory, with the image's that it is.
    fn merged(&self, inode: &Inode, base: Option<InodeId>) -> Item {
        let old = base.and_then(|id| self.base?.get(id).ok());
        let attributes = attributes(inode);
        Item::Directory {
            merged: old.is_some() || inode.origin.is_some(),
            attributes: Some(attributes)
                .filter(|new| old.is_none_or(|old| self::attributes(old) != *new)),
        }
    }
}

/// Owner, mode and times of a node.
pub(super) fn attributes(inode: &Inode) -> Attributes {
    Attributes {
        mode: inode.mode,
        uid: inode.uid,
        gid: inode.gid,
        atime: inode.atime,
        mtime: inode.mtime,
        ctime: inode.ctime,
    }
}
