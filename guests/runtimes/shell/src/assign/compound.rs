//! Compound assignments: `a=(1 [5]=x)`, `m=([k]=v)`.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Assign, AssignValue, Element, Part, Subscript, Word};

use super::{Place, array_name, cooked, fail, put, subscript};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Assoc, Attributes, Indexed, Value};
use crate::{arith, expand, special};

/// Runs `a=(…)` or `a+=(…)` of the script.
#[inline(never)]
pub(super) fn assign(shell: &mut Shell, assign: &Assign) -> Run {
    let AssignValue::Array(list) = &assign.value else {
        return Ok(());
    };
    if let Some(subscript) = &assign.subscript {
        let text = subscript_text(subscript);
        shell.error(
            [
                &*assign.name.bytes(),
                b"[",
                &*text,
                b"]: cannot assign list to array member",
            ]
            .concat(),
        );
        return fail(shell);
    }
    let Some(name) = array_name(shell, assign.name) else {
        return fail(shell);
    };
    if shell
        .state
        .variables
        .get(name)
        .attributes
        .has(Attributes::NAMEREF)
    {
        shell.error(
            [
                b"warning: ",
                &*name.bytes(),
                b": removing nameref attribute",
            ]
            .concat(),
        );
        shell
            .state
            .variables
            .change_attributes(name, Attributes::NONE, Attributes::NAMEREF);
    }
    if shell.state.set.has(SetOptions::XTRACE) {
        super::trace::compound(shell, assign, list)?;
    }
    if list_of(shell, name, list, assign.append, b"")? {
        return Ok(());
    }
    fail(shell)
}

/// Assigns a list to a variable that is no nameref: associative if it already is (or is declared
/// so), indexed otherwise. Without `append` the old elements go, after the new ones were expanded.
/// A readonly variable is reported and `Ok(false)`.
pub fn elements(shell: &mut Shell, name: Name, list: &[Element], append: bool) -> Run<bool> {
    list_of(shell, name, list, append, b"'")
}

/// Assigns a list; `quote` stands around a word in messages.
fn list_of(
    shell: &mut Shell,
    name: Name,
    list: &[Element],
    append: bool,
    quote: &[u8],
) -> Run<bool> {
    let attributes = shell.state.variables.get(name).attributes;
    if attributes.has(Attributes::READONLY) {
        shell.error([&*name.bytes(), b": readonly variable"].concat());
        return Ok(false);
    }
    if matches!(shell.state.variables.get(name).value, Value::Dynamic) {
        return dynamic(shell, name, list);
    }
    if subscript::is_assoc(shell, name) {
        associative(shell, name, list, append, attributes, quote)?;
    } else {
        indexed(shell, name, list, append, attributes)?;
    }
    if name.is_well_known() {
        special::assigned(shell, name);
    }
    Ok(true)
}

/// A list for a variable that is computed when read: element by element, where it takes any.
fn dynamic(shell: &mut Shell, name: Name, list: &[Element]) -> Run<bool> {
    for element in list {
        let value = expand::assigned(shell, &element.value)?;
        if let Some(subscript) = &element.subscript
            && let Some(place) = subscript::place(shell, name, subscript)?
        {
            special::assign(shell, name, place, value);
        }
    }
    Ok(true)
}

/// Assigns a list that comes as text, with or without its parentheses: `declare "a=(1 2)"`.
pub fn elements_of_text(shell: &mut Shell, name: Name, text: &[u8], append: bool) -> Run<bool> {
    let list = match codepod_shell_syntax::elements(text, expand::syntax(shell)) {
        Ok(list) => list,
        Err(error) => {
            shell.error(error.message());
            return Ok(false);
        }
    };
    elements(shell, name, &list, append)
}

/// An element whose words are expanded.
enum Ready<'l> {
    /// Values without subscripts.
    Fields(Vec<Text>),
    /// `[subscript]=value`
    Placed(&'l Subscript, bool, Text),
}

