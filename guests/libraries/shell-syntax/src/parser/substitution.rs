//! Command and process substitution.

use std::rc::Rc;

use crate::error::ErrorKind;
use crate::parser::quoted::Quoting;
use crate::parser::reader::{Parse, Reader};
use crate::tree::{
    Bytes, CommandKind, CommandSub, Item, List, Part, Pipeline, ProcessSub, Redirect, RedirectKind,
};

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 32;

impl Reader<'_> {
    /// `$(…)` or `$((…))`, at its dollar.
    pub(super) fn substitution(&mut self, quoting: Quoting) -> Parse<Part> {
        let start = self.pos();
        if self.peek_at(2) == b'(' {
            self.skip(3);
            if let Some(arith) = self.double_parens(start)? {
                return Ok(Part::Arith(Box::new(arith)));
            }
            return self.not_arithmetic(start);
        }
        let raw = quoting == Quoting::Here;
        let line = self.line();
        self.skip(2);
        let mut list = self.parenthesized(start)?;
        let file = only_file(&mut list);
        let text = if raw {
            let end = self.pos();
            Bytes::from(self.slice(start + 2, end - 1))
        } else {
            Bytes::default()
        };
        Ok(Part::Command(Box::new(CommandSub {
            list: Rc::new(list),
            backquotes: false,
            file,
            text,
            line,
            error: None,
        })))
    }

    /// `<(…)` or `>(…)`, at its first byte.
    pub(super) fn process_substitution(&mut self) -> Parse<Part> {
        let start = self.pos();
        let line = self.line();
        let read = self.peek() == b'<';
        self.skip(2);
        let list = self.parenthesized(start)?;
        Ok(Part::Process(Box::new(ProcessSub {
            read,
            list: Rc::new(list),
            line,
        })))
    }

    /// Commands up to `)`, which is passed.
    fn parenthesized(&mut self, start: usize) -> Parse<List> {
        self.enter(COST)?;
        let pending = std::mem::take(&mut self.pending);
        let bodies = std::mem::take(&mut self.bodies);
        // Commands are shared by the two forms of a subscript.
        let subscripts = std::mem::take(&mut self.subscripts);
        let empty_lines = self.empty_lines.replace(self.empty_lines.unwrap_or(0));
        let assigns = std::mem::take(&mut self.assigns);
        let result = self.substituted_list();
        self.assigns = assigns;
        self.empty_lines = empty_lines;
        let inner_pending = std::mem::replace(&mut self.pending, pending);
        let inner_bodies = std::mem::replace(&mut self.bodies, bodies);
        self.subscripts = subscripts;
        self.leave(COST);
        let mut list = match result {
            Ok(list) => list,
            Err(mut error) => {
                if error.kind == ErrorKind::End {
                    error.kind = ErrorKind::Unmatched(b')');
                }
                error.substituted |= error.status.is_none() && !error.at_end
                    || matches!(error.kind, ErrorKind::Unexpected(_));
                error.status = error.status.or(Some(1));
                return Err(error);
            }
        };
        if self.peek() == 0 {
            let mut error = self.error(ErrorKind::Unmatched(b')'));
            error.at_end = false;
            return Err(error);
        }
        if self.peek() != b')' {
            let mut error = self.unexpected();
            error.substituted = matches!(error.kind, ErrorKind::Unexpected(_));
            return Err(error);
        }
        self.skip(1);
        self.finish_here_documents(&mut list, inner_pending, inner_bodies, start)?;
        Ok(list)
    }

    fn substituted_list(&mut self) -> Parse<List> {
        self.newlines()?;
        if self.peek() == b')' {
            return Ok(List::default());
        }
        self.list_items()
    }

    /// `` `…` ``, at the first backquote. Inside double quotes, `\"` is `"`.
    pub(super) fn backquotes(&mut self, quoted: bool) -> Parse<Part> {
        let start = self.pos();
        let line = self.line();
        let mut ahead = 1;
        let mut text = Vec::new();
        loop {
            match self.peek_at(ahead) {
                b'`' => break,
                0 => return Err(self.error_at(ErrorKind::Unmatched(b'`'), start)),
                b'\\' => {
                    let next = self.peek_at(ahead + 1);
                    ahead += 2;
                    match next {
                        b'`' | b'\\' | b'$' => text.push(next),
                        b'"' if quoted => text.push(next),
                        0 => {
                            text.push(b'\\');
                            ahead -= 1;
                        }
                        _ => text.extend_from_slice(&[b'\\', next]),
                    }
                }
                byte => {
                    text.push(byte);
                    ahead += 1;
                }
            }
        }
        let written = Bytes::from(self.slice(start + 1, start + ahead));
        self.skip(ahead + 1);
        self.late(text, written, true, line)
    }

    /// `$((…)…)`: only now it shows that it is a command. bash parses it when it runs.
    #[cold]
    #[inline(never)]
    fn not_arithmetic(&mut self, start: usize) -> Parse<Part> {
        self.input.pos = start + 2;
        let line = self.line();
        let end = self.closing(start + 2, b')', start)?;
        let text = self.slice(start + 2, end).to_vec();
        self.input.pos = end + 1;
        self.late(text.clone(), Bytes(text), false, line)
    }

    /// A substitution whose text bash parses when it runs: what is wrong in it is kept until then.
    fn late(&mut self, text: Vec<u8>, written: Bytes, backquotes: bool, line: u32) -> Parse<Part> {
        self.enter(COST)?;
        let mut inner = self.inner(text, line);
        let result = inner.all_commands();
        self.leave(COST);
        self.warnings.append(&mut inner.warnings);
        let (mut list, error) = match result {
            Ok(list) => (list, None),
            Err(error) if error.kind == ErrorKind::TooDeep => return Err(error),
            Err(error) => {
                let line = error.line.to_string();
                let mut text = Vec::new();
                for message in error.lines() {
                    if !text.is_empty() {
                        text.push(b'\n');
                    }
                    text.extend_from_slice(b"line ");
                    text.extend_from_slice(line.as_bytes());
                    text.extend_from_slice(b": ");
                    text.extend_from_slice(&message);
                }
                (List::default(), Some(Bytes(text)))
            }
        };
        let file = only_file(&mut list);
        Ok(Part::Command(Box::new(CommandSub {
            list: Rc::new(list),
            backquotes,
            file,
            text: written,
            line,
            error,
        })))
    }

    /// All commands of the text in one list.
    pub(super) fn all_commands(&mut self) -> Parse<List> {
        let mut all = List::default();
        while let Some(mut list) = self.complete_command()? {
            all.items.append(&mut list.items);
        }
        Ok(all)
    }
}

/// Takes the redirection out of a list that is nothing but `< word`.
fn only_file(list: &mut List) -> Option<Box<Redirect>> {
    let [
        Item {
            first:
                Pipeline {
                    time: None,
                    negated: false,
                    stages,
                },
            rest,
            background: false,
            ..
        },
    ] = list.items.as_mut_slice()
    else {
        return None;
    };
    let [command] = stages.as_mut_slice() else {
        return None;
    };
    let CommandKind::Simple(simple) = &command.kind else {
        return None;
    };
    if !rest.is_empty() || !simple.words.is_empty() || !simple.assigns.is_empty() {
        return None;
    }
    let [redirect] = command.redirects.as_slice() else {
        return None;
    };
    if !matches!(redirect.kind, RedirectKind::Read(_)) {
        return None;
    }
    let redirect = redirect.clone();
    Some(Box::new(redirect))
}
