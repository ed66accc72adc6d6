//! One client: its requests, answered in parallel by the threads that read them.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::Scope;

use codepod::Canceller;
use codepod_api::notifications::{CANCEL, OUTPUT, Output};
use codepod_api::{ApiError, Kind, Surface, Work, find};
use serde_json::{Map, Value};

use super::callbacks::{Caller, Calls, Writer};
use super::frame::{Frame, Frames};
use crate::call::{Answers, Call, Client};
use crate::dispatch::dispatch;
use crate::json;
use crate::lock::lock;
use crate::names::check_name;
use crate::runs::Entered;
use crate::server::Server;
use crate::tenant::{Flight, Tenant};

/// The longest message.
const LONGEST: usize = 64 << 20;
/// Threads beside those that answer: they read, or send what was answered.
const SPARE_THREADS: usize = 8;
/// The most requests in one message.
const LARGEST_BATCH: usize = 100;

struct Connection<'a, R> {
    server: &'a Server,
    tenant: &'a Arc<Tenant>,
    frames: Mutex<Frames<R>>,
    writer: Arc<Writer>,
    calls: Arc<Calls>,
    /// Requests that are being answered, by their id.
    open: Mutex<HashMap<String, Canceller>>,
    /// How many there were without an id.
    unnamed: AtomicUsize,
    /// How many there are.
    answering: AtomicUsize,
    threads: AtomicUsize,
    /// Threads that read or wait for their turn to.
    ready: AtomicUsize,
}

pub(super) fn serve(
    server: &Server,
    tenant: &Arc<Tenant>,
    input: impl Read + Send,
    output: impl Write + Send + 'static,
) {
    let writer = Arc::new(Writer::new(output));
    let connection = Connection {
        server,
        tenant,
        frames: Mutex::new(Frames::new(input, LONGEST)),
        calls: Calls::new(writer.clone()),
        writer,
        open: Mutex::default(),
        unnamed: AtomicUsize::new(0),
        answering: AtomicUsize::new(0),
        threads: AtomicUsize::new(1),
        ready: AtomicUsize::new(0),
    };
    std::thread::scope(|scope| connection.work(scope));
}

