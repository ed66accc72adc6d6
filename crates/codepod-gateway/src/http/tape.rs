//! What a guest asked and got, for whoever takes it down.
//!
//! It is taken down between the guest and the secrets: requests as the guest sent them, with
//! placeholders, and replies as the guest receives them, with placeholders again.

use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use hyper::{Response, StatusCode, Version};

use super::body::{Body, BodyError, CutOff, Passage};
use super::service::Failure;
use super::spelling;
use crate::secrets::Secrets;

/// Whether the exchanges of a connection are taken down, or come from what was.
#[derive(Clone, Default)]
pub enum Taping {
    /// Neither.
    #[default]
    Off,
    /// They are taken down.
    Record(Arc<dyn Tape>),
    /// The [`Upstream`](super::Upstream) has them from a recording. It reads what a request was
    /// from the request's extensions, as an `Arc<Asked>`.
    Replay,
}

/// Takes down the exchanges of one connection.
pub trait Tape: Send + Sync {
    /// Begins an exchange. What it holds in the end must have no value of `secrets`.
    ///
    /// Fails when nothing more is taken down, with the reason.
    fn begin(&self, asked: Arc<Asked>, secrets: Arc<Secrets>) -> Result<Box<dyn Take>, String>;

    /// Notes that the server has closed the connection.
    fn closed(&self);
}

/// Takes down one exchange. One that is dropped without an end was left by its guest.
pub trait Take: Send {
    /// The head of the reply.
    fn head(&mut self, head: ReplyHead);

    /// A piece of the reply's body. Fails when it cannot be taken down, with the reason.
    fn piece(&mut self, piece: &[u8]) -> Result<(), String>;

    /// The end. Fails when that cannot be taken down, with the reason.
    fn end(&mut self, end: End<'_>) -> Result<(), String>;
}

/// How an exchange ended.
#[derive(Debug, Clone, Copy)]
pub enum End<'a> {
    /// The body has come whole.
    Whole,
    /// The body broke off.
    Broken(&'a str),
    /// There was no reply.
    Failed(&'a Failure),
    /// The gateway itself refused it: it is none of the server's.
    Refused,
}

/// The head of a reply, as the guest gets it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyHead {
    /// HTTP/1.0 or HTTP/1.1.
    pub version: Version,
    /// The status.
    pub status: StatusCode,
    /// What stands beside the status, if that is unusual.
    pub reason: Option<Vec<u8>>,
    /// The header fields, in their order and spelling.
    pub fields: Vec<(String, Vec<u8>)>,
    /// Whether the length of the body is not known before its end.
    pub streamed: bool,
}

/// A length and a hash, which stand for a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Content {
    /// The length.
    pub bytes: u64,
    /// The hash.
    pub hash: blake3::Hash,
}

/// A request, as its guest sent it.
#[derive(Debug)]
pub struct Asked {
    /// The method.
    pub method: String,
    /// The URL with its query.
    pub url: String,
    sent: OnceLock<Content>,
}

impl Asked {
    pub(super) fn new(method: String, url: String) -> Asked {
        Asked {
            method,
            url,
            sent: OnceLock::new(),
        }
    }

    /// Its body; `None` until the guest has sent all of it.
    pub fn sent(&self) -> Option<Content> {
        self.sent.get().copied()
    }
}

/// A request's body on its way, whose content is noted when it has ended.
pub(super) struct Noted<B> {
    inner: B,
    note: Option<Note>,
}

struct Note {
    asked: Arc<Asked>,
    hash: Box<blake3::Hasher>,
    bytes: u64,
}

impl Note {
    fn end(self) {
        let content = Content {
            bytes: self.bytes,
            hash: self.hash.finalize(),
        };
        let _ = self.asked.sent.set(content);
    }
}

