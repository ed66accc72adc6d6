//! Assigning and unsetting variables, with all that attributes, namerefs and readonly variables
//! imply.

mod compound;
mod subscript;
mod temporary;
mod trace;
mod unset;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Assign, AssignValue};

use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::pattern::chars;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Target, Value, resolve};
use crate::{arith, expand, special};

pub use compound::{elements, elements_of_text};
pub use subscript::{Parsed, is_name, key_or_index, parse_target, place};
pub(crate) use subscript::{from_end, is_assoc, is_before_start};
pub use temporary::temporary;
pub use unset::{unset, unset_by_text, unset_nameref};

/// Where in a variable a value goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The variable itself (element 0 of an array).
    Whole,
    /// An element of an indexed array (negative: from the end), already evaluated.
    Index(i64),
    /// An element of an associative array.
    Key(Text),
}

/// Runs an assignment of the script.
///
/// An error (a readonly variable, a bad subscript) is reported and discards the command.
pub fn assign(shell: &mut Shell, assign: &Assign) -> Run {
    let word = match (&assign.value, &assign.subscript) {
        (AssignValue::Word(word), None) => word,
        (AssignValue::Word(_), Some(_)) => return element(shell, assign),
        (AssignValue::Array(_), _) => return compound::assign(shell, assign),
    };
    if assign.append && appends_plainly(shell, assign.name) {
        // Appended in place, without taking the value out.
        let value = expand::assigned(shell, word)?;
        let variable = shell.state.variables.get_mut(assign.name);
        if variable.is_plain() {
            match &mut variable.value {
                Value::Text(text) => text.push(&value),
                other => *other = Value::Text(value),
            }
            return Ok(());
        }
        return refused(shell, |shell| {
            set(shell, assign.name, Place::Whole, value, true)
        });
    }
    let value = expand::assigned(shell, word)?;
    if shell.state.set.has(SetOptions::XTRACE) {
        trace::scalar(shell, assign, &value)?;
    }
    let variable = shell.state.variables.get_mut(assign.name);
    if !assign.append
        && !assign.name.is_well_known()
        && variable.is_plain()
        && !shell.state.set.has(SetOptions::ALLEXPORT)
    {
        variable.value = Value::Text(value);
        return Ok(());
    }
    refused(shell, |shell| {
        set(shell, assign.name, Place::Whole, value, assign.append)
    })
}

/// Whether appending to it is nothing but that.
fn appends_plainly(shell: &Shell, name: Name) -> bool {
    !name.is_well_known()
        && shell.state.variables.get(name).is_plain()
        && !shell.state.set.has(SetOptions::XTRACE)
        && !shell.state.set.has(SetOptions::ALLEXPORT)
}

/// `a[i]=value`
#[inline(never)]
fn element(shell: &mut Shell, assign: &Assign) -> Run {
    let (AssignValue::Word(word), Some(subscript)) = (&assign.value, &assign.subscript) else {
        return Ok(());
    };
    let value = expand::assigned(shell, word)?;
    let Some(name) = array_name(shell, assign.name) else {
        return fail(shell);
    };
    let Some(place) = place(shell, name, subscript)? else {
        return fail(shell);
    };
    if shell.state.set.has(SetOptions::XTRACE) {
        trace::scalar(shell, assign, &value)?;
    }
    refused(shell, |shell| set(shell, name, place, value, assign.append))
}

/// The variable that is meant by a name with a subscript. An element has no elements: that is
/// reported.
fn array_name(shell: &mut Shell, name: Name) -> Option<Name> {
    match resolve(&shell.state.variables, name) {
        Target::Variable(name) | Target::Unset(name) => Some(name),
        Target::Element(..) => {
            let message = [
                b"`",
                &*expand::plain_value(shell, name),
                b"': not a valid identifier",
            ]
            .concat();
            shell.error(message);
            None
        }
        Target::Circle => {
            circular(shell, name);
            None
        }
    }
}

fn circular(shell: &Shell, name: Name) {
    shell.error([b"warning: ", &*name.bytes(), b": circular name reference"].concat());
}

/// Makes a refusal discard the command.
fn refused(shell: &mut Shell, set: impl FnOnce(&mut Shell) -> Run<bool>) -> Run {
    if set(shell)? {
        return Ok(());
    }
    fail(shell)
}

#[cold]
fn fail(shell: &mut Shell) -> Run {
    Err(expand::give_up(shell))
}

/// Sets a variable to a string, as `read` or `for` do: follows namerefs, applies attributes,
/// refuses readonly ones (with bash's message; then the result is `Ok(false)`).
pub fn set(shell: &mut Shell, name: Name, place: Place, value: Text, append: bool) -> Run<bool> {
    if place == Place::Whole
        && !append
        && !name.is_well_known()
        && !shell.state.set.has(SetOptions::ALLEXPORT)
    {
        let variable = shell.state.variables.get_mut(name);
        if variable.is_plain() {
            variable.value = Value::Text(value);
            return Ok(true);
        }
    }
    set_slowly(shell, name, place, value, append)
}

