//! Opening a connection for a guest: decide, look up, vet, dial.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use codepod_abi::Errno;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::granted::{Granted, denial};
use super::idle::Idle;
use super::resolver::ResolveError;
use super::session::{Server, Session};
use super::{Gateway, Refusal, clock, dial};
use crate::budget::{Exceeded, OpenConnection};
use crate::cassette::{Connected, LookupFailure, Replay};
use crate::event::{Event, Origin, RequestEvent, Times, cut_url};
use crate::http::{RECORD_AGAIN, recording_denial};
use crate::network::{Network, over_budget};
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::{Grant, Policy, Protocol};
use crate::vet::{self, Refused};

/// Whether there is a host of this name; see [`Gateway::resolve`].
pub(super) async fn look_up(
    gateway: &Gateway,
    network: &Network,
    host: &Host,
) -> Result<(), Errno> {
    let policy = network.policy();
    let Host::Name(name) = host else {
        return Ok(());
    };
    if !policy.knows(host) || policy.static_address(host).is_some() {
        return Ok(());
    }
    if let Some(replay) = network.replay() {
        return replay.look_up(host);
    }
    let downloads = gateway.shared.downloads.as_ref();
    if downloads.is_some_and(|downloads| downloads.is_offline(host, None)) {
        return Ok(());
    }
    let (failed, errno) = match answers(gateway, network, &policy, name).await {
        Ok(_) | Err(Unresolved::Budget(_)) => return Ok(()),
        Err(Unresolved::Lookup(ResolveError::NotFound)) => (LookupFailure::NotFound, Errno::NoEnt),
        Err(Unresolved::Lookup(ResolveError::Failed(_))) => (LookupFailure::Unknown, Errno::Again),
    };
    if let Some(recording) = network.recording() {
        recording.lookup_failed(host, failed);
    }
    Err(errno)
}

/// Why a name has no addresses.
enum Unresolved {
    Budget(Exceeded),
    Lookup(ResolveError),
}

/// The addresses of a name that the policy knows, kept or looked up.
async fn answers(
    gateway: &Gateway,
    network: &Network,
    policy: &Policy,
    name: &str,
) -> Result<Arc<[IpAddr]>, Unresolved> {
    if let Some(kept) = network.pins().get(name, clock()) {
        return Ok(kept);
    }
    if let Some(parent) = policy.wildcard_of(name) {
        network
            .budget()
            .name(&parent, name)
            .map_err(Unresolved::Budget)?;
    }
    gateway.shared.lookups.fetch_add(1, Ordering::Relaxed);
    let lookup = gateway.shared.resolver.resolve(name.to_owned());
    let answers = timeout(network.timeouts().resolve, lookup)
        .await
        .unwrap_or_else(|_| Err(ResolveError::Failed("it took too long".to_owned())))
        .map_err(Unresolved::Lookup)?;
    let answers: Arc<[IpAddr]> = answers.into();
    // What is refused for its length takes no memory until then.
    if answers.len() <= vet::MAX_ADDRESSES {
        network.pins().put(name, answers.clone(), clock());
    }
    Ok(answers)
}

/// A connection that is granted, on the way to its server.
pub(super) struct Opening {
    gateway: Gateway,
    network: Arc<Network>,
    origin: Origin,
    host: Host,
    port: u16,
    policy: Arc<Policy>,
    grant: Grant,
    counted: OpenConnection,
    /// Its number in the recording.
    number: u64,
    began: Duration,
    times: Times,
}

impl Opening {
    /// Decides about a connection.
    pub(super) fn new(
        gateway: Gateway,
        network: Arc<Network>,
        origin: Origin,
        host: Host,
        port: u16,
    ) -> Result<Opening, Refusal> {
        let policy = network.policy();
        let decided = decide(&network, &policy, &host, port);
        let (grant, counted) = decided.map_err(|denial| {
            let version = policy.version();
            deny(&network, &origin, version, &host, port, &denial)
        })?;
        Ok(Opening {
            number: network.recording().map_or(0, |own| own.number()),
            began: clock(),
            times: Times::default(),
            gateway,
            network,
            origin,
            host,
            port,
            policy,
            grant,
            counted,
        })
    }

