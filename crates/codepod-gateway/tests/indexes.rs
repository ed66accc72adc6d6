//! What pages of indexes say of files, and what becomes of files that are something else.

mod support;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};

use codepod_gateway::event::Event;
use codepod_gateway::net::{Downloads, DownloadsSpec};
use support::servers::{read_request, serve, strict};
use support::sharing::{asked, body, came, downloads, get, lasting, sha256, with, world};
use support::{World, status, text};

const FILE: &str = "/files/one-1.0-py3-none-any.whl";
const PAGE: &str = "/simple/one/";

/// A page that names one file with this digest.
fn page(digest: &str) -> Vec<u8> {
    let text = format!("<html><a href=\"../..{FILE}#sha256={digest}\">one</a></html>");
    with("Content-Type: text/html\r\n", text.as_bytes())
}

fn path_of(request: &[u8]) -> String {
    text(request).split(' ').nth(1).unwrap_or_default().into()
}

fn files_in(place: &Path, part: &str) -> usize {
    fs::read_dir(place.join(part)).unwrap().count()
}

/// Why the last request failed.
fn failure(world: &World) -> Option<String> {
    let events = world.events();
    match events.last() {
        Some(Event::Request(event)) => event.failure.clone(),
        _ => None,
    }
}

/// A server with a page and what stands in `file`, head and all.
fn index(page: Vec<u8>, file: Vec<u8>) -> (std::net::SocketAddr, support::servers::Log) {
    strict(move |request| match path_of(request).as_str() {
        PAGE => page.clone(),
        _ => file.clone(),
    })
}

// PK-02
#[tokio::test]
async fn pk_02_a_file_that_its_index_does_not_name_breaks_off_and_is_not_kept() {
    let good: Vec<u8> = vec![b'g'; 400_000];
    let evil: Vec<u8> = vec![b'e'; 400_000];
    let chunked = |bytes: &[u8]| {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nETag: \"1\"\r\n\r\n";
        let mut reply = head.as_bytes().to_vec();
        for chunk in bytes.chunks(1000) {
            reply.extend(format!("{:x}\r\n", chunk.len()).bytes());
            reply.extend(chunk);
            reply.extend(b"\r\n");
        }
        [reply, b"0\r\n\r\n".to_vec()].concat()
    };
    for (what, reply) in [
        ("with a length", lasting(&evil)),
        ("in chunks", chunked(&evil)),
        ("for one only", with("Cache-Control: no-store\r\n", &evil)),
        ("one byte more", lasting(&[good.as_slice(), b"g"].concat())),
        ("one byte less", lasting(&good[1..])),
        ("as a page", with("Content-Type: text/html\r\n", &evil)),
    ] {
        let place = tempfile::tempdir().unwrap();
        let (server, log) = index(page(&sha256(&good)), reply.clone());
        let world = world(server, &downloads(place.path()));
        // Without the page nobody knows better; then it is not believed any more.
        get(&world, PAGE, "").await;
        for _ in 0..2 {
            let got = get(&world, FILE, "").await;
            // Neither as many bytes as the head says, nor the end of the last chunk.
            let is_whole = match text(&got).contains("chunked") {
                true => got.ends_with(b"\r\n0\r\n\r\n"),
                false => body(&got).len() >= body(&reply).len(),
            };
            // On a busy host it is over before anything was sent: a 502, or a head that is held.
            let is_other = !matches!(status(&got), 0 | 200 | 502);
            let is_told = status(&got) == 502 && text(&got).contains("another file");
            assert!(
                (!is_whole || is_told) && !is_other,
                "{what}: {}",
                status(&got)
            );
            let why = failure(&world).unwrap();
            assert!(
                why.contains("the index names another file") && why.contains(&sha256(&good)),
                "{what}: {why}"
            );
        }
        assert_eq!(asked(&log), 3, "{what}");
        assert_eq!(files_in(place.path(), "bodies"), 1, "{what}: the page only");
        assert_eq!(files_in(place.path(), "new"), 0, "{what}");
    }
}

// PK-02
#[tokio::test]
async fn pk_02_before_anything_is_sent_a_wrong_file_is_a_502() {
    let place = tempfile::tempdir().unwrap();
    let (server, _) = index(page(&sha256(b"g")), lasting(b"e"));
    let world = world(server, &downloads(place.path()));
    get(&world, PAGE, "").await;
    let reply = get(&world, FILE, "").await;
    assert_eq!(status(&reply), 502);
    assert!(text(&reply).contains("the index names another file"));
    let why = failure(&world).unwrap();
    assert!(why.contains(&sha256(b"e")), "{why}");
}

