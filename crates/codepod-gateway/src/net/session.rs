//! Opening a connection for a guest: decide, look up, vet, dial; then see what the guest speaks.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use codepod_abi::Errno;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::granted::{Granted, denial};
use super::idle::Idle;
use super::offload::{self, Beginning};
use super::prefixed::Prefixed;
use super::resolver::ResolveError;
use super::{Gateway, Refusal, clock, dial};
use crate::cassette::{Connected, LookupFailure, Replay};
use crate::event::{Event, Origin, RequestEvent, Times, cut_url};
use crate::http::{RECORD_AGAIN, recording_denial};
use crate::network::{Network, over_budget};
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::target::Scheme;
use crate::policy::{Grant, Policy, Protocol};
use crate::vet::{self, Refused};

/// A connection to a server that a guest was granted.
pub struct Session {
    granted: Granted,
    server: Server,
}

/// What is at the other end.
enum Server {
    Dialled(Idle<TcpStream>),
    /// Nothing: it is offline here.
    Offline,
    /// A recording in its place.
    Recorded(Arc<Replay>),
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("host", &self.granted.host)
            .field("port", &self.granted.port)
            .finish_non_exhaustive()
    }
}

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
    Budget(crate::budget::Exceeded),
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

impl Session {
    /// See [`Gateway::open`].
    pub(super) async fn open(
        gateway: Gateway,
        network: Arc<Network>,
        origin: Origin,
        host: Host,
        port: u16,
    ) -> Result<Session, Refusal> {
        let policy = network.policy();
        let deny = |denial: Denial| {
            let url = cut_url("tcp", &host.in_url(), port, "");
            network.denied(&origin, policy.version(), None, url, &denial);
            Refusal::denied(&denial)
        };
        let grant = policy.open(&host, port).map_err(deny)?;
        let over = |why| over_budget(&host, port, why);
        network.budget().has_room().map_err(|why| deny(over(why)))?;
        let counted = network
            .budget()
            .connection()
            .map_err(|why| deny(over(why)))?;

        let (recording, replay) = (network.recording(), network.replay());
        if (recording.is_some() || replay.is_some()) && grant.protocol() != Protocol::Http {
            let why = "what is neither http nor https can be neither recorded nor replayed";
            return Err(deny(recording_denial(&host, port, why, None)));
        }
        let cannot = |why: String| recording_denial(&host, port, &why, None);
        if let Some(recording) = recording {
            recording.check().map_err(|why| deny(cannot(why)))?;
        }

        let began = clock();
        let mut times = Times::default();
        let number = recording.map_or(0, |recording| recording.number());
        let record = |refused: Option<&Refusal>| match recording {
            Some(recording) => recording.connected(number, &host, port, refused),
            None => Ok(()),
        };
        let fail = |errno, why: String, times| {
            let mut event = RequestEvent {
                origin: origin.clone(),
                id: network.next_id(),
                url: cut_url("tcp", &host.in_url(), port, ""),
                failure: Some(why.clone()),
                times,
                ..RequestEvent::default()
            };
            event.granted(&grant);
            event.times.total = clock().saturating_sub(began);
            network.tell(Event::Request(Box::new(event)));
            let refusal = Refusal { errno, why };
            // Where this cannot be recorded nothing else can: the next request is told.
            let _ = record(Some(&refusal));
            refusal
        };
        let granted = |address, times, counted| Granted {
            gateway: gateway.clone(),
            network: network.clone(),
            origin: origin.clone(),
            host: host.clone(),
            port,
            grant: grant.clone(),
            address,
            times,
            shows_own: false,
            _counted: counted,
        };
        if let Some(replay) = replay {
            return match replay.connect(&host, port) {
                Connected::Yes => Ok(Session {
                    granted: granted(None, times, counted),
                    server: Server::Recorded(replay.clone()),
                }),
                Connected::Refused(errno, why) => Err(fail(errno, why, times)),
                Connected::Unknown => {
                    let why = "the recording has no connection to it";
                    Err(deny(recording_denial(&host, port, why, Some(RECORD_AGAIN))))
                }
            };
        }
        let downloads = gateway.shared.downloads.as_ref();
        if downloads.is_some_and(|downloads| downloads.is_offline(&host, Some(port))) {
            if grant.protocol() != Protocol::Http {
                let why = format!("{}:{port} is offline here", host.in_url());
                return Err(fail(Errno::NetUnreach, why, times));
            }
            record(None).map_err(|why| deny(cannot(why)))?;
            let address = policy.static_address(&host).map(|address| address.at(port));
            return Ok(Session {
                granted: granted(address, times, counted),
                server: Server::Offline,
            });
        }
        let addresses = match (policy.static_address(&host), &host) {
            (Some(address), _) => vec![address.at(port)],
            (None, Host::Ip(ip)) => vetted(&policy, &grant, &host, port, &[*ip]).map_err(deny)?,
            (None, Host::Name(name)) => {
                let answers = answers(&gateway, &network, &policy, name).await;
                times.resolve = clock().saturating_sub(began);
                match answers {
                    Ok(answers) => vetted(&policy, &grant, &host, port, &answers).map_err(deny)?,
                    Err(Unresolved::Budget(why)) => return Err(deny(over(why))),
                    Err(Unresolved::Lookup(why)) => {
                        return Err(fail(Errno::HostUnreach, format!("{host}: {why}"), times));
                    }
                }
            }
        };
        let dialling = clock();
        let count = || {
            gateway.shared.dials.fetch_add(1, Ordering::Relaxed);
        };
        let limit = network.timeouts().connect;
        let dialled = timeout(limit, dial::dial(&addresses, count))
            .await
            .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()));
        times.connect = clock().saturating_sub(dialling);
        let (server, address) = match dialled {
            Ok(dialled) => dialled,
            Err(error) => {
                let why = format!("{}:{port}: {error}", host.in_url());
                return Err(fail(errno_of(&error), why, times));
            }
        };
        record(None).map_err(|why| deny(cannot(why)))?;
        let server = Idle::new(server, network.timeouts().idle);
        Ok(Session {
            granted: granted(Some(address), times, counted),
            server: Server::Dialled(server),
        })
    }

    /// Carries the connection until it ends. `guest` is the guest's side.
    pub async fn serve<S>(self, guest: S)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Session { granted, server } = self;
        let server = match server {
            // The server may be the one that speaks first.
            Server::Dialled(server) if granted.grant.protocol() == Protocol::Tcp => {
                return granted.carry_tcp(guest, server).await;
            }
            server => server,
        };
        let limit = granted.network.timeouts().idle;
        let Ok(Some((what, guest))) = timeout(limit, first_bytes(guest)).await else {
            return;
        };
        match server {
            Server::Dialled(server) => granted.serve_dialled(what, guest, server).await,
            Server::Offline => granted.serve_kept(what, guest).await,
            Server::Recorded(replay) => granted.serve_recorded(what, guest, replay).await,
        }
    }
}

