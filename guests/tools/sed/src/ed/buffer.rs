//! The lines of `ed`, and the marks on them.

use std::rc::Rc;

/// A line without its end. Which one it is, is where it lies in memory: marks and global commands
/// follow it wherever it moves.
pub(super) type Line = Rc<Vec<u8>>;

/// The lines. Copies share them.
#[derive(Clone, Default)]
pub(super) struct Buffer {
    lines: Vec<Line>,
    marks: Vec<(u8, Line)>,
}

impl Buffer {
    /// How many lines there are.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// A line by its number, from 1 on.
    pub(super) fn line(&self, number: usize) -> Option<&Line> {
        self.lines.get(number.checked_sub(1)?)
    }

    /// Lines of a range, both ends in it.
    pub(super) fn range(&self, first: usize, last: usize) -> &[Line] {
        let last = last.min(self.lines.len());
        self.lines
            .get(first.saturating_sub(1)..last)
            .unwrap_or_default()
    }

    /// Puts lines behind one.
    pub(super) fn insert(&mut self, after: usize, lines: Vec<Line>) {
        let at = after.min(self.lines.len());
        self.lines.splice(at..at, lines);
    }

    /// Takes lines out.
    pub(super) fn remove(&mut self, first: usize, last: usize) -> Vec<Line> {
        let last = last.min(self.lines.len());
        match first >= 1 && first <= last {
            true => self.lines.drain(first - 1..last).collect(),
            false => Vec::new(),
        }
    }

    /// Puts others in the place of a line.
    pub(super) fn replace(&mut self, number: usize, lines: Vec<Line>) {
        if number >= 1 && number <= self.lines.len() {
            self.lines.splice(number - 1..number, lines);
        }
    }

    /// Marks a line with a letter.
    pub(super) fn mark(&mut self, letter: u8, number: usize) {
        if let Some(line) = self.line(number).cloned() {
            self.marks.retain(|(known, _)| *known != letter);
            self.marks.push((letter, line));
        }
    }

    /// The number of the line with a mark.
    pub(super) fn marked(&self, letter: u8) -> Option<usize> {
        let (_, line) = self.marks.iter().find(|(known, _)| *known == letter)?;
        self.number(line, 0)
    }

    /// The number of a line, looked for from a place on first.
    pub(super) fn number(&self, line: &Line, from: usize) -> Option<usize> {
        let from = from.min(self.lines.len());
        let is = |known: &Line| Rc::ptr_eq(known, line);
        let behind = self.lines[from..].iter().position(is);
        match behind {
            Some(at) => Some(from + at + 1),
            None => self.lines[..from].iter().position(is).map(|at| at + 1),
        }
    }
}

/// A line of its own with this text.
pub(super) fn line(text: impl Into<Vec<u8>>) -> Line {
    Rc::new(text.into())
}
