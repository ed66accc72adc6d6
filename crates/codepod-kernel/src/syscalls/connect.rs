//! Connecting sockets and accepting connections.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::socket::UNSPEC;

use super::Syscall;
use super::socket::{SocketFd, socket_flags};
use crate::memory::GuestMemory;
use crate::net::address::{self, Family, UnixName};
use crate::net::{Kind, Side, Step};

impl<M: GuestMemory> Syscall<'_, M> {
    /// When a call of a socket that waits at most `timeout` nanoseconds gives up; `None` for never.
    /// `errno` when it is time.
    pub(super) fn give_up_at(&mut self, timeout: u64, errno: Errno) -> Result<Option<u64>, Errno> {
        if timeout == 0 {
            return Ok(None);
        }
        let now = self.kernel.host.monotonic();
        let began = *self.process_mut()?.waiting.began.get_or_insert(now);
        let deadline = began.saturating_add(timeout);
        if deadline <= now {
            return Err(errno);
        }
        Ok(Some(deadline))
    }
}

/// Connects a socket, or says where a datagram socket sends to.
pub fn sock_connect<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    address: u32,
    address_len: u32,
) -> Poll<Result<(), Errno>> {
    let step = begin(call, fd, address, address_len);
    let (socket, other, errno) = match step {
        Err(errno) => return Poll::Ready(Err(errno)),
        Ok((_, Step::Connected)) => return Poll::Ready(Ok(())),
        Ok((socket, Step::Wait(other, errno))) => (socket, other, errno),
    };
    if !socket.blocking {
        return Poll::Ready(Err(errno));
    }
    let timeout = call.kernel.net.get(socket.id);
    let timeout = timeout.map_or(0, |socket| socket.options.send_timeout);
    let deadline = match call.give_up_at(timeout, errno) {
        Ok(deadline) => deadline,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    call.wait(deadline, |kernel, waiter, waker| {
        if other == socket.id {
            kernel.net.wait_for(other, Side::Write, waiter, waker);
        } else {
            kernel.net.wait_for_room(other, waiter, waker);
        }
    })
}

fn begin<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    address: u32,
    address_len: u32,
) -> Result<(SocketFd, Step), Errno> {
    let socket = call.socket(fd)?;
    let bytes = call.socket_address(address, address_len)?;
    let family = address::family_of(&bytes)?;
    let first = !std::mem::replace(&mut call.process_mut()?.waiting.polled, true);
    if first {
        call.kernel.net.get_mut(socket.id)?.why.clear();
    }
    let step = match (socket.family, socket.kind) {
        (Family::Inet, Kind::Stream) => {
            let nonblocking = !socket.blocking;
            call.kernel
                .connect_tcp(call.pid, socket.id, &bytes, first, nonblocking)?
        }
        (Family::Inet, Kind::Datagram) => {
            call.kernel.connect_udp(socket.id, &bytes)?;
            Step::Connected
        }
        (Family::Unix, Kind::Datagram) if family == UNSPEC => {
            call.kernel.connect_datagrams(socket.id, None)?;
            Step::Connected
        }
        (Family::Unix, kind) => {
            let to = call.bound_to(kind, &named(&bytes)?)?;
            match kind {
                Kind::Stream => {
                    let credentials = call.credentials()?;
                    call.kernel.connect_unix(socket.id, to, credentials)?
                }
                Kind::Datagram => {
                    call.kernel.connect_datagrams(socket.id, Some(to))?;
                    Step::Connected
                }
            }
        }
    };
    Ok((socket, step))
}

/// A UNIX address to reach somebody at. `Inval` when it has no name.
pub(super) fn named(bytes: &[u8]) -> Result<UnixName, Errno> {
    match address::unix(bytes)? {
        UnixName::Unnamed => Err(Errno::Inval),
        name => Ok(name),
    }
}

/// Accepts a connection; waits for one.
pub fn sock_accept<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    accepted: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let socket = call.socket(fd)?;
        let flags = socket_flags(flags)?;
        call.memory.check(accepted, 4)?;
        call.check_room()?;
        Ok((socket, flags))
    };
    let (socket, flags) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    match call.kernel.accept(socket.id) {
        Ok(id) => {
            let installed = call.install_socket(id, flags);
            Poll::Ready(installed.and_then(|fd| call.memory.write_u32(accepted, fd)))
        }
        Err(Errno::Again) if socket.blocking => {
            let Ok(listener) = call.kernel.net.get(socket.id) else {
                return Poll::Ready(Err(Errno::Badf));
            };
            // It never gets one more. Linux says so only to those who would wait.
            if listener.shut.receive {
                return Poll::Ready(Err(Errno::Inval));
            }
            let timeout = listener.options.receive_timeout;
            match call.give_up_at(timeout, Errno::Again) {
                Ok(deadline) => call.wait(deadline, |kernel, waiter, waker| {
                    kernel.net.wait_for(socket.id, Side::Read, waiter, waker);
                }),
                Err(errno) => Poll::Ready(Err(errno)),
            }
        }
        Err(errno) => Poll::Ready(Err(errno)),
    }
}
