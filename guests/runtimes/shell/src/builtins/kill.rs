//! `kill`.

use codepod_sys::process::{self, Of};
use codepod_sys::{Errno, Pid, Signal};

use super::{getopt, jobs as listing, number, print, signals, usage};
use crate::flow::{Run, Stop};
use crate::jobs;
use crate::options::SetOptions;
use crate::shell::{Shell, own_process_number};
use crate::text::Text;
use crate::traps::{self, Event};

/// `kill [-s sigspec | -n signum | -sigspec] pid | jobspec ...` or `kill -l [sigspec]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    let command = &arguments[0];
    let mut rest = &arguments[1..];
    let mut spec: Option<Text> = None;
    while let Some((word, after)) = rest.split_first() {
        match &word[..] {
            b"-l" | b"-L" => return Ok(list(shell, command, after)),
            b"-s" | b"-n" => {
                let Some((value, after)) = after.split_first() else {
                    let message = [word, &b": option requires an argument"[..]].concat();
                    shell.builtin_error(command, message);
                    return Ok(1);
                };
                spec = Some(value.clone());
                rest = after;
            }
            b"--" => {
                rest = after;
                break;
            }
            b"-?" => return Ok(usage(shell, command)),
            [b'-', value @ ..] if spec.is_none() => {
                spec = Some(Text::new(value));
                rest = after;
            }
            _ => break,
        }
    }
    let signal = match &spec {
        None => Signal::Term.raw(),
        Some(spec) => match signals::number(spec)
            .filter(|number| *number == 0 || signals::is_signal(*number))
        {
            Some(number) => number,
            None => return Ok(invalid(shell, command, spec)),
        },
    };
    if rest.is_empty() {
        return Ok(usage(shell, command));
    }
    jobs::update(shell);
    let mut any = false;
    for word in rest {
        any |= send_to(shell, command, word, signal)?;
    }
    Ok(i32::from(!any))
}

fn invalid(shell: &Shell, command: &[u8], spec: &[u8]) -> i32 {
    shell.builtin_error(command, [spec, b": invalid signal specification"].concat());
    1
}

/// `kill -l`
fn list(shell: &Shell, command: &[u8], specs: &[Text]) -> i32 {
    if specs.is_empty() {
        let posix = shell.state.set.has(SetOptions::POSIX);
        return print(shell, command, &signals::table(posix));
    }
    let mut status = 0;
    for spec in specs {
        let mut out = Vec::new();
        if let Some(mut code) = number(spec).filter(|_| spec[0].is_ascii_digit()) {
            // The status of what a signal has ended.
            if code > 128 {
                code -= 128;
            }
            let name = u32::try_from(code)
                .ok()
                .filter(|code| *code == 0 || signals::is_signal(*code))
                .and_then(signals::name);
            if let Some(name) = name {
                out.extend_from_slice(name.strip_prefix(b"SIG").unwrap_or(&name));
            }
        } else if let Some(number) = signals::number(spec) {
            out.extend_from_slice(&Text::number(i64::from(number)));
        }
        if out.is_empty() {
            status = invalid(shell, command, spec);
            continue;
        }
        out.push(b'\n');
        status |= print(shell, command, &out);
    }
    status
}

/// Sends a signal to what a word names. Says whether that worked.
fn send_to(shell: &mut Shell, command: &[u8], word: &Text, signal: u32) -> Run<bool> {
    if let Some(pid) = number(word).filter(|_| matches!(word[0], b'0'..=b'9' | b'-')) {
        return match send(shell, pid, signal)? {
            Ok(()) => Ok(true),
            Err(errno) => {
                report(shell, command, pid, errno);
                Ok(false)
            }
        };
    }
    if word.is_empty() {
        shell.builtin_error(command, "`': not a pid or valid job spec");
        return Ok(false);
    }
    if word[0] != b'%' {
        let message = [word, &b": arguments must be process or job IDs"[..]].concat();
        shell.builtin_error(command, message);
        return Ok(false);
    }
    let at = match shell.jobs.find(word) {
        Ok(at) => at,
        Err(jobs::NoJob::Ambiguous) => {
            let text = word[1..].strip_prefix(b"?").unwrap_or(&word[1..]);
            shell.builtin_error(command, [text, b": ambiguous job spec"].concat());
            return Ok(false);
        }
        Err(jobs::NoJob::Missing) => {
            listing::find(shell, command, word);
            return Ok(false);
        }
    };
    let mut done = true;
    for of in shell.jobs.list[at].targets() {
        if let Err(errno) = deliver(of, signal) {
            let pid = match of {
                Of::Process(pid) => i64::from(pid.0),
                Of::Group(pid) => -i64::from(pid.0),
                Of::OwnGroup | Of::Any => 0,
            };
            report(shell, command, pid, errno);
            done = false;
        }
    }
    Ok(done)
}

fn report(shell: &Shell, command: &[u8], pid: i64, errno: Errno) {
    let pid = Text::number(pid);
    let message = [b"(", &*pid, b") - ", errno.message().as_bytes()].concat();
    shell.builtin_error(command, message);
}

/// Sends a signal to a process, a group (negative), the own group (0) or all (-1).
fn send(shell: &mut Shell, pid: i64, signal: u32) -> Run<Result<(), Errno>> {
    let positive = u32::try_from(pid).ok();
    if let Some(number) = positive.filter(|number| shell.is_inside(*number)) {
        return inside(shell, number, signal).map(Ok);
    }
    // The shell catches this one, because a write of a builtin may cause it; sent, it ends the
    // shell like any other.
    let pipe = Signal::Pipe.raw();
    if signal == pipe
        && positive == Some(own_process_number())
        && shell.state.traps.get(Event::Signal(pipe)).is_none()
    {
        return Err(Stop::Killed(pipe));
    }
    let of = match pid {
        0 => Of::OwnGroup,
        -1 => Of::Any,
        _ => match (positive, u32::try_from(pid.unsigned_abs()).ok()) {
            (Some(pid), _) => Of::Process(Pid(pid)),
            (None, Some(group)) if pid < 0 => Of::Group(Pid(group)),
            _ => return Ok(Err(Errno::Srch)),
        },
    };
    Ok(deliver(of, signal))
}

fn deliver(of: Of, signal: u32) -> Result<(), Errno> {
    if signal == 0 {
        return if process::exists(of) {
            Ok(())
        } else {
            Err(Errno::Srch)
        };
    }
    let signal = Signal::from_raw(signal).ok_or(Errno::Inval)?;
    process::kill(of, signal)
}

/// A signal for the subshell that runs inside this process: its trap runs, or it ends.
fn inside(shell: &mut Shell, number: u32, signal: u32) -> Run<()> {
    let Some(signal) = Signal::from_raw(signal) else {
        return Ok(());
    };
    match shell.state.traps.get(Event::Signal(signal.raw())) {
        Some(command) if command.is_empty() => Ok(()),
        Some(_) => {
            traps::note(signal);
            Ok(())
        }
        None if number == shell.process_number() => Err(Stop::Killed(signal.raw())),
        None => Ok(()),
    }
}
