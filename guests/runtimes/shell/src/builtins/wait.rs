//! `wait`.

use codepod_shell_syntax::Name;

use super::{Getopt, jobs as listing, number, target};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::jobs::{self, Waited};
use crate::shell::Shell;
use crate::text::Text;

/// `wait [-fn] [-p var] [id ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let command = &arguments[0];
    let mut options = Getopt::new(arguments, "fnp:");
    let mut next = false;
    let mut variable = None;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'n' => next = true,
                b'p' => variable = Some(option.value),
                // Without job control a wait is always for the end.
                _ => {}
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let variable = match variable {
        None => None,
        Some(text) => match assign::parse_target(text) {
            Some(parsed) => {
                assign::unset_by_text(shell, text)?;
                Some((parsed.name, text))
            }
            None => return Ok(target::invalid(shell, command, text)),
        },
    };
    let operands = options.operands();
    if next {
        return any(shell, command, operands, variable);
    }
    if operands.is_empty() {
        return Ok(status(jobs::wait_all(shell)?));
    }
    let mut last = 0;
    for operand in operands {
        let (waited, pid) = one(shell, command, operand)?;
        last = waited;
        tell(shell, variable, pid)?;
        if waited > 128 && crate::traps::is_due(shell).is_some() {
            break;
        }
    }
    Ok(last)
}

fn status(waited: Waited) -> i32 {
    match waited {
        Waited::Status(status, _) => status,
        Waited::NoChild => 127,
        Waited::Signal(signal) => 128 + signal.raw().cast_signed(),
    }
}

/// Waits for one process or job. Returns the status and the process.
fn one(shell: &mut Shell, command: &[u8], operand: &Text) -> Run<(i32, Option<u32>)> {
    if operand.first().is_some_and(u8::is_ascii_digit) {
        let Some(pid) = number(operand).and_then(|pid| u32::try_from(pid).ok()) else {
            return Ok((bad(shell, command, operand), None));
        };
        let waited = jobs::wait_process(shell, pid)?;
        if waited == Waited::NoChild {
            let pid = Text::number(i64::from(pid));
            let message = [b"pid ", &*pid, b" is not a child of this shell"].concat();
            shell.builtin_error(command, message);
        }
        return Ok((status(waited), Some(pid)));
    }
    if operand.first() != Some(&b'%') {
        return Ok((bad(shell, command, operand), None));
    }
    let found = match shell.jobs.find(operand) {
        Ok(at) => Some(at),
        Err(jobs::NoJob::Ambiguous) => {
            let text = operand[1..].strip_prefix(b"?").unwrap_or(&operand[1..]);
            shell.builtin_error(command, [text, b": ambiguous job spec"].concat());
            return Ok((127, None));
        }
        Err(jobs::NoJob::Missing) => {
            shell.builtin_error(command, [operand, &b": no such job"[..]].concat());
            None
        }
    };
    let Some(at) = found else {
        return Ok((127, None));
    };
    let pid = shell.jobs.list[at].last_process().map(|pid| pid.0);
    Ok((status(jobs::wait_job(shell, at, false)?), pid))
}

fn bad(shell: &Shell, command: &[u8], operand: &[u8]) -> i32 {
    shell.builtin_error(
        command,
        [b"`", operand, b"': not a pid or valid job spec"].concat(),
    );
    1
}

/// `wait -n`
fn any(
    shell: &mut Shell,
    command: &[u8],
    operands: &[Text],
    variable: Option<(Name, &[u8])>,
) -> Run<i32> {
    let mut numbers = Vec::new();
    for operand in operands {
        let at = if operand.first().is_some_and(u8::is_ascii_digit) {
            let pid = number(operand).and_then(|pid| u32::try_from(pid).ok());
            let at = pid.and_then(|pid| shell.jobs.of_process(pid));
            if at.is_none() {
                shell.builtin_error(command, [operand, &b": no such job"[..]].concat());
            }
            at
        } else {
            listing::find(shell, command, operand)
        };
        if let Some(at) = at {
            numbers.push(shell.jobs.list[at].number);
        }
    }
    if numbers.is_empty() && !operands.is_empty() {
        return Ok(127);
    }
    let wanted = (!operands.is_empty()).then_some(numbers.as_slice());
    let waited = jobs::wait_next(shell, wanted)?;
    if let Waited::Status(_, pid) = waited {
        tell(shell, variable, pid.map(|pid| pid.0))?;
    }
    Ok(status(waited))
}

/// `-p`: puts the process into the variable.
fn tell(shell: &mut Shell, variable: Option<(Name, &[u8])>, pid: Option<u32>) -> Run {
    let (Some((name, text)), Some(pid)) = (variable, pid) else {
        return Ok(());
    };
    let value = Text::number(i64::from(pid));
    if text.contains(&b'[') {
        assign::set_by_text(shell, text, value)?;
    } else {
        assign::set(shell, name, Place::Whole, value, false)?;
    }
    Ok(())
}
