//! Going through a map in order.

use std::borrow::Borrow;

use super::node::{Node, child_for, pair};
use super::slots::{Remaining, search};

/// Entries by ascending key.
pub(crate) struct Iter<'a, K, V> {
    /// The children still to come, of every branch above the leaf.
    above: Vec<Remaining<'a, K, Node<K, V>>>,
    leaf: Remaining<'a, K, V>,
}

impl<'a, K, V> Iter<'a, K, V> {
    pub(super) fn new(root: Option<&'a Node<K, V>>) -> Self {
        let mut iter = Iter {
            above: Vec::new(),
            leaf: [].iter(),
        };
        if let Some(root) = root {
            iter.descend(root);
        }
        iter
    }

    /// Begins at `key`, or where it would be.
    pub(super) fn from<Q: Ord + ?Sized>(root: Option<&'a Node<K, V>>, key: &Q) -> Self
    where
        K: Borrow<Q>,
    {
        let mut iter = Iter::new(None);
        let mut next = root;
        while let Some(node) = next {
            match node {
                Node::Leaf(entries) => {
                    let (Ok(at) | Err(at)) = search(entries, key);
                    iter.leaf = entries[at..].iter();
                    next = None;
                }
                Node::Branch(children, _) => {
                    let mut children = children[child_for(children, key)..].iter();
                    next = children
                        .next()
                        .and_then(Option::as_ref)
                        .map(|(_, node)| node);
                    iter.above.push(children);
                }
            }
        }
        iter
    }

    /// Goes to the first entry of a node.
    fn descend(&mut self, mut node: &'a Node<K, V>) {
        loop {
            match node {
                Node::Leaf(entries) => {
                    self.leaf = entries.iter();
                    return;
                }
                Node::Branch(children, _) => {
                    let mut children = children.iter();
                    let first = children.next();
                    self.above.push(children);
                    match first {
                        Some(Some((_, child))) => node = child,
                        _ => return,
                    }
                }
            }
        }
    }
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            // Behind the items of a node there are only empty slots.
            if let Some(entry) = self.leaf.next().and_then(pair) {
                return Some(entry);
            }
            match self.above.last_mut()?.next() {
                Some(Some((_, child))) => self.descend(child),
                _ => {
                    self.above.pop();
                }
            }
        }
    }
}
