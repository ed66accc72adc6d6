//! Names in messages, quoted so that a shell reads them back: GNU's style `shell-escape`.

/// A name in quotes: `'name'`, `"it's"`, `'new'$'\n''line'`.
pub fn quoted(name: &[u8]) -> Vec<u8> {
    if pieces(name).any(|piece| matches!(piece, Piece::Other(_))) {
        return escaped(name);
    }
    // Between double quotes where nothing in it means anything there.
    if name.contains(&b'\'') && name.iter().all(|byte| is_plain(*byte)) {
        return [b"\"", name, b"\""].concat();
    }
    let mut out = vec![b'\''];
    for byte in name {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

/// A name as it stands before the colon of a message: in quotes if a shell or the colon would make something else of it.
pub fn quoted_if_needed(name: &[u8]) -> Vec<u8> {
    if name.contains(&b':') || needs_quotes(name) {
        quoted(name)
    } else {
        name.to_vec()
    }
}

/// A text in quotes as messages about values have it: `'caf\\351'`.
pub fn quoted_text(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for piece in pieces(text) {
        match piece {
            Piece::Printable("\\") => out.extend_from_slice(b"\\\\"),
            Piece::Printable(letter) => out.extend_from_slice(letter.as_bytes()),
            Piece::Other(bytes) => bytes.iter().for_each(|byte| backslashed(*byte, &mut out)),
        }
    }
    out.push(b'\'');
    out
}

/// Whether a shell would read something else than the name.
pub fn needs_quotes(name: &[u8]) -> bool {
    name.is_empty()
        || matches!(name[0], b'#' | b'~')
        || matches!(name, b"{" | b"}")
        || name
            .iter()
            .any(|byte| b" !\"$&'()*;<=>?[\\^`|".contains(byte))
        || pieces(name).any(|piece| matches!(piece, Piece::Other(_)))
}

/// Whether a byte means the same between quotes of both kinds.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"%+,-./:@_] '".contains(&byte)
}

/// A piece of a name: a character that prints, or bytes that do not.
enum Piece<'a> {
    Printable(&'a str),
    Other(&'a [u8]),
}

fn pieces(name: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    name.utf8_chunks().flat_map(|chunk| {
        let letters = chunk.valid().split_inclusive(|_: char| true).map(|letter| {
            if letter.chars().all(is_printable) {
                Piece::Printable(letter)
            } else {
                Piece::Other(letter.as_bytes())
            }
        });
        letters.chain(chunk.invalid().chunks(1).map(Piece::Other))
    })
}

fn is_printable(letter: char) -> bool {
    !letter.is_control() && !matches!(letter, '\u{2028}' | '\u{2029}')
}

/// `'a'$'\n''b'`
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    let mut dollar = false;
    for piece in pieces(name) {
        match piece {
            Piece::Printable(text) => {
                if dollar {
                    out.extend_from_slice(b"''");
                    dollar = false;
                }
                match text {
                    "'" => out.extend_from_slice(b"'\\''"),
                    _ => out.extend_from_slice(text.as_bytes()),
                }
            }
            Piece::Other(bytes) => {
                if !dollar {
                    out.extend_from_slice(b"'$'");
                    dollar = true;
                }
                bytes.iter().for_each(|byte| backslashed(*byte, &mut out));
            }
        }
    }
    out.push(b'\'');
    out
}

/// A byte as it stands behind a backslash.
fn backslashed(byte: u8, out: &mut Vec<u8>) {
    out.push(b'\\');
    match byte {
        7..=13 => out.push(b"abtnvfr"[usize::from(byte) - 7]),
        _ => out.extend_from_slice(format!("{byte:03o}").as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What GNU ls 9.1 prints with --quoting-style=shell-escape-always.
    #[test]
    fn names_are_quoted_as_gnu_does() {
        for (name, wanted) in [
            (&b"a b"[..], "'a b'"),
            (b"", "''"),
            (b"it's", "\"it's\""),
            (b"it's x", "\"it's x\""),
            (b"it's\"x", "'it'\\''s\"x'"),
            (b"it's=x", "'it'\\''s=x'"),
            (b"it's*", "'it'\\''s*'"),
            ("ä".as_bytes(), "'ä'"),
            (b"a\nb", "'a'$'\\n''b'"),
            (b"a\x01\x7fb", "'a'$'\\001\\177''b'"),
            (b"it's\nb", "'it'\\''s'$'\\n''b'"),
            (b"\xff", "''$'\\377'"),
            ("\u{80}x".as_bytes(), "''$'\\302\\200''x'"),
        ] {
            assert_eq!(String::from_utf8(quoted(name)).unwrap(), wanted);
        }
    }

    #[test]
    fn names_that_a_shell_reads_as_they_are_stay_bare() {
        for name in ["a%b", "a+b", "a,b", "a@b", "a]b", "a~", "x#", "{a}", "é"] {
            assert_eq!(quoted_if_needed(name.as_bytes()), name.as_bytes());
        }
        for name in ["a!b", "a:b", "a=b", "#x", "~a", "{", "a[b", "a^b", "a?b"] {
            assert_eq!(quoted_if_needed(name.as_bytes()), quoted(name.as_bytes()));
        }
        assert!(!needs_quotes(b"a:b"));
        assert_eq!(quoted_text(b"a\\b\n\xe9"), b"'a\\\\b\\n\\351'");
    }
}
