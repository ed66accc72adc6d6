//! Which lines a command is for.

use std::rc::Rc;

use codepod_posix_regex::Regex;

use super::{Fatal, Machine};
use crate::command::{Address, Command, Expression};

/// How a range stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    Outside,
    /// With the last line's number, if that is what ends it.
    Inside(Option<u64>),
}

impl Range {
    /// How the range of a command stands before the first line: one from line 0 on is open.
    pub(super) fn first(command: &Command) -> Range {
        match (&command.which.first, &command.which.second) {
            (Some(Address::Line(0)), Some(_)) => Range::Inside(None),
            _ => Range::Outside,
        }
    }
}

impl Machine<'_> {
    /// Whether a command is for this line, leaving `!` aside; `number` is the command's.
    pub(super) fn is_for(&mut self, command: &Command, number: usize) -> Result<bool, Fatal> {
        let Some(first) = &command.which.first else {
            return Ok(true);
        };
        let Some(second) = &command.which.second else {
            return self.is_at(first);
        };
        let line = self.number;
        if let Range::Inside(last) = self.ranges[number] {
            let Some(last) = last else {
                if self.is_at(second)? {
                    self.ranges[number] = Range::Outside;
                }
                return Ok(true);
            };
            if line >= last {
                self.ranges[number] = Range::Outside;
            }
            if line <= last {
                return Ok(true);
            }
        }
        if !self.is_at(first)? {
            return Ok(false);
        }
        let last = match second {
            Address::Line(last) => Some(*last),
            Address::More(more) => Some(line.saturating_add(*more)),
            Address::Multiple(0) => Some(line),
            Address::Multiple(of) => Some((line / of + 1).saturating_mul(*of)),
            Address::Last if self.input.is_last(self.asked.separate)? => Some(line),
            _ => None,
        };
        if last.is_none_or(|last| last > line) {
            self.ranges[number] = Range::Inside(last);
        }
        Ok(true)
    }

    fn is_at(&mut self, address: &Address) -> Result<bool, Fatal> {
        Ok(match address {
            Address::Line(number) => self.number == *number,
            Address::Step(first, step) => {
                self.number >= *first && (self.number - first).is_multiple_of(*step)
            }
            Address::Last => self.input.is_last(self.asked.separate)?,
            Address::Match(expression) => {
                let regex = self.regex(expression)?;
                regex.is_match(&self.pattern.text, 0)?
            }
            Address::More(_) | Address::Multiple(_) => false,
        })
    }

    /// The expression that is meant, which is the last one from now on.
    pub(super) fn regex(&mut self, expression: &Expression) -> Result<Rc<Regex>, Fatal> {
        if let Some(regex) = expression {
            self.last = Some(Rc::clone(regex));
        }
        match &self.last {
            Some(regex) => Ok(Rc::clone(regex)),
            None => Err(Fatal(
                b"-e expression #1, char 0: no previous regular expression".to_vec(),
                1,
            )),
        }
    }
}
