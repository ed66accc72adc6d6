//! From a request to a call and back: who asks, what for, and the answer as JSON.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;
use codepod::Canceller;
use codepod_api::{ApiError, Kind, MethodInfo, Work};
use http_body_util::{BodyExt, Limited};
use serde_json::{Map, Value};
use tracing::Instrument as _;

use super::asked::{Asked, CancelOnDrop};
use super::response::{failed, json_response, media_type};
use super::{App, events, raw, states};
use crate::ids;
use crate::json;
use crate::live_sandbox::LiveSandbox;
use crate::tenant::{Flight, Place, Tenant};

/// As much of a body that nobody wants as is read.
const SKIPPED: usize = 64 << 10;
/// And for so long.
const SKIPPING: Duration = Duration::from_secs(1);

/// A method and how its query is read.
pub(super) struct Endpoint {
    pub(super) method: &'static MethodInfo,
    /// Types of its parameters.
    types: HashMap<String, Type>,
}

#[derive(Debug, Clone, Copy)]
enum Type {
    Text,
    Integer,
    Truth,
}

impl Endpoint {
    pub(super) fn new(method: &'static MethodInfo) -> Endpoint {
        let (schema, _) = codepod_api::method_schemas(method);
        let schema = schema["$defs"][(method.params_name)()].clone();
        let fields = schema["properties"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        let type_of = |field: &Value| {
            let named = |name: &str| match &field["type"] {
                Value::String(only) => only == name,
                Value::Array(several) => several.iter().any(|other| other == name),
                _ => false,
            };
            match (named("integer"), named("boolean")) {
                (true, _) => Type::Integer,
                (_, true) => Type::Truth,
                _ => Type::Text,
            }
        };
        let types = fields
            .iter()
            .map(|(name, field)| (name.clone(), type_of(field)));
        Endpoint {
            method,
            types: types.collect(),
        }
    }
}

/// Answers a request of a method.
pub(super) async fn answer(
    app: Arc<App>,
    endpoint: Arc<Endpoint>,
    path: RawPathParams,
    request: Request,
) -> Response {
    let began = Instant::now();
    let id = request_id(request.headers());
    let method = endpoint.method.name;
    let span = tracing::info_span!("request", id, method);
    let (tenant, mut response) = respond_to(&app, &endpoint, path, request)
        .instrument(span)
        .await;
    let (status, took) = (response.status().as_u16(), began.elapsed());
    app.metrics.answered(method, status, took);
    tracing::info!(
        event = "request",
        id,
        tenant,
        method,
        status,
        ms = took.as_secs_f64() * 1000.0
    );
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    response
}

/// The answer, and whose request it was.
async fn respond_to(
    app: &Arc<App>,
    endpoint: &Endpoint,
    path: RawPathParams,
    request: Request,
) -> (String, Response) {
    let (parts, body) = request.into_parts();
    let mut body = Some(body);
    match understand(app, endpoint, path, parts, &mut body).await {
        Ok((asked, form)) => {
            let tenant = asked.tenant.name.clone();
            let response = match form {
                Form::Json => respond(app, asked).await,
                Form::Events => events::respond(asked),
                Form::Export => states::export(asked).await,
                Form::Read => raw::read(asked).await,
                Form::Write(bytes) => raw::write(asked, bytes).await,
                Form::Import(headers) => {
                    states::import(asked, &headers, body.take().unwrap_or_default()).await
                }
            };
            (tenant, response)
        }
        Err(error) => {
            if let Some(body) = body {
                skip(body).await;
            }
            ("-".to_owned(), failed(&error))
        }
    }
}

/// Reads a short body that nobody wants, so that the connection can go on.
async fn skip(body: Body) {
    let reading = Limited::new(body, SKIPPED).collect();
    let _ = tokio::time::timeout(SKIPPING, reading).await;
}

async fn respond(app: &App, asked: Asked) -> Response {
    let mut guard = CancelOnDrop(Some(asked.canceller.clone()));
    let answered = app.turns.run(move || asked.answer()).await;
    guard.0.take();
    match answered {
        Ok(Ok(answer)) => json_response(StatusCode::OK, Body::new(answer)),
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&ApiError::internal()),
    }
}

