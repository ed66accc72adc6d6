//! A message's text and how it is filled in.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::{FluentArgs, FluentValue};

/// The text of another message.
pub(crate) type Others<'a> = dyn Fn(&str) -> Option<&'a str> + 'a;

/// Removes the layout of the file from a message's text and replaces its parts in braces.
pub(crate) fn format<'b>(
    raw: &'b str,
    args: Option<&FluentArgs<'_>>,
    others: &Others<'_>,
) -> Cow<'b, str> {
    let trimmed = raw.trim();
    if !trimmed.contains('\n') {
        if !trimmed.contains('{') {
            return Cow::Borrowed(trimmed);
        }
        return Cow::Owned(fill(trimmed, args, others));
    }
    Cow::Owned(fill(&without_indent(raw), args, others))
}

/// The text without the indentation that its lines share. The line of the `=` has none.
fn without_indent(raw: &str) -> String {
    let mut lines = raw.trim_end().lines();
    let first = lines.next().unwrap_or_default().trim();
    let rest: Vec<&str> = lines.map(str::trim_end).collect();
    let indent = rest
        .iter()
        .filter(|line| !line.is_empty() && !closes_placeable(line))
        .map(|line| line.len() - line.trim_start_matches(' ').len())
        .min()
        .unwrap_or(0);
    let mut text = String::with_capacity(raw.len());
    text.push_str(first);
    for line in rest {
        if !text.is_empty() {
            text.push('\n');
        }
        let own = line.len() - line.trim_start_matches(' ').len();
        text.push_str(&line[indent.min(own)..]);
    }
    text
}

fn closes_placeable(line: &str) -> bool {
    line.starts_with('}')
}

/// Copies `text`, replacing each part in braces.
fn fill(text: &str, args: Option<&FluentArgs<'_>>, others: &Others<'_>) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let Some(len) = placeable_len(&rest[open..]) else {
            break;
        };
        let whole = &rest[open..open + len];
        if !place(&mut out, whole[1..len - 1].trim(), args, others) {
            out.push_str(whole);
        }
        rest = &rest[open + len..];
    }
    out.push_str(rest);
    out
}

/// The length of the part in braces that `text` starts with. Braces nest, and in quotes they are
/// text.
fn placeable_len(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quoted = false;
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            // Quotes mean something in an expression only, not in the text of a plural form.
            b'"' if quoted || text[..at].trim_end().ends_with('{') => quoted = !quoted,
            b'{' if !quoted => depth += 1,
            b'}' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Adds what the expression `inner` stands for, or says that it does not know.
fn place(
    out: &mut String,
    inner: &str,
    args: Option<&FluentArgs<'_>>,
    others: &Others<'_>,
) -> bool {
    if let Some(literal) = inner.strip_prefix('"') {
        unescape(out, literal.strip_suffix('"').unwrap_or(literal));
        return true;
    }
    let Some(variable) = inner.strip_prefix('$') else {
        let Some(other) = others(inner) else {
            return false;
        };
        out.push_str(&format(other, args, others));
        return true;
    };
    let name_len = variable
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_')
        .unwrap_or(variable.len());
    let (name, after) = variable.split_at(name_len);
    let value = args.and_then(|args| args.get(name));
    let after = after.trim_start();
    if let Some(variants) = after.strip_prefix("->") {
        return select(out, variants, value, args, others);
    }
    match value {
        Some(value) if after.is_empty() => {
            push_value(out, value);
            true
        }
        _ => false,
    }
}

fn push_value(out: &mut String, value: &FluentValue<'_>) {
    match value {
        FluentValue::String(text) => out.push_str(text),
        // Writing to a string cannot fail.
        FluentValue::Number(number) => drop(write!(out, "{number}")),
    }
}

/// Adds the plural form that fits `value`: an exact number, else its plural class, else the one
/// with `*`.
fn select(
    out: &mut String,
    variants: &str,
    value: Option<&FluentValue<'_>>,
    args: Option<&FluentArgs<'_>>,
    others: &Others<'_>,
) -> bool {
    let mut chosen = None;
    for line in variants.lines() {
        let line = line.trim();
        let (default, line) = match line.strip_prefix('*') {
            Some(line) => (true, line),
            None => (false, line),
        };
        let Some((key, text)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
            continue;
        };
        if value.is_some_and(|value| fits(key.trim(), value)) {
            chosen = Some(text.trim());
            break;
        }
        if default {
            chosen = Some(text.trim());
        }
    }
    let Some(text) = chosen else { return false };
    out.push_str(&fill(text, args, others));
    true
}

fn fits(key: &str, value: &FluentValue<'_>) -> bool {
    match value {
        FluentValue::Number(number) => match key {
            "one" => *number == 1.0,
            "other" => *number != 1.0,
            _ => key.parse() == Ok(*number),
        },
        FluentValue::String(text) => key == text,
    }
}

fn unescape(out: &mut String, literal: &str) {
    let mut chars = literal.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(kind @ ('u' | 'U')) => {
                let digits: String = chars
                    .by_ref()
                    .take(if kind == 'u' { 4 } else { 6 })
                    .collect();
                let code = u32::from_str_radix(&digits, 16).ok();
                out.push(code.and_then(char::from_u32).unwrap_or('\u{fffd}'));
            }
            Some(other) => out.push(other),
            None => {}
        }
    }
}
