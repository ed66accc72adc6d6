//! Which fields are converted.

use codepod_tool::{Usage, quoted_text};

/// Ranges of fields, from 1.
pub(super) struct Fields {
    ranges: Vec<(u64, u64)>,
}

impl Fields {
    /// The first field.
    pub(super) fn first() -> Fields {
        Fields {
            ranges: vec![(1, 1)],
        }
    }

    /// The fields of a list like `1,3-5,7-`.
    pub(super) fn parse(text: &[u8]) -> Result<Fields, Usage> {
        if text == b"-" {
            return Ok(Fields {
                ranges: vec![(1, u64::MAX)],
            });
        }
        let is_end = |byte: &u8| matches!(byte, b',' | b' ' | b'\t');
        let mut ranges = Vec::new();
        let mut rest = text;
        loop {
            let end = rest.iter().position(is_end);
            ranges.push(range(rest, end.unwrap_or(rest.len()))?);
            match end {
                Some(end) => rest = &rest[end + 1..],
                None => return Ok(Fields { ranges }),
            }
        }
    }

    /// Whether a field is converted.
    pub(super) fn contains(&self, field: u64) -> bool {
        self.ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&field))
    }
}

/// The range that is the first `end` bytes. Messages show what stands behind it, too.
fn range(text: &[u8], end: usize) -> Result<(u64, u64), Usage> {
    let (first, behind) = number(text, end)?;
    let item = &text[..end];
    if behind == end {
        return match first {
            Some(0) | None => Err(Usage::new("fields are numbered from 1")),
            Some(field) => Ok((field, field)),
        };
    }
    // A dash stands there: everything else was refused.
    let (last, finish) = number(&text[behind + 1..], end - behind - 1)?;
    if finish != end - behind - 1 {
        return Err(Usage::new("invalid field range"));
    }
    match (first, last) {
        (Some(0), _) => Err(Usage::new("fields are numbered from 1")),
        (None, None) if item == b"-" => Ok((1, u64::MAX)),
        (first, Some(last)) if last < first.unwrap_or(1) => {
            Err(Usage::new("invalid decreasing range"))
        }
        (first, last) => Ok((first.unwrap_or(1), last.unwrap_or(u64::MAX))),
    }
}

/// The number at the beginning, none if there is no digit, and where a dash or the end follows it.
fn number(text: &[u8], end: usize) -> Result<(Option<u64>, usize), Usage> {
    let digits = text[..end]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    if digits < end && text[digits] != b'-' {
        let shown = quoted_text(&text[digits..]);
        return Err(Usage::new([b"invalid field value ", &shown[..]].concat()));
    }
    if digits == 0 {
        return Ok((None, 0));
    }
    let number = std::str::from_utf8(&text[..digits])
        .ok()
        .and_then(|digits| digits.parse().ok());
    match number {
        Some(number) if number < u64::MAX => Ok((Some(number), digits)),
        _ => {
            let shown = quoted_text(&text[..digits]);
            let message = [b"field number ", &shown[..], b" is too large"].concat();
            Err(Usage::new(message))
        }
    }
}
