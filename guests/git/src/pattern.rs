//! POSIX regular expressions on the `regex` crate: basic and extended ones are rewritten into its syntax.

use regex::bytes::{Regex, RegexBuilder};

/// Which syntax a pattern is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `-G`, the default.
    Basic,
    /// `-E`.
    Extended,
    /// `-F`.
    Fixed,
    /// `-P`: taken as it is.
    Perl,
}

/// Compiles a pattern. Lines are matched one by one, `^` and `$` stand for their ends.
pub(crate) fn compile(pattern: &str, kind: Kind, fold: bool) -> Result<Regex, String> {
    let text = match kind {
        Kind::Fixed => regex::escape(pattern),
        Kind::Perl => pattern.to_owned(),
        Kind::Extended => rewrite(pattern, false),
        Kind::Basic => rewrite(pattern, true),
    };
    let built = RegexBuilder::new(&text)
        .case_insensitive(fold)
        .multi_line(true)
        .unicode(false)
        .size_limit(8 << 20)
        .build();
    match built {
        Ok(regex) => Ok(regex),
        Err(_) => {
            let again = RegexBuilder::new(&text)
                .case_insensitive(fold)
                .multi_line(true)
                .size_limit(8 << 20)
                .build();
            again.map_err(|found| found.to_string())
        }
    }
}

fn rewrite(pattern: &str, basic: bool) -> String {
    let letters: Vec<char> = pattern.chars().collect();
    let mut out = String::new();
    let mut at = 0;
    let mut start = true;
    while at < letters.len() {
        let letter = letters[at];
        at += 1;
        let was_start = start;
        start = false;
        match letter {
            '\\' => {
                let Some(&next) = letters.get(at) else {
                    out.push_str("\\\\");
                    break;
                };
                at += 1;
                match next {
                    '(' | '|' if basic => {
                        out.push(next);
                        start = true;
                    }
                    ')' | '{' | '}' | '+' | '?' if basic => out.push(next),
                    'w' | 'W' | 's' | 'S' | 'b' | 'B' => {
                        out.push('\\');
                        out.push(next);
                    }
                    '<' => out.push_str("\\b"),
                    '>' => out.push_str("\\b"),
                    _ => out.push_str(&regex::escape(&next.to_string())),
                }
            }
            '[' => {
                let mut end = at;
                if letters.get(end) == Some(&'^') {
                    end += 1;
                }
                if letters.get(end) == Some(&']') {
                    end += 1;
                }
                while end < letters.len() && letters[end] != ']' {
                    if letters[end] == '[' && matches!(letters.get(end + 1), Some(':' | '.' | '='))
                    {
                        end += 2;
                        while end + 1 < letters.len() && letters[end + 1] != ']' {
                            end += 1;
                        }
                        end += 1;
                    }
                    end += 1;
                }
                out.push('[');
                let mut inside = at;
                if letters.get(inside) == Some(&'^') {
                    out.push_str("^\\n");
                    inside += 1;
                }
                while inside < end.min(letters.len()) {
                    let letter = letters[inside];
                    if letter == '[' && letters.get(inside + 1) == Some(&':') {
                        while inside < end && letters[inside] != ']' {
                            out.push(letters[inside]);
                            inside += 1;
                        }
                        out.push(']');
                    } else if "[]\\&~^".contains(letter) {
                        out.push('\\');
                        out.push(letter);
                    } else {
                        out.push(letter);
                    }
                    inside += 1;
                }
                out.push(']');
                at = end + 1;
            }
            '*' if was_start => out.push_str("\\*"),
            '(' | ')' | '{' | '}' | '+' | '?' | '|' if basic => {
                out.push('\\');
                out.push(letter);
            }
            '(' | '|' => {
                out.push(letter);
                start = true;
            }
            '{' if !letters.get(at).is_some_and(char::is_ascii_digit) => out.push_str("\\{"),
            '^' => {
                start = true;
                out.push_str(if basic && !was_start { "\\^" } else { "^" });
            }
            '$' => {
                let last = at == letters.len()
                    || letters[at..].starts_with(&['\\', ')'])
                    || letters[at..].starts_with(&['\\', '|']);
                out.push_str(if basic && !last { "\\$" } else { "$" });
            }
            _ => out.push(letter),
        }
    }
    out
}
