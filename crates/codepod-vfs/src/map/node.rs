//! One node of a map and everything below it: finding, adding and removing.
//!
//! `last` tells a node that it is on the right edge of the map, where nodes may be thin.

use std::borrow::Borrow;
use std::sync::Arc;

use super::slots::{self, Slots, filled, search};

/// A leaf, or a branch with the number of entries below it.
///
/// The number is that small so that it needs no room of its own; memory ends long before it does.
#[derive(Clone)]
pub(super) enum Node<K, V> {
    Leaf(Slots<K, V>),
    Branch(Slots<K, Node<K, V>>, u32),
}

/// What became of an insertion.
pub(super) enum Inserted<K, V> {
    Replaced(V),
    Added,
    /// Added, and this is the right part of what was one node, from its least key on.
    Split(K, Node<K, V>),
}

impl<K, V> Node<K, V> {
    /// How many entries it holds.
    pub(super) fn count(&self) -> u32 {
        match self {
            Node::Leaf(entries) => filled(entries) as u32,
            Node::Branch(_, count) => *count,
        }
    }

    pub(super) fn ptr_eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Node::Leaf(a), Node::Leaf(b)) => Arc::ptr_eq(a, b),
            (Node::Branch(a, _), Node::Branch(b, _)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Node::Leaf(entries) => entries.first().is_none_or(Option::is_none),
            Node::Branch(children, _) => children.first().is_none_or(Option::is_none),
        }
    }

    /// The entry with the least key.
    pub(super) fn first(&self) -> Option<(&K, &V)> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return pair(entries.first()?),
                Node::Branch(children, _) => node = &children.first()?.as_ref()?.1,
            }
        }
    }

    /// The entry with the greatest key.
    pub(super) fn last(&self) -> Option<(&K, &V)> {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => return pair(entries.iter().rfind(|slot| slot.is_some())?),
                Node::Branch(children, _) => node = &children.iter().rev().flatten().next()?.1,
            }
        }
    }

    /// The child of a branch that has no other.
    pub(super) fn only_child(&self) -> Option<Node<K, V>>
    where
        K: Clone,
        V: Clone,
    {
        match self {
            Node::Branch(children, _) if filled(children) == 1 => {
                Some(children.first()?.as_ref()?.1.clone())
            }
            _ => None,
        }
    }

    /// The first key of the node itself, which is no greater than any below.
    fn begin(&self) -> Option<&K> {
        match self {
            Node::Leaf(entries) => entries.first()?.as_ref().map(|(key, _)| key),
            Node::Branch(children, _) => children.first()?.as_ref().map(|(key, _)| key),
        }
    }

    /// How many entries or children it holds itself.
    fn width(&self) -> usize {
        match self {
            Node::Leaf(entries) => filled(entries),
            Node::Branch(children, _) => filled(children),
        }
    }
}

impl<K: Ord, V> Node<K, V> {
    pub(super) fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let at = search(entries, key).ok()?;
                    return entries[at].as_ref().map(|(_, value)| value);
                }
                Node::Branch(children, _) => {
                    node = &children[child_for(children, key)].as_ref()?.1;
                }
            }
        }
    }
}

impl<K: Ord + Clone, V: Clone> Node<K, V> {
    /// A branch over two nodes; `key` is where the right one begins.
    pub(super) fn over(left: Node<K, V>, key: K, right: Node<K, V>) -> Node<K, V> {
        let count = left.count() + right.count();
        let begin = left.begin().unwrap_or(&key).clone();
        Node::Branch(Arc::new([Some((begin, left)), Some((key, right))]), count)
    }

