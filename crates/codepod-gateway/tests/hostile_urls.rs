//! Hosts and URLs that are meant to be read as others than they are, through everything that
//! decides. One host is granted; nothing may ever be dialled but its address.

#[path = "hostile_urls/corpus.rs"]
mod corpus;
mod support;

use std::collections::BTreeSet;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use codepod_abi::Errno;
use codepod_gateway::event::Event;
use codepod_gateway::net::{Gateway, GatewayOptions, ResolveError, Resolver};
use codepod_gateway::network::BoxFuture;
use codepod_gateway::policy::host::Host;
use codepod_gateway::policy::target::Target;
use corpus::{Corpus, GOOD};
use support::servers::{self, Log};
use support::{World, status, talk, text};

/// Answers every name with the host's loopback, and notes who was asked for.
#[derive(Debug, Default)]
struct Everywhere(Mutex<Vec<String>>);

impl Resolver for Everywhere {
    fn resolve(&self, name: String) -> BoxFuture<Result<Vec<IpAddr>, ResolveError>> {
        self.0.lock().unwrap().push(name);
        Box::pin(async { Ok(vec![Ipv4Addr::LOCALHOST.into()]) })
    }
}

/// A sandbox that may reach [`GOOD`] by http, beside a server that nobody may reach.
struct Snare {
    world: World,
    resolver: Arc<Everywhere>,
    origin: SocketAddr,
    /// What the granted server was asked.
    log: Log,
    /// The port of the other server, on loopback.
    port: u16,
    /// How often somebody has connected there.
    caught: Arc<AtomicUsize>,
}

impl Snare {
    fn new() -> Snare {
        let (origin, log) = servers::strict(|_| servers::ok(b"good"));
        Snare::with(origin, log)
    }

    fn with(origin: SocketAddr, log: Log) -> Snare {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let caught = Arc::<AtomicUsize>::default();
        let count = caught.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                count.fetch_add(1, Relaxed);
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncaught");
            }
        });
        let resolver = Arc::<Everywhere>::default();
        // The rule has the other server's port, so that only the name decides.
        let rule = format!("http://{GOOD}:80,{port}");
        let granted = World::new(&[&rule], &[(GOOD, origin)], |options| {
            options.limits.requests = u64::MAX;
            options.limits.connections = 10_000;
            options.limits.bytes_in = u64::MAX;
            options.limits.bytes_out = u64::MAX;
        });
        let gateway = Gateway::new(GatewayOptions {
            resolver: resolver.clone(),
            ..GatewayOptions::default()
        });
        Snare {
            world: World { gateway, ..granted },
            resolver,
            origin,
            log,
            port,
            caught,
        }
    }

    fn is_good(host: &Host) -> bool {
        *host == Host::Name(GOOD.into())
    }

    /// Sends a head over a connection to the granted host.
    async fn ask(&self, head: &str) -> Vec<u8> {
        let guest = self.world.connect(GOOD, 80).await.unwrap();
        talk(guest, head.as_bytes()).await
    }

    /// What must hold whatever was tried, with `dialled` connections to the granted host.
    fn check_nothing_else_was_reached(&self, dialled: usize) {
        assert_eq!(self.caught.load(Relaxed), 0, "the other server was reached");
        assert_eq!(*self.resolver.0.lock().unwrap(), [""; 0], "looked up");
        assert_eq!(self.world.gateway.dials(), dialled as u64);
        for event in self.world.events() {
            if let Event::Request(event) = event {
                assert_eq!(event.address, Some(self.origin), "{event:?}");
            }
        }
        for request in self.log.lock().unwrap().iter() {
            let head = text(request).to_ascii_lowercase();
            let hosts: Vec<&str> = head
                .lines()
                .filter(|line| line.starts_with("host:"))
                .collect();
            assert_eq!(hosts, [format!("host: {GOOD}")], "{head}");
            let target = head.split(' ').nth(1).unwrap_or_default();
            assert!(target.starts_with('/') || target == "*", "{head}");
        }
    }
}

