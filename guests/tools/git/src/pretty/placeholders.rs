//! Formats with placeholders: `%h`, `%an`, `%<(20)`.

use super::Context;
use super::color::color;
use super::trailers::trailers;
use crate::date::{self, Style};
use crate::object::{self, Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::repo::Repo;
use crate::stop::show;

/// Padding that holds for the next placeholder.
#[derive(Clone, Copy)]
struct Padding {
    width: usize,
    left: bool,
    center: bool,
    truncate: Option<u8>,
    to_column: bool,
}

/// Replaces the placeholders of a format.
pub(crate) fn expand(repo: &Repo, commit: &Commit, format: &[u8], context: &Context) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = format;
    let mut padding: Option<Padding> = None;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            out.push(byte);
            continue;
        }
        if let Some((found, used)) = parse_padding(rest) {
            padding = Some(found);
            rest = &rest[used..];
            continue;
        }
        let mut modifier = 0;
        let mut inner = rest;
        if let Some(&sign @ (b'+' | b'-' | b' ')) = inner.first() {
            modifier = sign;
            inner = &inner[1..];
        }
        let Some((value, used)) = placeholder(repo, commit, inner, context) else {
            out.push(b'%');
            continue;
        };
        rest = &inner[used..];
        match modifier {
            b'+' if !value.is_empty() => out.push(b'\n'),
            b' ' if !value.is_empty() => out.push(b' '),
            b'-' if value.is_empty() => {
                while out.last() == Some(&b'\n') {
                    out.pop();
                }
            }
            _ => {}
        }
        match padding.take() {
            Some(padding) => pad(&mut out, &value, padding),
            None => out.extend(value),
        }
    }
    out
}

fn parse_padding(rest: &[u8]) -> Option<(Padding, usize)> {
    let (mut left, mut center, mut at) = (true, false, 1);
    match rest.first()? {
        b'<' => {}
        b'>' => {
            left = false;
            if rest.get(1) == Some(&b'<') {
                center = true;
                at = 2;
            } else if rest.get(1) == Some(&b'>') {
                at = 2;
            }
        }
        _ => return None,
    }
    let to_column = rest.get(at) == Some(&b'|');
    if to_column {
        at += 1;
    }
    if rest.get(at) != Some(&b'(') {
        return None;
    }
    let end = at + rest[at..].iter().position(|byte| *byte == b')')?;
    let text = show(&rest[at + 1..end]);
    let mut parts = text.split(',');
    let width = parts
        .next()?
        .trim()
        .parse()
        .ok()
        .filter(|width| *width < 16_384)?;
    let truncate = match parts.next().map(str::trim) {
        None => None,
        Some("trunc") => Some(b'r'),
        Some("ltrunc") => Some(b'l'),
        Some("mtrunc") => Some(b'm'),
        Some(_) => return None,
    };
    Some((
        Padding {
            width,
            left,
            center,
            truncate,
            to_column,
        },
        end + 1,
    ))
}

fn pad(out: &mut Vec<u8>, value: &[u8], padding: Padding) {
    let text = String::from_utf8_lossy(value).into_owned();
    let length = text.chars().count();
    let mut width = padding.width;
    if padding.to_column {
        let line = out.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        width = width.saturating_sub(String::from_utf8_lossy(line).chars().count());
    }
    if length > width {
        let letters: Vec<char> = text.chars().collect();
        let keep = width.saturating_sub(2);
        let cut: String = match padding.truncate {
            Some(b'l') => format!("..{}", letters[length - keep..].iter().collect::<String>()),
            Some(b'm') => {
                let half = keep / 2;
                let tail: String = letters[length - (keep - half)..].iter().collect();
                format!("{}..{tail}", letters[..half].iter().collect::<String>())
            }
            Some(_) => format!("{}..", letters[..keep].iter().collect::<String>()),
            None => text,
        };
        out.extend(cut.bytes());
        return;
    }
    let spaces = width - length;
    let before = match (padding.left, padding.center) {
        (true, _) => 0,
        (false, true) => spaces / 2,
        (false, false) => spaces,
    };
    out.extend(b" ".repeat(before));
    out.extend_from_slice(value);
    out.extend(b" ".repeat(spaces - before));
}

