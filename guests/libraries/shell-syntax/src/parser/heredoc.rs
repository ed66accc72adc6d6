//! Here-documents.
//!
//! The body comes after the line with the operator, when that part of the tree is made already. So
//! the redirection gets a number instead of a body, and when the tree is whole, the bodies are put
//! in.

use std::rc::Rc;

use crate::error::ErrorKind;
use crate::parser::Warning;
use crate::parser::class::{END, is};
use crate::parser::quoted::ansi;
use crate::parser::reader::{Parse, Reader};
use crate::tree::{
    Bytes, Command, CommandKind, CommandSub, Function, HereDoc, List, Part, Quote, RedirectKind,
    Span, Word,
};

/// A here-document whose body has not come yet.
#[derive(Debug)]
pub(super) struct Pending {
    delimiter: Vec<u8>,
    quoted: bool,
    strip: bool,
}

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 12;

impl Reader<'_> {
    /// The delimiter, behind `<<` or `<<-`.
    pub(super) fn here_document(&mut self, strip: bool) -> Parse<Box<HereDoc>> {
        self.blanks();
        if is(self.peek(), END) {
            return Err(self.unexpected());
        }
        let (delimiter, quoted) = self.delimiter()?;
        // The body's place, until it is there.
        let number = (self.bodies.len() + self.pending.len()) as u32;
        self.pending.push(Pending {
            delimiter: delimiter.clone(),
            quoted,
            strip,
        });
        Ok(Box::new(HereDoc {
            delimiter: Bytes(delimiter),
            quoted,
            strip,
            body: Word {
                parts: Vec::new(),
                span: Span {
                    start: number,
                    end: u32::MAX,
                },
            },
        }))
    }

    /// The delimiter's text without quotes, and whether it had any. Nothing in it is expanded.
    fn delimiter(&mut self) -> Parse<(Vec<u8>, bool)> {
        let start = self.pos();
        self.command_word()?;
        let end = self.pos();
        let mut quoted = false;
        let mut out = Vec::new();
        let text = self.slice(start, end);
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            at += 1;
            match byte {
                b'\\' => {
                    quoted = true;
                    match text.get(at) {
                        Some(b'\n') | None => quoted = quoted && at > 1,
                        Some(next) => out.push(*next),
                    }
                    at += 1;
                }
                b'\'' => {
                    quoted = true;
                    while let Some(&inside) = text.get(at) {
                        at += 1;
                        if inside == b'\'' {
                            break;
                        }
                        out.push(inside);
                    }
                }
                b'"' => {
                    quoted = true;
                    while let Some(&inside) = text.get(at) {
                        at += 1;
                        match inside {
                            b'"' => break,
                            b'\\' => match text.get(at) {
                                Some(next @ (b'"' | b'\\' | b'$' | b'`')) => {
                                    out.push(*next);
                                    at += 1;
                                }
                                _ => out.push(inside),
                            },
                            _ => out.push(inside),
                        }
                    }
                }
                b'$' if text.get(at) == Some(&b'"') => {}
                b'$' if text.get(at) == Some(&b'\'') => {
                    quoted = true;
                    let from = at + 1;
                    at = from;
                    while text.get(at).is_some_and(|byte| *byte != b'\'') {
                        at += 1 + usize::from(text[at] == b'\\');
                    }
                    let end = at.min(text.len());
                    out.extend_from_slice(&ansi(&text[from..end]));
                    at = end + 1;
                }
                _ => out.push(byte),
            }
        }
        Ok((out, quoted))
    }

    /// Reads the bodies that come here, at the start of a line.
    pub(super) fn read_here_documents(&mut self) -> Parse {
        for pending in std::mem::take(&mut self.pending) {
            let body = self.here_body(&pending)?;
            self.bodies.push(body);
        }
        Ok(())
    }

    fn here_body(&mut self, pending: &Pending) -> Parse<Word> {
        let start = self.pos();
        let first_line = self.line();
        let mut body = Vec::new();
        // Whether a line goes on from the one before, and where in the body such lines start.
        let mut continued;
        let mut joined = 0;
        loop {
            let from = self.pos();
            if self.peek() == 0 {
                let line = self.line();
                let mut message = b"here-document at line ".to_vec();
                message.extend_from_slice(first_line.saturating_sub(1).to_string().as_bytes());
                message.extend_from_slice(b" delimited by end-of-file (wanted `");
                message.extend_from_slice(&pending.delimiter);
                message.extend_from_slice(b"')");
                self.warnings.push(Warning {
                    line: line.saturating_sub(1),
                    message: Bytes(message),
                });
                break;
            }
            self.line_end();
            let end = self.pos();
            if self.peek() == b'\n' {
                self.skip(1);
            }
            let mut line = self.input.text.get(from..end).unwrap_or(&[]);
            if pending.strip && body.len() == joined {
                let tabs = line.iter().take_while(|byte| **byte == b'\t').count();
                line = &line[tabs..];
            }
            // A line that only goes on from backslashes may be the delimiter.
            if body.len() == joined && line == pending.delimiter {
                break;
            }
            continued = !pending.quoted
                && line.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1;
            if continued {
                body.extend_from_slice(&line[..line.len() - 1]);
            } else {
                body.extend_from_slice(line);
                body.push(b'\n');
                joined = body.len();
            }
        }
        let span = Span {
            start: start as u32,
            end: self.pos() as u32,
        };
        if pending.quoted {
            let parts = vec![Part::Quoted(Bytes(body), Quote::Single)];
            return Ok(Word { parts, span });
        }
        self.enter(COST)?;
        let mut inner = self.inner(body, first_line);
        let result = inner.whole_quoted();
        self.leave(COST);
        self.warnings.append(&mut inner.warnings);
        let mut word = match result {
            Ok(word) => word,
            Err(error) if error.kind == ErrorKind::TooDeep => return Err(error),
            // bash reads the body when the command runs, and only then finds what is wrong.
            Err(error) => Word {
                parts: vec![Part::Command(Box::new(CommandSub {
                    list: Rc::default(),
                    backquotes: false,
                    file: None,
                    text: Bytes::default(),
                    line: error.line,
                    error: Some(Bytes(error.message())),
                }))],
                span,
            },
        };
        word.span = span;
        Ok(word)
    }

    fn line_end(&mut self) {
        loop {
            let from = self.pos();
            let rest = self.input.text.get(from..).unwrap_or(&[]);
            if let Some(at) = rest.iter().position(|byte| *byte == b'\n') {
                self.skip(at);
                return;
            }
            self.input.pos = self.input.text.len();
            if self.peek() == 0 {
                return;
            }
        }
    }

    /// Puts the bodies into a tree that is whole. Those that have not come yet come now.
    pub(super) fn finish_here_documents(
        &mut self,
        list: &mut List,
        pending: Vec<Pending>,
        mut bodies: Vec<Word>,
        _start: usize,
    ) -> Parse {
        if pending.is_empty() && bodies.is_empty() {
            return Ok(());
        }
        if !pending.is_empty() {
            let outer_pending = std::mem::replace(&mut self.pending, pending);
            let outer_bodies = std::mem::replace(&mut self.bodies, bodies);
            let result = self.late_here_documents();
            self.pending = outer_pending;
            bodies = std::mem::replace(&mut self.bodies, outer_bodies);
            result?;
        }
        fill_list(list, &mut bodies);
        Ok(())
    }

    /// The substitution (or the script) ended on the line of the operator: the bodies are on the
    /// following lines.
    fn late_here_documents(&mut self) -> Parse {
        let back = self.pos();
        let count = self.pending.len();
        let mut message = b"command substitution: ".to_vec();
        message.extend_from_slice(count.to_string().as_bytes());
        message.extend_from_slice(b" unterminated here-document");
        if count != 1 {
            message.push(b's');
        }
        let line = self.line();
        self.warnings.push(Warning {
            line,
            message: Bytes(message),
        });
        if self.late_line < back {
            self.line_end();
            self.late_line = self.pos();
        }
        self.input.pos = self.late_line;
        if self.peek() == b'\n' {
            self.skip(1);
        }
        let from = self.pos();
        self.read_here_documents()?;
        let end = self.pos();
        if end > from {
            // What was read is taken out, so that the rest of the line is followed by what comes
            // after it.
            self.take_out(from, end);
        }
        self.input.pos = back;
        Ok(())
    }
}

