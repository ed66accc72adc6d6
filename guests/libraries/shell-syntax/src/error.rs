//! What is wrong with a script.

use std::fmt;

/// A syntax error, with where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// What is wrong.
    pub kind: ErrorKind,
    /// The line, from 1 (plus the parser's first line).
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
    /// The text of that line, as bash prints it in a second line for an unexpected token.
    pub source: Vec<u8>,
    /// Whether a script goes on behind that line, with status 1: an error between the parentheses
    /// of `a=(…)`.
    pub recoverable: bool,
    /// The status of the script: 2, or none where it stays what it was: an error inside `[[`.
    pub status: Option<i32>,
    /// Whether the text ended too early, in quotes or inside `[[`: the status of the script is 2
    /// only where it was 0.
    pub at_end: bool,
    /// Whether it is inside of `$(…)`: it ends the text of `-c` with status 127.
    pub substituted: bool,
}

/// The kinds of syntax error, worded as bash words them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ErrorKind {
    /// ``syntax error near unexpected token `TOKEN'``
    Unexpected(Vec<u8>),
    /// ``unexpected EOF while looking for matching `X'``
    Unmatched(u8),
    /// `syntax error: unexpected end of file`
    End,
    /// Something nests deeper than the parser allows.
    TooDeep,
    /// Another message of bash, in its words; none where bash says nothing.
    Other(Vec<u8>),
}

impl SyntaxError {
    /// Whether more text could make it whole: what an interactive shell asks for with its second
    /// prompt.
    pub fn is_incomplete(&self) -> bool {
        matches!(self.kind, ErrorKind::End | ErrorKind::Unmatched(_))
    }

    /// All lines bash prints, each without `bash: line N: `.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        let message = self.message();
        let mut lines: Vec<Vec<u8>> = match self.kind {
            ErrorKind::Other(_) => message
                .split(|byte| *byte == b'\n')
                .map(<[u8]>::to_vec)
                .collect(),
            _ => vec![message],
        };
        if matches!(self.kind, ErrorKind::Unexpected(_)) {
            lines.push([b"`", &self.source[..], b"'"].concat());
        }
        lines
    }

    /// bash's message, without `bash: line N: `; the first of [`SyntaxError::lines`].
    pub fn message(&self) -> Vec<u8> {
        match &self.kind {
            ErrorKind::Unexpected(token) => [
                b"syntax error near unexpected token `",
                &printable(token)[..],
                b"'",
            ]
            .concat(),
            ErrorKind::Unmatched(byte) => [
                &b"unexpected EOF while looking for matching `"[..],
                &[*byte],
                b"'",
            ]
            .concat(),
            ErrorKind::End => b"syntax error: unexpected end of file".to_vec(),
            ErrorKind::TooDeep => b"syntax error: nested too deeply".to_vec(),
            ErrorKind::Other(message) => message.clone(),
        }
    }
}

/// A token as bash shows it: with control characters as `$'…'`.
fn printable(token: &[u8]) -> Vec<u8> {
    let valid = std::str::from_utf8(token).is_ok_and(|text| !text.contains(char::is_control));
    if valid {
        return token.to_vec();
    }
    let mut out = b"$'".to_vec();
    for chunk in token.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\x07' => out.extend_from_slice(b"\\a"),
                '\x08' => out.extend_from_slice(b"\\b"),
                '\t' => out.extend_from_slice(b"\\t"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\x0b' => out.extend_from_slice(b"\\v"),
                '\x0c' => out.extend_from_slice(b"\\f"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\x1b' => out.extend_from_slice(b"\\E"),
                '\'' | '\\' => out.extend_from_slice(&[b'\\', character as u8]),
                _ if character.is_ascii_control() => octal(&mut out, character as u8),
                _ => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        for byte in chunk.invalid() {
            octal(&mut out, *byte);
        }
    }
    out.push(b'\'');
    out
}

fn octal(out: &mut Vec<u8>, byte: u8) {
    out.extend_from_slice(&[
        b'\\',
        b'0' + (byte >> 6),
        b'0' + ((byte >> 3) & 7),
        b'0' + (byte & 7),
    ]);
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let message = self.message();
        write!(
            f,
            "{}:{}: {}",
            self.line,
            self.column,
            String::from_utf8_lossy(&message)
        )
    }
}

impl std::error::Error for SyntaxError {}
