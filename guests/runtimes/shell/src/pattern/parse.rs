//! From the text of a pattern to its steps.

use super::{Class, Op, Options, Pattern, chars};

/// How deep extended forms may nest; deeper ones stand for themselves.
const DEPTH: u32 = 100;

pub(super) fn parse(pattern: &[u8], options: Options) -> Pattern {
    let mut parser = Parser {
        pattern,
        at: 0,
        options,
        extended: false,
        odd: false,
    };
    let mut ops = Vec::new();
    parser.sequence(&mut ops, 0);
    Pattern {
        ops,
        extended: parser.extended,
        odd: parser.odd,
    }
}

struct Parser<'p> {
    pattern: &'p [u8],
    at: usize,
    options: Options,
    extended: bool,
    odd: bool,
}

impl Parser<'_> {
    /// Reads until the end, or inside an extended form until `|` or `)`, which is left.
    fn sequence(&mut self, ops: &mut Vec<Op>, depth: u32) {
        while let Some(&byte) = self.pattern.get(self.at) {
            if depth > 0 && matches!(byte, b'|' | b')') {
                return;
            }
            if self.options.extglob
                && depth < DEPTH
                && matches!(byte, b'?' | b'*' | b'+' | b'@' | b'!')
                && self.pattern.get(self.at + 1) == Some(&b'(')
                && self.closes(self.at + 2)
            {
                self.at += 2;
                self.extended(ops, byte, depth);
                continue;
            }
            self.at += 1;
            match byte {
                b'*' => {
                    if ops.last() != Some(&Op::Star) {
                        ops.push(Op::Star);
                    }
                }
                b'?' => ops.push(Op::Any),
                b'[' => match Class::parse(&self.pattern[self.at..], self.options.nocase) {
                    Some((class, length)) => {
                        self.odd |= matches!(self.pattern[self.at..], [b'!' | b'^', b']', ..]);
                        self.at += length;
                        ops.push(Op::Class(Box::new(class)));
                    }
                    None => self.character(ops, self.at - 1),
                },
                b'\\' if self.at < self.pattern.len() => self.character(ops, self.at),
                _ => self.character(ops, self.at - 1),
            }
        }
    }

    /// The alternatives of an extended form, from behind its `(`.
    fn extended(&mut self, ops: &mut Vec<Op>, kind: u8, depth: u32) {
        self.extended = true;
        let mut alternatives = Vec::new();
        loop {
            let mut alternative = Vec::new();
            self.sequence(&mut alternative, depth + 1);
            alternatives.push(alternative);
            let end = self.pattern.get(self.at);
            self.at += 1;
            if end != Some(&b'|') {
                break;
            }
        }
        ops.push(Op::Extended(kind, alternatives));
    }

    /// The character at `at` as itself; goes on behind it.
    fn character(&mut self, ops: &mut Vec<Op>, at: usize) {
        let (code, after) = chars::next(self.pattern, at);
        self.at = after;
        if self.options.nocase {
            let lower = chars::lower(code);
            if lower != code || chars::upper(code) != code {
                ops.push(Op::Folded(lower));
                return;
            }
        }
        let bytes = &self.pattern[at..after];
        match ops.last_mut() {
            Some(Op::Bytes(run)) => run.extend_from_slice(bytes),
            _ => ops.push(Op::Bytes(bytes.to_vec())),
        }
    }

    /// Whether a `)` closes the extended form whose inside starts at `at`.
    fn closes(&self, mut at: usize) -> bool {
        let mut depth = 1;
        while let Some(&byte) = self.pattern.get(at) {
            at += 1;
            match byte {
                b'\\' => at += 1,
                b'[' => {
                    if let Some((_, length)) = Class::parse(&self.pattern[at..], false) {
                        at += length;
                    }
                }
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}
