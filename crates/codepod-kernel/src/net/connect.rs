//! Connecting and accepting.

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_abi::Errno;

use super::bind::is_own;
use super::socket::{Credentials, Inbox, Progress, Stage};
use super::{Address, Kind, Net, Socket, address};
use crate::ids::{Pid, SocketId};
use crate::kernel::Kernel;

/// How far a connect has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// It is done.
    Connected,
    /// The caller waits for this socket, or fails so if it does not wait.
    Wait(SocketId, Errno),
}

impl Kernel {
    /// A socket without a peer. `Nfile` at the limit, and when there is no memory for it.
    pub(crate) fn new_socket(
        &mut self,
        family: address::Family,
        kind: Kind,
    ) -> Result<SocketId, Errno> {
        let options = super::option::Options::new(&self.limits);
        self.insert_socket(Socket::new(family, kind, options))
    }

    fn insert_socket(&mut self, mut socket: Socket) -> Result<SocketId, Errno> {
        if self.net.sockets.len() >= self.limits.sockets {
            return Err(Errno::Nfile);
        }
        match socket.kind {
            Kind::Datagram => socket.receive_messages(&self.budget)?,
            Kind::Stream if socket.is_established() => socket.receive_bytes(&self.budget)?,
            Kind::Stream => {}
        }
        Ok(SocketId(self.net.sockets.insert(socket)))
    }

    /// Connects an IPv4 stream, or goes on with that. `first` says that it is a new call and not a
    /// further poll of one; `nonblocking` that the caller will not wait.
    pub(crate) fn connect_tcp(
        &mut self,
        pid: Pid,
        id: SocketId,
        to: &[u8],
        first: bool,
        nonblocking: bool,
    ) -> Result<Step, Errno> {
        let mut unfinished = Errno::InProgress;
        if first {
            if address::is_unspecified(to)? {
                self.disconnect(id)?;
                return Ok(Step::Connected);
            }
            let socket = self.net.get(id)?;
            match socket.progress {
                Progress::Connected => return Err(Errno::IsConn),
                Progress::Disconnecting => return Err(Errno::Inval),
                Progress::Connecting => unfinished = Errno::Already,
                Progress::Unconnected if !socket.is_closed() => return Err(Errno::IsConn),
                Progress::Unconnected => {
                    self.start_tcp(pid, id, address::inet(to)?)?;
                    self.net.get_mut(id)?.progress = Progress::Connecting;
                    // As if an answer took its time: programs expect it, and Linux does so even
                    // where there is somebody to answer at once.
                    if nonblocking {
                        return Err(Errno::InProgress);
                    }
                }
            }
        }
        let socket = self.net.get_mut(id)?;
        if matches!(socket.stage, Stage::Connecting) {
            return Ok(Step::Wait(id, unfinished));
        }
        if socket.is_closed() {
            let error = socket.error.take().unwrap_or(Errno::ConnAborted);
            self.disconnect(id)?;
            return Err(error);
        }
        socket.progress = Progress::Connected;
        Ok(Step::Connected)
    }

    /// Sends an IPv4 stream on its way: to a listener inside, or to the gateway.
    fn start_tcp(&mut self, pid: Pid, id: SocketId, to: SocketAddrV4) -> Result<(), Errno> {
        let to = reached(to, self.net.get(id)?.own_ip());
        if !is_own(*to.ip()) {
            return self.ask_gateway(pid, id, to);
        }
        self.net.fix_address(id)?;
        let listens = |socket: &Socket| socket.listener().is_some();
        let listener = self.net.find_inet(Kind::Stream, to, listens);
        let socket = self.net.get_mut(id)?;
        socket.peer_address = Some(Address::Inet(to));
        socket.error = None;
        let Some(listener) = listener else {
            socket.error = Some(Errno::ConnRefused);
            socket.end();
            return Ok(());
        };
        socket.stage = Stage::Connecting;
        if let Some(listener) = self.net.get_mut(listener)?.listener_mut() {
            listener.pending.push_back(id);
        }
        self.let_in(listener)
    }

