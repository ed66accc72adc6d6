//! MCP over HTTP as an attacker has it: requests written by hand, from pages, names and clients
//! that are not known.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use codepod::{Options, Runtime};
use codepod_server::mcp::{HttpOptions, Listening, McpOptions};
use codepod_server::{Server, ServerOptions};
use serde_json::{Value, json};
use tokio::sync::oneshot;

const ONE: &str = "token-of-the-first-client";
const OTHER: &str = "token-of-the-second-client";
/// As long as anything may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server on a port of its own.
struct Served {
    address: SocketAddr,
    server: Server,
    runtime: Option<tokio::runtime::Runtime>,
    stop: Option<oneshot::Sender<()>>,
    ended: std::sync::Mutex<std::sync::mpsc::Receiver<()>>,
}

impl Served {
    fn new() -> Served {
        Served::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut HttpOptions)) -> Served {
        let server = Server::new(Runtime::global().unwrap(), ServerOptions::default());
        let mut options = McpOptions::new(Options::default());
        options.longest_run = Duration::from_secs(30);
        options.structured = true;
        let address = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut http = HttpOptions::new(address, vec![ONE.into(), OTHER.into()]);
        change(&mut http);
        if http.idle < Duration::from_secs(60) {
            options.longest_run = http.idle;
        }
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let listening = runtime
            .block_on(Listening::bind(&server, options, http))
            .unwrap();
        let address = listening.address().unwrap();
        let (stop, stopped) = oneshot::channel();
        let (tell, ended) = std::sync::mpsc::channel();
        runtime.spawn(async move {
            listening.run(async { drop(stopped.await) }).await;
            let _ = tell.send(());
        });
        Served {
            address,
            server,
            runtime: Some(runtime),
            stop: Some(stop),
            ended: std::sync::Mutex::new(ended),
        }
    }

    /// Sends a request as it is, and waits for the end of its answer.
    fn raw(&self, request: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        // A server that refuses early may close before it has read all.
        let _ = stream.read_to_end(&mut answer);
        Answer::parse(&answer)
    }

    fn request(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut head = format!(
            "{method} /mcp HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n",
            body.len()
        );
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        self.raw(&format!("{head}\r\n{body}"))
    }

    /// A request as a good client sends it.
    fn post(&self, token: &str, session: Option<&str>, message: Value) -> Answer {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("host", "localhost"),
            ("authorization", &bearer),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        headers.extend(session.map(|session| (SESSION, session)));
        self.request("POST", &headers, &message.to_string())
    }

    /// Begins a session; its id.
    fn begin(&self, token: &str) -> String {
        let answer = self.post(token, None, hello());
        assert_eq!(answer.status, 200, "{answer:?}");
        let session = answer.header(SESSION).unwrap().to_owned();
        let told = self.post(
            token,
            Some(&session),
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        );
        assert_eq!(told.status, 202, "{told:?}");
        session
    }

    fn run(&self, token: &str, session: &str, command: &str) -> Answer {
        self.post(
            token,
            Some(session),
            call("run", json!({"command": command})),
        )
    }

    fn end(&self, token: &str, session: &str) -> Answer {
        let bearer = format!("Bearer {token}");
        self.request(
            "DELETE",
            &[
                ("host", "localhost"),
                ("authorization", &bearer),
                (SESSION, session),
            ],
            "",
        )
    }

    fn wait_for_sandboxes(&self, count: usize) {
        let begun = Instant::now();
        while self.server.len() != count {
            assert!(
                begun.elapsed() < PATIENCE,
                "{} sandboxes",
                self.server.len()
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stop.take());
        let runtime = self.runtime.take().unwrap();
        runtime.shutdown_timeout(Duration::from_secs(5));
    }
}

const SESSION: &str = "mcp-session-id";

fn hello() -> Value {
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}});
    json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params})
}

fn call(tool: &str, arguments: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": tool, "arguments": arguments}})
}

