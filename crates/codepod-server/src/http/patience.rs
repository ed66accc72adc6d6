//! Patience with clients that do not read: what waits to be sent must go on, or the connection
//! ends.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// As much must be taken within the time.
const PIECE: usize = 64 << 10;

/// A connection. Once it takes no more bytes, it must take 64 KiB or all that there are within
/// `patience`; then writing fails with [`io::ErrorKind::TimedOut`].
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    /// Since it took no more: when patience ends, and what it has taken meanwhile.
    waiting: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Patient<S> {
        Patient {
            stream,
            patience,
            waiting: None,
        }
    }

    fn judge(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
        wanted: usize,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(written) = written {
            let bytes = written?;
            if let Some((_, taken)) = &mut self.waiting {
                *taken += bytes;
                if bytes >= wanted || *taken >= PIECE {
                    self.waiting = None;
                }
            }
            return Poll::Ready(Ok(bytes));
        }
        let patience = self.patience;
        let begin = || (Box::pin(tokio::time::sleep(patience)), 0);
        let (over, _) = self.waiting.get_or_insert_with(begin);
        ready!(over.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.judge(cx, written, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, buffers);
        let wanted = buffers.iter().map(|buffer| buffer.len()).sum();
        self.judge(cx, written, wanted)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn who_reads_nothing_is_given_up() {
        let (ours, _theirs) = tokio::io::duplex(1000);
        let mut ours = Patient::new(ours, PATIENCE);
        let began = tokio::time::Instant::now();
        let error = ours.write_all(&[0; 2000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_a_byte_now_and_then_is_given_up() {
        let (ours, mut theirs) = tokio::io::duplex(1000);
        let mut ours = Patient::new(ours, PATIENCE);
        let reading = tokio::spawn(async move {
            let mut byte = [0; 100];
            while theirs.read(&mut byte).await.unwrap_or(0) > 0 {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let error = ours.write_all(&[0; 1 << 20]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        reading.abort();
    }

    #[tokio::test(start_paused = true)]
    async fn who_reads_on_is_not_and_long_pauses_between_answers_do_not_count() {
        let (ours, mut theirs) = tokio::io::duplex(1000);
        let mut ours = Patient::new(ours, PATIENCE);
        for _ in 0..3 {
            let reading = async {
                tokio::time::sleep(Duration::from_secs(20)).await;
                let mut bytes = vec![0; 10_000];
                theirs.read_exact(&mut bytes).await.unwrap();
            };
            let (written, ()) = tokio::join!(ours.write_all(&[0; 10_000]), reading);
            written.unwrap();
            tokio::time::sleep(Duration::from_secs(100)).await;
        }
    }
}
