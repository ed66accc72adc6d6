//! One request of a guest: decided, sent with what is put in, and its reply.

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
use hyper::header::{self, HeaderMap, HeaderValue};
use hyper::http::{request, response};
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Response, StatusCode, Version};

use super::body::{Body, CutOff, Filtered, Passage, ReplyBody, Way};
use super::denials::{self, RECORD_AGAIN, recording_denial, secret_denial};
use super::frames::{Frames, Side};
use super::head;
use super::replies::{denied, empty, made_up, plain};
use super::report::{Ended, Recorder, tell_leak};
use super::service::{Came, Connection, Failure, Sending, Shareable, Upstream};
use super::tape::{Asked, End, Noted, Take, Taping, taped};
use super::tunnel;
use crate::budget::Exceeded;
use crate::event::{RequestEvent, cut_method, cut_url};
use crate::network::{Answer, Ask, BoxFuture, Deciding, over_budget};
use crate::policy::denial::{Denial, DenialKind};
use crate::policy::target::Target;
use crate::policy::{Grant, printable};
#[cfg(feature = "net")]
use crate::secrets::Claim;
use crate::secrets::{Bound, Scan, Stream};

/// The largest body that is read before it is sent, because its hash stands in the head.
#[cfg(feature = "net")]
const MAX_HASHED: usize = 8 << 20;

/// The server closed the connection, and so do we.
#[derive(Debug, thiserror::Error)]
#[error("the connection to the server is broken")]
pub(super) struct Broken;

type Reply = Result<Response<Body>, Broken>;

/// The body of a request as the guest sends it, or as it was read.
type Sent = Either<Incoming, Full<Bytes>>;

/// What a guest gets when its request goes no further.
enum Instead {
    Denied(StatusCode, Box<Denial>),
    Reply(Box<Response<Body>>),
    /// Nothing: its connection is closed.
    Broken,
}

impl From<Denial> for Instead {
    fn from(denial: Denial) -> Instead {
        Instead::Denied(StatusCode::FORBIDDEN, Box::new(denial))
    }
}

impl From<Broken> for Instead {
    fn from(Broken: Broken) -> Instead {
        Instead::Broken
    }
}

/// A request that is granted.
struct Granted {
    target: Target,
    grant: Grant,
    /// The secrets that it may have.
    bound: Arc<Bound>,
}

/// One request.
pub(super) struct Exchange {
    connection: Arc<Connection>,
    deciding: Arc<Deciding>,
    began: Duration,
    id: u64,
    method: Method,
    version: Version,
    /// As events and denials have it.
    url: String,
}

impl Exchange {
    pub(super) fn new(connection: Arc<Connection>, parts: &request::Parts) -> Exchange {
        let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        let host = connection.host.in_url();
        Exchange {
            deciding: connection.network.deciding(),
            began: (connection.clock)(),
            id: connection.network.next_id(),
            method: parts.method.clone(),
            version: parts.version,
            url: cut_url(connection.scheme.as_str(), &host, connection.port, path),
            connection,
        }
    }

