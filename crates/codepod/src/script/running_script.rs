//! A script while it runs: streams to read and write, and its end.

use codepod_abi::wire::TerminalState;
use codepod_kernel::{PipeEnd, Stdio, TerminalId};
use futures_lite::future::block_on;

use super::{Canceller, Script, directory, result_of};
use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::result::RunResult;
use crate::shell::Job;
use crate::streams::{PipeReader, PipeWriter, host_streams};
use crate::timeline::Mark;

/// A script with streams. It runs while [`RunningScript::wait`] is polled, and is killed when that
/// future is dropped.
#[derive(Debug)]
pub struct RunningScript {
    /// What it reads; drop it to end its input.
    pub stdin: Option<PipeWriter>,
    /// What it prints.
    pub stdout: Option<PipeReader>,
    /// What it complains about.
    pub stderr: Option<PipeReader>,
    script: Script,
    streams: Streams,
    canceller: Canceller,
}

/// What something is to have as its streams.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted {
    /// Three pipes.
    Pipes,
    /// Nothing to read, and two pipes.
    NoInput,
    /// A terminal for all three.
    Terminal { rows: u32, columns: u32 },
}

/// Streams that are open before anybody uses them, and the host's ends of them.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) stdin: Option<PipeWriter>,
    pub(crate) stdout: Option<PipeReader>,
    pub(crate) stderr: Option<PipeReader>,
    pub(crate) streams: Streams,
}

impl Opened {
    /// Opens streams for `name`, which errors tell of.
    pub(crate) fn new(handle: &KernelHandle, name: &str, wanted: Wanted) -> Result<Opened, Error> {
        let mut kernel = handle.lock().map_err(|_| ErrorKind::Internal)?;
        let failed = |errno| ErrorKind::Spawn {
            name: name.to_owned(),
            errno,
        };
        let mut terminal = None;
        let (mut made, stdio) = match wanted {
            Wanted::Terminal { rows, columns } => {
                let mode = TerminalState::ALL;
                let state = TerminalState {
                    rows: rows.clamp(1, u16::MAX.into()),
                    columns: columns.clamp(1, u16::MAX.into()),
                    mode,
                };
                let (id, input, output) = kernel.new_terminal(state).map_err(failed)?;
                terminal = Some(id);
                (vec![input, output], [Stdio::Terminal(id); 3])
            }
            Wanted::Pipes | Wanted::NoInput => {
                let made = host_streams(&mut kernel).map_err(failed)?;
                (
                    made.map(|(end, _)| end).to_vec(),
                    made.map(|(_, stdio)| stdio),
                )
            }
        };
        let mut stdio = stdio;
        if let Wanted::NoInput = wanted {
            kernel.close_pipe(made.remove(0));
            stdio[0] = Stdio::Null;
        }
        let mut stdin = None;
        let mut readers = Vec::new();
        for end in &made {
            let waiter = kernel.new_waiter();
            match *end {
                PipeEnd::Write(pipe) => stdin = Some(PipeWriter::new(handle, pipe, waiter)),
                PipeEnd::Read(pipe) => readers.push(PipeReader::new(handle, pipe, waiter)),
            }
            // Until the shell has them, the other ends are the host's too: the streams must not
            // look closed.
            let held = kernel.hold_pipe(other(*end));
            debug_assert!(held.is_ok(), "the pipe was made just now");
        }
        drop(kernel);
        let mut readers = readers.into_iter();
        Ok(Opened {
            stdin,
            stdout: readers.next(),
            stderr: readers.next(),
            streams: Streams {
                kernel: handle.clone(),
                ends: made.into_iter().map(other).collect(),
                stdio,
                terminal,
            },
        })
    }
}

impl RunningScript {
    pub(super) fn new(script: Script, wanted: Wanted) -> Result<RunningScript, Error> {
        let kernel = &script.shell.sandbox.inner.kernel;
        let opened = Opened::new(kernel, "a script", wanted)?;
        Ok(RunningScript {
            stdin: opened.stdin,
            stdout: opened.stdout,
            stderr: opened.stderr,
            streams: opened.streams,
            canceller: script.cancel.clone().unwrap_or_default(),
            script,
        })
    }

    /// The terminal that it runs on, if it does.
    pub fn terminal(&self) -> Option<TerminalHandle> {
        let id = self.streams.terminal?;
        Some(TerminalHandle {
            kernel: self.streams.kernel.clone(),
            id,
        })
    }

