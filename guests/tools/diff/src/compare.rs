//! Which lines were deleted and which inserted, chosen as GNU diff chooses them.
//!
//! Lines that the other file does not have are set aside first, and so are some that it has very
//! often. What is left is compared by Myers' algorithm, from both ends at once. Then each run of
//! changes is moved as far down as it goes, or to where the other file changes too.

/// What counts as often, at least.
const OFTEN: usize = 5;
/// A search this long may end with something that is not the best.
const EXPENSIVE: usize = 4096;

/// The lines that changed in each file.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) first: Vec<bool>,
    pub(crate) second: Vec<bool>,
}

/// Compares files whose lines are numbers. `horizon` lines of what is equal at both ends are
/// compared as well.
pub(crate) fn compare(first: &[u32], second: &[u32], horizon: usize, minimal: bool) -> Changed {
    let shorter = first.len().min(second.len());
    let same_start = first
        .iter()
        .zip(second)
        .take_while(|(one, other)| one == other)
        .count();
    let rest = shorter - same_start;
    let same_end = first
        .iter()
        .rev()
        .zip(second.iter().rev())
        .take(rest)
        .take_while(|(one, other)| one == other)
        .count();
    let (start, end) = (
        same_start.saturating_sub(horizon),
        same_end.saturating_sub(horizon),
    );
    let parts = [
        &first[start..first.len() - end],
        &second[start..second.len() - end],
    ];
    let mut changed = [vec![false; first.len()], vec![false; second.len()]];
    let kept = kept(parts, minimal);
    for (side, part) in parts.iter().enumerate() {
        let mut kept = kept[side].iter().peekable();
        for line in 0..part.len() {
            if kept.peek() == Some(&&line) {
                kept.next();
            } else {
                changed[side][start + line] = true;
            }
        }
    }
    let lines = [0, 1].map(|side| {
        kept[side]
            .iter()
            .map(|line| parts[side][*line])
            .collect::<Vec<u32>>()
    });
    let mut search = Search::new(&lines[0], &lines[1]);
    search.compare(minimal);
    for side in 0..2 {
        for (at, line) in kept[side].iter().enumerate() {
            changed[side][start + line] |= search.changed[side][at];
        }
    }
    let [mut one, mut other] = changed;
    // What is equal at both ends is not moved into.
    let inside = [start..first.len() - end, start..second.len() - end];
    shift(
        parts[0],
        &mut one[inside[0].clone()],
        &other[inside[1].clone()],
    );
    shift(
        parts[1],
        &mut other[inside[1].clone()],
        &one[inside[0].clone()],
    );
    Changed {
        first: one,
        second: other,
    }
}

/// What becomes of a line before the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Kept,
    /// The other file does not have it.
    Alone,
    /// The other file has it often; it is set aside only among lines that are alone.
    Common,
}

/// The lines of each file that are compared.
fn kept(parts: [&[u32]; 2], minimal: bool) -> [Vec<usize>; 2] {
    if minimal {
        return parts.map(|part| (0..part.len()).collect());
    }
    let most = parts
        .iter()
        .flat_map(|part| part.iter())
        .max()
        .map_or(0, |most| *most as usize + 1);
    let counts = parts.map(|part| {
        let mut counts = vec![0usize; most];
        part.iter().for_each(|line| counts[*line as usize] += 1);
        counts
    });
    [0, 1].map(|side| {
        let part = parts[side];
        let mut often = OFTEN;
        let mut size = (part.len() / 64) >> 2;
        while size > 0 {
            often *= 2;
            size >>= 2;
        }
        let mut fates: Vec<Fate> = part
            .iter()
            .map(|line| match counts[1 - side][*line as usize] {
                0 => Fate::Alone,
                count if count > often => Fate::Common,
                _ => Fate::Kept,
            })
            .collect();
        settle(&mut fates);
        (0..part.len())
            .filter(|line| fates[*line] == Fate::Kept)
            .collect()
    })
}

/// Decides which common lines are set aside: those in the middle of runs of lines that are alone.
fn settle(fates: &mut [Fate]) {
    let mut at = 0;
    while at < fates.len() {
        match fates[at] {
            Fate::Kept => at += 1,
            Fate::Common => {
                fates[at] = Fate::Kept;
                at += 1;
            }
            Fate::Alone => {
                let run = fates[at..]
                    .iter()
                    .take_while(|fate| **fate != Fate::Kept)
                    .count();
                let tail = fates[at..at + run]
                    .iter()
                    .rev()
                    .take_while(|fate| **fate == Fate::Common)
                    .count();
                fates[at + run - tail..at + run].fill(Fate::Kept);
                let length = run - tail;
                settle_run(&mut fates[at..at + length]);
                at += length;
            }
        }
    }
}

