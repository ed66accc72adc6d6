//! The forms in which a text travels: as it is, percent-encoded, in JSON, in base64.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What `encodeURIComponent` and Python's `quote` leave alone.
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// How a text stands in the place it is found or put.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Raw,
    /// In a query or a form.
    Percent,
    /// In a string of JSON.
    Json,
}

/// A text in one form.
pub(super) fn encode(text: &str, form: Form) -> String {
    match form {
        Form::Raw => text.to_owned(),
        Form::Percent => utf8_percent_encode(text, UNRESERVED).to_string(),
        Form::Json => text.replace('\\', "\\\\").replace('"', "\\\""),
    }
}

/// A text, and what takes its place.
pub(super) type Pair = (Vec<u8>, Vec<u8>);

/// Pairs of what `text` may look like and what `other` looks like in that form, without repetition.
///
/// Base64 has three, by where in a group of three bytes the text begins; the characters that it
/// shares with its neighbours are left out.
pub(super) fn pairs(text: &str, other: &str) -> Vec<Pair> {
    let all = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    let lower = |encoded: String| -> String {
        let mut pieces = encoded.split('%');
        let first = pieces.next().unwrap_or_default().to_owned();
        pieces.fold(first, |done, piece| {
            let (escape, rest) = piece.split_at(2);
            done + "%" + &escape.to_ascii_lowercase() + rest
        })
    };
    let html_safe = |text: &str| {
        encode(text, Form::Json)
            .replace('<', "\\u003c")
            .replace('>', "\\u003e")
            .replace('&', "\\u0026")
    };
    let both = |form: &dyn Fn(&str) -> String| (form(text).into_bytes(), form(other).into_bytes());
    let mut pairs = vec![
        both(&str::to_owned),
        both(&|text| encode(text, Form::Percent)),
        both(&|text| lower(encode(text, Form::Percent))),
        both(&|text| encode(text, Form::Percent).replace("%2F", "/")),
        both(&all),
        both(&|text| lower(all(text))),
        both(&|text| encode(text, Form::Json)),
        both(&|text| encode(text, Form::Json).replace('/', "\\/")),
        both(&html_safe),
    ];
    for offset in 0..3 {
        pairs.push(both(&|text| base64_core(text, offset, &STANDARD_NO_PAD)));
        pairs.push(both(&|text| base64_core(text, offset, &URL_SAFE_NO_PAD)));
    }
    let mut seen = std::collections::HashSet::new();
    pairs.retain(|(from, _)| seen.insert(from.clone()));
    pairs
}

/// The characters of base64 that depend on `text` alone when it begins at `offset` in a group.
fn base64_core(text: &str, offset: usize, engine: &impl Engine) -> String {
    let mut bytes = vec![0; offset];
    bytes.extend(text.as_bytes());
    let encoded = engine.encode(&bytes);
    let first = (8 * offset).div_ceil(6);
    let end = 8 * bytes.len() / 6;
    encoded[first..end].to_owned()
}
