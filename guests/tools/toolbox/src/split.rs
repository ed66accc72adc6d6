//! `split`: splits a file into pieces. `--filter` is refused: it starts programs, and a module's
//! tools share its rights.

use codepod_tool::{
    Arguments, Found, Opt, Options, Stop, Usage, Value, flag, long, quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::count::{self, Base, Wrong};

mod chunks;
mod input;
mod names;
mod pieces;
mod round_robin;
mod sink;

use chunks::Chunks;
use input::Input;
use names::{Alphabet, Names};
use sink::Sinks;

/// Lines of a piece unless something else is asked for.
const LINES: u64 = 1000;

#[derive(Clone, Copy)]
enum Key {
    SuffixLength,
    AdditionalSuffix,
    Bytes,
    LineBytes,
    Suffixes(Alphabet),
    Elide,
    Filter,
    Lines,
    Number,
    Separator,
    Unbuffered,
    Verbose,
    /// A digit of `-N`, which is `-l N` as it was once written.
    Digit(u8),
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::SuffixLength, b'a', "suffix-length"),
    long(Key::AdditionalSuffix, "additional-suffix", Value::Required),
    value(Key::Bytes, b'b', "bytes"),
    value(Key::LineBytes, b'C', "line-bytes"),
    flag(Key::Suffixes(Alphabet::Decimal), b'd', ""),
    long(
        Key::Suffixes(Alphabet::Decimal),
        "numeric-suffixes",
        Value::Optional,
    ),
    flag(Key::Suffixes(Alphabet::Hexadecimal), b'x', ""),
    long(
        Key::Suffixes(Alphabet::Hexadecimal),
        "hex-suffixes",
        Value::Optional,
    ),
    flag(Key::Elide, b'e', "elide-empty-files"),
    long(Key::Filter, "filter", Value::Required),
    value(Key::Lines, b'l', "lines"),
    value(Key::Number, b'n', "number"),
    value(Key::Separator, b't', "separator"),
    flag(Key::Unbuffered, b'u', "unbuffered"),
    long(Key::Verbose, "verbose", Value::None),
    flag(Key::Digit(b'0'), b'0', ""),
    flag(Key::Digit(b'1'), b'1', ""),
    flag(Key::Digit(b'2'), b'2', ""),
    flag(Key::Digit(b'3'), b'3', ""),
    flag(Key::Digit(b'4'), b'4', ""),
    flag(Key::Digit(b'5'), b'5', ""),
    flag(Key::Digit(b'6'), b'6', ""),
    flag(Key::Digit(b'7'), b'7', ""),
    flag(Key::Digit(b'8'), b'8', ""),
    flag(Key::Digit(b'9'), b'9', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Where a piece ends.
#[derive(Debug, Clone, Copy)]
enum Way {
    Lines(u64),
    Bytes(u64),
    /// As many whole lines as fit into so many bytes.
    LineBytes(u64),
    Chunks(Chunks),
    /// The digits of `-N`.
    Digits(u64),
}

/// What the arguments ask for.
struct Settings {
    way: Option<Way>,
    alphabet: Alphabet,
    /// The first suffix.
    start: Option<Vec<u8>>,
    suffix_length: usize,
    additional_suffix: Vec<u8>,
    separator: Option<u8>,
    elides: bool,
    is_unbuffered: bool,
    is_verbose: bool,
    /// Whether the digits of `-N` go on, as they do in one argument.
    in_digits: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let done = settings(tool, arguments)
        .and_then(|(settings, operands)| settings.run(operands.into_iter()));
    match done {
        Ok(()) => 0,
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings {
        way: None,
        alphabet: Alphabet::Letters,
        start: None,
        suffix_length: 0,
        additional_suffix: Vec::new(),
        separator: None,
        elides: false,
        is_unbuffered: false,
        is_verbose: false,
        in_digits: false,
    };
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    while let Some(found) = options.next()? {
        match found {
            Found::Operand(operand) => operands.push(operand),
            Found::Option(key, value) => {
                settings.in_digits &= !options.starts_cluster();
                settings.take(tool, key, value)?;
            }
        }
    }
    if let Some(Way::Digits(0)) = settings.way {
        let message = [b"invalid number of lines: ", &quoted_text(b"0")[..]].concat();
        return Err(Usage::new(message).into());
    }
    if let Some(extra) = operands.get(2) {
        let message = [b"extra operand ", &quoted(extra)[..]].concat();
        return Err(Usage::new(message).into());
    }
    Ok((settings, operands))
}

impl Settings {
    /// Takes an option.
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let has_value = value.is_some();
        let text = value.unwrap_or_default();
        match key {
            Key::SuffixLength => {
                let length = number(&text, "suffix length")?;
                self.suffix_length = usize::try_from(length).unwrap_or(usize::MAX);
            }
            Key::AdditionalSuffix => {
                if text.contains(&b'/') {
                    let what = b"invalid suffix ";
                    let why = b", contains directory separator";
                    let message = [&what[..], &quoted_text(&text), why].concat();
                    return Err(Usage::new(message).into());
                }
                self.additional_suffix = text;
            }
            Key::Lines => self.choose(Way::Lines(at_least_one(
                number(&text, "number of lines"),
                &text,
                "number of lines",
            )?))?,
            Key::Bytes => self.choose(Way::Bytes(bytes(&text)?))?,
            Key::LineBytes => self.choose(Way::LineBytes(bytes(&text)?))?,
            Key::Number => self.choose(Way::Chunks(Chunks::parse(&text)?))?,
            Key::Digit(digit) => self.digit(digit)?,
            Key::Suffixes(alphabet) => {
                self.alphabet = alphabet;
                if has_value {
                    self.start = Some(alphabet.start(&text)?);
                }
            }
            Key::Separator => self.separate(&text)?,
            Key::Filter => {
                let message = "--filter is not supported: this tool may not start programs";
                return Err(Stop::failed(message));
            }
            Key::Elide => self.elides = true,
            Key::Unbuffered => self.is_unbuffered = true,
            Key::Verbose => self.is_verbose = true,
            Key::Help => {
                let about = "Output pieces of FILE to PREFIXaa, PREFIXab, ...";
                let usage = "[OPTION]... [FILE [PREFIX]]";
                return Err(Stop::Status(help(tool, usage, about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }

    fn choose(&mut self, way: Way) -> Result<(), Stop> {
        if self.way.is_some() {
            return Err(Usage::new("cannot split in more than one way").into());
        }
        self.way = Some(way);
        Ok(())
    }

    fn digit(&mut self, digit: u8) -> Result<(), Stop> {
        let before = match self.way {
            Some(Way::Digits(lines)) if self.in_digits => lines,
            None | Some(Way::Digits(_)) => 0,
            Some(_) => return Err(Usage::new("cannot split in more than one way").into()),
        };
        let lines = before
            .checked_mul(10)
            .and_then(|lines| lines.checked_add(u64::from(digit - b'0')));
        let Some(lines) = lines else {
            let message = format!(
                "line count option -{before}{}... is too large",
                char::from(digit)
            );
            return Err(Stop::failed(message));
        };
        self.way = Some(Way::Digits(lines));
        self.in_digits = true;
        Ok(())
    }

    fn separate(&mut self, text: &[u8]) -> Result<(), Stop> {
        let separator = match text {
            [] => return Err(Stop::failed("empty record separator")),
            [byte] => *byte,
            b"\\0" => 0,
            _ => {
                let what = b"multi-character separator ";
                return Err(Stop::Failed([&what[..], &quoted_text(text)].concat()));
            }
        };
        if self.separator.is_some_and(|other| other != separator) {
            return Err(Stop::failed("multiple separator characters specified"));
        }
        self.separator = Some(separator);
        Ok(())
    }

    fn run(self, mut operands: std::vec::IntoIter<Vec<u8>>) -> Result<(), Stop> {
        let input = operands.next().unwrap_or_else(|| b"-".to_vec());
        let prefix = operands.next().unwrap_or_else(|| b"x".to_vec());
        let way = self.way.unwrap_or(Way::Lines(LINES));
        let separator = self.separator.unwrap_or(b'\n');
        let chunks = match way {
            Way::Chunks(chunks) => Some(chunks.count),
            _ => None,
        };
        let names = Names::new(
            names::Suffix {
                alphabet: self.alphabet,
                start: self.start,
                length: self.suffix_length,
                additional: self.additional_suffix,
            },
            prefix,
            chunks,
        )?;
        let mut input = Input::open(input)?;
        let mut sinks = Sinks::new(names, self.is_verbose);
        sinks.spare(input.identity());
        let done = match way {
            Way::Lines(count) | Way::Digits(count) => {
                pieces::lines(&mut input, count, separator, &mut sinks)
            }
            Way::Bytes(count) => pieces::bytes(&mut input, count, &mut sinks),
            Way::LineBytes(count) => pieces::line_bytes(&mut input, count, separator, &mut sinks),
            Way::Chunks(chunks) => {
                let plan = chunks::Plan {
                    chunks,
                    separator,
                    elides: self.elides,
                    is_unbuffered: self.is_unbuffered,
                };
                plan.run(&mut input, &mut sinks)
            }
        };
        let done = done.and_then(|()| sinks.finish());
        // What was printed stands before the message.
        sinks.write_messages();
        done
    }
}

/// A number without a suffix. `what` stands in messages.
fn number(text: &[u8], what: &str) -> Result<u64, Stop> {
    let bare = text.trim_ascii_start();
    let digits = bare.strip_prefix(b"+").unwrap_or(bare);
    let is_number = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    if !is_number {
        return Err(invalid(text, what, ""));
    }
    count::number(text, Base::Decimal).map_err(|_| invalid(text, what, TOO_LARGE))
}

const TOO_LARGE: &str = ": Value too large for defined data type";

fn invalid(text: &[u8], what: &str, why: &str) -> Stop {
    let start = format!("invalid {what}: ");
    Stop::Failed([start.as_bytes(), &quoted_text(text), why.as_bytes()].concat())
}

fn at_least_one(number: Result<u64, Stop>, text: &[u8], what: &str) -> Result<u64, Stop> {
    match number? {
        0 => Err(invalid(text, what, ": Numerical result out of range")),
        number => Ok(number),
    }
}

/// The size of a piece.
fn bytes(text: &[u8]) -> Result<u64, Stop> {
    let what = "number of bytes";
    let number = match count::number(text, Base::Decimal) {
        Err(Wrong::Number | Wrong::Suffix) => Err(invalid(text, what, "")),
        Ok(number) if i64::try_from(number).is_ok() => Ok(number),
        _ => Err(invalid(text, what, TOO_LARGE)),
    };
    at_least_one(number, text, what)
}

/// Reports that standard output cannot be written.
fn write_error(error: &std::io::Error) -> Stop {
    Stop::failed(format!("write error: {}", crate::system::io_message(error)))
}
