//! What is recorded once is replayed without a network.

mod support;

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use codepod_abi::Errno;
use codepod_gateway::RuleSpec;
use codepod_gateway::cassette::{Cassette, CassetteError, CassetteSpec};
use codepod_gateway::event::Event;
use codepod_gateway::network::NetworkOptions;
use codepod_gateway::policy::TlsSpec;
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::secrets::{HostKey, SecretSpec, Secrets};
use support::cptls_client::{shake, talk as talk_tls};
use support::servers::{Ca, ok, read_request, serve, strict, strict_tls};
use support::{PATIENCE, World, status, talk, text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const CANARY: &str = "sk-canary-0123456789abcdefghijklmnop";

fn record(directory: &Path) -> Option<Cassette> {
    Some(Cassette::open(&CassetteSpec::record(directory)).unwrap())
}

fn replay(directory: &Path) -> Option<Cassette> {
    Some(Cassette::open(&CassetteSpec::replay(directory)).unwrap())
}

/// A network in which `api.test` is a server without TLS.
fn plain(server: SocketAddr, cassette: Option<Cassette>) -> World {
    World::new(
        &["http://api.test"],
        &[("api.test", server)],
        |options: &mut NetworkOptions| options.cassette = cassette,
    )
}

/// An address where nobody listens: no test is ever given this port.
fn nobody() -> SocketAddr {
    ([127, 0, 0, 1], 1).into()
}

async fn get(world: &World, path: &str) -> Vec<u8> {
    ask(world, "GET", path, "", b"").await
}

async fn ask(world: &World, method: &str, path: &str, fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: api.test\r\n{fields}Content-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    world
        .exchange("api.test", 80, &[head.as_bytes(), body].concat())
        .await
}

fn denials(world: &World) -> Vec<String> {
    let events = world.events().into_iter();
    let denied = events.filter_map(|event| match event {
        Event::Denied(event) => {
            assert_eq!(event.denial.kind, DenialKind::Recording, "{event:?}");
            Some(event.denial.to_string())
        }
        Event::Request(_) | Event::SecretLeak { .. } => None,
    });
    denied.collect()
}

/// All files of a cassette, one after the other.
fn all_bytes(directory: &Path) -> Vec<u8> {
    let bodies = fs::read_dir(directory.join("bodies")).unwrap();
    let mut all = fs::read(directory.join("exchanges.jsonl")).unwrap();
    for body in bodies {
        all.extend(fs::read(body.unwrap().path()).unwrap());
    }
    all
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes
        .windows(part.len())
        .any(|window| window == part.as_bytes())
}

/// The servers of the large test: one without TLS, and one with.
struct Servers {
    plain: SocketAddr,
    tls: SocketAddr,
    /// Tells the server that the guest has what comes before the break.
    arrived: Arc<AtomicBool>,
}

fn large() -> Vec<u8> {
    (0..5_000_000u32).map(|i| (i % 251) as u8).collect()
}

fn servers(identity: &support::servers::Identity) -> Servers {
    let arrived = Arc::<AtomicBool>::default();
    let (wait, counted) = (arrived.clone(), AtomicUsize::new(0));
    let plain = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let head = text(&request[..request.len().min(100)]);
            let target = head.split(' ').nth(1).unwrap();
            let until = |stream: &mut std::net::TcpStream, bytes: &[u8]| {
                stream.write_all(bytes).unwrap();
                while !wait.load(Ordering::SeqCst) {
                    std::thread::sleep(Duration::from_millis(1));
                }
            };
            let reply = match target.split('?').next().unwrap() {
                _ if head.starts_with("HEAD") => b"HTTP/1.1 200 OK\r\nContent-Length: 12345\r\n\r\n".to_vec(),
                "/none" => b"HTTP/1.1 204 No Content\r\nX-A: 1\r\n\r\n".to_vec(),
                "/chunked" => b"HTTP/1.1 200 Fine\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n".to_vec(),
                "/chunked-nothing" => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n".to_vec(),
                "/large" => ok(&large()),
                "/moved" => b"HTTP/1.1 302 Found\r\nLocation: /else\r\nContent-Length: 0\r\n\r\n".to_vec(),
                "/count" => ok(format!("{}", counted.fetch_add(1, Ordering::SeqCst)).as_bytes()),
                "/echo" => ok(request.split(|byte| *byte == b'\n').next_back().unwrap()),
                "/missing" => b"HTTP/1.1 404 Nothing Here\r\nContent-Length: 4\r\n\r\ngone".to_vec(),
                "/error" => b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: 2\r\n\r\n:(".to_vec(),
                "/fields" => b"HTTP/1.1 200 OK\r\nX-oNe: 1\r\nEtag: \"x\"\r\nx-One: 2\r\nContent-Length: 1\r\nX-Latin: caf\xe9\r\nSET-COOKIE: a=1\r\nSet-Cookie: b=2\r\n\r\nf".to_vec(),
                "/old" => {
                    let _ = stream.write_all(b"HTTP/1.0 200 OK\r\nX-Old: yes\r\n\r\nold");
                    return;
                }
                "/until-the-end" => {
                    let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nX-A: 1\r\n\r\nall of it");
                    return;
                }
                "/broken" => {
                    until(&mut stream, b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                    return;
                }
                "/broken-chunks" => {
                    until(&mut stream, b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n");
                    return;
                }
                "/gone" => return,
                _ => ok(b"body"),
            };
            if stream.write_all(&reply).is_err() {
                return;
            }
        }
    });
    // It says in the head and in the body whom it has seen.
    let (tls, _) = strict_tls(identity, &[b"http/1.1"], |request| {
        let request = text(request);
        let line = request
            .lines()
            .find(|line| line.starts_with("Authorization: "));
        let key = line
            .map_or("nobody", |line| &line["Authorization: Bearer ".len()..])
            .to_owned();
        let first = request.lines().next().unwrap();
        let body = format!("you are {key}, and asked for {first}");
        format!(
            "HTTP/1.1 200 OK\r\nX-Seen: {key}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
    });
    Servers {
        plain,
        tls,
        arrived,
    }
}

/// A network with both servers: one whose name is looked up, one with a static address, one where
/// nobody listens, and a name that does not exist.
fn world_of(
    servers: (SocketAddr, SocketAddr),
    closed: SocketAddr,
    ca: &Ca,
    secret: (&str, [u8; 32]),
    cassette: Option<Cassette>,
) -> World {
    let private = |rule: String| RuleSpec {
        private: true,
        ..RuleSpec::from(rule.as_str())
    };
    let rules = vec![
        private(format!("http://plain.test:{}", servers.0.port())),
        RuleSpec {
            tls: TlsSpec {
                roots: Some(vec![ca.der.clone()]),
                ..TlsSpec::default()
            },
            ..RuleSpec::from("api.test")
        },
        RuleSpec::from("http://closed.test"),
        RuleSpec::from("none.test"),
    ];
    let spec = SecretSpec::new("KEY", secret.0, &["https://api.test"]);
    let secrets = Secrets::new(&[spec], &HostKey::new(secret.1), "").unwrap();
    let hosts = [("api.test", servers.1), ("closed.test", closed)];
    World::with_rules(rules, &hosts, |options| {
        options.secrets = Arc::new(secrets);
        options.cassette = cassette;
    })
}

/// A reply with the pieces of a chunked body joined: where they end is the network's affair.
fn joined(reply: &[u8]) -> Vec<u8> {
    let Some(end) = reply.windows(4).position(|four| four == b"\r\n\r\n") else {
        return reply.to_vec();
    };
    let (head, mut body) = reply.split_at(end + 4);
    if !text(head)
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked\r\n")
    {
        return reply.to_vec();
    }
    let mut joined = head.to_vec();
    while let Some(line) = body.windows(2).position(|two| two == b"\r\n") {
        let size = usize::from_str_radix(&text(&body[..line]), 16).unwrap();
        joined.extend(&body[line + 2..line + 2 + size]);
        body = &body[line + 2 + size + 2..];
        if size == 0 {
            joined.extend(b"<the end>");
        }
    }
    joined
}

/// What a guest does, and all that it gets, byte by byte.
async fn run(world: &World, port: u16, arrived: &AtomicBool) -> Vec<(String, Vec<u8>)> {
    let mut got = Vec::new();
    let deciding = world.network.deciding();
    let (_, placeholder) = deciding.secrets.environment().next().unwrap();
    let plain = [
        ("GET /", "", ""),
        ("HEAD /", "", ""),
        ("GET /none", "", ""),
        ("GET /chunked", "", ""),
        ("GET /chunked-nothing", "", ""),
        ("GET /large", "", ""),
        ("GET /moved", "", ""),
        ("GET /count", "", ""),
        ("GET /count", "Accept: text/html\r\n", ""),
        ("GET /count", "", ""),
        ("POST /echo", "", "one\n1"),
        ("POST /echo", "", "two\n2"),
        ("PUT /echo?a=%41&b=[c]", "", "one\n3"),
        ("GET /missing", "", ""),
        ("GET /error", "", ""),
        ("GET /fields", "", ""),
        ("GET /old", "", ""),
        ("GET /until-the-end", "no close", ""),
        ("GET /broken", "", ""),
        ("GET /broken-chunks", "", ""),
        ("GET /gone", "", ""),
        ("DELETE /x", "", ""),
    ];
    for (line, fields, body) in plain {
        let fields = match fields {
            "no close" => String::new(),
            fields => format!("{fields}Connection: close\r\n"),
        };
        let length = match body.len() {
            0 => String::new(),
            length => format!("Content-Length: {length}\r\n"),
        };
        let request =
            format!("{line} HTTP/1.1\r\nHost: plain.test:{port}\r\n{fields}{length}\r\n{body}");
        let mut guest = world.connect("plain.test", port).await.unwrap();
        let mut reply = Vec::new();
        if line.contains("/broken") {
            guest.write_all(request.as_bytes()).await.unwrap();
            while !contains(&reply, "half") {
                let read = tokio::time::timeout(PATIENCE, guest.read_buf(&mut reply)).await;
                assert_ne!(read.unwrap().unwrap(), 0, "{line}: {}", text(&reply));
            }
            arrived.store(true, Ordering::SeqCst);
        }
        reply.extend(match line.contains("/broken") {
            true => talk(guest, b"").await,
            false => talk(guest, request.as_bytes()).await,
        });
        arrived.store(false, Ordering::SeqCst);
        got.push((line.to_owned(), reply));
    }
    // Several by one connection.
    let request = format!("GET /count HTTP/1.1\r\nHost: plain.test:{port}\r\n\r\n");
    let last = request.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n");
    let all = [request.clone(), request, last].concat();
    got.push((
        "three".into(),
        world.exchange("plain.test", port, all.as_bytes()).await,
    ));
    // With TLS and a secret, which the server gives back.
    for request in [
        format!(
            "GET /me HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer {placeholder}\r\nConnection: close\r\n\r\n"
        ),
        format!(
            "GET /me?key={placeholder}&x=1 HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n"
        ),
    ] {
        let mut guest = world.connect("api.test", 443).await.unwrap();
        let shaken = shake(&mut guest, "api.test", &[]).await.unwrap();
        let (reply, closed) = talk_tls(guest, request.as_bytes()).await;
        assert!(closed && contains(&reply, placeholder), "{}", text(&reply));
        assert!(!contains(&reply, "canary"));
        got.push((format!("{shaken:?}"), reply));
    }
    let refusal = world.connect("closed.test", 80).await.unwrap_err();
    got.push((refusal.why, format!("{:?}", refusal.errno).into_bytes()));
    let (gateway, network) = (world.gateway.clone(), world.network.clone());
    let (tell, told) = tokio::sync::oneshot::channel();
    let look = async move {
        let _ = tell.send(gateway.resolve(&network, "none.test").await);
    };
    world.gateway.spawn(look).unwrap();
    let none = told.await.unwrap();
    assert_eq!(none, Err(Errno::NoEnt));
    got
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_recorded_is_replayed_byte_by_byte_without_a_network() {
    // The placeholder of a short value is longer than it, which changes the length of replies.
    for value in [CANARY, &CANARY[..15]] {
        record_and_replay(value).await;
    }
}

async fn record_and_replay(value: &str) {
    let place = tempfile::tempdir().unwrap();
    let directory = place.path().join("made").join("here");
    let ca = Ca::new("ours");
    let identity = ca.sign("api.test", |_| {});
    let real = servers(&identity);
    let (closed, port) = (nobody(), real.plain.port());
    let secret = (value, [7; 32]);
    let world = world_of(
        (real.plain, real.tls),
        closed,
        &ca,
        secret,
        record(&directory),
    );
    world
        .script
        .set("plain.test", vec![vec![[127, 0, 0, 1].into()]]);
    let recorded = run(&world, port, &real.arrived).await;
    assert!(world.gateway.dials() > 20 && denials(&world).is_empty());
    let by_line = |line: &str| {
        let found = recorded.iter().find(|(own, _)| own == line);
        text(&found.unwrap().1)
    };
    assert!(by_line("GET /fields").contains("X-oNe: 1\r\nx-One: 2\r\n"));
    assert!(by_line("GET /chunked").starts_with("HTTP/1.1 200 Fine\r\n"));
    assert!(by_line("GET /broken").ends_with("\r\n\r\nhalf"));
    assert!(by_line("GET /until-the-end").contains("all of it"));
    assert_eq!(by_line("GET /gone"), "");
    assert!(recorded.len() >= 20);

    // Everything is there, and nothing of the secret's value.
    let all = all_bytes(&directory);
    assert!(
        !contains(&all, value) && !contains(&all, "canary"),
        "the value is in the cassette"
    );
    let deciding = world.network.deciding();
    let (_, placeholder) = deciding.secrets.environment().next().unwrap();
    assert!(contains(&all, placeholder));
    #[cfg(unix)]
    for part in [&directory, &directory.join("bodies")] {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(
            fs::metadata(part).unwrap().permissions().mode() & 0o777,
            0o700
        );
    }

    // The servers' addresses are others now, nobody can be asked for names, and the secret has
    // another value, which stands in replies by chance.
    let secret = ("HTTP/1.1", [9; 32]);
    let gone = world_of(
        (([127, 0, 0, 1], port).into(), nobody()),
        nobody(),
        &ca,
        secret,
        replay(&directory),
    );
    let replayed = run(&gone, port, &AtomicBool::new(false)).await;
    assert_eq!(replayed.len(), recorded.len());
    for ((line, expected), (own, reply)) in recorded.iter().zip(&replayed) {
        assert_eq!(own, line);
        assert!(
            joined(reply) == joined(expected),
            "{line}:\n{}\n-- and it was\n{}",
            text(&reply[..reply.len().min(2000)]),
            text(&expected[..expected.len().min(2000)])
        );
    }
    assert_eq!((gone.gateway.dials(), gone.gateway.lookups()), (0, 0));
    assert_eq!(denials(&gone), Vec::<String>::new());
    for (real, own) in world.requests(28).await.iter().zip(gone.requests(28).await) {
        assert_eq!((&own.url, own.status), (&real.url, real.status));
        assert_eq!((own.address, own.tls), (None, real.tls));
        assert_eq!(own.came, own.status.map(|_| "replayed"), "{own:?}");
    }
}

#[tokio::test]
async fn what_the_recording_lacks_is_denied_with_what_differs() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let world = plain(server, record(place.path()));
    for (method, path, body) in [
        ("GET", "/a?page=1&key=k", &b""[..]),
        ("POST", "/a", b"12345"),
        ("GET", "/b", b""),
        ("GET", "/b", b""),
    ] {
        assert_eq!(status(&ask(&world, method, path, "", body).await), 200);
    }
    let world = plain(nobody(), replay(place.path()));
    for (method, path, body, expected) in [
        (
            "GET",
            "/a?page=2&key=k",
            &b""[..],
            "no GET http://api.test/a?page=…&key=…: it has this path, and the query differs in `page`",
        ),
        (
            "GET",
            "/a?key=k&page=1",
            b"",
            "the query differs in the order",
        ),
        ("GET", "/a?page=1", b"", "the query differs in `key`"),
        (
            "PUT",
            "/b",
            b"",
            "no PUT http://api.test/b: it has this URL with the method GET",
        ),
        (
            "POST",
            "/a",
            b"1234",
            "with this body of 4 bytes: it has one with a body of 5 bytes",
        ),
        (
            "POST",
            "/a",
            b"54321",
            "with this body: it has one with another body of 5 bytes",
        ),
        (
            "GET",
            "/c/d",
            b"",
            "no GET http://api.test/c/d: of this host it has for example GET http://api.test/a?page=…&key=…",
        ),
    ] {
        let reply = ask(&world, method, path, "", body).await;
        assert_eq!(status(&reply), 403, "{path}");
        let told = text(&reply);
        assert!(
            told.contains("Codepod-Denied: recording\r\n")
                || told.contains("codepod-denied: recording\r\n"),
            "{told}"
        );
        assert!(
            told.contains(expected) && told.contains("; to allow it, record again"),
            "{told}"
        );
        assert!(denials(&world).last().unwrap().contains(expected));
        // Values of queries are no business of events.
        assert!(!told.contains("page=2"), "{told}");
    }
    // What is there can be had as often as it was recorded.
    assert_eq!(status(&get(&world, "/b").await), 200);
    assert_eq!(status(&get(&world, "/b").await), 200);
    let third = text(&get(&world, "/b").await);
    assert!(
        third.contains("it has it 2 times, and that was replayed"),
        "{third}"
    );
    assert_eq!(
        status(&ask(&world, "POST", "/a", "X-A: 1\r\n", b"12345").await),
        200
    );
    // Another port is another server, and what the policy denies it denies as ever.
    let world = World::new(&["api.test:8080", "http://api.test:8080"], &[], |options| {
        options.cassette = replay(place.path());
    });
    let refusal = world.connect("api.test", 8080).await.unwrap_err();
    assert_eq!(refusal.errno, Errno::Access);
    assert_eq!(
        refusal.why,
        "api.test:8080: the recording has no connection to it; to allow it, record again"
    );
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert!(
        refusal.why.contains("rule 1") || refusal.why.contains("does not allow"),
        "{}",
        refusal.why
    );
    assert_eq!((world.gateway.dials(), world.gateway.lookups()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_replay_depends_neither_on_the_order_of_connections_nor_on_time() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|request| {
        let target = text(request.split(|byte| *byte == b' ').nth(1).unwrap());
        // The later ones are answered first.
        let number: u64 = target[1..].parse().unwrap();
        std::thread::sleep(Duration::from_millis(20 - number));
        ok(target.as_bytes())
    });
    let world = plain(server, record(place.path()));
    let mut guests = tokio::task::JoinSet::new();
    for number in 0..20 {
        let world = world.clone();
        guests.spawn(async move { get(&world, &format!("/{number}")).await });
    }
    assert!(
        guests
            .join_all()
            .await
            .iter()
            .all(|reply| status(reply) == 200)
    );
    let cassette = replay(place.path());
    let world = plain(nobody(), cassette.clone());
    for number in (0..20).rev() {
        let path = format!("/{number}");
        assert!(text(&get(&world, &path).await).ends_with(&format!("\r\n\r\n{path}")));
    }
    // Another sandbox begins anew, and a fork goes on.
    let again = cassette.map(|cassette| cassette.for_another());
    let world = plain(nobody(), again);
    assert_eq!(status(&get(&world, "/7").await), 200);
    let fork = World {
        network: Arc::new(world.network.fork()),
        ..world.clone()
    };
    assert_eq!(status(&get(&fork, "/7").await), 403);
    assert_eq!(status(&get(&fork, "/8").await), 200);
    assert_eq!(status(&get(&world, "/8").await), 403);
}

/// A replay decides as the network did: what is denied there is denied here, and never looked for.
#[tokio::test]
async fn a_replay_decides_before_it_answers() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let world = plain(server, record(place.path()));
    let chunked = b"POST /c HTTP/1.1\r\nHost: api.test\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    let real = world.exchange("api.test", 80, chunked).await;
    assert!(text(&real).starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
    for path in ["/a", "/b"] {
        assert_eq!(status(&ask(&world, "POST", path, "", b"abc").await), 200);
    }

    // How a body comes does not matter; what it is does.
    let again = plain(nobody(), replay(place.path()));
    let same = text(chunked).replace("3\r\nabc\r\n2\r\nde", "1\r\na\r\n4\r\nbcde");
    assert_eq!(again.exchange("api.test", 80, same.as_bytes()).await, real);

    let denied = async |change: fn(&mut NetworkOptions), rule: &str, path: &str| {
        let world = World::new(&[rule], &[("api.test", nobody())], |options| {
            options.cassette = replay(place.path());
            change(options);
        });
        let spec = SecretSpec::new("KEY", CANARY, &["https://other.test"]);
        let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
        let (_, placeholder) = secrets.environment().next().unwrap();
        let first = text(&ask(&world, "POST", path, "", b"abc").await);
        let body = format!("the key {placeholder}");
        let second = text(&ask(&world, "POST", "/b", "", body.as_bytes()).await);
        assert_eq!(world.gateway.dials(), 0);
        (first, second)
    };
    let (first, second) = denied(
        |options| {
            let spec = SecretSpec::new("KEY", CANARY, &["https://other.test"]);
            let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
            options.secrets = Arc::new(secrets);
        },
        "http://api.test",
        "/a",
    )
    .await;
    assert_eq!(status(first.as_bytes()), 200);
    assert!(
        second.contains("the secret `KEY` is not bound to this host"),
        "{second}"
    );
    let (first, _) = denied(|_| {}, "http://api.test/b", "/a").await;
    assert!(
        first.contains("denied: rule 1") || first.contains("does not allow this port"),
        "{first}"
    );
    let world = World::new(&["http://api.test"], &[], |options| {
        options.cassette = replay(place.path());
        options.limits.requests = 1;
    });
    assert_eq!(status(&ask(&world, "POST", "/a", "", b"abc").await), 200);
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert!(
        refusal.why.ends_with("the budget of 1 requests is used up"),
        "{refusal:?}"
    );
}

/// What a recording may not be: larger than its limits, or without an end.
#[tokio::test]
async fn a_recording_that_reaches_a_limit_fails_loudly_and_is_not_replayed() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = strict(|_| ok(&[b'x'; 20_000]));
    let mut spec = CassetteSpec::record(place.path());
    spec.exchanges = 2;
    let world = plain(server, Some(Cassette::open(&spec).unwrap()));
    assert_eq!(status(&get(&world, "/1").await), 200);
    assert_eq!(status(&get(&world, "/2").await), 200);
    let third = text(&get(&world, "/3").await);
    let why = "the recording has ended: a recording has at most 2 exchanges";
    assert!(
        third.contains(why) && status(third.as_bytes()) == 403,
        "{third}"
    );
    assert_eq!(log.lock().unwrap().len(), 2, "the server is not asked");
    // From there on nothing is connected any more.
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert!(refusal.why.contains(why), "{refusal:?}");
    let error = Cassette::open(&CassetteSpec::replay(place.path())).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "exchanges.jsonl, line 7: the recording is not whole, because a recording has at most 2 exchanges; record again"
        ),
        "{error}"
    );

    // In the middle of a body. One recording at a time is made in a directory.
    let place = tempfile::tempdir().unwrap();
    let mut spec = CassetteSpec::record(place.path());
    spec.bytes = 30_000;
    let world = plain(server, Some(Cassette::open(&spec).unwrap()));
    assert_eq!(get(&world, "/1").await.len(), 20_000 + get_head());
    let cut = get(&world, "/2").await;
    assert!(cut.len() < 20_000, "{}", cut.len());
    let failure = world.requests(2).await.remove(1).failure;
    assert_eq!(failure.as_deref(), Some("the reply cannot be recorded"));
    let refusal = world.connect("api.test", 80).await.unwrap_err();
    assert!(
        refusal.why.contains("a recording has at most 30000 bytes"),
        "{refusal:?}"
    );
    let error = Cassette::open(&CassetteSpec::replay(place.path())).unwrap_err();
    assert!(error.to_string().contains("not whole"), "{error}");
    // What has gone wrong leaves nothing behind.
    assert_eq!(
        fs::read_dir(place.path().join("bodies")).unwrap().count(),
        1
    );
}

