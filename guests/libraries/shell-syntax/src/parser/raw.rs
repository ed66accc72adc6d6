//! Finding where something ends without parsing what is inside: needed where only the end tells
//! what it is.

use crate::error::ErrorKind;
use crate::parser::reader::{Parse, Reader};

impl Reader<'_> {
    /// A byte of the text by its place; 0 behind the end.
    fn byte(&mut self, at: usize) -> u8 {
        let pos = self.pos();
        self.peek_at(at - pos)
    }

    /// Where the byte is that closes what is open at `at`: `)`, `]` or `}`. Quotes and nested pairs
    /// are passed.
    ///
    /// Fails with what is missing when the text ends before.
    pub(super) fn closing(&mut self, mut at: usize, close: u8, start: usize) -> Parse<usize> {
        // What closes each pair that is open, and where it was opened.
        let mut open = vec![(close, start)];
        while let Some(&(close, from)) = open.last() {
            let byte = self.byte(at);
            match byte {
                0 => return Err(self.error_at(ErrorKind::Unmatched(close), from)),
                b'\\' => at += 1,
                _ if byte == close => {
                    open.pop();
                    if open.is_empty() {
                        return Ok(at);
                    }
                }
                b'\'' if close != b'"' => at = self.closing_quote(at)?,
                b'`' => at = self.closing_quote(at)?,
                b'"' => open.push((b'"', at)),
                // Between parentheses they are only counted.
                b'$' if close != b')' => match self.byte(at + 1) {
                    b'(' => {
                        open.push((b')', at));
                        at += 1;
                    }
                    b'{' => {
                        open.push((b'}', at));
                        at += 1;
                    }
                    _ => {}
                },
                b'(' if close == b')' => open.push((b')', at)),
                b'[' if close == b']' => open.push((b']', at)),
                _ => {}
            }
            at += 1;
        }
        Ok(at)
    }

    /// Where the quote at `at` ends: `'…'` or `` `…` ``.
    fn closing_quote(&mut self, at: usize) -> Parse<usize> {
        let quote = self.byte(at);
        let mut end = at + 1;
        loop {
            match self.byte(end) {
                0 => return Err(self.error_at(ErrorKind::Unmatched(quote), at)),
                b'\\' if quote == b'`' => end += 2,
                byte if byte == quote => return Ok(end),
                _ => end += 1,
            }
        }
    }

    /// Whether the subscript at `[` here ends before the `}` of the expansion at `start`.
    ///
    /// Fails when the text ends before both.
    pub(super) fn subscript_closes(&mut self, start: usize) -> Parse<bool> {
        let mut at = self.pos() + 1;
        let mut nested = 0u32;
        let mut quote = 0u8;
        loop {
            let byte = self.byte(at);
            match byte {
                0 => return Err(self.error_at(ErrorKind::Unmatched(b'}'), start)),
                b'\\' if quote != b'\'' => at += 1,
                b'\'' | b'"' if quote == 0 => quote = byte,
                _ if quote != 0 && byte == quote => quote = 0,
                b'$' if quote != b'\'' && matches!(self.byte(at + 1), b'{' | b'(') => {
                    let close = if self.byte(at + 1) == b'{' {
                        b'}'
                    } else {
                        b')'
                    };
                    at = self.closing(at + 2, close, at)?;
                }
                _ if quote != 0 => {}
                b'[' => nested += 1,
                b']' if nested == 0 => return Ok(true),
                b']' => nested -= 1,
                b'}' => return Ok(false),
                _ => {}
            }
            at += 1;
        }
    }
}
