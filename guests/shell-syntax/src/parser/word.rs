//! Words outside double quotes.

use crate::parser::brace::Braces;
use crate::parser::class::{BRACE, BRACKET, CLOSE, END, NUL, QUOTE, SLASH, TILDE, is_name};
use crate::parser::quoted::Quoting;
use crate::parser::reader::{Parse, Reader};
use crate::tree::{Bytes, Part, Quote, Word};

/// What is special in a word, and what ends it: classes of bytes, and the flags below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mode {
    classes: u16,
    flags: u16,
}

/// Tildes are expanded at the start and after each colon.
const VALUE_TILDES: u16 = 1;
/// Tildes are expanded at the start, and as in a value where the word looks like an assignment.
const WORD_TILDES: u16 = 2;
/// `@(…)` and its like.
const EXTGLOB: u16 = 4;
/// The right side of `=~`.
const REGEX: u16 = 8;
/// `{` does not start a brace expansion at the start when `}` follows.
const BRACES: u16 = 16;
/// Blanks and operators are ordinary.
const INSIDE: u16 = 32;
/// Ends at `]`.
const SUBSCRIPT: u16 = 64;
/// Tildes are expanded at the start only.
const START_TILDE: u16 = 128;
/// A name at the start takes all up to the `]` of a `[` behind it.
const NAMED: u16 = 256;

impl Mode {
    /// A word of a command.
    pub(super) const WORD: Mode = Mode {
        classes: END | QUOTE | TILDE | BRACE,
        flags: WORD_TILDES | BRACES,
    };
    /// An element of a compound assignment.
    pub(super) const ELEMENT: Mode = Mode {
        classes: END | QUOTE | TILDE | BRACE,
        flags: START_TILDE | BRACES,
    };
    /// The value of an assignment.
    pub(super) const VALUE: Mode = Mode {
        classes: END | QUOTE | TILDE,
        flags: VALUE_TILDES,
    };
    /// A word that is neither split nor brace-expanded: `case`, `[[`.
    pub(super) const SINGLE: Mode = Mode {
        classes: END | QUOTE | TILDE,
        flags: START_TILDE,
    };
    /// The right side of `==` in `[[`.
    pub(super) const PATTERN: Mode = Mode {
        classes: END | QUOTE | TILDE,
        flags: START_TILDE | EXTGLOB,
    };
    /// The right side of `=~`.
    pub(super) const REGEX: Mode = Mode {
        classes: END | QUOTE | TILDE,
        flags: START_TILDE | REGEX,
    };
    /// The word of `${x:-word}`, up to `}`.
    pub(super) const OPERAND: Mode = Mode {
        classes: NUL | QUOTE | TILDE | CLOSE,
        flags: START_TILDE | INSIDE,
    };
    /// The pattern of `${x#pattern}`.
    pub(super) const TRIM: Mode = Mode {
        classes: NUL | QUOTE | CLOSE | TILDE,
        flags: START_TILDE | INSIDE,
    };
    /// The pattern of `${x/pattern/with}`, up to `/` or `}`.
    pub(super) const REPLACED: Mode = Mode {
        classes: NUL | QUOTE | CLOSE | SLASH | TILDE,
        flags: START_TILDE | INSIDE,
    };
    /// A subscript, up to `]`.
    pub(super) const SUBSCRIPT: Mode = Mode {
        classes: NUL | QUOTE | BRACKET,
        flags: INSIDE | SUBSCRIPT,
    };
    /// All of a text.
    pub(super) const WHOLE: Mode = Mode {
        classes: NUL | QUOTE,
        flags: INSIDE,
    };

