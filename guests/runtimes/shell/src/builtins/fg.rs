//! `fg` and `bg`.

use codepod_sys::{Signal, process};

use super::{getopt, jobs as listing, print};
use crate::flow::Run;
use crate::jobs::{self, JobState, Waited};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

/// `fg [job_spec]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let specs = match specs(shell, arguments) {
        Ok(specs) => specs,
        Err(status) => return Ok(status),
    };
    let Some(at) = job(shell, &arguments[0], specs.first()) else {
        return Ok(1);
    };
    // Only now: a job that `kill` has just ended is one that ends in the foreground, however quick
    // it is.
    jobs::update(shell);
    let line = [&*shell.jobs.list[at].text, b"\n"].concat();
    print(shell, &arguments[0], &line);
    resume(shell, at);
    Ok(match jobs::wait_job(shell, at, true)? {
        Waited::Status(status, _) => status,
        Waited::NoChild => 127,
        Waited::Signal(signal) => 128 + signal.raw().cast_signed(),
    })
}

/// `bg [job_spec ...]`
pub(super) fn run_bg(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let specs = match specs(shell, arguments) {
        Ok(specs) => specs,
        Err(status) => return Ok(status),
    };
    jobs::update(shell);
    if specs.is_empty() {
        return Ok(background(shell, &arguments[0], None));
    }
    let mut status = 0;
    for spec in specs {
        status |= background(shell, &arguments[0], Some(spec));
    }
    Ok(status)
}

fn specs<'a>(shell: &mut Shell, arguments: &'a [Text]) -> Result<&'a [Text], i32> {
    if !shell.state.set.has(SetOptions::MONITOR) {
        shell.builtin_error(&arguments[0], "no job control");
        return Err(1);
    }
    getopt::none(shell, arguments)
}

/// The job that is meant and that has not ended.
fn job(shell: &Shell, command: &[u8], spec: Option<&Text>) -> Option<usize> {
    let at = match spec {
        Some(spec) => listing::find(shell, command, spec)?,
        None => match shell.jobs.find(b"%%") {
            Ok(at) => at,
            Err(_) => {
                shell.builtin_error(command, "current: no such job");
                return None;
            }
        },
    };
    if shell.jobs.list[at].is_done() {
        shell.builtin_error(command, "job has terminated");
        return None;
    }
    Some(at)
}

fn resume(shell: &mut Shell, at: usize) {
    let job = &mut shell.jobs.list[at];
    if !matches!(job.state(), JobState::Stopped(_)) {
        return;
    }
    for of in job.targets() {
        let _ = process::kill(of, Signal::Cont);
    }
    for (_, status) in &mut job.processes {
        if matches!(status, Some(process::Status::Stopped(_))) {
            *status = None;
        }
    }
}

fn background(shell: &mut Shell, command: &[u8], spec: Option<&Text>) -> i32 {
    let Some(at) = job(shell, command, spec) else {
        return 1;
    };
    let number = Text::number(i64::from(shell.jobs.list[at].number));
    if shell.jobs.list[at].state() == JobState::Running {
        let message = [b"job ", &*number, b" already in background"].concat();
        shell.builtin_error(command, message);
        return 0;
    }
    resume(shell, at);
    let (current, previous) = shell.jobs.current();
    let mark: &[u8] = if current == Some(at) {
        b"]+ "
    } else if previous == Some(at) {
        b"]- "
    } else {
        b"]  "
    };
    let line = [b"[", &*number, mark, &*shell.jobs.list[at].text, b" &\n"].concat();
    print(shell, command, &line)
}
