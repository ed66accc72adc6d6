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

/// A word that is being read.
struct Draft {
    /// Where the word starts.
    start: usize,
    /// Where the literal text starts that is not among the parts yet.
    run: usize,
    parts: Vec<Part>,
    braces: Option<Box<Braces>>,
    /// Where the value starts if the word looks like an assignment; none before the first tilde
    /// asks for it.
    value: Option<Option<usize>>,
    /// How many parentheses or brackets are open, inside which other bytes are ordinary.
    nested: u32,
    /// Whether no bracket was passed: only the first can stand behind a name.
    named: bool,
}

impl Draft {
    fn new(start: usize) -> Draft {
        Draft {
            start,
            run: start,
            parts: Vec::new(),
            braces: None,
            value: None,
            nested: 0,
            named: true,
        }
    }

    /// Whether a byte is an ordinary one of the right side of `=~`. Counts parentheses.
    fn takes_regex(&mut self, mode: Mode, byte: u8) -> bool {
        if !mode.has(REGEX) {
            return false;
        }
        match byte {
            b'(' => self.nested += 1,
            b')' if self.nested > 0 => self.nested -= 1,
            b'|' => {}
            _ => return self.nested > 0,
        }
        true
    }

    /// Whether a byte is an ordinary one of a subscript. Counts brackets. `before` is the word so
    /// far.
    fn takes_subscript(&mut self, mode: Mode, byte: u8, before: &[u8]) -> bool {
        if mode.has(NAMED) {
            match byte {
                b']' => self.nested = self.nested.saturating_sub(1),
                b'[' if self.nested > 0 || (self.named && is_name(before)) => self.nested += 1,
                b'[' => {}
                _ => return self.nested > 0,
            }
            self.named = false;
            return true;
        }
        match byte {
            b'[' if mode.has(SUBSCRIPT) => self.nested += 1,
            b']' if mode.has(SUBSCRIPT) && self.nested > 0 => self.nested -= 1,
            _ => return false,
        }
        true
    }
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 9;

impl Reader<'_> {
    /// A word of a command, where one starts.
    pub(super) fn command_word(&mut self) -> Parse<Word> {
        self.word(self.command_mode())
    }

    /// The word that names a command. An assignment could have stood here: so bash takes `name[…]`
    /// as one word, with blanks and operators.
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

    /// The parts of a word, up to what ends it. Words nest, so what does not is kept out of this
    /// frame.
    pub(super) fn unquoted(&mut self, mode: Mode) -> Parse<Vec<Part>> {
        let mut draft = Draft::new(self.pos());
        loop {
            let byte = self.scan(mode.classes);
            // An arm that goes on with the loop has passed literal text.
            match byte {
                b'\\' => {
                    if !self.backslash(mode, &mut draft) {
                        continue;
                    }
                }
                b'\'' => {
                    self.flush(&mut draft);
                    draft.parts.push(self.single_quoted()?);
                }
                b'"' => {
                    self.flush(&mut draft);
                    draft.parts.push(self.double_quotes()?);
                }
                b'$' => {
                    self.flush(&mut draft);
                    if !self.dollar(Quoting::Plain, &mut draft.parts)? {
                        draft.run = self.pos();
                        self.skip(1);
                        continue;
                    }
                }
                b'`' => {
                    self.flush(&mut draft);
                    draft.parts.push(self.backquotes(false)?);
                }
                b'~' => {
                    if !self.word_tilde(mode, &mut draft) {
                        continue;
                    }
                }
                b'{' | b'}' | b',' if mode.has(BRACES) => {
                    if !self.brace(byte, &mut draft)? {
                        continue;
                    }
                }
                0 if draft.nested > 0 => {
                    let close = if mode.has(NAMED) { b']' } else { b')' };
                    return Err(self.error_at(crate::ErrorKind::Unmatched(close), draft.start));
                }
                _ if draft.takes_regex(mode, byte) => {
                    self.skip(1);
                    continue;
                }
                b'(' if mode.has(EXTGLOB) && self.after_glob_operator(draft.run) => {
                    let operator = self.pos() - 1;
                    self.flush_to(&mut draft, operator);
                    draft.parts.push(self.extglob()?);
                }
                b'<' | b'>' if !mode.has(INSIDE) && self.peek_at(1) == b'(' => {
                    self.flush(&mut draft);
                    draft.parts.push(self.process_substitution()?);
                }
                _ if draft.takes_subscript(mode, byte, self.slice(draft.start, self.pos())) => {
                    self.skip(1);
                    continue;
                }
                _ => break,
            }
            draft.run = self.pos();
        }
        self.flush(&mut draft);
        if let Some(braces) = draft.braces {
            braces.finish(&mut draft.parts);
        }
        Ok(draft.parts)
    }

