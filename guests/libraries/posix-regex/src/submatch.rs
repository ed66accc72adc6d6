//! What each group took, once it is known where the match lies.
//!
//! Backwards from its end: from which steps can the end be reached at each place? Then forwards as
//! glibc walks: at each fork the first way that can still reach the end. What is remembered of the
//! way back is thinned out, so that long texts do not need memory for each of their places.

use crate::chars;
use crate::program::{At, Program, Step};
use crate::search::Around;
use crate::{Span, Spans};

/// Places whose steps are all remembered; longer matches are cut into blocks.
const BLOCK: usize = 1024;

/// The groups of a match.
pub(crate) fn groups(program: &Program, text: &[u8], span: Span) -> Spans {
    let mut spans = vec![None; program.groups + 1];
    spans[0] = Some(span);
    if program.groups == 0 {
        return spans;
    }
    let back = Back::new(program, text, span);
    let mut walk = Walk {
        program,
        back,
        groups: vec![Group::NONE; program.groups + 1],
        kept: vec![Group::NONE; program.groups + 1],
        via: vec![0; program.steps.len()],
        turn: 1,
    };
    walk.run();
    for (span, group) in spans.iter_mut().zip(&walk.groups).skip(1) {
        *span = group.start.zip(group.end);
    }
    spans
}

/// A group while walking.
#[derive(Debug, Clone, Copy)]
struct Group {
    start: Option<usize>,
    end: Option<usize>,
}

impl Group {
    const NONE: Group = Group {
        start: None,
        end: None,
    };
}

struct Walk<'p> {
    program: &'p Program,
    back: Back<'p>,
    groups: Vec<Group>,
    /// The groups as they were when a group last took something.
    kept: Vec<Group>,
    /// Which steps were passed at this place without taking a character.
    via: Vec<u32>,
    turn: u32,
}

impl Walk<'_> {
    fn run(&mut self) {
        let mut step = self.program.start;
        let mut place = 0;
        self.back.load(0);
        // A way without end cannot be: every fork is left by its other way the second time.
        let mut passed = 0;
        loop {
            let at = self.back.offset(place);
            let action = self.program.steps[step as usize];
            self.note(action, at);
            step = match action {
                Step::Match => return,
                Step::Split(first, second) => {
                    self.via[step as usize] = self.turn;
                    self.choose(first, second)
                }
                Step::Open(_, next) | Step::Close { next, .. } | Step::Anchor(_, next) => {
                    self.via[step as usize] = self.turn;
                    next
                }
                Step::Char(_, next)
                | Step::Any(next)
                | Step::Class(_, next)
                | Step::Reference(_, next) => {
                    place += 1;
                    if place > self.back.places {
                        return;
                    }
                    self.back.load(place);
                    self.turn += 1;
                    passed = 0;
                    next
                }
            };
            passed += 1;
            if passed > 2 * self.program.steps.len() + 2 {
                return;
            }
        }
    }

    /// The first way, unless it leads nowhere or was gone at this place and the second leads on.
    fn choose(&self, first: At, second: At) -> At {
        if !self.back.leads(first) {
            return second;
        }
        if self.via[first as usize] == self.turn && self.back.leads(second) {
            return second;
        }
        first
    }

    /// glibc's `update_regs`.
    fn note(&mut self, step: Step, at: usize) {
        match step {
            Step::Open(group, _) => {
                self.groups[group as usize] = Group {
                    start: Some(at),
                    end: None,
                };
            }
            Step::Close {
                group, optional, ..
            } => {
                let group = group as usize;
                if self.groups[group].start.is_some_and(|start| start < at) {
                    self.groups[group].end = Some(at);
                    self.kept.copy_from_slice(&self.groups);
                } else if optional && self.kept[group].start.is_some() {
                    // An empty turn of an optional group: what was there before counts.
                    self.groups.copy_from_slice(&self.kept);
                } else {
                    self.groups[group].end = Some(at);
                }
            }
            _ => {}
        }
    }
}

/// The steps from which the end can be reached, at each place of the match. A place is the number
/// of a character.
struct Back<'p> {
    program: &'p Program,
    text: &'p [u8],
    /// Where the places are in the text; none where every character is one byte.
    offsets: Option<Vec<u32>>,
    start: usize,
    places: usize,
    /// The steps at the last place of each block.
    checkpoints: Vec<Vec<At>>,
    block: usize,
    /// The steps at each place of the block that is loaded, one place after another, its last
    /// place first.
    loaded: Vec<At>,
    /// Where in `loaded` the steps of each place start, and where the last end.
    starts: Vec<usize>,
    loaded_block: usize,
    /// Steps still to be followed, while a place is made.
    open: Vec<At>,
    /// Which steps lead on at the current place.
    marks: Vec<u32>,
    turn: u32,
}

