//! What listens inside a sandbox, as a part of this server:
//! `/v1/sandboxes/{sandbox}/ports/{port}/…`, WebSockets as well.
//!
//! Each request has a connection of its own to the server inside; no socket of the host is
//! involved. What a client says to this server stays here, its key above all. What the server
//! inside answers is not trusted: it is parsed and written anew, and its time is limited.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, Version, header};
use axum::response::Response;
use codepod_api::{ApiError, Kind};
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::client::conn::http1;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::copy_bidirectional;
use tokio::task::AbortHandle;

use super::App;
use super::port_stream::{Patience, PortStream};
use super::request::{find, request_id};
use super::response::failed;
use crate::failure::failure;
use crate::tenant::Place;

/// What it is called among the methods in logs and metrics.
const NAME: &str = "ports";
/// Longer than any connection lasts.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);
/// How much longer than a command a connection may last, as a terminal does.
const TIMES_LONGER: u32 = 6;
/// The largest head of an answer.
const HEAD: usize = 64 << 10;

/// Fields that are between two neighbours, and those that this server says itself.
const OWN_FIELDS: [HeaderName; 8] = [
    header::CONNECTION,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("keep-alive"),
];

/// Passes a request on to the server inside, and its answer back.
pub(super) async fn pass(
    State(app): State<Arc<App>>,
    Path(names): Path<Vec<(String, String)>>,
    request: Request,
) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let named = |wanted: &str| {
        let found = names.iter().find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let passed = passed(&app, named("sandbox"), &named("port"), request).await;
    let mut response = passed.unwrap_or_else(|error| failed(&error));
    let (status, took) = (response.status().as_u16(), began.elapsed());
    app.metrics.answered(NAME, status, took);
    tracing::info!(
        event = "request",
        id,
        method = NAME,
        status,
        ms = took.as_secs_f64() * 1000.0
    );
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

async fn passed(
    app: &Arc<App>,
    sandbox: String,
    port: &str,
    mut request: Request,
) -> Result<Response, ApiError> {
    let (live, place) = find(app, request.headers(), sandbox.clone()).await?;
    let port = match port.parse() {
        Ok(port @ 1..) => port,
        _ => {
            let message = "a port is a number from 1 to 65535";
            return Err(ApiError::new(Kind::InvalidParams, message));
        }
    };
    let dialled = tokio::task::spawn_blocking(move || live.sandbox.dial(port));
    let connection = dialled.await.map_err(|_| ApiError::internal())?;
    let stream = PortStream::new(connection.map_err(failure)?, patience(app));
    let ours = wanted_protocol(request.headers())
        .map(|protocol| (protocol, hyper::upgrade::on(&mut request)));
    let inside = Inside {
        port,
        prefix: format!("/v1/sandboxes/{sandbox}/ports/{port}"),
    };
    inside.address(&mut request, ours.as_ref().map(|(protocol, _)| protocol))?;
    let no_answer = |_| {
        let message = format!("the server at port {port} gave no answer of HTTP in time");
        ApiError::new(Kind::NoServer, message)
    };
    let mut http = http1::Builder::new();
    http.max_buf_size(HEAD);
    let (mut sender, connection) = http
        .handshake(TokioIo::new(stream))
        .await
        .map_err(no_answer)?;
    // What breaks the connection off is told by the answer.
    let driver = tokio::spawn(async { drop(connection.with_upgrades().await) });
    let held = Held {
        _place: place,
        driver: driver.abort_handle(),
    };
    let mut response = sender.send_request(request).await.map_err(no_answer)?;
    let switches = response.status() == StatusCode::SWITCHING_PROTOCOLS;
    let theirs = switches.then(|| hyper::upgrade::on(&mut response));
    let (mut head, body) = response.into_parts();
    // Which version a neighbour speaks is between him and us.
    head.version = Version::HTTP_11;
    let protocol = wanted_protocol(&head.headers);
    strip(&mut head.headers);
    inside.redirect_here(&mut head.headers);
    match (theirs, ours) {
        (Some(theirs), Some((wanted, ours))) => {
            set_protocol(&mut head.headers, &protocol.unwrap_or(wanted));
            tokio::spawn(tunnel(ours, theirs, held));
            Ok(Response::from_parts(head, Body::empty()))
        }
        // Nobody has asked for another protocol.
        (Some(_), None) => Err(ApiError::new(
            Kind::NoServer,
            format!("the server at port {port} changed the protocol"),
        )),
        (None, _) => {
            let body = Body::new(Answer { body, _held: held });
            Ok(Response::from_parts(head, body))
        }
    }
}

fn patience(app: &App) -> Patience {
    let seconds = |seconds: u64| Duration::from_secs(seconds).min(FOR_EVER);
    Patience {
        idle: seconds(app.config.terminal_idle_seconds),
        longest: seconds(app.config.ceiling.timeout_seconds) * TIMES_LONGER,
    }
}

/// What is kept as long as an answer is under way.
struct Held {
    _place: Place,
    driver: AbortHandle,
}

impl Drop for Held {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

/// The body of an answer.
struct Answer {
    body: Incoming,
    _held: Held,
}

impl HttpBody for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Carries bytes both ways until one side has ended or the time is over.
async fn tunnel(ours: OnUpgrade, theirs: OnUpgrade, _held: Held) {
    let (Ok(ours), Ok(theirs)) = tokio::join!(ours, theirs) else {
        return;
    };
    let both = |stream: Upgraded| TokioIo::new(stream);
    // Whoever breaks off, both hear of it.
    let _ = copy_bidirectional(&mut both(ours), &mut both(theirs)).await;
}

/// The protocol that a head asks to change to, or changes to.
fn wanted_protocol(headers: &HeaderMap) -> Option<HeaderValue> {
    let says_upgrade = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|word| word.trim().eq_ignore_ascii_case("upgrade"));
    let protocol = headers.get(header::UPGRADE).cloned();
    protocol.filter(|_| says_upgrade)
}

fn set_protocol(headers: &mut HeaderMap, protocol: &HeaderValue) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, protocol.clone());
}

