//! `[[ … ]]`

use crate::error::ErrorKind;
use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{BinaryTest, CommandKind, Cond, Word};

impl Reader<'_> {
    /// The expression and `]]`, behind `[[`.
    pub(super) fn cond_command(&mut self, _start: usize) -> Parse<CommandKind> {
        let cond = self.cond_or()?;
        self.newlines()?;
        if !self.at_cond_end() {
            return Err(self.unexpected());
        }
        self.skip(2);
        Ok(CommandKind::Cond(Box::new(cond)))
    }

    fn at_cond_end(&mut self) -> bool {
        self.peek() == b']' && self.peek_at(1) == b']' && is(self.peek_at(2), END)
    }

    fn cond_or(&mut self) -> Parse<Cond> {
        self.enter()?;
        let left = self.cond_and()?;
        self.newlines()?;
        let cond = if self.peek() == b'|' && self.peek_at(1) == b'|' {
            self.skip(2);
            Cond::Or(Box::new(left), Box::new(self.cond_or()?))
        } else {
            left
        };
        self.leave();
        Ok(cond)
    }

    fn cond_and(&mut self) -> Parse<Cond> {
        self.enter()?;
        let left = self.cond_term()?;
        self.newlines()?;
        let cond = if self.peek() == b'&' && self.peek_at(1) == b'&' {
            self.skip(2);
            Cond::And(Box::new(left), Box::new(self.cond_and()?))
        } else {
            left
        };
        self.leave();
        Ok(cond)
    }

    fn cond_term(&mut self) -> Parse<Cond> {
        let mut negated = false;
        loop {
            self.newlines()?;
            let glob = self.options.extglob && self.peek_at(1) == b'(';
            if self.peek() == b'!' && is(self.peek_at(1), END) && !glob {
                negated = !negated;
                self.skip(1);
            } else {
                break;
            }
        }
        let term = match self.peek() {
            b'(' => {
                self.skip(1);
                let inner = self.cond_or()?;
                self.newlines()?;
                if self.peek() != b')' {
                    return Err(self.unexpected());
                }
                self.skip(1);
                Cond::Paren(Box::new(inner))
            }
            _ => self.cond_test()?,
        };
        Ok(if negated {
            Cond::Not(Box::new(term))
        } else {
            term
        })
    }

    fn cond_test(&mut self) -> Parse<Cond> {
        if is(self.peek(), END) || self.at_cond_end() {
            return Err(self.unexpected());
        }
        if self.peek() == b'-'
            && is(self.peek_at(2), END)
            && matches!(
                self.peek_at(1),
                b'a'..=b'h' | b'k' | b'n' | b'o' | b'p' | b'r'..=b'x' | b'z' | b'G' | b'L' | b'N' | b'O' | b'R' | b'S'
            )
        {
            let letter = self.peek_at(1);
            let back = self.pos();
            self.skip(2);
            self.blanks();
            if is(self.peek(), END) {
                self.input.pos = back;
            } else if self.at_cond_end() {
                let message = b"unexpected argument `]]' to conditional unary operator";
                return Err(self.error(ErrorKind::Other(message.to_vec())));
            } else {
                let word = self.cond_word(Mode::SINGLE)?;
                return Ok(Cond::Unary(letter, word));
            }
        }
        let left = self.cond_word(Mode::SINGLE)?;
        self.blanks();
        let Some((test, length)) = self.binary_operator() else {
            return self.lone_word(left);
        };
        self.skip(length);
        self.blanks();
        if self.at_cond_end() {
            let message = b"unexpected argument `]]' to conditional binary operator";
            return Err(self.error(ErrorKind::Other(message.to_vec())));
        }
        let mode = match test {
            BinaryTest::Match | BinaryTest::Equals | BinaryTest::NoMatch => Mode::PATTERN,
            BinaryTest::Regex => Mode::REGEX,
            _ => Mode::SINGLE,
        };
        let byte = self.peek();
        if is(byte, END) && !(test == BinaryTest::Regex && matches!(byte, b'(' | b'|')) {
            return Err(self.unexpected());
        }
        let right = self.cond_word(mode)?;
        Ok(Cond::Binary(test, left, right))
    }

    /// A word without an operator.
    fn lone_word(&mut self, word: Word) -> Parse<Cond> {
        let byte = self.peek();
        if self.at_cond_end() || matches!(byte, b'&' | b'|' | b')') {
            return Ok(Cond::Word(word));
        }
        if byte == b'\n' || byte == 0 {
            let message = b"unexpected token `newline', conditional binary operator expected";
            return Err(self.error(ErrorKind::Other(message.to_vec())));
        }
        let message = b"conditional binary operator expected";
        Err(self.error(ErrorKind::Other(message.to_vec())))
    }

    fn cond_word(&mut self, mode: Mode) -> Parse<Word> {
        self.word(mode)
    }

    /// The binary operator here and its length.
    fn binary_operator(&mut self) -> Option<(BinaryTest, usize)> {
        let bytes = [self.peek(), self.peek_at(1), self.peek_at(2), self.peek_at(3)];
        let ends = |byte| is(byte, END);
        Some(match bytes {
            [b'<', ..] => (BinaryTest::Before, 1),
            [b'>', ..] => (BinaryTest::After, 1),
            [b'=', b'=', end, _] if ends(end) => (BinaryTest::Match, 2),
            [b'=', b'~', end, _] if ends(end) => (BinaryTest::Regex, 2),
            [b'!', b'=', end, _] if ends(end) => (BinaryTest::NoMatch, 2),
            [b'=', end, ..] if ends(end) => (BinaryTest::Equals, 1),
            [b'-', a, b, end] if ends(end) => (
                match [a, b] {
                    [b'e', b'q'] => BinaryTest::Eq,
                    [b'n', b'e'] => BinaryTest::Ne,
                    [b'l', b't'] => BinaryTest::Lt,
                    [b'l', b'e'] => BinaryTest::Le,
                    [b'g', b't'] => BinaryTest::Gt,
                    [b'g', b'e'] => BinaryTest::Ge,
                    [b'n', b't'] => BinaryTest::Newer,
                    [b'o', b't'] => BinaryTest::Older,
                    [b'e', b'f'] => BinaryTest::SameFile,
                    _ => return None,
                },
                3,
            ),
            _ => return None,
        })
    }
}
