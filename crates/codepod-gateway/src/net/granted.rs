//! A connection that was granted and dialled: TLS if the guest asks for it, then what it carries.

use std::future::{Future, pending};
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;

use super::downloads::{Downloads, Place};
use super::idle::Idle;
use super::offload::{self, Offloaded};
use super::prefixed::Prefixed;
use super::relay::{self, Carried, End};
use super::session::Close;
use super::tls::{self, Outcome, TlsFailure};
use super::upstream::HttpServer;
use super::{Gateway, clock};
use crate::budget::OpenConnection;
use crate::cassette::{OnTape, Replay, Replayed};
use crate::cptls::{Hello, MAGIC, Record};
use crate::event::{Event, Origin, RequestEvent, Times, cut_url};
use crate::http::{
    self, Asker, Connection, RECORD_AGAIN, Requests, Tape, Taping, Upstream, recording_denial,
};
use crate::network::{Answer, Ask, BoxFuture, Network, over_budget};
use crate::policy::Grant;
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::printable;
use crate::policy::target::Scheme;
use crate::secrets::{Scan, Secrets};

/// How long a guest may take with its hello.
const HELLO: Duration = Duration::from_secs(10);

/// How often it is looked whether the request of a guest that has left is delivered.
const DELIVERED: Duration = Duration::from_millis(10);

/// What is known of a granted connection.
pub(super) struct Granted {
    pub(super) gateway: Gateway,
    pub(super) network: Arc<Network>,
    pub(super) origin: Origin,
    pub(super) host: Host,
    pub(super) port: u16,
    pub(super) grant: Grant,
    /// What was dialled; offline, the static address that would have been.
    pub(super) address: Option<SocketAddr>,
    pub(super) times: Times,
    /// Whether the guest has a certificate of its own to show in TLS.
    pub(super) shows_own: bool,
    /// Counts the connection as open until it is dropped.
    pub(super) _counted: OpenConnection,
}

/// A raw connection while it is carried.
struct Raw {
    network: Arc<Network>,
    /// Those there were when it began.
    secrets: Arc<Secrets>,
    carried: Carried,
    began: Duration,
}

impl Raw {
    fn new(network: &Arc<Network>) -> Raw {
        Raw {
            network: network.clone(),
            secrets: network.deciding().secrets.clone(),
            carried: Carried::default(),
            began: clock(),
        }
    }

    async fn carry<G, S>(&self, guest: G, server: S, may_upgrade: bool) -> End
    where
        G: AsyncRead + AsyncWrite + Unpin,
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let scan = Scan::new(self.secrets.bind_nothing().leak_scan(), None);
        let budget = self.network.budget();
        relay::carry(guest, server, budget, scan, &self.carried, may_upgrade).await
    }
}

