//! Servers inside sandboxes, as clients of HTTP reach them.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use codepod_server::http::Config;
use serde_json::{Value, json};
use support::http::{Site, Terminal, Web};
use support::wait_until;

/// A server of Python's own library, with a WebSocket that sends back what it gets.
const SERVER: &str = r#"
import base64, hashlib, http.server, json, socketserver, sys, time
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = sys.argv[2]
    def do_GET(self):
        if self.path == '/ws':
            return self.talk()
        if self.path == '/leave':
            self.close_connection = True
            return
        if self.path == '/for-ever':
            time.sleep(3600)
        if self.path == '/login':
            self.send_response(302)
            self.send_header('Location', '/welcome')
            self.send_header('Content-Length', '0')
            return self.end_headers()
        if self.path == '/switch':
            self.send_response(101)
            self.send_header('Connection', 'upgrade')
            self.send_header('Upgrade', 'other')
            return self.end_headers()
        self.answer(json.dumps({'path': self.path, 'headers': dict(self.headers)}).encode())
    def do_POST(self):
        self.answer(self.rfile.read(int(self.headers['Content-Length'])))
    do_PUT = do_POST
    def answer(self, body):
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.send_header('Set-Cookie', 'inner=1')
        self.send_header('Connection', 'close, X-Between')
        self.send_header('X-Between', '1')
        self.end_headers()
        self.wfile.write(body)
    def talk(self):
        key = self.headers['Sec-WebSocket-Key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
        self.send_response(101)
        self.send_header('Upgrade', 'websocket')
        self.send_header('Connection', 'Upgrade')
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.send_header('Sec-WebSocket-Accept', accept)
        self.end_headers()
        while len(head := self.rfile.read(2)) == 2:
            length = head[1] & 127
            if length == 126:
                length = int.from_bytes(self.rfile.read(2))
            mask = self.rfile.read(4)
            data = bytes(b ^ mask[i % 4] for i, b in enumerate(self.rfile.read(length)))
            size = bytes([length]) if length < 126 else b'\x7e' + length.to_bytes(2)
            self.wfile.write(bytes([0x82]) + size + data)
        self.close_connection = True
socketserver.TCPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
"#;

/// A sandbox with the server at a port, which answers when this returns.
fn serving(web: &Web, version: &str) -> String {
    let sandbox = web.sandbox();
    let file = json!({"path": "server.py", "text": SERVER});
    web.good("PUT", &format!("{sandbox}/files"), file);
    let script = json!({"command": format!("python3 server.py 8000 {version}")});
    web.good("POST", &format!("{sandbox}/runs"), script);
    let ready = format!("{sandbox}/ports/8000/");
    wait_until(|| web.send("GET", &ready, None).0 == 200);
    sandbox
}

#[test]
fn a_server_inside_answers_through_this_one() {
    let site = Site::with_tenants(&["a", "b"], Config::default());
    let web = site.client("key-a");
    for version in ["HTTP/1.0", "HTTP/1.1"] {
        let sandbox = serving(&web, version);
        let at = |path: &str| format!("{sandbox}/ports/8000{path}");
        let told = web.good("GET", &at("/a%2Fb?x=1"), json!({}));
        assert_eq!(told["path"], "/a%2Fb?x=1");
        let told = web.good("GET", &at(""), json!({}));
        assert_eq!(told["path"], "/");
        let headers = told["headers"].as_object().unwrap();
        assert_eq!(headers["host"], "localhost:8000");
        assert_eq!(headers["x-forwarded-prefix"], at(""));
        // What is for this server stays here.
        assert!(!told.to_string().contains("key-a"), "{told}");
        let body: Vec<Value> = (0..100_000).map(Value::from).collect();
        assert_eq!(
            web.good("POST", &at("/post"), body.clone().into()),
            Value::from(body)
        );
        let (status, nothing) = web.send("GET", &at("/leave"), None);
        assert_eq!(
            (status, &nothing["data"]["kind"]),
            (502, &json!("no_server"))
        );
        let raw = site.raw(
            format!(
                "GET {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-a\r\n\
                 Connection: close\r\n\r\n",
                at("/login")
            )
            .as_bytes(),
            support::PATIENCE,
        );
        assert!(raw.starts_with("HTTP/1.1 302"), "{raw}");
        assert!(
            raw.contains(&format!("location: {}\r\n", at("/welcome"))),
            "{raw}"
        );
        let raw = site.raw(
            format!(
                "GET {} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer key-a\r\n\
                 Connection: close\r\n\r\n",
                at("/x")
            )
            .as_bytes(),
            support::PATIENCE,
        );
        assert!(raw.contains("set-cookie: inner=1\r\n"), "{raw}");
        assert!(!raw.to_lowercase().contains("x-between"), "{raw}");
    }
}

#[test]
fn who_may_not_use_the_sandbox_does_not_reach_its_servers() {
    let site = Site::with_tenants(&["a", "b"], Config::default());
    let web = site.client("key-a");
    let sandbox = serving(&web, "HTTP/1.1");
    let at = |path: &str| format!("{sandbox}/ports/8000{path}");
    assert_eq!(
        site.client("key-b").kind("GET", &at("/"), None),
        (404, "not_found".into())
    );
    assert_eq!(
        site.client("nobody").kind("GET", &at("/"), None),
        (401, "unauthorized".into())
    );
    // Nobody listens there; a fork has no servers; ports have numbers.
    let none = format!("{sandbox}/ports/8001/");
    assert_eq!(web.kind("GET", &none, None), (502, "no_server".into()));
    for port in ["0", "65536", "http", "-1"] {
        let at = format!("{sandbox}/ports/{port}/");
        assert_eq!(web.kind("GET", &at, None), (400, "invalid_params".into()));
    }
    let fork = web.good("POST", &format!("{sandbox}/fork"), json!({}));
    let fork = fork["sandboxId"].as_str().unwrap();
    let there = format!("/v1/sandboxes/{fork}/ports/8000/");
    assert_eq!(web.kind("GET", &there, None), (502, "no_server".into()));
    // Nobody has asked for another protocol.
    assert_eq!(
        web.kind("GET", &at("/switch"), None),
        (502, "no_server".into())
    );
}

#[test]
fn a_websocket_inside_talks_through_this_server() {
    let site = Site::with_tenants(&["a"], Config::default());
    let sandbox = serving(&site.client("key-a"), "HTTP/1.1");
    let path = format!("{sandbox}/ports/8000/ws");
    let mut socket = Terminal::at(&site, "key-a", &path);
    for text in [b"hello".to_vec(), vec![b'x'; 40_000], Vec::new()] {
        socket.send(&text).unwrap();
        assert_eq!(socket.next(), (0x82, text));
    }
}

#[test]
fn a_server_that_never_answers_has_so_long() {
    let config = Config {
        terminal_idle_seconds: 1,
        ..Config::default()
    };
    let site = Site::with_tenants(&["a"], config);
    let web = site.client("key-a");
    let sandbox = serving(&web, "HTTP/1.1");
    let never = format!("{sandbox}/ports/8000/for-ever");
    assert_eq!(web.kind("GET", &never, None), (502, "no_server".into()));
}

#[test]
fn a_client_that_leaves_frees_its_place() {
    let mut config = Config::default();
    let mut tenant = support::http::tenant("a");
    tenant.requests = 2;
    config.tenants = vec![tenant];
    let site = Site::new(config);
    let web = site.client("key-a");
    let sandbox = serving(&web, "HTTP/1.1");
    for _ in 0..3 {
        let mut stream = TcpStream::connect(site.address).unwrap();
        write!(
            stream,
            "GET {sandbox}/ports/8000/for-ever HTTP/1.1\r\nHost: localhost\r\n\
             Authorization: Bearer key-a\r\n\r\n"
        )
        .unwrap();
        let patience = Duration::from_millis(300);
        stream.set_read_timeout(Some(patience)).unwrap();
        let mut byte = [0];
        assert!(stream.read(&mut byte).is_err(), "there is no answer yet");
        drop(stream);
        wait_until(|| web.send("GET", &sandbox, None).0 == 200);
    }
}
