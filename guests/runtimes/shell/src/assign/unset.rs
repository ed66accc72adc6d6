//! `unset` of variables and elements.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::{parse_target, subscript};
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Target, Value, Variable, resolve};
use crate::{arith, expand, special};

/// `unset name`, `unset name[subscript]`, with namerefs followed. Problems are reported as `unset`
/// does; the result says whether there was none. Text that is no name is not reported and
/// `Ok(false)`.
pub fn unset_by_text(shell: &mut Shell, text: &[u8]) -> Run<bool> {
    let Some(parsed) = parse_target(text) else {
        return Ok(false);
    };
    match (
        parsed.subscript,
        resolve(&shell.state.variables, parsed.name),
    ) {
        (None, Target::Variable(name) | Target::Unset(name)) => Ok(unset(shell, name)),
        (None, Target::Element(name, subscript)) => element(shell, name, &subscript),
        (Some(subscript), Target::Variable(name)) => element(shell, name, subscript),
        (_, Target::Circle) => Ok(unset(shell, parsed.name)),
        _ => Ok(false),
    }
}

/// `unset -n name`: the nameref itself. Says whether it may go.
pub fn unset_nameref(shell: &mut Shell, name: Name) -> bool {
    let attributes = shell.state.variables.get(name).attributes;
    if !attributes.has(Attributes::NAMEREF) && !attributes.has(Attributes::READONLY) {
        return true;
    }
    unset(shell, name)
}

/// Unsets a variable, whatever it is. A readonly one is reported and `false`.
///
/// A local of the function that runs stays local and is unset; one of a caller goes, and what it
/// hid shows again.
pub fn unset(shell: &mut Shell, name: Name) -> bool {
    let variable = shell.state.variables.get(name);
    if variable.attributes.has(Attributes::READONLY) {
        shell.builtin_error(
            "unset",
            [&*name.bytes(), b": cannot unset: readonly variable"].concat(),
        );
        return false;
    }
    if !variable.exists() && !shell.state.scopes.has(name) {
        return true;
    }
    let mut left = Variable::NONE;
    let own = variable.attributes.has(Attributes::LOCAL) && shell.state.scopes.is_own(name);
    let keeps = shell.state.shopt.has(ShellOptions::LOCALVAR_UNSET);
    if own || keeps && shell.state.scopes.has(name) {
        let exported = variable.attributes.has(Attributes::EXPORT);
        let kept = if exported {
            Attributes::EXPORT
        } else {
            Attributes::NONE
        };
        left.attributes = Attributes::LOCAL.with(kept);
    } else if let Some(saved) = shell.state.scopes.take(name) {
        left = saved;
    }
    shell.state.variables.replace(name, left);
    if name.is_well_known() {
        special::assigned(shell, name);
    }
    true
}

/// `unset name[subscript]`
fn element(shell: &mut Shell, name: Name, text: &[u8]) -> Run<bool> {
    let variable = shell.state.variables.get(name);
    if variable.attributes.has(Attributes::READONLY) {
        shell.builtin_error(
            "unset",
            [&*name.bytes(), b": cannot unset: readonly variable"].concat(),
        );
        return Ok(false);
    }
    let all = text == b"@" || text == b"*";
    let arrays = Attributes::INDEXED.with(Attributes::ASSOC);
    match &variable.value {
        Value::Unset if !variable.exists() => Ok(true),
        Value::Assoc(_) => {
            let key = expand::key_of_text(shell, text)?;
            if let Value::Assoc(array) = &mut shell.state.variables.get_mut(name).value {
                Rc::make_mut(array).remove(&key);
            }
            Ok(true)
        }
        Value::Indexed(_) if all => {
            shell.state.variables.get_mut(name).value = Value::Indexed(Rc::default());
            Ok(true)
        }
        Value::Unset | Value::Text(_) if !variable.attributes.any(arrays) => {
            if !all && index(shell, text)? == 0 {
                return Ok(unset(shell, name));
            }
            shell.builtin_error(
                "unset",
                [&*name.bytes(), b": not an array variable"].concat(),
            );
            Ok(false)
        }
        _ => {
            let index = index(shell, text)?;
            let Value::Indexed(array) = &mut shell.state.variables.get_mut(name).value else {
                return Ok(true);
            };
            let Some(at) = subscript::from_end(array, index) else {
                shell.builtin_error(
                    "unset",
                    [b"[", &*Text::number(index), b"]: bad array subscript"].concat(),
                );
                return Ok(false);
            };
            Rc::make_mut(array).remove(at);
            Ok(true)
        }
    }
}

fn index(shell: &mut Shell, text: &[u8]) -> Run<i64> {
    let text = expand::text_in_quotes(shell, text)?;
    arith::eval_text(shell, &text).map_err(|stop| expand::unwound(shell, stop))
}
