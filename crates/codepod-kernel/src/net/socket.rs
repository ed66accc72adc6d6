//! A socket: its addresses, how far it has come, what waits to be received, and who waits for it.
//!
//! A connected stream is two sockets that name each other; each has what waits for it in its own
//! inbox, so a direction is a bounded queue of bytes as a pipe is. Which calls lead from one state
//! to the next is in the other files of `net/`.

use std::collections::VecDeque;
use std::net::Ipv4Addr;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::filetype;
use codepod_vfs::{Budget, NodeRef};

use super::Address;
use super::address::Family;
use super::datagram::Messages;
use super::option::Options;
use crate::ids::SocketId;
use crate::pipe::{End, Pipe};
use crate::wait_set::WaitSet;

/// What a socket carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Stream,
    Datagram,
}

impl Kind {
    /// WASI's file type of it.
    pub(crate) fn filetype(self) -> u8 {
        match self {
            Kind::Stream => filetype::SOCKET_STREAM,
            Kind::Datagram => filetype::SOCKET_DGRAM,
        }
    }
}

/// How far a socket is, as the protocol sees it.
#[derive(Debug)]
pub(crate) enum Stage {
    /// Not connected, or no more. What was received before can still be read.
    Closed,
    /// It takes connections.
    Listening(Listener),
    /// It is on its way to an address: waits for a place in a backlog, or for the gateway.
    Connecting,
    /// Connected. Of a datagram socket: it has a peer.
    Established,
}

/// How far `sock_connect` is, as the caller sees it: Linux keeps that apart from the protocol's
/// state, and what a further `sock_connect` says depends on both. Only IPv4 streams have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Progress {
    Unconnected,
    Connecting,
    Connected,
    /// Shut down on its way.
    Disconnecting,
}

/// The connections that nobody has accepted yet.
#[derive(Debug, Default)]
pub(crate) struct Listener {
    /// Sockets that are connected already, oldest first.
    pub(crate) ready: VecDeque<SocketId>,
    /// IPv4 sockets that wait for a place among the ready ones.
    pub(crate) pending: VecDeque<SocketId>,
    pub(crate) backlog: usize,
}

impl Listener {
    /// Whether one more has to wait. Linux lets in one more than was asked for.
    pub(crate) fn is_full(&self) -> bool {
        self.ready.len() > self.backlog
    }
}

/// The directions that are shut down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Shut {
    pub(crate) receive: bool,
    pub(crate) send: bool,
}

impl Shut {
    pub(crate) const BOTH: Shut = Shut {
        receive: true,
        send: true,
    };

    /// Both, if either has them.
    pub(crate) fn and(self, more: Shut) -> Shut {
        Shut {
            receive: self.receive || more.receive,
            send: self.send || more.send,
        }
    }

    /// As the other end sees it.
    pub(crate) fn mirrored(self) -> Shut {
        Shut {
            receive: self.send,
            send: self.receive,
        }
    }
}

/// What waits to be received.
#[derive(Debug)]
pub(crate) enum Inbox {
    /// Nothing can.
    None,
    Bytes(Pipe),
    Messages(Messages),
}

/// Which process was at one end of a UNIX socket when it connected or listened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) pid: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

/// A socket.
#[derive(Debug)]
pub(crate) struct Socket {
    pub(crate) family: Family,
    pub(crate) kind: Kind,
    /// Its own address, once it has one.
    pub(crate) local: Option<Address>,
    /// Whether the port was chosen for it: such a port is free again once it is disconnected.
    pub(crate) chosen_port: bool,
    /// Whether the port in `local` is one that it had.
    pub(crate) lost_port: bool,
    /// Whether it was bound to all addresses; it is again once it has no peer.
    pub(crate) any_address: bool,
    /// Whether a listener has made it: then it has that one's name, and is not found by it.
    pub(crate) is_accepted: bool,
    /// The node that has its name, if it is bound to a path.
    pub(crate) node: Option<NodeRef>,
    pub(crate) stage: Stage,
    pub(crate) progress: Progress,
    /// The socket at the other end, while there is one. Of streams each names the other, or neither
    /// does: numbers are used again.
    pub(crate) peer: Option<SocketId>,
    /// The other end's address, also when that has gone.
    pub(crate) peer_address: Option<Address>,
    pub(crate) shut: Shut,
    /// Whether it has told its peer that it sends no more (a FIN).
    pub(crate) said_end: bool,
    /// Whether its peer has told that.
    pub(crate) heard_end: bool,
    /// An error that the next call tells, or `sock_option_get`.
    pub(crate) error: Option<Errno>,
    /// Why it was refused the last time.
    pub(crate) why: String,
    pub(crate) options: Options,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) inbox: Inbox,
    /// Waiting for something to receive or to accept.
    pub(crate) readers: WaitSet,
    /// Waiting until it can send: to be connected, or for what becomes of it.
    pub(crate) writers: WaitSet,
    /// Others that wait for room in its inbox or its backlog.
    pub(crate) senders: WaitSet,
}

