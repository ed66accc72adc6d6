//! The slots of a node: a shared slice with the items in front and room behind them.
//!
//! The slice is as long as a power of two. It changes in place if nobody else has it. Slots do not
//! know whether they hold entries or children.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::sync::Arc;

/// Items by ascending key, then nothing.
pub(super) type Slots<K, T> = Arc<[Option<(K, T)>]>;

/// What is left of the slots of a node.
pub(super) type Remaining<'a, K, T> = std::slice::Iter<'a, Option<(K, T)>>;

/// Where `key` is, or where it would have to go.
pub(super) fn search<K, T, Q>(slots: &Slots<K, T>, key: &Q) -> Result<usize, usize>
where
    K: Borrow<Q>,
    Q: Ord + ?Sized,
{
    // The length is a power of two, so halving it leaves one slot: the last that is not behind.
    let mut slice = &slots[..];
    let mut begin = 0;
    while slice.len() > 1 {
        let (left, right) = slice.split_at(slice.len() / 2);
        let not_behind = matches!(right.first(), Some(Some((at, _))) if at.borrow() <= key);
        begin += if not_behind { left.len() } else { 0 };
        slice = std::hint::select_unpredictable(not_behind, right, left);
    }
    match slice.first() {
        Some(Some((at, _))) => match at.borrow().cmp(key) {
            Ordering::Less => Err(begin + 1),
            Ordering::Equal => Ok(begin),
            Ordering::Greater => Err(begin),
        },
        _ => Err(begin),
    }
}

/// How many items there are.
pub(super) fn filled<K, T>(slots: &Slots<K, T>) -> usize {
    slots.partition_point(Option::is_some)
}

/// Puts an item at `at`. If there are `MAX` already, the items are divided and the right part is
/// returned. With `append`, an item that goes behind all others leaves them together.
pub(super) fn insert<K: Clone, T: Clone, const MAX: usize>(
    slots: &mut Slots<K, T>,
    at: usize,
    item: (K, T),
    append: bool,
) -> Option<Slots<K, T>> {
    let length = filled(slots);
    if length < MAX {
        if length == slots.len() {
            *slots = resized(slots, length * 2);
        }
        let room = &mut Arc::make_mut(slots)[at..=length];
        room.rotate_right(1);
        room[0] = Some(item);
        return None;
    }
    if append && at == length {
        // More will follow.
        let mut first = Some(item);
        return Some((0..MAX).map(|_| first.take()).collect());
    }
    let middle = MAX / 2;
    let left = Arc::make_mut(slots);
    let mut right: Slots<K, T> = (middle..middle + MAX)
        .map(|index| left.get_mut(index).and_then(Option::take))
        .collect();
    if at <= middle {
        insert::<K, T, MAX>(slots, at, item, false);
    } else {
        insert::<K, T, MAX>(&mut right, at - middle, item, false);
    }
    Some(right)
}

/// Takes the item at `at`, and gives back room that is not needed any more.
pub(super) fn remove<K: Clone, T: Clone>(slots: &mut Slots<K, T>, at: usize) -> Option<(K, T)> {
    let length = filled(slots);
    let items = &mut Arc::make_mut(slots)[..length];
    let removed = items.get_mut(at)?.take();
    items[at..].rotate_left(1);
    if length > 1 && (length - 1) * 4 <= slots.len() {
        *slots = resized(slots, slots.len() / 2);
    }
    removed
}

/// Joins what two neighbours hold if that leaves room, and returns whether it did; then the right
/// one is empty. Otherwise divides it evenly.
pub(super) fn join<K: Clone, T: Clone, const MAX: usize>(
    left: &mut Slots<K, T>,
    right: &mut Slots<K, T>,
) -> bool {
    let mut items: Vec<(K, T)> = Vec::with_capacity(2 * MAX);
    for slots in [&mut *left, &mut *right] {
        items.extend(Arc::make_mut(slots).iter_mut().map_while(Option::take));
    }
    if items.len() <= MAX / 4 * 3 {
        *left = packed(items);
        return true;
    }
    let tail = items.split_off(items.len() / 2);
    *left = packed(items);
    *right = packed(tail);
    false
}

/// Moves the items to slots with another amount of room.
fn resized<K: Clone, T: Clone>(slots: &mut Slots<K, T>, room: usize) -> Slots<K, T> {
    let old = Arc::make_mut(slots);
    (0..room)
        .map(|index| old.get_mut(index).and_then(Option::take))
        .collect()
}

fn packed<K, T>(items: Vec<(K, T)>) -> Slots<K, T> {
    let room = items.len().next_power_of_two();
    let mut items = items.into_iter();
    (0..room).map(|_| items.next()).collect()
}
