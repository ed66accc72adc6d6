//! Children: background jobs, the processes of the pipeline in the foreground, process
//! substitutions.
//!
//! The kernel keeps a child that has ended until somebody waits for it. Whoever waits for any child
//! records here what it learns, so that the one who asks for that child later finds it.

mod notice;

use std::cell::RefCell;
use std::rc::{Rc, Weak};
use std::time::Duration;

use codepod_sys::process::{self, Of, Status, WaitOptions};
use codepod_sys::{Errno, Pid, Signal};

use crate::fds::{Open, Owned};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::traps;

pub use notice::{ended, line, list, settle};

/// How many statuses of children that have ended are remembered for `wait PID`.
const REMEMBERED: usize = 4096;

/// The job table.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    /// By number, the lowest first.
    pub list: Vec<Job>,
    /// Statuses of children of removed jobs, the oldest first.
    ended: Vec<(u32, i32)>,
    /// What was learned of children that belong to nobody here: shared with the shells around a
    /// subshell.
    strays: Rc<RefCell<Vec<(Pid, Status)>>>,
    /// Children that nobody will ask for.
    forgotten: Vec<Pid>,
    /// Those of them that are process substitutions.
    substitutions: Vec<Substitution>,
}

/// A process substitution.
#[derive(Debug, Clone)]
struct Substitution {
    pid: Pid,
    /// Of `>(…)` the end that the shell writes to.
    written: Option<Weak<Owned>>,
    /// What ran before it and so cannot hold its pipe.
    before: Vec<Pid>,
}

/// A background pipeline.
#[derive(Debug, Clone)]
pub struct Job {
    /// `%1`
    pub number: u32,
    /// Its processes.
    pub processes: Vec<(Pid, Option<Status>)>,
    /// How `jobs` shows it.
    pub text: Text,
    /// The working directory it was started in.
    pub directory: Text,
    /// Whether `jobs` or `wait` has told of its end.
    pub told: bool,
    /// Its process group, with `set -m`.
    pub group: Option<Pid>,
    /// A job of the shell around a command substitution, to be listed but not waited for.
    pub foreign: bool,
    /// `disown -h`: no SIGHUP.
    pub no_hangup: bool,
    /// Whether its status is that of the last process that failed.
    pub pipefail: bool,
}

/// What a job does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// It runs.
    Running,
    /// It was stopped.
    Stopped(Signal),
    /// It has ended.
    Done(Status),
}

impl Job {
    /// What it does: it runs while one of its processes does.
    pub fn state(&self) -> JobState {
        if self.processes.iter().any(|(_, status)| status.is_none()) {
            return JobState::Running;
        }
        let stopped = self.processes.iter().find_map(|(_, status)| match status {
            Some(Status::Stopped(signal)) => Some(*signal),
            _ => None,
        });
        match stopped {
            Some(signal) => JobState::Stopped(signal),
            None => JobState::Done(self.status()),
        }
    }

    /// Whether it has ended.
    pub fn is_done(&self) -> bool {
        matches!(self.state(), JobState::Done(_))
    }

    /// The status of its last process, or of the last that failed.
    fn status(&self) -> Status {
        let mut statuses = self
            .processes
            .iter()
            .rev()
            .filter_map(|(_, status)| *status);
        let last = statuses.next().unwrap_or(Status::Exited(0));
        if self.pipefail && last.code() == 0 {
            return statuses.find(|status| status.code() != 0).unwrap_or(last);
        }
        last
    }

    /// The process that `$!` was.
    pub fn last_process(&self) -> Option<Pid> {
        self.processes.last().map(|(pid, _)| *pid)
    }

    /// Whom `kill %N` means.
    pub fn targets(&self) -> Vec<Of> {
        match self.group {
            Some(group) => vec![Of::Group(group)],
            None => self
                .processes
                .iter()
                .filter(|(_, status)| {
                    !matches!(status, Some(Status::Exited(_) | Status::Signaled(_)))
                })
                .map(|(pid, _)| Of::Process(*pid))
                .collect(),
        }
    }
}

