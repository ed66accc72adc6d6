//! What differs between two trees, in time that depends on what differs.
//!
//! The inode maps are compared without looking at what they share; every inode that differs gives
//! the paths it has on either side, and a directory that moved gives the paths below it. Times are
//! not compared: a directory's change with its entries and would be listed for no use.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::inode::{Body, Inode};
use super::{InodeId, Tree};
use crate::map::Difference;
use crate::node::FileKind;

/// A path at which two trees differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// From the tree's root, without a leading slash.
    pub path: Vec<u8>,
    /// How it differs.
    pub kind: ChangeKind,
    /// What is there now; for [`ChangeKind::Removed`], what was.
    pub file: FileKind,
}

/// How a path differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// Other bytes or another link target.
    Modified,
    /// Something of another kind.
    TypeChanged,
    /// Other permission bits or another owner, and nothing else.
    AttributesChanged,
}

/// What was there and what is there now.
#[derive(Default)]
struct Pair {
    old: Option<InodeId>,
    new: Option<InodeId>,
}

/// All differences from `old` to `new`, sorted by path.
pub fn diff(old: &Tree, new: &Tree) -> Vec<Change> {
    let mut pairs: BTreeMap<Vec<u8>, Pair> = BTreeMap::new();
    for item in old.inodes.diff(&new.inodes, Arc::ptr_eq) {
        let (id, before, after) = match item {
            Difference::Added(id, after) => (*id, None, Some(&**after)),
            Difference::Removed(id, before) => (*id, Some(&**before), None),
            Difference::Changed(id, before, after) => (*id, Some(&**before), Some(&**after)),
        };
        // Only a directory that was there before and is elsewhere now takes along what did not
        // change itself: whatever lies in a new directory is new there too.
        let moved = matches!((before, after), (Some(a), Some(b)) if a.links != b.links);
        if let Some(before) = before {
            collect(old, id, before, moved, &mut |path, id| {
                pairs.entry(path).or_default().old = Some(id);
            });
        }
        if let Some(after) = after {
            collect(new, id, after, moved, &mut |path, id| {
                pairs.entry(path).or_default().new = Some(id);
            });
        }
    }
    pairs
        .into_iter()
        .filter_map(|(path, pair)| change(old, new, path, &pair))
        .collect()
}

/// Hands out every path of a node and, if `deep`, of everything below it.
fn collect(
    tree: &Tree,
    id: InodeId,
    inode: &Inode,
    deep: bool,
    sink: &mut dyn FnMut(Vec<u8>, InodeId),
) {
    if id == Tree::ROOT {
        sink(Vec::new(), id);
    }
    // What cannot be reached, because it is deleted but open, has no path.
    for path in inode
        .links
        .iter()
        .filter_map(|link| tree.path_of_link(link).ok())
    {
        if deep {
            tree.walk_from(id, path.clone(), sink);
        }
        sink(path, id);
    }
}

fn change(old: &Tree, new: &Tree, path: Vec<u8>, pair: &Pair) -> Option<Change> {
    let before = pair.old.and_then(|id| old.get(id).ok());
    let after = pair.new.and_then(|id| new.get(id).ok());
    let file = after.or(before)?.kind();
    let kind = match (before, after) {
        (None, _) => ChangeKind::Added,
        (_, None) => ChangeKind::Removed,
        (Some(before), Some(after)) => compare(before, after)?,
    };
    Some(Change { path, kind, file })
}

/// How two nodes differ, if they do.
pub(crate) fn compare(before: &Inode, after: &Inode) -> Option<ChangeKind> {
    if before.kind() != after.kind() {
        return Some(ChangeKind::TypeChanged);
    }
    let same = match (&before.body, &after.body) {
        (Body::File(a), Body::File(b)) => a.same_bytes(b),
        (Body::Symlink(a), Body::Symlink(b)) => a == b,
        (Body::Device(a), Body::Device(b)) => a == b,
        _ => true,
    };
    if !same {
        return Some(ChangeKind::Modified);
    }
    let attributes = |inode: &Inode| (inode.mode, inode.uid, inode.gid);
    (attributes(before) != attributes(after)).then_some(ChangeKind::AttributesChanged)
}

