//! What the embedder hears of the network: one event for each request, denial and leak.
//!
//! An event has no values: of a query only the names, of a URL no user, of a secret only its name.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::policy::denial::Denial;
use crate::policy::{Grant, RuleRef, printable};

/// Who asks, in numbers that the embedder has given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the sandbox.
    pub sandbox: u64,
    /// The number of the run; 0 for a program that no script has started.
    pub run: u64,
    /// The process.
    pub pid: u32,
    /// The command, for people.
    pub command: Arc<str>,
}

/// Something that happened on the network of a sandbox.
#[derive(Debug, Clone)]
pub enum Event {
    /// A request, or a raw connection, has ended.
    Request(Box<RequestEvent>),
    /// Something was denied.
    Denied(Box<DeniedEvent>),
    /// A placeholder was on its way to a stranger. It was denied as well.
    SecretLeak {
        /// Who asked.
        origin: Origin,
        /// The secret's name.
        secret: Arc<str>,
        /// Where it was to go.
        host: String,
    },
}

/// A request or a raw connection, when it has ended.
#[derive(Debug, Clone, Default)]
pub struct RequestEvent {
    /// Who asked.
    pub origin: Origin,
    /// The number of the request, counted by the gateway of the sandbox.
    pub id: u64,
    /// The version of the policy that decided.
    pub policy: u64,
    /// The rule that allowed it.
    pub rule: Option<RuleRef>,
    /// What would have denied it, if the policy were to enforce.
    pub reported: Option<Denial>,
    /// The method; none for a raw connection.
    pub method: Option<String>,
    /// The URL, [cut](cut_url).
    pub url: String,
    /// The address that was dialled.
    pub address: Option<std::net::SocketAddr>,
    /// The version of TLS.
    pub tls: Option<&'static str>,
    /// Whether any certificate of the server was taken.
    pub insecure: bool,
    /// The status of the reply.
    pub status: Option<u16>,
    /// How a reply came that sandboxes share: `fetched` for this one, `joined` to a download under
    /// way, or `kept` from before; `replayed` for one of a recording. None for others.
    pub came: Option<&'static str>,
    /// Why it failed after it was allowed, if it did.
    pub failure: Option<String>,
    /// Bytes of the reply.
    pub bytes_in: u64,
    /// Bytes of the request.
    pub bytes_out: u64,
    /// How long it took.
    pub times: Times,
    /// The names of the secrets that were put in.
    pub secrets: Vec<Arc<str>>,
}

impl RequestEvent {
    /// Notes what allowed the request.
    pub fn granted(&mut self, grant: &Grant) {
        self.policy = grant.version;
        self.rule = grant.rule_ref.clone();
        self.reported = grant.reported.clone();
    }
}

/// How long the steps of a request took. Those of the connection are in its first request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// The lookup.
    pub resolve: Duration,
    /// Connecting.
    pub connect: Duration,
    /// The handshake of TLS.
    pub tls: Duration,
    /// Until the head of the reply.
    pub first: Duration,
    /// Until the end.
    pub total: Duration,
}

/// A denial.
#[derive(Debug, Clone)]
pub struct DeniedEvent {
    /// Who asked.
    pub origin: Origin,
    /// The version of the policy that decided.
    pub policy: u64,
    /// The method, if there was one.
    pub method: Option<String>,
    /// The URL, [cut](cut_url), or host and port.
    pub url: String,
    /// Why.
    pub denial: Denial,
}

/// Where events go. It must not wait.
pub type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// A URL without user, without fragment, and with the names of its query only.
pub fn cut_url(scheme: &str, host: &dyn fmt::Display, port: u16, path_and_query: &str) -> String {
    let path_and_query = path_and_query.split('#').next().unwrap_or_default();
    let (path, query) = match path_and_query.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (path_and_query, None),
    };
    let mut url = match (scheme, port) {
        ("http", 80) | ("https", 443) => format!("{scheme}://{host}"),
        _ => format!("{scheme}://{host}:{port}"),
    };
    url.extend(path.chars().take(2_000));
    if let Some(query) = query {
        url.push('?');
        let names = query
            .split('&')
            .take(50)
            .map(|pair| match pair.split_once('=') {
                Some((name, _)) => format!("{name}=…"),
                // A query without names is a value.
                None => "…".to_owned(),
            });
        url.push_str(&names.collect::<Vec<_>>().join("&"));
    }
    printable_all(&url)
}

fn printable_all(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}

/// A method for an event: bounded, and nothing a terminal would act on.
pub fn cut_method(method: &str) -> String {
    printable(method)
}

#[cfg(test)]
mod tests {
    use super::*;

    // NW-13
    #[test]
    fn nw_13_an_event_has_no_values_of_a_query() {
        let cut = |path| cut_url("https", &"a.com", 443, path);
        assert_eq!(
            cut("/v1/x?key=s3cret&q=&flag&k=a=b#frag"),
            "https://a.com/v1/x?key=…&q=…&…&k=…"
        );
        assert_eq!(cut("/"), "https://a.com/");
        assert_eq!(
            cut_url("http", &"[::1]", 8080, "/a\u{1b}[31m"),
            "http://[::1]:8080/a\u{fffd}[31m"
        );
        assert!(cut(&format!("/{}", "x".repeat(1 << 20))).len() < 3000);
    }
}