#[inline(never)]
fn set_slowly(shell: &mut Shell, name: Name, place: Place, value: Text, append: bool) -> Run<bool> {
    let (name, place) = match resolve(&shell.state.variables, name) {
        Target::Variable(target) => (target, place),
        Target::Element(array, subscript) if place == Place::Whole => {
            let Some(place) = key_or_index(shell, array, &subscript)? else {
                return Ok(false);
            };
            (array, place)
        }
        Target::Element(..) => {
            let message = [
                b"`",
                &*expand::plain_value(shell, name),
                b"': not a valid identifier",
            ]
            .concat();
            shell.error(message);
            return Ok(false);
        }
        Target::Unset(reference) => return set_reference(shell, reference, place, value),
        Target::Circle => {
            circular(shell, name);
            return Ok(set_hidden(shell, name, value));
        }
    };
    let attributes = shell.state.variables.get(name).attributes;
    if attributes.has(Attributes::READONLY) {
        shell.error([&*name.bytes(), b": readonly variable"].concat());
        return Ok(false);
    }
    store(shell, name, place, value, append, attributes)
}

/// A local nameref to its own name means the global variable that it hides. Says whether there is
/// one.
fn set_hidden(shell: &mut Shell, name: Name, value: Text) -> bool {
    let Some(hidden) = shell.state.scopes.global_mut(name) else {
        return false;
    };
    hidden.value = Value::Text(value);
    true
}

/// A nameref without a target gets one.
fn set_reference(shell: &mut Shell, name: Name, place: Place, value: Text) -> Run<bool> {
    if place != Place::Whole {
        shell.error([b"`", &*name.bytes(), b"': not a valid identifier"].concat());
        return Ok(false);
    }
    if parse_target(&value).is_none() {
        shell.error([b"`", &*value, b"': not a valid identifier"].concat());
        return Ok(false);
    }
    shell.state.variables.get_mut(name).value = Value::Text(value);
    Ok(true)
}

/// Puts a value into a variable that may be changed and is no nameref.
fn store(
    shell: &mut Shell,
    name: Name,
    place: Place,
    value: Text,
    append: bool,
    attributes: Attributes,
) -> Run<bool> {
    if matches!(shell.state.variables.get(name).value, Value::Dynamic) {
        return Ok(special::assign(shell, name, place, value));
    }
    let value = cooked(shell, name, &place, value, append, attributes)?;
    let append =
        append && !attributes.has(Attributes::INTEGER) && !attributes.has(Attributes::CAPITAL);
    // `set -a` exports no array for one of its elements.
    let exports = shell.state.set.has(SetOptions::ALLEXPORT) && place == Place::Whole;
    if !put(shell, name, place, value, append) {
        return Ok(false);
    }
    if exports {
        shell
            .state
            .variables
            .change_attributes(name, Attributes::EXPORT, Attributes::NONE);
    }
    if name.is_well_known() {
        special::assigned(shell, name);
    }
    Ok(true)
}

/// The value as the attributes want it. With `-i`, appending is adding.
fn cooked(
    shell: &mut Shell,
    name: Name,
    place: &Place,
    value: Text,
    append: bool,
    attributes: Attributes,
) -> Run<Text> {
    if attributes.has(Attributes::INTEGER) {
        let mut number = integer(shell, &value)?;
        if append {
            let old = peek(shell, name, place).unwrap_or_default();
            number = integer(shell, &old)?.wrapping_add(number);
        }
        return Ok(Text::number(number));
    }
    if !attributes.any(Attributes::CASE) {
        return Ok(value);
    }
    if attributes.has(Attributes::CAPITAL) {
        let mut all = if append {
            peek(shell, name, place).unwrap_or_default()
        } else {
            Text::EMPTY
        };
        all.push(&value);
        return Ok(cased(&all, attributes));
    }
    Ok(cased(&value, attributes))
}

/// Evaluates a value for `-i`. Unlike elsewhere, an error in it ends a shell with `set -e`.
fn integer(shell: &mut Shell, value: &[u8]) -> Run<i64> {
    arith::eval_text(shell, value).map_err(|stop| match stop {
        Stop::Discard => {
            let stop = expand::give_up(shell);
            expand::unwound(shell, stop)
        }
        other => other,
    })
}

/// The text in the case that the attributes want.
pub fn cased(text: &[u8], attributes: Attributes) -> Text {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        let (code, after) = chars::next(text, at);
        let upper =
            attributes.has(Attributes::UPPER) || attributes.has(Attributes::CAPITAL) && at == 0;
        chars::push(
            if upper {
                chars::upper(code)
            } else {
                chars::lower(code)
            },
            &mut out,
        );
        at = after;
    }
    out.into()
}

/// What is in a place now.
fn peek(shell: &Shell, name: Name, place: &Place) -> Option<Text> {
    let variable = shell.state.variables.get(name);
    match (place, &variable.value) {
        (Place::Whole, _) => variable.scalar().cloned(),
        (Place::Index(index), Value::Indexed(array)) => {
            array.get(subscript::from_end(array, *index)?).cloned()
        }
        (Place::Index(0), Value::Text(text)) => Some(text.clone()),
        (Place::Key(key), Value::Assoc(array)) => array.get(key).cloned(),
        _ => None,
    }
}

