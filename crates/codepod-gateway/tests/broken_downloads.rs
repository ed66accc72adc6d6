//! Downloads whose server breaks off in the middle: who has the beginning is not told that it was
//! the whole, nothing of it is kept, and whoever asks next gets it anew.

mod support;

use std::fs;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::event::RequestEvent;
use codepod_gateway::net::{Downloads, DownloadsSpec};
use codepod_gateway::policy::TlsSpec;
use support::cptls_client::{shake, talk as talk_tls};
use support::servers::{self, Ca, read_request, serve};
use support::sharing::{body, came, downloads, get, lasting, sha256, sharing, with, world};
use support::{PATIENCE, World, status, text};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

const FILE: &str = "/files/one-1.0-py3-none-any.whl";
const PAGE: &str = "/simple/one/";
const EARLY: &str = "the download ended early";

/// How a server ends a connection in the middle of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Break {
    /// As if it had said everything.
    Close,
    Reset,
}

/// A server that breaks off its first reply with a file, and gives the whole from then on.
struct Origin {
    at: SocketAddr,
    /// How often the file was asked for.
    asked: Arc<AtomicUsize>,
    /// Tells it that it may break off.
    arrived: Arc<AtomicBool>,
}

impl Origin {
    /// `beginning` is what comes before the break.
    fn new(how: Break, beginning: Vec<u8>, whole: Vec<u8>, page: Vec<u8>) -> Origin {
        let (asked, arrived) = (Arc::<AtomicUsize>::default(), Arc::<AtomicBool>::default());
        let (count, wait) = (asked.clone(), arrived.clone());
        let at = serve(move |mut stream| {
            while let Some(request) = read_request(&mut stream) {
                let reply = match text(&request).contains(PAGE) {
                    true => &page,
                    false if count.fetch_add(1, Ordering::SeqCst) > 0 => &whole,
                    false => {
                        let _ = stream.write_all(&beginning);
                        until(&wait);
                        return end(stream, how);
                    }
                };
                if stream.write_all(reply).is_err() {
                    return;
                }
            }
        });
        Origin { at, asked, arrived }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn until(flag: &AtomicBool) {
    while !flag.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn end(stream: TcpStream, how: Break) {
    if how == Break::Reset {
        let socket = socket2::SockRef::from(&stream);
        socket.set_linger(Some(Duration::ZERO)).unwrap();
    }
}

/// A file of which no part is like another, nor like the end of chunks.
fn content() -> Vec<u8> {
    let words = (0..80_000u32).map(|number| number | 0x8080_8080);
    words.flat_map(u32::to_be_bytes).collect()
}

/// A page that names the file with its digest.
fn page() -> Vec<u8> {
    let digest = sha256(&content());
    let text = format!("<html><a href=\"../..{FILE}#sha256={digest}\">one</a></html>");
    with("Content-Type: text/html\r\n", text.as_bytes())
}

fn chunked(fields: &str, bytes: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{fields}Transfer-Encoding: chunked\r\n\r\n");
    let mut reply = head.into_bytes();
    for chunk in bytes.chunks(1000) {
        reply.extend(format!("{:x}\r\n", chunk.len()).bytes());
        reply.extend(chunk);
        reply.extend(b"\r\n");
    }
    [reply, b"0\r\n\r\n".to_vec()].concat()
}

/// The bytes in the chunks of a body, and whether the last chunk came.
fn joined(mut chunks: &[u8]) -> (Vec<u8>, bool) {
    let mut all = Vec::new();
    while let Some(end) = chunks.windows(2).position(|two| two == b"\r\n") {
        let length = usize::from_str_radix(&text(&chunks[..end]), 16).unwrap();
        if length == 0 {
            return (all, true);
        }
        let rest = &chunks[end + 2..];
        all.extend(&rest[..length.min(rest.len())]);
        chunks = rest.get(length + 2..).unwrap_or_default();
    }
    (all, false)
}

/// What a client makes of a reply: its content, and whether that is all of it.
fn read(reply: &[u8]) -> (Vec<u8>, bool) {
    let head = text(&reply[..reply.len() - body(reply).len()]).to_ascii_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    match length {
        Some(length) => {
            let is_whole = body(reply).len() == length.parse::<usize>().unwrap();
            (body(reply).to_vec(), is_whole)
        }
        None => {
            assert!(head.contains("transfer-encoding: chunked"), "{head}");
            joined(body(reply))
        }
    }
}

/// A guest that has the head of a reply and the beginning of its body.
struct Begun {
    guest: DuplexStream,
    received: Vec<u8>,
}

impl Begun {
    async fn new(world: &World) -> Begun {
        let mut guest = world.connect("index.test", 80).await.unwrap();
        let request = format!("GET {FILE} HTTP/1.1\r\nHost: index.test\r\n\r\n");
        guest.write_all(request.as_bytes()).await.unwrap();
        let mut received = Vec::new();
        let begin = async {
            while body(&received).is_empty() {
                assert_ne!(guest.read_buf(&mut received).await.unwrap(), 0);
            }
        };
        tokio::time::timeout(PATIENCE, begin).await.unwrap();
        assert_eq!(status(&received), 200);
        Begun { guest, received }
    }

    /// All that it gets.
    async fn end(mut self) -> Vec<u8> {
        let rest = self.guest.read_to_end(&mut self.received);
        let _ = tokio::time::timeout(PATIENCE, rest).await.unwrap();
        self.received
    }
}

/// What a guest has got of what broke off: a part that says that it is one.
fn check_cut(reply: &[u8], what: &str) {
    let (got, is_whole) = read(reply);
    assert!(!is_whole, "{what}: a part looks like the whole");
    assert!(!got.is_empty() && got.len() < content().len(), "{what}");
    assert!(content().starts_with(&got), "{what}");
}

async fn last(world: &World, count: usize) -> RequestEvent {
    world.requests(count).await.pop().unwrap()
}

/// How many files are kept, after checking that nothing else is left of others.
fn kept(place: &Path) -> usize {
    let count = |part| fs::read_dir(place.join(part)).unwrap().count();
    assert_eq!(count("new"), 0);
    count("bodies")
}

// PK-02, NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pk_02_nw_11_what_breaks_off_is_a_part_for_all_who_have_its_beginning() {
    let hour = "Cache-Control: max-age=3600\r\n";
    let mut count = 0;
    for how in [Break::Close, Break::Reset] {
        for is_named in [false, true] {
            for (framing, whole) in [
                ("with a length", lasting(&content())),
                ("in chunks", chunked(hour, &content())),
            ] {
                let what = format!("{how:?}, named: {is_named}, {framing}");
                let place = tempfile::tempdir().unwrap();
                let shared = downloads(place.path());
                let beginning = whole[..whole.len() / 2].to_vec();
                let origin = Origin::new(how, beginning, whole, page());
                let first = world(origin.at, &shared);
                let second = world(origin.at, &shared);
                let mut pages = 0;
                if is_named {
                    get(&first, PAGE, "").await;
                    pages = 1;
                }
                let begun = Begun::new(&first).await;
                let joined = Begun::new(&second).await;
                assert_eq!(origin.asked(), 1, "{what}");
                origin.arrived.store(true, Ordering::SeqCst);
                for begun in [begun, joined] {
                    check_cut(&begun.end().await, &what);
                }
                for (world, ended, came) in [(&first, pages + 1, "fetched"), (&second, 1, "joined")]
                {
                    let event = last(world, ended).await;
                    let told = (event.failure.as_deref(), event.came);
                    assert_eq!(told, (Some(EARLY), Some(came)), "{what}");
                }
                assert_eq!(kept(place.path()), pages, "{what}");
                // Also for another process nothing is there.
                for (world, came) in [
                    (world(origin.at, &downloads(place.path())), "fetched"),
                    (first, "kept"),
                ] {
                    let (got, is_whole) = read(&get(&world, FILE, "").await);
                    assert!(is_whole && got == content(), "{what}");
                    assert_eq!(support::sharing::came(&world).last(), Some(&came), "{what}");
                    assert_eq!(origin.asked(), 2, "{what}");
                }
                assert_eq!(kept(place.path()), pages + 1, "{what}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 8);
}

/// A reply that nobody else may have goes another way, with the digest compared or not.
// PK-02, NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pk_02_nw_11_what_is_for_one_only_and_breaks_off_is_a_part_as_well() {
    let own = "Cache-Control: no-store\r\n";
    for how in [Break::Close, Break::Reset] {
        for is_named in [false, true] {
            for whole in [with(own, &content()), chunked(own, &content())] {
                let what = format!("{how:?}, named: {is_named}");
                let place = tempfile::tempdir().unwrap();
                let beginning = whole[..whole.len() / 2].to_vec();
                let origin = Origin::new(how, beginning, whole, page());
                let world = world(origin.at, &downloads(place.path()));
                let mut pages = 0;
                if is_named {
                    get(&world, PAGE, "").await;
                    pages = 1;
                }
                let begun = Begun::new(&world).await;
                origin.arrived.store(true, Ordering::SeqCst);
                check_cut(&begun.end().await, &what);
                let event = last(&world, pages + 1).await;
                assert!(event.failure.is_some() && event.came.is_none(), "{what}");
                let (got, is_whole) = read(&get(&world, FILE, "").await);
                assert!(is_whole && got == content(), "{what}");
                assert_eq!((origin.asked(), kept(place.path())), (2, pages), "{what}");
            }
        }
    }
}

/// Of a file with a digest nothing is given before its second piece: so there is still time to say
/// what is wrong.
// PK-02
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pk_02_a_file_that_breaks_off_at_once_is_a_502() {
    let place = tempfile::tempdir().unwrap();
    let whole = lasting(&content());
    let head = whole.len() - content().len();
    for sent in [0, 1] {
        let origin = Origin::new(
            Break::Close,
            whole[..head + sent].to_vec(),
            whole.clone(),
            page(),
        );
        origin.arrived.store(true, Ordering::SeqCst);
        let world = world(origin.at, &downloads(place.path()));
        get(&world, PAGE, "").await;
        let reply = get(&world, FILE, "").await;
        assert_eq!(
            (status(&reply), text(body(&reply)).trim_end()),
            (502, EARLY)
        );
        assert_eq!(last(&world, 2).await.failure.as_deref(), Some(EARLY));
        assert_eq!((origin.asked(), kept(place.path())), (1, 1));
        assert_eq!(came(&world), ["fetched"], "the page");
    }
}

/// Over TLS a body without a length ends with the word of the server, and not with the connection,
/// which anybody on the way could end.
// PK-02, NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_over_tls_only_the_server_says_where_a_body_without_a_length_ends() {
    let ca = Ca::new("ours");
    let config = servers::config(&ca.sign("index.test", |_| {}), &[b"http/1.1"]);
    let asked = Arc::<AtomicUsize>::default();
    let count = asked.clone();
    let at = serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        if read_request(&mut stream).is_none() {
            return;
        }
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        let head = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=3600\r\n\r\n";
        let content = content();
        let sent = match is_first {
            true => &content[..content.len() / 2],
            false => &content,
        };
        let _ = stream.write_all(head).and_then(|()| stream.write_all(sent));
        if !is_first {
            stream.conn.send_close_notify();
        }
        let _ = stream.flush();
    });
    let place = tempfile::tempdir().unwrap();
    let spec = DownloadsSpec::new(place.path(), ["https://index.test"]);
    let rule = RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from("https://index.test")
    };
    let world = World::with_rules(vec![rule], &[("index.test", at)], |_| {});
    let world = sharing(world, &Downloads::new(spec).unwrap());
    let mut got = Vec::new();
    for _ in 0..3 {
        let mut guest = world.connect("index.test", 443).await.unwrap();
        let alpn = (hello::ALPN, &b"http/1.1"[..]);
        shake(&mut guest, "index.test", &[alpn]).await.unwrap();
        let request = "GET /page HTTP/1.1\r\nHost: index.test\r\nConnection: close\r\n\r\n";
        let (reply, closed) = talk_tls(guest, request.as_bytes()).await;
        got.push((read_or_nothing(&reply), closed));
    }
    let (cut, closed) = &got[0];
    assert!(!cut.1 && !closed, "a part looks like the whole");
    assert!(cut.0.len() < content().len() && content().starts_with(&cut.0));
    for (whole, closed) in &got[1..] {
        assert!(whole.1 && *closed && whole.0 == content());
    }
    assert_eq!((asked.load(Ordering::SeqCst), kept(place.path())), (2, 1));
}

/// The same of a reply that may have broken off before anything was sent: a 502, or no reply.
fn read_or_nothing(reply: &[u8]) -> (Vec<u8>, bool) {
    match status(reply) {
        200 => read(reply),
        other => {
            assert!(matches!(other, 0 | 502), "{other}");
            (Vec::new(), false)
        }
    }
}
