//! TLS that the gateway ends for a guest, and secrets on their way through it.

mod support;

use std::io::{Read, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::event::Event;
use codepod_gateway::net::client_cert;
use codepod_gateway::network::Deciding;
use codepod_gateway::policy::{ClientCert, TlsSpec};
use codepod_gateway::secrets::{HostKey, SecretSpec, Secrets};
use support::cptls_client::{Failed, Shaken, shake, talk, talk_and_close};
use support::servers::{
    Ca, Identity, Log, clients_of, config_for, ok, self_signed, strict, strict_tls,
};
use support::{World, status, text};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const ALPN: (u8, &[u8]) = (hello::ALPN, b"http/1.1");

/// A rule whose servers are checked by the roots of `ca`.
fn trusting(rule: &str, ca: &Ca) -> RuleSpec {
    RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from(rule)
    }
}

async fn shaken(
    world: &World,
    name: &str,
    fields: &[(u8, &[u8])],
) -> Result<(DuplexStream, Shaken), Failed> {
    let mut guest = world.connect(name, 443).await.unwrap();
    let shaken = tokio::time::timeout(support::PATIENCE, shake(&mut guest, name, fields))
        .await
        .unwrap();
    shaken.map(|shaken| (guest, shaken))
}

#[tokio::test]
async fn a_guest_sees_the_real_certificate_and_the_server_a_real_client() {
    let ca = Ca::new("ours");
    let identity = ca.sign("api.test", |_| {});
    let (origin, log) = strict_tls(&identity, &[b"h2", b"http/1.1"], |_| ok(b"over tls"));
    let world = World::with_rules(
        vec![trusting("api.test", &ca)],
        &[("api.test", origin)],
        |_| {},
    );
    let (guest, shaken) = shaken(&world, "api.test", &[(hello::ALPN, b"h2"), ALPN])
        .await
        .unwrap();
    assert_eq!(
        (shaken.version, shaken.alpn.as_deref()),
        (0x304, Some(&b"http/1.1"[..]))
    );
    assert_eq!(shaken.chain, [identity.certificate]);
    assert!(shaken.cipher.starts_with("TLS13_"), "{}", shaken.cipher);
    let (reply, closed) = talk(
        guest,
        b"GET /x HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(
        closed && status(&reply) == 200 && text(&reply).ends_with("over tls"),
        "{}",
        text(&reply)
    );
    assert_eq!(
        text(&log.lock().unwrap()[0]),
        "GET /x HTTP/1.1\r\nHost: api.test\r\n\r\n"
    );
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (event.url.as_str(), event.tls, event.status),
        ("https://api.test/x", Some("TLSv1.3"), Some(200))
    );
}

#[tokio::test]
async fn versions_and_protocols_are_those_the_guest_asks_for() {
    let ca = Ca::new("ours");
    let identity = ca.sign("api.test", |_| {});
    let (origin, _) = strict_tls(&identity, &[b"smtp"], |_| ok(b""));
    let world = World::with_rules(
        vec![trusting("tls://api.test:443", &ca)],
        &[("api.test", origin)],
        |_| {},
    );
    let (_, twelve) = shaken(
        &world,
        "api.test",
        &[(hello::MAX_VERSION, &[3, 3]), (hello::ALPN, b"smtp")],
    )
    .await
    .unwrap();
    assert_eq!(
        (twelve.version, twelve.alpn.as_deref()),
        (0x303, Some(&b"smtp"[..]))
    );
    let (_, none) = shaken(&world, "api.test", &[]).await.unwrap();
    assert_eq!((none.version, none.alpn), (0x304, None));
    let old = shaken(&world, "api.test", &[(hello::MAX_VERSION, &[3, 2])])
        .await
        .unwrap_err();
    assert!(old.text.contains("TLS 1.2 and 1.3"), "{old:?}");
    let alert = shaken(&world, "api.test", &[(hello::ALPN, b"h2")])
        .await
        .unwrap_err();
    assert_eq!(alert.alert, Some(120), "no_application_protocol: {alert:?}");
}