/// How a request and its answer travel.
enum Form {
    /// JSON both ways.
    Json,
    /// The answer comes as events.
    Events,
    /// The answer is a stream.
    Export,
    /// The request is a stream, with these headers.
    Import(HeaderMap),
    /// The answer is the bytes of a file.
    Read,
    /// The request is the bytes of a file.
    Write(Vec<u8>),
}

/// Who asks and what for, and how.
async fn understand(
    app: &Arc<App>,
    endpoint: &Endpoint,
    path: RawPathParams,
    parts: Parts,
    body: &mut Option<Body>,
) -> Result<(Asked, Form), ApiError> {
    let tenant = authorize(app, &parts.headers)?;
    let place = tenant.take_request()?;
    let sandbox = path
        .iter()
        .find(|(name, _)| *name == "sandbox")
        .map(|(_, id)| id.to_owned());
    let streamed = wants_events(&parts.headers);
    if streamed && endpoint.method.work != Work::Streams {
        let message = format!("`{}` does not answer with events", endpoint.method.name);
        return Err(ApiError::new(Kind::InvalidRequest, message)
            .hint("leave `Accept: text/event-stream` out"));
    }
    let mut flight = tenant.flight();
    let imported = states::is_import(endpoint.method, &parts.headers);
    let written = raw::is_write(endpoint.method, &parts.headers);
    let mut bytes = None;
    let mut params = match endpoint.method.route.verb.takes_query() || written {
        true => from_query(endpoint, parts.uri.query().unwrap_or_default())?,
        false if imported => Map::new(),
        false => from_body(app, &parts, body, &mut flight).await?,
    };
    if written {
        bytes = Some(read_body(app, &parts, body, &mut flight).await?);
    }
    if params.contains_key("sandboxId") {
        let error = ApiError::new(Kind::InvalidParams, "the sandbox is in the path");
        return Err(error.hint("leave `sandboxId` out of the body"));
    }
    match (streamed, params.get("stream")) {
        (true, None) => {
            params.insert("stream".into(), true.into());
        }
        (false, Some(Value::Bool(true))) => {
            let error = ApiError::new(
                Kind::InvalidParams,
                "output as it comes needs a stream of events",
            );
            return Err(error.hint("send `Accept: text/event-stream`"));
        }
        _ => {}
    }
    let asked = Asked {
        app: app.clone(),
        tenant,
        method: endpoint.method,
        sandbox,
        params,
        canceller: Canceller::new(),
        place,
        body: flight,
    };
    let form = match streamed {
        true => Form::Events,
        false if imported => Form::Import(parts.headers),
        false if states::is_export(asked.method, &parts.headers) => Form::Export,
        false if raw::is_read(asked.method, &parts.headers) => Form::Read,
        false => match bytes {
            Some(bytes) => Form::Write(bytes),
            None => Form::Json,
        },
    };
    Ok((asked, form))
}

/// Whose request it is, if it may be answered at all.
pub(super) fn authorize(app: &App, headers: &HeaderMap) -> Result<Arc<Tenant>, ApiError> {
    app.access.check(headers)?;
    let mut keys = headers.get_all(header::AUTHORIZATION).iter();
    let key = match (keys.next(), keys.next()) {
        (key, None) => key.map(HeaderValue::as_bytes),
        _ => None,
    };
    app.keys().tenant(key).cloned()
}

/// The sandbox that a request names, and the request's place, for what answers no method.
pub(super) async fn find(
    app: &Arc<App>,
    headers: &HeaderMap,
    sandbox: String,
) -> Result<(Arc<LiveSandbox>, Place), ApiError> {
    let tenant = authorize(app, headers)?;
    let place = tenant.take_request()?;
    let app = app.clone();
    // A sandbox that is asleep is loaded.
    let found = tokio::task::spawn_blocking(move || app.server.find(&tenant, &sandbox));
    let live = found.await.map_err(|_| ApiError::internal())??;
    Ok((live, place))
}

fn wants_events(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    accept.is_some_and(|accept| accept.contains("text/event-stream"))
}