impl<B: HttpBody<Data = Bytes>> Noted<B> {
    pub(super) fn new(inner: B, asked: Option<&Arc<Asked>>) -> Noted<B> {
        let note = asked.map(|asked| Note {
            asked: asked.clone(),
            hash: Box::default(),
            bytes: 0,
        });
        let mut noted = Noted { inner, note };
        noted.end_if(noted.inner.is_end_stream());
        noted
    }

    fn end_if(&mut self, ended: bool) {
        if ended && let Some(note) = self.note.take() {
            note.end();
        }
    }
}

impl<B> HttpBody for Noted<B>
where
    B: HttpBody<Data = Bytes> + Unpin,
{
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let this = &mut *self;
        let polled = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        match &polled {
            None => this.end_if(true),
            Some(Ok(frame)) => {
                if let (Some(note), Some(data)) = (&mut this.note, frame.data_ref()) {
                    note.hash.update(data);
                    note.bytes += data.len() as u64;
                }
                // Of a body whose length is known nobody asks for the end.
                this.end_if(this.inner.is_end_stream());
            }
            Some(Err(_)) => this.note = None,
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

/// A reply that is taken down as the guest gets it.
///
/// Fails when the whole of it cannot be.
pub(super) fn taped(
    reply: Response<Body>,
    take: Option<Box<dyn Take>>,
    passage: Arc<Passage>,
) -> Result<Response<Body>, String> {
    let Some(mut take) = take else {
        return Ok(reply);
    };
    let whole = reply.body().size_hint().exact();
    let chunked = whole.is_none() && reply.version() == Version::HTTP_11;
    let reason = reply.extensions().get::<hyper::ext::ReasonPhrase>();
    take.head(ReplyHead {
        version: reply.version(),
        status: reply.status(),
        reason: reason.map(|reason| reason.as_bytes().to_vec()),
        fields: spelling::fields(reply.headers(), reply.extensions(), chunked),
        streamed: whole.is_none(),
    });
    if reply.body().is_end_stream() {
        if let Err(why) = take.end(End::Whole) {
            let _ = passage.cut_off.set(CutOff::Recording);
            return Err(why);
        }
        return Ok(reply);
    }
    Ok(reply.map(|inner| {
        let taped = Taped {
            inner,
            take: Some(take),
            left: whole,
            passage,
            broken: false,
        };
        http_body_util::BodyExt::boxed_unsync(taped)
    }))
}

/// A reply's body on its way, which is taken down.
struct Taped {
    inner: Body,
    take: Option<Box<dyn Take>>,
    /// What is still to come, if that is known.
    left: Option<u64>,
    passage: Arc<Passage>,
    /// Whether it ended because it cannot be taken down.
    broken: bool,
}

impl Taped {
    /// Takes down a frame, or the end.
    fn take_down(&mut self, frame: Option<&Result<Frame<Bytes>, BodyError>>) -> Result<(), String> {
        let Some(take) = &mut self.take else {
            return Ok(());
        };
        let end = match frame {
            None => Some(End::Whole),
            Some(Err(error)) => {
                let done = take.end(End::Broken(&error.to_string()));
                self.take = None;
                return done;
            }
            Some(Ok(frame)) => {
                let data = frame.data_ref().map_or(&[][..], |data| &data[..]);
                take.piece(data)?;
                self.left = self.left.map(|left| left.saturating_sub(data.len() as u64));
                // Of a body whose length is known nobody asks for the end.
                let ended = self.left == Some(0) || self.inner.is_end_stream();
                ended.then_some(End::Whole)
            }
        };
        if let Some(end) = end {
            take.end(end)?;
            self.take = None;
        }
        Ok(())
    }
}

impl HttpBody for Taped {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = &mut *self;
        if this.broken {
            return Poll::Ready(None);
        }
        let polled = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        if let Err(why) = this.take_down(polled.as_ref()) {
            // What is not taken down is not received either.
            this.broken = true;
            let _ = this.passage.cut_off.set(CutOff::Recording);
            return Poll::Ready(Some(Err(why.into())));
        }
        Poll::Ready(polled)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
