//! HTTP through the gateway, with real servers and clients on loopback.

mod support;

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use codepod_gateway::event::{Event, RequestEvent};
use codepod_gateway::network::{Answer, Deciding, Network};
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::{Policy, PolicySpec};
use support::servers::{self, ok, strict};
use support::{PATIENCE, World, rounds, status, talk, text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";

fn world(origin: SocketAddr) -> World {
    World::new(&["api.test"], &[("api.test", origin)], |options| {
        // What a test does often is not to end by its number.
        options.limits.requests = u64::MAX;
        options.limits.bytes_out = u64::MAX;
        options.limits.bytes_in = u64::MAX;
    })
}

#[tokio::test]
async fn a_request_arrives_as_it_was_meant() {
    let (origin, log) = strict(|_| ok(b"hello"));
    let world = world(origin);
    let request = b"POST /a/../b?q=%41&r=1 HTTP/1.1\r\nhOsT: API.test:80\r\nX-One: 1\r\nUSER-agent: me\r\nx-one: 2\r\nContent-Length: 5\r\nAccept: */*\r\n\r\nhello";
    let mut guest = world.connect("api.test", 80).await.unwrap();
    guest.write_all(request).await.unwrap();
    let mut reply = vec![0; 43];
    guest.read_exact(&mut reply).await.unwrap();
    assert_eq!(
        text(&reply),
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    );
    drop(guest);
    assert_eq!(
        text(&log.lock().unwrap()[0]),
        "POST /a/../b?q=%41&r=1 HTTP/1.1\r\nhOsT: api.test\r\nX-One: 1\r\nx-one: 2\r\nUSER-agent: me\r\nContent-Length: 5\r\nAccept: */*\r\n\r\nhello"
    );
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (event.method.as_deref(), event.url.as_str()),
        (Some("POST"), "http://api.test/a/../b?q=…&r=…")
    );
    assert_eq!(
        (event.status, event.bytes_in, event.bytes_out),
        (
            Some(200),
            reply.len() as u64,
            log.lock().unwrap()[0].len() as u64
        )
    );
    assert_eq!((event.address, event.policy), (Some(origin), 1));
    assert_eq!(event.rule.unwrap().number, 1);
}

#[tokio::test]
async fn requests_of_one_connection_use_one_connection() {
    let (origin, log) = strict(|request| ok(request.split(|b| *b == b' ').nth(1).unwrap()));
    let world = world(origin);
    let pipelined = "GET /1 HTTP/1.1\r\nHost: api.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: api.test\r\n\r\nGET /3 HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";
    let reply = text(&world.exchange("api.test", 80, pipelined.as_bytes()).await);
    assert!(
        reply.find("/1") < reply.find("/2") && reply.ends_with("/3"),
        "{reply}"
    );
    assert_eq!((log.lock().unwrap().len(), world.gateway.dials()), (3, 1));
    assert_eq!(world.network.budget().usage().requests, 3);
}

