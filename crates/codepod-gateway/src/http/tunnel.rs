//! What flows after an upgrade to WebSocket: bytes that are counted, and searched no further.

use std::future::poll_fn;
use std::pin::Pin;

use hyper::rt::{Read, ReadBuf, ReadBufCursor, Write};
use hyper::upgrade::Upgraded;

use crate::budget::{Budget, Exceeded};

/// Carries bytes both ways until one side ends or a budget is used up, and returns how many went
/// out and came in.
pub(super) async fn carry(guest: Upgraded, server: Upgraded, budget: &Budget) -> (u64, u64) {
    let (mut guest, mut server) = (guest, server);
    let mut out = Half::default();
    let mut back = Half::default();
    poll_fn(|cx| {
        let send = |bytes| budget.send(bytes);
        let receive = |bytes| budget.receive(bytes);
        let one = out.poll(cx, &mut guest, &mut server, send);
        let other = back.poll(cx, &mut server, &mut guest, receive);
        // A WebSocket ends in both directions at once.
        if one.is_ready() || other.is_ready() {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    (out.bytes, back.bytes)
}

/// One direction.
struct Half {
    buffer: Vec<u8>,
    from: usize,
    until: usize,
    bytes: u64,
    over: bool,
}

impl Default for Half {
    fn default() -> Self {
        Half {
            buffer: vec![0; 16 * 1024],
            from: 0,
            until: 0,
            bytes: 0,
            over: false,
        }
    }
}

impl Half {
    /// Carries what there is; ready at the end, after an error, and when the budget is used up.
    fn poll(
        &mut self,
        cx: &mut std::task::Context<'_>,
        source: &mut Upgraded,
        sink: &mut Upgraded,
        draw: impl Fn(usize) -> Result<usize, Exceeded>,
    ) -> std::task::Poll<()> {
        use std::task::Poll;
        loop {
            while self.from < self.until {
                match Pin::new(&mut *sink).poll_write(cx, &self.buffer[self.from..self.until]) {
                    Poll::Ready(Ok(0) | Err(_)) => return Poll::Ready(()),
                    Poll::Ready(Ok(written)) => self.from += written,
                    Poll::Pending => return Poll::Pending,
                }
            }
            match Pin::new(&mut *sink).poll_flush(cx) {
                Poll::Ready(Ok(())) => {}
                Poll::Ready(Err(_)) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
            if self.over {
                return Poll::Ready(());
            }
            let mut read = ReadBuf::new(&mut self.buffer);
            let cursor: ReadBufCursor<'_> = read.unfilled();
            match Pin::new(&mut *source).poll_read(cx, cursor) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => {
                    let length = read.filled().len();
                    let Ok(drawn) = draw(length) else {
                        return Poll::Ready(());
                    };
                    (self.from, self.until) = (0, drawn);
                    self.bytes += drawn as u64;
                    self.over = drawn < length;
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
