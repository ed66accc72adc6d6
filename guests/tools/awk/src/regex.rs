//! Regular expressions as gawk writes them, over the engine for POSIX's.
//!
//! What awk has on its own is rewritten: escapes of strings, backslashes in brackets, `\y`, braces
//! that are no interval, stars with nothing in front.

use std::cell::OnceCell;

use codepod_posix_regex::{Config, Regex, Spans, Syntax};

/// An expression, compiled when it is first used, for each way to look at the case of letters.
#[derive(Debug)]
pub struct Re {
    source: Vec<u8>,
    exact: OnceCell<Result<Regex, String>>,
    folded: OnceCell<Result<Regex, String>>,
}

/// Start and end of a match.
pub type Span = (usize, usize);

impl Re {
    /// From the text between slashes, or from a string.
    pub fn new(source: &[u8]) -> Re {
        Re {
            source: source.to_vec(),
            exact: OnceCell::new(),
            folded: OnceCell::new(),
        }
    }

    /// The text it was made from.
    pub fn source(&self) -> &[u8] {
        &self.source
    }

    /// Whether it is an expression at all; the message of the engine where it is not.
    pub fn check(&self) -> Result<(), String> {
        self.compiled(false).map(|_| ())
    }

    fn compiled(&self, icase: bool) -> Result<&Regex, String> {
        let cell = if icase { &self.folded } else { &self.exact };
        let made = cell.get_or_init(|| {
            // Escapes in brackets are gone by then.
            let syntax = Syntax {
                bracket_escape: false,
                ..Syntax::AWK
            };
            let config = Config {
                icase,
                ..Config::new(syntax)
            };
            Regex::new(&translate(&self.source), &config)
                .map_err(|error| error.message().to_owned())
        });
        made.as_ref().map_err(Clone::clone)
    }

    /// Whether it is found anywhere.
    pub fn is_match(&self, text: &[u8], icase: bool) -> Result<bool, String> {
        self.compiled(icase)?
            .is_match(text, 0)
            .map_err(|error| error.message().to_owned())
    }

    /// The first match at or after `from`.
    pub fn find(&self, text: &[u8], from: usize, icase: bool) -> Result<Option<Span>, String> {
        self.compiled(icase)?
            .find(text, from)
            .map_err(|error| error.message().to_owned())
    }

    /// The first match at or after `from` and its groups.
    pub fn captures(&self, text: &[u8], from: usize, icase: bool) -> Result<Option<Spans>, String> {
        self.compiled(icase)?
            .captures(text, from)
            .map_err(|error| error.message().to_owned())
    }
}

/// Rewrites an expression of awk as an extended one of POSIX.
pub fn translate(source: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(source.len() + 8);
    let mut at = 0;
    // Whether a repetition here would have nothing to repeat.
    let mut fresh = true;
    while at < source.len() {
        let byte = source[at];
        match byte {
            b'\\' => {
                at += 1;
                match source.get(at) {
                    None => out.extend_from_slice(b"\\\\"),
                    Some(b'y') => {
                        out.extend_from_slice(b"\\b");
                        at += 1;
                    }
                    Some(
                        letter @ (b'B' | b'<' | b'>' | b'w' | b'W' | b's' | b'S' | b'`' | b'\''),
                    ) => {
                        out.extend([b'\\', *letter]);
                        at += 1;
                    }
                    Some(_) => {
                        let value = escape(source, &mut at);
                        literal(value, &mut out);
                    }
                }
                fresh = false;
                continue;
            }
            b'[' => {
                bracket(source, &mut at, &mut out);
                fresh = false;
                continue;
            }
            b'*' | b'+' | b'?' if fresh => {
                out.extend([b'\\', byte]);
                fresh = false;
            }
            b'{' => {
                match interval(&source[at..]) {
                    Some(length) if !fresh => {
                        out.extend_from_slice(&source[at..at + length]);
                        at += length;
                        continue;
                    }
                    _ => out.extend_from_slice(b"\\{"),
                }
                fresh = false;
            }
            b'}' => {
                out.extend_from_slice(b"\\}");
                fresh = false;
            }
            b'(' | b'|' => {
                out.push(byte);
                fresh = true;
            }
            b'^' => {
                out.push(byte);
                fresh = true;
            }
            _ => {
                out.push(byte);
                fresh = false;
            }
        }
        at += 1;
    }
    out
}

