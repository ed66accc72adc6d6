//! Declaring one variable.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::Options;
use crate::assign::{self, Place, is_name};
use crate::builtins::target::{self, Target};
use crate::flow::Run;
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{self, Attributes, Value, Variable, resolve};

/// Declares what an argument names, and assigns its value. False when that failed; then a message
/// is printed.
pub(super) fn declare(
    shell: &mut Shell,
    command: &Text,
    argument: &Text,
    options: Options,
) -> Run<bool> {
    if options.local && &**argument == b"-" {
        let set = shell.state.set;
        shell.state.scopes.save_options(set);
        return Ok(true);
    }
    let Some(target) = target::parse(argument) else {
        target::invalid(shell, command, argument);
        return Ok(false);
    };
    let name = Name::new(target.name);
    let in_function = shell.state.scopes.in_function();
    if !in_function {
        return in_scope(shell, command, name, target, options);
    }
    if options.global {
        return globally(shell, name, |shell| {
            in_scope(shell, command, name, target, options)
        });
    }
    let name = local_meant(shell, name, options);
    if !make_local(shell, name, options.inherit) {
        refuse(shell, command, name, ": readonly variable");
        return Ok(false);
    }
    let kinds = Attributes::INDEXED.with(Attributes::ASSOC);
    let array = options.on.any(kinds) || target.subscript.is_some();
    if array && !options.on.has(Attributes::NAMEREF) {
        forget_scalar(shell, name, options);
    }
    in_scope(shell, command, name, target, options)
}

/// The variable that `local` makes: where the name is a nameref of the running function, what that
/// refers to.
fn local_meant(shell: &Shell, name: Name, options: Options) -> Name {
    let itself = options.on.with(options.off).has(Attributes::NAMEREF);
    let variable = shell.state.variables.get(name);
    if itself || !variable.attributes.has(Attributes::NAMEREF) || !shell.state.scopes.is_own(name) {
        return name;
    }
    match set_nameref_followed(shell, name) {
        Followed::Name(meant) => meant,
        Followed::Other => name,
    }
}

/// A local string that becomes an array loses its value.
pub(super) fn forget_scalar(shell: &mut Shell, name: Name, options: Options) {
    let variable = shell.state.variables.get(name);
    if matches!(variable.value, Value::Text(_)) && !variable.attributes.has(Attributes::READONLY) {
        shell.state.variables.get_mut(name).value = if options.on.has(Attributes::ASSOC) {
            Value::Assoc(Rc::default())
        } else {
            Value::Indexed(Rc::default())
        };
    }
}

/// Runs something with the global variable of a name in place of the local one.
pub(super) fn globally<T>(
    shell: &mut Shell,
    name: Name,
    run: impl FnOnce(&mut Shell) -> Run<T>,
) -> Run<T> {
    let Some(hidden) = shell.state.scopes.global_mut(name) else {
        return run(shell);
    };
    let global = std::mem::take(hidden);
    let visible = shell.state.variables.replace(name, global);
    let result = run(shell);
    let global = shell.state.variables.replace(name, visible);
    if let Some(hidden) = shell.state.scopes.global_mut(name) {
        *hidden = global;
    }
    result
}

/// Makes a variable local to the running function, unless it is already. False when a global one is
/// readonly.
pub(super) fn make_local(shell: &mut Shell, name: Name, inherit: bool) -> bool {
    let state = &mut shell.state;
    if state.scopes.is_own(name) {
        let variables = &mut state.variables;
        variables.change_attributes(name, Attributes::LOCAL, Attributes::NONE);
        return true;
    }
    let old = state.variables.get(name);
    if old.attributes.has(Attributes::READONLY) && !state.scopes.has(name) {
        return false;
    }
    let inherit = inherit || state.shopt.has(ShellOptions::LOCALVAR_INHERIT);
    let keeps_value = inherit || state.scopes.is_temporary(name, &state.variables);
    let value = match &old.value {
        Value::Dynamic => Value::Unset,
        value if keeps_value => value.clone(),
        _ => Value::Unset,
    };
    let kept = if inherit {
        old.attributes
            .without(Attributes::NAMEREF.with(Attributes::READONLY))
    } else if old.attributes.has(Attributes::EXPORT) {
        Attributes::EXPORT
    } else {
        Attributes::NONE
    };
    if name == Name::OPTIND {
        state.scopes.save_getopts(state.getopts);
        state.getopts = 0;
    }
    state.scopes.save(name, true, &state.variables);
    let variable = Variable {
        value,
        attributes: kept.with(Attributes::LOCAL),
    };
    state.variables.replace(name, variable);
    true
}

