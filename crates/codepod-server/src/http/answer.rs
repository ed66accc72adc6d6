//! Answers: counted from when they are written until they are sent.
//!
//! An answer is made in pieces. Each counts among the bytes that its tenant has on their way and is
//! let go when the connection takes the next one; the request keeps its place until all of them are
//! gone or the client is.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Bytes, HttpBody};
use codepod_api::ApiError;
use hyper::body::{Frame, SizeHint};

use crate::tenant::{Flight, Place, Tenant};

/// How long a piece is.
pub(super) const PIECE: usize = 64 << 10;

/// An answer that is being written. The first piece is not counted: most answers have no other.
pub(super) struct Pieces {
    list: VecDeque<Vec<u8>>,
    flight: Flight,
    /// Why there can be no more.
    refused: Option<ApiError>,
}

impl Pieces {
    pub(super) fn new(tenant: &Arc<Tenant>) -> Pieces {
        Pieces {
            list: VecDeque::new(),
            flight: tenant.flight(),
            refused: None,
        }
    }

    /// Why writing has failed, if it was for want of room.
    pub(super) fn take_refusal(&mut self) -> Option<ApiError> {
        self.refused.take()
    }

    /// The answer, which keeps the request's place.
    pub(super) fn finish(self, place: Place) -> Answer {
        let left = self.list.iter().map(|piece| piece.len() as u64).sum();
        Answer {
            pieces: self.list,
            left,
            taken: 0,
            is_first: true,
            flight: self.flight,
            _place: place,
        }
    }
}

impl io::Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let full = self.list.back().is_none_or(|last| last.len() >= PIECE);
        if full {
            if !self.list.is_empty()
                && let Err(error) = self.flight.add(PIECE as u64)
            {
                self.refused = Some(error);
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            // Short answers take no more than they need.
            let room = if self.list.is_empty() { 0 } else { PIECE };
            self.list.push_back(Vec::with_capacity(room));
        }
        let Some(last) = self.list.back_mut() else {
            return Ok(0);
        };
        let taken = bytes.len().min(PIECE - last.len());
        last.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An answer on its way.
pub(super) struct Answer {
    pieces: VecDeque<Vec<u8>>,
    left: u64,
    /// What the connection has taken last and may still be sending.
    taken: u64,
    is_first: bool,
    flight: Flight,
    _place: Place,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let sent = self.taken;
        self.flight.remove(sent);
        let Some(piece) = self.pieces.pop_front() else {
            return Poll::Ready(None);
        };
        self.left -= piece.len() as u64;
        self.taken = if self.is_first { 0 } else { PIECE as u64 };
        self.is_first = false;
        Poll::Ready(Some(Ok(Frame::data(piece.into()))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::quota::Quota;

    #[test]
    fn an_answer_is_counted_until_it_is_sent() {
        let quota = Quota {
            flight_bytes: 3 * PIECE as u64,
            requests: 1,
            ..Quota::default()
        };
        let tenant = Tenant::new("t", quota);
        let long = vec![b'x'; 4 * PIECE];
        let mut pieces = Pieces::new(&tenant);
        pieces.write_all(&long).unwrap();
        assert!(pieces.write_all(b"x").is_err());
        assert!(pieces.take_refusal().is_some());
        let mut answer = pieces.finish(tenant.take_request().unwrap());
        assert!(tenant.take_request().is_err());
        assert_eq!(answer.size_hint().exact(), Some(long.len() as u64));
        let mut context = Context::from_waker(std::task::Waker::noop());
        let mut sent = 0;
        while let Poll::Ready(Some(Ok(frame))) = Pin::new(&mut answer).poll_frame(&mut context) {
            sent += frame.into_data().unwrap().len();
        }
        assert_eq!(sent, long.len());
        tenant.flight().add(3 * PIECE as u64).unwrap();
        drop(answer);
        tenant.take_request().unwrap();
    }
}
