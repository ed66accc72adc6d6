//! Servers whose TLS is garbage, has no end, or carries too much.

mod support;

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use codepod_gateway::RuleSpec;
use codepod_gateway::policy::TlsSpec;
use rustls::pki_types::CertificateDer;
use support::cptls_client::{Failed, Shaken, shake, talk};
use support::servers::{self, Ca, config};
use support::{PATIENCE, World, text};
use tokio::io::DuplexStream;

/// A sandbox that may reach a server at `origin`, whose certificate is checked by `ca`.
fn world(ca: &Ca, origin: SocketAddr, limit: Duration) -> World {
    let rule = RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from("api.test")
    };
    World::with_rules(vec![rule], &[("api.test", origin)], |options| {
        options.timeouts.tls = limit
    })
}

async fn shaken(world: &World) -> Result<(DuplexStream, Shaken), Failed> {
    let mut guest = world.connect("api.test", 443).await.unwrap();
    let shaken = tokio::time::timeout(PATIENCE, shake(&mut guest, "api.test", &[]));
    shaken.await.unwrap().map(|shaken| (guest, shaken))
}

/// Waits until no connection is open, of which `count` have failed.
async fn settled(world: &World, count: usize) {
    let events = world.requests(count).await;
    assert!(
        events
            .iter()
            .all(|event| event.failure.is_some() && event.status.is_none())
    );
    for _ in 0..6000 {
        if world.network.budget().usage().connections == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a connection is still open");
}

/// What comes of a handshake with a server that does `act` when it has a hello.
async fn against(
    limit: Duration,
    act: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> Failed {
    let origin = servers::serve(move |mut stream| {
        let _ = stream.read(&mut [0; 4096]);
        let _ = act(&mut stream);
        // What it has sent is read before the connection ends.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let world = world(&Ca::new("ours"), origin, limit);
    let failed = shaken(&world).await.unwrap_err();
    settled(&world, 1).await;
    failed
}

/// A record of TLS.
fn record(kind: u8, version: [u8; 2], payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u16).to_be_bytes();
    [&[kind], &version[..], &length, payload].concat()
}

/// The answer to a hello that chooses a version and a cipher, and nothing more.
fn server_hello(version: [u8; 2], cipher: [u8; 2]) -> Vec<u8> {
    let body = [&version[..], &[b'r'; 32], &[0], &cipher, &[0]].concat();
    let length = (body.len() as u32).to_be_bytes();
    record(22, version, &[&[2], &length[1..], &body].concat())
}

// NW-11
// NW-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_what_is_no_tls_ends_the_handshake() {
    let v12 = [3, 3];
    let unrecognized_name = record(21, v12, &[2, 112]);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("nothing", vec![]),
        (
            "plain http",
            b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n".to_vec(),
        ),
        ("a greeting", b"220 smtp.test ESMTP\r\n".to_vec()),
        ("zeros", vec![0; 4096]),
        (
            "bytes",
            (0..4096_u32).map(|i| (i * 31 % 251) as u8).collect(),
        ),
        (
            "SSL 2",
            b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10".to_vec(),
        ),
        ("an alert for the name", unrecognized_name),
        ("TLS 1.1", server_hello([3, 2], [0, 0x2f])),
        ("TLS 1.0", server_hello([3, 1], [0, 0x2f])),
        ("SSL 3", server_hello([3, 0], [0, 0x2f])),
        ("TLS 1.2 with a cipher of no use", server_hello(v12, [0, 0])),
        ("TLS 9", server_hello([9, 9], [0x13, 1])),
        (
            "a record that is too long",
            [&[22, 3, 3, 0xff, 0xff], &[0; 65_535][..]].concat(),
        ),
        (
            "data before a handshake",
            record(23, v12, b"HTTP/1.1 200 OK\r\n\r\n"),
        ),
        (
            "a hello of the client",
            record(22, v12, &[1, 0, 0, 2, 3, 3]),
        ),
        ("a hello that is cut", record(22, v12, &[2, 0, 0, 40, 3, 3])),
        (
            "a finish at once",
            record(22, v12, &[20, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        ),
        ("half a record", b"\x16\x03\x03\x40\x00abc".to_vec()),
    ];
    let count = cases.len();
    for (what, bytes) in cases {
        let failed = against(PATIENCE, move |s| s.write_all(&bytes)).await;
        assert!(!failed.text.is_empty(), "{what}");
        assert_ne!(failed.text, "the handshake took too long", "{what}");
        let expected = (what == "an alert for the name").then_some(112);
        assert_eq!(failed.alert, expected, "{what}: {failed:?}");
    }
    assert_eq!(count, 18);
}

// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_handshake_without_an_end_ends_in_time_or_by_its_size() {
    let v12 = [3, 3];
    // A message of 16 MiB, in records of 16 KiB.
    let mut first = vec![11, 0xff, 0xff, 0xff];
    first.resize(16_384, 0);
    let message = record(22, v12, &first);
    let floods: Vec<(&str, Vec<u8>)> = vec![
        ("changes of the cipher", record(20, v12, &[1])),
        ("requests for a hello", record(22, v12, &[0, 0, 0, 0])),
        ("empty records", record(22, v12, &[])),
        ("warnings", record(21, v12, &[1, 90])),
        ("a message that is too long", message),
        ("hellos", server_hello(v12, [0xc0, 0x2f])),
        (
            "certificates",
            [server_hello(v12, [0xc0, 0x2f]), record(22, v12, &first)].concat(),
        ),
        ("empty data", record(23, v12, &[])),
        (
            "keep-alives of another protocol",
            record(24, v12, &[1, 0, 0]),
        ),
    ];
    for (what, bytes) in floods {
        let bytes = bytes.repeat(1 + 16_384 / bytes.len());
        let failed = against(Duration::from_secs(1), move |s| {
            loop {
                s.write_all(&bytes)?;
            }
        })
        .await;
        assert!(!failed.text.is_empty(), "{what}");
    }
    // A byte now and then is no progress that counts.
    let whole = server_hello(v12, [0xc0, 0x2f]);
    let failed = against(Duration::from_millis(300), move |s| {
        for byte in whole.iter().cycle() {
            s.write_all(&[*byte])?;
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    })
    .await;
    assert_eq!(failed.text, "the handshake took too long");
}

/// A server with a chain of certificates that answers one request.
fn with_chain(ca: &Ca, more: Vec<Vec<u8>>) -> SocketAddr {
    let identity = ca.sign("api.test", |_| {});
    let chain: Vec<CertificateDer<'static>> = [vec![identity.certificate], more]
        .concat()
        .into_iter()
        .map(CertificateDer::from)
        .collect();
    let key = identity.key.try_into().unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    servers::serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        if servers::read_head(&mut stream).is_some() {
            let _ = stream.write_all(&servers::ok(b"over tls"));
            stream.conn.send_close_notify();
            let _ = stream.flush();
        }
    })
}

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";

// NW-11
// NW-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_chain_of_a_hundred_certificates_is_borne_or_refused() {
    let ca = Ca::new("ours");
    // A hundred that have nothing to do with it are passed over.
    let strangers: Vec<_> = (0..99)
        .map(|i| Ca::new(&format!("stranger {i}")).der)
        .collect();
    let origin = with_chain(&ca, strangers);
    let (guest, shaken_by) = shaken(&world(&ca, origin, PATIENCE)).await.unwrap();
    assert_eq!(shaken_by.chain.len(), 100);
    let (reply, _) = talk(guest, GET).await;
    assert!(text(&reply).ends_with("over tls"), "{}", text(&reply));

    // Nor do a hundred with the issuer's name and other keys make the search for one endless.
    let other = Ca::new("theirs");
    let alike: Vec<_> = (0..99).map(|_| Ca::new("theirs").der).collect();
    let world_of_alike = world(&ca, with_chain(&other, alike), PATIENCE);
    let failed = shaken(&world_of_alike).await.unwrap_err();
    assert!(failed.verify.is_some(), "{failed:?}");
    settled(&world_of_alike, 1).await;

    // Each signed by the one before it: deeper than anybody's chain is.
    let deep = deep_chain(&other, 99);
    let world_of_deep = world(&ca, with_chain(&other, deep), PATIENCE);
    let failed = shaken(&world_of_deep).await.unwrap_err();
    assert!(failed.verify.is_some(), "{failed:?}");
    settled(&world_of_deep, 1).await;

    // Of more than a message of TLS may have nothing is kept.
    let many: Vec<_> = vec![other.der.clone(); 400];
    assert!(many.iter().map(Vec::len).sum::<usize>() > 65_536);
    let world_of_many = world(&ca, with_chain(&ca, many), PATIENCE);
    let failed = shaken(&world_of_many).await.unwrap_err();
    assert!(
        failed.verify.is_none() && !failed.text.is_empty(),
        "{failed:?}"
    );
    settled(&world_of_many, 1).await;
}

