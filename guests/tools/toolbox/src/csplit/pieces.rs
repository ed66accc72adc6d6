//! Writes the pieces.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use codepod_tool::{Output, path, quoted, quoted_if_needed, quoted_text};

use super::lines::Lines;
use super::pattern::{Pattern, Place, Repeat};
use super::{Fatal, Settings};
use crate::system;

/// A piece that is being written.
struct Piece {
    name: Vec<u8>,
    file: BufWriter<File>,
    length: u64,
}

/// The input, and the pieces that it becomes.
pub(super) struct Pieces {
    settings: Settings,
    lines: Lines,
    /// The last line that was taken or compared. The next search begins behind it.
    current: u64,
    /// How many files there are.
    made: u64,
    piece: Option<Piece>,
    out: Output,
}

impl From<io::Error> for Fatal {
    fn from(error: io::Error) -> Fatal {
        Fatal::File(format!("read error: {}", system::io_message(&error)).into_bytes())
    }
}

impl Pieces {
    pub(super) fn new(settings: Settings, lines: Lines) -> Pieces {
        Pieces {
            settings,
            lines,
            current: 0,
            made: 0,
            piece: None,
            out: Output::new(),
        }
    }

    /// Splits the input by patterns.
    pub(super) fn split(&mut self, patterns: &[Pattern]) -> Result<(), Fatal> {
        for pattern in patterns {
            let mut repetition = 0;
            loop {
                self.once(pattern, repetition)?;
                match pattern.repeat {
                    Repeat::Times(times) if repetition >= times => break,
                    _ => repetition += 1,
                }
            }
        }
        self.begin()?;
        self.write_rest()?;
        self.end()
    }

    /// Uses a pattern once.
    fn once(&mut self, pattern: &Pattern, repetition: u64) -> Result<(), Fatal> {
        let result = match &pattern.place {
            Place::Line(number) => self.until_line(*number, repetition),
            Place::Match {
                offset,
                skips: is_skipped,
                ..
            } => self.until_match(pattern, *offset, *is_skipped),
        };
        result.map_err(|problem| match problem {
            Problem::Fatal(fatal) => fatal,
            Problem::OutOfRange => {
                // The message has a number as it was understood.
                let text = match &pattern.place {
                    Place::Line(number) => number.to_string().into_bytes(),
                    Place::Match { .. } => pattern.text.clone(),
                };
                let on = match &pattern.place {
                    Place::Line(_) => repetition,
                    Place::Match { .. } => 0,
                };
                wrong(&text, "line number out of range", on)
            }
            Problem::NotFound => wrong(&pattern.text, "match not found", repetition),
        })
    }

    /// A piece until a line.
    fn until_line(&mut self, number: u64, repetition: u64) -> Result<(), Problem> {
        self.begin()?;
        let suppresses = self.settings.suppresses_matched;
        if suppresses && self.has_no_more()? {
            return Err(Problem::OutOfRange);
        }
        let first = self.first()?;
        let end = number.saturating_mul(repetition.saturating_add(1));
        for _ in first..end {
            self.move_line(false)?;
        }
        self.end()?;
        if suppresses {
            self.take()?;
        } else if self.has_no_more()? {
            return Err(Problem::OutOfRange);
        }
        Ok(())
    }

    /// A piece until a line that matches, or so many lines behind it.
    fn until_match(
        &mut self,
        pattern: &Pattern,
        offset: i64,
        is_skipped: bool,
    ) -> Result<(), Problem> {
        let Place::Match { regex, .. } = &pattern.place else {
            return Ok(());
        };
        if !is_skipped {
            self.begin()?;
        }
        // Lines that may come behind the place are held; the others can be written.
        let holds = offset.min(0).unsigned_abs();
        loop {
            self.current += 1;
            let Some(line) = self.lines.get(self.current)? else {
                if !is_skipped {
                    self.write_rest()?;
                    self.end()?;
                }
                return Err(match pattern.repeat {
                    Repeat::Always => Problem::Fatal(Fatal::Done),
                    Repeat::Times(_) => Problem::NotFound,
                });
            };
            let text = line.strip_suffix(b"\n").unwrap_or(line);
            let is_match = regex.is_match(text, 0).map_err(|error| {
                let why = format!("error in regular expression search: {error}");
                Fatal::File(why.into_bytes())
            })?;
            if is_match {
                break;
            }
            if self.first()? + holds <= self.current {
                self.move_line(is_skipped)?;
            }
        }
        let end = self.current.checked_add_signed(offset);
        let end = end.ok_or(Problem::OutOfRange)?;
        let first = self.first()?;
        if first > end {
            return Err(Problem::OutOfRange);
        }
        for _ in first..end {
            self.move_line(is_skipped)?;
        }
        if !is_skipped {
            self.end()?;
        }
        if offset > 0 {
            self.current = end;
        }
        if self.settings.suppresses_matched {
            self.take()?;
        }
        Ok(())
    }

