//! Maps against those of the standard library.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Difference, Map};

/// Nodes this narrow make a few hundred entries a high tree.
type Narrow<const MAX: usize> = Map<u16, u32, MAX>;
type Model = BTreeMap<u16, u32>;

#[derive(Debug, Clone)]
enum Step {
    Insert(u16, u32),
    Append(u8),
    Remove(u16),
    RemoveFrom(u16, u8),
    RemoveLast(u8),
    Change(u16, u32),
    Look(u16),
    /// Keeps a clone for later.
    Keep,
    /// Goes on with a kept clone.
    Return(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let key = || 0..400u16;
    let step = prop_oneof![
        8 => (key(), 0..4u32).prop_map(|(key, value)| Step::Insert(key, value)),
        2 => (0..40u8).prop_map(Step::Append),
        8 => key().prop_map(Step::Remove),
        1 => (key(), 0..100u8).prop_map(|(key, count)| Step::RemoveFrom(key, count)),
        1 => (0..100u8).prop_map(Step::RemoveLast),
        4 => (key(), 0..4u32).prop_map(|(key, value)| Step::Change(key, value)),
        4 => key().prop_map(Step::Look),
        2 => Just(Step::Keep),
        1 => any::<u8>().prop_map(Step::Return),
    ];
    vec(step, 1..120)
}

fn same_entries<const MAX: usize>(map: &Narrow<MAX>, model: &Model) {
    map.check();
    assert_eq!(map.len(), model.len());
    assert_eq!(map.is_empty(), model.is_empty());
    assert!(map.iter().eq(model.iter()));
    assert_eq!(map.first(), model.first_key_value());
    assert_eq!(map.last(), model.last_key_value());
}

fn run<const MAX: usize>(steps: Vec<Step>) -> Vec<(Narrow<MAX>, Model)> {
    let mut map = Narrow::<MAX>::new();
    let mut model = Model::new();
    let mut kept = vec![(map.clone(), model.clone())];
    for step in steps {
        match step {
            Step::Insert(key, value) => {
                assert_eq!(map.insert(key, value), model.insert(key, value));
            }
            Step::Append(count) => {
                for _ in 0..count {
                    let key = map.last().map_or(0, |(last, _)| last + 1);
                    assert_eq!(map.insert(key, 0), model.insert(key, 0));
                }
            }
            Step::Remove(key) => assert_eq!(map.remove(&key), model.remove(&key)),
            Step::RemoveFrom(key, count) => {
                for key in key..key + u16::from(count) {
                    assert_eq!(map.remove(&key), model.remove(&key));
                }
            }
            Step::RemoveLast(count) => {
                for _ in 0..count {
                    let last = map.last().map(|(key, value)| (*key, *value));
                    assert_eq!(last, model.pop_last());
                    assert_eq!(
                        last.and_then(|(key, _)| map.remove(&key)),
                        last.map(|e| e.1)
                    );
                }
            }
            Step::Change(key, value) => {
                let before = map.clone();
                match (map.get_mut(&key), model.get_mut(&key)) {
                    (Some(a), Some(b)) => (*a, *b) = (value, value),
                    (None, None) => assert!(map.ptr_eq(&before), "copied for nothing"),
                    different => panic!("{different:?}"),
                }
            }
            Step::Look(key) => {
                assert_eq!(map.get(&key), model.get(&key));
                assert_eq!(map.contains_key(&key), model.contains_key(&key));
                assert!(map.range_from(&key).eq(model.range(key..)));
            }
            Step::Keep => kept.push((map.clone(), model.clone())),
            Step::Return(which) => {
                let chosen = usize::from(which) % kept.len();
                (map, model) = kept[chosen].clone();
            }
        }
        map.check();
    }
    kept.push((map, model));
    for (map, model) in &kept {
        same_entries(map, model);
    }
    kept
}

/// Every pair of maps differs as their models do.
fn same_differences<const MAX: usize>(kept: &[(Narrow<MAX>, Model)]) {
    for (old, old_model) in kept.iter().take(6) {
        for (new, new_model) in kept.iter().rev().take(6) {
            let mut expected: Vec<_> = old_model
                .iter()
                .filter_map(|(key, before)| match new_model.get(key) {
                    None => Some(Difference::Removed(key, before)),
                    Some(after) if after == before => None,
                    Some(after) => Some(Difference::Changed(key, before, after)),
                })
                .chain(
                    new_model
                        .iter()
                        .filter(|(key, _)| !old_model.contains_key(key))
                        .map(|(key, value)| Difference::Added(key, value)),
                )
                .collect();
            expected.sort_by_key(|difference| match difference {
                Difference::Added(key, _)
                | Difference::Removed(key, _)
                | Difference::Changed(key, ..) => **key,
            });
            let found: Vec<_> = old.diff(new, u32::eq).collect();
            assert_eq!(found, expected);
            assert_eq!(old == new, old_model == new_model);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_narrow_map_and_its_clones_hold_what_they_should(steps in steps()) {
        same_differences(&run::<4>(steps));
    }

    #[test]
    fn a_less_narrow_one_too(steps in steps()) {
        same_differences(&run::<8>(steps));
    }

    #[test]
    fn a_map_as_we_use_it_too(steps in steps()) {
        same_differences(&run::<16>(steps));
    }
}

fn numbers(count: u64) -> Map<u64, Arc<u64>> {
    (0..count).map(|key| (key, Arc::new(key))).collect()
}

/// The number of differences and of nodes looked into to find them.
fn differences(old: &Map<u64, Arc<u64>>, new: &Map<u64, Arc<u64>>) -> (usize, usize) {
    let mut diff = old.diff(new, Arc::ptr_eq);
    (diff.by_ref().count(), diff.opened())
}

#[test]
fn finding_one_change_among_many_entries_opens_two_paths() {
    let old = numbers(100_000);
    let paths = 2 * 5;
    assert_eq!(differences(&old, &old.clone()), (0, 0));
    for key in [0, 15, 16, 50_000, 99_999] {
        let mut new = old.clone();
        *new.get_mut(&key).unwrap() = Arc::new(7);
        let (found, opened) = differences(&old, &new);
        assert_eq!(found, 1);
        assert!(opened <= paths, "{key}: {opened} nodes");
        new.remove(&key);
        let (found, opened) = differences(&old, &new);
        assert_eq!(found, 1);
        assert!(opened <= paths, "{key}: {opened} nodes");
    }
}

#[test]
fn nodes_that_moved_are_still_passed_over() {
    let old: Map<u64, Arc<u64>> = numbers(100_000)
        .iter()
        .map(|(k, v)| (k * 100, v.clone()))
        .collect();
    let mut new = old.clone();
    // Enough in one place to split leaves and their branch, and a level more at the top.
    for key in 5_000_001..5_000_099 {
        new.insert(key, Arc::new(key));
    }
    for key in 2_000..2_100 {
        new.remove(&(key * 100));
    }
    new.check();
    let (found, opened) = differences(&old, &new);
    assert_eq!(found, 198);
    // Two places, five levels, two sides, and leaves that are at least a quarter full.
    assert!(opened <= 2 * 5 * 2 + found / 4, "{opened} nodes");
    assert_eq!(differences(&new, &old), (found, opened));
}

#[test]
fn a_map_of_another_height_is_compared_in_the_time_of_what_differs() {
    // Exactly full: one entry more makes it higher.
    let old = numbers(16 * 16 * 16 * 16);
    let mut new = old.clone();
    new.insert(1 << 40, Arc::new(0));
    let (found, opened) = differences(&old, &new);
    assert_eq!(found, 1);
    // The right edge as it was and its copy, each four high; the new edge; the new root.
    assert!(opened <= 4 + 4 + 4 + 1, "{opened} nodes");
}

#[test]
fn a_small_map_takes_little() {
    let words = |count| count * size_of::<usize>();
    assert!(size_of::<Map<u64, Arc<u64>>>() <= 24);
    assert_eq!(numbers(0).node_bytes(), 0);
    assert!(numbers(1).node_bytes() <= words(2) + 16);
    assert!(numbers(5).node_bytes() <= words(2) + 8 * 16);
    let mut map = numbers(1_000);
    for key in 1..1_000 {
        map.remove(&key);
    }
    assert!(map.node_bytes() <= words(2) + 4 * 16);
    map.remove(&0);
    assert_eq!(map.node_bytes(), 0);
}

#[test]
fn growing_numbers_fill_their_nodes() {
    let count = 10_000;
    assert!(numbers(count as u64).node_bytes() < count * 16 * 5 / 4);
}

#[test]
fn a_change_of_what_nobody_shares_copies_nothing() {
    let mut map = numbers(10_000);
    let place = std::ptr::from_ref(map.get(&5_000).unwrap());
    *map.get_mut(&5_000).unwrap() = Arc::new(1);
    map.insert(5_000, Arc::new(2));
    assert_eq!(std::ptr::from_ref(map.get(&5_000).unwrap()), place);
    let clone = map.clone();
    map.insert(5_000, Arc::new(3));
    assert_ne!(std::ptr::from_ref(map.get(&5_000).unwrap()), place);
    assert_eq!(std::ptr::from_ref(clone.get(&5_000).unwrap()), place);
}
