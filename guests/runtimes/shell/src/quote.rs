//! Quoting values so that the shell reads them back, in each of the styles in which bash prints
//! them.
//!
//! | style | who prints it | function |
//! |---|---|---|
//! | `'it'\''s'` | `trap -p`, `alias` | [`single`] |
//! | `"a \"b\""` | `declare -p` before the choice of `$'…'` | [`double`] |
//! | `$'a\nb'` | wherever something is not printable | [`ansi`] |
//! | `a\ b` | | [`backslash`] |
//! | as it is, `'…'` or `$'…'` | `set` | [`listed`] |
//! | `"…"` or `$'…'` | `declare -p`, `${x@A}`, `${a[@]@K}` | [`declared`] |
//! | bare, `"…"` or `$'…'` | keys of associative arrays in `declare -p` | [`key`] |
//! | `a\ b` or `$'…'`, `''` when empty | `printf %q`, `compgen` | [`printf`] |
//! | `'…'` or `$'…'` | `${x@Q}` | [`reusable`] |
//! | as it is, `'…'` or `$'…'`, `''` when empty | words of `set -x` | [`traced`] |
//! | as it is, `'…'` or `$'…'` | values of assignments in `set -x` | [`traced_value`] |

use codepod_posix_regex::is_printable;

/// In single quotes; a lone `'` is `\'`.
pub fn single(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes == b"'" {
        out.extend_from_slice(b"\\'");
        return;
    }
    out.push(b'\'');
    for &byte in bytes {
        if byte == b'\'' {
            out.extend_from_slice(b"'\\''");
        } else {
            out.push(byte);
        }
    }
    out.push(b'\'');
}

/// In double quotes, with a backslash before what is special there.
pub fn double(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in bytes {
        if matches!(byte, b'"' | b'$' | b'`' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// As `$'…'`.
pub fn ansi(bytes: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(b"$'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let escape = match character {
                '\x1b' => b'E',
                '\x07' => b'a',
                '\x08' => b'b',
                '\x0c' => b'f',
                '\n' => b'n',
                '\r' => b'r',
                '\t' => b't',
                '\x0b' => b'v',
                '\\' => b'\\',
                '\'' => b'\'',
                _ => {
                    let mut buffer = [0; 4];
                    let encoded = character.encode_utf8(&mut buffer).as_bytes();
                    if is_printable(character) {
                        out.extend_from_slice(encoded);
                    } else {
                        encoded.iter().for_each(|byte| octal(*byte, out));
                    }
                    continue;
                }
            };
            out.extend_from_slice(&[b'\\', escape]);
        }
        chunk.invalid().iter().for_each(|byte| octal(*byte, out));
    }
    out.push(b'\'');
}

fn octal(byte: u8, out: &mut Vec<u8>) {
    let digit = |shift: u8| b'0' + (byte >> shift & 7);
    out.extend_from_slice(&[b'\\', digit(6), digit(3), digit(0)]);
}

/// With backslashes. Only for what has nothing unprintable in it.
pub fn backslash(bytes: &[u8], out: &mut Vec<u8>) {
    for (at, &byte) in bytes.iter().enumerate() {
        let special = match byte {
            b' ' | b'\t' | b'\n' | b'!' | b'"' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*'
            | b',' | b';' | b'<' | b'>' | b'?' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{'
            | b'|' | b'}' => true,
            b'#' => at == 0,
            b'~' => tilde(bytes, at),
            _ => false,
        };
        if special {
            out.push(b'\\');
        }
        out.push(byte);
    }
}

/// Whether something in it is not printable, so that it must be written as `$'…'`.
pub fn wants_ansi(bytes: &[u8]) -> bool {
    if bytes.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return false;
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => !text.chars().all(is_printable),
        Err(_) => true,
    }
}

/// Whether something in it means something to the shell, so that it must be quoted.
pub fn has_metas(bytes: &[u8]) -> bool {
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'\\' | b'|' | b'&' | b';' | b'(' | b')' | b'<'
        | b'>' | b'!' | b'{' | b'}' | b'*' | b'[' | b'?' | b']' | b'^' | b'$' | b'`' => true,
        b'~' => tilde(bytes, at),
        b'#' => at == 0,
        _ => false,
    })
}

/// Whether a tilde at that place would be expanded.
fn tilde(bytes: &[u8], at: usize) -> bool {
    at == 0 || matches!(bytes[at - 1], b'=' | b':')
}

