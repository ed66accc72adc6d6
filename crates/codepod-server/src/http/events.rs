//! Server-Sent Events: output of a run while it runs, then its result.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use codepod_api::Surface;
use codepod_api::notifications::Output;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_stream::Stream;

use super::asked::{Asked, CancelOnDrop};
use crate::call::{Call, Client};
use crate::dispatch::dispatch;
use crate::tenant::{Flight, Place, Tenant};

/// Events that wait for a slow client before the run does.
const WAITING: usize = 8;
/// How soon a run looks again whether there is room for its output.
const AGAIN: Duration = Duration::from_millis(20);

/// An event, counted until it is sent.
struct Counted {
    event: Event,
    flight: Flight,
}

/// Passes output on as events. A client that has left hears nothing; one that does not read holds
/// its run up until its connection is given up.
struct Teller {
    tenant: Arc<Tenant>,
    tell: Sender<Counted>,
}

impl Teller {
    fn tell(&self, name: &str, json: String) {
        let mut flight = self.tenant.flight();
        while flight.add(json.len() as u64).is_err() {
            if self.tell.is_closed() {
                return;
            }
            std::thread::sleep(AGAIN);
        }
        let event = Event::default().event(name).data(json);
        let _ = self.tell.blocking_send(Counted { event, flight });
    }
}

impl Client for Teller {
    fn output(&self, output: Output) {
        if let Ok(json) = serde_json::to_string(&output) {
            self.tell("output", json);
        }
    }
}

/// Answers with events.
pub(super) fn respond(asked: Asked) -> Response {
    let (tell, told) = channel(WAITING);
    let guard = CancelOnDrop(Some(asked.canceller.clone()));
    let stream = Told {
        told: Mutex::new(told),
        last: None,
        _guard: guard,
        _place: asked.place,
    };
    let (app, tenant, canceller) = (asked.app, asked.tenant, asked.canceller);
    let (name, sandbox, params) = (asked.method.name, asked.sandbox, asked.params);
    let body = asked.body;
    tokio::task::spawn_blocking(move || {
        let teller = Teller {
            tenant: tenant.clone(),
            tell,
        };
        let call = Call::new(&app.server, &tenant, Surface::Http, &teller, canceller);
        let answered = dispatch(call, name, sandbox.as_deref(), params);
        drop(body);
        match answered {
            Ok(json) => teller.tell("result", json),
            Err(error) => teller.tell("error", serde_json::to_string(&error).unwrap_or_default()),
        }
    });
    Sse::new(stream)
        .keep_alive(KeepAlive::default())
        .into_response()
}

/// What is told; dropped with its connection, the run is cancelled.
struct Told {
    told: Mutex<Receiver<Counted>>,
    /// The event that the connection has taken last and may still be sending.
    last: Option<Flight>,
    _guard: CancelOnDrop,
    _place: Place,
}

impl Stream for Told {
    type Item = Result<Event, Infallible>;

    fn poll_next(
        self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        let this = self.get_mut();
        this.last = None;
        let told = this.told.get_mut();
        let told = told.unwrap_or_else(std::sync::PoisonError::into_inner);
        told.poll_recv(cx).map(|counted| {
            let Counted { event, flight } = counted?;
            this.last = Some(flight);
            Some(Ok(event))
        })
    }
}
