//! Signature Version 4 of AWS, in a header, for requests as they go over the wire.
//!
//! Servers decode what they receive before they compare, so the escapes of a query and of a path of
//! S3 are brought into one form here. Other services see a path that is normalized and encoded once
//! more.

use std::fmt::{self, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use hyper::header::HeaderMap;
use ring::{digest, hmac};
use zeroize::Zeroizing;

/// The hash of nothing.
pub(super) const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Services whose paths are signed as they are.
const AS_THEY_ARE: &[&str] = &["s3", "s3express", "s3-object-lambda", "s3-outposts"];

/// What a signature is for.
pub(super) struct Scope<'a> {
    /// As `x-amz-date` has it.
    pub(super) date: &'a str,
    pub(super) region: &'a str,
    pub(super) service: &'a str,
}

impl Scope<'_> {
    fn day(&self) -> &str {
        self.date.get(..8).unwrap_or_default()
    }
}

impl fmt::Display for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (day, region, service) = (self.day(), self.region, self.service);
        write!(f, "{day}/{region}/{service}/aws4_request")
    }
}

/// A request to be signed.
pub(super) struct Signing<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) query: &'a str,
    pub(super) headers: &'a HeaderMap,
    /// The names of the fields that are signed, in small letters and sorted.
    pub(super) names: &'a [String],
    /// The hash of the body, or what stands for it.
    pub(super) payload: &'a str,
}

/// The signature of a request.
pub(super) fn signature(secret: &str, scope: &Scope<'_>, request: &Signing<'_>) -> String {
    let canonical = canonical(request, AS_THEY_ARE.contains(&scope.service));
    let text = format!(
        "AWS4-HMAC-SHA256\n{}\n{scope}\n{}",
        scope.date,
        hash(&canonical)
    );
    let first = Zeroizing::new(format!("AWS4{secret}"));
    let day = sign(first.as_bytes(), scope.day());
    let region = sign(day.as_ref(), scope.region);
    let service = sign(region.as_ref(), scope.service);
    let key = sign(service.as_ref(), "aws4_request");
    hex(sign(key.as_ref(), &text).as_ref())
}

fn sign(key: &[u8], text: &str) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes())
}

/// The hash of a body, as `x-amz-content-sha256` has it.
pub(super) fn hash(bytes: &[u8]) -> String {
    hex(digest::digest(&digest::SHA256, bytes).as_ref())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A moment as `x-amz-date` has it: `20150830T123600Z`.
pub(super) fn date(now: SystemTime) -> String {
    let seconds = now
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| since.as_secs());
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March, so that the day that some have is their last; eras have 400 of them.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = match month {
        ..10 => (era * 400 + year, month + 3),
        _ => (era * 400 + year + 1, month - 9),
    };
    let (hour, minute, second) = (of_day / 3_600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

fn canonical(request: &Signing<'_>, is_path_as_it_is: bool) -> Vec<u8> {
    let path = if is_path_as_it_is {
        in_one_form(request.path.as_bytes(), Part::Path)
    } else {
        encode_all(normal(request.path).as_bytes())
    };
    let query = canonical_query(request.query);
    let mut out = format!("{}\n{path}\n{query}\n", request.method).into_bytes();
    for name in request.names {
        out.extend(name.as_bytes());
        let values = request.headers.get_all(name.as_str()).iter();
        for (index, value) in values.enumerate() {
            out.push(if index == 0 { b':' } else { b',' });
            let words = value.as_bytes().split(u8::is_ascii_whitespace);
            let words: Vec<&[u8]> = words.filter(|word| !word.is_empty()).collect();
            out.extend(words.join(&b' '));
        }
        out.push(b'\n');
    }
    out.extend(format!("\n{}\n{}", request.names.join(";"), request.payload).as_bytes());
    out
}

/// A path without `.`, `..` and empty segments.
fn normal(path: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        match segment {
            "" | "." => {}
            ".." => {
                kept.pop();
            }
            other => kept.push(other),
        }
    }
    let is_directory = path.ends_with('/') && !kept.is_empty();
    format!("/{}{}", kept.join("/"), if is_directory { "/" } else { "" })
}

fn canonical_query(query: &str) -> String {
    let form = |text: &str| in_one_form(text.as_bytes(), Part::Query);
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let mut pairs: Vec<(String, String)> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (form(name), form(value)))
        .collect();
    pairs.sort_unstable();
    let pairs: Vec<_> = pairs
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    pairs.join("&")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    Query,
}

/// What is encoded, with the escapes that AWS knows and no others: what is unreserved has none,
/// and all others have big letters.
fn in_one_form(text: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        let escaped = match (byte, more) {
            (b'%', [high, low, after @ ..]) => digit(*high).zip(digit(*low)).map(|(high, low)| {
                rest = after;
                16 * high + low
            }),
            _ => None,
        };
        match escaped {
            None if byte == b'/' && part == Part::Path => out.push('/'),
            // Servers take a plus in a query for a blank.
            None if byte == b'+' && part == Part::Query => out.push_str("%20"),
            _ => push_encoded(&mut out, escaped.unwrap_or(byte)),
        }
    }
    out
}

/// What was not encoded, or is encoded once more.
fn encode_all(text: &[u8]) -> String {
    text.iter().fold(String::new(), |mut out, byte| {
        match byte {
            b'/' => out.push('/'),
            other => push_encoded(&mut out, *other),
        }
        out
    })
}

fn push_encoded(out: &mut String, byte: u8) {
    if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
        out.push(char::from(byte));
    } else {
        // Writing to a string does not fail.
        let _ = write!(out, "%{byte:02X}");
    }
}

fn digit(digit: u8) -> Option<u8> {
    let value = char::from(digit).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests;