    /// Puts the literal text so far at the end of the parts.
    fn flush(&mut self, draft: &mut Draft) {
        let end = self.pos();
        self.flush_to(draft, end);
    }

    fn flush_to(&mut self, draft: &mut Draft, end: usize) {
        if draft.run >= end {
            return;
        }
        let next = self.input.text.get(end).copied().unwrap_or(0);
        let text = self.slice(draft.run, end);
        match &mut draft.braces {
            None => push_literal(&mut draft.parts, text),
            Some(braces) => braces.literal(text, next, &mut draft.parts),
        }
    }

    /// A backslash and what it quotes; false where literal text was passed.
    #[inline(never)]
    fn backslash(&mut self, mode: Mode, draft: &mut Draft) -> bool {
        match self.peek_at(1) {
            b'\n' => self.remove_continuation(self.pos()),
            0 => self.skip(1),
            _ if mode.has(REGEX) => self.skip(2),
            _ => {
                self.flush(draft);
                let length = self.character_length(1);
                let at = self.pos() + 1;
                let quoted = self.slice(at, at + length).into();
                draft.parts.push(Part::Quoted(quoted, Quote::Backslash));
                self.skip(1 + length);
                return true;
            }
        }
        false
    }

    /// A tilde; false where it is literal text, which was passed.
    #[inline(never)]
    fn word_tilde(&mut self, mode: Mode, draft: &mut Draft) -> bool {
        if !self.tilde_expands(mode, draft) {
            self.skip(1);
            return false;
        }
        self.flush(draft);
        let inside = mode.has(INSIDE);
        if !self.tilde(&mut draft.parts, draft.braces.is_some() || inside, inside) {
            draft.run = self.pos();
            self.skip(1);
            return false;
        }
        true
    }

    /// A byte of a brace expansion; false where it is literal text, which was passed.
    #[inline(never)]
    fn brace(&mut self, byte: u8, draft: &mut Draft) -> Parse<bool> {
        if draft.braces.is_none()
            && (byte != b'{' || (self.pos() == draft.start && self.peek_at(1) == b'}'))
        {
            self.skip(1);
            return Ok(false);
        }
        self.flush(draft);
        self.skip(1);
        let open = draft.braces.get_or_insert_with(Box::default);
        match open.mark(byte, &mut draft.parts) {
            true => Ok(true),
            false => Err(self.error(crate::ErrorKind::TooDeep)),
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

    /// Whether a tilde here is one that is expanded, by what is before it.
    fn tilde_expands(&self, mode: Mode, draft: &mut Draft) -> bool {
        let pos = self.pos();
        if let Some(braces) = &draft.braces
            && !mode.has(VALUE_TILDES)
            && draft.run == pos
            && braces.tilde_here(&draft.parts)
        {
            return true;
        }
        if pos == draft.start {
            return mode.has(VALUE_TILDES | WORD_TILDES | START_TILDE);
        }
        let before = self.input.text[pos - 1];
        if draft.run == pos || !matches!(before, b':' | b'=') {
            return false;
        }
        if mode.has(VALUE_TILDES) {
            return before == b':';
        }
        if !mode.has(WORD_TILDES) || self.options.posix {
            return false;
        }
        let start = draft.start;
        let value = *draft.value.get_or_insert_with(|| self.value_of(start, pos));
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
