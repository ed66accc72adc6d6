//! The parts of a word, one after another.

use codepod_shell_syntax::tree::{ParamOp, Part, Subject, Subscript};

use super::sink::{Kind, Sink};
use super::{brace, command, default, param, tilde};
use crate::exec;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Where parts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Outside of quotes, in the word itself.
    Bare,
    /// Outside of quotes, in the word of `${x-word}`: text is split too.
    Inner,
    /// Inside double quotes.
    Double,
}

/// Expands parts into the sink.
pub(super) fn parts(shell: &mut Shell, sink: &mut Sink, parts: &[Part], place: Place) -> Run {
    for part in parts {
        self::part(shell, sink, part, place)?;
    }
    Ok(())
}

pub(super) fn part(shell: &mut Shell, sink: &mut Sink, part: &Part, place: Place) -> Run {
    match part {
        Part::Literal(bytes) => match place {
            Place::Double => sink.quoted(bytes),
            Place::Bare if sink.kind() == Kind::Regex => sink.expression(bytes),
            Place::Bare => sink.unquoted(shell, bytes),
            Place::Inner => sink.split(shell, bytes)?,
        },
        Part::Quoted(bytes, _) => {
            sink.mark();
            sink.quoted(bytes);
        }
        Part::Double(inside) => double(shell, sink, inside)?,
        Part::Param(param) => param::expand(shell, sink, param, place)?,
        Part::Command(substitution) => {
            let joins = matches!(sink.kind(), Kind::Assigned | Kind::Single);
            let before = shell.joins;
            shell.joins |= joins;
            let output = command::output(shell, substitution);
            shell.joins = before;
            value(shell, sink, &Text::from(output?), place)?;
        }
        Part::Arith(arith) => {
            let number = super::number(shell, arith)?;
            value(shell, sink, &number, place)?;
        }
        Part::Process(substitution) => {
            let path = exec::process_substitution(shell, &substitution.list, substitution.read)?;
            sink.mark();
            sink.quoted(&path);
        }
        Part::Tilde(name) => {
            let directory = tilde::expand(shell, name);
            sink.mark();
            sink.quoted(&directory);
        }
        Part::Brace(brace) => brace::literally(shell, sink, brace)?,
        Part::ExtGlob(kind, alternatives) => {
            sink.unquoted(shell, &[*kind, b'(']);
            for (number, alternative) in alternatives.iter().enumerate() {
                if number > 0 {
                    sink.unquoted(shell, b"|");
                }
                parts(shell, sink, &alternative.parts, Place::Bare)?;
            }
            sink.unquoted(shell, b")");
        }
    }
    Ok(())
}

/// Appends the result of an expansion.
pub(super) fn value(shell: &mut Shell, sink: &mut Sink, text: &Text, place: Place) -> Run {
    if place == Place::Double || sink.is_string() {
        sink.quoted_value(text);
        return Ok(());
    }
    sink.split(shell, text)
}

/// `"…"`: one field at least, unless all it holds is a `"$@"` without elements.
fn double(shell: &mut Shell, sink: &mut Sink, inside: &[Part]) -> Run {
    let before = sink.length();
    let mut vanished = false;
    let beside = inside.len() > 1 && have_list(shell, inside);
    let beside = std::mem::replace(&mut sink.beside_list, beside);
    for part in inside {
        sink.vanished = false;
        let length = sink.length();
        let trailing = std::mem::take(&mut sink.trailing);
        self::part(shell, sink, part, Place::Double)?;
        sink.trailing |= trailing && sink.length() == length;
        vanished |= sink.vanished;
    }
    sink.vanished = false;
    sink.beside_list = beside;
    if std::mem::take(&mut sink.trailing) {
        return Ok(());
    }
    if !vanished || sink.length() != before {
        sink.mark();
    }
    Ok(())
}

/// Whether one of the parts in quotes is a list of fields: `$@`, `${a[@]}`.
pub(super) fn have_list(shell: &mut Shell, parts: &[Part]) -> bool {
    parts.iter().any(|part| match part {
        Part::Param(param) => {
            let is_list = matches!(param.subject, Subject::Special(b'@'))
                || matches!(param.subscript, Some(Subscript::At));
            match &param.op {
                ParamOp::Length => false,
                ParamOp::Default { op, colon, word } => {
                    have_list(shell, &word.parts)
                        || is_list && !default::uses_word(shell, param, *op, *colon)
                }
                _ => is_list,
            }
        }
        Part::Double(parts) => have_list(shell, parts),
        _ => false,
    })
}
