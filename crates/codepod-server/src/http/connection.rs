//! Connections: how many, how long a head may take, and their end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::tls;

/// The largest head of a request.
const HEAD: usize = 64 << 10;
/// The most headers.
const HEADERS: usize = 100;
/// How long TLS may take to begin.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How many connections, and how long the head of a request may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) connections: usize,
    pub(crate) head: Duration,
}

/// Takes connections until `stop` is told; then waits until those that are open have ended. What `count` gives is dropped
/// with the connection.
pub(crate) async fn serve<G: Send + 'static>(
    listener: TcpListener,
    tls: Option<tls::Acceptor>,
    router: Router,
    limits: Limits,
    count: impl Fn() -> G,
    mut stop: watch::Receiver<()>,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let tls = tls.map(Arc::new);
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            _ = stop.changed() => break,
        };
        let (router, tls, stop, counted) = (router.clone(), tls.clone(), stop.clone(), count());
        tokio::spawn(async move {
            let _held = (place, counted);
            match tls {
                None => talk(stream, router, limits.head, stop).await,
                Some(tls) => {
                    let begun = tokio::time::timeout(HANDSHAKE, tls.0.accept(stream)).await;
                    if let Ok(Ok(stream)) = begun {
                        talk(stream, router, limits.head, stop).await;
                    }
                }
            }
        });
    }
    drop(listener);
    // All places are free again when the last connection has ended.
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    let _ = places.acquire_many(all).await;
}

/// The next connection. When the host has no descriptors left, others end first.
async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Answers are small and whole: waiting for more would only delay them.
                let _ = stream.set_nodelay(true);
                return stream;
            }
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn talk(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    router: Router,
    head: Duration,
    mut stop: watch::Receiver<()>,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(head)
        .max_buf_size(HEAD)
        .max_headers(HEADERS);
    let connection = http.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut connection = pin!(connection.with_upgrades());
    // A client that breaks off is no fault of ours.
    tokio::select! {
        _ = connection.as_mut() => return,
        _ = stop.changed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
