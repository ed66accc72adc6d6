//! Networks as clients ask for them: recordings, and what a ceiling leaves to clients.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use codepod_server::http::Config;
use codepod_server::{Quota, Reach, ServerOptions};
use serde_json::{Value, json};
use support::Client;
use support::http::Site;

/// A server that says how many requests it has had.
fn counting() -> (u16, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let count = Arc::new(AtomicU64::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let head = BufReader::new(&stream).lines();
            for _ in head.take_while(|line| line.as_ref().is_ok_and(|line| !line.is_empty())) {}
            let body = format!("request {}\n", 1 + counted.fetch_add(1, Ordering::SeqCst));
            let length = body.len();
            let reply = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            let _ = stream.write_all(reply.as_bytes());
        }
    });
    (port, count)
}

/// A script that prints the body of what a path of `api.test` is.
fn get(path: &str) -> String {
    format!(
        "exec 3<>/dev/tcp/api.test/80 && printf 'GET {path} HTTP/1.1\\r\\nHost: api.test\\r\\nConnection: close\\r\\n\\r\\n' >&3 && sed '1,/^\\r$/d' <&3"
    )
}

fn client() -> Client {
    let mut options = ServerOptions::default();
    options.host_mounts = true;
    options.reach = Reach::Anything;
    Client::with(options, Quota::default(), None)
}

fn made(client: &Client, network: &Value) -> String {
    let made = client.good("sandbox.create", json!({"network": network}));
    made["sandboxId"].as_str().unwrap().to_owned()
}

#[test]
fn a_recording_takes_the_place_of_servers() {
    let directory = tempfile::tempdir().unwrap();
    let cassette = directory.path().join("cassette");
    let (port, count) = counting();
    let client = client();
    let network = |option: &str| {
        json!({
            "allowedHosts": ["http://api.test"],
            "hosts": {"api.test": format!("127.0.0.1:{port}")},
            option: cassette,
        })
    };
    let recorded = made(&client, &network("record"));
    assert_eq!(client.run(&recorded, &get("/a")), "request 1\n");
    let log = client.good("network.log", json!({"sandboxId": recorded}));
    assert_eq!(log["entries"][0]["insecure"], false);

    // Another network neither ends the recording nor begins it anew.
    for option in ["record", "replay"] {
        let params = json!({"sandboxId": recorded, "network": network(option)});
        assert_eq!(client.kind("network.set", params), "invalid_params");
    }
    let without = json!({
        "allowedHosts": ["http://api.test"],
        "hosts": {"api.test": format!("127.0.0.1:{port}")},
    });
    client.good(
        "network.set",
        json!({"sandboxId": recorded, "network": without}),
    );
    assert_eq!(client.run(&recorded, &get("/b")), "request 2\n");

    let replayed = made(&client, &network("replay"));
    for (path, body) in [("/b", "request 2\n"), ("/a", "request 1\n")] {
        assert_eq!(client.run(&replayed, &get(path)), body);
    }
    let denied = client.run(&replayed, &get("/c"));
    assert!(denied.contains("the recording has no GET"), "{denied}");
    assert_eq!(count.load(Ordering::SeqCst), 2);

    // A sandbox without a network may be given one that replays.
    let later = client.sandbox();
    let params = json!({"sandboxId": later, "network": network("replay")});
    client.good("network.set", params);
    assert_eq!(client.run(&later, &get("/a")), "request 1\n");
    assert_eq!(count.load(Ordering::SeqCst), 2);
}

#[test]
fn keys_of_an_account_are_placeholders_inside() {
    let client = client();
    let sandbox = made(
        &client,
        &json!({
            "allowedHosts": ["s3.eu-central-1.amazonaws.com"],
            "aws": {
                "accessKeyId": "AKIACANARY0123456789",
                "secret": "canary-secret-0123456789",
                "services": ["s3"],
                "regions": ["eu-central-1"],
                "hosts": ["https://s3.eu-central-1.amazonaws.com"],
            },
        }),
    );
    let shown = client.run(
        &sandbox,
        "echo $AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY ${AWS_SESSION_TOKEN-none}",
    );
    let words: Vec<&str> = shown.split_whitespace().collect();
    assert_eq!((words.len(), words[2]), (3, "none"));
    assert!(!shown.to_lowercase().contains("canary"), "{shown}");
}

#[test]
fn a_ceiling_is_not_left_by_options() {
    let config = Config::parse("[network]\nallowed_hosts = [\"api.test\"]").unwrap();
    let site = Site::new(config);
    let web = site.client(site.made_key.as_ref().unwrap());
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("cassette");
    let sandbox = web.sandbox();
    for network in [
        json!({"rules": [{"rule": "api.test", "insecure": true}]}),
        json!({"allowedHosts": ["api.test"], "record": path}),
        json!({"allowedHosts": ["api.test"], "replay": path}),
        json!({"allowedHosts": ["api.test"], "hosts": {"api.test": "127.0.0.1"}}),
    ] {
        let body = json!({"network": network});
        let denied = (403, "denied".to_owned());
        let create = web.kind("POST", "/v1/sandboxes", Some(body.clone()));
        assert_eq!(create, denied, "{network}");
        let set = web.kind("PUT", &format!("{sandbox}/network"), Some(body));
        assert_eq!(set, denied, "{network}");
    }
    assert!(!path.exists(), "what is refused writes nothing");
}

#[test]
fn unknown_words_are_refused() {
    let client = client();
    for network in [
        json!({"allowedHosts": [], "cassette": "/c"}),
        json!({"rules": [{"rule": "api.test", "clientCert": "PEM"}]}),
        json!({"rules": [{"rule": "api.test", "insecure": "yes"}]}),
        json!({"allowedHosts": [], "secrets": [
            {"name": "KEY", "value": "sk-0123456789", "hosts": [], "places": ["webSocket"]},
        ]}),
        json!({"allowedHosts": [], "aws": {"accessKeyId": "AKIA0123456789012345"}}),
    ] {
        let kind = client.kind("sandbox.create", json!({"network": network}));
        assert_eq!(kind, "invalid_params", "{network}");
    }
}
