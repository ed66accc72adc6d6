//! Why something was denied, in words for the model, the log and the embedder.

use std::fmt;

use super::rule_set::RuleRef;

/// Why something was denied.
///
/// Its text is the same wherever it is told: in the error of a `connect`, in the body of a `403`,
/// in events, in the answer of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    /// Which step of the decision refused.
    pub kind: DenialKind,
    /// The host, as policy sees it; the URL when that has none.
    pub host: String,
    /// The port, if there was one.
    pub port: Option<u16>,
    /// The rule that denied it, or the first that allows the host but not this.
    pub rule: Option<RuleRef>,
    /// What is wrong, as a fragment: `api.x.com:443 is not in allowed_hosts`.
    pub reason: String,
    /// How it can be allowed, if it can.
    pub ask: Option<String>,
}

/// Which step of a decision refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DenialKind {
    /// Programs could read the target differently.
    Ambiguous,
    /// It is a metadata service.
    Metadata,
    /// No rule allows it.
    NotAllowed,
    /// A rule blocks it.
    Blocked,
    /// A budget is used up.
    Budget,
    /// It carries the placeholder of a secret to a stranger, or one that cannot be filled in.
    Secret,
    /// The embedder's callback denied it, failed or took too long.
    Callback,
    /// An address of the name is not public, or there are too many of them.
    Address,
    /// It cannot be recorded, or is not in the recording that is replayed.
    Recording,
}

impl DenialKind {
    /// The word in events.
    pub fn as_str(self) -> &'static str {
        match self {
            DenialKind::Ambiguous => "ambiguous",
            DenialKind::Metadata => "metadata",
            DenialKind::NotAllowed => "not-allowed",
            DenialKind::Blocked => "blocked",
            DenialKind::Budget => "budget",
            DenialKind::Secret => "secret",
            DenialKind::Callback => "callback",
            DenialKind::Address => "address",
            DenialKind::Recording => "recording",
        }
    }
}

impl Denial {
    /// The denial, where it comes from a policy above. Whoever is asked for more cannot give it.
    pub(crate) fn by_ceiling(self) -> Denial {
        Denial {
            rule: None,
            reason: format!("this server allows no sandbox more: {}", self.reason),
            ask: None,
            ..self
        }
    }
}

impl Denial {
    /// The text without the name of who speaks, for those who say that themselves: the kernel's
    /// reasons have none either.
    pub(crate) fn why(&self) -> String {
        match &self.ask {
            Some(ask) => format!("{}; to allow it, {ask}", self.reason),
            None => self.reason.clone(),
        }
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "codepod: {}", self.why())
    }
}
