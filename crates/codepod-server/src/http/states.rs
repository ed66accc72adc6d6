//! States as streams: what `persistence.export` and `persistence.import` take and give as
//! `application/octet-stream`, of any size and without ever being whole in memory.

use std::io::{self, BufWriter, Read, Write};
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use codepod::Key;
use codepod_api::methods::persistence::{ExportParams, VersionOutput};
use codepod_api::{ApiError, Kind, MethodInfo, Work};
use http_body_util::BodyExt as _;
use serde_json::Value;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_stream::Stream;

use super::answer::PIECE;
use super::asked::Asked;
use super::response::{failed, json_response, media_type};
use crate::dispatch::guarded;
use crate::failure::failure;
use crate::handlers::persistence::key;
use crate::tenant::Place;

/// What a stream is called.
pub(super) const STREAM: &str = "application/octet-stream";
/// Where the key of a state is that comes as a stream.
const KEY: &str = "codepod-state-key";
/// Pieces that wait for whoever is slower.
pub(super) const WAITING: usize = 4;
/// A state may be larger than its files: names, and what the shells hold.
const BESIDE_FILES: u64 = 256 << 20;

/// Whether an export is wanted as a stream.
pub(super) fn is_export(method: &MethodInfo, headers: &HeaderMap) -> bool {
    let accepted = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    method.work == Work::Exports && accepted.is_some_and(|accept| accept.contains(STREAM))
}

/// Whether an import comes as a stream.
pub(super) fn is_import(method: &MethodInfo, headers: &HeaderMap) -> bool {
    method.work == Work::Imports && media_type(headers).eq_ignore_ascii_case(STREAM)
}

/// A piece, or why there are no more.
pub(super) type Piece = Result<Bytes, ApiError>;

/// Answers with a state. A failure after the first piece breaks the stream off, so that nobody
/// takes half for all.
pub(super) async fn export(asked: Asked) -> Response {
    let (tell, mut told) = channel::<Piece>(WAITING);
    let place = asked.place;
    tokio::task::spawn_blocking(move || {
        let exported = guarded(|| {
            let params: ExportParams = serde_json::from_value(Value::Object(asked.params))
                .map_err(|error| ApiError::new(Kind::InvalidParams, error.to_string()))?;
            let key = key(params.key)?;
            let id = asked.sandbox.unwrap_or_default();
            let live = asked.app.server.find(&asked.tenant, &id)?;
            let mut out = BufWriter::with_capacity(PIECE, Teller(&tell));
            live.sandbox
                .export_state(&mut out, key.as_ref())
                .map_err(failure)?;
            out.flush().map_err(|_| cut_off())
        });
        if let Err(error) = exported {
            let _ = tell.blocking_send(Err(error));
        }
    });
    let first = match told.recv().await {
        Some(Ok(first)) => first,
        Some(Err(error)) => return failed(&error),
        None => return failed(&cut_off()),
    };
    let stream = Told::new(first, told, place);
    let headers = [
        (header::CONTENT_TYPE, STREAM),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (StatusCode::OK, headers, Body::from_stream(stream)).into_response()
}

pub(super) fn cut_off() -> ApiError {
    ApiError::new(Kind::InvalidRequest, "the stream was broken off")
}

/// Passes on what is exported.
struct Teller<'a>(&'a Sender<Piece>);

impl Write for Teller<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let piece = &bytes[..bytes.len().min(PIECE)];
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(piece)));
        sent.map_err(|_| io::ErrorKind::BrokenPipe)?;
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream on its way to a client.
pub(super) struct Told {
    first: Option<Bytes>,
    rest: Mutex<Receiver<Piece>>,
    _place: Place,
}

impl Told {
    /// The first piece and the rest; the request keeps its place until all of it is sent.
    pub(super) fn new(first: Bytes, rest: Receiver<Piece>, place: Place) -> Told {
        Told {
            first: Some(first),
            rest: Mutex::new(rest),
            _place: place,
        }
    }
}

impl Stream for Told {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Some(first) = this.first.take() {
            return Poll::Ready(Some(Ok(first)));
        }
        let rest = this.rest.get_mut();
        let rest = rest.unwrap_or_else(std::sync::PoisonError::into_inner);
        let broken = |_| io::ErrorKind::BrokenPipe.into();
        rest.poll_recv(cx)
            .map(|piece| piece.map(|piece| piece.map_err(broken)))
    }
}

/// Takes a state that comes as a stream.
pub(super) async fn import(asked: Asked, headers: &HeaderMap, mut body: Body) -> Response {
    let key = match key_of(headers) {
        Ok(key) => key,
        Err(error) => return failed(&error),
    };
    let patience = Duration::from_secs(asked.app.config.request_seconds);
    let most = asked.app.config.ceiling.disk_bytes;
    let (tell, told) = channel::<Piece>(WAITING);
    let place = asked.place;
    let importing = tokio::task::spawn_blocking(move || {
        guarded(|| {
            let id = asked.sandbox.unwrap_or_default();
            let live = asked.app.server.find(&asked.tenant, &id)?;
            let mut reader = Reader {
                told,
                piece: Bytes::new(),
                left: most.saturating_add(BESIDE_FILES),
                failed: None,
            };
            let imported = live.sandbox.import_state(&mut reader, key.as_ref());
            if let Some(error) = reader.failed {
                return Err(error);
            }
            imported.map_err(failure)
        })
    });
    loop {
        let piece = match tokio::time::timeout(patience, body.frame()).await {
            Ok(None) => break,
            Ok(Some(Ok(frame))) => match frame.into_data() {
                Ok(data) => Ok(data),
                Err(_) => continue,
            },
            Ok(Some(Err(_))) | Err(_) => Err(cut_off()),
        };
        let is_last = piece.is_err();
        // Nobody takes it when the state is not wanted any more: the answer says why.
        if tell.send(piece).await.is_err() || is_last {
            break;
        }
    }
    drop(tell);
    let imported = importing.await;
    drop(place);
    match imported {
        Ok(Ok(version)) => {
            let sequence = version.sequence;
            let json = serde_json::to_string(&VersionOutput { sequence }).unwrap_or_default();
            json_response(StatusCode::OK, json)
        }
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&ApiError::internal()),
    }
}

fn key_of(headers: &HeaderMap) -> Result<Option<Key>, ApiError> {
    let Some(text) = headers.get(KEY) else {
        return Ok(None);
    };
    key(Some(text.to_str().unwrap_or("?").to_owned()))
}

/// Reads what comes.
struct Reader {
    told: Receiver<Piece>,
    piece: Bytes,
    /// As much as may still come.
    left: u64,
    failed: Option<ApiError>,
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.told.blocking_recv() {
                Some(Ok(piece)) => self.piece = piece,
                Some(Err(error)) => {
                    self.failed = Some(error);
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                None => return Ok(0),
            }
            let Some(left) = self.left.checked_sub(self.piece.len() as u64) else {
                let message = "the state is larger than any sandbox here may be";
                self.failed = Some(ApiError::new(Kind::TooLarge, message));
                return Err(io::ErrorKind::FileTooLarge.into());
            };
            self.left = left;
        }
        let taken = buffer.len().min(self.piece.len());
        buffer[..taken].copy_from_slice(&self.piece.split_to(taken));
        Ok(taken)
    }
}