/// Why a job specification names no job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoJob {
    /// `no such job`
    Missing,
    /// `ambiguous job spec`
    Ambiguous,
}

impl Jobs {
    /// Adds a job and returns its number.
    pub fn add(
        &mut self,
        processes: Vec<Pid>,
        text: Text,
        group: Option<Pid>,
        pipefail: bool,
        directory: Text,
    ) -> u32 {
        self.sweep();
        // A number is used again only when all higher ones are gone.
        let number = self.list.last().map_or(0, |job| job.number) + 1;
        self.list.push(Job {
            number,
            processes: processes.into_iter().map(|pid| (pid, None)).collect(),
            text,
            directory,
            told: false,
            group,
            foreign: false,
            no_hangup: false,
            pipefail,
        });
        number
    }

    /// Notes a process substitution: a child that nobody will ask for. What the shell writes to it
    /// is `written`.
    pub fn add_substitution(&mut self, pid: Pid, written: Option<&Rc<Owned>>) {
        self.drop_ended_substitutions();
        let before = self.running().collect();
        self.forgotten.push(pid);
        self.substitutions.push(Substitution {
            pid,
            written: written.map(Rc::downgrade),
            before,
        });
    }

    /// Whether this is what the shell writes to a `>(…)`.
    pub fn is_substitution(&self, end: &Rc<Owned>) -> bool {
        let mut written = self.substitutions.iter().flat_map(|one| &one.written);
        written.any(|known| known.as_ptr() == Rc::as_ptr(end))
    }

    fn drop_ended_substitutions(&mut self) {
        let forgotten = &self.forgotten;
        self.substitutions
            .retain(|substitution| forgotten.contains(&substitution.pid));
    }

    /// Whether there is a `>(…)` that has not ended and that nobody can write to any more.
    fn has_closed_substitution(&mut self) -> bool {
        self.drop_ended_substitutions();
        self.substitutions.iter().any(|substitution| {
            let written = substitution.written.as_ref();
            written.is_some_and(|end| end.strong_count() == 0)
                && self.running().all(|pid| substitution.before.contains(&pid))
        })
    }

    /// The children in the background, those of subshells and disowned ones too; substitutions end
    /// by themselves.
    fn running(&self) -> impl Iterator<Item = Pid> {
        let jobs = self
            .list
            .iter()
            .filter(|job| !job.foreign && !job.is_done());
        let left = self.forgotten.iter().filter(|pid| {
            let mut substitutions = self.substitutions.iter();
            !substitutions.any(|substitution| substitution.pid == **pid)
        });
        jobs.flat_map(|job| job.processes.iter().map(|(pid, _)| pid))
            .chain(left)
            .copied()
    }

    /// The current job (`%+`) and the one before it (`%-`), as positions in the list.
    pub fn current(&self) -> (Option<usize>, Option<usize>) {
        let alive = |job: &Job| !job.is_done();
        let stopped = |job: &Job| matches!(job.state(), JobState::Stopped(_));
        let mut order: Vec<usize> = Vec::new();
        let mut take = |wanted: &dyn Fn(&Job) -> bool| {
            for (at, job) in self.list.iter().enumerate().rev() {
                if wanted(job) && !order.contains(&at) {
                    order.push(at);
                }
            }
        };
        take(&stopped);
        take(&alive);
        take(&|_| true);
        (order.first().copied(), order.get(1).copied())
    }

