use super::*;
use crate::policy::target::Target;
use crate::secrets::{HostKey, Messages, SecretSpec, Secrets};
use proptest::prelude::*;

const VALUE: &str = "sk-live/0123456789+abcdef\"&=XYZ";
/// Shorter than its placeholder.
const SHORT: &str = "hunter22";

/// What messages go through for a host that the secret is bound to, and the placeholder.
fn messages(value: &str, bound: bool, websocket: bool) -> (Messages, String) {
    let mut spec = SecretSpec::new("KEY", value, &["api.com"]);
    spec.places.websocket = websocket;
    let secrets = Secrets::new(&[spec], &HostKey::new([7; 32]), "").unwrap();
    let placeholder = secrets.environment().next().unwrap().1.to_owned();
    let host = if bound { "api.com" } else { "evil.com" };
    let target = Target::parse(&format!("https://{host}/")).unwrap();
    let messages = secrets.bind(&target, "GET").messages().unwrap();
    (messages, placeholder)
}

fn guest(value: &str, bound: bool, websocket: bool) -> (Frames, String) {
    let (messages, placeholder) = messages(value, bound, websocket);
    let frames = Frames::new(Side::Guest, messages.out, messages.out_control);
    (frames, placeholder)
}

fn server(value: &str) -> (Frames, String) {
    let (messages, placeholder) = messages(value, true, true);
    let frames = Frames::new(Side::Server, messages.back, messages.back_control);
    (frames, placeholder)
}

/// A frame as a side writes it.
fn frame(side: Side, is_last: bool, opcode: u8, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mask = (side == Side::Guest).then(|| Mask::new([1, 2, 3, payload.len() as u8]));
    let last = if is_last { 0x80 } else { 0 };
    write(&mut out, last | opcode, payload.to_vec(), mask);
    out
}

/// Frames as a receiver reads them; the last one may be cut off.
fn read(side: Side, mut bytes: &[u8]) -> Vec<(bool, u8, Vec<u8>)> {
    let mut frames = Vec::new();
    while !bytes.is_empty() {
        let (head, rest) = bytes.split_at(head_length(bytes));
        let frame = read_head(head, side).unwrap();
        let (payload, rest) = rest.split_at(rest.len().min(frame.left as usize));
        let mut payload = payload.to_vec();
        if let Some(mut mask) = frame.mask {
            mask.apply(&mut payload);
        }
        frames.push((frame.is_last, frame.opcode, payload));
        bytes = rest;
    }
    frames
}

/// The messages of frames, each with its opcode, and the control frames.
type Joined = (Vec<(u8, Vec<u8>)>, Vec<(u8, Vec<u8>)>);

fn joined(frames: &[(bool, u8, Vec<u8>)]) -> Joined {
    let (mut messages, mut controls) = (Vec::new(), Vec::new());
    let mut open: Option<(u8, Vec<u8>)> = None;
    for (is_last, opcode, payload) in frames {
        match opcode {
            0 => open.as_mut().unwrap().1.extend(payload),
            1 | 2 => {
                assert!(open.is_none());
                open = Some((*opcode, payload.clone()));
            }
            _ => controls.push((*opcode, payload.clone())),
        }
        if *opcode < 8 && *is_last {
            messages.extend(open.take());
        }
    }
    assert!(open.is_none());
    (messages, controls)
}

fn push_all<'a>(
    frames: &mut Frames,
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, Fault> {
    let mut out = Vec::new();
    for piece in pieces {
        frames.push(piece, &mut out)?;
    }
    assert!(frames.is_between());
    Ok(out)
}

// NW-13
#[test]
fn nw_13_a_placeholder_may_be_divided_anywhere() {
    for value in [VALUE, SHORT] {
        let (_, placeholder) = guest(value, true, true);
        let text = format!("before {placeholder} after");
        let expected = format!("before {value} after").into_bytes();
        for at in 0..=text.len() {
            let (first, second) = text.as_bytes().split_at(at);
            let stream = [
                frame(Side::Guest, false, 1, first),
                frame(Side::Guest, true, 9, b"ping"),
                frame(Side::Guest, true, 0, second),
            ]
            .concat();
            for size in [1, 7, stream.len()] {
                let (mut frames, _) = guest(value, true, true);
                let out = push_all(&mut frames, stream.chunks(size)).unwrap();
                let (messages, controls) = joined(&read(Side::Guest, &out));
                assert_eq!(messages, [(1, expected.clone())], "{at} {size}");
                assert_eq!(controls, [(9, b"ping".to_vec())]);
                assert_eq!(frames.hits(), 1);
            }
        }
    }
}