    pub(super) fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let mut node = self;
        let mut known = false;
        loop {
            match node {
                Node::Leaf(entries) => {
                    let at = search(entries, key).ok()?;
                    return Arc::make_mut(entries)[at].as_mut().map(|slot| &mut slot.1);
                }
                Node::Branch(children, _) => {
                    let at = child_for(children, key);
                    known = known || known_before_copying(children, at, key)?;
                    node = &mut Arc::make_mut(children)[at].as_mut()?.1;
                }
            }
        }
    }

    pub(super) fn insert<const MAX: usize>(
        &mut self,
        key: K,
        value: V,
        last: bool,
    ) -> Inserted<K, V> {
        match self {
            Node::Leaf(entries) => {
                let at = match search(entries, &key) {
                    Ok(at) => match &mut Arc::make_mut(entries)[at] {
                        Some((_, old)) => {
                            return Inserted::Replaced(std::mem::replace(old, value));
                        }
                        None => at,
                    },
                    Err(at) => at,
                };
                match slots::insert::<K, V, MAX>(entries, at, (key, value), last) {
                    Some(right) => split(Node::Leaf(right)),
                    None => Inserted::Added,
                }
            }
            Node::Branch(children, count) => {
                let at = child_for(children, &key);
                let last_child = last && is_last(children, at);
                let Some((least, child)) = &mut Arc::make_mut(children)[at] else {
                    unreachable!("a branch has a child for every key");
                };
                if key < *least {
                    *least = key.clone();
                }
                let split_off = match child.insert::<MAX>(key, value, last_child) {
                    Inserted::Split(key, right) => {
                        slots::insert::<K, Self, MAX>(children, at + 1, (key, right), last)
                    }
                    Inserted::Added => None,
                    replaced => return replaced,
                };
                *count += 1;
                match split_off {
                    Some(right) => {
                        let moved = entries_below(&right);
                        *count -= moved;
                        split(Node::Branch(right, moved))
                    }
                    None => Inserted::Added,
                }
            }
        }
    }

    /// `known` is whether the caller has made sure that the key is there.
    pub(super) fn remove<Q: Ord + ?Sized, const MAX: usize>(
        &mut self,
        key: &Q,
        last: bool,
        known: bool,
    ) -> Option<V>
    where
        K: Borrow<Q>,
    {
        match self {
            Node::Leaf(entries) => {
                let at = search(entries, key).ok()?;
                slots::remove(entries, at).map(|(_, value)| value)
            }
            Node::Branch(children, count) => {
                let at = child_for(children, key);
                let known = known || known_before_copying(children, at, key)?;
                let last = last && is_last(children, at);
                let child = &mut Arc::make_mut(children)[at].as_mut()?.1;
                let removed = child.remove::<Q, MAX>(key, last, known)?;
                *count -= 1;
                match child.width() {
                    0 => {
                        slots::remove(children, at);
                    }
                    width if width < MAX / 4 && !last => {
                        join_with_neighbour::<K, V, MAX>(children, at);
                    }
                    _ => {}
                }
                Some(removed)
            }
        }
    }
}

pub(super) fn pair<K, V>(slot: &Option<(K, V)>) -> Option<(&K, &V)> {
    slot.as_ref().map(|(key, value)| (key, value))
}

/// Which child has `key` if any has: the last that does not begin behind it.
pub(super) fn child_for<K, T, Q>(children: &Slots<K, T>, key: &Q) -> usize
where
    K: Borrow<Q>,
    Q: Ord + ?Sized,
{
    match search(children, key) {
        Ok(at) => at,
        Err(at) => at.saturating_sub(1),
    }
}

fn is_last<K, T>(slots: &Slots<K, T>, at: usize) -> bool {
    slots.get(at + 1).is_none_or(Option::is_none)
}

/// Makes sure that `key` is there before a shared node is copied for its sake: `None` if it is not,
/// `Some(false)` if the node is not shared and the question can wait.
fn known_before_copying<K, V, Q>(
    children: &Slots<K, Node<K, V>>,
    at: usize,
    key: &Q,
) -> Option<bool>
where
    K: Ord + Borrow<Q>,
    Q: Ord + ?Sized,
{
    if Arc::strong_count(children) == 1 {
        return Some(false);
    }
    children[at].as_ref()?.1.get(key).map(|_| true)
}

fn entries_below<K, V>(children: &Slots<K, Node<K, V>>) -> u32 {
    let children = children.iter().flatten();
    children.map(|(_, child)| child.count()).sum()
}

fn split<K: Clone, V>(right: Node<K, V>) -> Inserted<K, V> {
    let Some(key) = right.begin() else {
        unreachable!("the right part of what was split holds something");
    };
    Inserted::Split(key.clone(), right)
}

/// Brings a child that has become thin up to size, with what a neighbour has.
fn join_with_neighbour<K: Ord + Clone, V: Clone, const MAX: usize>(
    children: &mut Slots<K, Node<K, V>>,
    at: usize,
) {
    let right_at = at.max(1);
    let pair = Arc::make_mut(children).get_disjoint_mut([right_at - 1, right_at]);
    let Ok([Some((_, left)), Some((right_begin, right))]) = pair else {
        return;
    };
    let joined = match (left, &mut *right) {
        (Node::Leaf(left), Node::Leaf(right)) => slots::join::<K, V, MAX>(left, right),
        (Node::Branch(left, left_count), Node::Branch(right, right_count)) => {
            let total = *left_count + *right_count;
            let joined = slots::join::<K, Node<K, V>, MAX>(left, right);
            *right_count = entries_below(right);
            *left_count = total - *right_count;
            joined
        }
        _ => unreachable!("neighbours are equally deep"),
    };
    if joined {
        slots::remove(children, right_at);
    } else if let Some(key) = right.begin() {
        *right_begin = key.clone();
    }
}
