//! A guest's connection as a stream of bytes.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use codepod_abi::Errno;
use codepod_kernel::Link;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::timeout;

/// The guest's side of a connection. Its shutdown says that nothing more comes; the connection is
/// reset when the last clone of the link is dropped.
pub(super) struct LinkStream(pub(super) Arc<Link>);

impl AsyncRead for LinkStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(self.0.poll_take(cx, buf.initialize_unfilled())).map_err(error)?;
        buf.advance(read);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for LinkStream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.0.poll_give(cx, buf).map_err(error)
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.0.end();
        Poll::Ready(Ok(()))
    }
}

/// Ends a connection that was served: says so, and waits until the guest has ended it as well or
/// `limit` is over, because a reset before would look like a fault.
pub(super) async fn finish(link: &Link, limit: Duration) {
    link.end();
    let mut rest = [0; 4096];
    let drain = async {
        while matches!(poll_fn(|cx| link.poll_take(cx, &mut rest)).await, Ok(read) if read > 0) {}
    };
    let _ = timeout(limit, drain).await;
}

fn error(errno: Errno) -> io::Error {
    match errno {
        Errno::Pipe => io::ErrorKind::BrokenPipe.into(),
        Errno::ConnReset => io::ErrorKind::ConnectionReset.into(),
        Errno::Canceled => io::ErrorKind::ConnectionAborted.into(),
        other => io::Error::other(other.to_string()),
    }
}
