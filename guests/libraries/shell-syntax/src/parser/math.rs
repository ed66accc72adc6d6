//! The text of arithmetic: `$((…))`, `((…))`, `$[…]`, offsets of slices.

use crate::error::ErrorKind;
use crate::parser::class::{MATH, NUL};
use crate::parser::quoted::Quoting;
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::push_literal;
use crate::tree::{Arith, Part, Word};

/// What ends the text; it is not passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// `)` that no `(` belongs to.
    Paren,
    /// `]` that no `[` belongs to.
    Bracket,
    /// `;` or `)` at the lowest level: `for ((;;))`
    Clause,
    /// `:` or `}`: the offset of a slice
    Offset,
    /// `}`: the length of a slice
    Length,
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 11;

impl Reader<'_> {
    /// Arithmetic up to what ends it. `start` is where it began, for an error.
    pub(super) fn math(&mut self, stop: Stop, start: usize) -> Parse<Arith> {
        let line = self.line();
        let from = self.pos();
        let parts = self.math_parts(stop, start)?;
        let word = Word {
            parts,
            span: self.span(from),
        };
        let expr = crate::arithmetic::of_parts(&word.parts);
        Ok(Arith {
            word,
            expr,
            line,
            brackets: false,
        })
    }

    fn math_parts(&mut self, stop: Stop, start: usize) -> Parse<Vec<Part>> {
        let mut parts = Vec::new();
        let mut run = self.pos();
        let mut nested = 0u32;
        let mut questions = 0u32;
        loop {
            let byte = self.scan(MATH | NUL);
            match byte {
                b'(' if stop != Stop::Bracket => nested += 1,
                b')' if stop != Stop::Bracket => {
                    if nested > 0 {
                        nested -= 1;
                    } else if matches!(stop, Stop::Paren | Stop::Clause) {
                        break;
                    }
                }
                b'[' if stop == Stop::Bracket => nested += 1,
                b']' if stop == Stop::Bracket => {
                    if nested == 0 {
                        break;
                    }
                    nested -= 1;
                }
                b';' if stop == Stop::Clause && nested == 0 => break,
                b'?' => questions += 1,
                b':' if stop == Stop::Offset && nested == 0 => {
                    if questions == 0 {
                        break;
                    }
                    questions -= 1;
                }
                b'}' if matches!(stop, Stop::Offset | Stop::Length) => break,
                b'\'' => {
                    // Kept with its quotes: arithmetic has none, and says so when it is evaluated.
                    self.single_quoted()?;
                    continue;
                }
                b'"' => {
                    let pos = self.pos();
                    push_literal(&mut parts, self.slice(run, pos));
                    parts.push(self.double_quotes()?);
                    run = self.pos();
                    continue;
                }
                b'\\' => {
                    if self.peek_at(1) == b'\n' {
                        let pos = self.pos();
                        push_literal(&mut parts, self.slice(run, pos));
                        self.skip(2);
                        run = self.pos();
                    } else {
                        let length = if self.peek_at(1) == 0 { 1 } else { 2 };
                        self.skip(length);
                    }
                    continue;
                }
                b'$' => {
                    let pos = self.pos();
                    push_literal(&mut parts, self.slice(run, pos));
                    if self.dollar(Quoting::Double, &mut parts)? {
                        run = self.pos();
                    } else {
                        run = pos;
                        self.skip(1);
                    }
                    continue;
                }
                b'`' => {
                    let pos = self.pos();
                    push_literal(&mut parts, self.slice(run, pos));
                    parts.push(self.backquotes(true)?);
                    run = self.pos();
                    continue;
                }
                0 => {
                    let byte = match stop {
                        Stop::Paren | Stop::Clause => b')',
                        Stop::Bracket => b']',
                        Stop::Offset | Stop::Length => b'}',
                    };
                    return Err(self.error_at(ErrorKind::Unmatched(byte), start));
                }
                _ => {}
            }
            self.skip(1);
        }
        let pos = self.pos();
        push_literal(&mut parts, self.slice(run, pos));
        Ok(parts)
    }

    /// `$[…]`, at its dollar.
    pub(super) fn bracket_arithmetic(&mut self) -> Parse<Part> {
        let start = self.pos();
        self.enter(COST)?;
        self.skip(2);
        let mut arith = self.math(Stop::Bracket, start)?;
        self.leave(COST);
        self.skip(1);
        arith.brackets = true;
        Ok(Part::Arith(Box::new(arith)))
    }

    /// `…))` behind `((` at `start` (with or without its dollar); none (and nothing passed) when
    /// the parentheses do not close together, so that it is a subshell in a subshell or a
    /// substitution.
    pub(super) fn double_parens(&mut self, start: usize) -> Parse<Option<Arith>> {
        let end = self.closing(self.pos(), b')', start)?;
        if self.peek_at(end + 1 - self.pos()) != b')' {
            return Ok(None);
        }
        let from = self.pos();
        let (depth, subscripts, taken) = (self.depth, self.subscripts, self.taken_out);
        self.enter(COST)?;
        let parsed = self.math(Stop::Paren, start);
        // A here-document of a substitution inside may have been taken out, here or behind.
        let is_same = self.taken_out == taken;
        let arith = match parsed {
            Ok(arith) if self.pos() == end => arith,
            Ok(arith) if !is_same && self.peek() == b')' && self.peek_at(1) == b')' => arith,
            Err(error) if error.kind == ErrorKind::TooDeep => return Err(error),
            // bash looks inside only when it runs: then this is no expression.
            _ => {
                let end = if is_same {
                    end
                } else {
                    self.input.pos = from;
                    self.closing(from, b')', start)?
                };
                self.input.pos = end;
                Arith {
                    word: Word {
                        parts: vec![Part::Literal(self.slice(from, end).into())],
                        span: self.span(from),
                    },
                    expr: None,
                    line: self.line_at(start),
                    brackets: false,
                }
            }
        };
        (self.depth, self.subscripts) = (depth, subscripts);
        self.skip(2);
        Ok(Some(arith))
    }
}
