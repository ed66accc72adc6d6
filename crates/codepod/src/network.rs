//! The network of sandboxes: what may be reached, how much, with which secrets, and who is told and
//! asked.
//!
//! A sandbox reaches its own loopback and nothing else until [`Options::network`] has a
//! [`Network`]. That is made once, and any number of sandboxes may have it:
//!
//! ```no_run
//! use codepod::network::{Network, NetworkSpec, SecretSpec};
//! use codepod::{Options, Sandbox};
//!
//! let mut spec = NetworkSpec::allowing(["https://api.example.com/v1"]);
//! let key = std::env::var("EXAMPLE_KEY")?;
//! spec.secrets.push(SecretSpec::new("EXAMPLE_KEY", &key, &["https://api.example.com"]));
//!
//! let mut options = Options::default();
//! options.network = Some(Network::new(spec)?);
//! let sandbox = Sandbox::create(options)?;
//! let header = "Authorization: Bearer $EXAMPLE_KEY";
//! sandbox.run_blocking(&format!("curl -H \"{header}\" https://api.example.com/v1/me"))?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What is not allowed is denied, each denial is an event and says why, and the value of a secret
//! is put in on the way out: inside there is a placeholder.
//!
//! [`Options::network`]: crate::Options::network

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use codepod_abi::Errno;
use codepod_gateway::Policy;
use codepod_gateway::cassette::Cassette;
use codepod_gateway::event::{Event as GatewayEvent, Sink};
use codepod_gateway::net::Door;
use codepod_gateway::network::{Deciding, Network as OfSandbox, NetworkOptions};
use codepod_gateway::policy::target::Target;
use codepod_gateway::secrets::Secrets;
use codepod_kernel::{Link, NameAnswer, Open, OpenTarget, Refusal};

pub use codepod_gateway::budget::{Limits, Timeouts, Usage};
pub use codepod_gateway::cassette::{CassetteMode, CassetteSpec};
pub use codepod_gateway::net::{
    Downloads, DownloadsError, DownloadsSpec, Outcome as PullOutcome, PullError, PullSpec, Pulled,
    ResolveError, Resolver, SystemResolver, certificates, client_cert,
};
pub use codepod_gateway::network::{Answer, Ask, BoxFuture, OnRequest};
pub use codepod_gateway::packages::lock_file;
pub use codepod_gateway::policy::{ClientCert, Mode, PolicySpec, RuleSpec, TlsSpec};
pub use codepod_gateway::secrets::{AwsSpec, HostKey, Places, SecretSpec};

use crate::error::{Error, ErrorKind};
use crate::events::{Event, EventFn};
use crate::sandbox::Sandbox;

/// What a network is made from.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct NetworkSpec {
    /// What may be reached.
    pub policy: PolicySpec,
    /// How much, by a sandbox and its forks together.
    pub limits: Limits,
    /// How long the steps of a request may take.
    pub timeouts: Timeouts,
    /// What stands in the environment as a placeholder, and is put in on the way out.
    pub secrets: Vec<SecretSpec>,
    /// The keys of an AWS account. Programs sign with others, and what is allowed is signed anew.
    pub aws: Option<AwsSpec>,
    /// What placeholders are made with. With the same key and the same names they are the same, so
    /// those in saved states stay good. One of this process if there is none.
    pub key: Option<HostKey>,
    /// Who is asked about each request that everything else allows.
    pub on_request: Option<OnRequest>,
    /// What is recorded, or replayed in place of every server. A recording that is replayed begins
    /// anew for each sandbox, and its forks go on with it; values of secrets may be empty then. One
    /// that is made is for one sandbox and its forks.
    pub cassette: Option<CassetteSpec>,
}