#[cold]
fn refuse(shell: &Shell, command: &[u8], name: Name, message: &str) -> bool {
    shell.builtin_error(command, [&*name.bytes(), message.as_bytes()].concat());
    false
}

/// Declares in the scope that the variable table shows.
fn in_scope(
    shell: &mut Shell,
    command: &Text,
    name: Name,
    target: Target<'_>,
    options: Options,
) -> Run<bool> {
    if options.on.has(Attributes::NAMEREF) {
        return Ok(nameref(shell, command, name, target, options));
    }
    let written = name;
    let mut name = name;
    if !options.off.has(Attributes::NAMEREF) {
        match set_nameref_followed(shell, name) {
            Followed::Name(meant) => name = meant,
            // The attributes of an element are nobody's; its value can be set.
            Followed::Other => {
                return match target.value {
                    Some(value) => {
                        let value = Text::new(value);
                        assign::set(shell, name, Place::Whole, value, target.append)
                    }
                    None => Ok(true),
                };
            }
        }
    }
    if !check(shell, command, (name, written), target, options) {
        return Ok(false);
    }
    let array = target.subscript.is_some() && !options.on.has(Attributes::ASSOC);
    let on = if array && !is_array(shell.state.variables.get(name)) {
        options.on.with(Attributes::INDEXED)
    } else {
        options.on
    };
    let nothing = on == Attributes::NONE && options.off == Attributes::NONE;
    match target.value {
        None => {
            change(shell, name, on.with(Attributes::DECLARED), options.off);
            if name.is_well_known() {
                crate::special::assigned(shell, name);
            }
            return Ok(true);
        }
        Some(_) if nothing => {}
        Some(_) => change(shell, name, on.without(Attributes::READONLY), options.off),
    }
    let done = value(shell, name, target)?;
    if on.has(Attributes::READONLY) {
        let variables = &mut shell.state.variables;
        variables.change_attributes(name, Attributes::READONLY, Attributes::NONE);
    }
    Ok(done)
}

/// Where a name leads.
pub(in super::super) enum Followed {
    /// To this variable: itself, or what it refers to.
    Name(Name),
    /// To an element, in a circle, or to nothing yet.
    Other,
}

/// Follows namerefs to a variable.
pub(in super::super) fn set_nameref_followed(shell: &Shell, name: Name) -> Followed {
    match resolve(&shell.state.variables, name) {
        variables::Target::Variable(name) => Followed::Name(name),
        _ => Followed::Other,
    }
}

fn is_array(variable: &Variable) -> bool {
    let kinds = Attributes::INDEXED.with(Attributes::ASSOC);
    matches!(variable.value, Value::Indexed(_) | Value::Assoc(_)) || variable.attributes.any(kinds)
}

pub(super) fn is_assoc(variable: &Variable) -> bool {
    matches!(variable.value, Value::Assoc(_)) || variable.attributes.has(Attributes::ASSOC)
}

/// Refuses what cannot be. Messages have the name as it was written.
fn check(
    shell: &Shell,
    command: &[u8],
    (meant, name): (Name, Name),
    target: Target<'_>,
    options: Options,
) -> bool {
    let variable = shell.state.variables.get(meant);
    let readonly = variable.attributes.has(Attributes::READONLY);
    if readonly && (target.value.is_some() || options.off.has(Attributes::READONLY)) {
        return refuse(shell, command, name, ": readonly variable");
    }
    if is_array(variable) {
        let kinds = Attributes::INDEXED.with(Attributes::ASSOC);
        if options.off.any(kinds) {
            let message = ": cannot destroy array variables in this way";
            return refuse(shell, command, name, message);
        }
        if options.on.has(Attributes::ASSOC) && !is_assoc(variable) {
            let message = ": cannot convert indexed to associative array";
            return refuse(shell, command, name, message);
        }
        if options.on.has(Attributes::INDEXED) && is_assoc(variable) {
            let message = ": cannot convert associative to indexed array";
            return refuse(shell, command, name, message);
        }
    }
    true
}

/// Changes the attributes. A scalar that becomes an array keeps its value as an element.
fn change(shell: &mut Shell, name: Name, mut on: Attributes, off: Attributes) {
    let mut off = off;
    let cases = [Attributes::LOWER, Attributes::UPPER, Attributes::CAPITAL];
    if cases.iter().filter(|case| on.has(**case)).count() > 1 {
        on = on.without(Attributes::CASE);
    }
    if on.any(Attributes::CASE) {
        off = off.with(Attributes::CASE.without(on));
    }
    // What an array is follows from its value.
    let variables = &mut shell.state.variables;
    let variable = variables.get_mut(name);
    if matches!(variable.value, Value::Text(_)) {
        if on.has(Attributes::ASSOC) {
            variable.make_assoc();
        } else if on.has(Attributes::INDEXED) {
            variable.make_indexed();
        }
    }
    variables.change_attributes(name, on, off);
}

