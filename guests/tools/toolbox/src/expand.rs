//! `expand`: turns tabs into spaces.

use std::io;

use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, flag, long, optional, value};

use crate::arguments::{help, version};
use crate::tab_stops::{Given, Stops};
use crate::text_input::{Input, each_file, finish, or_standard_input};

#[derive(Clone, Copy)]
enum Key {
    Initial,
    Tabs,
    Digit(u8),
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Initial, b'i', "initial"),
    value(Key::Tabs, b't', "tabs"),
    // `-4,8` is `-t 4,8`, as it was once written.
    optional(Key::Digit(b'0'), b'0', ""),
    optional(Key::Digit(b'1'), b'1', ""),
    optional(Key::Digit(b'2'), b'2', ""),
    optional(Key::Digit(b'3'), b'3', ""),
    optional(Key::Digit(b'4'), b'4', ""),
    optional(Key::Digit(b'5'), b'5', ""),
    optional(Key::Digit(b'6'), b'6', ""),
    optional(Key::Digit(b'7'), b'7', ""),
    optional(Key::Digit(b'8'), b'8', ""),
    optional(Key::Digit(b'9'), b'9', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

struct Settings {
    stops: Stops,
    /// Whether tabs behind the first character that is no blank stay.
    initial: bool,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut expand = Expand {
        settings: &settings,
        column: 0,
        converts: true,
    };
    let mut out = Output::new();
    let status = each_file(tool, &settings.files, &mut out, |input, out| {
        expand.file(input, out)
    });
    finish(tool, &mut out, status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given::default();
    let mut initial = false;
    let files = Options::new(TABLE, arguments).each(|key, value| {
        let value = value.unwrap_or_default();
        match key {
            Key::Initial => initial = true,
            Key::Tabs => given.read(&value)?,
            Key::Digit(digit) => given.read(&[&[digit], &value[..]].concat())?,
            Key::Help => {
                let about = "Convert tabs in each FILE to spaces, writing to standard output.";
                let status = help(tool, "[OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    Ok(Settings {
        stops: given.stops()?,
        initial,
        files: or_standard_input(files),
    })
}

/// Where in a line it is. A line goes on in the next file where a file does not end it.
struct Expand<'a> {
    settings: &'a Settings,
    column: u64,
    /// Whether tabs of the rest of the line are turned into spaces.
    converts: bool,
}

impl Expand<'_> {
    fn file(&mut self, input: &mut Input, out: &mut Output) -> io::Result<()> {
        while let Some(block) = input.block()? {
            let mut rest = block;
            while !rest.is_empty() && !out.is_broken() {
                let end = if self.converts {
                    memchr::memchr3(b'\t', 8, b'\n', rest)
                } else {
                    memchr::memchr(b'\n', rest)
                };
                let text = &rest[..end.unwrap_or(rest.len())];
                self.text(text, out);
                rest = &rest[text.len()..];
                if let Some((byte, behind)) = rest.split_first().filter(|_| end.is_some())
                    // What was read may have ended the conversion.
                    && (self.converts || *byte == b'\n')
                {
                    self.special(*byte, out);
                    rest = behind;
                }
            }
            if out.is_broken() {
                break;
            }
        }
        Ok(())
    }

    /// Takes text without tabs, backspaces and newlines.
    fn text(&mut self, text: &[u8], out: &mut Output) {
        out.put(text);
        self.column = self.column.saturating_add(text.len() as u64);
        self.converts &= !self.settings.initial || text.iter().all(|byte| *byte == b' ');
    }

    /// Takes a tab, a backspace or a newline.
    fn special(&mut self, byte: u8, out: &mut Output) {
        match byte {
            b'\n' => (self.column, self.converts) = (0, true),
            b'\t' => {
                let column = self.settings.stops.next(self.column);
                let column = column.unwrap_or(self.column.saturating_add(1));
                while self.column < column && !out.is_broken() {
                    let spaces = [b' '; 64];
                    let count = (column - self.column).min(spaces.len() as u64);
                    out.put(&spaces[..count as usize]);
                    self.column += count;
                }
                return;
            }
            _ => {
                self.column = self.column.saturating_sub(1);
                self.converts &= !self.settings.initial;
            }
        }
        out.put_byte(byte);
    }
}
