//! Connections of the host to what listens inside a sandbox.

use std::future::poll_fn;
use std::task::{Context, Poll};

use codepod_abi::Errno;
use codepod_kernel::HostSocket;
use futures_lite::future::block_on;

use crate::error::{Error, ErrorKind};
use crate::sandbox::Sandbox;
use crate::streams::Turn;

impl Sandbox {
    /// Connects to a server inside, at a port of the sandbox's loopback. No socket of the host is
    /// involved.
    ///
    /// [`ErrorKind::Dial`] when nothing listens there, or while as many connections wait to be
    /// accepted as the server lets wait.
    pub fn dial(&self, port: u16) -> Result<Connection, Error> {
        match HostSocket::dial(self.inner.kernel.shared(), port) {
            Ok(socket) => Ok(Connection {
                socket,
                turn: Turn::default(),
            }),
            Err(Errno::Canceled) => Err(ErrorKind::Internal.into()),
            Err(errno) => Err(ErrorKind::Dial { port, errno }.into()),
        }
    }
}

/// A connection of the host to a server inside. Dropped before both ends have said that they send
/// no more, it is reset.
///
/// One task may read while another writes.
#[derive(Debug)]
pub struct Connection {
    socket: HostSocket,
    turn: Turn,
}

impl Connection {
    /// Reads what there is, waiting for something; 0 bytes is the end, also of a connection that
    /// was reset.
    pub async fn read(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        self.turn.take().await;
        poll_fn(|cx| self.poll_read(cx, buffer)).await
    }

    /// [`Self::read`] for streams of other libraries. The last task that polled is woken.
    pub fn poll_read(&self, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Result<usize, Error>> {
        self.socket.poll_read(cx, buffer).map(|read| match read {
            Err(Errno::Canceled) => Err(ErrorKind::Internal.into()),
            read => Ok(read.unwrap_or(0)),
        })
    }

    /// Blocking form of [`Self::read`], for callers without an async runtime.
    pub fn read_blocking(&self, buffer: &mut [u8]) -> Result<usize, Error> {
        block_on(self.read(buffer))
    }

    /// Writes all of it; waits while the server does not read. False when it will not read any
    /// more.
    pub async fn write_all(&self, bytes: &[u8]) -> Result<bool, Error> {
        let mut at = 0;
        while at < bytes.len() {
            self.turn.take().await;
            match poll_fn(|cx| self.poll_write(cx, &bytes[at..])).await? {
                Some(taken) => at += taken,
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Writes as many bytes as fit, waiting for room for some, and returns how many these were;
    /// `None` when the server will not read any more. The last task that polled is woken.
    pub fn poll_write(
        &self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<Option<usize>, Error>> {
        self.socket
            .poll_write(cx, bytes)
            .map(|written| match written {
                Ok(taken) => Ok(Some(taken)),
                Err(Errno::Canceled) => Err(ErrorKind::Internal.into()),
                Err(_) => Ok(None),
            })
    }

    /// Blocking form of [`Self::write_all`], for callers without an async runtime.
    pub fn write_all_blocking(&self, bytes: &[u8]) -> Result<bool, Error> {
        block_on(self.write_all(bytes))
    }

    /// Says that nothing more is written; the server reads the rest and then the end.
    pub fn end(&self) {
        self.socket.end();
    }
}
