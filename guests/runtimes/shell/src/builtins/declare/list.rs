//! Listing variables and functions.

use codepod_shell_syntax::Name;

use super::{Options, functions};
use crate::builtins::{listing, print};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::state::Definition;
use crate::text::Text;
use crate::variables::Attributes;

/// What `declare` and its relatives print without names.
pub(super) fn all(shell: &mut Shell, command: &[u8], options: Options) -> i32 {
    let mut out = Vec::new();
    if options.local && !options.functions {
        let mut names = shell.state.scopes.locals(&shell.state.variables);
        names.retain(|name| wanted(shell, *name, options.on));
        crate::sort::by_key(&mut names, |name| name.bytes());
        for name in names {
            listing::declaration(shell, name, &mut out);
        }
    } else if options.functions {
        listing::functions(
            shell,
            options.names_only,
            |definition| has(definition, options.on),
            &mut out,
        );
    } else if options.print || options.on != Attributes::NONE {
        declarations(shell, options.on, &mut out);
    } else {
        listing::variables(shell, &mut out);
        if !shell.state.set.has(SetOptions::POSIX) {
            for definition in shell.state.functions.values() {
                listing::function(definition, &mut out);
            }
        }
    }
    print(shell, command, &out)
}

/// Whether a variable has any of the attributes, or none are asked for.
fn wanted(shell: &Shell, name: Name, any: Attributes) -> bool {
    let variable = shell.state.variables.get(name);
    variable.exists() && (any == Attributes::NONE || listing::attributes(variable).any(any))
}

fn has(definition: &Definition, any: Attributes) -> bool {
    any == Attributes::NONE
        || any.has(Attributes::EXPORT) && definition.exported
        || any.has(Attributes::READONLY) && definition.readonly
        || any.has(Attributes::TRACE) && definition.traced
}

fn declarations(shell: &mut Shell, any: Attributes, out: &mut Vec<u8>) {
    for name in shell.state.variables.names() {
        if wanted(shell, name, any) {
            listing::declaration_in_list(shell, name, out);
        }
    }
}

/// `declare -p name ...`
pub(super) fn named(shell: &mut Shell, command: &[u8], names: &[Text], options: Options) -> i32 {
    let mut status = 0;
    for name in names {
        if options.functions {
            if functions::show(shell, command, name, options) != 0 {
                shell.builtin_error(command, [name, &b": not found"[..]].concat());
                status = 1;
            }
            continue;
        }
        let known = Name::known(name).filter(|name| shell.state.variables.get(*name).exists());
        let Some(known) = known else {
            shell.builtin_error(command, [name, &b": not found"[..]].concat());
            status = 1;
            continue;
        };
        let mut out = Vec::new();
        listing::declaration(shell, known, &mut out);
        status |= print(shell, command, &out);
    }
    status
}

/// `export -p` and `readonly -p`: the variables that have `all` and, where `any` is asked for, one
/// of those.
pub(in super::super) fn with_attributes(
    shell: &mut Shell,
    command: &[u8],
    all: Attributes,
    any: Attributes,
) -> i32 {
    let posix = shell.state.set.has(SetOptions::POSIX);
    let mut out = Vec::new();
    for name in shell.state.variables.names() {
        let attributes = listing::attributes(shell.state.variables.get(name));
        if !attributes.has(all) || any != Attributes::NONE && !attributes.any(any) {
            continue;
        }
        let start = out.len();
        listing::declaration(shell, name, &mut out);
        if posix {
            posix_form(command, start, &mut out);
        }
    }
    print(shell, command, &out)
}

/// Turns `declare -ax name=…` into `export -a name=…`.
fn posix_form(command: &[u8], start: usize, out: &mut Vec<u8>) {
    let line = out.split_off(start);
    let rest = line.strip_prefix(b"declare -").unwrap_or(&line);
    let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(0);
    let (letters, rest) = rest.split_at(end);
    out.extend_from_slice(command);
    let kind: Vec<u8> = letters
        .iter()
        .copied()
        .filter(|letter| matches!(letter, b'a' | b'A'))
        .collect();
    if !kind.is_empty() {
        out.extend_from_slice(b" -");
        out.extend_from_slice(&kind);
    }
    out.extend_from_slice(rest);
}

/// `export -f` and `readonly -f` without names.
pub(in super::super) fn with_attributes_functions(
    shell: &Shell,
    command: &[u8],
    all: Attributes,
) -> i32 {
    let mut out = Vec::new();
    listing::functions(shell, false, |definition| has(definition, all), &mut out);
    print(shell, command, &out)
}
