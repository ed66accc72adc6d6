//! What a sandbox and its forks may use of the network, together.
//!
//! A fork gets a clone of its parent's budget, which counts in the same place: otherwise a fork
//! would be a way to double it. Counts never go back, but for open connections.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How much of the network may be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Requests of HTTP; a raw connection counts as one.
    pub requests: u64,
    /// Bytes of replies, heads and bodies.
    pub bytes_in: u64,
    /// Bytes of requests, heads and bodies.
    pub bytes_out: u64,
    /// Connections at one time.
    pub connections: u64,
    /// Names that are looked up by each rule with a `*`.
    pub names_per_wildcard: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            requests: 10_000,
            bytes_in: 1 << 30,
            bytes_out: 100 << 20,
            connections: 32,
            names_per_wildcard: 64,
        }
    }
}

/// How long each step of a request may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// The lookup of a name.
    pub resolve: Duration,
    /// Connecting, to all vetted addresses together.
    pub connect: Duration,
    /// The handshake of TLS.
    pub tls: Duration,
    /// From the end of the request to the head of the reply.
    pub first_byte: Duration,
    /// Between two pieces of a body or of a raw connection.
    pub idle: Duration,
    /// The embedder's answer about a request.
    pub callback: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Timeouts {
            resolve: Duration::from_secs(10),
            connect: Duration::from_secs(10),
            tls: Duration::from_secs(10),
            first_byte: Duration::from_secs(60),
            idle: Duration::from_secs(60),
            callback: Duration::from_secs(30),
        }
    }
}

/// A limit that was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Exceeded {
    /// No more requests.
    #[error("the budget of {0} requests is used up")]
    Requests(u64),
    /// No more bytes of replies.
    #[error("the budget of {0} bytes received is used up")]
    BytesIn(u64),
    /// No more bytes of requests.
    #[error("the budget of {0} bytes sent is used up")]
    BytesOut(u64),
    /// Too many connections at one time.
    #[error("{0} connections are open, and no more are allowed")]
    Connections(u64),
    /// Too many names beneath one `*`.
    #[error("{0} names beneath one `*` were looked up, and no more are allowed")]
    Names(usize),
}

/// What was used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Requests.
    pub requests: u64,
    /// Bytes of replies.
    pub bytes_in: u64,
    /// Bytes of requests.
    pub bytes_out: u64,
    /// Connections that are open now.
    pub connections: u64,
}

/// A budget; clones count in the same place.
#[derive(Debug, Clone)]
pub struct Budget {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    limits: Limits,
    requests: AtomicU64,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    connections: AtomicU64,
    /// The names looked up beneath the parent of each wildcard rule.
    names: Mutex<HashMap<Box<str>, HashSet<Box<str>>>>,
}