/// What OpenSSL says of the certificate of a server, as the number of the error.
async fn openssl(origin: SocketAddr, ca: &Ca) -> u32 {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &ca.pem).unwrap();
    let output = tokio::process::Command::new("openssl")
        .args([
            "s_client",
            "-connect",
            &origin.to_string(),
            "-servername",
            "api.test",
            "-verify_hostname",
            "api.test",
            "-no-CApath",
            "-no-CAstore",
            // The first error, which is what programs see, and not the last.
            "-verify_return_error",
            "-CAfile",
        ])
        .arg(file.path())
        .stdin(std::process::Stdio::null())
        .output()
        .await
        .unwrap();
    let output = text(&output.stdout);
    let line = output
        .lines()
        .find(|line| line.trim_start().starts_with("Verify return code:"))
        .unwrap();
    line.split([':', '('])
        .nth(1)
        .unwrap()
        .trim()
        .parse()
        .unwrap()
}

/// Certificates that are not to be trusted: the number is OpenSSL's own, and nothing that a guest
/// sends makes them good.
// NW-14
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_14_a_bad_certificate_ends_the_connection_with_openssls_number() {
    let (ca, other) = (Ca::new("ours"), Ca::new("another"));
    let year = rcgen::date_time_ymd;
    let bad: Vec<(&str, Identity)> = vec![
        (
            "expired",
            ca.sign("api.test", |params| params.not_after = year(2020, 1, 1)),
        ),
        (
            "not yet",
            ca.sign("api.test", |params| params.not_before = year(2300, 1, 1)),
        ),
        ("another name", ca.sign("other.test", |_| {})),
        ("a wildcard of another level", ca.sign("*.api.test", |_| {})),
        ("self-signed", self_signed("api.test")),
        ("an unknown authority", other.sign("api.test", |_| {})),
        (
            "for clients",
            ca.sign("api.test", |params| {
                params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth]
            }),
        ),
    ];
    let mut numbers = Vec::new();
    for (what, identity) in &bad {
        let (origin, log) = strict_tls(identity, &[], |_| ok(b""));
        let expected = openssl(origin, &ca).await;
        let world = World::with_rules(
            vec![trusting("api.test", &ca)],
            &[("api.test", origin)],
            |_| {},
        );
        let guests: [&[(u8, &[u8])]; 3] = [
            &[],
            &[(hello::ROOT, &other.der)],
            &[(hello::ROOT, &identity.certificate)],
        ];
        for fields in guests {
            let failed = shaken(&world, "api.test", fields).await.unwrap_err();
            assert_eq!(failed.verify, Some(expected), "{what}: {failed:?}");
        }
        assert_eq!(log.lock().unwrap().len(), 0, "{what}");
        assert!(
            world
                .requests(3)
                .await
                .iter()
                .all(|event| event.failure.is_some())
        );
        numbers.push(expected);
    }
    assert_eq!(numbers, [10, 9, 62, 62, 18, 20, 26]);
}

// NW-14
#[tokio::test]
async fn nw_14_roots_of_a_guest_narrow_and_never_widen() {
    let (ca, other) = (Ca::new("ours"), Ca::new("another"));
    let identity = ca.sign("api.test", |_| {});
    let (origin, _) = strict_tls(&identity, &[], |_| ok(b""));
    let trusted = World::with_rules(
        vec![trusting("api.test", &ca)],
        &[("api.test", origin)],
        |_| {},
    );
    assert!(
        shaken(&trusted, "api.test", &[(hello::ROOT, &ca.der)])
            .await
            .is_ok()
    );
    assert!(
        shaken(
            &trusted,
            "api.test",
            &[(hello::ROOT, &other.der), (hello::ROOT, &ca.der)]
        )
        .await
        .is_ok()
    );
    assert_eq!(
        shaken(&trusted, "api.test", &[(hello::ROOT, &other.der)])
            .await
            .unwrap_err()
            .verify,
        Some(20)
    );
    assert_eq!(
        shaken(&trusted, "api.test", &[(hello::ROOT, b"no certificate")])
            .await
            .unwrap_err()
            .verify,
        Some(20)
    );
    // Those that libraries bring with them mean what the rule says; a choice of them does not.
    let public: Vec<(u8, &[u8])> = webpki_root_certs::TLS_SERVER_ROOT_CERTS
        .iter()
        .map(|der| (hello::ROOT, der.as_ref()))
        .collect();
    assert!(shaken(&trusted, "api.test", &public).await.is_ok());
    assert_eq!(
        shaken(&trusted, "api.test", &public[..public.len() / 3])
            .await
            .unwrap_err()
            .verify,
        Some(20)
    );
    // By Mozilla's roots this server is nobody's, whatever the guest trusts.
    let by_default = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    for fields in [&[][..], &[(hello::ROOT, &ca.der[..])], &public] {
        assert_eq!(
            shaken(&by_default, "api.test", fields)
                .await
                .unwrap_err()
                .verify,
            Some(20)
        );
    }
}

