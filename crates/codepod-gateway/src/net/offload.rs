//! The guest's side of TLS that the gateway ends: plain text in the records of `cptls`.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};

use crate::cptls::{Hello, MAGIC, MAX_RECORD, RECORD_HEAD, Record, payload_length};

/// Reads the hello behind the magic.
///
/// Fails when the guest sends something else.
pub(super) async fn read_hello<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Hello> {
    let mut head = [0; RECORD_HEAD];
    stream.read_exact(&mut head).await?;
    let (_, length) = payload_length(head, &[Record::Hello]).map_err(invalid)?;
    // Memory is taken as it arrives, not as it is announced.
    let mut payload = Vec::new();
    (&mut *stream)
        .take(length as u64)
        .read_to_end(&mut payload)
        .await?;
    if payload.len() < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Hello::parse(&payload).map_err(invalid)
}

/// Sends one record.
pub(super) async fn send<S: AsyncWrite + Unpin>(
    stream: &mut S,
    record: Record,
    payload: &[u8],
) -> io::Result<()> {
    stream.write_all(&record.head(payload.len())).await?;
    stream.write_all(payload).await?;
    stream.flush().await
}

/// What the first bytes of a guest are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beginning {
    /// Too few to know.
    Unknown,
    /// The magic.
    Magic,
    /// TLS of the guest's own.
    OwnTls,
    /// Anything else.
    Plain,
}

/// Says what the first bytes of a guest are.
pub(super) fn beginning(bytes: &[u8]) -> Beginning {
    if bytes.starts_with(&MAGIC) {
        Beginning::Magic
    } else if MAGIC.starts_with(bytes) {
        Beginning::Unknown
    } else if bytes.starts_with(&[0x16, 3]) {
        Beginning::OwnTls
    } else {
        Beginning::Plain
    }
}

fn invalid(why: crate::cptls::Malformed) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why)
}

/// The plain text in the records of a guest.
pub(super) struct Offloaded<S> {
    stream: S,
    head: [u8; RECORD_HEAD],
    head_read: usize,
    /// What is left of the payload that is being read.
    left: usize,
    ended: bool,
    /// A record on its way to the guest; its first `written` bytes have gone.
    out: Vec<u8>,
    written: usize,
    closing: bool,
}

impl<S> Offloaded<S> {
    pub(super) fn new(stream: S) -> Offloaded<S> {
        Offloaded {
            stream,
            head: [0; RECORD_HEAD],
            head_read: 0,
            left: 0,
            ended: false,
            out: Vec::new(),
            written: 0,
            closing: false,
        }
    }
}

impl<S: AsyncWrite + Unpin> Offloaded<S> {
    fn poll_out(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.written < self.out.len() {
            let written =
                ready!(Pin::new(&mut self.stream).poll_write(cx, &self.out[self.written..]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.written += written;
        }
        self.out.clear();
        self.written = 0;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Offloaded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = &mut *self;
        while !this.ended {
            if this.left > 0 {
                let length = this.left.min(buf.remaining());
                let mut part = ReadBuf::new(buf.initialize_unfilled_to(length));
                ready!(Pin::new(&mut this.stream).poll_read(cx, &mut part))?;
                let read = part.filled().len();
                buf.advance(read);
                this.left -= read;
                return match read {
                    0 => Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into())),
                    _ => Poll::Ready(Ok(())),
                };
            }
            let mut head = ReadBuf::new(&mut this.head[this.head_read..]);
            ready!(Pin::new(&mut this.stream).poll_read(cx, &mut head))?;
            let read = head.filled().len();
            if read == 0 {
                // Without a close the guest has gone.
                return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
            }
            this.head_read += read;
            if this.head_read == RECORD_HEAD {
                this.head_read = 0;
                match payload_length(this.head, &[Record::Data, Record::Close]).map_err(invalid)? {
                    (Record::Close, _) => this.ended = true,
                    (_, length) => this.left = length,
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Offloaded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_out(cx))?;
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        let length = buf.len().min(MAX_RECORD);
        self.out.extend(Record::Data.head(length));
        self.out.extend_from_slice(&buf[..length]);
        // What is not written now goes with the next write or flush.
        match self.poll_out(cx) {
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(length)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_out(cx))?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.closing {
            ready!(self.poll_out(cx))?;
            self.closing = true;
            self.out.extend(Record::Close.head(0));
        }
        ready!(self.poll_out(cx))?;
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_bytes_tell_what_a_guest_speaks() {
        for (bytes, what) in [
            (&b""[..], Beginning::Unknown),
            (&MAGIC[..6], Beginning::Unknown),
            (&MAGIC[..], Beginning::Magic),
            (&[0x16, 3, 1], Beginning::OwnTls),
            (&[0x16, b'C', b'P', 0], Beginning::Plain),
            (b"GET / HTTP/1.1", Beginning::Plain),
        ] {
            assert_eq!(beginning(bytes), what, "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn records_of_any_size_carry_the_same_bytes() {
        let (near, far) = tokio::io::duplex(1000);
        let sent: Vec<u8> = (0..200_000u32).map(|i| i as u8).collect();
        let expected = sent.clone();
        let writer = tokio::spawn(async move {
            let mut near = Offloaded::new(near);
            near.write_all(&sent).await.unwrap();
            near.shutdown().await.unwrap();
        });
        let mut received = Vec::new();
        Offloaded::new(far)
            .read_to_end(&mut received)
            .await
            .unwrap();
        assert!(received == expected);
        writer.await.unwrap();
    }

    #[tokio::test]
    async fn what_is_no_record_ends_the_connection() {
        for (bytes, kind) in [
            (&b"GET / HTTP/1.1\r\n"[..], io::ErrorKind::InvalidData),
            (&[3, 1, 0, 1], io::ErrorKind::InvalidData),
            (&[2, 0, 0, 0], io::ErrorKind::InvalidData),
            (&[3, 0], io::ErrorKind::UnexpectedEof),
            (&[3, 0, 0, 5, 1], io::ErrorKind::UnexpectedEof),
        ] {
            let error = Offloaded::new(bytes_stream(bytes))
                .read_to_end(&mut Vec::new())
                .await
                .unwrap_err();
            assert_eq!(error.kind(), kind, "{bytes:?}");
        }
        let huge = [1, 0xff, 0xff, 0xff];
        assert!(read_hello(&mut &huge[..]).await.is_err());
        let short = [1, 0, 0, 9, 1];
        assert_eq!(
            read_hello(&mut &short[..]).await.unwrap_err().kind(),
            io::ErrorKind::UnexpectedEof
        );
    }

    fn bytes_stream(bytes: &'static [u8]) -> impl AsyncRead + Unpin {
        bytes
    }
}
