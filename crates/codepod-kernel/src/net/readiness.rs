//! What `poll` sees of a socket.

use std::task::Waker;

use codepod_abi::Errno;

use super::socket::Stage;
use super::{Net, Shut};
use crate::ids::{SocketId, WaiterId};

/// What somebody waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Read,
    Write,
}

/// A socket that can be read or written, or whose end or error can be learned by trying.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Bytes to read, or room to write.
    pub(crate) bytes: u64,
    /// Whether both directions are at their end.
    pub(crate) hangup: bool,
}

impl Net {
    /// Whether a side is ready; `None` if it has to be waited for.
    pub(crate) fn readiness(&self, id: SocketId, side: Side) -> Result<Option<Readiness>, Errno> {
        let socket = self.get(id)?;
        let is_over = socket.is_stream() && socket.is_closed();
        // What was shut down before it listened shows at UNIX sockets only.
        let shut = match socket.is_tcp() && socket.listener().is_some() {
            true => Shut::default(),
            false => socket.shut,
        };
        let hangup = shut == Shut::BOTH || is_over;
        let urgent = hangup || socket.error.is_some();
        let found = |bytes: usize| {
            Some(Readiness {
                bytes: bytes as u64,
                hangup,
            })
        };
        Ok(match (&socket.stage, side) {
            (Stage::Listening(listener), side) => {
                let waiting = !listener.ready.is_empty() || shut.receive;
                let ready = side == Side::Read && waiting;
                (ready || (urgent && !socket.is_tcp()))
                    .then(|| found(0))
                    .flatten()
            }
            (_, Side::Read) => {
                let ready = !socket.is_empty() || socket.shut.receive || urgent;
                ready.then(|| found(socket.received())).flatten()
            }
            (Stage::Connecting, Side::Write) => None,
            (_, Side::Write) => {
                let peer = socket.peer.map(|peer| self.get(peer)).transpose()?;
                let room = match peer {
                    Some(peer) if socket.is_stream() => peer.takes_small(),
                    Some(peer) => peer.takes_message(0),
                    None => true,
                };
                (room || socket.shut.send || urgent)
                    .then(|| found(0))
                    .flatten()
            }
        })
    }

    /// Wakes a waiter when a side may have become ready.
    pub(crate) fn wait_for(&mut self, id: SocketId, side: Side, waiter: WaiterId, waker: &Waker) {
        let Ok(socket) = self.get_mut(id) else {
            return;
        };
        match side {
            Side::Read => socket.readers.add(waiter, waker),
            Side::Write => {
                socket.writers.add(waiter, waker);
                let peer = socket.peer;
                if let Some(peer) = peer.and_then(|peer| self.sockets.get_mut(peer.0)) {
                    peer.senders.add(waiter, waker);
                }
            }
        }
    }

    /// Wakes a waiter when a socket may have room: in its inbox, or in its backlog.
    pub(crate) fn wait_for_room(&mut self, id: SocketId, waiter: WaiterId, waker: &Waker) {
        if let Ok(socket) = self.get_mut(id) {
            socket.senders.add(waiter, waker);
        }
    }
}
