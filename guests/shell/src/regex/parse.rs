//! Reading an expression, by glibc's rules for POSIX extended syntax.

use super::Error;
use super::ast::{Anchor, Ast, Id, Node};
use super::class::{Class, Named};
use crate::pattern::chars;

/// `RE_DUP_MAX`: the highest number in an interval.
const MOST: u32 = 0x7fff;
/// How deep groups may nest.
const DEEPEST: u32 = 1000;
/// How many repetitions may follow one another.
const STACKED: u32 = 100;

/// Reads an expression.
pub(super) fn parse(pattern: &[u8], icase: bool) -> Result<Ast, Error> {
    let mut parser = Parser {
        text: pattern,
        at: 0,
        icase,
        ast: Ast::default(),
        ended: Vec::new(),
        depth: 0,
    };
    let root = parser.alternatives()?;
    // Outside of groups `)` stands for itself, so all was read.
    parser.ast.root = root;
    Ok(parser.ast)
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    icase: bool,
    ast: Ast,
    /// Groups that have ended, which back references may mean.
    ended: Vec<u32>,
    depth: u32,
}

impl Parser<'_> {
    fn add(&mut self, node: Node) -> Id {
        self.ast.nodes.push(node);
        (self.ast.nodes.len() - 1) as Id
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    /// The next character, in upper case where case does not matter.
    fn take(&mut self) -> u32 {
        let (code, next) = chars::next(self.text, self.at);
        self.at = next;
        self.fold(code)
    }

    fn fold(&self, code: u32) -> u32 {
        if self.icase { chars::upper(code) } else { code }
    }

    /// Whether what comes ends a branch.
    fn at_end(&self) -> bool {
        match self.peek() {
            None | Some(b'|') => true,
            Some(b')') => self.depth > 0,
            Some(_) => false,
        }
    }

    fn alternatives(&mut self) -> Result<Id, Error> {
        let mut left = self.branch()?;
        while self.peek() == Some(b'|') {
            self.at += 1;
            let right = self.branch()?;
            left = self.add(Node::Alt(left, right));
        }
        Ok(left)
    }

    fn branch(&mut self) -> Result<Id, Error> {
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
        let first = self.text[self.at];
        let mut node = match first {
            b'*' | b'+' | b'?' | b'{' => return Err(Error::Repetition),
            b'^' => return Ok(self.anchor(1, Anchor::Start)),
            b'$' => return Ok(self.anchor(1, Anchor::End)),
            b'(' => self.group()?,
            b'[' => self.bracket()?,
            b'.' => {
                self.at += 1;
                self.add(Node::Any)
            }
            b'\\' => match self.escape()? {
                (node, true) => return Ok(node),
                (node, false) => node,
            },
            _ => {
                let code = self.take();
                self.add(Node::Char(code))
            }
        };
        let mut stacked = 0;
        loop {
            let (least, most) = match self.peek() {
                Some(b'*') => self.simple(0, None),
                Some(b'+') => self.simple(1, None),
                Some(b'?') => self.simple(0, Some(1)),
                Some(b'{') => self.interval()?,
                _ => return Ok(node),
            };
            let repeated = self.repeat(node, least, most);
            stacked += u32::from(repeated != node);
            if stacked > STACKED {
                return Err(Error::Space);
            }
            node = repeated;
        }
    }

    fn simple(&mut self, least: u32, most: Option<u32>) -> (u32, Option<u32>) {
        self.at += 1;
        (least, most)
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

    fn group(&mut self) -> Result<Id, Error> {
        self.at += 1;
        self.ast.groups += 1;
        let number = self.ast.groups as u32;
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Error::Space);
        }
        let inside = self.alternatives()?;
        self.depth -= 1;
        if self.peek() != Some(b')') {
            return Err(Error::Parenthesis);
        }
        self.at += 1;
        self.ended.push(number);
        Ok(self.add(Node::Group(number, inside)))
    }

    /// What a backslash makes; true for an anchor, which cannot be repeated.
    fn escape(&mut self) -> Result<(Id, bool), Error> {
        let Some(&letter) = self.text.get(self.at + 1) else {
            return Err(Error::Escape);
        };
        let anchor = match letter {
            b'b' => Anchor::Boundary,
            b'B' => Anchor::NoBoundary,
            b'<' => Anchor::WordStart,
            b'>' => Anchor::WordEnd,
            b'`' => Anchor::Start,
            b'\'' => Anchor::End,
            b'w' | b'W' | b's' | b'S' => {
                self.at += 2;
                return Ok((self.class(Class::escape(letter)), false));
            }
            b'1'..=b'9' => {
                let number = u32::from(letter - b'0');
                if !self.ended.contains(&number) {
                    return Err(Error::Reference);
                }
                self.at += 2;
                self.ast.references = true;
                return Ok((self.add(Node::Reference(number)), false));
            }
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

    /// `{m}`, `{m,}`, `{,n}`, `{m,n}`
    fn interval(&mut self) -> Result<(u32, Option<u32>), Error> {
        self.at += 1;
        let least = self.number()?;
        let (least, most) = match self.peek() {
            Some(b'}') => match least {
                Some(least) => (least, Some(least)),
                None => return Err(Error::Interval),
            },
            Some(b',') => {
                self.at += 1;
                (least.unwrap_or(0), self.number()?)
            }
            None => return Err(Error::Brace),
            Some(_) => return Err(Error::Interval),
        };
        match self.peek() {
            Some(b'}') => self.at += 1,
            None => return Err(Error::Brace),
            Some(_) => return Err(Error::Interval),
        }
        if most.is_some_and(|most| most < least) {
            return Err(Error::Interval);
        }
        if most.unwrap_or(least) > MOST {
            return Err(Error::Size);
        }
        Ok((least, most))
    }

    fn number(&mut self) -> Result<Option<u32>, Error> {
        let start = self.at;
        let mut value = 0;
        while let Some(digit) = self.peek().filter(u8::is_ascii_digit) {
            value = (value * 10 + u32::from(digit - b'0')).min(MOST + 1);
            self.at += 1;
        }
        Ok((self.at > start).then_some(value))
    }

    fn bracket(&mut self) -> Result<Id, Error> {
        self.at += 1;
        let negated = self.peek() == Some(b'^');
        self.at += usize::from(negated);
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
            class.add_range(start, start);
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
        class.add_range(start, end);
        Ok(())
    }

    /// One character; none for a named class, which is added.
    fn element(&mut self, class: &mut Class) -> Result<Option<u32>, Error> {
        let kind = self.text.get(self.at + 1).copied();
        if let (Some(b'['), Some(kind @ (b':' | b'.' | b'='))) = (self.peek(), kind) {
            return self.bracket_symbol(kind, class);
        }
        if self.at >= self.text.len() {
            return Err(Error::Bracket);
        }
        Ok(Some(self.take()))
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
            let mut named = match Named::parse(name) {
                None | Some(Named::Word | Named::Ascii) => return Err(Error::Class),
                Some(named) => named,
            };
            if self.icase && matches!(named, Named::Upper | Named::Lower) {
                named = Named::Alpha;
            }
            class.add_named(named);
            return Ok(None);
        }
        if name.is_empty() || chars::next(name, 0).1 != name.len() {
            return Err(Error::Collation);
        }
        let code = self.fold(chars::next(name, 0).0);
        if kind == b'=' {
            class.add_range(code, code);
            return Ok(None);
        }
        Ok(Some(code))
    }
}
