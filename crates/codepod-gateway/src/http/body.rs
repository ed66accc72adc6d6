//! Bodies on their way: counted, searched, filled in or redacted, piece by piece.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

use crate::budget::{Budget, Exceeded};
use crate::secrets::{Leak, Scan};

/// What goes wrong with a body that is not the peer's fault.
pub type BodyError = Box<dyn std::error::Error + Send + Sync>;

/// The body of a reply as an [`Upstream`](super::Upstream) gives it.
pub type ReplyBody = UnsyncBoxBody<Bytes, BodyError>;

/// A body on its way from one side to the other.
pub type Body = UnsyncBoxBody<Bytes, BodyError>;

/// Why a body was cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CutOff {
    /// It carried the placeholder of this secret to a stranger.
    #[error("the body has a placeholder of a secret that is not bound to this host")]
    Leak(u64),
    /// A budget was used up.
    #[error("{0}")]
    Budget(Exceeded),
    /// It was to be recorded, and could not be.
    #[error("the reply cannot be recorded")]
    Recording,
}

/// Which way a body goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Out,
    In,
}

/// What a body went through, for whoever looks when it has ended.
#[derive(Debug, Default)]
pub(crate) struct Passage {
    pub(crate) bytes: AtomicU64,
    pub(crate) hits: AtomicU64,
    pub(crate) cut_off: OnceLock<CutOff>,
    /// Why its sender ended it early.
    pub(crate) broken: OnceLock<String>,
}

/// A body that is counted and changed. `guard` is dropped with it.
pub(super) struct Filtered<B, G> {
    pub(super) inner: B,
    /// Ends the body at a placeholder of a stranger, and exchanges placeholders and values.
    pub(super) scan: Scan,
    pub(super) keeps_length: bool,
    pub(super) budget: Budget,
    pub(super) way: Way,
    pub(super) passage: Arc<Passage>,
    /// A budget that ended within the last piece.
    pub(super) over: Option<CutOff>,
    pub(super) ended: bool,
    pub(super) _guard: G,
}

impl<B, G> Filtered<B, G> {
    /// What goes on of a piece, or of the held rest at the end.
    fn filter(&mut self, piece: Option<Bytes>) -> Result<Bytes, CutOff> {
        if let Some(why) = self.over {
            return Err(why);
        }
        let last = piece.is_none();
        let mut data = piece.unwrap_or_default();
        if !self.scan.is_idle() {
            let passed = self.scan.pass(&data, last);
            data = passed.map_err(|Leak(hits)| CutOff::Leak(hits))?.into();
            self.passage.hits.fetch_or(self.scan.hits(), Relaxed);
        }
        if data.is_empty() {
            return Ok(data);
        }
        let drawn = match self.way {
            Way::Out => self.budget.send(data.len()),
            Way::In => self.budget.receive(data.len()),
        };
        let drawn = drawn.map_err(CutOff::Budget)?;
        if drawn < data.len() {
            data.truncate(drawn);
            let why = match self.way {
                Way::Out => self.budget.send(1),
                Way::In => self.budget.receive(1),
            };
            self.over = why.err().map(CutOff::Budget);
        }
        self.passage.bytes.fetch_add(drawn as u64, Relaxed);
        Ok(data)
    }
}

impl<B, G> HttpBody for Filtered<B, G>
where
    B: HttpBody<Data = Bytes> + Unpin,
    B::Error: Into<BodyError>,
    G: Unpin,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        loop {
            if this.ended {
                return Poll::Ready(None);
            }
            let piece = match ready!(Pin::new(&mut this.inner).poll_frame(cx)) {
                None => {
                    this.ended = true;
                    None
                }
                Some(Err(error)) => {
                    let error = error.into();
                    let _ = this.passage.broken.set(error.to_string());
                    return Poll::Ready(Some(Err(error)));
                }
                // Trailers are of one connection.
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => Some(data),
                    Err(_) => continue,
                },
            };
            match this.filter(piece) {
                Ok(data) if data.is_empty() => {}
                Ok(data) => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Err(why) => {
                    this.ended = true;
                    let _ = this.passage.cut_off.set(why);
                    return Poll::Ready(Some(Err(why.into())));
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let unchanged = self.scan.is_idle() && self.over.is_none();
        self.ended || (unchanged && self.inner.is_end_stream())
    }

    fn size_hint(&self) -> SizeHint {
        if self.keeps_length {
            self.inner.size_hint()
        } else {
            SizeHint::default()
        }
    }
}
