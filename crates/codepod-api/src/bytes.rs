//! Bytes in JSON: as text where they are UTF-8, in base64 where they are not.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Bytes on their way: exactly one of the two fields is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bytes {
    /// The bytes, if they are UTF-8.
    pub text: Option<String>,
    /// The bytes in base64, if they are not.
    pub base64: Option<String>,
}

/// What claims to be base64 is not, or there is text beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadBase64(pub &'static str);

impl Bytes {
    /// Prepares bytes for JSON.
    pub fn new(bytes: Vec<u8>) -> Bytes {
        match String::from_utf8(bytes) {
            Ok(text) => Bytes {
                text: Some(text),
                base64: None,
            },
            Err(error) => Bytes {
                text: None,
                base64: Some(STANDARD.encode(error.as_bytes())),
            },
        }
    }

    /// Text for reading, and base64 beside it only where the text is not the whole truth.
    pub fn lossy(bytes: Vec<u8>) -> (String, Option<String>) {
        match String::from_utf8(bytes) {
            Ok(text) => (text, None),
            Err(error) => {
                let bytes = error.as_bytes();
                (
                    String::from_utf8_lossy(bytes).into_owned(),
                    Some(STANDARD.encode(bytes)),
                )
            }
        }
    }

    /// The bytes that came as text or as base64; `None` if neither is there.
    pub fn take(
        text: Option<String>,
        base64: Option<String>,
    ) -> Result<Option<Vec<u8>>, BadBase64> {
        match (text, base64) {
            (Some(_), Some(_)) => Err(BadBase64("give text or base64, not both")),
            (Some(text), None) => Ok(Some(text.into_bytes())),
            (None, Some(base64)) => STANDARD
                .decode(base64)
                .map(Some)
                .map_err(|_| BadBase64("that is not base64")),
            (None, None) => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_as_they_went() {
        for bytes in [
            &b""[..],
            b"text \n\0",
            "\u{e9}".as_bytes(),
            b"\xff\xfe\0",
            &[0x80; 100],
        ] {
            let sent = Bytes::new(bytes.to_vec());
            assert!(sent.text.is_some() != sent.base64.is_some());
            assert_eq!(Bytes::take(sent.text, sent.base64).unwrap().unwrap(), bytes);
        }
        assert!(Bytes::take(Some(String::new()), Some(String::new())).is_err());
        assert!(Bytes::take(None, Some("?".into())).is_err());
        assert_eq!(Bytes::take(None, None), Ok(None));
    }
}
