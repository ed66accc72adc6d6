//! Servers that are offline here: what was downloaded before is given, and nothing connects.

mod support;

use std::net::SocketAddr;

use codepod_abi::Errno;
use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::event::Event;
use codepod_gateway::net::{Downloads, DownloadsSpec};
use codepod_gateway::policy::TlsSpec;
use support::cptls_client::{Failed, Shaken, shake, talk};
use support::servers::{Ca, Log, strict, strict_tls};
use support::sharing::{asked, body, came, downloads, get, offline, sharing, with, world};
use support::{World, status, text};
use tokio::io::DuplexStream;

/// A server of pages that are old at once, and have another text each time.
fn pages() -> (SocketAddr, Log) {
    let number = std::sync::atomic::AtomicUsize::new(0);
    strict(move |_| {
        let number = number.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        let kind = "Content-Type: application/vnd.pypi.simple.v1+json\r\n";
        with(kind, format!("page {number}").as_bytes())
    })
}

fn failures(world: &World) -> Vec<String> {
    let events = world.events().into_iter();
    let failures = events.filter_map(|event| match event {
        Event::Request(event) => event.failure,
        Event::Denied(_) | Event::SecretLeak { .. } => None,
    });
    failures.collect()
}

#[tokio::test]
async fn what_is_kept_is_given_and_the_rest_is_a_504_that_says_what_is_missing() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = pages();
    let online = world(server, &downloads(place.path()));
    for page in ["page 0", "page 1"] {
        assert_eq!(text(body(&get(&online, "/simple/one/", "").await)), page);
    }
    let own = offline(place.path(), "http://index.test");
    let world = world(server, &own);
    for _ in 0..2 {
        let reply = get(&world, "/simple/one/", "").await;
        assert_eq!(
            (status(&reply), text(body(&reply))),
            (200, "page 1".to_owned())
        );
    }
    assert_eq!(came(&world), ["kept", "kept"]);
    let reply = get(&world, "/simple/two/?token=s3cret", "").await;
    let said = "index.test is offline here, and http://index.test/simple/two/?token=… is not among \
                what was downloaded before";
    assert_eq!((status(&reply), text(body(&reply)).trim_end()), (504, said));
    assert_eq!(failures(&world), [said]);
    assert_eq!((asked(&log), world.gateway.dials()), (2, 0));
}

#[tokio::test]
async fn nothing_is_looked_up_or_dialled_for_a_server_that_is_offline() {
    let place = tempfile::tempdir().unwrap();
    let (server, log) = pages();
    let from = format!("http://index.test:{}", server.port());
    let request = b"GET /simple/ HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n";
    let request = text(request).replace("index.test", &format!("index.test:{}", server.port()));
    let rules = || {
        let rule = |rule: &str| RuleSpec {
            private: true,
            ..RuleSpec::from(rule)
        };
        vec![
            rule(&from),
            rule(&format!("http://other.test:{}", server.port())),
            rule("tcp://index.test:5432"),
        ]
    };
    let world = |own: &Downloads| {
        let world = sharing(World::with_rules(rules(), &[], |_| {}), own);
        for name in ["index.test", "other.test"] {
            world.script.set(name, vec![vec![server.ip()]]);
        }
        world
    };
    let shared = Downloads::new(DownloadsSpec::new(place.path(), [from.as_str()])).unwrap();
    let online = world(&shared);
    let exchange = |world: World, request: String| async move {
        world
            .exchange("index.test", server.port(), request.as_bytes())
            .await
    };
    assert_eq!(
        status(&exchange(online.clone(), request.clone()).await),
        200
    );
    assert_eq!((online.gateway.lookups(), online.gateway.dials()), (1, 1));

    let world = world(&offline(place.path(), &from));
    let guests = [
        request.clone(),
        request.replace("/simple/", "/nothing/"),
        request.replace("GET", "POST"),
        request.replace("\r\nConn", "\r\nAuthorization: Basic eDp5\r\nConn"),
        request.replace("\r\nConn", "\r\nCookie: a=b\r\nConn"),
        // What clients say of copies that they have does not matter.
        request.replace("\r\nConn", "\r\nRange: bytes=0-1\r\nConn"),
        request.replace("\r\nConn", "\r\nIf-None-Match: \"1\"\r\nConn"),
        request.replace("\r\nConn", "\r\nCache-Control: no-cache\r\nConn"),
    ];
    let expected = [200, 504, 504, 504, 504, 200, 200, 200];
    for (request, expected) in guests.into_iter().zip(expected) {
        let reply = exchange(world.clone(), request.clone()).await;
        assert_eq!(status(&reply), expected, "{request}");
        assert_eq!(
            text(&reply).contains("index.test is offline here"),
            expected == 504
        );
    }
    let (gateway, network) = (world.gateway.clone(), world.network.clone());
    let (tell, told) = tokio::sync::oneshot::channel();
    world
        .gateway
        .spawn(async move {
            let _ = tell.send(gateway.resolve(&network, "index.test").await);
        })
        .unwrap();
    told.await.unwrap().unwrap();
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (0, 0));
    assert_eq!(asked(&log), 1);
    // Others are not offline.
    let other = request.replace("index.test", "other.test");
    let reply = world
        .exchange("other.test", server.port(), other.as_bytes())
        .await;
    assert_eq!((status(&reply), asked(&log)), (200, 2));
    assert_eq!((world.gateway.lookups(), world.gateway.dials()), (1, 1));
}

