//! Words.

use super::Printer;
use crate::tree::{
    Brace, CommandSub, DefaultOp, List, Param, ParamOp, Part, Quote, ReplaceWhich, Subject,
    Subscript, Word,
};

impl<'t> Printer<'t> {
    pub(super) fn word(&mut self, word: &'t Word) {
        self.parts(&word.parts);
    }

    pub(super) fn parts(&mut self, parts: &'t [Part]) {
        for part in parts {
            self.part(part);
        }
    }

    fn part(&mut self, part: &'t Part) {
        match part {
            Part::Literal(text) => self.put(text),
            Part::Quoted(text, Quote::Backslash) => {
                self.out.push(b'\\');
                self.put(text);
            }
            Part::Quoted(text, Quote::Single | Quote::Ansi) => self.single_quoted(text),
            Part::Double(parts) => {
                self.out.push(b'"');
                self.parts(parts);
                self.out.push(b'"');
            }
            Part::Param(param) => self.param(param),
            Part::Command(substitution) => self.substitution(substitution),
            Part::Arith(arith) => {
                self.put(if arith.brackets { b"$[" } else { b"$((" });
                self.parts(&arith.word.parts);
                self.put(if arith.brackets { b"]" } else { b"))" });
            }
            Part::Process(process) => {
                self.put(if process.read { b"<(" } else { b">(" });
                self.substituted(&process.list);
                self.out.push(b')');
            }
            Part::Tilde(name) => {
                self.out.push(b'~');
                self.put(name);
            }
            Part::Brace(brace) => self.brace(brace),
            Part::ExtGlob(operator, words) => {
                self.put(&[*operator, b'(']);
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b'|');
                    }
                    self.word(word);
                }
                self.out.push(b')');
            }
        }
    }

    /// `'…'`, with `'\''` for a quote.
    pub(super) fn single_quoted(&mut self, text: &[u8]) {
        self.out.push(b'\'');
        for (index, piece) in text.split(|byte| *byte == b'\'').enumerate() {
            if index > 0 {
                self.put(b"'\\''");
            }
            self.put(piece);
        }
        self.out.push(b'\'');
    }

    fn substitution(&mut self, substitution: &'t CommandSub) {
        if substitution.backquotes {
            self.out.push(b'`');
            self.put(&substitution.text);
            self.out.push(b'`');
            return;
        }
        self.put(b"$(");
        if substitution.text.is_empty() {
            self.substituted(&substitution.list);
        } else {
            self.put(&substitution.text);
        }
        self.out.push(b')');
    }

    /// Commands inside `$(…)`: a text of its own, laid out as outside functions.
    fn substituted(&mut self, list: &'t List) {
        if list.items.is_empty() {
            return;
        }
        let mut inner = Printer::new();
        inner.substitutions = 1;
        inner.list(list);
        if inner.out.first() == Some(&b'(') {
            self.out.push(b' ');
        }
        self.out.append(&mut inner.out);
    }

    pub(super) fn subscript(&mut self, subscript: &'t Subscript) {
        self.out.push(b'[');
        match subscript {
            Subscript::At => self.out.push(b'@'),
            Subscript::Star => self.out.push(b'*'),
            Subscript::Expr { word, .. } => self.word(word),
        }
        self.out.push(b']');
    }

    fn subject(&mut self, subject: Subject) {
        match subject {
            Subject::Variable(name) => self.put(&name.bytes()),
            Subject::Positional(number) => self.number(number),
            Subject::Special(byte) => self.out.push(byte),
        }
    }

    fn param(&mut self, param: &'t Param) {
        if let ParamOp::Bad(text) = &param.op {
            return self.put(text);
        }
        self.out.push(b'$');
        if !param.braces {
            return self.subject(param.subject);
        }
        self.out.push(b'{');
        if param.indirect || matches!(param.op, ParamOp::Keys | ParamOp::Prefixed(_)) {
            self.out.push(b'!');
        }
        if matches!(param.op, ParamOp::Length) {
            self.out.push(b'#');
        }
        self.subject(param.subject);
        if let Some(subscript) = &param.subscript {
            self.subscript(subscript);
        }
        self.param_op(&param.op);
        self.out.push(b'}');
    }

    fn param_op(&mut self, op: &'t ParamOp) {
        match op {
            ParamOp::Value | ParamOp::Length | ParamOp::Keys | ParamOp::Bad(_) => {}
            ParamOp::Prefixed(byte) => self.out.push(*byte),
            ParamOp::Default { op, colon, word } => {
                if *colon {
                    self.out.push(b':');
                }
                self.out.push(match op {
                    DefaultOp::Use => b'-',
                    DefaultOp::Assign => b'=',
                    DefaultOp::Error => b'?',
                    DefaultOp::Alternative => b'+',
                });
                self.word(word);
            }
            ParamOp::Trim {
                suffix,
                longest,
                pattern,
            } => {
                let byte = if *suffix { b'%' } else { b'#' };
                self.out.push(byte);
                if *longest {
                    self.out.push(byte);
                }
                self.word(pattern);
            }
            ParamOp::Replace {
                which,
                pattern,
                with,
            } => {
                self.put(match which {
                    ReplaceWhich::First => b"/",
                    ReplaceWhich::All => b"//",
                    ReplaceWhich::Start => b"/#",
                    ReplaceWhich::End => b"/%",
                });
                self.word(pattern);
                if let Some(with) = with {
                    self.out.push(b'/');
                    self.word(with);
                }
            }
            ParamOp::Slice { offset, length } => {
                self.out.push(b':');
                self.parts(&offset.word.parts);
                if let Some(length) = length {
                    self.out.push(b':');
                    self.parts(&length.word.parts);
                }
            }
            ParamOp::Case { op, all, pattern } => {
                self.out.push(*op);
                if *all {
                    self.out.push(*op);
                }
                if let Some(pattern) = pattern {
                    self.word(pattern);
                }
            }
            ParamOp::Transform(b'@') => self.put(b"@"),
            ParamOp::Transform(letter) => self.put(&[b'@', *letter]),
        }
    }

    pub(super) fn brace(&mut self, brace: &'t Brace) {
        self.out.push(b'{');
        match brace {
            Brace::List(words) => {
                for (index, word) in words.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    self.word(word);
                }
            }
            Brace::Numbers {
                from,
                to,
                step,
                width,
            } => {
                self.padded(*from, *width as usize);
                self.put(b"..");
                self.padded(*to, *width as usize);
                self.step_text(*step);
            }
            Brace::Letters { from, to, step } => {
                self.out.push(*from);
                self.put(b"..");
                self.out.push(*to);
                self.step_text(*step);
            }
        }
        self.out.push(b'}');
    }

    fn padded(&mut self, number: i64, width: usize) {
        let digits = number.unsigned_abs().to_string();
        let width = width.saturating_sub(usize::from(number < 0)).min(64);
        if number < 0 {
            self.out.push(b'-');
        }
        for _ in digits.len()..width {
            self.out.push(b'0');
        }
        self.put(digits.as_bytes());
    }

    fn step_text(&mut self, step: i64) {
        if step != 0 {
            self.put(b"..");
            self.put(step.to_string().as_bytes());
        }
    }
}
