//! Bytes of streams: receiving and sending them.

use codepod_abi::Errno;

use super::address::Family;
use super::socket::{Inbox, Stage};
use super::{Net, Socket};
use crate::ids::SocketId;
use crate::pipe::ATOMIC_WRITE;

impl Net {
    /// Fills `buffer` with what a stream has received and returns how much that was; 0 at the end.
    /// With `peek` it leaves that in the inbox and begins behind so many bytes.
    ///
    /// `Again` when there is nothing yet, `NotConn` (IPv4) or `Inval` (UNIX) without a peer,
    /// `ConnReset`, and whatever other error waits to be told.
    pub(crate) fn receive_bytes(
        &mut self,
        id: SocketId,
        peek: Option<usize>,
        buffer: &mut [u8],
    ) -> Result<usize, Errno> {
        let socket = self.get_mut(id)?;
        if socket.listener().is_some() || socket.is_nameless_stream() {
            return Err(socket.no_peer());
        }
        if let Inbox::Bytes(pipe) = &mut socket.inbox
            && pipe.len() > peek.unwrap_or(0)
        {
            let taken = match peek {
                Some(skip) => pipe.peek(skip, buffer),
                None => pipe.read(buffer),
            }?;
            if peek.is_none() && taken > 0 {
                socket.senders.wake();
            }
            return Ok(taken);
        }
        if socket.heard_end {
            return Ok(0);
        }
        socket.take_error()?;
        match socket.stage {
            _ if socket.shut.receive => Ok(0),
            Stage::Closed => Err(socket.no_peer()),
            _ => Err(Errno::Again),
        }
    }

    /// How many bytes to receive for a line: up to `delimiter`, or as many as fit into `most`.
    pub(crate) fn line_len(
        &self,
        id: SocketId,
        delimiter: u8,
        most: usize,
    ) -> Result<usize, Errno> {
        Ok(match &self.get(id)?.inbox {
            Inbox::Bytes(pipe) => pipe.line_len(delimiter, most),
            _ => most,
        })
    }

    /// Checks whether a stream can send, before any byte is taken: with `Ok(true)` it can now, with
    /// `Ok(false)` whoever waits is woken by the peer. `len` is the length of all of it: a small
    /// piece goes in whole or not at all.
    ///
    /// `Pipe` when nobody reads any more, `NotConn` for a UNIX socket without a peer, and whatever
    /// error waits to be told.
    pub(crate) fn may_send(&mut self, id: SocketId, len: usize) -> Result<bool, Errno> {
        let socket = self.get_mut(id)?;
        if socket.family == Family::Unix {
            if !socket.is_established() {
                return Err(Errno::NotConn);
            }
            if socket.shut.send {
                return Err(Errno::Pipe);
            }
            if len == 0 {
                return Ok(true);
            }
            socket.take_error()?;
        } else {
            match socket.stage {
                Stage::Connecting => return Ok(false),
                Stage::Established if !socket.shut.send && socket.error.is_none() => {}
                _ => {
                    socket.take_error()?;
                    return Err(Errno::Pipe);
                }
            }
        }
        let is_unix = socket.family == Family::Unix;
        let Some(peer) = socket.peer else {
            return if is_unix { Err(Errno::Pipe) } else { Ok(true) };
        };
        let peer = self.get(peer)?;
        if is_unix && peer.shut.receive {
            return Err(Errno::Pipe);
        }
        Ok(peer.takes(len) || peer.resets())
    }

    /// Sends as much of `bytes` as fits; the caller has asked [`Net::may_send`].
    pub(crate) fn send_bytes(&mut self, id: SocketId, bytes: &[u8]) -> Result<usize, Errno> {
        let Some(peer) = self.get(id)?.peer else {
            // It has closed its end without having been told more: what comes now resets this one.
            if !bytes.is_empty() {
                self.get_mut(id)?.reset();
            }
            return Ok(bytes.len());
        };
        let receiver = self.get_mut(peer)?;
        if receiver.resets() && !bytes.is_empty() {
            receiver.reset();
            self.get_mut(id)?.reset();
            return Ok(bytes.len());
        }
        let Inbox::Bytes(pipe) = &mut receiver.inbox else {
            return Err(Errno::Pipe);
        };
        let taken = pipe.write(bytes)?;
        if taken > 0 {
            receiver.readers.wake();
        }
        Ok(taken)
    }
}

impl Socket {
    /// Whether a piece of a length finds room in its inbox.
    pub(super) fn takes(&self, len: usize) -> bool {
        match &self.inbox {
            Inbox::Bytes(pipe) => pipe.takes(len),
            _ => true,
        }
    }

    /// Whether small pieces find room in its inbox.
    pub(super) fn takes_small(&self) -> bool {
        self.takes(ATOMIC_WRITE)
    }

    /// Whether TCP resets the connection when something is sent to it: it has shut down both
    /// directions, and its peer has not said the end.
    fn resets(&self) -> bool {
        self.family == Family::Inet && self.said_end && self.shut.receive && !self.heard_end
    }

    /// Whether it is a UNIX stream that has never been connected.
    fn is_nameless_stream(&self) -> bool {
        self.family == Family::Unix && self.is_closed()
    }

    /// The error of receiving without a peer.
    fn no_peer(&self) -> Errno {
        match self.family {
            Family::Inet => Errno::NotConn,
            Family::Unix => Errno::Inval,
        }
    }
}
