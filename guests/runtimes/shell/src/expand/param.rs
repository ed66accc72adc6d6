//! Parameter expansion.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Param, ParamOp, Part, Subject, Subscript, Word};

use super::list::{From, emit, many};
use super::lookup::{self, Fetched, What, fetch, locate};
use super::sink::Sink;
use super::word::{self, Place};
use super::{default, replace, slice, transform};
use crate::assign;
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::pattern::chars;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};

/// Expands a parameter into the sink.
pub(super) fn expand(shell: &mut Shell, sink: &mut Sink, param: &Param, place: Place) -> Run {
    if let Some(text) = super::simple(shell, param) {
        return word::value(shell, sink, &text, place);
    }
    if let (ParamOp::Value, None, false) = (&param.op, &param.subscript, param.indirect) {
        match param.subject {
            Subject::Special(b'@') => return positionals(shell, sink, false, place),
            Subject::Special(b'*') => return positionals(shell, sink, true, place),
            _ => {}
        }
    }
    general(shell, sink, param, place)
}

/// `$@` and `$*`
fn positionals(shell: &mut Shell, sink: &mut Sink, star: bool, place: Place) -> Run {
    let list = std::rc::Rc::clone(&shell.state.positional);
    many(shell, sink, &list, star, place, From::Positionals)
}

#[inline(never)]
fn general(shell: &mut Shell, sink: &mut Sink, param: &Param, place: Place) -> Run {
    match &param.op {
        ParamOp::Bad(text) => return bad(shell, param, text),
        ParamOp::Keys => return keys(shell, sink, param, place),
        ParamOp::Prefixed(kind) => return prefixed(shell, sink, param, *kind == b'*', place),
        ParamOp::Length => {
            let length = length(shell, param)?;
            return word::value(shell, sink, &Text::number(length), place);
        }
        ParamOp::Transform(letter) => {
            return transform::expand(shell, sink, param, *letter, place);
        }
        ParamOp::Default { op, colon, word } => {
            return default::expand(shell, sink, param, *op, *colon, word, place);
        }
        _ => {}
    }
    if let Some(name) = reference_name(shell, param) {
        return word::value(shell, sink, &name, place);
    }
    let what = locate(shell, param)?;
    let fetched = fetch(shell, &what)?;
    if matches!(fetched, Fetched::Unset) && shell.state.set.has(SetOptions::NOUNSET) {
        return Err(unset(shell, param, &what));
    }
    let fetched = match &param.op {
        ParamOp::Slice { offset, length } => {
            let sliced = slice::slice(shell, &what, fetched, offset, length.as_ref(), || {
                shown(param)
            })?;
            mark_empty(sink, &sliced, place);
            return emit(shell, sink, sliced, place, From::Slice);
        }
        ParamOp::Trim {
            suffix,
            longest,
            pattern,
        } => {
            let pattern = operand(shell, pattern, false)?;
            let was_empty = matches!(&fetched, Fetched::One(text) if text.is_empty());
            let trimmed = map(fetched, |text| {
                replace::trim(text, &pattern, *suffix, *longest)
            });
            if !was_empty {
                mark_empty(sink, &trimmed, place);
            }
            trimmed
        }
        ParamOp::Replace {
            which,
            pattern,
            with,
        } => {
            let replaced = replace::replace(shell, fetched, *which, pattern, with.as_ref())?;
            mark_empty(sink, &replaced, place);
            replaced
        }
        ParamOp::Case { .. } if matches!(what, What::Special(_)) => {
            return Err(bad_case(shell, param));
        }
        ParamOp::Case { op, all, pattern } => {
            let pattern = pattern
                .as_ref()
                .map(|word| operand(shell, word, false))
                .transpose()?
                .filter(|pattern| !pattern.is_empty());
            mark_empty(sink, &fetched, place);
            map(fetched, |text| {
                replace::case(text, *op, *all, pattern.as_deref())
            })
        }
        _ => return emit(shell, sink, fetched, place, From::Elements),
    };
    let from = match (&param.op, &what) {
        (ParamOp::Trim { .. }, What::All(..)) => From::TrimmedElements,
        (ParamOp::Trim { .. }, _) => From::TrimmedPositionals,
        _ => From::Replaced,
    };
    emit(shell, sink, fetched, place, from)
}