/// Native curl directly and through the gateway: the same output, and the same request at the
/// server.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn curl_sees_no_difference() {
    let (origin, log) = strict(|request| {
        let line = text(&request[..request.len().min(40)]);
        if line.contains("/chunked") {
            b"HTTP/1.1 200 Fine\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".to_vec()
        } else if line.contains("/cookie") {
            b"HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nETag: \"x\"\r\nContent-Length: 0\r\n\r\n".to_vec()
        } else if line.contains("/missing") {
            b"HTTP/1.1 404 Nothing Here\r\nContent-Length: 4\r\n\r\ngone".to_vec()
        } else if line.contains("/moved") {
            b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\nContent-Length: 0\r\n\r\n"
                .to_vec()
        } else if line.contains("/none") {
            b"HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n".to_vec()
        } else if line.starts_with("HEAD") {
            b"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n".to_vec()
        } else {
            ok(b"body")
        }
    });
    let world = world(origin);
    let bridge = world.bridge("api.test", 80).await;
    let upload = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(upload.path(), vec![b'u'; 300_000]).unwrap();
    let file = upload.path().to_str().unwrap().to_owned();
    let lines: Vec<Vec<String>> = [
        "http://api.test/",
        "-I http://api.test/",
        "http://api.test/chunked",
        "http://api.test/cookie",
        "http://api.test/missing",
        "http://api.test/moved",
        "http://api.test/none",
        "-d a=1 http://api.test/",
        "-d a=1 -d b=2 http://api.test/p?q=1",
        "-X PUT -d x http://api.test/",
        "-X DELETE http://api.test/x",
        "-X PATCH -d x http://api.test/x",
        "-X PROPFIND http://api.test/",
        "-H X-A:1 -H X-A:3 -H x-b:2 http://api.test/",
        "-H Accept: http://api.test/",
        "-A agent http://api.test/",
        "-e http://ref/ http://api.test/",
        "-u user:pw http://api.test/",
        "-b a=1 http://api.test/",
        "-r 0-5 http://api.test/",
        "-G -d q=1 http://api.test/",
        "--json {} http://api.test/",
        "-T FILE -H Expect: http://api.test/up",
        "-T FILE -H Expect: -H Transfer-Encoding:chunked http://api.test/up",
        "--data-binary @FILE -H Expect: http://api.test/up",
        "-X OPTIONS http://api.test/",
        "--request-target * -X OPTIONS http://api.test/",
        "--path-as-is http://api.test/../a/./b",
        "http://api.test/%61%2F?a=%20",
        "http://api.test/?q=a+b&c=[d]",
        "http://api.test http://api.test/cookie",
        "--compressed http://api.test/",
        "-z 2020-01-01 http://api.test/",
    ]
    .iter()
    .map(|line| {
        line.split(' ')
            .map(|word| word.replace("FILE", &file))
            .collect()
    })
    .collect();
    let run = async |at: SocketAddr, line: &[String]| {
        log.lock().unwrap().clear();
        let output = tokio::process::Command::new("curl")
            .args([
                "-q",
                "-s",
                "-i",
                "-g",
                "-m",
                "20",
                "--noproxy",
                "*",
                "--connect-to",
            ])
            .arg(format!("::{at}"))
            .args(line)
            .output()
            .await
            .unwrap();
        let seen: Vec<String> = log
            .lock()
            .unwrap()
            .iter()
            .map(|request| text(&normal(request)))
            .collect();
        (output.status.code(), text(&output.stdout), seen)
    };
    let mut compared = 0;
    for line in &lines {
        let direct = run(origin, line).await;
        let through = run(bridge, line).await;
        assert_eq!(through, direct, "{line:?}");
        assert_eq!(direct.0, Some(0), "{line:?}");
        compared += 1;
    }
    assert_eq!(compared, 33);
}

/// A request with the pieces of a chunked body joined, whose borders are nobody's business, and
/// without what is about one connection.
fn normal(request: &[u8]) -> Vec<u8> {
    let end = request.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
    let (head, mut body) = request.split_at(end);
    let head = text(head).replace("HTTP/1.0", "HTTP/1.1");
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding");
    // hyper writes its own `transfer-encoding`, at the end and in small letters.
    let lines = head.lines().filter_map(|line| {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let lower = name.to_ascii_lowercase();
        let is_hop = lower == "connection" || lower == "transfer-encoding";
        (!is_hop).then(|| format!("{name}:{}\n", value.trim_start()))
    });
    let mut out: Vec<u8> = lines.flat_map(String::into_bytes).collect();
    while chunked && !body.is_empty() {
        let line = body.iter().position(|b| *b == b'\n').unwrap();
        let size =
            usize::from_str_radix(std::str::from_utf8(&body[..line]).unwrap().trim(), 16).unwrap();
        out.extend(&body[line + 1..line + 1 + size]);
        body = &body[line + 3 + size..];
    }
    if !chunked {
        out.extend(body);
    }
    out
}