fn indexed(
    shell: &mut Shell,
    name: Name,
    list: &[Element],
    append: bool,
    attributes: Attributes,
) -> Run {
    let simple = !attributes.any(Attributes::INTEGER.with(Attributes::CASE));
    if !matches!(shell.state.variables.get(name).value, Value::Indexed(_)) {
        // It is an array while its elements are expanded, and stays one when that fails.
        shell.state.variables.get_mut(name).make_indexed();
    }
    if simple && !append && list.iter().all(|element| element.subscript.is_none()) {
        let mut fields = shell.take_fields();
        for element in list {
            expand::fields(shell, &element.value, &mut fields)?;
        }
        let array: Indexed = fields.drain(..).collect();
        shell.give_fields(fields);
        return set_value(shell, name, Value::Indexed(Rc::new(array)));
    }
    // With these, the value is what it becomes, the old one included.
    let adds = attributes.any(Attributes::INTEGER.with(Attributes::CAPITAL));
    let ready = expanded(shell, list)?;
    if append {
        shell.state.variables.get_mut(name).make_indexed();
    } else {
        set_value(shell, name, Value::Indexed(Rc::default()))?;
    }
    let mut next = match &shell.state.variables.get(name).value {
        Value::Indexed(array) => array.end(),
        _ => 0,
    };
    for element in ready {
        match element {
            Ready::Fields(fields) => {
                for value in fields {
                    let place = Place::Index(next as i64);
                    let value = cooked(shell, name, &place, value, false, attributes)?;
                    put(shell, name, place, value, false);
                    next = next.saturating_add(1);
                }
            }
            Ready::Placed(subscript, append, value) => {
                let Some(index) = index(shell, name, subscript, append, &value)? else {
                    continue;
                };
                let place = Place::Index(index as i64);
                let value = cooked(shell, name, &place, value, append, attributes)?;
                put(shell, name, place, value, append && !adds);
                next = index.saturating_add(1);
            }
        }
    }
    Ok(())
}

/// The index of `[subscript]=value`. A bad one is reported.
fn index(
    shell: &mut Shell,
    name: Name,
    subscript: &Subscript,
    append: bool,
    value: &[u8],
) -> Run<Option<u64>> {
    if let Subscript::Expr { word, arith } = subscript
        && !word.parts.is_empty()
    {
        let index = if word.parts.iter().any(is_quoted) {
            // Quotes are removed from the whole element before it is looked at.
            let text = expand::key(shell, word)?;
            arith::eval_text(shell, &text)
        } else {
            arith::eval(shell, arith)
        };
        let index = index.map_err(|stop| expand::unwound(shell, stop))?;
        if let Value::Indexed(array) = &shell.state.variables.get(name).value
            && let Some(index) = subscript::from_end(array, index)
        {
            return Ok(Some(index));
        }
    }
    bad(shell, subscript, append, value);
    Ok(None)
}

#[cold]
fn bad(shell: &Shell, subscript: &Subscript, append: bool, value: &[u8]) {
    let equals: &[u8] = if append { b"]+=" } else { b"]=" };
    shell.error(
        [
            b"[",
            &*subscript_text(subscript),
            equals,
            value,
            b": bad array subscript",
        ]
        .concat(),
    );
}

fn associative(
    shell: &mut Shell,
    name: Name,
    list: &[Element],
    append: bool,
    attributes: Attributes,
    quote: &[u8],
) -> Run {
    if list
        .first()
        .is_some_and(|element| element.subscript.is_none())
    {
        return pairs(shell, name, list, append, attributes);
    }
    let mut ready = Vec::with_capacity(list.len());
    for element in list {
        let Some(subscript) = &element.subscript else {
            let value = expand::assigned(shell, &element.value)?;
            shell.error(
                [
                    &*name.bytes(),
                    b": ",
                    quote,
                    &*value,
                    quote,
                    b": must use subscript when assigning associative array",
                ]
                .concat(),
            );
            if shell.state.set.has(SetOptions::ERREXIT) {
                shell.state.status = 1;
                return Err(Stop::Exit);
            }
            continue;
        };
        let key = match &**subscript {
            Subscript::At => Text::from("@"),
            Subscript::Star => Text::from("*"),
            Subscript::Expr { word, .. } => expand::key(shell, word)?,
        };
        let value = expand::without_tildes(shell, &element.value)?;
        if key.is_empty() {
            bad(shell, subscript, element.append, &value);
            continue;
        }
        ready.push((key, element.append, value));
    }
    let old = shell.state.variables.get(name).value.clone();
    start(shell, name, append)?;
    let simple = !attributes.any(Attributes::INTEGER.with(Attributes::CAPITAL));
    for (key, adds, value) in ready {
        let place = Place::Key(key);
        if adds && !append {
            // It is added to what was there before the list, not to what the list has set.
            put_old(shell, name, &place, &old);
        }
        let append = adds;
        let value = cooked(shell, name, &place, value, append, attributes)?;
        put(shell, name, place, value, append && simple);
    }
    Ok(())
}

