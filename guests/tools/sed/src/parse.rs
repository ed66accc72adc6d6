//! Reading a script.

mod address;
mod expression;
mod substitution;
mod text;

use std::collections::HashMap;

use crate::command::{Action, Command, Script, Which};

/// A part of the script: an expression of `-e`, or a file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) text: Vec<u8>,
    /// A file's name; none for an expression.
    pub(crate) file: Option<Vec<u8>>,
    /// A newline stood behind the text.
    pub(crate) ended: bool,
}

/// How the script is read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mode {
    pub(crate) extended: bool,
    pub(crate) posix: bool,
    pub(crate) sandbox: bool,
    /// Lines end with NUL.
    pub(crate) null_data: bool,
}

/// A mistake: the whole message behind `sed: `, and the status.
pub(crate) type Mistake = (Vec<u8>, i32);

/// Reads a script.
pub(crate) fn parse(sources: &[Source], mode: Mode) -> Result<Script, Mistake> {
    let mut parser = Parser {
        sources,
        source: 0,
        at: 0,
        expression: 0,
        mode,
        script: Script::default(),
        open: Vec::new(),
        labels: HashMap::new(),
        jumps: Vec::new(),
    };
    parser.next_source();
    let first = sources.first().map_or(&b""[..], |source| &source.text);
    parser.script.quiet = first.starts_with(b"#n");
    parser.commands()?;
    parser.finish()
}

struct Parser<'s> {
    sources: &'s [Source],
    /// Which source is read next.
    source: usize,
    /// Where in the current one.
    at: usize,
    /// The number of the expression.
    expression: usize,
    mode: Mode,
    script: Script,
    /// Blocks that are open.
    open: Vec<usize>,
    labels: HashMap<Vec<u8>, usize>,
    jumps: Vec<(usize, Vec<u8>)>,
}

