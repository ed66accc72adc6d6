//! Sorting, compiled once.
//!
//! The standard library's sort is some 10 KB of code for every type it sorts. Here the order of the
//! positions is sorted, whatever lies at them.

use std::cmp::Ordering;

/// Sorts; what compares equal keeps its order.
pub fn by<T>(items: &mut Vec<T>, mut compare: impl FnMut(&T, &T) -> Ordering) {
    let order = positions(items.len(), &mut |one, other| {
        compare(&items[one], &items[other])
    });
    let mut all: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|at| all[at].take()));
}

/// Sorts by what `key` makes of an item; it is asked for at every comparison.
pub fn by_key<T, K: Ord>(items: &mut Vec<T>, mut key: impl FnMut(&T) -> K) {
    by(items, |one, other| key(one).cmp(&key(other)));
}

fn positions(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let mut items = vec![(2, 'a'), (1, 'b'), (2, 'c'), (1, 'd')];
        by_key(&mut items, |(number, _)| *number);
        assert_eq!(items, [(1, 'b'), (1, 'd'), (2, 'a'), (2, 'c')]);
    }
}
