//! Reading a script.

use std::collections::HashMap;
use std::rc::Rc;

use codepod_posix_regex::{Config, Regex, Syntax, next_char};

use crate::command::{
    Action, Address, Command, Expression, Script, Substitution, Transliteration, When, Which,
};
use crate::escape;
use crate::replacement::Replacement;

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
        let number = self.script.commands.len();
        let addresses = usize::from(which.first.is_some()) + usize::from(which.second.is_some());
        let one_address = |parser: &Self| match addresses {
            2 => parser.mistake("command only uses one address"),
            _ => Ok(()),
        };
        if self.mode.posix {
            if b"eFvzLQTRW".contains(&letter) {
                return self.unknown(letter);
            }
            if b"ail=r".contains(&letter) {
                one_address(self)?;
            }
        }
        let action = match letter {
            b'#' => {
                if addresses > 0 {
                    return self.mistake("comments don't accept any addresses");
                }
                while self.peek().is_some_and(|byte| byte != b'\n') {
                    self.at += 1;
                }
                return Ok(());
            }
            b':' => {
                if addresses > 0 {
                    return self.mistake(": doesn't want any addresses");
                }
                let label = self.label();
                if label.is_empty() {
                    return self.mistake("\":\" lacks a label");
                }
                self.labels.insert(label, number);
                return Ok(());
            }
            b'{' => {
                self.open.push(number);
                self.push(which, Action::Block(0));
                return Ok(());
            }
            b'}' => {
                let Some(open) = self.open.pop() else {
                    return self.mistake("unexpected `}'");
                };
                if addresses > 0 {
                    return self.mistake("`}' doesn't want any addresses");
                }
                self.script.commands[open].action = Action::Block(number);
                self.end_of_command()?;
                return Ok(());
            }
            b'a' | b'i' | b'c' => {
                let text = self.lines()?;
                match letter {
                    b'a' => Action::Append(text),
                    b'i' => Action::Insert(text),
                    _ => Action::Change(text),
                }
            }
            b'b' | b't' | b'T' => {
                let label = self.label();
                self.jumps.push((number, label));
                match letter {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIfSubstituted(0),
                    _ => Action::BranchUnlessSubstituted(0),
                }
            }
            b'e' => {
                if self.mode.sandbox {
                    return self.mistake("e/r/w commands disabled in sandbox mode");
                }
                self.skip_blanks();
                match self.peek() {
                    None => Action::ExecutePattern,
                    Some(b'\n') => {
                        self.at += 1;
                        Action::ExecutePattern
                    }
                    Some(_) => Action::Execute(self.lines()?),
                }
            }
            b'r' | b'R' | b'w' | b'W' => {
                let name = self.file_name()?;
                match letter {
                    b'r' => Action::ReadFile(name),
                    b'R' => Action::ReadLine(name),
                    b'w' => Action::Write(self.output(name)),
                    _ => Action::WriteFirst(self.output(name)),
                }
            }
            b'q' | b'Q' => {
                one_address(self)?;
                let code = self.number_behind()?.unwrap_or(0);
                match letter {
                    b'q' => Action::Quit(code as i32),
                    _ => Action::QuitSilently(code as i32),
                }
            }
            b'l' => {
                let width = if self.mode.posix {
                    self.end_of_command().map(|()| None)?
                } else {
                    self.number_behind()?
                };
                Action::List(width)
            }
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
        };
        self.push(which, action);
        Ok(())
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

    fn output(&mut self, name: Vec<u8>) -> usize {
        let outputs = &mut self.script.outputs;
        match outputs.iter().position(|known| *known == name) {
            Some(number) => number,
            None => {
                outputs.push(name);
                outputs.len() - 1
            }
        }
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

    fn which(&mut self) -> Result<Which, Mistake> {
        let mut which = Which::default();
        if let Some(first) = self.address()? {
            if matches!(first, Address::More(_) | Address::Multiple(_)) {
                return self.mistake("invalid usage of +N or ~N as first address");
            }
            let is_zero = matches!(first, Address::Line(0));
            which.first = Some(first);
            self.skip_spaces();
            if self.peek() == Some(b',') {
                self.at += 1;
                self.skip_spaces();
                match self.address()? {
                    Some(Address::Step(first, _)) => which.second = Some(Address::Line(first)),
                    Some(second) => which.second = Some(second),
                    None => {
                        self.at += usize::from(self.peek().is_some());
                        return self.mistake("unexpected `,'");
                    }
                }
                self.skip_spaces();
            }
            let reads = which.second.is_none() && self.peek() == Some(b'r');
            if is_zero
                && !reads
                && (!matches!(which.second, Some(Address::Match(_))) || self.mode.posix)
            {
                self.at += usize::from(self.peek().is_some());
                return self.mistake("invalid usage of line address 0");
            }
        }
        self.skip_spaces();
        if self.peek() == Some(b'!') {
            self.at += 1;
            which.inverted = true;
            self.skip_spaces();
            if self.peek() == Some(b'!') {
                self.at += 1;
                return self.mistake("multiple `!'s");
            }
        }
        Ok(which)
    }

    fn address(&mut self) -> Result<Option<Address>, Mistake> {
        let Some(first) = self.peek() else {
            return Ok(None);
        };
        Ok(Some(match first {
            b'/' | b'\\' => {
                self.at += 1;
                let delimiter = if first == b'\\' {
                    self.take()
                } else {
                    Some(first)
                };
                let Some(delimiter) = delimiter else {
                    return self.mistake("unterminated address regex");
                };
                self.check_delimiter()?;
                let Some(text) = self.until(delimiter, true) else {
                    return self.mistake("unterminated address regex");
                };
                let (mut icase, mut lines) = (false, false);
                loop {
                    match self.peek() {
                        Some(b'I') => icase = true,
                        Some(b'M') => lines = true,
                        _ => break,
                    }
                    self.at += 1;
                }
                Address::Match(self.expression(&text, icase, lines)?)
            }
            b'$' => {
                self.at += 1;
                Address::Last
            }
            b'0'..=b'9' => {
                let first = self.number();
                self.skip_blanks();
                if self.peek() != Some(b'~') || self.mode.posix {
                    return Ok(Some(Address::Line(first)));
                }
                self.at += 1;
                self.skip_blanks();
                match self
                    .peek()
                    .filter(u8::is_ascii_digit)
                    .map(|_| self.number())
                {
                    Some(0) | None => Address::Line(first),
                    Some(step) => Address::Step(first, step),
                }
            }
            b'+' | b'~' if !self.mode.posix => {
                self.at += 1;
                self.skip_blanks();
                let number = self
                    .peek()
                    .filter(u8::is_ascii_digit)
                    .map_or(0, |_| self.number());
                if first == b'+' {
                    Address::More(number)
                } else {
                    Address::Multiple(number)
                }
            }
            _ => return Ok(None),
        }))
    }

    /// What stands up to a delimiter. The delimiter is quoted by a backslash, which is dropped; in an expression `\n` is a newline.
    ///
    /// None where there is no second delimiter.
    fn until(&mut self, delimiter: u8, is_expression: bool) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        loop {
            let byte = self.take()?;
            if byte == delimiter {
                return Some(out);
            }
            if byte == b'\n' && is_expression {
                return None;
            }
            if byte != b'\\' {
                out.push(byte);
                if byte == b'[' && is_expression {
                    self.bracket(&mut out)?;
                }
                continue;
            }
            match self.take() {
                None => return None,
                Some(next) if next == delimiter => {
                    // In the replacement `&` stays quoted.
                    if !is_expression && next == b'&' {
                        out.push(b'\\');
                    }
                    out.push(next);
                }
                Some(b'n') if is_expression => out.push(b'\n'),
                Some(next) => out.extend_from_slice(&[b'\\', next]),
            }
        }
    }

    /// What is between brackets, where the delimiter and a backslash stand for themselves.
    fn bracket(&mut self, out: &mut Vec<u8>) -> Option<()> {
        if self.peek() == Some(b'^') {
            out.extend(self.take());
        }
        if self.peek() == Some(b']') {
            out.extend(self.take());
        }
        loop {
            let byte = self.take().filter(|byte| *byte != b'\n')?;
            match (byte, self.peek()) {
                (b'\\', Some(b'n')) => {
                    self.at += 1;
                    out.push(b'\n');
                    continue;
                }
                (b'[', Some(kind @ (b':' | b'.' | b'='))) => {
                    let rest = &self.text()[self.at + 1..];
                    if let Some(length) = rest.windows(2).position(|pair| pair == [kind, b']']) {
                        let whole = self.text()[self.at - 1..self.at + length + 3].to_vec();
                        out.extend_from_slice(&whole);
                        self.at += length + 3;
                        continue;
                    }
                    self.at = self.text().len();
                    return None;
                }
                _ => {}
            }
            out.push(byte);
            if byte == b']' {
                return Some(());
            }
        }
    }

    fn expression(&self, text: &[u8], icase: bool, lines: bool) -> Result<Expression, Mistake> {
        if text.is_empty() {
            if icase || lines {
                return self.mistake("cannot specify modifiers on empty regexp");
            }
            return Ok(None);
        }
        let syntax = if self.mode.extended {
            Syntax::EXTENDED
        } else {
            Syntax::BASIC
        };
        let config = Config {
            icase,
            multiline: lines && !self.mode.null_data,
            line: (lines && self.mode.null_data).then_some(0),
            ..Config::new(syntax)
        };
        match Regex::new(&escape::expression(text, self.mode.posix), &config) {
            Ok(regex) => Ok(Some(Rc::new(regex))),
            Err(error) => self.mistake(error.message()),
        }
    }

    fn substitution(&mut self) -> Result<Action, Mistake> {
        let unterminated = "unterminated `s' command";
        let Some(delimiter) = self.take() else {
            return self.mistake(unterminated);
        };
        if delimiter == b'\n' || delimiter == b'\\' {
            return self.mistake(unterminated);
        }
        self.check_delimiter()?;
        let Some(expression) = self.until(delimiter, true) else {
            return self.mistake(unterminated);
        };
        let Some(replacement) = self.until(delimiter, false) else {
            return self.mistake(unterminated);
        };
        self.check_control(&expression)?;
        self.check_control(&replacement)?;
        let replacement = Replacement::parse(&replacement, self.mode.posix);
        let (mut icase, mut lines, mut global, mut number, mut write) =
            (false, false, false, None, None);
        let (mut print, mut execute) = (None, false);
        loop {
            match self.take() {
                None => break,
                Some(b'i' | b'I' | b'm' | b'M' | b'e') if self.mode.posix => {
                    return self.mistake("unknown option to `s'");
                }
                Some(b'i' | b'I') => icase = true,
                Some(b'm' | b'M') => lines = true,
                Some(b'e') if self.mode.sandbox => {
                    return self.mistake("e/r/w commands disabled in sandbox mode");
                }
                Some(b'e') => execute = true,
                Some(b'p') if print.is_some() => {
                    return self.mistake("multiple `p' options to `s' command");
                }
                Some(b'p') => print = Some(if execute { When::After } else { When::Before }),
                Some(b'g') if global => return self.mistake("multiple `g' options to `s' command"),
                Some(b'g') => global = true,
                Some(b'w') => {
                    let name = self.file_name()?;
                    write = Some(self.output(name));
                    break;
                }
                Some(b'0'..=b'9') if number.is_some() => {
                    return self.mistake("multiple number options to `s' command");
                }
                Some(b'0'..=b'9') => {
                    self.at -= 1;
                    let value = self.number();
                    if value == 0 {
                        return self.mistake("number option to `s' command may not be zero");
                    }
                    number = Some(value);
                }
                Some(b'}' | b'#') => {
                    self.at -= 1;
                    break;
                }
                Some(b'\n' | b';') => break,
                Some(b' ' | b'\t') => {}
                Some(b'\r') if self.at_newline() => {}
                Some(_) => return self.mistake("unknown option to `s'"),
            }
        }
        let expression = self.expression(&expression, icase, lines)?;
        if let Some(regex) = &expression
            && replacement.groups > regex.groups()
            && !self.mode.posix
        {
            let message = format!(
                "invalid reference \\{} on `s' command's RHS",
                replacement.groups
            );
            return self.mistake(message);
        }
        Ok(Action::Substitute(Box::new(Substitution {
            expression,
            replacement,
            global,
            print,
            execute,
            number: number.unwrap_or(1),
            write,
        })))
    }

    /// The delimiter that was just read may not be the start of a longer character.
    fn check_delimiter(&self) -> Result<(), Mistake> {
        if matches!(self.text()[self.at - 1], 0xc2..=0xf4) && !codepod_posix_regex::is_bytes() {
            return self.mistake("delimiter character is not a single-byte character");
        }
        Ok(())
    }

    /// `\c` may not be followed by another escape.
    fn check_control(&self, text: &[u8]) -> Result<(), Mistake> {
        let mut at = 0;
        while at < text.len() {
            if text[at] != b'\\' {
                at += 1;
                continue;
            }
            if text[at..].starts_with(b"\\c\\") && text.get(at + 3) != Some(&b'\\') {
                return self.mistake("recursive escaping after \\c not allowed");
            }
            at += 2;
        }
        Ok(())
    }

    fn transliteration(&mut self) -> Result<Action, Mistake> {
        let unterminated = "unterminated `y' command";
        let Some(delimiter) = self.take() else {
            return self.mistake(unterminated);
        };
        self.check_delimiter()?;
        let (Some(from), Some(to)) = (self.until(delimiter, false), self.until(delimiter, false))
        else {
            return self.mistake(unterminated);
        };
        let (from, to) = (self.characters(&from)?, self.characters(&to)?);
        if from.len() != to.len() {
            return self.mistake("strings for `y' command are different lengths");
        }
        self.end_of_command()?;
        let pairs = from.into_iter().zip(to);
        let pairs: Vec<(Vec<u8>, Vec<u8>)> = pairs.collect();
        if pairs
            .iter()
            .all(|(from, to)| from.len() == 1 && to.len() == 1)
        {
            let mut table = Box::new(std::array::from_fn(|byte| byte as u8));
            // The first of several wins.
            for (from, to) in pairs.iter().rev() {
                table[usize::from(from[0])] = to[0];
            }
            return Ok(Action::Transliterate(Box::new(Transliteration::Bytes(
                table,
            ))));
        }
        Ok(Action::Transliterate(Box::new(
            Transliteration::Characters(pairs),
        )))
    }

    /// The characters of one side of `y`.
    fn characters(&self, text: &[u8]) -> Result<Vec<Vec<u8>>, Mistake> {
        let mut out = Vec::new();
        let mut at = 0;
        while at < text.len() {
            if text[at] == b'\\' {
                if let Some((byte, length)) = escape::produced(&text[at..]) {
                    out.push(vec![byte]);
                    at += length;
                    continue;
                }
                match text.get(at + 1) {
                    Some(b'\\') => {
                        out.push(vec![b'\\']);
                        at += 2;
                        continue;
                    }
                    _ => {
                        out.push(vec![b'\\']);
                        at += 1;
                        continue;
                    }
                }
            }
            let next = next_char(text, at).1;
            out.push(text[at..next].to_vec());
            at = next;
        }
        Ok(out)
    }

    /// The text of `a`, `i` and `c`.
    fn lines(&mut self) -> Result<Vec<u8>, Mistake> {
        let expected = "expected \\ after `a', `c' or `i'";
        self.skip_blanks();
        match self.peek() {
            None => return self.mistake(expected),
            Some(b'\\') => {
                self.at += 1;
                self.skip_blanks();
                match self.peek() {
                    Some(b'\n') => self.at += 1,
                    None => {
                        // The text is in the next expression.
                        if self.mode.posix {
                            return self.mistake("incomplete command");
                        }
                        if self.sources[self.source - 1].ended {
                            return Ok(b"\n".to_vec());
                        }
                        if !self.next_source() {
                            return Ok(Vec::new());
                        }
                    }
                    // Blanks behind the backslash belong to the text.
                    Some(_) => {
                        while self.at > 0 && matches!(self.text()[self.at - 1], b' ' | b'\t') {
                            self.at -= 1;
                        }
                    }
                }
            }
            Some(b'\n') => return self.mistake(expected),
            Some(_) if self.mode.posix => {
                self.at += 1;
                return self.mistake(expected);
            }
            Some(_) => {}
        }
        let mut out = Vec::new();
        loop {
            match self.take() {
                None => {
                    out.push(b'\n');
                    return Ok(out);
                }
                Some(b'\n') => {
                    out.push(b'\n');
                    return Ok(out);
                }
                Some(b'\\') => match self.peek() {
                    None => {
                        // A backslash at the end of an expression: the text goes on in the next.
                        if self.next_source() {
                            out.push(b'\n');
                        }
                    }
                    Some(next) => {
                        let produced = escape::produced(&self.text()[self.at - 1..])
                            .filter(|(_, _)| next != b'n' && !out.is_empty());
                        match produced {
                            Some((byte, length)) => {
                                out.push(byte);
                                self.at += length - 1;
                            }
                            None => {
                                out.push(next);
                                self.at += 1;
                            }
                        }
                    }
                },
                Some(byte) => out.push(byte),
            }
        }
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
