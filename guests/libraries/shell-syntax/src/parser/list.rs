//! Lists, and-or lists and pipelines.

use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};
use crate::parser::reserved::Reserved;
use crate::tree::{
    AndOr, Bytes, Item, List, Part, Pipeline, Redirect, RedirectKind, RedirectLeft, Time, Word,
};

impl Reader<'_> {
    /// The next complete command; none at the end.
    pub(super) fn complete_command(&mut self) -> Parse<Option<List>> {
        self.newlines()?;
        if self.peek() == 0 {
            return Ok(None);
        }
        let mut list = List::default();
        loop {
            let mut item = self.and_or()?;
            self.blanks();
            let byte = self.peek();
            let goes_on = match byte {
                b'&' => {
                    item.background = true;
                    self.skip(1);
                    true
                }
                b';' if !matches!(self.peek_at(1), b';' | b'&') => {
                    self.skip(1);
                    true
                }
                _ => false,
            };
            list.items.push(item);
            self.blanks();
            match self.peek() {
                b'\n' => {
                    self.newline()?;
                    break;
                }
                0 => break,
                _ if goes_on => {}
                _ => return Err(self.unexpected()),
            }
        }
        let start = self.pos();
        let (pending, bodies) = (
            std::mem::take(&mut self.pending),
            std::mem::take(&mut self.bodies),
        );
        self.finish_here_documents(&mut list, pending, bodies, start)?;
        Ok(Some(list))
    }

    /// The commands of a compound command: at least one.
    pub(super) fn compound_list(&mut self) -> Parse<List> {
        self.newlines()?;
        self.list_items()
    }

    /// One or more commands, up to what can start none.
    pub(super) fn list_items(&mut self) -> Parse<List> {
        let mut list = List::default();
        loop {
            let mut item = self.and_or()?;
            self.blanks();
            let goes_on = match self.peek() {
                b'&' => {
                    item.background = true;
                    self.skip(1);
                    true
                }
                b';' if !matches!(self.peek_at(1), b';' | b'&') => {
                    self.skip(1);
                    true
                }
                b'\n' => {
                    item.newline = true;
                    true
                }
                _ => false,
            };
            list.items.push(item);
            if !goes_on {
                return Ok(list);
            }
            self.newlines()?;
            if self.at_list_end() {
                return Ok(list);
            }
        }
    }

    /// Whether what is here ends a list instead of starting a command.
    pub(super) fn at_list_end(&mut self) -> bool {
        match self.peek() {
            0 | b')' => true,
            b';' => matches!(self.peek_at(1), b';' | b'&'),
            _ => {
                self.expand_alias();
                self.reserved().is_some_and(Reserved::ends_list)
            }
        }
    }

    fn and_or(&mut self) -> Parse<Item> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.blanks();
            let operator = match (self.peek(), self.peek_second()) {
                (b'&', b'&') => AndOr::And,
                (b'|', b'|') => AndOr::Or,
                _ => break,
            };
            self.skip_operator(2);
            self.newlines()?;
            rest.push((operator, self.pipeline()?));
        }
        Ok(Item {
            first,
            rest,
            background: false,
            newline: false,
        })
    }

    /// The byte behind an operator's first, only where there is an operator.
    #[inline]
    pub(super) fn peek_second(&mut self) -> u8 {
        if !matches!(self.peek(), b'&' | b'|') {
            return 0;
        }
        match self.peek_at(1) {
            b'\\' => self.second_behind_continuation(),
            byte => byte,
        }
    }

    #[cold]
    fn second_behind_continuation(&mut self) -> u8 {
        if self.peek_at(2) == b'\n' {
            let at = self.pos() + 1;
            self.remove_continuation(at);
        }
        self.peek_at(1)
    }

    fn skip_operator(&mut self, length: usize) {
        self.skip(length);
    }

    fn pipeline(&mut self) -> Parse<Pipeline> {
        let mut pipeline = Pipeline {
            time: None,
            negated: false,
            stages: Vec::new(),
        };
        let mut prefixed = false;
        loop {
            self.blanks();
            self.expand_alias();
            match self.reserved() {
                Some(Reserved::Bang) => {
                    self.skip(1);
                    pipeline.negated = !pipeline.negated;
                }
                Some(Reserved::Time) => {
                    self.skip(4);
                    pipeline.time = Some(self.time_options(pipeline.time));
                }
                _ => break,
            }
            prefixed = true;
        }
        if prefixed && matches!(self.peek(), b'\n' | b';' | 0) {
            return Ok(pipeline);
        }
        loop {
            let mut command = self.command()?;
            self.blanks();
            if self.peek() != b'|' {
                pipeline.stages.push(command);
                break;
            }
            match self.peek_second() {
                b'|' => {
                    pipeline.stages.push(command);
                    break;
                }
                b'&' => {
                    let line = self.line();
                    command.redirects.push(both(line));
                    self.skip(2);
                }
                _ => self.skip(1),
            }
            pipeline.stages.push(command);
            self.newlines()?;
        }
        Ok(pipeline)
    }

    /// `-p` and `--` behind `time`.
    fn time_options(&mut self, before: Option<Time>) -> Time {
        let mut posix = before.is_some_and(|time| time.posix);
        self.blanks();
        if self.option(b'p') {
            self.skip(2);
            posix = true;
            self.blanks();
        }
        if self.option(b'-') {
            self.skip(2);
        }
        Time { posix }
    }

    fn option(&mut self, letter: u8) -> bool {
        self.peek() == b'-' && self.peek_at(1) == letter && is(self.peek_at(2), END)
    }
}

/// The `2>&1` of `|&`.
fn both(line: u32) -> Redirect {
    Redirect {
        left: RedirectLeft::Fd(2),
        kind: RedirectKind::DupWrite(Word {
            parts: vec![Part::Literal(Bytes(b"1".to_vec()))],
            ..Word::default()
        }),
        implicit: true,
        line,
    }
}
