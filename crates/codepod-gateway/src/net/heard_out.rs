//! A stream whose other side is heard out when it takes nothing any more.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A stream that drops what is written from the moment on at which its other side has closed.
///
/// A server that refuses a request may answer and close while the body still comes. Its answer can
/// be read then, and says more than that writing failed.
pub(super) struct HeardOut<S> {
    stream: S,
    is_deaf: bool,
}

impl<S> HeardOut<S> {
    pub(super) fn new(stream: S) -> HeardOut<S> {
        HeardOut {
            stream,
            is_deaf: false,
        }
    }

    /// `polled`, unless it says that nobody takes anything: `instead`, then and ever after.
    fn heard<T>(&mut self, polled: Poll<io::Result<T>>, instead: T) -> Poll<io::Result<T>> {
        use io::ErrorKind::{BrokenPipe, ConnectionReset};
        match polled {
            Poll::Ready(Err(error)) if matches!(error.kind(), BrokenPipe | ConnectionReset) => {
                self.is_deaf = true;
                Poll::Ready(Ok(instead))
            }
            polled => polled,
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for HeardOut<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for HeardOut<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_deaf {
            return Poll::Ready(Ok(buf.len()));
        }
        let polled = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.heard(polled, buf.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let all = bufs.iter().map(|buf| buf.len()).sum();
        if self.is_deaf {
            return Poll::Ready(Ok(all));
        }
        let polled = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.heard(polled, all)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_deaf {
            return Poll::Ready(Ok(()));
        }
        let polled = Pin::new(&mut self.stream).poll_flush(cx);
        self.heard(polled, ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_deaf {
            return Poll::Ready(Ok(()));
        }
        let polled = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.heard(polled, ())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::{Shutdown, TcpListener};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_read_although_nothing_is_taken() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 1]).unwrap();
            stream.write_all(b"no").unwrap();
            stream.shutdown(Shutdown::Write).unwrap();
            // What is not read resets the connection.
        });
        let mut stream = HeardOut::new(TcpStream::connect(address).await.unwrap());
        let body = vec![0; 1 << 16];
        stream.write_all(&body).await.unwrap();
        server.join().unwrap();
        while !stream.is_deaf {
            stream.write_all(&body).await.unwrap();
        }
        stream.write_all(&body).await.unwrap();
        stream.flush().await.unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer).await;
        assert_eq!(answer, b"no");
    }
}
