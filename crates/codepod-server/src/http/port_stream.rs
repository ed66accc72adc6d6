//! A connection to a server inside as a stream of tokio's, which ends when it lasts too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use codepod::Connection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// How long a connection may last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Patience {
    /// Without a byte in either direction.
    pub(super) idle: Duration,
    /// In any case.
    pub(super) longest: Duration,
}

/// The stream.
#[derive(Debug)]
pub(super) struct PortStream {
    connection: Connection,
    patience: Patience,
    /// When it ends in any case.
    last: Instant,
    /// When it ends if nothing moves.
    timer: Pin<Box<Sleep>>,
}

impl PortStream {
    pub(super) fn new(connection: Connection, patience: Patience) -> PortStream {
        let now = Instant::now();
        PortStream {
            connection,
            patience,
            last: now + patience.longest,
            timer: Box::pin(sleep_until(now + patience.idle.min(patience.longest))),
        }
    }

    /// What has happened; without anything, whether the time is over.
    fn within_time<T>(
        &mut self,
        polled: Poll<io::Result<T>>,
        cx: &mut Context<'_>,
    ) -> Poll<io::Result<T>> {
        if polled.is_pending() {
            ready!(self.timer.as_mut().poll(cx));
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let next = Instant::now() + self.patience.idle;
        self.timer.as_mut().reset(next.min(self.last));
        polled
    }
}

impl AsyncRead for PortStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = self.connection.poll_read(cx, buffer.initialize_unfilled());
        let read = read.map_err(io::Error::other);
        let bytes = ready!(self.within_time(read, cx))?;
        buffer.advance(bytes);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PortStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = self.connection.poll_write(cx, bytes);
        let written = written.map(|written| match written {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(io::ErrorKind::BrokenPipe.into()),
            Err(error) => Err(io::Error::other(error)),
        });
        self.within_time(written, cx)
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.connection.end();
        Poll::Ready(Ok(()))
    }
}