impl NetworkSpec {
    /// Just these hosts, each a rule such as `api.example.com`, `*.example.com`,
    /// `https://example.com/v1` or `tcp://db.example.com:5432`.
    pub fn allowing<R: Into<RuleSpec>>(rules: impl IntoIterator<Item = R>) -> NetworkSpec {
        NetworkSpec {
            policy: PolicySpec {
                allowed_hosts: Some(rules.into_iter().map(Into::into).collect()),
                ..PolicySpec::default()
            },
            ..NetworkSpec::default()
        }
    }
}

impl fmt::Debug for NetworkSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetworkSpec")
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .field("secrets", &self.secrets)
            .field("aws", &self.aws)
            .field("cassette", &self.cassette)
            .finish_non_exhaustive()
    }
}

/// A network that sandboxes can have: rules that were read, secrets with their placeholders. Clones
/// are the same. Each sandbox has a budget of its own, which its forks share.
#[derive(Clone)]
pub struct Network {
    prepared: Arc<Prepared>,
}

struct Prepared {
    policy: Arc<Policy>,
    secrets: Arc<Secrets>,
    limits: Limits,
    timeouts: Timeouts,
    on_request: Option<OnRequest>,
    cassette: Option<(CassetteSpec, Cassette)>,
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Network")
            .field("policy", &self.prepared.policy.version())
            .field("secrets", &self.prepared.secrets)
            .finish_non_exhaustive()
    }
}

impl Network {
    /// Reads rules, secrets and a recording, or begins one.
    ///
    /// Fails with [`ErrorKind::Network`], which says where, when one of them cannot be used.
    pub fn new(spec: NetworkSpec) -> Result<Network, Error> {
        Network::of(spec, None)
    }

    /// Reads rules and secrets, of which nothing counts that `ceiling` does not allow as well.
    /// Static addresses are the ceiling's only, and so is what it is limited to.
    ///
    /// Fails as [`Network::new`] does.
    pub fn beneath(ceiling: &Network, mut spec: NetworkSpec) -> Result<Network, Error> {
        let most = &ceiling.prepared.limits;
        let own = &mut spec.limits;
        own.requests = own.requests.min(most.requests);
        own.bytes_in = own.bytes_in.min(most.bytes_in);
        own.bytes_out = own.bytes_out.min(most.bytes_out);
        own.connections = own.connections.min(most.connections);
        own.names_per_wildcard = own.names_per_wildcard.min(most.names_per_wildcard);
        spec.timeouts = ceiling.prepared.timeouts;
        Network::of(spec, Some(ceiling.prepared.policy.clone()))
    }

    fn of(mut spec: NetworkSpec, ceiling: Option<Arc<Policy>>) -> Result<Network, Error> {
        let wrong = |why: &dyn fmt::Display| ErrorKind::Network(why.to_string());
        // A number for each policy of this host process: it is in every event.
        static VERSIONS: AtomicU64 = AtomicU64::new(1);
        let version = VERSIONS.fetch_add(1, Ordering::Relaxed);
        let policy = Policy::new(&spec.policy, version).map_err(|why| wrong(&why))?;
        let key = match &spec.key {
            Some(key) => key,
            None => own_key()?,
        };
        if let Some(cassette) = &spec.cassette
            && cassette.mode == CassetteMode::Replay
        {
            give_values(&mut spec.secrets, spec.aws.as_mut());
        }
        let mut secrets = Secrets::new(&spec.secrets, key, "").map_err(|why| wrong(&why))?;
        if let Some(aws) = &spec.aws {
            secrets = secrets.with_aws(aws, key, "").map_err(|why| wrong(&why))?;
        }
        let mut secrets = Arc::new(secrets);
        let cassette = match spec.cassette {
            Some(cassette) => {
                let open = Cassette::open(&cassette).map_err(|why| wrong(&why))?;
                // Requests and replies of a recording have its placeholders.
                secrets = open.secrets(secrets);
                Some((cassette, open))
            }
            None => None,
        };
        Ok(Network {
            prepared: Arc::new(Prepared {
                policy: Arc::new(match ceiling {
                    Some(ceiling) => policy.beneath(ceiling),
                    None => policy,
                }),
                secrets,
                limits: spec.limits,
                timeouts: spec.timeouts,
                on_request: spec.on_request,
                cassette,
            }),
        })
    }