/// Settles one run, whose first and last lines are alone.
fn settle_run(run: &mut [Fate]) {
    let common = run.iter().filter(|fate| **fate == Fate::Common).count();
    if common * 4 > run.len() {
        run.iter_mut()
            .filter(|fate| **fate == Fate::Common)
            .for_each(|fate| *fate = Fate::Kept);
        return;
    }
    // About the square root of a quarter of the length: so many common lines in a row are kept.
    let mut least = 1;
    let mut size = run.len() >> 2 >> 2;
    while size > 0 {
        least <<= 1;
        size >>= 2;
    }
    least += 1;
    let mut at = 0;
    while at < run.len() {
        let row = run[at..]
            .iter()
            .take_while(|fate| **fate == Fate::Common)
            .count();
        if row >= least {
            run[at..at + row].fill(Fate::Kept);
        }
        at += row.max(1);
    }
    keep_at_edge(run.iter_mut());
    keep_at_edge(run.iter_mut().rev());
}

/// Keeps common lines near the edge of a run: up to three lines in a row that are alone, or the
/// first such behind eight lines.
fn keep_at_edge<'a>(run: impl Iterator<Item = &'a mut Fate>) {
    let mut row = 0;
    for (at, fate) in run.enumerate() {
        if at >= 8 && *fate == Fate::Alone {
            return;
        }
        match *fate {
            Fate::Common => {
                *fate = Fate::Kept;
                row = 0;
            }
            Fate::Kept => row = 0,
            Fate::Alone => row += 1,
        }
        if row == 3 {
            return;
        }
    }
}

/// A part of both files that is to be compared.
#[derive(Clone, Copy)]
struct Region {
    first: (isize, isize),
    second: (isize, isize),
    minimal: bool,
}

/// Where a region is cut in two.
struct Cut {
    x: isize,
    y: isize,
    low_minimal: bool,
    high_minimal: bool,
}

struct Search<'a> {
    first: &'a [u32],
    second: &'a [u32],
    changed: [Vec<bool>; 2],
    /// How far each diagonal was reached from the start, and from the end; shifted by `zero`.
    forward: Vec<isize>,
    backward: Vec<isize>,
    zero: isize,
    expensive: usize,
}

impl<'a> Search<'a> {
    fn new(first: &'a [u32], second: &'a [u32]) -> Search<'a> {
        let diagonals = first.len() + second.len() + 3;
        let mut expensive = 1;
        let mut size = diagonals;
        while size > 0 {
            expensive <<= 1;
            size >>= 2;
        }
        Search {
            first,
            second,
            changed: [vec![false; first.len()], vec![false; second.len()]],
            forward: vec![0; diagonals],
            backward: vec![0; diagonals],
            zero: second.len() as isize + 1,
            expensive: expensive.max(EXPENSIVE),
        }
    }

    fn compare(&mut self, minimal: bool) {
        let mut open = vec![Region {
            first: (0, self.first.len() as isize),
            second: (0, self.second.len() as isize),
            minimal,
        }];
        while let Some(region) = open.pop() {
            let ((mut x, mut x_end), (mut y, mut y_end)) = (region.first, region.second);
            while x < x_end && y < y_end && self.same(x, y) {
                x += 1;
                y += 1;
            }
            while x < x_end && y < y_end && self.same(x_end - 1, y_end - 1) {
                x_end -= 1;
                y_end -= 1;
            }
            if x == x_end {
                self.changed[1][y as usize..y_end as usize].fill(true);
            } else if y == y_end {
                self.changed[0][x as usize..x_end as usize].fill(true);
            } else {
                let region = Region {
                    first: (x, x_end),
                    second: (y, y_end),
                    minimal: region.minimal,
                };
                let cut = self.cut(region);
                open.push(Region {
                    first: (cut.x, x_end),
                    second: (cut.y, y_end),
                    minimal: cut.high_minimal,
                });
                open.push(Region {
                    first: (x, cut.x),
                    second: (y, cut.y),
                    minimal: cut.low_minimal,
                });
            }
        }
    }

    fn same(&self, x: isize, y: isize) -> bool {
        self.first[x as usize] == self.second[y as usize]
    }

    fn ahead(&mut self, diagonal: isize) -> &mut isize {
        &mut self.forward[(diagonal + self.zero) as usize]
    }

    fn back(&mut self, diagonal: isize) -> &mut isize {
        &mut self.backward[(diagonal + self.zero) as usize]
    }

    /// Finds a point on a shortest way, searching from both ends until the searches meet.
    fn cut(&mut self, region: Region) -> Cut {
        let ((x_start, x_end), (y_start, y_end)) = (region.first, region.second);
        let (lowest, highest) = (x_start - y_end, x_end - y_start);
        let (from, to) = (x_start - y_start, x_end - y_end);
        let (mut f_low, mut f_high) = (from, from);
        let (mut b_low, mut b_high) = (to, to);
        let odd = (from - to) & 1 != 0;
        *self.ahead(from) = x_start;
        *self.back(to) = x_end;
        let mut cost = 0;
        loop {
            cost += 1;
            if f_low > lowest {
                f_low -= 1;
                *self.ahead(f_low - 1) = -1;
            } else {
                f_low += 1;
            }
            if f_high < highest {
                f_high += 1;
                *self.ahead(f_high + 1) = -1;
            } else {
                f_high -= 1;
            }
            let mut diagonal = f_high;
            while diagonal >= f_low {
                let (low, high) = (*self.ahead(diagonal - 1), *self.ahead(diagonal + 1));
                let mut x = if low < high { high } else { low + 1 };
                let mut y = x - diagonal;
                while x < x_end && y < y_end && self.same(x, y) {
                    x += 1;
                    y += 1;
                }
                *self.ahead(diagonal) = x;
                if odd && (b_low..=b_high).contains(&diagonal) && *self.back(diagonal) <= x {
                    return Cut::minimal(x, y);
                }
                diagonal -= 2;
            }
            if b_low > lowest {
                b_low -= 1;
                *self.back(b_low - 1) = isize::MAX;
            } else {
                b_low += 1;
            }
            if b_high < highest {
                b_high += 1;
                *self.back(b_high + 1) = isize::MAX;
            } else {
                b_high -= 1;
            }
            let mut diagonal = b_high;
            while diagonal >= b_low {
                let (low, high) = (*self.back(diagonal - 1), *self.back(diagonal + 1));
                let mut x = if low < high { low } else { high - 1 };
                let mut y = x - diagonal;
                while x > x_start && y > y_start && self.same(x - 1, y - 1) {
                    x -= 1;
                    y -= 1;
                }
                *self.back(diagonal) = x;
                if !odd && (f_low..=f_high).contains(&diagonal) && x <= *self.ahead(diagonal) {
                    return Cut::minimal(x, y);
                }
                diagonal -= 2;
            }
            if !region.minimal && cost >= self.expensive {
                return self.good_enough(region, (f_low, f_high), (b_low, b_high));
            }
        }
    }

    /// The point that a search has got furthest to, when it has taken too long.
    fn good_enough(
        &mut self,
        region: Region,
        forward: (isize, isize),
        backward: (isize, isize),
    ) -> Cut {
        let ((x_start, x_end), (y_start, y_end)) = (region.first, region.second);
        let (mut f_best, mut f_x) = (-1, x_start);
        let mut diagonal = forward.1;
        while diagonal >= forward.0 {
            let mut x = (*self.ahead(diagonal)).min(x_end);
            let mut y = x - diagonal;
            if y > y_end {
                x = y_end + diagonal;
                y = y_end;
            }
            if f_best < x + y {
                (f_best, f_x) = (x + y, x);
            }
            diagonal -= 2;
        }
        let (mut b_best, mut b_x) = (isize::MAX, x_end);
        let mut diagonal = backward.1;
        while diagonal >= backward.0 {
            let mut x = (*self.back(diagonal)).max(x_start);
            let mut y = x - diagonal;
            if y < y_start {
                x = y_start + diagonal;
                y = y_start;
            }
            if x + y < b_best {
                (b_best, b_x) = (x + y, x);
            }
            diagonal -= 2;
        }
        let forward_is_better = x_end + y_end - b_best < f_best - (x_start + y_start);
        let (x, best) = if forward_is_better {
            (f_x, f_best)
        } else {
            (b_x, b_best)
        };
        Cut {
            x,
            y: best - x,
            low_minimal: forward_is_better,
            high_minimal: !forward_is_better,
        }
    }
}

