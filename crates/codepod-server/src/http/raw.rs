//! Files as their bytes: what `files.read` gives and `files.write` takes as
//! `application/octet-stream`, without JSON around it.

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use codepod::Sandbox;
use codepod_api::methods::files::{ReadParams, WriteParams};
use codepod_api::{ApiError, Kind, MethodInfo, Surface, Work};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::sync::mpsc::{Sender, channel};

use super::answer::PIECE;
use super::asked::Asked;
use super::response::{failed, json_response, media_type};
use super::states::{Piece, STREAM, Told, WAITING, cut_off};
use crate::call::{Call, Silent};
use crate::dispatch::guarded;
use crate::failure::failure;
use crate::handlers::files;

/// Whether the bytes of a file are wanted.
pub(super) fn is_read(method: &MethodInfo, headers: &HeaderMap) -> bool {
    let accept = headers.get(header::ACCEPT);
    let accept = accept.and_then(|accept| accept.to_str().ok());
    method.work == Work::ReadsBytes && accept.is_some_and(|accept| accept.contains(STREAM))
}

/// Whether the body is the bytes of a file. The parameters are in the query then.
pub(super) fn is_write(method: &MethodInfo, headers: &HeaderMap) -> bool {
    method.work == Work::WritesBytes && media_type(headers).eq_ignore_ascii_case(STREAM)
}

fn typed<T: DeserializeOwned>(params: Map<String, Value>) -> Result<T, ApiError> {
    serde_json::from_value(Value::Object(params))
        .map_err(|error| ApiError::new(Kind::InvalidParams, error.to_string()))
}

/// Answers with the bytes of a file, or of a part of it, however large it is. A failure after the
/// first piece breaks the stream off, so that nobody takes half for all.
pub(super) async fn read(asked: Asked) -> Response {
    let (tell, mut told) = channel::<Piece>(WAITING);
    let place = asked.place;
    tokio::task::spawn_blocking(move || {
        let sent = guarded(|| {
            let params: ReadParams = typed(asked.params)?;
            if params.line.is_some() || params.lines.is_some() || params.numbers.is_some() {
                let message = "bytes are read by `offset` and `length`";
                return Err(ApiError::new(Kind::InvalidParams, message));
            }
            let id = asked.sandbox.unwrap_or_default();
            let live = asked.app.server.find(&asked.tenant, &id)?;
            send(&live.sandbox, &params, &tell)
        });
        if let Err(error) = sent {
            let _ = tell.blocking_send(Err(error));
        }
    });
    let first = match told.recv().await {
        Some(Ok(first)) => first,
        Some(Err(error)) => return failed(&error),
        None => return failed(&cut_off()),
    };
    let headers = [
        (header::CONTENT_TYPE, STREAM),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    let stream = Told::new(first, told, place);
    (StatusCode::OK, headers, Body::from_stream(stream)).into_response()
}

/// Sends a file in pieces; the first one always, and be it empty.
fn send(sandbox: &Sandbox, params: &ReadParams, tell: &Sender<Piece>) -> Result<(), ApiError> {
    let mut at = params.offset.unwrap_or(0);
    let mut left = params.length.unwrap_or(u64::MAX);
    let mut is_first = true;
    loop {
        let wanted = PIECE.min(usize::try_from(left).unwrap_or(PIECE));
        let read = sandbox.read_file_at(&params.path, at, wanted);
        let (bytes, _) = read.map_err(failure)?;
        if bytes.is_empty() && !is_first {
            return Ok(());
        }
        is_first = false;
        let count = bytes.len() as u64;
        (at, left) = (at.saturating_add(count), left - count);
        // Who has left reads no more.
        if tell.blocking_send(Ok(Bytes::from(bytes))).is_err() || count == 0 {
            return Ok(());
        }
    }
}

/// Writes a file that came as its bytes.
pub(super) async fn write(mut asked: Asked, bytes: Vec<u8>) -> Response {
    let params = std::mem::take(&mut asked.params);
    let app = asked.app.clone();
    let written = app.turns.run(move || {
        guarded(|| {
            let params: WriteParams = typed(params)?;
            if params.text.is_some() || params.base64.is_some() {
                let message = "the body is what the file shall hold";
                return Err(ApiError::new(Kind::InvalidParams, message));
            }
            let id = asked.sandbox.unwrap_or_default();
            let (server, tenant) = (&asked.app.server, &asked.tenant);
            let mut call = Call::new(server, tenant, Surface::Http, &Silent, asked.canceller);
            call.live = Some(server.find(tenant, &id)?);
            files::write(&call, &params.path, bytes, params.parents)
        })
    });
    match written.await {
        Ok(Ok(_)) => json_response(StatusCode::OK, "{\"ok\":true}".to_owned()),
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&ApiError::internal()),
    }
}
