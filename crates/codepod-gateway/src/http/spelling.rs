//! How the names of header fields are spelled.
//!
//! hyper keeps that among a message's extensions, in a type of its own that nobody else can read or
//! make. It tells when it writes a head, so it writes one here, to memory.

use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::future::{Future, ready};
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame};
use hyper::header::{HeaderMap, HeaderName, TRANSFER_ENCODING};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::service::service_fn;
use hyper::{Response, http};

/// The fields of a reply in their order, as hyper spells them. Those of a reply that is `chunked`
/// end with the one that says so, which hyper adds.
pub(super) fn fields(
    headers: &HeaderMap,
    extensions: &http::Extensions,
    chunked: bool,
) -> Vec<(String, Vec<u8>)> {
    let mut spelled = names(&written(headers, extensions));
    let mut field = |name: &HeaderName, value: &[u8]| {
        let written = spelled.get_mut(name).and_then(VecDeque::pop_front);
        let name = written.unwrap_or_else(|| name.to_string());
        (name, value.to_vec())
    };
    let fields = headers.iter();
    let mut fields: Vec<_> = fields
        .map(|(name, value)| field(name, value.as_bytes()))
        .collect();
    if chunked {
        fields.push(field(&TRANSFER_ENCODING, b"chunked"));
    }
    fields
}

/// The head that hyper writes for these fields. It may have others as well.
fn written(headers: &HeaderMap, extensions: &http::Extensions) -> Vec<u8> {
    let paper = Paper::default();
    let out = paper.out.clone();
    let service = service_fn(|_| {
        let mut reply = Response::new(Unwritten);
        *reply.headers_mut() = headers.clone();
        *reply.extensions_mut() = extensions.clone();
        ready(Ok::<_, Infallible>(reply))
    });
    let served = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .preserve_header_case(true)
        .serve_connection(paper, service);
    // The head is written at once; the body never.
    let _ = pin!(served).poll(&mut Context::from_waker(Waker::noop()));
    std::mem::take(&mut *out.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The spellings of each name in a head, in their order.
fn names(head: &[u8]) -> HashMap<HeaderName, VecDeque<String>> {
    let mut names = HashMap::<_, VecDeque<String>>::new();
    for line in head.split(|byte| *byte == b'\n').skip(1) {
        let name = line.split(|byte| *byte == b':').next().unwrap_or_default();
        if let (Ok(own), Ok(text)) = (HeaderName::from_bytes(name), std::str::from_utf8(name)) {
            names.entry(own).or_default().push_back(text.to_owned());
        }
    }
    names
}

/// A body that does not come, and has any length.
struct Unwritten;

impl HttpBody for Unwritten {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Pending
    }
}

/// A stream that asks for a head once, and keeps what is written.
struct Paper {
    request: &'static [u8],
    out: Arc<Mutex<Vec<u8>>>,
}

impl Default for Paper {
    fn default() -> Self {
        Paper {
            request: b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            out: Arc::default(),
        }
    }
}

impl Read for Paper {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        let (now, later) = self
            .request
            .split_at(self.request.len().min(buf.remaining()));
        if now.is_empty() {
            // An end would be that of somebody who does not wait for the reply.
            return Poll::Pending;
        }
        buf.put_slice(now);
        self.request = later;
        Poll::Ready(Ok(()))
    }
}

impl Write for Paper {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        out.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_spelling_names_are_small() {
        let mut headers = HeaderMap::new();
        headers.append("x-one", "1".parse().unwrap());
        headers.append("content-length", "5".parse().unwrap());
        headers.append("x-one", "2".parse().unwrap());
        headers.append("connection", "close".parse().unwrap());
        let expected = [
            ("x-one", "1"),
            ("x-one", "2"),
            ("content-length", "5"),
            ("connection", "close"),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
        assert_eq!(fields(&headers, &http::Extensions::new(), false), expected);
        let head = text(&written(&headers, &http::Extensions::new()));
        assert!(head.contains("\r\nx-one: 1\r\nx-one: 2\r\n"), "{head}");
    }

    fn text(bytes: &[u8]) -> String {
        String::from_utf8_lossy(bytes).into_owned()
    }
}
