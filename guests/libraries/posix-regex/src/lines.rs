//! Finding lines in a buffer of many.

use memchr::{memchr, memrchr};

use crate::{Error, Regex, Span, backtrack, search};

/// How many lines may have the required text in vain before the automata look at everything.
const PATIENCE: i32 = 32;

impl Regex {
    /// The first line at or after `from` that matches, without its end. `from` is the start of a
    /// line, and the expression was compiled for lines ([`Config::line`](crate::Config::line)).
    pub fn find_line(&self, text: &[u8], from: usize) -> Result<Option<Span>, Error> {
        let end = self.config.line.unwrap_or(b'\n');
        let mut at = from;
        if let Some(finder) = &self.quick.finder {
            while self.quick.exact || self.quick.misses.get() < PATIENCE {
                let Some(found) = finder.find(&text[at..]) else {
                    return Ok(None);
                };
                let line = line_around(text, at, at + found, end);
                if self.quick.exact || self.matches_line(text, line)? {
                    self.quick.misses.set(self.quick.misses.get() - 4);
                    return Ok(Some(line));
                }
                self.quick.misses.set(self.quick.misses.get() + 1);
                at = line.1 + 1;
                if at > text.len() {
                    return Ok(None);
                }
            }
        }
        self.scan(text, at, end)
    }

    /// Lets the automata look at everything.
    fn scan(&self, text: &[u8], from: usize, end: u8) -> Result<Option<Span>, Error> {
        let mut at = from;
        while at < text.len() {
            let found = match self.furthest() {
                Some(fast) => fast.end(text, at, text.len()),
                None => Err(crate::fast::Stopped { at }),
            };
            let (line, sure) = match found {
                Ok(None) => return Ok(None),
                // The end of a match may be the end of its line, which is still in it.
                Ok(Some(place)) => (line_around(text, at, place, end), !self.ast.references),
                Err(stopped) => {
                    let line = line_around(text, at, stopped.at.max(at).min(text.len()), end);
                    (line, false)
                }
            };
            if line.0 >= text.len() && line.0 > from {
                return Ok(None);
            }
            if sure || self.matches_line(text, line)? {
                return Ok(Some(line));
            }
            at = line.1 + 1;
        }
        Ok(None)
    }

    fn matches_line(&self, text: &[u8], (start, end): Span) -> Result<bool, Error> {
        if !self.ast.references {
            let found = self.furthest().map(|fast| fast.end(text, start, end));
            if let Some(Ok(found)) = found {
                return Ok(found.is_some());
            }
            if let Some(Ok(found)) = self.wide().map(|fast| fast.end(text, start, end)) {
                return Ok(found.is_some());
            }
            return Ok(search::find(self.program()?, &text[start..end], 0).is_some());
        }
        Ok(backtrack::captures(self.program()?, &text[start..end], 0)?.is_some())
    }
}

/// The line around a place, no further back than `from`.
fn line_around(text: &[u8], from: usize, place: usize, end: u8) -> Span {
    let start = memrchr(end, &text[from..place]).map_or(from, |at| from + at + 1);
    let stop = memchr(end, &text[place..]).map_or(text.len(), |at| place + at);
    (start, stop)
}