    /// Opens it, or what stands in for its server.
    pub(super) async fn open(mut self) -> Result<Session, Refusal> {
        if let Some(replay) = self.network.replay().cloned() {
            return self.replayed(replay);
        }
        let downloads = self.gateway.shared.downloads.as_ref();
        if downloads.is_some_and(|own| own.is_offline(&self.host, Some(self.port))) {
            return self.offline();
        }
        let addresses = self.addresses().await?;
        let (server, address) = self.dial(&addresses).await?;
        self.record()?;
        let server = Idle::new(server, self.network.timeouts().idle);
        Ok(self.session(Some(address), Server::Dialled(server)))
    }

    fn replayed(self, replay: Arc<Replay>) -> Result<Session, Refusal> {
        match replay.connect(&self.host, self.port) {
            Connected::Yes => Ok(self.session(None, Server::Recorded(replay))),
            Connected::Refused(errno, why) => Err(self.failed(errno, why)),
            Connected::Unknown => {
                let why = "the recording has no connection to it";
                let ask = Some(RECORD_AGAIN);
                Err(self.deny(&recording_denial(&self.host, self.port, why, ask)))
            }
        }
    }

    fn offline(self) -> Result<Session, Refusal> {
        if self.grant.protocol() != Protocol::Http {
            let why = format!("{}:{} is offline here", self.host.in_url(), self.port);
            return Err(self.failed(Errno::NetUnreach, why));
        }
        self.record()?;
        let address = self.policy.static_address(&self.host);
        let address = address.map(|address| address.at(self.port));
        Ok(self.session(address, Server::Offline))
    }

    /// The addresses that may be dialled.
    async fn addresses(&mut self) -> Result<Vec<SocketAddr>, Refusal> {
        let (policy, grant, host, port) = (&self.policy, &self.grant, &self.host, self.port);
        let vetted = |answers: &[IpAddr]| {
            vetted(policy, grant, host, port, answers).map_err(|denial| self.deny(&denial))
        };
        if let Some(address) = policy.static_address(host) {
            return Ok(vec![address.at(port)]);
        }
        let name = match host {
            Host::Ip(ip) => return vetted(&[*ip]),
            Host::Name(name) => name,
        };
        let answers = answers(&self.gateway, &self.network, policy, name).await;
        let resolve = clock().saturating_sub(self.began);
        match answers {
            Ok(answers) => {
                let addresses = vetted(&answers)?;
                self.times.resolve = resolve;
                Ok(addresses)
            }
            Err(Unresolved::Budget(why)) => Err(self.deny(&over_budget(host, port, why))),
            Err(Unresolved::Lookup(why)) => {
                let why = format!("{host}: {why}");
                self.times.resolve = resolve;
                Err(self.failed(Errno::HostUnreach, why))
            }
        }
    }

    /// Dials the first of the addresses that answers.
    async fn dial(&mut self, addresses: &[SocketAddr]) -> Result<(TcpStream, SocketAddr), Refusal> {
        let began = clock();
        let count = || {
            self.gateway.shared.dials.fetch_add(1, Ordering::Relaxed);
        };
        let limit = self.network.timeouts().connect;
        let dialled = timeout(limit, dial::dial(addresses, count))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        self.times.connect = clock().saturating_sub(began);
        dialled.map_err(|error| {
            let why = format!("{}:{}: {error}", self.host.in_url(), self.port);
            self.failed(errno_of(&error), why)
        })
    }

    /// Notes in the recording that it was opened.
    fn record(&self) -> Result<(), Refusal> {
        let Some(recording) = self.network.recording() else {
            return Ok(());
        };
        let recorded = recording.connected(self.number, &self.host, self.port, None);
        recorded.map_err(|why| self.deny(&recording_denial(&self.host, self.port, &why, None)))
    }

