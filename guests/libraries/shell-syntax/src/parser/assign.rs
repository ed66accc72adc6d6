//! Assignments.

use crate::parser::class::{END, NAME, is, starts_name};
use crate::parser::command::Declares;
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::{Argument, Assign, AssignValue, Bytes, Name, Part, Subscript, Word};

impl Reader<'_> {
    /// The assignment here, if there is one.
    pub(super) fn assignment(&mut self) -> Parse<Option<Assign>> {
        if !starts_name(self.peek()) {
            return Ok(None);
        }
        let mut length = 1;
        loop {
            let byte = self.peek_at(length);
            if is(byte, NAME) {
                length += 1;
            } else if byte == b'\\' && self.peek_at(length + 1) == b'\n' {
                let at = self.pos() + length;
                self.remove_continuation(at);
            } else {
                break;
            }
        }
        match self.peek_at(length) {
            b'=' => {}
            b'+' if self.peek_at(length + 1) == b'=' => {}
            b'[' => {
                self.skip(length);
                let assigned = self.subscript_is_assigned()?;
                self.input.pos -= length;
                if !assigned {
                    return Ok(None);
                }
            }
            _ => return Ok(None),
        }
        let start = self.pos();
        let line = self.line();
        let name = Name::new(self.slice(start, start + length));
        self.skip(length);
        let subscript = if self.peek() == b'[' {
            let open = self.pos();
            self.skip(1);
            let subscript = self.subscript(open)?;
            self.skip(1);
            Some(Box::new(subscript))
        } else {
            None
        };
        let append = self.peek() == b'+';
        self.skip(1 + usize::from(append));
        let value = if self.peek() == b'(' {
            AssignValue::Array(self.array()?)
        } else {
            AssignValue::Word(self.word(Mode::VALUE.extglob(self.options.extglob))?)
        };
        Ok(Some(Assign {
            name,
            subscript,
            append,
            value,
            span: self.span(start),
            line,
        }))
    }

    /// An argument of a declaration builtin that has the form of an assignment.
    pub(super) fn declaration(&mut self, declares: Declares) -> Parse<Option<Argument>> {
        let start = self.pos();
        let Some(assign) = self.assignment()? else {
            return Ok(None);
        };
        // Only before a command may a subscript hold blanks.
        if let Some(subscript) = &assign.subscript
            && let Subscript::Expr { word, .. } = &**subscript
            && word.parts.iter().any(|part| {
                matches!(part, Part::Literal(text) if text.iter().any(|byte| is(*byte, END)))
            })
        {
            self.input.pos = start;
            return Ok(None);
        }
        if declares == Declares::Text {
            let AssignValue::Array(_) = assign.value else {
                self.input.pos = start;
                return Ok(None);
            };
            return Ok(Some(Argument::Word(Word {
                parts: vec![Part::Literal(Bytes(crate::print::assign(&assign)))],
                span: self.span(start),
            })));
        }
        if declares == Declares::Scalars && matches!(assign.value, AssignValue::Array(_)) {
            self.input.pos = start;
            self.command_word()?;
            return Err(self.unexpected());
        }
        // Braces are expanded here, unlike in an assignment: then it is a word.
        if self.options.braces
            && let AssignValue::Word(value) = &assign.value
            && value
                .parts
                .iter()
                .any(|part| matches!(part, Part::Literal(text) if text.contains(&b'{')))
        {
            let end = self.pos();
            self.input.pos = start;
            let word = self.command_word()?;
            if word.parts.iter().any(|part| matches!(part, Part::Brace(_))) {
                return Ok(Some(Argument::Word(word)));
            }
            self.input.pos = end.min(self.input.text.len());
        }
        Ok(Some(Argument::Assign(assign)))
    }
}