impl Granted {
    /// Carries the connection to a server that was dialled.
    async fn serve_dialled<S>(self, what: Beginning, guest: Prefixed<S>, server: Idle<TcpStream>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match (what, self.grant.protocol()) {
            (Beginning::Magic, Protocol::Http) => {
                if let Some((guest, server, tls, own)) =
                    self.offload(guest, server, Scheme::Https).await
                {
                    own.carry_http(guest, server, Scheme::Https, Some(tls))
                        .await;
                }
            }
            (Beginning::Magic, _) => {
                if let Some((guest, server, tls, own)) =
                    self.offload(guest, server, Scheme::Tls).await
                {
                    own.carry_tls(guest, server, Scheme::Tls, tls).await;
                }
            }
            (Beginning::OwnTls, _) => self.report_own_tls(),
            (_, Protocol::Http) => self.carry_http(guest, server, Scheme::Http, None).await,
            (_, _) => self.report(&self.denial(
                DenialKind::NotAllowed,
                "the rule is for tls, and this is plain",
            )),
        }
    }

    /// Carries the connection to a server in whose place there is a recording.
    async fn serve_recorded<S>(self, what: Beginning, guest: Prefixed<S>, replay: Arc<Replay>)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        match what {
            Beginning::Magic => {
                if let Some((guest, tls, own)) = self.shake_again(guest, &replay).await {
                    own.replay_http(guest, replay, Scheme::Https, Some(tls))
                        .await;
                }
            }
            Beginning::OwnTls => self.report_own_tls(),
            Beginning::Plain | Beginning::Unknown => {
                self.replay_http(guest, replay, Scheme::Http, None).await;
            }
        }
    }
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

/// Reads until it is known what a guest speaks. `None` when it has sent nothing and ended.
async fn first_bytes<S: AsyncRead + Unpin>(mut guest: S) -> Option<(Beginning, Prefixed<S>)> {
    let mut first = Vec::with_capacity(16);
    loop {
        let what = offload::beginning(&first);
        let ended = what == Beginning::Unknown && {
            let mut more = [0; 16];
            let read = guest.read(&mut more).await.ok()?;
            first.extend_from_slice(&more[..read]);
            read == 0
        };
        if ended && first.is_empty() {
            return None;
        }
        if ended || what != Beginning::Unknown {
            let prefix = Bytes::from(first);
            return Some((
                what,
                Prefixed {
                    prefix,
                    stream: guest,
                },
            ));
        }
    }
}
