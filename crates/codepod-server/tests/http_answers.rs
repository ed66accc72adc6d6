//! Answers are counted until they are sent: clients that do not read, answers that are kept, states
//! of any size.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use codepod_server::http::Config;
use serde_json::{Value, json};
use support::http::{Site, Web, tenant};

/// A site with one tenant that may have so many requests at a time.
fn site(requests: usize, change: impl FnOnce(&mut Config)) -> (Site, Web, String) {
    let mut one = tenant("one");
    one.requests = requests;
    let mut config = Config {
        tenants: vec![one],
        ..Config::default()
    };
    change(&mut config);
    let site = Site::new(config);
    let web = site.client("key-one");
    let sandbox = web.sandbox();
    (site, web, sandbox)
}

/// Asks for something and reads nothing.
fn ask(site: &Site, key: &str, what: &str) -> TcpStream {
    let mut stream = TcpStream::connect(site.address).unwrap();
    stream.set_read_timeout(Some(support::PATIENCE)).unwrap();
    write!(
        stream,
        "{what}\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
    )
    .unwrap();
    stream
}

fn ask_for_file(site: &Site, key: &str, sandbox: &str) -> TcpStream {
    let mut stream = ask(site, key, &format!("GET {sandbox}/files?path=big HTTP/1.1"));
    write!(stream, "\r\n").unwrap();
    stream
}

/// The status of an answer, of which no more is read.
fn status(stream: &mut TcpStream) -> String {
    let mut line = [0; 12];
    stream.read_exact(&mut line).unwrap();
    String::from_utf8_lossy(&line[9..]).into_owned()
}

const MB: usize = 1 << 20;

#[test]
fn ap_19_answers_that_nobody_reads_take_no_more_than_they_may() {
    let (site, web, sandbox) = site(256, |_| {});
    web.run(&sandbox, "head -c 30000000 /dev/zero > big");
    let before = support::resident();
    // A NUL is six bytes of JSON: 180 MB each.
    let mut unread: Vec<TcpStream> = (0..64)
        .map(|_| ask_for_file(&site, &web.key, &sandbox))
        .collect();
    let statuses: Vec<String> = unread.iter_mut().map(status).collect();
    let grown = support::resident().saturating_sub(before);
    assert!(grown < 300 * MB, "{} MB", grown / MB);
    let count = |wanted: &str| statuses.iter().filter(|status| *status == wanted).count();
    assert_eq!(count("200") + count("429"), 64, "{statuses:?}");
    assert!(count("429") >= 60, "{statuses:?}");
    // Small answers still have room, and all of it is free again when nobody waits any more.
    assert_eq!(web.run(&sandbox, "echo on"), "on\n");
    drop(unread);
    support::wait_until(|| {
        let (status, _) = web.send("GET", &format!("{sandbox}/files?path=big"), None);
        status == 200
    });
}

#[test]
fn ap_19_exports_and_listings_that_nobody_reads_take_no_more_than_they_may() {
    let (site, web, sandbox) = site(256, |_| {});
    // 20 MB of state, and 4 MB of names.
    let script = "head -c 20000000 /dev/urandom > big; mkdir d; cd d; n=$(printf %0200d 0)
        for i in {1..20000}; do : > $n$i; done";
    web.good(
        "POST",
        &format!("{sandbox}/run"),
        json!({"command": script, "timeoutMs": 120_000}),
    );
    let before = support::resident();
    let mut unread: Vec<TcpStream> = (0..128)
        .map(|i| {
            let what = match i % 2 {
                0 => format!("POST {sandbox}/export HTTP/1.1"),
                _ => format!("GET {sandbox}/directory?path=d HTTP/1.1"),
            };
            let mut stream = ask(&site, &web.key, &what);
            write!(stream, "Content-Length: 0\r\n\r\n").unwrap();
            stream
        })
        .collect();
    let statuses: Vec<String> = unread.iter_mut().map(status).collect();
    let grown = support::resident().saturating_sub(before);
    // 256 MB are on their way, and what was freed stays with the allocator for a while: each of its
    // threads has some. Uncounted it would be 3 GB.
    assert!(grown < 900 * MB, "{} MB", grown / MB);
    assert!(
        statuses
            .iter()
            .all(|status| ["200", "429"].contains(&&**status)),
        "{statuses:?}"
    );
    assert!(statuses.iter().any(|status| status == "429"));
}

