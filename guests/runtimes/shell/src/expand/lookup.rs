//! What a parameter expansion is about, and its value.

use codepod_shell_syntax::Name;
use codepod_shell_syntax::tree::{Param, Subject, Subscript};

use crate::assign::{self, Place};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Target, Value, resolve};

/// What is meant, with namerefs and indirection followed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum What {
    /// A variable; of an array element 0.
    Variable(Name),
    /// An element.
    Element(Name, Place),
    /// All elements; joined for `*`.
    All(Name, bool),
    /// `$1`
    Positional(u32),
    /// `$@` and `$*`.
    Positionals(bool),
    /// `$?` and so on.
    Special(u8),
    /// A string that is already known.
    Text(Text),
    /// All elements of nothing.
    NoElements(bool),
    /// Nothing that could have a value.
    Nothing,
}

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Fetched {
    /// None.
    Unset,
    /// A string.
    One(Text),
    /// A list; joined for `*`.
    Many(Vec<Text>, bool),
}

/// What a parameter is about.
pub(super) fn locate(shell: &mut Shell, param: &Param) -> Run<What> {
    let what = direct(shell, param.subject, param.subscript.as_ref())?;
    if !param.indirect {
        return Ok(what);
    }
    indirect(shell, param, what)
}

fn direct(shell: &mut Shell, subject: Subject, subscript: Option<&Subscript>) -> Run<What> {
    let name = match subject {
        Subject::Variable(name) => name,
        Subject::Positional(number) => return Ok(What::Positional(number)),
        Subject::Special(b'@') => return Ok(What::Positionals(false)),
        Subject::Special(b'*') => return Ok(What::Positionals(true)),
        Subject::Special(byte) => return Ok(What::Special(byte)),
    };
    let Some(subscript) = subscript else {
        return whole(shell, name);
    };
    let Some(name) = real_array(shell, name) else {
        return Ok(match subscript {
            Subscript::At => What::NoElements(false),
            Subscript::Star => What::NoElements(true),
            Subscript::Expr { .. } => What::Nothing,
        });
    };
    match subscript {
        Subscript::At => Ok(What::All(name, false)),
        Subscript::Star => Ok(What::All(name, true)),
        Subscript::Expr { word, .. } if assign::is_assoc(shell, name) => {
            let key = super::key(shell, word)?;
            if !key.is_empty() {
                return Ok(What::Element(name, Place::Key(key)));
            }
            bad_subscript(shell, name)?;
            Ok(What::Nothing)
        }
        subscript => {
            let place = assign::place(shell, name, subscript)?;
            Ok(place.map_or(What::Nothing, |place| What::Element(name, place)))
        }
    }
}

/// A variable without a subscript, which a nameref may lead to an element.
fn whole(shell: &mut Shell, name: Name) -> Run<What> {
    if !shell
        .state
        .variables
        .get(name)
        .attributes
        .has(Attributes::NAMEREF)
    {
        return Ok(What::Variable(name));
    }
    Ok(match resolve(&shell.state.variables, name) {
        Target::Variable(name) => What::Variable(name),
        Target::Element(name, subscript) => by_subscript(shell, name, &subscript)?,
        Target::Unset(_) => What::Nothing,
        Target::Circle => assign::get(shell, name).map_or(What::Nothing, What::Text),
    })
}

fn by_subscript(shell: &mut Shell, name: Name, subscript: &[u8]) -> Run<What> {
    if subscript == b"@" || subscript == b"*" {
        return Ok(What::All(name, subscript == b"*"));
    }
    Ok(assign::key_or_index(shell, name, subscript)?
        .map_or(What::Nothing, |place| What::Element(name, place)))
}

/// The array that a name with a subscript means, namerefs followed; the name itself where they lead
/// to none.
pub fn array(shell: &mut Shell, name: Name) -> Run<Name> {
    Ok(real_array(shell, name).unwrap_or(name))
}

/// The array that a name stands for; none where it stands for an element, which has no elements.
fn real_array(shell: &Shell, name: Name) -> Option<Name> {
    let variable = shell.state.variables.get(name);
    if !variable.attributes.has(Attributes::NAMEREF) {
        return Some(name);
    }
    match resolve(&shell.state.variables, name) {
        Target::Variable(name) => Some(name),
        Target::Unset(_) | Target::Element(..) => None,
        Target::Circle => {
            shell.error([b"warning: ", &*name.bytes(), b": circular name reference"].concat());
            None
        }
    }
}

/// `${!x}`: what the value names.
fn indirect(shell: &mut Shell, param: &Param, what: What) -> Run<What> {
    let fetched = fetch(shell, &what)?;
    let text = match fetched {
        Fetched::One(text) => text,
        Fetched::Many(list, _) if !list.is_empty() => {
            let all: Vec<&[u8]> = list.iter().map(|text| &text[..]).collect();
            Text::from(all.join(&b' '))
        }
        Fetched::Unset if matches!(what, What::Positional(_)) => return Ok(What::Nothing),
        Fetched::Unset if exists(shell, &what) => return Ok(What::Nothing),
        Fetched::Unset | Fetched::Many(..) => {
            let shown = super::param::shown(param);
            shell.error([&shown[1..], b": invalid indirect expansion"].concat());
            return Err(discard(shell));
        }
    };
    parse(shell, &text)
}

