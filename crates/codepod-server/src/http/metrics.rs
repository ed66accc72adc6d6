//! Metrics in Prometheus' format. Labels come from the table of methods and from classes of status,
//! never from a client.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::header;
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;

use super::App;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    method: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Method {
    method: &'static str,
}

/// What is counted.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<Asked, Counter>,
    seconds: Family<Method, Histogram>,
    sandboxes: Gauge<i64>,
    processes: Gauge<u64, AtomicU64>,
    memory: Gauge<u64, AtomicU64>,
    connections: Gauge<u64, AtomicU64>,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        let mut registry = Registry::with_prefix("codepod");
        let requests = Family::default();
        registry.register("requests", "Requests that were answered", requests.clone());
        let seconds = Family::<Method, Histogram>::new_with_constructor(buckets);
        registry.register("request_seconds", "How long answers took", seconds.clone());
        let sandboxes = Gauge::default();
        registry.register("sandboxes", "Sandboxes that are alive", sandboxes.clone());
        let processes = Gauge::default();
        registry.register("processes", "Processes of all sandboxes", processes.clone());
        let memory = Gauge::default();
        registry.register(
            "memory_bytes",
            "Memory of the host that all sandboxes are charged for",
            memory.clone(),
        );
        let connections = Gauge::default();
        registry.register(
            "connections",
            "Connections that are open",
            connections.clone(),
        );
        Metrics {
            registry,
            requests,
            seconds,
            sandboxes,
            processes,
            memory,
            connections,
        }
    }

    /// Counts an answer.
    pub(super) fn answered(&self, method: &'static str, status: u16, took: Duration) {
        let status = match status {
            200..300 => "2xx",
            400..500 => "4xx",
            _ => "5xx",
        };
        self.requests.get_or_create(&Asked { method, status }).inc();
        self.seconds
            .get_or_create(&Method { method })
            .observe(took.as_secs_f64());
    }

    /// A connection, until the guard is dropped.
    pub(super) fn connected(&self) -> Connected {
        self.connections.inc();
        Connected(self.connections.clone())
    }
}

/// From 0.1 ms to 26 s.
fn buckets() -> Histogram {
    Histogram::new(exponential_buckets(0.0001, 4.0, 10))
}

/// A connection that is open.
pub(super) struct Connected(Gauge<u64, AtomicU64>);

impl Drop for Connected {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// The listener of metrics.
pub(super) fn router(app: Arc<App>) -> Router {
    Router::new().route("/metrics", get(page)).with_state(app)
}

async fn page(State(app): State<Arc<App>>) -> ([(header::HeaderName, &'static str); 1], String) {
    app.metrics.sandboxes.set(app.server.len() as i64);
    let used = app.server.used();
    app.metrics.processes.set(used.processes);
    app.metrics.memory.set(used.memory_bytes);
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = encode(&mut text, &app.metrics.registry);
    (
        [(
            header::CONTENT_TYPE,
            "application/openmetrics-text; version=1.0.0; charset=utf-8",
        )],
        text,
    )
}
