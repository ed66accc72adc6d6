//! `export` and `readonly`.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::declare::{self, Followed};
use super::{Getopt, target};
use crate::arith;
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::options::SetOptions;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};

/// `export [-fn] [name[=value] ...]` or `export -p`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    mark(shell, arguments, Attributes::EXPORT)
}

/// `readonly [-aAf] [name[=value] ...]` or `readonly -p`
pub(super) fn run_readonly(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    mark(shell, arguments, Attributes::READONLY)
}

fn mark(shell: &mut Shell, arguments: &[Text], attribute: Attributes) -> Run<i32> {
    let command = &arguments[0];
    let mut options = Getopt::new(arguments, "aAfnp");
    let (mut functions, mut off) = (false, false);
    let mut kind = Attributes::NONE;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'a' => kind = kind.with(Attributes::INDEXED),
                b'A' => kind = kind.with(Attributes::ASSOC),
                b'f' => functions = true,
                b'n' => off = true,
                _ => {}
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Ok(if functions {
            declare::with_attributes_functions(shell, command, attribute)
        } else {
            declare::with_attributes(shell, command, attribute, kind)
        });
    }
    let name = super::find(command).map_or("export", |entry| entry.name);
    arith::named(shell, name, |shell| {
        let mut status = 0;
        for operand in operands {
            let done = if functions {
                function(shell, command, operand, attribute, off)
            } else {
                variable(shell, command, operand, attribute.with(kind), off)?
            };
            status |= i32::from(!done);
        }
        Ok(status)
    })
}

fn function(
    shell: &mut Shell,
    command: &[u8],
    name: &[u8],
    attribute: Attributes,
    off: bool,
) -> bool {
    let functions = Rc::make_mut(&mut shell.state.functions);
    let Some(definition) = functions.get_mut(name) else {
        shell.builtin_error(command, [name, b": not a function"].concat());
        return false;
    };
    if attribute.has(Attributes::EXPORT) {
        definition.exported = !off;
    } else {
        definition.readonly = true;
    }
    true
}

fn variable(
    shell: &mut Shell,
    command: &[u8],
    operand: &Text,
    attributes: Attributes,
    off: bool,
) -> Run<bool> {
    let Some(parsed) = target::parse(operand) else {
        target::invalid(shell, command, operand);
        return Ok(false);
    };
    if let Some(subscript) = parsed.subscript {
        let name = [parsed.name, b"[", subscript, b"]"].concat();
        target::invalid(shell, command, &name);
        return Ok(false);
    }
    let name = Name::new(parsed.name);
    let array = Attributes::INDEXED.with(Attributes::ASSOC);
    let mut done = true;
    if let Some(value) = parsed.value {
        if let Followed::Name(name) = declare::set_nameref_followed(shell, name)
            && attributes.any(array)
            && !shell
                .state
                .variables
                .get(name)
                .attributes
                .has(Attributes::READONLY)
        {
            let kind = attributes.without(Attributes::READONLY.with(Attributes::EXPORT));
            let variable = shell.state.variables.get_mut(name);
            if matches!(variable.value, Value::Text(_)) {
                if kind.has(Attributes::ASSOC) {
                    variable.make_assoc();
                } else {
                    variable.make_indexed();
                }
            } else if !variable.exists() {
                shell
                    .state
                    .variables
                    .change_attributes(name, kind, Attributes::NONE);
            }
        }
        trace(shell, operand, value)?;
        done = assign::set(shell, name, Place::Whole, Text::new(value), parsed.append)?;
    }
    let Followed::Name(name) = declare::set_nameref_followed(shell, name) else {
        return Ok(done);
    };
    // What was set for a command or a call only stays now.
    if shell
        .state
        .scopes
        .is_temporary(name, &shell.state.variables)
    {
        shell.state.scopes.take(name);
    }
    let mark = attributes.without(array);
    if off {
        shell
            .state
            .variables
            .change_attributes(name, Attributes::NONE, mark);
        return Ok(done);
    }
    let unset = matches!(shell.state.variables.get(name).value, Value::Unset);
    let mark = if unset {
        mark.with(Attributes::DECLARED)
    } else {
        mark
    };
    shell
        .state
        .variables
        .change_attributes(name, mark, Attributes::NONE);
    Ok(done)
}

/// bash traces the assignment a second time.
fn trace(shell: &mut Shell, operand: &[u8], value: &[u8]) -> Run {
    if !shell.state.set.has(SetOptions::XTRACE) {
        return Ok(());
    }
    let mut line = operand[..operand.len() - value.len()].to_vec();
    quote::traced_value(value, &mut line);
    crate::expand::trace(shell, line)
}
