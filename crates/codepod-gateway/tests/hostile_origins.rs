//! Servers that answer without end, too slowly, or with what is no HTTP.

mod support;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use support::servers::{self, read_head};
use support::{PATIENCE, World, status, text};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const GET: &[u8] = b"GET / HTTP/1.1\r\nHost: api.test\r\nConnection: close\r\n\r\n";

/// What a guest has received from a server that does `act` after a request. No server here ends by
/// itself, unless it breaks the connection: what ends does so by a limit.
async fn against(
    act: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> (String, World) {
    against_within(Duration::from_millis(400), act).await
}

/// The same with a limit on time.
async fn against_within(
    limit: Duration,
    act: impl Fn(&mut TcpStream) -> std::io::Result<()> + Send + Sync + 'static,
) -> (String, World) {
    let world = world(limit, 300_000, move |stream| {
        if read_head(stream).is_some() {
            let _ = act(stream);
        }
    });
    let reply = world.exchange("api.test", 80, GET).await;
    (text(&reply), world)
}

/// A sandbox with these limits, and a server that does `act` with each connection.
fn world(
    limit: Duration,
    bytes_in: u64,
    act: impl Fn(&mut TcpStream) + Send + Sync + 'static,
) -> World {
    let origin = servers::serve(move |mut stream| act(&mut stream));
    World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.timeouts.first_byte = limit;
        options.timeouts.idle = limit;
        options.limits.bytes_in = bytes_in;
    })
}

/// Waits until no connection of a sandbox is open.
async fn settled(world: &World) {
    for _ in 0..6000 {
        if world.network.budget().usage().connections == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("a connection is still open");
}

fn hang() -> std::io::Result<()> {
    loop {
        std::thread::park();
    }
}

fn drip(stream: &mut TcpStream, bytes: impl Iterator<Item = u8>) -> std::io::Result<()> {
    for byte in bytes {
        stream.write_all(&[byte])?;
        std::thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn forever(stream: &mut TcpStream, first: &[u8], then: &[u8]) -> std::io::Result<()> {
    stream.write_all(first)?;
    loop {
        stream.write_all(then)?;
    }
}

// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_head_that_does_not_end_ends_in_time() {
    let replies = [
        against(|s| {
            drip(
                s,
                b"HTTP/1.1 200 OK\r\nX: "
                    .iter()
                    .copied()
                    .chain(std::iter::repeat(b'x')),
            )
        })
        .await,
        against(|s| drip(s, std::iter::repeat(b'H'))).await,
        against(|s| forever(s, b"HTTP/1.1 200 OK\r\nX: ", &[b'x'; 4096])).await,
        against(|s| forever(s, b"HTTP/1.1 200 OK\r\n", b"A: b\r\n")).await,
        against(|s| forever(s, b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")).await,
        against(|s| {
            drip(
                s,
                b"HTTP/1.1 102 Processing\r\n\r\n".iter().copied().cycle(),
            )
        })
        .await,
        against(|s| forever(s, b"HTTP/1.1 200 ", &[b'K'; 4096])).await,
        against(|_| hang()).await,
    ];
    for (index, (reply, world)) in replies.iter().enumerate() {
        assert!(
            reply.is_empty() || status(reply.as_bytes()) == 504,
            "{index}: {reply:.200}"
        );
        let event = world.requests(1).await.remove(0);
        assert!(
            event.failure.is_some() && event.status.is_none(),
            "{index}: {event:?}"
        );
    }
}

// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_body_that_does_not_end_ends_with_the_budget_or_the_time() {
    let endless = [
        against_within(PATIENCE, |s| {
            forever(s, b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 4096])
        })
        .await,
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                b"5\r\nhello\r\n",
            )
        })
        .await,
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
                &[b'x'; 4096],
            )
        })
        .await,
        // A bomb is carried as it is: nobody here unpacks it.
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
                &[0; 4096],
            )
        })
        .await,
    ];
    for (index, (_, world)) in endless.iter().enumerate() {
        let usage = world.network.budget().usage();
        assert_eq!(usage.bytes_in, 300_000, "{index}");
        let event = world.requests(1).await.remove(0);
        assert!(
            event.failure.unwrap().contains("300000 bytes received"),
            "{index}"
        );
    }
    let stuck = [
        against(|s| {
            s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")?;
            hang()
        })
        .await,
        against(|s| {
            s.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel")?;
            hang()
        })
        .await,
        // A chunk's extension and its trailers have no end.
        against(|s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
                &[b'x'; 4096],
            )
        })
        .await,
        against(|s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                b"A: b\r\n",
            )
        })
        .await,
    ];
    for (index, (reply, world)) in stuck.iter().enumerate() {
        assert!(
            !reply.ends_with("\r\n0\r\n\r\n") && !reply.contains("helloxx"),
            "{index}: {reply}"
        );
        world.requests(1).await;
    }
}

// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_what_is_no_reply_is_not_passed_on() {
    let bad: Vec<&'static [u8]> = vec![
        b"",
        b"\r\n\r\n\r\n",
        b"220 smtp.test ESMTP\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"<html>no head</html>",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 abc OK\r\n\r\n",
        b"HTTP/3.0 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5, 6\r\n\r\nhello!",
        b"HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX y: a\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: a\r\n folded\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Le",
    ];
    let count = bad.len();
    for reply in bad {
        let (received, _) = against(move |s| s.write_all(reply)).await;
        assert!(received.is_empty(), "{:?}: {received}", text(reply));
    }
    assert_eq!(count, 17);
    // A body that is cut off is not made to look whole.
    for (reply, whole) in [
        (
            &b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello"[..],
            "hello",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            "0\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX",
            "0\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n",
            "0\r\n\r\n",
        ),
        (
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nhello\r\n0\r\n\r\n",
            "0\r\n\r\n",
        ),
    ] {
        let (received, _) = against(move |s| s.write_all(reply)).await;
        let is_cut = received.contains("Content-Length: 10") || !received.ends_with(whole);
        assert!(is_cut, "{:?}: {received}", text(reply));
    }
}

/// Heads of status 1xx are neither passed on nor counted, so they end by their number: also while a
/// guest still sends, when no time runs.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_heads_of_status_1xx_without_end_end_by_their_number() {
    const UNFINISHED: &[u8] =
        b"POST / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 1000\r\n\r\nabc";
    let heads: [&[u8]; 4] = [
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 102 Processing\r\n\r\n",
        b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n",
        b"HTTP/1.0 199 Whatever\r\nContent-Length: 5\r\n\r\n",
    ];
    for head in heads {
        for request in [GET, UNFINISHED] {
            let world = world(PATIENCE, 300_000, move |stream| {
                if read_head(stream).is_some() {
                    let _ = forever(stream, b"", head);
                }
            });
            let reply = world.exchange("api.test", 80, request).await;
            assert_eq!(text(&reply), "", "{}", text(head));
            let event = world.requests(1).await.remove(0);
            assert_eq!(
                event.failure.as_deref(),
                Some("the server sent more than 32 heads of status 1xx"),
            );
            assert_eq!((event.status, event.bytes_in), (None, 0));
            settled(&world).await;
        }
    }
}

/// Each request of a connection has its own.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_few_heads_of_status_1xx_are_left_out() {
    let world = world(PATIENCE, 300_000, |stream| {
        for count in [32, 32, 33] {
            if read_head(stream).is_none() {
                return;
            }
            let interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n".repeat(count);
            let reply = format!("{interim}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
            stream.write_all(reply.as_bytes()).unwrap();
        }
    });
    let request = "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n".repeat(3);
    let reply = world.exchange("api.test", 80, request.as_bytes()).await;
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    assert_eq!(text(&reply), ok.repeat(2));
    let events = world.requests(3).await;
    let statuses: Vec<_> = events.iter().map(|event| event.status).collect();
    assert_eq!(statuses, [Some(200), Some(200), None]);
    assert!(events[2].failure.as_ref().unwrap().contains("status 1xx"));
}

