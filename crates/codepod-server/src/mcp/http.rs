//! MCP over HTTP: sessions for several clients, and who is not let in.
//!
//! Every request passes the [`Gate`] before the protocol sees it: `Host` and `Origin` must be
//! known, the token right, the body JSON and whole in time, and a session is there only for whoever
//! began it. Versions of MCP without sessions are not spoken here: a sandbox belongs to a session.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;

use super::McpOptions;
use super::handler::Handler;
use super::session::Session;
use crate::http::access::Access;
use crate::http::{KeyHash, connection};
use crate::lock::lock;
use crate::server::Server;

/// Where the protocol is.
const PATH: &str = "/mcp";
/// The largest request.
const LARGEST: usize = 16 << 20;
/// How long a request may take to arrive.
const ARRIVAL: Duration = Duration::from_secs(30);
/// How long a client may take to read 64 KiB of an answer.
const SENDING: Duration = Duration::from_secs(30);
/// Connections at a time.
const CONNECTIONS: usize = 256;
const SESSION: &str = "mcp-session-id";

/// How MCP is served over HTTP.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Where to listen.
    pub address: SocketAddr,
    /// Who may come in. Empty: everybody who reaches the address, which must be a loopback one.
    pub tokens: Vec<String>,
    /// Names that the server goes by, beside its address and the loopback ones.
    pub hosts: Vec<String>,
    /// Web pages that may call it; none if empty.
    pub origins: Vec<String>,
    /// Sessions at a time.
    pub sessions: usize,
    /// A session that nothing happens in for so long ends.
    pub idle: Duration,
}

impl HttpOptions {
    /// On an address, for whoever has one of the tokens.
    pub fn new(address: SocketAddr, tokens: Vec<String>) -> HttpOptions {
        HttpOptions {
            address,
            tokens,
            hosts: Vec::new(),
            origins: Vec::new(),
            sessions: 64,
            idle: Duration::from_secs(30 * 60),
        }
    }
}

/// Serves MCP over HTTP until the process is told to end (SIGINT, SIGTERM). `ready` is called when
/// it listens.
pub fn serve_http(
    server: &Server,
    options: McpOptions,
    http: HttpOptions,
    ready: impl FnOnce(SocketAddr),
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listening = Listening::bind(server, options, http).await?;
        let told = crate::signals::told_to_end()?;
        ready(listening.address()?);
        listening.run(told).await;
        io::Result::Ok(())
    })?;
    // Sessions end with their handlers; what was cancelled ends soon.
    runtime.shutdown_timeout(Duration::from_secs(10));
    Ok(())
}

/// A server that listens; nothing is answered yet.
pub struct Listening {
    listener: TcpListener,
    router: Router,
    /// Those that may be alive.
    sessions: Sessions,
    /// Ends streams that clients hold open.
    end: CancellationToken,
}

/// Sessions that end with the server.
type Sessions = Arc<Mutex<Vec<Weak<Session>>>>;

