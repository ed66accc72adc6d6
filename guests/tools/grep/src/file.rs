//! Searching one file: block by block, with context kept between them.

use std::io::{self, Read};

use codepod_posix_regex::Error;
use memchr::{memchr, memchr_iter, memrchr};

use crate::arguments::{Asked, Binary, List};
use crate::output::{Line, Printer, Role};

/// How much is read at once.
const BLOCK: usize = 96 << 10;

/// What a search has found.
pub(crate) struct Counted {
    /// How many lines were selected.
    pub(crate) lines: u64,
    /// It matches and is no text, and that was not shown otherwise.
    pub(crate) is_binary: bool,
    /// Where the last selected line ends, when the search ended before the file did.
    pub(crate) stopped_at: Option<u64>,
}

/// Why a search ended early.
pub(crate) enum Failed {
    /// The file could not be read.
    Read(io::Error),
    /// An expression took too long.
    Matcher(Error),
}

/// A file while it is searched.
pub(crate) struct Search<'p, 'a> {
    printer: &'p mut Printer<'a>,
    asked: &'a Asked,
    name: &'p [u8],
    buffer: Vec<u8>,
    /// Where in the file the buffer starts.
    base: u64,
    /// Up to where in the file lines were counted, and how many there were.
    counted_to: u64,
    counted: u64,
    /// Up to where in the file lines were printed.
    printed_to: Option<u64>,
    /// How many lines of context are still to be printed.
    pending: u64,
    left: u64,
    selected: u64,
    quiet: bool,
    /// The first selected line is enough.
    first_only: bool,
    /// How many lines were selected before the first NUL was seen.
    before_nul: Option<u64>,
    /// A line that is no text should have been printed.
    no_text: bool,
}

impl<'p, 'a> Search<'p, 'a> {
    /// For a file of this name.
    pub(crate) fn new(printer: &'p mut Printer<'a>, name: &'p [u8]) -> Search<'p, 'a> {
        let asked = printer.asked;
        let first_only = asked.quiet || asked.list != List::None;
        Search {
            printer,
            asked,
            name,
            buffer: Vec::new(),
            base: 0,
            counted_to: 0,
            counted: 0,
            printed_to: None,
            pending: 0,
            left: asked.max,
            selected: 0,
            quiet: asked.count || first_only,
            first_only,
            before_nul: None,
            no_text: false,
        }
    }

    /// Searches all of it.
    pub(crate) fn run(mut self, source: &mut dyn Read) -> Result<Counted, Failed> {
        let end = self.asked.end;
        // Up to where the buffer was searched.
        let mut done = 0;
        let mut at_end = false;
        let mut stopped = self.left == 0;
        while !at_end && !stopped {
            let had = self.buffer.len();
            at_end = fill(&mut self.buffer, source).map_err(Failed::Read)? == 0;
            if self.look_for_nul(had) {
                break;
            }
            if at_end && self.buffer.len() > done && self.buffer.last() != Some(&end) {
                self.buffer.push(end);
            }
            let from = done.max(had.saturating_sub(1));
            let complete = match memrchr(end, &self.buffer[from.min(self.buffer.len())..]) {
                Some(at) => from + at + 1,
                None => done,
            };
            if complete > done {
                let buffer = std::mem::take(&mut self.buffer);
                let result = self.lines(&buffer[..complete], done);
                self.buffer = buffer;
                stopped = result.map_err(Failed::Matcher)?;
                done = complete;
            }
            if !stopped && !at_end {
                done = self.shift(done);
            }
        }
        let is_binary = !self.asked.count
            && !self.first_only_asked()
            && self.asked.binary != Binary::Left
            && (self.no_text || self.before_nul.is_some_and(|before| before < self.selected));
        Ok(Counted {
            lines: self.selected,
            is_binary,
            stopped_at: (stopped && self.left == 0)
                .then_some(self.printed_to.unwrap_or(self.base + done as u64)),
        })
    }

    fn first_only_asked(&self) -> bool {
        self.asked.quiet || self.asked.list != List::None
    }

    /// Notices that a file is no text. True when it need not be searched then.
    fn look_for_nul(&mut self, from: usize) -> bool {
        let asked = self.asked;
        if asked.end == 0 || asked.binary == Binary::Text {
            return false;
        }
        if self.before_nul.is_none() {
            if memchr(0, &self.buffer[from..]).is_none() {
                return false;
            }
            if asked.binary == Binary::Left {
                self.selected = 0;
                return true;
            }
            if !asked.count {
                self.first_only = true;
                self.quiet = true;
            }
            self.before_nul = Some(self.selected);
        }
        // A NUL ends a line then.
        let end = asked.end;
        self.buffer[from..]
            .iter_mut()
            .filter(|byte| **byte == 0)
            .for_each(|byte| *byte = end);
        false
    }

    /// Searches complete lines. True when that was enough.
    fn lines(&mut self, text: &[u8], from: usize) -> Result<bool, Error> {
        let matcher = self.printer.matcher;
        let end = self.asked.end;
        let mut at = from;
        while at < text.len() {
            let found = matcher.find_line(text, at, end)?;
            let (start, stop) =
                found.map_or((text.len(), text.len()), |(start, stop)| (start, stop + 1));
            let enough = if self.asked.invert {
                // What lies before is selected; the line itself may be context.
                start > at && self.select(text, at, start)
            } else {
                found.is_some() && self.select(text, start, stop)
            };
            if enough {
                return Ok(true);
            }
            if found.is_none() {
                break;
            }
            at = stop;
        }
        if self.pending > 0 {
            self.context(text, text.len());
        }
        Ok(self.first_only && self.selected > 0)
    }

