//! Compound commands.

use crate::error::ErrorKind;
use crate::parser::class::{END, is};
use crate::parser::math::Stop;
use crate::parser::reader::{Parse, Reader};
use crate::parser::reserved::Reserved;
use crate::parser::word::Mode;
use crate::tree::{
    Arith, ArithFor, Bytes, Case, CaseClause, CaseEnd, Command, CommandKind, For, If, List, While,
    Word,
};

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 20;

impl Reader<'_> {
    /// The compound command here: it starts with a reserved word or, without one, with `(`.
    pub(super) fn compound(&mut self, word: Option<Reserved>) -> Parse<Command> {
        let start = self.pos();
        let mut line = self.command_line();
        self.enter(COST)?;
        let kind = match word {
            None => self.parens()?,
            Some(word) => {
                self.skip(word.length());
                self.after_reserved(word, start)?
            }
        };
        self.leave(COST);
        if matches!(kind, CommandKind::Cond(_) | CommandKind::Arith(_)) {
            line = self.command_line();
        }
        let redirects = self.redirects()?;
        Ok(Command {
            kind,
            redirects,
            line,
            span: self.span(start),
        })
    }

    fn after_reserved(&mut self, word: Reserved, start: usize) -> Parse<CommandKind> {
        match word {
            Reserved::If => self.if_command(),
            Reserved::While | Reserved::Until => self.while_command(word == Reserved::Until),
            Reserved::For => self.for_command(start),
            Reserved::Select => {
                let node = self.for_words()?;
                Ok(CommandKind::Select(node))
            }
            Reserved::Case => self.case_command(),
            Reserved::Cond => self.cond_command(start),
            _ => {
                let list = self.compound_list()?;
                self.expect(Reserved::Close)?;
                Ok(CommandKind::Group(list))
            }
        }
    }

    /// `( … )` or `(( … ))`
    fn parens(&mut self) -> Parse<CommandKind> {
        let start = self.pos();
        if self.peek_at(1) == b'(' {
            self.skip(2);
            if let Some(arith) = self.double_parens(start)? {
                return Ok(CommandKind::Arith(Box::new(arith)));
            }
            self.input.pos = start;
        }
        self.skip(1);
        let list = self.compound_list()?;
        if self.peek() != b')' {
            return Err(self.unexpected());
        }
        self.skip(1);
        Ok(CommandKind::Subshell(list))
    }

    fn if_command(&mut self) -> Parse<CommandKind> {
        let mut branches = Vec::new();
        let mut otherwise = None;
        loop {
            let condition = self.compound_list()?;
            self.expect(Reserved::Then)?;
            let body = self.compound_list()?;
            branches.push((condition, body));
            match self.reserved() {
                Some(Reserved::Elif) => self.skip(4),
                Some(Reserved::Else) => {
                    self.skip(4);
                    otherwise = Some(self.compound_list()?);
                    break;
                }
                _ => break,
            }
        }
        self.expect(Reserved::Fi)?;
        Ok(CommandKind::If(Box::new(If {
            branches,
            otherwise,
        })))
    }

    fn while_command(&mut self, until: bool) -> Parse<CommandKind> {
        let condition = self.compound_list()?;
        self.expect(Reserved::Do)?;
        let body = self.compound_list()?;
        self.expect(Reserved::Done)?;
        Ok(CommandKind::While(Box::new(While {
            until,
            condition,
            body,
        })))
    }

    /// `do … done` or `{ … }`
    fn body(&mut self) -> Parse<List> {
        self.expand_alias();
        match self.reserved() {
            Some(Reserved::Open) => {
                self.skip(1);
                let list = self.compound_list()?;
                self.expect(Reserved::Close)?;
                Ok(list)
            }
            _ => {
                self.expect(Reserved::Do)?;
                let list = self.compound_list()?;
                self.expect(Reserved::Done)?;
                Ok(list)
            }
        }
    }

    fn for_command(&mut self, start: usize) -> Parse<CommandKind> {
        self.blanks();
        if self.peek() == b'(' && self.peek_at(1) == b'(' {
            return self.arith_for(start);
        }
        Ok(CommandKind::For(self.for_words()?))
    }

    /// `name [in words]; do … done`
    fn for_words(&mut self) -> Parse<Box<For>> {
        self.blanks();
        self.expand_alias_argument();
        if is(self.peek(), END) {
            return Err(self.unexpected());
        }
        let word = self.command_word()?;
        let variable: Bytes = self
            .slice(word.span.start as usize, word.span.end as usize)
            .into();
        self.blanks();
        let mut words = None;
        if self.peek() == b';' {
            self.skip(1);
            self.newlines()?;
        } else {
            self.newlines()?;
            self.expand_alias_argument();
            if self.reserved() == Some(Reserved::In) {
                self.skip(2);
                words = Some(self.for_list()?);
                self.newlines()?;
            }
        }
        let body = self.body()?;
        Ok(Box::new(For {
            variable,
            words,
            body,
        }))
    }

    /// Words up to `;` or a newline.
    fn for_list(&mut self) -> Parse<Vec<Word>> {
        let mut words = Vec::new();
        loop {
            self.blanks();
            self.expand_alias_argument();
            match self.peek() {
                b';' if !matches!(self.peek_at(1), b';' | b'&') => {
                    self.skip(1);
                    return Ok(words);
                }
                b'\n' => return Ok(words),
                b'<' | b'>' if self.peek_at(1) == b'(' => {}
                byte if is(byte, END) => return Err(self.unexpected()),
                _ => {}
            }
            words.push(self.command_word()?);
        }
    }

    /// `((a; b; c)) [;] do … done`
    fn arith_for(&mut self, start: usize) -> Parse<CommandKind> {
        let open = self.pos();
        self.skip(2);
        let mut clauses: Vec<Option<Arith>> = Vec::new();
        loop {
            self.math_blanks();
            let arith = self.math(Stop::Clause, start)?;
            clauses.push((!arith.word.parts.is_empty()).then_some(arith));
            let byte = self.peek();
            self.skip(1);
            if byte == b')' {
                break;
            }
        }
        if self.peek() != b')' {
            return Err(self.unexpected());
        }
        self.skip(1);
        let text = {
            let end = self.pos();
            self.slice(open, end).to_vec()
        };
        if clauses.len() != 3 {
            let message = if clauses.len() < 3 {
                &b"syntax error: arithmetic expression required"[..]
            } else {
                &b"syntax error: `;' unexpected"[..]
            };
            let mut message = message.to_vec();
            message.extend_from_slice(b"\nsyntax error: `");
            message.extend_from_slice(&text);
            message.push(b'\'');
            return Err(self.error(ErrorKind::Other(message)));
        }
        let step = clauses.pop().flatten();
        let condition = clauses.pop().flatten();
        let first = clauses.pop().flatten();
        self.blanks();
        if self.peek() == b';' {
            self.skip(1);
        }
        self.newlines()?;
        let body = self.body()?;
        Ok(CommandKind::ArithFor(Box::new(ArithFor {
            first,
            condition,
            step,
            body,
        })))
    }

    fn math_blanks(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n') {
            self.skip(1);
        }
    }

    fn case_command(&mut self) -> Parse<CommandKind> {
        self.blanks();
        let process = matches!(self.peek(), b'<' | b'>') && self.peek_at(1) == b'(';
        if is(self.peek(), END) && !process {
            return Err(self.unexpected());
        }
        let word = self.word(Mode::SINGLE.extglob(self.options.extglob))?;
        self.newlines()?;
        self.expect(Reserved::In)?;
        let mut clauses = Vec::new();
        loop {
            self.newlines()?;
            self.expand_alias();
            if self.reserved() == Some(Reserved::Esac) {
                self.skip(4);
                break;
            }
            let clause = self.case_clause()?;
            clauses.push(clause.0);
            if clause.1 {
                self.newlines()?;
                self.expect(Reserved::Esac)?;
                break;
            }
        }
        Ok(CommandKind::Case(Box::new(Case { word, clauses })))
    }

    /// A clause, and whether it must be the last.
    fn case_clause(&mut self) -> Parse<(CaseClause, bool)> {
        if self.peek() == b'(' {
            self.skip(1);
            self.blanks();
        }
        let mut patterns = Vec::new();
        loop {
            self.blanks();
            if is(self.peek(), END) {
                return Err(self.unexpected());
            }
            patterns.push(self.word(Mode::SINGLE.extglob(self.options.extglob))?);
            self.blanks();
            match self.peek() {
                b'|' if !matches!(self.peek_at(1), b'|' | b'&') => self.skip(1),
                b')' => {
                    self.skip(1);
                    break;
                }
                _ => return Err(self.unexpected()),
            }
        }
        self.newlines()?;
        let body = if self.at_list_end() {
            List::default()
        } else {
            self.list_items()?
        };
        self.newlines()?;
        let (end, length) = match (
            self.peek(),
            self.peek_at_operator(1),
            self.peek_at_operator(2),
        ) {
            (b';', b';', b'&') => (CaseEnd::Continue, 3),
            (b';', b';', _) => (CaseEnd::Break, 2),
            (b';', b'&', _) => (CaseEnd::FallThrough, 2),
            _ => (CaseEnd::Break, 0),
        };
        self.skip(length);
        Ok((
            CaseClause {
                patterns,
                body,
                end,
            },
            length == 0,
        ))
    }

    fn peek_at_operator(&mut self, ahead: usize) -> u8 {
        if self.peek() == b';' {
            self.peek_at(ahead)
        } else {
            0
        }
    }
}
