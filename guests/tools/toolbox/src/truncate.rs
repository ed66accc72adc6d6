//! `truncate`: sets the size of files.

use std::fs::OpenOptions;

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, flag, long, quoted,
    quoted_text, value,
};

use crate::amount::{self, Wrong};
use crate::arguments::{help, version};
use crate::copy::failure;
use crate::paths;
use crate::system::{self, Errno, Links};

/// Bytes of a block, which `-o` counts in.
const BLOCK: i64 = 4096;

#[derive(Clone, Copy)]
enum Key {
    NoCreate,
    IoBlocks,
    Reference,
    Size,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::NoCreate, b'c', "no-create"),
    flag(Key::IoBlocks, b'o', "io-blocks"),
    value(Key::Reference, b'r', "reference"),
    value(Key::Size, b's', "size"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What a number does to a size.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// It is the size.
    Set,
    /// It is added; it may be negative.
    Add,
    AtMost,
    AtLeast,
    RoundDown,
    RoundUp,
}

/// What the arguments ask for.
struct Settings {
    create: bool,
    blocks: bool,
    size: Option<(Change, i64)>,
    /// The size of the reference.
    reference: Option<i64>,
    paths: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut status = 0;
    for path in &settings.paths {
        if let Err(message) = truncate(path, &settings) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let (mut create, mut blocks) = (true, false);
    let (mut size, mut reference) = (None, None);
    let mut change = None;
    let paths = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::NoCreate => create = false,
            Key::IoBlocks => blocks = true,
            Key::Reference => reference = value,
            Key::Size => {
                let (how, number) = parse(&value.unwrap_or_default(), change)?;
                change = Some(how).filter(|how| *how != Change::Set);
                size = Some((how, number));
            }
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "OPTION... FILE...",
                    "Shrink or extend the size of each FILE to the specified size.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let wrong = |message: &str| Err(Usage::new(message).into());
    match (&reference, size) {
        (None, None) => return wrong("you must specify either '--size' or '--reference'"),
        (Some(_), Some((Change::Set, _))) => {
            return wrong("you must specify a relative '--size' with '--reference'");
        }
        (_, None) if blocks => return wrong("'--io-blocks' was specified but '--size' was not"),
        _ if paths.is_empty() => return wrong("missing file operand"),
        _ => {}
    }
    Ok(Settings {
        create,
        blocks,
        size,
        reference: reference.map(|path| size_of(&path)).transpose()?,
        paths,
    })
}

fn size_of(path: &[u8]) -> Result<i64, Stop> {
    match system::stat(path, Links::Follow) {
        Ok(stat) => Ok(stat.size.cast_signed()),
        Err(errno) => Err(Stop::Failed(failure("cannot stat", path, errno))),
    }
}

/// What `-s` says. A sign does not go with another modifier, also one of an earlier `-s`.
fn parse(text: &[u8], earlier: Option<Change>) -> Result<(Change, i64), Stop> {
    let text = text.trim_ascii_start();
    let (change, text) = match text {
        [b'<', rest @ ..] => (Some(Change::AtMost), rest),
        [b'>', rest @ ..] => (Some(Change::AtLeast), rest),
        [b'/', rest @ ..] => (Some(Change::RoundDown), rest),
        [b'%', rest @ ..] => (Some(Change::RoundUp), rest),
        _ => (earlier, text),
    };
    let text = text.trim_ascii_start();
    let is_signed = matches!(text, [b'+' | b'-', ..]);
    if is_signed && change.is_some() && change != Some(Change::Add) {
        return Err(Usage::new("multiple relative modifiers specified").into());
    }
    let digits = if is_signed { &text[1..] } else { text };
    let number = match amount::parse(digits, b"EgGkKmMPtTYZ") {
        Ok(number) => i64::try_from(number).map_err(|_| Wrong::TooLarge),
        Err(wrong) => Err(wrong),
    };
    let number = number.map_err(|wrong| {
        let shown = quoted_text(text);
        Stop::failed([b"Invalid number: ", &shown[..], wrong.text()].concat())
    })?;
    let change = match change {
        Some(change) => change,
        None if is_signed => Change::Add,
        None => Change::Set,
    };
    if matches!(change, Change::RoundDown | Change::RoundUp) && number == 0 {
        return Err(Stop::failed("division by zero"));
    }
    let is_negative = text.starts_with(b"-");
    Ok((change, if is_negative { -number } else { number }))
}

fn truncate(path: &[u8], settings: &Settings) -> Result<(), Vec<u8>> {
    let not_opened = |errno| {
        let why = errno_text(errno).as_bytes();
        [b"cannot open ", &quoted(path)[..], b" for writing: ", why].concat()
    };
    let there = system::stat(path, Links::Follow);
    if there.is_ok_and(|stat| stat.mode & system::mode::TYPE_MASK == system::mode::FIFO) {
        // Opening it would wait for a reader.
        return Err(not_opened(Errno::Nxio));
    }
    let mut options = OpenOptions::new();
    options.write(true).create(settings.create).truncate(false);
    let file = match paths::open_with(path, &options) {
        Ok(file) => file,
        Err(Errno::NoEnt) if !settings.create => return Ok(()),
        Err(errno) => return Err(not_opened(errno)),
    };
    let current = match settings.reference {
        Some(size) => size,
        None => there.map_or(0, |stat| stat.size.cast_signed()),
    };
    let size = new_size(path, current, settings)?;
    file.set_len(size.cast_unsigned()).map_err(|error| {
        let start = [b"failed to truncate ", &quoted(path)[..]].concat();
        let why = system::io_message(&error);
        [&start[..], format!(" at {size} bytes: {why}").as_bytes()].concat()
    })
}

/// The size that a file gets which has the size `current`.
fn new_size(path: &[u8], current: i64, settings: &Settings) -> Result<i64, Vec<u8>> {
    let Some((change, number)) = settings.size else {
        return Ok(current);
    };
    let overflow = |what: &str| [what.as_bytes(), &quoted(path)].concat();
    let number = if settings.blocks {
        number.checked_mul(BLOCK).ok_or_else(|| {
            overflow(&format!(
                "overflow in {number} * {BLOCK} byte blocks for file "
            ))
        })?
    } else {
        number
    };
    Ok(match change {
        Change::Set => number,
        Change::Add => current
            .checked_add(number)
            .ok_or_else(|| overflow("overflow extending size of file "))?
            .max(0),
        Change::AtMost => current.min(number),
        Change::AtLeast => current.max(number),
        Change::RoundDown => current - current % number,
        Change::RoundUp => match current % number {
            0 => current,
            rest => current
                .checked_add(number - rest)
                .ok_or_else(|| overflow("overflow rounding up size of file "))?,
        },
    })
}