    /// The position of the job that a specification names: `%1`, `%+`, `%%`, `%-`, `%text`,
    /// `%?text`; the `%` may be missing.
    pub fn find(&self, spec: &[u8]) -> Result<usize, NoJob> {
        let spec = spec.strip_prefix(b"%").unwrap_or(spec);
        let (current, previous) = self.current();
        match spec {
            b"" | b"%" | b"+" => return current.ok_or(NoJob::Missing),
            b"-" => return previous.or(current).ok_or(NoJob::Missing),
            _ => {}
        }
        if spec.iter().all(u8::is_ascii_digit) {
            let number = std::str::from_utf8(spec)
                .ok()
                .and_then(|text| text.parse().ok());
            let at = self.list.iter().position(|job| Some(job.number) == number);
            return at.ok_or(NoJob::Missing);
        }
        let (text, anywhere) = match spec.strip_prefix(b"?") {
            Some(text) => (text, true),
            None => (spec, false),
        };
        let matches = |job: &Job| {
            job.text.starts_with(text)
                || (anywhere
                    && text.len() <= job.text.len()
                    && job.text.windows(text.len()).any(|part| part == text))
        };
        let mut found = self.list.iter().enumerate().filter(|(_, job)| matches(job));
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (None, _) => Err(NoJob::Missing),
            (Some(_), Some(_)) => Err(NoJob::Ambiguous),
        }
    }

    /// The position of the job that a process belongs to.
    pub fn of_process(&self, pid: u32) -> Option<usize> {
        self.list
            .iter()
            .position(|job| job.processes.iter().any(|(process, _)| process.0 == pid))
    }

    /// Removes the jobs that have ended and were shown by `jobs`.
    pub fn sweep(&mut self) {
        let mut at = 0;
        while let Some(job) = self.list.get(at) {
            if job.told && !job.foreign && job.is_done() {
                self.remove(at);
            } else {
                at += 1;
            }
        }
    }

    /// Removes a job; its statuses are remembered.
    pub fn remove(&mut self, at: usize) {
        if at >= self.list.len() {
            return;
        }
        let job = self.list.remove(at);
        for (pid, status) in &job.processes {
            match status {
                Some(status) => self.remember(*pid, *status),
                None if !job.foreign => self.forgotten.push(*pid),
                None => {}
            }
        }
    }

    fn remember(&mut self, pid: Pid, status: Status) {
        if self.ended.len() >= REMEMBERED {
            self.ended.drain(..REMEMBERED / 2);
        }
        self.ended.push((pid.0, status.code().cast_signed()));
    }

    /// The table for a subshell: a command substitution lists the jobs of the shell around it, `( …
    /// )` does not.
    pub fn for_subshell(&self, listed: bool) -> Jobs {
        let mut list = if listed {
            self.list.clone()
        } else {
            Vec::new()
        };
        for job in &mut list {
            job.foreign = true;
        }
        Jobs {
            list,
            ended: Vec::new(),
            strays: Rc::clone(&self.strays),
            forgotten: Vec::new(),
            substitutions: Vec::new(),
        }
    }

    /// Takes over the children of a subshell that ran inside the process and has ended.
    pub fn adopt(&mut self, subshell: Jobs) {
        for job in subshell.list.iter().filter(|job| !job.foreign) {
            for (pid, status) in &job.processes {
                if status.is_none() {
                    self.forgotten.push(*pid);
                }
            }
        }
        self.forgotten.extend(subshell.forgotten);
        self.substitutions.extend(subshell.substitutions);
    }

    /// Whether there can be children that have ended without being waited for.
    fn has_children(&self) -> bool {
        !self.forgotten.is_empty() || self.list.iter().any(|job| !job.foreign && !job.is_done())
    }

    /// Records what became of a child.
    fn record(&mut self, pid: Pid, status: Status) {
        for job in self.list.iter_mut().filter(|job| !job.foreign) {
            if let Some((_, known)) = job
                .processes
                .iter_mut()
                .find(|(process, _)| *process == pid)
            {
                *known = match status {
                    Status::Continued => None,
                    status => Some(status),
                };
                job.told = false;
                return;
            }
        }
        if let Some(at) = self.forgotten.iter().position(|known| *known == pid) {
            if matches!(status, Status::Exited(_) | Status::Signaled(_)) {
                self.forgotten.swap_remove(at);
                self.remember(pid, status);
            }
            return;
        }
        self.strays.borrow_mut().push((pid, status));
    }

    /// Takes what others have learned of our children.
    fn take_strays(&mut self) {
        if self.strays.borrow().is_empty() {
            return;
        }
        let strays = self.strays.take();
        for (pid, status) in strays {
            self.record(pid, status);
        }
    }

    fn stray(&self, pid: Pid) -> Option<Status> {
        let mut strays = self.strays.borrow_mut();
        let at = strays.iter().position(|(known, _)| *known == pid)?;
        Some(strays.swap_remove(at).1)
    }
}

