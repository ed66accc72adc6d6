//! `numfmt`: converts numbers from and to forms for people.

use std::io::{BufRead as _, BufReader};

use codepod_tool::{
    Arguments, Opt, Options, Output, Stdin, Stop, Value, complain, flag, long, one_of, quoted_text,
    value,
};

use crate::arguments::{help, version};
use crate::system;

mod fields;
mod format;
mod line;
mod long_double;
mod number;

use fields::Fields;
use format::Format;
use line::{Invalid, Lines};
use long_double::Round;
use number::{Print, Scale};

/// How much is read at once.
const BLOCK: usize = 64 << 10;
/// The widest number. More is somebody's mistake.
const WIDEST: u64 = 1 << 24;

#[derive(Clone, Copy)]
enum Key {
    Debug,
    Delimiter,
    Field,
    Format,
    From,
    FromUnit,
    Grouping,
    Header,
    Invalid,
    Padding,
    Round,
    Suffix,
    To,
    ToUnit,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Debug, "debug", Value::None),
    value(Key::Delimiter, b'd', "delimiter"),
    long(Key::Field, "field", Value::Required),
    long(Key::Format, "format", Value::Required),
    long(Key::From, "from", Value::Required),
    long(Key::FromUnit, "from-unit", Value::Required),
    long(Key::Grouping, "grouping", Value::None),
    long(Key::Header, "header", Value::Optional),
    long(Key::Invalid, "invalid", Value::Required),
    long(Key::Padding, "padding", Value::Required),
    long(Key::Round, "round", Value::Required),
    long(Key::Suffix, "suffix", Value::Required),
    long(Key::To, "to", Value::Required),
    long(Key::ToUnit, "to-unit", Value::Required),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const FROM: [(&str, Scale); 5] = [
    ("none", Scale::None),
    ("auto", Scale::Auto),
    ("si", Scale::Si),
    ("iec", Scale::Iec),
    ("iec-i", Scale::IecI),
];
const TO: [(&str, Scale); 4] = [
    ("none", Scale::None),
    ("si", Scale::Si),
    ("iec", Scale::Iec),
    ("iec-i", Scale::IecI),
];
const ROUND: [(&str, Round); 5] = [
    ("up", Round::Up),
    ("down", Round::Down),
    ("from-zero", Round::FromZero),
    ("towards-zero", Round::TowardsZero),
    ("nearest", Round::Nearest),
];
const INVALID: [(&str, Invalid); 4] = [
    ("abort", Invalid::Abort),
    ("fail", Invalid::Fail),
    ("warn", Invalid::Warn),
    ("ignore", Invalid::Ignore),
];

/// What the options ask for.
struct Settings {
    debug: bool,
    delimiter: Option<u8>,
    fields: Option<Fields>,
    format: Option<Format>,
    from: Scale,
    from_unit: u64,
    is_grouped: bool,
    header: u64,
    invalid: Invalid,
    /// The width; numbers stand left where it is negative.
    padding: i64,
    round: Round,
    suffix: Vec<u8>,
    to: Scale,
    to_unit: u64,
    line_end: u8,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok((settings, operands)) => settings.run(tool, &operands),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings {
        debug: false,
        delimiter: None,
        fields: None,
        format: None,
        from: Scale::None,
        from_unit: 1,
        is_grouped: false,
        header: 0,
        invalid: Invalid::Abort,
        padding: 0,
        round: Round::FromZero,
        suffix: Vec::new(),
        to: Scale::None,
        to_unit: 1,
        line_end: b'\n',
    };
    let operands =
        Options::new(TABLE, arguments).each(|key, value| settings.take(tool, key, value))?;
    if settings.format.is_some() && settings.is_grouped {
        return Err(Stop::failed("--grouping cannot be combined with --format"));
    }
    let by_format = settings.format.as_ref().is_some_and(|form| form.is_grouped);
    settings.is_grouped |= by_format;
    if settings.debug && !settings.converts() {
        complain(tool, "no conversion option specified");
    }
    if settings.is_grouped {
        if settings.to != Scale::None {
            return Err(Stop::failed("grouping cannot be combined with --to"));
        }
        if settings.debug {
            complain(tool, "grouping has no effect in this locale");
        }
    }
    if let Some(padding) = settings.format.as_ref().and_then(|form| form.padding) {
        // A width in the format leaves numbers on the side where `--padding` wants them.
        let is_left = settings.padding < 0 || padding < 0;
        let padding = padding.saturating_abs();
        settings.padding = if is_left { -padding } else { padding };
    }
    if settings.padding.unsigned_abs() > WIDEST {
        return Err(Stop::failed("memory exhausted"));
    }
    Ok((settings, operands))
}