#[tokio::test]
async fn a_raw_connection_to_a_server_that_is_offline_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = pages();
    let own = offline(place.path(), "http://index.test:5432");
    let hosts = [("index.test", server)];
    let world = World::new(&["tcp://index.test:5432"], &hosts, |_| {});
    let world = sharing(world, &own);
    let refused = world.connect("index.test", 5432).await.unwrap_err();
    assert_eq!(refused.errno, Errno::NetUnreach);
    assert!(refused.why.contains("offline here"), "{}", refused.why);
    assert_eq!(world.gateway.dials(), 0);
}

#[tokio::test]
async fn a_client_gets_what_came_to_another_if_it_accepts_that() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = pages();
    let accept = "Accept: application/vnd.pypi.simple.v1+json, text/html; q=0.1\r\n";
    get(&world(server, &downloads(place.path())), "/simple/", accept).await;
    let world = world(server, &offline(place.path(), "http://index.test"));
    for (fields, expected) in [
        (accept, 200),
        ("", 200),
        ("Accept: */*\r\n", 200),
        ("Accept: text/html;q=0.9, Application/*;q=0.1\r\n", 200),
        ("Accept: text/html\r\n", 504),
        ("Accept: text/*, image/png\r\n", 504),
    ] {
        assert_eq!(
            status(&get(&world, "/simple/", fields).await),
            expected,
            "{fields}"
        );
    }
}

const ALPN: (u8, &[u8]) = (hello::ALPN, b"http/1.1");

/// A sandbox that trusts `ca` for `index.test`.
fn trusting(ca: &Ca, server: SocketAddr, own: &Downloads) -> World {
    let rule = |rule: &str| RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from(rule)
    };
    let rules = vec![rule("https://index.test"), rule("https://new.test")];
    let hosts = [("index.test", server), ("new.test", server)];
    sharing(World::with_rules(rules, &hosts, |_| {}), own)
}

async fn shaken(
    world: &World,
    name: &str,
    fields: &[(u8, &[u8])],
) -> Result<(DuplexStream, Shaken), Failed> {
    let mut guest = world.connect(name, 443).await.unwrap();
    let shaken = shake(&mut guest, name, fields).await;
    shaken.map(|shaken| (guest, shaken))
}

#[tokio::test]
async fn over_tls_a_guest_is_told_of_the_last_good_handshake() {
    let place = tempfile::tempdir().unwrap();
    let ca = Ca::new("ours");
    let identity = ca.sign("index.test", |_| {});
    let (server, log) = strict_tls(&identity, &[b"http/1.1"], |_| {
        with("ETag: \"1\"\r\n", b"page")
    });
    let request = b"GET /simple/ HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n";
    let spec = || DownloadsSpec::new(place.path(), ["https://index.test", "https://new.test"]);
    let online = trusting(&ca, server, &Downloads::new(spec()).unwrap());
    // Which protocol was agreed on does not matter later.
    let (guest, real) = shaken(&online, "index.test", &[]).await.unwrap();
    let (reply, _) = talk(guest, request).await;
    assert_eq!(status(&reply), 200);

    let mut offline = spec();
    offline.offline = true;
    let own = Downloads::new(offline).unwrap();
    let world = trusting(&ca, server, &own);
    let (guest, kept) = shaken(&world, "index.test", &[ALPN]).await.unwrap();
    assert_eq!(kept.alpn.as_deref(), Some(&b"http/1.1"[..]));
    assert_eq!(
        (kept.version, &kept.cipher, &kept.chain),
        (real.version, &real.cipher, &real.chain)
    );
    assert_eq!(kept.chain, [identity.certificate]);
    let (reply, closed) = talk(guest, request).await;
    assert!(closed && status(&reply) == 200 && text(&reply).ends_with("page"));

    // A guest that would not have found it good does not now, and nor does another rule.
    let other = Ca::new("other");
    let own_root = (hello::ROOT, other.der.as_slice());
    let failed = shaken(&world, "index.test", &[own_root]).await.unwrap_err();
    assert_eq!(failed.verify, Some(20), "{failed:?}");
    let old = (hello::MAX_VERSION, &[3, 3][..]);
    let failed = shaken(&world, "index.test", &[old]).await.unwrap_err();
    assert!(failed.text.contains("spoke TLSv1.3 before"), "{failed:?}");
    let failed = shaken(&world, "new.test", &[]).await.unwrap_err();
    let said = "new.test is offline here, and no connection to it was made before";
    assert_eq!(failed.text, said);
    assert!(failures(&world).contains(&said.to_owned()));
    let stranger = trusting(&other, server, &own);
    let failed = shaken(&stranger, "index.test", &[]).await.unwrap_err();
    assert!(failed.text.contains("no connection to it was made before"));
    assert_eq!((world.gateway.dials(), asked(&log)), (0, 1));
}
