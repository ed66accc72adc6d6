//! Open files: what descriptors refer to. Duplicates and inherited descriptors share one, and with
//! it the offset, the flags and the lock.

use codepod_vfs::{Device, NodeRef};

use crate::fd_table::Target;
use crate::ids::{PipeId, SinkId, SocketId, TerminalId};
use crate::net::Kind;
use crate::pipe::End;

/// A lock that an open file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileLock {
    /// Others may have one, too.
    Shared,
    /// No other has one.
    Exclusive,
}

/// An open file.
#[derive(Debug)]
pub(crate) struct OpenFile {
    pub(crate) object: Object,
    /// Where the next read or write of a regular file starts.
    pub(crate) offset: u64,
    /// `fdflags` of WASI.
    pub(crate) flags: u16,
    /// Whether it was opened for reading.
    pub(crate) readable: bool,
    /// Whether it was opened for writing.
    pub(crate) writable: bool,
    /// Descriptors that refer to it.
    pub(crate) references: usize,
    /// The lock that it holds; only `FileLocks` changes it.
    pub(crate) lock: Option<FileLock>,
}

impl OpenFile {
    /// One at its start that a single descriptor refers to, without a lock.
    pub(crate) fn new(object: Object, flags: u16, readable: bool, writable: bool) -> OpenFile {
        OpenFile {
            object,
            offset: 0,
            flags,
            readable,
            writable,
            references: 1,
            lock: None,
        }
    }
}

/// What an open file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Object {
    /// A regular file.
    File(NodeRef),
    /// A directory; entries made after it was opened (from the cookie on) are not listed.
    Directory(NodeRef, u64),
    /// A device node.
    Device(Device, NodeRef),
    /// One end of a pipe; of a fifo when it has a node.
    Pipe(PipeId, End, Option<NodeRef>),
    /// A fifo opened for both.
    Fifo(PipeId, NodeRef),
    /// A socket.
    Socket(SocketId, Kind),
    /// Output that the host collects.
    Sink(SinkId),
    /// A terminal.
    Terminal(TerminalId),
    /// `/dev/null` without a node: what a host gives as an empty standard input.
    Null,
}

impl Object {
    /// The node behind it, where there is one.
    pub(crate) fn node(&self) -> Option<NodeRef> {
        match *self {
            Object::File(node)
            | Object::Directory(node, _)
            | Object::Device(_, node)
            | Object::Fifo(_, node) => Some(node),
            Object::Pipe(_, _, node) => node,
            Object::Socket(..) | Object::Sink(_) | Object::Terminal(_) | Object::Null => None,
        }
    }

    /// What `/proc/PID/fd` says of it.
    pub(crate) fn target(&self) -> Target {
        match self {
            Object::Pipe(_, _, None) | Object::Sink(_) => Target::Pipe,
            Object::Socket(..) => Target::Socket,
            Object::Terminal(_) => Target::Terminal,
            Object::Null => Target::Null,
            _ => self.node().map_or(Target::Null, Target::Node),
        }
    }

    /// Whether it is a stream without offsets.
    pub(crate) fn is_stream(&self) -> bool {
        !matches!(
            self,
            Object::File(_) | Object::Directory(..) | Object::Device(..) | Object::Null
        )
    }
}
