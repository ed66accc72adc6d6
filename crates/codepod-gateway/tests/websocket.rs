//! WebSockets of a sandbox that has secrets, with a server of frames on loopback.

mod support;

use std::io::{Read, Write};
use std::sync::{Arc, Mutex};

use codepod_gateway::RuleSpec;
use codepod_gateway::cptls::hello;
use codepod_gateway::event::Event;
use codepod_gateway::policy::TlsSpec;
use codepod_gateway::policy::denial::DenialKind;
use codepod_gateway::secrets::{HostKey, SecretSpec, Secrets};
use support::cptls_client::{shake, talk_in_pieces};
use support::servers::{self, Ca};
use support::{World, status, talk, text};

const VALUE: &str = "sk-live+CANARY/0123456789abcdefghijklmnop==";
const MASK: [u8; 4] = [0x11, 0x22, 0x33, 0x44];

/// What the server has received: heads, and then messages.
#[derive(Debug, Default)]
struct Seen {
    heads: Vec<String>,
    messages: Vec<(u8, Vec<u8>)>,
    masks: Vec<[u8; 4]>,
}

/// A server that sends each message back, in one frame, until it is closed. `head` is what it
/// adds to its reply, `first` what it sends before anything else.
struct Server {
    head: &'static str,
    first: Vec<u8>,
}

impl Server {
    fn speak(&self, stream: &mut (impl Read + Write), seen: &Mutex<Seen>) {
        let Some(head) = servers::read_head(stream) else {
            return;
        };
        seen.lock().unwrap().heads.push(text(&head));
        let mut reply = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{}\r\n",
            self.head
        )
        .into_bytes();
        reply.extend(&self.first);
        if stream
            .write_all(&reply)
            .and_then(|()| stream.flush())
            .is_err()
        {
            return;
        }
        let mut message = (0, Vec::new());
        while let Some((is_last, opcode, mask, payload)) = read_frame(stream) {
            seen.lock().unwrap().masks.push(mask);
            if opcode >= 8 {
                let answer = if opcode == 9 { 10 } else { opcode };
                let sent = stream.write_all(&frame(None, true, answer, &payload));
                if sent.and_then(|()| stream.flush()).is_err() || opcode == 8 {
                    return;
                }
                continue;
            }
            if opcode != 0 {
                message = (opcode, Vec::new());
            }
            message.1.extend(payload);
            if is_last {
                seen.lock().unwrap().messages.push(message.clone());
                let echo = frame(None, true, message.0, &message.1);
                if stream
                    .write_all(&echo)
                    .and_then(|()| stream.flush())
                    .is_err()
                {
                    return;
                }
            }
        }
    }
}

fn read_frame(stream: &mut impl Read) -> Option<(bool, u8, [u8; 4], Vec<u8>)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).ok()?;
    assert!(head[1] & 0x80 != 0 && head[0] & 0x70 == 0, "{head:x?}");
    let length = match head[1] & 0x7f {
        126 => {
            let mut digits = [0; 2];
            stream.read_exact(&mut digits).ok()?;
            usize::from(u16::from_be_bytes(digits))
        }
        127 => {
            let mut digits = [0; 8];
            stream.read_exact(&mut digits).ok()?;
            u64::from_be_bytes(digits) as usize
        }
        short => usize::from(short),
    };
    let mut mask = [0; 4];
    stream.read_exact(&mut mask).ok()?;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).ok()?;
    for (at, byte) in payload.iter_mut().enumerate() {
        *byte ^= mask[at % 4];
    }
    Some((head[0] & 0x80 != 0, head[0] & 0x0f, mask, payload))
}

fn frame(mask: Option<[u8; 4]>, is_last: bool, opcode: u8, payload: &[u8]) -> Vec<u8> {
    let masked = if mask.is_some() { 0x80 } else { 0 };
    let mut out = vec![if is_last { 0x80 } else { 0 } | opcode];
    match payload.len() {
        short @ ..126 => out.push(masked | short as u8),
        length @ ..0x1_0000 => {
            out.push(masked | 126);
            out.extend((length as u16).to_be_bytes());
        }
        length => {
            out.push(masked | 127);
            out.extend((length as u64).to_be_bytes());
        }
    }
    let mask_of = mask.unwrap_or_default();
    out.extend(mask.iter().flatten());
    out.extend(
        payload
            .iter()
            .enumerate()
            .map(|(at, b)| b ^ mask_of[at % 4]),
    );
    out
}

fn sent(is_last: bool, opcode: u8, payload: &[u8]) -> Vec<u8> {
    frame(Some(MASK), is_last, opcode, payload)
}

