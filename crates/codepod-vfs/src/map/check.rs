//! What always holds in a map, for tests.

use std::fmt::Debug;

use super::Map;
use super::node::Node;

impl<K: Ord + Debug, V, const MAX: usize> Map<K, V, MAX> {
    /// Panics if the invariant in `map.rs` does not hold.
    pub(crate) fn check(&self) {
        let Some(root) = &self.root else { return };
        assert!(!root.is_empty(), "an empty map has no nodes");
        if let Node::Branch(children, _) = root {
            assert!(children.iter().flatten().count() > 1, "a needless root");
        }
        check::<K, V, MAX>(root, None, None, true, true);
    }

    /// How many bytes its nodes take, apart from what entries refer to.
    pub(crate) fn node_bytes(&self) -> usize {
        self.root.as_ref().map_or(0, bytes)
    }
}

/// Checks a node all of whose keys are from `from` on and before `before`; returns its height.
fn check<K: Ord + Debug, V, const MAX: usize>(
    node: &Node<K, V>,
    from: Option<&K>,
    before: Option<&K>,
    last: bool,
    root: bool,
) -> usize {
    let (keys, room): (Vec<Option<&K>>, usize) = match node {
        Node::Leaf(entries) => (keys(entries), entries.len()),
        Node::Branch(children, _) => (keys(children), children.len()),
    };
    let length = keys.iter().flatten().count();
    assert!(room.is_power_of_two() && room <= MAX);
    assert!(length >= if last || root { 1 } else { MAX / 4 });
    assert!(keys[length..].iter().all(Option::is_none));
    let keys: Vec<&K> = keys.into_iter().flatten().collect();
    assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
    assert!(from.is_none_or(|from| from <= keys[0]));
    assert!(before.is_none_or(|before| keys[length - 1] < before));
    let Node::Branch(children, count) = node else {
        return 1;
    };
    let children: Vec<&Node<K, V>> = children.iter().flatten().map(|(_, child)| child).collect();
    assert_eq!(*count, children.iter().map(|child| child.count()).sum());
    let heights: Vec<usize> = (0..length)
        .map(|at| {
            let before = keys.get(at + 1).copied().or(before);
            let last = last && at + 1 == length;
            check::<K, V, MAX>(children[at], Some(keys[at]), before, last, false)
        })
        .collect();
    assert!(heights.iter().all(|height| *height == heights[0]));
    heights[0] + 1
}

fn keys<K, T>(slots: &[Option<(K, T)>]) -> Vec<Option<&K>> {
    let keys = slots.iter().map(|slot| slot.as_ref().map(|(key, _)| key));
    keys.collect()
}

fn bytes<K, V>(node: &Node<K, V>) -> usize {
    // In front of the slots there are two counters.
    let counters = 2 * size_of::<usize>();
    match node {
        Node::Leaf(entries) => counters + size_of_val(&**entries),
        Node::Branch(children, _) => {
            let below = children.iter().flatten().map(|(_, child)| bytes(child));
            counters + size_of_val(&**children) + below.sum::<usize>()
        }
    }
}
