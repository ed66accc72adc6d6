//! Pipelines: commands that run at the same time, each reading what the one before prints.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use codepod_abi::Errno;
use codepod_kernel::{
    ExitStatus, Kernel, Pid, PipeEnd, PipeId, Program, Stdio, TimerKey, WaiterId,
};
use futures_lite::future::block_on;

use crate::budget;
use crate::command::{Command, NotStarted, Stdin};
use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::feed::Feed;
use crate::result::{CANCELLED, RunResult, TIMED_OUT};
use crate::sandbox::Sandbox;
use crate::script::Canceller;
use crate::sinks::{AfterTaken, Output, Sinks};
use crate::timeline::Mark;
use crate::timer::Timer;

/// Commands connected by pipes.
#[derive(Debug, Clone)]
#[must_use = "a pipeline does nothing until it is run"]
pub struct Pipeline {
    commands: Vec<Command>,
}

/// The processes of a pipeline, and what they are connected to.
#[derive(Default)]
struct Stages {
    pids: Vec<Pid>,
    programs: Vec<Program>,
    /// Between the processes.
    pipes: Vec<PipeId>,
    stdin: Option<(PipeId, Vec<u8>)>,
}

impl Pipeline {
    pub(crate) fn of(command: Command) -> Pipeline {
        Pipeline {
            commands: vec![command],
        }
    }

    /// Adds a command that reads what the last one prints.
    pub fn pipe(mut self, next: Command) -> Pipeline {
        self.commands.push(next);
        self
    }

    /// Runs it and waits for the end of all its commands. The status is the last one's; standard
    /// error is everybody's. The caller's thread runs the last command, the engine's threads
    /// the others.
    pub async fn run(self) -> Result<RunResult, Error> {
        let last = self.commands.last().ok_or(ErrorKind::Internal)?;
        let sinks = Sinks::new(&last.sandbox, AfterTaken::Broken)?;
        let printed = [sinks.out, sinks.err].map(Stdio::Sink);
        self.run_with(None, printed, || sinks.take()).await
    }

    /// Runs it with streams of the caller's. What it prints is not in the result.
    pub(crate) async fn run_on(self, [input, out, err]: [Stdio; 3]) -> Result<RunResult, Error> {
        let output = Output::default;
        self.run_with(Some(input), [out, err], output).await
    }

    /// `take` gives what the result holds of the output. Without `input`, the first command reads
    /// what it was given.
    async fn run_with(
        self,
        input: Option<Stdio>,
        printed: [Stdio; 2],
        take: impl FnOnce() -> Output,
    ) -> Result<RunResult, Error> {
        let last = self.commands.last().ok_or(ErrorKind::Internal)?;
        let sandbox = last.sandbox.clone();
        let stopwatch = sandbox.stopwatch();
        let (timeout, budget) = (last.timeout, last.output_budget);
        let canceller = last.cancel.clone();
        let hints = sandbox.options().hints;
        let line = self
            .commands
            .iter()
            .map(Command::line)
            .collect::<Vec<_>>()
            .join(" | ");
        let mark = match last.recorded {
            true => Some(Mark::begin(&sandbox, line.as_bytes())?),
            false => None,
        };
        let stages = match self.spawn(&sandbox, input, printed) {
            Ok(stages) => stages,
            Err(NotStarted::Error(error)) => {
                mark.into_iter().for_each(Mark::forget);
                return Err(error);
            }
            Err(NotStarted::Result { exit_code, message }) => {
                let mut result = RunResult {
                    command: line,
                    exit_code,
                    stderr: message.into_bytes(),
                    execution_time: stopwatch.elapsed(),
                    ..RunResult::default()
                };
                if let Some(mark) = mark {
                    mark.finish(&mut result, timeout, hints);
                }
                return Ok(result);
            }
        };
        let pids = stages.pids.clone();
        let (status, stopped) = drive(&sandbox, stages, timeout, canceller).await?;
        let processes = sandbox.kernel()?.take_facts_of(&pids);
        let output = take();
        let mut result = RunResult {
            command: line,
            exit_code: match stopped {
                Some(Stopped::TimedOut) => TIMED_OUT,
                Some(Stopped::Cancelled) => CANCELLED,
                None => status.code(),
            },
            stdout: output.stdout,
            stderr: output.stderr,
            truncated: output.lost != [false; 2],
            timed_out: stopped == Some(Stopped::TimedOut),
            cancelled: stopped == Some(Stopped::Cancelled),
            execution_time: stopwatch.elapsed(),
            processes,
            ..RunResult::default()
        };
        if let Some(mark) = mark {
            mark.finish(&mut result, timeout, hints);
            budget::cut(&sandbox, &mut result, budget, output.lost)?;
        }
        Ok(result)
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(self) -> Result<RunResult, Error> {
        block_on(self.run())
    }

    fn spawn(
        &self,
        sandbox: &Sandbox,
        input: Option<Stdio>,
        printed: [Stdio; 2],
    ) -> Result<Stages, NotStarted> {
        let mut kernel = sandbox.kernel().map_err(NotStarted::Error)?;
        let mut stages = Stages::default();
        match self.spawn_into(&mut stages, &mut kernel, input, printed) {
            Ok(()) => Ok(stages),
            Err(error) => {
                stages.take_back(&mut kernel);
                Err(error)
            }
        }
    }

    fn spawn_into(
        &self,
        stages: &mut Stages,
        kernel: &mut Kernel,
        input: Option<Stdio>,
        [out, err]: [Stdio; 2],
    ) -> Result<(), NotStarted> {
        let no_pipe = |errno: Errno| {
            NotStarted::Error(
                ErrorKind::Spawn {
                    name: "a pipeline".into(),
                    errno,
                }
                .into(),
            )
        };
        let mut input = match (input, &self.commands[0].stdin) {
            (Some(input), _) => input,
            (None, Stdin::Empty) => Stdio::Null,
            (None, Stdin::Bytes(bytes)) => {
                let pipe = kernel.new_pipe().map_err(no_pipe)?;
                kernel.hold_pipe(PipeEnd::Write(pipe)).map_err(no_pipe)?;
                stages.stdin = Some((pipe, bytes.clone()));
                Stdio::PipeRead(pipe)
            }
        };
        for (i, command) in self.commands.iter().enumerate() {
            let is_last = i + 1 == self.commands.len();
            let (output, next) = if is_last {
                (out, Stdio::Null)
            } else {
                let pipe = kernel.new_pipe().map_err(no_pipe)?;
                stages.pipes.push(pipe);
                (Stdio::PipeWrite(pipe), Stdio::PipeRead(pipe))
            };
            let program = command.spawn(kernel, [input, output, err])?;
            stages.pids.push(program.pid);
            stages.programs.push(program);
            input = next;
        }
        Ok(())
    }
}

impl Stages {
    /// Undoes what was made for a pipeline of which nothing has run.
    fn take_back(self, kernel: &mut Kernel) {
        for pid in self.pids {
            kernel.exit(pid, ExitStatus::Exited(0));
            kernel.reap(pid);
        }
        if let Some((pipe, _)) = self.stdin {
            kernel.close_pipe(PipeEnd::Write(pipe));
        }
        for pipe in self.pipes {
            kernel.discard_pipe(pipe);
        }
    }
}

/// What ended a pipeline that did not end by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stopped {
    TimedOut,
    Cancelled,
}