/// The messages and control frames of a server.
fn received(mut bytes: &[u8]) -> Vec<(u8, Vec<u8>)> {
    let (mut all, mut open) = (Vec::new(), None);
    while let [first, short, rest @ ..] = bytes {
        assert!(short & 0x80 == 0 && first & 0x70 == 0, "{:x?}", &bytes[..2]);
        let (length, rest) = match short {
            126 => (
                usize::from(u16::from_be_bytes([rest[0], rest[1]])),
                &rest[2..],
            ),
            127 => (
                u64::from_be_bytes(rest[..8].try_into().unwrap()) as usize,
                &rest[8..],
            ),
            short => (usize::from(*short), rest),
        };
        let payload = rest[..length].to_vec();
        bytes = &rest[length..];
        match first & 0x0f {
            control @ 8.. => all.push((control, payload)),
            0 => {
                let (_, message): &mut (u8, Vec<u8>) = open.as_mut().unwrap();
                message.extend(payload);
            }
            opcode => open = Some((opcode, payload)),
        }
        if first & 0x88 == 0x80 {
            all.extend(open.take());
        }
    }
    all
}

struct Place {
    world: World,
    seen: Arc<Mutex<Seen>>,
    placeholder: String,
}

/// A server behind TLS as `api.test`, which the secret is bound to, and as `evil.test`.
fn place(server: Server, change: impl FnOnce(&mut SecretSpec)) -> Place {
    let ca = Ca::new("ours");
    let identity = ca.sign("api.test", |params| {
        let other = rcgen::SanType::DnsName("evil.test".try_into().unwrap());
        params.subject_alt_names.push(other);
    });
    let config = servers::config(&identity, &[]);
    let seen = Arc::<Mutex<Seen>>::default();
    let own = seen.clone();
    let origin = servers::serve(move |stream| {
        let session = rustls::ServerConnection::new(config.clone()).unwrap();
        let mut stream = rustls::StreamOwned::new(session, stream);
        server.speak(&mut stream, &own);
        stream.conn.send_close_notify();
        let _ = stream.flush();
    });
    let mut spec = SecretSpec::new("TOKEN", VALUE, &["https://api.test"]);
    spec.places.websocket = true;
    change(&mut spec);
    let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "test").unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let rule = |name: &str| RuleSpec {
        tls: TlsSpec {
            roots: Some(vec![ca.der.clone()]),
            ..TlsSpec::default()
        },
        ..RuleSpec::from(name)
    };
    let world = World::with_rules(
        vec![rule("api.test"), rule("evil.test")],
        &[("api.test", origin), ("evil.test", origin)],
        |options| options.secrets = Arc::new(secrets),
    );
    Place {
        world,
        seen,
        placeholder,
    }
}

const ECHO: Server = Server {
    head: "",
    first: Vec::new(),
};

impl Place {
    /// Opens a WebSocket, sends frames in records of `size`, and returns the head and the frames
    /// that came, and whether the end was a clean one.
    async fn exchange(&self, host: &str, frames: &[u8], size: usize) -> (String, Vec<u8>) {
        let mut guest = self.world.connect(host, 443).await.unwrap();
        let alpn = (hello::ALPN, &b"http/1.1"[..]);
        shake(&mut guest, host, &[alpn]).await.unwrap();
        let mut bytes = upgrade(host).into_bytes();
        bytes.extend(frames);
        let (reply, _) = talk_in_pieces(guest, &bytes, size).await;
        divide(&reply)
    }
}

fn upgrade(host: &str) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    )
}

fn divide(reply: &[u8]) -> (String, Vec<u8>) {
    let end = reply.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, rest) = reply.split_at(end.map_or(reply.len(), |end| end + 4));
    (text(head), rest.to_vec())
}

