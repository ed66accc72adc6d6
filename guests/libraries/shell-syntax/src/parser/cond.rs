//! `[[ … ]]`

use crate::error::{ErrorKind, SyntaxError};
use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{BinaryTest, CommandKind, Cond, Word};

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 3;

impl Reader<'_> {
    /// The expression and `]]`, behind `[[` at `start`.
    pub(super) fn cond_command(&mut self, start: usize) -> Parse<CommandKind> {
        let cond = self.cond_or()?;
        self.newlines()?;
        if self.at_cond_end() {
            self.skip(2);
            return Ok(CommandKind::Cond(Box::new(cond)));
        }
        let line = self.line_at(start);
        let mut message = b"syntax error in conditional expression".to_vec();
        match self.cond_token()? {
            None => {
                let message = b"unexpected EOF while looking for `]]'".to_vec();
                let mut error = self.error(ErrorKind::Other(message));
                error.line = line;
                error.at_end = true;
                return Err(error);
            }
            Some(token) if token.is_empty() => {}
            Some(token) => {
                message.extend_from_slice(b": unexpected token `");
                message.extend_from_slice(&token);
                message.push(b'\'');
            }
        }
        let mut error = self.error(ErrorKind::Other(message));
        error.line = line;
        error.status = None;
        Err(error)
    }

    fn at_cond_end(&mut self) -> bool {
        self.peek() == b']' && self.peek_at(1) == b']' && is(self.peek_at(2), END)
    }

    /// The token here for an error: nothing for a word, none at the end.
    fn cond_token(&mut self) -> Parse<Option<Vec<u8>>> {
        if self.at_cond_end() {
            return Ok(Some(b"]]".to_vec()));
        }
        Ok(match self.unexpected_token()? {
            Some((token, false)) => Some(token),
            Some((_, true)) => Some(Vec::new()),
            None => None,
        })
    }

    /// An error about the token here: `before`, the token in quotes where it is not a word,
    /// `after`.
    fn cond_error(&mut self, before: &[u8], after: &[u8], without: &[u8]) -> Box<SyntaxError> {
        let at_end = self.only_newlines_follow();
        let token = match self.cond_token() {
            Ok(token) => token,
            Err(error) => return error,
        };
        let message = match token {
            Some(token) if token.is_empty() => without.to_vec(),
            // bash has nothing to say about `[[ ]]`.
            Some(token) if token == b"]]" && after == b" in conditional command" => Vec::new(),
            token => {
                let token = token.unwrap_or_else(|| b"EOF".to_vec());
                [before, b"`", &token, b"'", after].concat()
            }
        };
        let mut error = self.error(ErrorKind::Other(message));
        error.status = None;
        error.at_end = at_end;
        error
    }

    fn cond_or(&mut self) -> Parse<Cond> {
        self.enter(COST)?;
        let left = self.cond_and()?;
        let cond = if self.peek() == b'|' && self.peek_at(1) == b'|' {
            self.skip(2);
            Cond::Or(Box::new(left), Box::new(self.cond_or()?))
        } else {
            left
        };
        self.leave(COST);
        Ok(cond)
    }

    fn cond_and(&mut self) -> Parse<Cond> {
        self.enter(COST)?;
        let left = self.cond_term()?;
        self.newlines()?;
        let cond = if self.peek() == b'&' && self.peek_at(1) == b'&' {
            self.skip(2);
            Cond::And(Box::new(left), Box::new(self.cond_and()?))
        } else {
            left
        };
        self.leave(COST);
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
        let term = if self.peek() == b'(' {
            self.skip(1);
            let inner = self.cond_or()?;
            self.newlines()?;
            if self.peek() != b')' {
                return Err(self.cond_error(
                    b"unexpected token ",
                    b", expected `)'",
                    b"expected `)'",
                ));
            }
            self.skip(1);
            Cond::Paren(Box::new(inner))
        } else {
            self.cond_test()?
        };
        Ok(if negated {
            Cond::Not(Box::new(term))
        } else {
            term
        })
    }

    /// Whether a word starts here, and not an operator or `]]`.
    fn at_cond_word(&mut self) -> bool {
        let byte = self.peek();
        let process = matches!(byte, b'<' | b'>') && self.peek_at(1) == b'(';
        (!is(byte, END) || process) && !self.at_cond_end()
    }

    fn cond_test(&mut self) -> Parse<Cond> {
        if !self.at_cond_word() {
            return Err(self.cond_error(b"unexpected token ", b" in conditional command", b""));
        }
        if let Some(letter) = self.unary_operator() {
            self.skip(2);
            self.blanks();
            if !self.at_cond_word() {
                return Err(self.cond_error(
                    b"unexpected argument ",
                    b" to conditional unary operator",
                    b"",
                ));
            }
            return Ok(Cond::Unary(
                letter,
                self.word(Mode::SINGLE.extglob(self.options.extglob))?,
            ));
        }
        let left = self.word(Mode::SINGLE.extglob(self.options.extglob))?;
        self.blanks();
        let Some((test, length)) = self.binary_operator() else {
            return self.lone_word(left);
        };
        self.skip(length);
        self.blanks();
        let mode = match test {
            BinaryTest::Match | BinaryTest::Equals | BinaryTest::NoMatch => Mode::PATTERN,
            BinaryTest::Regex => Mode::REGEX,
            _ => Mode::SINGLE.extglob(self.options.extglob),
        };
        let regex = test == BinaryTest::Regex && matches!(self.peek(), b'(' | b'|');
        if !regex && !self.at_cond_word() {
            return Err(self.cond_error(
                b"unexpected argument ",
                b" to conditional binary operator",
                b"",
            ));
        }
        let right = self.word(mode)?;
        Ok(Cond::Binary(test, left, right))
    }

    /// A word without an operator.
    fn lone_word(&mut self, word: Word) -> Parse<Cond> {
        let both = [self.peek(), self.peek_second()];
        if self.at_cond_end() || both == *b"&&" || both == *b"||" || both[0] == b')' {
            return Ok(Cond::Word(word));
        }
        Err(self.cond_error(
            b"unexpected token ",
            b", conditional binary operator expected",
            b"conditional binary operator expected",
        ))
    }

    /// The letter of the unary operator here.
    fn unary_operator(&mut self) -> Option<u8> {
        if self.peek() != b'-' || !is(self.peek_at(2), END) {
            return None;
        }
        let letter = self.peek_at(1);
        matches!(
            letter,
            b'a'..=b'h' | b'k' | b'n'..=b'p' | b'r'..=b'x' | b'z' | b'G' | b'L' | b'N' | b'O' | b'R' | b'S'
        )
        .then_some(letter)
    }

    /// The binary operator here and its length.
    fn binary_operator(&mut self) -> Option<(BinaryTest, usize)> {
        let ends = |byte| is(byte, END);
        let first = self.peek();
        match first {
            b'<' | b'>' => {
                // `<<`, `>&` and so on are other tokens.
                let next = self.peek_at(1);
                return (!matches!(next, b'<' | b'>' | b'&' | b'|' | b'(')).then_some((
                    if first == b'<' {
                        BinaryTest::Before
                    } else {
                        BinaryTest::After
                    },
                    1,
                ));
            }
            b'=' | b'!' | b'-' => {}
            _ => return None,
        }
        let second = self.peek_at(1);
        if first == b'=' && ends(second) {
            return Some((BinaryTest::Equals, 1));
        }
        if ends(second) {
            return None;
        }
        let third = self.peek_at(2);
        if ends(third) {
            let test = match [first, second] {
                [b'=', b'='] => BinaryTest::Match,
                [b'=', b'~'] => BinaryTest::Regex,
                [b'!', b'='] => BinaryTest::NoMatch,
                _ => return None,
            };
            return Some((test, 2));
        }
        if first != b'-' || !ends(self.peek_at(3)) {
            return None;
        }
        let test = match [second, third] {
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
        };
        Some((test, 3))
    }
}