/// An expansion that makes no sense is an error where its parameter has a value; one of `$?` always
/// is.
#[cold]
#[inline(never)]
fn bad(shell: &mut Shell, param: &Param, text: &[u8]) -> Run {
    if param.subject == Subject::Special(b'?') {
        return Err(bad_substitution(shell, text));
    }
    let what = locate(shell, param)?;
    match fetch(shell, &what)? {
        Fetched::Unset => Ok(()),
        Fetched::Many(list, _) if list.is_empty() => Ok(()),
        _ => {
            bad_substitution(shell, text);
            Err(super::end(shell))
        }
    }
}

/// A parameter is not set, where `set -u` makes that an error.
#[cold]
#[inline(never)]
fn unset(shell: &mut Shell, param: &Param, what: &What) -> Stop {
    if param.indirect && matches!(what, What::Special(b'!')) {
        let stop = super::unbound(shell, b"$!");
        bad_substitution(shell, &[b"${", &*shown(param), b"}"].concat());
        return stop;
    }
    super::unbound(shell, &shown_as_written(param))
}

/// `${?^}`: a special parameter has no upper or lower case.
#[cold]
#[inline(never)]
fn bad_case(shell: &mut Shell, param: &Param) -> Stop {
    let word = Word {
        parts: vec![Part::Param(Box::new(param.clone()))],
        ..Word::default()
    };
    bad_substitution(shell, &codepod_shell_syntax::print::word(&word))
}

/// What an operator leaves of a value in quotes is a field even if it is nothing, also beside a
/// `"$@"` without elements.
pub(super) fn mark_empty(sink: &mut Sink, fetched: &Fetched, place: Place) {
    if place == Place::Double && matches!(fetched, Fetched::One(text) if text.is_empty()) {
        sink.mark();
    }
}

/// `${!ref}` of a nameref is the name that it refers to.
pub(super) fn reference_name(shell: &Shell, param: &Param) -> Option<Text> {
    let (true, Subject::Variable(name), None) = (param.indirect, param.subject, &param.subscript)
    else {
        return None;
    };
    let variable = shell.state.variables.get(name);
    match &variable.value {
        Value::Text(text) if variable.attributes.has(Attributes::NAMEREF) => Some(text.clone()),
        _ => None,
    }
}

/// The pattern of an operator. `nocasematch` matters only to some.
pub(super) fn operand(
    shell: &mut Shell,
    word: &Word,
    nocase: bool,
) -> Run<std::rc::Rc<crate::pattern::Pattern>> {
    let options = options(shell, nocase);
    super::pattern_with(shell, word, options)
}

/// How patterns in operands are read.
pub(super) fn options(shell: &Shell, nocase: bool) -> crate::pattern::Options {
    use crate::options::ShellOptions;
    crate::pattern::Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        nocase,
    }
}

pub(super) fn map(fetched: Fetched, change: impl Fn(Text) -> Text) -> Fetched {
    match fetched {
        Fetched::Unset => Fetched::Unset,
        Fetched::One(text) => Fetched::One(change(text)),
        Fetched::Many(list, star) => Fetched::Many(list.into_iter().map(change).collect(), star),
    }
}

/// `${!a[@]}`
fn keys(shell: &mut Shell, sink: &mut Sink, param: &Param, place: Place) -> Run {
    let Subject::Variable(name) = param.subject else {
        return Ok(());
    };
    let name = lookup::array(shell, name)?;
    let list = match assign::value(shell, name) {
        Value::Text(_) => vec![Text::from("0")],
        Value::Indexed(array) => array
            .iter()
            .map(|(index, _)| Text::number(index as i64))
            .collect(),
        Value::Assoc(array) => array.iter().map(|(key, _)| key.clone()).collect(),
        Value::Unset | Value::Dynamic => Vec::new(),
    };
    let star = matches!(param.subscript, Some(Subscript::Star));
    many(shell, sink, &list, star, place, From::Keys)
}

