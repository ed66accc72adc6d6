//! `seq`: prints numbers from one to another.
//!
//! Numbers are `long double`s, as GNU's on x86-64 has them. Most sequences need none of that: those
//! of digits alone are counted in decimal, see [`print`].

mod format;
mod number;
mod print;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, flag, long, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::output::finish;
use format::Format;
use number::Number;

#[derive(Clone, Copy)]
enum Key {
    Format,
    Separator,
    EqualWidth,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Format, b'f', "format"),
    value(Key::Separator, b's', "separator"),
    flag(Key::EqualWidth, b'w', "equal-width"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the arguments ask for.
struct Settings {
    /// The format of `-f`.
    format: Option<Format>,
    separator: Vec<u8>,
    equal_width: bool,
    first: Number,
    step: Number,
    last: Number,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut out = Output::new();
    match settings(tool, arguments).and_then(|settings| print::print(&settings, &mut out)) {
        Ok(()) => finish(tool, &mut out, 0, 1),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let (mut format, mut separator, mut equal_width) = (None, b"\n".to_vec(), false);
    let operands = Options::new(TABLE, negative_operands(arguments))
        .in_order()
        .each(|key, value| {
            match key {
                Key::Format => format = value,
                Key::Separator => separator = value.unwrap_or_default(),
                Key::EqualWidth => equal_width = true,
                Key::Help => {
                    let usage = "[OPTION]... [FIRST [INCREMENT]] LAST";
                    let about = "Print numbers from FIRST to LAST, in steps of INCREMENT.";
                    return Err(Stop::Status(help(tool, usage, about, TABLE)));
                }
                Key::Version => return Err(Stop::Status(version(tool))),
            }
            Ok(())
        })?;
    if operands.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    if let Some(extra) = operands.get(3) {
        let message = [b"extra operand ", &quoted_text(extra)[..]].concat();
        return Err(Usage::new(message).into());
    }
    let format = format.map(|text| Format::parse(&text)).transpose()?;
    if format.is_some() && equal_width {
        let message = "format string may not be specified when printing equal width strings";
        return Err(Usage::new(message).into());
    }
    let (first, step, last) = numbers(&operands)?;
    Ok(Settings {
        format,
        separator,
        equal_width,
        first,
        step,
        last,
    })
}

/// The first number, the step and the last number.
fn numbers(operands: &[Vec<u8>]) -> Result<(Number, Number, Number), Stop> {
    let first = Number::parse(&operands[0])?;
    let (step, last) = match operands {
        [_] => return Ok((Number::one(), Number::one(), first)),
        [_, last] => (Number::one(), Number::parse(last)?),
        [_, step, last, ..] => {
            let number = Number::parse(step)?;
            if number.value.is_zero() {
                let start = b"invalid Zero increment value: ";
                let message = [&start[..], &quoted_text(step)].concat();
                return Err(Usage::new(message).into());
            }
            (number, Number::parse(last)?)
        }
        [] => (Number::one(), Number::one()),
    };
    Ok((first, step, last))
}

/// Puts `--` before the first operand if that is a number below zero, so that its dash starts no
/// option.
fn negative_operands(mut arguments: Arguments) -> Arguments {
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        match &argument[..] {
            [b'-', b'.' | b'0'..=b'9', ..] => {
                arguments.insert(at, b"--".to_vec());
                break;
            }
            b"-" | b"--" => break,
            [b'-', option @ ..] => at += 1 + usize::from(takes_next(option)),
            _ => break,
        }
    }
    arguments
}

/// Whether the value of an option, here without its first dash, is the next argument.
fn takes_next(option: &[u8]) -> bool {
    if let Some(name) = option.strip_prefix(b"-") {
        return b"format".starts_with(name) || b"separator".starts_with(name);
    }
    let at = option.iter().position(|letter| b"fs".contains(letter));
    at.is_some_and(|at| at + 1 == option.len())
}
