//! What each byte means to the scanner.

/// Ends an unquoted word: blanks, newline, `; & | ( ) < >` and the end of the text.
pub(super) const END: u16 = 1;
/// Quotes and expansions: `' " \ $` and the backquote.
pub(super) const QUOTE: u16 = 2;
/// `{ } ,`
pub(super) const BRACE: u16 = 4;
/// `~`
pub(super) const TILDE: u16 = 8;
/// `}`
pub(super) const CLOSE: u16 = 16;
/// `/`
pub(super) const SLASH: u16 = 32;
/// `[ ]`
pub(super) const BRACKET: u16 = 64;
/// Special inside double quotes: `" \ $` and the backquote.
pub(super) const DOUBLE: u16 = 128;
/// What arithmetic text may end with, or nest: `( ) ] : ? ; }` and quotes.
pub(super) const MATH: u16 = 256;
/// The end of the text.
pub(super) const NUL: u16 = 512;
/// Letters, digits and `_`.
pub(super) const NAME: u16 = 1024;
/// Special in a here-document: `\ $` and the backquote.
pub(super) const HERE: u16 = 2048;

/// `'`
pub(super) const SINGLE: u16 = 4096;

/// The classes of every byte.
pub(super) static CLASS: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0u16; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        let mut class = 0;
        if matches!(
            b,
            b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' | 0
        ) {
            class |= END;
        }
        if matches!(b, b'\'' | b'"' | b'\\' | b'$' | b'`') {
            class |= QUOTE;
        }
        if matches!(b, b'{' | b'}' | b',') {
            class |= BRACE;
        }
        if b == b'~' {
            class |= TILDE;
        }
        if b == b'}' {
            class |= CLOSE;
        }
        if b == b'/' {
            class |= SLASH;
        }
        if matches!(b, b'[' | b']') {
            class |= BRACKET;
        }
        if matches!(b, b'"' | b'\\' | b'$' | b'`') {
            class |= DOUBLE;
        }
        if matches!(
            b,
            b'"' | b'\''
                | b'\\'
                | b'$'
                | b'`'
                | b'('
                | b')'
                | b'['
                | b']'
                | b':'
                | b'?'
                | b';'
                | b'}'
        ) {
            class |= MATH;
        }
        if b == 0 {
            class |= NUL;
        }
        if b.is_ascii_alphanumeric() || b == b'_' {
            class |= NAME;
        }
        if matches!(b, b'\\' | b'$' | b'`') {
            class |= HERE;
        }
        if b == b'\'' {
            class |= SINGLE;
        }
        table[byte] = class;
        byte += 1;
    }
    table
}

/// Whether a byte has one of these classes.
#[inline]
pub(super) fn is(byte: u8, classes: u16) -> bool {
    CLASS[byte as usize] & classes != 0
}

/// Whether a name may start with this byte.
#[inline]
pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Whether these bytes are a name.
pub(super) fn is_name(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|byte| starts_name(*byte)) && bytes.iter().all(|byte| is(*byte, NAME))
}
