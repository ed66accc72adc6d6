//! Addresses of one's own: binding and listening.
//!
//! There is no table of ports: a sandbox has few sockets, and they are looked through.

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_abi::Errno;
use codepod_vfs::NodeRef;

use super::address::UnixName;
use super::socket::{Credentials, Listener, Progress, Socket, Stage};
use super::{Address, Kind, Net};
use crate::ids::SocketId;
use crate::kernel::Kernel;

/// The first port that is chosen for a socket. They are given out in order, so a run can be
/// replayed.
const FIRST_PORT: u16 = 32768;
/// The last one.
const LAST_PORT: u16 = 60999;
/// How many abstract names are chosen, as on Linux: five hexadecimal digits.
const NAMES: u32 = 1 << 20;

impl Net {
    /// Binds an IPv4 socket. `AddrNotAvail` for an address that is not the sandbox's own, `Inval`
    /// for a socket that is bound, `AddrInUse`.
    pub(crate) fn bind_inet(&mut self, id: SocketId, wanted: SocketAddrV4) -> Result<(), Errno> {
        if !is_own(*wanted.ip()) {
            return Err(Errno::AddrNotAvail);
        }
        let socket = self.get(id)?;
        if socket.is_bound() || !socket.is_closed() {
            return Err(Errno::Inval);
        }
        let chosen = wanted.port() == 0;
        let port = match wanted.port() {
            0 => self.free_port(socket.kind, *wanted.ip())?,
            port => port,
        };
        let wanted = SocketAddrV4::new(*wanted.ip(), port);
        if !chosen && self.conflicts(id, wanted)? {
            return Err(Errno::AddrInUse);
        }
        let socket = self.get_mut(id)?;
        // As on Linux, who has asked for one address once keeps what comes later, too.
        let asked_before = socket.local.is_some() && !socket.any_address;
        socket.any_address = wanted.ip().is_unspecified() && !asked_before;
        socket.local = Some(Address::Inet(wanted));
        socket.chosen_port = chosen;
        socket.lost_port = false;
        Ok(())
    }

    /// Gives an IPv4 socket without a port a free one. `AddrNotAvail` when there is none.
    pub(crate) fn choose_port(&mut self, id: SocketId) -> Result<(), Errno> {
        let socket = self.get(id)?;
        if socket.is_bound() {
            return Ok(());
        }
        let own = socket.own_ip().filter(|_| !socket.any_address);
        let ip = own.unwrap_or(Ipv4Addr::UNSPECIFIED);
        let port = self.free_port(socket.kind, ip)?;
        let socket = self.get_mut(id)?;
        socket.local = Some(Address::Inet(SocketAddrV4::new(ip, port)));
        socket.any_address = own.is_none();
        socket.chosen_port = true;
        socket.lost_port = false;
        Ok(())
    }

    /// A port that no socket has. `AddrInUse` when all are taken.
    fn free_port(&mut self, kind: Kind, ip: Ipv4Addr) -> Result<u16, Errno> {
        for _ in FIRST_PORT..=LAST_PORT {
            let port = self.next_port.clamp(FIRST_PORT, LAST_PORT);
            self.next_port = if port == LAST_PORT {
                FIRST_PORT
            } else {
                port + 1
            };
            let wanted = SocketAddrV4::new(ip, port);
            if !self.bound_to(kind, wanted).any(|_| true) {
                return Ok(port);
            }
        }
        Err(Errno::AddrInUse)
    }

    /// The IPv4 sockets of a kind that are bound to an address, or to all with its port, or whose
    /// address it covers.
    fn bound_to(
        &self,
        kind: Kind,
        wanted: SocketAddrV4,
    ) -> impl Iterator<Item = (SocketId, &Socket)> {
        self.sockets.iter().filter_map(move |(number, socket)| {
            let Some(Address::Inet(bound)) = &socket.local else {
                return None;
            };
            let overlaps = bound.port() == wanted.port()
                && (bound.ip() == wanted.ip()
                    || bound.ip().is_unspecified()
                    || wanted.ip().is_unspecified());
            (socket.kind == kind && overlaps && socket.is_bound())
                .then_some((SocketId(number), socket))
        })
    }

    /// Whether another socket keeps this one from an address. Two that both say
    /// `SO_REUSEADDR` share it as long as neither listens, two that say `SO_REUSEPORT` always.
    fn conflicts(&self, id: SocketId, wanted: SocketAddrV4) -> Result<bool, Errno> {
        let socket = self.get(id)?;
        let listens = |socket: &Socket| socket.listener().is_some();
        let mut others = self.bound_to(socket.kind, wanted);
        Ok(others.any(|(other_id, other)| {
            let address =
                socket.options.reuse_address && other.options.reuse_address && !listens(other);
            let port = socket.options.reuse_port && other.options.reuse_port;
            other_id != id && !address && !port
        }))
    }

    /// The socket that takes what is sent to an address: the one that is bound most exactly, of
    /// several the last one.
    pub(super) fn find_inet(
        &self,
        kind: Kind,
        to: SocketAddrV4,
        suits: impl Fn(&Socket) -> bool,
    ) -> Option<SocketId> {
        let exactness = |socket: &Socket| {
            let exact = matches!(&socket.local, Some(Address::Inet(own)) if own.ip() == to.ip());
            (socket.peer_address.is_some(), exact)
        };
        self.bound_to(kind, to)
            .filter(|(_, socket)| suits(socket))
            .max_by_key(|(_, socket)| exactness(socket))
            .map(|(id, _)| id)
    }

