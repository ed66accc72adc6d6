//! `s` of `ed`.

use codepod_posix_regex::Error;

use super::address::{Range, number, until};
use super::buffer;
use super::{Editor, Failure};

/// What `s` does, to be repeated.
#[derive(Clone)]
pub(super) struct Substitution {
    pattern: Vec<u8>,
    replacement: Vec<u8>,
    global: bool,
    /// Which match is replaced first.
    number: usize,
    icase: bool,
}

impl Editor {
    /// Reads and does `s`. Returns the letters behind it that print.
    pub(super) fn substitute(&mut self, range: Range, text: &[u8]) -> Result<Vec<u8>, Failure> {
        let range = range.or(self.current, self.current);
        let mut rest = text;
        let mut shown = Vec::new();
        let mut substitution = match rest.first() {
            // `s` alone does the last one again.
            None | Some(b'g' | b'p' | b'r' | b'0'..=b'9') => {
                let mut last = self
                    .substitution
                    .clone()
                    .ok_or("No previous substitution")?;
                while let Some(letter) = rest.first() {
                    match letter {
                        b'g' => last.global = !last.global,
                        b'p' => shown.push(b'p'),
                        b'r' => last.pattern = self.pattern.clone().ok_or("No previous pattern")?,
                        b'0'..=b'9' => {
                            last.number = usize::try_from(number(&mut rest)?).unwrap_or(1);
                            last.global = false;
                            continue;
                        }
                        _ => return Err("Invalid command suffix"),
                    }
                    rest = &rest[1..];
                }
                last
            }
            Some(b' ' | b'\n' | b'\\') => return Err("Invalid pattern delimiter"),
            Some(delimiter) => {
                let delimiter = *delimiter;
                rest = &rest[1..];
                self.read_substitution(delimiter, &mut rest, &mut shown)?
            }
        };
        substitution.number = substitution.number.max(1);
        self.substitution = Some(substitution.clone());
        self.replace_in(range, &substitution)?;
        Ok(shown)
    }

    fn read_substitution(
        &mut self,
        delimiter: u8,
        rest: &mut &[u8],
        shown: &mut Vec<u8>,
    ) -> Result<Substitution, Failure> {
        let mut behind = *rest;
        until(&mut behind, delimiter);
        let closed = rest.len() > behind.len()
            && rest.get(rest.len() - behind.len() - 1) == Some(&delimiter);
        if !closed {
            return Err("Missing pattern delimiter");
        }
        let pattern = self.pattern_until(rest, delimiter)?;
        let ended = rest.contains(&delimiter);
        let mut replacement = raw_until(rest, delimiter);
        // A backslash at the end of a line goes on with the next one.
        while !ended && replacement.ends_with(b"\\") && rest.is_empty() {
            let Some(line) = self.input.line() else {
                break;
            };
            replacement.push(b'\n');
            let mut more = line.as_slice();
            replacement.extend(raw_until(&mut more, delimiter));
            let flags = more.to_vec();
            if line.len() > flags.len() && line.contains(&delimiter) {
                return self.flags(pattern, replacement, &flags, shown);
            }
        }
        if replacement == b"%" {
            let last = self.substitution.as_ref();
            replacement = last.ok_or("No previous substitution")?.replacement.clone();
        }
        if !ended && rest.is_empty() {
            shown.push(b'p');
        }
        let flags = rest.to_vec();
        self.flags(pattern, replacement, &flags, shown)
    }

    fn flags(
        &mut self,
        pattern: Vec<u8>,
        replacement: Vec<u8>,
        flags: &[u8],
        shown: &mut Vec<u8>,
    ) -> Result<Substitution, Failure> {
        let mut substitution = Substitution {
            pattern,
            replacement,
            global: false,
            number: 1,
            icase: false,
        };
        let mut rest = flags;
        while let Some(letter) = rest.first() {
            match letter {
                b'g' => substitution.global = true,
                b'i' | b'I' => substitution.icase = true,
                b'p' | b'n' | b'l' => shown.push(*letter),
                b'0'..=b'9' => {
                    let value = number(&mut rest)?;
                    substitution.number = usize::try_from(value)
                        .ok()
                        .filter(|value| *value > 0)
                        .ok_or("Invalid command suffix")?;
                    continue;
                }
                _ => return Err("Invalid command suffix"),
            }
            rest = &rest[1..];
        }
        Ok(substitution)
    }

