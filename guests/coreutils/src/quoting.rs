//! Names as `ls` and others quote them.

use codepod_tool::{needs_quotes, quoted};
use unicode_width::UnicodeWidthChar as _;

/// How a name is quoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Literal,
    Shell,
    ShellAlways,
    ShellEscape,
    ShellEscapeAlways,
    C,
    CMaybe,
    Escape,
    Locale,
    Clocale,
}

impl Style {
    /// By its name in `--quoting-style`, or the beginning of it.
    pub(crate) const NAMES: &'static [(&'static str, Style)] = &[
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
    pub(crate) fn is_variable(self) -> bool {
        matches!(self, Style::Shell | Style::ShellEscape | Style::CMaybe)
    }
}

/// A piece of a name: a character that prints, or bytes that do not.
enum Piece<'a> {
    Printable(&'a str),
    Other(&'a [u8]),
}

fn pieces(name: &[u8]) -> impl Iterator<Item = Piece<'_>> {
    name.utf8_chunks().flat_map(|chunk| {
        let valid = chunk.valid().split_inclusive(|_: char| true);
        let letters = valid.map(|letter| {
            let prints = letter.chars().all(is_printable);
            if prints {
                Piece::Printable(letter)
            } else {
                Piece::Other(letter.as_bytes())
            }
        });
        letters.chain(chunk.invalid().chunks(1).map(Piece::Other))
    })
}

fn is_printable(letter: char) -> bool {
    !letter.is_control()
        && !matches!(letter, '\u{2028}' | '\u{2029}')
        && (letter.is_ascii() || letter.width().is_some())
}

/// A name in a style. With `hide` characters that do not print become `?` where the style would leave them.
pub(crate) fn quote(name: &[u8], style: Style, hide: bool, also: &[u8]) -> Vec<u8> {
    match style {
        Style::Literal => {
            if hide {
                hidden(name)
            } else {
                name.to_vec()
            }
        }
        Style::CMaybe => {
            let quoted = escaped(name, Style::C, also);
            if quoted.len() == name.len() + 2 {
                name.to_vec()
            } else {
                quoted
            }
        }
        Style::C | Style::Escape | Style::Locale | Style::Clocale => escaped(name, style, also),
        Style::Shell | Style::ShellAlways => {
            let shown = if hide { hidden(name) } else { name.to_vec() };
            shell(&shown, style == Style::ShellAlways || needs_quotes(name))
        }
        Style::ShellEscapeAlways => quoted(name),
        Style::ShellEscape if needs_quotes(name) => quoted(name),
        Style::ShellEscape => name.to_vec(),
    }
}

fn hidden(name: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for piece in pieces(name) {
        match piece {
            Piece::Printable(text) => out.extend_from_slice(text.as_bytes()),
            Piece::Other(_) => out.push(b'?'),
        }
    }
    out
}

fn shell(name: &[u8], quotes: bool) -> Vec<u8> {
    if !quotes {
        return name.to_vec();
    }
    if name.contains(&b'\'') && !name.iter().any(|byte| b"\"$`\\!".contains(byte)) {
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

fn escaped(name: &[u8], style: Style, also: &[u8]) -> Vec<u8> {
    let quotes: (&[u8], &[u8]) = match style {
        Style::C => (b"\"", b"\""),
        Style::Locale | Style::Clocale => ("‘".as_bytes(), "’".as_bytes()),
        _ => (b"", b""),
    };
    let mut out = quotes.0.to_vec();
    for piece in pieces(name) {
        match piece {
            Piece::Printable("\\") => out.extend_from_slice(b"\\\\"),
            Piece::Printable("\"") if style == Style::C => out.extend_from_slice(b"\\\""),
            Piece::Printable(" ") if style == Style::Escape => out.extend_from_slice(b"\\ "),
            Piece::Printable(text) => {
                if text.len() == 1 && also.contains(&text.as_bytes()[0]) {
                    out.push(b'\\');
                }
                out.extend_from_slice(text.as_bytes());
            }
            Piece::Other(bytes) => bytes
                .iter()
                .for_each(|byte| out.extend_from_slice(&backslashed(*byte))),
        }
    }
    out.extend_from_slice(quotes.1);
    out
}

fn backslashed(byte: u8) -> Vec<u8> {
    let letter = match byte {
        7 => b'a',
        8 => b'b',
        9 => b't',
        10 => b'n',
        11 => b'v',
        12 => b'f',
        13 => b'r',
        _ => return format!("\\{byte:03o}").into_bytes(),
    };
    vec![b'\\', letter]
}

/// Columns that a text takes on a terminal.
pub(crate) fn columns(text: &[u8]) -> usize {
    let mut count = 0;
    for chunk in text.utf8_chunks() {
        count += chunk
            .valid()
            .chars()
            .map(|letter| letter.width().unwrap_or(0))
            .sum::<usize>();
        count += chunk.invalid().len();
    }
    count
}
