//! `kill`: sends signals to processes, as `/bin/kill` of coreutils does.

use codepod_sys::Signal;
use codepod_sys::process::{self, Of, Pid};
use codepod_tool::{Arguments, Output, Usage, complain, errno_text, quoted};

use crate::signals;
use crate::{help, version};

const USAGE: &str = "Usage: kill [-s SIGNAL | -SIGNAL] PID...\n  or:  kill -l [SIGNAL]...\n  or:  kill -t [SIGNAL]...\nSend signals to processes, or list signals.\n\n  -s, --signal=SIGNAL, -SIGNAL\n  -l, -L, --list\n  -t, --table\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut words = arguments.into_iter().peekable();
    let (mut signal, mut list, mut table) = (None, false, false);
    let mut operands: Vec<Vec<u8>> = Vec::new();
    while let Some(word) = words.next() {
        let text = String::from_utf8_lossy(&word).into_owned();
        let signal_seen = signal.is_some();
        let mut named = |value: Option<Vec<u8>>| -> Result<(), i32> {
            let Some(value) = value else {
                return Err(Usage::new("option requires an argument -- 's'").report(tool, 1));
            };
            match signals::number(&value) {
                Some(number) => {
                    if signal.replace(number).is_some() {
                        return Err(Usage::new(
                            [&quoted(&value)[..], b": multiple signals specified"].concat(),
                        )
                        .report(tool, 1));
                    }
                    Ok(())
                }
                None => Err(
                    Usage::new([&quoted(&value)[..], b": invalid signal"].concat()).report(tool, 1),
                ),
            }
        };
        let done = match text.as_str() {
            "--help" => return help(USAGE),
            "--version" => return version(tool),
            "--" => {
                operands.extend(words);
                break;
            }
            "-l" | "-L" | "--list" => {
                list = true;
                Ok(())
            }
            "-t" | "--table" => {
                table = true;
                Ok(())
            }
            "-s" | "--signal" | "-n" => named(words.next()),
            _ if text.starts_with("--signal=") => named(Some(word[9..].to_vec())),
            _ if text.starts_with("--") => Err(Usage::new(
                [b"unrecognized option '", &word[..], b"'"].concat(),
            )
            .report(tool, 1)),
            // A number with a dash behind a signal is a group.
            _ if text.len() > 1 && text.starts_with('-') => {
                let is_group = text[1..].bytes().all(|byte| byte.is_ascii_digit())
                    && (signal_seen || !operands.is_empty());
                if is_group {
                    operands.push(word);
                    Ok(())
                } else if word[1] == b's' && word.len() > 2 && signals::number(&word[1..]).is_none()
                {
                    named(Some(word[2..].to_vec()))
                } else if signals::number(&word[1..]).is_none() && word[1].is_ascii_lowercase() {
                    Err(
                        Usage::new([b"invalid option -- '", &word[1..2], b"'"].concat())
                            .report(tool, 1),
                    )
                } else {
                    named(Some(word[1..].to_vec()))
                }
            }
            _ => {
                operands.push(word);
                operands.extend(words);
                break;
            }
        };
        if let Err(status) = done {
            return status;
        }
    }
    if signal.is_some() && (list || table) {
        return Usage::new("cannot combine signal with -l or -t").report(tool, 1);
    }
    if list || table {
        return show(tool, &operands, table);
    }
    if operands.is_empty() {
        return Usage::new("no process ID specified").report(tool, 1);
    }
    let number = signal.unwrap_or(15);
    let mut status = 0;
    for operand in &operands {
        let Some(pid) = std::str::from_utf8(operand)
            .ok()
            .and_then(|text| text.trim_start().parse::<i64>().ok())
        else {
            complain(
                tool,
                [&quoted(operand)[..], b": invalid process id"].concat(),
            );
            status = 1;
            continue;
        };
        let of = match pid {
            0 => Of::OwnGroup,
            -1 => Of::Any,
            1.. => Of::Process(Pid(u32::try_from(pid).unwrap_or(u32::MAX))),
            _ => Of::Group(Pid(u32::try_from(-pid).unwrap_or(u32::MAX))),
        };
        let sent = match (number, Signal::from_raw(number)) {
            (0, _) if process::exists(of) => Ok(()),
            (0, _) => Err(codepod_sys::Errno::Srch),
            (_, Some(signal)) => process::kill(of, signal),
            (_, None) => Err(codepod_sys::Errno::Inval),
        };
        if let Err(errno) = sent {
            complain(
                tool,
                [&quoted(operand)[..], b": ", errno_text(errno).as_bytes()].concat(),
            );
            status = 1;
        }
    }
    status
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
