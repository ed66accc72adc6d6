//! One request to a shell, from the process that is warm or started for it to the answer.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use codepod_abi::session::Request;
use codepod_abi::{Errno, Signal};
use codepod_kernel::{Answer, ExitStatus, Pid, ProcessFacts, RunId, Stdio, WaiterId};
use codepod_vfs::VfsSnapshot;

use super::slot::{Slot, State};
use super::warm::Warm;
use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::feed::Feed;
use crate::sandbox::Sandbox;
use crate::script::cancel::Canceller;
use crate::timer::Timer;

/// What a shell is asked for.
pub(crate) struct Job<'a> {
    /// A [`Request`] as bytes.
    pub(crate) request: Vec<u8>,
    /// The number of the step in the history; 0 for what is none.
    pub(crate) number: u64,
    pub(crate) stdio: [Stdio; 3],
    /// What the host writes to its standard input meanwhile.
    pub(crate) feed: Option<Feed>,
    pub(crate) timeout: Duration,
    pub(crate) cancel: Option<&'a Canceller>,
    /// The files as they were: they go back to that when the shell fails, if this is given.
    pub(crate) before: Option<VfsSnapshot>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The shell answered with an exit status.
    Answered(u8),
    /// The shell's process ended, as it was told to from inside.
    Exited(ExitStatus),
    /// The shell failed.
    Crashed {
        status: ExitStatus,
        /// Whether the files are as they were. They stay as they are where other processes use
        /// them.
        files_restored: bool,
    },
    TimedOut,
    Cancelled,
}

/// What a request left.
pub(crate) struct Served {
    pub(crate) end: End,
    /// The processes that it started and that have ended.
    pub(crate) processes: Vec<ProcessFacts>,
}

/// Serves a job in a shell. The caller has the shell's turn. Dropped half-way, it kills what was
/// started.
pub(crate) async fn serve(
    sandbox: &Sandbox,
    slot: &Arc<Slot>,
    job: Job<'_>,
) -> Result<Served, Error> {
    let mut run = RunId::default();
    let end = serve_to_end(sandbox, slot, job, &mut run).await?;
    let processes = sandbox.kernel()?.take_facts_of_run(run);
    Ok(Served { end, processes })
}

async fn serve_to_end(
    sandbox: &Sandbox,
    slot: &Arc<Slot>,
    job: Job<'_>,
    run: &mut RunId,
) -> Result<End, Error> {
    let (waiter, key) = {
        let mut kernel = sandbox.kernel()?;
        let waiter = kernel.new_waiter();
        (waiter, kernel.timer_key(waiter))
    };
    let mut watch = Watch {
        timer: Timer::after(sandbox.inner.runtime.engine().host(), key, job.timeout),
        cancel: job.cancel,
    };
    let (mut serving, state) = Serving::ready(sandbox, slot)?;
    if let Some(state) = state {
        // A state may come from anywhere, and take as long as it likes: it is loaded in the time of
        // the job.
        let mut request = Vec::new();
        Request::Load { state: &state }.encode(&mut request);
        serving.ask(0, request, [Stdio::Null; 3])?;
        let (answer, killed) = serving.answer(&mut watch, None).await;
        if let Some(killed) = killed {
            *run = sandbox.kernel()?.run_of(serving.pid);
            return Ok(killed.end(serving, waiter).await);
        }
        if answer.is_none_or(|answer| answer.status != 0) {
            return Err(ErrorKind::ShellState.into());
        }
    }
    serving.ask(job.number, job.request, job.stdio)?;
    let (answer, killed) = serving.answer(&mut watch, job.feed).await;
    *run = sandbox.kernel()?.run_of(serving.pid);
    match (answer, killed) {
        (Some(answer), None) => {
            if let Some(warm) = serving.warm.take() {
                slot.keep(warm, answer.state);
            }
            Ok(End::Answered(answer.status))
        }
        // It came to an end while it was being killed: the answer is not what the caller wanted to
        // wait for.
        (_, Some(killed)) => Ok(killed.end(serving, waiter).await),
        (None, None) => {
            let crashed = serving.has_crashed();
            let others = if crashed { serving.kill() } else { Vec::new() };
            let kernel = serving.kernel.clone();
            let status = serving.end();
            ended(&kernel, others, waiter).await;
            Ok(if crashed {
                End::Crashed {
                    status,
                    files_restored: job.before.is_some_and(|before| restore(sandbox, &before)),
                }
            } else {
                End::Exited(status)
            })
        }
    }
}

/// What was decided about a run that takes too long or is not wanted any more.
struct Killed {
    why: End,
    /// The processes that the run had started.
    others: Vec<Pid>,
}

impl Killed {
    /// Waits until nothing of the run is left.
    async fn end(self, serving: Serving, waiter: WaiterId) -> End {
        let kernel = serving.kernel.clone();
        drop(serving);
        ended(&kernel, self.others, waiter).await;
        self.why
    }
}