#[tokio::test]
async fn an_upload_that_asks_first_is_answered() {
    let (origin, log) = strict(|_| ok(b"done"));
    let world = world(origin);
    let mut guest = world.connect("api.test", 80).await.unwrap();
    guest.write_all(b"PUT / HTTP/1.1\r\nHost: api.test\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n").await.unwrap();
    let mut go = [0; 25];
    guest.read_exact(&mut go).await.unwrap();
    assert_eq!(&go, b"HTTP/1.1 100 Continue\r\n\r\n");
    guest.write_all(b"body").await.unwrap();
    let mut reply = [0; 42];
    guest.read_exact(&mut reply).await.unwrap();
    assert!(
        text(&reply).ends_with("done") && text(&log.lock().unwrap()[0]).ends_with("\r\n\r\nbody")
    );
}

// NW-03
#[tokio::test]
async fn nw_03_a_redirect_is_an_answer_and_is_not_followed() {
    let mut count = 0;
    for location in [
        "http://169.254.169.254/latest/",
        "http://127.0.0.1/",
        "http://[::1]/",
        "http://localhost:22/",
        "http://10.0.0.1/",
        "file:///etc/passwd",
        "gopher://x/",
        "http://user:pw@evil.test/",
        "//evil.test/",
        "http://api.test:6379/",
        "/again",
        "http://metadata.google.internal/",
    ] {
        for code in [301, 302, 303, 307, 308] {
            let head =
                format!("HTTP/1.1 {code} Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
            let (origin, log) = strict(move |_| head.clone().into_bytes());
            let world = world(origin);
            let reply = world.exchange("api.test", 80, GET).await;
            assert_eq!(status(&reply), code);
            assert!(
                text(&reply).contains(&format!("Location: {location}\r\n")),
                "{}",
                text(&reply)
            );
            assert_eq!(
                (
                    world.gateway.dials(),
                    world.gateway.lookups(),
                    log.lock().unwrap().len()
                ),
                (1, 0, 1)
            );
            count += 1;
        }
    }
    assert_eq!(count, 60);
}

// NW-08
#[tokio::test]
async fn nw_08_a_request_for_another_host_is_denied() {
    let (origin, log) = strict(|_| ok(b""));
    let world = world(origin);
    for (target, host) in [
        ("/", "evil.test"),
        ("/", "api.test:81"),
        ("/", "api.test:443"),
        ("/", "api.test@evil.test"),
        ("/", "api.test.evil.test"),
        ("/", ""),
        ("/", "api.test, evil.test"),
        ("/", "api.test evil.test"),
        ("/", "127.0.0.1"),
        ("/", "[api.test]"),
        ("/", "api.test:"),
        ("/", "api.test:80:80"),
        ("http://evil.test/", "api.test"),
        ("http://api.test:81/", "api.test"),
        ("https://api.test/", "api.test"),
        ("http://evil.test/", "evil.test"),
        ("http://api.test@evil.test/", "api.test"),
        ("ftp://api.test/", "api.test"),
    ] {
        let request = format!("GET {target} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        let reply = world.exchange("api.test", 80, request.as_bytes()).await;
        assert!(
            matches!(status(&reply), 400 | 403),
            "{request:?}: {}",
            text(&reply)
        );
    }
    assert_eq!(log.lock().unwrap().len(), 0);
    for good in [
        "GET / HTTP/1.1\r\nHost: API.TEST.:80",
        "GET http://api.test/ HTTP/1.1\r\nHost: api.test",
        "GET / HTTP/1.0",
    ] {
        let request = format!("{good}\r\nConnection: close\r\n\r\n");
        assert_eq!(
            status(&world.exchange("api.test", 80, request.as_bytes()).await),
            200,
            "{good}"
        );
    }
    for request in log.lock().unwrap().iter() {
        assert!(
            text(request)
                .to_ascii_lowercase()
                .contains("host: api.test\r\n"),
            "{}",
            text(request)
        );
    }
}

/// What makes one server see another request than the one before it. Each is either refused, or
/// arrives as one request whose framing is beyond doubt.
// NW-09
// NW-10
#[tokio::test]
async fn nw_09_and_nw_10_no_request_can_be_read_in_two_ways() {
    let hidden = "GET /hidden HTTP/1.1\r\nHost: api.test\r\n\r\n";
    let with = |fields: &str, body: &str| {
        format!("POST / HTTP/1.1\r\nHost: api.test\r\n{fields}\r\n\r\n{body}")
    };
    let n = hidden.len();
    let chunk = format!("0\r\n\r\n{hidden}");
    let corpus: Vec<(String, bool)> = vec![
        // (request, refused); of a length beside chunks only the chunks count, and go on
        (with(&format!("Content-Length: {n}\r\nTransfer-Encoding: chunked"), &chunk), false),
        (with(&format!("Transfer-Encoding: chunked\r\nContent-Length: {}", chunk.len()), &chunk), false),
        (with(&format!("Content-Length: 0\r\nContent-Length: {n}"), hidden), true),
        (with(&format!("Content-Length: {n}, 0"), hidden), true),
        (with(&format!("Content-Length: +{n}"), hidden), true),
        (with(&format!("Content-Length: 0x{n:x}"), hidden), true),
        (with("Content-Length: -1", hidden), true),
        (with("Content-Length: ", hidden), true),
        (with("Content-Length: 99999999999999999999", hidden), true),
        (with(&format!("Content-Length : {n}"), hidden), true),
        (with("Transfer-Encoding: xchunked", &chunk), true),
        (with("Transfer-Encoding: chunked, identity", &chunk), true),
        (with("Transfer-Encoding: identity", hidden), true),
        (with("Transfer-Encoding: gzip", hidden), true),
        (with("Transfer-Encoding: gzip, chunked", &chunk), true),
        (with("Transfer-Encoding: chunked, chunked", &chunk), true),
        (with("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked", &chunk), true),
        (with("Transfer-Encoding : chunked", &chunk), true),
        (with(" Transfer-Encoding: chunked", &chunk), true),
        (with("X: a\r\n Transfer-Encoding: chunked", &chunk), true),
        (with("Transfer-Encoding:\tchunked\r\nTransfer-Encoding: identity", &chunk), true),
        (with("Transfer-Encoding: chunked", &format!("x\r\n{hidden}")), true),
        (with("Transfer-Encoding: chunked", &format!("-1\r\n{hidden}")), true),
        (with("Transfer-Encoding: chunked", &format!("fffffffffffffffff\r\n{hidden}")), true),
        (with("Transfer-Encoding: chunked", &format!("2\r\nabc\r\n0\r\n\r\n{hidden}")), true),
        (with("Transfer-Encoding: chunked", &format!("1;x\nGET\r\nA\r\n0\r\n\r\n{hidden}")), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nX: a\rb\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nX: a\0b\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nX\0Y: a\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nX Y: a\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\n: a\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nno colon\r\n\r\n{hidden}"), true),
        (format!("GET /a b HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET /a\tb HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET /a\0 HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GE\0T / HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.2\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/0.9\r\n\r\n{hidden}"), true),
        ("GET /\r\n\r\n".to_owned(), true),
        ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(), true),
        (format!("CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test\r\n\r\n{hidden}"), true),
        (format!("CONNECT api.test:80 HTTP/1.1\r\nHost: api.test:80\r\n\r\n{hidden}"), true),
        (format!("TRACE / HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\nHost: api.test\r\nHost: evil.test\r\n\r\n{hidden}"), true),
        (format!("GET / HTTP/1.1\r\n\r\n{hidden}"), true),
        (format!("GET * HTTP/1.1\r\nHost: api.test\r\n\r\n{hidden}"), true),
        (format!("GET /x HTTP/1.0\r\nHost: api.test\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"), true),
        // These are forwarded, as one request each and without what is about one connection.
        ("GET /a HTTP/1.1\r\nHost: api.test\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nConnection: Upgrade, HTTP2-Settings\r\n\r\n".to_owned(), false),
        ("GET /b HTTP/1.1\r\nHost: api.test\r\nConnection: X-Secret, Host, close\r\nX-Secret: 1\r\nKeep-Alive: 5\r\nProxy-Connection: x\r\nTE: trailers\r\nProxy-Authorization: x\r\n\r\n".to_owned(), false),
        (with("Transfer-Encoding: chunked\r\nTrailer: X", "3\r\nabc\r\n0\r\nX: 1\r\nContent-Length: 9\r\n\r\n"), false),
        (with("Transfer-Encoding: chunked", "00000003;ext=1\r\nabc\r\n0\r\n\r\n"), false),
    ];
    for (request, refused) in &corpus {
        let (origin, log) = strict(|_| ok(b""));
        let world = world(origin);
        let mut guest = world.connect("api.test", 80).await.unwrap();
        guest.write_all(request.as_bytes()).await.unwrap();
        let mut reply = Vec::new();
        // What is refused ends the connection; what is not is answered.
        let until = async {
            while *refused || !reply.ends_with(b"\r\n\r\n") {
                match guest.read_u8().await {
                    Ok(byte) => reply.push(byte),
                    Err(_) => break,
                }
            }
        };
        let ended = tokio::time::timeout(PATIENCE, until).await;
        assert!(
            ended.is_ok(),
            "{request:?} gave {:?} and no end",
            text(&reply)
        );
        let requests: Vec<String> = log
            .lock()
            .unwrap()
            .iter()
            .map(|request| text(request))
            .collect();
        for request in &requests {
            assert!(!request.starts_with("AMBIGUOUS"), "{request}");
            for gone in [
                "upgrade",
                "http2-settings",
                "connection",
                "x-secret",
                "keep-alive",
                "te:",
                "trailer",
                "proxy-",
            ] {
                let mut lines = request.lines().skip(1).map(str::to_ascii_lowercase);
                assert!(
                    !lines.any(|line| line.starts_with(gone)),
                    "{gone}: {request}"
                );
            }
        }
        if *refused {
            assert!(
                !requests.iter().any(|request| request.contains("/hidden")),
                "{request:?}: {requests:?}"
            );
            assert!(
                !matches!(status(&reply), 200),
                "{request:?}: {}",
                text(&reply)
            );
        } else {
            assert!(
                !requests.is_empty() && status(&reply) == 200,
                "{request:?}: {}",
                text(&reply)
            );
        }
    }
    assert_eq!(corpus.len(), 51);
}

#[tokio::test]
async fn a_denied_request_is_told_why() {
    let (origin, log) = strict(|_| ok(b""));
    let world = World::new(&["http://api.test/v1"], &[("api.test", origin)], |_| {});
    let reply = text(&world.exchange("api.test", 80, GET).await);
    assert!(reply.starts_with("HTTP/1.1 403 Forbidden\r\n"), "{reply}");
    assert!(
        reply.contains("\r\ncodepod-denied: not-allowed\r\n")
            || reply.contains("rule 1 of allowed_hosts"),
        "{reply}"
    );
    let why = world.network.check("http://api.test/", "GET").unwrap_err();
    assert!(reply.ends_with(&format!("\r\n\r\n{why}\n")), "{reply}");
    assert_eq!(log.lock().unwrap().len(), 0);
    let Some(Event::Denied(event)) = world.events().pop() else {
        panic!()
    };
    assert_eq!(
        (event.denial, event.policy, event.method.as_deref()),
        (why, 1, Some("GET"))
    );
}

#[tokio::test]
async fn the_embedder_is_asked_last() {
    let (origin, log) = strict(|_| ok(b"server"));
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.timeouts.callback = Duration::from_secs(2);
        options.on_request = Some(Arc::new(|ask| {
            Box::pin(async move {
                assert!(ask.method.is_some() && ask.host == "api.test");
                match ask.url.rsplit('/').next().unwrap() {
                    "allow" => Answer::Allow,
                    "deny" => Answer::Deny("not\r\ntoday".to_owned()),
                    "slow" => std::future::pending().await,
                    "panic" => panic!("a callback that fails"),
                    _ => Answer::Respond {
                        status: 418,
                        headers: vec![
                            ("X-A".into(), "1".into()),
                            ("Bad Name".into(), "x".into()),
                            ("Connection".into(), "X".into()),
                        ],
                        body: b"made up".to_vec(),
                    },
                }
            })
        }));
    });
    let get = async |path: &str| {
        let request =
            format!("GET /{path} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n");
        text(&world.exchange("api.test", 80, request.as_bytes()).await)
    };
    assert!(get("allow").await.ends_with("server"));
    let denied = get("deny").await;
    assert!(
        denied.starts_with("HTTP/1.1 403") && denied.contains("not\u{fffd}\u{fffd}today"),
        "{denied}"
    );
    assert!(get("slow").await.contains("not answered in time"));
    assert!(get("panic").await.contains("the question failed"));
    let answered = get("respond").await;
    assert!(
        answered.starts_with("HTTP/1.1 418")
            && answered.ends_with("made up")
            && answered.contains("x-a: 1"),
        "{answered}"
    );
    assert_eq!(log.lock().unwrap().len(), 1);
}