    /// Ends it from elsewhere.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Runs it to its end. The streams must be read meanwhile, or it waits for them; what they gave
    /// is not in the result. What the script left in the background prints to nowhere from then
    /// on.
    ///
    /// Fails as [`Script::run`] does.
    pub async fn wait(self) -> Result<RunResult, Error> {
        let request = self.script.request()?;
        let shell = &self.script.shell;
        let _turn = shell.slot.turns.take().await;
        let mut mark = Mark::begin(&shell.sandbox, &self.script.text)?;
        let in_background = self.script.background;
        if in_background {
            mark.record_now();
        }
        let before = (!in_background).then(|| mark.files());
        let (timeout, cancel) = (self.script.timeout, Some(&self.canceller));
        let stopwatch = shell.sandbox.stopwatch();
        let job = Job {
            request,
            number: mark.number(),
            stdio: self.streams.stdio,
            feed: None,
            timeout,
            cancel,
            before,
        };
        let served = directory::serve_in(shell, self.script.cwd.as_deref(), job).await?;
        if in_background {
            // Whoever has the copy of the shell: its process is over with its script.
            drop(shell.slot.take_warm());
        }
        let mut result = match served {
            Ok(served) => result_of(served, &self.script.text, stopwatch.elapsed()),
            Err(result) => result,
        };
        mark.finish(&mut result, timeout, self.script.hints);
        Ok(result)
    }

    /// Blocking form of [`Self::wait`], for callers without an async runtime.
    pub fn wait_blocking(self) -> Result<RunResult, Error> {
        block_on(self.wait())
    }
}

/// The terminal of a script, for the surface that shows it. Bytes pass as they are: lines, echo and
/// control characters are the surface's work, as far as the script wants them.
#[derive(Debug, Clone)]
pub struct TerminalHandle {
    kernel: KernelHandle,
    id: TerminalId,
}

/// What a script wants of its terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalModes {
    /// Input comes by lines, which can be edited.
    pub lines: bool,
    /// Input is shown.
    pub echo: bool,
    /// Control characters become signals.
    pub signals: bool,
    /// Somebody waits for input now.
    pub input_wanted: bool,
}

impl TerminalHandle {
    /// What the script wants now; `None` while it has not begun, and once it has ended.
    pub fn modes(&self) -> Option<TerminalModes> {
        let kernel = self.kernel.lock().ok()?;
        let (state, input_wanted) = kernel.terminal(self.id)?;
        let has = |bit| state.mode & bit != 0;
        Some(TerminalModes {
            lines: has(TerminalState::CANONICAL),
            echo: has(TerminalState::ECHO),
            signals: has(TerminalState::SIGNALS),
            input_wanted,
        })
    }

    /// Interrupts the programs on it, as Ctrl-C does, if one of them has a handler for that;
    /// whether one has. Otherwise nothing happens: [`Canceller::cancel`] ends them.
    pub fn interrupt(&self) -> bool {
        let kernel = self.kernel.lock();
        kernel.is_ok_and(|mut kernel| kernel.interrupt_terminal(self.id))
    }

    /// Tells its size, when that has changed.
    pub fn resize(&self, rows: u32, columns: u32) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.resize_terminal(self.id, rows, columns);
        }
    }
}

/// The ends that the script has, held by the host while it waits and runs. Dropped, the streams
/// end.
#[derive(Debug)]
pub(crate) struct Streams {
    kernel: KernelHandle,
    ends: Vec<PipeEnd>,
    pub(crate) stdio: [Stdio; 3],
    terminal: Option<TerminalId>,
}

impl Drop for Streams {
    fn drop(&mut self) {
        let Ok(mut kernel) = self.kernel.lock() else {
            return;
        };
        if let Some(terminal) = self.terminal {
            kernel.forget_terminal(terminal);
        }
        for end in self.ends.drain(..) {
            if let PipeEnd::Write(pipe) = end {
                kernel.finish_pipe(pipe);
            }
            kernel.close_pipe(end);
        }
    }
}

fn other(end: PipeEnd) -> PipeEnd {
    match end {
        PipeEnd::Read(pipe) => PipeEnd::Write(pipe),
        PipeEnd::Write(pipe) => PipeEnd::Read(pipe),
    }
}
