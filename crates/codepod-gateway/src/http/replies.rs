//! Replies that the gateway writes itself.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::header::{self, HeaderValue};
use hyper::{Response, StatusCode, http};

use super::body::{Body, BodyError};
use super::head;
use crate::policy::denial::Denial;
use crate::policy::printable;

/// What a guest reads when a request is denied.
pub(super) fn denied(denial: &Denial) -> Response<Body> {
    let mut reply = plain(StatusCode::FORBIDDEN, &denial.to_string());
    let rule = match &denial.rule {
        Some(rule) => printable(&rule.to_string()),
        None => denial.kind.as_str().to_owned(),
    };
    if let Ok(rule) = HeaderValue::from_str(&rule) {
        reply.headers_mut().insert("codepod-denied", rule);
    }
    // The rest of a request that was denied is not read.
    reply
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    reply
}

/// A line of text.
pub(super) fn plain(status: StatusCode, text: &str) -> Response<Body> {
    let body =
        Full::new(Bytes::from(format!("{text}\n"))).map_err(|never: Infallible| match never {});
    let mut reply = Response::new(body.boxed_unsync());
    *reply.status_mut() = status;
    reply.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    reply
}

/// A body with nothing in it.
pub(super) fn empty() -> Body {
    Full::new(Bytes::new())
        .map_err(|never: Infallible| -> BodyError { match never {} })
        .boxed_unsync()
}

/// The embedder's own reply. What is no status or field of HTTP is left out.
pub(super) fn made_up(
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
) -> Response<Body> {
    let body =
        Full::new(Bytes::from(body)).map_err(|never: Infallible| -> BodyError { match never {} });
    let mut reply = Response::new(body.boxed_unsync());
    *reply.status_mut() = StatusCode::from_u16(status)
        .ok()
        .filter(|status| !status.is_informational())
        .unwrap_or(StatusCode::BAD_GATEWAY);
    let mut all = http::HeaderMap::new();
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (
            header::HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_str(&value),
        ) && name != header::CONTENT_LENGTH
        {
            all.append(name, value);
        }
    }
    *reply.headers_mut() = head::end_to_end(&all, |_, _| None);
    reply
}