#[tokio::test]
async fn a_file_that_an_index_names_is_kept_without_asking_again() {
    let place = tempfile::tempdir().unwrap();
    let file = vec![b'g'; 300_000];
    // Nothing says how long it may be kept, nor by what it could be asked about.
    let (server, log) = index(page(&sha256(&file)), with("", &file));
    let first = world(server, &downloads(place.path()));
    get(&first, PAGE, "").await;
    for _ in 0..3 {
        let reply = get(&first, FILE, "Accept: */*\r\n").await;
        assert!(body(&reply) == file);
    }
    assert_eq!(
        (asked(&log), came(&first)[1..].to_vec()),
        (2, vec!["fetched", "kept", "kept"])
    );
    // Also in another process, and for another client.
    let later = world(server, &downloads(place.path()));
    let reply = get(&later, FILE, "Accept: application/octet-stream, */*\r\n").await;
    assert!(body(&reply) == file);
    assert_eq!((asked(&log), came(&later)), (2, vec!["kept"]));
    assert!(
        text(&log.lock().unwrap()[1])
            .to_lowercase()
            .contains("accept-encoding: identity")
    );
}

#[tokio::test]
async fn an_index_that_names_another_file_later_is_believed() {
    let place = tempfile::tempdir().unwrap();
    let content = Arc::new(Mutex::new(b"first".to_vec()));
    let own = content.clone();
    let (server, log) = strict(move |request| {
        let file = own.lock().unwrap().clone();
        match path_of(request).as_str() {
            PAGE => {
                let text = format!(
                    r#"{{"files": [{{"url": "http://index.test{FILE}", "hashes": {{"sha256": "{}"}}}}]}}"#,
                    sha256(&file)
                );
                let kind = "Content-Type: application/vnd.pypi.simple.v1+json\r\n";
                with(kind, text.as_bytes())
            }
            _ => lasting(&file),
        }
    });
    let world = world(server, &downloads(place.path()));
    for round in [b"first".as_slice(), b"other"] {
        *content.lock().unwrap() = round.to_vec();
        get(&world, PAGE, "").await;
        for _ in 0..2 {
            assert_eq!(body(&get(&world, FILE, "").await), round);
        }
    }
    assert_eq!(asked(&log), 4);
}

// PK-02, NW-17
#[tokio::test]
async fn pk_02_a_fake_index_says_nothing_about_the_real_ones_files() {
    let place = tempfile::tempdir().unwrap();
    let shared = downloads(place.path());
    // Its sandbox calls it by the same name, and it names files of the real one.
    let (fake, _) = index(page(&sha256(b"poison")), lasting(b"poison"));
    let attacker = world(fake, &shared);
    get(&attacker, PAGE, "").await;
    assert_eq!(body(&get(&attacker, FILE, "").await), b"poison");
    let (real, _) = index(page(&sha256(b"the real one")), lasting(b"the real one"));
    let victim = world(real, &shared);
    assert_eq!(body(&get(&victim, FILE, "").await), b"the real one");
    get(&victim, PAGE, "").await;
    assert_eq!(body(&get(&victim, FILE, "").await), b"the real one");
}

// PK-02
#[tokio::test]
async fn pk_02_pages_that_cannot_be_read_name_nothing() {
    let good = page(&sha256(b"good"));
    let html = body(&good);
    let large = [html, &vec![b' '; 16 << 20]].concat();
    for (what, reply) in [
        ("text", with("Content-Type: text/plain\r\n", html)),
        ("no type", with("ETag: \"1\"\r\n", html)),
        (
            "compressed",
            with(
                "Content-Type: text/html\r\nContent-Encoding: gzip\r\n",
                html,
            ),
        ),
        ("too large", with("Content-Type: text/html\r\n", &large)),
        (
            "for one only",
            with(
                "Content-Type: text/html\r\nCache-Control: private\r\n",
                html,
            ),
        ),
        ("not there", [b"HTTP/1.1 404 No\r\n", &good[17..]].concat()),
    ] {
        let place = tempfile::tempdir().unwrap();
        let (server, _) = index(reply, lasting(b"other"));
        let world = world(server, &downloads(place.path()));
        get(&world, PAGE, "").await;
        assert_eq!(status(&get(&world, FILE, "").await), 200, "{what}");
        assert_eq!(files_in(place.path(), "digests"), 0, "{what}");
    }
}

// PK-02
#[tokio::test]
async fn pk_02_a_page_that_never_ends_is_given_up() {
    let place = tempfile::tempdir().unwrap();
    let server = serve(|mut stream| {
        if read_request(&mut stream).is_some() {
            let head =
                "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n";
            let chunk = format!("10000\r\n{}\r\n", "<a href=x".repeat(7282).split_off(2));
            let mut written = stream.write_all(head.as_bytes());
            while written.is_ok() {
                written = stream.write_all(chunk.as_bytes());
            }
        }
    });
    let mut spec = DownloadsSpec::new(place.path(), ["http://index.test"]);
    spec.bytes = 4 << 20;
    let world = world(server, &Downloads::new(spec).unwrap());
    get(&world, PAGE, "").await;
    assert_eq!(failure(&world).as_deref(), Some("the download ended early"));
    assert_eq!(files_in(place.path(), "bodies"), 0);
}
