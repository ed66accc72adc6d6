//! Feeding a process: bytes of the host on their way into its standard input.

use std::task::{Context, Poll};

use codepod_kernel::{PipeEnd, PipeId, WaiterId};

use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};

/// Input on its way into a pipe; the pipe is closed when all is in, or when this is dropped.
pub(crate) struct Feed {
    kernel: KernelHandle,
    pipe: PipeId,
    waiter: WaiterId,
    bytes: Vec<u8>,
    at: usize,
}

impl Feed {
    pub(crate) fn begin(
        kernel: &KernelHandle,
        pipe: PipeId,
        bytes: Vec<u8>,
    ) -> Result<Feed, Error> {
        let waiter = kernel.lock().map_err(|_| ErrorKind::Internal)?.new_waiter();
        Ok(Feed {
            kernel: kernel.clone(),
            pipe,
            waiter,
            bytes,
            at: 0,
        })
    }

    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Ok(mut kernel) = self.kernel.lock() else {
            return Poll::Ready(());
        };
        while self.at < self.bytes.len() {
            match kernel.poll_pipe_write(self.pipe, &self.bytes[self.at..], self.waiter, cx.waker())
            {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(taken)) => self.at += taken,
                // Nobody reads any more: what is left is not wanted.
                Poll::Ready(Err(_)) => return Poll::Ready(()),
            }
        }
        Poll::Ready(())
    }
}

/// A pipe for the input of a process that will come: its read end is held, so that it does not look
/// as if nobody would ever read. Dropped, it is given up.
pub(crate) struct Input {
    kernel: KernelHandle,
    pub(crate) pipe: PipeId,
}

impl Input {
    /// A pipe with both ends held; the write end is for a [`Feed`].
    pub(crate) fn new(kernel: &KernelHandle) -> Result<Input, Error> {
        let failed = |errno| ErrorKind::Spawn {
            name: "a pipe".into(),
            errno,
        };
        let mut locked = kernel.lock().map_err(|_| ErrorKind::Internal)?;
        let pipe = locked.new_pipe().map_err(failed)?;
        for end in [PipeEnd::Read(pipe), PipeEnd::Write(pipe)] {
            locked.hold_pipe(end).map_err(failed)?;
        }
        drop(locked);
        Ok(Input {
            kernel: kernel.clone(),
            pipe,
        })
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.close_pipe(PipeEnd::Read(self.pipe));
        }
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.close_pipe(PipeEnd::Write(self.pipe));
        }
    }
}