/// Assigns the value of an argument.
fn value(shell: &mut Shell, name: Name, target: Target<'_>) -> Run<bool> {
    let Some(bytes) = target.value else {
        return Ok(true);
    };
    let place = match target.subscript {
        Some(subscript) => match assign::key_or_index(shell, name, subscript)? {
            Some(place) => place,
            None => return Ok(false),
        },
        None => {
            let compound = bytes.starts_with(b"(") && bytes.ends_with(b")");
            if compound && is_array(shell.state.variables.get(name)) {
                return assign::elements_of_text(shell, name, bytes, target.append);
            }
            Place::Whole
        }
    };
    assign::set(shell, name, place, Text::new(bytes), target.append)
}

/// `declare -n`
fn nameref(
    shell: &mut Shell,
    command: &Text,
    name: Name,
    target: Target<'_>,
    options: Options,
) -> bool {
    if let Some(subscript) = target.subscript {
        let message: [&[u8]; 4] = [
            target.name,
            b"[",
            subscript,
            b"]: reference variable cannot be an array",
        ];
        shell.builtin_error(command, message.concat());
        return false;
    }
    let variable = shell.state.variables.get(name);
    let old = match &variable.value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    let value = match (target.value, old) {
        (Some(value), Some(old)) if target.append => Some(Text::from([&*old, value].concat())),
        (Some(value), _) => Some(Text::new(value)),
        (None, old) => old,
    };
    if let Some(value) = &value {
        if value.starts_with(b"(") {
            return refuse(
                shell,
                command,
                name,
                ": reference variable cannot be an array",
            );
        }
        if value.is_empty() {
            target::invalid(shell, command, value);
            return false;
        }
        let (meant, subscript) = target::split(value).unwrap_or((value, None));
        if !is_name(meant) || subscript.is_some_and(<[u8]>::is_empty) {
            let message = [
                b"`",
                &**value,
                b"': invalid variable name for name reference",
            ];
            shell.builtin_error(command, message.concat());
            return false;
        }
        if meant == &*name.bytes() {
            if !shell.state.scopes.in_function() || options.global {
                let message = ": nameref variable self references not allowed";
                return refuse(shell, command, name, message);
            }
            let message = [b"warning: ", &*name.bytes(), b": circular name reference"].concat();
            shell.builtin_error(command, &message);
            shell.error(&message);
        }
    }
    let variable = shell.state.variables.get(name);
    let kinds = Attributes::INDEXED.with(Attributes::ASSOC);
    if is_array(variable) || options.on.any(kinds) {
        return refuse(
            shell,
            command,
            name,
            ": reference variable cannot be an array",
        );
    }
    if variable.attributes.has(Attributes::READONLY) && target.value.is_some() {
        return refuse(shell, command, name, ": readonly variable");
    }
    if let Some(value) = value {
        shell.state.variables.get_mut(name).value = Value::Text(value);
    }
    let on = options.on.with(Attributes::DECLARED);
    shell
        .state
        .variables
        .change_attributes(name, on, options.off);
    true
}

/// Readies a variable for `declare name=(…)`: makes it an array with the attributes that elements
/// need. False when it cannot be; that is reported.
pub(super) fn prepare_array(
    shell: &mut Shell,
    name: Name,
    written: Name,
    options: Options,
) -> bool {
    let variable = shell.state.variables.get(name);
    let (indexed, assoc) = (
        is_array(variable) && !is_assoc(variable),
        is_assoc(variable),
    );
    let conflict = match (indexed, assoc) {
        (true, _) if options.on.has(Attributes::ASSOC) => {
            ": cannot convert indexed to associative array"
        }
        (_, true) if options.on.has(Attributes::INDEXED) => {
            ": cannot convert associative to indexed array"
        }
        _ => "",
    };
    if !conflict.is_empty() {
        shell.error([&*written.bytes(), conflict.as_bytes()].concat());
        return false;
    }
    if variable.attributes.has(Attributes::READONLY) {
        return true;
    }
    let mut on = options
        .on
        .without(Attributes::READONLY.with(Attributes::EXPORT));
    if !assoc && !on.has(Attributes::ASSOC) {
        on = on.with(Attributes::INDEXED);
    }
    change(shell, name, on, Attributes::NONE);
    true
}