/// With all the time there is, a head, an extension or trailers end by their size.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_head_that_does_not_end_ends_with_its_size() {
    let field = |length: usize| {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: ";
        [head.as_bytes(), &vec![b'x'; length], b"\r\n\r\nok"].concat()
    };
    let fields = |count: usize| {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n";
        [head, &"A: b\r\n".repeat(count), "\r\nok"].concat()
    };
    let (long, many) = (field(140_000), fields(100_000));
    let replies = [
        against_within(PATIENCE, |s| {
            forever(s, b"HTTP/1.1 200 OK\r\nX: ", &[b'x'; 4096])
        })
        .await,
        against_within(PATIENCE, |s| {
            forever(s, b"HTTP/1.1 200 OK\r\n", b"A: b\r\n")
        })
        .await,
        against_within(PATIENCE, |s| forever(s, b"HTTP/1.1 200 ", &[b'K'; 4096])).await,
        against_within(PATIENCE, |s| {
            forever(s, b"HTTP/1.1 103 Early\r\nX: ", &[b'x'; 4096])
        })
        .await,
        against_within(PATIENCE, move |s| s.write_all(&long)).await,
        against_within(PATIENCE, move |s| s.write_all(many.as_bytes())).await,
    ];
    for (index, (reply, world)) in replies.iter().enumerate() {
        assert!(reply.is_empty(), "{index}: {reply:.200}");
        let event = world.requests(1).await.remove(0);
        assert!(
            event.failure.is_some() && event.status.is_none(),
            "{index}: {event:?}"
        );
        assert_eq!(world.network.budget().usage().bytes_in, 0, "{index}");
        settled(world).await;
    }
    let cut = [
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
                &[b'x'; 4096],
            )
        })
        .await,
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                b"A: b\r\n",
            )
        })
        .await,
        // Each chunk has its extension, and none of them is long.
        against_within(PATIENCE, |s| {
            forever(
                s,
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                &[&b"1;"[..], &[b'x'; 1000], b"\r\na\r\n"].concat(),
            )
        })
        .await,
    ];
    for (index, (reply, world)) in cut.iter().enumerate() {
        assert!(
            !reply.ends_with("0\r\n\r\n") && !reply.contains("xxx"),
            "{index}: {reply}"
        );
        settled(world).await;
    }
    // What is within the limits arrives.
    let (long, many) = (field(50_000), fields(250));
    let (reply, _) = against_within(PATIENCE, move |s| s.write_all(&long)).await;
    assert!(reply.ends_with("\r\n\r\nok"), "{reply:.200}");
    let (reply, _) = against_within(PATIENCE, move |s| s.write_all(many.as_bytes())).await;
    assert!(reply.ends_with("\r\n\r\nok"), "{reply:.200}");
}

/// Replies whose end programs see at different places, and codings that nobody asked for.
// NW-10
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_10_a_reply_that_is_framed_in_two_ways_is_not_passed_on() {
    let chunks = "5\r\nhello\r\n0\r\n\r\n";
    let mut refused = 0;
    for (fields, body) in [
        ("Transfer-Encoding: gzip", "hello"),
        ("Transfer-Encoding: gzip, chunked", chunks),
        ("Transfer-Encoding: chunked, gzip", chunks),
        ("Transfer-Encoding: chunked, chunked", chunks),
        (
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            chunks,
        ),
        ("Transfer-Encoding: identity", "hello"),
        ("Transfer-Encoding: xchunked", chunks),
        ("Transfer-Encoding:", "hello"),
        ("Content-Length: 5\r\nContent-Length: 0", "hello"),
        ("Content-Length: 5, 0", "hello"),
        ("Content-Length: +5", "hello"),
        ("Content-Length: 0x5", "hello"),
        ("Content-Length: 5 5", "hello"),
        ("Content-Length: 5;", "hello"),
        ("Content-Length: -1", "hello"),
        ("Content-Length: 18446744073709551616", "hello"),
        ("Content-Length: 99999999999999999999999999", "hello"),
        ("Content-Length : 5", "hello"),
        (" Content-Length: 5", "hello"),
        ("X: a\rb\r\nContent-Length: 5", "hello"),
        ("X\0: a\r\nContent-Length: 5", "hello"),
    ] {
        let reply = format!("HTTP/1.1 200 OK\r\n{fields}\r\n\r\n{body}");
        let (received, world) = against(move |s| s.write_all(reply.as_bytes())).await;
        assert!(received.is_empty(), "{fields:?}: {received}");
        let event = world.requests(1).await.remove(0);
        assert!(event.failure.is_some(), "{fields:?}");
        refused += 1;
    }
    assert_eq!(refused, 21);
    // A chunked reply of HTTP/1.0, and what is no HTTP at all.
    for reply in [
        &b"HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"[..],
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d\0\x04\0\xa0\0\0\0\x02\0\0\0\0",
        b"HTTP/0.9 200 OK\r\n\r\n",
        b"HTTP/1.1\r\n\r\n",
        b"HTTP/1.1 -200 OK\r\n\r\n",
        b"HTTP/1.1 099 OK\r\n\r\n",
        b"\x16\x03\x03\0\x02\x02\x28",
    ] {
        let (received, _) = against(move |s| s.write_all(reply)).await;
        assert!(received.is_empty(), "{:?}: {received}", text(reply));
    }
    // What clients read alike goes on in the usual form; of a length beside chunks nothing does.
    for (reply, body) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n\
             5\r\nhello\r\n0\r\n\r\n",
            "hello",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 15\r\n\r\n\
             5\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\n0\r\n\r\n",
        ),
        ("HTTP/1.1 200 OK\nContent-Length: 2\nX: y\n\nok", "ok"),
        (
            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
            "ok",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n02;a=b\r\nok\r\n0\r\n\r\n",
            "ok",
        ),
    ] {
        let (received, _) = against(move |s| s.write_all(reply.as_bytes())).await;
        assert!(received.contains(body), "{reply:?}: {received}");
        let (head, _) = received.split_once("\r\n\r\n").unwrap();
        assert!(!head.replace("\r\n", "").contains('\n'), "{received:?}");
        let lower = head.to_ascii_lowercase();
        let framings =
            lower.matches("content-length:").count() + lower.matches("transfer-encoding:").count();
        assert_eq!(framings, 1, "{received}");
    }
}

