//! `timeout`: runs a program for a limited time.

use std::time::Duration;

use codepod_sys::process::{self, Group, Of, Status, WaitOptions};
use codepod_sys::signal::{self, Action, SignalSet};
use codepod_sys::{Errno, Signal};
use codepod_tool::{
    Arguments, Found, Opt, Options, Usage, Value, complain, flag, long, quoted, value,
};

use crate::program::{self, Program};
use crate::signals;
use crate::{help, version};

#[derive(Clone, Copy)]
enum Key {
    Foreground,
    KillAfter,
    Preserve,
    Signal,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Preserve, "preserve-status", Value::None),
    long(Key::Foreground, "foreground", Value::None),
    value(Key::KillAfter, b'k', "kill-after"),
    value(Key::Signal, b's', "signal"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USAGE: &str = "Usage: timeout [OPTION] DURATION COMMAND [ARG]...\nStart COMMAND, and kill it if still running after DURATION.\n\n      --preserve-status\n      --foreground\n  -k, --kill-after=DURATION\n  -s, --signal=SIGNAL\n  -v, --verbose\n";

/// The status when time is up.
const TIMED_OUT: i32 = 124;

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let (mut foreground, mut preserve, mut verbose, mut kill_after) =
        (false, false, false, Duration::ZERO);
    let mut sent = Signal::Term;
    let mut words = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                words.push(operand);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => {
                let value = value.unwrap_or_default();
                match key {
                    Key::Foreground => foreground = true,
                    Key::Preserve => preserve = true,
                    Key::Verbose => verbose = true,
                    Key::KillAfter => match duration(&value) {
                        Some(time) => kill_after = time,
                        None => return invalid(tool, &value),
                    },
                    Key::Signal => match signals::number(&value).and_then(Signal::from_raw) {
                        Some(signal) => sent = signal,
                        None => {
                            return Usage::new([&quoted(&value)[..], b": invalid signal"].concat())
                                .report(tool, 125);
                        }
                    },
                    Key::Help => return help(USAGE),
                    Key::Version => return version(tool),
                }
            }
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 125),
        }
    }
    if words.len() < 2 {
        return Usage::new("").report(tool, 125);
    }
    let time = words.remove(0);
    let Some(time) = duration(&time) else {
        return invalid(tool, &time);
    };
    let mut program = Program::new(words);
    // A group of its own, so that what the program starts ends with it.
    program.group = if foreground {
        Group::Inherit
    } else {
        Group::New
    };
    let pid = match program.start() {
        Ok(pid) => pid,
        Err(errno) => {
            return program::not_started(tool, &program.words, errno, "failed to run command ");
        }
    };
    let of = if foreground {
        Of::Process(pid)
    } else {
        Of::Group(pid)
    };
    let caught = [
        Signal::Alrm,
        Signal::Int,
        Signal::Term,
        Signal::Hup,
        Signal::Quit,
    ];
    for signal in caught {
        let _ = signal::set_action(signal, Action::Catch);
    }
    let set = caught
        .into_iter()
        .fold(SignalSet::default(), SignalSet::with);
    if !time.is_zero() {
        let _ = process::alarm(time);
    }
    let mut timed_out = false;
    let mut next = sent;
    loop {
        match process::wait_with(Of::Process(pid), WaitOptions::default()) {
            Ok(Some((_, status))) => return ended(status, timed_out, preserve, next),
            Ok(None) => {}
            Err(Errno::Intr) => {
                let arrived = signal::take(set).unwrap_or_default();
                let alarm = arrived.has(Signal::Alrm);
                let passed_on = arrived.iter().find(|signal| *signal != Signal::Alrm);
                let what = match (alarm, passed_on) {
                    (true, _) => next,
                    (false, Some(signal)) => signal,
                    (false, None) => continue,
                };
                if alarm {
                    timed_out = true;
                    if verbose {
                        let name = signals::name(what.raw()).unwrap_or_default();
                        complain(
                            tool,
                            [
                                b"sending signal ",
                                name.as_bytes(),
                                b" to command ",
                                &quoted(&program.words[0]),
                            ]
                            .concat(),
                        );
                    }
                }
                let _ = process::kill(of, what);
                let _ = process::kill(of, Signal::Cont);
                if alarm && !kill_after.is_zero() && what != Signal::Kill {
                    next = Signal::Kill;
                    let _ = process::alarm(kill_after);
                }
            }
            Err(_) => return 125,
        }
    }
}

fn ended(status: Status, timed_out: bool, preserve: bool, last: Signal) -> i32 {
    let code = status.code().cast_signed();
    if !timed_out {
        return code;
    }
    // What had to be killed shows that; the rest of time being up is one status.
    let killed = matches!(status, Status::Signaled(Signal::Kill)) && last == Signal::Kill;
    if preserve || killed { code } else { TIMED_OUT }
}

fn invalid(tool: &str, text: &[u8]) -> i32 {
    Usage::new([b"invalid time interval ", &quoted(text)[..]].concat()).report(tool, 125)
}

/// `1.5`, `2m`, `1h`, `3d`, `inf`.
fn duration(text: &[u8]) -> Option<Duration> {
    let text = std::str::from_utf8(text).ok()?;
    let (number, unit) = match text.char_indices().next_back()? {
        (at, 's') => (&text[..at], 1.0),
        (at, 'm') => (&text[..at], 60.0),
        (at, 'h') => (&text[..at], 3600.0),
        (at, 'd') => (&text[..at], 86_400.0),
        _ => (text, 1.0),
    };
    let seconds: f64 =
        if number.eq_ignore_ascii_case("inf") || number.eq_ignore_ascii_case("infinity") {
            f64::MAX
        } else {
            number.parse().ok().filter(|_| {
                number.starts_with(|letter: char| {
                    letter.is_ascii_digit() || letter == '.' || letter == '+'
                })
            })?
        };
    let seconds = seconds * unit;
    if seconds.is_nan() || seconds < 0.0 {
        return None;
    }
    // A century is for ever.
    Some(Duration::from_secs_f64(seconds.min(3.2e9)))
}