#[derive(Debug)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Answer {
    fn parse(bytes: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let mut lines = head.lines();
        let status = lines
            .next()
            .unwrap_or_default()
            .split(' ')
            .nth(1)
            .unwrap_or("0");
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers: Vec<_> = headers
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
            .collect();
        let chunked = headers
            .iter()
            .any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        let body = if chunked {
            joined(body)
        } else {
            body.to_owned()
        };
        Answer {
            status: status.parse().unwrap(),
            headers,
            body,
        }
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(other, _)| other == name)
            .map(|(_, value)| &**value)
    }

    /// The answer to the request, among the events of a stream.
    fn message(&self) -> Value {
        let events = self
            .body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "));
        let mut messages = events.filter_map(|event| serde_json::from_str::<Value>(event).ok());
        messages
            .rfind(|message| message.get("id").is_some())
            .unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// A body from its chunks.
fn joined(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).unwrap_or(0);
        if length == 0 || rest.len() < length {
            break;
        }
        whole += &rest[..length];
        body = rest[length..].trim_start_matches("\r\n");
    }
    whole
}

#[test]
fn a_good_client_is_answered() {
    let served = Served::new();
    let session = served.begin(ONE);
    let answer = served.run(ONE, &session, "echo hi").message();
    assert_eq!(
        answer["result"]["structuredContent"]["stdout"], "hi\n",
        "{answer}"
    );
    assert_eq!(served.server.len(), 1);
    assert!(served.end(ONE, &session).status < 300);
    served.wait_for_sandboxes(0);
}

#[test]
fn ap_06_hosts_and_origins_that_are_not_known_are_refused() {
    let served = Served::with(|http| http.origins = vec!["https://ok.example".into()]);
    let bearer = format!("Bearer {ONE}");
    let body = hello().to_string();
    let ask = |host: &str, origin: Option<&str>| {
        let mut headers = vec![
            ("host", host),
            ("authorization", &bearer),
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
        ];
        headers.extend(origin.map(|origin| ("origin", origin)));
        served.request("POST", &headers, &body)
    };
    let port = served.address.port();
    for host in ["localhost", &format!("127.0.0.1:{port}"), "[::1]"] {
        assert_eq!(ask(host, None).status, 200, "{host}");
    }
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.example",
        "0.0.0.0",
        "evil@localhost",
        "169.254.169.254",
    ] {
        assert_eq!(ask(host, None).status, 403, "{host}");
    }
    for origin in [
        "null",
        "https://evil.example",
        "http://localhost",
        &format!("http://127.0.0.1:{port}"),
        "https://ok.example.evil.example",
        "http://ok.example",
        "file://",
    ] {
        let answer = ask("localhost", Some(origin));
        assert_eq!(answer.status, 403, "{origin}");
        assert_eq!(
            answer.header("access-control-allow-origin"),
            None,
            "{origin}"
        );
    }
    let known = ask("localhost", Some("https://ok.example"));
    assert_eq!(known.status, 200);
    assert_eq!(
        known.header("access-control-allow-origin"),
        Some("https://ok.example")
    );
    // Without a host, or with two of them, it is nobody's request.
    assert!(
        served
            .raw("POST /mcp HTTP/1.1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            .status
            >= 400
    );
    let twice = [
        ("host", "localhost"),
        ("host", "evil.example"),
        ("authorization", &*bearer),
    ];
    assert!(served.request("POST", &twice, "").status >= 400);
}

