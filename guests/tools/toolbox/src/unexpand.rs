//! `unexpand`: turns blanks into tabs.

use std::io;

use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, flag, long, value};

use crate::arguments::{help, version};
use crate::tab_stops::{Given, Stops};
use crate::text_input::{Input, each_file, finish, or_standard_input};

#[derive(Clone, Copy)]
enum Key {
    All,
    FirstOnly,
    Tabs,
    Digit(u8),
    Comma,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all"),
    long(Key::FirstOnly, "first-only", Value::None),
    value(Key::Tabs, b't', "tabs"),
    // `-4,8` is `-t 4,8 --first-only`, as it was once written.
    flag(Key::Digit(0), b'0', ""),
    flag(Key::Digit(1), b'1', ""),
    flag(Key::Digit(2), b'2', ""),
    flag(Key::Digit(3), b'3', ""),
    flag(Key::Digit(4), b'4', ""),
    flag(Key::Digit(5), b'5', ""),
    flag(Key::Digit(6), b'6', ""),
    flag(Key::Digit(7), b'7', ""),
    flag(Key::Digit(8), b'8', ""),
    flag(Key::Digit(9), b'9', ""),
    flag(Key::Comma, b',', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

struct Settings {
    stops: Stops,
    /// Whether blanks behind the first character that is no blank are turned into tabs, too.
    all: bool,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut unexpand = Unexpand {
        settings: &settings,
        line: Line::default(),
    };
    let mut out = Output::new();
    let status = each_file(tool, &settings.files, &mut out, |input, out| {
        unexpand.file(input, out)
    });
    unexpand.line.flush(&mut out);
    finish(tool, &mut out, status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given::default();
    let (mut all, mut first_only) = (false, false);
    // The number of `-N` that is read.
    let mut number: Option<u64> = None;
    let files = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::All => all = true,
            Key::FirstOnly => first_only = true,
            Key::Tabs => {
                all = true;
                given.read(&value.unwrap_or_default())?;
            }
            Key::Digit(digit) => {
                let more = number.unwrap_or(0).checked_mul(10);
                number = more.and_then(|more| more.checked_add(digit.into()));
                if number.is_none() {
                    return Err(Stop::failed("tab stop value is too large"));
                }
            }
            Key::Comma => number.take().into_iter().for_each(|stop| given.push(stop)),
            Key::Help => {
                let about = "Convert blanks in each FILE to tabs, writing to standard output.";
                let status = help(tool, "[OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    number.into_iter().for_each(|stop| given.push(stop));
    Ok(Settings {
        stops: given.stops()?,
        all: all && !first_only,
        files: or_standard_input(files),
    })
}

struct Unexpand<'a> {
    settings: &'a Settings,
    line: Line,
}

/// Where in a line it is. A line goes on in the next file where a file does not end it.
struct Line {
    column: u64,
    /// Whether blanks of the rest of the line are turned into tabs.
    converts: bool,
    /// Whether the last byte was a blank. The beginning of a line counts as one.
    blank: bool,
    /// Whether a space just before a tab stop is not printed yet: it stays a space where it is
    /// alone.
    lone: bool,
    /// Spaces behind the last tab stop that are not printed yet.
    held: u64,
}

impl Default for Line {
    fn default() -> Line {
        Line {
            column: 0,
            converts: true,
            blank: true,
            lone: false,
            held: 0,
        }
    }
}

impl Unexpand<'_> {
    fn file(&mut self, input: &mut Input, out: &mut Output) -> io::Result<()> {
        while let Some(block) = input.block()? {
            let mut rest = block;
            while let Some((&byte, behind)) = rest.split_first() {
                if self.line.converts {
                    self.byte(byte, out);
                    rest = behind;
                } else {
                    let end = memchr::memchr(b'\n', rest);
                    let length = end.map_or(rest.len(), |end| end + 1);
                    out.put(&rest[..length]);
                    rest = &rest[length..];
                    if end.is_some() {
                        self.line = Line::default();
                    }
                }
            }
            if out.is_broken() {
                break;
            }
        }
        Ok(())
    }

    /// Takes a byte of a line whose blanks are turned into tabs.
    fn byte(&mut self, byte: u8, out: &mut Output) {
        match byte {
            b' ' | b'\t' => match self.settings.stops.next(self.line.column) {
                Some(stop) => self.line.blank(byte, stop, out),
                None => {
                    self.line.flush(out);
                    out.put_byte(byte);
                    self.line.converts = false;
                }
            },
            _ => {
                self.line.flush(out);
                out.put_byte(byte);
                match byte {
                    b'\n' => self.line = Line::default(),
                    8 => self.line.column = self.line.column.saturating_sub(1),
                    _ => self.line.column = self.line.column.saturating_add(1),
                }
                if byte != b'\n' {
                    self.line.blank = false;
                    self.line.converts = self.settings.all;
                }
            }
        }
    }
}

impl Line {
    /// Takes a blank before a tab stop.
    fn blank(&mut self, byte: u8, stop: u64, out: &mut Output) {
        let follows_blank = std::mem::replace(&mut self.blank, true);
        self.column = match byte {
            b'\t' => stop,
            _ => self.column + 1,
        };
        if self.column < stop {
            self.held += 1;
        } else if byte == b' ' && !follows_blank {
            self.lone = true;
        } else {
            if std::mem::take(&mut self.lone) {
                out.put_byte(b'\t');
            }
            self.held = 0;
            out.put_byte(b'\t');
        }
    }

    /// Prints the blanks that were held back.
    fn flush(&mut self, out: &mut Output) {
        if std::mem::take(&mut self.lone) {
            out.put_byte(if self.held > 0 { b'\t' } else { b' ' });
        }
        while self.held > 0 {
            out.put_byte(b' ');
            self.held -= 1;
        }
    }
}