// NW-18
#[tokio::test]
async fn budgets_end_exactly_and_forks_share_them() {
    let (origin, log) = strict(|_| ok(&[b'x'; 1000]));
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.limits.bytes_in = 10_000;
        options.limits.requests = 12;
        options.limits.connections = 2;
    });
    let _one = world.connect("api.test", 80).await.unwrap();
    let two = world.connect("api.test", 80).await.unwrap();
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert!(
        refusal.why.contains("2 connections are open"),
        "{}",
        refusal.why
    );
    drop(two);
    let fork = World {
        network: Arc::new(world.network.fork()),
        ..world.clone()
    };
    for i in 0.. {
        let own = if i % 2 == 0 { &world } else { &fork };
        // The connection before is closed by now or soon.
        let guest = loop {
            match own.connect("api.test", 80).await {
                Ok(guest) => break Some(guest),
                Err(refusal) if refusal.why.contains("connections") => {
                    tokio::time::sleep(Duration::from_millis(5)).await
                }
                Err(refusal) => {
                    assert!(
                        refusal.why.contains("10000 bytes received"),
                        "{}",
                        refusal.why
                    );
                    break None;
                }
            }
        };
        let Some(guest) = guest else { break };
        talk(guest, GET).await;
        assert!(i < 12);
    }
    let count = log.lock().unwrap().len();
    let events = world.requests(count).await;
    let usage = fork.network.budget().usage();
    assert_eq!((usage.bytes_in, usage.requests), (10_000, count as u64));
    // What the events say adds up to what was used.
    let sum = |of: fn(&RequestEvent) -> u64| events.iter().map(of).sum::<u64>();
    assert_eq!(
        (sum(|event| event.bytes_in), sum(|event| event.bytes_out)),
        (usage.bytes_in, usage.bytes_out)
    );
    assert_eq!(
        world
            .network
            .check("http://api.test/", "GET")
            .unwrap_err()
            .kind,
        DenialKind::Budget
    );
}

