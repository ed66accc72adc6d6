//! `sleep`: waits.

use std::time::Duration;

use codepod_long_double::{Extended, Kind};
use codepod_sys::{Errno, poll};
use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, long, quoted_text,
};

use crate::arguments::{help, version};

/// More seconds than anybody waits: a century.
const LONGEST: f64 = 3.2e9;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let time = match time(tool, arguments) {
        Ok(time) => time,
        Err(stop) => return stop.report(tool, 1),
    };
    match poll::sleep(time) {
        Ok(()) => 0,
        // Outside of a sandbox, where tools are tried.
        Err(Errno::NoSys) => {
            std::thread::sleep(time);
            0
        }
        Err(errno) => {
            let why = errno_text(errno);
            complain(tool, format!("cannot read realtime clock: {why}"));
            1
        }
    }
}

/// The sum of the operands. Fails after naming each one that is no time.
fn time(tool: &str, arguments: Arguments) -> Result<Duration, Stop> {
    let operands = Options::new(TABLE, arguments).each(|key, _| -> Result<(), Stop> {
        Err(Stop::Status(match key {
            Key::Help => help(
                tool,
                "NUMBER[SUFFIX]...",
                "Pause for NUMBER seconds, or with the SUFFIX m, h, d minutes, hours, days.",
                TABLE,
            ),
            Key::Version => version(tool),
        }))
    })?;
    if operands.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    let mut sum = 0.0;
    let mut wrong = false;
    for operand in operands {
        match seconds(&operand) {
            Some(seconds) => sum += seconds,
            None => {
                let shown = quoted_text(&operand);
                complain(tool, [b"invalid time interval ", &shown[..]].concat());
                wrong = true;
            }
        }
    }
    if wrong {
        return Err(Usage::new("").into());
    }
    // A shorter time than the clock can tell is still waited for.
    let least = if sum > 0.0 { 1 } else { 0 };
    let time = Duration::from_secs_f64(sum.min(LONGEST));
    Ok(time.max(Duration::from_nanos(least)))
}

/// The seconds of one operand: `1.5`, `2m`, `0x1p3`, `inf`.
fn seconds(text: &[u8]) -> Option<f64> {
    let read = Extended::read(text);
    let unit = match text[read.taken..] {
        [] | [b's'] => 1.0,
        [b'm'] => 60.0,
        [b'h'] => 3600.0,
        [b'd'] => 86_400.0,
        _ => return None,
    };
    let number = read.number;
    if read.taken == 0 || number.kind == Kind::Nan || number.is_below_zero() {
        return None;
    }
    Some(number.to_f64() * unit)
}
