//! A command while it runs: streams to read and write, and its end.

use std::future::Future;
use std::pin::Pin;

use codepod_abi::Errno;
use codepod_abi::wire::TerminalState;
use codepod_kernel::{ExitStatus, Pid, PipeEnd, Stdio};
use futures_lite::future::block_on;

use crate::command::{Command, NotStarted};
use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::streams::{PipeReader, PipeWriter, host_streams};

/// A command that has been started. It runs while [`Running::wait`] is polled; dropped, it is
/// killed.
pub struct Running {
    /// What it reads; drop it to end its input.
    pub stdin: Option<PipeWriter>,
    /// What it prints.
    pub stdout: Option<PipeReader>,
    /// What it complains about. With a terminal it is part of `stdout`.
    pub stderr: Option<PipeReader>,
    kernel: KernelHandle,
    pid: Pid,
    process: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Running {
    pub(crate) fn start(command: Command) -> Result<Running, Error> {
        Running::start_with(command, None, true)
    }

    pub(crate) fn start_without_input(command: Command) -> Result<Running, Error> {
        Running::start_with(command, None, false)
    }

    /// Starts a command on a terminal of a size.
    pub fn start_on_terminal(command: Command, rows: u32, columns: u32) -> Result<Running, Error> {
        let mode = TerminalState::CANONICAL | TerminalState::ECHO | TerminalState::SIGNALS;
        Running::start_with(
            command,
            Some(TerminalState {
                rows,
                columns,
                mode,
            }),
            true,
        )
    }

    fn start_with(
        command: Command,
        terminal: Option<TerminalState>,
        input: bool,
    ) -> Result<Running, Error> {
        let sandbox = command.sandbox.clone();
        let handle = sandbox.inner.kernel.clone();
        let mut kernel = sandbox.kernel()?;
        let failed = |errno: Errno| {
            Error::from(ErrorKind::Spawn {
                name: command.line(),
                errno,
            })
        };
        let mut ends = Vec::new();
        let stdio = match terminal {
            Some(state) => {
                let (id, input, output) = kernel.new_terminal(state).map_err(failed)?;
                ends.extend([input, output]);
                [Stdio::Terminal(id); 3]
            }
            None => match host_streams(&mut kernel) {
                Ok(streams) => {
                    ends.extend(streams.map(|(end, _)| end));
                    let mut stdio = streams.map(|(_, stdio)| stdio);
                    if !input {
                        kernel.close_pipe(ends.remove(0));
                        stdio[0] = Stdio::Null;
                    }
                    stdio
                }
                Err(errno) => return Err(failed(errno)),
            },
        };
        let program = match command.spawn(&mut kernel, stdio) {
            Ok(program) => program,
            Err(not_started) => {
                if let Stdio::Terminal(id) = stdio[1] {
                    kernel.discard_terminal(id);
                } else {
                    for end in ends {
                        kernel.close_pipe(end);
                    }
                }
                return Err(match not_started {
                    NotStarted::Error(error) => error,
                    NotStarted::Result { exit_code, .. } => failed(if exit_code == 127 {
                        Errno::NoEnt
                    } else {
                        Errno::NoExec
                    }),
                });
            }
        };
        let mut writer = None;
        let mut readers = Vec::new();
        for end in ends {
            let waiter = kernel.new_waiter();
            match end {
                PipeEnd::Write(pipe) => writer = Some(PipeWriter::new(&handle, pipe, waiter)),
                PipeEnd::Read(pipe) => readers.push(PipeReader::new(&handle, pipe, waiter)),
            }
        }
        drop(kernel);
        let mut readers = readers.into_iter();
        Ok(Running {
            stdin: writer,
            stdout: readers.next(),
            stderr: readers.next(),
            pid: program.pid,
            process: Box::pin(sandbox.inner.runtime.engine().run(handle.clone(), program)),
            kernel: handle,
        })
    }

    /// Runs it to its end. The streams must be read meanwhile, or it waits for them.
    pub async fn wait(&mut self) -> Result<ExitStatus, Error> {
        self.process.as_mut().await;
        let mut kernel = self.kernel.lock().map_err(|_| ErrorKind::Internal)?;
        kernel
            .reap(self.pid)
            .ok_or_else(|| ErrorKind::Internal.into())
    }

    /// Blocking form of [`Self::wait`], for callers without an async runtime.
    pub fn wait_blocking(&mut self) -> Result<ExitStatus, Error> {
        block_on(self.wait())
    }

    /// Ends it and everything it has started.
    pub fn kill(&self) {
        self.killer().kill();
    }

    /// Ends it from elsewhere, while it is being waited for.
    pub fn killer(&self) -> Killer {
        Killer {
            kernel: self.kernel.clone(),
            pid: self.pid,
        }
    }
}

/// Ends a command from elsewhere. Once the command has been waited for it does nothing.
#[derive(Clone)]
pub struct Killer {
    kernel: KernelHandle,
    pid: Pid,
}

impl Killer {
    /// Ends the command and everything it has started.
    pub fn kill(&self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.kill_session(self.pid);
        }
    }
}

impl std::fmt::Debug for Killer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Killer")
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.kill_session(self.pid);
            kernel.reap(self.pid);
        }
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("pid", &self.pid)
            .finish_non_exhaustive()
    }
}