#[tokio::test]
async fn an_upload_over_the_budget_is_cut_and_denied() {
    let origin = servers::serve(|mut stream| {
        let _ = servers::read_head(&mut stream);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.limits.bytes_out = 100_000
    });
    let mut request =
        b"PUT / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 200000\r\n\r\n".to_vec();
    request.extend(vec![b'x'; 200_000]);
    let reply = world.exchange("api.test", 80, &request).await;
    assert!(
        status(&reply) == 403 && text(&reply).contains("100000 bytes sent"),
        "{}",
        text(&reply)
    );
    assert_eq!(world.network.budget().usage().bytes_out, 100_000);
}

#[tokio::test]
async fn websockets_pass() {
    let origin = servers::serve(|mut stream| {
        let head = text(&servers::read_head(&mut stream).unwrap());
        assert!(
            head.contains("\r\nUpgrade: websocket\r\n")
                && head.contains("\r\nConnection: Upgrade\r\n")
                && head.contains("Sec-WebSocket-Key: x"),
            "{head}"
        );
        stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: y\r\n\r\nhello").unwrap();
        let mut echo = stream.try_clone().unwrap();
        let _ = std::io::copy(&mut stream, &mut echo);
    });
    let world = world(origin);
    let mut guest = world.connect("api.test", 80).await.unwrap();
    guest.write_all(b"GET /ws HTTP/1.1\r\nHost: api.test\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n").await.unwrap();
    let mut reply = Vec::new();
    while !reply.ends_with(b"hello") {
        reply.push(guest.read_u8().await.unwrap());
    }
    assert!(
        text(&reply).starts_with("HTTP/1.1 101")
            && text(&reply).contains("Sec-WebSocket-Accept: y"),
        "{}",
        text(&reply)
    );
    let sent = vec![7; 200_000];
    let (mut reads, mut writes) = tokio::io::split(guest);
    let (_, echoed) = tokio::join!(async { writes.write_all(&sent).await.unwrap() }, async {
        let mut echoed = vec![0; sent.len()];
        reads.read_exact(&mut echoed).await.unwrap();
        echoed
    });
    assert_eq!(echoed, sent);
    drop((reads, writes));
    let event = world.requests(1).await.remove(0);
    assert!(event.status == Some(101) && event.bytes_out > 200_000);
    assert!(event.bytes_in >= 200_005);
}