/// Learns what has become of children, without waiting.
pub fn update(shell: &mut Shell) {
    shell.jobs.take_strays();
    if shell.jobs.has_children() {
        reap(shell);
    }
}

/// Takes note of children that ended, also of those of a shell around this one: it makes room for
/// others.
pub fn reap(shell: &mut Shell) {
    let options = options(shell, true);
    while let Ok(Some((pid, status))) = process::wait_with(Of::Any, options) {
        shell.jobs.record(pid, status);
    }
}

/// How children are waited for. Without job control nobody hears of those that are stopped.
fn options(shell: &Shell, nohang: bool) -> WaitOptions {
    let monitor = shell.state.set.has(SetOptions::MONITOR);
    WaitOptions {
        nohang,
        stopped: monitor,
        continued: monitor,
    }
}

/// Waits for a process of the foreground.
pub fn wait_foreground(shell: &mut Shell, pid: Pid) -> Run<Status> {
    if let Some(status) = shell.jobs.stray(pid) {
        return Ok(status);
    }
    loop {
        match process::wait(Of::Process(pid)) {
            Ok((_, status)) => return Ok(status),
            Err(Errno::Intr) => interrupted(shell)?,
            Err(_) => return Ok(Status::Exited(127)),
        }
    }
}

/// After `Intr`: goes on, unless the signal ends the shell.
fn interrupted(shell: &mut Shell) -> Run {
    traps::collect();
    match traps::is_due(shell) {
        Some(signal)
            if shell
                .state
                .traps
                .get(traps::Event::Signal(signal.raw()))
                .is_none() =>
        {
            Err(Stop::Killed(signal.raw()))
        }
        _ => Ok(()),
    }
}

/// How a wait for children ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waited {
    /// With this status; of that process, where any was waited for.
    Status(i32, Option<Pid>),
    /// There is no such child.
    NoChild,
    /// A signal with a trap came first: the status is 128 and its number.
    Signal(Signal),
}

/// `wait PID`
pub fn wait_process(shell: &mut Shell, pid: u32) -> Run<Waited> {
    update(shell);
    loop {
        let Some(at) = shell.jobs.of_process(pid) else {
            let mut ended = shell.jobs.ended.iter().rev();
            let known = ended.find(|(known, _)| *known == pid);
            if let Some((_, status)) = known {
                return Ok(Waited::Status(*status, None));
            }
            if shell.jobs.forgotten.contains(&Pid(pid)) {
                match change(shell)? {
                    Some(end) => return Ok(end),
                    None => continue,
                }
            }
            return Ok(Waited::NoChild);
        };
        let job = &shell.jobs.list[at];
        if job.foreign {
            return Ok(Waited::NoChild);
        }
        let status = job.processes.iter().find(|(process, _)| process.0 == pid);
        if let Some((_, Some(status))) = status {
            let code = status.code().cast_signed();
            if shell.jobs.list[at].is_done() {
                notice::announce(shell, at);
                shell.jobs.remove(at);
            }
            return Ok(Waited::Status(code, None));
        }
        if let Some(end) = change(shell)? {
            return Ok(end);
        }
    }
}

