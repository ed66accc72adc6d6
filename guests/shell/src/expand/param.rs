//! Parameter expansion.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{DefaultOp, Param, ParamOp, Subject, Subscript, Word};

use super::lookup::{self, Fetched, What, fetch, locate};
use super::sink::{Kind, Sink};
use super::word::{self, Place};
use super::{ifs, replace, slice, transform};
use crate::assign;
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::pattern::chars;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value};

/// Expands a parameter into the sink.
pub(super) fn expand(shell: &mut Shell, sink: &mut Sink, param: &Param, quoted: bool) -> Run {
    if let Some(text) = super::simple(shell, param) {
        if quoted {
            sink.quoted_value(&text);
            return Ok(());
        }
        return word::value(shell, sink, &text, Place::Bare);
    }
    if let (ParamOp::Value, None, false) = (&param.op, &param.subscript, param.indirect) {
        match param.subject {
            Subject::Special(b'@') => return positionals(shell, sink, false, quoted),
            Subject::Special(b'*') => return positionals(shell, sink, true, quoted),
            _ => {}
        }
    }
    general(shell, sink, param, quoted)
}

/// `$@` and `$*`
fn positionals(shell: &mut Shell, sink: &mut Sink, star: bool, quoted: bool) -> Run {
    let list = std::rc::Rc::clone(&shell.state.positional);
    many(shell, sink, &list, star, quoted, Joined::Plainly)
}

/// What joins the elements of `[@]` where only one string is wanted. bash has it one way here and another way there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// Blanks.
    Plainly,
    /// The first character of `IFS` inside quotes.
    WhenQuoted,
    /// The first character of `IFS`.
    Always,
    /// As [`Joined::WhenQuoted`], for keys of `[*]`.
    Keys,
    /// As [`Joined::WhenQuoted`], for names of `*`.
    Names,
    /// As [`Joined::Always`], for elements of `[*]`.
    Elements,
}

impl Joined {
    /// What joins the elements of an unquoted `[*]` to one field when `IFS` is empty.
    fn without_ifs(self) -> Option<&'static [u8]> {
        match self {
            Joined::Keys | Joined::Elements => Some(b" "),
            Joined::Names => Some(b""),
            _ => None,
        }
    }
}

#[inline(never)]
fn general(shell: &mut Shell, sink: &mut Sink, param: &Param, quoted: bool) -> Run {
    match &param.op {
        ParamOp::Bad(text) => return Err(bad_substitution(shell, text)),
        ParamOp::Keys => return keys(shell, sink, param, quoted),
        ParamOp::Prefixed(kind) => return prefixed(shell, sink, param, *kind == b'*', quoted),
        ParamOp::Length => {
            let length = length(shell, param)?;
            return one(shell, sink, Text::number(length), quoted);
        }
        ParamOp::Transform(letter) => {
            return transform::expand(shell, sink, param, *letter, quoted);
        }
        ParamOp::Default { op, colon, word } => {
            return default(shell, sink, param, *op, *colon, word, quoted);
        }
        _ => {}
    }
    if let Some(name) = reference_name(shell, param) {
        return one(shell, sink, name, quoted);
    }
    let what = locate(shell, param)?;
    let fetched = fetch(shell, &what)?;
    if matches!(fetched, Fetched::Unset) && shell.state.set.has(SetOptions::NOUNSET) {
        return Err(super::unbound(shell, &shown_as_written(param)));
    }
    let (fetched, how) = match &param.op {
        ParamOp::Slice { offset, length } => {
            let sliced = slice::slice(shell, &what, fetched, offset, length.as_ref())?;
            (sliced, Joined::WhenQuoted)
        }
        ParamOp::Trim {
            suffix,
            longest,
            pattern,
        } => {
            let pattern = operand(shell, pattern, false)?;
            (
                map(fetched, |text| {
                    replace::trim(text, &pattern, *suffix, *longest)
                }),
                Joined::Always,
            )
        }
        ParamOp::Replace {
            which,
            pattern,
            with,
        } => (
            replace::replace(shell, fetched, *which, pattern, with.as_ref())?,
            Joined::Always,
        ),
        ParamOp::Case { op, all, pattern } => {
            let pattern = pattern
                .as_ref()
                .map(|word| operand(shell, word, false))
                .transpose()?;
            (
                map(fetched, |text| {
                    replace::case(text, *op, *all, pattern.as_deref())
                }),
                Joined::Always,
            )
        }
        _ => (fetched, Joined::Plainly),
    };
    let how = match (how, &what) {
        (Joined::Always, What::All(..)) => Joined::Elements,
        (how, _) => how,
    };
    emit(shell, sink, fetched, quoted, how)
}

