//! Thirty hostile servers at once, each with a sandbox whose curl asks it: all end within their
//! limits, a sandbox beside them does not notice, and the host's memory is as it was.

#![cfg(all(feature = "network", target_os = "linux"))]
#![expect(
    clippy::print_stderr,
    reason = "what was measured, for who reads the test's output"
)]

mod support;

use std::io::{Read as _, Result, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use codepod::network::{Network, NetworkSpec, RuleSpec};
use codepod::{Options, Sandbox};
use support::machine::{Stopwatch, Times};
use support::{alone, resident, sandbox_with, within};

/// How long a step of a request may take here.
const STEP: Duration = Duration::from_secs(1);

/// How long a run may take here.
const RUN: Duration = Duration::from_secs(5);

/// What may be received.
const BYTES_IN: u64 = 8 << 20;

/// What is promised for who is beside them (docs/security.md).
const PROMISED: Duration = Duration::from_millis(100);

/// What is promised for the host's memory.
const REMAINS: usize = 8 << 20;

/// What a server does with a connection. When it returns, the connection is closed.
type Act = fn(&mut TcpStream) -> Result<()>;

/// How a server is asked.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Asked {
    /// By a handshake, which it does not read.
    Tls,
    /// By a request, which it reads first.
    Http,
    /// By a request that it does not read.
    Unheard,
}
use Asked::{Http, Tls, Unheard};

/// A server: what is wrong with it, how it is asked, and what it does.
type Origin = (&'static str, Asked, Act);

const ORIGINS: [Origin; 30] = [
    ("a handshake that never comes", Tls, hang),
    ("a handshake that drips", Tls, |s| {
        drip(s, b"\x16\x03\x03\x40\x00", b"\x02")
    }),
    ("a record that does not end", Tls, |s| {
        flood(s, b"\x16\x03\x03\xff\xff", &[0; 4096])
    }),
    ("warnings of TLS without end", Tls, |s| {
        flood(s, b"", b"\x15\x03\x03\0\x02\x01\0")
    }),
    ("HTTP where TLS was asked", Tls, |s| {
        s.write_all(b"HTTP/1.1 200 OK\r\n\r\n")
    }),
    ("a close in the handshake", Tls, |_| Ok(())),
    ("no answer", Unheard, hang),
    ("a close before the request", Unheard, |_| Ok(())),
    ("a reset in the head", Unheard, |s| {
        s.read_exact(&mut [0; 4])?;
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Le")
    }),
    ("a reset in the body", Unheard, |s| {
        s.read_exact(&mut [0; 4])?;
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")
    }),
    ("a head that drips", Http, |s| {
        drip(s, b"HTTP/1.1 200 OK\r\nX: ", b"x")
    }),
    ("a status that drips", Http, |s| drip(s, b"", b"H")),
    ("a field without end", Http, |s| {
        flood(s, b"HTTP/1.1 200 OK\r\nX: ", &[b'x'; 4096])
    }),
    ("fields without end", Http, |s| {
        flood(s, b"HTTP/1.1 200 OK\r\n", b"A: b\r\n")
    }),
    ("a status without end", Http, |s| {
        flood(s, b"HTTP/1.1 200 ", &[b'K'; 4096])
    }),
    ("hints without end", Http, |s| {
        flood(s, b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n")
    }),
    ("hints that drip", Http, |s| {
        drip(s, b"", b"HTTP/1.1 102 Processing\r\n\r\n")
    }),
    ("a body without end", Http, |s| {
        flood(s, b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 65_536])
    }),
    ("chunks without end", Http, |s| {
        flood(s, CHUNKED, b"5\r\nhello\r\n")
    }),
    ("a length of a terabyte", Http, |s| {
        flood(
            s,
            b"HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n",
            &[b'x'; 65_536],
        )
    }),
    ("a bomb", Http, |s| {
        flood(
            s,
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
            &[0; 65_536],
        )
    }),
    ("a body that drips", Http, |s| {
        drip(s, b"HTTP/1.1 200 OK\r\n\r\n", b"x")
    }),
    ("a body that stops", Http, |s| {
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhello")?;
        hang(s)
    }),
    ("a chunk that stops", Http, |s| {
        s.write_all(CHUNKED)?;
        s.write_all(b"5\r\nhel")?;
        hang(s)
    }),
    ("an extension without end", Http, |s| {
        flood(
            s,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;",
            &[b'x'; 4096],
        )
    }),
    ("trailers without end", Http, |s| {
        flood(
            s,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            b"A: b\r\n",
        )
    }),
    ("a chunk larger than any number", Http, |s| {
        s.write_all(CHUNKED)?;
        s.write_all(b"fffffffffffffffff\r\nhello")
    }),
    ("lengths that differ", Http, |s| {
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!")
    }),
    ("another protocol", Http, |s| {
        s.write_all(b"SSH-2.0-OpenSSH_9.2\r\n")
    }),
    ("a redirect to itself", Http, |s| {
        s.write_all(b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n")
    }),
];

const CHUNKED: &[u8] = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Keeps a connection, silently, until the other side has left it.
fn hang(stream: &mut TcpStream) -> Result<()> {
    std::io::copy(stream, &mut std::io::sink())?;
    Ok(())
}

fn drip(stream: &mut TcpStream, first: &[u8], then: &[u8]) -> Result<()> {
    stream.write_all(first)?;
    for byte in then.iter().cycle() {
        stream.write_all(&[*byte])?;
        thread::sleep(Duration::from_millis(20));
    }
    Ok(())
}

fn flood(stream: &mut TcpStream, first: &[u8], then: &[u8]) -> Result<()> {
    stream.write_all(first)?;
    loop {
        stream.write_all(then)?;
    }
}

fn read_head(stream: &mut TcpStream) -> Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte)?;
        head.extend(byte);
    }
    Ok(())
}

