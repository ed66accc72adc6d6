//! Datagrams: messages that arrive whole, on IPv4's loopback or between UNIX sockets.

use std::collections::VecDeque;
use std::net::SocketAddrV4;

use codepod_abi::Errno;
use codepod_vfs::{Budget, Charge};

use super::bind::is_own;
use super::connect::reached;
use super::socket::{Inbox, Kind, Stage};
use super::{Address, Net, Socket};
use crate::ids::SocketId;
use crate::kernel::Kernel;

/// The longest message over IPv4.
const LONGEST: usize = 65507;
/// What a message takes beside its bytes: empty ones must not be free.
const OVERHEAD: usize = 256;
/// The reason that is told for datagrams that were to leave the sandbox.
const NEVER_LEAVE: &str = "datagrams do not leave the sandbox";

/// A message.
#[derive(Debug)]
pub(crate) struct Message {
    /// The sender's address; `None` if it has none.
    pub(crate) from: Option<Address>,
    pub(crate) bytes: Box<[u8]>,
}

/// The messages that wait to be received.
///
/// Invariant: `used <= capacity`.
#[derive(Debug)]
pub(crate) struct Messages {
    queue: VecDeque<Message>,
    /// What they take, [`OVERHEAD`] included.
    used: usize,
    capacity: usize,
    /// For all that it can hold, as long as it is there.
    _charge: Charge,
}

impl Messages {
    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// The length of the message that is next.
    pub(crate) fn next_len(&self) -> usize {
        self.queue.front().map_or(0, |message| message.bytes.len())
    }

    /// Forgets all of them.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.used = 0;
    }

    fn takes(&self, len: usize) -> bool {
        self.used + len + OVERHEAD <= self.capacity
    }

    fn push(&mut self, message: Message) {
        self.used += message.bytes.len() + OVERHEAD;
        self.queue.push_back(message);
    }

    fn pop(&mut self) -> Option<Message> {
        let message = self.queue.pop_front()?;
        self.used -= message.bytes.len() + OVERHEAD;
        Some(message)
    }
}

impl Socket {
    /// Gives it an empty inbox for messages. `Nfile` when the budget has no memory for it.
    pub(super) fn receive_messages(&mut self, budget: &Budget) -> Result<(), Errno> {
        let capacity = self.options.receive_buffer;
        self.inbox = Inbox::Messages(Messages {
            queue: VecDeque::new(),
            used: 0,
            capacity,
            _charge: budget.memory(capacity as u64).ok_or(Errno::Nfile)?,
        });
        Ok(())
    }

    /// Whether a message of a length finds room in its inbox.
    pub(super) fn takes_message(&self, len: usize) -> bool {
        match &self.inbox {
            Inbox::Messages(messages) => messages.takes(len),
            _ => false,
        }
    }

    /// Whether it has a peer, be that gone, and it is another.
    pub(super) fn hears_another(&self, id: SocketId) -> bool {
        self.is_established() && self.peer != Some(id)
    }

    fn deliver(&mut self, message: Message) {
        if let Inbox::Messages(messages) = &mut self.inbox {
            messages.push(message);
            self.readers.wake();
        }
    }
}

impl Kernel {
    /// `Inval` for port 0; `Access` for a destination beyond the sandbox.
    pub(super) fn check_datagram(&mut self, id: SocketId, to: SocketAddrV4) -> Result<(), Errno> {
        if is_own(*to.ip()) {
            return Ok(());
        }
        NEVER_LEAVE.clone_into(&mut self.net.get_mut(id)?.why);
        Err(Errno::Access)
    }

