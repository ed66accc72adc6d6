//! A body that is only for whoever asked, and has to be what an index says.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use sha2::{Digest as _, Sha256};

use super::wanted::Wanted;
use crate::http::{BodyError, ReplyBody};

/// A body whose last piece is given when the whole has been compared.
pub(super) struct Checked {
    body: ReplyBody,
    wanted: Arc<Wanted>,
    hash: Sha256,
    held: Option<Bytes>,
    ended: bool,
}

impl Checked {
    pub(super) fn new(body: ReplyBody, wanted: Arc<Wanted>) -> Checked {
        Checked {
            body,
            wanted,
            hash: Sha256::new(),
            held: None,
            ended: false,
        }
    }
}

impl HttpBody for Checked {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        while !this.ended {
            let Some(frame) = ready!(Pin::new(&mut this.body).poll_frame(cx)) else {
                this.ended = true;
                let hash = std::mem::take(&mut this.hash).finalize().into();
                return Poll::Ready(match this.wanted.differs(&hash) {
                    Some(why) => Some(Err(why.into())),
                    None => this.held.take().map(|data| Ok(Frame::data(data))),
                });
            };
            let Ok(data) = frame?.into_data() else {
                continue;
            };
            if data.is_empty() {
                continue;
            }
            this.hash.update(&data);
            if let Some(before) = this.held.replace(data) {
                return Poll::Ready(Some(Ok(Frame::data(before))));
            }
        }
        Poll::Ready(None)
    }

    fn size_hint(&self) -> SizeHint {
        let held = self.held.as_ref().map_or(0, Bytes::len) as u64;
        match self.body.size_hint().exact() {
            Some(left) => SizeHint::with_exact(left + held),
            None => SizeHint::default(),
        }
    }
}
