//! The addresses before a command.

use super::{Mistake, Parser};
use crate::command::{Address, Which};

impl Parser<'_> {
    /// Which lines the command that follows is for.
    pub(super) fn which(&mut self) -> Result<Which, Mistake> {
        let mut which = Which::default();
        if let Some(first) = self.address()? {
            if matches!(first, Address::More(_) | Address::Multiple(_)) {
                return self.mistake("invalid usage of +N or ~N as first address");
            }
            let is_zero = matches!(first, Address::Line(0));
            which.first = Some(first);
            self.skip_spaces();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.skip_spaces();
                match self.address()? {
                    Some(Address::Step(first, _)) => which.second = Some(Address::Line(first)),
                    Some(second) => which.second = Some(second),
                    None => {
                        self.at += usize::from(self.peek().is_some());
                        return self.mistake("unexpected `,'");
                    }
                }
                self.skip_spaces();
            }
            let reads = which.second.is_none() && self.peek() == Some(b'r');
            if is_zero
                && !reads
                && (!matches!(which.second, Some(Address::Match(_))) || self.mode.posix)
            {
                self.at += usize::from(self.peek().is_some());
                return self.mistake("invalid usage of line address 0");
            }
        }
        self.skip_spaces();
        if self.peek() == Some(b'!') {
            self.at += 1;
            which.inverted = true;
            self.skip_spaces();
            if self.peek() == Some(b'!') {
                self.at += 1;
                return self.mistake("multiple `!'s");
            }
        }
        Ok(which)
    }

    fn address(&mut self) -> Result<Option<Address>, Mistake> {
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        Ok(Some(match first {
            b'/' | b'\\' => self.matching(first)?,
            b'$' => {
                self.at += 1;
                Address::Last
            }
            b'0'..=b'9' => {
                let first = self.number();
                self.skip_blanks();
                if self.peek() != Some(b'~') || self.mode.posix {
                    return Ok(Some(Address::Line(first)));
                }
                self.at += 1;
                self.skip_blanks();
                match self
                    .peek()
                    .filter(u8::is_ascii_digit)
                    .map(|_| self.number())
                {
                    Some(0) | None => Address::Line(first),
                    Some(step) => Address::Step(first, step),
                }
            }
            b'+' | b'~' if !self.mode.posix => {
                self.at += 1;
                self.skip_blanks();
                let number = self
                    .peek()
                    .filter(u8::is_ascii_digit)
                    .map_or(0, |_| self.number());
                if first == b'+' {
                    Address::More(number)
                } else {
                    Address::Multiple(number)
                }
            }
            _ => return Ok(None),
        }))
    }

    /// `/expression/` or `\cexpressionc`, from the first character on.
    fn matching(&mut self, first: u8) -> Result<Address, Mistake> {
        self.at += 1;
        let delimiter = if first == b'\\' {
            self.take()
        } else {
            Some(first)
        };
        let Some(delimiter) = delimiter else {
            return self.mistake("unterminated address regex");
        };
        self.check_delimiter()?;
        let Some(text) = self.until(delimiter, true) else {
            return self.mistake("unterminated address regex");
        };
        let (mut icase, mut lines) = (false, false);
        loop {
            match self.peek() {
                Some(b'I') => icase = true,
                Some(b'M') => lines = true,
                _ => break,
            }
            self.at += 1;
        }
        Ok(Address::Match(self.expression(&text, icase, lines)?))
    }
}