/// `${!ref}` of a nameref is the name that it refers to.
fn reference_name(shell: &Shell, param: &Param) -> Option<Text> {
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
    use crate::options::ShellOptions;
    let options = crate::pattern::Options {
        extglob: shell.state.shopt.has(ShellOptions::EXTGLOB),
        nocase,
    };
    super::pattern_with(shell, word, options)
}

pub(super) fn map(fetched: Fetched, change: impl Fn(Text) -> Text) -> Fetched {
    match fetched {
        Fetched::Unset => Fetched::Unset,
        Fetched::One(text) => Fetched::One(change(text)),
        Fetched::Many(list, star) => Fetched::Many(list.into_iter().map(change).collect(), star),
    }
}

fn emit(shell: &mut Shell, sink: &mut Sink, fetched: Fetched, quoted: bool, how: Joined) -> Run {
    match fetched {
        Fetched::Unset => Ok(()),
        Fetched::One(text) => one(shell, sink, text, quoted),
        Fetched::Many(list, star) => many(shell, sink, &list, star, quoted, how),
    }
}

/// Appends a string.
fn one(shell: &mut Shell, sink: &mut Sink, text: Text, quoted: bool) -> Run {
    word::value(
        shell,
        sink,
        &text,
        if quoted { Place::Double } else { Place::Bare },
    )
}

/// Appends the result of a transformation.
pub(super) fn transformed(
    shell: &mut Shell,
    sink: &mut Sink,
    fetched: Fetched,
    quoted: bool,
) -> Run {
    emit(shell, sink, fetched, quoted, Joined::Always)
}

/// Appends a list.
fn many(
    shell: &mut Shell,
    sink: &mut Sink,
    list: &[Text],
    star: bool,
    quoted: bool,
    how: Joined,
) -> Run {
    if quoted && !star && sink.kind() == Kind::Fields {
        sink.vanished = list.is_empty();
        for (number, text) in list.iter().enumerate() {
            if number > 0 {
                sink.finish(shell)?;
            }
            sink.mark();
            sink.quoted_value(text);
        }
        return Ok(());
    }
    let null =
        !quoted && star && how != Joined::Plainly && ifs::current(shell, super::Ifs::is_empty);
    if null && let Some(separator) = how.without_ifs() {
        // Without IFS these are one field, not many.
        let all = list
            .iter()
            .map(|text| &text[..])
            .collect::<Vec<_>>()
            .join(separator);
        return one(shell, sink, Text::from(all), quoted);
    }
    let by_ifs = match how {
        Joined::Plainly => star,
        Joined::WhenQuoted | Joined::Keys | Joined::Names => star || quoted,
        Joined::Always | Joined::Elements => true,
    };
    let separator = if by_ifs {
        ifs::separator(shell)
    } else {
        Text::from(" ")
    };
    for (number, text) in list.iter().enumerate() {
        if number > 0 {
            if quoted {
                sink.quoted(&separator);
            } else {
                sink.element(shell, &separator)?;
            }
        }
        if quoted {
            sink.quoted(text);
        } else {
            sink.split(shell, text)?;
        }
    }
    Ok(())
}

/// `${!a[@]}`
fn keys(shell: &mut Shell, sink: &mut Sink, param: &Param, quoted: bool) -> Run {
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
    many(shell, sink, &list, star, quoted, Joined::Keys)
}

/// `${!prefix*}`
fn prefixed(shell: &mut Shell, sink: &mut Sink, param: &Param, star: bool, quoted: bool) -> Run {
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
    many(shell, sink, &list, star, quoted, Joined::Names)
}

/// `${#x}`
fn length(shell: &mut Shell, param: &Param) -> Run<i64> {
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
        what => match fetch(shell, what)? {
            Fetched::One(text) => chars::count(&text),
            _ if shell.state.set.has(SetOptions::NOUNSET) => {
                return Err(super::unbound(shell, &shown(param)));
            }
            _ => 0,
        },
    };
    Ok(length as i64)
}