    /// Sends a message over IPv4, to the peer without `to`. What finds no room is lost, and so is
    /// what nobody receives.
    ///
    /// `DestAddrReq` without a destination, `Inval` for port 0, `Access` for one beyond the sandbox,
    /// `MsgSize` when it is too long, `ConnRefused` when it is known that nobody is there, `Pipe`
    /// after a shutdown.
    pub(crate) fn send_inet(
        &mut self,
        id: SocketId,
        to: Option<SocketAddrV4>,
        bytes: &[u8],
    ) -> Result<(), Errno> {
        let peer = match self.net.get(id)?.peer_address {
            Some(Address::Inet(peer)) => Some(peer),
            _ => None,
        };
        self.net.choose_port(id)?;
        if bytes.len() > usize::from(u16::MAX) {
            return Err(Errno::MsgSize);
        }
        let to = match to {
            Some(to) if to.port() == 0 => return Err(Errno::Inval),
            Some(to) => reached(to, self.net.get(id)?.own_ip()),
            None => peer.ok_or(Errno::DestAddrReq)?,
        };
        self.check_datagram(id, to)?;
        if bytes.len() > LONGEST {
            return Err(Errno::MsgSize);
        }
        let net = &mut self.net;
        let socket = net.get_mut(id)?;
        socket.take_error()?;
        if socket.shut.send {
            return Err(Errno::Pipe);
        }
        let from = match &socket.local {
            Some(Address::Inet(own)) => Address::Inet(reached(*own, None)),
            _ => socket.family.no_address(),
        };
        let hears = |socket: &Socket| {
            let peer = socket.peer_address.as_ref();
            peer.is_none_or(|peer| *peer == from)
        };
        match net.find_inet(Kind::Datagram, to, hears) {
            Some(receiver) => {
                let receiver = net.get_mut(receiver)?;
                if receiver.takes_message(bytes.len()) {
                    receiver.deliver(Message {
                        from: Some(from),
                        bytes: bytes.into(),
                    });
                }
            }
            None if peer == Some(to) => {
                let socket = net.get_mut(id)?;
                socket.error = Some(Errno::ConnRefused);
                socket.wake();
            }
            None => {}
        }
        Ok(())
    }
}

impl Net {
    /// Whether a UNIX socket can send a message of a length, to whomever. `MsgSize`, `Pipe` after a
    /// shutdown, and whatever error waits to be told.
    pub(crate) fn check_unix(&mut self, id: SocketId, len: usize) -> Result<(), Errno> {
        let socket = self.get_mut(id)?;
        if len + OVERHEAD > socket.options.send_buffer {
            return Err(Errno::MsgSize);
        }
        socket.take_error()?;
        if socket.shut.send {
            return Err(Errno::Pipe);
        }
        Ok(())
    }

    /// Sends a message that was checked to another UNIX socket, to the peer without `to`. `Ok` with
    /// the receiver that has no room for it now.
    ///
    /// `NotConn` without a peer, `ConnRefused` when that has gone, `Prototype` when the receiver is
    /// a stream, `Perm` when it hears somebody else, `Pipe` when it receives no more, `MsgSize`.
    pub(crate) fn send_unix(
        &mut self,
        id: SocketId,
        to: Option<SocketId>,
        bytes: &[u8],
    ) -> Result<Option<SocketId>, Errno> {
        let socket = self.get_mut(id)?;
        let from = socket.local.clone();
        let receiver_id = match to.or(socket.peer) {
            Some(receiver) => receiver,
            None if !socket.is_established() => return Err(Errno::NotConn),
            None => {
                // Its peer has gone, and it learns that now.
                socket.stage = Stage::Closed;
                socket.peer_address = None;
                return Err(Errno::ConnRefused);
            }
        };
        let receiver = self.get_mut(receiver_id)?;
        if receiver.is_stream() {
            return Err(Errno::Prototype);
        }
        if receiver.hears_another(id) {
            return Err(Errno::Perm);
        }
        if receiver.shut.receive {
            return Err(Errno::Pipe);
        }
        if bytes.len() + OVERHEAD > receiver.options.receive_buffer {
            return Err(Errno::MsgSize);
        }
        if !receiver.takes_message(bytes.len()) {
            return Ok(Some(receiver_id));
        }
        receiver.deliver(Message {
            from,
            bytes: bytes.into(),
        });
        Ok(None)
    }

    /// Hands the next message to `take` and, unless that only `peek`s, removes it. `Again` when
    /// there is none, and whatever error waits to be told.
    pub(crate) fn receive_message<R>(
        &mut self,
        id: SocketId,
        peek: bool,
        take: impl FnOnce(&Message) -> R,
    ) -> Result<R, Errno> {
        let socket = self.get_mut(id)?;
        socket.take_error()?;
        let Inbox::Messages(messages) = &mut socket.inbox else {
            return Err(Errno::Again);
        };
        if peek {
            return messages.queue.front().map(take).ok_or(Errno::Again);
        }
        let message = messages.pop().ok_or(Errno::Again)?;
        socket.senders.wake();
        Ok(take(&message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_messages_fill_an_inbox_too() {
        let budget = Budget::default();
        let mut messages = Messages {
            queue: VecDeque::new(),
            used: 0,
            capacity: 4096,
            _charge: budget.memory(4096).unwrap(),
        };
        let mut count = 0;
        while messages.takes(0) {
            messages.push(Message {
                from: None,
                bytes: [].into(),
            });
            count += 1;
        }
        assert_eq!(count, 4096 / OVERHEAD);
        messages.pop().unwrap();
        assert!(messages.takes(0) && !messages.takes(1));
        messages.clear();
        assert!(messages.takes(4096 - OVERHEAD));
    }
}
