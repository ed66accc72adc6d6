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
    /// Another message of bash, in its words.
    Other(Vec<u8>),
}

impl SyntaxError {
    /// Whether more text could make it whole: what an interactive shell asks for with its second prompt.
    pub fn is_incomplete(&self) -> bool {
        matches!(self.kind, ErrorKind::End | ErrorKind::Unmatched(_))
    }

    /// bash's message, without `bash: line N: `.
    pub fn message(&self) -> Vec<u8> {
        match &self.kind {
            ErrorKind::Unexpected(token) => {
                [b"syntax error near unexpected token `", &token[..], b"'"].concat()
            }
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
