//! Calls in the other direction: commands of sandboxes that the client answers, and requests of
//! theirs that it decides about.

use std::collections::HashMap;
use std::future::poll_fn;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Poll, Waker};

use codepod_api::notifications::{
    COMMAND_CALL, CommandCall, CommandReply, NETWORK_REQUEST, NetworkReply, NetworkRequest,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::call::{Answering, Answers};
use crate::lock::lock;

/// Calls that a client may have open.
const MOST_OPEN: usize = 1024;

/// Writes messages, whole, one after the other.
pub(super) struct Writer {
    output: Mutex<Box<dyn Write + Send>>,
}

impl Writer {
    pub(super) fn new(output: impl Write + Send + 'static) -> Writer {
        Writer {
            output: Mutex::new(Box::new(output)),
        }
    }

    /// Sends a message. A client that has gone gets nothing.
    pub(super) fn send(&self, mut line: String) {
        line.push('\n');
        let mut output = lock(&self.output);
        let _ = output
            .write_all(line.as_bytes())
            .and_then(|()| output.flush());
    }
}

/// The calls that wait for the client.
pub(super) struct Calls {
    writer: Arc<Writer>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    next: u64,
    closed: bool,
    open: HashMap<u64, Open>,
}

#[derive(Default)]
struct Open {
    answer: Option<Result<Value, String>>,
    waker: Option<Waker>,
}

impl Calls {
    pub(super) fn new(writer: Arc<Writer>) -> Arc<Calls> {
        Arc::new(Calls {
            writer,
            state: Mutex::default(),
        })
    }

    /// Makes room for an answer, under a number.
    fn open(&self) -> Result<u64, String> {
        let mut state = self.lock();
        if state.closed {
            return Err("the host has gone".into());
        }
        if state.open.len() >= MOST_OPEN {
            return Err("the host is busy with other commands".into());
        }
        state.next += 1;
        let id = state.next;
        state.open.insert(id, Open::default());
        Ok(id)
    }

    /// Takes an answer of the client; one that nobody waits for is ignored.
    pub(super) fn answer(&self, id: &Value, answer: Result<Value, Value>) {
        let answer = match answer {
            Ok(reply) => Ok(reply),
            Err(error) => {
                let message = error.get("message").and_then(Value::as_str);
                Err(message.unwrap_or("the host failed").to_owned())
            }
        };
        let mut state = self.lock();
        let Some(open) = id.as_u64().and_then(|id| state.open.get_mut(&id)) else {
            return;
        };
        open.answer = Some(answer);
        let waker = open.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// The client has gone: whoever waits for it is told.
    pub(super) fn close(&self) {
        let mut state = self.lock();
        state.closed = true;
        let wakers: Vec<Waker> = state
            .open
            .values_mut()
            .filter_map(|open| open.waker.take())
            .collect();
        drop(state);
        wakers.into_iter().for_each(Waker::wake);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

/// A handle to the calls, for handlers of commands.
pub(super) struct Caller(pub(super) Arc<Calls>);

impl Answers for Caller {
    fn call(&self, call: CommandCall) -> Answering<CommandReply> {
        self.ask(COMMAND_CALL, json!(call))
    }

    fn decide(&self, request: NetworkRequest) -> Answering<NetworkReply> {
        self.ask(NETWORK_REQUEST, json!(request))
    }
}

impl Caller {
    /// Sends a request and reads its answer.
    fn ask<T: DeserializeOwned>(&self, method: &'static str, params: Value) -> Answering<T> {
        let calls = self.0.clone();
        Box::pin(async move {
            let id = calls.open()?;
            let guard = Waiting { calls: &calls, id };
            let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
            calls.writer.send(request.to_string());
            let answer = poll_fn(|cx| {
                let mut state = calls.lock();
                let closed = state.closed;
                let Some(open) = state.open.get_mut(&id) else {
                    return Poll::Ready(Err("the host has gone".to_owned()));
                };
                match open.answer.take() {
                    Some(answer) => Poll::Ready(answer),
                    None if closed => Poll::Ready(Err("the host has gone".to_owned())),
                    None => {
                        open.waker = Some(cx.waker().clone());
                        Poll::Pending
                    }
                }
            })
            .await;
            drop(guard);
            serde_json::from_value(answer?)
                .map_err(|error| format!("the host's answer is wrong: {error}"))
        })
    }
}

/// A call that waits; dropped, nobody does any more.
struct Waiting<'a> {
    calls: &'a Calls,
    id: u64,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.calls.lock().open.remove(&self.id);
    }
}