    fn replace_in(&mut self, range: Range, substitution: &Substitution) -> Result<(), Failure> {
        if range.first == 0 {
            return Err("Invalid address");
        }
        let regex = self.regex(&substitution.pattern, substitution.icase)?;
        let (mut at, mut last) = (range.first, range.last);
        let mut changed = None;
        let mut remembered = false;
        while at <= last {
            let Some(line) = self.buffer.line(at).cloned() else {
                break;
            };
            let text = replaced(&regex, &line, substitution).map_err(Error::message)?;
            if let Some(text) = text {
                if !std::mem::replace(&mut remembered, true) {
                    self.remember();
                }
                let lines = text.split(|byte| *byte == b'\n');
                let lines: Vec<_> = lines.map(buffer::line).collect();
                let more = lines.len() - 1;
                self.buffer.replace(at, lines);
                at += more;
                last += more;
                changed = Some(at);
            }
            at += 1;
        }
        match changed {
            Some(number) => {
                self.current = number;
                self.modified = true;
                Ok(())
            }
            None if self.in_global => Ok(()),
            None => Err("No match"),
        }
    }
}

/// The text up to a delimiter; what a backslash hides stays with it, for the replacement.
fn raw_until(text: &mut &[u8], delimiter: u8) -> Vec<u8> {
    let mut out = Vec::new();
    while let Some((byte, rest)) = text.split_first() {
        *text = rest;
        if *byte == delimiter {
            break;
        }
        out.push(*byte);
        if *byte == b'\\'
            && let Some((next, rest)) = text.split_first()
        {
            *text = rest;
            out.push(*next);
        }
    }
    out
}

/// A line with matches replaced; none if nothing matches.
fn replaced(
    regex: &codepod_posix_regex::Regex,
    line: &[u8],
    substitution: &Substitution,
) -> Result<Option<Vec<u8>>, Error> {
    let mut out = Vec::new();
    let (mut from, mut copied, mut count) = (0, 0, 0);
    let mut any = false;
    while from <= line.len() {
        let Some(spans) = regex.captures(line, from)? else {
            break;
        };
        let Some(Some((start, end))) = spans.first().copied() else {
            break;
        };
        count += 1;
        if count >= substitution.number {
            any = true;
            out.extend_from_slice(&line[copied..start]);
            put(&substitution.replacement, line, &spans, &mut out);
            copied = end;
            if !substitution.global {
                break;
            }
        }
        // An empty match does not match again at its place.
        from = match end > start {
            true => end,
            false => end + 1,
        };
        // Nor does an empty one right behind another match.
        if end > start && end == line.len() {
            break;
        }
    }
    out.extend_from_slice(&line[copied..]);
    Ok(any.then_some(out))
}

fn put(
    replacement: &[u8],
    line: &[u8],
    spans: &[Option<codepod_posix_regex::Span>],
    out: &mut Vec<u8>,
) {
    let group = |number: usize| match spans.get(number) {
        Some(Some((start, end))) => &line[*start..*end],
        _ => &[][..],
    };
    let mut bytes = replacement.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'&' => out.extend_from_slice(group(0)),
            b'\\' => match bytes.next() {
                Some(digit @ b'1'..=b'9') => {
                    out.extend_from_slice(group(usize::from(digit - b'0')));
                }
                Some(other) => out.push(*other),
                None => out.push(b'\\'),
            },
            byte => out.push(*byte),
        }
    }
}

/// The pattern of `g` and `v`, and the commands behind it.
pub(super) fn global_parts(text: &[u8]) -> Result<(u8, &[u8]), Failure> {
    match text.first() {
        None | Some(b' ' | b'\n') => Err("Invalid pattern delimiter"),
        Some(delimiter) => Ok((*delimiter, &text[1..])),
    }
}
