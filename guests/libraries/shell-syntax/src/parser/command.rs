//! Commands: simple ones, and which of the others starts here.

use std::rc::Rc;

use crate::parser::class::{END, is};
use crate::parser::reader::{Parse, Reader};
use crate::parser::reserved::Reserved;
use crate::tree::{Argument, Bytes, Command, CommandKind, Coproc, Function, Simple, Span, Word};

/// What a level costs: see [`Reader::enter`].
const COST: u32 = 12;

impl Reader<'_> {
    /// A command with its redirections. Blanks before it are passed already.
    pub(super) fn command(&mut self) -> Parse<Command> {
        self.blanks();
        self.expand_alias();
        let byte = self.peek();
        if byte == b'(' {
            return self.compound(None);
        }
        match self.reserved() {
            None => self.simple(),
            Some(Reserved::Function) => self.function_keyword(),
            Some(Reserved::Coproc) => self.coproc(),
            Some(word) if word.starts_compound() => self.compound(Some(word)),
            Some(_) => Err(self.unexpected()),
        }
    }

    /// Whether a compound command starts here.
    fn at_compound(&mut self) -> Option<Option<Reserved>> {
        if self.peek() == b'(' {
            return Some(None);
        }
        self.reserved()
            .filter(|word| word.starts_compound())
            .map(Some)
    }

    /// Assignments, words and redirections; or a function definition.
    fn simple(&mut self) -> Parse<Command> {
        let start = self.pos();
        // bash looks at the word behind the first before it knows that this is no function, and has
        // that line then.
        let mut line = None;
        let mut simple = Simple::default();
        let mut redirects = Vec::new();
        let mut end = start;
        // Whether arguments may be assignments.
        let mut declares = Declares::Unknown;
        loop {
            if line.is_none() {
                let read = simple.assigns.len() + redirects.len();
                if read == 1 || simple.words.len() == 2 {
                    line = Some(self.command_line());
                }
            }
            self.blanks();
            let byte = self.peek();
            if is(byte, END) {
                match byte {
                    b'<' | b'>' if self.peek_at(1) != b'(' => {
                        redirects.push(self.redirect()?);
                        end = self.pos();
                        continue;
                    }
                    b'&' if self.peek_at(1) == b'>' => {
                        redirects.push(self.redirect()?);
                        end = self.pos();
                        continue;
                    }
                    b'(' if simple.words.len() == 1
                        && simple.assigns.is_empty()
                        && redirects.is_empty() =>
                    {
                        if let Some(Argument::Word(word)) = simple.words.pop() {
                            let line = self.command_line();
                            return self.function_parens(word, start, line);
                        }
                        return Err(self.unexpected());
                    }
                    b'<' | b'>' => {}
                    _ => break,
                }
            } else if (byte.is_ascii_digit() || byte == b'{') && self.at_redirect() {
                redirects.push(self.redirect()?);
                end = self.pos();
                continue;
            }
            if simple.words.is_empty() {
                if !simple.assigns.is_empty() || !redirects.is_empty() {
                    self.expand_alias();
                } else {
                    self.expand_alias_argument();
                }
                if let Some(assign) = self.assignment()? {
                    simple.assigns.push(assign);
                    end = self.pos();
                    continue;
                }
                let word = self.first_word()?;
                declares = declares.command(&word, self.options.posix);
                simple.words.push(Argument::Word(word));
            } else {
                self.expand_alias_argument();
                if self.options.keyword
                    && let Some(assign) = self.assignment()?
                {
                    simple.assigns.push(assign);
                } else if declares.yes()
                    && let Some(argument) = self.declaration(declares)?
                {
                    simple.words.push(argument);
                } else {
                    let word = self.command_word()?;
                    if declares == Declares::Behind {
                        declares = declares.command(&word, self.options.posix);
                    }
                    simple.words.push(Argument::Word(word));
                }
            }
            end = self.pos();
        }
        if end == start {
            return Err(self.unexpected());
        }
        let line = line.unwrap_or_else(|| self.command_line());
        if !self.input.expansions.is_empty() {
            self.expand_alias_argument();
        }
        Ok(Command {
            kind: CommandKind::Simple(simple),
            redirects,
            line,
            span: Span {
                start: start as u32,
                end: end as u32,
            },
        })
    }

    /// `name ()` and a body, at its parenthesis.
    fn function_parens(&mut self, name: Word, start: usize, line: u32) -> Parse<Command> {
        self.skip(1);
        self.blanks();
        if self.peek() != b')' {
            return Err(self.unexpected());
        }
        self.skip(1);
        let name = self
            .slice(name.span.start as usize, name.span.end as usize)
            .into();
        self.function_body(name, false, start, line)
    }

    /// `function name [()]` and a body.
    fn function_keyword(&mut self) -> Parse<Command> {
        let start = self.pos();
        let line = self.command_line();
        self.skip(Reserved::Function.length());
        self.blanks();
        if is(self.peek(), END) {
            return Err(self.unexpected());
        }
        let word = self.command_word()?;
        let name: Bytes = self
            .slice(word.span.start as usize, word.span.end as usize)
            .into();
        self.blanks();
        if self.peek() == b'(' {
            let parens = self.pos();
            self.skip(1);
            self.blanks();
            if self.peek() == b')' {
                self.skip(1);
            } else {
                self.input.pos = parens;
            }
        }
        self.function_body(name, true, start, line)
    }

    fn function_body(
        &mut self,
        name: Bytes,
        keyword: bool,
        start: usize,
        line: u32,
    ) -> Parse<Command> {
        self.newlines()?;
        self.expand_alias();
        let Some(word) = self.at_compound() else {
            return Err(self.unexpected());
        };
        self.enter(COST)?;
        let body = self.compound(word)?;
        self.leave(COST);
        Ok(Command {
            kind: CommandKind::Function(Rc::new(Function {
                name,
                body,
                keyword,
            })),
            redirects: Vec::new(),
            line,
            span: self.span(start),
        })
    }

    /// `coproc [NAME] command`
    fn coproc(&mut self) -> Parse<Command> {
        let start = self.pos();
        let line = self.command_line();
        self.enter(COST)?;
        self.skip(Reserved::Coproc.length());
        self.blanks();
        let mut name = Bytes(b"COPROC".to_vec());
        let command = if let Some(word) = self.at_compound() {
            self.compound(word)?
        } else {
            let from = self.pos();
            let named = !is(self.peek(), END) && {
                let word = self.first_word()?;
                self.blanks();
                match self.at_compound() {
                    Some(_) if self.peek() != b'(' || self.peek_at(1) != b')' => {
                        name = self
                            .slice(word.span.start as usize, word.span.end as usize)
                            .into();
                        true
                    }
                    _ => false,
                }
            };
            if named {
                let word = self.at_compound().flatten();
                self.compound(word)?
            } else {
                self.input.pos = from;
                self.simple()?
            }
        };
        self.leave(COST);
        Ok(Command {
            kind: CommandKind::Coproc(Box::new(Coproc { name, command })),
            redirects: Vec::new(),
            line,
            span: self.span(start),
        })
    }
}

/// Whether arguments of the form of an assignment are assignments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Declares {
    /// No command word yet.
    Unknown,
    /// `declare` and its like.
    Yes,
    /// Assignments behind `command`: without `(…)`.
    Scalars,
    /// `eval` and `let`: `name=(…)` is one word.
    Text,
    /// `command`: the next word decides.
    Behind,
    /// Anything else.
    No,
}

impl Declares {
    fn yes(self) -> bool {
        matches!(self, Declares::Yes | Declares::Scalars | Declares::Text)
    }

    /// After the command word. Behind `command`, only POSIX knows assignments.
    fn command(self, word: &Word, posix: bool) -> Declares {
        match word.as_literal() {
            Some(b"declare" | b"local" | b"export" | b"readonly" | b"typeset") => {
                if self == Declares::Behind {
                    Declares::Scalars
                } else {
                    Declares::Yes
                }
            }
            Some(b"eval" | b"let") if self == Declares::Unknown => Declares::Text,
            Some(b"command") if posix => Declares::Behind,
            Some(word) if self == Declares::Behind && word.starts_with(b"-") => Declares::Behind,
            _ => Declares::No,
        }
    }
}
