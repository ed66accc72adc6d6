//! Subscripts: which element of which array.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::Subscript;

use super::Place;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Indexed, Value};
use crate::{arith, expand};

/// Text that names a variable or an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parsed<'t> {
    /// The variable.
    pub name: Name,
    /// What is between the brackets.
    pub subscript: Option<&'t [u8]>,
}

/// Whether it can be the name of a variable.
pub fn is_name(bytes: &[u8]) -> bool {
    let Some((first, rest)) = bytes.split_first() else {
        return false;
    };
    (first.is_ascii_alphabetic() || *first == b'_')
        && rest
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// Reads `name` or `name[subscript]`; nothing when it is neither.
pub fn parse_target(text: &[u8]) -> Option<Parsed<'_>> {
    let (name, subscript) = match text.iter().position(|byte| *byte == b'[') {
        Some(bracket) => {
            let inside = &text[bracket + 1..];
            if inside.len() < 2 || closing(inside)? != inside.len() - 1 {
                return None;
            }
            (&text[..bracket], Some(&inside[..inside.len() - 1]))
        }
        None => (text, None),
    };
    is_name(name).then(|| Parsed {
        name: Name::new(name),
        subscript,
    })
}

/// Where the bracket closes whose inside the text starts with; quotes and brackets inside are
/// skipped.
fn closing(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0u32);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' | b'"' => at += 1 + text[at + 1..].iter().position(|other| *other == byte)?,
            b'[' => depth += 1,
            b']' if depth == 0 => return Some(at),
            b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// The place that a subscript of the script means in a variable, which is no nameref. A bad one is
/// reported and `None`.
pub fn place(shell: &mut Shell, name: Name, subscript: &Subscript) -> Run<Option<Place>> {
    let Subscript::Expr { word, arith } = subscript else {
        let text: &[u8] = if matches!(subscript, Subscript::At) {
            b"@"
        } else {
            b"*"
        };
        if is_assoc(shell, name) {
            return Ok(Some(Place::Key(Text::new(text))));
        }
        return Ok(bad(shell, name, text));
    };
    if is_assoc(shell, name) {
        let key = expand::key(shell, word)?;
        if key.is_empty() {
            return Ok(bad(shell, name, &codepod_shell_syntax::print::word(word)));
        }
        return Ok(Some(Place::Key(key)));
    }
    if word.parts.is_empty() {
        return Ok(bad(shell, name, b""));
    }
    let index = arith::eval(shell, arith);
    Ok(Some(Place::Index(
        index.map_err(|stop| expand::unwound(shell, stop))?,
    )))
}

/// The place that the text of a subscript means in a variable, which is no nameref. A bad one is
/// reported and `None`.
pub fn key_or_index(shell: &mut Shell, name: Name, subscript: &[u8]) -> Run<Option<Place>> {
    if is_assoc(shell, name) {
        let key = expand::key_of_text(shell, subscript)?;
        if key.is_empty() {
            return Ok(bad(shell, name, subscript));
        }
        return Ok(Some(Place::Key(key)));
    }
    if subscript.is_empty() || subscript == b"@" || subscript == b"*" {
        return Ok(bad(shell, name, subscript));
    }
    let text = expand::text_in_quotes(shell, subscript)?;
    let index = arith::eval_text(shell, &text);
    Ok(Some(Place::Index(
        index.map_err(|stop| expand::unwound(shell, stop))?,
    )))
}

#[cold]
fn bad(shell: &Shell, name: Name, subscript: &[u8]) -> Option<Place> {
    shell.error([&*name.bytes(), b"[", subscript, b"]: bad array subscript"].concat());
    None
}

/// Whether an index, counted from the end of a variable, is before its start.
pub(crate) fn is_before_start(shell: &Shell, name: Name, index: i64) -> bool {
    index < 0
        && match &shell.state.variables.get(name).value {
            Value::Indexed(array) => from_end(array, index).is_none(),
            Value::Unset => true,
            _ => index < -1,
        }
}

/// Whether it is an associative array, also one without elements.
pub(crate) fn is_assoc(shell: &Shell, name: Name) -> bool {
    let variable = shell.state.variables.get(name);
    match variable.value {
        Value::Assoc(_) => true,
        Value::Dynamic => matches!(name, Name::BASH_ALIASES | Name::BASH_CMDS),
        _ => variable.attributes.has(Attributes::ASSOC),
    }
}

/// The index that a number means, negative ones counted from the end; nothing when that is before
/// the start.
#[inline]
pub(crate) fn from_end(array: &Indexed, index: i64) -> Option<u64> {
    if index >= 0 {
        return Some(index.unsigned_abs());
    }
    array.end().checked_sub(index.unsigned_abs())
}
