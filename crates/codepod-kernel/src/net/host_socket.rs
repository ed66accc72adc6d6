//! Sockets that the host holds: its end of a connection from outside to a listener inside, or from
//! a guest to the outside.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker, ready};

use codepod_abi::Errno;

use super::address::Family;
use super::socket::Stage;
use super::{Address, Kind, Net};
use crate::ids::{Pid, SocketId, WaiterId};
use crate::kernel::Kernel;
use crate::shared_kernel::SharedKernel;

/// A stream socket that the host holds. Dropping it resets the connection, unless both ends have
/// said that they send no more.
#[derive(Debug)]
pub struct HostSocket {
    kernel: Weak<SharedKernel>,
    socket: SocketId,
    /// Reading and writing may wait at the same time.
    reader: WaiterId,
    writer: WaiterId,
    watcher: WaiterId,
}

impl HostSocket {
    /// Connects to what listens at a port of a sandbox's loopback.
    ///
    /// `ConnRefused` when nothing does, `Again` while too many connections wait to be accepted,
    /// `Nfile` when the sandbox has no room for another, `Canceled` when it is over.
    pub fn dial(kernel: &Arc<SharedKernel>, port: u16) -> Result<HostSocket, Errno> {
        let weak = Arc::downgrade(kernel);
        let mut guard = kernel.lock().map_err(|_| Errno::Canceled)?;
        let socket = guard.new_host_socket(weak)?;
        let dialled = guard.dial(socket.id(), port);
        // It is closed with the kernel's lock, which must be free.
        drop(guard);
        dialled.map(|()| socket)
    }

    /// Fills `buffer` with what was sent and returns how much that was; 0 at the end. `ConnReset`,
    /// and `Canceled` when the sandbox is gone.
    pub fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Result<usize, Errno>> {
        self.poll_with(cx, |net, waker| {
            match net.receive_bytes(self.socket, None, buffer) {
                Err(Errno::Again) => {
                    net.wait_for(self.socket, super::Side::Read, self.reader, waker);
                    Poll::Pending
                }
                read => Poll::Ready(read),
            }
        })
    }

    /// Sends as many of `bytes` as fit and returns how many these were. `Pipe` or `ConnReset` when
    /// nobody reads them, `Canceled` when the sandbox is gone.
    pub fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, Errno>> {
        self.poll_with(cx, |net, waker| {
            // Of the host's bytes as many as there is room for: it has no line that must stay
            // whole.
            match net.may_send(self.socket, bytes.len().min(1)) {
                Ok(true) => Poll::Ready(net.send_bytes(self.socket, bytes)),
                Ok(false) => {
                    net.wait_for(self.socket, super::Side::Write, self.writer, waker);
                    Poll::Pending
                }
                Err(errno) => Poll::Ready(Err(errno)),
            }
        })
    }

    /// Ready once the other end is closed, or its sandbox gone: nobody reads any more. What was
    /// sent before can still be read.
    pub fn poll_left(&self, cx: &mut Context<'_>) -> Poll<()> {
        let left = self.poll_with(cx, |net, waker| {
            let socket = net.get_mut(self.socket)?;
            if socket.peer.is_none() || socket.is_closed() {
                return Poll::Ready(Ok(()));
            }
            socket.writers.add(self.watcher, waker);
            Poll::Pending
        });
        left.map(|_| ())
    }

    /// Says that nothing more is sent. It can still be read from.
    pub fn end(&self) {
        let _ = self.with(|kernel, own| {
            let socket = kernel.net.get_mut(own)?;
            socket.shut.send = true;
            if matches!(socket.stage, Stage::Established) {
                kernel.net.say_end(own);
            }
            Ok(())
        });
    }

    pub(super) fn id(&self) -> SocketId {
        self.socket
    }

    /// Does something with the sandbox's sockets when the kernel's lock is free. `Canceled` when
    /// the sandbox is gone.
    fn poll_with<R>(
        &self,
        cx: &mut Context<'_>,
        act: impl FnOnce(&mut Net, &Waker) -> Poll<Result<R, Errno>>,
    ) -> Poll<Result<R, Errno>> {
        let Some(kernel) = self.kernel.upgrade() else {
            return Poll::Ready(Err(Errno::Canceled));
        };
        match ready!(kernel.poll_lock(cx)) {
            Ok(mut guard) => act(&mut guard.net, cx.waker()),
            Err(_) => Poll::Ready(Err(Errno::Canceled)),
        }
    }

    /// Does something with the kernel. `Canceled` when the sandbox is gone.
    pub(super) fn with<R>(
        &self,
        act: impl FnOnce(&mut Kernel, SocketId) -> Result<R, Errno>,
    ) -> Result<R, Errno> {
        let kernel = self.kernel.upgrade().ok_or(Errno::Canceled)?;
        let mut guard = kernel.lock().map_err(|_| Errno::Canceled)?;
        act(&mut guard, self.socket)
    }
}

impl Drop for HostSocket {
    fn drop(&mut self) {
        let _ = self.with(|kernel, own| {
            kernel.net.reset_peer(own);
            kernel.close_socket(own);
            Ok(())
        });
    }
}

impl Kernel {
    /// A socket for the host. `Nfile` at the limit.
    pub(super) fn new_host_socket(
        &mut self,
        kernel: Weak<SharedKernel>,
    ) -> Result<HostSocket, Errno> {
        let socket = self.new_socket(Family::Inet, Kind::Stream)?;
        Ok(HostSocket {
            kernel,
            socket,
            reader: self.new_waiter(),
            writer: self.new_waiter(),
            watcher: self.new_waiter(),
        })
    }

    /// Connects a socket of the host to a port of the loopback.
    fn dial(&mut self, id: SocketId, port: u16) -> Result<(), Errno> {
        let to = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let to = Address::Inet(to).to_bytes();
        match self.connect_tcp(Pid::INIT, id, &to, true, false)? {
            super::Step::Connected => Ok(()),
            super::Step::Wait(..) => Err(Errno::Again),
        }
    }
}
