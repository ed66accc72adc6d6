//! The network of one sandbox: its policy, budget, secrets, and who is told and asked.
//!
//! A [`Network`] is shared by everything that sandbox has open. What decides is a snapshot: a
//! decision is made by one version from its beginning to its end, and names it.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::budget::{Budget, Exceeded, Limits, Timeouts};
#[cfg(feature = "net")]
use crate::cassette::{Cassette, Recording, Replay};
use crate::event::{DeniedEvent, Event, Origin, Sink};
#[cfg(feature = "net")]
use crate::pins::Pins;
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::target::Target;
use crate::policy::{Grant, Policy};
use crate::secrets::Secrets;

/// A future that can go to another thread.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// A request that the embedder is asked about. Headers are as the guest sent them, with
/// placeholders.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The number of the request.
    pub id: u64,
    /// Who asks.
    pub origin: Origin,
    /// The method; none for a raw connection.
    pub method: Option<String>,
    /// The whole URL, as the guest sent it.
    pub url: String,
    /// The host.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The header fields, in order.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The length of the body, if the guest tells.
    pub body_bytes: Option<u64>,
}

/// The embedder's answer.
#[derive(Debug, Clone)]
pub enum Answer {
    /// Go on.
    Allow,
    /// Deny it, with a reason that the guest may read.
    Deny(String),
    /// Answer in place of the server. A raw connection cannot be answered, and is denied.
    Respond {
        /// The status, from 200 to 599.
        status: u16,
        /// The header fields.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
}

/// Asks the embedder about a request, after every other check.
pub type OnRequest = Arc<dyn Fn(Ask) -> BoxFuture<Answer> + Send + Sync>;

/// What decides: all of it is replaced at once.
#[derive(Clone)]
pub struct Deciding {
    /// What may be reached.
    pub policy: Arc<Policy>,
    /// What is put in on the way.
    pub secrets: Arc<Secrets>,
    /// Who is asked.
    pub on_request: Option<OnRequest>,
}

/// What a sandbox's network is made from.
#[derive(Clone)]
pub struct NetworkOptions {
    /// What may be reached.
    pub policy: Arc<Policy>,
    /// How much.
    pub limits: Limits,
    /// How long.
    pub timeouts: Timeouts,
    /// The secrets.
    pub secrets: Arc<Secrets>,
    /// Where events go.
    pub events: Sink,
    /// Who is asked.
    pub on_request: Option<OnRequest>,
    /// What is recorded, or replayed in place of every server. The secrets are those that
    /// [`Cassette::secrets`] has made of others.
    #[cfg(feature = "net")]
    pub cassette: Option<Cassette>,
}

impl NetworkOptions {
    /// A policy with usual limits, no secrets, and nobody to tell or to ask.
    pub fn new(policy: Policy) -> NetworkOptions {
        NetworkOptions::of(Arc::new(policy))
    }

    /// The same with a policy that others have as well.
    pub fn of(policy: Arc<Policy>) -> NetworkOptions {
        NetworkOptions {
            policy,
            limits: Limits::default(),
            timeouts: Timeouts::default(),
            secrets: Arc::new(Secrets::none()),
            events: Arc::new(|_| {}),
            on_request: None,
            #[cfg(feature = "net")]
            cassette: None,
        }
    }
}

/// The network of one sandbox.
pub struct Network {
    deciding: RwLock<Arc<Deciding>>,
    budget: Budget,
    timeouts: Timeouts,
    events: Sink,
    next_id: AtomicU64,
    #[cfg(feature = "net")]
    pins: Pins,
    #[cfg(feature = "net")]
    cassette: Option<Cassette>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("policy", &self.policy().version())
            .field("usage", &self.budget.usage())
            .finish_non_exhaustive()
    }
}

impl Network {
    /// A network that nothing was used of.
    pub fn new(options: NetworkOptions) -> Network {
        Network {
            deciding: RwLock::new(Arc::new(Deciding {
                policy: options.policy,
                secrets: options.secrets,
                on_request: options.on_request,
            })),
            budget: Budget::new(options.limits),
            timeouts: options.timeouts,
            events: options.events,
            next_id: AtomicU64::new(1),
            #[cfg(feature = "net")]
            pins: Pins::default(),
            #[cfg(feature = "net")]
            cassette: options.cassette,
        }
    }

    /// The network of a fork: what decides as it is now, the same budget, and the same recording.
    pub fn fork(&self) -> Network {
        Network {
            deciding: RwLock::new(self.deciding()),
            budget: self.budget.clone(),
            timeouts: self.timeouts,
            events: self.events.clone(),
            next_id: AtomicU64::new(1),
            #[cfg(feature = "net")]
            pins: Pins::default(),
            #[cfg(feature = "net")]
            cassette: self.cassette.clone(),
        }
    }

    /// What decides now.
    pub fn deciding(&self) -> Arc<Deciding> {
        self.deciding
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Sets what decides. What has been decided stays; the next request of an open connection is
    /// decided anew.
    pub fn decide_by(&self, deciding: Deciding) {
        #[cfg(feature = "net")]
        let deciding = match &self.cassette {
            Some(cassette) => Deciding {
                secrets: cassette.secrets(deciding.secrets),
                ..deciding
            },
            None => deciding,
        };
        *self
            .deciding
            .write()
            .unwrap_or_else(PoisonError::into_inner) = Arc::new(deciding);
    }

    /// The policy that decides now.
    pub fn policy(&self) -> Arc<Policy> {
        self.deciding().policy.clone()
    }

    /// What was used, and the counters.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// How long things may take.
    pub fn timeouts(&self) -> &Timeouts {
        &self.timeouts
    }

    /// Whether `method` may be used on `url` now, as far as policy and budgets decide. Nothing is
    /// looked up, sent, counted or reported.
    pub fn check(&self, url: &str, method: &str) -> Result<Grant, Denial> {
        let target = Target::parse(url)?;
        let grant = self.policy().check_target(&target, method)?;
        self.budget
            .has_room()
            .map_err(|why| over_budget(&target.host, target.port, why))?;
        Ok(grant)
    }

    #[cfg(feature = "net")]
    pub(crate) fn pins(&self) -> &Pins {
        &self.pins
    }

    /// The recording that is made.
    #[cfg(feature = "net")]
    pub(crate) fn recording(&self) -> Option<&Arc<Recording>> {
        self.cassette.as_ref().and_then(Cassette::recording)
    }

    /// The recording that is replayed.
    #[cfg(feature = "net")]
    pub(crate) fn replay(&self) -> Option<&Arc<Replay>> {
        self.cassette.as_ref().and_then(Cassette::replay)
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    pub(crate) fn tell(&self, event: Event) {
        (self.events)(event);
    }

    /// Reports a denial.
    pub(crate) fn denied(
        &self,
        origin: &Origin,
        policy: u64,
        method: Option<String>,
        url: String,
        denial: &Denial,
    ) {
        self.tell(Event::Denied(Box::new(DeniedEvent {
            origin: origin.clone(),
            policy,
            method,
            url,
            denial: denial.clone(),
        })));
    }
}

/// The denial for a limit that was reached.
pub(crate) fn over_budget(host: &crate::policy::host::Host, port: u16, why: Exceeded) -> Denial {
    Denial {
        kind: DenialKind::Budget,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason: format!("{}:{port}: {why}", host.in_url()),
        ask: None,
    }
}