fn from_query(endpoint: &Endpoint, query: &str) -> Result<Map<String, Value>, ApiError> {
    let bad = |message: String| ApiError::new(Kind::InvalidParams, message);
    let mut params = Map::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (decoded(name)?, decoded(value)?);
        let wrong = |what: &str| bad(format!("`{}` must be {what}", name.escape_debug()));
        let value = match endpoint.types.get(&name) {
            Some(Type::Integer) => {
                Value::from(value.parse::<u64>().map_err(|_| wrong("a whole number"))?)
            }
            Some(Type::Truth) => Value::from(
                value
                    .parse::<bool>()
                    .map_err(|_| wrong("`true` or `false`"))?,
            ),
            Some(Type::Text) | None => Value::from(value),
        };
        if params.insert(name, value).is_some() {
            return Err(bad("a parameter is there twice".into()));
        }
    }
    Ok(params)
}

/// A word of a query as it was meant.
fn decoded(word: &str) -> Result<String, ApiError> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.bytes();
    let broken = || {
        ApiError::new(
            Kind::InvalidParams,
            "the query is not percent-encoded UTF-8",
        )
    };
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| char::from(digit).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    _ => return Err(broken()),
                }
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| broken())
}

async fn from_body(
    app: &App,
    parts: &Parts,
    body: &mut Option<Body>,
    flight: &mut Flight,
) -> Result<Map<String, Value>, ApiError> {
    if parts.uri.query().is_some_and(|query| !query.is_empty()) {
        return Err(ApiError::new(
            Kind::InvalidParams,
            "parameters of this method are in the body",
        ));
    }
    let bytes = read_body(app, parts, body, flight).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    if !media_type(&parts.headers).eq_ignore_ascii_case("application/json") {
        let error = ApiError::new(Kind::InvalidRequest, "a body is JSON and says so");
        return Err(error.hint("send `Content-Type: application/json`"));
    }
    match json::parse(&bytes) {
        Ok(Value::Object(params)) => Ok(params),
        Ok(_) => Err(ApiError::new(
            Kind::InvalidRequest,
            "a body is a JSON object",
        )),
        Err(error) => Err(ApiError::new(Kind::ParseError, error.to_string())),
    }
}

/// All of a body, within the limits of size and time.
async fn read_body(
    app: &App,
    parts: &Parts,
    body: &mut Option<Body>,
    flight: &mut Flight,
) -> Result<Vec<u8>, ApiError> {
    if parts.headers.contains_key(header::CONTENT_ENCODING) {
        let error = ApiError::new(Kind::InvalidRequest, "compressed bodies are not read");
        return Err(error.hint("send it without `Content-Encoding`"));
    }
    let most = app.config.request_bytes;
    // A client that waits for `100 Continue` then gets the answer instead of a closed connection.
    let length = parts.headers.get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > most as u64) {
        return Err(too_large(most));
    }
    let reading = whole(body.take().unwrap_or_default(), most, flight);
    let patience = Duration::from_secs(app.config.request_seconds);
    match tokio::time::timeout(patience, reading).await {
        Ok(read) => read,
        Err(_) => Err(not_whole()),
    }
}

/// All of a body, counted while it comes.
async fn whole(mut body: Body, most: usize, flight: &mut Flight) -> Result<Vec<u8>, ApiError> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| not_whole())?.into_data() else {
            continue;
        };
        if bytes.len() + data.len() > most {
            return Err(too_large(most));
        }
        flight.add(data.len() as u64)?;
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

fn too_large(most: usize) -> ApiError {
    let message = format!("a request has at most {most} bytes");
    ApiError::new(Kind::TooLarge, message)
}

fn not_whole() -> ApiError {
    ApiError::new(
        Kind::InvalidRequest,
        "the body did not arrive whole and in time",
    )
}

/// The client's own id of a request, if it is harmless; else a new one.
pub(super) fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get("x-request-id").and_then(|id| id.to_str().ok());
    let plain = |id: &&str| {
        (1..=64).contains(&id.len())
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    match given.filter(plain) {
        Some(id) => id.to_owned(),
        None => ids::random("rq").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn queries_are_decoded_or_refused() {
        assert_eq!(decoded("a+b%20%C3%A9%2F").unwrap(), "a b \u{e9}/");
        for word in ["%", "%2", "%zz", "%ff", "a%C3"] {
            assert!(decoded(word).is_err(), "{word}");
        }
    }
}
