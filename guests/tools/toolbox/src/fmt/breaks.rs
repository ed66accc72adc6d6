//! Where the lines of a paragraph end.
//!
//! Each way to break a paragraph has a cost, and the cheapest is taken, as Knuth and Plass do it.
//! From the last word to the first, the best end of the line that would begin there is found.
//! GNU's costs are not documented. The ones here were fitted to what GNU's fmt does with random
//! paragraphs. Of 220 such paragraphs, 25 to 75 columns wide, 8 come out differently. Each cost was
//! then varied alone: `OFF_GOAL` in 11 steps from zero to twice its value, the others in 19 steps
//! from zero to four times theirs. The differences were 6 at best, and more on both sides, except
//! that `LINE` hardly matters from half to twice its value, and `FULL_STOP` from 28,000 on. Costs
//! were not varied together, and other rules were not tried. The unit is a hundredth of the square
//! of a column.

/// For a column that a line is off the goal, squared.
const OFF_GOAL: i64 = 100;
/// For a column that a line differs from the next, squared. The last line does not count.
const RAGGED: i64 = 50;
/// For each line but the last.
const LINE: i64 = 4_950;
/// For a break at the end of a sentence, which is better than others.
const SENTENCE: i64 = -2_450;
/// For a break behind a full stop that ends no sentence: nearly never.
const FULL_STOP: i64 = 40_000;
/// For a break behind punctuation, or before a parenthesis.
const PUNCTUATION: i64 = -1_600;
/// For a break behind the first word of a sentence: this, divided by the word's length.
const BEHIND_FIRST: i64 = 30_000;
/// For a break before the last word of a sentence: this, divided by the word's length.
const BEFORE_LAST: i64 = 16_000;
/// For a last line of one word: this, divided by the word's length.
const LONELY: i64 = 18_500;

/// What matters of a word.
pub(super) struct Item {
    pub(super) length: usize,
    /// Columns behind it if the line goes on.
    pub(super) space: usize,
    /// It begins with an opening parenthesis or the like.
    pub(super) opens: bool,
    /// It ends with punctuation.
    pub(super) punctuated: bool,
    /// It ends with a full stop or the like.
    pub(super) stops: bool,
    /// It ends a sentence.
    pub(super) ends_sentence: bool,
}

/// The room for lines.
pub(super) struct Room {
    /// The column of the first line, and of the others.
    pub(super) first: usize,
    pub(super) others: usize,
    pub(super) width: usize,
    pub(super) goal: usize,
}

/// The best line that begins at a word.
#[derive(Clone, Copy, Default)]
struct Best {
    /// What it and all lines behind it cost.
    cost: i64,
    /// The word behind it.
    next: usize,
    length: usize,
}

/// For each line, the number of the word behind it.
pub(super) fn lines(items: &[Item], room: &Room) -> Vec<usize> {
    let mut best = vec![Best::default(); items.len() + 1];
    for start in (0..items.len()).rev() {
        best[start] = best_line(items, room, &best, start);
    }
    let mut ends = Vec::new();
    let mut at = 0;
    while at < items.len() {
        at = best[at].next;
        ends.push(at);
    }
    ends
}

fn best_line(items: &[Item], room: &Room, best: &[Best], start: usize) -> Best {
    let indent = if start == 0 { room.first } else { room.others };
    let mut found: Option<Best> = None;
    let mut length = indent;
    for next in start + 1..=items.len() {
        length += items[next - 1].length;
        if length >= room.width && next > start + 1 {
            break;
        }
        let cost = if next == items.len() {
            0
        } else {
            line_cost(items, room, best, next, length).saturating_add(best[next].cost)
        };
        if found.is_none_or(|found| cost < found.cost) {
            found = Some(Best { cost, next, length });
        }
        length += items[next - 1].space;
    }
    found.unwrap_or_default()
}

/// What a line of a length costs that is followed by another, which begins with `next`.
fn line_cost(items: &[Item], room: &Room, best: &[Best], next: usize, length: usize) -> i64 {
    let square = |one: usize, other: usize| {
        let difference = i64::try_from(one.abs_diff(other)).unwrap_or(i64::MAX);
        difference.saturating_mul(difference)
    };
    let mut cost = break_cost(items, next);
    cost = cost.saturating_add(OFF_GOAL.saturating_mul(square(room.goal, length)));
    let following = &best[next];
    if following.next < items.len() {
        cost.saturating_add(RAGGED.saturating_mul(square(following.length, length)))
    } else if next + 1 == items.len() {
        cost.saturating_add(share(LONELY, items[next].length))
    } else {
        cost
    }
}

/// What it costs to break a paragraph before a word.
fn break_cost(items: &[Item], next: usize) -> i64 {
    let (before, after) = (&items[next - 1], &items[next]);
    let ends = |place: Option<usize>| place.is_none_or(|place| items[place].ends_sentence);
    let mut cost = LINE;
    if before.ends_sentence {
        cost += SENTENCE;
    } else if before.stops {
        cost += FULL_STOP;
    } else if before.punctuated {
        cost += PUNCTUATION;
    } else if ends(next.checked_sub(2)) {
        cost += share(BEHIND_FIRST, before.length);
    }
    if after.opens {
        cost += PUNCTUATION;
    } else if after.ends_sentence && next + 1 < items.len() {
        cost += share(BEFORE_LAST, after.length);
    }
    cost
}

/// A cost that is less for long words.
fn share(cost: i64, length: usize) -> i64 {
    cost / i64::try_from(length).unwrap_or(i64::MAX).max(1)
}