/// What ends a job from outside.
struct Watch<'a> {
    timer: Timer,
    cancel: Option<&'a Canceller>,
}

impl Watch<'_> {
    /// Why the job has to end now, if it has; otherwise the task is woken when it is cancelled.
    fn poll(&self, cx: &Context<'_>) -> Option<End> {
        if self.timer.is_due() {
            return Some(End::TimedOut);
        }
        self.cancel
            .is_some_and(|cancel| cancel.poll(cx))
            .then_some(End::Cancelled)
    }
}

/// A shell while it serves. Dropped with its process, it kills that and what its run has started.
struct Serving {
    kernel: KernelHandle,
    pid: Pid,
    /// `None` when somebody else has it.
    warm: Option<Warm>,
}

impl Serving {
    /// The shell's process as it is, or a new one and the state that it has to load first.
    fn ready(sandbox: &Sandbox, slot: &Arc<Slot>) -> Result<(Serving, Option<State>), Error> {
        let kernel = sandbox.inner.kernel.clone();
        if let Some(warm) = slot.take_warm()
            && !sandbox.kernel()?.is_ending(warm.pid)
        {
            return Ok((Serving::of(kernel, warm), None));
        }
        let warm_shells = sandbox.inner.runtime.warm_shells();
        warm_shells.relieve(sandbox.budget());
        warm_shells.add(slot);
        let serving = Serving::of(kernel, Warm::start(sandbox)?);
        Ok((serving, slot.state()))
    }

    /// Lets the shell run until it has answered, or has ended without: `None`. Kills it when it has
    /// to end before.
    async fn answer(
        &mut self,
        watch: &mut Watch<'_>,
        mut feed: Option<Feed>,
    ) -> (Option<Answer>, Option<Killed>) {
        let mut killed: Option<Killed> = None;
        let answer = poll_fn(|cx| {
            if killed.is_none() {
                killed = watch.poll(cx).map(|why| Killed {
                    why,
                    others: self.kill(),
                });
            }
            if let Poll::Ready(answer) = self.poll(cx) {
                return Poll::Ready(answer);
            }
            if feed.as_mut().is_some_and(|feed| feed.poll(cx).is_ready()) {
                feed = None;
            }
            if killed.is_none() {
                watch.timer.arm(cx);
            }
            Poll::Pending
        })
        .await;
        (answer, killed)
    }

    fn of(kernel: KernelHandle, warm: Warm) -> Serving {
        Serving {
            kernel,
            pid: warm.pid,
            warm: Some(warm),
        }
    }

    fn ask(&self, number: u64, request: Vec<u8>, stdio: [Stdio; 3]) -> Result<(), Error> {
        let mut kernel = self.kernel.lock().map_err(|_| ErrorKind::Internal)?;
        kernel
            .request(self.pid, number, request, stdio)
            .map_err(|errno| match errno {
                Errno::Again => Warm::failed(errno),
                _ => ErrorKind::Internal.into(),
            })
    }

    /// Lets the shell run; its answer, or `None` when it has ended without one.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Answer>> {
        let ended = self
            .warm
            .as_mut()
            .is_none_or(|warm| warm.poll(cx).is_ready());
        let answer = match self.kernel.lock() {
            Ok(mut kernel) => kernel.take_answer(self.pid),
            Err(_) => None,
        };
        if answer.is_some() || ended {
            Poll::Ready(answer)
        } else {
            Poll::Pending
        }
    }

    /// Ends the shell and what its run has started; who that is beside the shell.
    fn kill(&self) -> Vec<Pid> {
        self.kernel
            .lock()
            .map_or(Vec::new(), |mut kernel| kernel.kill_run(self.pid))
    }

    fn has_crashed(&self) -> bool {
        self.kernel
            .lock()
            .is_ok_and(|kernel| kernel.has_crashed(self.pid))
    }

    /// How the process ended, which is forgotten.
    fn end(mut self) -> ExitStatus {
        let killed = ExitStatus::Signaled(Signal::Kill);
        self.warm.take().map_or(killed, Warm::end)
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if self.warm.is_some() {
            self.kill();
        }
    }
}

/// Waits until processes that are to end have ended, so that nothing of a run goes on after it.
async fn ended(kernel: &KernelHandle, mut pids: Vec<Pid>, waiter: WaiterId) {
    poll_fn(|cx| {
        let Ok(mut kernel) = kernel.lock() else {
            return Poll::Ready(());
        };
        pids.retain(|pid| kernel.poll_exit(*pid, waiter, cx.waker()).is_pending());
        if pids.is_empty() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

/// Puts the files back, unless processes use them.
fn restore(sandbox: &Sandbox, before: &VfsSnapshot) -> bool {
    sandbox.inner.shells.cool();
    sandbox
        .kernel()
        .is_ok_and(|mut kernel| kernel.restore(before).is_ok())
}