#[tokio::test]
async fn a_switch_that_was_not_asked_for_breaks_the_connection() {
    let origin = servers::serve(|mut stream| {
        let _ = servers::read_head(&mut stream);
        let _ = stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\nhello");
    });
    assert_eq!(text(&world(origin).exchange("api.test", 80, GET).await), "");
}

// NW-20
#[tokio::test]
async fn nw_20_each_decision_names_the_policy_that_made_it() {
    let (origin, _) = strict(|_| ok(b""));
    let world = world(origin);
    let policy = move |version: u64| {
        let rule = if version.is_multiple_of(2) {
            "http://api.test/even"
        } else {
            "http://api.test/odd"
        };
        let spec = PolicySpec {
            allowed_hosts: Some(vec![rule.into()]),
            hosts: [("api.test".to_owned(), origin.to_string())].into(),
            ..PolicySpec::default()
        };
        Arc::new(Policy::new(&spec, version).unwrap())
    };
    let by = move |network: &Network, version| {
        network.decide_by(Deciding {
            policy: policy(version),
            ..Deciding::clone(&network.deciding())
        });
    };
    by(&world.network, 0);
    let stop = Arc::new(AtomicBool::new(false));
    let changes = Arc::new(AtomicU64::new(0));
    let (network, stopped, made) = (world.network.clone(), stop.clone(), changes.clone());
    let changing = std::thread::spawn(move || {
        while !stopped.load(Relaxed) {
            by(&network, made.fetch_add(1, Relaxed) + 1);
            std::thread::yield_now();
        }
    });
    let mut requests = 0;
    // The other thread gets its turns when the machine has some.
    while requests < rounds(300) || changes.load(Relaxed) <= rounds(100) as u64 {
        requests += 1;
        let path = if requests % 2 == 0 { "even" } else { "odd" };
        let request =
            format!("GET /{path} HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n");
        world.exchange("api.test", 80, request.as_bytes()).await;
    }
    stop.store(true, Relaxed);
    changing.join().unwrap();
    let (mut allowed, mut denied) = (0, 0);
    for event in world.events() {
        let (url, policy, was_allowed) = match &event {
            Event::Request(event) => (&event.url, event.policy, true),
            Event::Denied(event) => (&event.url, event.policy, false),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            url.ends_with("even") == (policy % 2 == 0),
            was_allowed,
            "{event:?}"
        );
        *if was_allowed {
            &mut allowed
        } else {
            &mut denied
        } += 1;
    }
    assert!(
        allowed > 0 && denied > 0 && allowed + denied == requests,
        "{allowed} {denied}"
    );
}