fn get_head() -> usize {
    b"HTTP/1.1 200 OK\r\nContent-Length: 20000\r\nconnection: close\r\n\r\n".len()
}

#[tokio::test]
async fn a_recording_has_only_so_many_lines() {
    let place = tempfile::tempdir().unwrap();
    let mut spec = CassetteSpec::record(place.path());
    spec.exchanges = 0;
    let world = plain(nobody(), Some(Cassette::open(&spec).unwrap()));
    let mut refused = 0;
    let last = loop {
        let refusal = world.connect("api.test", 80).await.unwrap_err();
        match refusal.errno {
            Errno::ConnRefused => refused += 1,
            _ => break refusal.why,
        }
    };
    assert_eq!(refused, 999);
    assert!(last.contains("a recording has at most 999 lines"), "{last}");
    let text = fs::read_to_string(place.path().join("exchanges.jsonl")).unwrap();
    assert_eq!(text.lines().count(), 1000);
    let more = text.replace("{\"ended\"", "{\"closed\":{\"after\":1}}\n{\"ended\"");
    fs::write(place.path().join("exchanges.jsonl"), more).unwrap();
    spec = CassetteSpec::replay(place.path());
    spec.exchanges = 0;
    let shown = Cassette::open(&spec).unwrap_err().to_string();
    assert!(
        shown.contains(", line 1001: there are more than 1000 lines"),
        "{shown}"
    );
}

