//! Reading an expression, by glibc's rules.

use crate::Error;
use crate::ast::{Anchor, Ast, Id, Node};
use crate::chars;
use crate::class::{Class, Named};
use crate::syntax::{Config, Leading, Syntax};

/// `RE_DUP_MAX`: the highest number in an interval.
const MOST: u32 = 0x7fff;
/// How deep groups may nest.
const DEEPEST: u32 = 250;
/// How many repetitions may follow one another.
const STACKED: u32 = 100;

/// Reads expressions: what any of them matches.
pub(crate) fn parse(patterns: &[&[u8]], config: &Config) -> Result<Ast, Error> {
    let mut ast = Ast::default();
    let mut all = Vec::with_capacity(patterns.len());
    for pattern in patterns {
        let base = ast.groups as u32;
        let mut parser = Parser {
            text: pattern,
            at: 0,
            syntax: config.syntax,
            config,
            ast,
            ended: Vec::new(),
            depth: 0,
            base,
            fresh: true,
            literal_brace: None,
        };
        let root = parser.alternatives()?;
        all.push(root);
        ast = parser.ast;
    }
    join(ast, &all, config)
}

/// Literal texts: what any of them matches.
pub(crate) fn literals(texts: &[&[u8]], config: &Config) -> Result<Ast, Error> {
    let mut ast = Ast::default();
    let mut all = Vec::with_capacity(texts.len());
    for text in texts {
        let mut at = 0;
        let mut parts = Vec::new();
        while at < text.len() {
            let (code, next) = chars::next(text, at);
            ast.nodes.push(Node::Char(if config.icase {
                chars::upper(code)
            } else {
                code
            }));
            parts.push(ast.nodes.len() as Id - 1);
            at = next;
        }
        ast.nodes.push(Node::Concat(parts));
        all.push(ast.nodes.len() as Id - 1);
    }
    join(ast, &all, config)
}

/// Any of several, with the edges that the configuration asks for.
fn join(mut ast: Ast, all: &[Id], config: &Config) -> Result<Ast, Error> {
    let mut add = |node: Node| {
        ast.nodes.push(node);
        ast.nodes.len() as Id - 1
    };
    let mut root = match all.split_first() {
        Some((first, rest)) => rest
            .iter()
            .fold(*first, |left, right| add(Node::Alt(left, *right))),
        None => add(Node::Empty),
    };
    let edges = match (config.whole, config.word) {
        (true, _) => Some((start_anchor(config), end_anchor(config))),
        (_, true) => Some((Anchor::NotInWordBefore, Anchor::NotInWordAfter)),
        _ => None,
    };
    if let Some((before, after)) = edges {
        let parts = vec![add(Node::Anchor(before)), root, add(Node::Anchor(after))];
        root = add(Node::Concat(parts));
    }
    ast.root = root;
    Ok(ast)
}

fn start_anchor(config: &Config) -> Anchor {
    if config.multiline {
        Anchor::LineStart
    } else {
        Anchor::Start
    }
}

fn end_anchor(config: &Config) -> Anchor {
    if config.multiline {
        Anchor::LineEnd
    } else {
        Anchor::End
    }
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    syntax: Syntax,
    config: &'t Config,
    ast: Ast,
    /// Groups that have ended, which back references may mean.
    ended: Vec<u32>,
    depth: u32,
    /// How many groups were there before this expression.
    base: u32,
    /// Whether `^` is an anchor here in the basic dialect.
    fresh: bool,
    /// Where a brace was found to start no interval.
    literal_brace: Option<usize>,
}

/// An operator or what stands for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Open,
    Close,
    Alternative,
    /// `*`, `+`, `?`: at least, at most.
    Repeat(u32, Option<u32>),
    Interval,
    /// Anything else, of no interest here.
    Other,
}