fn fill_list(list: &mut List, bodies: &mut [Word]) {
    for item in &mut list.items {
        for command in &mut item.first.stages {
            fill(command, bodies);
        }
        for (_, pipeline) in &mut item.rest {
            for command in &mut pipeline.stages {
                fill(command, bodies);
            }
        }
    }
}

fn fill(command: &mut Command, bodies: &mut [Word]) {
    for redirect in &mut command.redirects {
        if let RedirectKind::HereDoc(document) = &mut redirect.kind {
            let span = document.body.span;
            if span.end == u32::MAX
                && document.body.parts.is_empty()
                && let Some(body) = bodies.get_mut(span.start as usize)
            {
                document.body = std::mem::take(body);
            }
        }
    }
    match &mut command.kind {
        CommandKind::Simple(_) | CommandKind::Cond(_) | CommandKind::Arith(_) => {}
        CommandKind::Group(list) | CommandKind::Subshell(list) => fill_list(list, bodies),
        CommandKind::If(node) => {
            for (condition, body) in &mut node.branches {
                fill_list(condition, bodies);
                fill_list(body, bodies);
            }
            if let Some(body) = &mut node.otherwise {
                fill_list(body, bodies);
            }
        }
        CommandKind::While(node) => {
            fill_list(&mut node.condition, bodies);
            fill_list(&mut node.body, bodies);
        }
        CommandKind::For(node) | CommandKind::Select(node) => fill_list(&mut node.body, bodies),
        CommandKind::ArithFor(node) => fill_list(&mut node.body, bodies),
        CommandKind::Case(node) => {
            for clause in &mut node.clauses {
                fill_list(&mut clause.body, bodies);
            }
        }
        CommandKind::Function(function) => {
            if let Some(Function { body, .. }) = Rc::get_mut(function) {
                fill(body, bodies);
            }
        }
        CommandKind::Coproc(coproc) => fill(&mut coproc.command, bodies),
    }
}