#[test]
fn ap_06_a_token_is_needed_also_from_this_machine() {
    let served = Served::new();
    let json = ("content-type", "application/json");
    let wrong = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer wrong",
        "Basic dG9rZW4=",
        ONE,
        &format!("bearer2 {ONE}"),
        &format!("Bearer {ONE}x"),
        &format!("Bearer {},{OTHER}", ONE),
    ];
    for given in wrong {
        let answer = served.request(
            "POST",
            &[("host", "localhost"), json, ("authorization", given)],
            &hello().to_string(),
        );
        assert_eq!(answer.status, 401, "{given}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
    let two = [
        ("host", "localhost"),
        json,
        ("authorization", "Bearer x"),
        ("authorization", &format!("Bearer {ONE}")),
    ];
    assert_eq!(served.request("POST", &two, "{}").status, 401);
    for method in ["POST", "GET", "DELETE"] {
        assert_eq!(
            served
                .request(method, &[("host", "localhost"), json], "{}")
                .status,
            401,
            "{method}"
        );
    }
    assert!(served.server.is_empty());
}

#[test]
fn ap_06_without_a_token_it_is_on_loopback_only() {
    let server = Server::new(Runtime::global().unwrap(), ServerOptions::default());
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let bind = |address: [u8; 4], tokens: Vec<String>| {
        let http = HttpOptions::new(SocketAddr::from((address, 0)), tokens);
        runtime
            .block_on(Listening::bind(
                &server,
                McpOptions::new(Options::default()),
                http,
            ))
            .is_ok()
    };
    assert!(!bind([0, 0, 0, 0], Vec::new()));
    assert!(!bind([127, 0, 0, 1], vec!["short".into()]));
    assert!(bind([127, 0, 0, 1], Vec::new()));
    assert!(bind([0, 0, 0, 0], vec![ONE.into()]));
}

#[test]
fn ap_07_what_forms_and_foreign_scripts_can_send_is_refused() {
    let served = Served::with(|http| http.tokens = Vec::new());
    let body = hello().to_string();
    let kinds = [
        "text/plain",
        "text/plain;application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json-seq",
        "application/jsonp",
        "",
    ];
    for kind in kinds {
        let answer = served.request(
            "POST",
            &[("host", "localhost"), ("content-type", kind)],
            &body,
        );
        assert_eq!(answer.status, 415, "{kind}");
    }
    assert_eq!(
        served
            .request("POST", &[("host", "localhost")], &body)
            .status,
        415
    );
    // No page is told that it may ask.
    let asked = [
        ("host", "localhost"),
        ("origin", "https://evil.example"),
        ("access-control-request-method", "POST"),
    ];
    let answer = served.request("OPTIONS", &asked, "");
    assert_eq!(answer.status, 403);
    assert!(
        answer
            .headers
            .iter()
            .all(|(name, _)| !name.starts_with("access-control")),
        "{answer:?}"
    );
    assert!(served.server.is_empty());
}

#[test]
fn ap_08_a_session_is_only_there_for_whoever_began_it() {
    let served = Served::new();
    let (mine, theirs) = (served.begin(ONE), served.begin(OTHER));
    assert_ne!(mine, theirs);
    let secret = served.run(ONE, &mine, "echo secret > f; cat f").message();
    assert_eq!(secret["result"]["structuredContent"]["stdout"], "secret\n");
    let bearer = format!("Bearer {OTHER}");
    let never = "00000000-0000-4000-8000-000000000000";
    let mut answers = Vec::new();
    for session in [&*mine, never] {
        let headers = [
            ("host", "localhost"),
            ("authorization", &*bearer),
            ("accept", "text/event-stream"),
            (SESSION, session),
            ("last-event-id", "0"),
        ];
        answers.push((
            served.run(OTHER, session, "cat f"),
            served.request("GET", &headers, ""),
            served.request("DELETE", &headers, ""),
            served.post(OTHER, Some(session), hello()),
            served.post(OTHER, Some(session), json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})),
        ));
    }
    // What is another's and what never was look the same.
    let told = |answer: &Answer| (answer.status, answer.body.clone());
    let told = |all: &(Answer, Answer, Answer, Answer, Answer)| {
        [
            told(&all.0),
            told(&all.1),
            told(&all.2),
            told(&all.3),
            told(&all.4),
        ]
    };
    assert_eq!(told(&answers[0]), told(&answers[1]));
    assert!(told(&answers[0]).iter().all(|(status, _)| *status == 404));
    assert!(!format!("{answers:?}").contains("secret"));
    let still = served.run(ONE, &mine, "cat f").message();
    assert_eq!(still["result"]["structuredContent"]["stdout"], "secret\n");
    // Nobody chooses an id, and two are none.
    let chosen = served.post(ONE, Some("chosen-by-the-attacker"), hello());
    assert_eq!(chosen.status, 404);
    let both = [
        ("host", "localhost"),
        ("authorization", &*bearer),
        ("content-type", "application/json"),
        (SESSION, &*theirs),
        (SESSION, &*mine),
    ];
    assert_eq!(
        served
            .request(
                "POST",
                &both,
                &call("run", json!({"command": "cat f"})).to_string()
            )
            .status,
        400
    );
}