impl<R: Read + Send> Connection<'_, R> {
    /// Reads and answers until the stream ends.
    fn work<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        loop {
            self.ready.fetch_add(1, Ordering::SeqCst);
            let mut frames = lock(&self.frames);
            let frame = frames.next();
            // Known before the next message is read: that may be about this one.
            let frame = frame.map(|frame| frame.map(|frame| self.note(frame)));
            drop(frames);
            let others = self.ready.fetch_sub(1, Ordering::SeqCst) - 1;
            let Ok(Some((message, noted))) = frame else {
                self.end();
                return;
            };
            // Somebody must go on reading, or nothing could be cancelled.
            if others == 0 {
                self.spawn(scope);
            }
            self.take(message, noted);
        }
    }

    /// Another thread, if there may be one more.
    fn spawn<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>) {
        let most = self.tenant.quota.requests + SPARE_THREADS;
        if self.threads.fetch_add(1, Ordering::SeqCst) < most {
            let thread = std::thread::Builder::new();
            if thread.spawn_scoped(scope, || self.work(scope)).is_ok() {
                return;
            }
        }
        self.threads.fetch_sub(1, Ordering::SeqCst);
    }

    /// The client has gone: nobody waits for what still runs.
    fn end(&self) {
        self.calls.close();
        for canceller in lock(&self.open).values() {
            canceller.cancel();
        }
    }

    /// Reads a message, and lists a request so that it can be cancelled.
    fn note(&self, frame: Frame) -> (Result<Value, ApiError>, Noted<'_>) {
        let message = match frame {
            Frame::Line(line) => json::parse(&line)
                .map_err(|error| ApiError::new(Kind::ParseError, error.to_string())),
            Frame::TooLong => {
                let message = format!("a message has at most {LONGEST} bytes");
                Err(ApiError::new(Kind::TooLarge, message))
            }
        };
        let noted = match &message {
            Ok(message) => self.list(message),
            Err(_) => Noted::default(),
        };
        (message, noted)
    }

    /// Lists a request under its id, and announces a run under its name.
    fn list(&self, message: &Value) -> Noted<'_> {
        let mut noted = Noted::default();
        let Some(method) = message["method"].as_str() else {
            return noted;
        };
        let (id, params) = (&message["id"], &message["params"]);
        let key = match id.is_string() || id.is_number() {
            true => id.to_string(),
            // Nobody can cancel it, but it ends with its client. No id is written like this.
            false => format!("\0{}", self.unnamed.fetch_add(1, Ordering::Relaxed)),
        };
        noted.listed = Some(Listed::new(&self.open, key, &noted.canceller));
        if find(method).is_some_and(|method| method.work.is_run())
            && let (Some(sandbox), Some(run)) =
                (params["sandboxId"].as_str(), params["runId"].as_str())
            // What is no id is not kept.
            && check_name(sandbox).is_ok()
        {
            let runs = &self.tenant.runs;
            noted.announced = Some(runs.announce(sandbox, run, &noted.canceller));
        }
        noted
    }

    fn take(&self, message: Result<Value, ApiError>, noted: Noted<'_>) {
        // What the answer has taken counts until the client has read it.
        let mut flight = self.tenant.flight();
        let answer = match message {
            Ok(Value::Array(batch)) => self.batch(batch, &mut flight),
            Ok(message) => self.message(message, noted, &mut flight),
            Err(error) => Some(failed("null", &error)),
        };
        if let Some(answer) = answer {
            self.writer.send(answer);
        }
    }

    fn batch(&self, batch: Vec<Value>, flight: &mut Flight) -> Option<String> {
        if batch.is_empty() || batch.len() > LARGEST_BATCH {
            let message = format!("a batch has 1 to {LARGEST_BATCH} requests");
            return Some(failed(
                "null",
                &ApiError::new(Kind::InvalidRequest, message),
            ));
        }
        let answers = batch.into_iter().filter_map(|message| {
            let noted = self.list(&message);
            self.message(message, noted, flight)
        });
        let answers: Vec<String> = answers.collect();
        (!answers.is_empty()).then(|| format!("[{}]", answers.join(",")))
    }

    /// Answers a message; `None` if it wants no answer.
    fn message(&self, message: Value, noted: Noted<'_>, flight: &mut Flight) -> Option<String> {
        let Value::Object(mut message) = message else {
            return Some(failed(
                "null",
                &ApiError::new(Kind::InvalidRequest, "a request is an object"),
            ));
        };
        let id = message.remove("id");
        let shown = match &id {
            None | Some(Value::Null) => "null".to_owned(),
            Some(id @ (Value::String(_) | Value::Number(_))) => id.to_string(),
            Some(_) => {
                let error = ApiError::new(Kind::InvalidRequest, "an id is a string or a number");
                return Some(failed("null", &error));
            }
        };
        if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            let error = ApiError::new(Kind::InvalidRequest, "`jsonrpc` must be \"2.0\"");
            return Some(failed(&shown, &error));
        }
        if !message.contains_key("method")
            && let Some(id) = &id
        {
            let answer = match (message.remove("result"), message.remove("error")) {
                (Some(result), None) => Ok(result),
                (None, Some(error)) => Err(error),
                _ => {
                    let error = ApiError::new(Kind::InvalidRequest, "`method` is missing");
                    return Some(failed(&shown, &error));
                }
            };
            self.calls.answer(id, answer);
            return None;
        }
        let answered = self.request(message, noted).and_then(|answer| {
            flight.add(answer.len() as u64)?;
            Ok(answer)
        });
        id?;
        Some(match answered {
            Ok(result) => format!("{{\"jsonrpc\":\"2.0\",\"id\":{shown},\"result\":{result}}}"),
            Err(error) => failed(&shown, &error),
        })
    }

    fn request(
        &self,
        mut message: Map<String, Value>,
        noted: Noted<'_>,
    ) -> Result<String, ApiError> {
        let _listed = noted.listed.transpose()?;
        let _announced = noted.announced.transpose()?;
        let invalid = |text: &str| ApiError::new(Kind::InvalidRequest, text);
        let Some(Value::String(method)) = message.remove("method") else {
            return Err(invalid("`method` must be a string"));
        };
        let mut params = match message.remove("params") {
            None => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => {
                return Err(ApiError::new(
                    Kind::InvalidParams,
                    "`params` must be an object",
                ));
            }
        };
        if let Some(name) = message.keys().find(|name| *name != "jsonrpc") {
            return Err(invalid(&format!(
                "`{}` does not belong in a request",
                name.escape_debug()
            )));
        }
        if method == CANCEL {
            let id = params.get("id").map(Value::to_string).unwrap_or_default();
            if let Some(canceller) = lock(&self.open).get(&id) {
                canceller.cancel();
            }
            return Ok("null".into());
        }
        let _answering = match find(&method).map(|method| method.work) {
            // This makes room.
            Some(Work::Cancels) => None,
            _ => Some(self.begin()?),
        };
        let sandbox = match params.remove("sandboxId") {
            None => None,
            Some(Value::String(id)) => Some(id),
            Some(_) => {
                return Err(ApiError::new(
                    Kind::InvalidParams,
                    "`sandboxId` must be a string",
                ));
            }
        };
        let call = Call::new(
            self.server,
            self.tenant,
            Surface::Rpc,
            self,
            noted.canceller,
        );
        dispatch(call, &method, sandbox.as_deref(), params)
    }
}

