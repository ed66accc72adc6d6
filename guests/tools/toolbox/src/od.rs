//! `od`: dumps files in octal and other formats.

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, one_of, optional,
    quoted, value,
};

use crate::arguments::{help, version};
use crate::count::{self, Base, Wrong};
use crate::system;

mod dump;
mod field;
mod float;
mod format;
mod input;
mod long_double;
mod strings;

use dump::{Address, Radix};
use format::Format;
use input::Input;

/// The width of a line unless something else is asked for, and that of `-w` alone.
const WIDTH: u64 = 16;
const WIDTH_OF_W: u64 = 32;
/// The shortest string unless something else is asked for.
const STRING: u64 = 3;
/// The widest line and the longest shortest string. More is somebody's mistake.
const LARGEST: u64 = 1 << 24;

/// Options. Those with a number have the spelling that messages use.
#[derive(Clone, Copy)]
enum Key {
    Radix,
    Endian,
    Skip(&'static str),
    Read(&'static str),
    Strings(&'static str),
    Width(&'static str),
    Format,
    /// An option that stands for a format.
    Short(&'static str),
    Verbose,
    Traditional,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Radix, b'A', "address-radix"),
    long(Key::Endian, "endian", Value::Required),
    value(Key::Skip("-j"), b'j', ""),
    long(Key::Skip("--skip-bytes"), "skip-bytes", Value::Required),
    value(Key::Read("-N"), b'N', ""),
    long(Key::Read("--read-bytes"), "read-bytes", Value::Required),
    value(Key::Strings("-S"), b'S', ""),
    long(Key::Strings("--strings"), "strings", Value::Optional),
    value(Key::Format, b't', "format"),
    flag(Key::Verbose, b'v', "output-duplicates"),
    optional(Key::Width("-w"), b'w', ""),
    long(Key::Width("--width"), "width", Value::Optional),
    long(Key::Traditional, "traditional", Value::None),
    flag(Key::Short("a"), b'a', ""),
    flag(Key::Short("o1"), b'b', ""),
    flag(Key::Short("c"), b'c', ""),
    flag(Key::Short("u2"), b'd', ""),
    flag(Key::Short("fF"), b'f', ""),
    flag(Key::Short("dI"), b'i', ""),
    flag(Key::Short("dL"), b'l', ""),
    flag(Key::Short("o2"), b'o', ""),
    flag(Key::Short("d2"), b's', ""),
    flag(Key::Short("x2"), b'x', ""),
    flag(Key::Short("o2"), b'B', ""),
    flag(Key::Short("u4"), b'D', ""),
    flag(Key::Short("fD"), b'e', ""),
    flag(Key::Short("fD"), b'F', ""),
    flag(Key::Short("x2"), b'h', ""),
    flag(Key::Short("x4"), b'H', ""),
    flag(Key::Short("dL"), b'I', ""),
    flag(Key::Short("dL"), b'L', ""),
    flag(Key::Short("o4"), b'O', ""),
    flag(Key::Short("x4"), b'X', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const ENDIANS: [(&str, bool); 2] = [("little", false), ("big", true)];

/// What the arguments ask for.
struct Settings {
    address: Address,
    is_big_endian: bool,
    skip: u64,
    /// The address behind the last byte to read.
    end: Option<u64>,
    /// The shortest string, where strings are asked for.
    strings: Option<u64>,
    width: Option<u64>,
    formats: Vec<Format>,
    is_verbose: bool,
    files: Arguments,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => settings.run(tool),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        address: Address::of(Radix::Octal),
        is_big_endian: false,
        skip: 0,
        end: None,
        strings: None,
        width: None,
        formats: Vec::new(),
        is_verbose: false,
        files: Vec::new(),
    };
    let mut read = None;
    // Options that POSIX has end the older form of arguments.
    let (mut modern, mut traditional) = (false, false);
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        let text = value.as_deref().unwrap_or_default();
        modern |= !matches!(key, Key::Short(_) | Key::Traditional | Key::Endian);
        match key {
            Key::Radix => settings.address = Address::of(radix(text)?),
            Key::Endian => {
                settings.is_big_endian = one_of("--endian", text, &ENDIANS)?;
            }
            Key::Skip(option) => settings.skip = number(option, text)?,
            Key::Read(option) => read = Some(number(option, text)?),
            Key::Strings(option) => {
                settings.strings = Some(number_or(option, value.as_deref(), STRING)?);
            }
            Key::Width(option) => {
                settings.width = Some(number_or(option, value.as_deref(), WIDTH_OF_W)?);
            }
            Key::Format => format::parse(text, &mut settings.formats).map_err(Stop::Failed)?,
            Key::Short(text) => {
                format::parse(text.as_bytes(), &mut settings.formats).map_err(Stop::Failed)?;
            }
            Key::Verbose => settings.is_verbose = true,
            Key::Traditional => traditional = true,
            Key::Help => {
                let about = "Write an unambiguous representation, octal bytes by default, of FILE.";
                let usage = "[OPTION]... [FILE]...";
                return Err(Stop::Status(help(tool, usage, about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if settings.strings.is_some() && !settings.formats.is_empty() {
        let why = "no type may be specified when dumping strings";
        return Err(Stop::failed(why));
    }
    settings.files = operands;
    if !modern || traditional {
        settings.take_offsets(tool, traditional)?;
    }
    if let Some(count) = read {
        let end = settings.skip.checked_add(count);
        let end = end.ok_or_else(|| Stop::failed("skip-bytes + read-bytes is too large"))?;
        settings.end = Some(end);
    }
    Ok(settings)
}

/// How addresses are printed, as `-A` says it.
fn radix(text: &[u8]) -> Result<Radix, Stop> {
    let letter = text.first().copied().unwrap_or_default();
    Ok(match letter {
        b'd' => Radix::Decimal,
        b'o' => Radix::Octal,
        b'x' => Radix::Hexadecimal,
        b'n' => Radix::None,
        _ => {
            let start = b"invalid output address radix '";
            let end = b"'; it must be one character from [doxn]";
            return Err(Stop::Failed([&start[..], &[letter], end].concat()));
        }
    })
}

fn number_or(option: &str, text: Option<&[u8]>, usual: u64) -> Result<u64, Stop> {
    text.map_or(Ok(usual), |text| number(option, text))
}

/// The number that an option has.
fn number(option: &str, text: &[u8]) -> Result<u64, Stop> {
    count::number(text, Base::AsInC).map_err(|wrong| {
        let (start, end) = match wrong {
            Wrong::Number => ("invalid ", ""),
            Wrong::Suffix => ("invalid suffix in ", ""),
            Wrong::TooLarge => ("", " too large"),
        };
        let start = format!("{start}{option} argument '");
        Stop::Failed([start.as_bytes(), text, b"'", end.as_bytes()].concat())
    })
}

/// An offset as an operand has it: octal, or hexadecimal behind `0x`; `b` stands for 512 bytes, `B`
/// for 1024.
fn offset(text: &[u8]) -> Option<u64> {
    let bare = text.strip_prefix(b"+").unwrap_or(text);
    let (radix, bare) = match bare {
        [b'0', b'x' | b'X', digits @ ..] => (16, digits),
        _ => (8, bare),
    };
    let digits = bare
        .iter()
        .take_while(|byte| char::from(**byte).is_digit(radix))
        .count();
    let (digits, suffix) = bare.split_at(digits);
    let unit = match suffix {
        b"" => 1,
        b"b" => 512,
        b"B" => 1024,
        _ => return None,
    };
    let digits = std::str::from_utf8(digits).ok()?;
    u64::from_str_radix(digits, radix).ok()?.checked_mul(unit)
}

impl Settings {
    /// Takes offset and label from the operands, as the older forms have them: `[FILE] [[+]OFFSET
    /// [[+]LABEL]]`.
    fn take_offsets(&mut self, tool: &str, traditional: bool) -> Result<(), Stop> {
        let may_be_offset = |text: &[u8], also_digit: bool| {
            traditional
                || text.starts_with(b"+")
                || (also_digit && text.first().is_some_and(u8::is_ascii_digit))
        };
        let labelled = |offset: Option<u64>, label: Option<u64>| {
            Some((offset.filter(|_| traditional)?, label?))
        };
        match &self.files[..] {
            [only] if may_be_offset(only, false) => {
                if let Some(skip) = offset(only) {
                    self.skip = skip;
                    self.files.clear();
                }
            }
            [first, second] if may_be_offset(second, true) => {
                if let Some((skip, label)) = labelled(offset(first), offset(second)) {
                    self.label(skip, label);
                    self.files.clear();
                } else if let Some(skip) = offset(second) {
                    self.skip = skip;
                    self.files.truncate(1);
                }
            }
            [_, second, third] => {
                if let Some((skip, label)) = labelled(offset(second), offset(third)) {
                    self.label(skip, label);
                    self.files.truncate(1);
                }
            }
            _ => {}
        }
        match &self.files[..] {
            [_, extra, ..] if traditional => {
                complain(tool, [b"extra operand ", &quoted(extra)[..]].concat());
                Err(Usage::new("compatibility mode supports at most one file").into())
            }
            _ => Ok(()),
        }
    }

    fn label(&mut self, skip: u64, label: u64) {
        self.skip = skip;
        self.address.label = Some(label.wrapping_sub(skip));
    }

    fn run(mut self, tool: &str) -> i32 {
        if self.files.is_empty() {
            self.files.push(b"-".to_vec());
        }
        let largest = self.width.max(self.strings).unwrap_or(0);
        if largest > LARGEST {
            complain(tool, "memory exhausted");
            return 1;
        }
        if self.formats.is_empty() {
            self.formats.push(format::USUAL);
        }
        let mut out = Output::new();
        let mut input = Input::new(tool, std::mem::take(&mut self.files));
        if !input.open_next(&mut out) {
            return 1;
        }
        if !input.skip(self.skip, &mut out) {
            complain(tool, "cannot skip past end of combined input");
            return 1;
        }
        let width = self.line_width(tool);
        match self.strings {
            Some(least) => {
                let strings = strings::Strings {
                    least,
                    start: self.skip,
                    end: self.end,
                    address: self.address,
                };
                strings.dump(&mut input, &mut out);
            }
            None => self.dump(width, &mut input, &mut out),
        }
        if let Err(error) = out.finish() {
            complain(tool, format!("write error: {}", system::io_message(&error)));
            return 1;
        }
        i32::from(input.has_failed())
    }

    /// Bytes of a line. Warns where what was asked for does not hold whole units.
    fn line_width(&self, tool: &str) -> usize {
        let sizes = self.formats.iter().map(|format| format.size);
        let unit = sizes.max().unwrap_or(1);
        // All sizes are powers of two, so the largest is a multiple of the others.
        match self.width {
            None => (WIDTH as usize).max(unit),
            Some(width) if width > 0 && (width as usize).is_multiple_of(unit) => width as usize,
            Some(width) => {
                let message = format!("warning: invalid width {width}; using {unit} instead");
                complain(tool, message);
                unit
            }
        }
    }

    /// Dumps everything in the formats that were asked for.
    fn dump(&self, width: usize, input: &mut Input<'_>, out: &mut Output) {
        let limit = self.end.map(|end| end - self.skip);
        let lines = dump::Lines::new(&self.formats, width, self.address, self.is_verbose);
        lines
            .with_byte_order(self.is_big_endian)
            .dump(self.skip, limit, input, out);
    }
}
