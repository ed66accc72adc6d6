//! One connection of a guest: its requests, one after the other.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
#[cfg(feature = "net")]
use std::time::SystemTime;

use bytes::Bytes;
use http_body_util::{BodyExt, Either, Full};
#[cfg(feature = "net")]
use http_body_util::{LengthLimitError, Limited};
use hyper::body::{Body as HttpBody, Incoming};
use hyper::header::{self, HeaderValue};
use hyper::rt::{Read, Write};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, Version, http};

use super::body::{Body, BodyError, CutOff, Filtered, Passage, ReplyBody, Way};
use super::frames::{Fault, Frames, Side};
use super::head::{self, BadHead};
use super::tape::{Asked, End, Noted, Take, Taping, taped};
use super::tunnel;
use crate::event::{Event, Origin, RequestEvent, Times, cut_method, cut_url};
use crate::network::{Answer, Ask, BoxFuture, Network, OnRequest, over_budget};
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::host::Host;
use crate::policy::printable;
use crate::policy::target::{Scheme, Target};
#[cfg(feature = "net")]
use crate::secrets::Claim;
use crate::secrets::{Bound, Scan, Secrets, Stream};

/// The largest head of a request.
pub(super) const MAX_HEAD: usize = 64 * 1024;
/// The most header fields.
pub(super) const MAX_FIELDS: usize = 256;
/// The largest body that is read before it is sent, because its hash stands in the head.
#[cfg(feature = "net")]
const MAX_HASHED: usize = 8 << 20;

/// Why a server gives no reply.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// It closed the connection, or sent what is no HTTP: the guest's connection is closed, too.
    #[error("{0}")]
    Broken(String),
    /// It took too long.
    #[error("the server did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    /// What it gave is not what it has to be.
    #[error("{0}")]
    Wrong(String),
    /// It cannot be asked, and nothing was kept.
    #[error("{0}")]
    Absent(String),
    /// The recording that stands in for the server has no such request; what differs.
    #[error("{0}")]
    Unrecorded(String),
}

/// Marks a request that has nothing of a secret, from a sandbox that has none for its host.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shareable;

/// How a reply came that was not, or not only, fetched for its guest.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Came(pub(crate) &'static str);

/// The way to the server of a connection.
pub trait Upstream: Send + Sync {
    /// Sends a request and returns the reply with its body to come.
    fn send(&self, request: Request<Body>) -> BoxFuture<Result<Response<ReplyBody>, Failure>>;
}

/// What all requests of a connection share.
pub struct Connection {
    /// The sandbox's network, which decides.
    pub network: Arc<Network>,
    /// Who opened the connection.
    pub origin: Origin,
    /// The host that it was opened to.
    pub host: Host,
    /// Its port.
    pub port: u16,
    /// Whether TLS ended before.
    pub scheme: Scheme,
    /// The address that was dialled.
    pub address: Option<SocketAddr>,
    /// The version of TLS.
    pub tls: Option<&'static str>,
    /// Whether any certificate of the server was taken. No secret goes there then.
    pub insecure: bool,
    /// The times of the connection itself, which its first request takes into its event.
    pub times: Mutex<Times>,
    /// A clock that never goes back.
    pub clock: fn() -> Duration,
    /// Asks whoever is asked about each request, and has an answer in time.
    pub asker: Asker,
    /// Whether its exchanges are recorded, or replayed.
    pub taping: Taping,
}

/// Asks the embedder. It denies when that fails, takes too long, or too many wait.
pub type Asker = Arc<dyn Fn(OnRequest, Ask) -> BoxFuture<Answer> + Send + Sync>;