/// `${!prefix*}`
fn prefixed(shell: &mut Shell, sink: &mut Sink, param: &Param, star: bool, place: Place) -> Run {
    let Subject::Variable(prefix) = param.subject else {
        return Ok(());
    };
    let prefix = prefix.bytes();
    let names = shell.state.variables.names();
    let list: Vec<Text> = names
        .into_iter()
        .filter(|name| !matches!(shell.state.variables.get(*name).value, Value::Unset))
        .map(Name::bytes)
        .filter(|name| name.starts_with(&prefix))
        .map(|name| Text::new(&name))
        .collect();
    many(shell, sink, &list, star, place, From::Names)
}

/// Whether an index that counts from the end is before the start.
fn is_before_start(shell: &mut Shell, name: Name, index: i64) -> bool {
    match assign::value(shell, name) {
        Value::Indexed(array) => assign::from_end(&array, index).is_none(),
        _ => true,
    }
}

/// `${#x}`
fn length(shell: &mut Shell, param: &Param) -> Run<i64> {
    if let (Subject::Variable(name), Some(_), false) =
        (param.subject, &param.subscript, param.indirect)
        && shell.state.set.has(SetOptions::NOUNSET)
    {
        let name = lookup::array(shell, name)?;
        // What is no array has no elements, not even a first.
        if matches!(assign::value(shell, name), Value::Unset | Value::Text(_)) {
            shell.error([&*name.bytes(), b": unbound variable"].concat());
            return Err(super::give_up(shell));
        }
    }
    if let (Subject::Variable(name), Some(Subscript::Expr { word, .. })) =
        (param.subject, &param.subscript)
    {
        let name = lookup::array(shell, name)?;
        if !shell.state.variables.get(name).exists() {
            // Nobody looks which element of nothing is meant.
            return Ok(0);
        }
        if assign::is_assoc(shell, name) && super::key(shell, word)?.is_empty() {
            let text = codepod_shell_syntax::print::word(word);
            shell.error([&*text, b"]: bad array subscript"].concat());
            return Err(super::give_up(shell));
        }
    }
    let what = locate(shell, param)?;
    let length = match &what {
        // bash counts nothing behind a nameref to an element.
        What::Element(..) if param.subscript.is_none() && !param.indirect => 0,
        What::All(..) if param.subscript.is_none() && !param.indirect => 0,
        What::Positionals(_) => shell.state.positional.len(),
        What::All(name, _) => match assign::value(shell, *name) {
            Value::Text(_) => 1,
            Value::Indexed(array) => array.len(),
            Value::Assoc(array) => array.len(),
            Value::Unset | Value::Dynamic => 0,
        },
        What::Element(name, assign::Place::Index(index @ ..0))
            if is_before_start(shell, *name, *index) =>
        {
            if !shell.state.variables.get(*name).exists() {
                return Ok(0);
            }
            shell.error([&*Text::number(*index), b"]: bad array subscript"].concat());
            return Err(super::give_up(shell));
        }
        what => match fetch(shell, what)? {
            Fetched::One(text) => chars::count(&text),
            // An element that is missing is nothing to complain about.
            _ if shell.state.set.has(SetOptions::NOUNSET) && !matches!(what, What::Element(..)) => {
                return Err(super::unbound(shell, &shown(param)));
            }
            _ => 0,
        },
    };
    Ok(length as i64)
}

#[cold]
fn bad_substitution(shell: &mut Shell, text: &[u8]) -> Stop {
    shell.error([text, b": bad substitution"].concat());
    super::give_up(shell)
}

/// The name as messages show it: `x`, `a[1]`, `1`, `!x`.
pub(super) fn shown(param: &Param) -> Vec<u8> {
    let mut shown = Vec::new();
    if param.indirect {
        shown.push(b'!');
    }
    match param.subject {
        Subject::Variable(name) => shown.extend_from_slice(&name.bytes()),
        Subject::Positional(number) => shown.extend_from_slice(&Text::number(number.into())),
        Subject::Special(byte) => shown.push(byte),
    }
    if let Some(subscript) = &param.subscript {
        shown.push(b'[');
        shown.extend_from_slice(&super::subscript_text(subscript));
        shown.push(b']');
    }
    shown
}

/// A parameter as it was written, with the `$` where one that is no variable has no braces.
fn shown_as_written(param: &Param) -> Vec<u8> {
    let mut shown = shown(param);
    if !param.braces && !matches!(param.subject, Subject::Variable(_)) {
        shown.insert(0, b'$');
    }
    shown
}