    /// Prints or counts selected lines. True when no more are wanted.
    fn select(&mut self, text: &[u8], start: usize, stop: usize) -> bool {
        if !self.quiet && self.pending > 0 {
            self.context(text, start);
        }
        if !self.quiet {
            self.before(text, start);
        }
        let mut at = start;
        while at < stop && self.left > 0 {
            let next = if self.asked.invert {
                if self.quiet && !self.first_only && self.left > (stop - at) as u64 {
                    // Only counted: all at once.
                    let count = memchr_iter(self.asked.end, &text[at..stop]).count() as u64;
                    self.selected += count;
                    self.left -= count;
                    break;
                }
                line_end(text, at, self.asked.end)
            } else {
                stop
            };
            self.selected += 1;
            self.left -= 1;
            if !self.quiet {
                self.print(text, at, next, Role::Selected);
            }
            at = next;
            if self.first_only || self.printer.out.is_broken() {
                return true;
            }
        }
        self.printer.used = true;
        self.pending = if self.quiet {
            0
        } else {
            self.asked.after.unwrap_or(0)
        };
        if self.left == 0 {
            if self.pending > 0 && !self.quiet {
                let resume = self.printed_to;
                self.context(text, text.len());
                // Reading goes on behind the last selected line.
                self.printed_to = resume;
            }
            self.printed_to.get_or_insert(self.base + at as u64);
            return true;
        }
        false
    }

    /// Prints context before a place, and what separates groups.
    fn before(&mut self, text: &[u8], start: usize) {
        let printed = self
            .printed_to
            .map(|to| to.saturating_sub(self.base) as usize);
        let first = printed.unwrap_or(0).min(start);
        let mut at = start;
        for _ in 0..self.asked.before.unwrap_or(0) {
            if at <= first {
                break;
            }
            at = memrchr(self.asked.end, &text[first..at - 1])
                .map_or(first, |place| first + place + 1);
        }
        let with_context = self.asked.before.is_some() || self.asked.after.is_some();
        let here = self.base + at as u64;
        if with_context && self.printer.used && self.printed_to != Some(here) {
            self.printer.between_groups();
        }
        while at < start && !self.quiet {
            let next = line_end(text, at, self.asked.end);
            self.print(text, at, next, Role::Context);
            at = next;
        }
    }

    /// Prints context up to a place.
    fn context(&mut self, text: &[u8], stop: usize) {
        let printed = self
            .printed_to
            .unwrap_or(self.base)
            .saturating_sub(self.base) as usize;
        let mut at = printed.min(stop);
        while self.pending > 0 && at < stop && !self.quiet {
            let next = line_end(text, at, self.asked.end);
            self.print(text, at, next, Role::Context);
            self.pending -= 1;
            at = next;
        }
    }

    fn print(&mut self, text: &[u8], start: usize, stop: usize, role: Role) {
        let offset = self.base + start as u64;
        let mut number = 0;
        if self.asked.line_number {
            let from = (self.counted_to - self.base) as usize;
            if from <= start {
                self.counted += memchr_iter(self.asked.end, &text[from..start]).count() as u64;
                self.counted_to = offset;
            }
            number = self.counted + 1;
        }
        let line = Line {
            text: &text[start..stop],
            offset,
            number,
            role,
        };
        if self.printer.line(self.name, &line).is_err() {
            self.no_text = true;
        }
        self.printed_to = Some(self.base + stop as u64);
    }

    /// Throws away what was searched and is not needed as context. Returns up to where the buffer
    /// was searched.
    fn shift(&mut self, done: usize) -> usize {
        let printed = self.printed_to.unwrap_or(0).saturating_sub(self.base) as usize;
        let mut keep = done;
        if !self.quiet {
            for _ in 0..self.asked.before.unwrap_or(0) {
                if keep <= printed || keep == 0 {
                    break;
                }
                keep = memrchr(self.asked.end, &self.buffer[..keep - 1]).map_or(0, |at| at + 1);
            }
        }
        if keep == 0 {
            return done;
        }
        if self.asked.line_number {
            let from = (self.counted_to - self.base) as usize;
            if from < keep {
                self.counted +=
                    memchr_iter(self.asked.end, &self.buffer[from..keep]).count() as u64;
                self.counted_to = self.base + keep as u64;
            }
        }
        self.buffer.drain(..keep);
        self.base += keep as u64;
        done - keep
    }
}

/// Behind the end of the line at `at`.
fn line_end(text: &[u8], at: usize, end: u8) -> usize {
    memchr(end, &text[at..]).map_or(text.len(), |place| at + place + 1)
}

/// Reads a block behind what is there; 0 at the end.
fn fill(buffer: &mut Vec<u8>, source: &mut dyn Read) -> io::Result<usize> {
    let had = buffer.len();
    // A line that is longer than a block is read in larger steps, so that it is not looked at again
    // and again.
    let step = BLOCK.max(had);
    buffer.resize(had + step, 0);
    loop {
        match source.read(&mut buffer[had..]) {
            Ok(count) => {
                buffer.truncate(had + count);
                return Ok(count);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                buffer.truncate(had);
                return Err(error);
            }
        }
    }
}
