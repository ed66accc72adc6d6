//! `declare -f` and `declare -F` with names.

use std::rc::Rc;

use super::Options;
use crate::builtins::{listing, print};
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Attributes;

/// Prints functions, or gives them attributes. Returns the status.
pub(super) fn declare(shell: &mut Shell, command: &[u8], names: &[Text], options: Options) -> i32 {
    let others = [
        (Attributes::INDEXED, "-a: invalid option"),
        (Attributes::ASSOC, "-A: invalid option"),
        (Attributes::INTEGER, "-i: invalid option"),
        (Attributes::NAMEREF, "-n: invalid option"),
    ];
    if let Some((_, message)) = others.iter().find(|(other, _)| options.on.any(*other)) {
        shell.builtin_error(command, message);
        return 1;
    }
    let mut status = 0;
    for name in names {
        if name.contains(&b'=') {
            shell.builtin_error(command, "cannot use `-f' to make functions");
            return 1;
        }
        if options.on == Attributes::NONE && options.off == Attributes::NONE {
            status |= show(shell, command, name, options);
        } else {
            status |= change(shell, command, name, options);
        }
    }
    status
}

/// Prints a function. A missing one is only a status.
pub(super) fn show(shell: &Shell, command: &[u8], name: &[u8], options: Options) -> i32 {
    let Some(definition) = shell.state.functions.get(name) else {
        return 1;
    };
    let mut out = Vec::new();
    if !options.names_only {
        listing::function(definition, &mut out);
    } else if options.print {
        listing::function_name(name, definition, &mut out);
    } else {
        out.extend_from_slice(name);
        if shell.state.shopt.has(ShellOptions::EXTDEBUG) {
            out.push(b' ');
            let line = definition.function().body.line;
            out.extend_from_slice(&Text::number(i64::from(line)));
            out.push(b' ');
            out.extend_from_slice(&definition.source);
        }
        out.push(b'\n');
    }
    print(shell, command, &out)
}

fn change(shell: &mut Shell, command: &[u8], name: &[u8], options: Options) -> i32 {
    let functions = Rc::make_mut(&mut shell.state.functions);
    let Some(definition) = functions.get_mut(name) else {
        return 1;
    };
    if definition.readonly && options.off.has(Attributes::READONLY) {
        shell.builtin_error(command, [name, b": readonly function"].concat());
        return 1;
    }
    for (attribute, flag) in [
        (Attributes::READONLY, &mut definition.readonly),
        (Attributes::TRACE, &mut definition.traced),
        (Attributes::EXPORT, &mut definition.exported),
    ] {
        *flag = *flag && !options.off.has(attribute) || options.on.has(attribute);
    }
    0
}