#[test]
fn a_request_keeps_its_place_until_its_answer_is_sent() {
    let (site, web, sandbox) = site(8, |_| {});
    web.run(&sandbox, "head -c 4000000 /dev/zero > big");
    let mut unread: Vec<TcpStream> = (0..8)
        .map(|_| ask_for_file(&site, &web.key, &sandbox))
        .collect();
    for stream in &mut unread {
        assert_eq!(status(stream), "200");
    }
    assert_eq!(
        web.kind("GET", "/v1/sandboxes", None),
        (429, "limit".into())
    );
    unread.pop();
    support::wait_until(|| web.send("GET", "/v1/sandboxes", None).0 == 200);
}

#[test]
fn who_does_not_read_is_given_up() {
    let (site, web, sandbox) = site(2, |config| config.send_seconds = 1);
    web.run(&sandbox, "head -c 4000000 /dev/zero > big");
    let mut unread = ask_for_file(&site, &web.key, &sandbox);
    assert_eq!(status(&mut unread), "200");
    // Who reads slowly is not.
    let mut slow = ask_for_file(&site, &web.key, &sandbox);
    let mut buffer = vec![0; MB / 2];
    let began = Instant::now();
    let mut read = 0;
    while read < 20 * MB {
        match slow.read(&mut buffer).unwrap() {
            0 => panic!("given up after {read} bytes and {:?}", began.elapsed()),
            more => read += more,
        }
        std::thread::sleep(Duration::from_millis(75));
    }
    assert!(began.elapsed() > Duration::from_secs(2));
    support::wait_until(|| web.send("GET", "/v1/sandboxes", None).0 == 200);
    let rest = unread.read_to_end(&mut Vec::new());
    assert!(rest.is_err() || rest.unwrap() < 24_000_000, "not all of it");
}

