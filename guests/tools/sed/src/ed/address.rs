//! Addresses of `ed`: numbers, marks, searches, and their sums.

use codepod_posix_regex::{Config, Regex, Syntax};

use super::{Editor, Failure};

/// What stands before a command: how many addresses, and the last two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) count: usize,
    pub(super) first: usize,
    pub(super) last: usize,
}

impl Range {
    /// The two addresses, or others where none are given.
    pub(super) fn or(self, first: usize, last: usize) -> Range {
        match self.count {
            0 => Range {
                count: 0,
                first,
                last,
            },
            _ => self,
        }
    }
}

impl Editor {
    /// Reads the addresses at the beginning of a command, and moves behind them.
    pub(super) fn range(&mut self, text: &mut &[u8]) -> Result<Range, Failure> {
        let mut found: Vec<usize> = Vec::new();
        let before = self.current;
        loop {
            blanks(text);
            let address = self.address(text)?;
            blanks(text);
            let separator = text.first().copied();
            match separator {
                Some(b',' | b';' | b'%') => {
                    *text = &text[1..];
                    let all = if separator == Some(b';') { before } else { 1 };
                    // What is left out before a comma is the first line, or the current one.
                    let value = match (address, found.is_empty()) {
                        (Some(value), _) => value,
                        (None, true) => all,
                        (None, false) => *found.last().unwrap_or(&all),
                    };
                    if separator == Some(b';') && address.is_some() {
                        self.current = value;
                    }
                    found.push(value);
                    if separator == Some(b'%') || !self.begins_address(text) {
                        // And behind it, the last line, or the same one.
                        found.push(match address {
                            Some(value) => value,
                            None => self.buffer.len(),
                        });
                        break;
                    }
                }
                _ => {
                    found.extend(address);
                    break;
                }
            }
        }
        self.current = before;
        let count = found.len();
        let last = found.last().copied().unwrap_or(before);
        let first = match count {
            0 | 1 => last,
            _ => found[count - 2],
        };
        if found.len() > 1 && first > last {
            return Err("Invalid address");
        }
        if found.iter().any(|number| *number > self.buffer.len()) {
            return Err("Invalid address");
        }
        Ok(Range { count, first, last })
    }

    fn begins_address(&self, text: &[u8]) -> bool {
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        first.is_some_and(|byte| byte.is_ascii_digit() || b".$/?'+-^,;".contains(byte))
    }

    /// One address; none if the text begins with something else.
    fn address(&mut self, text: &mut &[u8]) -> Result<Option<usize>, Failure> {
        let mut value: Option<i64> = match text.first() {
            Some(b'0'..=b'9') => Some(number(text)?),
            Some(b'.') => {
                *text = &text[1..];
                Some(self.current as i64)
            }
            Some(b'$') => {
                *text = &text[1..];
                Some(self.buffer.len() as i64)
            }
            Some(delimiter @ (b'/' | b'?')) => {
                let forward = *delimiter == b'/';
                *text = &text[1..];
                let pattern = self.pattern_until(text, if forward { b'/' } else { b'?' })?;
                Some(self.search(&pattern, forward)? as i64)
            }
            Some(b'\'') => {
                let letter = text.get(1).filter(|letter| letter.is_ascii_lowercase());
                let letter = letter.copied().ok_or("Invalid mark character")?;
                *text = &text[2..];
                Some(self.buffer.marked(letter).ok_or("Invalid address")? as i64)
            }
            _ => None,
        };
        loop {
            blanks(text);
            let sign = match text.first() {
                Some(b'+') => 1,
                Some(b'-' | b'^') => -1,
                Some(b'0'..=b'9') if value.is_some() => {
                    let more = number(text)?;
                    value = value.and_then(|value| value.checked_add(more));
                    continue;
                }
                _ => break,
            };
            *text = &text[1..];
            let amount = match text.first() {
                Some(b'0'..=b'9') => number(text)?,
                _ => 1,
            };
            value = value
                .unwrap_or(self.current as i64)
                .checked_add(sign * amount);
        }
        match value {
            None => Ok(None),
            Some(value) => usize::try_from(value)
                .ok()
                .filter(|value| *value <= self.buffer.len())
                .map(Some)
                .ok_or("Invalid address"),
        }
    }

    /// A pattern up to its delimiter, which may be left out at the end; an empty one is the last.
    pub(super) fn pattern_until(
        &mut self,
        text: &mut &[u8],
        delimiter: u8,
    ) -> Result<Vec<u8>, Failure> {
        let pattern = until(text, delimiter);
        if pattern.is_empty() {
            return self.pattern.clone().ok_or("No previous pattern");
        }
        self.pattern = Some(pattern.clone());
        Ok(pattern)
    }

    pub(super) fn regex(&self, pattern: &[u8], icase: bool) -> Result<Regex, Failure> {
        let syntax = match self.settings.extended {
            true => Syntax::EXTENDED,
            false => Syntax::BASIC,
        };
        let config = Config {
            icase,
            ..Config::new(syntax)
        };
        Regex::new(pattern, &config).map_err(codepod_posix_regex::Error::message)
    }

    fn search(&self, pattern: &[u8], forward: bool) -> Result<usize, Failure> {
        let regex = self.regex(pattern, false)?;
        let count = self.buffer.len();
        for step in 1..=count {
            // From the next line around to this one.
            let number = match forward {
                true => (self.current + step - 1) % count + 1,
                false => (self.current + 2 * count - step - 1) % count + 1,
            };
            if let Some(line) = self.buffer.line(number)
                && regex
                    .is_match(line, 0)
                    .map_err(codepod_posix_regex::Error::message)?
            {
                return Ok(number);
            }
        }
        Err("No match")
    }
}

/// Moves behind blanks.
pub(super) fn blanks(text: &mut &[u8]) {
    while let [b' ' | b'\t', rest @ ..] = text {
        *text = rest;
    }
}

/// A number, which must fit.
pub(super) fn number(text: &mut &[u8]) -> Result<i64, Failure> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = std::str::from_utf8(&text[..digits]).unwrap_or_default();
    *text = &text[digits..];
    value
        .parse::<i64>()
        .ok()
        .filter(|value| *value <= i64::from(i32::MAX))
        .ok_or("Number out of range")
}

/// The text up to a delimiter that no backslash and no bracket hides, and moves behind it.
pub(super) fn until(text: &mut &[u8], delimiter: u8) -> Vec<u8> {
    let mut out = Vec::new();
    let mut in_brackets = false;
    while let Some((byte, rest)) = text.split_first() {
        *text = rest;
        match byte {
            byte if *byte == delimiter && !in_brackets => break,
            b'\\' if !in_brackets => {
                let Some((next, rest)) = text.split_first() else {
                    out.push(b'\\');
                    break;
                };
                *text = rest;
                if *next != delimiter {
                    out.push(b'\\');
                }
                out.push(*next);
                continue;
            }
            b'[' if !in_brackets => {
                in_brackets = true;
                out.push(b'[');
                // A bracket right at the beginning is a member.
                for member in *b"^]" {
                    if text.first() == Some(&member) {
                        out.push(member);
                        *text = &text[1..];
                    }
                }
                continue;
            }
            b']' => in_brackets = false,
            _ => {}
        }
        out.push(*byte);
    }
    out
}
