//! JSON-RPC under attack: frames that are none, floods, clients that leave.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};

use codepod_server::{Quota, ServerOptions};
use serde_json::{Value, json};
use support::{Client, finish};

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 33) as usize % below
    }
}

#[test]
fn ap_01_ten_thousand_hostile_frames_leave_the_connection_alive() {
    let client = Client::new();
    let id = client.sandbox();
    let good = json!({"jsonrpc": "2.0", "id": "x", "method": "run", "params": {"sandboxId": id, "command": "true"}}).to_string();
    let pieces = [
        "null",
        "[]",
        "{}",
        "\"",
        "[[[[",
        "1e999",
        "-",
        "\\u0000",
        "true",
        "\"id\":",
        "{\"a\":{\"a\":",
        "\"method\":\"run\"",
        ",",
        ":",
        "}",
        "]",
        "\"jsonrpc\":\"2.0\"",
        "\"params\":",
        "99999999999999999999999999",
        "\"sandboxId\":",
        "\u{202e}",
        "\"\\ud800\"",
    ];
    let mut numbers = Numbers(88172645463325252);
    let mut answers = 0;
    for number in 0..10_000 {
        let mut frame = match number % 5 {
            // A good one, changed in places.
            0 => {
                let mut bytes = good.clone().into_bytes();
                for _ in 0..=numbers.next(4) {
                    let at = numbers.next(bytes.len());
                    bytes[at] = numbers.next(256) as u8;
                }
                bytes
            }
            // Cut short.
            1 => good.as_bytes()[..numbers.next(good.len())].to_vec(),
            // Words of JSON in any order.
            2 => (0..numbers.next(12))
                .flat_map(|_| pieces[numbers.next(pieces.len())].bytes())
                .collect(),
            // Deep.
            3 => ["[", "{\"a\":"][numbers.next(2)]
                .repeat(numbers.next(2000))
                .into_bytes(),
            // Anything.
            _ => (0..numbers.next(200))
                .map(|_| numbers.next(256) as u8)
                .collect(),
        };
        frame.retain(|byte| *byte != b'\n');
        frame.push(b'\n');
        client.send(&frame);
        // What is sent must be read at some time: answers are counted, none is lost.
        while client.others.lock().unwrap().try_recv().is_ok() {
            answers += 1;
        }
    }
    assert_eq!(client.run(&id, "echo alive"), "alive\n");
    while client
        .others
        .lock()
        .unwrap()
        .recv_timeout(Duration::from_millis(300))
        .is_ok()
    {
        answers += 1;
    }
    assert!(answers > 5000, "{answers}");
}

#[test]
fn ap_01_a_message_that_is_too_long_is_skipped() {
    let client = Client::new();
    let id = client.sandbox();
    let piece = vec![b'x'; 1 << 20];
    client.send(b"{\"jsonrpc\":\"2.0\",\"id\":\"long\",\"method\":\"");
    for _ in 0..70 {
        client.send(&piece);
    }
    client.send(b"\"}\n");
    assert_eq!(client.other()["error"]["data"]["kind"], "too_large");
    assert_eq!(client.run(&id, "echo alive"), "alive\n");
}

#[test]
fn ap_03_batches_and_requests_at_a_time_are_bounded() {
    let quota = Quota {
        requests: 4,
        ..Quota::default()
    };
    let client = Client::with(ServerOptions::default(), quota, None);
    let id = client.sandbox();
    let info = json!({"jsonrpc": "2.0", "id": "b", "method": "server.info"});
    let batch: Vec<Value> = vec![info.clone(); 101];
    client.send(format!("{}\n", Value::Array(batch)).as_bytes());
    assert_eq!(client.other()["error"]["data"]["kind"], "invalid_request");

    let shells: Vec<_> = (0..8)
        .map(|number| {
            let params = json!({"sandboxId": id, "command": "sleep 100", "shell": format!("s{number}"), "runId": format!("r{number}")});
            client.begin("run", params).1
        })
        .collect();
    std::thread::sleep(Duration::from_millis(300));
    // Some were refused, the others can be cancelled although no place is free.
    let mut refused = 0;
    for (number, answer) in shells.into_iter().enumerate() {
        let _ = client.call(
            "run.cancel",
            json!({"sandboxId": id, "runId": format!("r{number}")}),
        );
        match finish(answer) {
            Ok(result) => assert_eq!(result["cancelled"], true),
            Err(error) => {
                assert_eq!(error["data"]["kind"], "limit");
                refused += 1;
            }
        }
    }
    assert!((4..8).contains(&refused), "{refused}");
    assert_eq!(client.run(&id, "echo alive"), "alive\n");
}

