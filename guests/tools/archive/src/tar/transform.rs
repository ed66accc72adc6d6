//! `--transform`: names changed by sed's `s` command.

use posix_regex::{Config, Regex, Syntax};

/// To what an expression applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// Names of members.
    Name,
    /// Where symbolic links lead.
    Symlink,
    /// Where hard links lead.
    Link,
}

/// One `s` command.
#[derive(Debug)]
struct Rule {
    regex: Regex,
    replacement: Vec<Piece>,
    global: bool,
    /// From which match on.
    from: usize,
    names: bool,
    symlinks: bool,
    links: bool,
}

#[derive(Debug, Clone)]
enum Piece {
    Text(Vec<u8>),
    Group(usize),
    Case(u8),
}

/// The `s` commands in their order.
#[derive(Debug, Default)]
pub(crate) struct Transform {
    rules: Vec<Rule>,
}

impl Transform {
    /// Adds the commands of an argument. Fails with a message.
    pub(crate) fn add(&mut self, text: &[u8]) -> Result<(), String> {
        let mut rest = text;
        while !rest.is_empty() {
            rest = self.add_one(rest)?;
        }
        Ok(())
    }

    fn add_one<'a>(&mut self, text: &'a [u8]) -> Result<&'a [u8], String> {
        let invalid = || "Invalid transform expression".to_owned();
        let (b's', delimiter) = (
            *text.first().ok_or_else(invalid)?,
            *text.get(1).ok_or_else(invalid)?,
        ) else {
            return Err(invalid());
        };
        let (pattern, rest) = until(&text[2..], delimiter).ok_or_else(invalid)?;
        let (replacement, rest) = until(rest, delimiter).ok_or_else(invalid)?;
        let mut rule = (false, 1usize, true, true, true);
        let (mut extended, mut ignore_case) = (false, false);
        let mut at = 0;
        while at < rest.len() && rest[at] != b';' {
            match rest[at] {
                b'g' => rule.0 = true,
                b'i' | b'I' => ignore_case = true,
                b'x' => extended = true,
                b'r' => rule.2 = true,
                b'R' => rule.2 = false,
                b's' => rule.3 = true,
                b'S' => rule.3 = false,
                b'h' => rule.4 = true,
                b'H' => rule.4 = false,
                b'0'..=b'9' => {
                    let mut number = 0usize;
                    while at < rest.len() && rest[at].is_ascii_digit() {
                        number = number
                            .saturating_mul(10)
                            .saturating_add((rest[at] - b'0').into());
                        at += 1;
                    }
                    rule.1 = number.max(1);
                    continue;
                }
                other => {
                    return Err(format!(
                        "Unknown flag in transform expression: {}",
                        char::from(other)
                    ));
                }
            }
            at += 1;
        }
        let syntax = if extended {
            Syntax::EXTENDED
        } else {
            Syntax::BASIC
        };
        let config = Config {
            icase: ignore_case,
            ..Config::new(syntax)
        };
        let regex = Regex::new(&pattern, &config)
            .map_err(|error| format!("Invalid transform expression: {}", error.message()))?;
        self.rules.push(Rule {
            regex,
            replacement: pieces(&replacement),
            global: rule.0,
            from: rule.1,
            names: rule.2,
            symlinks: rule.3,
            links: rule.4,
        });
        Ok(rest.get(at + 1..).unwrap_or_default())
    }

    /// The changed name.
    pub(crate) fn apply(&self, name: &[u8], to: Use) -> Vec<u8> {
        let mut name = name.to_vec();
        for rule in &self.rules {
            let applies = match to {
                Use::Name => rule.names,
                Use::Symlink => rule.symlinks,
                Use::Link => rule.links,
            };
            if applies {
                name = rule.apply(&name);
            }
        }
        name
    }
}

impl Rule {
    fn apply(&self, name: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut at = 0;
        let mut count = 0;
        while at <= name.len() {
            let Ok(Some(spans)) = self.regex.captures(name, at) else {
                break;
            };
            let Some((start, end)) = spans.first().copied().flatten() else {
                break;
            };
            out.extend_from_slice(&name[at..start]);
            count += 1;
            if count >= self.from {
                self.put(name, &spans, &mut out);
            } else {
                out.extend_from_slice(&name[start..end]);
            }
            at = end;
            if start == end {
                if at < name.len() {
                    out.push(name[at]);
                }
                at += 1;
            }
            if count >= self.from && !self.global {
                break;
            }
        }
        out.extend_from_slice(name.get(at..).unwrap_or_default());
        out
    }

