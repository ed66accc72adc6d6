//! What flows after an upgrade to WebSocket: counted, and where there are secrets, frame by frame.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBuf, Write};
use hyper::upgrade::Upgraded;

use super::frames::{self, Fault, Frames};
use crate::budget::{Budget, Exceeded};

const PIECE: usize = 16 * 1024;
/// How much of a guest that only writes is read while it is told why its WebSocket ends.
const PATIENCE: usize = 1 << 20;

/// The frames of both directions.
pub(super) struct Both {
    pub(super) out: Frames,
    pub(super) back: Frames,
}

/// What went each way.
#[derive(Debug, Default)]
pub(super) struct Carried {
    pub(super) out: u64,
    pub(super) back: u64,
    /// The secrets that were put in.
    pub(super) hits: u64,
}

/// Carries bytes both ways until one side ends, a budget is used up, or a frame is at fault.
/// `tell` reports the fault and says with which code and reason the guest is closed.
pub(super) async fn carry(
    guest: Upgraded,
    server: Upgraded,
    budget: &Budget,
    frames: Option<Both>,
    tell: impl FnOnce(Fault) -> (u16, String),
) -> Carried {
    let (mut guest, mut server) = (guest, server);
    let (out, back) = match frames {
        Some(both) => (Some(both.out), Some(both.back)),
        None => (None, None),
    };
    let (mut out, mut back) = (Half::new(out), Half::new(back));
    poll_fn(|cx| {
        let send = |bytes| budget.send(bytes);
        let receive = |bytes| budget.receive(bytes);
        let one = out.poll(cx, &mut guest, &mut server, send);
        let other = back.poll(cx, &mut server, &mut guest, receive);
        // A WebSocket ends in both directions at once.
        if one.is_ready() || other.is_ready() {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    let carried = Carried {
        out: out.bytes,
        back: back.bytes,
        hits: out.frames.as_ref().map_or(0, Frames::hits),
    };
    if let Some(fault) = out.fault.or(back.fault) {
        drop(server);
        let (code, reason) = tell(fault);
        // A frame that was begun cannot be ended, and nothing can follow it.
        let is_between = back.frames.as_ref().is_some_and(Frames::is_between);
        if is_between && !back.over {
            let mut rest = back.pending.split_off(back.written);
            rest.extend(frames::close(code, &reason));
            finish(guest, &rest).await;
        }
    }
    carried
}

/// Writes the last bytes to a guest, and closes. What it sends meanwhile is lost, but read: it may
/// not read before that.
async fn finish(mut guest: Upgraded, bytes: &[u8]) {
    let (mut written, mut lost) = (0, 0);
    let mut scratch = vec![0; PIECE];
    poll_fn(|cx| {
        if write_and_close(&mut guest, cx, bytes, &mut written).is_ready() {
            return Poll::Ready(());
        }
        while lost < PATIENCE {
            match ready!(read(&mut guest, cx, &mut scratch)) {
                Some(length) => lost += length,
                None => break,
            }
        }
        Poll::Ready(())
    })
    .await;
}

fn write_and_close(
    sink: &mut Upgraded,
    cx: &mut Context<'_>,
    bytes: &[u8],
    written: &mut usize,
) -> Poll<()> {
    if ready!(write(sink, cx, bytes, written)) {
        let _ = ready!(Pin::new(sink).poll_shutdown(cx));
    }
    Poll::Ready(())
}

/// Writes and flushes; false when the other side is gone.
fn write(
    sink: &mut Upgraded,
    cx: &mut Context<'_>,
    bytes: &[u8],
    written: &mut usize,
) -> Poll<bool> {
    while *written < bytes.len() {
        match ready!(Pin::new(&mut *sink).poll_write(cx, &bytes[*written..])) {
            Ok(0) | Err(_) => return Poll::Ready(false),
            Ok(more) => *written += more,
        }
    }
    Pin::new(sink).poll_flush(cx).map(|flushed| flushed.is_ok())
}

/// Reads; `None` at the end and when the other side is gone.
fn read(source: &mut Upgraded, cx: &mut Context<'_>, buffer: &mut [u8]) -> Poll<Option<usize>> {
    let mut buffer = ReadBuf::new(buffer);
    let read = ready!(Pin::new(source).poll_read(cx, buffer.unfilled()));
    let length = buffer.filled().len();
    Poll::Ready((read.is_ok() && length > 0).then_some(length))
}

/// One direction.
struct Half {
    buffer: Vec<u8>,
    frames: Option<Frames>,
    /// What goes on of what was read, and how much of that is written.
    pending: Vec<u8>,
    written: usize,
    bytes: u64,
    over: bool,
    fault: Option<Fault>,
}

impl Half {
    fn new(frames: Option<Frames>) -> Half {
        Half {
            buffer: vec![0; PIECE],
            frames,
            pending: Vec::new(),
            written: 0,
            bytes: 0,
            over: false,
            fault: None,
        }
    }

    /// Carries what there is; ready at the end, after an error or a fault, and when the budget is
    /// used up.
    fn poll(
        &mut self,
        cx: &mut Context<'_>,
        source: &mut Upgraded,
        sink: &mut Upgraded,
        draw: impl Fn(usize) -> Result<usize, Exceeded>,
    ) -> Poll<()> {
        loop {
            let is_there = ready!(write(sink, cx, &self.pending, &mut self.written));
            if !is_there || self.over || self.fault.is_some() {
                return Poll::Ready(());
            }
            let Some(length) = ready!(read(source, cx, &mut self.buffer)) else {
                return Poll::Ready(());
            };
            self.take(length);
            if !self.pending.is_empty() {
                let Ok(drawn) = draw(self.pending.len()) else {
                    self.pending.clear();
                    self.over = true;
                    return Poll::Ready(());
                };
                self.bytes += drawn as u64;
                self.over = drawn < self.pending.len();
                self.pending.truncate(drawn);
            }
        }
    }

    /// Finds out what goes on of the bytes that were read.
    fn take(&mut self, length: usize) {
        let bytes = &self.buffer[..length];
        self.pending.clear();
        self.written = 0;
        match &mut self.frames {
            None => self.pending.extend_from_slice(bytes),
            Some(frames) => self.fault = frames.push(bytes, &mut self.pending).err(),
        }
        if matches!(self.fault, Some(Fault::Leak(_))) {
            self.pending.clear();
        }
    }
}
