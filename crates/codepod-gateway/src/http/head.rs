//! Heads of requests and replies, from what was parsed to what is sent.

use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, Request, Uri, Version, http};

use crate::policy::host::Host;
use crate::policy::target::{Scheme, Target, split_port};

/// Fields that are about one connection. What `Connection` names goes as well.
const HOP_BY_HOP: &[&str] = &[
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authenticate",
    "proxy-authorization",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What is wrong with a head.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BadHead {
    /// It is malformed, or programs read it differently.
    Malformed(&'static str),
    /// It names another host than the connection is to.
    OtherHost,
}

/// The target of a request on a connection to `host` and `port`.
///
/// Fails when the head names another host, or none where it has to, or could be read as two.
pub(super) fn target(
    request: &http::request::Parts,
    scheme: Scheme,
    host: &Host,
    port: u16,
) -> Result<Target, BadHead> {
    let headers = &request.headers;
    if request.method == Method::CONNECT {
        return Err(BadHead::Malformed("CONNECT is not forwarded"));
    }
    let own = |authority: &str| is_authority(authority, scheme, host, port);
    let mut names = headers.get_all(header::HOST).iter();
    match (names.next(), names.next()) {
        (Some(name), None) => {
            if !name.to_str().is_ok_and(own) {
                return Err(BadHead::OtherHost);
            }
        }
        (None, None) if request.version == Version::HTTP_10 => {}
        (None, None) => return Err(BadHead::Malformed("there is no Host")),
        (_, Some(_)) => return Err(BadHead::Malformed("there is more than one Host")),
    }
    if has_other_coding(headers) {
        return Err(BadHead::Malformed("the only transfer coding is `chunked`"));
    }
    if let Some(authority) = request.uri.authority() {
        let same_scheme = request.uri.scheme_str().and_then(Scheme::parse) == Some(scheme);
        if !same_scheme || !own(authority.as_str()) {
            return Err(BadHead::OtherHost);
        }
    }
    let path = request.uri.path();
    if !path.starts_with('/') && !(path == "*" && request.method == Method::OPTIONS) {
        return Err(BadHead::Malformed("the target is a path"));
    }
    Ok(Target {
        scheme,
        host: host.clone(),
        port,
        path: path.to_owned(),
    })
}

/// Whether a body has another transfer coding than `chunked`. That is of one connection: the field
/// does not go on, so what is behind would get bytes that nothing says how to decode.
pub(crate) fn has_other_coding(headers: &HeaderMap) -> bool {
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    let is_chunked = |coding: &HeaderValue| {
        let coding = coding.as_bytes().trim_ascii();
        coding.eq_ignore_ascii_case(b"chunked")
    };
    codings.next().is_some_and(|coding| !is_chunked(coding)) || codings.next().is_some()
}

/// Whether `authority` is this host and port, and nothing else.
fn is_authority(authority: &str, scheme: Scheme, host: &Host, port: u16) -> bool {
    let Ok((name, own_port)) = split_port(authority) else {
        return false;
    };
    Host::parse(name).is_ok_and(|own| own == *host)
        && own_port.or(scheme.default_port()) == Some(port)
}

/// The value of `Host` that the server gets.
pub(super) fn host_value(scheme: Scheme, host: &Host, port: u16) -> HeaderValue {
    let text = if scheme.default_port() == Some(port) {
        host.in_url()
    } else {
        format!("{}:{port}", host.in_url())
    };
    // A host in canonical form is visible ASCII.
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static(""))
}

/// The fields that go on, in their order; `exchange` may replace a value.
pub(super) fn end_to_end(
    headers: &HeaderMap,
    mut exchange: impl FnMut(&HeaderName, &HeaderValue) -> Option<HeaderValue>,
) -> HeaderMap {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        // A guest must not strip what we or the framing need.
        .filter(|name| *name != header::HOST && *name != header::CONTENT_LENGTH)
        .collect();
    let mut kept = HeaderMap::with_capacity(headers.len() + 2);
    for (name, value) in headers {
        if HOP_BY_HOP.contains(&name.as_str()) || named.contains(name) {
            continue;
        }
        let value = exchange(name, value).unwrap_or_else(|| value.clone());
        kept.append(name.clone(), value);
    }
    kept
}

/// Whether a head asks for, or agrees to, WebSocket.
pub(super) fn is_websocket(headers: &HeaderMap) -> bool {
    let has = |name, token: &str| {
        let mut values = headers.get_all(name).iter();
        values.any(|value| {
            let tokens = value.to_str().unwrap_or_default().split(',');
            tokens
                .map(str::trim)
                .any(|own| own.eq_ignore_ascii_case(token))
        })
    };
    headers.get_all(header::UPGRADE).iter().count() == 1
        && has(header::UPGRADE, "websocket")
        && has(header::CONNECTION, "upgrade")
}

/// Whether the server closes the connection after this reply.
pub(super) fn closes(version: Version, headers: &HeaderMap) -> bool {
    let says = |token: &str| {
        let mut values = headers.get_all(header::CONNECTION).iter();
        values.any(|value| {
            let tokens = value.to_str().unwrap_or_default().split(',');
            tokens
                .map(str::trim)
                .any(|own| own.eq_ignore_ascii_case(token))
        })
    };
    says("close") || (version == Version::HTTP_10 && !says("keep-alive"))
}

/// Path and query for the request line, with another query if one is given.
pub(super) fn origin_form(uri: &Uri, query: Option<&[u8]>) -> Option<Uri> {
    let mut text = uri.path().as_bytes().to_vec();
    if let Some(query) = query.or(uri.query().map(str::as_bytes)) {
        text.push(b'?');
        text.extend_from_slice(query);
    }
    Uri::from_maybe_shared(bytes::Bytes::from(text)).ok()
}

/// The media type of a body, without its parameters.
pub(super) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether a body is compressed.
pub(super) fn is_encoded(headers: &HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .any(|value| {
            !value
                .as_bytes()
                .trim_ascii()
                .eq_ignore_ascii_case(b"identity")
        })
}

/// The length of a request's head with HTTP/1.1's usual spacing.
pub(super) fn head_bytes<B>(request: &Request<B>) -> usize {
    let path = request
        .uri()
        .path_and_query()
        .map_or(1, |path| path.as_str().len());
    let line = request.method().as_str().len() + path + " ".len() + " HTTP/1.1\r\n".len();
    line + fields_bytes(request.headers()) + "\r\n".len()
}

/// The length of a reply's head with the usual reason.
pub(super) fn reply_head_bytes(parts: &http::response::Parts) -> usize {
    let reason = parts.status.canonical_reason().unwrap_or_default().len();
    "HTTP/1.1 200 \r\n".len() + reason + fields_bytes(&parts.headers) + "\r\n".len()
}

fn fields_bytes(headers: &HeaderMap) -> usize {
    let fields = headers.iter();
    fields
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum()
}