/// A server of this kind.
fn serve((_, asked, act): Origin) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            thread::spawn(move || {
                if asked == Http {
                    read_head(&mut stream)?;
                }
                act(&mut stream)
            });
        }
    });
    at
}

/// A sandbox that may reach this server as `hostile.test`, and nothing else.
fn client(url: &str) -> Sandbox {
    let mut spec = NetworkSpec::default();
    spec.policy.allowed_hosts = Some(vec![RuleSpec::from(url)]);
    spec.policy
        .hosts
        .insert("hostile.test".into(), "127.0.0.1".into());
    spec.timeouts.tls = STEP;
    spec.timeouts.first_byte = STEP;
    spec.timeouts.idle = STEP;
    spec.limits.bytes_in = BYTES_IN;
    sandbox_with(|options| {
        options.network = Some(Network::new(spec).unwrap());
        options.timeout = RUN;
    })
}

/// Asks all of these servers at once, each from a sandbox of its own. Panics where one gives what
/// curl takes for a whole reply, or does not end in time.
fn ask(origins: &[(Origin, SocketAddr)], ends: fn(i32) -> bool) {
    thread::scope(|scope| {
        for &((name, asked, _), at) in origins {
            scope.spawn(move || {
                let scheme = if asked == Tls { "https" } else { "http" };
                let url = format!("{scheme}://hostile.test:{}", at.port());
                let sandbox = client(&url);
                let script = format!("curl -fsSL -o /dev/null {url}/; exit $?");
                let watch = Stopwatch::start();
                let result = sandbox.run_blocking(&script).unwrap();
                let took = watch.took().own();
                assert!(
                    ends(result.exit_code),
                    "{name}: {} {}",
                    result.exit_code,
                    result.stderr_text()
                );
                // The run's own limit, and what thirty sandboxes take to start on two cores.
                assert!(took < RUN + Duration::from_secs(2), "{name}: {took:?}");
                let usage = || sandbox.network_usage().unwrap();
                let left = within(Duration::from_secs(2), || usage().connections == 0);
                assert!(left, "{name}: a connection is still open");
                assert!(usage().bytes_in <= BYTES_IN, "{name}: {:?}", usage());
            });
        }
    });
}

// NW-11, NW-18
#[test]
fn nw_11_hostile_servers_end_and_nobody_beside_them_notices() {
    let _alone = alone();
    // As many sandboxes and connections as later, so that what is kept for the next is there.
    let kind: Origin = ("a kind server", Http, |s| {
        s.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
    });
    let kind = [(kind, serve(kind)); ORIGINS.len()];
    ask(&kind, |status| status == 0);
    ask(&kind, |status| status == 0);
    let before = resident();

    let hostile = ORIGINS.map(|origin| (origin, serve(origin)));
    let mut beside = Times::default();
    thread::scope(|scope| {
        let asking = scope.spawn(|| ask(&hostile, |status| status != 0));
        while !asking.is_finished() {
            let watch = Stopwatch::start();
            let sandbox = Sandbox::create(Options::default()).unwrap();
            let result = sandbox.run_blocking("echo hi | cat").unwrap();
            assert_eq!(result.stdout, b"hi\n");
            beside.push(watch.took());
            thread::sleep(Duration::from_millis(5));
        }
    });
    let remains = || resident().saturating_sub(before);
    let is_back = within(Duration::from_secs(10), || remains() <= REMAINS);
    eprintln!(
        "beside 30 hostile servers: {beside}; {} KiB more memory",
        remains() >> 10
    );
    assert!(is_back, "{} KiB more memory than before", remains() >> 10);
    assert!(beside.len() >= 100, "{}", beside.len());
    beside.assert("beside 30 hostile servers", 99, PROMISED);
}
