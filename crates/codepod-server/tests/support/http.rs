//! A server of HTTP in the test's own process, and clients that are not ours.

use std::io::{BufRead, BufReader, Read, Write};
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
        keys: vec![KeyHash::of(&format!("key-{name}")).to_string().into()],
        sandboxes: 100,
        requests: 64,
        flight_bytes: 256 << 20,
        cpu_weight: 100,
        processes: 256,
        memory_bytes: 4 << 30,
        state_bytes: 1 << 30,
        namespaces: 100,
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
            .limit(256 << 20)
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

/// A client of a terminal.
pub(crate) struct Terminal {
    pub(crate) stream: TcpStream,
    reader: BufReader<TcpStream>,
}

impl Terminal {
    /// Opens a terminal of a sandbox.
    pub(crate) fn open(site: &Site, key: &str, sandbox: &str) -> Terminal {
        let path = format!("{sandbox}/terminal?rows=30&columns=100");
        Terminal::at(site, key, &path)
    }

    /// Opens a WebSocket.
    pub(crate) fn at(site: &Site, key: &str, path: &str) -> Terminal {
        let mut stream = TcpStream::connect(site.address).expect("a connection");
        stream
            .set_read_timeout(Some(super::PATIENCE))
            .expect("a timeout");
        write!(
            stream,
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\
             Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        .expect("sent");
        let mut reader = BufReader::new(stream.try_clone().expect("a clone"));
        let mut line = String::new();
        reader.read_line(&mut line).expect("a line");
        assert!(line.starts_with("HTTP/1.1 101"), "{line}");
        while line != "\r\n" {
            line.clear();
            reader.read_line(&mut line).expect("a line");
        }
        Terminal { stream, reader }
    }

    /// Sends a masked frame, as clients do; a mask of zeros leaves the bytes as they are.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![0x82];
        match bytes.len() {
            short @ ..126 => frame.push(0x80 | short as u8),
            length @ ..0x1_0000 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(bytes);
        self.stream.write_all(&frame)
    }

    /// The next message: its kind and its bytes.
    pub(crate) fn next(&mut self) -> (u8, Vec<u8>) {
        let mut head = [0; 2];
        self.reader.read_exact(&mut head).expect("a frame");
        let length = match head[1] {
            126 => {
                let mut long = [0; 2];
                self.reader.read_exact(&mut long).expect("a length");
                u16::from_be_bytes(long).into()
            }
            127 => {
                let mut long = [0; 8];
                self.reader.read_exact(&mut long).expect("a length");
                u64::from_be_bytes(long) as usize
            }
            short => usize::from(short),
        };
        let mut payload = vec![0; length];
        self.reader.read_exact(&mut payload).expect("a payload");
        (head[0], payload)
    }

    /// Reads to the end: what was shown, and why it ended.
    pub(crate) fn finish(&mut self) -> (String, String) {
        let mut shown = String::new();
        loop {
            let (kind, payload) = self.next();
            match kind {
                0x88 => {
                    let reason = String::from_utf8_lossy(&payload[2..]).into_owned();
                    return (shown, reason);
                }
                0x82 => shown += &String::from_utf8_lossy(&payload),
                _ => {}
            }
        }
    }
}
