//! The text of a file: its byte order mark, and units of bytes or of UTF-16.

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Bytes: ASCII, UTF-8 and all that has line breaks as ASCII has.
    Bytes,
    Utf16Le,
    Utf16Be,
}

/// A byte order mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    None,
    Utf8,
    Utf16Le,
    Utf16Be,
}

impl Mark {
    /// The mark that a text begins with.
    pub(super) fn of(text: &[u8]) -> Mark {
        match text {
            [0xef, 0xbb, 0xbf, ..] => Mark::Utf8,
            [0xff, 0xfe, ..] => Mark::Utf16Le,
            [0xfe, 0xff, ..] => Mark::Utf16Be,
            _ => Mark::None,
        }
    }

    /// Its bytes.
    pub(super) fn bytes(self) -> &'static [u8] {
        match self {
            Mark::None => b"",
            Mark::Utf8 => b"\xef\xbb\xbf",
            Mark::Utf16Le => b"\xff\xfe",
            Mark::Utf16Be => b"\xfe\xff",
        }
    }

    /// What `-i` calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Mark::None => "no_bom",
            Mark::Utf8 => "UTF-8",
            Mark::Utf16Le => "UTF-16LE",
            Mark::Utf16Be => "UTF-16BE",
        }
    }
}

impl Form {
    /// Its name in messages; empty for bytes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Bytes => "",
            Form::Utf16Le => "UTF-16LE",
            Form::Utf16Be => "UTF-16BE",
        }
    }

    /// The units of a text without its mark. Half a unit at the end is left out.
    pub(super) fn units(self, text: &[u8]) -> Vec<u16> {
        let pairs = text.as_chunks::<2>().0.iter();
        match self {
            Form::Bytes => text.iter().copied().map(u16::from).collect(),
            Form::Utf16Le => pairs.map(|pair| u16::from_le_bytes(*pair)).collect(),
            Form::Utf16Be => pairs.map(|pair| u16::from_be_bytes(*pair)).collect(),
        }
    }

    /// Units as bytes of this form.
    pub(super) fn bytes(self, units: &[u16], out: &mut Vec<u8>) {
        match self {
            Form::Bytes => out.extend(units.iter().map(|unit| unit.to_le_bytes()[0])),
            Form::Utf16Le => out.extend(units.iter().flat_map(|unit| unit.to_le_bytes())),
            Form::Utf16Be => out.extend(units.iter().flat_map(|unit| unit.to_be_bytes())),
        }
    }
}

/// UTF-16 as UTF-8. Fails with the units before half of a pair, and which half is missing.
pub(super) fn utf8(units: &[u16], out: &mut Vec<u8>) -> Result<(), (usize, &'static str)> {
    let mut at = 0;
    for found in char::decode_utf16(units.iter().copied()) {
        match found {
            Ok(letter) => {
                at += letter.len_utf16();
                out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Err(half) => {
                let missing = match half.unpaired_surrogate() {
                    ..0xdc00 => "low",
                    _ => "high",
                };
                return Err((at, missing));
            }
        }
    }
    Ok(())
}