    /// Connects those who wait for a place in a backlog, as far as there are places.
    pub(super) fn let_in(&mut self, id: SocketId) -> Result<(), Errno> {
        while let Some(listener) = self.net.get_mut(id)?.listener_mut()
            && !listener.is_full()
            && let Some(client) = listener.pending.pop_front()
        {
            let Ok(socket) = self.net.get(client) else {
                continue;
            };
            let to = socket.peer_address.clone();
            if let Err(errno) = self.establish(client, id, to, None) {
                let socket = self.net.get_mut(client)?;
                socket.error = Some(errno);
                socket.end();
            }
        }
        Ok(())
    }

    /// Connects a UNIX stream to one that was found by its name. `ConnRefused` when that does not
    /// listen, `Prototype` when it is for datagrams, `IsConn` and `Inval` for a socket that is
    /// connected or listens itself.
    pub(crate) fn connect_unix(
        &mut self,
        id: SocketId,
        to: SocketId,
        credentials: Credentials,
    ) -> Result<Step, Errno> {
        let target = self.net.get(to)?;
        if !target.is_stream() {
            return Err(Errno::Prototype);
        }
        let listener = target.listener().filter(|_| !target.shut.receive);
        let is_full = listener.ok_or(Errno::ConnRefused)?.is_full();
        if is_full {
            return Ok(Step::Wait(to, Errno::Again));
        }
        let address = target.local.clone();
        let socket = self.net.get(id)?;
        match socket.stage {
            Stage::Closed => {}
            Stage::Established => return Err(Errno::IsConn),
            _ => return Err(Errno::Inval),
        }
        self.establish(id, to, address, Some(credentials))?;
        Ok(Step::Connected)
    }

    /// Makes the other end of a connection and puts it among those that wait to be accepted.
    fn establish(
        &mut self,
        id: SocketId,
        listener: SocketId,
        to: Option<Address>,
        credentials: Option<Credentials>,
    ) -> Result<(), Errno> {
        let client = self.net.get(id)?;
        let (family, client_address) = (client.family, client.local.clone());
        let listening = self.net.get(listener)?;
        let (options, listener_credentials) = (listening.options, listening.credentials);
        let mut accepted = Socket::new(family, Kind::Stream, options);
        accepted.stage = Stage::Established;
        accepted.progress = Progress::Connected;
        accepted.is_accepted = true;
        accepted.local.clone_from(&to);
        accepted.peer = Some(id);
        accepted.peer_address = Some(client_address.unwrap_or(family.no_address()));
        accepted.credentials = credentials;
        accepted.chosen_port = listening.chosen_port;
        accepted.any_address = listening.any_address;
        if accepted.is_tcp() {
            // Linux copies the listener, with what was shut down before it listened.
            accepted.shut = listening.shut;
        }
        let says_end = accepted.shut.send;
        let accepted = self.insert_socket(accepted)?;
        let (budget, net) = (&self.budget, &mut self.net);
        let client = net.get_mut(id)?;
        if let Err(errno) = client.receive_bytes(budget) {
            net.sockets.remove(accepted.0);
            return Err(errno);
        }
        client.stage = Stage::Established;
        client.peer = Some(accepted);
        client.peer_address = to;
        client.credentials = listener_credentials;
        client.wake();
        let listening = net.get_mut(listener)?;
        if let Some(listener) = listening.listener_mut() {
            listener.ready.push_back(accepted);
        }
        listening.readers.wake();
        if says_end {
            net.say_end(accepted);
        }
        Ok(())
    }

    /// Takes the oldest connection that waits to be accepted. `NotSup` for datagrams, `Inval` for a
    /// socket that does not listen (any more), `Again` when there is none.
    pub(crate) fn accept(&mut self, id: SocketId) -> Result<SocketId, Errno> {
        let socket = self.net.get_mut(id)?;
        if !socket.is_stream() {
            return Err(Errno::NotSup);
        }
        let listener = socket.listener_mut().ok_or(Errno::Inval)?;
        let accepted = listener.ready.pop_front().ok_or(Errno::Again)?;
        socket.senders.wake();
        self.let_in(id)?;
        Ok(accepted)
    }