/// The byte that the escape at `at` (behind its backslash) means; moves past it.
fn escape(source: &[u8], at: &mut usize) -> u8 {
    let letter = source[*at];
    *at += 1;
    match letter {
        b'a' => 7,
        b'b' => 8,
        b'f' => 12,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'v' => 11,
        b'0'..=b'7' => {
            let mut value = u32::from(letter - b'0');
            for _ in 0..2 {
                match source.get(*at) {
                    Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                    _ => break,
                }
                *at += 1;
            }
            value as u8
        }
        b'x' => {
            let digits = source[*at..]
                .iter()
                .take(2)
                .take_while(|digit| digit.is_ascii_hexdigit())
                .count();
            let text = std::str::from_utf8(&source[*at..*at + digits]).unwrap_or("");
            *at += digits;
            u8::from_str_radix(text, 16).unwrap_or(b'x')
        }
        other => other,
    }
}

/// A byte that stands for itself.
fn literal(byte: u8, out: &mut Vec<u8>) {
    if b"\\^$.[]|()*+?{}".contains(&byte) {
        out.push(b'\\');
    }
    out.push(byte);
}

/// How long an interval at the start is; none when it is only a brace.
fn interval(rest: &[u8]) -> Option<usize> {
    let end = rest.iter().position(|byte| *byte == b'}')?;
    let inside = &rest[1..end];
    let mut parts = inside.splitn(2, |byte| *byte == b',');
    let first = parts.next()?;
    let second = parts.next();
    let digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
    let good = match second {
        None => !first.is_empty() && digits(first),
        Some(second) => digits(first) && digits(second),
    };
    good.then_some(end + 1)
}

/// A bracket expression: backslashes are escapes in it.
fn bracket(source: &[u8], at: &mut usize, out: &mut Vec<u8>) {
    let mut from = *at + 1;
    let negated = source.get(from) == Some(&b'^');
    if negated {
        from += 1;
    }
    let (mut items, mut closing, mut dash, mut caret) = (Vec::new(), false, false, false);
    let mut first = true;
    loop {
        let Some(&byte) = source.get(from) else {
            // No end: the engine says so.
            out.extend_from_slice(&source[*at..]);
            *at = source.len();
            return;
        };
        match byte {
            b']' if !first => break,
            b'[' if matches!(source.get(from + 1), Some(b':' | b'.' | b'=')) => {
                let sign = source[from + 1];
                let end = source[from + 2..]
                    .windows(2)
                    .position(|pair| pair == [sign, b']']);
                match end {
                    Some(end) => {
                        items.extend_from_slice(&source[from..from + end + 4]);
                        from += end + 4;
                    }
                    None => {
                        items.push(b'[');
                        from += 1;
                    }
                }
                first = false;
                continue;
            }
            b'\\' if from + 1 < source.len() => {
                from += 1;
                let value = escape(source, &mut from);
                let range = source.get(from) == Some(&b'-')
                    && source.get(from + 1).is_some_and(|next| *next != b']');
                match value {
                    b']' if !range => closing = true,
                    b'-' if !range => dash = true,
                    b'^' if items.is_empty() && !range => caret = true,
                    b']' | b'-' => items.extend([b'[', b'.', value, b'.', b']']),
                    value => items.push(value),
                }
                first = false;
                continue;
            }
            b']' => closing = true,
            b'-' if first || source.get(from + 1) == Some(&b']') => dash = true,
            _ => items.push(byte),
        }
        first = false;
        from += 1;
    }
    out.push(b'[');
    if negated {
        out.push(b'^');
    }
    if closing {
        out.push(b']');
    }
    if caret && !negated && !closing && items.is_empty() {
        // `[\^]`
        out.pop();
        out.extend_from_slice(if dash { b"[-^]" } else { b"\\^" });
        *at = from + 1;
        return;
    }
    out.extend_from_slice(&items);
    if caret {
        out.push(b'^');
    }
    if dash {
        out.push(b'-');
    }
    out.push(b']');
    *at = from + 1;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn awk_writes_some_things_its_own_way() {
        let same = |awk: &[u8], posix: &[u8]| assert_eq!(translate(awk), posix);
        same(b"a\\.b\\/c", b"a\\.b/c");
        same(b"[\\]a]", b"[]a]");
        same(b"[a\\-z]", b"[az-]");
        same(b"[^\\\\]", b"[^\\]");
        same(b"x{", b"x\\{");
        same(b"x{2,}y", b"x{2,}y");
        same(b"*a", b"\\*a");
        same(b"\\yfoo\\y", b"\\bfoo\\b");
        same(b"\\052", b"\\*");
    }
}