// NW-05
// NW-07
#[tokio::test]
async fn nw_05_nw_07_a_thousand_hostile_urls_are_refused_before_anything_is_dialled() {
    let snare = Snare::new();
    let corpus = Corpus::new(snare.port);
    let network = &snare.world.network;
    let mut hosts = BTreeSet::new();
    let mut refused = 0;
    for url in &corpus.refused {
        for method in ["GET", "CONNECT", "OPTIONS"] {
            assert!(network.check(url, method).is_err(), "{url:?} is granted");
        }
        refused += 1;
        hosts.extend(readings(url));
    }
    assert!(refused >= 1_000, "{refused}");
    let mut granted = 0;
    for url in &corpus.doubtful {
        hosts.extend(readings(url));
        if network.check(url, "GET").is_err() {
            continue;
        }
        granted += 1;
        // Granted is only what two other readers take for the granted host, too.
        let target = Target::parse(url).unwrap();
        assert!(Snare::is_good(&target.host), "{url:?}");
        let whole = url::Url::parse(url).unwrap();
        assert_eq!(
            whole.host_str().map(|host| host.trim_end_matches('.')),
            Some(GOOD),
            "{url:?}"
        );
        assert!(is_plainly_good(url), "{url:?}");
    }
    assert!(granted > 20 && corpus.doubtful.len() > 500, "{granted}");
    // Whatever a program takes for the host of one of these, it gets no connection to it.
    let (mut by_name, mut by_address) = (0, 0);
    for host in hosts.iter().filter_map(|text| Host::parse(text).ok()) {
        if Snare::is_good(&host) {
            continue;
        }
        match host {
            Host::Name(_) => by_name += 1,
            Host::Ip(_) => by_address += 1,
        }
        for port in [80, 443, snare.port] {
            let refusal = snare
                .world
                .connect_to(host.clone(), port)
                .await
                .unwrap_err();
            assert_eq!(refusal.errno, Errno::Access, "{host}:{port}");
        }
    }
    assert!(by_name > 200 && by_address > 50, "{by_name} {by_address}");
    snare.check_nothing_else_was_reached(0);
}

// NW-07
// NW-08
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_07_nw_08_no_head_with_a_hostile_url_leads_to_another_host() {
    let snare = Snare::new();
    let corpus = Corpus::new(snare.port);
    let mut dialled = 0;
    for (index, url) in corpus.refused.iter().chain(&corpus.doubtful).enumerate() {
        let authority = authority(url);
        // The absolute form against a good Host, a hostile Host, both, and no Host at all.
        let head = match index % 4 {
            0 => format!("GET {url} HTTP/1.1\r\nHost: {GOOD}\r\n"),
            1 => format!("GET / HTTP/1.1\r\nHost: {authority}\r\n"),
            2 => format!("GET {url} HTTP/1.1\r\nHost: {authority}\r\n"),
            _ => format!("GET {url} HTTP/1.0\r\n"),
        };
        let reply = snare.ask(&format!("{head}Connection: close\r\n\r\n")).await;
        dialled += 1;
        if status(&reply) != 200 {
            assert!(
                matches!(status(&reply), 0 | 400 | 403 | 414),
                "{head:?}: {}",
                text(&reply)
            );
            continue;
        }
        assert!(text(&reply).ends_with("good"), "{head:?}");
        // A line end makes other fields of it, which are a guest's to send.
        if head[..head.len() - 2].contains("\r\n\r\n") || url.contains(['\r', '\n']) {
            continue;
        }
        let target_is_path = index % 4 == 1 || url.starts_with('/');
        // Of a whole URL the host has to be the granted one by the plainest reading.
        let target_is_good = is_plainly_good(url);
        assert!(target_is_path || target_is_good, "{head:?}");
        if matches!(index % 4, 1 | 2) {
            let name = authority.trim_matches([' ', '\t']);
            let is_80 = |port: &str| port.parse() == Ok(80_u16);
            let name = match name.rsplit_once(':') {
                Some((name, port)) if is_80(port) => name,
                _ => name,
            };
            assert!(
                Host::parse(name).is_ok_and(|host| Snare::is_good(&host)),
                "{head:?}"
            );
        }
    }
    assert!(dialled >= 1_500, "{dialled}");
    snare.check_nothing_else_was_reached(dialled);
}

// NW-08
#[tokio::test]
async fn nw_08_a_host_that_disagrees_with_the_target_is_denied() {
    let snare = Snare::new();
    let port = snare.port;
    let others = [
        "evil.test".to_owned(),
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        format!("{GOOD}:{port}"),
        format!("{GOOD}:443"),
        format!("{GOOD}@evil.test"),
        format!("evil.test@{GOOD}"),
        format!("{GOOD}.evil.test"),
        format!("evil.{GOOD}"),
        format!("{GOOD},evil.test"),
        format!("{GOOD}\\"),
        format!("{GOOD}\\.evil.test"),
        format!("http://{GOOD}"),
        format!("{GOOD}:80:80"),
        format!("{GOOD}:"),
        format!("{GOOD}%00"),
        "".to_owned(),
    ];
    let mut dialled = 0;
    for other in &others {
        for head in [
            format!("GET http://{GOOD}/ HTTP/1.1\r\nHost: {other}\r\n"),
            format!("GET http://{other}/ HTTP/1.1\r\nHost: {GOOD}\r\n"),
            format!("GET http://{other}/ HTTP/1.1\r\nHost: {other}\r\n"),
            format!("GET / HTTP/1.1\r\nHost: {GOOD}\r\nHost: {other}\r\n"),
            format!("GET / HTTP/1.1\r\nHost: {other}\r\nHost: {GOOD}\r\n"),
            format!("GET / HTTP/1.1\r\nHost: {GOOD}\r\n {other}\r\n"),
            format!("GET / HTTP/1.1\r\nHost : {GOOD}\r\nHost: {other}\r\n"),
            format!("CONNECT {other} HTTP/1.1\r\nHost: {GOOD}\r\n"),
            format!("OPTIONS * HTTP/1.1\r\nHost: {other}\r\n"),
        ] {
            let reply = snare.ask(&format!("{head}Connection: close\r\n\r\n")).await;
            assert!(
                matches!(status(&reply), 0 | 400 | 403),
                "{head:?}: {}",
                text(&reply)
            );
            dialled += 1;
        }
    }
    assert_eq!((dialled, snare.log.lock().unwrap().len()), (162, 0));
    snare.check_nothing_else_was_reached(dialled);
}