// NW-13
#[tokio::test]
async fn nw_13_a_placeholder_in_a_message_is_exchanged_and_its_echo_is_not_seen() {
    for size in [1, 50_000] {
        let place = place(ECHO, |_| {});
        let whole = format!("{{\"auth\": \"{}\"}}", place.placeholder);
        let mut frames = Vec::new();
        for at in 0..=whole.len() {
            let (first, second) = whole.as_bytes().split_at(at);
            frames.extend(sent(false, 1, first));
            frames.extend(sent(true, 9, b"still here?"));
            frames.extend(sent(true, 0, second));
        }
        frames.extend(sent(true, 2, whole.repeat(3_000).as_bytes()));
        frames.extend(sent(true, 8, &[3, 232]));
        let (head, rest) = place.exchange("api.test", &frames, size).await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        let real = whole.replace(&place.placeholder, VALUE);
        {
            let seen = place.seen.lock().unwrap();
            let count = whole.len() + 1;
            assert_eq!(seen.messages.len(), count + 1);
            for (opcode, payload) in &seen.messages[..count] {
                assert_eq!((*opcode, text(payload)), (1, real.clone()));
            }
            assert_eq!(seen.messages[count], (2, real.repeat(3_000).into_bytes()));
            // Masks are fresh: none is the guest's, nor there twice.
            let masks: std::collections::HashSet<_> = seen.masks.iter().collect();
            assert!(masks.len() > count && !masks.contains(&MASK));
            let twice = seen.masks.len() - masks.len();
            assert!(twice <= 1, "{twice} of {}", seen.masks.len());
            assert!(!seen.heads[0].contains("xtensions"), "{}", seen.heads[0]);
        }
        let back = received(&rest);
        let (mut echoes, mut pongs) = (0, 0);
        for (opcode, payload) in &back {
            match opcode {
                1 => {
                    assert_eq!(text(payload), whole);
                    echoes += 1;
                }
                2 => assert_eq!(text(payload), whole.repeat(3_000)),
                10 => pongs += 1,
                other => assert_eq!((*other, &payload[..]), (8, &[3, 232][..])),
            }
        }
        assert_eq!((echoes, pongs), (whole.len() + 1, whole.len() + 1));
        let event = place.world.requests(1).await.remove(0);
        assert_eq!(event.secrets, ["TOKEN".into()]);
        assert_eq!((event.status, event.failure), (Some(101), None));
        let told = format!("{:?}{:?}", place.world.events(), place.world.network);
        assert!(!told.contains("CANARY"), "{told}");
    }
}

// NW-13
#[tokio::test]
async fn nw_13_a_placeholder_in_a_message_to_anybody_else_is_a_leak() {
    let base64 = |text: &str| {
        use base64::Engine;
        base64::engine::general_purpose::STANDARD.encode(text)
    };
    for (host, websocket) in [("evil.test", true), ("api.test", false)] {
        for form in ["text", "binary", "two frames", "ping", "base64", "close"] {
            let place = place(ECHO, |spec| spec.places.websocket = websocket);
            let canary = place.placeholder.as_bytes();
            let leak = match form {
                "text" => sent(true, 1, canary),
                "binary" => sent(true, 2, &[b"\0\xff", canary].concat()),
                "two frames" => {
                    [sent(false, 1, &canary[..9]), sent(true, 0, &canary[9..])].concat()
                }
                "ping" => sent(true, 9, canary),
                "close" => sent(true, 8, &[b"\x03\xe8", canary].concat()),
                _ => sent(
                    true,
                    1,
                    base64(&format!("me:{}", place.placeholder)).as_bytes(),
                ),
            };
            let frames = [sent(true, 1, b"hello"), leak, sent(true, 1, b"more")].concat();
            let (head, rest) = place.exchange(host, &frames, 7).await;
            assert!(head.starts_with("HTTP/1.1 101"), "{head}");
            let (opcode, payload) = received(&rest).pop().unwrap();
            assert_eq!(
                (opcode, &payload[..2]),
                (8, &1008u16.to_be_bytes()[..]),
                "{form}"
            );
            assert_eq!(
                text(&payload[2..]),
                format!(
                    "codepod: {host}:443: the secret `TOKEN` is not for the messages of this WebSocket"
                )
            );
            let event = place.world.requests(1).await.remove(0);
            assert!(
                event
                    .failure
                    .unwrap()
                    .contains("the secret `TOKEN` is not for")
            );
            let events = place.world.events();
            let leaks = events.iter().filter(|event| match event {
                Event::SecretLeak {
                    secret, host: own, ..
                } => &**secret == "TOKEN" && own == host,
                _ => false,
            });
            assert_eq!(leaks.count(), 1, "{form}: {events:?}");
            let denials = events.iter().filter(|event| match event {
                Event::Denied(denied) => {
                    denied.denial.kind == DenialKind::Secret
                        && denied.url == format!("https://{host}/ws")
                }
                _ => false,
            });
            assert_eq!(denials.count(), 1, "{form}: {events:?}");
            let seen = format!("{:?}", place.seen.lock().unwrap());
            assert!(!seen.contains("CANARY") && !seen.contains("more"), "{seen}");
            for (_, payload) in &place.seen.lock().unwrap().messages {
                assert_eq!(text(payload), "hello");
            }
        }
    }
}

// NW-13
#[tokio::test]
async fn nw_13_messages_over_plain_http_are_searched() {
    let seen = Arc::<Mutex<Seen>>::default();
    let own = seen.clone();
    let origin = servers::serve(move |mut stream| ECHO.speak(&mut stream, &own));
    let mut spec = SecretSpec::new("TOKEN", VALUE, &["api.test"]);
    spec.places.websocket = true;
    let secrets = Secrets::new(&[spec], &HostKey::new([1; 32]), "").unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let world = World::new(&["api.test"], &[("api.test", origin)], |options| {
        options.secrets = Arc::new(secrets)
    });
    let mut bytes = upgrade("api.test").into_bytes();
    bytes.extend(sent(true, 1, b"hello"));
    bytes.extend(sent(true, 1, placeholder.as_bytes()));
    let guest = world.connect("api.test", 80).await.unwrap();
    let (head, rest) = divide(&talk(guest, &bytes).await);
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    let (opcode, payload) = received(&rest).pop().unwrap();
    assert_eq!((opcode, &payload[..2]), (8, &1008u16.to_be_bytes()[..]));
    for (_, payload) in &seen.lock().unwrap().messages {
        assert_eq!(text(payload), "hello");
    }
}