/// Puts an element back to what it was; to nothing when it was not there.
fn put_old(shell: &mut Shell, name: Name, place: &Place, old: &Value) {
    let Place::Key(key) = place else {
        return;
    };
    let text = match old {
        Value::Assoc(array) => array.get(key).cloned(),
        _ => None,
    };
    put(shell, name, place.clone(), text.unwrap_or_default(), false);
}

/// `m=(key value key value)`
fn pairs(
    shell: &mut Shell,
    name: Name,
    list: &[Element],
    append: bool,
    attributes: Attributes,
) -> Run {
    let mut fields = Vec::with_capacity(list.len());
    for element in list {
        let mut value = expand::assigned(shell, &element.value)?;
        if let Some(subscript) = &element.subscript {
            // After a key without brackets, this is a word like any other.
            let equals: &[u8] = if element.append { b"]+=" } else { b"]=" };
            value = Text::from([b"[", &*subscript_text(subscript), equals, &*value].concat());
        }
        fields.push(value);
    }
    start(shell, name, append)?;
    let mut fields = fields.into_iter();
    while let Some(key) = fields.next() {
        let value = fields.next().unwrap_or_default();
        if key.is_empty() {
            shell.error([&*name.bytes(), b": bad array subscript"].concat());
            continue;
        }
        let place = Place::Key(key);
        let value = cooked(shell, name, &place, value, false, attributes)?;
        put(shell, name, place, value, false);
    }
    Ok(())
}

fn start(shell: &mut Shell, name: Name, append: bool) -> Run {
    if append {
        shell.state.variables.get_mut(name).make_assoc();
        return Ok(());
    }
    set_value(shell, name, Value::Assoc(Rc::new(Assoc::default())))
}

fn set_value(shell: &mut Shell, name: Name, value: Value) -> Run {
    let variable = shell.state.variables.get_mut(name);
    variable.value = value;
    Ok(())
}

/// Expands the words of all elements.
fn expanded<'l>(shell: &mut Shell, list: &'l [Element]) -> Run<Vec<Ready<'l>>> {
    let mut ready = Vec::with_capacity(list.len());
    for element in list {
        ready.push(match &element.subscript {
            Some(subscript) if expand::has_brace(&element.value) => {
                // Braces are expanded before anyone looks for a subscript, which makes it a word
                // like any other.
                let mut fields = Vec::new();
                expand::fields(shell, &whole(subscript, element), &mut fields)?;
                Ready::Fields(fields)
            }
            Some(subscript) => {
                let value = expand::element_value(shell, &element.value)?;
                Ready::Placed(subscript, element.append, value)
            }
            None => {
                let mut fields = Vec::new();
                expand::fields(shell, &element.value, &mut fields)?;
                Ready::Fields(fields)
            }
        });
    }
    Ok(ready)
}

fn is_quoted(part: &Part) -> bool {
    matches!(part, Part::Quoted(..) | Part::Double(_))
}

/// `[subscript]=value` as one word.
fn whole(subscript: &Subscript, element: &Element) -> Word {
    let mut word = element.value.clone();
    let equals: &[u8] = if element.append { b"]+=" } else { b"]=" };
    word.parts.insert(0, Part::Literal(equals.into()));
    match subscript {
        Subscript::At => word.parts.insert(0, Part::Literal(b"@"[..].into())),
        Subscript::Star => word.parts.insert(0, Part::Literal(b"*"[..].into())),
        Subscript::Expr { word: inside, .. } => {
            word.parts.splice(0..0, inside.parts.iter().cloned());
        }
    }
    word.parts.insert(0, Part::Literal(b"["[..].into()));
    word
}

/// A subscript as it was written.
pub(super) fn subscript_text(subscript: &Subscript) -> Vec<u8> {
    match subscript {
        Subscript::At => b"@".to_vec(),
        Subscript::Star => b"*".to_vec(),
        Subscript::Expr { word, .. } => codepod_shell_syntax::print::word(word),
    }
}