    /// Carries the request. A connection that becomes a WebSocket leaves what carries that in
    /// `tunnels`.
    pub(super) async fn run(
        self,
        parts: request::Parts,
        body: Incoming,
        upstream: &dyn Upstream,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Reply {
        let sending = self.connection.requests.begin();
        let carried = self.carry(parts, body, sending, upstream, tunnels).await;
        carried.or_else(|instead| self.tell(instead))
    }

    async fn carry(
        &self,
        mut parts: request::Parts,
        body: Incoming,
        sending: Sending,
        upstream: &dyn Upstream,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Result<Response<Body>, Instead> {
        let granted = self.decide(&parts, &body).await?;
        let bound = &granted.bound;
        let mut event = self.event(&granted.grant);
        let body = Either::Left(body);
        #[cfg(feature = "net")]
        let (body, claim) = self.claim(&parts, body, bound).await?;
        let asked = self.asked(&parts);
        if self.is_websocket(&parts) && asked.is_some() {
            let why = "a WebSocket can be neither recorded nor replayed";
            return Err(self.unrecorded(why, None));
        }
        let sent = Arc::new(Passage::default());
        let (outgoing, guest_upgrade) =
            self.outgoing(&mut parts, body, sending, bound, &sent, asked.as_ref())?;
        #[cfg(feature = "net")]
        let outgoing = {
            let mut outgoing = outgoing;
            if let Some(claim) = claim {
                let hits = claim.sign(&mut outgoing, SystemTime::now());
                sent.hits.fetch_or(hits, Relaxed);
            }
            outgoing
        };
        let drawn = self.connection.network.budget();
        let drawn = drawn.send(head::head_bytes(&outgoing));
        let drawn = drawn.map_err(|why| self.over(why))?;
        sent.bytes.fetch_add(drawn as u64, Relaxed);
        let take = self.begin_take(asked)?;
        // Dropped before the reply has come, it is reported like this.
        event.failure = Some("the program left before the reply".to_owned());
        let mut recorder = Recorder {
            exchange: self.ended(),
            event: Some(event),
            secrets: self.deciding.secrets.clone(),
            sent,
            received: Arc::default(),
            take,
        };
        let reply = match upstream.send(outgoing).await {
            Ok(reply) => reply,
            Err(failure) => return Ok(self.failed(&failure, &granted.target, recorder)?),
        };
        if let Some(event) = &mut recorder.event {
            event.failure = None;
            event.status = Some(reply.status().as_u16());
            event.came = reply.extensions().get::<Came>().map(|came| came.0);
            event.times.first = (self.connection.clock)().saturating_sub(self.began);
        }
        Ok(self.incoming(reply, bound, recorder, guest_upgrade, tunnels)?)
    }

    /// Decides about the request, by the policy, the budget, the secrets and whoever is asked.
    async fn decide(&self, parts: &request::Parts, body: &Incoming) -> Result<Granted, Instead> {
        let Connection {
            network,
            host,
            port,
            scheme,
            ..
        } = &*self.connection;
        let Deciding {
            policy, secrets, ..
        } = &*self.deciding;
        let method = self.method.as_str();
        let target = head::target(parts, *scheme, host, *port).map_err(|why| {
            let (status, denial) = denials::bad_head(why, host, *port);
            Instead::Denied(status, Box::new(denial))
        })?;
        let grant = policy.request(&target, method)?;
        network.budget().request().map_err(|why| self.over(why))?;
        let bound = match self.connection.insecure {
            false => secrets.bind(&target, method),
            true => secrets.bind_nothing(),
        };
        if let Some(secret) = denials::leak_in_head(parts, &bound) {
            return Err(self.leaked(1 << secret, &target));
        }
        match self.ask(parts, body).await {
            Answer::Allow => Ok(Granted {
                target,
                grant,
                bound,
            }),
            Answer::Deny(reason) => Err(Instead::from(Denial {
                kind: DenialKind::Callback,
                host: host.to_string(),
                port: Some(*port),
                rule: None,
                reason: format!("{}:{port}: {}", host.in_url(), printable(&reason)),
                ask: None,
            })),
            Answer::Respond {
                status,
                headers,
                body,
            } => {
                let reply = made_up(status, headers, body);
                let mut event = self.event(&grant);
                event.status = Some(reply.status().as_u16());
                self.ended().end(event);
                Err(Instead::Reply(Box::new(reply)))
            }
        }
    }

    /// Begins to take the request down, where that is done.
    fn begin_take(&self, asked: Option<Arc<Asked>>) -> Result<Option<Box<dyn Take>>, Instead> {
        let (Taping::Record(tape), Some(asked)) = (&self.connection.taping, asked) else {
            return Ok(None);
        };
        let take = tape.begin(asked, self.deciding.secrets.clone());
        take.map(Some).map_err(|why| self.unrecorded(&why, None))
    }

    /// What the guest gets when the server has given no reply.
    fn failed(&self, failure: &Failure, target: &Target, mut recorder: Recorder) -> Reply {
        let (event, take) = (recorder.event.take(), recorder.take.take());
        let cut_off = recorder.sent.cut_off.get();
        let end = match cut_off {
            Some(_) => End::Refused,
            None => End::Failed(failure),
        };
        if let Some(Err(why)) = take.map(|mut take| take.end(end)) {
            return self.tell(self.unrecorded(&why, None));
        }
        let plain = |status| Instead::Reply(Box::new(plain(status, &failure.to_string())));
        let instead = match cut_off {
            Some(CutOff::Leak(hits)) => self.leaked(*hits, target),
            Some(CutOff::Budget(why)) => self.over(*why),
            Some(CutOff::Recording) | None => match failure {
                Failure::Broken(_) => Instead::Broken,
                Failure::Unrecorded(why) => {
                    return self.tell(self.unrecorded(why, Some(RECORD_AGAIN)));
                }
                Failure::TimedOut(_) | Failure::Absent(_) => plain(StatusCode::GATEWAY_TIMEOUT),
                Failure::Wrong(_) => plain(StatusCode::BAD_GATEWAY),
            },
        };
        let reply = self.tell(instead);
        if let Some(mut event) = event {
            event.failure = Some(failure.to_string());
            event.bytes_out = recorder.sent.bytes.load(Relaxed);
            self.ended().end(event);
        }
        reply
    }

    /// What the guest has signed for an AWS account, with the body, which is read where its hash
    /// is signed and not given.
    #[cfg(feature = "net")]
    async fn claim(
        &self,
        parts: &request::Parts,
        body: Sent,
        bound: &Bound,
    ) -> Result<(Sent, Option<Claim>), Instead> {
        let Some(grant) = bound.aws() else {
            return Ok((body, None));
        };
        let claimed = grant.claim(parts).map_err(|why| self.secret(&why))?;
        let Some(mut claim) = claimed else {
            return Ok((body, None));
        };
        let is_filled = || bound.fill_body(&head::media_type(&parts.headers)).is_some();
        if claim.covers_body() && !body.is_end_stream() && is_filled() {
            let why = "a secret is put into bodies here, and this one is signed";
            return Err(self.secret(why));
        }
        if !claim.lacks_hash() {
            return Ok((body, Some(claim)));
        }
        let read = match body.size_hint().lower() {
            length if length > MAX_HASHED as u64 => None,
            _ => match Limited::new(body, MAX_HASHED).collect().await {
                Ok(read) => Some(read.to_bytes()),
                Err(error) if error.is::<LengthLimitError>() => None,
                Err(_) => return Err(Instead::Broken),
            },
        };
        let Some(read) = read else {
            return Err(self.secret(&format!(
                "a body of more than {MAX_HASHED} bytes is signed only with x-amz-content-sha256"
            )));
        };
        claim.hash(&read);
        Ok((Either::Right(Full::new(read)), Some(claim)))
    }

    /// The request that the server gets.
    fn outgoing(
        &self,
        parts: &mut request::Parts,
        body: Sent,
        sending: Sending,
        bound: &Arc<Bound>,
        sent: &Arc<Passage>,
        asked: Option<&Arc<Asked>>,
    ) -> Result<(Request<Body>, Option<OnUpgrade>), Instead> {
        let connection = &*self.connection;
        let is_websocket = self.is_websocket(parts);
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
            .ok_or_else(|| self.secret("the secret makes the URL too long"))?;
        sent.hits.fetch_or(hits, Relaxed);

        let media_type = head::media_type(&parts.headers);
        let filling = match body.is_end_stream() {
            true => None,
            false => bound.fill_body(&media_type),
        };
        if filling.is_some() && head::is_encoded(&parts.headers) {
            let why = "a secret is put into bodies here, and this one is compressed";
            return Err(self.secret(why));
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
            _guard: sending,
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
            .remove::<OnUpgrade>()
            .filter(|_| is_websocket);
        Ok((request, upgrade))
    }

    /// The reply that the guest gets.
    fn incoming(
        &self,
        reply: Response<ReplyBody>,
        bound: &Bound,
        mut recorder: Recorder,
        guest_upgrade: Option<OnUpgrade>,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Reply {
        let budget = self.connection.network.budget();
        let (parts, body) = reply.into_parts();
        let is_upgrade = parts.status == StatusCode::SWITCHING_PROTOCOLS;
        let guest_upgrade = guest_upgrade.filter(|_| head::is_websocket(&parts.headers));
        let mut take = recorder.take.take();
        let mut end = |end| take.as_mut().map_or(Ok(()), |take| take.end(end));
        if is_upgrade && guest_upgrade.is_none() {
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
        match budget.receive(head::reply_head_bytes(&parts)) {
            Ok(drawn) => recorder.received.bytes.fetch_add(drawn as u64, Relaxed),
            Err(why) => {
                recorder.fail(&why.to_string());
                let _ = end(End::Refused);
                return Ok(denied(&self.over_budget(why)));
            }
        };
        if is_upgrade && let Some(guest) = guest_upgrade {
            return Ok(self.websocket(parts, headers, guest, bound, recorder, tunnels));
        }
        let has_body = self.method != Method::HEAD && !body.is_end_stream();
        if redaction.is_some() && has_body && head::is_encoded(&parts.headers) {
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
        if closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        let received = recorder.received.clone();
        let filtered = Filtered {
            inner: body,
            scan: Scan::new(None, redaction.filter(|_| has_body).map(Stream::new)),
            keeps_length,
            budget: budget.clone(),
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
        Ok(self.framed(self.taped(reply, take, received)))
    }

    /// The reply, such that it is noticed when it breaks off and nothing in it says so: before
    /// HTTP/1.1, a body without a length ends with its connection.
    fn framed(&self, reply: Response<Body>) -> Response<Body> {
        let is_old = [self.version, reply.version()].contains(&Version::HTTP_10);
        if !is_old || reply.body().size_hint().exact().is_some() {
            return reply;
        }
        let requests = self.connection.requests.clone();
        reply.map(|body| {
            let noticed = body.map_err(move |error| {
                requests.cut();
                error
            });
            noticed.boxed_unsync()
        })
    }

    /// The reply to a guest that has asked for a WebSocket and gets it. What carries that is left
    /// in `tunnels`.
    fn websocket(
        &self,
        mut parts: response::Parts,
        mut headers: HeaderMap,
        guest: OnUpgrade,
        bound: &Bound,
        mut recorder: Recorder,
        tunnels: &Mutex<Option<BoxFuture<()>>>,
    ) -> Response<Body> {
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        let server = parts.extensions.remove::<OnUpgrade>();
        let messages = bound.messages();
        if messages.is_some() && headers.contains_key(header::SEC_WEBSOCKET_EXTENSIONS) {
            let why = "the server uses an extension of WebSocket that was not offered";
            recorder.fail(why);
            return plain(StatusCode::BAD_GATEWAY, why);
        }
        let frames = messages.map(|messages| tunnel::Both {
            out: Frames::new(Side::Guest, messages.out, messages.out_control),
            back: Frames::new(Side::Server, messages.back, messages.back_control),
        });
        let network = self.connection.network.clone();
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
        reply
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

    fn is_websocket(&self, parts: &request::Parts) -> bool {
        self.method == Method::GET && head::is_websocket(&parts.headers)
    }

    /// The request as it is recorded or looked for, where that is done.
    fn asked(&self, parts: &request::Parts) -> Option<Arc<Asked>> {
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

    /// Asks whoever is asked about the request.
    async fn ask(&self, parts: &request::Parts, body: &Incoming) -> Answer {
        let connection = &*self.connection;
        let Some(on_request) = self.deciding.on_request.clone() else {
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

    /// The event of the request.
    fn event(&self, grant: &Grant) -> RequestEvent {
        let connection = &*self.connection;
        let times = std::mem::take(
            &mut *connection
                .times
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        );
        let mut event = RequestEvent {
            origin: connection.origin.clone(),
            id: self.id,
            method: Some(cut_method(self.method.as_str())),
            url: self.url.clone(),
            address: connection.address,
            tls: connection.tls,
            insecure: connection.insecure,
            times,
            ..RequestEvent::default()
        };
        event.granted(grant);
        event
    }

    fn ended(&self) -> Ended {
        Ended {
            connection: self.connection.clone(),
            began: self.began,
        }
    }

    /// What the guest gets; a denial is reported.
    fn tell(&self, instead: Instead) -> Reply {
        match instead {
            Instead::Denied(status, denial) => {
                self.connection.network.denied(
                    &self.connection.origin,
                    self.deciding.policy.version(),
                    Some(cut_method(self.method.as_str())),
                    self.url.clone(),
                    &denial,
                );
                let mut reply = denied(&denial);
                *reply.status_mut() = status;
                Ok(reply)
            }
            Instead::Reply(reply) => Ok(*reply),
            Instead::Broken => Err(Broken),
        }
    }

    /// What goes where it is not bound is reported, and denied.
    fn leaked(&self, hits: u64, target: &Target) -> Instead {
        let secrets = &self.deciding.secrets;
        tell_leak(&self.connection, secrets, hits);
        denials::leak(secrets, hits, target).into()
    }

    fn over(&self, why: Exceeded) -> Instead {
        self.over_budget(why).into()
    }

    fn over_budget(&self, why: Exceeded) -> Denial {
        over_budget(&self.connection.host, self.connection.port, why)
    }

    /// The denial of what cannot be done with a secret.
    fn secret(&self, why: &str) -> Instead {
        let (host, port) = (&self.connection.host, self.connection.port);
        let reason = format!("{}:{port}: {why}", host.in_url());
        secret_denial(host, port, reason).into()
    }

    fn unrecorded(&self, why: &str, ask: Option<&str>) -> Instead {
        recording_denial(&self.connection.host, self.connection.port, why, ask).into()
    }
}