/// `${x-word}` and its like
fn default(
    shell: &mut Shell,
    sink: &mut Sink,
    param: &Param,
    op: DefaultOp,
    colon: bool,
    inside: &Word,
    quoted: bool,
) -> Run {
    let what = locate(shell, param)?;
    let fetched = match (reference_name(shell, param), &what) {
        (Some(name), _) => Fetched::One(name),
        (None, what) => fetch(shell, what)?,
    };
    let lacks = match &fetched {
        Fetched::Unset => true,
        Fetched::One(text) => colon && text.is_empty(),
        Fetched::Many(list, star) => {
            list.is_empty() || colon && !param.indirect && is_null(shell, list, *star && quoted)
        }
    };
    match (op, lacks) {
        (DefaultOp::Alternative, false) | (DefaultOp::Use, true) => {
            let place = if quoted { Place::Double } else { Place::Inner };
            word::parts(shell, sink, &inside.parts, place)?;
            sink.vanished = false;
            Ok(())
        }
        (DefaultOp::Alternative, true) => {
            sink.vanished =
                quoted && matches!(&fetched, Fetched::Many(list, false) if list.is_empty());
            Ok(())
        }
        (_, false) => emit(shell, sink, fetched, quoted, Joined::Plainly),
        (DefaultOp::Assign, true) => {
            let text = word_text(shell, inside, quoted)?;
            let text = assign_default(shell, param, &what, text)?;
            one(shell, sink, text, quoted)
        }
        (DefaultOp::Error, true) => Err(complain(shell, param, colon, inside, quoted)?),
    }
}

/// Whether a list counts as empty: one empty element, or several that `"$*"` joins to nothing.
fn is_null(shell: &Shell, list: &[Text], star: bool) -> bool {
    list.iter().all(|text| text.is_empty())
        && (list.len() == 1 || star && ifs::separator(shell).is_empty())
}

/// The word of `${x=word}` as one string.
fn word_text(shell: &mut Shell, inside: &Word, quoted: bool) -> Run<Text> {
    if quoted {
        super::quoted(shell, inside)
    } else {
        super::single(shell, inside)
    }
}

/// Assigns the default, and returns what the variable holds then.
fn assign_default(shell: &mut Shell, param: &Param, what: &What, text: Text) -> Run<Text> {
    let (name, place) = match what {
        What::Variable(name) => (*name, assign::Place::Whole),
        What::Element(name, place) => (*name, place.clone()),
        What::All(name, star) => {
            let all: &[u8] = if *star { b"[*]" } else { b"[@]" };
            shell.error([&*name.bytes(), all, b": bad array subscript"].concat());
            return Err(discard(shell));
        }
        What::Nothing => return Ok(text),
        _ => {
            shell.error([b"$", &*shown(param), b": cannot assign in this way"].concat());
            return Err(discard(shell));
        }
    };
    if !assign::set(shell, name, place, text, false)? {
        return Err(discard(shell));
    }
    Ok(match fetch(shell, what)? {
        Fetched::One(text) => text,
        _ => Text::EMPTY,
    })
}

fn discard(shell: &mut Shell) -> Stop {
    super::give_up(shell)
}

/// `${x?word}`: reports; the shell ends.
#[cold]
#[inline(never)]
fn complain(
    shell: &mut Shell,
    param: &Param,
    colon: bool,
    inside: &Word,
    quoted: bool,
) -> Run<Stop> {
    let mut message = shown(param);
    message.extend_from_slice(b": ");
    if inside.parts.is_empty() {
        message.extend_from_slice(if colon {
            b"parameter null or not set"
        } else {
            b"parameter not set"
        });
    } else {
        message.extend_from_slice(&word_text(shell, inside, quoted)?);
    }
    shell.error(message);
    Ok(super::end(shell))
}

#[cold]
fn bad_substitution(shell: &mut Shell, text: &[u8]) -> Stop {
    shell.error([text, b": bad substitution"].concat());
    discard(shell)
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

/// The same, with the `$` where a parameter that is no variable has no braces.
fn shown_as_written(param: &Param) -> Vec<u8> {
    let mut shown = shown(param);
    if !param.braces && !matches!(param.subject, Subject::Variable(_)) {
        shown.insert(0, b'$');
    }
    shown
}