#[test]
fn ap_03_replies_that_are_never_read_are_bounded_and_writing_waits() {
    let (input, mut to) = std::io::pipe().unwrap();
    let (from, output) = std::io::pipe().unwrap();
    let server = codepod_server::Server::new(support::runtime(), ServerOptions::default());
    let quota = Quota {
        flight_bytes: 8 << 20,
        ..Quota::default()
    };
    let tenant = codepod_server::Tenant::new("", quota);
    let serving = std::thread::spawn({
        let (server, tenant) = (server.clone(), tenant.clone());
        move || codepod_server::rpc::serve(&server, &tenant, input, output)
    });
    let mut from = BufReader::new(from);
    let mut next = || {
        let mut line = String::new();
        from.read_line(&mut line).unwrap();
        serde_json::from_str::<Value>(&line).unwrap()
    };
    let request = |id: u64, method: &str, params: Value| {
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        format!("{request}\n")
    };
    let mut send = |text: String| to.write_all(text.as_bytes());
    send(request(0, "sandbox.create", json!({}))).unwrap();
    let id = next()["result"]["sandboxId"].clone();
    let run = json!({"sandboxId": id, "command": "head -c 400000 /dev/zero > f"});
    send(request(1, "run", run)).unwrap();
    next();
    let before = support::resident();
    // Nobody reads: 2.4 MB each, and far more requests than there may be at a time.
    let asked = 2000;
    let asking = std::thread::spawn(move || {
        for number in 0..asked {
            let read = json!({"sandboxId": id, "path": "f"});
            let text = request(10 + number, "files.read", read);
            to.write_all(text.as_bytes()).unwrap();
        }
        to
    });
    std::thread::sleep(Duration::from_secs(2));
    assert!(!asking.is_finished(), "the server has stopped to read");
    let grown = support::resident().saturating_sub(before);
    assert!(grown < 100 << 20, "{} MB", grown >> 20);
    // Everybody is answered once somebody reads: with the file, or that it was too much.
    let mut whole = 0;
    for _ in 0..asked {
        let answer = next();
        match answer["result"]["size"].as_u64() {
            Some(size) => whole += size / 400_000,
            None => assert_eq!(answer["error"]["data"]["kind"], "limit", "{answer}"),
        }
    }
    assert!(whole > 0);
    drop(asking.join().unwrap());
    serving.join().unwrap();
}

#[test]
fn ap_09_guests_cannot_forge_frames() {
    let client = Client::new();
    let id = client.sandbox();
    let forged = "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"exitCode\":0}}";
    let command = format!(
        "for i in {{1..1000}}; do printf '\\n%s\\r\\n\\0' '{forged}'; done; printf '%s' '{forged}' >&2"
    );
    let result = client.good("run", json!({"sandboxId": id, "command": command}));
    let out = result["stdout"].as_str().unwrap();
    assert_eq!(out.len(), 1000 * (forged.len() + 4));
    assert_eq!(result["stderr"], forged);
    // Each line that came was one message: the client checks that, and knows every id.
    assert!(client.others.lock().unwrap().try_recv().is_err());
}

#[test]
fn ap_14_a_sandbox_that_is_destroyed_while_it_runs_answers_and_is_gone() {
    let client = Client::new();
    for _ in 0..20 {
        let id = client.sandbox();
        let (_, running) = client.begin("run", json!({"sandboxId": id, "command": "sleep 100"}));
        let (_, restoring) = client.begin("undo", json!({"sandboxId": id}));
        let (_, forking) = client.begin("sandbox.fork", json!({"sandboxId": id}));
        client.good("sandbox.destroy", json!({"sandboxId": id}));
        // Before or after: an answer in any case.
        let _ = finish(restoring);
        if let Ok(fork) = finish(forking) {
            assert_eq!(
                client.run(fork["sandboxId"].as_str().unwrap(), "echo on"),
                "on\n"
            );
        }
        if let Ok(result) = finish(running) {
            assert_ne!(result["exitCode"], 0);
        }
        assert_eq!(
            client.kind("sandbox.get", json!({"sandboxId": id})),
            "not_found"
        );
    }
}

#[test]
fn ap_16_a_client_that_leaves_leaves_nothing() {
    let client = Client::new();
    let began = Instant::now();
    for _ in 0..10 {
        let id = client.sandbox();
        drop(client.begin(
            "run",
            json!({"sandboxId": id, "command": "sleep 300 & sleep 300"}),
        ));
    }
    let server = client.close();
    assert!(server.is_empty());
    assert!(began.elapsed() < Duration::from_secs(30));
}

#[test]
fn ap_04_what_a_client_may_have_is_bounded_and_ids_are_long() {
    let quota = Quota {
        sandboxes: 3,
        snapshots: 2,
        ..Quota::default()
    };
    let client = Client::with(ServerOptions::default(), quota, None);
    let ids: Vec<String> = (0..3).map(|_| client.sandbox()).collect();
    assert!(ids.iter().all(|id| id.len() == 35));
    assert_eq!(client.kind("sandbox.create", json!({})), "limit");
    assert_eq!(
        client.kind("sandbox.fork", json!({"sandboxId": ids[0]})),
        "limit"
    );
    client.good("sandbox.destroy", json!({"sandboxId": ids[0]}));
    client.sandbox();
    for _ in 0..2 {
        client.good("snapshot.create", json!({"sandboxId": ids[1]}));
    }
    assert_eq!(
        client.kind("snapshot.create", json!({"sandboxId": ids[1]})),
        "limit"
    );
    assert_eq!(
        client.kind(
            "sandbox.create",
            json!({"mounts": [{"host": "/", "at": "/m"}]})
        ),
        "denied"
    );
    assert_eq!(
        client.kind(
            "sandbox.create",
            json!({"persistence": {"mode": "persistent", "namespace": "n"}})
        ),
        "denied"
    );
}