/// Takes out what is only between two neighbours.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|word| word.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&OWN_FIELDS) {
        headers.remove(name);
    }
}

/// The server inside, and where it is found here.
struct Inside {
    port: u16,
    prefix: String,
}

impl Inside {
    /// Makes a request to this server one to the server inside.
    fn address(
        &self,
        request: &mut Request,
        protocol: Option<&HeaderValue>,
    ) -> Result<(), ApiError> {
        let path = request.uri().path();
        // The path as it was sent: only the server inside knows what its escapes mean.
        let mut inner = path.splitn(7, '/').nth(6).unwrap_or_default().to_owned();
        inner.insert(0, '/');
        if let Some(query) = request.uri().query() {
            inner = format!("{inner}?{query}");
        }
        *request.version_mut() = Version::HTTP_11;
        *request.uri_mut() = inner
            .parse::<Uri>()
            .map_err(|_| ApiError::new(Kind::InvalidRequest, "that is no path"))?;
        let headers = request.headers_mut();
        let host = headers.get(header::HOST).cloned();
        strip(headers);
        headers.remove(header::AUTHORIZATION);
        // This server has answered it already, by reading the body.
        headers.remove(header::EXPECT);
        for name in ["forwarded", "x-forwarded-for", "x-forwarded-proto"] {
            headers.remove(name);
        }
        let own = |text: &str| HeaderValue::from_str(text).map_err(|_| ApiError::internal());
        headers.insert(header::HOST, own(&format!("localhost:{}", self.port))?);
        headers.insert("x-forwarded-prefix", own(&self.prefix)?);
        if let Some(host) = host {
            headers.insert("x-forwarded-host", host);
        }
        if let Some(protocol) = protocol {
            set_protocol(headers, protocol);
        }
        Ok(())
    }

    /// A redirect to the server inside leads there through this one.
    fn redirect_here(&self, headers: &mut HeaderMap) {
        let Some(to) = headers
            .get(header::LOCATION)
            .and_then(|to| to.to_str().ok())
        else {
            return;
        };
        let own = ["localhost", "127.0.0.1"].map(|host| format!("http://{host}:{}/", self.port));
        let path = match own.iter().find_map(|own| to.strip_prefix(own)) {
            Some(path) => path,
            None => match to.strip_prefix('/') {
                Some(path) if !path.starts_with('/') => path,
                _ => return,
            },
        };
        if let Ok(here) = HeaderValue::from_str(&format!("{}/{path}", self.prefix)) {
            headers.insert(header::LOCATION, here);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inside() -> Inside {
        Inside {
            port: 8000,
            prefix: "/v1/sandboxes/sb/ports/8000".into(),
        }
    }

    #[test]
    fn a_request_keeps_its_path_and_loses_what_is_for_this_server() {
        let paths = [
            ("/v1/sandboxes/sb/ports/8000", "/"),
            ("/v1/sandboxes/sb/ports/8000/", "/"),
            ("/v1/sandboxes/sb/ports/8000?a=1", "/?a=1"),
            (
                "/v1/sandboxes/sb/ports/8000/a%2Fb//c?d=/e",
                "/a%2Fb//c?d=/e",
            ),
        ];
        for (outer, inner) in paths {
            let mut request = Request::builder()
                .uri(outer)
                .header("host", "pod.example")
                .header("authorization", "Bearer cpk_secret")
                .header("connection", "close, X-Own")
                .header("x-own", "1")
                .header("cookie", "a=b")
                .body(Body::empty())
                .unwrap();
            inside().address(&mut request, None).unwrap();
            assert_eq!(request.uri(), inner);
            let headers = request.headers();
            let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
            names.sort_unstable();
            assert_eq!(
                names,
                ["cookie", "host", "x-forwarded-host", "x-forwarded-prefix"]
            );
            assert_eq!(headers["host"], "localhost:8000");
            assert_eq!(headers["x-forwarded-host"], "pod.example");
        }
    }

    #[test]
    fn redirects_stay_with_the_server_inside() {
        let cases = [
            ("/login?next=/", "/v1/sandboxes/sb/ports/8000/login?next=/"),
            ("http://localhost:8000/a", "/v1/sandboxes/sb/ports/8000/a"),
            ("http://127.0.0.1:8000/", "/v1/sandboxes/sb/ports/8000/"),
            ("next", "next"),
            ("//elsewhere.example/", "//elsewhere.example/"),
            ("http://localhost:80000/", "http://localhost:80000/"),
            ("https://elsewhere.example/", "https://elsewhere.example/"),
        ];
        for (from, to) in cases {
            let mut headers = HeaderMap::new();
            headers.insert("location", from.parse().unwrap());
            inside().redirect_here(&mut headers);
            assert_eq!(headers["location"], to);
        }
    }
}