impl Parser<'_> {
    fn next_source(&mut self) -> bool {
        if self.source >= self.sources.len() {
            return false;
        }
        self.expression += usize::from(self.sources[self.source].file.is_none());
        self.source += 1;
        self.at = 0;
        true
    }

    fn text(&self) -> &[u8] {
        self.source
            .checked_sub(1)
            .map_or(b"", |current| &self.sources[current].text)
    }

    fn peek(&self) -> Option<u8> {
        self.text().get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn skip_blanks(&mut self) {
        while self
            .peek()
            .is_some_and(|byte| byte == b' ' || byte == b'\t')
        {
            self.at += 1;
        }
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Whether a newline comes next, also the one at the end of a file.
    fn at_newline(&self) -> bool {
        match self.peek() {
            Some(next) => next == b'\n',
            None => self.sources[self.source - 1].ended,
        }
    }

    fn mistake<T>(&self, message: impl AsRef<[u8]>) -> Result<T, Mistake> {
        self.mistake_at(self.at, message)
    }

    fn mistake_at<T>(&self, at: usize, message: impl AsRef<[u8]>) -> Result<T, Mistake> {
        let current = &self.sources[self.source.saturating_sub(1)];
        let place = match &current.file {
            Some(name) => {
                let line = current.text[..at.min(current.text.len())]
                    .iter()
                    .filter(|byte| **byte == b'\n')
                    .count()
                    + 1;
                [b"file ", &name[..], format!(" line {line}: ").as_bytes()].concat()
            }
            None => format!("-e expression #{}, char {at}: ", self.expression).into_bytes(),
        };
        Err(([&place, message.as_ref()].concat(), 1))
    }

    fn commands(&mut self) -> Result<(), Mistake> {
        loop {
            while self
                .peek()
                .is_some_and(|byte| is_space(byte) || byte == b';')
            {
                self.at += 1;
            }
            if self.peek().is_none() {
                if self.next_source() {
                    continue;
                }
                return Ok(());
            }
            self.command()?;
        }
    }

    fn finish(mut self) -> Result<Script, Mistake> {
        if !self.open.is_empty() {
            return self.mistake_at(0, "unmatched `{'");
        }
        for (command, label) in std::mem::take(&mut self.jumps) {
            let target = if label.is_empty() {
                self.script.commands.len()
            } else if let Some(target) = self.labels.get(&label) {
                *target
            } else {
                return Err((
                    [b"can't find label for jump to `", &label[..], b"'"].concat(),
                    4,
                ));
            };
            match &mut self.script.commands[command].action {
                Action::Branch(to)
                | Action::BranchIfSubstituted(to)
                | Action::BranchUnlessSubstituted(to) => *to = target,
                _ => {}
            }
        }
        Ok(self.script)
    }

    fn command(&mut self) -> Result<(), Mistake> {
        let which = self.which()?;
        let Some(letter) = self.take() else {
            return self.mistake("missing command");
        };
        if self.mode.posix && b"eFvzLQTRW".contains(&letter) {
            return self.unknown(letter);
        }
        self.check_addresses(letter, &which)?;
        match letter {
            b'#' => {
                while self.peek().is_some_and(|byte| byte != b'\n') {
                    self.at += 1;
                }
                Ok(())
            }
            b':' => self.define_label(),
            b'{' => {
                self.open.push(self.script.commands.len());
                self.push(which, Action::Block(0));
                Ok(())
            }
            b'}' => self.close_block(&which),
            _ => {
                let action = self.action(letter)?;
                self.push(which, action);
                Ok(())
            }
        }
    }

    /// Not every command takes as many addresses as stand before it.
    fn check_addresses(&self, letter: u8, which: &Which) -> Result<(), Mistake> {
        let takes_one = b"qQ".contains(&letter) || (self.mode.posix && b"ail=r".contains(&letter));
        match letter {
            b'#' if which.first.is_some() => self.mistake("comments don't accept any addresses"),
            b':' if which.first.is_some() => self.mistake(": doesn't want any addresses"),
            _ if takes_one && which.second.is_some() => {
                self.mistake("command only uses one address")
            }
            _ => Ok(()),
        }
    }

    fn define_label(&mut self) -> Result<(), Mistake> {
        let label = self.label();
        if label.is_empty() {
            return self.mistake("\":\" lacks a label");
        }
        self.labels.insert(label, self.script.commands.len());
        Ok(())
    }

    fn close_block(&mut self, which: &Which) -> Result<(), Mistake> {
        let Some(open) = self.open.pop() else {
            return self.mistake("unexpected `}'");
        };
        if which.first.is_some() {
            return self.mistake("`}' doesn't want any addresses");
        }
        self.script.commands[open].action = Action::Block(self.script.commands.len());
        self.end_of_command()
    }

    /// What a command does, from behind its letter on.
    fn action(&mut self, letter: u8) -> Result<Action, Mistake> {
        Ok(match letter {
            b'a' => Action::Append(self.lines()?),
            b'i' => Action::Insert(self.lines()?),
            b'c' => Action::Change(self.lines()?),
            b'b' => self.jump(Action::Branch(0)),
            b't' => self.jump(Action::BranchIfSubstituted(0)),
            b'T' => self.jump(Action::BranchUnlessSubstituted(0)),
            b'e' => self.execution()?,
            b'r' => Action::ReadFile(self.file_name()?),
            b'R' => Action::ReadLine(self.file_name()?),
            b'w' => Action::Write(self.output()?),
            b'W' => Action::WriteFirst(self.output()?),
            b'q' => Action::Quit(self.exit_status()?),
            b'Q' => Action::QuitSilently(self.exit_status()?),
            b'l' if self.mode.posix => {
                self.end_of_command()?;
                Action::List(None)
            }
            b'l' => Action::List(self.number_behind()?),
            b's' => self.substitution()?,
            b'y' => self.transliteration()?,
            b'v' => {
                let version = self.label();
                if !is_old(&version) {
                    return self.mistake("expected newer version of sed");
                }
                Action::Nothing
            }
            _ => self.simple(letter)?,
        })
    }

    /// A jump, whose label is resolved when all of them are known.
    fn jump(&mut self, action: Action) -> Action {
        let label = self.label();
        self.jumps.push((self.script.commands.len(), label));
        action
    }

    /// `e`
    fn execution(&mut self) -> Result<Action, Mistake> {
        if self.mode.sandbox {
            return self.mistake("e/r/w commands disabled in sandbox mode");
        }
        self.skip_blanks();
        Ok(match self.peek() {
            None => Action::ExecutePattern,
            Some(b'\n') => {
                self.at += 1;
                Action::ExecutePattern
            }
            Some(_) => Action::Execute(self.lines()?),
        })
    }

    fn exit_status(&mut self) -> Result<i32, Mistake> {
        Ok(self.number_behind()?.unwrap_or(0) as i32)
    }

    /// Commands without arguments.
    fn simple(&mut self, letter: u8) -> Result<Action, Mistake> {
        let action = match letter {
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirst,
            b'F' => Action::FileName,
            b'g' => Action::GetHold,
            b'G' => Action::AppendHold,
            b'h' => Action::Hold,
            b'H' => Action::HoldAppend,
            b'x' => Action::Exchange,
            b'n' => Action::Next,
            b'N' => Action::AppendNext,
            b'p' => Action::Print,
            b'P' => Action::PrintFirst,
            b'=' => Action::LineNumber,
            b'z' => Action::Zap,
            b'\n' | b';' => return self.mistake("missing command"),
            _ => return self.unknown(letter),
        };
        self.end_of_command()?;
        Ok(action)
    }

    fn unknown<T>(&self, letter: u8) -> Result<T, Mistake> {
        self.mistake([b"unknown command: `", &[letter][..], b"'"].concat())
    }

    fn push(&mut self, which: Which, action: Action) {
        self.script.commands.push(Command { which, action });
    }

    /// The file that a command writes, as its number among the outputs of the script.
    fn output(&mut self) -> Result<usize, Mistake> {
        let name = self.file_name()?;
        let outputs = &mut self.script.outputs;
        Ok(match outputs.iter().position(|known| *known == name) {
            Some(number) => number,
            None => {
                outputs.push(name);
                outputs.len() - 1
            }
        })
    }

    /// Nothing more may stand behind a command.
    fn end_of_command(&mut self) -> Result<(), Mistake> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'}' | b'#') => Ok(()),
            Some(b'\n' | b';') => {
                self.at += 1;
                Ok(())
            }
            Some(b'\r') if matches!(self.text().get(self.at + 1), None | Some(b'\n')) => {
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                self.at += 1;
                self.mistake("extra characters after command")
            }
        }
    }

    fn number_behind(&mut self) -> Result<Option<usize>, Mistake> {
        self.skip_blanks();
        let number = self
            .peek()
            .filter(u8::is_ascii_digit)
            .map(|_| self.number());
        self.end_of_command()?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    fn number(&mut self) -> u64 {
        let mut value = 0u64;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = value
                .saturating_mul(10)
                .saturating_add(u64::from(digit - b'0'));
            self.at += 1;
        }
        value
    }

    /// Up to a blank or a semicolon.
    fn label(&mut self) -> Vec<u8> {
        self.skip_blanks();
        let start = self.at;
        while self
            .peek()
            .is_some_and(|byte| !is_space(byte) && byte != b';' && byte != b'}' && byte != b'#')
        {
            self.at += 1;
        }
        self.text()[start..self.at].to_vec()
    }

    fn file_name(&mut self) -> Result<Vec<u8>, Mistake> {
        if self.mode.sandbox {
            return self.mistake("e/r/w commands disabled in sandbox mode");
        }
        self.skip_blanks();
        let start = self.at;
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
        if start == self.at {
            return self.mistake("missing filename in r/R/w/W commands");
        }
        Ok(self.text()[start..self.at].to_vec())
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 11 | 12)
}

/// Whether a version is not newer than 4.9.
fn is_old(version: &[u8]) -> bool {
    let text = String::from_utf8_lossy(version);
    let mut numbers = text.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (
        numbers.next().unwrap_or(0),
        numbers.next().unwrap_or(0),
        numbers.next().unwrap_or(0),
    );
    version <= (4, 9, 0)
}