/// The value of a placeholder and how many bytes its name takes.
fn placeholder(
    repo: &Repo,
    commit: &Commit,
    rest: &[u8],
    context: &Context,
) -> Option<(Vec<u8>, usize)> {
    if let Some(value) = letter(repo, commit, *rest.first()?, context) {
        return Some((value, 1));
    }
    let two = |value: Option<Vec<u8>>| value.map(|value| (value, 2));
    match *rest.first()? {
        b'a' => two(person(&commit.author, *rest.get(1)?, context)),
        b'c' => two(person(&commit.committer, *rest.get(1)?, context)),
        b'g' => two(log_line(*rest.get(1)?, context)),
        b'G' => two(signature(*rest.get(1)?)),
        b'x' => {
            let high = crate::oid::digit(*rest.get(1)?)?;
            let low = crate::oid::digit(*rest.get(2)?)?;
            Some((vec![(high << 4) | low], 3))
        }
        b'w' if rest.get(1) == Some(&b'(') => {
            let end = rest.iter().position(|byte| *byte == b')')?;
            Some((Vec::new(), end + 1))
        }
        b'C' => color(rest, context),
        b'(' => {
            let end = rest.iter().position(|byte| *byte == b')')?;
            let value = match &rest[1..end] {
                b"decorate" => in_brackets(context.names(&commit.oid)),
                inside if inside == b"trailers" || inside.starts_with(b"trailers:") => {
                    trailers(&commit.message, &show(inside))
                }
                _ => return None,
            };
            Some((value, end + 1))
        }
        _ => None,
    }
}

/// A placeholder of one letter.
fn letter(repo: &Repo, commit: &Commit, letter: u8, context: &Context) -> Option<Vec<u8>> {
    let hex = |oid: &Oid| oid.hex().into_bytes();
    let short = |oid: &Oid| context.short(repo, oid).into_bytes();
    let parents = |show: &dyn Fn(&Oid) -> Vec<u8>| {
        let parents: Vec<Vec<u8>> = commit.parents.iter().map(show).collect();
        parents.join(&b' ')
    };
    Some(match letter {
        b'H' => hex(&commit.oid),
        b'h' => short(&commit.oid),
        b'T' => hex(&commit.tree),
        b't' => short(&commit.tree),
        b'P' => parents(&hex),
        b'p' => parents(&short),
        b'd' => in_brackets(context.names(&commit.oid)),
        b'D' => context.names(&commit.oid).unwrap_or_default(),
        b's' => commit.subject(),
        b'f' => file_name(&commit.subject()),
        b'b' => object::body(&commit.message),
        b'B' => commit.message.clone(),
        b'e' => commit.encoding.clone().unwrap_or_default(),
        b'N' => Vec::new(),
        b'n' => b"\n".to_vec(),
        b'%' => b"%".to_vec(),
        b'm' => vec![context.mark.unwrap_or('>') as u8],
        b'S' => context.source.clone().unwrap_or_default(),
        _ => return None,
    })
}

fn in_brackets(names: Option<Vec<u8>>) -> Vec<u8> {
    let names = names.map(|names| [b" (", &names[..], b")"].concat());
    names.unwrap_or_default()
}

/// `%a…` and `%c…`.
fn person(who: &[u8], what: u8, context: &Context) -> Option<Vec<u8>> {
    let (name, mail) = who_parts(who);
    let style = match what {
        b'n' | b'N' => return Some(name.to_vec()),
        b'e' | b'E' => return Some(mail.to_vec()),
        b'l' | b'L' => {
            let mut parts = mail.split(|byte| *byte == b'@');
            return parts.next().map(<[u8]>::to_vec);
        }
        b'd' => context.style(),
        b'D' => Style::Rfc,
        b'r' | b'h' => Style::Relative,
        b't' => Style::Unix,
        b'i' => Style::Iso,
        b'I' => Style::IsoStrict,
        b's' => Style::Short,
        _ => return None,
    };
    let (time, zone) = who_time(who);
    Some(date::show(time, zone, &style).into_bytes())
}

/// `%g…`: the line of a reference's log.
fn log_line(what: u8, context: &Context) -> Option<Vec<u8>> {
    let (selector, message, who) = context.log.clone().unwrap_or_default();
    Some(match what {
        b'd' => selector
            .strip_prefix(b"refs/heads/")
            .unwrap_or(&selector)
            .to_vec(),
        b'D' => selector,
        b's' => message,
        b'n' | b'N' => who_parts(&who).0.to_vec(),
        b'e' | b'E' => who_parts(&who).1.to_vec(),
        _ => return None,
    })
}

/// `%G…`: no commit is signed.
fn signature(what: u8) -> Option<Vec<u8>> {
    match what {
        b'?' => Some(b"N".to_vec()),
        b'S' | b'K' | b'F' | b'P' | b'T' | b'G' => Some(Vec::new()),
        _ => None,
    }
}

/// A subject as a file name: `%f`.
pub(crate) fn file_name(subject: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut space = 2;
    for &byte in subject {
        if byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'_' {
            if space == 1 {
                out.push(b'-');
            }
            space = 0;
            out.push(byte);
            // Dots do not stand beside each other.
            if byte == b'.' {
                while out.ends_with(b"..") {
                    out.pop();
                }
            }
        } else {
            space |= 1;
        }
    }
    while out
        .last()
        .is_some_and(|byte| *byte == b'.' || *byte == b'-')
    {
        out.pop();
    }
    out
}