impl Tree {
    /// Hands out everything below the directory `id`, whose path is `path`.
    pub(crate) fn walk_from(
        &self,
        id: InodeId,
        path: Vec<u8>,
        sink: &mut dyn FnMut(Vec<u8>, InodeId),
    ) {
        let mut open = vec![(id, path)];
        while let Some((dir, path)) = open.pop() {
            let Ok(directory) = self.directory(dir) else {
                continue;
            };
            for (name, entry) in &directory.entries {
                let mut child = path.clone();
                if !child.is_empty() {
                    child.push(b'/');
                }
                child.extend_from_slice(name);
                if self.directory(entry.inode).is_ok() {
                    open.push((entry.inode, child.clone()));
                }
                sink(child, entry.inode);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{New, NewBody};

    const FILE: New<'static> = New {
        body: NewBody::File,
        mode: 0o644,
        uid: 0,
        gid: 0,
    };
    const DIR: New<'static> = New {
        body: NewBody::Directory,
        ..FILE
    };

    fn text(changes: &[Change]) -> Vec<String> {
        let line = |c: &Change| format!("{:?} {}", c.kind, String::from_utf8_lossy(&c.path));
        changes.iter().map(line).collect()
    }

    #[test]
    fn every_kind_of_change_is_told_by_path() {
        let old = Tree::builder()
            .file("etc/a", 0o644, "1")
            .file("etc/b", 0o644, "2")
            .file("etc/c", 0o644, "3")
            .file("d/e/f", 0o644, "4")
            .build();
        let mut new = old.clone();
        let etc = new.at(b"etc").unwrap();
        let a = new.at(b"etc/a").unwrap();
        new.write_at(a, 0, b"x", 0, 1).unwrap();
        let b = new.at(b"etc/b").unwrap();
        new.set_mode(b, 0o600, 1).unwrap();
        new.unlink(etc, b"c", 1, &|_| false).unwrap();
        new.create(etc, b"c", DIR, 1).unwrap();
        new.create(etc, b"new", FILE, 1).unwrap();
        new.link(a, Tree::ROOT, b"alias", 1).unwrap();
        new.rename(Tree::ROOT, b"d", Tree::ROOT, b"moved", 1, &|_| false)
            .unwrap();
        assert_eq!(
            text(&diff(&old, &new)),
            [
                "Added alias",
                "Removed d",
                "Removed d/e",
                "Removed d/e/f",
                "Modified etc/a",
                "AttributesChanged etc/b",
                "TypeChanged etc/c",
                "Added etc/new",
                "Added moved",
                "Added moved/e",
                "Added moved/e/f",
            ]
        );
        assert_eq!(diff(&new, &new.clone()), []);
    }

    #[test]
    fn hard_links_are_told_by_each_of_their_paths() {
        let mut old = Tree::builder().file("a", 0o644, "1").build();
        let a = old.at(b"a").unwrap();
        old.link(a, Tree::ROOT, b"b", 1).unwrap();
        let mut new = old.clone();
        new.write_at(a, 0, b"2", 0, 1).unwrap();
        assert_eq!(text(&diff(&old, &new)), ["Modified a", "Modified b"]);
    }

    #[test]
    fn a_file_that_replaces_another_is_a_modification() {
        let old = Tree::builder()
            .file("a", 0o644, "1")
            .file("b", 0o644, "2")
            .build();
        let mut new = old.clone();
        new.rename(Tree::ROOT, b"a", Tree::ROOT, b"b", 1, &|_| false)
            .unwrap();
        assert_eq!(text(&diff(&old, &new)), ["Removed a", "Modified b"]);
    }

    #[test]
    fn the_time_depends_on_the_changes_and_not_on_the_tree() {
        let mut builder = Tree::builder();
        for n in 0..100_000 {
            builder = builder.file(format!("d{}/f{n}", n % 100), 0o644, "x");
        }
        let old = builder.build();
        let mut new = old.clone();
        let file = new.at(b"d7/f7").unwrap();
        new.write_at(file, 0, b"y", 0, 1).unwrap();
        // The best of some: a machine that is busy elsewhere must not fail us.
        let best = (0..20)
            .map(|_| {
                let start = std::time::Instant::now();
                assert_eq!(text(&diff(&old, &new)), ["Modified d7/f7"]);
                start.elapsed()
            })
            .min();
        assert!(best < Some(std::time::Duration::from_millis(5)), "{best:?}");
    }
}
