//! `${x-word}`, `${x=word}`, `${x?word}`, `${x+word}`

use codepod_shell_syntax::tree::{DefaultOp, Param, Word};

use super::ifs;
use super::list::{From, emit};
use super::lookup::{Fetched, What, fetch, locate};
use super::param::{reference_name, shown};
use super::sink::{Kind, Sink};
use super::word::{self, Place};
use crate::assign;
use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::text::Text;

/// `${x-word}` and its like
pub(super) fn expand(
    shell: &mut Shell,
    sink: &mut Sink,
    param: &Param,
    op: DefaultOp,
    colon: bool,
    inside: &Word,
    place: Place,
) -> Run {
    let quoted = place == Place::Double;
    let what = locate(shell, param)?;
    let fetched = match (reference_name(shell, param), &what) {
        (Some(name), _) => Fetched::One(name),
        (None, what) => fetch(shell, what)?,
    };
    // In a value, a list with an element is there, whatever the element is.
    let colon_of_list = colon && !param.indirect && (quoted || sink.kind() != Kind::Assigned);
    let lacks = match &fetched {
        Fetched::Unset => true,
        Fetched::One(text) => colon && text.is_empty(),
        Fetched::Many(list, star) => {
            list.is_empty() || colon_of_list && is_null(shell, list, *star && quoted)
        }
    };
    match (op, lacks) {
        (DefaultOp::Alternative, false) | (DefaultOp::Use, true) => {
            let place = if quoted { Place::Double } else { Place::Inner };
            let (marked, before) = (sink.is_marked(), sink.length());
            word::parts(shell, sink, &inside.parts, place)?;
            if quoted && sink.length() == before {
                // Quotes inside of quotes make no field.
                sink.set_marked(marked);
            }
            sink.vanished = false;
            Ok(())
        }
        (DefaultOp::Alternative, true) => {
            sink.vanished =
                quoted && matches!(&fetched, Fetched::Many(list, false) if list.is_empty());
            Ok(())
        }
        (_, false) => {
            let from = if matches!(what, What::Positionals(_)) {
                From::Positionals
            } else {
                From::Elements
            };
            emit(shell, sink, fetched, place, from)
        }
        (DefaultOp::Assign, true) => {
            let text = word_text(shell, inside, place)?;
            let text = assign_default(shell, param, &what, text)?;
            if quoted && text.is_empty() {
                sink.mark();
            }
            word::value(shell, sink, &text, place)
        }
        (DefaultOp::Error, true) => Err(complain(shell, param, colon, inside, place)?),
    }
}

/// Whether the word stands for `${a[@]-word}` or its like, and not the list.
pub(super) fn uses_word(shell: &mut Shell, param: &Param, op: DefaultOp, colon: bool) -> bool {
    if param.indirect {
        return false;
    }
    let fetched = locate(shell, param).and_then(|what| fetch(shell, &what));
    let Ok(Fetched::Many(list, _)) = fetched else {
        return false;
    };
    let lacks = list.is_empty() || colon && is_null(shell, &list, false);
    lacks == (op != DefaultOp::Alternative)
}

/// Whether a list counts as empty: one empty element, or several that `"$*"` joins to nothing.
fn is_null(shell: &Shell, list: &[Text], star: bool) -> bool {
    list.iter().all(|text| text.is_empty())
        && (list.len() == 1 || star && ifs::separator(shell).is_empty())
}

/// The word of `${x=word}` as one string.
fn word_text(shell: &mut Shell, inside: &Word, place: Place) -> Run<Text> {
    if place == Place::Double {
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
            return Err(super::give_up(shell));
        }
        What::Nothing => return Ok(text),
        _ => {
            shell.error([b"$", &*shown(param), b": cannot assign in this way"].concat());
            return Err(super::give_up(shell));
        }
    };
    if !assign::set(shell, name, place, text, false)? {
        return Err(super::give_up(shell));
    }
    Ok(match fetch(shell, what)? {
        Fetched::One(text) => text,
        _ => Text::EMPTY,
    })
}

/// `${x?word}`: reports; the shell ends.
#[cold]
#[inline(never)]
fn complain(
    shell: &mut Shell,
    param: &Param,
    colon: bool,
    inside: &Word,
    place: Place,
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
        message.extend_from_slice(&word_text(shell, inside, place)?);
    }
    shell.error(message);
    Ok(super::end(shell))
}
