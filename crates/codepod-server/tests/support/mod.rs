//! A client of JSON-RPC in the test's own process: a server at the other end of two pipes.

#![allow(dead_code, reason = "each test uses its part")]
#![allow(clippy::allow_attributes, reason = "unused parts differ between tests")]

pub(crate) mod http;
#[path = "../../../codepod/tests/support/machine.rs"]
pub(crate) mod machine;

use std::collections::HashMap;
use std::io::{BufRead, BufReader, PipeWriter, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use codepod::{Runtime, RuntimeOptions};
use codepod_server::{Quota, Server, ServerOptions, Tenant, rpc};
use serde_json::{Value, json};

/// As long as anything may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so, and returns how long that took.
#[track_caller]
pub(crate) fn wait_until(mut so: impl FnMut() -> bool) -> Duration {
    let began = Instant::now();
    while !so() {
        assert!(began.elapsed() < PATIENCE, "in time");
        std::thread::sleep(Duration::from_millis(10));
    }
    began.elapsed()
}

/// Bytes of memory that this process has.
pub(crate) fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// The runtime of this test program.
pub(crate) fn runtime() -> Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    let make = || Runtime::new(RuntimeOptions::default()).expect("a runtime");
    RUNTIME.get_or_init(make).clone()
}

/// What a client's commands do.
type Command = Box<dyn Fn(Value) -> Result<Value, Value> + Send>;

/// A client and its server.
pub(crate) struct Client {
    to: Arc<Mutex<Option<PipeWriter>>>,
    next: AtomicU64,
    waiting: Arc<Mutex<HashMap<u64, Sender<Value>>>>,
    /// What came without being asked for: notifications, and errors without an id.
    pub(crate) others: Mutex<Receiver<Value>>,
    pub(crate) server: Server,
    pub(crate) tenant: Arc<Tenant>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Client {
    pub(crate) fn new() -> Client {
        let mut options = ServerOptions::default();
        options.host_mounts = true;
        Client::with(options, Quota::default(), None)
    }

    pub(crate) fn with(options: ServerOptions, quota: Quota, command: Option<Command>) -> Client {
        let (input, to) = std::io::pipe().expect("a pipe");
        let (from, output) = std::io::pipe().expect("a pipe");
        let server = Server::new(runtime(), options);
        let tenant = Tenant::new("", quota);
        let (tell, others) = channel();
        let waiting: Arc<Mutex<HashMap<u64, Sender<Value>>>> = Arc::default();
        let serving = std::thread::spawn({
            let (server, tenant) = (server.clone(), tenant.clone());
            move || rpc::serve(&server, &tenant, input, output)
        });
        let to = Arc::new(Mutex::new(Some(to)));
        let answer_to = to.clone();
        let reading = std::thread::spawn({
            let waiting = waiting.clone();
            move || {
                for line in BufReader::new(from).lines() {
                    let message: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
                    assert_eq!(message["jsonrpc"], "2.0");
                    if message["method"] == "command.call" {
                        let answer =
                            command.as_ref().expect("a command")(message["params"].clone());
                        let answer = match answer {
                            Ok(result) => {
                                json!({"jsonrpc": "2.0", "id": message["id"], "result": result})
                            }
                            Err(error) => {
                                json!({"jsonrpc": "2.0", "id": message["id"], "error": error})
                            }
                        };
                        if let Some(to) = answer_to.lock().unwrap().as_mut() {
                            let _ = writeln!(to, "{answer}");
                        }
                    } else if let Some(id) = message["id"].as_u64() {
                        let waiter = waiting
                            .lock()
                            .unwrap()
                            .remove(&id)
                            .expect("an id that was asked");
                        let _ = waiter.send(message);
                    } else {
                        let _ = tell.send(message);
                    }
                }
            }
        });
        Client {
            to,
            next: AtomicU64::new(1),
            waiting,
            others: Mutex::new(others),
            server,
            tenant,
            threads: vec![serving, reading],
        }
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&self, bytes: &[u8]) {
        let mut to = self.to.lock().unwrap();
        let _ = to.as_mut().expect("open").write_all(bytes);
    }

    /// Sends a request and gives its id, and where its answer will come.
    pub(crate) fn begin(&self, method: &str, params: Value) -> (u64, Receiver<Value>) {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (tell, answer) = channel();
        self.waiting.lock().unwrap().insert(id, tell);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(format!("{request}\n").as_bytes());
        (id, answer)
    }

    /// Calls a method: its result, or its error.
    pub(crate) fn call(&self, method: &str, params: Value) -> Result<Value, Value> {
        finish(self.begin(method, params).1)
    }

    /// Calls a method that must not fail.
    pub(crate) fn good(&self, method: &str, params: Value) -> Value {
        self.call(method, params)
            .unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The kind of the error that a call gives.
    pub(crate) fn kind(&self, method: &str, params: Value) -> String {
        let error = self.call(method, params).expect_err(method);
        assert!(
            error["message"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        assert!(
            error["data"]["hint"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
        error["data"]["kind"].as_str().expect("a kind").to_owned()
    }

    /// A new sandbox's id.
    pub(crate) fn sandbox(&self) -> String {
        let made = self.good("sandbox.create", json!({}));
        made["sandboxId"].as_str().expect("an id").to_owned()
    }

    /// Runs a script and gives what it printed.
    pub(crate) fn run(&self, sandbox: &str, command: &str) -> String {
        let result = self.good("run", json!({"sandboxId": sandbox, "command": command}));
        result["stdout"].as_str().expect("text").to_owned()
    }

    /// What comes next without being asked for.
    pub(crate) fn other(&self) -> Value {
        let others = self.others.lock().unwrap();
        others
            .recv_timeout(PATIENCE)
            .expect("a notification in time")
    }

    /// Ends the client's stream and waits for the server.
    pub(crate) fn close(mut self) -> Server {
        self.end();
        self.server.clone()
    }

    fn end(&mut self) {
        self.to.lock().unwrap().take();
        for thread in self.threads.drain(..) {
            thread.join().expect("no panic");
        }
    }
}

/// Waits for an answer.
pub(crate) fn finish(answer: Receiver<Value>) -> Result<Value, Value> {
    let mut message = answer.recv_timeout(PATIENCE).expect("an answer in time");
    match message["error"].take() {
        Value::Null => Ok(message["result"].take()),
        error => Err(error),
    }
}