impl Parser<'_> {
    fn add(&mut self, node: Node) -> Id {
        self.ast.nodes.push(node);
        (self.ast.nodes.len() - 1) as Id
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// What stands at a place and how long it is; none at the end.
    fn token(&self, at: usize) -> Option<(Token, usize)> {
        let byte = *self.text.get(at)?;
        let (byte, quoted) = match (byte, self.text.get(at + 1)) {
            (b'\\', Some(next)) => (*next, true),
            _ => (byte, false),
        };
        let length = 1 + usize::from(quoted);
        let operator = quoted != self.syntax.extended;
        let token = match byte {
            b'(' if operator => Token::Open,
            b')' if operator => Token::Close,
            b'|' if operator => Token::Alternative,
            b'{' if operator && self.syntax.intervals && self.literal_brace != Some(at) => {
                Token::Interval
            }
            b'*' if !quoted => Token::Repeat(0, None),
            b'+' if operator != self.syntax.emacs => Token::Repeat(1, None),
            b'?' if operator != self.syntax.emacs => Token::Repeat(0, Some(1)),
            _ => Token::Other,
        };
        Some((token, length))
    }

    /// The next character, in upper case where case does not matter.
    fn take(&mut self) -> u32 {
        let (code, next) = chars::next(self.text, self.at);
        self.at = next;
        self.fold(code)
    }

    fn fold(&self, code: u32) -> u32 {
        if self.config.icase {
            chars::upper(code)
        } else {
            code
        }
    }

    /// Whether what comes ends a branch.
    fn at_end(&self) -> bool {
        match self.token(self.at) {
            None | Some((Token::Alternative, _)) => true,
            Some((Token::Close, _)) => self.depth > 0 || !self.syntax.loose_parenthesis,
            Some(_) => false,
        }
    }

    fn alternatives(&mut self) -> Result<Id, Error> {
        let mut left = self.branch()?;
        while let Some((Token::Alternative, length)) = self.token(self.at) {
            self.at += length;
            let right = self.branch()?;
            left = self.add(Node::Alt(left, right));
        }
        if self.depth == 0 && self.at < self.text.len() {
            return Err(Error::Unopened);
        }
        Ok(left)
    }

    fn branch(&mut self) -> Result<Id, Error> {
        self.fresh = true;
        let mut parts = Vec::new();
        while !self.at_end() {
            let part = self.expression()?;
            if self.ast.nodes[part as usize] != Node::Empty {
                parts.push(part);
            }
        }
        Ok(match parts[..] {
            [] => self.add(Node::Empty),
            [only] => only,
            _ => self.add(Node::Concat(parts)),
        })
    }

    fn expression(&mut self) -> Result<Id, Error> {
        let Some((token, length)) = self.token(self.at) else {
            return Ok(self.add(Node::Empty));
        };
        let fresh = std::mem::replace(&mut self.fresh, false);
        let node = match token {
            Token::Open => self.group(length)?,
            Token::Repeat(..) => match self.leading(length)? {
                Some(node) => node,
                None => return Ok(self.add(Node::Empty)),
            },
            Token::Interval => match self.leading_interval(length)? {
                Some(node) => node,
                None => return Ok(self.add(Node::Empty)),
            },
            Token::Close | Token::Alternative | Token::Other => match self.text[self.at] {
                b'^' if self.syntax.extended || fresh => {
                    let anchor = self.anchor(1, start_anchor(self.config));
                    // A star behind an anchor has nothing to repeat.
                    self.fresh = fresh && !self.syntax.extended;
                    return Ok(anchor);
                }
                b'$' if self.is_end_anchor() => {
                    return Ok(self.anchor(1, end_anchor(self.config)));
                }
                b'[' => self.bracket()?,
                b'.' => {
                    self.at += 1;
                    self.dot()
                }
                b'\\' => match self.escape()? {
                    (node, true) => return Ok(node),
                    (node, false) => node,
                },
                _ => {
                    let code = self.take();
                    self.add(Node::Char(code))
                }
            },
        };
        self.repeated(node)
    }

    /// What stands behind a part and repeats it.
    fn repeated(&mut self, mut node: Id) -> Result<Id, Error> {
        let mut stacked = 0;
        loop {
            let (least, most) = match self.token(self.at) {
                Some((Token::Repeat(least, most), length)) => {
                    self.at += length;
                    (least, most)
                }
                Some((Token::Interval, length)) => match self.interval(length)? {
                    Some(counts) => counts,
                    // Empty braces behind something are a mistake even where other braces stand for
                    // themselves.
                    None if self.text[self.at..].starts_with(b"{}") => return Err(Error::Interval),
                    None => return Ok(node),
                },
                _ => return Ok(node),
            };
            let repeated = self.repeat(node, least, most);
            stacked += u32::from(repeated != node);
            if stacked > STACKED {
                return Err(Error::Space);
            }
            node = repeated;
            if self.forbids_stacking()
                && matches!(
                    self.token(self.at),
                    Some((Token::Repeat(0, None) | Token::Interval, _))
                )
            {
                return Err(Error::Repetition);
            }
        }
    }

    /// Whether `*` and `\{` may not stand behind another repetition.
    fn forbids_stacking(&self) -> bool {
        self.syntax.strict_interval && !self.syntax.extended
    }

    /// Where `$` is an anchor: everywhere in the extended dialect, else where a branch ends.
    fn is_end_anchor(&self) -> bool {
        self.syntax.extended
            || matches!(
                self.token(self.at + 1),
                None | Some((Token::Close | Token::Alternative, _))
            )
    }

    fn dot(&mut self) -> Id {
        if self.config.multiline {
            let mut class = Class::default();
            class.finish(true);
            class.remove(b'\n');
            return self.class(class);
        }
        self.add(Node::Any)
    }

    /// An operator that has nothing to repeat; none where it is skipped.
    fn leading(&mut self, length: usize) -> Result<Option<Id>, Error> {
        match self.syntax.leading {
            Leading::Error => Err(Error::Repetition),
            Leading::Skipped => {
                let text = match self.text[self.at] {
                    b'*' => "* at start of expression",
                    b'+' => "+ at start of expression",
                    _ => "? at start of expression",
                };
                self.ast.misplaced.push(text);
                self.at += length;
                self.fresh = true;
                Ok(None)
            }
            Leading::Literal => {
                self.at += length - 1;
                let code = self.take();
                Ok(Some(self.add(Node::Char(code))))
            }
        }
    }

    /// An interval that has nothing to repeat; none where it is skipped.
    fn leading_interval(&mut self, length: usize) -> Result<Option<Id>, Error> {
        if self.syntax.strict_interval {
            return Err(Error::Repetition);
        }
        if self.syntax.leading == Leading::Skipped && self.interval(length)?.is_some() {
            self.ast.misplaced.push("{...} at start of expression");
            self.fresh = true;
            return Ok(None);
        }
        self.at += length - 1;
        let code = self.take();
        Ok(Some(self.add(Node::Char(code))))
    }

    fn repeat(&mut self, node: Id, least: u32, most: Option<u32>) -> Id {
        match (&self.ast.nodes[node as usize], least, most) {
            // Repeating what is repeated at will adds nothing.
            (Node::Empty, ..) | (_, 1, Some(1)) => node,
            (Node::Repeat(_, 0, None), 0, None | Some(1)) | (Node::Repeat(_, 0, None), 1, None) => {
                node
            }
            (_, _, Some(0)) => self.add(Node::Empty),
            _ => self.add(Node::Repeat(node, least, most)),
        }
    }

    fn anchor(&mut self, length: usize, anchor: Anchor) -> Id {
        self.at += length;
        self.add(Node::Anchor(anchor))
    }

    fn group(&mut self, length: usize) -> Result<Id, Error> {
        self.at += length;
        self.ast.groups += 1;
        let number = self.ast.groups as u32;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::Space);
        }
        let inside = self.alternatives()?;
        self.depth -= 1;
        match self.token(self.at) {
            Some((Token::Close, length)) => self.at += length,
            _ => return Err(Error::Parenthesis),
        }
        self.ended.push(number);
        self.fresh = false;
        Ok(self.add(Node::Group(number, inside)))
    }

    /// What a backslash makes; true for an anchor, which cannot be repeated.
    fn escape(&mut self) -> Result<(Id, bool), Error> {
        let Some(&letter) = self.text.get(self.at + 1) else {
            return Err(Error::Escape);
        };
        let anchor = match letter {
            b'1'..=b'9' if self.syntax.references => {
                let number = u32::from(letter - b'0') + self.base;
                if !self.ended.contains(&number) {
                    return Err(Error::Reference);
                }
                self.at += 2;
                self.ast.references = true;
                return Ok((self.add(Node::Reference(number)), false));
            }
            b'w' | b'W' | b's' | b'S' if self.syntax.gnu => {
                self.at += 2;
                let mut class = Class::escape(letter);
                if self.config.multiline && letter.is_ascii_uppercase() {
                    class.remove(b'\n');
                }
                return Ok((self.class(class), false));
            }
            b'b' if self.syntax.gnu => Anchor::Boundary,
            b'B' if self.syntax.gnu => Anchor::NoBoundary,
            b'<' if self.syntax.gnu => Anchor::WordStart,
            b'>' if self.syntax.gnu => Anchor::WordEnd,
            b'`' if self.syntax.gnu => Anchor::Start,
            b'\'' if self.syntax.gnu => Anchor::End,
            _ => {
                self.at += 1;
                let code = self.take();
                return Ok((self.add(Node::Char(code)), false));
            }
        };
        Ok((self.anchor(2, anchor), true))
    }

    fn class(&mut self, class: Class) -> Id {
        self.ast.classes.push(class);
        let number = self.ast.classes.len() as u32 - 1;
        self.add(Node::Class(number))
    }

    /// `{m}`, `{m,}`, `{,n}`, `{m,n}`, with backslashes in the basic dialect. None, with nothing
    /// taken, where it is none and need not be.
    fn interval(&mut self, length: usize) -> Result<Option<(u32, Option<u32>)>, Error> {
        let start = self.at;
        self.at += length;
        match self.counts() {
            Ok((least, most)) => {
                if most.is_some_and(|most| most < least) {
                    return Err(Error::Interval);
                }
                if most.unwrap_or(least).max(least) > MOST {
                    return Err(Error::Size);
                }
                Ok(Some((least, most)))
            }
            Err(_) if self.syntax.loose_interval => {
                self.at = start;
                self.literal_brace = Some(start);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn counts(&mut self) -> Result<(u32, Option<u32>), Error> {
        let least = self.number();
        let (least, most) = match self.peek() {
            Some(b',') => {
                self.at += 1;
                (least.unwrap_or(0), self.number())
            }
            Some(_) => match least {
                Some(least) => (least, Some(least)),
                None => return Err(Error::Interval),
            },
            None => return Err(Error::Brace),
        };
        if !self.syntax.extended {
            match self.peek() {
                Some(b'\\') => self.at += 1,
                Some(_) => return Err(Error::Interval),
                None => return Err(Error::Brace),
            }
        }
        match self.peek() {
            Some(b'}') => self.at += 1,
            Some(_) => return Err(Error::Interval),
            None => return Err(Error::Brace),
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Option<u32> {
        let start = self.at;
        let mut value = 0;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = (value * 10 + u32::from(digit - b'0')).min(MOST + 1);
            self.at += 1;
        }
        (self.at > start).then_some(value)
    }

    fn bracket(&mut self) -> Result<Id, Error> {
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
        if self.at >= self.text.len() {
            return Err(Error::Pattern);
        }
        let mut class = Class::default();
        let mut first = true;
        loop {
            if self.peek() == Some(b']') && !first {
                self.at += 1;
                break;
            }
            self.bracket_part(&mut class, first)?;
            first = false;
        }
        class.finish(negated);
        if negated && self.config.multiline {
            class.remove(b'\n');
        }
        Ok(self.class(class))
    }

    /// A character, a class or a range.
    fn bracket_part(&mut self, class: &mut Class, first: bool) -> Result<(), Error> {
        // A hyphen is one only at the start, at the end, and where a range ends.
        if self.peek() == Some(b'-') && !first && self.text.get(self.at + 1) != Some(&b']') {
            return Err(if self.at + 1 < self.text.len() {
                Error::Range
            } else {
                Error::Bracket
            });
        }
        let Some(start) = self.element(class)? else {
            return Ok(());
        };
        let after = self.text.get(self.at + 1);
        if self.peek() != Some(b'-') || after == Some(&b']') {
            self.add_range(class, start, start);
            return Ok(());
        }
        self.at += 1;
        let mut named = Class::default();
        let Some(end) = self.element(&mut named)? else {
            return Err(Error::Range);
        };
        if end < start {
            return Err(Error::Range);
        }
        self.add_range(class, start, end);
        Ok(())
    }

    /// Adds a range. Without case its ends are folded one by one, ASCII letters all. A byte that is
    /// no character is in no class.
    fn add_range(&self, class: &mut Class, start: u32, end: u32) {
        if chars::char(start).is_none() {
            return;
        }
        if !self.config.icase {
            class.add_range(start, end);
            return;
        }
        // The upper case of each; far ranges are taken as they are, with both ends folded.
        for code in start..=end.min(start.saturating_add(0x3000)) {
            let code = self.fold(code);
            class.add_range(code, code);
        }
        if end > start.saturating_add(0x3000) {
            class.add_range(start, end);
        }
    }

    /// One character, not folded; none for a named class, which is added.
    fn element(&mut self, class: &mut Class) -> Result<Option<u32>, Error> {
        let kind = self.text.get(self.at + 1).copied();
        if let (Some(b'['), Some(kind @ (b':' | b'.' | b'='))) = (self.peek(), kind) {
            return self.bracket_symbol(kind, class);
        }
        if self.syntax.bracket_escape && self.peek() == Some(b'\\') && kind.is_some() {
            self.at += 1;
        }
        if self.at >= self.text.len() {
            return Err(Error::Bracket);
        }
        let (code, next) = chars::next(self.text, self.at);
        self.at = next;
        Ok(Some(code))
    }

    /// `[:name:]`, `[.x.]`, `[=x=]`
    fn bracket_symbol(&mut self, kind: u8, class: &mut Class) -> Result<Option<u32>, Error> {
        let rest = &self.text[self.at + 2..];
        let Some(length) = rest.windows(2).position(|pair| pair == [kind, b']']) else {
            return Err(Error::Bracket);
        };
        let name = &rest[..length];
        self.at += length + 4;
        if kind == b':' {
            let Some(mut named) = Named::parse(name) else {
                return Err(Error::Class);
            };
            if self.config.icase && matches!(named, Named::Upper | Named::Lower) {
                named = Named::Alpha;
            }
            class.add_named(named);
            return Ok(None);
        }
        if name.is_empty() || chars::next(name, 0).1 != name.len() {
            return Err(Error::Collation);
        }
        let code = chars::next(name, 0).0;
        if kind == b'=' {
            self.add_range(class, code, code);
            return Ok(None);
        }
        Ok(Some(code))
    }
}