/// A size of a chunk that is too large for a number, or is none, cuts the body.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_chunk_of_an_impossible_size_cuts_the_body() {
    for size in [
        "fffffffffffffffff",
        "10000000000000000",
        "ffffffffffffffff",
        "8000000000000000",
        "0x5",
        "+5",
        "5 5",
        "5,",
        "",
        ";a",
        "g",
        "5\r",
        "\n5",
    ] {
        let reply = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
             2\r\nok\r\n{size}\r\nhello\r\n0\r\n\r\n"
        );
        let (received, world) = against(move |s| s.write_all(reply.as_bytes())).await;
        assert!(!received.ends_with("0\r\n\r\n"), "{size:?}: {received}");
        assert!(world.network.budget().usage().bytes_in < 1_000, "{size:?}");
        settled(&world).await;
    }
}

/// A byte now and then is never idle. The budget ends that, or the guest.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_body_that_drips_ends_with_the_budget_or_the_guest() {
    let head = b"HTTP/1.1 200 OK\r\n\r\n";
    let (tell, told) = std::sync::mpsc::channel();
    let dripping = move |stream: &mut TcpStream| {
        let _ = read_head(stream);
        let _ = stream.write_all(head);
        let _ = drip(stream, std::iter::repeat(b'x'));
        let _ = tell.send(());
    };
    let limited = world(PATIENCE, 60, dripping.clone());
    let reply = limited.exchange("api.test", 80, GET).await;
    let dripped = text(&reply).matches('x').count();
    assert!((3..60).contains(&dripped), "{}", text(&reply));
    assert_eq!(limited.network.budget().usage().bytes_in, 60);
    settled(&limited).await;

    let left = world(PATIENCE, 1 << 30, dripping);
    let mut guest = left.connect("api.test", 80).await.unwrap();
    guest.write_all(GET).await.unwrap();
    while guest.read_u8().await.unwrap() != b'x' {}
    drop(guest);
    settled(&left).await;
    for _ in 0..2 {
        let told = told.recv_timeout(PATIENCE);
        assert!(told.is_ok(), "the server still has its connection");
    }
}