/// Serves the requests of a guest until it or the server ends the connection.
///
/// `closed` is ready when the server has closed: then the guest's connection ends after the request
/// under way.
pub async fn serve<S>(
    stream: S,
    connection: Arc<Connection>,
    upstream: Arc<dyn Upstream>,
    closed: impl Future<Output = ()>,
) where
    S: Read + Write + Unpin + Send + 'static,
{
    let tunnels: Arc<Mutex<Option<BoxFuture<()>>>> = Arc::default();
    let service = service_fn(|request| {
        let (connection, upstream, tunnels) =
            (connection.clone(), upstream.clone(), tunnels.clone());
        async move {
            Exchange::new(connection)
                .run(request, &*upstream, &tunnels)
                .await
        }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .auto_date_header(false)
        .half_close(true)
        .max_buf_size(MAX_HEAD)
        .max_headers(MAX_FIELDS)
        .preserve_header_case(true)
        .serve_connection(stream, service)
        .with_upgrades();
    let mut served = std::pin::pin!(served);
    let mut closed = std::pin::pin!(closed);
    let mut open = true;
    // What goes wrong between the guest and us is the guest's affair.
    let _ = std::future::poll_fn(|cx| {
        let polled = served.as_mut().poll(cx);
        // A connection that became a WebSocket is no longer one of HTTP, and has not ended.
        let is_tunnel = || {
            tunnels
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .is_some()
        };
        if polled.is_pending() && open && closed.as_mut().poll(cx).is_ready() && !is_tunnel() {
            open = false;
            served.as_mut().graceful_shutdown();
            return served.as_mut().poll(cx);
        }
        polled
    })
    .await;
    let tunnel = tunnels
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    if let Some(tunnel) = tunnel {
        tunnel.await;
    }
}

/// The server closed the connection, and so do we.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the server is broken")]
struct Broken;

type Reply = Result<Response<Body>, Broken>;

/// The body of a request as the guest sends it, or as it was read.
type Sent = Either<Incoming, Full<Bytes>>;

/// Why what a guest has signed is not signed anew.
#[cfg(feature = "net")]
enum Unclaimed {
    Refused(String),
    /// The guest has not sent all of its body.
    Broken,
}

/// One request.
struct Exchange {
    connection: Arc<Connection>,
    began: Duration,
    id: u64,
}

impl Exchange {
    fn new(connection: Arc<Connection>) -> Exchange {
        Exchange {
            began: (connection.clock)(),
            id: connection.network.next_id(),
            connection,
        }
    }

    async fn run(
        self,
        request: Request<Incoming>,
        upstream: &dyn Upstream,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Reply {
        let Connection {
            network,
            host,
            port,
            scheme,
            ..
        } = &*self.connection;
        let deciding = network.deciding();
        let (policy, secrets) = (&deciding.policy, &deciding.secrets);
        let (mut parts, body) = request.into_parts();
        let url = self.cut(&parts.uri);
        let method = parts.method.clone();
        let deny = |denial: Denial| {
            let method = Some(cut_method(method.as_str()));
            network.denied(
                &self.connection.origin,
                policy.version(),
                method,
                url.clone(),
                &denial,
            );
            Ok(denied(&denial))
        };
        let target = match head::target(&parts, *scheme, host, *port) {
            Ok(target) => target,
            Err(why) => return deny_head(why, deny, host, *port),
        };
        let grant = match policy.request(&target, method.as_str()) {
            Ok(grant) => grant,
            Err(denial) => return deny(denial),
        };
        if let Err(why) = network.budget().request() {
            return deny(over_budget(host, *port, why));
        }
        let bound = match self.connection.insecure {
            false => secrets.bind(&target, method.as_str()),
            true => secrets.bind_nothing(),
        };
        if let Some(secret) = leak_in_head(&parts, &bound) {
            self.leaked(secrets, 1 << secret);
            return deny(leak(secrets, 1 << secret, &target));
        }
        match self.ask(deciding.on_request.clone(), &parts, &body).await {
            Answer::Allow => {}
            Answer::Deny(reason) => {
                return deny(Denial {
                    kind: DenialKind::Callback,
                    host: host.to_string(),
                    port: Some(*port),
                    rule: None,
                    reason: format!("{}:{port}: {}", host.in_url(), printable(&reason)),
                    ask: None,
                });
            }
            Answer::Respond {
                status,
                headers,
                body,
            } => {
                let reply = made_up(status, headers, body);
                let mut event = self.event(&url, &method);
                event.granted(&grant);
                event.status = Some(reply.status().as_u16());
                self.end(event);
                return Ok(reply);
            }
        }
        let mut event = self.event(&url, &method);
        event.granted(&grant);
        let body = Either::Left(body);
        #[cfg(feature = "net")]
        let (body, claim) = match self.claim(&parts, body, &bound).await {
            Ok(claimed) => claimed,
            Err(Unclaimed::Broken) => return Err(Broken),
            Err(Unclaimed::Refused(why)) => {
                let reason = format!("{}:{port}: {why}", host.in_url());
                return deny(secret_denial(host, *port, reason));
            }
        };
        let is_websocket = method == Method::GET && head::is_websocket(&parts.headers);
        let sent = Arc::new(Passage::default());
        let asked = self.asked(&parts);
        if is_websocket && asked.is_some() {
            let why = "a WebSocket can be neither recorded nor replayed";
            return deny(recording_denial(host, *port, why, None));
        }
        let (outgoing, guest_upgrade) = match self.outgoing(
            &mut parts,
            body,
            &bound,
            &sent,
            is_websocket,
            asked.as_ref(),
        ) {
            Ok(outgoing) => outgoing,
            Err(why) => {
                let reason = format!("{}:{port}: {why}", host.in_url());
                return deny(secret_denial(host, *port, reason));
            }
        };
        #[cfg(feature = "net")]
        let outgoing = {
            let mut outgoing = outgoing;
            if let Some(claim) = claim {
                let hits = claim.sign(&mut outgoing, SystemTime::now());
                sent.hits.fetch_or(hits, Relaxed);
            }
            outgoing
        };
        match network.budget().send(head_bytes(&outgoing)) {
            Ok(drawn) => sent.bytes.fetch_add(drawn as u64, Relaxed),
            Err(why) => return deny(over_budget(host, *port, why)),
        };
        let mut take = match (&self.connection.taping, asked) {
            (Taping::Record(tape), Some(asked)) => match tape.begin(asked, secrets.clone()) {
                Ok(take) => Some(take),
                Err(why) => return deny(recording_denial(host, *port, &why, None)),
            },
            _ => None,
        };
        let reply = match upstream.send(outgoing).await {
            Ok(reply) => reply,
            Err(failure) => {
                let end = match sent.cut_off.get() {
                    Some(_) => End::Refused,
                    None => End::Failed(&failure),
                };
                if let Err(why) = take.as_mut().map_or(Ok(()), |take| take.end(end)) {
                    return deny(recording_denial(host, *port, &why, None));
                }
                let reply = match sent.cut_off.get() {
                    Some(CutOff::Leak(hits)) => {
                        self.leaked(secrets, *hits);
                        deny(leak(secrets, *hits, &target))
                    }
                    Some(CutOff::Budget(why)) => deny(over_budget(host, *port, *why)),
                    Some(CutOff::Recording) | None => match &failure {
                        Failure::Broken(_) => Err(Broken),
                        Failure::Unrecorded(why) => {
                            return deny(recording_denial(host, *port, why, Some(RECORD_AGAIN)));
                        }
                        Failure::TimedOut(_) | Failure::Absent(_) => {
                            Ok(plain(StatusCode::GATEWAY_TIMEOUT, &failure.to_string()))
                        }
                        Failure::Wrong(_) => {
                            Ok(plain(StatusCode::BAD_GATEWAY, &failure.to_string()))
                        }
                    },
                };
                event.failure = Some(failure.to_string());
                event.bytes_out = sent.bytes.load(Relaxed);
                self.end(event);
                return reply;
            }
        };
        event.status = Some(reply.status().as_u16());
        event.came = reply.extensions().get::<Came>().map(|came| came.0);
        event.times.first = (self.connection.clock)().saturating_sub(self.began);
        self.incoming(
            reply,
            &method,
            &bound,
            Recorder {
                exchange: self_parts(&self),
                event: Some(event),
                secrets: secrets.clone(),
                sent,
                received: Arc::default(),
                take,
            },
            guest_upgrade,
            tunnels,
        )
    }

    /// What the guest has signed for an AWS account, with the body, which is read where its hash
    /// is signed and not given.
    #[cfg(feature = "net")]
    async fn claim(
        &self,
        parts: &http::request::Parts,
        body: Sent,
        bound: &Bound,
    ) -> Result<(Sent, Option<Claim>), Unclaimed> {
        let Some(grant) = bound.aws() else {
            return Ok((body, None));
        };
        let Some(mut claim) = grant.claim(parts).map_err(Unclaimed::Refused)? else {
            return Ok((body, None));
        };
        let refused = |why: String| Err(Unclaimed::Refused(why));
        let is_filled = || bound.fill_body(&media_type(&parts.headers)).is_some();
        if claim.covers_body() && !body.is_end_stream() && is_filled() {
            return refused("a secret is put into bodies here, and this one is signed".to_owned());
        }
        if !claim.lacks_hash() {
            return Ok((body, Some(claim)));
        }
        let read = match body.size_hint().lower() {
            length if length > MAX_HASHED as u64 => None,
            _ => match Limited::new(body, MAX_HASHED).collect().await {
                Ok(read) => Some(read.to_bytes()),
                Err(error) if error.is::<LengthLimitError>() => None,
                Err(_) => return Err(Unclaimed::Broken),
            },
        };
        let Some(read) = read else {
            return refused(format!(
                "a body of more than {MAX_HASHED} bytes is signed only with x-amz-content-sha256"
            ));
        };
        claim.hash(&read);
        Ok((Either::Right(Full::new(read)), Some(claim)))
    }

    /// The request that the server gets.
    fn outgoing(
        &self,
        parts: &mut http::request::Parts,
        body: Sent,
        bound: &Arc<Bound>,
        sent: &Arc<Passage>,
        is_websocket: bool,
        asked: Option<&Arc<Asked>>,
    ) -> Result<(Request<Body>, Option<hyper::upgrade::OnUpgrade>), &'static str> {
        let connection = &*self.connection;
        let mut hits = 0;
        let host_value = head::host_value(connection.scheme, &connection.host, connection.port);
        let mut headers = head::end_to_end(&parts.headers, |name, value| match *name {
            header::HOST => Some(host_value.clone()),
            _ => {
                let filled = bound.fill_header(value.as_bytes(), &mut hits)?;
                let mut filled = HeaderValue::from_bytes(&filled).ok()?;
                filled.set_sensitive(true);
                Some(filled)
            }
        });
        // hyper's server has answered `Expect` by the time the body is read.
        headers.remove(header::EXPECT);
        if !headers.contains_key(header::HOST) {
            headers.insert(header::HOST, host_value);
        }
        if is_websocket {
            headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            // Compressed messages could not be searched.
            if bound.messages().is_some() {
                headers.remove(header::SEC_WEBSOCKET_EXTENSIONS);
            }
        }
        if bound.redaction().is_some() {
            headers.insert(
                header::ACCEPT_ENCODING,
                HeaderValue::from_static("identity"),
            );
        }
        let filled_query = parts
            .uri
            .query()
            .and_then(|query| bound.fill_query(query.as_bytes(), &mut hits));
        let uri = head::origin_form(&parts.uri, filled_query.as_deref())
            .ok_or("the secret makes the URL too long")?;
        sent.hits.fetch_or(hits, Relaxed);

        let media_type = media_type(&parts.headers);
        let filling = match body.is_end_stream() {
            true => None,
            false => bound.fill_body(&media_type),
        };
        if filling.is_some() && is_encoded(&parts.headers) {
            return Err("a secret is put into bodies here, and this one is compressed");
        }
        let keeps_length = filling.as_ref().is_none_or(|filling| filling.keeps_length);
        if !keeps_length {
            headers.remove(header::CONTENT_LENGTH);
        }
        let filtered = Filtered {
            keeps_length,
            scan: Scan::new(
                bound.leak_scan().filter(|_| !body.is_end_stream()),
                filling.map(|filling| filling.stream),
            ),
            budget: connection.network.budget().clone(),
            way: Way::Out,
            passage: sent.clone(),
            over: None,
            ended: false,
            _guard: (),
            inner: Noted::new(body, asked),
        };
        let mut request = Request::new(filtered.boxed_unsync());
        *request.method_mut() = parts.method.clone();
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        // The spelling of the fields, which hyper keeps there, and the guest's side of an upgrade.
        *request.extensions_mut() = std::mem::take(&mut parts.extensions);
        if hits == 0 && bound.redaction().is_none() {
            request.extensions_mut().insert(Shareable);
        }
        if let Some(asked) = asked {
            request.extensions_mut().insert(asked.clone());
        }
        let upgrade = request
            .extensions_mut()
            .remove::<hyper::upgrade::OnUpgrade>()
            .filter(|_| is_websocket);
        Ok((request, upgrade))
    }

    /// The reply that the guest gets.
    fn incoming(
        &self,
        reply: Response<ReplyBody>,
        method: &Method,
        bound: &Bound,
        mut recorder: Recorder,
        guest_upgrade: Option<hyper::upgrade::OnUpgrade>,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Reply {
        let network = self.connection.network.clone();
        let (mut parts, body) = reply.into_parts();
        let is_upgrade = parts.status == StatusCode::SWITCHING_PROTOCOLS;
        let agreed = is_upgrade && head::is_websocket(&parts.headers);
        let mut take = recorder.take.take();
        let mut end = |end| take.as_mut().map_or(Ok(()), |take| take.end(end));
        if is_upgrade && !(agreed && guest_upgrade.is_some()) {
            let why = "the server switched to a protocol that was not asked for";
            recorder.fail(why);
            // Where this cannot be recorded nothing else can: the next request is told.
            let _ = end(End::Failed(&Failure::Broken(why.to_owned())));
            return Err(Broken);
        }
        let closes = head::closes(parts.version, &parts.headers);
        let mut hits = 0;
        let redaction = match self.connection.taping {
            // That was done when it was recorded, and perhaps with other values.
            Taping::Replay => None,
            Taping::Off | Taping::Record(_) => bound.redaction().cloned(),
        };
        let mut headers = head::end_to_end(&parts.headers, |_, value| {
            let redacted = redaction.as_ref()?.replace(value.as_bytes(), &mut hits);
            HeaderValue::from_bytes(&redacted).ok()
        });
        match network.budget().receive(reply_head_bytes(&parts)) {
            Ok(drawn) => recorder.received.bytes.fetch_add(drawn as u64, Relaxed),
            Err(why) => {
                recorder.fail(&why.to_string());
                let _ = end(End::Refused);
                let denial = over_budget(&self.connection.host, self.connection.port, why);
                return Ok(denied(&denial));
            }
        };
        let has_body = *method != Method::HEAD && !body.is_end_stream() && !is_upgrade;
        if redaction.is_some() && has_body && is_encoded(&parts.headers) {
            let why =
                "the reply is compressed, so it cannot be searched for the secrets of this host";
            recorder.fail(why);
            let reply = plain(StatusCode::BAD_GATEWAY, why);
            return Ok(self.taped(reply, take, recorder.received.clone()));
        }
        let keeps_length = redaction.as_ref().is_none_or(|own| own.keeps_lengths());
        if has_body && !keeps_length {
            headers.remove(header::CONTENT_LENGTH);
        }
        if agreed && let Some(guest) = guest_upgrade {
            headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
            let server = parts.extensions.remove::<hyper::upgrade::OnUpgrade>();
            let messages = bound.messages();
            if messages.is_some() && headers.contains_key(header::SEC_WEBSOCKET_EXTENSIONS) {
                let why = "the server uses an extension of WebSocket that was not offered";
                recorder.fail(why);
                return Ok(plain(StatusCode::BAD_GATEWAY, why));
            }
            let frames = messages.map(|messages| tunnel::Both {
                out: Frames::new(Side::Guest, messages.out, messages.out_control),
                back: Frames::new(Side::Server, messages.back, messages.back_control),
            });
            let tunnel = async move {
                let Some(server) = server else { return };
                let (Ok(guest), Ok(server)) = (guest.await, server.await) else {
                    return;
                };
                let fault = |fault| recorder.fault(fault);
                let carried = tunnel::carry(guest, server, network.budget(), frames, fault).await;
                recorder.sent.bytes.fetch_add(carried.out, Relaxed);
                recorder.sent.hits.fetch_or(carried.hits, Relaxed);
                recorder.received.bytes.fetch_add(carried.back, Relaxed);
            };
            *tunnels.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::pin(tunnel));
            let mut reply = Response::new(empty());
            *reply.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
            *reply.headers_mut() = headers;
            *reply.extensions_mut() = parts.extensions;
            return Ok(reply);
        }
        if closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let received = recorder.received.clone();
        let filtered = Filtered {
            inner: body,
            scan: Scan::new(None, redaction.filter(|_| has_body).map(Stream::new)),
            keeps_length,
            budget: network.budget().clone(),
            way: Way::In,
            passage: received.clone(),
            over: None,
            ended: false,
            _guard: recorder,
        };
        let mut reply = Response::new(filtered.boxed_unsync());
        *reply.status_mut() = parts.status;
        *reply.version_mut() = match parts.version {
            Version::HTTP_10 => Version::HTTP_10,
            _ => Version::HTTP_11,
        };
        *reply.headers_mut() = headers;
        *reply.extensions_mut() = parts.extensions;
        Ok(self.taped(reply, take, received))
    }

    /// The reply as it is taken down, or why it cannot be.
    fn taped(
        &self,
        reply: Response<Body>,
        take: Option<Box<dyn Take>>,
        received: Arc<Passage>,
    ) -> Response<Body> {
        let Connection { host, port, .. } = &*self.connection;
        taped(reply, take, received)
            .unwrap_or_else(|why| denied(&recording_denial(host, *port, &why, None)))
    }

    /// The request as it is recorded or looked for, where that is done.
    fn asked(&self, parts: &http::request::Parts) -> Option<Arc<Asked>> {
        match self.connection.taping {
            Taping::Off => None,
            Taping::Record(_) | Taping::Replay => {
                let method = parts.method.to_string();
                Some(Arc::new(Asked::new(method, self.url(&parts.uri))))
            }
        }
    }

    /// The whole URL of a request.
    fn url(&self, uri: &hyper::Uri) -> String {
        let connection = &*self.connection;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let authority = head::host_value(connection.scheme, &connection.host, connection.port);
        let authority = authority.to_str().unwrap_or_default();
        format!("{}://{authority}{path}", connection.scheme.as_str())
    }

    async fn ask(
        &self,
        on_request: Option<OnRequest>,
        parts: &http::request::Parts,
        body: &Incoming,
    ) -> Answer {
        let connection = &*self.connection;
        let Some(on_request) = on_request else {
            return Answer::Allow;
        };
        let question = Ask {
            id: self.id,
            origin: connection.origin.clone(),
            method: Some(parts.method.to_string()),
            url: self.url(&parts.uri),
            host: connection.host.to_string(),
            port: connection.port,
            headers: parts
                .headers
                .iter()
                .map(|(name, value)| (name.to_string(), value.as_bytes().to_vec()))
                .collect(),
            body_bytes: body.size_hint().exact(),
        };
        (connection.asker)(on_request, question).await
    }

    fn cut(&self, uri: &hyper::Uri) -> String {
        let connection = &*self.connection;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let host = connection.host.in_url();
        cut_url(connection.scheme.as_str(), &host, connection.port, path)
    }

    fn event(&self, url: &str, method: &Method) -> RequestEvent {
        let connection = &*self.connection;
        let times = std::mem::take(
            &mut *connection
                .times
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        RequestEvent {
            origin: connection.origin.clone(),
            id: self.id,
            method: Some(cut_method(method.as_str())),
            url: url.to_owned(),
            address: connection.address,
            tls: connection.tls,
            insecure: connection.insecure,
            times,
            ..RequestEvent::default()
        }
    }

    /// Reports a request that has ended.
    fn end(&self, event: RequestEvent) {
        self_parts(self).end(event);
    }

    fn leaked(&self, secrets: &Secrets, hits: u64) {
        tell_leak(&self.connection, secrets, hits);
    }
}

fn tell_leak(connection: &Connection, secrets: &Secrets, hits: u64) {
    for secret in secrets.names(hits) {
        connection.network.tell(Event::SecretLeak {
            origin: connection.origin.clone(),
            secret,
            host: connection.host.to_string(),
        });
    }
}

fn self_parts(exchange: &Exchange) -> Ended {
    Ended {
        connection: exchange.connection.clone(),
        began: exchange.began,
    }
}

/// What it takes to report the end of a request.
struct Ended {
    connection: Arc<Connection>,
    began: Duration,
}

impl Ended {
    fn end(&self, mut event: RequestEvent) {
        event.times.total = (self.connection.clock)().saturating_sub(self.began);
        self.connection
            .network
            .tell(Event::Request(Box::new(event)));
    }
}

/// Reports a request when its reply is dropped.
struct Recorder {
    exchange: Ended,
    event: Option<RequestEvent>,
    secrets: Arc<Secrets>,
    sent: Arc<Passage>,
    received: Arc<Passage>,
    /// Takes the exchange down, until its reply does that.
    take: Option<Box<dyn Take>>,
}

impl Recorder {
    fn fail(&mut self, why: &str) {
        if let Some(event) = &mut self.event {
            event.failure = Some(why.to_owned());
        }
    }

    /// Reports what ends a WebSocket, and returns what its guest is told: a code and a reason.
    fn fault(&mut self, fault: Fault) -> (u16, String) {
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

fn leak_in_head(parts: &http::request::Parts, bound: &Bound) -> Option<usize> {
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

fn leak(secrets: &Secrets, hits: u64, target: &Target) -> Denial {
    let reason = format!(
        "{}:{}: the secret {} is not bound to this host, scheme, path and method",
        target.host.in_url(),
        target.port,
        quoted(secrets, hits),
    );
    secret_denial(&target.host, target.port, reason)
}

fn quoted(secrets: &Secrets, hits: u64) -> String {
    let names = secrets.names(hits).into_iter();
    let names: Vec<_> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn secret_denial(host: &Host, port: u16, reason: String) -> Denial {
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

fn deny_head(why: BadHead, deny: impl FnOnce(Denial) -> Reply, host: &Host, port: u16) -> Reply {
    let denial = |reason| Denial {
        kind: DenialKind::Ambiguous,
        host: host.to_string(),
        port: Some(port),
        rule: None,
        reason,
        ask: None,
    };
    match why {
        BadHead::OtherHost => deny(denial(format!(
            "{}:{port}: the request names another host than the connection is to",
            host.in_url()
        ))),
        BadHead::Malformed(why) => {
            let mut reply = deny(denial(format!("{}:{port}: {why}", host.in_url())));
            if let Ok(reply) = &mut reply {
                *reply.status_mut() = StatusCode::BAD_REQUEST;
            }
            reply
        }
    }
}

/// What a guest reads when a request is denied.
fn denied(denial: &Denial) -> Response<Body> {
    let mut reply = plain(StatusCode::FORBIDDEN, &denial.to_string());
    let rule = match &denial.rule {
        Some(rule) => printable(&rule.to_string()),
        None => denial.kind.as_str().to_owned(),
    };
    if let Ok(rule) = HeaderValue::from_str(&rule) {
        reply.headers_mut().insert("codepod-denied", rule);
    }
    // The rest of a request that was denied is not read.
    reply
        .headers_mut()
        .insert(header::CONNECTION, HeaderValue::from_static("close"));
    reply
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    let body =
        Full::new(Bytes::from(format!("{text}\n"))).map_err(|never: Infallible| match never {});
    let mut reply = Response::new(body.boxed_unsync());
    *reply.status_mut() = status;
    reply.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("text/plain; charset=utf-8"),
    );
    reply
}

fn empty() -> Body {
    Full::new(Bytes::new())
        .map_err(|never: Infallible| -> BodyError { match never {} })
        .boxed_unsync()
}

/// The embedder's own reply. What is no status or field of HTTP is left out.
fn made_up(status: u16, headers: Vec<(String, String)>, body: Vec<u8>) -> Response<Body> {
    let body =
        Full::new(Bytes::from(body)).map_err(|never: Infallible| -> BodyError { match never {} });
    let mut reply = Response::new(body.boxed_unsync());
    *reply.status_mut() = StatusCode::from_u16(status)
        .ok()
        .filter(|status| !status.is_informational())
        .unwrap_or(StatusCode::BAD_GATEWAY);
    let mut all = http::HeaderMap::new();
    for (name, value) in headers {
        if let (Ok(name), Ok(value)) = (
            header::HeaderName::from_bytes(name.as_bytes()),
            HeaderValue::from_str(&value),
        ) && name != header::CONTENT_LENGTH
        {
            all.append(name, value);
        }
    }
    *reply.headers_mut() = head::end_to_end(&all, |_, _| None);
    reply
}

fn media_type(headers: &http::HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE);
    let text = value
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let essence = text.split(';').next().unwrap_or_default();
    essence.trim().to_ascii_lowercase()
}

/// Whether a body is compressed.
fn is_encoded(headers: &http::HeaderMap) -> bool {
    headers
        .get_all(header::CONTENT_ENCODING)
        .iter()
        .any(|value| {
            !value
                .as_bytes()
                .trim_ascii()
                .eq_ignore_ascii_case(b"identity")
        })
}

/// The length of a request's head with HTTP/1.1's usual spacing.
fn head_bytes(request: &Request<Body>) -> usize {
    let path = request
        .uri()
        .path_and_query()
        .map_or(1, |path| path.as_str().len());
    let line = request.method().as_str().len() + path + " ".len() + " HTTP/1.1\r\n".len();
    line + fields_bytes(request.headers()) + "\r\n".len()
}

/// The length of a reply's head with the usual reason.
fn reply_head_bytes(parts: &http::response::Parts) -> usize {
    let reason = parts.status.canonical_reason().unwrap_or_default().len();
    "HTTP/1.1 200 \r\n".len() + reason + fields_bytes(&parts.headers) + "\r\n".len()
}

fn fields_bytes(headers: &http::HeaderMap) -> usize {
    let fields = headers.iter();
    fields
        .map(|(name, value)| name.as_str().len() + value.len() + ": \r\n".len())
        .sum()
}
