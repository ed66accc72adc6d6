//! `declare name=(…)`: the list is expanded first, and assigned as what that gave.

use codepod_shell_syntax::tree::{
    Assign, AssignValue, Bytes, Element, Part, Quote, Subscript, Word,
};

use super::Options;
use super::variable::{self, Followed, set_nameref_followed};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Attributes;
use crate::{assign, expand, quote};

/// Expands the list and assigns it.
pub(super) fn assign(shell: &mut Shell, assign: &Assign, options: Options) -> Run {
    let ready = expand(shell, assign, options)?;
    assign_ready(shell, assign, &ready, options)
}

/// Expands the words of a list: each becomes quoted text.
pub(super) fn expand(shell: &mut Shell, assign: &Assign, options: Options) -> Run<Vec<Element>> {
    let AssignValue::Array(list) = &assign.value else {
        return Ok(Vec::new());
    };
    let variable = shell.state.variables.get(assign.name);
    let assoc = options.on.has(Attributes::ASSOC) || variable::is_assoc(variable);
    // Keys and values in turn: what looks like a subscript is none.
    let pairs = assoc && list.first().is_some_and(|first| first.subscript.is_none());
    let mut ready = Vec::with_capacity(list.len());
    for element in list {
        let subscript = match element.subscript.as_deref() {
            Some(Subscript::Expr { word, arith }) if assoc && !pairs => {
                let key = expand::key(shell, word)?;
                Some(Box::new(Subscript::Expr {
                    word: quoted(&key),
                    arith: arith.clone(),
                }))
            }
            Some(subscript) => Some(Box::new(subscript.clone())),
            None => None,
        };
        if subscript.is_some() || assoc {
            let value = if assoc {
                expand::without_tildes(shell, &element.value)?
            } else {
                expand::assigned(shell, &element.value)?
            };
            ready.push(Element {
                subscript,
                append: element.append,
                value: quoted(&value),
            });
            continue;
        }
        let mut fields = shell.take_fields();
        expand::fields(shell, &element.value, &mut fields)?;
        ready.extend(fields.iter().map(|field| Element {
            subscript: None,
            append: false,
            value: quoted(field),
        }));
        shell.give_fields(fields);
    }
    Ok(ready)
}

/// A word that stands for itself.
fn quoted(bytes: &[u8]) -> Word {
    Word {
        parts: vec![Part::Quoted(Bytes(bytes.to_vec()), Quote::Single)],
        ..Word::default()
    }
}

/// Assigns a list whose words are expanded.
pub(super) fn assign_ready(
    shell: &mut Shell,
    assign: &Assign,
    ready: &[Element],
    options: Options,
) -> Run {
    let followed = set_nameref_followed(shell, assign.name);
    let (Followed::Name(name), None) = (followed, &assign.subscript) else {
        // That is an error, which the plain assignment reports.
        return assign::assign(shell, assign);
    };
    if !variable::prepare_array(shell, name, assign.name, options) {
        shell.state.status = 1;
        return Err(Stop::Discard);
    }
    if shell.state.set.has(SetOptions::XTRACE) {
        trace(shell, assign, ready)?;
    }
    if assign::elements(shell, name, ready, assign.append)? {
        return Ok(());
    }
    shell.state.status = 1;
    Err(Stop::Discard)
}

/// `name=('1' ['k']='v')`
#[cold]
fn trace(shell: &mut Shell, assign: &Assign, ready: &[Element]) -> Run {
    let mut line = assign.name.bytes().to_vec();
    line.extend_from_slice(if assign.append { b"+=(" } else { b"=(" });
    for (number, element) in ready.iter().enumerate() {
        if number > 0 {
            line.push(b' ');
        }
        if let Some(subscript) = &element.subscript {
            line.push(b'[');
            match &**subscript {
                Subscript::At => line.push(b'@'),
                Subscript::Star => line.push(b'*'),
                Subscript::Expr { word, .. } => quote::single(&text(word), &mut line),
            }
            line.extend_from_slice(if element.append { b"]+=" } else { b"]=" });
        }
        quote::single(&text(&element.value), &mut line);
    }
    line.push(b')');
    expand::trace(shell, line)
}

/// The text of a word that was made by [`quoted`], or as it was written.
fn text(word: &Word) -> Text {
    match word.parts.as_slice() {
        [Part::Quoted(bytes, _)] => Text::new(bytes),
        _ => Text::from(codepod_shell_syntax::print::word(word)),
    }
}