/// Puts a finished value into its place. A bad subscript is reported.
fn put(shell: &mut Shell, name: Name, place: Place, value: Text, append: bool) -> bool {
    let variable = shell.state.variables.get_mut(name);
    let place = match (place, &variable.value) {
        (Place::Whole, Value::Assoc(_)) => Place::Key(Text::from("0")),
        (Place::Whole, Value::Indexed(_)) => Place::Index(0),
        (Place::Whole, _) if variable.attributes.has(Attributes::ASSOC) => {
            Place::Key(Text::from("0"))
        }
        (Place::Whole, _) if variable.attributes.has(Attributes::INDEXED) => Place::Index(0),
        (place, _) => place,
    };
    match place {
        Place::Whole => match &mut variable.value {
            Value::Text(text) if append => text.push(&value),
            old => *old = Value::Text(value),
        },
        Place::Key(key) => {
            let array = Rc::make_mut(variable.make_assoc());
            match array.get_mut(&key) {
                Some(old) if append => old.push(&value),
                Some(old) => *old = value,
                None => array.set(key, value),
            }
        }
        Place::Index(index) => {
            let array = Rc::make_mut(variable.make_indexed());
            let Some(at) = subscript::from_end(array, index) else {
                shell.error(
                    [
                        &*name.bytes(),
                        b"[",
                        &*Text::number(index),
                        b"]: bad array subscript",
                    ]
                    .concat(),
                );
                return false;
            };
            match array.get_mut(at) {
                Some(old) if append => old.push(&value),
                Some(old) => *old = value,
                None => array.set(at, value),
            }
        }
    }
    true
}

/// Sets a variable by text that may have a subscript: `a`, `a[3]`, `m[key]`, as `read a[1]` and
/// `printf -v` get it.
///
/// Text that is no name is reported (`` `x y': not a valid identifier ``); the result is
/// `Ok(false)` then.
pub fn set_by_text(shell: &mut Shell, target: &[u8], value: Text) -> Run<bool> {
    let Some(parsed) = parse_target(target) else {
        shell.error([b"`", target, b"': not a valid identifier"].concat());
        return Ok(false);
    };
    let place = match parsed.subscript {
        None => Place::Whole,
        Some(subscript) => {
            let Some(name) = array_name(shell, parsed.name) else {
                return Ok(false);
            };
            match key_or_index(shell, name, subscript)? {
                Some(place) => place,
                None => return Ok(false),
            }
        }
    };
    set(shell, parsed.name, place, value, false)
}

/// The value of a variable as a scalar, namerefs followed and dynamic ones computed.
pub fn get(shell: &mut Shell, name: Name) -> Option<Text> {
    let variable = shell.state.variables.get(name);
    if let Value::Text(text) = &variable.value
        && !variable.attributes.has(Attributes::NAMEREF)
    {
        return Some(text.clone());
    }
    get_slowly(shell, name)
}

#[inline(never)]
fn get_slowly(shell: &mut Shell, name: Name) -> Option<Text> {
    match resolve(&shell.state.variables, name) {
        Target::Variable(name) => scalar(&value(shell, name)),
        Target::Element(name, subscript) => expand::element_by_text(shell, name, &subscript)
            .ok()
            .flatten(),
        Target::Unset(_) => None,
        Target::Circle => {
            circular(shell, name);
            shell.state.scopes.global_mut(name)?.scalar().cloned()
        }
    }
}

/// The value of a variable that is no nameref, dynamic ones computed.
#[inline]
pub fn value(shell: &mut Shell, name: Name) -> Value {
    match &shell.state.variables.get(name).value {
        Value::Dynamic => special::value(shell, name),
        value => value.clone(),
    }
}

/// A value as a scalar: the string, or element 0.
pub fn scalar(value: &Value) -> Option<Text> {
    match value {
        Value::Text(text) => Some(text.clone()),
        Value::Indexed(array) => array.get(0).cloned(),
        Value::Assoc(array) => array.get(b"0").cloned(),
        Value::Unset | Value::Dynamic => None,
    }
}

/// The value of the variable with this name.
pub fn get_named(shell: &mut Shell, name: &str) -> Option<Text> {
    get(shell, Name::new(name.as_bytes()))
}

/// The variables that programs get: `NAME=value`, each with a NUL behind it. Made once, until
/// something exported changes; only those that are computed when read are added every time.
pub fn environment(shell: &mut Shell) -> Rc<Vec<u8>> {
    let variables = shell.state.variables.environment();
    let dynamic = special::exported(shell);
    if dynamic.is_empty() {
        return variables;
    }
    let mut all = variables.to_vec();
    for name in dynamic {
        if let Value::Text(text) = special::value(shell, name) {
            all.extend_from_slice(&name.bytes());
            all.push(b'=');
            all.extend_from_slice(&text);
            all.push(0);
        }
    }
    Rc::new(all)
}