impl Socket {
    /// A socket that is not connected.
    pub(crate) fn new(family: Family, kind: Kind, options: Options) -> Socket {
        Socket {
            family,
            kind,
            local: None,
            chosen_port: false,
            lost_port: false,
            any_address: false,
            is_accepted: false,
            node: None,
            stage: Stage::Closed,
            progress: Progress::Unconnected,
            peer: None,
            peer_address: None,
            shut: Shut::default(),
            said_end: false,
            heard_end: false,
            error: None,
            why: String::new(),
            options,
            credentials: None,
            inbox: Inbox::None,
            readers: WaitSet::default(),
            writers: WaitSet::default(),
            senders: WaitSet::default(),
        }
    }

    /// Gives it an empty inbox for bytes. `Nfile` when the budget has no memory for it.
    pub(crate) fn receive_bytes(&mut self, budget: &Budget) -> Result<(), Errno> {
        let capacity = self.options.receive_buffer;
        let mut pipe = Pipe::new(capacity, budget).ok_or(Errno::Nfile)?;
        pipe.open(End::Read);
        pipe.open(End::Write);
        self.inbox = Inbox::Bytes(pipe);
        Ok(())
    }

    /// How many bytes wait to be received.
    pub(crate) fn received(&self) -> usize {
        match &self.inbox {
            Inbox::None => 0,
            Inbox::Bytes(pipe) => pipe.len(),
            Inbox::Messages(messages) => messages.next_len(),
        }
    }

    /// Whether nothing waits to be received. A message may be empty and still be one.
    pub(crate) fn is_empty(&self) -> bool {
        match &self.inbox {
            Inbox::None => true,
            Inbox::Bytes(pipe) => pipe.len() == 0,
            Inbox::Messages(messages) => messages.is_empty(),
        }
    }

    /// The listener that it is.
    pub(crate) fn listener(&self) -> Option<&Listener> {
        match &self.stage {
            Stage::Listening(listener) => Some(listener),
            _ => None,
        }
    }

    /// The listener that it is, to change it.
    pub(crate) fn listener_mut(&mut self) -> Option<&mut Listener> {
        match &mut self.stage {
            Stage::Listening(listener) => Some(listener),
            _ => None,
        }
    }

    pub(crate) fn is_stream(&self) -> bool {
        self.kind == Kind::Stream
    }

    /// Whether it is an IPv4 stream: TCP.
    pub(crate) fn is_tcp(&self) -> bool {
        self.family == Family::Inet && self.is_stream()
    }

    pub(crate) fn is_established(&self) -> bool {
        matches!(self.stage, Stage::Established)
    }

    pub(crate) fn is_closed(&self) -> bool {
        matches!(self.stage, Stage::Closed)
    }

    /// Takes the error that waits to be told.
    pub(crate) fn take_error(&mut self) -> Result<(), Errno> {
        self.error.take().map_or(Ok(()), Err)
    }

    /// Ends it as TCP does: nothing goes in or out any more, but what was received stays.
    pub(crate) fn end(&mut self) {
        self.stage = Stage::Closed;
        self.shut = Shut::BOTH;
        self.peer = None;
        self.lost_port |= self.chosen_port;
        self.wake();
    }

    /// Whether it has an address that others reach it at.
    pub(crate) fn is_bound(&self) -> bool {
        match &self.local {
            Some(Address::Inet(own)) => own.port() != 0 && !self.lost_port,
            Some(Address::Unix(_)) => true,
            None => false,
        }
    }

    /// The IPv4 address that it is bound to; none for all of them.
    pub(crate) fn own_ip(&self) -> Option<Ipv4Addr> {
        match &self.local {
            Some(Address::Inet(own)) => Some(*own.ip()).filter(|ip| !ip.is_unspecified()),
            _ => None,
        }
    }

    /// Wakes all who wait for it.
    pub(crate) fn wake(&mut self) {
        self.readers.wake();
        self.writers.wake();
        self.senders.wake();
    }
}
