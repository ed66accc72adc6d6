//! YAML to JSON: documents as PyYAML constructs them, with the rules that yq chooses.
//!
//! Plain scalars follow YAML 1.2: `on` and `2024-01-02` are strings. Keys become strings, `<<`
//! merges, aliases are expanded up to a limit. A tag of the user's is dropped.

use std::collections::HashMap;
use std::rc::Rc;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use crate::number;

/// How deep collections may be.
const DEEPEST: usize = 500;

/// A node of a document.
enum Node {
    /// JSON, as it is written.
    Scalar(String, Kind),
    /// Items.
    Sequence(Vec<Rc<Node>>),
    /// Keys and values, as they stand in the text.
    Mapping(Vec<(Rc<Node>, Rc<Node>)>),
}

/// What a scalar is.
#[derive(PartialEq, Eq, Clone, Copy)]
enum Kind {
    /// A string; its text is not JSON yet.
    Text,
    /// A number, a truth value, or nothing.
    Other,
    /// A plain `<<`.
    Merge,
}

/// Writes every document of a text as a line of JSON. Fails with what is wrong.
pub(crate) fn documents(text: &str, expansion: usize, json: &mut String) -> Result<(), String> {
    let mut loader = Loader {
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
    };
    let mut begin = 0;
    loop {
        let (event, _) = loader.next()?;
        match event {
            Event::StreamEnd => return Ok(()),
            Event::DocumentStart(_) => {
                loader.anchors.clear();
                let node = loader.node(0)?;
                let (_, end) = loader.next()?;
                let limit = end.saturating_sub(begin).max(1).saturating_mul(expansion);
                begin = end;
                let room = json.len().saturating_add(limit);
                write(&node, json, room)?;
                json.push('\n');
            }
            _ => {}
        }
    }
}

struct Loader<'a> {
    parser: Parser<'a, saphyr_parser::StrInput<'a>>,
    anchors: HashMap<usize, Rc<Node>>,
}

impl<'a> Loader<'a> {
    /// The next event and where it ends.
    fn next(&mut self) -> Result<(Event<'a>, usize), String> {
        match self.parser.next_event() {
            Some(Ok((event, span))) => Ok((event, span.end.index())),
            Some(Err(error)) => {
                let mark = error.marker();
                let (line, column) = (mark.line(), mark.col() + 1);
                Err(format!(
                    "ParserError: {} in line {line}, column {column}",
                    error.info()
                ))
            }
            None => Ok((Event::StreamEnd, 0)),
        }
    }

    fn node(&mut self, depth: usize) -> Result<Rc<Node>, String> {
        let (event, _) = self.next()?;
        self.node_of(event, depth)
    }

    fn node_of(&mut self, event: Event<'a>, depth: usize) -> Result<Rc<Node>, String> {
        if depth > DEEPEST {
            return Err("RecursionError: the document is nested too deep".into());
        }
        let (node, anchor) = match event {
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                return node.ok_or_else(|| "ComposerError: found undefined alias".into());
            }
            Event::Scalar(text, style, anchor, tag) => {
                (scalar(&text, style, tag.as_deref())?, anchor)
            }
            Event::SequenceStart(anchor, _) => {
                let mut items = Vec::new();
                loop {
                    match self.next()?.0 {
                        Event::SequenceEnd => break,
                        event => items.push(self.node_of(event, depth + 1)?),
                    }
                }
                (Node::Sequence(items), anchor)
            }
            Event::MappingStart(anchor, _) => {
                let mut pairs = Vec::new();
                loop {
                    match self.next()?.0 {
                        Event::MappingEnd => break,
                        event => {
                            let key = self.node_of(event, depth + 1)?;
                            pairs.push((key, self.node(depth + 1)?));
                        }
                    }
                }
                (Node::Mapping(pairs), anchor)
            }
            _ => return Err("ParserError: expected the node content".into()),
        };
        let node = Rc::new(node);
        if anchor > 0 {
            self.anchors.insert(anchor, Rc::clone(&node));
        }
        Ok(node)
    }
}

/// A scalar by its tag, or by how it looks.
fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Node, String> {
    let text_node = || Node::Scalar(text.to_owned(), Kind::Text);
    let other = |json: String| Node::Scalar(json, Kind::Other);
    let core = tag
        .filter(|tag| tag.is_yaml_core_schema())
        .map(|tag| tag.suffix.as_str());
    let kind = match (tag, core) {
        (None, _) if style == ScalarStyle::Plain => implicit(text),
        (None, _) => "str",
        (Some(_), Some(kind)) => kind,
        (Some(_), None) => "str",
    };
    Ok(match kind {
        "null" => other("null".into()),
        "bool" => match text.to_lowercase().as_str() {
            "true" | "yes" | "on" => other("true".into()),
            "false" | "no" | "off" => other("false".into()),
            _ => return Err(format!("KeyError: '{}'", text.to_lowercase())),
        },
        "int" => other(number::integer(text)?),
        "float" => other(number::float(text)?),
        "merge" => Node::Scalar(text.to_owned(), Kind::Merge),
        _ => text_node(),
    })
}

/// Whether a plain scalar is something else than a string.
pub(crate) fn is_plain_value(text: &str) -> bool {
    implicit(text) != "str"
}

/// What a plain scalar is.
fn implicit(text: &str) -> &'static str {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => "null",
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => "bool",
        "<<" => "merge",
        _ if is_integer(text) => "int",
        _ if is_float(text) => "float",
        _ => "str",
    }
}

