//! `uniq`: leaves out repeated lines, or prints only those.

use std::fs::File;
use std::io::{self, BufWriter, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Stop, Usage, Value, complain, complain_of, flag, long,
    one_of, path, quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system;
use crate::text_input::{Input, or_standard_input, without_end};

#[derive(Clone, Copy)]
enum Key {
    Digit(u8),
    Count,
    Repeated,
    AllRepeated,
    SkipFields,
    Group,
    IgnoreCase,
    SkipChars,
    Unique,
    Zero,
    CheckChars,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Count, b'c', "count"),
    flag(Key::Repeated, b'd', "repeated"),
    flag(Key::AllRepeated, b'D', ""),
    long(Key::AllRepeated, "all-repeated", Value::Optional),
    value(Key::SkipFields, b'f', "skip-fields"),
    long(Key::Group, "group", Value::Optional),
    flag(Key::IgnoreCase, b'i', "ignore-case"),
    value(Key::SkipChars, b's', "skip-chars"),
    flag(Key::Unique, b'u', "unique"),
    flag(Key::Zero, b'z', "zero-terminated"),
    value(Key::CheckChars, b'w', "check-chars"),
    // `-12` is `-f 12`, as it was once written.
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
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Where an empty line marks groups of equal lines.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Marks {
    #[default]
    None,
    Before,
    After,
    Between,
    Around,
}

const GROUPS: &[(&str, Marks)] = &[
    ("prepend", Marks::Before),
    ("append", Marks::After),
    ("separate", Marks::Between),
    ("both", Marks::Around),
];

const ALL_REPEATED: &[(&str, Marks)] = &[
    ("none", Marks::None),
    ("prepend", Marks::Before),
    ("separate", Marks::Between),
];

/// What is printed of a group of equal lines.
struct Settings {
    /// A line that has no equal.
    unique: bool,
    /// One line of a group of several: the first, or the last where `others` is set.
    repeated: bool,
    /// The other lines of a group of several.
    others: bool,
    count: bool,
    /// Everything is printed, in groups.
    group: bool,
    marks: Marks,
    key: KeyPart,
    line_end: u8,
}

/// The part of a line that is compared.
struct KeyPart {
    skip_fields: usize,
    skip_bytes: usize,
    most: usize,
    ignore_case: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let (settings, operands) = match settings(tool, arguments) {
        Ok(found) => found,
        Err(stop) => return stop.report(tool, 1),
    };
    let operands = or_standard_input(operands);
    let input = &operands[0];
    let opened = Input::open(input).map_err(|error| (input, error));
    let opened = opened.and_then(|source| match operands.get(1) {
        Some(name) if name != b"-" => {
            let file = File::create(path(name)).map_err(|error| (name, error))?;
            Ok((source, Sink::File(BufWriter::new(file))))
        }
        _ => Ok((source, Sink::Standard(Output::new()))),
    });
    let (mut source, mut sink) = match opened {
        Ok(opened) => opened,
        Err((name, error)) => {
            complain_of(tool, name, &system::io_message(&error));
            return 1;
        }
    };
    let status = match run(&settings, &mut source, &mut sink) {
        Ok(()) => 0,
        Err(Failure::Read) => {
            complain(tool, [b"error reading ", &quoted(input)[..]].concat());
            1
        }
        Err(Failure::Write(error)) => return write_error(tool, &error),
    };
    match sink.finish() {
        Ok(()) => status,
        Err(error) => write_error(tool, &error),
    }
}

fn write_error(tool: &str, error: &io::Error) -> i32 {
    complain(tool, format!("write error: {}", system::io_message(error)));
    1
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings {
        unique: true,
        repeated: true,
        others: false,
        count: false,
        group: false,
        marks: Marks::None,
        key: KeyPart {
            skip_fields: 0,
            skip_bytes: 0,
            most: usize::MAX,
            ignore_case: false,
        },
        line_end: b'\n',
    };
    let only_files = arguments.iter().any(|argument| argument == b"--");
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Arguments::new();
    // Whether the last number of fields came as `-N`, so that another digit belongs to it.
    let mut digits = false;
    while let Some(found) = options.next()? {
        match found {
            Found::Option(Key::Digit(digit), _) => {
                let before = if digits { settings.key.skip_fields } else { 0 };
                let more = before.saturating_mul(10).saturating_add(digit.into());
                settings.key.skip_fields = more;
                digits = true;
            }
            Found::Option(key, value) => {
                digits &= !matches!(key, Key::SkipFields);
                settings.take(tool, key, value)?;
            }
            // `+N` is `-s N`, as it was once written.
            Found::Operand(operand) => match operand.strip_prefix(b"+").and_then(number) {
                Some(count) if !only_files => settings.key.skip_bytes = count,
                _ if operands.len() == 2 => {
                    let message = [b"extra operand ", &quoted_text(&operand)[..]].concat();
                    return Err(Usage::new(message).into());
                }
                _ => operands.push(operand),
            },
        }
    }
    let selects = settings.count || settings.others || !settings.unique || !settings.repeated;
    if settings.group && selects {
        return Err(Usage::new("--group is mutually exclusive with -c/-d/-D/-u").into());
    }
    if settings.count && settings.others {
        let message = "printing all duplicated lines and repeat counts is meaningless";
        return Err(Usage::new(message).into());
    }
    Ok((settings, operands))
}

impl Settings {
    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let key_number = |what: &str| {
            let text = value.as_deref().unwrap_or_default();
            number(text).ok_or_else(|| {
                let what = format!(": invalid number of {what}");
                Stop::Failed([text, what.as_bytes()].concat())
            })
        };
        let choice = |option, choices| {
            let text = value.as_deref().unwrap_or(b"separate");
            one_of(option, text, choices)
        };
        match key {
            Key::Digit(_) => {}
            Key::Count => self.count = true,
            Key::Repeated => self.unique = false,
            Key::AllRepeated => {
                (self.unique, self.others) = (false, true);
                self.marks = match value {
                    Some(_) => choice("--all-repeated", ALL_REPEATED)?,
                    None => Marks::None,
                };
            }
            Key::Group => {
                self.group = true;
                self.marks = choice("--group", GROUPS)?;
            }
            Key::SkipFields => self.key.skip_fields = key_number("fields to skip")?,
            Key::SkipChars => self.key.skip_bytes = key_number("bytes to skip")?,
            Key::CheckChars => self.key.most = key_number("bytes to compare")?,
            Key::IgnoreCase => self.key.ignore_case = true,
            Key::Unique => self.repeated = false,
            Key::Zero => self.line_end = 0,
            Key::Help => {
                let about = "Filter adjacent matching lines from INPUT (or standard input),\n\
                             writing to OUTPUT (or standard output).";
                let status = help(tool, "[OPTION]... [INPUT [OUTPUT]]", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

/// A number of fields or bytes; one that is too large is as large as can be.
fn number(text: &[u8]) -> Option<usize> {
    let text = text.trim_ascii_start();
    let digits = text.strip_prefix(b"+").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(digits.iter().fold(0usize, |number, digit| {
        let digit = usize::from(digit - b'0');
        number.saturating_mul(10).saturating_add(digit)
    }))
}

impl KeyPart {
    /// The part of a line that is compared.
    fn of<'a>(&self, line: &'a [u8]) -> &'a [u8] {
        let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        let mut rest = line;
        for _ in 0..self.skip_fields {
            if rest.is_empty() {
                break;
            }
            let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
            let word = rest[blanks..].iter().take_while(|byte| !is_blank(byte));
            rest = &rest[blanks + word.count()..];
        }
        let rest = &rest[self.skip_bytes.min(rest.len())..];
        &rest[..self.most.min(rest.len())]
    }

    fn is_same(&self, left: &[u8], right: &[u8]) -> bool {
        if self.ignore_case {
            left.eq_ignore_ascii_case(right)
        } else {
            left == right
        }
    }
}

/// Where lines go.
enum Sink {
    Standard(Output),
    File(BufWriter<File>),
}

impl Sink {
    /// Writes bytes. Fails where a file does not take them, or standard output is gone.
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Sink::Standard(out) => {
                out.put(bytes);
                if out.is_broken() {
                    return out.finish();
                }
                Ok(())
            }
            Sink::File(file) => file.write_all(bytes),
        }
    }

    fn finish(&mut self) -> io::Result<()> {
        match self {
            Sink::Standard(out) => out.finish(),
            Sink::File(file) => file.flush(),
        }
    }
}

/// Why filtering ended early.
enum Failure {
    Read,
    Write(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        Failure::Write(error)
    }
}

/// The group of equal lines that is read.
struct Group<'a> {
    settings: &'a Settings,
    sink: &'a mut Sink,
    /// A line that may still be printed, and how many lines the group has.
    line: Vec<u8>,
    count: u64,
    /// Whether a group was printed already.
    printed: bool,
}