impl<R> Connection<'_, R> {
    /// A place for a request, until the guard is dropped.
    fn begin(&self) -> Result<Answering<'_>, ApiError> {
        let most = self.tenant.quota.requests;
        let place = Answering(&self.answering);
        if self.answering.fetch_add(1, Ordering::SeqCst) < most {
            return Ok(place);
        }
        let message = format!("{most} requests are being answered");
        Err(ApiError::new(Kind::Limit, message).hint("wait for an answer before the next request"))
    }
}

/// A request that is being answered.
struct Answering<'a>(&'a AtomicUsize);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl<R: Read + Send> Client for Connection<'_, R> {
    fn output(&self, output: Output) {
        let message = serde_json::json!({"jsonrpc": "2.0", "method": OUTPUT, "params": output});
        self.writer.send(message.to_string());
    }

    fn answers(&self) -> Option<Arc<dyn Answers>> {
        Some(Arc::new(Caller(self.calls.clone())))
    }
}

/// What is known of a message before it is answered.
#[derive(Default)]
struct Noted<'a> {
    canceller: Canceller,
    listed: Option<Result<Listed<'a>, ApiError>>,
    announced: Option<Result<Entered, ApiError>>,
}

/// A request that can be cancelled, until this is dropped.
struct Listed<'a> {
    open: &'a Mutex<HashMap<String, Canceller>>,
    key: String,
}

impl<'a> Listed<'a> {
    fn new(
        open: &'a Mutex<HashMap<String, Canceller>>,
        key: String,
        canceller: &Canceller,
    ) -> Result<Listed<'a>, ApiError> {
        let mut listed = lock(open);
        if listed.contains_key(&key) {
            let message = "that id is in use by a request that is being answered";
            let error = ApiError::new(Kind::InvalidRequest, message);
            return Err(error.hint("give every request an id of its own"));
        }
        listed.insert(key.clone(), canceller.clone());
        drop(listed);
        Ok(Listed { open, key })
    }
}

impl Drop for Listed<'_> {
    fn drop(&mut self) {
        lock(self.open).remove(&self.key);
    }
}

fn failed(id: &str, error: &ApiError) -> String {
    let error = serde_json::to_string(error).unwrap_or_else(|_| "null".into());
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"error\":{error}}}")
}
