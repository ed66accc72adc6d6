//! Open files, and what is behind them.

use codepod_abi::Errno;
use codepod_vfs::NodeRef;

use crate::ids::{OpenFileId, Pid, PipeId};
use crate::kernel::Kernel;
use crate::open_file::{Object, OpenFile};
use crate::pipe::{End, Pipe};

impl Kernel {
    pub(crate) fn insert_file(&mut self, file: OpenFile) -> OpenFileId {
        OpenFileId(self.files.insert(file))
    }

    pub(crate) fn file(&self, id: OpenFileId) -> Result<&OpenFile, Errno> {
        self.files.get(id.0).ok_or(Errno::Badf)
    }

    pub(crate) fn file_mut(&mut self, id: OpenFileId) -> Result<&mut OpenFile, Errno> {
        self.files.get_mut(id.0).ok_or(Errno::Badf)
    }

    pub(crate) fn pipe_mut(&mut self, id: PipeId) -> Result<&mut Pipe, Errno> {
        self.pipes.get_mut(id.0).ok_or(Errno::Badf)
    }

    /// Gives up one reference to an open file; the last one closes it.
    pub(crate) fn release(&mut self, id: OpenFileId) {
        let Some(file) = self.files.get_mut(id.0) else {
            return;
        };
        file.references = file.references.saturating_sub(1);
        if file.references > 0 {
            return;
        }
        let Some(mut file) = self.files.remove(id.0) else {
            return;
        };
        self.locks.unlock(&mut file);
        match file.object {
            Object::File(node) | Object::Directory(node, _) | Object::Device(_, node) => {
                self.vfs.close(node);
            }
            Object::Pipe(pipe, end, node) => {
                self.drop_end(pipe, end, node);
                if let Some(node) = node {
                    self.vfs.close(node);
                }
            }
            Object::Fifo(pipe, node) => {
                self.drop_end(pipe, End::Read, Some(node));
                self.drop_end(pipe, End::Write, Some(node));
                self.vfs.close(node);
            }
            Object::Socket(socket, _) => self.close_socket(socket),
            Object::Sink(sink) => {
                if let Some(state) = self.sinks.get_mut(sink.0) {
                    state.writers = state.writers.saturating_sub(1);
                    if state.writers == 0 && state.taken {
                        self.sinks.remove(sink.0);
                    }
                }
            }
            Object::Terminal(id) => {
                let Some(terminal) = self.terminals.get_mut(id.0) else {
                    return;
                };
                terminal.references = terminal.references.saturating_sub(1);
                let (input, output, last) =
                    (terminal.input, terminal.output, terminal.references == 0);
                self.drop_end(input, End::Read, None);
                self.drop_end(output, End::Write, None);
                if last {
                    self.terminals.remove(id.0);
                }
            }
            Object::Null => {}
        }
    }

    /// Closes an end of a pipe, and removes the pipe when it was the last one.
    pub(crate) fn drop_end(&mut self, id: PipeId, end: End, fifo: Option<NodeRef>) {
        let Some(pipe) = self.pipes.get_mut(id.0) else {
            return;
        };
        pipe.close(end);
        if pipe.is_unused() {
            self.pipes.remove(id.0);
            if let Some(node) = fifo {
                self.fifos.remove(&node);
            }
        }
    }

    /// Closes the fifo end that a waiting `path_open` holds, if there is one.
    pub(crate) fn abandon_fifo(&mut self, pid: Pid) {
        let Ok(process) = self.processes.get_mut(pid) else {
            return;
        };
        if let Some(fifo) = process.waiting.fifo.take() {
            self.drop_end(fifo.pipe, fifo.end, Some(fifo.node));
            self.vfs.close(fifo.node);
        }
    }
}
