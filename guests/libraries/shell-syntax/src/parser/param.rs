//! `${…}`

use crate::error::ErrorKind;
use crate::parser::class::{NAME, is, starts_name};
use crate::parser::math::Stop;
use crate::parser::quoted::{End, Quoting};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{
    Bytes, DefaultOp, Name, Param, ParamOp, Part, ReplaceWhich, Subject, Subscript, Word,
};

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 13;

impl Reader<'_> {
    /// `${…}`, at its dollar.
    pub(super) fn braced_parameter(&mut self, quoting: Quoting) -> Parse<Part> {
        let start = self.pos();
        self.enter(COST)?;
        self.skip(2);
        let param = match self.inside_braces(start, quoting)? {
            Some(mut param) => {
                self.skip(1);
                param.span = self.span(start);
                param
            }
            None => self.bad_substitution(start, quoting)?,
        };
        self.leave(COST);
        Ok(Part::Param(param))
    }

    /// Everything up to `}`; none when bash would refuse it when it runs.
    fn inside_braces(&mut self, start: usize, quoting: Quoting) -> Parse<Option<Box<Param>>> {
        let line = self.line_at(start);
        let mut param = Box::new(Param {
            subject: Subject::Special(b'?'),
            subscript: None,
            indirect: false,
            op: ParamOp::Value,
            braces: true,
            span: self.span(start),
            line,
        });
        let first = self.peek();
        if first == b'#' && self.length_follows() {
            self.skip(1);
            param.op = ParamOp::Length;
        } else if first == b'!' {
            match self.indirection_follows() {
                None => return Ok(None),
                Some(false) => {}
                Some(true) => {
                    self.skip(1);
                    param.indirect = true;
                }
            }
        }
        match self.subject() {
            Some(subject) => param.subject = subject,
            None => return Ok(None),
        }
        if self.peek() == b'[' && matches!(param.subject, Subject::Variable(_)) {
            match self.parameter_subscript(start)? {
                Some(subscript) => param.subscript = Some(subscript),
                None => return Ok(None),
            }
        }
        if self.peek() == b'}' {
            self.finish_indirect(&mut param);
            return Ok(Some(param));
        }
        if matches!(param.op, ParamOp::Length) {
            return Ok(None);
        }
        if param.indirect
            && param.subscript.is_none()
            && matches!(param.subject, Subject::Variable(_))
            && matches!(self.peek(), b'@' | b'*')
            && self.peek_at(1) == b'}'
        {
            param.op = ParamOp::Prefixed(self.peek());
            param.indirect = false;
            self.skip(1);
            return Ok(Some(param));
        }
        let transforms = self.peek() == b'@';
        match self.operation(quoting, start)? {
            Some(op) => {
                param.op = op;
                Ok((self.peek() == b'}').then_some(param))
            }
            None if transforms => {
                // bash looks at what follows only where there is a value.
                let bad = self.bad_substitution(start, quoting)?;
                self.input.pos -= 1;
                param.op = bad.op;
                Ok(Some(param))
            }
            None => Ok(None),
        }
    }

    /// `${!a[@]}` lists keys.
    fn finish_indirect(&mut self, param: &mut Param) {
        if param.indirect && matches!(param.subscript, Some(Subscript::At | Subscript::Star)) {
            param.indirect = false;
            param.op = ParamOp::Keys;
        }
    }

    /// Whether `#` here asks for a length, or is the parameter `#` itself.
    fn length_follows(&mut self) -> bool {
        match self.peek_at(1) {
            b'}' => false,
            byte if is(byte, NAME) => true,
            // `${##}` is a length, `${##x}` removes a prefix.
            b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' => self.peek_at(2) == b'}',
            _ => false,
        }
    }

    /// Whether `!` here is an indirection, or the parameter `!` itself; nothing where bash refuses
    /// both.
    fn indirection_follows(&mut self) -> Option<bool> {
        match (self.peek_at(1), self.peek_at(2)) {
            (byte, _) if is(byte, NAME) => Some(true),
            (b'!' | b'$', _) | (b'@' | b'*' | b'#' | b'?', b'[') => None,
            (b'@' | b'#' | b'?', b'^' | b',' | b'~') => None,
            (b'@' | b'*' | b'#' | b'?', _) | (b'-', b'}') => Some(true),
            _ => Some(false),
        }
    }

    /// A name, a number or a special parameter.
    fn subject(&mut self) -> Option<Subject> {
        let byte = self.peek();
        let start = self.pos();
        if starts_name(byte) {
            let mut length = 1;
            while is(self.peek_at(length), NAME) {
                length += 1;
            }
            self.skip(length);
            return Some(Subject::Variable(Name::new(
                self.slice(start, start + length),
            )));
        }
        if byte.is_ascii_digit() {
            let mut number = 0u32;
            while self.peek().is_ascii_digit() {
                let digit = self.peek() - b'0';
                number = number.saturating_mul(10).saturating_add(u32::from(digit));
                self.skip(1);
            }
            return Some(Subject::Positional(number));
        }
        if matches!(byte, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') {
            self.skip(1);
            return Some(Subject::Special(byte));
        }
        None
    }

    /// `[…]` behind the name; none when it is not one.
    fn parameter_subscript(&mut self, start: usize) -> Parse<Option<Subscript>> {
        let open = self.pos();
        if self.peek_at(1) == b']' || !self.subscript_closes(start)? {
            return Ok(None);
        }
        self.skip(1);
        let subscript = self.subscript(open)?;
        self.skip(1);
        Ok(Some(subscript))
    }

    /// What follows the name, at its operator; `}` is not passed.
    fn operation(&mut self, quoting: Quoting, start: usize) -> Parse<Option<ParamOp>> {
        let byte = self.peek();
        let next = self.peek_at(1);
        if let Some(op) = default_op(byte) {
            self.skip(1);
            return self.default(op, false, quoting, start).map(Some);
        }
        match byte {
            b':' => {
                if let Some(op) = default_op(next) {
                    self.skip(2);
                    return self.default(op, true, quoting, start).map(Some);
                }
                self.skip(1);
                self.slice_of(start)
            }
            b'#' | b'%' => {
                let longest = next == byte;
                self.skip(1 + usize::from(longest));
                let pattern = self.operand(Mode::TRIM, start)?;
                Ok(Some(ParamOp::Trim {
                    suffix: byte == b'%',
                    longest,
                    pattern,
                }))
            }
            b'/' => self.replace(next, start).map(Some),
            b'^' | b',' | b'~' => {
                let all = next == byte;
                self.skip(1 + usize::from(all));
                let pattern = self.operand(Mode::TRIM, start)?;
                Ok(Some(ParamOp::Case {
                    op: byte,
                    all,
                    pattern: (!pattern.parts.is_empty()).then_some(pattern),
                }))
            }
            b'@' => {
                // bash looks at the letter only where there is a value.
                if next == b'}' {
                    self.skip(1);
                    return Ok(Some(ParamOp::Transform(b'@')));
                }
                if next.is_ascii_alphabetic() && self.peek_at(2) == b'}' {
                    self.skip(2);
                    return Ok(Some(ParamOp::Transform(next)));
                }
                Ok(None)
            }
            _ => Ok(None),
        }
    }

    fn default(
        &mut self,
        op: DefaultOp,
        colon: bool,
        quoting: Quoting,
        start: usize,
    ) -> Parse<ParamOp> {
        let from = self.pos();
        let word = match quoting {
            Quoting::Plain => {
                let value = self.assigns && op != DefaultOp::Assign;
                self.operand(Mode::OPERAND.value_tildes(value), start)?
            }
            Quoting::Double | Quoting::Here => {
                let end = if quoting == Quoting::Here {
                    End::HereBrace
                } else {
                    End::Brace
                };
                let parts = self.quoted(end, start)?;
                Word {
                    parts,
                    span: self.span(from),
                }
            }
        };
        Ok(ParamOp::Default { op, colon, word })
    }

    /// A word up to `}` (or what else the mode says).
    fn operand(&mut self, mode: Mode, start: usize) -> Parse<Word> {
        let word = self.word(mode)?;
        if self.peek() == 0 {
            return Err(self.error_at(ErrorKind::Unmatched(b'}'), start));
        }
        Ok(word)
    }

    /// `/pattern/with`, at the first slash; `next` is behind it.
    fn replace(&mut self, next: u8, start: usize) -> Parse<ParamOp> {
        let which = match next {
            b'/' => ReplaceWhich::All,
            b'#' => ReplaceWhich::Start,
            b'%' => ReplaceWhich::End,
            _ => ReplaceWhich::First,
        };
        self.skip(1 + usize::from(which != ReplaceWhich::First));
        let from = self.pos();
        let mut pattern = if self.peek() == b'/' && which == ReplaceWhich::All {
            // `${x///y}` replaces slashes.
            self.skip(1);
            let mut word = self.operand(Mode::REPLACED, start)?;
            super::word::push_literal_front(&mut word.parts, b"/");
            word
        } else {
            self.operand(Mode::REPLACED, start)?
        };
        pattern.span = self.span(from);
        let with = if self.peek() == b'/' {
            self.skip(1);
            Some(self.operand(Mode::OPERAND, start)?)
        } else {
            None
        };
        Ok(ParamOp::Replace {
            which,
            pattern,
            with,
        })
    }

    /// `offset:length`, behind the first colon.
    fn slice_of(&mut self, start: usize) -> Parse<Option<ParamOp>> {
        if self.peek() == b'}' {
            return Ok(None);
        }
        let offset = self.math(Stop::Offset, start)?;
        let length = if self.peek() == b':' {
            self.skip(1);
            Some(self.math(Stop::Length, start)?)
        } else {
            None
        };
        Ok(Some(ParamOp::Slice { offset, length }))
    }

    /// Something bash refuses only when it runs: passes it, up to its `}`.
    #[cold]
    #[inline(never)]
    fn bad_substitution(&mut self, start: usize, quoting: Quoting) -> Parse<Box<Param>> {
        self.input.pos = start + 2;
        match quoting {
            Quoting::Plain => {
                self.operand(Mode::OPERAND, start)?;
            }
            Quoting::Double => {
                self.quoted(End::Brace, start)?;
            }
            Quoting::Here => {
                self.quoted(End::HereBrace, start)?;
            }
        }
        self.skip(1);
        let end = self.pos();
        Ok(Box::new(Param {
            subject: Subject::Special(b'?'),
            subscript: None,
            indirect: false,
            op: ParamOp::Bad(Bytes::from(self.slice(start, end))),
            braces: true,
            span: self.span(start),
            line: self.line_at(start),
        }))
    }
}

fn default_op(byte: u8) -> Option<DefaultOp> {
    Some(match byte {
        b'-' => DefaultOp::Use,
        b'=' => DefaultOp::Assign,
        b'?' => DefaultOp::Error,
        b'+' => DefaultOp::Alternative,
        _ => return None,
    })
}