impl Listening {
    /// Opens the port.
    pub async fn bind(
        server: &Server,
        options: McpOptions,
        http: HttpOptions,
    ) -> io::Result<Listening> {
        let invalid = |message: &str| io::Error::new(io::ErrorKind::InvalidInput, message);
        if http.tokens.is_empty() && !http.address.ip().is_loopback() {
            return Err(invalid(
                "without a token it listens on a loopback address only",
            ));
        }
        if http
            .tokens
            .iter()
            .any(|token| token.len() < 16 || !token.bytes().all(|byte| byte.is_ascii_graphic()))
        {
            return Err(invalid("a token has at least 16 visible ASCII characters"));
        }
        let listener = TcpListener::bind(http.address).await?;
        let address = listener.local_addr()?;
        let places = Arc::new(Semaphore::new(http.sessions));
        let mut manager = LocalSessionManager::default();
        // Nothing seems to happen while a script runs.
        manager.session_config.keep_alive = Some(http.idle + options.longest_run);
        let manager = Arc::new(manager);
        let end = CancellationToken::new();
        // Host and Origin are the gate's.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_cancellation_token(end.clone())
            .with_max_request_body_bytes(LARGEST);
        let sessions = Sessions::default();
        let (server, free, begun) = (server.clone(), places.clone(), sessions.clone());
        let factory = move || {
            let full = |_| io::Error::other("there are too many sessions");
            let place = free.clone().try_acquire_owned().map_err(full)?;
            let session = Session::new(&server, options.clone());
            let mut known = lock(&begun);
            known.retain(|session| session.strong_count() > 0);
            known.push(Arc::downgrade(&session));
            drop(known);
            Ok(Handler::with_sessions(session, place))
        };
        let service = StreamableHttpService::new(factory, manager.clone(), config);
        let gate = Arc::new(Gate {
            access: Access::new(&http.hosts, &http.origins, address),
            tokens: http.tokens.iter().map(|token| KeyHash::of(token)).collect(),
            places,
            owners: Mutex::default(),
            manager,
        });
        let router = Router::new()
            .route_service(PATH, service)
            .layer(from_fn_with_state(gate, enter));
        Ok(Listening {
            listener,
            router,
            sessions,
            end,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Answers until `stop` ends; then ends all sessions with their sandboxes.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let (tell, told) = watch::channel(());
        let limits = connection::Limits {
            connections: CONNECTIONS,
            per_address: CONNECTIONS,
            head: ARRIVAL,
            send: SENDING,
        };
        let serving = connection::serve(self.listener, None, self.router, limits, || (), told);
        tokio::select! {
            () = serving => {}
            () = stop => drop(tell),
        }
        self.end.cancel();
        // Killing processes and saving states is nothing for a thread that answers others.
        let _ = tokio::task::spawn_blocking(move || {
            let sessions = std::mem::take(&mut *lock(&self.sessions));
            sessions
                .iter()
                .filter_map(Weak::upgrade)
                .for_each(|session| session.close());
        })
        .await;
    }
}

/// Who is let in.
struct Gate {
    access: Access,
    /// Hashes of the tokens; everybody may come in if there are none.
    tokens: Vec<KeyHash>,
    /// Room for sessions.
    places: Arc<Semaphore>,
    /// Who began a session: which token it was.
    owners: Mutex<HashMap<String, usize>>,
    manager: Arc<LocalSessionManager>,
}

/// A request that is not let in.
struct Refused(StatusCode, &'static str, &'static str);

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let Refused(status, message, hint) = self;
        let body = json!({
            "jsonrpc": "2.0", "id": null, "error": {"code": -32000, "message": message, "data": {"hint": hint}},
        });
        let mut response = (
            status,
            [(header::CONTENT_TYPE, "application/json")],
            body.to_string(),
        )
            .into_response();
        if status == StatusCode::UNAUTHORIZED {
            let headers = response.headers_mut();
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

/// Answers a request, if it is let in.
async fn enter(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    if gate.access.check(request.headers()).is_err() {
        let hint = "the operator of the server can allow it with `--host` or `--origin`";
        return Refused(
            StatusCode::FORBIDDEN,
            "this host or this origin is not known",
            hint,
        )
        .into_response();
    }
    // Known by now, if there is one.
    let origin = request.headers().get(header::ORIGIN).cloned();
    let asks_first = origin.is_some() && request.method() == Method::OPTIONS;
    let mut response = match asks_first {
        true => StatusCode::NO_CONTENT.into_response(),
        false => gate
            .answer(request, next)
            .await
            .unwrap_or_else(IntoResponse::into_response),
    };
    if let Some(origin) = origin {
        allow(response.headers_mut(), origin);
    }
    response
}

/// Lets a page that is known read the answer.
fn allow(headers: &mut HeaderMap, origin: HeaderValue) {
    let of = HeaderValue::from_static;
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::VARY, of("origin"));
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        of("GET, POST, DELETE"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_HEADERS,
        of("authorization, content-type, last-event-id, mcp-protocol-version, mcp-session-id"),
    );
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, of(SESSION));
}

impl Gate {
    async fn answer(&self, request: Request, next: Next) -> Result<Response, Refused> {
        let who = self.who(request.headers())?;
        let session = named_once(request.headers(), SESSION)?;
        if let Some(session) = &session
            && self.owners().get(session) != Some(&who)
        {
            let hint = "begin a new one with `initialize`";
            return Err(Refused(
                StatusCode::NOT_FOUND,
                "there is no such session",
                hint,
            ));
        }
        let posted = request.method() == Method::POST;
        let request = match posted {
            true => {
                if !is_json(request.headers()) {
                    let hint = "send `Content-Type: application/json`";
                    return Err(Refused(
                        StatusCode::UNSUPPORTED_MEDIA_TYPE,
                        "a request is JSON",
                        hint,
                    ));
                }
                if session.is_none() && self.places.available_permits() == 0 {
                    let hint = "end one with DELETE, or wait until idle ones end";
                    return Err(Refused(
                        StatusCode::SERVICE_UNAVAILABLE,
                        "there are too many sessions",
                        hint,
                    ));
                }
                whole(request).await?
            }
            false => request,
        };
        let ends = request.method() == Method::DELETE;
        let mut response = next.run(request).await;
        if ends && response.status() == StatusCode::ACCEPTED {
            // It is over; clients take "accepted" for a maybe.
            *response.status_mut() = StatusCode::NO_CONTENT;
        }
        if session.is_none()
            && let Some(Ok(begun)) = response.headers().get(SESSION).map(|id| id.to_str())
        {
            self.begin(begun, who).await;
        }
        Ok(response)
    }

