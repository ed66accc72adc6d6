//! Redirections.

use crate::parser::class::{END, NAME, is, starts_name};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{Name, Redirect, RedirectKind, RedirectLeft, Word};

impl Reader<'_> {
    /// Whether a number or `{name}` here belongs to a redirection.
    pub(super) fn at_redirect(&mut self) -> bool {
        let mut length = 0;
        if self.peek() == b'{' {
            if !starts_name(self.peek_at(1)) {
                return false;
            }
            length = 2;
            while is(self.peek_at(length), NAME) {
                length += 1;
            }
            if self.peek_at(length) == b'[' {
                while !matches!(self.peek_at(length), b']' | b'\n' | 0 | b'}') {
                    length += 1;
                }
                if self.peek_at(length) != b']' {
                    return false;
                }
                length += 1;
            }
            if self.peek_at(length) != b'}' {
                return false;
            }
            length += 1;
        } else {
            while self.peek_at(length).is_ascii_digit() {
                length += 1;
            }
        }
        matches!(self.peek_at(length), b'<' | b'>')
    }

    /// All redirections here.
    pub(super) fn redirects(&mut self) -> Parse<Vec<Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.blanks();
            let here = match self.peek() {
                b'<' | b'>' => self.peek_at(1) != b'(',
                b'&' => self.peek_at(1) == b'>',
                b'{' | b'0'..=b'9' => self.at_redirect(),
                _ => false,
            };
            if !here {
                return Ok(redirects);
            }
            redirects.push(self.redirect()?);
        }
    }

    /// A redirection that is here.
    pub(super) fn redirect(&mut self) -> Parse<Redirect> {
        let line = self.line();
        let left = self.redirect_left()?;
        let first = self.peek();
        let second = self.peek_at(1);
        let both = [first, second];
        let (length, make): (usize, fn(Word) -> RedirectKind) = match &both {
            b"<<" => match self.peek_at(2) {
                b'<' => (3, RedirectKind::HereString),
                strip => {
                    self.skip(2 + usize::from(strip == b'-'));
                    let kind = RedirectKind::HereDoc(self.here_document(strip == b'-')?);
                    return Ok(Redirect {
                        left,
                        kind,
                        implicit: false,
                        line,
                    });
                }
            },
            b"<&" => (2, RedirectKind::DupRead),
            b"<>" => (2, RedirectKind::ReadWrite),
            b">>" => (2, RedirectKind::Append),
            b">&" => (2, RedirectKind::DupWrite),
            b">|" => (2, RedirectKind::Clobber),
            b"&>" if self.peek_at(2) == b'>' => (3, RedirectKind::AppendBoth),
            b"&>" => (2, RedirectKind::WriteBoth),
            _ if first == b'<' => (1, RedirectKind::Read),
            _ => (1, RedirectKind::Write),
        };
        self.skip(length);
        self.blanks();
        let byte = self.peek();
        let process = matches!(byte, b'<' | b'>') && self.peek_at(1) == b'(';
        if is(byte, END) && !process {
            return Err(self.unexpected());
        }
        let word = if length == 3 && first == b'<' {
            // A here-string is expanded as a value is.
            self.word(Mode::VALUE.extglob(self.options.extglob))?
        } else {
            self.command_word()?
        };
        Ok(Redirect {
            left,
            kind: make(word),
            implicit: false,
            line,
        })
    }

    fn redirect_left(&mut self) -> Parse<RedirectLeft> {
        let byte = self.peek();
        if byte == b'{' {
            self.skip(1);
            let start = self.pos();
            while is(self.peek(), NAME) {
                self.skip(1);
            }
            let end = self.pos();
            let name = Name::new(self.slice(start, end));
            let subscript = if self.peek() == b'[' {
                let open = self.pos();
                self.skip(1);
                let subscript = self.subscript(open)?;
                self.skip(1);
                Some(Box::new(subscript))
            } else {
                None
            };
            if self.peek() != b'}' {
                return Err(self.unexpected());
            }
            self.skip(1);
            return Ok(RedirectLeft::Variable(name, subscript));
        }
        if !byte.is_ascii_digit() {
            return Ok(RedirectLeft::Default);
        }
        let mut number = 0u32;
        while self.peek().is_ascii_digit() {
            let digit = u32::from(self.peek() - b'0');
            number = number.saturating_mul(10).saturating_add(digit);
            self.skip(1);
        }
        Ok(RedirectLeft::Fd(number))
    }
}
