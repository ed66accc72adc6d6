//! Subscripts: `[…]` behind a name.

use crate::error::ErrorKind;
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{Arith, Subscript};

impl Reader<'_> {
    /// A subscript, behind its `[` at `open`; `]` is not passed.
    pub(super) fn subscript(&mut self, open: usize) -> Parse<Subscript> {
        let all = self.peek();
        if matches!(all, b'@' | b'*') && self.peek_at(1) == b']' {
            self.skip(1);
            return Ok(if all == b'@' {
                Subscript::At
            } else {
                Subscript::Star
            });
        }
        let line = self.line_at(open);
        self.enter()?;
        let word = self.word(Mode::SUBSCRIPT)?;
        if self.peek() != b']' {
            return Err(self.error_at(ErrorKind::Unmatched(b']'), open));
        }
        self.leave();
        let expr = crate::arithmetic::of_parts(&word.parts, self.depth);
        let arith = Arith {
            word: word.clone(),
            expr,
            line,
            brackets: false,
        };
        Ok(Subscript::Expr { word, arith })
    }

    /// Whether a subscript starts here, at `[`, and `=` or `+=` follows it: only then is it an assignment. A subscript that does not end
    /// is an error, as in bash.
    pub(super) fn subscript_is_assigned(&mut self) -> Parse<bool> {
        let open = self.pos();
        let mut ahead = 1;
        let mut nested = 0u32;
        loop {
            let byte = self.peek_at(ahead);
            ahead += 1;
            match byte {
                0 => return Err(self.error_at(ErrorKind::Unmatched(b']'), open)),
                b'\\' => ahead += 1,
                b'\'' | b'`' => ahead = self.ahead_of_quote(byte, ahead)?,
                b'"' => ahead = self.ahead_of_quote(byte, ahead)?,
                b'[' | b'(' | b'{' if byte == b'[' || self.peek_at(ahead - 2) == b'$' => nested += 1,
                b')' | b'}' => nested = nested.saturating_sub(1),
                b']' if nested > 0 => nested -= 1,
                b']' => break,
                _ => {}
            }
        }
        let next = self.peek_at(ahead);
        Ok(next == b'=' || (next == b'+' && self.peek_at(ahead + 1) == b'='))
    }

    fn ahead_of_quote(&mut self, quote: u8, mut ahead: usize) -> Parse<usize> {
        let open = self.pos() + ahead - 1;
        loop {
            match self.peek_at(ahead) {
                0 => return Err(self.error_at(ErrorKind::Unmatched(quote), open)),
                b'\\' if quote != b'\'' => ahead += 2,
                byte => {
                    ahead += 1;
                    if byte == quote {
                        return Ok(ahead);
                    }
                }
            }
        }
    }
}