// NW-08
#[tokio::test]
async fn nw_08_tls_for_another_name_is_denied() {
    let ca = Ca::new("ours");
    let (origin, log) = strict_tls(&ca.sign("evil.test", |_| {}), &[], |_| ok(b""));
    let world = World::with_rules(
        vec![trusting("api.test", &ca)],
        &[("api.test", origin)],
        |_| {},
    );
    for name in [
        "evil.test",
        "api.test.evil.test",
        "127.0.0.1",
        "api.test:443",
        "api.test\0.evil.test",
    ] {
        let mut guest = world.connect("api.test", 443).await.unwrap();
        let failed = shake(&mut guest, name, &[]).await.unwrap_err();
        assert!(failed.text.contains("another name"), "{name}: {failed:?}");
    }
    let mut guest = world.connect("api.test", 443).await.unwrap();
    let failed = shake(&mut guest, "API.test.", &[]).await.unwrap_err();
    assert_eq!(
        failed.verify,
        Some(62),
        "the name is right, the certificate is not"
    );
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_scheme_that_no_rule_allows_is_denied_in_both_directions() {
    let ca = Ca::new("ours");
    let (origin, _) = strict_tls(&ca.sign("api.test", |_| {}), &[], |_| ok(b""));
    let plain_only = World::new(&["http://api.test:443"], &[("api.test", origin)], |_| {});
    let failed = shaken(&plain_only, "api.test", &[]).await.unwrap_err();
    assert!(
        failed.text.contains("rule 1 of allowed_hosts"),
        "{failed:?}"
    );
    let (origin, log) = strict(|_| ok(b""));
    let tls_only = World::new(&["https://api.test"], &[("api.test", origin)], |_| {});
    let reply = tls_only
        .exchange(
            "api.test",
            443,
            b"GET / HTTP/1.1\r\nHost: api.test:443\r\nConnection: close\r\n\r\n",
        )
        .await;
    assert_eq!(status(&reply), 403);
    let raw = World::new(&["tls://api.test:443"], &[("api.test", origin)], |_| {});
    assert!(
        raw.exchange("api.test", 443, b"plain text")
            .await
            .is_empty()
    );
    // TLS of the guest's own cannot be looked into.
    assert!(
        tls_only
            .exchange("api.test", 443, &[0x16, 3, 1, 0, 5, 1, 0, 0, 1, 3])
            .await
            .is_empty()
    );
    let Some(Event::Denied(event)) = tls_only.events().pop() else {
        panic!()
    };
    assert!(
        event.denial.reason.contains("TLS from inside"),
        "{}",
        event.denial
    );
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_handshake_that_hangs_ends() {
    let origin = support::servers::serve(|stream| {
        std::thread::park();
        drop(stream);
    });
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.timeouts.tls = Duration::from_millis(200)
    });
    let failed = shaken(&world, "api.test", &[]).await.unwrap_err();
    assert_eq!(failed.text, "the handshake took too long");
}

