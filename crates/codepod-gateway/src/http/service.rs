//! One connection of a guest: its requests, one after the other.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::service::service_fn;
use hyper::{Request, Response};

use super::body::{Body, ReplyBody};
use super::exchange::Exchange;
use super::tape::Taping;
use crate::event::{Origin, Times};
use crate::network::{Answer, Ask, BoxFuture, Network, OnRequest};
use crate::policy::host::Host;
use crate::policy::target::Scheme;

/// The largest head of a request.
pub(super) const MAX_HEAD: usize = 64 * 1024;
/// The most header fields.
pub(super) const MAX_FIELDS: usize = 256;
/// Why a server gives no reply.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It closed the connection, or sent what is no HTTP: the guest's connection is closed, too.
    #[error("{0}")]
    Broken(String),
    /// It took too long.
    #[error("the server did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// What it gave is not what it has to be.
    #[error("{0}")]
    Wrong(String),
    /// It cannot be asked, and nothing was kept.
    #[error("{0}")]
    Absent(String),
    /// The recording that stands in for the server has no such request; what differs.
    #[error("{0}")]
    Unrecorded(String),
}

/// Marks a request that has nothing of a secret, from a sandbox that has none for its host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shareable;

/// How a reply came that was not, or not only, fetched for its guest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Came(pub(crate) &'static str);

/// The way to the server of a connection.
pub trait Upstream: Send + Sync {
    /// Sends a request and returns the reply with its body to come.
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>>;
}

/// What all requests of a connection share.
pub struct Connection {
    /// The sandbox's network, which decides.
    pub network: Arc<Network>,
    /// Who opened the connection.
    pub origin: Origin,
    /// The host that it was opened to.
    pub host: Host,
    /// Its port.
    pub port: u16,
    /// Whether TLS ended before.
    pub scheme: Scheme,
    /// The address that was dialled.
    pub address: Option<SocketAddr>,
    /// The version of TLS.
    pub tls: Option<&'static str>,
    /// Whether any certificate of the server was taken. No secret goes there then.
    pub insecure: bool,
    /// The times of the connection itself, which its first request takes into its event.
    pub times: Mutex<Times>,
    /// A clock that never goes back.
    pub clock: fn() -> Duration,
    /// Asks whoever is asked about each request, and has an answer in time.
    pub asker: Asker,
    /// Whether its exchanges are recorded, or replayed.
    pub taping: Taping,
    /// How far its requests are.
    pub requests: Requests,
}

/// How far the requests of a connection are.
#[derive(Debug, Clone, Default)]
pub struct Requests(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    begun: AtomicU64,
    sent: AtomicU64,
    cut: AtomicBool,
}

impl Requests {
    /// Whether there have been some, and all have been sent to their server or were answered
    /// without it.
    pub fn are_delivered(&self) -> bool {
        let sent = self.0.sent.load(Ordering::SeqCst);
        sent > 0 && sent == self.0.begun.load(Ordering::SeqCst)
    }

    /// Whether a reply broke off whose end is the end of its connection. If that just ended, the
    /// part would look whole.
    pub fn is_cut(&self) -> bool {
        self.0.cut.load(Ordering::SeqCst)
    }

    /// Notes that a reply broke off.
    pub(super) fn cut(&self) {
        self.0.cut.store(true, Ordering::SeqCst);
    }

    /// Counts one that begins. It is sent when what is returned is dropped.
    pub(super) fn begin(&self) -> Sending {
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        Sending(self.clone())
    }
}

/// A request on its way.
pub(super) struct Sending(Requests);

impl Drop for Sending {
    fn drop(&mut self) {
        self.0.0.sent.fetch_add(1, Ordering::SeqCst);
    }
}

/// Asks the embedder. It denies when that fails, takes too long, or too many wait.
pub type Asker = Arc<dyn Fn(OnRequest, Ask) -> BoxFuture<Answer> + Send + Sync>;

/// Serves the requests of a guest until it or the server ends the connection.
///
/// `closed` is ready when the server has closed: then the guest's connection ends after the request
/// under way. `left` is ready when the guest has gone: then everything ends.
pub async fn serve<S>(
    stream: S,
    connection: Arc<Connection>,
    upstream: Arc<dyn Upstream>,
    closed: impl Future<Output = ()>,
    left: impl Future<Output = ()>,
) where
    S: Read + Write + Unpin + Send + 'static,
{
    let tunnels: Arc<Mutex<Option<BoxFuture<()>>>> = Arc::default();
    let service = service_fn(|request: Request<Incoming>| {
        let (connection, upstream, tunnels) =
            (connection.clone(), upstream.clone(), tunnels.clone());
        async move {
            let (parts, body) = request.into_parts();
            Exchange::new(connection, &parts)
                .run(parts, body, &*upstream, &tunnels)
                .await
        }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .half_close(true)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_FIELDS)
        .preserve_header_case(true)
        .serve_connection(stream, service)
        .with_upgrades();
    let mut served = std::pin::pin!(served);
    let mut closed = std::pin::pin!(closed);
    let mut left = std::pin::pin!(left);
    let mut open = true;
    // What goes wrong between the guest and us is the guest's affair.
    let _ = std::future::poll_fn(|cx| {
        let polled = served.as_mut().poll(cx);
        // A connection that became a WebSocket is no longer one of HTTP, and has not ended.
        let is_tunnel = || {
            tunnels
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_some()
        };
        if polled.is_pending() && open && closed.as_mut().poll(cx).is_ready() && !is_tunnel() {
            open = false;
            served.as_mut().graceful_shutdown();
            return served.as_mut().poll(cx);
        }
        if polled.is_pending() && !is_tunnel() && left.as_mut().poll(cx).is_ready() {
            return Poll::Ready(Ok(()));
        }
        polled
    })
    .await;
    let tunnel = tunnels
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(tunnel) = tunnel {
        tunnel.await;
    }
}