    fn put(&self, name: &[u8], spans: &posix_regex::Spans, out: &mut Vec<u8>) {
        // The case until `\E`, and the case of the next character alone.
        let (mut lasting, mut once) = (b'E', 0u8);
        let mut add = |text: &[u8], lasting: u8, once: &mut u8| {
            for byte in text {
                let upper = lasting == b'U';
                out.push(match (std::mem::take(once), lasting) {
                    (b'u', _) => byte.to_ascii_uppercase(),
                    (b'l', _) => byte.to_ascii_lowercase(),
                    (_, b'U' | b'L') if upper => byte.to_ascii_uppercase(),
                    (_, b'L') => byte.to_ascii_lowercase(),
                    _ => *byte,
                });
            }
        };
        for piece in &self.replacement {
            match piece {
                Piece::Text(text) => add(text, lasting, &mut once),
                Piece::Group(group) => {
                    if let Some(Some((start, end))) = spans.get(*group) {
                        add(&name[*start..*end], lasting, &mut once);
                    }
                }
                Piece::Case(letter @ (b'u' | b'l')) => once = *letter,
                Piece::Case(letter) => lasting = *letter,
            }
        }
    }
}

/// Text up to a delimiter, which a backslash takes its meaning from, and what follows.
fn until(text: &[u8], delimiter: u8) -> Option<(Vec<u8>, &[u8])> {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match *text.get(at)? {
            b'\\' if text.get(at + 1) == Some(&delimiter) => {
                out.push(delimiter);
                at += 2;
            }
            b'\\' => {
                out.push(b'\\');
                out.push(*text.get(at + 1)?);
                at += 2;
            }
            byte if byte == delimiter => return Some((out, &text[at + 1..])),
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

fn pieces(text: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut plain = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let special = match (text[at], text.get(at + 1)) {
            (b'&', _) => Some((Piece::Group(0), 1)),
            (b'\\', Some(digit @ b'0'..=b'9')) => Some((Piece::Group((digit - b'0').into()), 2)),
            (b'\\', Some(letter @ (b'U' | b'L' | b'E' | b'u' | b'l'))) => {
                Some((Piece::Case(*letter), 2))
            }
            (b'\\', Some(byte)) => {
                plain.push(match byte {
                    b'n' => b'\n',
                    b't' => b'\t',
                    other => *other,
                });
                at += 2;
                continue;
            }
            _ => None,
        };
        match special {
            Some((piece, width)) => {
                pieces.push(Piece::Text(std::mem::take(&mut plain)));
                pieces.push(piece);
                at += width;
            }
            None => {
                plain.push(text[at]);
                at += 1;
            }
        }
    }
    pieces.push(Piece::Text(plain));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(rule: &str, name: &str) -> String {
        let mut transform = Transform::default();
        transform.add(rule.as_bytes()).unwrap();
        String::from_utf8(transform.apply(name.as_bytes(), Use::Name)).unwrap()
    }

    #[test]
    fn names_change_as_sed_changes_lines() {
        assert_eq!(change("s/a/b/", "banana"), "bbnana");
        assert_eq!(change("s/a/b/g", "banana"), "bbnbnb");
        assert_eq!(change("s/a/b/2", "banana"), "banbna");
        assert_eq!(change("s,^,top/,", "x/y"), "top/x/y");
        assert_eq!(change("s/\\(.*\\)\\.txt/\\U\\1\\E.md/", "ab.txt"), "AB.md");
        assert_eq!(change("s/(a+)/<&>/x", "baac"), "b<aa>c");
        assert_eq!(change("s/a/b/;s/b/c/", "a"), "c");
        assert_eq!(change("s/B/x/i", "abc"), "axc");
    }

    #[test]
    fn what_is_no_command_is_refused() {
        let mut transform = Transform::default();
        assert!(transform.add(b"y/a/b/").is_err());
        assert!(transform.add(b"s/a/b").is_err());
        assert!(transform.add(b"s/a/b/q").is_err());
        assert!(transform.add(b"s").is_err());
    }
}