/// Whether there is such a variable, even if it has no value.
fn exists(shell: &Shell, what: &What) -> bool {
    matches!(what, What::Variable(name) | What::Element(name, _) if shell.state.variables.get(*name).exists())
}

/// What a text names: `x`, `a[1]`, `1`, `@`.
fn parse(shell: &mut Shell, text: &[u8]) -> Run<What> {
    match text {
        [b'@'] => return Ok(What::Positionals(false)),
        [b'*'] => return Ok(What::Positionals(true)),
        [byte @ (b'#' | b'?' | b'-' | b'$' | b'!')] => return Ok(What::Special(*byte)),
        [b'0'..=b'9', ..] if text.iter().all(u8::is_ascii_digit) => {
            let number = std::str::from_utf8(text)
                .ok()
                .and_then(|digits| digits.parse().ok());
            return Ok(What::Positional(number.unwrap_or(u32::MAX)));
        }
        _ => {}
    }
    let Some(parsed) = assign::parse_target(text) else {
        shell.error([text, b": invalid variable name"].concat());
        return Err(discard(shell));
    };
    match parsed.subscript {
        None => whole(shell, parsed.name),
        Some(subscript) => {
            let name = array(shell, parsed.name)?;
            by_subscript(shell, name, subscript)
        }
    }
}

/// Reports an element that cannot be; there is nothing, unless `set -e` ends the shell.
#[cold]
fn bad_subscript(shell: &mut Shell, name: Name) -> Run<Option<Text>> {
    shell.error([&*name.bytes(), b": bad array subscript"].concat());
    if shell.state.set.has(SetOptions::ERREXIT) {
        return Err(discard(shell));
    }
    Ok(None)
}

fn discard(shell: &mut Shell) -> Stop {
    super::give_up(shell)
}

/// The value of what was found.
pub(super) fn fetch(shell: &mut Shell, what: &What) -> Run<Fetched> {
    let one = match what {
        What::Variable(name) => match &shell.state.variables.get(*name).value {
            Value::Text(text) => Some(text.clone()),
            Value::Unset => None,
            _ => assign::scalar(&assign::value(shell, *name)),
        },
        What::Element(name, place) => fetch_element(shell, *name, place)?,
        What::All(name, star) => return Ok(Fetched::Many(all(shell, *name), *star)),
        What::Positional(0) => Some(shell.state.zero.clone()),
        What::Positional(number) => shell.state.positional.get(*number as usize - 1).cloned(),
        What::Positionals(star) => {
            return Ok(Fetched::Many(shell.state.positional.to_vec(), *star));
        }
        What::Special(byte) => special(shell, *byte),
        What::Text(text) => Some(text.clone()),
        What::NoElements(star) => return Ok(Fetched::Many(Vec::new(), *star)),
        What::Nothing => None,
    };
    Ok(one.map_or(Fetched::Unset, Fetched::One))
}

fn all(shell: &mut Shell, name: Name) -> Vec<Text> {
    match assign::value(shell, name) {
        Value::Text(text) => vec![text],
        Value::Indexed(array) => array.iter().map(|(_, text)| text.clone()).collect(),
        Value::Assoc(array) => array.iter().map(|(_, text)| text.clone()).collect(),
        Value::Unset | Value::Dynamic => Vec::new(),
    }
}

fn fetch_element(shell: &mut Shell, name: Name, place: &Place) -> Run<Option<Text>> {
    Ok(match (assign::value(shell, name), place) {
        (Value::Assoc(array), Place::Key(key)) => array.get(key).cloned(),
        (Value::Indexed(array), Place::Index(index)) => {
            let Some(at) = assign::from_end(&array, *index) else {
                return bad_subscript(shell, name);
            };
            array.get(at).cloned()
        }
        (Value::Text(text), Place::Index(index)) => {
            if *index < 0 {
                return bad_subscript(shell, name);
            }
            (*index == 0).then_some(text)
        }
        (Value::Unset, Place::Index(..0)) => {
            return bad_subscript(shell, name);
        }
        (value, Place::Whole) => assign::scalar(&value),
        _ => None,
    })
}

/// `$?` and so on.
fn special(shell: &mut Shell, byte: u8) -> Option<Text> {
    Some(match byte {
        b'#' => Text::number(shell.state.positional.len() as i64),
        b'?' => Text::number(shell.state.status.into()),
        b'$' => Text::number(shell.state.pid.into()),
        b'!' => Text::number(shell.state.last_background?.into()),
        b'-' => crate::special::flags(shell),
        _ => return None,
    })
}

/// An element by the subscript of the script; for `[@]` and `[*]`, which name no element, the
/// first.
pub fn element(shell: &mut Shell, name: Name, subscript: &Subscript) -> Run<Option<Text>> {
    let what = direct(shell, Subject::Variable(name), Some(subscript))?;
    Ok(match fetch(shell, &what)? {
        Fetched::Unset => None,
        Fetched::One(text) => Some(text),
        Fetched::Many(list, _) => list.into_iter().next(),
    })
}

/// An element by the text of its subscript, as a nameref holds it.
pub fn element_by_text(shell: &mut Shell, name: Name, subscript: &[u8]) -> Run<Option<Text>> {
    let what = by_subscript(shell, name, subscript)?;
    Ok(match fetch(shell, &what)? {
        Fetched::Unset => None,
        Fetched::One(text) => Some(text),
        Fetched::Many(list, _) => list.into_iter().next(),
    })
}
