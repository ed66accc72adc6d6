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
        let end = self.closing(open + 1, b']', open)?;
        let ahead = end + 1 - open;
        let next = self.peek_at(ahead);
        Ok(next == b'=' || (next == b'+' && self.peek_at(ahead + 1) == b'='))
    }
}