    /// Whose token a request has.
    fn who(&self, headers: &HeaderMap) -> Result<usize, Refused> {
        if self.tokens.is_empty() {
            return Ok(0);
        }
        let hint = "send `Authorization: Bearer TOKEN`";
        let refused = || Refused(StatusCode::UNAUTHORIZED, "a token is needed", hint);
        let given = named_once(headers, "authorization").map_err(|_| refused())?;
        let token = given
            .as_deref()
            .and_then(|given| given.strip_prefix("Bearer "));
        // Hashes are compared, so the time that it takes tells nothing about the token.
        let hash = KeyHash::of(token.ok_or_else(refused)?.trim());
        self.tokens
            .iter()
            .position(|known| *known == hash)
            .ok_or_else(refused)
    }

    /// Notes who began a session, and forgets those that are over.
    async fn begin(&self, session: &str, who: usize) {
        let alive = self.manager.sessions.read().await;
        let mut owners = self.owners();
        owners.retain(|id, _| alive.contains_key(id.as_str()));
        owners.insert(session.to_owned(), who);
    }

    fn owners(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        lock(&self.owners)
    }
}

/// The value of a header that may be there once.
fn named_once(headers: &HeaderMap, name: &str) -> Result<Option<String>, Refused> {
    let mut values = headers.get_all(name).iter();
    let refused = Refused(
        StatusCode::BAD_REQUEST,
        "a header is there twice or is no text",
        "send it once",
    );
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value
            .to_str()
            .map(|text| Some(text.to_owned()))
            .map_err(|_| refused),
        (Some(_), Some(_)) => Err(refused),
    }
}

/// Whether a body says that it is JSON. What forms and scripts of foreign pages can send unasked is
/// not.
fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next());
    kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

/// The request with all of its body, which must come in time and fit.
async fn whole(request: Request) -> Result<Request, Refused> {
    let (head, body) = request.into_parts();
    let body = tokio::time::timeout(ARRIVAL, axum::body::to_bytes(body, LARGEST)).await;
    let late = Refused(
        StatusCode::REQUEST_TIMEOUT,
        "the request did not come in time",
        "send it at once",
    );
    let large = Refused(
        StatusCode::PAYLOAD_TOO_LARGE,
        "the request is too large",
        "write large files in parts with `run`",
    );
    let body = body.map_err(|_| late)?.map_err(|_| large)?;
    Ok(Request::from_parts(head, Body::from(body)))
}
