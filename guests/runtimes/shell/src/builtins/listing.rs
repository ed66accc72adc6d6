//! Variables and functions as `declare -p`, `set` and their relatives print them.

use std::rc::Rc;

use codepod_shell_syntax::{Name, print};

use crate::assign;
use crate::quote;
use crate::shell::Shell;
use crate::state::Definition;
use crate::text::Text;
use crate::variables::{Attributes, Value, Variable};

/// The letters of attributes in the order in which bash prints them.
const LETTERS: [(u8, Attributes); 10] = [
    (b'a', Attributes::INDEXED),
    (b'A', Attributes::ASSOC),
    (b'i', Attributes::INTEGER),
    (b'n', Attributes::NAMEREF),
    (b'r', Attributes::READONLY),
    (b't', Attributes::TRACE),
    (b'x', Attributes::EXPORT),
    (b'c', Attributes::CAPITAL),
    (b'l', Attributes::LOWER),
    (b'u', Attributes::UPPER),
];

/// The letters of a variable's attributes: `aix`. Empty when it has none.
pub fn letters(variable: &Variable) -> Vec<u8> {
    let attributes = attributes(variable);
    LETTERS
        .iter()
        .filter(|(_, attribute)| attributes.has(*attribute))
        .map(|(letter, _)| *letter)
        .collect()
}

/// The attributes, those that follow from the value included.
pub(super) fn attributes(variable: &Variable) -> Attributes {
    match variable.value {
        Value::Indexed(_) => variable.attributes.with(Attributes::INDEXED),
        Value::Assoc(_) => variable.attributes.with(Attributes::ASSOC),
        _ => variable.attributes,
    }
}

/// A variable with its value computed if it is dynamic.
pub(super) fn current(shell: &mut Shell, name: Name) -> Variable {
    let attributes = shell.state.variables.get(name).attributes;
    Variable {
        value: assign::value(shell, name),
        attributes,
    }
}

/// A variable in a list of all: bash computes dynamic ones only when they are asked for by name.
fn in_list(shell: &mut Shell, name: Name) -> Variable {
    let mut variable = current(shell, name);
    if matches!(shell.state.variables.get(name).value, Value::Dynamic) {
        match name {
            Name::BASHPID
            | Name::BASH_ARGV0
            | Name::BASH_COMMAND
            | Name::BASH_SUBSHELL
            | Name::COMP_WORDBREAKS
            | Name::EPOCHREALTIME
            | Name::EPOCHSECONDS
            | Name::HISTCMD
            | Name::LINENO
            | Name::RANDOM
            | Name::SECONDS
            | Name::SRANDOM => variable.value = Value::Unset,
            Name::BASH_ARGC | Name::DIRSTACK | Name::GROUPS => {
                variable.value = Value::Indexed(Rc::default())
            }
            _ => {}
        }
    }
    variable
}

/// Appends `declare -x name="value"` and a newline, in a list of all.
pub(super) fn declaration_in_list(shell: &mut Shell, name: Name, out: &mut Vec<u8>) {
    let variable = in_list(shell, name);
    declare(name, &variable, out);
}

/// Appends `declare -x name="value"` and a newline.
pub fn declaration(shell: &mut Shell, name: Name, out: &mut Vec<u8>) {
    let variable = current(shell, name);
    declare(name, &variable, out);
}

fn declare(name: Name, variable: &Variable, out: &mut Vec<u8>) {
    let letters = letters(variable);
    out.extend_from_slice(b"declare -");
    out.extend_from_slice(if letters.is_empty() { b"-" } else { &letters });
    out.push(b' ');
    out.extend_from_slice(&name.bytes());
    if !matches!(variable.value, Value::Unset) {
        out.push(b'=');
        value(&variable.value, quote::declared, out);
    }
    out.push(b'\n');
}

/// Appends a value: a string in the given style, an array as [`array`] does.
pub fn value(value: &Value, style: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
    match value {
        Value::Text(text) => style(text, out),
        value => array(value, out),
    }
}

/// Appends an array as `([0]="1" [1]="2")`; nothing for what is none.
pub fn array(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Unset | Value::Dynamic | Value::Text(_) => {}
        Value::Indexed(array) => {
            out.push(b'(');
            for (count, (index, element)) in array.iter().enumerate() {
                if count > 0 {
                    out.push(b' ');
                }
                out.push(b'[');
                out.extend_from_slice(&Text::number(index.cast_signed()));
                out.extend_from_slice(b"]=");
                quote::declared(element, out);
            }
            out.push(b')');
        }
        Value::Assoc(array) => {
            out.push(b'(');
            for (key, element) in array.iter() {
                out.push(b'[');
                quote::key(key, out);
                out.extend_from_slice(b"]=");
                quote::declared(element, out);
                out.push(b' ');
            }
            out.push(b')');
        }
    }
}

/// Appends `name=value` and a newline for every variable that is set, as `set` does.
pub(super) fn variables(shell: &mut Shell, out: &mut Vec<u8>) {
    for name in shell.state.variables.names() {
        let variable = in_list(shell, name);
        if matches!(variable.value, Value::Unset) {
            continue;
        }
        out.extend_from_slice(&name.bytes());
        out.push(b'=');
        value(&variable.value, quote::listed, out);
        out.push(b'\n');
    }
}

/// Appends the definition of a function and a newline.
pub(super) fn function(definition: &Definition, out: &mut Vec<u8>) {
    out.extend_from_slice(&print::function(definition.function()));
    if out.last() != Some(&b'\n') {
        out.push(b'\n');
    }
}

/// Appends `declare -fx name` and a newline.
pub(super) fn function_name(name: &[u8], definition: &Definition, out: &mut Vec<u8>) {
    out.extend_from_slice(b"declare -f");
    for (letter, has) in [
        (b'r', definition.readonly),
        (b't', definition.traced),
        (b'x', definition.exported),
    ] {
        if has {
            out.push(letter);
        }
    }
    out.push(b' ');
    out.extend_from_slice(name);
    out.push(b'\n');
}

/// Appends every function that `wanted` takes: its definition, unless only names are asked for, and
/// the line with its attributes where it has some or where only names are asked for.
pub(super) fn functions(
    shell: &Shell,
    names_only: bool,
    wanted: impl Fn(&Definition) -> bool,
    out: &mut Vec<u8>,
) {
    for (name, definition) in shell.state.functions.iter() {
        if !wanted(definition) {
            continue;
        }
        if !names_only {
            function(definition, out);
        }
        let attributes = definition.readonly || definition.traced || definition.exported;
        if names_only || attributes {
            function_name(name, definition, out);
        }
    }
}