// NW-17
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_17_two_tenants_never_see_each_others_bytes() {
    let (origin, _) = strict(ok);
    let gateway = world(origin);
    let tenants = ["a", "b"].map(|name| {
        (
            name,
            World {
                network: Arc::new(gateway.network.fork()),
                ..gateway.clone()
            },
        )
    });
    let mut all = tokio::task::JoinSet::new();
    for (name, world) in tenants {
        for _ in 0..4 {
            let world = world.clone();
            all.spawn(async move {
                for i in 0..rounds(50) {
                    let own = format!("{name}{i}");
                    let request = format!("GET /{own} HTTP/1.1\r\nHost: api.test\r\nCookie: {own}\r\nX: {}\r\nConnection: close\r\n\r\n", name.repeat(1000));
                    let reply = text(&world.exchange("api.test", 80, request.as_bytes()).await);
                    let other = if name == "a" { "bbbb" } else { "aaaa" };
                    assert!(reply.contains(&format!("Cookie: {own}\r\n")) && !reply.contains(other));
                }
            });
        }
    }
    assert_eq!(all.join_all().await.len(), 8);
}

/// How long a request on a connection of its own takes.
async fn one_request(world: &World) -> Duration {
    let began = Instant::now();
    let reply = world.exchange("api.test", 80, GET).await;
    assert_eq!(status(&reply), 200);
    began.elapsed()
}

