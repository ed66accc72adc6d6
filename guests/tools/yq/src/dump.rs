//! JSON to YAML, laid out as PyYAML's emitter does it in block style.

use serde_json::Value;

use crate::number;

/// How YAML is laid out.
#[derive(Debug, Default, Clone)]
pub(crate) struct Layout {
    /// Where strings are wrapped; 80 without.
    pub(crate) width: Option<i64>,
    /// Lists in mappings stand below their key, not behind it.
    pub(crate) indentless: bool,
    /// `---` before the first document, too.
    pub(crate) explicit_start: bool,
    /// `...` behind every document.
    pub(crate) explicit_end: bool,
    /// Strings are quoted by YAML 1.2's rules.
    pub(crate) new_grammar: bool,
}

/// Spaces of a level.
const INDENT: usize = 2;
/// How deep collections may be; serde_json stops before.
const DEEPEST: usize = 10_000;

/// Makes YAML of what jq has written. Fails where that is no JSON.
pub(crate) fn documents(output: &[u8], layout: &Layout) -> Result<String, String> {
    let mut emitter = Emitter::new(layout);
    let stream = serde_json::Deserializer::from_slice(output);
    let mut first = true;
    for value in stream.into_iter::<Value>() {
        let value = value.map_err(|error| format!("JSONDecodeError: {error}"))?;
        emitter.document(&value, first, layout);
        first = false;
    }
    if emitter.open_ended {
        emitter.indicator("...", true, false, false);
        emitter.write_indent();
    }
    Ok(emitter.out)
}

struct Emitter {
    out: String,
    column: usize,
    /// Whether the last character was a space or a break.
    whitespace: bool,
    /// Whether only indentation was written in this line.
    indention: bool,
    indent: Option<usize>,
    width: usize,
    indentless: bool,
    new_grammar: bool,
    /// Whether a plain scalar at the root could go on.
    open_ended: bool,
}

/// Where a node stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Context {
    Root,
    Item,
    Key,
    Value,
}

impl Emitter {
    fn new(layout: &Layout) -> Emitter {
        let width = layout.width.and_then(|width| usize::try_from(width).ok());
        Emitter {
            out: String::new(),
            column: 0,
            whitespace: true,
            indention: true,
            indent: None,
            width: width.filter(|width| *width > 2 * INDENT).unwrap_or(80),
            indentless: layout.indentless,
            new_grammar: layout.new_grammar,
            open_ended: false,
        }
    }

    fn document(&mut self, value: &Value, first: bool, layout: &Layout) {
        if !first || layout.explicit_start {
            self.write_indent();
            self.indicator("---", true, false, false);
        }
        self.node(value, Context::Root, 0);
        self.write_indent();
        if layout.explicit_end {
            self.indicator("...", true, false, false);
            self.write_indent();
        }
    }

    fn node(&mut self, value: &Value, context: Context, depth: usize) {
        if depth > DEEPEST {
            return;
        }
        match value {
            Value::Array(items) if items.is_empty() => self.empty("[", "]"),
            Value::Object(pairs) if pairs.is_empty() => self.empty("{", "}"),
            Value::Array(items) => {
                let old = self.indent;
                let indentless = self.indentless && context == Context::Value && !self.indention;
                self.increase(false, indentless);
                for item in items {
                    self.write_indent();
                    self.indicator("-", true, false, true);
                    self.node(item, Context::Item, depth + 1);
                }
                self.indent = old;
            }
            Value::Object(pairs) => {
                let old = self.indent;
                self.increase(false, false);
                for (key, value) in pairs {
                    self.write_indent();
                    if is_simple_key(key) {
                        self.text(key, Context::Key);
                        self.indicator(":", false, false, false);
                    } else {
                        self.indicator("?", true, false, true);
                        self.text(key, Context::Value);
                        self.write_indent();
                        self.indicator(":", true, false, true);
                    }
                    self.node(value, Context::Value, depth + 1);
                }
                self.indent = old;
            }
            Value::Null => self.scalar("null", context),
            Value::Bool(true) => self.scalar("true", context),
            Value::Bool(false) => self.scalar("false", context),
            Value::Number(number) => self.scalar(&number_text(number), context),
            Value::String(text) => self.text(text, context),
        }
    }

