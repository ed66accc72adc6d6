//! Settings of `join`, from its command line.

use codepod_tool::{
    Arguments, Found, Opt, Options, Stop, Usage, Value, flag, long, quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::comm::two_files;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Key {
    All,
    Empty,
    IgnoreCase,
    Field,
    Format,
    Separator,
    Only,
    First,
    Second,
    Check,
    NoCheck,
    Header,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::All, b'a', ""),
    value(Key::Empty, b'e', ""),
    flag(Key::IgnoreCase, b'i', "ignore-case"),
    value(Key::Field, b'j', ""),
    value(Key::Format, b'o', ""),
    value(Key::Separator, b't', ""),
    value(Key::Only, b'v', ""),
    value(Key::First, b'1', ""),
    value(Key::Second, b'2', ""),
    long(Key::Check, "check-order", Value::None),
    long(Key::NoCheck, "nocheck-order", Value::None),
    long(Key::Header, "header", Value::None),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Whether lines that are not in order are a mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// Always, and it ends the tool.
    Always,
    /// Once there was a line without a partner.
    Unpaired,
    Never,
}

/// Which fields are printed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// The key, and all others of both lines.
    All,
    /// The key, and as many of each file as its first line has.
    Auto,
    List(Vec<Part>),
}

/// A field that is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The key: of the first file, or of the second where only that has the line.
    Key,
    /// A field of a file; both are counted from 0.
    Field(usize, usize),
}

pub(super) struct Settings {
    /// The number of the key in each file, counted from 0.
    pub(super) fields: [usize; 2],
    /// Whether lines without a partner are printed, by file.
    pub(super) unpaired: [bool; 2],
    /// Whether joined lines are printed.
    pub(super) paired: bool,
    pub(super) filler: Vec<u8>,
    pub(super) format: Format,
    /// What stands between fields; none for blanks, and a newline where a line is one field.
    pub(super) separator: Option<u8>,
    pub(super) ignore_case: bool,
    pub(super) check: Check,
    pub(super) header: bool,
    pub(super) line_end: u8,
    pub(super) files: [Vec<u8>; 2],
}

/// What the options say, before it is known whether all of it fits together.
struct Given {
    settings: Settings,
    fields: [Option<usize>; 2],
    filler: Option<Vec<u8>>,
}

/// Reads the command line.
pub(super) fn read(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut given = Given {
        settings: Settings {
            fields: [0; 2],
            unpaired: [false; 2],
            paired: true,
            filler: Vec::new(),
            format: Format::All,
            separator: None,
            ignore_case: false,
            check: Check::Unpaired,
            header: false,
            line_end: b'\n',
            files: Default::default(),
        },
        fields: [None; 2],
        filler: None,
    };
    let mut options = Options::new(TABLE, arguments);
    // Operands, and whether each may be a field of the `-o` before it.
    let mut operands: Vec<(Vec<u8>, bool)> = Vec::new();
    let mut may_be_field = false;
    while let Some(found) = options.next()? {
        match found {
            Found::Option(key, value) => {
                may_be_field = key == Key::Format && value.as_deref() != Some(b"auto");
                given.take(tool, key, value.unwrap_or_default())?;
            }
            Found::Operand(operand) => {
                if operands.len() == 2 {
                    let Some(place) = operands.iter().position(|(_, field)| *field) else {
                        let message = [b"extra operand ", &quoted(&operand)[..]].concat();
                        return Err(Usage::new(message).into());
                    };
                    let (field, _) = operands.remove(place);
                    given.settings.format.add(&field)?;
                }
                operands.push((operand, may_be_field));
            }
        }
    }
    let files = two_files(operands.into_iter().map(|(operand, _)| operand).collect())?;
    if files.iter().all(|name| name == b"-") {
        return Err(Stop::failed("both files cannot be standard input"));
    }
    let mut settings = given.settings;
    settings.fields = given.fields.map(|field| field.unwrap_or(0));
    settings.filler = given.filler.unwrap_or_default();
    settings.files = files;
    Ok(settings)
}

