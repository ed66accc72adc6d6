//! Assignments before a command, for it alone.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Assign, AssignValue, Element};

use super::compound::subscript_text;
use super::trace;
use crate::flow::Run;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Target, Value, Variable, resolve};
use crate::{arith, expand, special};

/// Runs an assignment before a command: the variable is a string and exported until the innermost
/// scope is closed, whatever it was before. A list is taken as its text. A readonly variable is
/// reported and stays as it is: `Ok(false)`.
pub fn temporary(shell: &mut Shell, assign: &Assign) -> Run<bool> {
    let name = target(shell, assign.name);
    let mut value = match &assign.value {
        AssignValue::Word(word) => expand::assigned(shell, word)?,
        AssignValue::Array(list) => text_of(shell, list)?,
    };
    if let Some(subscript) = &assign.subscript {
        let text = subscript_text(subscript);
        shell.error(
            [
                b"`",
                &*name.bytes(),
                b"[",
                &*text,
                b"]': not a valid identifier",
            ]
            .concat(),
        );
        return Ok(false);
    }
    let attributes = shell.state.variables.get(name).attributes;
    if attributes.has(Attributes::READONLY) {
        shell.error([&*name.bytes(), b": readonly variable"].concat());
        return Ok(false);
    }
    if assign.append {
        let mut all = shell
            .state
            .variables
            .get(name)
            .scalar()
            .cloned()
            .unwrap_or_default();
        if attributes.has(Attributes::INTEGER) {
            let (old, new) = (
                arith::eval_text(shell, &all)?,
                arith::eval_text(shell, &value)?,
            );
            value = Text::number(old.wrapping_add(new));
        } else {
            all.push(&value);
            value = all;
        }
    }
    if shell.state.set.has(SetOptions::XTRACE) {
        trace::temporary(shell, assign, &value)?;
    }
    shell.state.scopes.save(name, false, &shell.state.variables);
    let variable = Variable {
        value: Value::Text(value),
        attributes: Attributes::EXPORT,
    };
    shell.state.variables.replace(name, variable);
    if name.is_well_known() {
        special::assigned(shell, name);
    }
    Ok(true)
}

/// A list as a string, with its words expanded.
fn text_of(shell: &mut Shell, list: &[Element]) -> Run<Text> {
    let mut text = Text::from("(");
    for (number, element) in list.iter().enumerate() {
        if number > 0 {
            text.push(b" ");
        }
        if let Some(subscript) = &element.subscript {
            text.push(b"[");
            text.push(&subscript_text(subscript));
            text.push(if element.append { b"]+=" } else { b"]=" });
        }
        text.push(&expand::assigned(shell, &element.value)?);
    }
    text.push(b")");
    Ok(text)
}

/// The variable that is meant.
fn target(shell: &Shell, name: Name) -> Name {
    match resolve(&shell.state.variables, name) {
        Target::Variable(name) => name,
        _ => name,
    }
}