#[tokio::test]
async fn what_is_no_frame_ends_a_websocket_on_both_sides() {
    let masked = |head: &[u8]| [head, &MASK].concat();
    for bytes in [
        masked(&[0xc1, 0x80]),
        masked(&[0x83, 0x80]),
        masked(&[0x89, 0xfe, 1, 0]),
        [&[0x82, 0xff, 0x80][..], &[0; 11]].concat(),
        vec![0x81, 0x02, b'h', b'i'],
    ] {
        let place = place(ECHO, |_| {});
        let (_, rest) = place.exchange("api.test", &bytes, 3).await;
        let (opcode, payload) = received(&rest).pop().unwrap();
        assert_eq!(
            (opcode, &payload[..2]),
            (8, &1002u16.to_be_bytes()[..]),
            "{bytes:x?}"
        );
        let event = place.world.requests(1).await.remove(0);
        assert!(
            event
                .failure
                .unwrap()
                .starts_with("the WebSocket is broken: ")
        );
        assert!(place.seen.lock().unwrap().messages.is_empty());
    }
    for first in [
        vec![0xc1, 0x00],
        vec![0x81, 0x80, 0, 0, 0, 0],
        vec![0x00, 0x00],
    ] {
        let hello = frame(None, true, 1, b"hello");
        let server = Server {
            head: "",
            first: [hello, first].concat(),
        };
        let place = place(server, |_| {});
        let (_, rest) = place.exchange("api.test", &[], 3).await;
        let back = received(&rest);
        assert_eq!(back[0], (1, b"hello".to_vec()));
        assert_eq!(
            (back[1].0, &back[1].1[..2]),
            (8, &1002u16.to_be_bytes()[..])
        );
    }
}

// NW-13
#[tokio::test]
async fn nw_13_compression_that_was_not_offered_is_refused() {
    let server = Server {
        head: "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        first: vec![0xc1, 0x02, 0xff, 0xff],
    };
    let place = place(server, |_| {});
    let (head, _) = place.exchange("api.test", &[], 50_000).await;
    assert_eq!(status(head.as_bytes()), 502);
    assert!(!place.seen.lock().unwrap().heads[0].contains("deflate"));
}

#[tokio::test]
async fn without_secrets_extensions_are_the_guests_affair() {
    let seen = Arc::<Mutex<Seen>>::default();
    let own = seen.clone();
    let server = Server {
        head: "Sec-WebSocket-Extensions: permessage-deflate\r\n",
        first: vec![0xc1, 0x02, 0xff, 0xff],
    };
    let origin = servers::serve(move |mut stream| server.speak(&mut stream, &own));
    let world = World::new(&["api.test"], &[("api.test", origin)], |_| {});
    let mut bytes = upgrade("api.test").into_bytes();
    bytes.extend(sent(true, 8, &[3, 232]));
    let guest = world.connect("api.test", 80).await.unwrap();
    let (head, rest) = divide(&talk(guest, &bytes).await);
    assert!(head.contains("permessage-deflate"), "{head}");
    assert_eq!(rest[..4], [0xc1, 0x02, 0xff, 0xff]);
    assert!(seen.lock().unwrap().heads[0].contains("permessage-deflate"));
    assert_eq!(seen.lock().unwrap().masks, [MASK]);
}

/// What else a guest may ask to switch to is not asked for, so nothing unsearched can follow.
#[tokio::test]
async fn no_other_protocol_is_switched_to() {
    let place = place(ECHO, |_| {});
    let request = format!(
        "GET / HTTP/1.1\r\nHost: evil.test\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n{}",
        place.placeholder
    );
    let mut guest = place.world.connect("evil.test", 443).await.unwrap();
    shake(&mut guest, "evil.test", &[(hello::ALPN, b"http/1.1")])
        .await
        .unwrap();
    let (reply, _) = talk_in_pieces(guest, request.as_bytes(), 50_000).await;
    assert_eq!(text(&reply), "");
    let seen = place.seen.lock().unwrap();
    assert!(
        !seen.heads[0].to_ascii_lowercase().contains("upgrade"),
        "{}",
        seen.heads[0]
    );
    assert!(seen.messages.is_empty());
}
