//! Downloads over TLS that are not shared: from a server that nobody has checked, and for a client
//! that has shown a certificate.

mod support;

use std::fs;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::net::{Downloads, DownloadsSpec};
use codepod_gateway::policy::{ClientCert, TlsSpec};
use support::cptls_client::{shake, talk as talk_tls};
use support::servers::{
    Ca, Identity, clients_of, config_for, read_request, self_signed, serve, strict_tls,
};
use support::sharing::{asked, body, came, lasting, sharing};
use support::{World, text};

const ALPN: (u8, &[u8]) = (hello::ALPN, b"http/1.1");

fn shared(place: &Path) -> Downloads {
    Downloads::new(DownloadsSpec::new(place, ["https://index.test"])).unwrap()
}

/// A sandbox whose rule for `index.test` says this of TLS.
fn world(tls: TlsSpec, server: SocketAddr, downloads: &Downloads) -> World {
    let rule = RuleSpec {
        tls,
        ..RuleSpec::from("https://index.test")
    };
    let hosts = [("index.test", server)];
    sharing(World::with_rules(vec![rule], &hosts, |_| {}), downloads)
}

fn insecure() -> TlsSpec {
    TlsSpec {
        insecure: true,
        ..TlsSpec::default()
    }
}

fn trusting(ca: &Ca) -> TlsSpec {
    TlsSpec {
        roots: Some(vec![ca.der.clone()]),
        ..TlsSpec::default()
    }
}

/// The body that a guest gets, whose hello has these fields beside the usual one.
async fn get(world: &World, fields: &[(u8, &[u8])]) -> String {
    let mut guest = world.connect("index.test", 443).await.unwrap();
    let fields = [&[ALPN], fields].concat();
    shake(&mut guest, "index.test", &fields).await.unwrap();
    let request = b"GET /w.whl HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n";
    let (reply, _) = talk_tls(guest, request).await;
    text(body(&reply))
}

fn files_in(place: &Path, part: &str) -> usize {
    fs::read_dir(place.join(part)).map_or(0, Iterator::count)
}

// SN-04, NW-14
#[tokio::test]
async fn nw_14_what_comes_from_a_server_that_nobody_checked_is_for_whoever_asked() {
    let place = tempfile::tempdir().unwrap();
    let number = AtomicUsize::new(0);
    let (server, log) = strict_tls(&self_signed("other.test"), &[b"http/1.1"], move |_| {
        let number = number.fetch_add(1, Ordering::SeqCst);
        lasting(number.to_string().as_bytes())
    });
    let downloads = shared(place.path());
    let first = world(insecure(), server, &downloads);
    let second = world(insecure(), server, &downloads);
    for (number, world) in [&first, &second, &first].into_iter().enumerate() {
        assert_eq!(get(world, &[]).await, number.to_string());
    }
    assert_eq!(
        (asked(&log), came(&first), came(&second)),
        (3, vec![], vec![])
    );
    let left: Vec<usize> = ["bodies", "heads", "handshakes", "new"]
        .map(|part| files_in(place.path(), part))
        .into();
    assert_eq!(left, [0; 4]);
    // Nor is there anything for who is offline, whatever its rule says.
    let mut spec = DownloadsSpec::new(place.path(), ["https://index.test"]);
    spec.offline = true;
    let offline = Downloads::new(spec).unwrap();
    for tls in [insecure(), TlsSpec::default()] {
        let world = world(tls, server, &offline);
        let mut guest = world.connect("index.test", 443).await.unwrap();
        let failed = shake(&mut guest, "index.test", &[ALPN]).await.unwrap_err();
        let said = "index.test is offline here, and no connection to it was made before";
        assert_eq!(failed.text, said);
    }
}

// SN-04, NW-14
#[tokio::test]
async fn nw_14_nobody_joins_a_download_from_a_server_that_nobody_checked() {
    let place = tempfile::tempdir().unwrap();
    let (asked, is_over) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
    let (count, over) = (asked.clone(), is_over.clone());
    let (server, _) = strict_tls(&self_signed("other.test"), &[b"http/1.1"], move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        // The first waits until the second has been answered.
        while number == 0 && !over.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        lasting(number.to_string().as_bytes())
    });
    let downloads = shared(place.path());
    let first = world(insecure(), server, &downloads);
    let second = world(insecure(), server, &downloads);
    let under_way = tokio::spawn(async move { get(&first, &[]).await });
    while asked.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(get(&second, &[]).await, "1");
    is_over.store(true, Ordering::SeqCst);
    assert_eq!(under_way.await.unwrap(), "0");
}

/// A server that says which client it has seen, in a reply that everybody may keep.
fn knowing(ca: &Ca, clients: Vec<(&'static str, Identity)>) -> (SocketAddr, Arc<AtomicUsize>) {
    let anybody = clients_of(ca).allow_unauthenticated().build().unwrap();
    let config = config_for(&ca.sign("index.test", |_| {}), &[], anybody);
    let asked = Arc::<AtomicUsize>::default();
    let count = asked.clone();
    let at = serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        while read_request(&mut stream).is_some() {
            count.fetch_add(1, Ordering::SeqCst);
            let shown = stream.conn.peer_certificates().map(|chain| &chain[0]);
            let is_shown =
                |(_, known): &&(_, Identity)| Some(&*known.certificate) == shown.map(AsRef::as_ref);
            let who = clients
                .iter()
                .find(is_shown)
                .map_or("nobody", |(who, _)| who);
            let reply = lasting(who.as_bytes());
            let _ = stream.write_all(&reply).and_then(|()| stream.flush());
        }
    });
    (at, asked)
}

// SN-04, NW-17
#[tokio::test]
async fn nw_17_what_a_client_with_a_certificate_gets_is_its_own() {
    let ca = Ca::new("ours");
    let usage = |params: &mut rcgen::CertificateParams| {
        params.extended_key_usages = vec![rcgen::ExtendedKeyUsagePurpose::ClientAuth]
    };
    let (rules, guests) = (ca.sign("rule.test", usage), ca.sign("guest.test", usage));
    let clients = vec![
        ("the rule's", rules.clone()),
        ("the guest's", guests.clone()),
    ];
    let (server, asked) = knowing(&ca, clients);
    let with_certificate = TlsSpec {
        client_cert: Some(ClientCert {
            chain: vec![rules.certificate],
            key: rules.key.into(),
        }),
        ..trusting(&ca)
    };
    let own: [(u8, &[u8]); 2] = [
        (hello::CERTIFICATE, &guests.certificate),
        (hello::KEY, &guests.key),
    ];
    // Whoever comes first.
    for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
        let place = tempfile::tempdir().unwrap();
        let downloads = shared(place.path());
        asked.store(0, Ordering::SeqCst);
        let first = world(with_certificate.clone(), server, &downloads);
        let others = world(trusting(&ca), server, &downloads);
        for round in 0..2 {
            for who in order {
                let (got, expected) = match who {
                    0 => (get(&first, &[]).await, "the rule's"),
                    1 => (get(&others, &own).await, "the guest's"),
                    _ => (get(&others, &[]).await, "nobody"),
                };
                assert_eq!(got, expected, "{order:?}, {round}");
            }
        }
        // What nobody has shown a certificate for is shared.
        let came = (came(&first), came(&others));
        assert_eq!(came, (vec![], vec!["fetched", "kept"]), "{order:?}");
        assert_eq!(asked.load(Ordering::SeqCst), 5, "{order:?}");
        assert_eq!(files_in(place.path(), "bodies"), 1, "{order:?}");
    }
}
