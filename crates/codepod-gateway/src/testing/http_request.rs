//! Heads and bodies of a guest, through all that is done to a request before it is sent.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper::{Request, Response, header, http};

use super::{at_once, divided};
use crate::event::Origin;
use crate::http::{
    Body, BodyError, Connection, Failure, ReplyBody, Requests, Taping, Upstream, serve,
};
use crate::network::{Answer, BoxFuture, Network, NetworkOptions};
use crate::policy::host::Host;
use crate::policy::target::{Scheme, Target};
use crate::policy::{Policy, PolicySpec};
use crate::secrets::{HostKey, SecretSpec, Secrets};

/// What a guest may send in all, and how many requests it may make.
const MOST_BYTES: u64 = 64 * 1024;
const MOST_REQUESTS: u64 = 16;

/// Fields that are about one connection.
const HOP_BY_HOP: &[&str] = &[
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
];

/// The bytes of a connection. `Z` stands for the placeholder of a secret that is of another host.
///
/// Whatever they are: each request that goes on is for the granted host, beneath the granted path,
/// framed in one way, without a placeholder, and counted; and the guest reads replies.
pub fn http_request(input: &[u8]) {
    let Some((pieces, _)) = divided::<4>(input) else {
        return;
    };
    let Some((placeholder, secrets)) = secrets() else {
        return;
    };
    let spec = PolicySpec {
        allowed_hosts: Some(vec!["http://good.test/v1".into()]),
        ..PolicySpec::default()
    };
    let Ok(policy) = Policy::new(&spec, 1) else {
        return;
    };
    let mut options = NetworkOptions::new(policy);
    options.limits.bytes_out = MOST_BYTES;
    options.limits.requests = MOST_REQUESTS;
    options.secrets = secrets;
    let network = Arc::new(Network::new(options));
    let origin = Arc::new(Recording::default());
    let connection = Connection {
        insecure: false,
        network: network.clone(),
        origin: Origin::default(),
        host: Host::Name("good.test".into()),
        port: 80,
        scheme: Scheme::Http,
        address: None,
        tls: None,
        times: Mutex::default(),
        clock: || Duration::ZERO,
        asker: Arc::new(|_, _| Box::pin(async { Answer::Allow })),
        taping: Taping::Off,
        requests: Requests::default(),
    };
    let guest = Guest {
        sends: pieces
            .into_iter()
            .map(|piece| filled_in(piece, &placeholder))
            .collect(),
        reads: Arc::default(),
    };
    let read = guest.reads.clone();
    let never = std::future::pending();
    at_once(serve(
        guest,
        Arc::new(connection),
        origin.clone(),
        never,
        std::future::pending(),
    ));

    let seen = std::mem::take(&mut *locked(&origin.seen));
    for request in &seen {
        check(request, &network.policy(), placeholder.as_bytes());
    }
    let usage = network.budget().usage();
    assert!(usage.bytes_out <= MOST_BYTES && usage.requests <= MOST_REQUESTS);
    assert!(usage.requests >= seen.len() as u64, "not counted");
    let read = locked(&read);
    assert!(read.is_empty() || read.starts_with(b"HTTP/1."), "no reply");
    let whole = seen.iter().filter(|request| request.whole).count();
    let good = read.windows(GOOD.len()).filter(|part| *part == GOOD);
    assert!(good.count() <= whole, "a reply that nobody sent");
}

/// The body of all replies.
const GOOD: &[u8] = b"<from the server>";

/// A sandbox's only secret, which is bound to another host, and its placeholder.
fn secrets() -> Option<(String, Arc<Secrets>)> {
    static SECRETS: OnceLock<Option<(String, Arc<Secrets>)>> = OnceLock::new();
    let made = SECRETS.get_or_init(|| {
        let spec = SecretSpec::new("TOKEN", "a value of another host", &["other.test"]);
        let secrets = Secrets::new(&[spec], &HostKey::new([3; 32]), "").ok()?;
        let placeholder = secrets.environment().next()?.1.to_owned();
        Some((placeholder, Arc::new(secrets)))
    });
    made.clone()
}

