//! Why a request is not sent, in the words that its guest reads.

use hyper::StatusCode;
use hyper::http::request;

use super::head::BadHead;
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::target::Target;
use crate::secrets::{Bound, Secrets};

/// The secret, not bound here, whose placeholder stands in the head of a request.
pub(super) fn leak_in_head(parts: &request::Parts, bound: &Bound) -> Option<usize> {
    let target = parts.uri.path_and_query().map_or("", |path| path.as_str());
    let fields = parts.headers.iter();
    bound
        .leak(target.as_bytes())
        .or_else(|| bound.leak(parts.method.as_str().as_bytes()))
        .or_else(|| {
            fields
                .flat_map(|(name, value)| [name.as_str().as_bytes(), value.as_bytes()])
                .find_map(|bytes| bound.leak(bytes))
        })
}

/// The denial of a placeholder on its way to where its secret is not bound.
pub(super) fn leak(secrets: &Secrets, hits: u64, target: &Target) -> Denial {
    let reason = format!(
        "{}:{}: the secret {} is not bound to this host, scheme, path and method",
        target.host.in_url(),
        target.port,
        quoted(secrets, hits),
    );
    secret_denial(&target.host, target.port, reason)
}

/// The names of secrets, for a sentence.
pub(super) fn quoted(secrets: &Secrets, hits: u64) -> String {
    let names = secrets.names(hits).into_iter();
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The denial of a request for what it does with secrets.
pub(super) fn secret_denial(host: &Host, port: u16, reason: String) -> Denial {
    Denial {
        kind: DenialKind::Secret,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason,
        ask: None,
    }
}

/// What is asked for where a recording lacks something.
pub(crate) const RECORD_AGAIN: &str = "record again";

/// The denial of what cannot be recorded or replayed.
pub(crate) fn recording_denial(host: &Host, port: u16, why: &str, ask: Option<&str>) -> Denial {
    Denial {
        kind: DenialKind::Recording,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason: format!("{}:{port}: {why}", host.in_url()),
        ask: ask.map(str::to_owned),
    }
}

/// The denial of a head that cannot be read in one way, and its status.
pub(super) fn bad_head(why: BadHead, host: &Host, port: u16) -> (StatusCode, Denial) {
    let (status, why) = match why {
        BadHead::OtherHost => (
            StatusCode::FORBIDDEN,
            "the request names another host than the connection is to",
        ),
        BadHead::Malformed(why) => (StatusCode::BAD_REQUEST, why),
    };
    let denial = Denial {
        kind: DenialKind::Ambiguous,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason: format!("{}:{port}: {why}", host.in_url()),
        ask: None,
    };
    (status, denial)
}
