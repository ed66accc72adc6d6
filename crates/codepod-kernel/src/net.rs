//! The network of a sandbox: sockets, which of them have which address, and names of hosts.
//!
//! Streams and datagrams on IPv4's loopback and in AF_UNIX happen here, between sockets of one
//! sandbox. What goes further is handed to the host's [`Gateway`]; without one it is refused.
//! Nothing in here knows processes, descriptors or guest memory: `syscalls/` does, and keeps an
//! open file for each socket that a process has.
//!
//! Semantics and errors are those of Linux, down to the order in which it looks at things: the test
//! `sockets_against_linux` compares them. What differs is listed there.

pub(crate) mod address;
mod bind;
mod close;
mod connect;
mod datagram;
mod gateway;
mod host_socket;
mod names;
mod option;
mod readiness;
pub(crate) mod socket;
mod stream;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use codepod_abi::Errno;
use codepod_vfs::NodeRef;

pub(crate) use address::{Address, Family};
pub(crate) use connect::Step;
pub(crate) use gateway::Request;
pub use gateway::{Gateway, Link, NameAnswer, Open, Refusal, Target};
pub use host_socket::HostSocket;
pub(crate) use names::{Names, Resolved, canonical};
pub(crate) use readiness::Side;
pub(crate) use socket::{Kind, Shut, Socket};

use crate::arena::Arena;
use crate::ids::SocketId;
use crate::shared_kernel::SharedKernel;

/// Sockets and names of one kernel.
#[derive(Default)]
pub(crate) struct Net {
    pub(crate) sockets: Arena<Socket>,
    /// The sockets that are bound to nodes; each counts as an opening of its node.
    nodes: HashMap<NodeRef, SocketId>,
    /// Where the search for a free port goes on.
    next_port: u16,
    /// Where the search for a free abstract name goes on.
    next_name: u32,
    pub(crate) names: Names,
    /// Who is asked about everything outside, and what finds this kernel again.
    gateway: Option<(Arc<dyn Gateway>, Weak<SharedKernel>)>,
    /// What it gets once the kernel's lock is free.
    requests: Vec<Request>,
}

impl Net {
    pub(crate) fn get(&self, id: SocketId) -> Result<&Socket, Errno> {
        self.sockets.get(id.0).ok_or(Errno::Badf)
    }

    /// The address that a socket has, be it none.
    pub(crate) fn local_name(&self, id: SocketId) -> Result<Address, Errno> {
        let socket = self.get(id)?;
        let none = socket.family.no_address();
        Ok(socket.local.clone().unwrap_or(none))
    }

    /// The address that a socket is connected to. `NotConn`.
    pub(crate) fn peer_name(&self, id: SocketId) -> Result<Address, Errno> {
        let socket = self.get(id)?;
        if !socket.is_established() {
            return Err(Errno::NotConn);
        }
        // A UNIX socket may get its name after it was connected to.
        let peer = socket.peer.and_then(|peer| self.sockets.get(peer.0));
        let own = match socket.family {
            Family::Unix => peer.and_then(|peer| peer.local.clone()),
            Family::Inet => None,
        };
        let known = own.or_else(|| socket.peer_address.clone());
        Ok(known.unwrap_or(socket.family.no_address()))
    }

    /// Wakes all who wait for something here.
    pub(crate) fn wake_everybody(&mut self) {
        for socket in self.sockets.iter_mut() {
            socket.wake();
        }
        self.names.wake_everybody();
    }

    pub(crate) fn get_mut(&mut self, id: SocketId) -> Result<&mut Socket, Errno> {
        self.sockets.get_mut(id.0).ok_or(Errno::Badf)
    }
}