    fn empty(&mut self, open: &str, close: &str) {
        self.indicator(open, true, true, false);
        self.indicator(close, false, false, false);
    }

    /// A scalar that is plain whatever stands around it.
    fn scalar(&mut self, text: &str, context: Context) {
        let old = self.indent;
        self.increase(true, false);
        self.plain(&text.chars().collect::<Vec<char>>(), context);
        self.indent = old;
    }

    fn text(&mut self, text: &str, context: Context) {
        let chars: Vec<char> = text.chars().collect();
        let analysis = Analysis::of(&chars);
        let is_key = context == Context::Key;
        let old = self.indent;
        self.increase(true, false);
        let resolves = match self.new_grammar {
            true => crate::load::is_plain_value(text),
            false => resolves_old(text),
        };
        let plain =
            !resolves && analysis.plain && !(is_key && (chars.is_empty() || analysis.multiline));
        if plain {
            self.plain(&chars, context);
        } else if analysis.single && !(is_key && analysis.multiline) {
            self.single(&chars, !is_key);
        } else {
            self.double(&chars, !is_key);
        }
        self.indent = old;
    }

    fn increase(&mut self, flow: bool, indentless: bool) {
        self.indent = match self.indent {
            None if flow => Some(INDENT),
            None => Some(0),
            Some(indent) if indentless => Some(indent),
            Some(indent) => Some(indent + INDENT),
        };
    }

    fn put(&mut self, data: &[char]) {
        self.column += data.len();
        self.out.extend(data);
    }

    fn indicator(&mut self, text: &str, needs_space: bool, whitespace: bool, indention: bool) {
        if !self.whitespace && needs_space {
            self.out.push(' ');
            self.column += 1;
        }
        self.out.push_str(text);
        self.column += text.len();
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
        self.open_ended = false;
    }

    fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || self.column == indent && !self.whitespace {
            self.line_break('\n');
        }
        if self.column < indent {
            self.whitespace = true;
            self.out
                .extend(std::iter::repeat_n(' ', indent - self.column));
            self.column = indent;
        }
    }

    fn line_break(&mut self, data: char) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push(data);
    }

    fn line_breaks(&mut self, breaks: &[char]) {
        if breaks.first() == Some(&'\n') {
            self.line_break('\n');
        }
        for data in breaks {
            self.line_break(*data);
        }
        self.write_indent();
    }

    fn plain(&mut self, text: &[char], context: Context) {
        if context == Context::Root {
            self.open_ended = true;
        }
        if text.is_empty() {
            return;
        }
        if !self.whitespace {
            self.out.push(' ');
            self.column += 1;
        }
        self.whitespace = false;
        self.indention = false;
        let split = context != Context::Key;
        let mut start = 0;
        let mut spaces = false;
        for end in 0..=text.len() {
            let next = text.get(end).copied();
            if spaces {
                if next != Some(' ') {
                    if start + 1 == end && self.column > self.width && split {
                        self.write_indent();
                        self.whitespace = false;
                        self.indention = false;
                    } else {
                        self.put(&text[start..end]);
                    }
                    start = end;
                }
            } else if next.is_none_or(|next| next == ' ') {
                self.put(&text[start..end]);
                start = end;
            }
            spaces = next == Some(' ');
        }
    }

    fn single(&mut self, text: &[char], split: bool) {
        self.indicator("'", true, false, false);
        let (mut spaces, mut breaks) = (false, false);
        let mut start = 0;
        for end in 0..=text.len() {
            let next = text.get(end).copied();
            if spaces {
                if next != Some(' ') {
                    if start + 1 == end
                        && self.column > self.width
                        && split
                        && start != 0
                        && end != text.len()
                    {
                        self.write_indent();
                    } else {
                        self.put(&text[start..end]);
                    }
                    start = end;
                }
            } else if breaks {
                if !next.is_some_and(is_break) {
                    self.line_breaks(&text[start..end]);
                    start = end;
                }
            } else if next.is_none_or(|next| next == ' ' || next == '\'' || is_break(next))
                && start < end
            {
                self.put(&text[start..end]);
                start = end;
            }
            if next == Some('\'') {
                self.put(&['\'', '\'']);
                start = end + 1;
            }
            spaces = next == Some(' ');
            breaks = next.is_some_and(is_break);
        }
        self.indicator("'", false, false, false);
    }

    fn double(&mut self, text: &[char], split: bool) {
        self.indicator("\"", true, false, false);
        let mut start = 0;
        for end in 0..=text.len() {
            let next = text.get(end).copied();
            if next.is_none_or(needs_escape) {
                if start < end {
                    self.put(&text[start..end]);
                    start = end;
                }
                if let Some(next) = next {
                    let escaped: Vec<char> = escape(next).chars().collect();
                    self.put(&escaped);
                    start = end + 1;
                }
            }
            let inside = 0 < end && end + 1 < text.len();
            let breakable = next == Some(' ') || start >= end;
            if inside && breakable && self.column + end.saturating_sub(start) > self.width && split
            {
                if start < end {
                    self.put(&text[start..end]);
                    start = end;
                }
                self.put(&['\\']);
                self.write_indent();
                self.whitespace = false;
                self.indention = false;
                if text.get(start) == Some(&' ') {
                    self.put(&['\\']);
                }
            }
        }
        self.indicator("\"", false, false, false);
    }
}

/// What a text allows.
struct Analysis {
    multiline: bool,
    plain: bool,
    single: bool,
}

impl Analysis {
    fn of(text: &[char]) -> Analysis {
        if text.is_empty() {
            return Analysis {
                multiline: false,
                plain: true,
                single: true,
            };
        }
        let starts = |mark: &str| {
            text.iter()
                .zip(mark.chars())
                .filter(|(a, b)| **a == *b)
                .count()
                == mark.len()
        };
        let mut indicators = starts("---") || starts("...");
        let (mut line_breaks, mut special) = (false, false);
        let (mut break_space, mut space_break) = (false, false);
        for (index, &letter) in text.iter().enumerate() {
            let after_space = index == 0 || is_space(text[index - 1]);
            let before_space = text.get(index + 1).is_none_or(|next| is_space(*next));
            indicators |= match letter {
                '#' | ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"'
                | '%' | '@' | '`'
                    if index == 0 =>
                {
                    true
                }
                '?' | '-' if index == 0 => before_space,
                ':' => before_space,
                '#' => after_space,
                _ => false,
            };
            line_breaks |= is_break(letter);
            special |= !(letter == '\n' || (' '..='~').contains(&letter) || is_printable(letter));
            let before = index.checked_sub(1).map(|before| text[before]);
            break_space |= letter == ' ' && before.is_some_and(is_break);
            space_break |= is_break(letter) && before == Some(' ');
        }
        let edge = |letter: Option<&char>| {
            letter.is_some_and(|letter| *letter == ' ' || is_break(*letter))
        };
        let edges = edge(text.first()) || edge(text.last());
        Analysis {
            multiline: line_breaks,
            plain: !(indicators || edges || break_space || space_break || special || line_breaks),
            single: !(break_space || space_break || special),
        }
    }
}