/// `wait %JOB`, by position in the list; `fg` is `quiet` and does not tell of the end.
pub fn wait_job(shell: &mut Shell, at: usize, quiet: bool) -> Run<Waited> {
    let Some(number) = shell.jobs.list.get(at).map(|job| job.number) else {
        return Ok(Waited::NoChild);
    };
    update(shell);
    loop {
        let at = shell.jobs.list.iter().position(|job| job.number == number);
        let Some(at) = at.filter(|at| !shell.jobs.list[*at].foreign) else {
            return Ok(Waited::NoChild);
        };
        match shell.jobs.list[at].state() {
            JobState::Done(status) => {
                if !quiet {
                    notice::announce(shell, at);
                }
                shell.jobs.remove(at);
                return Ok(Waited::Status(status.code().cast_signed(), None));
            }
            JobState::Stopped(signal) => {
                notice::stopped(shell, at);
                return Ok(Waited::Status(128 + signal.raw().cast_signed(), None));
            }
            JobState::Running => {}
        }
        if let Some(end) = change(shell)? {
            return Ok(end);
        }
    }
}

/// `wait -n`: for the next job to end, of those at these numbers (none: of all).
pub fn wait_next(shell: &mut Shell, numbers: Option<&[u32]>) -> Run<Waited> {
    update(shell);
    loop {
        let wanted =
            |job: &Job| !job.foreign && numbers.is_none_or(|numbers| numbers.contains(&job.number));
        let mut jobs = shell
            .jobs
            .list
            .iter()
            .enumerate()
            .filter(|(_, job)| wanted(job));
        if jobs.clone().next().is_none() {
            return Ok(Waited::NoChild);
        }
        let done = jobs.find_map(|(at, job)| match job.state() {
            JobState::Done(status) => Some((at, status, job.last_process())),
            _ => None,
        });
        if let Some((at, status, pid)) = done {
            notice::announce(shell, at);
            shell.jobs.remove(at);
            return Ok(Waited::Status(status.code().cast_signed(), pid));
        }
        if let Some(end) = change(shell)? {
            return Ok(end);
        }
    }
}

/// `wait`: for all jobs, and for the process substitutions that `$!` may name. The table is empty
/// then.
pub fn wait_all(shell: &mut Shell) -> Run<Waited> {
    update(shell);
    loop {
        let running = shell
            .jobs
            .list
            .iter()
            .any(|job| !job.foreign && job.state() == JobState::Running);
        let last = shell.state.last_background.map(Pid);
        let forgotten = last.is_some_and(|pid| shell.jobs.forgotten.contains(&pid));
        if !running && !forgotten {
            break;
        }
        if let Some(end) = change(shell)? {
            return Ok(end);
        }
    }
    while let Some(at) = shell
        .jobs
        .list
        .iter()
        .position(|job| !job.foreign && job.is_done())
    {
        if shell.state.set.has(SetOptions::MONITOR) {
            notice::announce(shell, at);
        }
        shell.jobs.remove(at);
    }
    // What was waited for without a name cannot be asked for again.
    shell.jobs.ended.clear();
    Ok(Waited::Status(0, None))
}

/// The end of a run, or of the shell: waits for each `>(…)` whose pipe is closed, so that the run
/// has its output.
///
/// One that a job may hold open, because it was started later, is left alone as the job is.
pub fn wait_substitutions(shell: &mut Shell) {
    if shell.jobs.substitutions.is_empty() {
        return;
    }
    update(shell);
    while shell.jobs.has_closed_substitution() {
        if !matches!(change(shell), Ok(None)) {
            return;
        }
    }
}

/// Waits until something has become of a child; how the wait ends otherwise.
fn change(shell: &mut Shell) -> Run<Option<Waited>> {
    let captures = shell
        .fds
        .iter()
        .any(|(_, open)| matches!(open, Open::Capture(capture) if capture.has_background()));
    let options = options(shell, captures);
    match process::wait_with(Of::Any, options) {
        Ok(Some((pid, status))) => {
            shell.jobs.record(pid, status);
            Ok(None)
        }
        Ok(None) => {
            // A child may be waiting for room in a pipe that this shell reads.
            for (_, open) in shell.fds.iter() {
                if let Open::Capture(capture) = open {
                    capture.poll_background(Duration::from_millis(2));
                }
            }
            Ok(None)
        }
        Err(Errno::Intr) => {
            interrupted(shell)?;
            Ok(traps::is_due(shell).map(Waited::Signal))
        }
        Err(_) => {
            // Others have waited for all of them.
            shell.jobs.take_strays();
            for job in shell.jobs.list.iter_mut().filter(|job| !job.foreign) {
                for (_, status) in &mut job.processes {
                    status.get_or_insert(Status::Exited(127));
                }
            }
            shell.jobs.forgotten.clear();
            Ok(None)
        }
    }
}