    /// The variables of sandboxes that have it: the placeholders of secrets by their names, and
    /// that pip need not be content with files.
    pub fn environment(&self) -> impl Iterator<Item = (&str, &str)> {
        let secrets = self.prepared.secrets.environment();
        std::iter::once(("PIP_NO_INDEX", "0")).chain(secrets)
    }

    /// The ports of the host's connections; `None` for any. A recording that is replayed has no
    /// connections.
    pub fn ports(&self) -> Option<BTreeSet<u16>> {
        match self.is_replayed() {
            true => Some(BTreeSet::new()),
            false => self.prepared.policy.ports(),
        }
    }

    /// Whether a recording takes the place of every server, so that nothing is dialled and no name
    /// is looked up.
    pub fn is_replayed(&self) -> bool {
        let cassette = self.cassette();
        cassette.is_some_and(|cassette| cassette.mode == CassetteMode::Replay)
    }

    /// What is recorded or replayed.
    pub(crate) fn cassette(&self) -> Option<&CassetteSpec> {
        self.prepared.cassette.as_ref().map(|(spec, _)| spec)
    }

    /// Whether `method` may be used on `url`, as far as rules decide.
    pub fn check(&self, url: &str, method: &str) -> Access {
        Access::of(self.prepared.policy.check(url, method))
    }

    fn of_sandbox(&self, log: Log, events: Option<&EventFn>) -> OfSandbox {
        let Prepared {
            policy,
            secrets,
            limits,
            timeouts,
            on_request,
            cassette,
        } = &*self.prepared;
        OfSandbox::new(NetworkOptions {
            policy: policy.clone(),
            limits: *limits,
            timeouts: *timeouts,
            secrets: secrets.clone(),
            events: log.sink(events.cloned()),
            on_request: on_request.clone(),
            cassette: cassette.as_ref().map(|(_, open)| open.for_another()),
        })
    }
}

/// What is said to whoever asks whether something may be reached.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// Whether it may.
    pub allowed: bool,
    /// The rule that allows it, or that denies it.
    pub rule: Option<String>,
    /// Why it is denied, in the words that a program inside is told.
    pub reason: Option<String>,
    /// What would allow it.
    pub ask: Option<String>,
    /// Whether it is let through only because the policy reports and does not enforce.
    pub only_reported: bool,
}

impl Access {
    fn of(
        decided: Result<codepod_gateway::policy::Grant, codepod_gateway::policy::denial::Denial>,
    ) -> Access {
        match decided {
            Ok(grant) => Access {
                allowed: true,
                rule: grant.rule_ref.map(|rule| rule.to_string()),
                reason: grant.reported.as_ref().map(ToString::to_string),
                ask: None,
                only_reported: grant.reported.is_some(),
            },
            Err(denial) => Access {
                allowed: false,
                rule: denial.rule.as_ref().map(ToString::to_string),
                reason: Some(denial.to_string()),
                ask: denial.ask,
                only_reported: false,
            },
        }
    }
}

/// The network that a sandbox has, once it has one.
#[derive(Debug, Default)]
pub(crate) struct Attached(OnceLock<Given>);

#[derive(Debug)]
struct Given {
    network: Arc<OfSandbox>,
    log: Log,
}

/// What was asked of the network lately, by a sandbox and its forks. Clones are the same.
#[derive(Debug, Clone, Default)]
struct Log(Arc<Mutex<VecDeque<Event>>>);

impl Log {
    /// How much is kept.
    const LENGTH: usize = 256;