/// As `set` lists a value.
pub fn listed(bytes: &[u8], out: &mut Vec<u8>) {
    if wants_ansi(bytes) {
        ansi(bytes, out);
    } else if has_metas(bytes) {
        single(bytes, out);
    } else {
        out.extend_from_slice(bytes);
    }
}

/// As `declare -p` prints a value.
pub fn declared(bytes: &[u8], out: &mut Vec<u8>) {
    if wants_ansi(bytes) {
        ansi(bytes, out);
    } else {
        double(bytes, out);
    }
}

/// As `declare -p` prints the key of an associative array.
pub fn key(bytes: &[u8], out: &mut Vec<u8>) {
    if wants_ansi(bytes) {
        ansi(bytes, out);
    } else if has_metas(bytes) || bytes == b"@" {
        double(bytes, out);
    } else {
        out.extend_from_slice(bytes);
    }
}

/// As `printf %q` prints it.
pub fn printf(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_empty() {
        out.extend_from_slice(b"''");
    } else if wants_ansi(bytes) {
        ansi(bytes, out);
    } else {
        backslash(bytes, out);
    }
}

/// As `${x@Q}` gives it.
pub fn reusable(bytes: &[u8], out: &mut Vec<u8>) {
    if wants_ansi(bytes) {
        ansi(bytes, out);
    } else {
        single(bytes, out);
    }
}

/// As `set -x` prints a word.
pub fn traced(bytes: &[u8], out: &mut Vec<u8>) {
    if bytes.is_empty() {
        out.extend_from_slice(b"''");
    } else {
        traced_value(bytes, out);
    }
}

/// As `set -x` prints the value of an assignment.
pub fn traced_value(bytes: &[u8], out: &mut Vec<u8>) {
    if has_metas(bytes) {
        single(bytes, out);
    } else if wants_ansi(bytes) {
        ansi(bytes, out);
    } else {
        out.extend_from_slice(bytes);
    }
}

/// What one of the functions above writes, as a new vector: `quoted(quote::single, text)`.
pub fn quoted(style: fn(&[u8], &mut Vec<u8>), bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len() + 2);
    style(bytes, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(style: fn(&[u8], &mut Vec<u8>), bytes: &[u8]) -> String {
        String::from_utf8(quoted(style, bytes)).expect("quoting gives text")
    }

    #[test]
    fn each_style_prints_as_bash_does() {
        // value, declare -p, @Q, %q, set, set -x
        let cases: &[(&[u8], [&str; 5])] = &[
            (b"", [r#""""#, "''", "''", "", "''"]),
            (b"'", [r#""'""#, r"\'", r"\'", r"\'", r"\'"]),
            (
                b"a'b",
                [r#""a'b""#, r"'a'\''b'", r"a\'b", r"'a'\''b'", r"'a'\''b'"],
            ),
            (b"a b", [r#""a b""#, "'a b'", r"a\ b", "'a b'", "'a b'"]),
            (
                b"a\nb",
                [r"$'a\nb'", r"$'a\nb'", r"$'a\nb'", r"$'a\nb'", "'a\nb'"],
            ),
            (b"\x1b", [r"$'\E'", r"$'\E'", r"$'\E'", r"$'\E'", r"$'\E'"]),
            (
                b"\xff",
                [r"$'\377'", r"$'\377'", r"$'\377'", r"$'\377'", r"$'\377'"],
            ),
            ("é".as_bytes(), ["\"é\"", "'é'", "é", "é", "é"]),
            (
                "\u{2028}".as_bytes(),
                [
                    r"$'\342\200\250'",
                    r"$'\342\200\250'",
                    r"$'\342\200\250'",
                    r"$'\342\200\250'",
                    r"$'\342\200\250'",
                ],
            ),
            (b"a=~", [r#""a=~""#, "'a=~'", r"a=\~", "'a=~'", "'a=~'"]),
            (b"a~", [r#""a~""#, "'a~'", "a~", "a~", "a~"]),
            (b"#a", [r##""#a""##, "'#a'", r"\#a", "'#a'", "'#a'"]),
            (b"a,b", [r#""a,b""#, "'a,b'", r"a\,b", "a,b", "a,b"]),
            (
                b"a\\$`\"b",
                [
                    r#""a\\\$\`\"b""#,
                    r#"'a\$`"b'"#,
                    r#"a\\\$\`\"b"#,
                    r#"'a\$`"b'"#,
                    r#"'a\$`"b'"#,
                ],
            ),
        ];
        for (bytes, expected) in cases {
            let found =
                [declared, reusable, printf, listed, traced].map(|style| text(style, bytes));
            assert_eq!(found, *expected);
        }
    }
}