/// What bash prints of a signal that has ended a process: `Killed`.
pub fn signal_text(signal: Signal) -> &'static str {
    match signal {
        Signal::Hup => "Hangup",
        Signal::Int => "Interrupt",
        Signal::Quit => "Quit",
        Signal::Ill => "Illegal instruction",
        Signal::Trap => "Trace/breakpoint trap",
        Signal::Abrt => "Aborted",
        Signal::Bus => "Bus error",
        Signal::Fpe => "Floating point exception",
        Signal::Kill => "Killed",
        Signal::Usr1 => "User defined signal 1",
        Signal::Segv => "Segmentation fault",
        Signal::Usr2 => "User defined signal 2",
        Signal::Pipe => "Broken pipe",
        Signal::Alrm => "Alarm clock",
        Signal::Term => "Terminated",
        Signal::StkFlt => "Stack fault",
        Signal::Chld => "Child exited",
        Signal::Cont => "Continued",
        Signal::Stop => "Stopped (signal)",
        Signal::Tstp => "Stopped",
        Signal::Ttin => "Stopped (tty input)",
        Signal::Ttou => "Stopped (tty output)",
        Signal::Urg => "Urgent I/O condition",
        Signal::Xcpu => "CPU time limit exceeded",
        Signal::Xfsz => "File size limit exceeded",
        Signal::Vtalrm => "Virtual timer expired",
        Signal::Prof => "Profiling timer expired",
        Signal::Winch => "Window changed",
        Signal::Poll => "I/O possible",
        Signal::Pwr => "Power failure",
        Signal::Sys => "Bad system call",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(texts: &[&str]) -> Jobs {
        let mut jobs = Jobs::default();
        for (at, text) in texts.iter().enumerate() {
            jobs.add(
                vec![Pid(100 + at as u32)],
                Text::from(*text),
                None,
                false,
                Text::EMPTY,
            );
        }
        jobs
    }

    #[test]
    fn a_job_is_found_by_number_text_and_age() {
        let jobs = jobs(&["sleep 1", "sleep 2", "cat"]);
        assert_eq!(jobs.find(b"%1"), Ok(0));
        assert_eq!(jobs.find(b"%+"), Ok(2));
        assert_eq!(jobs.find(b"%-"), Ok(1));
        assert_eq!(jobs.find(b"%cat"), Ok(2));
        assert_eq!(jobs.find(b"%?p 2"), Ok(1));
        assert_eq!(jobs.find(b"%sleep"), Err(NoJob::Ambiguous));
        assert_eq!(jobs.find(b"%9"), Err(NoJob::Missing));
        assert_eq!(jobs.of_process(101), Some(1));
    }

    #[test]
    fn a_number_is_free_again_when_the_higher_ones_are_gone() {
        let mut jobs = jobs(&["a", "b", "c"]);
        jobs.remove(0);
        assert_eq!(
            jobs.add(vec![], Text::from("d"), None, false, Text::EMPTY),
            4
        );
        jobs.list.clear();
        assert_eq!(
            jobs.add(vec![], Text::from("e"), None, false, Text::EMPTY),
            1
        );
    }

    #[test]
    fn a_pipeline_has_the_status_of_its_last_process_or_of_the_last_that_failed() {
        let mut jobs = jobs(&["a"]);
        let job = &mut jobs.list[0];
        job.processes = vec![
            (Pid(1), Some(Status::Exited(3))),
            (Pid(2), Some(Status::Exited(0))),
        ];
        assert_eq!(job.state(), JobState::Done(Status::Exited(0)));
        job.pipefail = true;
        assert_eq!(job.state(), JobState::Done(Status::Exited(3)));
    }
}
