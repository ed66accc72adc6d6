//! Names and texts in quotes, as GNU's tools print them.
//!
//! [`Style`] has GNU's styles. [`quoted`] and [`quoted_if_needed`] are for names in messages, so
//! that a shell reads them back: GNU's style `shell-escape`.

/// GNU's styles of quoting, as `--quoting-style` names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// As it is.
    Literal,
    /// For a shell, in quotes where it needs them; control characters as they are.
    Shell,
    /// For a shell, in quotes; control characters as they are.
    ShellAlways,
    /// For a shell, in quotes where it needs them; control characters as `$'\n'`.
    ShellEscape,
    /// For a shell, in quotes; control characters as `$'\n'`.
    ShellEscapeAlways,
    /// As a string of C.
    C,
    /// As a string of C, in quotes where something is escaped.
    CMaybe,
    /// As a string of C without quotes.
    Escape,
    /// As a string of C between the quotes of the locale.
    Locale,
    /// Likewise.
    Clocale,
}

impl Style {
    /// The styles by their names in `--quoting-style`.
    pub const NAMES: &'static [(&'static str, Style)] = &[
        ("literal", Style::Literal),
        ("shell", Style::Shell),
        ("shell-always", Style::ShellAlways),
        ("shell-escape", Style::ShellEscape),
        ("shell-escape-always", Style::ShellEscapeAlways),
        ("c", Style::C),
        ("c-maybe", Style::CMaybe),
        ("escape", Style::Escape),
        ("locale", Style::Locale),
        ("clocale", Style::Clocale),
    ];

    /// Whether some names get quotes and others do not.
    pub fn is_variable(self) -> bool {
        matches!(self, Style::Shell | Style::ShellEscape | Style::CMaybe)
    }

    /// A name in this style.
    pub fn quote(self, name: &[u8]) -> Vec<u8> {
        self.quote_also(name, b"")
    }

    /// A name in this style. Those with escapes put a backslash before the characters of `also`.
    pub fn quote_also(self, name: &[u8], also: &[u8]) -> Vec<u8> {
        match self {
            Style::Shell if needs_shell_quotes(name) => shell_quoted(name),
            Style::ShellEscape if needs_quotes(name) => quoted(name),
            Style::Literal | Style::Shell | Style::ShellEscape => name.to_vec(),
            Style::ShellAlways => shell_quoted(name),
            Style::ShellEscapeAlways => quoted(name),
            Style::C => c_quoted(name, also),
            Style::CMaybe => {
                let quoted = c_quoted(name, also);
                if quoted.len() == name.len() + 2 {
                    name.to_vec()
                } else {
                    quoted
                }
            }
            Style::Escape => escaped(name, also),
            Style::Locale | Style::Clocale => {
                ["‘".as_bytes(), &escaped(name, also), "’".as_bytes()].concat()
            }
        }
    }
}

/// A name in quotes: `'name'`, `"it's"`, `'new'$'\n''line'`.
pub fn quoted(name: &[u8]) -> Vec<u8> {
    if pieces(name).any(|piece| matches!(piece, Piece::Other(_))) {
        dollar_quoted(name)
    } else {
        shell_quoted(name)
    }
}

/// A name as it stands before the colon of a message: in quotes if a shell or the colon would make
/// something else of it.
pub fn quoted_if_needed(name: &[u8]) -> Vec<u8> {
    if name.contains(&b':') || needs_quotes(name) {
        quoted(name)
    } else {
        name.to_vec()
    }
}

/// A text in quotes as messages about values have it: `'caf\\351'`.
pub fn quoted_text(text: &[u8]) -> Vec<u8> {
    [b"'", &escaped(text, b"")[..], b"'"].concat()
}

/// A text between single quotes, whatever is in it: `'it'\''s'`.
pub fn single_quoted(text: &[u8]) -> Vec<u8> {
    let mut out = vec![b'\''];
    for byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\''"),
            _ => out.push(*byte),
        }
    }
    out.push(b'\'');
    out
}

/// A name with `?` for each character or byte that does not print.
pub fn masked(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces(name) {
        match piece {
            Piece::Printable(letter) => out.extend_from_slice(letter.as_bytes()),
            Piece::Other(_) => out.push(b'?'),
        }
    }
    out
}