/// A server with which STARTTLS is needed: a greeting, the answer to one line, then TLS, in which
/// it sends a line back. `more` follows its answer, before TLS.
fn starttls(identity: &Identity, more: &'static [u8]) -> SocketAddr {
    let config = support::servers::config(identity, &[]);
    support::servers::serve(move |mut stream| {
        stream.write_all(b"220 ready\r\n").unwrap();
        let mut line = [0; 10];
        if stream.read_exact(&mut line).is_err() || &line != b"STARTTLS\r\n" {
            return;
        }
        stream.write_all(&[b"220 go\r\n", more].concat()).unwrap();
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        let mut line = [0; 6];
        if stream.read_exact(&mut line).is_ok() {
            stream.write_all(&line).unwrap();
            stream.conn.send_close_notify();
            stream.flush().unwrap();
        }
    })
}

/// Reads bytes that must be there.
async fn expect(guest: &mut DuplexStream, bytes: &[u8]) {
    let mut read = vec![0; bytes.len()];
    let whole = guest.read_exact(&mut read);
    tokio::time::timeout(support::PATIENCE, whole)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(text(&read), text(bytes));
}

/// A mail server that sends `more` behind its answer to `STARTTLS`, and who it is.
fn mail(more: &'static [u8]) -> (World, Identity) {
    let ca = Ca::new("ours");
    let identity = ca.sign("mail.test", |_| {});
    let world = World::with_rules(
        vec![trusting("tcp://mail.test:25", &ca)],
        &[("mail.test", starttls(&identity, more))],
        |_| {},
    );
    (world, identity)
}

/// A connection on which a server has agreed to TLS.
async fn asked_for_tls(world: &World) -> DuplexStream {
    let mut guest = world.connect("mail.test", 25).await.unwrap();
    expect(&mut guest, b"220 ready\r\n").await;
    guest.write_all(b"STARTTLS\r\n").await.unwrap();
    expect(&mut guest, b"220 go\r\n").await;
    guest
}

#[tokio::test]
async fn tls_can_be_asked_for_on_the_way_where_a_rule_is_for_tcp() {
    let (world, identity) = mail(b"");
    let mut guest = asked_for_tls(&world).await;
    let shaken = shake(&mut guest, "mail.test", &[]).await.unwrap();
    assert_eq!(shaken.chain, *std::slice::from_ref(&identity.certificate));
    let (reply, closed) = talk(guest, b"hello\n").await;
    assert!(closed && reply == b"hello\n", "{}", text(&reply));
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (event.url.as_str(), event.tls),
        ("tcp://mail.test:25", Some("TLSv1.3"))
    );
    assert_eq!((event.bytes_out, event.bytes_in), (16, 25));

    let mut guest = asked_for_tls(&world).await;
    let failed = shake(&mut guest, "other.test", &[]).await.unwrap_err();
    assert!(failed.text.contains("another name"), "{failed:?}");
}