/// What a guest does not read is not fetched: what the gateway holds of a connection is bounded.
// NW-11
// NW-18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_guest_that_does_not_read_stops_the_server() {
    const CONNECTIONS: u64 = 8;
    /// The pipe to the guest has 64 KiB here, hyper's buffers as much each.
    const HELD: u64 = 256 * 1024;
    let world = world(PATIENCE, u64::MAX, |stream| {
        let _ = read_head(stream);
        let _ = forever(stream, b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 65_536]);
    });
    let mut guests = Vec::new();
    for _ in 0..CONNECTIONS {
        let mut guest = world.connect("api.test", 80).await.unwrap();
        guest.write_all(GET).await.unwrap();
        guests.push(guest);
    }
    let received = || world.network.budget().usage().bytes_in;
    // Until nothing has come for half a second, and all have had something.
    let (mut last, mut still) = (0, 0);
    while still < 10 {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let now = received();
        still = if now == last && now > CONNECTIONS * 60_000 {
            still + 1
        } else {
            0
        };
        last = now;
        assert!(now <= CONNECTIONS * HELD, "{now} bytes are held");
    }
    assert_eq!(world.network.budget().usage().connections, CONNECTIONS);
    drop(guests);
    settled(&world).await;
    world.requests(CONNECTIONS as usize).await;
}

// NW-18
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_18_an_upload_that_nobody_reads_ends_in_time() {
    let world = world(Duration::from_millis(400), 1 << 20, |_| drop(hang()));
    let mut request =
        b"PUT / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 67108864\r\n\r\n".to_vec();
    request.resize(request.len() + (64 << 20), b'x');
    let reply = world.exchange("api.test", 80, &request).await;
    assert!(
        reply.is_empty() || status(&reply) == 504,
        "{:.200}",
        text(&reply)
    );
    // The host's own buffers for a connection take some megabytes.
    let sent = world.network.budget().usage().bytes_out;
    assert!(sent < 32 << 20, "{sent}");
    settled(&world).await;
}

/// A connection that is reset in a head or in a body is not made to look whole.
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_11_a_reset_is_no_end() {
    for reply in [
        &b""[..],
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        b"HTTP/1.1 200 OK\r\n\r\nhello",
    ] {
        let world = world(PATIENCE, 300_000, move |stream| {
            // What is left unread when it is closed makes a reset of that.
            let _ = stream.read_exact(&mut [0; 4]);
            let _ = stream.write_all(reply);
        });
        let received = text(&world.exchange("api.test", 80, GET).await);
        let lower = received.to_ascii_lowercase();
        let ends = lower.ends_with("\r\n0\r\n\r\n") || lower.contains("content-length: 5\r\n");
        assert!(!ends, "{:?}: {received}", text(reply));
        let frame = lower.contains("content-length: 10") || lower.contains("chunked");
        assert!(
            frame || received.is_empty(),
            "{:?}: {received}",
            text(reply)
        );
        settled(&world).await;
    }
}

/// Who gives no answer in time loses the connection: what it may say later is no reply to another
/// request.
// NW-10
// NW-11
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nw_10_a_late_reply_is_no_reply_to_the_next_request() {
    let world = world(Duration::from_millis(300), 300_000, |stream| {
        let _ = read_head(stream);
        std::thread::sleep(Duration::from_millis(600));
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlate");
        let _ = hang();
    });
    let twice =
        b"GET /1 HTTP/1.1\r\nHost: api.test\r\n\r\nGET /2 HTTP/1.1\r\nHost: api.test\r\n\r\n";
    let reply = text(&world.exchange("api.test", 80, twice).await);
    assert!(!reply.contains("late"), "{reply}");
    assert!(
        reply.is_empty() || reply.matches("HTTP/1.1 504").count() == 1,
        "{reply}"
    );
    settled(&world).await;
}

// NW-10
#[tokio::test]
async fn nw_10_what_a_server_adds_behind_its_reply_is_no_second_reply() {
    let (reply, _) = against(|s| {
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nextra")
    })
    .await;
    assert!(reply.ends_with("\r\n\r\nok"), "{reply}");
}

#[tokio::test]
async fn a_server_that_answers_an_upload_early_is_heard() {
    let origin = servers::serve(|mut stream| {
        let _ = read_head(&mut stream);
        let _ = stream.write_all(
            b"HTTP/1.1 413 Too Much\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno!",
        );
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    let world = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    let mut request =
        b"PUT / HTTP/1.1\r\nHost: api.test\r\nContent-Length: 3000000\r\n\r\n".to_vec();
    request.extend(vec![b'x'; 3_000_000]);
    let reply = world.exchange("api.test", 80, &request).await;
    assert!(
        status(&reply) == 413 && text(&reply).ends_with("no!"),
        "{}",
        text(&reply)
    );
}