    /// The first line that was not taken.
    fn first(&mut self) -> Result<u64, Fatal> {
        let first = self.lines.first()?;
        first.ok_or(Fatal::Nothing)
    }

    /// Whether nothing is left to compare. There may be lines before that were not taken.
    fn has_no_more(&mut self) -> Result<bool, Fatal> {
        Ok(self.lines.get(self.current + 1)?.is_none())
    }

    fn take(&mut self) -> Result<Option<Vec<u8>>, Fatal> {
        let Some((number, line)) = self.lines.take()? else {
            return Ok(None);
        };
        self.current = self.current.max(number);
        Ok(Some(line))
    }

    /// Writes the next line to the piece, or leaves it out.
    fn move_line(&mut self, is_skipped: bool) -> Result<(), Problem> {
        let line = self.take()?.ok_or(Problem::OutOfRange)?;
        if !is_skipped && let Some(piece) = &mut self.piece {
            piece.write(&line)?;
        }
        Ok(())
    }

    fn write_rest(&mut self) -> Result<(), Fatal> {
        let piece = &mut self.piece;
        self.lines.rest(|block| match piece {
            Some(piece) => piece.write(block),
            None => Ok(()),
        })
    }

    fn name(&self, number: u64) -> Vec<u8> {
        let suffix = self.settings.suffix.of(number);
        [&self.settings.prefix[..], &suffix].concat()
    }

    /// Begins a piece.
    fn begin(&mut self) -> Result<(), Fatal> {
        let name = self.name(self.made);
        let file = File::create(path(&name)).map_err(|error| {
            let why = format!(": {}", system::io_message(&error));
            Fatal::File([&quoted_if_needed(&name)[..], why.as_bytes()].concat())
        })?;
        self.made += 1;
        self.piece = Some(Piece {
            name,
            file: BufWriter::new(file),
            length: 0,
        });
        Ok(())
    }

    /// Ends the piece, and prints how long it is.
    fn end(&mut self) -> Result<(), Fatal> {
        let Some(mut piece) = self.piece.take() else {
            return Ok(());
        };
        let flushed = piece.file.flush();
        flushed.map_err(|error| piece.failed(&error))?;
        if piece.length == 0 && self.settings.elides {
            self.made -= 1;
            return remove(&piece.name);
        }
        if !self.settings.is_quiet {
            self.out.put(format!("{}\n", piece.length).as_bytes());
        }
        Ok(())
    }

    /// Ends the piece, and removes all of them, after an error.
    pub(super) fn clean_up(&mut self) {
        // What is wrong with the piece does not matter any more.
        let _ = self.end();
        if !self.settings.keeps {
            for number in 0..self.made {
                let _ = remove(&self.name(number));
            }
        }
    }

    /// Writes what was printed so far.
    pub(super) fn flush(&mut self) {
        self.out.write_out();
    }

    /// Writes what was printed. Fails if not all of it got out.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        self.out.finish()
    }
}

impl Piece {
    fn write(&mut self, bytes: &[u8]) -> Result<(), Fatal> {
        self.length += bytes.len() as u64;
        let written = self.file.write_all(bytes);
        written.map_err(|error| self.failed(&error))
    }

    fn failed(&self, error: &io::Error) -> Fatal {
        let why = format!(": {}", system::io_message(error));
        let name = quoted(&self.name);
        Fatal::File([b"write error for ", &name[..], why.as_bytes()].concat())
    }
}

fn remove(name: &[u8]) -> Result<(), Fatal> {
    std::fs::remove_file(path(name)).map_err(|error| {
        let why = format!(": {}", system::io_message(&error));
        Fatal::File([&quoted_if_needed(name)[..], why.as_bytes()].concat())
    })
}

/// Why a pattern cannot be used once more.
enum Problem {
    OutOfRange,
    NotFound,
    Fatal(Fatal),
}

impl From<Fatal> for Problem {
    fn from(fatal: Fatal) -> Problem {
        Problem::Fatal(fatal)
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Problem {
        Problem::Fatal(error.into())
    }
}

fn wrong(text: &[u8], what: &str, repetition: u64) -> Fatal {
    let on = match repetition {
        0 => String::new(),
        _ => format!(" on repetition {repetition}"),
    };
    let why = format!(": {what}{on}");
    Fatal::Pattern([&quoted_text(text)[..], why.as_bytes()].concat())
}