#[tokio::test]
async fn a_guest_that_begins_with_a_hello_has_tls_where_a_rule_is_for_tcp() {
    let ca = Ca::new("ours");
    let identity = ca.sign("mail.test", |_| {});
    let (origin, _) = strict_tls(&identity, &[], |_| ok(b"over tls"));
    let world = World::with_rules(
        vec![trusting("tcp://mail.test:443", &ca)],
        &[("mail.test", origin)],
        |_| {},
    );
    let (guest, _) = shaken(&world, "mail.test", &[]).await.unwrap();
    // The server keeps the connection for a next request, so the guest ends it.
    let (reply, _) = talk_and_close(guest, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await;
    assert!(text(&reply).contains("over tls"), "{}", text(&reply));
}

/// What was not answered is not followed by a handshake: a hello there is bytes like others.
#[tokio::test]
async fn a_hello_that_does_not_wait_for_an_answer_goes_to_the_server() {
    let (origin, log) = strict(|_| ok(b"plain"));
    let world = World::new(&["tcp://a.test:1"], &[("a.test", origin)], |_| {});
    let request = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 13\r\n\r\n";
    let mut guest = world.connect("a.test", 1).await.unwrap();
    guest.write_all(request).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    guest
        .write_all(b"\x16CPTLS\x01\x01\0\0\x02xy")
        .await
        .unwrap();
    let head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nplain";
    expect(&mut guest, head).await;
    assert!(log.lock().unwrap()[0].ends_with(b"\x16CPTLS\x01\x01\0\0\x02xy"));
}

#[tokio::test]
async fn a_magic_in_pieces_is_one() {
    let (world, _) = mail(b"");
    let mut guest = asked_for_tls(&world).await;
    for byte in b"\x16CPTLS\x01\x01\0\0\x0d\x01\0\0\x09mail.test" {
        guest.write_all(&[*byte]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut record = [0];
    guest.read_exact(&mut record).await.unwrap();
    assert_eq!(record, [2], "a reply");
}

/// What a server, or somebody on the way, sends behind its answer is not part of what follows.
#[tokio::test]
async fn what_is_still_on_its_way_when_a_handshake_begins_ends_the_connection() {
    static MORE: [u8; 300_000] = [b'+'; 300_000];
    let (world, _) = mail(&MORE);
    let guest = asked_for_tls(&world).await;
    // The rest does not fit into the guest's buffer.
    while world.network.budget().usage().bytes_in <= 64 * 1024 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let hello = b"\x16CPTLS\x01\x01\0\0\x0d\x01\0\0\x09mail.test";
    let seen = support::talk(guest, hello).await;
    assert!(seen.iter().all(|byte| *byte == b'+'), "{}", text(&seen));
    let event = world.requests(1).await.remove(0);
    assert!(
        event
            .failure
            .as_deref()
            .unwrap_or_default()
            .contains("before the handshake"),
        "{event:?}"
    );
}

const SECRET: &str = "sk-live+CANARY/0123456789abcdefghijklmnop==";

/// A sandbox with one secret that is bound to `api.test`, where a server answers with `reply`.
fn with_secret(
    reply: impl Fn(&[u8]) -> Vec<u8> + Send + Sync + 'static,
    change: impl FnOnce(&mut SecretSpec),
) -> (World, Log, String) {
    let ca = Ca::new("ours");
    let identity = ca.sign("api.test", |params| {
        params
            .subject_alt_names
            .push(rcgen::SanType::DnsName("evil.test".try_into().unwrap()));
    });
    let (origin, log) = strict_tls(&identity, &[], reply);
    let mut spec = SecretSpec::new("TOKEN", SECRET, &["https://api.test"]);
    change(&mut spec);
    let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "test").unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let rules = vec![
        trusting("api.test", &ca),
        trusting("evil.test", &ca),
        "tcp://raw.test:9".into(),
    ];
    let world = World::with_rules(
        rules,
        &[
            ("api.test", origin),
            ("evil.test", origin),
            ("raw.test", origin),
        ],
        |options| {
            options.secrets = Arc::new(secrets);
        },
    );
    (world, log, placeholder)
}

async fn request(world: &World, host: &str, request: &str) -> String {
    let (guest, _) = shaken(world, host, &[ALPN]).await.unwrap();
    text(&talk(guest, request.as_bytes()).await.0)
}

// NW-13
#[tokio::test]
async fn nw_13_a_secret_reaches_its_host_and_its_echo_does_not_come_back() {
    let (world, log, placeholder) = with_secret(
        |request| {
            // An echo of everything, in the head and in the body, plain and encoded.
            let seen = text(request);
            let line = seen.lines().next().unwrap();
            let authorization = seen
                .lines()
                .find_map(|line| line.strip_prefix("Authorization: "))
                .unwrap_or_default();
            let body = format!(
                "{seen}\n{}\n{}",
                STANDARD.encode(seen.rsplit("\r\n").next().unwrap()),
                seen.replace('/', "\\/")
            );
            format!(
            "HTTP/1.1 200 OK\r\nX-Echo: {authorization}\r\nX-Line: {line}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
        .into_bytes()
        },
        |spec| spec.places.body = true,
    );
    let basic = STANDARD.encode(format!("me:{placeholder}"));
    let body = format!("before {placeholder} after");
    let length = body.len();
    let sent = format!(
        "POST /v1?key={placeholder}&b=2 HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer {placeholder}\r\nX-Basic: Basic {basic}\r\nAccept-Encoding: gzip\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    );
    let reply = request(&world, "api.test", &sent).await;
    let seen = text(&log.lock().unwrap()[0]);
    let real_basic = STANDARD.encode(format!("me:{SECRET}"));
    assert_eq!(
        seen,
        format!(
            "POST /v1?key=sk-live%2BCANARY%2F0123456789abcdefghijklmnop%3D%3D&b=2 HTTP/1.1\r\nHost: api.test\r\nAuthorization: Bearer {SECRET}\r\nX-Basic: Basic {real_basic}\r\nAccept-Encoding: identity\r\nContent-Length: {length}\r\n\r\nbefore {SECRET} after"
        )
    );
    assert_eq!(status(reply.as_bytes()), 200);
    assert!(
        reply.contains(&format!("X-Echo: Bearer {placeholder}\r\n"))
            && reply.contains(&format!("key={placeholder}&b=2")),
        "{reply}"
    );
    assert!(
        reply.contains(&format!("before {placeholder} after")),
        "{reply}"
    );
    // Nothing that comes back or is told has the value, in any of these forms.
    let told = format!(
        "{reply}{:?}{:?}{:?}",
        world.events(),
        world.network,
        world.network.deciding().secrets
    );
    for canary in ["CANARY", "Q0FOQVJZ", "NBTkFSW", "DQU5BUl"] {
        assert!(!told.contains(canary), "{canary}: {told}");
    }
    let event = world.requests(1).await.remove(0);
    assert_eq!(
        (event.secrets, event.url.as_str()),
        (vec!["TOKEN".into()], "https://api.test/v1?key=…&b=…")
    );
}

// NW-13
#[tokio::test]
async fn nw_13_a_placeholder_to_anybody_else_is_a_leak() {
    let (world, log, placeholder) = with_secret(|_| ok(b""), |_| {});
    let basic = STANDARD.encode(format!("x{placeholder}"));
    let head = |line: &str, fields: &str| {
        format!("{line} HTTP/1.1\r\nHost: evil.test\r\n{fields}Connection: close\r\n\r\n")
    };
    let chunks = placeholder
        .bytes()
        .map(|b| format!("1\r\n{}\r\n", char::from(b)))
        .collect::<String>();
    let leaks = [
        head(&format!("GET /?k={placeholder}"), ""),
        head(&format!("GET /{placeholder}"), ""),
        head("GET /", &format!("Authorization: Bearer {placeholder}\r\n")),
        head("GET /", &format!("Authorization: Basic {basic}\r\n")),
        head(
            "GET /",
            &format!("X: {}\r\n", placeholder.replace('-', "%2D")),
        ),
        head(
            "POST /",
            &format!("Content-Length: {}\r\n", placeholder.len()),
        ) + &placeholder,
        head("POST /", "Transfer-Encoding: chunked\r\n") + &chunks + "0\r\n\r\n",
        head("POST /", &format!("Content-Length: {}\r\n", basic.len())) + &basic,
    ];
    let mut leaked = 0;
    for leak in &leaks {
        let reply = request(&world, "evil.test", leak).await;
        assert!(
            status(reply.as_bytes()) == 403 && reply.contains("the secret `TOKEN` is not bound"),
            "{leak}: {reply}"
        );
        leaked += 1;
    }
    assert_eq!(leaked, 8);
    let raw = world
        .exchange(
            "raw.test",
            9,
            format!("hello {placeholder} there").as_bytes(),
        )
        .await;
    assert!(raw.is_empty());
    world.requests(4).await;
    let mut told = 0;
    for event in world.events() {
        if let Event::SecretLeak { secret, host, .. } = event {
            assert!(&*secret == "TOKEN" && (host == "evil.test" || host == "raw.test"));
            told += 1;
        }
    }
    assert_eq!(told, leaked + 1);
    for seen in log.lock().unwrap().iter() {
        assert!(
            !text(seen).contains(&placeholder) && !text(seen).contains("CANARY"),
            "{}",
            text(seen)
        );
    }
}

// NW-13
#[tokio::test]
async fn nw_13_what_cannot_be_searched_is_refused() {
    let (world, log, _) = with_secret(
        |_| b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nzzzz".to_vec(),
        |spec| spec.places.body = true,
    );
    let reply = request(
        &world,
        "api.test",
        "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n",
    )
    .await;
    assert!(
        status(reply.as_bytes()) == 502 && !reply.contains("zzzz"),
        "{reply}"
    );
    let compressed = "POST / HTTP/1.1\r\nHost: api.test\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\nConnection: close\r\n\r\nzzzz";
    let reply = request(&world, "api.test", compressed).await;
    assert!(
        status(reply.as_bytes()) == 403 && reply.contains("compressed"),
        "{reply}"
    );
    assert_eq!(log.lock().unwrap().len(), 1);
}

// NW-13
#[tokio::test]
async fn nw_13_a_value_goes_over_no_plain_connection() {
    let (origin, log) = strict(|_| ok(b""));
    let secrets = Secrets::new(
        &[SecretSpec::new("TOKEN", SECRET, &["api.test"])],
        &HostKey::new([1; 32]),
        "",
    )
    .unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.secrets = Arc::new(secrets)
    });
    let sent = format!(
        "GET / HTTP/1.1\r\nHost: api.test\r\nX: {placeholder}\r\nConnection: close\r\n\r\n"
    );
    assert_eq!(
        status(&world.exchange("api.test", 80, sent.as_bytes()).await),
        403
    );
    assert_eq!(log.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn a_rotated_value_is_used_from_the_next_request_on() {
    let (world, log, placeholder) = with_secret(|_| ok(b""), |_| {});
    let sent = format!(
        "GET / HTTP/1.1\r\nHost: api.test\r\nX: {placeholder}\r\nConnection: close\r\n\r\n"
    );
    request(&world, "api.test", &sent).await;
    let spec = SecretSpec::new("TOKEN", "another value, and longer", &["https://api.test"]);
    let rotated = Secrets::new(&[spec], &HostKey::new([2; 32]), "test").unwrap();
    let deciding = world.network.deciding();
    world.network.decide_by(Deciding {
        secrets: Arc::new(rotated.in_place_of(&deciding.secrets)),
        ..Deciding::clone(&deciding)
    });
    request(&world, "api.test", &sent).await;
    let seen: Vec<String> = log
        .lock()
        .unwrap()
        .iter()
        .map(|request| text(request))
        .collect();
    assert!(
        seen[0].contains(&format!("X: {SECRET}\r\n"))
            && seen[1].contains("X: another value, and longer\r\n"),
        "{seen:?}"
    );
}

// NW-14
#[tokio::test]
async fn nw_14_any_certificate_is_taken_where_the_rule_says_so_and_no_secret_goes_there() {
    let identity = self_signed("other.test");
    let (origin, log) = strict_tls(&identity, &[], |_| ok(b"whoever"));
    let spec = SecretSpec::new("TOKEN", SECRET, &["https://api.test"]);
    let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let rule = RuleSpec {
        tls: TlsSpec {
            insecure: true,
            ..TlsSpec::default()
        },
        ..RuleSpec::from("api.test")
    };
    let world = World::with_rules(vec![rule], &[("api.test", origin)], |options| {
        options.secrets = Arc::new(secrets);
    });
    let plain = "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n";
    let reply = request(&world, "api.test", &format!("{plain}\r\n")).await;
    assert!(reply.ends_with("whoever"), "{reply}");
    let event = world.requests(1).await.remove(0);
    assert!(event.insecure && event.tls.is_some());
    let leak = format!("{plain}Authorization: Bearer {placeholder}\r\n\r\n");
    let reply = request(&world, "api.test", &leak).await;
    assert_eq!(status(reply.as_bytes()), 403);
    assert_eq!(log.lock().unwrap().len(), 1);
    // Roots that a guest brings decide for that guest.
    let narrowed = shaken(
        &world,
        "api.test",
        &[(hello::ROOT, &Ca::new("its own").der)],
    )
    .await;
    assert!(narrowed.unwrap_err().verify.is_some());
    let check = |url: &str| world.network.check(url, "GET").unwrap().tls.insecure;
    assert!(check("https://api.test/") && !check("http://api.test/"));
}

/// A server that takes clients of `ca` only.
fn for_clients(ca: &Ca, identity: &Identity) -> (SocketAddr, Log) {
    let config = config_for(identity, &[], clients_of(ca).build().unwrap());
    let log = Log::default();
    let own = log.clone();
    let at = support::servers::serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        while let Some(request) = support::servers::read_request(&mut stream) {
            let shown = stream.conn.peer_certificates().unwrap()[0].to_vec();
            own.lock().unwrap().push(shown);
            assert!(!request.is_empty());
            let _ = stream
                .write_all(&ok(b"known"))
                .and_then(|()| stream.flush());
        }
    });
    (at, log)
}

#[tokio::test]
async fn a_certificate_of_a_rule_is_shown_to_its_server_and_not_to_the_guest() {
    let ca = Ca::new("ours");
    let usage = |params: &mut rcgen::CertificateParams| {
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth]
    };
    let (client, guests) = (ca.sign("client.test", usage), ca.sign("guest.test", usage));
    let (origin, log) = for_clients(&ca, &ca.sign("api.test", |_| {}));
    let pem = |label: &str, der: &[u8]| {
        let text = STANDARD.encode(der);
        format!("-----BEGIN {label}-----\n{text}\n-----END {label}-----\n")
    };
    let certificate = pem("CERTIFICATE", &client.certificate);
    let key = pem("PRIVATE KEY", &client.key);
    let own = client_cert(certificate.as_bytes(), key.as_bytes()).unwrap();
    assert_eq!(own.chain, std::slice::from_ref(&client.certificate));
    assert!(client_cert(b"", key.as_bytes()).is_err());
    assert!(client_cert(certificate.as_bytes(), b"").is_err());
    let mut rule = trusting("api.test", &ca);
    rule.tls.client_cert = Some(own);
    let shown = format!("{rule:?}");
    let with = World::with_rules(vec![rule], &[("api.test", origin)], |_| {});
    let plain = "GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";
    let reply = request(&with, "api.test", plain).await;
    assert!(reply.ends_with("known"), "{reply}");
    // It is shown also where the guest has one of its own.
    let fields: [(u8, &[u8]); 3] = [
        ALPN,
        (hello::CERTIFICATE, &guests.certificate),
        (hello::KEY, &guests.key),
    ];
    let (guest, _) = shaken(&with, "api.test", &fields).await.unwrap();
    assert!(text(&talk(guest, plain.as_bytes()).await.0).ends_with("known"));
    assert_eq!(
        *log.lock().unwrap(),
        [client.certificate.clone(), client.certificate]
    );
    let told = format!("{shown}{:?}{:?}", with.events(), with.network.policy());
    let digits = client
        .key
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>();
    assert!(!told.contains(&digits[..8].join(", ")), "{told}");
    // Without one the server takes nobody.
    let without = World::with_rules(
        vec![trusting("api.test", &ca)],
        &[("api.test", origin)],
        |_| {},
    );
    if let Ok((guest, _)) = shaken(&without, "api.test", &[ALPN]).await {
        assert_eq!(text(&talk(guest, plain.as_bytes()).await.0), "");
    }
    assert_eq!(log.lock().unwrap().len(), 2);
}

#[test]
fn a_rule_that_takes_any_certificate_has_nothing_to_show() {
    let mut rule = RuleSpec::from("api.test");
    rule.tls.insecure = true;
    let read = |rule: &RuleSpec| {
        let spec = codepod_gateway::PolicySpec {
            allowed_hosts: Some(vec![rule.clone()]),
            ..codepod_gateway::PolicySpec::default()
        };
        codepod_gateway::Policy::new(&spec, 1).map(|_| ())
    };
    assert!(read(&rule).is_ok());
    let mut with_roots = rule.clone();
    with_roots.tls.roots = Some(vec![]);
    rule.tls.client_cert = Some(ClientCert {
        chain: vec![],
        key: vec![].into(),
    });
    for rule in [rule, with_roots] {
        let why = read(&rule).unwrap_err().to_string();
        assert!(why.contains("`insecure`"), "{why}");
    }
}