// NW-13
#[test]
fn nw_13_a_leak_is_found_wherever_it_is_divided_and_in_control_frames() {
    for (bound, websocket) in [(false, true), (true, false), (false, false)] {
        let (_, placeholder) = guest(VALUE, bound, websocket);
        for at in 0..=placeholder.len() {
            let (first, second) = placeholder.as_bytes().split_at(at);
            let stream = [
                frame(Side::Guest, false, 2, first),
                frame(Side::Guest, true, 0, second),
            ]
            .concat();
            for size in [1, stream.len()] {
                let (mut frames, _) = guest(VALUE, bound, websocket);
                let mut out = Vec::new();
                let end = stream
                    .chunks(size)
                    .find_map(|piece| frames.push(piece, &mut out).err());
                assert_eq!(end, Some(Fault::Leak(1)));
                // Of the placeholder nothing has gone.
                let sent = read(Side::Guest, &out);
                assert!(
                    sent.iter().all(|(_, _, payload)| payload.is_empty()),
                    "{sent:?}"
                );
            }
        }
        let ping = frame(Side::Guest, true, 9, placeholder.as_bytes());
        let (mut frames, _) = guest(VALUE, bound, websocket);
        let end = frames.push(&ping, &mut Vec::new());
        assert_eq!(end, Err(Fault::Leak(1)));
    }
}

#[test]
fn a_message_in_one_frame_stays_in_one_and_each_has_a_mask_of_its_own() {
    let (mut frames, placeholder) = guest(VALUE, true, true);
    let mut masks = std::collections::HashSet::new();
    for length in [0, 1, 125, 126, 65_535, 65_536, 200_000] {
        let payload = [vec![b'x'; length], placeholder.clone().into_bytes()].concat();
        let sent = frame(Side::Guest, true, 2, &payload);
        let out = push_all(&mut frames, sent.chunks(1_000)).unwrap();
        let expected = [vec![b'x'; length], VALUE.as_bytes().to_vec()].concat();
        assert_eq!(read(Side::Guest, &out), [(true, 2, expected)]);
        assert_eq!(out.len(), sent.len());
        let head = &out[..head_length(&out)];
        masks.insert(head[head.len() - 4..].to_vec());
    }
    assert_eq!(masks.len(), 7);
}

// NW-13
#[test]
fn nw_13_an_echo_is_redacted_and_keeps_its_length() {
    for size in [1, 3, 1_000] {
        // Every form of it has the length that the placeholder has in that form.
        let value = "sk-0123456789abcdefghijklmn";
        let (mut frames, placeholder) = server(value);
        let text = format!("{{\"key\": \"{value}\"}}");
        let sent = [
            frame(Side::Server, true, 1, text.as_bytes()),
            frame(
                Side::Server,
                true,
                8,
                format!("\x03\u{0}{value}?").as_bytes(),
            ),
        ]
        .concat();
        let out = push_all(&mut frames, sent.chunks(size)).unwrap();
        let seen = read(Side::Server, &out);
        let expected = format!("{{\"key\": \"{placeholder}\"}}").into_bytes();
        let close = format!("\x03\u{0}{placeholder}?").into_bytes();
        assert_eq!(seen, [(true, 1, expected), (true, 8, close)]);
        assert_eq!(out.len(), sent.len());
    }
}

#[test]
fn a_reason_that_grows_too_long_is_left_out() {
    let (mut frames, _) = server(SHORT);
    let reason = format!("\x03\u{0}{}", SHORT.repeat(10));
    let out = push_all(
        &mut frames,
        [&frame(Side::Server, true, 8, reason.as_bytes())[..]].into_iter(),
    );
    assert_eq!(read(Side::Server, &out.unwrap()), [(true, 8, vec![3, 0])]);
}

