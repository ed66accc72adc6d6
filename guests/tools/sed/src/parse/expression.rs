//! Regular expressions, and what else stands between delimiters.

use std::rc::Rc;

use codepod_posix_regex::{Config, Regex, Syntax};

use super::{Mistake, Parser};
use crate::command::Expression;
use crate::escape;

impl Parser<'_> {
    /// The delimiter that was just read may not be the start of a longer character.
    pub(super) fn check_delimiter(&self) -> Result<(), Mistake> {
        if matches!(self.text()[self.at - 1], 0xc2..=0xf4) && !codepod_posix_regex::is_bytes() {
            return self.mistake("delimiter character is not a single-byte character");
        }
        Ok(())
    }

    /// `\c` may not be followed by another escape.
    pub(super) fn check_control(&self, text: &[u8]) -> Result<(), Mistake> {
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

    /// What stands up to a delimiter. The delimiter is quoted by a backslash, which is dropped;
    /// in an expression `\n` is a newline.
    ///
    /// None where there is no second delimiter.
    pub(super) fn until(&mut self, delimiter: u8, is_expression: bool) -> Option<Vec<u8>> {
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

    /// Compiles an expression; none for an empty one, which stands for the last that was used.
    pub(super) fn expression(
        &self,
        text: &[u8],
        icase: bool,
        lines: bool,
    ) -> Result<Expression, Mistake> {
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
}
