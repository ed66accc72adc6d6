//! What differs between two maps, without looking at what they share.
//!
//! Both maps are gone through at once. On each side there is a head: a node that nobody has looked
//! into yet, or an entry. Two heads that are the same node are passed over. Otherwise the one that
//! begins first is opened: the other side is past that key already, so it cannot hold that node.
//! If both begin with one key, the one that reaches higher is opened, since the other may be in it.
//! So only nodes are opened that the other side does not have, wherever nodes begin and end.

use std::cmp::Ordering;

use super::node::{Node, pair};
use super::slots::Remaining;

/// An entry that two maps do not have in common.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Difference<'a, K, V> {
    Added(&'a K, &'a V),
    Removed(&'a K, &'a V),
    /// The key, the value it had and the one it has.
    Changed(&'a K, &'a V, &'a V),
}

/// Differences by ascending key.
pub(crate) struct Diff<'a, K, V, F> {
    old: Cursor<'a, K, V>,
    new: Cursor<'a, K, V>,
    same: F,
}

impl<'a, K, V, F> Diff<'a, K, V, F> {
    pub(super) fn new(
        old: Option<&'a Node<K, V>>,
        new: Option<&'a Node<K, V>>,
        same: F,
    ) -> Diff<'a, K, V, F> {
        let (old, new) = (Cursor::new(old), Cursor::new(new));
        Diff { old, new, same }
    }

    /// How many nodes were opened.
    #[cfg(test)]
    pub(super) fn opened(&self) -> usize {
        self.old.opened + self.new.opened
    }
}

impl<'a, K: Ord, V, F: Fn(&V, &V) -> bool> Iterator for Diff<'a, K, V, F> {
    type Item = Difference<'a, K, V>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let order = match (self.old.head, self.new.head) {
                (None, None) => return None,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(Head::Node(old)), Some(Head::Node(new))) if old.ptr_eq(new) => {
                    self.old.pass();
                    self.new.pass();
                    continue;
                }
                (Some(old), Some(new)) => old.begin().cmp(&new.begin()),
            };
            match order {
                Ordering::Less => {
                    if let Some((key, value)) = self.old.open() {
                        return Some(Difference::Removed(key, value));
                    }
                }
                Ordering::Greater => {
                    if let Some((key, value)) = self.new.open() {
                        return Some(Difference::Added(key, value));
                    }
                }
                Ordering::Equal => {
                    let (old, new) = (self.old.height, self.new.height);
                    let before = (old >= new).then(|| self.old.open()).flatten();
                    let after = (new >= old).then(|| self.new.open()).flatten();
                    if let (Some((key, before)), Some((_, after))) = (before, after)
                        && !(self.same)(before, after)
                    {
                        return Some(Difference::Changed(key, before, after));
                    }
                }
            }
        }
    }
}

/// A way through one of the maps.
struct Cursor<'a, K, V> {
    head: Option<Head<'a, K, V>>,
    /// How many levels of nodes the head has: none if it is an entry.
    height: usize,
    /// What comes after the head, of every node that was opened.
    rest: Vec<Rest<'a, K, V>>,
    #[cfg(test)]
    opened: usize,
}

enum Head<'a, K, V> {
    Node(&'a Node<K, V>),
    Entry(&'a K, &'a V),
}

enum Rest<'a, K, V> {
    Children(Remaining<'a, K, Node<K, V>>),
    Entries(Remaining<'a, K, V>),
}

impl<'a, K, V> Head<'a, K, V> {
    /// The least key in it.
    fn begin(&self) -> Option<&'a K> {
        match self {
            Head::Node(node) => node.first().map(|(key, _)| key),
            Head::Entry(key, _) => Some(key),
        }
    }
}

impl<K, V> Clone for Head<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, V> Copy for Head<'_, K, V> {}

impl<'a, K, V> Cursor<'a, K, V> {
    fn new(root: Option<&'a Node<K, V>>) -> Self {
        let mut height = 0;
        let mut next = root;
        while let Some(node) = next {
            height += 1;
            next = match node {
                Node::Branch(children, _) => children.first().and_then(pair).map(|(_, node)| node),
                Node::Leaf(_) => None,
            };
        }
        Cursor {
            head: root.map(Head::Node),
            height,
            rest: Vec::with_capacity(height),
            #[cfg(test)]
            opened: 0,
        }
    }

    /// Returns and passes the head if it is an entry; otherwise goes to the first thing in it.
    fn open(&mut self) -> Option<(&'a K, &'a V)> {
        match self.head? {
            Head::Entry(key, value) => {
                self.pass();
                return Some((key, value));
            }
            Head::Node(Node::Leaf(entries)) => self.rest.push(Rest::Entries(entries.iter())),
            Head::Node(Node::Branch(children, _)) => {
                self.rest.push(Rest::Children(children.iter()));
            }
        }
        #[cfg(test)]
        {
            self.opened += 1;
        }
        self.height -= 1;
        self.pass();
        None
    }

    /// Goes to what comes after the head.
    fn pass(&mut self) {
        self.head = None;
        while let Some(rest) = self.rest.last_mut() {
            self.head = match rest {
                Rest::Children(children) => children
                    .next()
                    .and_then(pair)
                    .map(|(_, child)| Head::Node(child)),
                Rest::Entries(entries) => entries
                    .next()
                    .and_then(pair)
                    .map(|(key, value)| Head::Entry(key, value)),
            };
            if self.head.is_some() {
                return;
            }
            self.rest.pop();
            self.height += 1;
        }
    }
}
