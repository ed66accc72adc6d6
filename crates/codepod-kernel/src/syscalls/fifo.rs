//! Opening a fifo: an open for reading waits for a writer, an open for writing for a reader.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::fdflags;
use codepod_vfs::NodeRef;

use super::Syscall;
use crate::ids::PipeId;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::pipe::End;
use crate::process::WaitingFifo;

/// What a `path_open` wants of a fifo.
#[derive(Clone, Copy)]
pub(super) struct FifoOpen {
    pub(super) node: NodeRef,
    pub(super) read: bool,
    pub(super) write: bool,
    pub(super) flags: u16,
}

impl<M: GuestMemory> Syscall<'_, M> {
    /// The first poll: takes the end, so that the other side sees it. The open count of the node is
    /// passed on to what is returned, or given back.
    pub(super) fn begin_fifo(&mut self, open: FifoOpen) -> Poll<Result<Object, Errno>> {
        let pipe = match self.fifo_pipe(open.node) {
            Ok(pipe) => pipe,
            Err(errno) => {
                self.kernel.vfs.close(open.node);
                return Poll::Ready(Err(errno));
            }
        };
        let Some(state) = self.kernel.pipes.get_mut(pipe.0) else {
            return Poll::Ready(Err(Errno::Nxio));
        };
        if open.read && open.write {
            state.open(End::Read);
            state.open(End::Write);
            return Poll::Ready(Ok(Object::Fifo(pipe, open.node)));
        }
        let end = if open.read { End::Read } else { End::Write };
        let other_present = match end {
            End::Read => state.writers() > 0,
            End::Write => state.readers() > 0,
        };
        let nonblocking = open.flags & fdflags::NONBLOCK != 0;
        if nonblocking && end == End::Write && !other_present {
            if state.is_unused() {
                self.kernel.pipes.remove(pipe.0);
                self.kernel.fifos.remove(&open.node);
            }
            self.kernel.vfs.close(open.node);
            return Poll::Ready(Err(Errno::Nxio));
        }
        let other_opens = state.opens(end.other());
        state.open(end);
        if other_present || nonblocking {
            return Poll::Ready(Ok(Object::Pipe(pipe, end, Some(open.node))));
        }
        match self.process_mut() {
            Ok(process) => {
                process.waiting.fifo = Some(WaitingFifo {
                    pipe,
                    node: open.node,
                    end,
                    other_opens,
                });
            }
            Err(errno) => return Poll::Ready(Err(errno)),
        }
        self.continue_fifo()
    }

    /// Further polls: has the other side come? Interrupted, the end is given back by the caller.
    pub(super) fn continue_fifo(&mut self) -> Poll<Result<Object, Errno>> {
        let Some(fifo) = self.process().ok().and_then(|process| process.waiting.fifo) else {
            return Poll::Ready(Err(Errno::Nxio));
        };
        let Some(state) = self.kernel.pipes.get_mut(fifo.pipe.0) else {
            return Poll::Ready(Err(Errno::Nxio));
        };
        if state.opens(fifo.end.other()) > fifo.other_opens {
            if let Ok(process) = self.process_mut() {
                process.waiting.fifo = None;
            }
            return Poll::Ready(Ok(Object::Pipe(fifo.pipe, fifo.end, Some(fifo.node))));
        }
        let waited = self.wait(None, |kernel, waiter, waker| {
            kernel.wait_for_pipe(fifo.pipe, fifo.end, waiter, waker);
        });
        match waited {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Ok(())) => Poll::Ready(Err(Errno::Intr)),
            Poll::Ready(Err(errno)) => Poll::Ready(Err(errno)),
        }
    }

    fn fifo_pipe(&mut self, node: NodeRef) -> Result<PipeId, Errno> {
        if let Some(pipe) = self.kernel.fifos.get(&node) {
            return Ok(*pipe);
        }
        let pipe = self.kernel.new_pipe()?;
        self.kernel.fifos.insert(node, pipe);
        Ok(pipe)
    }
}