impl<'p> Back<'p> {
    fn new(program: &'p Program, text: &'p [u8], (start, end): Span) -> Back<'p> {
        let part = &text[start..end];
        let offsets = (!part.is_ascii()).then(|| {
            let mut offsets = vec![start as u32];
            let mut at = start;
            while at < end {
                at = chars::next(text, at).1;
                offsets.push(at as u32);
            }
            offsets
        });
        let places = offsets
            .as_ref()
            .map_or(part.len(), |offsets| offsets.len() - 1);
        // The square root keeps checkpoints and loaded places about equally many.
        let block = places.isqrt().max(BLOCK);
        let mut back = Back {
            program,
            text,
            offsets,
            start,
            places,
            checkpoints: Vec::new(),
            block,
            loaded: Vec::new(),
            starts: Vec::new(),
            loaded_block: usize::MAX,
            open: Vec::new(),
            marks: vec![0; program.steps.len()],
            turn: 0,
        };
        back.fill();
        back
    }

    fn offset(&self, place: usize) -> usize {
        match &self.offsets {
            Some(offsets) => offsets[place] as usize,
            None => self.start + place,
        }
    }

    /// From the end to the start: keeps the steps at the end of each block.
    fn fill(&mut self) {
        let blocks = self.places / self.block + 1;
        self.checkpoints = vec![Vec::new(); blocks];
        let mut steps = Vec::new();
        self.open.push(0);
        self.close(self.places, &mut steps);
        for number in (0..blocks).rev() {
            let first = number * self.block;
            let last = (first + self.block).min(self.places);
            if number == 0 {
                self.checkpoints[0] = steps;
                break;
            }
            self.checkpoints[number] = steps.clone();
            for place in (first..last).rev() {
                let mut before = Vec::with_capacity(steps.len());
                self.step_back(&steps, place, &mut before);
                steps = before;
            }
        }
        self.load_block(0);
    }

    /// Remembers the steps of all places of a block.
    fn load_block(&mut self, number: usize) {
        let first = number * self.block;
        let last = (first + self.block).min(self.places);
        let mut loaded = std::mem::take(&mut self.checkpoints[number]);
        self.starts.clear();
        self.starts.push(0);
        for place in (first..last).rev() {
            let start = self.starts[self.starts.len() - 1];
            let end = loaded.len();
            self.starts.push(end);
            self.open_from(&loaded[start..end], place);
            self.close(place, &mut loaded);
        }
        self.starts.push(loaded.len());
        self.loaded = loaded;
        self.loaded_block = number;
    }

    /// Appends the steps at a place, from those at the next.
    fn step_back(&mut self, after: &[At], place: usize, steps: &mut Vec<At>) {
        self.open_from(after, place);
        self.close(place, steps);
    }

    /// Opens the steps that take the character at a place and go on to one of these.
    fn open_from(&mut self, after: &[At], place: usize) {
        let (code, _) = chars::next(self.text, self.offset(place));
        let code = self.program.fold(code);
        for step in after {
            for from in self.program.back.of(*step) {
                if self.program.takes(self.program.steps[*from as usize], code) == Some(*step) {
                    self.open.push(*from);
                }
            }
        }
    }

    /// Appends the open steps, and those that lead to them without taking a character.
    fn close(&mut self, place: usize, steps: &mut Vec<At>) {
        self.turn += 1;
        let around = Around::new(self.text, self.offset(place));
        while let Some(step) = self.open.pop() {
            if std::mem::replace(&mut self.marks[step as usize], self.turn) == self.turn {
                continue;
            }
            steps.push(step);
            for from in self.program.back.of(step) {
                let passes = match self.program.steps[*from as usize] {
                    Step::Split(..) | Step::Open(..) | Step::Close { .. } => true,
                    Step::Anchor(anchor, _) => anchor.holds(around.before, around.after),
                    _ => false,
                };
                if passes {
                    self.open.push(*from);
                }
            }
        }
    }

    /// Makes a place the current one. Places come in order.
    fn load(&mut self, place: usize) {
        let number = (place / self.block).min(self.places / self.block);
        if number != self.loaded_block {
            self.load_block(number);
        }
        self.turn += 1;
        let last = (number * self.block + self.block).min(self.places);
        let at = last - place;
        for step in &self.loaded[self.starts[at]..self.starts[at + 1]] {
            self.marks[*step as usize] = self.turn;
        }
    }

    /// Whether the end can be reached from a step at the current place.
    fn leads(&self, step: At) -> bool {
        self.marks[step as usize] == self.turn
    }
}