#[test]
fn nothing_is_held_but_the_beginning_of_a_placeholder() {
    let (mut frames, placeholder) = guest(VALUE, false, true);
    // A frame of 2^62 bytes, of which some come.
    let mut out = Vec::new();
    frames
        .push(
            &[0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            &mut out,
        )
        .unwrap();
    assert_eq!(out.len(), 14);
    for _ in 0..1_000 {
        let mut out = Vec::new();
        frames.push(&vec![b'.'; 16 * 1024], &mut out).unwrap();
        assert_eq!(out.len(), 16 * 1024);
    }
    let mut out = Vec::new();
    frames
        .push(&placeholder.as_bytes()[..20], &mut out)
        .unwrap();
    frames.push(b".", &mut out).unwrap();
    assert_eq!(out.len(), 21);
}

#[test]
fn what_is_no_frame_is_a_fault() {
    let masked = |head: &[u8]| [head, &[0; 4]].concat();
    let long = |digits: u64| [&[0x82, 0xff][..], &digits.to_be_bytes(), &[0; 4]].concat();
    let faults: Vec<Vec<u8>> = vec![
        masked(&[0xc1, 0x80]),
        masked(&[0xa1, 0x80]),
        masked(&[0x91, 0x80]),
        masked(&[0x83, 0x80]),
        masked(&[0x87, 0x80]),
        masked(&[0x8b, 0x80]),
        masked(&[0x8f, 0x80]),
        masked(&[0x80, 0x80]),
        masked(&[0x09, 0x80]),
        masked(&[0x89, 0xfe, 0, 126]),
        masked(&[0x88, 0xfe, 0, 200]),
        masked(&[0x82, 0xfe, 0, 125]),
        long(0xffff),
        long(1 << 63),
        long(u64::MAX),
        [masked(&[0x01, 0x80]), masked(&[0x81, 0x80])].concat(),
        vec![0x81, 0x00],
    ];
    for bytes in &faults {
        let (mut frames, _) = guest(VALUE, true, true);
        let end = frames.push(bytes, &mut Vec::new());
        assert!(
            matches!(end, Err(Fault::Malformed(_))),
            "{bytes:x?}: {end:?}"
        );
    }
    let (mut frames, _) = server(VALUE);
    let end = frames.push(&masked(&[0x81, 0x80]), &mut Vec::new());
    assert!(matches!(end, Err(Fault::Malformed(_))));
    assert_eq!(faults.len(), 17);
}

#[test]
fn a_close_has_a_code_and_as_much_of_a_reason_as_fits() {
    let close = close(1008, &"ä".repeat(100));
    let seen = read(Side::Server, &close).remove(0);
    assert_eq!((seen.0, seen.1, &seen.2[..2]), (true, 8, &[3, 240][..]));
    assert_eq!(
        String::from_utf8(seen.2[2..].to_vec()).unwrap(),
        "ä".repeat(61)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Messages in any fragments, with control frames between them, in a stream that is divided
    /// anywhere: what arrives is what replacing the whole gives, in both directions.
    // NW-13
    #[test]
    fn nw_13_divisions_do_not_matter(
        is_short in any::<bool>(),
        is_guest in any::<bool>(),
        plan in prop::collection::vec((prop::collection::vec(0u8..4, 0..6), prop::collection::vec(0usize..40, 0..6), any::<bool>()), 1..5),
        sizes in prop::collection::vec(1usize..50, 1..20),
    ) {
        let value = if is_short { SHORT } else { VALUE };
        let (side, (mut frames, placeholder)) = match is_guest {
            true => (Side::Guest, guest(value, true, true)),
            false => (Side::Server, server(value)),
        };
        let (from, to) = match is_guest {
            true => (placeholder.as_str(), value),
            false => (value, placeholder.as_str()),
        };
        let (mut stream, mut expected, mut pings) = (Vec::new(), Vec::new(), Vec::new());
        for (words, cuts, has_ping) in &plan {
            let text = |word: &str| -> String {
                words.iter().map(|kind| match kind {
                    0 => "some words",
                    1 => word,
                    // The beginning of one that does not come.
                    2 => &from[..6],
                    _ => "",
                }).collect()
            };
            let whole = text(from);
            let mut rest = whole.as_bytes();
            let mut opcode = 1;
            for cut in cuts {
                let (piece, more) = rest.split_at((*cut).min(rest.len()));
                stream.extend(frame(side, false, opcode, piece));
                if *has_ping {
                    stream.extend(frame(side, true, 9, piece.get(..1).unwrap_or_default()));
                    pings.push((9, piece.get(..1).unwrap_or_default().to_vec()));
                }
                (opcode, rest) = (0, more);
            }
            stream.extend(frame(side, true, opcode, rest));
            expected.push((1, whole.replace(from, to).into_bytes()));
        }
        let mut pieces = Vec::new();
        let mut left = &stream[..];
        for size in sizes.into_iter().cycle() {
            if left.is_empty() { break; }
            let (piece, more) = left.split_at(size.min(left.len()));
            pieces.push(piece);
            left = more;
        }
        let out = push_all(&mut frames, pieces.into_iter()).unwrap();
        let (messages, controls) = joined(&read(side, &out));
        prop_assert_eq!(messages, expected);
        prop_assert_eq!(controls, pings);
    }

    /// No bytes make it panic, or write more than a head for each frame that they can have.
    #[test]
    fn any_bytes_are_frames_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200), size in 1usize..50) {
        for (mut frames, _) in [guest(VALUE, true, true), server(VALUE)] {
            let mut out = Vec::new();
            for piece in bytes.chunks(size) {
                if frames.push(piece, &mut out).is_err() { break; }
            }
            prop_assert!(out.len() <= 14 * (bytes.len() + 1));
        }
    }
}