/// A client that follows redirects is decided afresh for each: the gateway itself follows none.
// NW-03
#[tokio::test]
async fn nw_03_a_redirect_that_is_followed_is_decided_afresh() {
    let next = Arc::<Mutex<String>>::default();
    let location = next.clone();
    let (origin, log) = servers::strict(move |request| {
        if request.starts_with(b"GET /again") {
            return servers::ok(b"good");
        }
        let location = location.lock().unwrap().clone();
        format!("HTTP/1.1 302 Go\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n").into_bytes()
    });
    let snare = Snare::with(origin, log);
    let port = snare.port;
    let places = [
        "169.254.169.254",
        "127.0.0.1",
        "0x7f.1",
        "[::1]",
        "[::ffff:10.0.0.1]",
        "localhost",
        "10.0.0.1",
        "metadata.google.internal",
        "evil.test",
        "sub.good.test",
        "8.8.8.8",
        "good.test.evil.test",
    ];
    let mut dialled = 0;
    for place in places {
        for location in [
            format!("http://{place}/latest/"),
            format!("https://{place}/"),
            format!("http://{place}:{port}/"),
            format!("//{place}:{port}/"),
            format!("http://{GOOD}@{place}/"),
        ] {
            next.lock().unwrap().clone_from(&location);
            let reply = snare
                .ask(&format!(
                    "GET / HTTP/1.1\r\nHost: {GOOD}\r\nConnection: close\r\n\r\n"
                ))
                .await;
            dialled += 1;
            assert_eq!(status(&reply), 302, "{location}");
            // What a client does: it reads the field, beside the URL that it had, and connects.
            let reply = text(&reply);
            let field = reply
                .lines()
                .find_map(|line| line.strip_prefix("Location: "))
                .unwrap();
            let base = url::Url::parse(&format!("http://{GOOD}/")).unwrap();
            let whole = base.join(field).unwrap();
            assert!(
                snare.world.network.check(whole.as_str(), "GET").is_err(),
                "{whole}"
            );
            let host = Host::parse(whole.host_str().unwrap()).unwrap();
            let port = whole.port_or_known_default().unwrap();
            let refusal = snare.world.connect_to(host, port).await.unwrap_err();
            assert_eq!(refusal.errno, Errno::Access, "{whole}");
        }
    }
    assert_eq!(dialled, 60);
    // Schemes of no connection are refused where they are asked for.
    for location in [
        "file:///etc/passwd",
        "gopher://good.test/",
        "ftp://good.test/",
        "tcp://good.test:80",
    ] {
        assert!(
            snare.world.network.check(location, "GET").is_err(),
            "{location}"
        );
    }
    // A redirect to where the rules lead is followed like any other request.
    *next.lock().unwrap() = format!("http://{GOOD}/again");
    let reply = snare
        .ask(&format!(
            "GET /again HTTP/1.1\r\nHost: {GOOD}\r\nConnection: close\r\n\r\n"
        ))
        .await;
    assert!(text(&reply).ends_with("good"));
    snare.check_nothing_else_was_reached(dialled + 1);
}

/// Whatever some program could take for the host of a URL: all its pieces, with and without what
/// could be a port.
fn readings(url: &str) -> Vec<String> {
    let mut all = Vec::new();
    let whole = url::Url::parse(url);
    all.extend(whole.ok().and_then(|url| url.host_str().map(str::to_owned)));
    for piece in url.split([
        '/', '\\', '@', '#', '?', '&', ';', ',', ' ', '\t', '\r', '\n', '\0', '|',
    ]) {
        for piece in [Some(piece), piece.rsplit_once(':').map(|(host, _)| host)] {
            all.extend(
                piece
                    .filter(|piece| !piece.is_empty() && piece.len() < 2_000)
                    .map(str::to_owned),
            );
        }
    }
    all
}

/// What stands where the host of a URL does.
fn authority(url: &str) -> &str {
    let rest = url.split_once("//").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// RFC 3986's reading, by hand: the host is what is behind the last `@` and before the port.
fn is_plainly_good(url: &str) -> bool {
    let address = authority(url);
    let address = address
        .rsplit_once('@')
        .map_or(address, |(_, address)| address);
    let name = address.split(':').next().unwrap_or_default();
    Host::parse(name).is_ok_and(|host| Snare::is_good(&host))
}