#[test]
fn a_run_whose_events_nobody_reads_ends_and_frees_its_thread() {
    let (site, web, sandbox) = site(1, |config| config.send_seconds = 1);
    let body = json!({"command": "yes", "timeoutMs": 600_000}).to_string();
    let mut unread = ask(&site, &web.key, &format!("POST {sandbox}/run HTTP/1.1"));
    write!(
        unread,
        "Accept: text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    assert_eq!(status(&mut unread), "200");
    // Its place is free when it is over.
    support::wait_until(|| web.send("GET", &format!("{sandbox}/jobs"), None).0 == 200);
    support::wait_until(|| {
        let jobs = web.good("GET", &format!("{sandbox}/jobs"), json!({}));
        jobs["jobs"].as_array().unwrap().is_empty()
    });
    drop(unread);
}

#[test]
fn ap_19_answers_that_are_kept_for_their_keys_are_bounded() {
    let (_site, web, sandbox) = site(64, |_| {});
    let run = |key: &str| {
        let command = "yes out | head -c 5000000; yes err | head -c 5000000 >&2";
        let body = json!({"command": command, "idempotencyKey": key});
        web.good("POST", &format!("{sandbox}/run"), body)
    };
    run("warm");
    let before = support::resident();
    let first = run("first");
    for i in 0..60 {
        run(&format!("key {i}"));
    }
    // On the old code: 600 MB.
    let grown = support::resident().saturating_sub(before);
    assert!(grown < 150 * MB, "{} MB", grown / MB);
    assert_eq!(first["stdout"].as_str().unwrap().len(), 5_000_000);
    // A second call of a key runs nothing, and says where all of it was.
    let again = run("key 59");
    let text = again["stdout"].as_str().unwrap();
    let cut = |name: &str| again["stdoutCut"][name].as_u64().unwrap();
    let shown = text.len() as u64 - cut("mark");
    assert!(shown <= 48 << 10, "{shown}");
    assert_eq!(cut("omitted") + shown, 5_000_000);
    assert!(text.contains(" bytes are not shown; all of it is in /proc/runs/"));
    let path = again["stderrCut"]["path"].as_str().unwrap();
    let whole = web.good("GET", &format!("{sandbox}/files?path={path}"), json!({}));
    assert_eq!(whole["text"].as_str().unwrap().len(), 5_000_000);
    assert_eq!(run("key 59"), again);
    assert_eq!(run("first")["run"], first["run"]);
}

/// Sends bytes: the status, the kind of the answer, and its bytes.
fn exchange(
    web: &Web,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> (u16, String, Vec<u8>) {
    exchange_by(web, "POST", path, headers, body)
}

fn exchange_by(
    web: &Web,
    verb: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Vec<u8>,
) -> (u16, String, Vec<u8>) {
    let mut request = ureq::http::Request::builder()
        .method(verb)
        .uri(format!("{}{path}", web.base))
        .header("authorization", format!("Bearer {}", web.key));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let mut answer = web.agent.run(request.body(body).unwrap()).unwrap();
    let kind = answer.headers()["content-type"]
        .to_str()
        .unwrap()
        .to_owned();
    let bytes = answer.body_mut().with_config().limit(1 << 30);
    let bytes = bytes.read_to_vec().unwrap();
    (answer.status().as_u16(), kind, bytes)
}

const STREAM: &str = "application/octet-stream";

#[test]
fn ap_19_a_state_of_any_size_travels_as_a_stream() {
    let (site, web, sandbox) = site(64, |_| {});
    web.run(
        &sandbox,
        "head -c 50000000 /dev/urandom > big; echo small > small",
    );
    let hash = |sandbox: &str| web.good("GET", &format!("{sandbox}/hash"), json!({}));
    // JSON is for small ones.
    let export = format!("{sandbox}/export");
    assert_eq!(
        web.kind("POST", &export, Some(json!({}))),
        (413, "too_large".into())
    );
    let before = support::resident();
    let (status, kind, state) = exchange(&web, &export, &[("accept", STREAM)], Vec::new());
    assert_eq!((status, &*kind), (200, STREAM));
    assert!(state.len() > 50_000_000);
    let other = web.sandbox();
    let import = format!("{other}/import");
    let (status, _, answer) = exchange(&web, &import, &[("content-type", STREAM)], state.clone());
    assert_eq!(status, 200, "{}", String::from_utf8_lossy(&answer));
    assert_eq!(hash(&other), hash(&sandbox));
    // The client has it twice here, and the sandbox once.
    let grown = support::resident().saturating_sub(before);
    assert!(grown < 300 * MB, "{} MB", grown / MB);
    // What is cut off has no effect.
    let third = web.sandbox();
    let import = format!("{third}/import");
    let empty = hash(&third);
    let (status, _, _) = exchange(
        &web,
        &import,
        &[("content-type", STREAM)],
        state[..state.len() / 2].to_vec(),
    );
    assert!((400..500).contains(&status), "{status}");
    let mut broken = ask(&site, &web.key, &format!("POST {import} HTTP/1.1"));
    write!(
        broken,
        "Content-Type: {STREAM}\r\nContent-Length: {}\r\n\r\n",
        state.len()
    )
    .unwrap();
    broken.write_all(&state[..state.len() / 2]).unwrap();
    drop(broken);
    assert_eq!(hash(&third), empty);
    // Nor has what belongs to nobody here.
    let (status, _, _) = exchange(
        &web,
        "/v1/sandboxes/sb_0/export",
        &[("accept", STREAM)],
        Vec::new(),
    );
    assert_eq!(status, 404);
}

#[test]
fn a_stream_has_its_key_in_a_header() {
    let (_site, web, sandbox) = site(64, |_| {});
    web.run(&sandbox, "echo secret > f");
    let key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    let (status, _, state) = exchange(
        &web,
        &format!("{sandbox}/export"),
        &[("accept", STREAM), ("content-type", "application/json")],
        json!({"key": key}).to_string().into_bytes(),
    );
    assert_eq!(status, 200);
    let other = web.sandbox();
    let import = |headers: &[(&str, &str)]| {
        let (status, _, answer) =
            exchange(&web, &format!("{other}/import"), headers, state.clone());
        (status, serde_json::from_slice::<Value>(&answer).unwrap())
    };
    let wrong = "BBECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    for header in ["", "short", wrong] {
        let (status, answer) = match header {
            "" => import(&[("content-type", STREAM)]),
            key => import(&[("content-type", STREAM), ("codepod-state-key", key)]),
        };
        assert!((400..500).contains(&status), "{header}: {answer}");
    }
    assert_eq!(
        import(&[("content-type", STREAM), ("codepod-state-key", key)]).0,
        200
    );
    assert_eq!(web.run(&other, "cat f"), "secret\n");
}

#[test]
fn bytes_of_files_go_up_and_down_as_they_are() {
    let (site, web, sandbox) = site(64, |config| config.request_bytes = 3 << 20);
    let path = |name: &str| format!("{sandbox}/files?path={name}");
    let put = |name: &str, bytes: &[u8]| {
        let headers = [("content-type", STREAM)];
        exchange_by(&web, "PUT", &path(name), &headers, bytes.to_vec())
    };
    let get = |what: &str| {
        let headers = [("accept", STREAM)];
        exchange_by(
            &web,
            "GET",
            &format!("{sandbox}/files?{what}"),
            &headers,
            Vec::new(),
        )
    };
    let bytes: Vec<u8> = (0..2 << 20).map(|n: u32| (n * 7 + n / 256) as u8).collect();
    assert_eq!(put("d/e", &bytes).0, 200);
    let (code, kind, got) = get("path=d/e");
    assert_eq!((code, &*kind), (200, STREAM));
    assert!(got == bytes);
    assert_eq!(get("path=d/e&offset=10&length=5").2, bytes[10..15]);
    assert_eq!(put("empty", b"").0, 200);
    assert_eq!(get("path=empty"), (200, STREAM.into(), Vec::new()));
    // A file that is larger than a request comes down as well.
    web.run(&sandbox, "head -c 40000000 /dev/zero > big");
    assert_eq!(get("path=big").2.len(), 40_000_000);

    assert_eq!(put("d", b"x").0, 422);
    assert_eq!(put("/etc/passwd", b"x").0, 422);
    assert_eq!(put("no/f&parents=false", b"x").0, 422);
    assert_eq!(put("f&text=x", b"x").0, 400);
    // It is refused by its length, before anything of it is sent.
    let mut large = ask(&site, "key-one", &format!("PUT {} HTTP/1.1", path("f")));
    let length = 4 << 20;
    write!(
        large,
        "Content-Type: {STREAM}\r\nContent-Length: {length}\r\n\r\n"
    )
    .unwrap();
    assert_eq!(status(&mut large), "413");
    let (status, kind, refused) = get("path=/nope");
    assert_eq!((status, &*kind), (422, "application/json"));
    assert!(String::from_utf8_lossy(&refused).contains("ENOENT"));
    assert_eq!(get("path=/dev/zero&length=100").0, 422);
    assert_eq!(get("path=d/e&line=3").0, 400);
    // An upload is a step, too.
    let undone = web.good("POST", &format!("{sandbox}/undo"), json!({"count": 2}));
    assert_eq!(undone["runs"][1]["command"], "write empty");
}