/// Authorities, each signed by the next; the first one has the name and the key of `ca`.
fn deep_chain(ca: &Ca, length: usize) -> Vec<Vec<u8>> {
    let params = |name: &str| {
        let mut params = rcgen::CertificateParams::default();
        params.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(rcgen::DnType::CommonName, name);
        params.key_usages = vec![rcgen::KeyUsagePurpose::KeyCertSign];
        params
    };
    let mut chain = Vec::new();
    let mut issuer = None;
    for i in (0..length).rev() {
        let name = format!("authority {i}");
        let params = params(if i == 0 { "theirs" } else { &name });
        let own = rcgen::KeyPair::generate().unwrap();
        let certificate = match (&issuer, i) {
            (Some(issuer), 0) => params.signed_by(ca.issuer.key(), issuer),
            (Some(issuer), _) => params.signed_by(&own, issuer),
            (None, _) => params.self_signed(&own),
        };
        chain.push(certificate.unwrap().der().to_vec());
        issuer = Some(rcgen::Issuer::new(params, own));
    }
    chain.reverse();
    chain
}

/// A body that ends where the connection does is whole only if TLS says that it ended.
// NW-11
// NW-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_connection_that_is_cut_within_tls_is_no_end() {
    let ca = Ca::new("ours");
    let config = config(&ca.sign("api.test", |_| {}), &[]);
    for is_said in [false, true] {
        let config = config.clone();
        let origin = servers::serve(move |stream| {
            let session = rustls::ServerConnection::new(config.clone()).unwrap();
            let mut stream = rustls::StreamOwned::new(session, stream);
            let _ = servers::read_head(&mut stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nall that there is");
            if is_said {
                stream.conn.send_close_notify();
            }
            let _ = stream.flush();
        });
        let world = world(&ca, origin, PATIENCE);
        let (guest, _) = shaken(&world).await.unwrap();
        let (reply, closed) = talk(guest, GET).await;
        let is_whole = closed && text(&reply).ends_with("0\r\n\r\n");
        assert_eq!(
            is_whole || text(&reply).ends_with("all that there is") && closed,
            is_said,
            "{}",
            text(&reply)
        );
    }
}