impl Given {
    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: Vec<u8>) -> Result<(), Stop> {
        let settings = &mut self.settings;
        match key {
            Key::All | Key::Only => {
                let file = match number(&value)? {
                    file @ 0..=1 => file,
                    _ => return Err(wrong_number(&value)),
                };
                settings.unpaired[file] = true;
                settings.paired &= key == Key::All;
            }
            Key::Empty => {
                if self.filler.as_ref().is_some_and(|filler| *filler != value) {
                    let message = "conflicting empty-field replacement strings";
                    return Err(Stop::failed(message));
                }
                self.filler = Some(value);
            }
            Key::Separator => {
                let separator = Some(separator(&value)?);
                if settings.separator.is_some() && settings.separator != separator {
                    return Err(Stop::failed("incompatible tabs"));
                }
                settings.separator = separator;
            }
            Key::Format if value == b"auto" => settings.format = Format::Auto,
            Key::Format => settings.format.add(&value)?,
            Key::First => self.set_field(0, number(&value)?)?,
            Key::Second => self.set_field(1, number(&value)?)?,
            Key::Field => {
                let field = number(&value)?;
                self.set_field(0, field)?;
                self.set_field(1, field)?;
            }
            Key::IgnoreCase => settings.ignore_case = true,
            Key::Check => settings.check = Check::Always,
            Key::NoCheck => settings.check = Check::Never,
            Key::Header => settings.header = true,
            Key::Zero => settings.line_end = 0,
            Key::Help => {
                let about = "For each pair of input lines with identical join fields, write a line to\n\
                             standard output.";
                let status = help(tool, "[OPTION]... FILE1 FILE2", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    fn set_field(&mut self, file: usize, field: usize) -> Result<(), Stop> {
        match self.fields[file].replace(field) {
            Some(before) if before != field => Err(Stop::failed(format!(
                "incompatible join fields {}, {}",
                before + 1,
                field + 1
            ))),
            _ => Ok(()),
        }
    }
}

impl Format {
    /// Adds fields as `-o` has them: `0,1.2 2.3`.
    fn add(&mut self, text: &[u8]) -> Result<(), Stop> {
        let mut parts = match std::mem::replace(self, Format::All) {
            Format::List(parts) => parts,
            _ => Vec::new(),
        };
        for part in text.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
            parts.push(match part {
                b"0" => Part::Key,
                [b'1', b'.', field @ ..] => Part::Field(0, number(field)?),
                [b'2', b'.', field @ ..] => Part::Field(1, number(field)?),
                [b'0'..=b'2', ..] => return Err(wrong("invalid field specifier: ", part)),
                _ => return Err(wrong("invalid file number in field spec: ", part)),
            });
        }
        *self = Format::List(parts);
        Ok(())
    }
}

fn separator(text: &[u8]) -> Result<u8, Stop> {
    match *text {
        [] => Ok(b'\n'),
        [byte] => Ok(byte),
        [b'\\', b'0'] => Ok(0),
        _ => Err(wrong("multi-character tab ", text)),
    }
}

/// A number of a field, counted from 0; one that is too large is as large as can be.
fn number(text: &[u8]) -> Result<usize, Stop> {
    let bare = text.trim_ascii_start();
    let digits = bare.strip_prefix(b"+").unwrap_or(bare);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(wrong_number(text));
    }
    let number = digits.iter().fold(0usize, |number, digit| {
        let digit = usize::from(digit - b'0');
        number.saturating_mul(10).saturating_add(digit)
    });
    number.checked_sub(1).ok_or_else(|| wrong_number(text))
}

fn wrong_number(text: &[u8]) -> Stop {
    wrong("invalid field number: ", text)
}

fn wrong(what: &str, text: &[u8]) -> Stop {
    Stop::Failed([what.as_bytes(), &quoted_text(text)].concat())
}
