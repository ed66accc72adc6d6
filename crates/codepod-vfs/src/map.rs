//! A persistent ordered map: clones share what they have in common.
//!
//! It is a B+-tree whose nodes are counted references. A clone takes constant time; a change copies
//! the nodes on one path that are shared and changes the others in place. Two maps that came from
//! one are compared in the time of what differs ([`Map::diff`]). The map knows nothing of files;
//! `tree.rs` builds inodes, directories and chunks on it.
//!
//! Leaves hold the entries, branches hold children by a key that is no greater than any below. A
//! node has room for as much as it holds, doubled when needed, so a map with one entry is one small
//! allocation and an empty one is none.
//!
//! Invariant (`map/check.rs`): keys ascend, all leaves are equally deep, no node holds more than
//! `MAX`, and none but those on the right edge less than `MAX / 4`. The right edge may be thinner
//! because numbers, which grow, are added there: nodes left behind by them are full.

#[cfg(test)]
mod check;
mod diff;
mod iter;
mod node;
mod slots;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;
use std::sync::Arc;

pub(crate) use self::diff::{Diff, Difference};
pub(crate) use self::iter::Iter;
use self::node::{Inserted, Node};

/// Keys in order, each with a value. No node holds more than `MAX`, a power of two.
///
/// Wider nodes find faster, narrower ones cost less to copy: with 32, the first write after a fork
/// takes half as long again as with 16, with 8 lookups take longer.
#[derive(Clone)]
pub(crate) struct Map<K, V, const MAX: usize = 16> {
    root: Option<Node<K, V>>,
}

impl<K, V, const MAX: usize> Map<K, V, MAX> {
    pub(crate) const fn new() -> Self {
        Map { root: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.count() as usize)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// Whether both are the same piece of memory, or empty.
    pub(crate) fn ptr_eq(&self, other: &Self) -> bool {
        match (&self.root, &other.root) {
            (Some(a), Some(b)) => a.ptr_eq(b),
            (None, None) => true,
            _ => false,
        }
    }

    /// The entry with the least key.
    pub(crate) fn first(&self) -> Option<(&K, &V)> {
        self.iter().next()
    }

    /// The entry with the greatest key.
    pub(crate) fn last(&self) -> Option<(&K, &V)> {
        self.root.as_ref()?.last()
    }

    /// All entries, by ascending key.
    pub(crate) fn iter(&self) -> Iter<'_, K, V> {
        Iter::new(self.root.as_ref())
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &K> {
        self.iter().map(|(key, _)| key)
    }
}

impl<K: Ord, V, const MAX: usize> Map<K, V, MAX> {
    pub(crate) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.root.as_ref()?.get(key)
    }

    pub(crate) fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// The entries from `key` on, by ascending key.
    pub(crate) fn range_from<Q: Ord + ?Sized>(&self, key: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        Iter::from(self.root.as_ref(), key)
    }

    /// What differs from `self` to `newer`, by ascending key. What they share is not looked at.
    /// `same` tells whether two values of one key are the same.
    pub(crate) fn diff<'a, F>(&'a self, newer: &'a Self, same: F) -> Diff<'a, K, V, F>
    where
        F: Fn(&V, &V) -> bool,
    {
        Diff::new(self.root.as_ref(), newer.root.as_ref(), same)
    }
}

impl<K: Ord + Clone, V: Clone, const MAX: usize> Map<K, V, MAX> {
    /// A map with one entry.
    pub(crate) fn unit(key: K, value: V) -> Self {
        let mut map = Map::new();
        map.insert(key, value);
        map
    }

    /// The value to change. Looking for a key that is not there copies nothing.
    pub(crate) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.root.as_mut()?.get_mut(key)
    }

    /// Adds an entry, or gives the key another value and returns the one it had.
    pub(crate) fn insert(&mut self, key: K, value: V) -> Option<V> {
        const { assert!(MAX.is_power_of_two() && MAX >= 4) };
        let Some(mut root) = self.root.take() else {
            self.root = Some(Node::Leaf(Arc::new([Some((key, value))])));
            return None;
        };
        let mut replaced = None;
        self.root = Some(match root.insert::<MAX>(key, value, true) {
            Inserted::Split(key, right) => Node::over(root, key, right),
            Inserted::Added => root,
            Inserted::Replaced(old) => {
                replaced = Some(old);
                root
            }
        });
        replaced
    }

    /// Takes an entry away. Looking for a key that is not there copies nothing.
    pub(crate) fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let root = self.root.as_mut()?;
        let removed = root.remove::<Q, MAX>(key, true, false)?;
        // A root with a single child says nothing.
        while let Some(child) = root.only_child() {
            *root = child;
        }
        if root.is_empty() {
            self.root = None;
        }
        Some(removed)
    }
}

impl<K, V, const MAX: usize> Default for Map<K, V, MAX> {
    fn default() -> Self {
        Map::new()
    }
}

impl<K: Ord + Clone, V: Clone, const MAX: usize> FromIterator<(K, V)> for Map<K, V, MAX> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<'a, K, V, const MAX: usize> IntoIterator for &'a Map<K, V, MAX> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K: PartialEq, V: PartialEq, const MAX: usize> PartialEq for Map<K, V, MAX> {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Eq, V: Eq, const MAX: usize> Eq for Map<K, V, MAX> {}

impl<K: std::fmt::Debug, V: std::fmt::Debug, const MAX: usize> std::fmt::Debug for Map<K, V, MAX> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
