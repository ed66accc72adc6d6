//! A server of HTTP in the test's own process, and clients that are not ours.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::time::Duration;

use codepod_server::Server;
use codepod_server::http::{Config, HttpServer, KeyHash, TenantConfig};
use serde_json::{Value, json};

/// A server that runs until it is dropped.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) metrics: Option<SocketAddr>,
    pub(crate) server: Server,
    pub(crate) made_key: Option<String>,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Site {
    pub(crate) fn new(mut config: Config) -> Site {
        config.listen = SocketAddr::from(([127, 0, 0, 1], 0));
        let (tell, told) = channel();
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            let threads = tokio::runtime::Builder::new_multi_thread()
                .enable_all()
                .build()
                .expect("threads");
            threads.block_on(async {
                let server = HttpServer::bind(super::runtime(), config)
                    .await
                    .expect("a port");
                let address = server.address().expect("an address");
                tell.send((
                    address,
                    server.metrics_address(),
                    server.server().clone(),
                    server.made_key.clone(),
                ))
                .expect("told");
                server.run(async { drop(stopped.await) }).await;
            });
        });
        let (address, metrics, server, made_key) = told.recv().expect("a server");
        Site {
            address,
            metrics,
            server,
            made_key,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// A server with tenants, each with the key `key-NAME`.
    pub(crate) fn with_tenants(names: &[&str], mut config: Config) -> Site {
        config.tenants = names.iter().map(|name| tenant(name)).collect();
        Site::new(config)
    }

    /// A client with a key.
    pub(crate) fn client(&self, key: &str) -> Web {
        let agent = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(super::PATIENCE))
            .build();
        Web {
            agent: agent.into(),
            base: format!("http://{}", self.address),
            key: key.to_owned(),
        }
    }

    /// Tells it to stop; it ends when its requests have.
    pub(crate) fn stop(&mut self) {
        self.stop.take();
    }

    /// Sends bytes and reads until the server closes or `patience` is over.
    pub(crate) fn raw(&self, bytes: &[u8], patience: Duration) -> String {
        let mut stream = TcpStream::connect(self.address).expect("a connection");
        stream.set_read_timeout(Some(patience)).expect("a timeout");
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stream.read(&mut buffer) {
            answer.extend_from_slice(&buffer[..read]);
        }
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(std::thread::panicking() || ended.is_ok());
        }
    }
}

/// A tenant whose key is `key-NAME`.
pub(crate) fn tenant(name: &str) -> TenantConfig {
    TenantConfig {
        name: name.into(),
        keys: vec![KeyHash::of(&format!("key-{name}")).to_string()],
        sandboxes: 100,
        requests: 64,
    }
}

/// A client.
#[derive(Clone)]
pub(crate) struct Web {
    pub(crate) agent: ureq::Agent,
    pub(crate) base: String,
    pub(crate) key: String,
}

impl Web {
    /// Sends a request: status and JSON.
    pub(crate) fn send(&self, verb: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        let request = ureq::http::Request::builder()
            .method(verb)
            .uri(format!("{}{path}", self.base))
            .header("authorization", format!("Bearer {}", self.key))
            .header("content-type", "application/json");
        let body = body.map(|body| body.to_string()).unwrap_or_default();
        let mut answer = self
            .agent
            .run(request.body(body).expect("a request"))
            .expect("an answer");
        let text = answer
            .body_mut()
            .with_config()
            .limit(64 << 20)
            .read_to_string()
            .expect("text");
        let json = serde_json::from_str(&text).unwrap_or(Value::String(text));
        (answer.status().as_u16(), json)
    }

    /// Sends a request that must be answered well.
    pub(crate) fn good(&self, verb: &str, path: &str, body: Value) -> Value {
        let body = (!matches!(verb, "GET" | "DELETE")).then_some(body);
        let (status, answer) = self.send(verb, path, body);
        assert_eq!(status, 200, "{verb} {path}: {answer}");
        answer
    }

    /// The status and the kind of the error that a request gives.
    pub(crate) fn kind(&self, verb: &str, path: &str, body: Option<Value>) -> (u16, String) {
        let (status, answer) = self.send(verb, path, body);
        assert!(status >= 400, "{verb} {path}: {answer}");
        assert!(
            answer["data"]["hint"]
                .as_str()
                .is_some_and(|hint| !hint.is_empty()),
            "{answer}"
        );
        (
            status,
            answer["data"]["kind"].as_str().expect("a kind").to_owned(),
        )
    }

    /// The path of a new sandbox.
    pub(crate) fn sandbox(&self) -> String {
        let made = self.good("POST", "/v1/sandboxes", json!({}));
        format!(
            "/v1/sandboxes/{}",
            made["sandboxId"].as_str().expect("an id")
        )
    }

    /// Runs a script and gives what it printed.
    pub(crate) fn run(&self, sandbox: &str, command: &str) -> String {
        let result = self.good(
            "POST",
            &format!("{sandbox}/run"),
            json!({"command": command}),
        );
        result["stdout"].as_str().expect("text").to_owned()
    }
}