/// A server that the secret is not bound to may know it all the same. What the guest gets then is
/// the same as without a recording; a cassette never has it.
// NW-13
#[tokio::test]
async fn nw_13_a_value_that_nobody_redacts_ends_the_recording() {
    for (reply, pieces) in [
        (format!("the key is {CANARY}."), 1),
        (format!("the key is {CANARY}."), 20),
        (format!("{{\"key\": \"{CANARY}\"}}"), 1),
    ] {
        let place = tempfile::tempdir().unwrap();
        let server = serve(move |mut stream| {
            while read_request(&mut stream).is_some() {
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", reply.len());
                stream.write_all(head.as_bytes()).unwrap();
                for piece in reply.as_bytes().chunks(reply.len().div_ceil(pieces)) {
                    let _ = stream.write_all(piece);
                    let _ = stream.flush();
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        });
        let spec = SecretSpec::new("KEY", CANARY, &["https://other.test"]);
        let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
        let world = World::new(&["http://api.test"], &[("api.test", server)], |options| {
            options.secrets = Arc::new(secrets);
            options.cassette = record(place.path());
        });
        get(&world, "/").await;
        let why = "the recording has ended: what came has the value of the secret `KEY`";
        let refusal = world.connect("api.test", 80).await.unwrap_err();
        assert!(refusal.why.contains(why), "{refusal:?}");
        assert!(!contains(&all_bytes(place.path()), "canary"));
    }
    // In a head.
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| {
        format!("HTTP/1.1 200 OK\r\nX-Key: {CANARY}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    });
    let spec = SecretSpec::new("KEY", CANARY, &["https://other.test"]);
    let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
    let world = World::new(&["http://api.test"], &[("api.test", server)], |options| {
        options.secrets = Arc::new(secrets);
        options.cassette = record(place.path());
    });
    let reply = text(&get(&world, "/").await);
    assert!(
        status(reply.as_bytes()) == 403 && !reply.contains("canary"),
        "{reply}"
    );
    assert!(!contains(&all_bytes(place.path()), "canary"));
}

#[tokio::test]
async fn what_is_no_plain_exchange_is_refused_when_recorded_and_when_replayed() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = strict(|_| ok(b"fine"));
    let cassettes = [record(place.path()), replay(place.path())];
    for cassette in cassettes {
        let hosts = [("api.test", server), ("db.test", server)];
        let rules = [
            "http://api.test",
            "tcp://db.test:5432",
            "tls://db.test:6514",
        ];
        let world = World::new(&rules, &hosts, |options| {
            options.cassette = cassette.clone()
        });
        for port in [5432, 6514] {
            let refusal = world.connect("db.test", port).await.unwrap_err();
            assert!(
                refusal.why.ends_with(
                    "what is neither http nor https can be neither recorded nor replayed"
                ),
                "{refusal:?}"
            );
        }
        if cassette.unwrap().is_replayed() {
            continue;
        }
        let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\n";
        let request = format!("GET /ws HTTP/1.1\r\nHost: api.test\r\n{upgrade}\r\n");
        let reply = text(&world.exchange("api.test", 80, request.as_bytes()).await);
        assert!(
            reply.contains("a WebSocket can be neither recorded nor replayed"),
            "{reply}"
        );
        assert_eq!(status(&get(&world, "/").await), 200);
    }
    assert_eq!(log.lock().unwrap().len(), 1);
    let world = plain(nobody(), replay(place.path()));
    let request =
        "GET /ws HTTP/1.1\r\nHost: api.test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
    let reply = text(&world.exchange("api.test", 80, request.as_bytes()).await);
    assert!(reply.contains("a WebSocket can be neither"), "{reply}");
}

/// A server may answer before it has the whole request, and a guest may not wait for an answer.
#[tokio::test]
async fn an_early_reply_and_a_guest_that_leaves_are_replayed_as_such() {
    let place = tempfile::tempdir().unwrap();
    let server = serve(|mut stream| {
        let Some(head) = support::servers::read_head(&mut stream) else {
            return;
        };
        if text(&head).contains("/early") {
            let _ = stream.write_all(
                b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            );
        }
        // Until the guest has gone.
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let early = async |world: &World| {
        let mut guest = world.connect("api.test", 80).await.unwrap();
        let head = "POST /early HTTP/1.1\r\nHost: api.test\r\nContent-Length: 1000000\r\n\r\nabc";
        guest.write_all(head.as_bytes()).await.unwrap();
        let mut reply = [0; 25];
        guest.read_exact(&mut reply).await.unwrap();
        text(&reply)
    };
    let leave = async |world: &World| {
        let mut guest = world.connect("api.test", 80).await.unwrap();
        let head = "GET /never HTTP/1.1\r\nHost: api.test\r\n\r\n";
        guest.write_all(head.as_bytes()).await.unwrap();
        let mut byte = [0];
        let read = tokio::time::timeout(Duration::from_millis(300), guest.read(&mut byte)).await;
        assert!(read.is_err(), "{read:?}: {:?}", world.events());
    };
    let impatient = |server, cassette| {
        World::new(&["http://api.test"], &[("api.test", server)], |options| {
            options.cassette = cassette;
            options.timeouts.first_byte = Duration::from_secs(1);
        })
    };
    let why = "the server did not answer within 1 s";
    let world = impatient(server, record(place.path()));
    assert_eq!(early(&world).await, "HTTP/1.1 413 Too Large\r\nC");
    leave(&world).await;
    assert_eq!(world.requests(2).await[1].failure.as_deref(), Some(why));
    let world = impatient(nobody(), replay(place.path()));
    assert_eq!(early(&world).await, "HTTP/1.1 413 Too Large\r\nC");
    leave(&world).await;
    assert_eq!(world.requests(2).await[1].failure.as_deref(), Some(why));
    assert_eq!(denials(&world), Vec::<String>::new());
    assert!(early(&world).await.starts_with("HTTP/1.1 403"));
    let told = "has no POST http://api.test/early any more: it has it once, and that was replayed";
    assert!(denials(&world)[0].contains(told), "{:?}", denials(&world));
}

/// What a process leaves that is killed: all that had ended is there, and what was under way is
/// denied as what was never recorded.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_under_way_when_its_process_was_killed_is_denied_as_missing() {
    let (place, left) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let server = serve(|mut stream| {
        while let Some(request) = read_request(&mut stream) {
            let reply = match text(&request).split(' ').nth(1).unwrap() {
                "/begun" => b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf".to_vec(),
                "/unanswered" => Vec::new(),
                _ => ok(b"all of it"),
            };
            stream.write_all(&reply).unwrap();
        }
    });
    let world = plain(server, record(place.path()));
    assert!(get(&world, "/whole").await.ends_with(b"all of it"));
    let begin = async |path: &str, until: &[u8]| {
        let mut guest = world.connect("api.test", 80).await.unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: api.test\r\n\r\n");
        guest.write_all(head.as_bytes()).await.unwrap();
        let mut received = Vec::new();
        while !received.ends_with(until) {
            assert_ne!(guest.read_buf(&mut received).await.unwrap(), 0);
        }
        guest
    };
    let _begun = begin("/begun", b"half").await;
    let _unanswered = begin("/unanswered", b"").await;
    let _again = begin("/again", b"all of it").await;
    // Its connection is noted before its request is sent, and nothing of it comes later.
    let connections = || {
        let lines = fs::read_to_string(place.path().join("exchanges.jsonl")).unwrap();
        lines.matches("{\"connection\":").count()
    };
    assert_eq!(connections(), 4);
    // A killed process writes nothing more: what is on disk now is what it leaves.
    fs::create_dir(left.path().join("bodies")).unwrap();
    fs::copy(
        place.path().join("exchanges.jsonl"),
        left.path().join("exchanges.jsonl"),
    )
    .unwrap();
    let mut coming = 0;
    for body in fs::read_dir(place.path().join("bodies")).unwrap() {
        let body = body.unwrap();
        let name = body.file_name().into_string().unwrap();
        coming += usize::from(name.starts_with("new-"));
        fs::copy(body.path(), left.path().join("bodies").join(name)).unwrap();
    }
    assert_eq!(coming, 1, "the half that came");

    let world = plain(nobody(), replay(left.path()));
    assert!(get(&world, "/whole").await.ends_with(b"all of it"));
    assert!(get(&world, "/again").await.ends_with(b"all of it"));
    for path in ["/begun", "/unanswered"] {
        let reply = get(&world, path).await;
        assert_eq!(status(&reply), 403, "{path}");
        let said = format!(
            "codepod: api.test:80: the recording has no GET http://api.test{path}: of this host it \
             has for example GET http://api.test/whole; to allow it, record again"
        );
        assert!(text(&reply).contains(&said), "{}", text(&reply));
        assert!(denials(&world).contains(&said), "{:?}", denials(&world));
    }
    assert_eq!(world.gateway.dials(), 0);
    // The next recording there takes its place, with what was left.
    drop(record(left.path()));
    assert_eq!(fs::read_dir(left.path().join("bodies")).unwrap().count(), 0);
}

#[tokio::test]
async fn a_recording_takes_the_place_of_a_recording_and_of_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    fs::write(place.path().join("notes.txt"), "mine").unwrap();
    let error = Cassette::open(&CassetteSpec::record(place.path())).unwrap_err();
    assert!(
        matches!(&error, CassetteError::NoCassette { found, .. } if found == "notes.txt"),
        "{error}"
    );
    assert_eq!(fs::read(place.path().join("notes.txt")).unwrap(), b"mine");
    for (file, content) in [("exchanges.jsonl", "mine"), ("bodies/photo.jpg", "mine")] {
        let other = place.path().join(file.len().to_string());
        fs::create_dir_all(other.join("bodies")).unwrap();
        fs::write(other.join(file), content).unwrap();
        let error = Cassette::open(&CassetteSpec::record(&other)).unwrap_err();
        assert!(
            error.to_string().contains(&format!("it holds `{file}`")),
            "{error}"
        );
        assert_eq!(fs::read_to_string(other.join(file)).unwrap(), content);
    }
    let directory = place.path().join("own");
    for path in ["/old", "/new"] {
        let world = plain(server, record(&directory));
        assert_eq!(status(&get(&world, path).await), 200);
    }
    let world = plain(nobody(), replay(&directory));
    assert_eq!(status(&get(&world, "/new").await), 200);
    assert_eq!(status(&get(&world, "/old").await), 403);
    let error = Cassette::open(&CassetteSpec::replay(place.path())).unwrap_err();
    assert!(
        error.to_string().contains("exchanges.jsonl: No such file"),
        "{error}"
    );
}

#[cfg(unix)]
#[tokio::test]
async fn one_recording_at_a_time_is_made_in_a_directory() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let first = plain(server, record(place.path()));
    let error = Cassette::open(&CassetteSpec::record(place.path())).unwrap_err();
    assert!(matches!(error, CassetteError::InUse { .. }), "{error}");
    // What was refused has left the other alone, whose sandboxes still record.
    assert_eq!(status(&get(&first, "/a").await), 200);
    drop(first);
    let world = plain(nobody(), replay(place.path()));
    assert_eq!(status(&get(&world, "/a").await), 200);
    // A replay holds nothing, and neither does a recording that has ended.
    drop(record(place.path()));
    drop(record(place.path()));
}

/// A cassette from elsewhere: whatever is in it, the answer is an error that names the line.
#[tokio::test]
async fn a_damaged_cassette_is_refused_with_the_line() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let world = plain(server, record(place.path()));
    assert_eq!(status(&ask(&world, "POST", "/a", "", b"12345").await), 200);
    let file = place.path().join("exchanges.jsonl");
    let good = fs::read_to_string(&file).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    assert_eq!(lines.len(), 3, "{good}");
    let (hash, sent) = (
        blake3::hash(b"fine").to_hex(),
        blake3::hash(b"12345").to_hex(),
    );
    let line = |at: usize, from: &str, to: &str| {
        assert!(lines[at - 1].contains(from), "{from} in {}", lines[at - 1]);
        let mut changed = lines.clone();
        let own = changed[at - 1].replace(from, to);
        changed[at - 1] = &own;
        changed.join("\n") + "\n"
    };
    let huge = "9".repeat(40);
    let deep = format!("{good}{}\n", "[".repeat(100_000));
    let long = format!("{good}\"{}\"\n", "x".repeat(2 << 20));
    let closing = |seconds: &str| format!("{good}{{\"closed\":{{\"after\":{seconds}}}}}\n");
    let mut cases: Vec<(String, usize, &str)> = vec![
        (String::new(), 1, "there is no line"),
        ("\n".into(), 1, "EOF"),
        ("no JSON\n".into(), 1, "expected"),
        (lines[1].to_owned() + "\n", 1, "the first line is"),
        (good.trim_end().to_owned(), 3, "it is torn"),
        (good[..good.len() - 20].to_owned(), 3, "it is torn"),
        (good.clone() + lines[0] + "\n", 4, "begins a second time"),
        (good.clone() + lines[2] + "\n", 4, "is there already"),
        (good.clone() + "{\"what\":{}}\n", 4, "unknown variant"),
        (good.clone() + "\n", 4, "EOF"),
        (deep, 4, ""),
        (long, 4, "it is too long"),
        (closing(&huge), 4, ""),
        (closing("-1"), 4, ""),
        (closing("1.5"), 4, ""),
        (
            good.clone() + "{\"secret\":{\"name\":\"KEY\",\"placeholder\":\"\"}}\n",
            4,
            "no placeholder",
        ),
        (
            good.clone() + "{\"secret\":{\"name\":\"KEY\",\"placeholder\":\"a b\"}}\n",
            4,
            "no placeholder",
        ),
        (
            good.clone()
                + &format!(
                    "{{\"exchange\":{{\"n\":9,\"method\":\"GET\",\"url\":\"http://a/\",\"sent\":{{\"bytes\":5,\"blake3\":\"{sent}\"}}}}}}\n"
                ),
            4,
            "either a reply or a failure",
        ),
        (
            good.clone()
                + &format!(
                    "{{\"handshake\":{{\"n\":9,\"host\":\"a\",\"port\":443,\"asked\":\"{sent}\",\"reply\":{{\"bytes\":4,\"blake3\":\"{hash}\"}}}}}}\n"
                ),
            4,
            "do not add up",
        ),
    ];
    // A line in which one thing is another.
    let changed: &[(usize, &str, &str, &str)] = &[
        (
            1,
            r#""version":1"#,
            r#""version":2"#,
            "of version 2, and this codepod reads version 1",
        ),
        (
            1,
            r#""version":1"#,
            r#""version":1,"more":1"#,
            "unknown field",
        ),
        (2, r#""port":80"#, r#""port":65536"#, ""),
        (2, r#""host":"api.test""#, r#""host":"""#, "`host` is none"),
        (
            2,
            r#""port":80"#,
            r#""port":80,"failed":{"errno":"Fine","why":""}"#,
            "`Fine` is no error of connecting",
        ),
        (
            3,
            r#""method":"POST""#,
            r#""method":"PO ST""#,
            "`method` is none",
        ),
        (
            3,
            "http://api.test/a",
            "file:///etc/passwd",
            "`url` begins with neither",
        ),
        (3, &sent, "00", "`sent` has no hash"),
        (
            3,
            r#""status":200"#,
            r#""status":101"#,
            "`status` is none of a reply",
        ),
        (3, r#""status":200"#, r#""status":70000"#, ""),
        (
            3,
            r#""status":200"#,
            r#""status":200,"reason":"a\r\nX: 1""#,
            "`reason` cannot be sent",
        ),
        (3, r#""http":"1.1""#, r#""http":"2""#, "`http` is neither"),
        (
            3,
            r#""Content-Length","4""#,
            r#""Content-Length","5""#,
            "the length in the head",
        ),
        (3, &hash, "../../etc/passwd", "is no hash of a body"),
        (3, &hash, &sent, "No such file"),
        (
            3,
            r#""bytes":4"#,
            r#""bytes":3"#,
            "it has 4 bytes, and 3 were recorded",
        ),
        (
            3,
            r#""bytes":4"#,
            r#""bytes":18446744073709551615"#,
            "it has 4 bytes",
        ),
        (
            3,
            r#""bytes":4"#,
            r#""bytes":0"#,
            "no bytes, and a hash of some",
        ),
    ];
    for (at, from, to, expected) in changed {
        cases.push((line(*at, from, to), *at, expected));
    }
    for field in [
        r#""Content-Length","-4""#,
        r#""Content-Length","+4""#,
        r#""Content-Length","4, 4""#,
        r#""X: y\r\nZ","4""#,
        r#""X","4\r\nY: 1""#,
        "\"X\",\"\u{1f600}\"",
    ] {
        let changed = line(3, r#""Content-Length","4""#, field);
        cases.push((changed, 3, "field 1 of the reply"));
    }
    let open = || Cassette::open(&CassetteSpec::replay(place.path()));
    for (content, at, expected) in &cases {
        fs::write(&file, content).unwrap();
        let error = open().unwrap_err();
        let shown = error.to_string();
        let start: String = content.chars().take(300).collect();
        assert!(
            matches!(error, CassetteError::Line { line, .. } if line == *at),
            "{shown}: {start}"
        );
        assert!(
            shown.contains(expected) && shown.len() < 1000,
            "{shown}: {start}"
        );
    }
    // Its files.
    fs::write(&file, &good).unwrap();
    assert!(open().is_ok());
    let body = place.path().join("bodies").join(&*hash);
    for (content, expected) in [
        (&b"finf"[..], "its hash is another one"),
        (b"fine and more", "it has 13 bytes, and 4 were recorded"),
        (b"", "it has 0 bytes"),
    ] {
        fs::write(&body, content).unwrap();
        let shown = open().unwrap_err().to_string();
        assert!(
            shown.contains(", line 3: bodies/") && shown.contains(expected),
            "{shown}"
        );
    }
    // While it is replayed.
    fs::write(&body, "fine").unwrap();
    let world = plain(nobody(), replay(place.path()));
    fs::write(&body, "finf").unwrap();
    assert!(!contains(
        &ask(&world, "POST", "/a", "", b"12345").await,
        "finf"
    ));
    fs::remove_file(&body).unwrap();
    let shown = open().unwrap_err().to_string();
    assert!(
        shown.contains(", line 3: bodies/") && shown.contains("No such file"),
        "{shown}"
    );
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("/etc/hostname", &body).unwrap();
        let shown = open().unwrap_err().to_string();
        assert!(shown.contains("it is no file"), "{shown}");
    }
    // Its limits.
    fs::remove_file(&body).unwrap();
    fs::write(&body, "fine").unwrap();
    let mut spec = CassetteSpec::replay(place.path());
    spec.exchanges = 0;
    let shown = Cassette::open(&spec).unwrap_err().to_string();
    assert!(
        shown.contains(", line 3: there are more than 0 exchanges"),
        "{shown}"
    );
    spec = CassetteSpec::replay(place.path());
    spec.bytes = 60;
    let shown = Cassette::open(&spec).unwrap_err().to_string();
    assert!(
        shown.contains(", line 2: the cassette has more than 60 bytes"),
        "{shown}"
    );
}

/// What can be read is replayed as far as HTTP has it, and nothing of it ends more than its own
/// connection.
#[tokio::test]
async fn an_odd_cassette_that_can_be_read_breaks_nothing() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let world = plain(server, record(place.path()));
    assert_eq!(status(&get(&world, "/a").await), 200);
    let file = place.path().join("exchanges.jsonl");
    let good = fs::read_to_string(&file).unwrap();
    let fields = "[[\"Content-Length\",\"4\"]]";
    let none = blake3::hash(b"").to_hex();
    let body = format!(
        "{{\"bytes\":4,\"blake3\":\"{}\"}}",
        blake3::hash(b"fine").to_hex()
    );
    let empty = format!("{{\"bytes\":0,\"blake3\":\"{none}\"}}");
    assert!(good.contains(fields) && good.contains(&body), "{good}");
    let many = |count: usize| {
        let fields: Vec<_> = (0..count).map(|i| format!("[\"X-{i}\",\"1\"]")).collect();
        format!("[{}]", fields.join(","))
    };
    let long = format!("[[\"X\",\"{}\"]]", "x".repeat(100_000));
    let status_of = |status: &str| good.replace("\"status\":200", status);
    // What the guest gets of it: a status, or the end of its connection.
    let cases: Vec<(String, u16)> = vec![
        (good.clone(), 200),
        (good.replace(fields, "[]"), 200),
        (
            good.replace(
                fields,
                "[[\"Content-Length\",\"4\"],[\"content-length\",\"4\"]]",
            ),
            200,
        ),
        (
            good.replace(fields, "[[\"Transfer-Encoding\",\"chunked\"]]"),
            200,
        ),
        (
            good.replace(
                fields,
                "[[\"Transfer-Encoding\",\"gzip\"],[\"Content-Length\",\"4\"]]",
            ),
            0,
        ),
        (
            good.replace(
                fields,
                "[[\"Connection\",\"X, close\"],[\"X\",\"1\"],[\"Upgrade\",\"websocket\"]]",
            ),
            200,
        ),
        (good.replace(&body, &empty), 200),
        (
            good.replace(&body, &format!("{body},\"streamed\":true")),
            200,
        ),
        (
            good.replace(&body, &format!("{body},\"broken\":\"why\"")),
            200,
        ),
        (
            good.replace(&body, &format!("{empty},\"broken\":\"why\"")),
            200,
        ),
        (
            good.replace(fields, "[]")
                .replace(&body, &format!("{empty},\"broken\":\"why\"")),
            200,
        ),
        (
            good.replace(fields, "[]")
                .replace(&body, &format!("{empty},\"streamed\":true")),
            200,
        ),
        (good.replace("\"http\":\"1.1\"", "\"http\":\"1.0\""), 200),
        (status_of("\"status\":204"), 204),
        (status_of("\"status\":304"), 304),
        (status_of("\"status\":999"), 999),
        (status_of("\"status\":200,\"reason\":\"\""), 200),
        (good.replace(fields, &many(200)), 200),
        (good.replace(fields, &many(300)), 0),
        (good.replace(fields, &long), 0),
        (
            good.replace("\"reply\":", "\"failed\":{\"broken\":\"x\"},\"reply\":")
                .split("\"reply\":")
                .next()
                .unwrap()
                .trim_end_matches(',')
                .to_owned()
                + "}}\n",
            0,
        ),
    ];
    for (content, expected) in &cases {
        fs::write(&file, content).unwrap();
        let shown: String = content.chars().take(700).collect();
        let world = plain(nobody(), replay(place.path()));
        let reply = get(&world, "/a").await;
        if reply.is_empty() {
            assert_eq!(*expected, 0, "{shown}");
        } else {
            assert_eq!(status(&reply), *expected, "{}: {shown}", text(&reply));
            assert!(reply.starts_with(b"HTTP/1."), "{}", text(&reply));
        }
        // The gateway goes on.
        assert_eq!(status(&get(&world, "/b").await), 403, "{shown}");
    }
}

/// Each byte changed, left out and doubled: there is an error or a cassette, and never a panic.
#[tokio::test]
async fn no_change_of_a_byte_is_more_than_an_error() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = strict(|_| ok(b"fine"));
    let world = plain(server, record(place.path()));
    assert_eq!(status(&get(&world, "/a?b=c").await), 200);
    let file = place.path().join("exchanges.jsonl");
    let good = fs::read(&file).unwrap();
    let (mut refused, mut read) = (0, 0);
    for at in 0..good.len() {
        for changed in [
            &[][..],
            &[good[at] ^ 1],
            &[good[at], good[at]],
            b"\0",
            b"\xff",
            b"9",
        ] {
            let content = [&good[..at], changed, &good[at + 1..]].concat();
            // Writing over a file waits for the disk.
            fs::remove_file(&file).unwrap();
            fs::write(&file, content).unwrap();
            match Cassette::open(&CassetteSpec::replay(place.path())) {
                Ok(_) => read += 1,
                Err(CassetteError::Line { line, why, .. }) => {
                    assert!((1..=4).contains(&line) && !why.is_empty());
                    refused += 1;
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
    assert!(
        refused > 1000 && read > 100,
        "{refused} were refused, and {read} read"
    );
}
