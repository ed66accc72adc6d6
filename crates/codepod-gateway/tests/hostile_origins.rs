//! Servers that answer without end, too slowly, or with what is no HTTP.

mod support;

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use support::servers::{self, read_head};
use support::{PATIENCE, World, status, text};

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
    let origin = servers::serve(move |mut stream| {
        if read_head(&mut stream).is_some() {
            let _ = act(&mut stream);
        }
    });
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.timeouts.first_byte = limit;
        options.timeouts.idle = limit;
        options.limits.bytes_in = 300_000;
    });
    let reply = world.exchange("api.test", 80, GET).await;
    (text(&reply), world)
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