fn is_break(letter: char) -> bool {
    matches!(letter, '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_space(letter: char) -> bool {
    matches!(letter, '\0' | ' ' | '\t' | '\r') || is_break(letter)
}

fn is_printable(letter: char) -> bool {
    letter != '\u{feff}'
        && matches!(letter, '\u{85}' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..='\u{10fffe}')
}

fn needs_escape(letter: char) -> bool {
    matches!(
        letter,
        '"' | '\\' | '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'
    ) || !matches!(letter, ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
}

fn escape(letter: char) -> String {
    let short = match letter {
        '\0' => '0',
        '\x07' => 'a',
        '\x08' => 'b',
        '\t' => 't',
        '\n' => 'n',
        '\x0b' => 'v',
        '\x0c' => 'f',
        '\r' => 'r',
        '\x1b' => 'e',
        '"' => '"',
        '\\' => '\\',
        '\u{85}' => 'N',
        '\u{a0}' => '_',
        '\u{2028}' => 'L',
        '\u{2029}' => 'P',
        _ => {
            let code = u32::from(letter);
            return match code {
                0..=0xff => format!("\\x{code:02X}"),
                0x100..=0xffff => format!("\\u{code:04X}"),
                _ => format!("\\U{code:08X}"),
            };
        }
    };
    format!("\\{short}")
}

/// Whether a key needs no `?`: on one line, not empty, not too long with the tag that it could
/// have.
fn is_simple_key(key: &str) -> bool {
    !key.is_empty() && !key.contains(is_break) && key.chars().count() + "!!str".len() < 128
}

fn number_text(number: &serde_json::Number) -> String {
    let text = number.to_string();
    if !text.contains(['.', 'e', 'E']) {
        return text;
    }
    let Ok(value) = text.parse::<f64>() else {
        return text;
    };
    if value.is_infinite() {
        return if value > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    let repr = number::python(value);
    match repr.contains('.') || !repr.contains('e') {
        true => repr,
        false => repr.replacen('e', ".0e", 1),
    }
}

/// Whether a plain text would be something else than a string in YAML 1.1.
fn resolves_old(text: &str) -> bool {
    let word = matches!(
        text,
        "yes"
            | "Yes"
            | "YES"
            | "no"
            | "No"
            | "NO"
            | "true"
            | "True"
            | "TRUE"
            | "false"
            | "False"
            | "FALSE"
            | "on"
            | "On"
            | "ON"
            | "off"
            | "Off"
            | "OFF"
            | ""
            | "~"
            | "null"
            | "Null"
            | "NULL"
            | "="
            | "<<"
    );
    word || is_old_integer(text) || is_old_float(text) || is_timestamp(text)
}

fn is_old_integer(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let all = |digits: &str, test: fn(u8) -> bool| {
        !digits.is_empty() && digits.bytes().all(|digit| digit == b'_' || test(digit))
    };
    if let Some(digits) = body.strip_prefix("0b") {
        return all(digits, |digit| matches!(digit, b'0' | b'1'));
    }
    if let Some(digits) = body.strip_prefix("0x") {
        return all(digits, |digit| digit.is_ascii_hexdigit());
    }
    if body == "0" {
        return true;
    }
    if let Some(digits) = body.strip_prefix('0') {
        return all(digits, |digit| matches!(digit, b'0'..=b'7'));
    }
    let mut parts = body.split(':');
    let first = parts.next().unwrap_or("");
    first.starts_with(|digit: char| digit.is_ascii_digit())
        && all(first, |digit| digit.is_ascii_digit())
        && parts.all(is_sixtieth)
}

/// A part of a number to the base 60.
fn is_sixtieth(part: &str) -> bool {
    match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [b'0'..=b'5', digit] => digit.is_ascii_digit(),
        _ => false,
    }
}

fn is_old_float(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(body, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits = |text: &str| {
        text.bytes()
            .all(|digit| digit == b'_' || digit.is_ascii_digit())
    };
    let exponent = |text: &str| {
        let Some(rest) = text.strip_prefix(['e', 'E']) else {
            return text.is_empty();
        };
        let Some(rest) = rest.strip_prefix(['-', '+']) else {
            return false;
        };
        !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit())
    };
    let Some((whole, rest)) = body.split_once('.') else {
        return false;
    };
    let end = rest.find(['e', 'E']).unwrap_or(rest.len());
    let (fraction, tail) = rest.split_at(end);
    if whole.is_empty() {
        return text.starts_with('.') && !fraction.is_empty() && digits(fraction) && exponent(tail);
    }
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or("");
    let sixty = whole.contains(':');
    first.starts_with(|digit: char| digit.is_ascii_digit())
        && digits(first)
        && parts.all(is_sixtieth)
        && digits(fraction)
        && (if sixty {
            tail.is_empty()
        } else {
            exponent(tail)
        })
}

/// A date, or a date and a time.
fn is_timestamp(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    let digits = |at: &mut usize, least: usize, most: usize| {
        let count = bytes[*at..]
            .iter()
            .take(most)
            .take_while(|digit| digit.is_ascii_digit())
            .count();
        *at += count;
        count >= least
    };
    let mark = |at: &mut usize, mark: u8| {
        let found = bytes.get(*at) == Some(&mark);
        *at += usize::from(found);
        found
    };
    if !(digits(&mut at, 4, 4) && mark(&mut at, b'-')) {
        return false;
    }
    let month = at;
    if !(digits(&mut at, 1, 2) && mark(&mut at, b'-')) {
        return false;
    }
    let day = at;
    if !digits(&mut at, 1, 2) {
        return false;
    }
    if at == bytes.len() {
        return day - month == 3 && at - day == 2;
    }
    if matches!(bytes[at], b'T' | b't') {
        at += 1;
    } else {
        let spaces = bytes[at..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        if spaces == 0 {
            return false;
        }
        at += spaces;
    }
    let time = digits(&mut at, 1, 2)
        && mark(&mut at, b':')
        && digits(&mut at, 2, 2)
        && mark(&mut at, b':')
        && digits(&mut at, 2, 2);
    if !time {
        return false;
    }
    if mark(&mut at, b'.') {
        digits(&mut at, 0, usize::MAX);
    }
    let zone = at
        + bytes[at..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
    match bytes.get(zone) {
        None => at == bytes.len(),
        Some(b'Z') => zone + 1 == bytes.len(),
        Some(b'-' | b'+') => {
            at = zone + 1;
            digits(&mut at, 1, 2)
                && (at == bytes.len()
                    || mark(&mut at, b':') && digits(&mut at, 2, 2) && at == bytes.len())
        }
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yaml(json: &str) -> String {
        documents(json.as_bytes(), &Layout::default()).unwrap()
    }

    #[test]
    fn block_style_as_pyyaml_has_it() {
        assert_eq!(
            yaml(r#"{"a":[1,"x",[]],"b":{"c":null}}"#),
            "a:\n  - 1\n  - x\n  - []\nb:\n  c: null\n"
        );
        assert_eq!(yaml(r#"[[1,2],{"a":1}]"#), "- - 1\n  - 2\n- a: 1\n");
        assert_eq!(yaml("\"x\""), "x\n...\n");
        assert_eq!(yaml("1 2"), "1\n--- 2\n...\n");
        assert_eq!(yaml(r#""a\nb""#), "'a\n\n  b'\n");
    }

    #[test]
    fn strings_are_quoted_where_they_would_be_something_else() {
        for text in [
            "on",
            "1",
            "1.5",
            "0x1f",
            "1:30",
            "2024-01-02",
            "~",
            "",
            "null",
            "=",
            "1e+3.",
            ".5",
        ] {
            let shown = yaml(&Value::from(text).to_string());
            assert_eq!(shown.starts_with('\''), text != "1e+3.", "{text} {shown}");
        }
        assert_eq!(yaml(r#""a: b""#), "'a: b'\n");
        assert_eq!(yaml(r#""tab\there""#), "\"tab\\there\"\n");
        assert_eq!(yaml(r#""it's""#), "it's\n...\n");
    }
}
