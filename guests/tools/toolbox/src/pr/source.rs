//! A file that `pr` lays out: lines, and form feeds that end pages.

use std::io;

use crate::text_input::Input;

/// What comes next in a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Line,
    /// The page ends here.
    PageEnd,
    /// The file does.
    End,
}

/// A file.
pub(super) struct Source {
    input: Input,
    block: Vec<u8>,
    at: usize,
    /// Whether the page has ended, so that no more lines come until the next begins.
    page_ended: bool,
    /// Whether a line end ended the last line, and nothing else.
    line_ended: bool,
    /// Whether the end was found.
    at_end: bool,
    /// Why reading ended.
    pub(super) failure: Option<io::Error>,
}

impl Source {
    pub(super) fn open(name: &[u8]) -> io::Result<Source> {
        Ok(Source {
            input: Input::open(name)?,
            block: Vec::new(),
            at: 0,
            page_ended: false,
            line_ended: true,
            at_end: false,
            failure: None,
        })
    }

    /// The next byte, which stays the next.
    fn peek(&mut self) -> Option<u8> {
        if self.at == self.block.len() && self.failure.is_none() {
            self.block.clear();
            self.at = 0;
            match self.input.block() {
                Ok(Some(block)) => self.block.extend_from_slice(block),
                Ok(None) => {}
                Err(error) => self.failure = Some(error),
            }
        }
        self.block.get(self.at).copied()
    }

    /// Whether anything is left.
    pub(super) fn has_more(&mut self) -> bool {
        self.peek().is_some()
    }

    /// Takes a form feed, with the line end behind it.
    fn form_feed(&mut self) {
        self.at += 1;
        if self.peek() == Some(b'\n') {
            self.at += 1;
        }
    }

    /// Reads a line without its end.
    pub(super) fn line(&mut self, line: &mut Vec<u8>) -> Event {
        line.clear();
        if self.page_ended {
            return Event::PageEnd;
        }
        match self.peek() {
            None => {
                self.at_end = true;
                return Event::End;
            }
            Some(12) => {
                self.form_feed();
                self.page_ended = true;
                return Event::PageEnd;
            }
            Some(_) => {}
        }
        self.line_ended = false;
        while self.peek().is_some() {
            let rest = &self.block[self.at..];
            let end = memchr::memchr2(b'\n', 12, rest);
            line.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
            self.at += end.unwrap_or(rest.len());
            if end.is_some() {
                // A form feed is left for the next call.
                self.line_ended = self.peek() == Some(b'\n');
                self.at += usize::from(self.line_ended);
                break;
            }
        }
        Event::Line
    }

    /// Whether a line end ended the last line, and not a form feed or the end.
    pub(super) fn line_ended(&self) -> bool {
        self.line_ended
    }

    /// Whether the page may have another line.
    pub(super) fn is_open(&self) -> bool {
        self.line_ended && !self.page_ended && !self.at_end
    }

    /// Reads the lines of a page, at most so many, and only those that are `wanted`. A form feed
    /// behind a part of `part` lines says nothing new, as one behind a full page does.
    pub(super) fn lines(
        &mut self,
        most: usize,
        part: usize,
        wanted: impl Fn(&[u8]) -> bool,
    ) -> Vec<Vec<u8>> {
        let mut lines = Vec::new();
        let mut line = Vec::new();
        while lines.len() < most && self.line(&mut line) == Event::Line {
            if wanted(&line) {
                lines.push(std::mem::take(&mut line));
                if lines.len() < most && lines.len().is_multiple_of(part) && self.peek() == Some(12)
                {
                    self.form_feed();
                }
            }
        }
        lines
    }

    /// Goes on to the next page, and returns whether a form feed ended this one. One behind a page
    /// that is full anyway says nothing new.
    pub(super) fn ends_page(&mut self, full: bool) -> bool {
        let mut fed = std::mem::take(&mut self.page_ended);
        let behind_line = full || !self.line_ended;
        if !fed && behind_line && self.peek() == Some(12) {
            self.form_feed();
            fed = !full;
        }
        self.line_ended = true;
        fed
    }
}