    fn keep(&self, event: Event) {
        let mut kept = self.lock();
        if kept.len() == Log::LENGTH {
            kept.pop_front();
        }
        kept.push_back(event);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Event>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps events, and tells `tell` of them.
    fn sink(self, tell: Option<EventFn>) -> Sink {
        Arc::new(move |event| {
            let event = event_of(event);
            if let Some(tell) = &tell {
                tell(&event);
            }
            self.keep(event);
        })
    }
}

impl Sandbox {
    /// Whether a program inside may use `method` on `url` now, as far as rules and budgets decide.
    /// Nothing is looked up, sent, counted or told.
    pub fn check_access(&self, url: &str, method: &str) -> Access {
        match self.inner.network.0.get() {
            Some(given) => Access::of(given.network.check(url, method)),
            None => {
                let place = Target::parse(url).map(|target| (target.host.in_url(), target.port));
                let place = place.map_or_else(
                    |_| format!("`{}`", url.chars().take(200).collect::<String>()),
                    |(host, port)| format!("{host}:{port}"),
                );
                Access {
                    allowed: false,
                    rule: None,
                    reason: Some(format!(
                        "codepod: {place} is beyond the sandbox, which has no network"
                    )),
                    ask: Some("make the sandbox with a network".into()),
                    only_reported: false,
                }
            }
        }
    }

    /// What it and its forks have used of the network; `None` without one.
    pub fn network_usage(&self) -> Option<Usage> {
        Some(self.inner.network.0.get()?.network.budget().usage())
    }

    /// What it and its forks asked of the network lately, what became of it and why: the last 256
    /// events, of which the oldest comes first.
    pub fn network_log(&self) -> Vec<Event> {
        match self.inner.network.0.get() {
            Some(given) => given.log.lock().iter().cloned().collect(),
            None => Vec::new(),
        }
    }

    /// Sets what may be reached, the secrets and who is asked from now on: what is under way ends
    /// as it was allowed, the next request of an open connection is decided anew. Secrets keep
    /// their placeholders; those that are new are not in the environment of shells that run
    /// already. What was used stays counted, within the limits that there were, and what is
    /// recorded or replayed stays the same.
    pub fn set_network(&self, network: &Network) -> Result<(), Error> {
        match self.inner.network.0.get() {
            Some(Given { network: own, .. }) => {
                let prepared = &network.prepared;
                own.decide_by(Deciding {
                    policy: prepared.policy.clone(),
                    secrets: Arc::new(prepared.secrets.in_place_of(&own.deciding().secrets)),
                    on_request: prepared.on_request.clone(),
                });
                Ok(())
            }
            None => self.give_network(network),
        }
    }

    /// Gives it a network, as it is made or later.
    pub(crate) fn give_network(&self, network: &Network) -> Result<(), Error> {
        let (log, events) = (Log::default(), self.options().events.as_ref());
        self.attach(network.of_sandbox(log.clone(), events), log)
    }

    /// Gives a fork what its parent has.
    pub(crate) fn share_network(&self, fork: &Sandbox) -> Result<(), Error> {
        match self.inner.network.0.get() {
            Some(Given { network, log }) => fork.attach(network.fork(), log.clone()),
            None => Ok(()),
        }
    }

    /// Tells programs of a preview why they reach nothing, where the sandbox itself would.
    pub(crate) fn close_network(&self, preview: &Sandbox) -> Result<(), Error> {
        if self.inner.network.0.get().is_some() {
            let kernel = preview.inner.kernel.shared();
            preview.kernel()?.set_gateway(Arc::new(Closed), kernel);
        }
        Ok(())
    }

    fn attach(&self, network: OfSandbox, log: Log) -> Result<(), Error> {
        let network = Arc::new(network);
        let given = Given {
            network: network.clone(),
            log,
        };
        // Of two that give one at the same time the first counts.
        if self.inner.network.0.set(given).is_err() {
            return Ok(());
        }
        let door = Door::new(self.inner.runtime.gateway().clone(), network);
        let kernel = self.inner.kernel.shared();
        self.kernel()?.set_gateway(Arc::new(door), kernel);
        Ok(())
    }
}

/// The way out of a preview, which there is not: what a program sends cannot be taken back.
struct Closed;

impl codepod_kernel::Gateway for Closed {
    fn check(&self, open: &Open) -> Result<(), Refusal> {
        let host = match &open.target {
            OpenTarget::Name(name) => name.clone(),
            OpenTarget::Ip(ip) => ip.to_string(),
        };
        let why = format!(
            "{host}:{} is not reached from a preview; run the script itself",
            open.port
        );
        Err(Refusal {
            errno: Errno::Access,
            why,
        })
    }

