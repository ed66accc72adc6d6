//! `csplit`: splits a file at lines that match.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, flag, long, quoted, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::count::{self, Base};

mod lines;
mod pattern;
mod pieces;
mod suffix;

use lines::Lines;
use pieces::Pieces;
use suffix::Suffix;

#[derive(Clone, Copy)]
enum Key {
    Format,
    Prefix,
    Keep,
    SuppressMatched,
    Digits,
    Quiet,
    Elide,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Format, b'b', "suffix-format"),
    value(Key::Prefix, b'f', "prefix"),
    flag(Key::Keep, b'k', "keep-files"),
    long(Key::SuppressMatched, "suppress-matched", Value::None),
    value(Key::Digits, b'n', "digits"),
    flag(Key::Quiet, b's', "quiet"),
    flag(Key::Quiet, b'q', ""),
    long(Key::Quiet, "silent", Value::None),
    flag(Key::Elide, b'z', "elide-empty-files"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options ask for.
struct Settings {
    prefix: Vec<u8>,
    suffix: Suffix,
    /// Whether files stay after an error.
    keeps: bool,
    suppresses_matched: bool,
    is_quiet: bool,
    /// Whether empty files are left out.
    elides: bool,
}

/// Why splitting ends early.
enum Fatal {
    /// A pattern leads nowhere. The files are removed.
    Pattern(Vec<u8>),
    /// A file cannot be read or written. The files are removed.
    File(Vec<u8>),
    /// There is nothing to split. Everything is left as it is.
    Nothing,
    /// A pattern that is repeated as often as possible has found no more.
    Done,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    run(tool, arguments).unwrap_or_else(|stop| stop.report(tool, 1))
}

fn run(tool: &str, arguments: Arguments) -> Result<i32, Stop> {
    let (settings, operands) = settings(tool, arguments)?;
    let (file, patterns) = match &operands[..] {
        [] => return Err(Usage::new("missing operand").into()),
        [file] => {
            let message = [b"missing operand after ", &quoted(file)[..]].concat();
            return Err(Usage::new(message).into());
        }
        [file, patterns @ ..] => (file, patterns),
    };
    let lines = Lines::open(file)?;
    let patterns = pattern::parse(tool, patterns)?;
    let mut pieces = Pieces::new(settings, lines);
    let status = match pieces.split(&patterns) {
        Ok(()) | Err(Fatal::Done) => 0,
        Err(fatal) => {
            // As with GNU, only some messages stand behind what was printed.
            if !matches!(fatal, Fatal::Pattern(_)) {
                pieces.flush();
            }
            match fatal {
                Fatal::Pattern(message) | Fatal::File(message) => {
                    complain(tool, message);
                    pieces.clean_up();
                }
                Fatal::Nothing | Fatal::Done => complain(tool, "input disappeared"),
            }
            1
        }
    };
    pieces.finish().map_err(|error| {
        let why = crate::system::io_message(&error);
        Stop::failed(format!("write error: {why}"))
    })?;
    Ok(status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<(Settings, Arguments), Stop> {
    let mut settings = Settings {
        prefix: b"xx".to_vec(),
        suffix: Suffix::of_digits(2),
        keeps: false,
        suppresses_matched: false,
        is_quiet: false,
        elides: false,
    };
    let mut format = None;
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        let text = value.unwrap_or_default();
        match key {
            Key::Format => format = Some(text),
            Key::Prefix => settings.prefix = text,
            Key::Keep => settings.keeps = true,
            Key::SuppressMatched => settings.suppresses_matched = true,
            Key::Digits => settings.suffix = Suffix::of_digits(digits(&text)?),
            Key::Quiet => settings.is_quiet = true,
            Key::Elide => settings.elides = true,
            Key::Help => {
                let about = "Output pieces of FILE separated by PATTERN(s) to files 'xx00', 'xx01', ...,\nand output byte counts of each piece to standard output.";
                let usage = "[OPTION]... FILE PATTERN...";
                return Err(Stop::Status(help(tool, usage, about, TABLE)));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if let Some(format) = format
        && !operands.is_empty()
    {
        settings.suffix = Suffix::parse(&format).map_err(Stop::Failed)?;
    }
    Ok((settings, operands))
}

/// How many digits `-n` asks for.
fn digits(text: &[u8]) -> Result<usize, Stop> {
    let wrong =
        |why: &[u8]| Stop::Failed([b"invalid number: ", &quoted_text(text)[..], why].concat());
    let bare = text.trim_ascii_start();
    let unsigned = bare.strip_prefix(b"-");
    let digits = unsigned.or(bare.strip_prefix(b"+")).unwrap_or(bare);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(wrong(b""));
    }
    match count::number(digits, Base::Decimal) {
        Ok(0) => Ok(0),
        Ok(_) if unsigned.is_some() => Err(wrong(b": Numerical result out of range")),
        Ok(number) if number <= i32::MAX as u64 => Ok(number as usize),
        _ => Err(wrong(b": Value too large for defined data type")),
    }
}
