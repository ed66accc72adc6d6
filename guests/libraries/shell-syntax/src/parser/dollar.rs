//! What a dollar starts.

use crate::parser::class::{NAME, is, starts_name};
use crate::parser::quoted::Quoting;
use crate::parser::reader::{Parse, Reader};
use crate::tree::{Name, Param, ParamOp, Part, Subject};

impl Reader<'_> {
    /// The expansion that the dollar here starts; false (and nothing passed) when it is only a
    /// dollar.
    pub(super) fn dollar(&mut self, quoting: Quoting, parts: &mut Vec<Part>) -> Parse<bool> {
        let part = match self.peek_at(1) {
            byte if starts_name(byte) => self.plain_variable(),
            byte @ b'0'..=b'9' => self.plain_parameter(Subject::Positional(u32::from(byte - b'0'))),
            byte @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                self.plain_parameter(Subject::Special(byte))
            }
            b'{' => self.braced_parameter(quoting)?,
            b'(' => self.substitution(quoting)?,
            b'[' => self.bracket_arithmetic()?,
            b'\'' if quoting == Quoting::Plain => {
                self.skip(1);
                self.ansi_quoted()?
            }
            b'"' if quoting == Quoting::Plain => {
                self.skip(1);
                self.double_quotes()?
            }
            // A continued line between the dollar and its name.
            b'\\' if self.peek_at(2) == b'\n' && self.dollar_goes_on(3) => {
                let at = self.pos() + 1;
                self.remove_continuation(at);
                return self.dollar(quoting, parts);
            }
            _ => return Ok(false),
        };
        parts.push(part);
        Ok(true)
    }

    #[cold]
    fn dollar_goes_on(&mut self, ahead: usize) -> bool {
        let byte = self.peek_at(ahead);
        is(byte, NAME)
            || matches!(
                byte,
                b'{' | b'(' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!'
            )
    }

    /// `$name`
    fn plain_variable(&mut self) -> Part {
        let start = self.pos();
        let mut end = start + 2;
        loop {
            match self.input.text.get(end) {
                Some(byte) if is(*byte, NAME) => end += 1,
                Some(b'\\') if self.input.text.get(end + 1) == Some(&b'\n') => {
                    self.remove_continuation(end);
                }
                Some(_) => break,
                None => {
                    if self.peek_at(end - start) == 0 {
                        break;
                    }
                }
            }
        }
        let name = Name::new(self.slice(start + 1, end));
        self.input.pos = end;
        self.parameter(Subject::Variable(name), start)
    }

    /// `$1`, `$@`
    fn plain_parameter(&mut self, subject: Subject) -> Part {
        let start = self.pos();
        self.skip(2);
        self.parameter(subject, start)
    }

    fn parameter(&mut self, subject: Subject, start: usize) -> Part {
        Part::Param(Box::new(Param {
            subject,
            subscript: None,
            indirect: false,
            op: ParamOp::Value,
            braces: false,
            span: self.span(start),
            line: self.line_at(start),
        }))
    }
}
