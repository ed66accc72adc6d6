//! Telling of jobs that have ended.

use codepod_sys::Signal;
use codepod_sys::process::Status;

use super::{Job, JobState, signal_text, update};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::traps::Event;

/// The width of the column that says what a job does.
const COLUMN: usize = 24;

/// After a command in the foreground: tells of the jobs that have ended meanwhile, and lets them
/// go.
#[inline]
pub fn settle(shell: &mut Shell) {
    if !shell.jobs.list.is_empty() && !shell.state.interactive {
        settle_now(shell);
    }
}

#[cold]
#[inline(never)]
fn settle_now(shell: &mut Shell) {
    update(shell);
    let mut at = 0;
    while let Some(job) = shell.jobs.list.get(at) {
        if job.foreign || !job.is_done() {
            stopped(shell, at);
            at += 1;
            continue;
        }
        announce(shell, at);
        shell.jobs.remove(at);
    }
}

/// Tells that a job was stopped, once.
pub(super) fn stopped(shell: &mut Shell, at: usize) {
    let job = &shell.jobs.list[at];
    if !matches!(job.state(), JobState::Stopped(_)) || job.told {
        return;
    }
    let mut text = b"\n".to_vec();
    line(shell, at, &mut text);
    let _ = shell.fds.write(2, &text);
    shell.jobs.list[at].told = true;
}

/// Tells of the end of a job: where a signal ended it, and with job control in any case.
pub(super) fn announce(shell: &Shell, at: usize) {
    let job = &shell.jobs.list[at];
    let JobState::Done(status) = job.state() else {
        return;
    };
    let mut line = Vec::new();
    match status {
        Status::Signaled(signal) if is_told(shell, signal) => {
            line = shell.prefix();
            let pid = job.last_process().map_or(0, |pid| pid.0);
            ended(&mut line, pid, signal, &job.text);
        }
        _ if shell.state.set.has(SetOptions::MONITOR) => self::line(shell, at, &mut line),
        _ => {}
    }
    if !line.is_empty() {
        let _ = shell.fds.write(2, &line);
    }
}

/// Whether a script is told that this signal ended something.
fn is_told(shell: &Shell, signal: Signal) -> bool {
    !matches!(signal, Signal::Int | Signal::Term | Signal::Pipe)
        && shell.state.traps.get(Event::Signal(signal.raw())).is_none()
}

/// Appends `PID Killed                  TEXT` and a newline.
pub fn ended(line: &mut Vec<u8>, pid: u32, signal: Signal, text: &[u8]) {
    let pid = Text::number(pid.into());
    line.resize(line.len() + 5usize.saturating_sub(pid.len()), b' ');
    line.extend_from_slice(&pid);
    line.push(b' ');
    padded(signal_text(signal).as_bytes(), line);
    line.extend_from_slice(text);
    line.push(b'\n');
}

fn padded(text: &[u8], line: &mut Vec<u8>) {
    line.extend_from_slice(text);
    line.resize(line.len() + COLUMN.saturating_sub(text.len()).max(1), b' ');
}

/// Appends `[1]+  Running                 sleep 1 &` and a newline.
pub fn line(shell: &Shell, at: usize, out: &mut Vec<u8>) {
    list(shell, at, false, out);
}

/// A job as `jobs` lists it, with process numbers when it is `long`.
pub fn list(shell: &Shell, at: usize, long: bool, out: &mut Vec<u8>) {
    let job = &shell.jobs.list[at];
    let posix = shell.state.set.has(SetOptions::POSIX);
    let (current, previous) = shell.jobs.current();
    let mark = match Some(at) {
        at if at == current => b'+',
        at if at == previous => b'-',
        _ => b' ',
    };
    out.push(b'[');
    out.extend_from_slice(&Text::number(job.number.into()));
    out.extend_from_slice(&[b']', mark, b' ']);
    if long {
        let pid = job.processes.first().map_or(0, |(pid, _)| pid.0);
        let pid = Text::number(pid.into());
        out.resize(out.len() + 5usize.saturating_sub(pid.len()), b' ');
        out.extend_from_slice(&pid);
    }
    out.push(b' ');
    let state = job.state();
    let mut text = Vec::new();
    describe(state, long, posix, &mut text);
    padded(&text, out);
    match stages(job).filter(|_| long) {
        None => out.extend_from_slice(&job.text),
        Some(stages) => {
            for (at, ((pid, _), stage)) in job.processes.iter().zip(stages).enumerate() {
                if at > 0 {
                    let pid = Text::number(pid.0.into());
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
    if job.directory != shell.state.directory {
        out.extend_from_slice(b"  (wd: ");
        out.extend_from_slice(&job.directory);
        out.push(b')');
    }
    out.push(b'\n');
}

/// `Running`, `Done`, `Exit 3`, `Killed`
fn describe(state: JobState, long: bool, posix: bool, out: &mut Vec<u8>) {
    match state {
        JobState::Running => out.extend_from_slice(b"Running"),
        JobState::Stopped(signal) if posix => {
            out.extend_from_slice(b"Stopped(");
            out.extend_from_slice(signal.name().as_bytes());
            out.push(b')');
        }
        JobState::Stopped(signal) if long => out.extend_from_slice(signal_text(signal).as_bytes()),
        JobState::Stopped(_) => out.extend_from_slice(b"Stopped"),
        JobState::Done(Status::Exited(0)) => out.extend_from_slice(b"Done"),
        JobState::Done(Status::Exited(status)) => {
            let status = Text::number(status.into());
            let (before, after): (&[u8], &[u8]) = if posix {
                (b"Done(", b")")
            } else {
                (b"Exit ", b"")
            };
            for part in [before, &status, after] {
                out.extend_from_slice(part);
            }
        }
        JobState::Done(Status::Signaled(signal)) => {
            out.extend_from_slice(signal_text(signal).as_bytes())
        }
        JobState::Done(_) => {}
    }
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

#[cfg(test)]
mod tests {
    use codepod_sys::Pid;

    use super::*;
    use crate::state::State;

    #[test]
    fn a_job_is_listed_as_bash_lists_it() {
        let mut shell = Shell::new(State::default());
        let pids = vec![Pid(30495), Pid(7)];
        shell
            .jobs
            .add(pids, Text::from("sleep 1 | cat"), None, false, Text::EMPTY);
        let mut out = Vec::new();
        list(&shell, 0, false, &mut out);
        assert_eq!(out, b"[1]+  Running                 sleep 1 | cat &\n");
        out.clear();
        list(&shell, 0, true, &mut out);
        let expected = "[1]+ 30495 Running                 sleep 1\n         7                       | cat &\n";
        assert_eq!(String::from_utf8_lossy(&out), expected);
        shell.jobs.list[0].processes[0].1 = Some(Status::Exited(0));
        shell.jobs.list[0].processes[1].1 = Some(Status::Signaled(Signal::Kill));
        shell.jobs.list[0].directory = Text::from("/tmp");
        out.clear();
        line(&shell, 0, &mut out);
        assert_eq!(
            out,
            b"[1]+  Killed                  sleep 1 | cat  (wd: /tmp)\n"
        );
    }
}
