//! `unset`.

use std::rc::Rc;

use super::{Getopt, target};
use crate::assign;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// `unset [-f] [-v] [-n] [name ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let command = &arguments[0];
    let mut options = Getopt::new(arguments, "fnv");
    let (mut functions, mut variables, mut references) = (false, false, false);
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'f' => functions = true,
                b'v' => variables = true,
                _ => references = true,
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    if functions && variables {
        shell.builtin_error(
            command,
            "cannot simultaneously unset a function and a variable",
        );
        return Ok(1);
    }
    let mut status = 0;
    for operand in options.operands() {
        if functions {
            status |= function(shell, command, operand);
            continue;
        }
        let Some(parsed) = assign::parse_target(operand) else {
            // bash takes what can be no variable for a function.
            status |= if variables {
                target::invalid(shell, command, operand)
            } else {
                function(shell, command, operand)
            };
            continue;
        };
        let done = if references {
            assign::unset_nameref(shell, parsed.name)
        } else {
            let exists = shell.state.variables.get(parsed.name).exists();
            if !exists && parsed.subscript.is_none() && !variables {
                status |= function(shell, command, operand);
                continue;
            }
            assign::unset_by_text(shell, operand)?
        };
        status |= i32::from(!done);
    }
    Ok(status)
}

fn function(shell: &mut Shell, command: &[u8], name: &[u8]) -> i32 {
    match shell.state.functions.get(name) {
        None => 0,
        Some(definition) if definition.readonly => {
            shell.builtin_error(
                command,
                [name, b": cannot unset: readonly function"].concat(),
            );
            1
        }
        Some(_) => {
            Rc::make_mut(&mut shell.state.functions).remove(name);
            0
        }
    }
}
