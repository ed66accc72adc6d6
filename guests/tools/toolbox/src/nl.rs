//! `nl`: numbers lines, by sections of logical pages.

use std::io;

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::bounded;
use crate::text_input::{Input, each_file, finish, or_standard_input, without_end};

#[derive(Clone, Copy)]
enum Key {
    Body,
    Delimiter,
    Footer,
    Header,
    Increment,
    JoinBlank,
    Format,
    NoRenumber,
    Separator,
    Start,
    Width,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Body, b'b', "body-numbering"),
    value(Key::Delimiter, b'd', "section-delimiter"),
    value(Key::Footer, b'f', "footer-numbering"),
    value(Key::Header, b'h', "header-numbering"),
    value(Key::Increment, b'i', "line-increment"),
    value(Key::JoinBlank, b'l', "join-blank-lines"),
    value(Key::Format, b'n', "number-format"),
    flag(Key::NoRenumber, b'p', "no-renumber"),
    value(Key::Separator, b's', "number-separator"),
    value(Key::Start, b'v', "starting-line-number"),
    value(Key::Width, b'w', "number-width"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Which lines of a section get a number.
enum Style {
    All,
    NotEmpty,
    None,
    Matching(Box<Regex>),
}

/// A section of a logical page. Its place is that of its style in the settings.
#[derive(Clone, Copy)]
enum Section {
    Header,
    Body,
    Footer,
}

#[derive(Clone, Copy)]
enum Format {
    Left,
    Right,
    Zeros,
}

struct Settings {
    /// Header, body and footer.
    styles: [Style; 3],
    /// What a line has once, twice or thrice that starts a section; empty for none.
    delimiter: Vec<u8>,
    increment: i64,
    /// How many empty lines count as one.
    join_blank: i64,
    format: Format,
    renumber: bool,
    separator: Vec<u8>,
    start: i64,
    width: usize,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut numbering = Numbering {
        settings: &settings,
        section: Section::Body,
        number: Some(settings.start),
        blank: 0,
        failure: None,
    };
    let mut out = Output::new();
    let status = each_file(
        tool,
        &settings.files,
        &mut out,
        |input, out| match numbering.failure {
            None => numbering.file(input, out),
            Some(_) => Ok(()),
        },
    );
    match numbering.failure {
        None => finish(tool, &mut out, status),
        Some(message) => {
            finish(tool, &mut out, 1);
            complain(tool, message);
            1
        }
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        styles: [Style::None, Style::NotEmpty, Style::None],
        delimiter: b"\\:".to_vec(),
        increment: 1,
        join_blank: 1,
        format: Format::Right,
        renumber: true,
        separator: b"\t".to_vec(),
        start: 1,
        width: 6,
        files: Arguments::new(),
    };
    // Wrong styles and formats are all told before the tool ends.
    let mut mistaken = false;
    let files = Options::new(TABLE, arguments)
        .each(|key, value| settings.take(tool, key, value.unwrap_or_default(), &mut mistaken))?;
    if mistaken {
        return Err(Usage::new("").into());
    }
    settings.files = or_standard_input(files);
    Ok(settings)
}

impl Settings {
    /// Takes an option.
    fn take(
        &mut self,
        tool: &str,
        key: Key,
        value: Vec<u8>,
        mistaken: &mut bool,
    ) -> Result<(), Stop> {
        let mut mistake = |what: &[u8]| {
            complain(tool, [what, &quoted_text(&value)].concat());
            *mistaken = true;
        };
        let any = |what| bounded::number(&value, i64::MIN, i64::MAX, what);
        match key {
            Key::Body | Key::Footer | Key::Header => {
                let (section, what) = match key {
                    Key::Body => (Section::Body, &b"invalid body numbering style: "[..]),
                    Key::Footer => (Section::Footer, &b"invalid footer numbering style: "[..]),
                    _ => (Section::Header, &b"invalid header numbering style: "[..]),
                };
                match Style::parse(&value)? {
                    Some(style) => self.styles[section as usize] = style,
                    None => mistake(what),
                }
            }
            Key::Delimiter => {
                self.delimiter = value;
                if self.delimiter.len() == 1 {
                    self.delimiter.push(b':');
                }
            }
            Key::Format => match &value[..] {
                b"ln" => self.format = Format::Left,
                b"rn" => self.format = Format::Right,
                b"rz" => self.format = Format::Zeros,
                _ => mistake(b"invalid line numbering format: "),
            },
            Key::Increment => self.increment = any("invalid line number increment")?,
            Key::Start => self.start = any("invalid starting line number")?,
            Key::JoinBlank => {
                let what = "invalid line number of blank lines";
                self.join_blank = bounded::number(&value, 1, i64::MAX, what)?;
            }
            Key::Width => {
                let what = "invalid line number field width";
                let width = bounded::number(&value, 1, i32::MAX.into(), what)?;
                self.width = usize::try_from(width).unwrap_or(usize::MAX);
            }
            Key::NoRenumber => self.renumber = false,
            Key::Separator => self.separator = value,
            Key::Help => {
                let about = "Write each FILE to standard output, with line numbers added.";
                let status = help(tool, "[OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

impl Style {
    /// The style of a text; none where there is no such. Fails where its expression is wrong.
    fn parse(text: &[u8]) -> Result<Option<Style>, Stop> {
        Ok(Some(match text {
            [b'a', ..] => Style::All,
            [b't', ..] => Style::NotEmpty,
            [b'n', ..] => Style::None,
            [b'p', pattern @ ..] => {
                let regex = Regex::new(pattern, &Config::new(Syntax::BASIC));
                let regex = regex.map_err(|error| Stop::failed(error.message()))?;
                Style::Matching(Box::new(regex))
            }
            _ => return Ok(None),
        }))
    }
}

/// Where the numbering of all files stands.
struct Numbering<'a> {
    settings: &'a Settings,
    section: Section,
    /// The next number; none where it does not fit.
    number: Option<i64>,
    /// Empty lines since one was numbered.
    blank: i64,
    /// Why it cannot go on.
    failure: Option<&'static str>,
}

impl Numbering<'_> {
    fn file(&mut self, input: &mut Input, out: &mut Output) -> io::Result<()> {
        while let Some(record) = input.record(b'\n')? {
            let line = without_end(record, b'\n');
            if let Some(section) = self.starts(line) {
                self.section = section;
                if self.settings.renumber {
                    self.number = Some(self.settings.start);
                }
            } else {
                if self.is_numbered(line) {
                    let Some(number) = self.number else {
                        self.failure = Some("line number overflow");
                        return Ok(());
                    };
                    self.number = number.checked_add(self.settings.increment);
                    self.print_number(number, out);
                } else {
                    pad(out, b' ', self.settings.width);
                    pad(out, b' ', self.settings.separator.len());
                }
                out.put(line);
            }
            out.put_byte(b'\n');
            if out.is_broken() || self.failure.is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The section that a line starts.
    fn starts(&self, line: &[u8]) -> Option<Section> {
        let delimiter = &self.settings.delimiter[..];
        if delimiter.is_empty() || !line.starts_with(delimiter) {
            return None;
        }
        let mut pieces = line.chunks(delimiter.len());
        if !pieces.all(|piece| piece == delimiter) {
            return None;
        }
        match line.len() / delimiter.len() {
            1 => Some(Section::Footer),
            2 => Some(Section::Body),
            3 => Some(Section::Header),
            _ => None,
        }
    }

    fn is_numbered(&mut self, line: &[u8]) -> bool {
        match &self.settings.styles[self.section as usize] {
            Style::All => {
                if line.is_empty() {
                    self.blank += 1;
                }
                let numbered = !line.is_empty() || self.blank == self.settings.join_blank;
                if numbered {
                    self.blank = 0;
                }
                numbered
            }
            Style::NotEmpty => !line.is_empty(),
            Style::None => false,
            Style::Matching(regex) => match regex.is_match(line, 0) {
                Ok(matches) => matches,
                Err(_) => {
                    self.failure = Some("error in regular expression search");
                    false
                }
            },
        }
    }

    fn print_number(&self, number: i64, out: &mut Output) {
        let digits = number.unsigned_abs().to_string();
        let sign = if number < 0 { "-" } else { "" };
        let missing = self
            .settings
            .width
            .saturating_sub(sign.len() + digits.len());
        let (blanks_before, zeros, blanks_behind) = match self.settings.format {
            Format::Left => (0, 0, missing),
            Format::Right => (missing, 0, 0),
            Format::Zeros => (0, missing, 0),
        };
        pad(out, b' ', blanks_before);
        out.put(sign.as_bytes());
        pad(out, b'0', zeros);
        out.put(digits.as_bytes());
        pad(out, b' ', blanks_behind);
        out.put(&self.settings.separator);
    }
}

/// Prints a byte many times.
fn pad(out: &mut Output, byte: u8, count: usize) {
    let block = [byte; 64];
    let mut left = count;
    while left > 0 && !out.is_broken() {
        let now = left.min(block.len());
        out.put(&block[..now]);
        left -= now;
    }
}
