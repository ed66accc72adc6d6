//! The named classes of bracket expressions, as glibc's C.UTF-8 has them.

use crate::chars;
use crate::printable::is_printable;

/// A named class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// `[:alpha:]`
    Alpha,
    /// `[:digit:]`
    Digit,
    /// `[:alnum:]`
    Alnum,
    /// `[:upper:]`
    Upper,
    /// `[:lower:]`
    Lower,
    /// `[:space:]`
    Space,
    /// `[:blank:]`
    Blank,
    /// `[:punct:]`
    Punct,
    /// `[:print:]`
    Print,
    /// `[:graph:]`
    Graph,
    /// `[:cntrl:]`
    Cntrl,
    /// `[:xdigit:]`
    Xdigit,
}

impl Named {
    /// The class of a name.
    pub fn parse(name: &[u8]) -> Option<Named> {
        Some(match name {
            b"alpha" => Named::Alpha,
            b"digit" => Named::Digit,
            b"alnum" => Named::Alnum,
            b"upper" => Named::Upper,
            b"lower" => Named::Lower,
            b"space" => Named::Space,
            b"blank" => Named::Blank,
            b"punct" => Named::Punct,
            b"print" => Named::Print,
            b"graph" => Named::Graph,
            b"cntrl" => Named::Cntrl,
            b"xdigit" => Named::Xdigit,
            _ => return None,
        })
    }

    /// Whether a character is in it.
    pub fn holds(self, code: u32) -> bool {
        let Some(char) = char::from_u32(code).filter(|_| code < 0x80 || !chars::is_bytes()) else {
            return false;
        };
        match self {
            Named::Alpha => char.is_alphabetic(),
            Named::Digit => char.is_ascii_digit(),
            Named::Alnum => char.is_alphanumeric(),
            Named::Upper => char.is_uppercase(),
            Named::Lower => char.is_lowercase(),
            Named::Space => char.is_whitespace() && !matches!(code, 0x85 | 0xa0 | 0x2007 | 0x202f),
            Named::Blank => {
                matches!(code, 9 | 32)
                    || (code >= 0x1680
                        && char.is_whitespace()
                        && !matches!(code, 0x2007 | 0x2028 | 0x2029 | 0x202f))
            }
            Named::Punct => {
                if code < 0x80 {
                    char.is_ascii_punctuation()
                } else {
                    is_printable(char) && !char.is_alphanumeric() && !char.is_whitespace()
                }
            }
            Named::Print => is_printable(char),
            Named::Graph => is_printable(char) && !char.is_whitespace(),
            Named::Cntrl => char.is_control() || matches!(code, 0x2028 | 0x2029),
            Named::Xdigit => char.is_ascii_hexdigit(),
        }
    }
}
