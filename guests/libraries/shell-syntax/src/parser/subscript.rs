//! Subscripts: `[…]` behind a name.

use crate::error::ErrorKind;
use crate::parser::reader::{MAX_SUBSCRIPTS, Parse, Reader};
use crate::parser::word::{Mode, push_literal};
use crate::tree::{Arith, Bytes, Part, Quote, Subscript, Word};

/// The parts of a subscript as arithmetic has them: there only double quotes quote.
fn as_math(parts: &[Part]) -> Vec<Part> {
    let mut math = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Part::Literal(text) => push_literal(&mut math, text),
            Part::Quoted(text, Quote::Backslash)
                if !matches!(&text[..], b"$" | b"`" | b"\"" | b"\\") =>
            {
                push_literal(&mut math, &[b"\\", &text[..]].concat());
            }
            Part::Quoted(text, Quote::Single) => {
                push_literal(&mut math, &[b"'", &text[..], b"'"].concat());
            }
            Part::Quoted(Bytes(text), Quote::Ansi) => push_literal(&mut math, text),
            part => math.push(part.clone()),
        }
    }
    math
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 9;

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
        self.enter(COST)?;
        self.subscripts += 1;
        if self.subscripts > MAX_SUBSCRIPTS {
            return Err(self.error(ErrorKind::TooDeep));
        }
        let word = self.word(Mode::SUBSCRIPT)?;
        if self.peek() != b']' {
            return Err(self.error_at(ErrorKind::Unmatched(b']'), open));
        }
        self.subscripts -= 1;
        self.leave(COST);
        let math = Word {
            parts: as_math(&word.parts),
            span: word.span,
        };
        let expr = crate::arithmetic::of_parts(&math.parts);
        let arith = Arith {
            word: math,
            expr,
            line,
            brackets: false,
        };
        Ok(Subscript::Expr { word, arith })
    }

    /// Whether a subscript starts here, at `[`, and `=` or `+=` follows it: only then is it an
    /// assignment. A subscript that does not end is an error, as in bash.
    pub(super) fn subscript_is_assigned(&mut self) -> Parse<bool> {
        let open = self.pos();
        let end = self.closing(open + 1, b']', open)?;
        let ahead = end + 1 - open;
        let next = self.peek_at(ahead);
        Ok(next == b'=' || (next == b'+' && self.peek_at(ahead + 1) == b'='))
    }
}
