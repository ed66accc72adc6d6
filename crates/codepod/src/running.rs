//! A command while it runs: streams to read and write, and its end.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll};

use codepod_abi::Errno;
use codepod_abi::wire::TerminalState;
use codepod_kernel::{ExitStatus, Kernel, Pid, PipeEnd, PipeId, Stdio, WaiterId};
use codepod_wasmtime::KernelHandle;
use futures_lite::future::block_on;

use crate::command::{Command, NotStarted};
use crate::error::{Error, ErrorKind};

/// A command that has been started. It runs while [`Running::wait`] is polled; dropped, it is killed.
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
        Running::start_with(command, None)
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
        )
    }

    fn start_with(command: Command, terminal: Option<TerminalState>) -> Result<Running, Error> {
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
                    streams.map(|(_, stdio)| stdio)
                }
                Err(errno) => return Err(failed(errno)),
            },
        };
        let program = match command.spawn(&mut kernel, stdio) {
            Ok(program) => program,
            Err(not_started) => {
                if let Stdio::Terminal(id) = stdio[0] {
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
        let mut stream = |end: PipeEnd| {
            let waiter = kernel.new_waiter();
            (end, waiter)
        };
        let streams: Vec<_> = ends.into_iter().map(&mut stream).collect();
        drop(kernel);
        let reader = |index: usize| match streams.get(index) {
            Some((PipeEnd::Read(pipe), waiter)) => Some(PipeReader {
                kernel: handle.clone(),
                pipe: *pipe,
                waiter: *waiter,
            }),
            _ => None,
        };
        let writer = match streams.first() {
            Some((PipeEnd::Write(pipe), waiter)) => Some(PipeWriter {
                kernel: handle.clone(),
                pipe: *pipe,
                waiter: *waiter,
            }),
            _ => None,
        };
        Ok(Running {
            stdin: writer,
            stdout: reader(1),
            stderr: reader(2),
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

    /// The same without an async runtime.
    pub fn wait_blocking(&mut self) -> Result<ExitStatus, Error> {
        block_on(self.wait())
    }

    /// Ends it and everything it has started.
    pub fn kill(&self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.kill_session(self.pid);
        }
    }
}

/// Pipes for the three standard streams: the host's end of each, which it holds, and the process's.
fn host_streams(kernel: &mut Kernel) -> Result<[(PipeEnd, Stdio); 3], Errno> {
    let mut made: Vec<PipeId> = Vec::new();
    while made.len() < 3 {
        match kernel.new_pipe() {
            Ok(pipe) => made.push(pipe),
            Err(errno) => {
                for pipe in made {
                    kernel.discard_pipe(pipe);
                }
                return Err(errno);
            }
        }
    }
    let streams = [
        (PipeEnd::Write(made[0]), Stdio::PipeRead(made[0])),
        (PipeEnd::Read(made[1]), Stdio::PipeWrite(made[1])),
        (PipeEnd::Read(made[2]), Stdio::PipeWrite(made[2])),
    ];
    for (end, _) in streams {
        kernel.hold_pipe(end)?;
    }
    Ok(streams)
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

/// The host's end of a stream that a command writes.
#[derive(Debug)]
pub struct PipeReader {
    kernel: KernelHandle,
    pipe: PipeId,
    waiter: WaiterId,
}

impl PipeReader {
    /// Reads what there is; 0 bytes is the end.
    pub async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        poll_fn(|cx| self.poll_read(cx, buffer)).await
    }

    /// The same without an async runtime.
    pub fn read_blocking(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        block_on(self.read(buffer))
    }

    fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Result<usize, Error>> {
        let mut kernel = self.kernel.lock().map_err(|_| ErrorKind::Internal)?;
        kernel
            .poll_pipe_read(self.pipe, buffer, self.waiter, cx.waker())
            .map(|result| Ok(result.unwrap_or(0)))
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.close_pipe(PipeEnd::Read(self.pipe));
        }
    }
}

/// The host's end of a stream that a command reads.
#[derive(Debug)]
pub struct PipeWriter {
    kernel: KernelHandle,
    pipe: PipeId,
    waiter: WaiterId,
}

impl PipeWriter {
    /// Writes all of it; waits while the command does not read. False when it will not read any more.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        let mut at = 0;
        while at < bytes.len() {
            let taken = poll_fn(|cx| {
                let mut kernel = self
                    .kernel
                    .lock()
                    .map_err(|_| Error::from(ErrorKind::Internal))?;
                kernel
                    .poll_pipe_write(self.pipe, &bytes[at..], self.waiter, cx.waker())
                    .map(Ok::<_, Error>)
            })
            .await?;
            match taken {
                Ok(taken) => at += taken,
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The same without an async runtime.
    pub fn write_all_blocking(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        block_on(self.write_all(bytes))
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.close_pipe(PipeEnd::Write(self.pipe));
        }
    }
}
