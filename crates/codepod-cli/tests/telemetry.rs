//! Traces of `codepod serve` reach a collector.
#![cfg(feature = "telemetry")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn spans_of_requests_are_sent_to_the_collector() {
    let collector = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", collector.local_addr().unwrap());
    let (tell, told) = channel();
    std::thread::spawn(move || {
        for stream in collector.incoming() {
            let mut reader = BufReader::new(stream.unwrap());
            let (mut head, mut length) = (String::new(), 0);
            let mut line = String::new();
            while reader.read_line(&mut line).unwrap() > 2 {
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                head += &line;
                line.clear();
            }
            let mut body = vec![0; length];
            reader.read_exact(&mut body).unwrap();
            let _ = reader
                .get_mut()
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
            let _ = tell.send((head, body));
        }
    });
    let mut server = Command::new(env!("CARGO_BIN_EXE_codepod"))
        .args(["serve", "--listen", "127.0.0.1:0", "--log", "off"])
        .env("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
        .env("OTEL_BSP_SCHEDULE_DELAY", "100")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(server.stderr.take().unwrap()).lines();
    let address = said
        .next()
        .unwrap()
        .unwrap()
        .split("http://")
        .nth(1)
        .unwrap()
        .to_owned();
    let key = said
        .next()
        .unwrap()
        .unwrap()
        .split("run: ")
        .nth(1)
        .unwrap()
        .to_owned();
    let mut stream = TcpStream::connect(&address).unwrap();
    write!(stream, "GET /v1/info HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: seen-by-test\r\nAuthorization: Bearer {key}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let (head, body) = told
        .recv_timeout(Duration::from_secs(30))
        .expect("spans in time");
    let _ = server.kill();
    let _ = server.wait();
    assert!(head.starts_with("POST /v1/traces"), "{head}");
    let body = String::from_utf8_lossy(&body);
    for word in ["codepod", "request", "server.info", "seen-by-test"] {
        assert!(body.contains(word), "{word}: {body}");
    }
}