/// One opens connections as fast as it can, 64 at a time, of which it may have 32; another goes on.
// NW-18
#[expect(
    clippy::print_stderr,
    reason = "what was measured, for who reads the test's output"
)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_18_very_many_connects_of_one_do_not_hold_up_another() {
    let (origin, _) = strict(|_| ok(b"hello"));
    let own = world(origin);
    let flood = World {
        gateway: own.gateway.clone(),
        ..World::new(&["api.test"], &[("api.test", origin)], |_| {})
    };
    let mut quiet = Vec::new();
    for _ in 0..200 {
        quiet.push(one_request(&own).await);
    }
    let stop = Arc::<AtomicBool>::default();
    let (opened, refused) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let mut connecting = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (flood, stop) = (flood.clone(), stop.clone());
        let (opened, refused) = (opened.clone(), refused.clone());
        connecting.spawn(async move {
            while !stop.load(Relaxed) {
                let count = match flood.connect("api.test", 80).await {
                    Ok(_) => &opened,
                    Err(refusal) => {
                        assert!(refusal.why.contains("connections"), "{}", refusal.why);
                        &refused
                    }
                };
                count.fetch_add(1, Relaxed);
            }
        });
    }
    let mut beside = Vec::new();
    while beside.len() < 200 || opened.load(Relaxed) < rounds(500) as u64 {
        beside.push(one_request(&own).await);
    }
    stop.store(true, Relaxed);
    connecting.join_all().await;
    let at = |times: &mut Vec<Duration>, percent: usize| {
        times.sort_unstable();
        times[times.len() * percent / 100]
    };
    let (opened, refused) = (opened.load(Relaxed), refused.load(Relaxed));
    eprintln!(
        "{opened} connects and {refused} refused: median {:?}, p99 {:?}; alone {:?}, {:?}",
        at(&mut beside, 50),
        at(&mut beside, 99),
        at(&mut quiet, 50),
        at(&mut quiet, 99),
    );
    assert!(refused > 0, "the limit was not reached");
    assert!(at(&mut beside, 50) < Duration::from_millis(100));
}

// NW-16
#[test]
fn nw_16_proxies_of_the_hosts_environment_are_not_used() {
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", "a_request_arrives_as_it_was_meant"]);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        // A port where nobody listens.
        again.env(name, "http://127.0.0.1:1");
        again.env(name.to_ascii_lowercase(), "http://127.0.0.1:1");
    }
    let output = again.env_remove("NO_PROXY").output().unwrap();
    assert!(
        output.status.success() && text(&output.stdout).contains("1 passed"),
        "{}",
        text(&output.stdout)
    );
}