/// Whether a shell would read something else than the name, or it has characters that do not print.
pub fn needs_quotes(name: &[u8]) -> bool {
    needs_shell_quotes(name) || pieces(name).any(|piece| matches!(piece, Piece::Other(_)))
}

/// Whether a shell would read something else than the name.
fn needs_shell_quotes(name: &[u8]) -> bool {
    name.is_empty()
        || matches!(name[0], b'#' | b'~')
        || matches!(name, b"{" | b"}")
        || name
            .iter()
            .any(|byte| b"\t\n\r !\"$&'()*;<=>?[\\^`|".contains(byte))
}

/// `'name'`, or `"it's"` where nothing in it means anything between double quotes.
fn shell_quoted(name: &[u8]) -> Vec<u8> {
    // At the beginning these two mean something only without quotes.
    let rest = name.strip_prefix(b"#").or(name.strip_prefix(b"~"));
    let rest = rest.unwrap_or(name);
    if name.contains(&b'\'') && rest.iter().all(|byte| is_plain(*byte)) {
        [b"\"", name, b"\""].concat()
    } else {
        single_quoted(name)
    }
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
fn dollar_quoted(name: &[u8]) -> Vec<u8> {
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

/// A name as a string of C.
fn c_quoted(name: &[u8], also: &[u8]) -> Vec<u8> {
    let also = [b"\"", also].concat();
    [b"\"", &escaped(name, &also)[..], b"\""].concat()
}

/// A name with backslashes as in C, and before the characters of `also`.
fn escaped(name: &[u8], also: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(name.len());
    for piece in pieces(name) {
        match piece {
            Piece::Printable(letter) => {
                if letter == "\\" || matches!(letter.as_bytes(), [byte] if also.contains(byte)) {
                    out.push(b'\\');
                }
                out.extend_from_slice(letter.as_bytes());
            }
            Piece::Other(bytes) => bytes.iter().for_each(|byte| backslashed(*byte, &mut out)),
        }
    }
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
            (b"~it's", "\"~it's\""),
            (b"it's~", "'it'\\''s~'"),
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

    // What GNU ls 9.1 prints with --quoting-style=shell; diff 3.8 and patch 2.7.6 do likewise.
    #[test]
    fn control_characters_stay_in_the_style_shell() {
        for (name, wanted) in [
            (&b"a b"[..], &b"'a b'"[..]),
            (b"x^y", b"'x^y'"),
            (b"x=y", b"'x=y'"),
            (b"x~", b"x~"),
            (b"a]b", b"a]b"),
            (b"\xff", b"\xff"),
            (b"a\x01b", b"a\x01b"),
            (b"a\x0bb", b"a\x0bb"),
            (b"a\nb", b"'a\nb'"),
            (b"a\tb", b"'a\tb'"),
            (b"a\rb", b"'a\rb'"),
            (b"it's", b"\"it's\""),
            (b"~it's", b"\"~it's\""),
            (b"it's\nb", b"'it'\\''s\nb'"),
        ] {
            assert_eq!(Style::Shell.quote(name), wanted);
        }
        assert_eq!(Style::ShellAlways.quote(b"a\x01b"), b"'a\x01b'");
    }

    // What GNU ls 9.1 prints for the name `it's`, newline, b.
    #[test]
    fn styles_of_c_have_backslashes() {
        for (style, wanted) in [
            (Style::C, "\"it's\\nb\""),
            (Style::CMaybe, "\"it's\\nb\""),
            (Style::Escape, "it's\\nb"),
            (Style::Locale, "‘it's\\nb’"),
            (Style::ShellEscape, "'it'\\''s'$'\\n''b'"),
        ] {
            assert_eq!(style.quote(b"it's\nb"), wanted.as_bytes());
        }
        assert_eq!(Style::CMaybe.quote(b"a b"), b"a b");
        assert_eq!(Style::Escape.quote_also(b"a b", b" "), b"a\\ b");
        assert_eq!(masked(b"a\nb\xff"), b"a?b?");
    }
}