impl Cut {
    fn minimal(x: isize, y: isize) -> Cut {
        Cut {
            x,
            y,
            low_minimal: true,
            high_minimal: true,
        }
    }
}

/// Moves runs of changes of one file: up to join others, then down as far as they go, or to where
/// the other file changes too.
fn shift(lines: &[u32], changed: &mut [bool], other: &[bool]) {
    // The other file's lines, with one unchanged before the first and one behind the last.
    let is_changed = |at: isize| at >= 0 && other.get(at as usize).copied().unwrap_or(false);
    let count = lines.len();
    let (mut at, mut place) = (0usize, 0isize);
    loop {
        while at < count && !changed[at] {
            while is_changed(place) {
                place += 1;
            }
            place += 1;
            at += 1;
        }
        if at == count {
            return;
        }
        let mut start = at;
        while at < count && changed[at] {
            at += 1;
        }
        while is_changed(place) {
            place += 1;
        }
        let mut corresponding;
        loop {
            let length = at - start;
            while start > 0 && lines[start - 1] == lines[at - 1] {
                start -= 1;
                at -= 1;
                changed[start] = true;
                changed[at] = false;
                while start > 0 && changed[start - 1] {
                    start -= 1;
                }
                place -= 1;
                while is_changed(place) {
                    place -= 1;
                }
            }
            corresponding = if is_changed(place - 1) { at } else { count };
            while at < count && lines[start] == lines[at] {
                changed[start] = false;
                changed[at] = true;
                start += 1;
                at += 1;
                while at < count && changed[at] {
                    at += 1;
                }
                place += 1;
                while is_changed(place) {
                    corresponding = at;
                    place += 1;
                }
            }
            if length == at - start {
                break;
            }
        }
        while corresponding < at {
            start -= 1;
            at -= 1;
            changed[start] = true;
            changed[at] = false;
            place -= 1;
            while is_changed(place) {
                place -= 1;
            }
        }
    }
}