    fn has(self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// With tildes after colons, as in the value of an assignment.
    pub(super) fn value_tildes(mut self, on: bool) -> Mode {
        if on {
            self.flags |= VALUE_TILDES;
        }
        self
    }

    /// With or without brace expansion.
    pub(super) fn braces(mut self, on: bool) -> Mode {
        if !on {
            self.classes &= !BRACE;
            self.flags &= !BRACES;
        }
        self
    }

    /// With brace expansion, where it is on.
    pub(super) fn with_braces(mut self, on: bool) -> Mode {
        if on {
            self.classes |= BRACE;
            self.flags |= BRACES;
        }
        self
    }

    /// Before a command: `name[…]` is one word, whatever is between.
    fn named(mut self) -> Mode {
        self.classes |= BRACKET;
        self.flags |= NAMED;
        self
    }

    /// With or without `@(…)` and its like.
    pub(super) fn extglob(mut self, on: bool) -> Mode {
        if on {
            self.flags |= EXTGLOB;
        }
        self
    }
}

/// Puts literal text at the end of a word.
pub(super) fn push_literal(parts: &mut Vec<Part>, text: &[u8]) {
    if text.is_empty() {
        return;
    }
    if let Some(Part::Literal(last)) = parts.last_mut() {
        last.0.extend_from_slice(text);
    } else {
        parts.push(Part::Literal(Bytes(text.to_vec())));
    }
}

/// Puts literal text at the start of a word.
pub(super) fn push_literal_front(parts: &mut Vec<Part>, text: &[u8]) {
    if let Some(Part::Literal(first)) = parts.first_mut() {
        first.0.splice(0..0, text.iter().copied());
    } else {
        parts.insert(0, Part::Literal(text.into()));
    }
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 9;

impl Reader<'_> {
    /// A word of a command, where one starts.
    pub(super) fn command_word(&mut self) -> Parse<Word> {
        self.word(self.command_mode())
    }

    /// The word that names a command. An assignment could have stood here: so bash takes `name[…]` as one word, with blanks and operators.
    pub(super) fn first_word(&mut self) -> Parse<Word> {
        self.word(self.command_mode().named())
    }

    fn command_mode(&self) -> Mode {
        Mode::WORD
            .braces(self.options.braces)
            .extglob(self.options.extglob)
    }

    /// A word.
    pub(super) fn word(&mut self, mode: Mode) -> Parse<Word> {
        let start = self.pos();
        let assigns = std::mem::replace(&mut self.assigns, mode.has(VALUE_TILDES));
        let parts = self.unquoted(mode);
        self.assigns = assigns;
        Ok(Word {
            parts: parts?,
            span: self.span(start),
        })
    }

    /// All of the text as one word.
    pub(super) fn whole_word(&mut self) -> Parse<Word> {
        self.word(Mode::WHOLE)
    }

    /// The parts of a word, up to what ends it.
    pub(super) fn unquoted(&mut self, mode: Mode) -> Parse<Vec<Part>> {
        let start = self.pos();
        let mut parts = Vec::new();
        let mut braces: Option<Box<Braces>> = None;
        let mut run = start;
        let mut nested = 0u32;
        let mut named = true;
        let mut value = None;
        loop {
            let byte = self.scan(mode.classes);
            match byte {
                b'\\' => {
                    let next = self.peek_at(1);
                    if next == b'\n' {
                        self.remove_continuation(self.pos());
                        continue;
                    } else if next == 0 {
                        self.skip(1);
                        continue;
                    } else if mode.has(REGEX) {
                        self.skip(2);
                        continue;
                    } else {
                        self.flush(&mut parts, &mut braces, run);
                        let length = self.character_length(1);
                        let at = self.pos() + 1;
                        let quoted = self.slice(at, at + length).into();
                        parts.push(Part::Quoted(quoted, Quote::Backslash));
                        self.skip(1 + length);
                    }
                }
                b'\'' => {
                    self.flush(&mut parts, &mut braces, run);
                    parts.push(self.single_quoted()?);
                }
                b'"' => {
                    self.flush(&mut parts, &mut braces, run);
                    parts.push(self.double_quotes()?);
                }
                b'$' => {
                    self.flush(&mut parts, &mut braces, run);
                    if !self.dollar(Quoting::Plain, &mut parts)? {
                        run = self.pos();
                        self.skip(1);
                        continue;
                    }
                }
                b'`' => {
                    self.flush(&mut parts, &mut braces, run);
                    parts.push(self.backquotes(false)?);
                }
                b'~' => {
                    if !self.tilde_expands(mode, start, &parts, &braces, run, &mut value) {
                        self.skip(1);
                        continue;
                    }
                    self.flush(&mut parts, &mut braces, run);
                    let inside = mode.has(INSIDE);
                    if !self.tilde(&mut parts, braces.is_some() || inside, inside) {
                        run = self.pos();
                        self.skip(1);
                        continue;
                    }
                }
                b'{' | b'}' | b',' if mode.has(BRACES) => {
                    if braces.is_none()
                        && (byte != b'{' || (self.pos() == start && self.peek_at(1) == b'}'))
                    {
                        self.skip(1);
                        continue;
                    }
                    self.flush(&mut parts, &mut braces, run);
                    self.skip(1);
                    let open = braces.get_or_insert_with(Box::default);
                    if !open.mark(byte, &mut parts) {
                        return Err(self.error(crate::ErrorKind::TooDeep));
                    }
                }
                b'(' if mode.has(REGEX) => {
                    nested += 1;
                    self.skip(1);
                    continue;
                }
                b')' if mode.has(REGEX) && nested > 0 => {
                    nested -= 1;
                    self.skip(1);
                    continue;
                }
                b'|' if mode.has(REGEX) => {
                    self.skip(1);
                    continue;
                }
                0 if nested > 0 => {
                    let close = if mode.has(NAMED) { b']' } else { b')' };
                    return Err(self.error_at(crate::ErrorKind::Unmatched(close), start));
                }
                _ if nested > 0 && mode.has(REGEX) => {
                    self.skip(1);
                    continue;
                }
                b'(' if mode.has(EXTGLOB) && self.after_glob_operator(run) => {
                    let operator = self.pos() - 1;
                    self.flush_to(&mut parts, &mut braces, run, operator);
                    parts.push(self.extglob()?);
                }
                b'<' | b'>' if !mode.has(INSIDE) && self.peek_at(1) == b'(' => {
                    self.flush(&mut parts, &mut braces, run);
                    parts.push(self.process_substitution()?);
                }
                b'[' | b']' if mode.has(NAMED) => {
                    if byte == b']' {
                        nested = nested.saturating_sub(1);
                    } else if nested > 0 || (named && is_name(self.slice(start, self.pos()))) {
                        nested += 1;
                    }
                    // Only the first can stand behind a name.
                    named = false;
                    self.skip(1);
                    continue;
                }
                _ if nested > 0 && mode.has(NAMED) => {
                    self.skip(1);
                    continue;
                }
                b'[' if mode.has(SUBSCRIPT) => {
                    nested += 1;
                    self.skip(1);
                    continue;
                }
                b']' if mode.has(SUBSCRIPT) && nested > 0 => {
                    nested -= 1;
                    self.skip(1);
                    continue;
                }
                _ => break,
            }
            run = self.pos();
        }
        self.flush(&mut parts, &mut braces, run);
        if let Some(braces) = braces {
            braces.finish(&mut parts);
        }
        Ok(parts)
    }

    /// Puts the literal text since `run` at the end of the parts.
    fn flush(&mut self, parts: &mut Vec<Part>, braces: &mut Option<Box<Braces>>, run: usize) {
        let end = self.pos();
        self.flush_to(parts, braces, run, end);
    }

    fn flush_to(
        &mut self,
        parts: &mut Vec<Part>,
        braces: &mut Option<Box<Braces>>,
        run: usize,
        end: usize,
    ) {
        if run >= end {
            return;
        }
        let next = self.input.text.get(end).copied().unwrap_or(0);
        let text = self.slice(run, end);
        match braces {
            None => push_literal(parts, text),
            Some(braces) => braces.literal(text, next, parts),
        }
    }

    /// How many bytes the character has that is `ahead` of here.
    pub(super) fn character_length(&mut self, ahead: usize) -> usize {
        let first = self.peek_at(ahead);
        let length = match first {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 1,
        };
        if (1..length).all(|at| matches!(self.peek_at(ahead + at), 0x80..=0xbf)) {
            length
        } else {
            1
        }
    }

    /// Whether the byte before here is one of `?*+@!` and belongs to the literal text since `run`.
    fn after_glob_operator(&self, run: usize) -> bool {
        let pos = self.pos();
        pos > run && matches!(self.input.text[pos - 1], b'?' | b'*' | b'+' | b'@' | b'!')
    }

    /// `@(…|…)`, at its parenthesis.
    fn extglob(&mut self) -> Parse<Part> {
        self.enter(COST)?;
        let open = self.pos();
        let operator = self.input.text[open - 1];
        self.skip(1);
        let mut words = Vec::new();
        loop {
            let start = self.pos();
            let parts = self.extglob_alternative(open)?;
            words.push(Word {
                parts,
                span: self.span(start),
            });
            let byte = self.peek();
            self.skip(1);
            if byte == b')' {
                break;
            }
        }
        self.leave(COST);
        Ok(Part::ExtGlob(operator, words))
    }

    /// An alternative, up to `|` or `)`. Blanks and other operators are ordinary.
    fn extglob_alternative(&mut self, open: usize) -> Parse<Vec<Part>> {
        let mode = Mode {
            classes: END | QUOTE,
            flags: EXTGLOB,
        };
        let mut parts = Vec::new();
        loop {
            let more = self.unquoted(mode)?;
            for part in more {
                match part {
                    Part::Literal(text) => push_literal(&mut parts, &text),
                    part => parts.push(part),
                }
            }
            match self.peek() {
                b'|' | b')' => return Ok(parts),
                0 => return Err(self.error_at(crate::ErrorKind::Unmatched(b')'), open)),
                b'(' => {
                    // A plain parenthesis nests.
                    self.enter(COST)?;
                    push_literal(&mut parts, b"(");
                    self.skip(1);
                    loop {
                        let inner = self.extglob_alternative(open)?;
                        for part in inner {
                            match part {
                                Part::Literal(text) => push_literal(&mut parts, &text),
                                part => parts.push(part),
                            }
                        }
                        let byte = self.peek();
                        push_literal(&mut parts, &[byte]);
                        self.skip(1);
                        if byte == b')' {
                            break;
                        }
                    }
                    self.leave(COST);
                }
                byte => {
                    push_literal(&mut parts, &[byte]);
                    self.skip(1);
                }
            }
        }
    }

    /// Whether a tilde here is one that is expanded, by what is before it. `value` is kept for the next tilde in the word: where its value
    /// starts, if the word looks like an assignment.
    fn tilde_expands(
        &self,
        mode: Mode,
        start: usize,
        parts: &[Part],
        braces: &Option<Box<Braces>>,
        run: usize,
        value: &mut Option<Option<usize>>,
    ) -> bool {
        let pos = self.pos();
        if let Some(braces) = braces
            && !mode.has(VALUE_TILDES)
            && run == pos
            && braces.tilde_here(parts)
        {
            return true;
        }
        if pos == start {
            return mode.has(VALUE_TILDES | WORD_TILDES | START_TILDE);
        }
        let before = self.input.text[pos - 1];
        if run == pos || !matches!(before, b':' | b'=') {
            return false;
        }
        if mode.has(VALUE_TILDES) {
            return before == b':';
        }
        if !mode.has(WORD_TILDES) || self.options.posix {
            return false;
        }
        let value = *value.get_or_insert_with(|| self.value_of(start, pos));
        value.is_some_and(|value| pos == value || before == b':')
    }

    /// Where the value starts if the word from `start` to `end` looks like `name=…`.
    fn value_of(&self, start: usize, end: usize) -> Option<usize> {
        let text = self.slice(start, end);
        let equals = text.iter().position(|byte| *byte == b'=')?;
        let name = text[..equals].strip_suffix(b"+").unwrap_or(&text[..equals]);
        let name = match name.iter().position(|byte| *byte == b'[') {
            Some(at) if name.ends_with(b"]") => &name[..at],
            _ => name,
        };
        is_name(name).then_some(start + equals + 1)
    }
}
