//! Pipes between the host and processes, and between processes for the host.

use std::task::{Poll, Waker};

use codepod_abi::Errno;

use crate::ids::{PipeId, WaiterId};
use crate::kernel::Kernel;
use crate::pipe::{End, Pipe};

/// The host's own end of a pipe. It must be closed with [`Kernel::close_pipe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PipeEnd {
    /// The host reads.
    Read(PipeId),
    /// The host writes.
    Write(PipeId),
}

impl Kernel {
    /// A pipe whose ends nobody holds yet: for [`crate::Stdio`] of processes that are about to
    /// start. `Nfile` at the limit, and when there is no memory for it.
    pub fn new_pipe(&mut self) -> Result<PipeId, Errno> {
        if self.pipes.len() >= self.limits.pipes {
            return Err(Errno::Nfile);
        }
        let pipe = Pipe::new(self.limits.pipe_bytes, &self.budget).ok_or(Errno::Nfile)?;
        Ok(PipeId(self.pipes.insert(pipe)))
    }

    /// Takes an end of a pipe for the host.
    pub fn hold_pipe(&mut self, end: PipeEnd) -> Result<(), Errno> {
        match end {
            PipeEnd::Read(pipe) => self.pipe_mut(pipe)?.open(End::Read),
            PipeEnd::Write(pipe) => self.pipe_mut(pipe)?.open(End::Write),
        }
        Ok(())
    }

    /// Closes the host's end.
    pub fn close_pipe(&mut self, end: PipeEnd) {
        match end {
            PipeEnd::Read(pipe) => self.drop_end(pipe, End::Read, None),
            PipeEnd::Write(pipe) => self.drop_end(pipe, End::Write, None),
        }
    }

    /// Ends what the host reads from a pipe: after the rest comes the end, and later writes vanish.
    pub fn finish_pipe(&mut self, pipe: PipeId) {
        if let Ok(pipe) = self.pipe_mut(pipe) {
            pipe.finish();
        }
    }

    /// Removes a pipe that was made for processes that never started.
    pub fn discard_pipe(&mut self, pipe: PipeId) {
        if self.pipes.get(pipe.0).is_some_and(Pipe::is_unused) {
            self.pipes.remove(pipe.0);
        }
    }

    /// Reads as the host; 0 bytes is the end.
    pub fn poll_pipe_read(
        &mut self,
        pipe: PipeId,
        buffer: &mut [u8],
        waiter: WaiterId,
        waker: &Waker,
    ) -> Poll<Result<usize, Errno>> {
        let read = self.pipe_mut(pipe).and_then(|pipe| pipe.read(buffer));
        self.ready_or_wait(read, (pipe, End::Read), waiter, waker)
    }

    /// Writes as the host. `Pipe` when nobody reads any more.
    pub fn poll_pipe_write(
        &mut self,
        pipe: PipeId,
        bytes: &[u8],
        waiter: WaiterId,
        waker: &Waker,
    ) -> Poll<Result<usize, Errno>> {
        let written = self.pipe_mut(pipe).and_then(|pipe| pipe.write(bytes));
        self.ready_or_wait(written, (pipe, End::Write), waiter, waker)
    }

    fn ready_or_wait(
        &mut self,
        result: Result<usize, Errno>,
        (pipe, end): (PipeId, End),
        waiter: WaiterId,
        waker: &Waker,
    ) -> Poll<Result<usize, Errno>> {
        if result == Err(Errno::Again) {
            self.wait_for_pipe(pipe, end, waiter, waker);
            return Poll::Pending;
        }
        Poll::Ready(result)
    }

    /// Wakes a waiter when something changes for this end of a pipe.
    pub(crate) fn wait_for_pipe(
        &mut self,
        pipe: PipeId,
        end: End,
        waiter: WaiterId,
        waker: &Waker,
    ) {
        if let Ok(pipe) = self.pipe_mut(pipe) {
            match end {
                End::Read => pipe.read_waiters.add(waiter, waker),
                End::Write => pipe.write_waiters.add(waiter, waker),
            }
        }
    }
}
