//! What is reported of a request when it has ended.

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use super::body::Passage;
use super::denials::{quoted, secret_denial};
use super::frames::Fault;
use super::service::Connection;
use super::tape::Take;
use crate::event::{Event, RequestEvent};
use crate::secrets::Secrets;

/// Reports the secrets whose placeholders went where they are not bound.
pub(super) fn tell_leak(connection: &Connection, secrets: &Secrets, hits: u64) {
    for secret in secrets.names(hits) {
        connection.network.tell(Event::SecretLeak {
            origin: connection.origin.clone(),
            secret,
            host: connection.host.to_string(),
        });
    }
}

/// What it takes to report the end of a request.
pub(super) struct Ended {
    pub(super) connection: Arc<Connection>,
    pub(super) began: Duration,
}

impl Ended {
    pub(super) fn end(&self, mut event: RequestEvent) {
        event.times.total = (self.connection.clock)().saturating_sub(self.began);
        self.connection
            .network
            .tell(Event::Request(Box::new(event)));
    }
}

/// Reports a request when its reply is dropped.
pub(super) struct Recorder {
    pub(super) exchange: Ended,
    pub(super) event: Option<RequestEvent>,
    pub(super) secrets: Arc<Secrets>,
    pub(super) sent: Arc<Passage>,
    pub(super) received: Arc<Passage>,
    /// Takes the exchange down, until its reply does that.
    pub(super) take: Option<Box<dyn Take>>,
}

impl Recorder {
    /// Notes what went wrong.
    pub(super) fn fail(&mut self, why: &str) {
        if let Some(event) = &mut self.event {
            event.failure = Some(why.to_owned());
        }
    }

    /// Reports what ends a WebSocket, and returns what its guest is told: a code and a reason.
    pub(super) fn fault(&mut self, fault: Fault) -> (u16, String) {
        let hits = match fault {
            Fault::Malformed(why) => {
                self.fail(&format!("the WebSocket is broken: {why}"));
                return (1002, format!("codepod: {why}"));
            }
            Fault::Leak(hits) => hits,
        };
        let connection = &*self.exchange.connection;
        let (host, port) = (&connection.host, connection.port);
        tell_leak(connection, &self.secrets, hits);
        let reason = format!(
            "{}:{port}: the secret {} is not for the messages of this WebSocket",
            host.in_url(),
            quoted(&self.secrets, hits),
        );
        let denial = secret_denial(host, port, reason);
        if let Some(event) = &self.event {
            let (method, url) = (event.method.clone(), event.url.clone());
            let network = &connection.network;
            network.denied(&connection.origin, event.policy, method, url, &denial);
        }
        self.fail(&denial.reason);
        (1008, denial.to_string())
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        let Some(mut event) = self.event.take() else {
            return;
        };
        event.bytes_out = self.sent.bytes.load(Relaxed);
        event.bytes_in = self.received.bytes.load(Relaxed);
        event.secrets = self.secrets.names(self.sent.hits.load(Relaxed));
        if let Some(why) = self.received.cut_off.get() {
            event.failure.get_or_insert_with(|| why.to_string());
        }
        if let Some(why) = self.received.broken.get() {
            event.failure.get_or_insert_with(|| why.clone());
        }
        self.exchange.end(event);
    }
}