    /// Two UNIX streams that are connected to each other. `Nfile`.
    pub(crate) fn socket_pair(
        &mut self,
        credentials: Credentials,
    ) -> Result<(SocketId, SocketId), Errno> {
        let first = self.new_socket(address::Family::Unix, Kind::Stream)?;
        let second = match self.new_socket(address::Family::Unix, Kind::Stream) {
            Ok(second) => second,
            Err(errno) => {
                self.net.sockets.remove(first.0);
                return Err(errno);
            }
        };
        let joined = self.join(first, second);
        if let Err(errno) = joined {
            self.net.sockets.remove(first.0);
            self.net.sockets.remove(second.0);
            return Err(errno);
        }
        for id in [first, second] {
            self.net.get_mut(id)?.credentials = Some(credentials);
        }
        Ok((first, second))
    }

    /// Connects two streams to each other as they are. `Nfile` when there is no memory for it.
    pub(super) fn join(&mut self, first: SocketId, second: SocketId) -> Result<(), Errno> {
        for (id, peer) in [(first, second), (second, first)] {
            let address = self.net.get(peer)?.local.clone();
            let socket = self.net.get_mut(id)?;
            socket.receive_bytes(&self.budget)?;
            socket.stage = Stage::Established;
            socket.peer = Some(peer);
            let none = socket.family.no_address();
            socket.peer_address.get_or_insert(address.unwrap_or(none));
        }
        for id in [first, second] {
            self.net.get_mut(id)?.wake();
        }
        Ok(())
    }

    /// Says where an IPv4 datagram socket sends to and whom it hears. `Access` for what is beyond
    /// the sandbox.
    pub(crate) fn connect_udp(&mut self, id: SocketId, to: &[u8]) -> Result<(), Errno> {
        if address::is_unspecified(to)? {
            self.net.loosen_address(id)?;
            let socket = self.net.get_mut(id)?;
            socket.peer_address = None;
            socket.stage = Stage::Closed;
            return Ok(());
        }
        // Linux gives it a port before it looks at the address.
        self.net.choose_port(id)?;
        let to = reached(address::inet(to)?, self.net.get(id)?.own_ip());
        self.check_datagram(id, to)?;
        self.net.fix_address(id)?;
        let socket = self.net.get_mut(id)?;
        socket.peer_address = Some(Address::Inet(to));
        socket.stage = Stage::Established;
        Ok(())
    }

    /// Says where a UNIX datagram socket sends to; `None` takes its peer away. `Perm` when that
    /// hears somebody else, `Prototype` when it is a stream.
    pub(crate) fn connect_datagrams(
        &mut self,
        id: SocketId,
        to: Option<SocketId>,
    ) -> Result<(), Errno> {
        if let Some(to) = to {
            let target = self.net.get(to)?;
            if target.is_stream() {
                return Err(Errno::Prototype);
            }
            if target.hears_another(id) {
                return Err(Errno::Perm);
            }
        }
        let address = match to {
            Some(to) => self.net.get(to)?.local.clone(),
            None => None,
        };
        let socket = self.net.get_mut(id)?;
        let before = std::mem::replace(&mut socket.peer, to);
        socket.peer_address = address;
        socket.stage = match to {
            Some(_) => Stage::Established,
            None => Stage::Closed,
        };
        if let Some(before) = before.filter(|before| Some(*before) != to) {
            self.net.leave_datagram_peer(id, before);
        }
        Ok(())
    }
}

impl Net {
    /// What a datagram socket has not received is lost when it leaves its peer, which hears that if
    /// it sends to this one only.
    pub(super) fn leave_datagram_peer(&mut self, id: SocketId, before: SocketId) {
        let Ok(socket) = self.get_mut(id) else {
            return;
        };
        let Inbox::Messages(messages) = &mut socket.inbox else {
            return;
        };
        if messages.is_empty() {
            return;
        }
        messages.clear();
        socket.senders.wake();
        if let Ok(other) = self.get_mut(before)
            && other.peer == Some(id)
        {
            other.error = Some(Errno::ConnReset);
            other.wake();
        }
    }
}

/// The address that is reached under one: all addresses as a destination are the sender's own.
pub(super) fn reached(to: SocketAddrV4, own: Option<Ipv4Addr>) -> SocketAddrV4 {
    match to.ip().is_unspecified() {
        true => SocketAddrV4::new(own.unwrap_or(Ipv4Addr::LOCALHOST), to.port()),
        false => to,
    }
}