#[test]
fn ap_08_forks_and_snapshots_of_another_session_are_not_there() {
    let served = Served::new();
    // The same token: still another session.
    let (mine, theirs) = (served.begin(ONE), served.begin(ONE));
    let field = |tool: &str, name: &str| {
        let answer = served
            .post(ONE, Some(&mine), call(tool, json!({})))
            .message();
        answer["result"]["structuredContent"][name]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (fork, snapshot) = (field("fork", "sandbox_id"), field("snapshot", "id"));
    for (tool, arguments) in [
        ("run", json!({"command": "id", "sandbox_id": fork})),
        ("restore", json!({"id": snapshot})),
    ] {
        let answer = served
            .post(ONE, Some(&theirs), call(tool, arguments))
            .message();
        assert_eq!(
            answer["result"]["_meta"]["codepod/error"]["kind"], "not_found",
            "{answer}"
        );
    }
}

#[test]
fn ap_08_sessions_are_limited_in_number() {
    let served = Served::with(|http| http.sessions = 2);
    let (first, _second) = (served.begin(ONE), served.begin(ONE));
    served.run(ONE, &first, "true");
    let refused = served.post(ONE, None, hello());
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(served.end(ONE, &first).status < 300);
    served.wait_for_sandboxes(0);
    let begun = Instant::now();
    while served.post(ONE, None, hello()).status != 200 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn ap_08_idle_sessions_end_with_their_sandboxes() {
    let served = Served::with(|http| http.idle = Duration::from_millis(500));
    let session = served.begin(ONE);
    served.run(ONE, &session, "true");
    served.wait_for_sandboxes(0);
    let begun = Instant::now();
    while served.run(ONE, &session, "true").status != 404 {
        assert!(begun.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(served.server.is_empty());
}

#[test]
fn ap_14_a_session_that_is_ended_ends_its_runs() {
    let served = Served::new();
    let session = served.begin(ONE);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| served.run(ONE, &session, "sleep 29"));
        served.wait_for_sandboxes(1);
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        assert!(served.end(ONE, &session).status < 300);
        served.wait_for_sandboxes(0);
        assert!(
            begun.elapsed() < Duration::from_secs(15),
            "{:?}",
            begun.elapsed()
        );
        running.join().unwrap();
    });
}

#[test]
fn ap_14_a_run_is_cancelled_by_a_notification() {
    let served = Served::new();
    let session = served.begin(ONE);
    std::thread::scope(|scope| {
        let begun = Instant::now();
        scope.spawn(|| served.run(ONE, &session, "sleep 29; echo no > /tmp/f"));
        served.wait_for_sandboxes(1);
        std::thread::sleep(Duration::from_millis(300));
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}});
        assert_eq!(served.post(ONE, Some(&session), cancel).status, 202);
        let list = json!({"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "cat /tmp/f"}}});
        let after = served.post(ONE, Some(&session), list).message();
        assert_eq!(
            after["result"]["structuredContent"]["stdout"], "",
            "{after}"
        );
        assert!(
            begun.elapsed() < Duration::from_secs(15),
            "{:?}",
            begun.elapsed()
        );
    });
}

#[test]
fn bodies_that_are_too_large_or_no_json_are_refused() {
    let served = Served::new();
    let session = served.begin(ONE);
    let bearer = format!("Bearer {ONE}");
    let headers = [
        ("host", "localhost"),
        ("authorization", &*bearer),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        (SESSION, &*session),
    ];
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{\"jsonrpc\":\"1.0\"}",
        &"[".repeat(200_000),
    ] {
        let answer = served.request("POST", &headers, body);
        assert!(
            (400..500).contains(&answer.status),
            "{:.40}: {answer:?}",
            body
        );
    }
    let large = "x".repeat(17 << 20);
    assert_eq!(served.request("POST", &headers, &large).status, 413);
    assert_eq!(
        served.run(ONE, &session, "echo ok").message()["result"]["structuredContent"]["stdout"],
        "ok\n"
    );
}

#[test]
fn versions_without_sessions_are_not_spoken() {
    let served = Served::new();
    let bearer = format!("Bearer {ONE}");
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "run", "arguments": {"command": "true"}, "_meta": meta}});
    let headers = [
        ("host", "localhost"),
        ("authorization", &*bearer),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "run"),
    ];
    let answer = served.request("POST", &headers, &message.to_string());
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(served.server.is_empty());
}

#[test]
fn a_server_that_is_stopped_ends_its_sandboxes() {
    let mut served = Served::new();
    let session = served.begin(ONE);
    served.run(ONE, &session, "true");
    drop(served.stop.take());
    let ended = served.ended.lock().unwrap();
    ended.recv_timeout(PATIENCE).unwrap();
    drop(ended);
    assert!(served.server.is_empty());
}
