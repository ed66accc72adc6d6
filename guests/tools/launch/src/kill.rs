//! `kill`: sends signals to processes, as `/bin/kill` of coreutils does.

use codepod_sys::process::{self, Of, Pid};
use codepod_sys::{Errno, Signal};
use codepod_tool::{Arguments, Output, Stop, Usage, complain, errno_text, quoted};

use crate::signals;
use crate::{help, version};

const USAGE: &str = "Usage: kill [-s SIGNAL | -SIGNAL] PID...\n  or:  kill -l [SIGNAL]...\n  or:  kill -t [SIGNAL]...\nSend signals to processes, or list signals.\n\n  -s, --signal=SIGNAL, -SIGNAL\n  -l, -L, --list\n  -t, --table\n";

/// What the arguments ask for.
#[derive(Default)]
struct Settings {
    signal: Option<u32>,
    list: bool,
    table: bool,
    operands: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    if settings.list || settings.table {
        return show(tool, &settings.operands, settings.table);
    }
    let mut status = 0;
    for operand in &settings.operands {
        if let Err(why) = send(settings.signal.unwrap_or(15), operand) {
            complain(tool, [&quoted(operand)[..], b": ", why.as_bytes()].concat());
            status = 1;
        }
    }
    status
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut words = arguments.into_iter();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"--help" => return Err(Stop::Status(help(USAGE))),
            b"--version" => return Err(Stop::Status(version(tool))),
            b"--" => {
                settings.operands.extend(words);
                break;
            }
            b"-l" | b"-L" | b"--list" => settings.list = true,
            b"-t" | b"--table" => settings.table = true,
            b"-s" | b"--signal" | b"-n" => {
                let missing = || Usage::new("option requires an argument -- 's'");
                settings.set_signal(&words.next().ok_or_else(missing)?)?;
            }
            [b'-', b'-', rest @ ..] => match rest.strip_prefix(b"signal=") {
                Some(value) => settings.set_signal(value)?,
                None => {
                    let message = [b"unrecognized option '", &word[..], b"'"].concat();
                    return Err(Usage::new(message).into());
                }
            },
            [b'-', rest @ ..] if !rest.is_empty() => settings.take_dashed(rest)?,
            _ => {
                settings.operands.push(word);
                settings.operands.extend(words);
                break;
            }
        }
    }
    if settings.signal.is_some() && (settings.list || settings.table) {
        return Err(Usage::new("cannot combine signal with -l or -t").into());
    }
    if settings.operands.is_empty() && !settings.list && !settings.table {
        return Err(Usage::new("no process ID specified").into());
    }
    Ok(settings)
}

impl Settings {
    fn set_signal(&mut self, value: &[u8]) -> Result<(), Usage> {
        let wrong = |what: &[u8]| Usage::new([&quoted(value)[..], what].concat());
        let number = signals::number(value).ok_or_else(|| wrong(b": invalid signal"))?;
        match self.signal.replace(number) {
            None => Ok(()),
            Some(_) => Err(wrong(b": multiple signals specified")),
        }
    }

    /// Takes what stands behind one dash: a signal, `s` with a signal, or a group.
    fn take_dashed(&mut self, rest: &[u8]) -> Result<(), Usage> {
        // A number with a dash behind a signal is a group.
        let is_group = rest.iter().all(u8::is_ascii_digit)
            && (self.signal.is_some() || !self.operands.is_empty());
        if is_group {
            self.operands.push([b"-", rest].concat());
            return Ok(());
        }
        let is_signal = signals::number(rest).is_some();
        match rest {
            [b's', value @ ..] if !is_signal && !value.is_empty() => self.set_signal(value),
            [b'a'..=b'z', ..] if !is_signal => Err(Usage::new(
                [b"invalid option -- '", &rest[..1], b"'"].concat(),
            )),
            _ => self.set_signal(rest),
        }
    }
}

/// Sends a signal to the processes that an operand names. Fails with why it could not.
fn send(number: u32, operand: &[u8]) -> Result<(), &'static str> {
    let pid = std::str::from_utf8(operand)
        .ok()
        .and_then(|text| text.trim_start().parse::<i64>().ok())
        .ok_or("invalid process id")?;
    let of = match pid {
        0 => Of::OwnGroup,
        -1 => Of::Any,
        1.. => Of::Process(Pid(u32::try_from(pid).unwrap_or(u32::MAX))),
        _ => Of::Group(Pid(u32::try_from(pid.unsigned_abs()).unwrap_or(u32::MAX))),
    };
    let sent = match (number, Signal::from_raw(number)) {
        (0, _) if process::exists(of) => Ok(()),
        (0, _) => Err(Errno::Srch),
        (_, Some(signal)) => process::kill(of, signal),
        (_, None) => Err(Errno::Inval),
    };
    sent.map_err(errno_text)
}

/// Lists signals: names, or with `table` numbers, names and what they are for.
fn show(tool: &str, operands: &[Vec<u8>], table: bool) -> i32 {
    let mut out = Output::new();
    let mut status = 0;
    let line = |out: &mut Output, number: u32| {
        let name = signals::name(number).unwrap_or_else(|| number.to_string());
        if table {
            out.put(format!("{number:2} {name:<8} {}\n", signals::about(number)).as_bytes());
        } else {
            out.put(format!("{name}\n").as_bytes());
        }
    };
    if operands.is_empty() {
        let all = (1..=64).filter(|number| signals::name(*number).is_some());
        all.for_each(|number| line(&mut out, number));
    } else {
        for operand in operands {
            match signals::number(operand) {
                Some(number) if table => line(&mut out, number),
                // A name is answered with its number, and the other way round.
                Some(number) if operand[0].is_ascii_digit() => line(&mut out, number),
                Some(number) => out.put(format!("{number}\n").as_bytes()),
                None => {
                    complain(tool, [&quoted(operand)[..], b": invalid signal"].concat());
                    status = 1;
                }
            }
        }
    }
    if out.finish().is_err() { 1 } else { status }
}
