//! Tokens, as far as errors name them.

use crate::error::{ErrorKind, SyntaxError};
use crate::parser::class::{END, is};
use crate::parser::reader::Reader;

/// Operators, longer ones first.
const OPERATORS: &[&[u8]] = &[
    b";;&", b"&>>", b"<<-", b"<<<", b"&&", b"||", b";;", b";&", b"|&", b"&>", b">>", b"<<", b">&", b"<&", b"<>", b">|",
    b"((", b";", b"&", b"|", b"(", b")", b"<", b">",
];

impl Reader<'_> {
    /// The token here does not belong here.
    #[cold]
    #[inline(never)]
    pub(super) fn unexpected(&mut self) -> Box<SyntaxError> {
        self.blanks();
        let start = self.pos();
        match self.peek() {
            0 => self.error(ErrorKind::End),
            b'\n' => self.error(ErrorKind::Unexpected(b"newline".to_vec())),
            byte if is(byte, END) => {
                let end = (start + 3).min(self.input.text.len());
                let rest = self.slice(start, end);
                let operator = OPERATORS
                    .iter()
                    .find(|operator| rest.starts_with(operator) && **operator != b"((")
                    .map_or(&b""[..], |operator| operator);
                self.error(ErrorKind::Unexpected(operator.to_vec()))
            }
            _ => {
                let line = self.line();
                // The word is read to know its text; what is wrong in it comes first.
                if let Err(error) = self.command_word() {
                    return error;
                }
                let end = self.pos();
                let token = self.slice(start, end).to_vec();
                let mut error = self.error_at(ErrorKind::Unexpected(token), end);
                if end == start {
                    error.line = line;
                }
                error
            }
        }
    }
}
