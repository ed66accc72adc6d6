//! `(…)` of a compound assignment.

use crate::error::ErrorKind;
use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};
use crate::parser::word::Mode;
use crate::tree::Element;

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 9;

impl Reader<'_> {
    /// The elements, at the parenthesis.
    pub(super) fn array(&mut self) -> Parse<Vec<Element>> {
        let start = self.pos();
        self.enter(COST)?;
        self.skip(1);
        let mut elements = Vec::new();
        loop {
            self.newlines()?;
            match self.peek() {
                b')' => break,
                0 => {
                    let mut error = self.error_at(ErrorKind::Unmatched(b')'), start);
                    error.recoverable = true;
                    return Err(error);
                }
                b'<' | b'>' if self.peek_at(1) == b'(' => {}
                byte if is(byte, END) => {
                    let mut error = self.unexpected();
                    error.recoverable = true;
                    return Err(error);
                }
                _ => {}
            }
            let element = self.element().map_err(|mut error| {
                error.recoverable |= matches!(error.kind, ErrorKind::Unmatched(_));
                error
            })?;
            elements.push(element);
        }
        self.leave(COST);
        self.skip(1);
        Ok(elements)
    }

    fn element(&mut self) -> Parse<Element> {
        if self.peek() == b'[' && self.subscript_is_assigned()? {
            let open = self.pos();
            self.skip(1);
            let subscript = self.subscript(open)?;
            self.skip(1);
            let append = self.peek() == b'+';
            self.skip(1 + usize::from(append));
            return Ok(Element {
                subscript: Some(Box::new(subscript)),
                append,
                value: self.word(
                    Mode::VALUE
                        .with_braces(self.options.braces)
                        .extglob(self.options.extglob),
                )?,
            });
        }
        Ok(Element {
            subscript: None,
            append: false,
            value: self.word(
                Mode::ELEMENT
                    .braces(self.options.braces)
                    .extglob(self.options.extglob),
            )?,
        })
    }

    /// All of the text as elements, with or without the parentheses.
    pub(super) fn whole_elements(&mut self) -> Parse<Vec<Element>> {
        self.newlines()?;
        if self.peek() == b'(' {
            return self.array();
        }
        let mut elements = Vec::new();
        loop {
            self.newlines()?;
            match self.peek() {
                0 => return Ok(elements),
                b'<' | b'>' if self.peek_at(1) == b'(' => {}
                byte if is(byte, END) => return Err(self.unexpected()),
                _ => {}
            }
            elements.push(self.element()?);
        }
    }
}