fn filled_in(piece: &[u8], placeholder: &str) -> Vec<u8> {
    let mut filled = Vec::with_capacity(piece.len());
    for byte in piece {
        match byte {
            b'Z' => filled.extend_from_slice(placeholder.as_bytes()),
            byte => filled.push(*byte),
        }
    }
    filled
}

/// What must hold of a request that goes on.
fn check(request: &Seen, policy: &Policy, placeholder: &[u8]) {
    let Seen { parts, body, whole } = request;
    let hosts: Vec<_> = parts.headers.get_all(header::HOST).iter().collect();
    assert_eq!(hosts, ["good.test"], "another host");
    assert!(parts.uri.authority().is_none(), "{}", parts.uri);
    let target = Target {
        scheme: Scheme::Http,
        host: Host::Name("good.test".into()),
        port: 80,
        path: parts.uri.path().to_owned(),
    };
    let granted = policy.request(&target, parts.method.as_str());
    assert!(granted.is_ok(), "{} {}", parts.method, parts.uri);
    let is_upgrade = parts.headers.contains_key(header::UPGRADE);
    for name in HOP_BY_HOP {
        assert!(!parts.headers.contains_key(*name), "{name}");
    }
    if is_upgrade {
        assert_eq!(parts.headers[header::UPGRADE], "websocket");
        assert_eq!(parts.headers[header::CONNECTION], "Upgrade");
    } else {
        assert!(!parts.headers.contains_key(header::CONNECTION));
    }
    let lengths: Vec<_> = parts
        .headers
        .get_all(header::CONTENT_LENGTH)
        .iter()
        .collect();
    if let [length] = lengths[..]
        && *whole
    {
        let length = length.to_str().unwrap_or_default();
        assert_eq!(length.parse(), Ok(body.len()), "a length of another body");
    } else {
        assert!(lengths.len() <= 1, "{} lengths", lengths.len());
    }
    let fields = parts.headers.iter();
    let texts = fields.flat_map(|(name, value)| [name.as_str().as_bytes(), value.as_bytes()]);
    let target = parts.uri.to_string();
    for text in texts.chain([body.as_slice(), target.as_bytes()]) {
        let found = text
            .windows(placeholder.len())
            .any(|part| part == placeholder);
        assert!(!found, "the placeholder went to a stranger");
    }
}

/// A request that the server has got, and whether its body came to its end.
struct Seen {
    parts: http::request::Parts,
    body: Vec<u8>,
    whole: bool,
}

/// A server that notes what it gets.
#[derive(Default)]
struct Recording {
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Upstream for Recording {
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>> {
        let seen = self.seen.clone();
        Box::pin(async move {
            let (parts, mut incoming) = request.into_parts();
            let (mut body, mut whole) = (Vec::new(), true);
            while let Some(frame) = incoming.frame().await {
                match frame.map(hyper::body::Frame::into_data) {
                    Ok(Ok(data)) => body.extend_from_slice(&data),
                    Ok(Err(_)) => {}
                    Err(_) => whole = false,
                }
                if !whole {
                    break;
                }
            }
            locked(&seen).push(Seen { parts, body, whole });
            if !whole {
                return Err(Failure::Broken("the body ended early".to_owned()));
            }
            let reply = Full::new(Bytes::from_static(GOOD));
            let reply = reply.map_err(|never| -> BodyError { match never {} });
            Ok(Response::new(reply.boxed_unsync()))
        })
    }
}

/// The guest's side of the connection.
struct Guest {
    sends: VecDeque<Vec<u8>>,
    reads: Arc<Mutex<Vec<u8>>>,
}

impl Read for Guest {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut buf: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(piece) = self.sends.front_mut() {
            let length = piece.len().min(buf.remaining());
            buf.put_slice(&piece[..length]);
            piece.drain(..length);
            if piece.is_empty() {
                self.sends.pop_front();
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Write for Guest {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        locked(&self.reads).extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
