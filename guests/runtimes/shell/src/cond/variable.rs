//! `-v` and `-R`.

use codepod_shell_syntax::Name;

use crate::flow::Run;
use crate::shell::Shell;
use crate::variables::{Attributes, Value};
use crate::{arith, assign, builtins, expand};

/// How many references may follow one another.
const REFERENCES: usize = 8;

/// Whether a variable, an element (`a[1]`, `m[key]`, `a[@]`) or a positional parameter is set.
pub fn is_set(shell: &mut Shell, text: &[u8], expands: bool) -> Run<bool> {
    if let Some(open) = text.iter().position(|byte| *byte == b'[') {
        let (name, rest) = text.split_at(open);
        let inside = rest[1..].strip_suffix(b"]").filter(|key| !key.is_empty());
        return match inside {
            Some(key) if builtins::is_name(name) => element(shell, name, key, expands),
            _ => Ok(false),
        };
    }
    if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
        let number = builtins::number(text).and_then(|number| usize::try_from(number).ok());
        return Ok(number.is_some_and(|number| number <= shell.state.positional.len()));
    }
    let Some(name) = Name::known(text) else {
        return Ok(false);
    };
    Ok(assign::get(shell, name).is_some())
}

fn element(shell: &mut Shell, name: &[u8], key: &[u8], expands: bool) -> Run<bool> {
    let Some(name) = resolve(shell, Name::new(name)) else {
        return Ok(false);
    };
    if let Value::Assoc(array) = assign::value(shell, name) {
        if !expands {
            return Ok(array.get(key).is_some());
        }
        let key = expand::key_of_text(shell, key)?;
        return Ok(array.get(&key).is_some());
    }
    if let b"@" | b"*" = key {
        return Ok(match assign::value(shell, name) {
            Value::Indexed(array) => !array.is_empty(),
            Value::Unset => false,
            _ => true,
        });
    }
    let index = if expands {
        let text = expand::text_in_quotes(shell, key)?;
        arith::eval_text(shell, &text)?
    } else {
        arith::eval_text(shell, key)?
    };
    let value = assign::value(shell, name);
    let end = match &value {
        Value::Indexed(array) => array.end() as i64,
        _ => 0,
    };
    let Ok(place) = u64::try_from(if index < 0 {
        index.saturating_add(end)
    } else {
        index
    }) else {
        shell.error([&name.bytes()[..], b": bad array subscript"].concat());
        return Ok(false);
    };
    Ok(match value {
        Value::Indexed(array) => array.get(place).is_some(),
        Value::Unset => false,
        _ => place == 0,
    })
}

/// The variable that a name means after references are followed.
fn resolve(shell: &Shell, name: Name) -> Option<Name> {
    let mut name = name;
    for _ in 0..REFERENCES {
        let variable = shell.state.variables.get(name);
        if !variable.attributes.has(Attributes::NAMEREF) {
            return Some(name);
        }
        name = Name::known(variable.scalar()?)?;
    }
    None
}

/// `-R`: whether it is a reference that refers to something.
pub(super) fn is_reference(shell: &Shell, text: &[u8]) -> bool {
    Name::known(text).is_some_and(|name| {
        let variable = shell.state.variables.get(name);
        variable.attributes.has(Attributes::NAMEREF) && variable.scalar().is_some()
    })
}