/// An open connection, which counts until it is dropped.
#[derive(Debug)]
pub struct OpenConnection {
    shared: Arc<Shared>,
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.shared.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Budget {
    /// A budget that nothing was used of.
    pub fn new(limits: Limits) -> Budget {
        Budget {
            shared: Arc::new(Shared {
                limits,
                requests: AtomicU64::new(0),
                bytes_in: AtomicU64::new(0),
                bytes_out: AtomicU64::new(0),
                connections: AtomicU64::new(0),
                names: Mutex::default(),
            }),
        }
    }

    /// What was used so far.
    pub fn usage(&self) -> Usage {
        let shared = &self.shared;
        Usage {
            requests: shared.requests.load(Ordering::Relaxed),
            bytes_in: shared.bytes_in.load(Ordering::Relaxed),
            bytes_out: shared.bytes_out.load(Ordering::Relaxed),
            connections: shared.connections.load(Ordering::Relaxed),
        }
    }

    /// Whether another request would be let through. Nothing is counted.
    pub fn has_room(&self) -> Result<(), Exceeded> {
        let (limits, used) = (&self.shared.limits, self.usage());
        if used.requests >= limits.requests {
            return Err(Exceeded::Requests(limits.requests));
        }
        if used.bytes_in >= limits.bytes_in {
            return Err(Exceeded::BytesIn(limits.bytes_in));
        }
        if used.bytes_out >= limits.bytes_out {
            return Err(Exceeded::BytesOut(limits.bytes_out));
        }
        Ok(())
    }

    /// Counts a request, or fails and counts nothing.
    pub fn request(&self) -> Result<(), Exceeded> {
        self.has_room()?;
        let limit = self.shared.limits.requests;
        draw(&self.shared.requests, limit, 1)
            .map(|_| ())
            .ok_or(Exceeded::Requests(limit))
    }

    /// Counts a connection until the result is dropped, or fails.
    pub fn connection(&self) -> Result<OpenConnection, Exceeded> {
        let limit = self.shared.limits.connections;
        draw(&self.shared.connections, limit, 1)
            .map(|_| OpenConnection {
                shared: self.shared.clone(),
            })
            .ok_or(Exceeded::Connections(limit))
    }

    /// Counts bytes received and returns how many of them are within the limit.
    ///
    /// Fails when none are.
    pub fn receive(&self, bytes: usize) -> Result<usize, Exceeded> {
        let limit = self.shared.limits.bytes_in;
        draw(&self.shared.bytes_in, limit, bytes).ok_or(Exceeded::BytesIn(limit))
    }

    /// Counts bytes to send and returns how many of them are within the limit.
    ///
    /// Fails when none are.
    pub fn send(&self, bytes: usize) -> Result<usize, Exceeded> {
        let limit = self.shared.limits.bytes_out;
        draw(&self.shared.bytes_out, limit, bytes).ok_or(Exceeded::BytesOut(limit))
    }

    /// Counts a name that is looked up beneath `parent`, once each.
    ///
    /// Fails when too many others were: names carry data to whoever serves them.
    pub fn name(&self, parent: &str, name: &str) -> Result<(), Exceeded> {
        let limit = self.shared.limits.names_per_wildcard;
        let mut names = self
            .shared
            .names
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = names.entry(parent.into()).or_default();
        if known.contains(name) {
            return Ok(());
        }
        if known.len() >= limit {
            return Err(Exceeded::Names(limit));
        }
        known.insert(name.into());
        Ok(())
    }
}

/// Adds as much of `wanted` as stays within `limit`, and returns how much that was; `None` when
/// nothing does.
fn draw(counter: &AtomicU64, limit: u64, wanted: usize) -> Option<usize> {
    let mut granted = 0;
    let drawn = counter.try_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        granted = limit.saturating_sub(used).min(wanted as u64);
        (granted > 0 || wanted == 0).then_some(used + granted)
    });
    drawn.ok().map(|_| granted as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn budget() -> Budget {
        Budget::new(Limits {
            requests: 3,
            bytes_in: 100,
            bytes_out: 10,
            connections: 2,
            names_per_wildcard: 2,
        })
    }

    // NW-18
    #[test]
    fn every_limit_is_reached_exactly() {
        let budget = budget();
        for _ in 0..3 {
            budget.request().unwrap();
        }
        assert_eq!(budget.request(), Err(Exceeded::Requests(3)));
        assert_eq!(budget.has_room(), Err(Exceeded::Requests(3)));
        assert_eq!(budget.receive(60), Ok(60));
        assert_eq!(budget.receive(60), Ok(40));
        assert_eq!(budget.receive(1), Err(Exceeded::BytesIn(100)));
        assert_eq!((budget.send(0), budget.send(11)), (Ok(0), Ok(10)));
        assert_eq!(budget.send(1), Err(Exceeded::BytesOut(10)));
        let connection = budget.connection().unwrap();
        let _other = budget.connection().unwrap();
        assert!(matches!(budget.connection(), Err(Exceeded::Connections(2))));
        drop(connection);
        assert!(budget.connection().is_ok());
        let usage = budget.usage();
        assert_eq!(
            (
                usage.requests,
                usage.bytes_in,
                usage.bytes_out,
                usage.connections
            ),
            (3, 100, 10, 1)
        );
    }

    #[test]
    fn a_fork_draws_from_the_same_budget() {
        let parent = budget();
        let fork = parent.clone();
        fork.request().unwrap();
        fork.send(10).unwrap();
        assert_eq!(parent.usage().requests, 1);
        assert_eq!(parent.request(), Err(Exceeded::BytesOut(10)));
    }

    // NW-12
    #[test]
    fn nw_12_names_beneath_a_star_are_counted_once_each() {
        let budget = budget();
        for name in ["a.x.com", "b.x.com", "a.x.com"] {
            budget.name("x.com", name).unwrap();
        }
        assert_eq!(budget.name("x.com", "c.x.com"), Err(Exceeded::Names(2)));
        assert!(budget.name("y.com", "c.y.com").is_ok() && budget.name("x.com", "b.x.com").is_ok());
    }

    // NW-18
    #[test]
    fn threads_together_never_draw_more() {
        let budget = Budget::new(Limits::default());
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| while budget.request().is_ok() && budget.send(20_001).is_ok() {});
            }
        });
        let usage = budget.usage();
        assert!(
            usage.bytes_out == 100 << 20 && usage.requests <= 10_000,
            "{usage:?}"
        );
    }
}
