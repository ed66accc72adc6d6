//! Certificates in a file of text.

use crate::base64::decode;

/// The certificates of a file in PEM, as DER; what stands around them does not count.
pub fn certificates(text: &[u8]) -> Vec<Vec<u8>> {
    const BEGIN: &[u8] = b"-----BEGIN CERTIFICATE-----";
    const END: &[u8] = b"-----END CERTIFICATE-----";
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(from) = find(rest, BEGIN) {
        rest = &rest[from + BEGIN.len()..];
        let Some(end) = find(rest, END) else {
            break;
        };
        found.extend(decode(&rest[..end]));
        rest = &rest[end..];
    }
    found
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    let lines = text.windows(part.len());
    lines.into_iter().position(|window| window == part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_found_between_their_lines() {
        let text = b"# one\n-----BEGIN CERTIFICATE-----\nAAEC\n-----END CERTIFICATE-----\n\
            -----BEGIN CERTIFICATE-----\nAw==\n-----END CERTIFICATE-----\n\
            -----BEGIN CERTIFICATE-----\nBBBB";
        assert_eq!(certificates(text), [vec![0, 1, 2], vec![3]]);
        assert!(certificates(b"").is_empty());
    }
}
