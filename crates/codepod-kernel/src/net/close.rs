//! The end of connections: shutting down, disconnecting, closing.
//!
//! The two families differ. TCP ends a direction by telling so (`said_end`, `heard_end`); when both
//! have, it is closed. A reset closes it at once and leaves an error. UNIX sockets know only what
//! is shut down, at both ends at once.

use codepod_abi::Errno;

use super::address::Family;
use super::socket::{Progress, Stage};
use super::{Net, Shut};
use crate::ids::SocketId;
use crate::kernel::Kernel;

impl Kernel {
    /// Shuts directions down. `NotConn` for an IPv4 socket without a peer, which is shut down all
    /// the same.
    pub(crate) fn shut_down(&mut self, id: SocketId, how: Shut) -> Result<(), Errno> {
        let socket = self.net.get_mut(id)?;
        if socket.family == Family::Unix {
            socket.shut = socket.shut.and(how);
            socket.wake();
            if socket.is_stream()
                && let Some(peer) = socket.peer
                && let Ok(peer) = self.net.get_mut(peer)
            {
                peer.shut = peer.shut.and(how.mirrored());
                peer.wake();
            }
            return Ok(());
        }
        if socket.progress == Progress::Connecting {
            socket.progress = match socket.stage {
                Stage::Connecting | Stage::Closed => Progress::Disconnecting,
                _ => Progress::Connected,
            };
        }
        match socket.stage {
            Stage::Closed => {
                socket.shut = socket.shut.and(how);
                socket.wake();
                Err(Errno::NotConn)
            }
            Stage::Listening(_) if !how.receive => Ok(()),
            Stage::Listening(_) | Stage::Connecting => self.disconnect(id),
            Stage::Established => {
                socket.shut = socket.shut.and(how);
                socket.wake();
                if how.send && socket.is_stream() {
                    self.net.say_end(id);
                }
                Ok(())
            }
        }
    }

    /// Takes an IPv4 stream back to where it began, as Linux's `tcp_disconnect` does: its peer is
    /// reset, what was received is lost.
    pub(super) fn disconnect(&mut self, id: SocketId) -> Result<(), Errno> {
        let was_open = !self.net.get(id)?.is_closed();
        match self.net.get(id)?.stage {
            Stage::Listening(_) => self.stop_listening(id),
            Stage::Established => {
                self.net.reset_peer(id);
                self.net.get_mut(id)?.error = Some(Errno::ConnReset);
            }
            Stage::Connecting => {
                self.net.give_up_connecting(id);
                self.net.get_mut(id)?.error = Some(Errno::ConnReset);
            }
            Stage::Closed => {}
        }
        self.net.loosen_address(id)?;
        let socket = self.net.get_mut(id)?;
        socket.lost_port |= socket.chosen_port && was_open;
        socket.stage = Stage::Closed;
        socket.progress = Progress::Unconnected;
        socket.peer = None;
        socket.peer_address = None;
        socket.shut = Shut::default();
        socket.said_end = false;
        socket.heard_end = false;
        socket.inbox = super::socket::Inbox::None;
        socket.wake();
        Ok(())
    }

    /// Resets the connections that nobody has accepted, and refuses those that wait for a place.
    fn stop_listening(&mut self, id: SocketId) {
        let Ok(socket) = self.net.get_mut(id) else {
            return;
        };
        let Stage::Listening(listener) = std::mem::replace(&mut socket.stage, Stage::Closed) else {
            return;
        };
        socket.wake();
        for accepted in listener.ready {
            self.close_connection(accepted, true);
            self.net.sockets.remove(accepted.0);
        }
        for client in listener.pending {
            if let Ok(client) = self.net.get_mut(client) {
                client.error = Some(Errno::ConnRefused);
                client.end();
            }
        }
    }

    /// Closes a socket that nobody has any more.
    pub(crate) fn close_socket(&mut self, id: SocketId) {
        self.stop_listening(id);
        self.net.give_up_connecting(id);
        self.close_connection(id, false);
        let Some(mut socket) = self.net.sockets.remove(id.0) else {
            return;
        };
        socket.wake();
        if let Some(node) = socket.node {
            self.net.forget_node(node);
            self.vfs.close(node);
        }
        if !socket.is_stream() {
            // Who sends to it hears that when it next does.
            for other in self.net.sockets.iter_mut() {
                if other.peer == Some(id) {
                    other.peer = None;
                    other.writers.wake();
                }
            }
        }
    }

    /// Ends the connection of a socket that is closed. Its peer is told the end; or that it was
    /// reset, if something was left unread or nobody has ever accepted it.
    fn close_connection(&mut self, id: SocketId, unaccepted: bool) {
        let Ok(socket) = self.net.get(id) else {
            return;
        };
        let Some(peer) = socket.peer.filter(|_| socket.is_stream()) else {
            return;
        };
        let unread = !socket.is_empty();
        if socket.family == Family::Unix {
            let own = socket.local.clone();
            if let Ok(peer) = self.net.get_mut(peer) {
                peer.shut = Shut::BOTH;
                if unread || unaccepted {
                    peer.error = Some(Errno::ConnReset);
                }
                peer.peer = None;
                if own.is_some() {
                    peer.peer_address = own;
                }
                peer.wake();
            }
            return;
        }
        if unread || unaccepted || socket.options.linger == Some(0) {
            self.net.reset_peer(id);
            return;
        }
        self.net.say_end(id);
        if let Ok(peer) = self.net.get_mut(peer) {
            peer.peer = None;
            peer.wake();
        }
    }
}

impl Net {
    /// Tells the peer of an IPv4 stream that no more comes. The connection is closed when both have
    /// said so.
    pub(super) fn say_end(&mut self, id: SocketId) {
        let Ok(socket) = self.get_mut(id) else {
            return;
        };
        if std::mem::replace(&mut socket.said_end, true) {
            return;
        }
        let (peer, is_over) = (socket.peer, socket.heard_end);
        if is_over {
            socket.end();
        }
        if let Some(peer) = peer.and_then(|peer| self.sockets.get_mut(peer.0)) {
            peer.heard_end = true;
            peer.shut.receive = true;
            if peer.said_end {
                peer.end();
            }
            peer.wake();
        }
    }

    /// Resets the peer of an IPv4 stream and forgets it.
    pub(super) fn reset_peer(&mut self, id: SocketId) {
        let peer = self.get_mut(id).ok().and_then(|socket| socket.peer.take());
        if let Some(peer) = peer.and_then(|peer| self.sockets.get_mut(peer.0)) {
            peer.reset();
        }
    }

    /// Forgets that a socket waits for a place in a backlog.
    fn give_up_connecting(&mut self, id: SocketId) {
        let connecting = |socket: &super::Socket| matches!(socket.stage, Stage::Connecting);
        if !self.get(id).is_ok_and(connecting) {
            return;
        }
        for socket in self.sockets.iter_mut() {
            if let Some(listener) = socket.listener_mut() {
                listener.pending.retain(|client| *client != id);
            }
        }
        // Of a connection through the gateway, the host's end: it hears that this one is gone.
        self.reset_peer(id);
    }
}

impl super::Socket {
    /// Its connection was reset: what was received before stays.
    pub(super) fn reset(&mut self) {
        self.error = Some(match self.heard_end {
            // It had the end already, so what it learns is that nobody reads any more.
            true => Errno::Pipe,
            false => Errno::ConnReset,
        });
        self.end();
    }
}