impl Granted {
    /// Reads what a guest asks for, and decides whether it may. `None` when there is no TLS; the
    /// guest knows why.
    pub(super) async fn agree<S>(
        &mut self,
        guest: &mut Prefixed<S>,
        scheme: Scheme,
    ) -> Option<Hello>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let hello = match timeout(HELLO, read_hello(guest)).await {
            Ok(Ok(hello)) => hello,
            Ok(Err(why)) => {
                if why.kind() == io::ErrorKind::InvalidData {
                    tell_failure(guest, &TlsFailure::new(why.to_string())).await;
                }
                return None;
            }
            Err(_) => return None,
        };
        self.shows_own = hello.key.is_some();
        let refused = match self.network.policy().stream(&self.host, self.port, scheme) {
            Err(denial) => Some(denial),
            Ok(grant) => {
                self.grant = grant;
                // The name of the certificate is the name that was allowed.
                let asked = hello.server_name.as_deref().map(Host::parse);
                let other = asked.is_some_and(|asked| asked.as_ref() != Ok(&self.host));
                other.then(|| {
                    let why = "TLS asks for another name than the connection is to";
                    self.denial(DenialKind::Ambiguous, why)
                })
            }
        };
        if let Some(denial) = refused {
            self.report(&denial);
            tell_failure(guest, &TlsFailure::new(denial.why())).await;
            return None;
        }
        Some(hello)
    }

    /// Ends TLS for a guest that asks for it, and tells it what came of that. `None` when there is
    /// no TLS; the guest knows why.
    pub(super) async fn offload<S>(
        mut self,
        mut guest: Prefixed<S>,
        server: Idle<TcpStream>,
        scheme: Scheme,
        left: impl Future<Output = ()>,
    ) -> Option<(
        Offloaded<Prefixed<S>>,
        TlsStream<Idle<TcpStream>>,
        &'static str,
        Granted,
    )>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let hello = self.agree(&mut guest, scheme).await?;
        let alpn = match scheme {
            // Between guest and gateway there is HTTP/1.1 only.
            Scheme::Https => {
                let offered = hello.alpn.iter().filter(|own| *own == b"http/1.1");
                offered.cloned().collect()
            }
            _ => hello.alpn.clone(),
        };
        let began = clock();
        let tls = self.grant.tls.clone();
        let handshake = tls::handshake(
            &self.gateway.shared.tls,
            server,
            &self.host,
            &hello,
            alpn,
            &tls,
        );
        let handshake = timeout(self.network.timeouts().tls, handshake);
        let outcome = tokio::select! {
            outcome = handshake => match outcome {
                Ok(outcome) => outcome,
                Err(_) => Err(TlsFailure::new("the handshake took too long")),
            },
            () = left => Err(TlsFailure::new("the program left")),
        };
        self.times.tls = clock().saturating_sub(began);
        let recorded = self.record_handshake(&hello, &outcome);
        let outcome = outcome.and_then(|shaken| match recorded {
            Ok(()) => Ok(shaken),
            Err(denial) => {
                self.report(&denial);
                Err(TlsFailure::new(denial.why()))
            }
        });
        match outcome {
            Ok((server, outcome)) => {
                let downloads = self.shared_downloads();
                if let Some(downloads) = downloads.filter(|_| scheme == Scheme::Https) {
                    downloads.note(&self.place(scheme), &outcome.reply).await;
                }
                offload::send(&mut guest, Record::Reply, &outcome.reply)
                    .await
                    .ok()?;
                Some((Offloaded::new(guest), server, outcome.version, self))
            }
            Err(failure) => {
                let mut event = self.event(scheme, None);
                event.failure = Some(failure.text.clone());
                self.network.tell(Event::Request(Box::new(event)));
                tell_failure(&mut guest, &failure).await;
                None
            }
        }
    }

    /// Carries requests of HTTP until one side ends the connection.
    pub(super) async fn carry_http<G, S>(
        self,
        guest: G,
        server: S,
        scheme: Scheme,
        tls: Option<&'static str>,
        left: impl Future<Output = ()>,
    ) -> Close
    where
        G: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let first_byte = self.network.timeouts().first_byte;
        let Ok((server, closed)) = HttpServer::new(server, first_byte).await else {
            return Close::End;
        };
        let closed = async {
            let _ = closed.await;
        };
        self.carry_requests(guest, Arc::new(server), scheme, tls, closed, left)
            .await
    }

    /// What the server is, for what is kept of it.
    pub(super) fn place(&self, scheme: Scheme) -> Place {
        let fixed = self.network.policy().static_address(&self.host);
        Place {
            scheme,
            host: self.host.clone(),
            port: self.port,
            address: fixed.and(self.address),
            roots: self.grant.tls.roots.clone(),
        }
    }

    /// What is shared of what comes from here: not what comes from an unknown server, nor what is
    /// for one client, which its rule or the guest itself has a certificate for.
    fn shared_downloads(&self) -> Option<&Downloads> {
        let tls = &self.grant.tls;
        let is_own = self.shows_own || tls.insecure || tls.client_cert.is_some();
        let downloads = self.gateway.shared.downloads.as_ref();
        downloads.filter(|_| !is_own)
    }

    /// Carries requests of HTTP to a server, by way of what is shared.
    pub(super) async fn carry_requests<G>(
        self,
        guest: G,
        server: Arc<dyn Upstream>,
        scheme: Scheme,
        tls: Option<&'static str>,
        closed: impl Future<Output = ()>,
        left: impl Future<Output = ()>,
    ) -> Close
    where
        G: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let server = match self.shared_downloads() {
            None => server,
            Some(downloads) => downloads.before(server, self.place(scheme)),
        };
        let recording = self.network.recording();
        let tape = recording.map(|recording| Arc::new(OnTape::new(recording.clone())));
        let taping = match &tape {
            Some(tape) => Taping::Record(tape.clone()),
            None => Taping::Off,
        };
        let closed = async {
            let _ = closed.await;
            if let Some(tape) = tape {
                tape.closed();
            }
        };
        let connection = self.connection(scheme, tls, taping);
        let requests = connection.requests.clone();
        let left = async {
            left.await;
            // What was sent before is delivered, as a system does it.
            loop {
                tokio::time::sleep(DELIVERED).await;
                if requests.are_delivered() {
                    return;
                }
            }
        };
        http::serve(TokioIo::new(guest), connection, server, closed, left).await;
        close_after(&requests)
    }

    /// Carries requests to a recording.
    pub(super) async fn replay_http<G>(
        self,
        guest: G,
        replay: Arc<Replay>,
        scheme: Scheme,
        tls: Option<&'static str>,
    ) -> Close
    where
        G: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let first_byte = self.network.timeouts().first_byte;
        let (server, closed) = Replayed::new(replay, first_byte);
        let connection = self.connection(scheme, tls, Taping::Replay);
        let requests = connection.requests.clone();
        let server = Arc::new(server);
        http::serve(TokioIo::new(guest), connection, server, closed, pending()).await;
        close_after(&requests)
    }

    /// What the requests of this connection share.
    fn connection(
        &self,
        scheme: Scheme,
        tls: Option<&'static str>,
        taping: Taping,
    ) -> Arc<Connection> {
        Arc::new(Connection {
            asker: self.asker(),
            network: self.network.clone(),
            origin: self.origin.clone(),
            host: self.host.clone(),
            port: self.port,
            scheme,
            address: self.address,
            tls,
            insecure: tls.is_some() && self.grant.tls.insecure,
            times: Mutex::new(self.times),
            clock,
            taping,
            requests: Requests::default(),
        })
    }

    /// Notes what came of a handshake, where that is recorded.
    fn record_handshake<T>(
        &self,
        hello: &Hello,
        outcome: &Result<(T, Outcome), TlsFailure>,
    ) -> Result<(), Denial> {
        let Some(recording) = self.network.recording() else {
            return Ok(());
        };
        let failure;
        let payload = match outcome {
            Ok((_, outcome)) => Ok(&outcome.reply[..]),
            Err(failed) => {
                failure = failed.payload();
                Err(&failure[..])
            }
        };
        let n = recording.number();
        let recorded = recording.shaken(n, &self.host, self.port, hello, payload);
        recorded.map_err(|why| recording_denial(&self.host, self.port, &why, None))
    }

    /// Ends TLS for a guest with what a recording has of it. `None` when there is no TLS; the guest
    /// knows why.
    pub(super) async fn shake_again<S>(
        mut self,
        mut guest: Prefixed<S>,
        replay: &Replay,
    ) -> Option<(Offloaded<Prefixed<S>>, &'static str, Granted)>
    where
        S: AsyncRead + AsyncWrite + Unpin,
    {
        let hello = self.agree(&mut guest, Scheme::Https).await?;
        let shaken = match replay.shake(&self.host, self.port, &hello) {
            Ok(shaken) => shaken,
            Err(why) => {
                let denial = recording_denial(&self.host, self.port, &why, Some(RECORD_AGAIN));
                self.report(&denial);
                tell_failure(&mut guest, &TlsFailure::new(denial.why())).await;
                return None;
            }
        };
        if !shaken.is_reply {
            let mut event = self.event(Scheme::Https, None);
            event.failure = Some(tls::text_of(&shaken.payload));
            self.network.tell(Event::Request(Box::new(event)));
            let _ = offload::send(&mut guest, Record::Fail, &shaken.payload).await;
            return None;
        }
        let version = tls::version_of(&shaken.payload);
        let sent = offload::send(&mut guest, Record::Reply, &shaken.payload).await;
        sent.ok()?;
        Some((Offloaded::new(guest), version, self))
    }

    /// Carries bytes until both sides have ended, in TLS that is done already.
    pub(super) async fn carry_tls<G, S>(
        self,
        guest: G,
        server: S,
        scheme: Scheme,
        tls: &'static str,
    ) where
        G: AsyncRead + AsyncWrite + Unpin,
        S: AsyncRead + AsyncWrite + Unpin,
    {
        if let Err(denial) = self.ask_raw(scheme).await {
            return self.report(&denial);
        }
        let raw = Raw::new(&self.network);
        let end = raw.carry(guest, server, false).await;
        self.tell_end(raw, end, scheme, Some(tls));
    }

    /// Carries bytes until both sides have ended. Either may speak first, and the guest may ask for
    /// TLS on the way.
    pub(super) async fn carry_tcp<G>(self, mut guest: G, mut server: Idle<TcpStream>) -> Close
    where
        G: AsyncRead + AsyncWrite + Unpin,
    {
        if let Err(denial) = self.ask_raw(Scheme::Tcp).await {
            self.report(&denial);
            return Close::End;
        }
        let raw = Raw::new(&self.network);
        let end = raw.carry(&mut guest, &mut server, true).await;
        let close = match end {
            End::Cut(_) | End::Budget(_) | End::Leak(_) => Close::Reset,
            End::Done | End::Broken(_) | End::Upgrade(_) => Close::End,
        };
        let End::Upgrade(prefix) = end else {
            self.tell_end(raw, end, Scheme::Tcp, None);
            return close;
        };
        let guest = Prefixed {
            prefix: prefix.into(),
            stream: guest,
        };
        let offloaded = self.offload(guest, server, Scheme::Tcp, pending()).await;
        if let Some((guest, server, tls, own)) = offloaded {
            let end = raw.carry(guest, server, false).await;
            own.tell_end(raw, end, Scheme::Tcp, Some(tls));
        }
        close
    }

    /// Tells how a raw connection ended.
    fn tell_end(&self, raw: Raw, end: End, scheme: Scheme, tls: Option<&'static str>) {
        let network = &self.network;
        let mut event = self.event(scheme, tls);
        event.failure = match end {
            End::Done | End::Upgrade(_) => None,
            End::Broken(error) | End::Cut(error) => Some(error.to_string()),
            End::Budget(why) => {
                self.report(&over_budget(&self.host, self.port, why));
                Some(why.to_string())
            }
            End::Leak(hits) => {
                for secret in raw.secrets.names(hits) {
                    network.tell(Event::SecretLeak {
                        origin: self.origin.clone(),
                        secret,
                        host: self.host.to_string(),
                    });
                }
                let denial = self.denial(DenialKind::Secret, "a secret goes over https only");
                self.report(&denial);
                Some(denial.reason)
            }
        };
        event.bytes_out = raw.carried.sent.load(Relaxed);
        event.bytes_in = raw.carried.received.load(Relaxed);
        event.times.total = clock().saturating_sub(raw.began);
        network.tell(Event::Request(Box::new(event)));
    }

    /// The steps of a decision that a raw connection has: policy, budget, callback.
    async fn ask_raw(&self, scheme: Scheme) -> Result<(), Denial> {
        let deciding = self.network.deciding();
        deciding.policy.stream(&self.host, self.port, scheme)?;
        self.network
            .budget()
            .request()
            .map_err(|why| over_budget(&self.host, self.port, why))?;
        let Some(on_request) = deciding.on_request.clone() else {
            return Ok(());
        };
        let question = Ask {
            id: self.network.next_id(),
            origin: self.origin.clone(),
            method: None,
            url: cut_url(scheme.as_str(), &self.host.in_url(), self.port, ""),
            host: self.host.to_string(),
            port: self.port,
            headers: Vec::new(),
            body_bytes: None,
        };
        match self.asker()(on_request, question).await {
            Answer::Allow => Ok(()),
            Answer::Deny(reason) => Err(self.denial(DenialKind::Callback, &printable(&reason))),
            Answer::Respond { .. } => {
                Err(self.denial(DenialKind::Callback, "a raw connection cannot be answered"))
            }
        }
    }

    /// Asks the embedder, such that it denies when that fails, takes too long, or too many wait.
    fn asker(&self) -> Asker {
        let places = self.gateway.shared.asked.clone();
        let limit = self.network.timeouts().callback;
        Arc::new(move |ask, question| -> BoxFuture<Answer> {
            let places = places.clone();
            Box::pin(async move {
                let Ok(_place) = places.try_acquire() else {
                    return Answer::Deny("too many requests wait for an answer".to_owned());
                };
                // On a task of its own a panic ends only that.
                let answer = tokio::spawn(async move { ask(question).await });
                let stop = answer.abort_handle();
                match timeout(limit, answer).await {
                    Ok(Ok(answer)) => answer,
                    Ok(Err(_)) => Answer::Deny("the question failed".to_owned()),
                    Err(_) => {
                        stop.abort();
                        Answer::Deny("the question was not answered in time".to_owned())
                    }
                }
            })
        })
    }

    /// A denial of this connection.
    pub(super) fn denial(&self, kind: DenialKind, why: &str) -> Denial {
        denial(&self.host, self.port, kind, why)
    }

    /// Reports a denial of this connection.
    pub(super) fn report(&self, denial: &Denial) {
        let url = cut_url("tcp", &self.host.in_url(), self.port, "");
        let policy = self.network.policy().version();
        self.network.denied(&self.origin, policy, None, url, denial);
    }

    /// Reports TLS that a guest ends itself.
    pub(super) fn report_own_tls(&self) {
        self.report(&self.denial(
            DenialKind::NotAllowed,
            "TLS from inside cannot be looked into; programs of the sandbox leave it to the gateway",
        ));
    }

    pub(super) fn event(&self, scheme: Scheme, tls: Option<&'static str>) -> RequestEvent {
        let mut event = RequestEvent {
            origin: self.origin.clone(),
            id: self.network.next_id(),
            url: cut_url(scheme.as_str(), &self.host.in_url(), self.port, ""),
            address: self.address,
            tls,
            insecure: tls.is_some() && self.grant.tls.insecure,
            times: self.times,
            ..RequestEvent::default()
        };
        event.granted(&self.grant);
        event
    }
}

fn close_after(requests: &Requests) -> Close {
    match requests.is_cut() {
        true => Close::Reset,
        false => Close::End,
    }
}

/// A denial of a connection to `port` of `host`.
pub(super) fn denial(host: &Host, port: u16, kind: DenialKind, why: &str) -> Denial {
    Denial {
        kind,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason: format!("{}:{port}: {why}", host.in_url()),
        ask: None,
    }
}

async fn read_hello<S>(guest: &mut Prefixed<S>) -> io::Result<Hello>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut magic = MAGIC;
    guest.read_exact(&mut magic).await?;
    offload::read_hello(guest).await
}

/// Tells a guest why there is no TLS. If it is gone, nobody wants to know.
pub(super) async fn tell_failure<S: AsyncWrite + Unpin>(guest: &mut S, failure: &TlsFailure) {
    let _ = offload::send(guest, Record::Fail, &failure.payload()).await;
}