    /// Binds a UNIX socket to a node that was made for it; the socket has its opening from now on.
    pub(crate) fn bind_node(
        &mut self,
        id: SocketId,
        path: Vec<u8>,
        node: NodeRef,
    ) -> Result<(), Errno> {
        let socket = self.get_mut(id)?;
        socket.local = Some(Address::Unix(UnixName::Path(path)));
        socket.node = Some(node);
        self.nodes.insert(node, id);
        Ok(())
    }

    /// Binds a UNIX socket to an abstract name. `Inval` when it is bound, `AddrInUse`.
    pub(crate) fn bind_abstract(&mut self, id: SocketId, name: Vec<u8>) -> Result<(), Errno> {
        let socket = self.get(id)?;
        if socket.local.is_some() {
            return Err(Errno::Inval);
        }
        if self.find_abstract(socket.kind, &name).is_some() {
            return Err(Errno::AddrInUse);
        }
        let name = Address::Unix(UnixName::Abstract(name));
        self.get_mut(id)?.local = Some(name);
        Ok(())
    }

    /// Gives a UNIX socket that is not bound a free abstract name. `NoSpc` when there is none.
    pub(crate) fn choose_name(&mut self, id: SocketId) -> Result<(), Errno> {
        let socket = self.get(id)?;
        if socket.local.is_some() {
            return Ok(());
        }
        let kind = socket.kind;
        for _ in 0..NAMES {
            let name = format!("{:05x}", self.next_name).into_bytes();
            self.next_name = (self.next_name + 1) % NAMES;
            if self.find_abstract(kind, &name).is_none() {
                return self.bind_abstract(id, name);
            }
        }
        Err(Errno::NoSpc)
    }

    /// The socket that is bound to an abstract name: each kind has its own.
    pub(crate) fn find_abstract(&self, kind: Kind, wanted: &[u8]) -> Option<SocketId> {
        let is = |socket: &Socket| {
            socket.kind == kind
                && matches!(&socket.local, Some(Address::Unix(UnixName::Abstract(name)))
                    if name == wanted)
                // An accepted socket has its listener's name and is not found by it.
                && !socket.is_accepted
        };
        let found = self.sockets.iter().find(|(_, socket)| is(socket));
        found.map(|(number, _)| SocketId(number))
    }

    /// The socket that is bound to a node.
    pub(crate) fn find_node(&self, node: NodeRef) -> Option<SocketId> {
        self.nodes.get(&node).copied()
    }

    /// Forgets which socket a node belongs to.
    pub(super) fn forget_node(&mut self, node: NodeRef) {
        self.nodes.remove(&node);
    }

    /// Lets a socket take connections, about `backlog` of them unaccepted. `NotSup` for datagrams,
    /// `Inval` for a socket that is connected or has no name, `AddrInUse`.
    fn listen(
        &mut self,
        id: SocketId,
        backlog: usize,
        credentials: Credentials,
    ) -> Result<(), Errno> {
        let socket = self.get_mut(id)?;
        if !socket.is_stream() {
            return Err(Errno::NotSup);
        }
        if let Some(listener) = socket.listener_mut() {
            listener.backlog = backlog;
            socket.senders.wake();
            return Ok(());
        }
        if !socket.is_closed() || socket.progress != Progress::Unconnected {
            return Err(Errno::Inval);
        }
        if socket.is_tcp() {
            self.choose_port(id)?;
            if let Some(Address::Inet(own)) = self.get(id)?.local
                && self.conflicts(id, own)?
            {
                return Err(Errno::AddrInUse);
            }
        } else if socket.local.is_none() {
            return Err(Errno::Inval);
        }
        let socket = self.get_mut(id)?;
        socket.stage = Stage::Listening(Listener {
            backlog,
            ..Listener::default()
        });
        socket.credentials = Some(credentials);
        socket.wake();
        Ok(())
    }

    /// Fixes the address that a socket sends from, once it has a peer.
    pub(super) fn fix_address(&mut self, id: SocketId) -> Result<(), Errno> {
        self.choose_port(id)?;
        if let Some(Address::Inet(own)) = &mut self.get_mut(id)?.local
            && own.ip().is_unspecified()
        {
            own.set_ip(Ipv4Addr::LOCALHOST);
        }
        Ok(())
    }

    /// Takes back what [`Net::fix_address`] has done, and of a datagram socket a port that was
    /// chosen.
    pub(super) fn loosen_address(&mut self, id: SocketId) -> Result<(), Errno> {
        let socket = self.get_mut(id)?;
        if let Some(Address::Inet(own)) = &mut socket.local {
            if socket.any_address {
                own.set_ip(Ipv4Addr::UNSPECIFIED);
            }
            if socket.kind == Kind::Datagram && socket.chosen_port {
                own.set_port(0);
            }
        }
        Ok(())
    }
}

impl Kernel {
    /// Lets a stream socket take connections, as [`Net::listen`]; those that wait for a place among
    /// the unaccepted ones get it if there are more now.
    pub(crate) fn listen(
        &mut self,
        id: SocketId,
        backlog: usize,
        credentials: Credentials,
    ) -> Result<(), Errno> {
        self.net.listen(id, backlog, credentials)?;
        self.let_in(id)
    }
}

/// Whether an address is the sandbox's own.
pub(super) fn is_own(ip: Ipv4Addr) -> bool {
    ip.is_loopback() || ip.is_unspecified()
}
