//! `jobs`.

use codepod_sys::Signal;
use codepod_sys::process::Status;

use super::{Getopt, command, print};
use crate::flow::Run;
use crate::jobs::{self, Job, JobState, NoJob};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

/// The width of the column that says what a job does.
const COLUMN: usize = 24;

/// `jobs [-lnprs] [jobspec ...]` or `jobs -x command [args]`
pub fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
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
    let (current, previous) = shell.jobs.current();
    let posix = shell.state.set.has(SetOptions::POSIX);
    let mut out = Vec::new();
    for &at in &wanted {
        let mark = if Some(at) == current {
            b'+'
        } else if Some(at) == previous {
            b'-'
        } else {
            b' '
        };
        let job = &shell.jobs.list[at];
        if pids {
            if let Some((pid, _)) = job.processes.first() {
                out.extend_from_slice(&Text::number(i64::from(pid.0)));
                out.push(b'\n');
            }
        } else {
            line(job, mark, long, posix, &mut out);
        }
    }
    status |= print(shell, &arguments[0], &out);
    if !pids {
        tell(shell, &wanted);
    }
    Ok(status)
}

/// Notes that the jobs were shown; those that have ended go.
fn tell(shell: &mut Shell, shown: &[usize]) {
    let mut shown = shown.to_vec();
    shown.sort_unstable();
    shown.dedup();
    for at in shown.into_iter().rev() {
        let job = &mut shell.jobs.list[at];
        job.told = true;
        if job.is_done() && !job.foreign {
            shell.jobs.remove(at);
        }
    }
}

/// `[1]+  Running                 sleep 1 &`
pub fn line(job: &Job, mark: u8, long: bool, posix: bool, out: &mut Vec<u8>) {
    out.push(b'[');
    out.extend_from_slice(&Text::number(i64::from(job.number)));
    out.extend_from_slice(&[b']', mark, b' ']);
    if long {
        let pid = job.processes.first().map_or(0, |(pid, _)| pid.0);
        let pid = Text::number(i64::from(pid));
        out.resize(out.len() + 5usize.saturating_sub(pid.len()), b' ');
        out.extend_from_slice(&pid);
    }
    out.push(b' ');
    let state = job.state();
    let start = out.len();
    describe(state, long, posix, out);
    let width = (start + COLUMN).max(out.len() + 1);
    out.resize(width, b' ');
    match stages(job).filter(|_| long) {
        None => out.extend_from_slice(&job.text),
        Some(stages) => {
            for (at, ((pid, _), stage)) in job.processes.iter().zip(stages).enumerate() {
                if at > 0 {
                    let pid = Text::number(i64::from(pid.0));
                    out.push(b'\n');
                    out.resize(out.len() + 10usize.saturating_sub(pid.len()), b' ');
                    out.extend_from_slice(&pid);
                    out.resize(out.len() + COLUMN - 1, b' ');
                    out.extend_from_slice(b"| ");
                }
                out.extend_from_slice(stage);
            }
        }
    }
    if state == JobState::Running {
        out.extend_from_slice(b" &");
    }
    out.push(b'\n');
}

/// The texts of the stages of a pipeline, where they can be told apart.
fn stages(job: &Job) -> Option<Vec<&[u8]>> {
    let mut stages = vec![];
    let mut rest: &[u8] = &job.text;
    while let Some(at) = rest.windows(3).position(|three| three == b" | ") {
        stages.push(&rest[..at]);
        rest = &rest[at + 3..];
    }
    stages.push(rest);
    (stages.len() > 1 && stages.len() == job.processes.len()).then_some(stages)
}

/// `Running`, `Done`, `Exit 3`, `Killed`
pub fn describe(state: JobState, long: bool, posix: bool, out: &mut Vec<u8>) {
    match state {
        JobState::Running => out.extend_from_slice(b"Running"),
        JobState::Stopped(signal) if posix => {
            out.extend_from_slice(b"Stopped(");
            out.extend_from_slice(signal.name().as_bytes());
            out.push(b')');
        }
        JobState::Stopped(signal) if long => {
            out.extend_from_slice(jobs::signal_text(signal).as_bytes());
        }
        JobState::Stopped(_) => out.extend_from_slice(b"Stopped"),
        JobState::Done(Status::Exited(0)) => out.extend_from_slice(b"Done"),
        JobState::Done(Status::Exited(status)) => {
            let status = Text::number(i64::from(status));
            let (before, after): (&[u8], &[u8]) = if posix { (b"Done(", b")") } else { (b"Exit ", b"") };
            for part in [before, &status, after] {
                out.extend_from_slice(part);
            }
        }
        JobState::Done(Status::Signaled(signal)) => {
            out.extend_from_slice(jobs::signal_text(signal).as_bytes());
        }
        JobState::Done(_) => out.extend_from_slice(jobs::signal_text(Signal::Cont).as_bytes()),
    }
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
                .and_then(|at| shell.jobs.list[at].processes.first());
            job.map_or_else(|| word.clone(), |(pid, _)| Text::number(i64::from(pid.0)))
        })
        .collect();
    command::execute(shell, &words, None)
}
