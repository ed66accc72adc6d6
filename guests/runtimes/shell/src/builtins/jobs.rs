//! `jobs`.

use super::{Getopt, command, print};
use crate::flow::Run;
use crate::jobs::{self, JobState, NoJob};
use crate::shell::Shell;
use crate::text::Text;

/// `jobs [-lnprs] [jobspec ...]` or `jobs -x command [args]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "lpnxrs");
    let (mut long, mut pids, mut changed, mut execute) = (false, false, false, false);
    let (mut running, mut stopped) = (false, false);
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'l' => (long, pids) = (true, false),
                b'p' => (long, pids) = (false, true),
                b'n' => changed = true,
                b'r' => running = true,
                b's' => stopped = true,
                _ => execute = true,
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if execute {
        return run_with_pids(shell, operands);
    }
    jobs::update(shell);
    shell.jobs.sweep();
    let mut status = 0;
    let mut wanted = Vec::new();
    if operands.is_empty() {
        for (at, job) in shell.jobs.list.iter().enumerate() {
            let fits = match job.state() {
                JobState::Running => !stopped || running,
                JobState::Stopped(_) => !running || stopped,
                JobState::Done(_) => !running && !stopped,
            };
            if fits && !(changed && job.told) {
                wanted.push(at);
            }
        }
    }
    for operand in operands {
        match find(shell, &arguments[0], operand) {
            Some(at) => wanted.push(at),
            None => status = 1,
        }
    }
    let mut out = Vec::new();
    for &at in &wanted {
        if !pids {
            jobs::list(shell, at, long, &mut out);
        } else if let Some((pid, _)) = shell.jobs.list[at].processes.first() {
            out.extend_from_slice(&Text::number(i64::from(pid.0)));
            out.push(b'\n');
        }
    }
    status |= print(shell, &arguments[0], &out);
    if !pids {
        for at in wanted {
            shell.jobs.list[at].told = true;
        }
    }
    Ok(status)
}

/// The position of the job that an argument names. Where there is none, that is reported.
pub(super) fn find(shell: &Shell, command: &[u8], spec: &[u8]) -> Option<usize> {
    let found = if spec.first() == Some(&b'%') {
        shell.jobs.find(spec)
    } else {
        Err(NoJob::Missing)
    };
    match found {
        Ok(at) => return Some(at),
        Err(NoJob::Ambiguous) => {
            let text = spec.strip_prefix(b"%").unwrap_or(spec);
            let text = text.strip_prefix(b"?").unwrap_or(text);
            shell.builtin_error(command, [text, b": ambiguous job spec"].concat());
        }
        Err(NoJob::Missing) => {}
    }
    shell.builtin_error(command, [spec, b": no such job"].concat());
    None
}

/// `jobs -x`: runs a command with job specifications replaced by process numbers.
fn run_with_pids(shell: &mut Shell, words: &[Text]) -> Run<i32> {
    if words.is_empty() {
        return Ok(0);
    }
    let words: Vec<Text> = words
        .iter()
        .map(|word| {
            let job = word
                .first()
                .filter(|byte| **byte == b'%')
                .and_then(|_| shell.jobs.find(word).ok())
                .map(|at| &shell.jobs.list[at]);
            // Without job control a job is in the shell's own group.
            let group = job.map(|job| job.group.map_or_else(own_group, |group| group.0));
            group.map_or_else(|| word.clone(), |group| Text::number(i64::from(group)))
        })
        .collect();
    command::execute(shell, &words, None)
}

/// The group of the shell's process.
fn own_group() -> u32 {
    codepod_sys::process::ids().map_or(0, |ids| ids.group.0)
}
