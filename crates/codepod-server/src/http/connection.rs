//! Connections: how many in all and from one address, how long a head may take to come and an
//! answer to go, and their end.

use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};

use super::patience::Patient;
use super::tls;
use crate::lock::lock;

/// The largest head of a request.
const HEAD: usize = 64 << 10;
/// The most headers.
const HEADERS: usize = 100;
/// How long TLS may take to begin.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How many connections, and how long they may keep us waiting.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) connections: usize,
    /// From one address.
    pub(crate) per_address: usize,
    /// For the head of a request.
    pub(crate) head: Duration,
    /// Until they take 64 KiB of an answer.
    pub(crate) send: Duration,
}

/// Connections by where they come from.
#[derive(Debug, Default)]
struct Addresses(Mutex<HashMap<IpAddr, usize>>);

/// A connection from an address, until it is dropped.
struct From {
    addresses: Arc<Addresses>,
    address: IpAddr,
}

impl Addresses {
    /// One more from an address; `None` if there are as many as there may be.
    fn enter(self: &Arc<Addresses>, address: IpAddr, most: usize) -> Option<From> {
        let address = network(address);
        let mut open = lock(&self.0);
        let count = open.entry(address).or_insert(0);
        if *count >= most {
            return None;
        }
        *count += 1;
        drop(open);
        Some(From {
            addresses: self.clone(),
            address,
        })
    }
}

impl Drop for From {
    fn drop(&mut self) {
        let mut open = lock(&self.addresses.0);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// What counts as one address: of IPv6, whoever has one has the other 2^64 of its network as well.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

/// Takes connections until `stop` is told; then waits until those that are open have ended. What
/// `count` gives is dropped with the connection.
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
    let addresses = Arc::<Addresses>::default();
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        let (stream, address) = tokio::select! {
            accepted = accept(&listener) => accepted,
            _ = stop.changed() => break,
        };
        let Some(from) = addresses.enter(address, limits.per_address) else {
            continue;
        };
        let stream = Patient::new(stream, limits.send);
        let (router, tls, stop, counted) = (router.clone(), tls.clone(), stop.clone(), count());
        tokio::spawn(async move {
            let _held = (place, from, counted);
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
async fn accept(listener: &TcpListener) -> (TcpStream, IpAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Answers are small and whole: waiting for more would only delay them.
                let _ = stream.set_nodelay(true);
                return (stream, address.ip());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_so_many_connections_and_an_ipv6_network_is_one() {
        let addresses = Arc::<Addresses>::default();
        let enter = |text: &str| addresses.enter(text.parse().unwrap(), 2);
        let first = enter("192.0.2.1");
        let _second = enter("::ffff:192.0.2.1").unwrap();
        assert!(first.is_some() && enter("192.0.2.1").is_none());
        assert!(enter("192.0.2.2").is_some());
        drop(first);
        let _third = enter("192.0.2.1").unwrap();
        let _six = (enter("2001:db8::1").unwrap(), enter("2001:db8::2").unwrap());
        assert!(enter("2001:db8::3").is_none() && enter("2001:db8:0:1::1").is_some());
        drop((_second, _third, _six));
        assert!(lock(&addresses.0).is_empty());
    }
}