    fn open(&self, _: Open, link: Link) {
        link.failed(Errno::Access, "a preview reaches nothing");
    }

    fn resolve(&self, _: &str, answer: NameAnswer) {
        answer.give(Ok(()));
    }
}

/// Gives what has no value one that is worth nothing, where nothing is sent.
fn give_values(secrets: &mut [SecretSpec], aws: Option<&mut AwsSpec>) {
    let mut values: Vec<_> = secrets
        .iter_mut()
        .map(|secret| (&mut secret.value, "a-replay-needs-no-value-of-a-secret"))
        .collect();
    if let Some(aws) = aws {
        values.push((&mut aws.access_key_id, "AKIAREPLAYNEEDSNOKEY"));
        let others = std::iter::once(&mut aws.secret).chain(aws.session_token.as_mut());
        values.extend(others.map(|value| (value, "a-replay-needs-no-key-of-an-account")));
    }
    for (value, instead) in values {
        if value.is_empty() {
            instead.clone_into(value);
        }
    }
}

/// The key of this host process: a secret that is set anew has the placeholder that it had.
fn own_key() -> Result<&'static HostKey, ErrorKind> {
    static KEY: OnceLock<HostKey> = OnceLock::new();
    if let Some(key) = KEY.get() {
        return Ok(key);
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| ErrorKind::Internal)?;
    Ok(KEY.get_or_init(|| HostKey::new(bytes)))
}

/// The event in the words of the audit.
fn event_of(event: GatewayEvent) -> Event {
    let ms = |time: std::time::Duration| time.as_secs_f64() * 1000.0;
    match event {
        GatewayEvent::Request(event) => {
            let event = *event;
            Event::NetworkRequest {
                sandbox: event.origin.sandbox,
                run: event.origin.run,
                pid: event.origin.pid,
                command: event.origin.command.to_string(),
                id: event.id,
                policy: event.policy,
                rule: event.rule.map(|rule| rule.to_string()),
                reported: event.reported.map(|denial| denial.to_string()),
                method: event.method,
                url: event.url,
                address: event.address.map(|address| address.to_string()),
                tls: event.tls,
                insecure: event.insecure,
                status: event.status,
                came: event.came,
                failure: event.failure,
                bytes_in: event.bytes_in,
                bytes_out: event.bytes_out,
                resolve_ms: ms(event.times.resolve),
                connect_ms: ms(event.times.connect),
                tls_ms: ms(event.times.tls),
                first_ms: ms(event.times.first),
                total_ms: ms(event.times.total),
                secrets: event.secrets.iter().map(ToString::to_string).collect(),
            }
        }
        GatewayEvent::Denied(event) => {
            let event = *event;
            Event::NetworkDenied {
                sandbox: event.origin.sandbox,
                run: event.origin.run,
                pid: event.origin.pid,
                command: event.origin.command.to_string(),
                policy: event.policy,
                kind: event.denial.kind.as_str(),
                rule: event.denial.rule.as_ref().map(ToString::to_string),
                method: event.method,
                url: event.url,
                reason: event.denial.to_string(),
            }
        }
        GatewayEvent::SecretLeak {
            origin,
            secret,
            host,
        } => Event::SecretLeak {
            sandbox: origin.sandbox,
            run: origin.run,
            pid: origin.pid,
            command: origin.command.to_string(),
            secret: secret.to_string(),
            host,
        },
    }
}
