//! Placeholders and values in bytes that arrive in pieces.

use std::sync::{Arc, OnceLock};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::divided;
use crate::policy::target::Target;
use crate::secrets::{HostKey, SecretSpec, Secrets, Stream};

/// The value of the secret that is bound.
const OWN: &str = "sk-live+OWN/0123456789abcdefghijklmnop==";
/// The value of another host's.
const OTHERS: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";

struct Known {
    secrets: Secrets,
    own: String,
    others: String,
}

/// Bytes, in which those below 8 stand for placeholders and values in some form.
///
/// Whatever they are: pieces give what the whole gives, nothing of another host's secret goes on,
/// no value comes back, and where lengths are kept they are the same.
pub fn secret_streams(input: &[u8]) {
    let Some(known) = known() else {
        return;
    };
    let Some((sizes, rest)) = input.split_first_chunk::<8>() else {
        return;
    };
    let mut bytes = Vec::new();
    for byte in rest {
        match byte {
            1 => bytes.extend_from_slice(known.own.as_bytes()),
            2 => bytes.extend_from_slice(known.others.as_bytes()),
            3 => bytes.extend_from_slice(OWN.as_bytes()),
            4 => bytes.extend_from_slice(OTHERS.as_bytes()),
            5 => bytes.extend(known.others.replace('-', "%2D").replace('_', "%5F").bytes()),
            6 => bytes.extend(STANDARD.encode(format!("me:{}", known.others)).bytes()),
            7 => bytes.extend(STANDARD.encode(format!("me:{}", known.own)).bytes()),
            byte => bytes.push(*byte),
        }
    }
    let again = [&sizes[..], &bytes].concat();
    let Some((pieces, _)) = divided::<8>(&again) else {
        return;
    };
    // Bound to the one secret; to none; and over a connection on which no secret is bound.
    for url in [
        "https://own.test/v1",
        "https://own.test/v2",
        "http://own.test/v1",
    ] {
        let Ok(target) = Target::parse(url) else {
            return;
        };
        let bound = known.secrets.bind(&target, "GET");
        let is_bound = url == "https://own.test/v1";
        let mut strangers = vec![known.others.as_str()];
        if !is_bound {
            strangers.push(&known.own);
        }
        if let Some(stream) = bound.leak_scan() {
            leaks(stream, &pieces, &bytes, &strangers);
        }
        for media_type in [
            "text/plain",
            "application/json",
            "application/x-www-form-urlencoded",
        ] {
            let filled = bound.fill_body(media_type);
            assert_eq!(filled.is_some(), is_bound, "{url}");
            if let (Some(one), Some(other)) = (filled, bound.fill_body(media_type)) {
                let out = same(one.stream, other.stream, &bytes, &pieces);
                assert!(!other.keeps_length || out.len() == bytes.len());
                assert!(!has(&out, &known.own), "a placeholder was left");
            }
        }
        let redaction = bound.redaction();
        assert_eq!(redaction.is_some(), is_bound, "{url}");
        if let Some(redaction) = redaction {
            let [one, other] = [(); 2].map(|()| Stream::new(Arc::clone(redaction)));
            let out = same(one, other, &bytes, &pieces);
            assert!(!has(&out, OWN), "a value came back");
        }
        let mut hits = 0;
        for filled in [
            bound.fill_header(&bytes, &mut hits),
            bound.fill_query(&bytes, &mut hits),
        ] {
            assert!(filled.is_none() || is_bound, "{url}");
            assert!(filled.is_none_or(|filled| !has(&filled, &known.own)));
        }
        // Which secret is another's business does not depend on where it is looked for.
        if strangers.iter().any(|text| has(&bytes, text)) {
            assert!(bound.leak(&bytes).is_some(), "a placeholder was not found");
        }
    }
}

fn known() -> Option<&'static Known> {
    static KNOWN: OnceLock<Option<Known>> = OnceLock::new();
    let make = || {
        let mut own = SecretSpec::new("OWN", OWN, &["https://own.test/v1"]);
        own.places.body = true;
        let others = SecretSpec::new("OTHERS", OTHERS, &["https://others.test"]);
        let secrets = Secrets::new(&[own, others], &HostKey::new([5; 32]), "").ok()?;
        let of = |name| {
            let found = secrets.environment().find(|(own, _)| *own == name);
            found.map(|(_, placeholder)| placeholder.to_owned())
        };
        let (own, others) = (of("OWN")?, of("OTHERS")?);
        Some(Known {
            secrets,
            own,
            others,
        })
    };
    KNOWN.get_or_init(make).as_ref()
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|part| part == text.as_bytes())
}

/// What comes of bytes, which is the same in pieces.
fn same(mut one: Stream, mut other: Stream, bytes: &[u8], pieces: &[&[u8]]) -> Vec<u8> {
    let mut whole = one.push(bytes);
    whole.extend(one.finish());
    let mut out = Vec::new();
    for piece in pieces {
        out.extend(other.push(piece));
    }
    out.extend(other.finish());
    assert!(out == whole, "pieces give something else");
    assert_eq!(other.hits(), one.hits());
    out
}

/// A body is handed on until something is found in it; nothing of that has gone on by then.
fn leaks(mut stream: Stream, pieces: &[&[u8]], bytes: &[u8], strangers: &[&str]) {
    let mut gone = Vec::new();
    for piece in pieces.iter().copied().map(Some).chain([None]) {
        let passed = match piece {
            Some(piece) => stream.push(piece),
            None => stream.finish(),
        };
        if stream.hits() != 0 {
            break;
        }
        gone.extend(passed);
    }
    for text in strangers {
        assert!(!has(&gone, text), "a placeholder went on");
        assert!(
            stream.hits() != 0 || !has(bytes, text),
            "a placeholder was not found"
        );
    }
    assert!(stream.hits() != 0 || gone == bytes, "bytes were changed");
}
