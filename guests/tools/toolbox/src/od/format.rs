//! Formats: what `-t` says.

use codepod_tool::quoted;

/// How a unit of input is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// The name of an ASCII character.
    Named,
    /// A character or its escape.
    Character,
    Signed,
    Unsigned,
    Octal,
    Hexadecimal,
    Float,
}

/// A format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) kind: Kind,
    /// Bytes of a unit: 1, 2, 4, 8 or 16.
    pub(super) size: usize,
    /// Whether printable characters stand behind the line.
    pub(super) has_text: bool,
}

/// The format where none is asked for.
pub(super) const USUAL: Format = Format {
    kind: Kind::Octal,
    size: 2,
    has_text: false,
};

impl Format {
    /// Columns that a unit takes at most.
    pub(super) fn width(self) -> usize {
        let by_size = |widths: [usize; 4]| widths[self.size.ilog2().min(3) as usize];
        match self.kind {
            Kind::Named | Kind::Character => 3,
            Kind::Signed => by_size([4, 6, 11, 20]),
            Kind::Unsigned => by_size([3, 5, 10, 20]),
            Kind::Octal => by_size([3, 6, 11, 22]),
            Kind::Hexadecimal => 2 * self.size,
            Kind::Float => match self.size {
                4 => 15,
                8 => 24,
                _ => 29,
            },
        }
    }
}

/// Adds the formats of a type string to `formats`. Fails with a message.
pub(super) fn parse(text: &[u8], formats: &mut Vec<Format>) -> Result<(), Vec<u8>> {
    let mut rest = text;
    while let [letter, behind @ ..] = rest {
        let kind = match letter {
            b'a' => Kind::Named,
            b'c' => Kind::Character,
            b'd' => Kind::Signed,
            b'o' => Kind::Octal,
            b'u' => Kind::Unsigned,
            b'x' => Kind::Hexadecimal,
            b'f' => Kind::Float,
            _ => {
                let start = [b"invalid character '", &[*letter][..]].concat();
                return Err([&start[..], b"' in type string ", &quoted(text)].concat());
            }
        };
        let (size, behind) = size(kind, behind, text)?;
        let (has_text, behind) = match behind {
            [b'z', behind @ ..] => (true, behind),
            _ => (false, behind),
        };
        formats.push(Format {
            kind,
            size,
            has_text,
        });
        rest = behind;
    }
    Ok(())
}

/// The size behind a letter, and what follows it.
fn size<'a>(kind: Kind, rest: &'a [u8], text: &[u8]) -> Result<(usize, &'a [u8]), Vec<u8>> {
    let letter = rest.first();
    let (usual, named) = match kind {
        Kind::Named | Kind::Character => return Ok((1, rest)),
        Kind::Float => {
            let named = match letter {
                Some(b'F') => Some(4),
                Some(b'D') => Some(8),
                Some(b'L') => Some(16),
                _ => None,
            };
            (8, named)
        }
        _ => {
            let named = match letter {
                Some(b'C') => Some(1),
                Some(b'S') => Some(2),
                Some(b'I') => Some(4),
                Some(b'L') => Some(8),
                _ => None,
            };
            (4, named)
        }
    };
    if let Some(size) = named {
        return Ok((size, &rest[1..]));
    }
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits == 0 {
        return Ok((usual, rest));
    }
    let wrong = [b"invalid type string ", &quoted(text)[..]].concat();
    let (digits, rest) = rest.split_at(digits);
    let number = std::str::from_utf8(digits).ok();
    let Some(number) = number.and_then(|digits| digits.parse::<u64>().ok()) else {
        return Err(wrong);
    };
    let (is_known, what) = match kind {
        Kind::Float => (matches!(number, 4 | 8 | 16), "floating point"),
        _ => (matches!(number, 1 | 2 | 4 | 8), "integral"),
    };
    if !is_known {
        let why = format!(";\nthis system doesn't provide a {number}-byte {what} type");
        return Err([&wrong[..], why.as_bytes()].concat());
    }
    Ok((number as usize, rest))
}
