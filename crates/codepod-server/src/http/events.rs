//! Server-Sent Events: output of a run while it runs, then its result.

use std::convert::Infallible;
use std::sync::Mutex;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use codepod_api::notifications::Output;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_stream::Stream;

use super::request::{Asked, CancelOnDrop};
use crate::call::Client;

/// Events that wait for a slow client before the run does.
const WAITING: usize = 64;

/// Passes output on as events. A client that has left hears nothing.
struct Teller(Sender<Event>);

impl Client for Teller {
    fn output(&self, output: Output) {
        let Ok(json) = serde_json::to_string(&output) else {
            return;
        };
        let _ = self
            .0
            .blocking_send(Event::default().event("output").data(json));
    }
}

/// Answers with events.
pub(super) fn respond(asked: Asked) -> Response {
    let (tell, told) = channel(WAITING);
    let guard = CancelOnDrop(Some(asked.canceller.clone()));
    tokio::task::spawn_blocking(move || {
        let teller = Teller(tell);
        let last = match asked.answer(&teller) {
            Ok(json) => Event::default().event("result").data(json),
            Err(error) => {
                let json = serde_json::to_string(&error).unwrap_or_default();
                Event::default().event("error").data(json)
            }
        };
        let _ = teller.0.blocking_send(last);
    });
    let stream = Told {
        told: Mutex::new(told),
        _guard: guard,
    };
    Sse::new(stream)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// What is told; dropped with its connection, the run is cancelled.
struct Told {
    told: Mutex<Receiver<Event>>,
    _guard: CancelOnDrop,
}

impl Stream for Told {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let told = self.get_mut().told.get_mut();
        let told = told.unwrap_or_else(std::sync::PoisonError::into_inner);
        told.poll_recv(cx).map(|event| event.map(Ok))
    }
}
