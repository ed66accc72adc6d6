//! Setting a whole array, for `read -a` and `mapfile`.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::is_name;
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Indexed, Value};

/// Attributes that change what is assigned.
const CHANGING: Attributes = Attributes::INTEGER
    .with(Attributes::LOWER)
    .with(Attributes::UPPER)
    .with(Attributes::CAPITAL);

/// The variable to be filled: references are followed. None, with bash's message, when it cannot be
/// an indexed array.
pub(super) fn target(shell: &mut Shell, command: &[u8], name: &[u8]) -> Option<Name> {
    if !is_name(name) {
        shell.builtin_error(command, [b"`", name, b"': not a valid identifier"].concat());
        return None;
    }
    let mut found = Name::new(name);
    for _ in 0..8 {
        let variable = shell.state.variables.get(found);
        match variable.scalar() {
            Some(next) if variable.attributes.has(Attributes::NAMEREF) => found = Name::new(next),
            _ => break,
        }
    }
    let variable = shell.state.variables.get(found);
    if variable.attributes.has(Attributes::READONLY) {
        shell.error([&found.bytes()[..], b": readonly variable"].concat());
        return None;
    }
    if matches!(variable.value, Value::Assoc(_)) || variable.attributes.has(Attributes::ASSOC) {
        shell.builtin_error(
            command,
            [&found.bytes()[..], b": not an indexed array"].concat(),
        );
        return None;
    }
    Some(found)
}

/// Empties an array, or makes it one.
pub(super) fn clear(shell: &mut Shell, name: Name) {
    let variable = shell.state.variables.get_mut(name);
    variable.value = Value::Indexed(Rc::default());
    variable.attributes = variable.attributes.with(Attributes::INDEXED);
}

/// Sets one element.
pub(super) fn set(shell: &mut Shell, name: Name, index: u64, value: Text) -> Run<bool> {
    let variable = shell.state.variables.get_mut(name);
    if !variable.attributes.any(CHANGING)
        && let Value::Indexed(array) = &mut variable.value
    {
        Rc::make_mut(array).set(index, value);
        return Ok(true);
    }
    assign::set(shell, name, Place::Index(index as i64), value, false)
}

/// Sets a whole array; false, with bash's message, when it cannot be set.
pub(super) fn replace(
    shell: &mut Shell,
    command: &[u8],
    name: &[u8],
    values: Vec<Text>,
) -> Run<bool> {
    let Some(name) = target(shell, command, name) else {
        return Ok(false);
    };
    clear(shell, name);
    fill(shell, name, values)
}

/// Gives an array that [`clear`] has emptied its elements.
pub(super) fn fill(shell: &mut Shell, name: Name, values: Vec<Text>) -> Run<bool> {
    if !shell.state.variables.get(name).attributes.any(CHANGING) {
        let array: Indexed = values.into_iter().collect();
        shell.state.variables.get_mut(name).value = Value::Indexed(Rc::new(array));
        return Ok(true);
    }
    for (index, value) in values.into_iter().enumerate() {
        if !set(shell, name, index as u64, value)? {
            return Ok(false);
        }
    }
    Ok(true)
}