impl Settings {
    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let has_value = value.is_some();
        let text = value.unwrap_or_default();
        match key {
            Key::Debug => self.debug = true,
            Key::Delimiter => match text[..] {
                [] => self.delimiter = Some(0),
                [byte] => self.delimiter = Some(byte),
                _ => return Err(Stop::failed("the delimiter must be a single character")),
            },
            Key::Field => {
                if self.fields.is_some() {
                    return Err(Stop::failed("multiple field specifications"));
                }
                self.fields = Some(Fields::parse(&text)?);
            }
            Key::Format => self.format = Some(Format::parse(&text).map_err(Stop::Failed)?),
            Key::From => self.from = one_of("--from", &text, &FROM)?,
            Key::FromUnit => self.from_unit = unit(&text)?,
            Key::Grouping => self.is_grouped = true,
            Key::Header if has_value => self.header = header(&text)?,
            Key::Header => self.header = 1,
            Key::Invalid => {
                self.invalid = one_of("--invalid", &text, &INVALID)?;
            }
            Key::Padding => self.padding = padding(&text)?,
            Key::Round => self.round = one_of("--round", &text, &ROUND)?,
            Key::Suffix => self.suffix = text,
            Key::To => self.to = one_of("--to", &text, &TO)?,
            Key::ToUnit => self.to_unit = unit(&text)?,
            Key::Zero => self.line_end = 0,
            Key::Help => {
                let about =
                    "Reformat NUMBER(s), or the numbers from standard input if none are specified.";
                let usage = "[OPTION]... [NUMBER]...";
                return Err(Stop::Status(help(tool, usage, about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    /// Whether some option changes numbers.
    fn converts(&self) -> bool {
        self.from != Scale::None
            || self.to != Scale::None
            || self.is_grouped
            || self.padding != 0
            || self.format.is_some()
    }

    fn run(self, tool: &str, operands: &[Vec<u8>]) -> i32 {
        let (debug, header, line_end) = (self.debug, self.header, self.line_end);
        let mut lines = self.lines(tool);
        let result = if operands.is_empty() {
            from_input(tool, &mut lines, header, line_end)
        } else {
            if debug && header > 0 {
                complain(tool, "--header ignored with command-line input");
            }
            operands
                .iter()
                .try_for_each(|operand| lines.convert(operand, Some(line_end)))
        };
        let mut status = match result {
            Ok(()) => lines.status(),
            Err(status) => status,
        };
        if result.is_ok() && debug && lines.has_failed() {
            complain(tool, "failed to convert some of the input numbers");
        }
        if let Err(error) = lines.out.finish() {
            complain(tool, format!("write error: {}", system::io_message(&error)));
            status = 1;
        }
        status
    }

    /// What converts lines.
    fn lines(self, tool: &str) -> Lines<'_> {
        let form = self.format.unwrap_or_default();
        Lines {
            tool,
            out: Output::new(),
            debug: self.debug,
            delimiter: self.delimiter,
            fields: self.fields.unwrap_or_else(Fields::first),
            before: form.before,
            after: form.after,
            from: self.from,
            from_unit: self.from_unit,
            to_unit: self.to_unit,
            print: Print {
                scale: self.to,
                round: self.round,
                precision: form.precision,
                zeros: form.zeros.unwrap_or(0),
            },
            padding: self.padding,
            suffix: self.suffix,
            invalid: self.invalid,
            failures: 0,
        }
    }
}

/// Converts standard input, and leaves the first lines as they are. Fails with the exit status.
fn from_input(tool: &str, lines: &mut Lines<'_>, mut header: u64, line_end: u8) -> Result<(), i32> {
    let mut input = BufReader::with_capacity(BLOCK, Stdin);
    let mut line = Vec::new();
    loop {
        line.clear();
        match input.read_until(line_end, &mut line) {
            Ok(0) => return Ok(()),
            Ok(_) => {}
            Err(error) => {
                complain(
                    tool,
                    format!("error reading input: {}", system::io_message(&error)),
                );
                return Err(lines.status());
            }
        }
        if header > 0 {
            header -= 1;
            lines.out.put(&line);
            continue;
        }
        let end = line.pop_if(|last| *last == line_end);
        lines.convert(&line, end)?;
        if lines.out.is_broken() {
            return Ok(());
        }
    }
}

fn unit(text: &[u8]) -> Result<u64, Stop> {
    number::unit(text)
        .ok_or_else(|| Stop::Failed([b"invalid unit size: ", &quoted_text(text)[..]].concat()))
}

/// A whole number. Blanks and a sign may stand before it.
fn integer<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text.trim_ascii_start())
        .ok()
        .and_then(|text| text.parse().ok())
}

fn header(text: &[u8]) -> Result<u64, Stop> {
    integer(text)
        .filter(|count| *count > 0)
        .ok_or_else(|| Stop::Failed([b"invalid header value ", &quoted_text(text)[..]].concat()))
}

fn padding(text: &[u8]) -> Result<i64, Stop> {
    integer(text)
        .filter(|width| *width != 0)
        .ok_or_else(|| Stop::Failed([b"invalid padding value ", &quoted_text(text)[..]].concat()))
}
