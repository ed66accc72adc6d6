//! Receiving from sockets and sending to them.

use std::net::SocketAddrV4;
use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::socket::{
    DONT_WAIT, NO_SIGNAL, PEEK, Received, TRUNCATED, UNSPEC, WAIT_ALL, WHOLE_LENGTH,
};
use codepod_abi::wire::wasi::{RECV_PEEK, RECV_WAITALL};

use super::Syscall;
use super::connect::named;
use super::io::Buffers;
use super::socket::SocketFd;
use crate::ids::SocketId;
use crate::memory::GuestMemory;
use crate::net::address::{self, Family, UnixName};
use crate::net::{Address, Kind, Side};

/// The longest message that is gathered to be sent: more is too long whoever receives it.
const LONGEST_MESSAGE: u64 = 1 << 20;

/// Where what is sent goes.
#[derive(Debug)]
pub(super) enum Destination {
    /// To the peer.
    Peer,
    Inet(SocketAddrV4),
    Unix(UnixName),
}

/// What a receive has found.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    bytes: u64,
    is_truncated: bool,
    from: Option<Address>,
}

impl<M: GuestMemory> Syscall<'_, M> {
    /// What every transfer begins with: the socket and the buffers. `Badf`, `NotSock`, `Fault`, and
    /// `Inval` for flags that are not `known`.
    fn begin_transfer(
        &mut self,
        fd: u32,
        flags: u32,
        known: u32,
        (iovs, iovs_len): (u32, u32),
    ) -> Result<(SocketFd, Buffers), Errno> {
        let socket = self.socket(fd)?;
        if flags & !known != 0 {
            return Err(Errno::Inval);
        }
        let buffers = Buffers::check(self.memory, iovs, iovs_len)?;
        Ok((socket, buffers))
    }

    /// Receives into buffers; `flags` are those of `sock_recv_from`.
    pub(super) fn receive(
        &mut self,
        socket: SocketFd,
        buffers: Buffers,
        flags: u32,
    ) -> Poll<Result<Arrived, Errno>> {
        let socket = SocketFd {
            blocking: socket.blocking && flags & DONT_WAIT == 0,
            ..socket
        };
        match socket.kind {
            Kind::Stream => self.receive_stream(socket, buffers, flags),
            Kind::Datagram => self.receive_message(socket, buffers, flags),
        }
    }

    fn receive_stream(
        &mut self,
        socket: SocketFd,
        buffers: Buffers,
        flags: u32,
    ) -> Poll<Result<Arrived, Errno>> {
        let before = match self.process() {
            Ok(process) => process.waiting.read,
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        let peek = flags & PEEK != 0;
        let net = &mut self.kernel.net;
        let read = buffers.fill(self.memory, before, |bytes, done| {
            let skip = peek.then_some(done as usize);
            let waiting = net.get(socket.id)?.received();
            if done > 0 && waiting <= skip.unwrap_or(0) {
                // An error is for the next call: this one has something to tell.
                return Ok(0);
            }
            net.receive_bytes(socket.id, skip, bytes)
        });
        // Of a UNIX stream the sender's name is told, if it has one.
        let from = match (socket.family, &read) {
            (Family::Unix, Ok(1..)) => net.peer_name(socket.id).ok(),
            _ => None,
        };
        let arrived = |bytes| Arrived {
            bytes,
            is_truncated: false,
            from: from.filter(|from| *from != Family::Unix.no_address()),
        };
        let done = match read {
            Ok(0) => return Poll::Ready(Ok(arrived(before))),
            Ok(count) => before + count,
            Err(Errno::Again) => before,
            Err(errno) if before == 0 => return Poll::Ready(Err(errno)),
            Err(errno) => {
                if let Ok(socket) = self.kernel.net.get_mut(socket.id) {
                    socket.error = Some(errno);
                }
                return Poll::Ready(Ok(arrived(before)));
            }
        };
        let wants_more = flags & WAIT_ALL != 0 && !peek && done < buffers.total;
        if done > 0 && (!wants_more || !socket.blocking) {
            return Poll::Ready(Ok(arrived(done)));
        }
        if !socket.blocking {
            return Poll::Ready(Err(Errno::Again));
        }
        if let Ok(process) = self.process_mut() {
            process.waiting.read = done;
        }
        match self.wait_to_receive(socket) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(_) if done > 0 => Poll::Ready(Ok(arrived(done))),
            Poll::Ready(errno) => Poll::Ready(Err(errno)),
        }
    }

    /// Waits until there is something; the error to give up with when that is not to be.
    fn wait_to_receive(&mut self, socket: SocketFd) -> Poll<Errno> {
        let timeout = self.kernel.net.get(socket.id);
        let timeout = timeout.map_or(0, |socket| socket.options.receive_timeout);
        let deadline = match self.give_up_at(timeout, Errno::Again) {
            Ok(deadline) => deadline,
            Err(errno) => return Poll::Ready(errno),
        };
        self.wait(deadline, |kernel, waiter, waker| {
            kernel.net.wait_for(socket.id, Side::Read, waiter, waker);
        })
        .map(|waited| waited.err().unwrap_or(Errno::Intr))
    }

    fn receive_message(
        &mut self,
        socket: SocketFd,
        buffers: Buffers,
        flags: u32,
    ) -> Poll<Result<Arrived, Errno>> {
        let (net, memory) = (&mut self.kernel.net, &mut *self.memory);
        let taken = net.receive_message(socket.id, flags & PEEK != 0, |message| {
            let copied = buffers.fill(memory, 0, |bytes, done| {
                let rest = message.bytes.get(done as usize..).unwrap_or_default();
                let count = rest.len().min(bytes.len());
                bytes[..count].copy_from_slice(&rest[..count]);
                Ok(count)
            })?;
            let whole = message.bytes.len() as u64;
            let tells_whole = flags & WHOLE_LENGTH != 0;
            Ok(Arrived {
                bytes: if tells_whole { whole } else { copied },
                is_truncated: copied < whole,
                from: message.from.clone(),
            })
        });
        match taken.flatten() {
            Err(Errno::Again) if socket.blocking => {
                let is_over = self.kernel.net.get(socket.id);
                if is_over.is_ok_and(|socket| socket.shut.receive) {
                    return Poll::Ready(Ok(Arrived::default()));
                }
                self.wait_to_receive(socket).map(Err)
            }
            taken => Poll::Ready(taken),
        }
    }

    /// Sends buffers to the peer, or to `to`; returns how many bytes were taken.
    pub(super) fn send(
        &mut self,
        socket: SocketFd,
        buffers: Buffers,
        flags: u32,
        to: Destination,
    ) -> Poll<Result<u64, Errno>> {
        let socket = SocketFd {
            blocking: socket.blocking && flags & DONT_WAIT == 0,
            ..socket
        };
        match socket.kind {
            Kind::Datagram => self.send_message(socket, buffers, to),
            Kind::Stream => {
                let sent = self.send_stream(socket, buffers);
                if matches!(sent, Poll::Ready(Err(Errno::Pipe))) && flags & NO_SIGNAL == 0 {
                    self.broken_pipe();
                }
                sent
            }
        }
    }

    fn send_stream(&mut self, socket: SocketFd, buffers: Buffers) -> Poll<Result<u64, Errno>> {
        let before = match self.process() {
            Ok(process) => process.waiting.written as u64,
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        let net = &mut self.kernel.net;
        let may = net.may_send(socket.id, buffers.total as usize);
        let sent = match may {
            Ok(true) => buffers.drain(self.memory, before, |bytes, _| {
                net.send_bytes(socket.id, bytes)
            }),
            Ok(false) => Ok(0),
            Err(errno) => Err(errno),
        };
        let done = match sent {
            Ok(count) => before + count,
            Err(Errno::Again) => before,
            Err(errno) if before == 0 => return Poll::Ready(Err(errno)),
            Err(errno) => {
                if let Ok(socket) = net.get_mut(socket.id)
                    && errno != Errno::Pipe
                {
                    socket.error = Some(errno);
                }
                return Poll::Ready(Ok(before));
            }
        };
        if done >= buffers.total || (done > 0 && !socket.blocking) {
            return Poll::Ready(Ok(done));
        }
        if !socket.blocking {
            return Poll::Ready(Err(Errno::Again));
        }
        if let Ok(process) = self.process_mut() {
            process.waiting.written = done as usize;
        }
        match self.wait_to_send(socket, None) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(_) if done > 0 => Poll::Ready(Ok(done)),
            Poll::Ready(errno) => Poll::Ready(Err(errno)),
        }
    }

    /// Waits until there is room, at a receiver if it is another than the peer.
    fn wait_to_send(&mut self, socket: SocketFd, receiver: Option<SocketId>) -> Poll<Errno> {
        let timeout = self.kernel.net.get(socket.id);
        let timeout = timeout.map_or(0, |socket| socket.options.send_timeout);
        let deadline = match self.give_up_at(timeout, Errno::Again) {
            Ok(deadline) => deadline,
            Err(errno) => return Poll::Ready(errno),
        };
        self.wait(deadline, |kernel, waiter, waker| {
            kernel.net.wait_for(socket.id, Side::Write, waiter, waker);
            if let Some(receiver) = receiver {
                kernel.net.wait_for_room(receiver, waiter, waker);
            }
        })
        .map(|waited| waited.err().unwrap_or(Errno::Intr))
    }

    fn send_message(
        &mut self,
        socket: SocketFd,
        buffers: Buffers,
        to: Destination,
    ) -> Poll<Result<u64, Errno>> {
        let mut message = Vec::new();
        let gathered = buffers
            .of_at_most(LONGEST_MESSAGE)
            .drain(self.memory, 0, |bytes, _| {
                message.extend_from_slice(bytes);
                Ok(bytes.len())
            });
        let sent = gathered.and_then(|_| match to {
            Destination::Inet(to) => {
                let sent = self.kernel.send_inet(socket.id, Some(to), &message);
                sent.map(|()| None)
            }
            Destination::Peer if socket.family == Family::Inet => {
                let sent = self.kernel.send_inet(socket.id, None, &message);
                sent.map(|()| None)
            }
            to => {
                // Linux looks for the receiver last.
                self.kernel.net.check_unix(socket.id, message.len())?;
                let to = match to {
                    Destination::Unix(name) => Some(self.bound_to(Kind::Datagram, &name)?),
                    _ => None,
                };
                self.kernel.net.send_unix(socket.id, to, &message)
            }
        });
        match sent {
            Ok(None) => Poll::Ready(Ok(message.len() as u64)),
            Ok(receiver) if socket.blocking => self.wait_to_send(socket, receiver).map(Err),
            Ok(Some(_)) => Poll::Ready(Err(Errno::Again)),
            Err(errno) => Poll::Ready(Err(errno)),
        }
    }

    /// Where a message goes. `AfNoSupport`, `Inval`; `IsConn` and `NotSup` for a UNIX stream, which
    /// goes nowhere but to its peer.
    fn destination(&mut self, socket: SocketFd, bytes: &[u8]) -> Result<Destination, Errno> {
        if bytes.is_empty() {
            return Ok(Destination::Peer);
        }
        match (socket.family, socket.kind) {
            // TCP does not look at it.
            (Family::Inet, Kind::Stream) => Ok(Destination::Peer),
            (Family::Inet, Kind::Datagram) => {
                // Linux gives it a port before it looks at the address.
                self.kernel.net.choose_port(socket.id)?;
                let family = address::family_of(bytes)?;
                let mut bytes = bytes.to_vec();
                if family == UNSPEC {
                    // As Linux: no family is this one.
                    bytes[..2].copy_from_slice(&Family::Inet.number().to_le_bytes());
                }
                address::inet(&bytes).map(Destination::Inet)
            }
            (Family::Unix, Kind::Stream) => {
                let is_connected = self.kernel.net.get(socket.id)?.is_established();
                Err(if is_connected {
                    Errno::IsConn
                } else {
                    Errno::NotSup
                })
            }
            (Family::Unix, Kind::Datagram) => named(bytes).map(Destination::Unix),
        }
    }

    /// Counts what was received and tells the guest how much it was.
    pub(super) fn tell_received(
        &mut self,
        arrived: Poll<Result<Arrived, Errno>>,
        at: u32,
    ) -> Poll<Result<(), Errno>> {
        arrived.map(|arrived| self.tell_read(at, arrived?.bytes as u32))
    }

    /// Counts what was sent and tells the guest how much it was.
    pub(super) fn tell_sent(
        &mut self,
        sent: Poll<Result<u64, Errno>>,
        at: u32,
    ) -> Poll<Result<(), Errno>> {
        sent.map(|sent| self.tell_written(at, sent? as u32))
    }

    /// Receives from a stream up to a delimiter; of datagrams a whole one.
    pub(super) fn receive_until(
        &mut self,
        socket: SocketFd,
        (buf, buf_len): (u32, u32),
        delimiter: u8,
        nread: u32,
    ) -> Poll<Result<(), Errno>> {
        let (net, memory) = (&mut self.kernel.net, &mut *self.memory);
        let mut read = || match socket.kind {
            Kind::Stream => {
                let wanted = net.line_len(socket.id, delimiter, buf_len as usize)?;
                memory.write(buf, wanted as u32, |bytes| {
                    net.receive_bytes(socket.id, None, bytes)
                })?
            }
            Kind::Datagram => net.receive_message(socket.id, false, |message| {
                let count = message.bytes.len().min(buf_len as usize);
                memory.write_bytes(buf, &message.bytes[..count])?;
                Ok(count)
            })?,
        };
        match read() {
            Err(Errno::Again) if socket.blocking => self.wait_to_receive(socket).map(Err),
            Err(errno) => Poll::Ready(Err(errno)),
            Ok(count) => Poll::Ready(self.tell_read(nread, count as u32)),
        }
    }
}

