//! The host's ends of a command's streams, to read and write while it runs.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use codepod_abi::Errno;
use codepod_kernel::{Kernel, PipeEnd, PipeId, Stdio, WaiterId};
use futures_lite::future::{block_on, yield_now};

use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};

/// Pipes for the three standard streams: the host's end of each, which it holds, and the process's.
pub(crate) fn host_streams(kernel: &mut Kernel) -> Result<[(PipeEnd, Stdio); 3], Errno> {
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

/// Lets the rest of its task go on between two pieces of a stream. A command that writes as fast as
/// its output is read would otherwise keep the task that waits for its end from ever seeing that
/// end, a timeout or a cancellation.
#[derive(Debug, Default)]
pub(crate) struct Turn {
    is_taken: AtomicBool,
}

impl Turn {
    /// Called before every piece; the first does not wait.
    pub(crate) async fn take(&self) {
        if self.is_taken.swap(true, Ordering::Relaxed) {
            yield_now().await;
        }
    }
}

/// The host's end of a stream that a command writes.
#[derive(Debug)]
pub struct PipeReader {
    kernel: KernelHandle,
    pipe: PipeId,
    waiter: WaiterId,
    turn: Turn,
}

impl PipeReader {
    /// The end is the host's already.
    pub(crate) fn new(kernel: &KernelHandle, pipe: PipeId, waiter: WaiterId) -> PipeReader {
        PipeReader {
            kernel: kernel.clone(),
            pipe,
            waiter,
            turn: Turn::default(),
        }
    }

    /// Reads what there is; 0 bytes is the end.
    pub async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Error> {
        self.turn.take().await;
        poll_fn(|cx| self.poll_read(cx, buffer)).await
    }

    /// Blocking form of [`Self::read`], for callers without an async runtime.
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
    turn: Turn,
}

impl PipeWriter {
    /// The end is the host's already.
    pub(crate) fn new(kernel: &KernelHandle, pipe: PipeId, waiter: WaiterId) -> PipeWriter {
        PipeWriter {
            kernel: kernel.clone(),
            pipe,
            waiter,
            turn: Turn::default(),
        }
    }

    /// Writes all of it; waits while the command does not read. False when it will not read any
    /// more.
    pub async fn write_all(&mut self, bytes: &[u8]) -> Result<bool, Error> {
        let mut at = 0;
        while at < bytes.len() {
            self.turn.take().await;
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

    /// Blocking form of [`Self::write_all`], for callers without an async runtime.
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
