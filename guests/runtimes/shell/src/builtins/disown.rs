//! `disown`.

use super::{Getopt, jobs as listing, number};
use crate::flow::Run;
use crate::jobs::{self, JobState};
use crate::shell::Shell;
use crate::text::Text;

/// `disown [-h] [-ar] [jobspec ... | pid ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let command = &arguments[0];
    let mut options = Getopt::new(arguments, "ahr");
    let (mut all, mut keep, mut running) = (false, false, false);
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'a' => all = true,
                b'h' => keep = true,
                _ => running = true,
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    jobs::update(shell);
    let operands = options.operands();
    if operands.is_empty() && (all || running) {
        for at in (0..shell.jobs.list.len()).rev() {
            if !running || shell.jobs.list[at].state() == JobState::Running {
                disown(shell, at, keep);
            }
        }
        return Ok(0);
    }
    if operands.is_empty() {
        return Ok(match shell.jobs.find(b"%%") {
            Ok(at) => disown(shell, at, keep),
            Err(_) => {
                shell.builtin_error(command, "current: no such job");
                1
            }
        });
    }
    let mut status = 0;
    for operand in operands {
        let at = match number(operand).filter(|_| operand[0].is_ascii_digit()) {
            Some(pid) => {
                let pid = u32::try_from(pid).ok();
                let at = pid.and_then(|pid| shell.jobs.of_process(pid));
                if at.is_none() {
                    shell.builtin_error(command, [operand, &b": no such job"[..]].concat());
                }
                at
            }
            None => listing::find(shell, command, operand),
        };
        match at {
            Some(at) => status |= disown(shell, at, keep),
            None => status = 1,
        }
    }
    Ok(status)
}

fn disown(shell: &mut Shell, at: usize, keep: bool) -> i32 {
    if keep {
        shell.jobs.list[at].no_hangup = true;
    } else {
        shell.jobs.remove(at);
    }
    0
}