fn is_integer(text: &str) -> bool {
    let all = |digits: &str, test: fn(&u8) -> bool| {
        !digits.is_empty() && digits.bytes().all(|digit| test(&digit))
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |digit| matches!(digit, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    all(
        text.strip_prefix(['-', '+']).unwrap_or(text),
        u8::is_ascii_digit,
    )
}

fn is_float(text: &str) -> bool {
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(body, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(body);
    let mut rest = &body[whole..];
    if let Some(after) = rest.strip_prefix('.') {
        let fraction = digits(after);
        if whole == 0 && fraction == 0 {
            return false;
        }
        rest = &after[fraction..];
    } else if whole == 0 {
        return false;
    }
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else {
        return rest.is_empty();
    };
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    !exponent.is_empty() && digits(exponent) == exponent.len()
}

/// Writes a node as JSON. Fails where that is longer than there is room for.
fn write(node: &Node, json: &mut String, room: usize) -> Result<(), String> {
    if json.len() > room {
        return Err("Error: detected unsafe YAML entity expansion".into());
    }
    match node {
        Node::Scalar(text, Kind::Other) => json.push_str(text),
        Node::Scalar(text, _) => json.push_str(&serde_json::Value::from(text.as_str()).to_string()),
        Node::Sequence(items) => {
            json.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                write(item, json, room)?;
            }
            json.push(']');
        }
        Node::Mapping(pairs) => {
            let mut places: HashMap<String, usize> = HashMap::new();
            let mut values: Vec<(String, Rc<Node>)> = Vec::new();
            let mut flat = Vec::new();
            flatten(pairs, &mut flat, 0)?;
            for (key, value) in flat {
                let key = key_text(&key)?;
                match places.get(&key) {
                    Some(place) => values[*place].1 = value,
                    None => {
                        places.insert(key.clone(), values.len());
                        values.push((key, value));
                    }
                }
                if values.len() > room {
                    return Err("Error: detected unsafe YAML entity expansion".into());
                }
            }
            json.push('{');
            for (index, (key, value)) in values.iter().enumerate() {
                if index > 0 {
                    json.push(',');
                }
                json.push_str(&serde_json::Value::from(key.as_str()).to_string());
                json.push(':');
                write(value, json, room)?;
            }
            json.push('}');
        }
    }
    Ok(())
}

/// Pairs with what `<<` brings before them.
fn flatten(
    pairs: &[(Rc<Node>, Rc<Node>)],
    flat: &mut Vec<(Rc<Node>, Rc<Node>)>,
    depth: usize,
) -> Result<(), String> {
    if depth > DEEPEST {
        return Err("RecursionError: the document is nested too deep".into());
    }
    if flat.len() > 1 << 20 {
        return Err("Error: detected unsafe YAML entity expansion".into());
    }
    for (key, value) in pairs {
        if !matches!(**key, Node::Scalar(_, Kind::Merge)) {
            continue;
        }
        match &**value {
            Node::Mapping(inner) => flatten(inner, flat, depth + 1)?,
            Node::Sequence(items) => {
                for item in items.iter().rev() {
                    let Node::Mapping(inner) = &**item else {
                        return Err(
                            "ConstructorError: expected a mapping for merging, but found scalar"
                                .into(),
                        );
                    };
                    flatten(inner, flat, depth + 1)?;
                }
            }
            Node::Scalar(..) => {
                return Err("ConstructorError: expected a mapping or list of mappings for merging, but found scalar".into());
            }
        }
    }
    let own = pairs
        .iter()
        .filter(|(key, _)| !matches!(**key, Node::Scalar(_, Kind::Merge)));
    flat.extend(own.cloned());
    Ok(())
}

/// A key as JSON has it: a string.
fn key_text(key: &Node) -> Result<String, String> {
    match key {
        Node::Scalar(text, _) => Ok(text.clone()),
        Node::Sequence(_) => Err("TypeError: unhashable type: 'list'".into()),
        Node::Mapping(_) => Err("TypeError: unhashable type: 'dict'".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Result<String, String> {
        let mut json = String::new();
        documents(text, 1024, &mut json).map(|()| json)
    }

    #[test]
    fn documents_become_lines() {
        assert_eq!(
            json("a: 1\nb: [x, 'y', ~]\n").unwrap(),
            "{\"a\":1,\"b\":[\"x\",\"y\",null]}\n"
        );
        assert_eq!(
            json("--- 1\n--- on\n--- 2024-01-02\n").unwrap(),
            "1\n\"on\"\n\"2024-01-02\"\n"
        );
        assert_eq!(json("").unwrap(), "");
        assert_eq!(
            json("1: a\ntrue: b\n1: c\n").unwrap(),
            "{\"1\":\"c\",\"true\":\"b\"}\n"
        );
    }

    #[test]
    fn merges_and_aliases() {
        let text = "x: &x {a: 1, b: 2}\ny: {<<: *x, b: 3}\nz: *x\n";
        assert_eq!(
            json(text).unwrap(),
            "{\"x\":{\"a\":1,\"b\":2},\"y\":{\"a\":1,\"b\":3},\"z\":{\"a\":1,\"b\":2}}\n"
        );
    }

    #[test]
    fn what_grows_without_end_is_refused() {
        let mut text = "a0: &a0 [x]\n".to_owned();
        for level in 1..30 {
            let inner = format!("*a{}, ", level - 1).repeat(10);
            text += &format!("a{level}: &a{level} [{inner}]\n");
        }
        assert!(json(&text).unwrap_err().contains("unsafe"));
        assert!(json(&"[".repeat(5000)).is_err());
        assert!(json("a: *nope").is_err());
        assert!(json("? [a]\n: b").unwrap_err().contains("unhashable"));
    }
}
