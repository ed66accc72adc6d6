//! `timeout`: runs a program for a limited time.

use std::time::Duration;

use codepod_sys::process::{self, Group, Of, Status, WaitOptions};
use codepod_sys::signal::{self, Action, SignalSet};
use codepod_sys::{Errno, Signal};
use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, flag, long, quoted, value,
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

/// The status when the arguments are wrong or nothing can be done.
const FAILED: i32 = 125;

/// The signals that end the waiting: time is up, or they are passed on.
const CAUGHT: [Signal; 5] = [
    Signal::Alrm,
    Signal::Int,
    Signal::Term,
    Signal::Hup,
    Signal::Quit,
];

/// What the arguments ask for.
struct Settings {
    foreground: bool,
    preserve: bool,
    verbose: bool,
    /// How long after the signal the program is killed; zero for never.
    kill_after: Duration,
    signal: Signal,
    time: Duration,
    words: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, &settings),
        Err(stop) => stop.report(tool, FAILED),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        foreground: false,
        preserve: false,
        verbose: false,
        kill_after: Duration::ZERO,
        signal: Signal::Term,
        time: Duration::ZERO,
        words: Vec::new(),
    };
    let mut operands = Options::new(TABLE, arguments)
        .in_order()
        .each(|key, value| {
            let value = value.unwrap_or_default();
            match key {
                Key::Foreground => settings.foreground = true,
                Key::Preserve => settings.preserve = true,
                Key::Verbose => settings.verbose = true,
                Key::KillAfter => settings.kill_after = interval(&value)?,
                Key::Signal => {
                    let signal = signals::number(&value).and_then(Signal::from_raw);
                    settings.signal = signal.ok_or_else(|| {
                        Usage::new([&quoted(&value)[..], b": invalid signal"].concat())
                    })?;
                }
                Key::Help => return Err(Stop::Status(help(USAGE))),
                Key::Version => return Err(Stop::Status(version(tool))),
            }
            Ok(())
        })?;
    if operands.len() < 2 {
        return Err(Usage::new("").into());
    }
    settings.time = interval(&operands.remove(0))?;
    settings.words = operands;
    Ok(settings)
}

fn interval(text: &[u8]) -> Result<Duration, Usage> {
    let invalid = || Usage::new([b"invalid time interval ", &quoted(text)[..]].concat());
    duration(text).ok_or_else(invalid)
}

fn run(tool: &str, settings: &Settings) -> i32 {
    let mut program = Program::new(settings.words.clone());
    // A group of its own, so that what the program starts ends with it.
    program.group = if settings.foreground {
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
    for signal in CAUGHT {
        let _ = signal::set_action(signal, Action::Catch);
    }
    if !settings.time.is_zero() {
        let _ = process::alarm(settings.time);
    }
    let mut running = Running {
        of: if settings.foreground {
            Of::Process(pid)
        } else {
            Of::Group(pid)
        },
        next: settings.signal,
        timed_out: false,
    };
    loop {
        match process::wait_with(Of::Process(pid), WaitOptions::default()) {
            Ok(Some((_, status))) => return running.ended(status, settings.preserve),
            Ok(None) => {}
            Err(Errno::Intr) => running.interrupted(tool, settings),
            Err(_) => return FAILED,
        }
    }
}

/// A program that runs.
struct Running {
    /// What gets signals: the program, or its group.
    of: Of,
    /// The signal for when time is up.
    next: Signal,
    timed_out: bool,
}

impl Running {
    /// Passes the signals on that came, or sends the one for when time is up.
    fn interrupted(&mut self, tool: &str, settings: &Settings) {
        let set = CAUGHT
            .into_iter()
            .fold(SignalSet::default(), SignalSet::with);
        let arrived = signal::take(set).unwrap_or_default();
        let alarm = arrived.has(Signal::Alrm);
        let passed_on = arrived.iter().find(|signal| *signal != Signal::Alrm);
        let what = match (alarm, passed_on) {
            (true, _) => self.next,
            (false, Some(signal)) => signal,
            (false, None) => return,
        };
        if alarm {
            self.timed_out = true;
            if settings.verbose {
                tell(tool, what, &settings.words);
            }
        }
        let _ = process::kill(self.of, what);
        let _ = process::kill(self.of, Signal::Cont);
        if alarm && !settings.kill_after.is_zero() && what != Signal::Kill {
            self.next = Signal::Kill;
            let _ = process::alarm(settings.kill_after);
        }
    }

    /// The status for a program that ended.
    fn ended(&self, status: Status, preserve: bool) -> i32 {
        let code = status.code().cast_signed();
        if !self.timed_out {
            return code;
        }
        // What had to be killed shows that; the rest of time being up is one status.
        let killed = matches!(status, Status::Signaled(Signal::Kill)) && self.next == Signal::Kill;
        if preserve || killed { code } else { TIMED_OUT }
    }
}

/// Says which signal is sent.
fn tell(tool: &str, signal: Signal, words: &[Vec<u8>]) {
    let name = signals::name(signal.raw()).unwrap_or_default();
    let command = words.first().map(Vec::as_slice).unwrap_or_default();
    complain(
        tool,
        [
            b"sending signal ",
            name.as_bytes(),
            b" to command ",
            &quoted(command),
        ]
        .concat(),
    );
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