fn run(settings: &Settings, source: &mut Input, sink: &mut Sink) -> Result<(), Failure> {
    let mut group = Group {
        settings,
        sink,
        line: Vec::new(),
        count: 0,
        printed: false,
    };
    while let Some(record) = source
        .record(settings.line_end)
        .map_err(|_| Failure::Read)?
    {
        let line = without_end(record, settings.line_end);
        let key = &settings.key;
        if group.count > 0 && key.is_same(key.of(&group.line), key.of(line)) {
            group.add(line)?;
        } else {
            group.end()?;
            group.line.clear();
            group.line.extend_from_slice(line);
            group.count = 1;
        }
    }
    group.end()?;
    if group.printed && matches!(settings.marks, Marks::After | Marks::Around) {
        group.sink.put(&[settings.line_end])?;
    }
    Ok(())
}

impl Group<'_> {
    /// Takes another line that is equal to those before.
    fn add(&mut self, line: &[u8]) -> io::Result<()> {
        self.count = self.count.saturating_add(1);
        if self.settings.others || self.settings.group {
            if self.count == 2 {
                self.mark()?;
            }
            self.print()?;
            self.line.clear();
            self.line.extend_from_slice(line);
        }
        Ok(())
    }

    /// Prints what is left of the group.
    fn end(&mut self) -> io::Result<()> {
        let printed = match self.count {
            0 => false,
            1 => self.settings.unique,
            _ => self.settings.repeated,
        };
        if !printed {
            return Ok(());
        }
        if self.count == 1 || !(self.settings.others || self.settings.group) {
            self.mark()?;
        }
        if self.settings.count {
            self.sink.put(format!("{:7} ", self.count).as_bytes())?;
        }
        self.print()
    }

    /// Marks the beginning of a group.
    fn mark(&mut self) -> io::Result<()> {
        let marked = match self.settings.marks {
            Marks::None => false,
            Marks::Before | Marks::Around => true,
            Marks::After | Marks::Between => self.printed,
        };
        self.printed = true;
        if marked {
            self.sink.put(&[self.settings.line_end])?;
        }
        Ok(())
    }

    fn print(&mut self) -> io::Result<()> {
        self.sink.put(&self.line)?;
        self.sink.put(&[self.settings.line_end])
    }
}