    fn session(self, address: Option<SocketAddr>, server: Server) -> Session {
        let granted = Granted {
            gateway: self.gateway,
            network: self.network,
            origin: self.origin,
            host: self.host,
            port: self.port,
            grant: self.grant,
            address,
            times: self.times,
            shows_own: false,
            _counted: self.counted,
        };
        Session { granted, server }
    }

    fn deny(&self, denial: &Denial) -> Refusal {
        let version = self.policy.version();
        let (network, origin) = (&self.network, &self.origin);
        deny(network, origin, version, &self.host, self.port, denial)
    }

    /// Reports that it could not be opened, and records that.
    fn failed(&self, errno: Errno, why: String) -> Refusal {
        let mut event = RequestEvent {
            origin: self.origin.clone(),
            id: self.network.next_id(),
            url: cut_url("tcp", &self.host.in_url(), self.port, ""),
            failure: Some(why.clone()),
            times: self.times,
            ..RequestEvent::default()
        };
        event.granted(&self.grant);
        event.times.total = clock().saturating_sub(self.began);
        self.network.tell(Event::Request(Box::new(event)));
        let refusal = Refusal { errno, why };
        if let Some(recording) = self.network.recording() {
            // Where this cannot be recorded nothing else can: the next request is told.
            let _ = recording.connected(self.number, &self.host, self.port, Some(&refusal));
        }
        refusal
    }
}

/// Whether a connection may be opened, by the policy, the budget and what is recorded.
fn decide(
    network: &Network,
    policy: &Policy,
    host: &Host,
    port: u16,
) -> Result<(Grant, OpenConnection), Denial> {
    let grant = policy.open(host, port)?;
    let over = |why| over_budget(host, port, why);
    network.budget().has_room().map_err(over)?;
    let counted = network.budget().connection().map_err(over)?;
    let (recording, replay) = (network.recording(), network.replay());
    let unrecorded = |why: &str| recording_denial(host, port, why, None);
    if (recording.is_some() || replay.is_some()) && grant.protocol() != Protocol::Http {
        let why = "what is neither http nor https can be neither recorded nor replayed";
        return Err(unrecorded(why));
    }
    if let Some(recording) = recording {
        recording.check().map_err(|why| unrecorded(&why))?;
    }
    Ok((grant, counted))
}

/// Reports a denial; what the guest is told.
fn deny(
    network: &Network,
    origin: &Origin,
    version: u64,
    host: &Host,
    port: u16,
    denial: &Denial,
) -> Refusal {
    let url = cut_url("tcp", &host.in_url(), port, "");
    network.denied(origin, version, None, url, denial);
    Refusal::denied(denial)
}

/// The vetted addresses among `answers`, none of which may be refused or blocked.
fn vetted(
    policy: &Policy,
    grant: &Grant,
    host: &Host,
    port: u16,
    answers: &[IpAddr],
) -> Result<Vec<SocketAddr>, Denial> {
    let vetted = vet::vet(answers, grant.beyond(), dial::is_own).map_err(|why| {
        let kind = match why {
            Refused::Address(..) | Refused::TooMany(_) => DenialKind::Address,
            Refused::Nothing => DenialKind::NotAllowed,
        };
        let mut denial = denial(host, port, kind, &why.to_string());
        if matches!(why, Refused::Address(..)) && grant.rule_ref.is_some() {
            denial.ask = Some(format!(
                "mark the rule for `{host}` as `private`, if that range may be granted"
            ));
        }
        denial
    })?;
    if let Some(denial) = vetted
        .iter()
        .find_map(|ip| policy.blocks_address(*ip, port))
    {
        return Err(denial);
    }
    Ok(vetted
        .into_iter()
        .map(|ip| SocketAddr::new(ip, port))
        .collect())
}

fn errno_of(error: &io::Error) -> Errno {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Errno::ConnRefused,
        io::ErrorKind::ConnectionReset => Errno::ConnReset,
        io::ErrorKind::TimedOut => Errno::TimedOut,
        io::ErrorKind::NetworkUnreachable => Errno::NetUnreach,
        _ => Errno::HostUnreach,
    }
}