/// Receives from a socket: bytes of a stream, or the next message.
pub fn sock_recv<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    nread: u32,
    out_flags: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let known = RECV_PEEK | RECV_WAITALL;
        let (socket, buffers) = call.begin_transfer(fd, flags, known, (iovs, iovs_len))?;
        call.memory.check(nread, 4)?;
        call.memory.check(out_flags, 2)?;
        Ok((socket, buffers))
    };
    let (socket, buffers) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    call.receive(socket, buffers, flags).map(|arrived| {
        let arrived = arrived?;
        let told = u16::from(arrived.is_truncated).to_le_bytes();
        call.memory.write_bytes(out_flags, &told)?;
        call.tell_read(nread, arrived.bytes as u32)
    })
}

/// Sends to the peer of a socket.
pub fn sock_send<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    nwritten: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let (socket, buffers) = call.begin_transfer(fd, flags, 0, (iovs, iovs_len))?;
        call.memory.check(nwritten, 4)?;
        Ok((socket, buffers))
    };
    let (socket, buffers) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    let sent = call.send(socket, buffers, 0, Destination::Peer);
    call.tell_sent(sent, nwritten)
}

/// Sends as `sock_send` does; a datagram to an address, unless that is empty.
#[expect(clippy::too_many_arguments, reason = "as `sendto(2)`, with buffers")]
pub fn sock_send_to<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    address: u32,
    address_len: u32,
    nwritten: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let known = DONT_WAIT | NO_SIGNAL;
        let (socket, buffers) = call.begin_transfer(fd, flags, known, (iovs, iovs_len))?;
        call.memory.check(nwritten, 4)?;
        let bytes = call.socket_address(address, address_len)?;
        let to = call.destination(socket, &bytes)?;
        call.kernel.net.get_mut(socket.id)?.why.clear();
        Ok((socket, buffers, to))
    };
    let (socket, buffers, to) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    let sent = call.send(socket, buffers, flags, to);
    call.tell_sent(sent, nwritten)
}

/// Receives as `sock_recv` does, and writes the sender's address, as much of it as fits.
#[expect(clippy::too_many_arguments, reason = "as `recvfrom(2)`, with buffers")]
pub fn sock_recv_from<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    address: u32,
    address_len: u32,
    received: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let known = PEEK | WAIT_ALL | DONT_WAIT | WHOLE_LENGTH;
        let (socket, buffers) = call.begin_transfer(fd, flags, known, (iovs, iovs_len))?;
        call.memory.check(address, address_len)?;
        call.memory.check(received, Received::SIZE as u32)?;
        Ok((socket, buffers))
    };
    let (socket, buffers) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    call.receive(socket, buffers, flags).map(|arrived| {
        let arrived = arrived?;
        let told = Received {
            bytes: arrived.bytes as u32,
            flags: if arrived.is_truncated { TRUNCATED } else { 0 },
            address_len: call.tell_address(arrived.from.as_ref(), address, address_len)?,
        };
        call.process_mut()?.read += arrived.bytes;
        call.memory.write_bytes(received, &told.to_bytes())
    })
}
