//! Tokens, as far as errors name them.

use crate::error::{ErrorKind, SyntaxError};
use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};

/// Operators, longer ones first.
const OPERATORS: &[&[u8]] = &[
    b";;&", b"&>>", b"<<-", b"<<<", b"&&", b"||", b";;", b";&", b"|&", b"&>", b">>", b"<<", b">&",
    b"<&", b"<>", b">|", b";", b"&", b"|", b"(", b")", b"<", b">",
];

impl Reader<'_> {
    /// The token here does not belong here.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self) -> Box<SyntaxError> {
        match self.unexpected_token() {
            Err(error) => error,
            Ok(None) => self.error(ErrorKind::End),
            Ok(Some((token, _))) => self.error(ErrorKind::Unexpected(token)),
        }
    }

    /// The text of the token here, and whether it is a word, which is then passed; none at the end.
    /// What is wrong in a word comes first.
    pub(super) fn unexpected_token(&mut self) -> Parse<Option<(Vec<u8>, bool)>> {
        self.blanks();
        let start = self.pos();
        let byte = self.peek();
        Ok(match byte {
            0 => None,
            b'\n' => Some((b"newline".to_vec(), false)),
            b'<' | b'>' if self.peek_at(1) == b'(' => {
                self.command_word()?;
                let end = self.pos();
                Some((self.slice(start, end).to_vec(), true))
            }
            byte if is(byte, END) => {
                self.peek_at(2);
                let end = (start + 3).min(self.input.text.len());
                let rest = self.slice(start, end);
                let operator = OPERATORS
                    .iter()
                    .find(|operator| rest.starts_with(operator))
                    .map_or(&b""[..], |operator| operator);
                Some((operator.to_vec(), false))
            }
            _ => {
                self.command_word()?;
                let end = self.pos();
                Some((self.slice(start, end).to_vec(), true))
            }
        })
    }
}