/// Runs the stages to their end, or until they are stopped. Returns the last one's status.
async fn drive(
    sandbox: &Sandbox,
    stages: Stages,
    timeout: Duration,
    canceller: Option<Canceller>,
) -> Result<(ExitStatus, Option<Stopped>), Error> {
    let engine = sandbox.inner.runtime.engine();
    let kernel = &sandbox.inner.kernel;
    let Stages {
        pids,
        mut programs,
        stdin,
        ..
    } = stages;
    let own = programs.pop().ok_or(ErrorKind::Internal)?;
    let mut session = Session::begin(sandbox, pids)?;
    let mut timer = Timer::after(engine.host(), session.key, timeout);
    for program in programs {
        engine.spawn(kernel.clone(), program);
    }
    let mut own = pin!(engine.run(kernel.clone(), own));
    let mut own_runs = true;
    let mut feed = match stdin {
        Some((pipe, bytes)) => Some(Feed::begin(kernel, pipe, bytes)?),
        None => None,
    };
    let mut stopped = None;
    poll_fn(|cx| {
        if stopped.is_none() {
            let is_cancelled = canceller.as_ref().is_some_and(|by| by.poll(cx));
            stopped = match timer.is_due() {
                true => Some(Stopped::TimedOut),
                false => is_cancelled.then_some(Stopped::Cancelled),
            };
            if stopped.is_some() {
                session.kill()?;
            }
        }
        if own_runs && own.as_mut().poll(cx).is_ready() {
            own_runs = false;
        }
        if feed.as_mut().is_some_and(|feed| feed.poll(cx).is_ready()) {
            feed = None;
        }
        if session.poll_end(cx)?.is_ready() && !own_runs {
            return Poll::Ready(Ok::<_, Error>(()));
        }
        if stopped.is_none() {
            timer.arm(cx);
        }
        Poll::Pending
    })
    .await?;
    Ok((session.last_status(), stopped))
}

/// The processes of a pipeline while it runs. Dropped, it kills what is left of them.
struct Session {
    kernel: KernelHandle,
    pids: Vec<Pid>,
    statuses: Vec<Option<ExitStatus>>,
    waiter: WaiterId,
    key: TimerKey,
}

impl Session {
    fn begin(sandbox: &Sandbox, pids: Vec<Pid>) -> Result<Session, Error> {
        let mut kernel = sandbox.kernel()?;
        let waiter = kernel.new_waiter();
        let key = kernel.timer_key(waiter);
        drop(kernel);
        Ok(Session {
            kernel: sandbox.inner.kernel.clone(),
            statuses: vec![None; pids.len()],
            pids,
            waiter,
            key,
        })
    }

    fn kill(&self) -> Result<(), Error> {
        let mut kernel = self.kernel.lock().map_err(|_| ErrorKind::Internal)?;
        for pid in &self.pids {
            kernel.kill_session(*pid);
        }
        Ok(())
    }

    /// Whether all have ended.
    fn poll_end(&mut self, cx: &mut Context<'_>) -> Result<Poll<()>, Error> {
        let mut kernel = self.kernel.lock().map_err(|_| ErrorKind::Internal)?;
        let mut all = Poll::Ready(());
        for (pid, status) in self.pids.iter().zip(&mut self.statuses) {
            if status.is_some() {
                continue;
            }
            match kernel.poll_exit(*pid, self.waiter, cx.waker()) {
                Poll::Ready(found) => {
                    *status = Some(found.unwrap_or(ExitStatus::Exited(0)));
                    kernel.reap(*pid);
                }
                Poll::Pending => all = Poll::Pending,
            }
        }
        Ok(all)
    }

    fn last_status(&self) -> ExitStatus {
        self.statuses
            .last()
            .copied()
            .flatten()
            .unwrap_or(ExitStatus::Exited(0))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.statuses.iter().all(Option::is_some) {
            return;
        }
        let _ = self.kill();
        if let Ok(mut kernel) = self.kernel.lock() {
            for pid in &self.pids {
                kernel.reap(*pid);
            }
        }
    }
}
