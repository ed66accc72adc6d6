//! `${x@Q}` and its like.

use codepod_shell_syntax::tree::{Param, Part};

use super::ifs::{self, Splits};
use super::list::{From, emit};
use super::lookup::{Fetched, What, fetch, locate};
use super::param::{map, mark_empty, shown};
use super::replace;
use super::sink::{Kind, Sink};
use super::word::Place;
use crate::assign;
use crate::builtins::listing;
use crate::flow::Run;
use crate::options::SetOptions;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Value, Variable};

pub(super) fn expand(
    shell: &mut Shell,
    sink: &mut Sink,
    param: &Param,
    letter: u8,
    place: Place,
) -> Run {
    let what = locate(shell, param)?;
    let fetched = fetch(shell, &what)?;
    if matches!(fetched, Fetched::Unset) && shell.state.set.has(SetOptions::NOUNSET) {
        return Err(super::unbound(shell, &shown(param)));
    }
    let nothing = match &fetched {
        Fetched::Unset => true,
        Fetched::One(_) => false,
        Fetched::Many(list, _) => list.is_empty(),
    };
    let result = match letter {
        b'A' => declared(
            shell,
            &what,
            fetched,
            place == Place::Double || sink.is_string(),
        ),
        b'a' => attributes(shell, &what, fetched),
        b'K' | b'k' => pairs(shell, &what, letter, fetched),
        b'Q' => map(fetched, |text| reusable(&text)),
        b'U' => map(fetched, |text| replace::case(text, b'^', true, None)),
        b'u' => map(fetched, |text| replace::case(text, b'^', false, None)),
        b'L' => map(fetched, |text| replace::case(text, b',', true, None)),
        b'E' => map(fetched, |text| escapes(&text)),
        b'P' => prompts(shell, fetched)?,
        _ if nothing => fetched,
        _ => {
            let letter: &[u8] = if letter == b'@' { b"" } else { &[letter] };
            let text = [b"${", &*shown(param), b"@", letter, b"}"].concat();
            shell.error([&text[..], b": bad substitution"].concat());
            return Err(super::end(shell));
        }
    };
    if matches!(letter, b'U' | b'u' | b'L' | b'E') {
        mark_empty(sink, &result, place);
    }
    emit(shell, sink, result, place, From::Transformed)
}

fn reusable(text: &[u8]) -> Text {
    let mut out = Vec::with_capacity(text.len() + 2);
    quote::reusable(text, &mut out);
    out.into()
}

/// Backslash escapes as in `$'…'`.
fn escapes(text: &[u8]) -> Text {
    if !text.contains(&b'\\') {
        return Text::new(text);
    }
    // The parser knows them; a quote must not end them early.
    let mut source = b"$'".to_vec();
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        at += 1;
        match byte {
            b'\'' => source.extend_from_slice(b"\\'"),
            b'\\' => {
                source.push(b'\\');
                match text.get(at) {
                    Some(next) => source.push(*next),
                    None => source.push(b'\\'),
                }
                at += 1;
            }
            _ => source.push(byte),
        }
    }
    source.push(b'\'');
    match codepod_shell_syntax::word(&source, codepod_shell_syntax::Options::default()) {
        Ok(word) => match word.parts.as_slice() {
            [Part::Quoted(bytes, _)] => Text::new(bytes),
            [] => Text::EMPTY,
            _ => Text::new(text),
        },
        Err(_) => Text::new(text),
    }
}

fn prompts(shell: &mut Shell, fetched: Fetched) -> Run<Fetched> {
    Ok(match fetched {
        Fetched::Unset => Fetched::Unset,
        Fetched::One(text) => Fetched::One(super::prompt(shell, &text)?),
        Fetched::Many(list, star) => {
            let mut all = Vec::with_capacity(list.len());
            for text in list {
                all.push(super::prompt(shell, &text)?);
            }
            Fetched::Many(all, star)
        }
    })
}

/// The variable with its value computed.
fn variable(shell: &mut Shell, what: &What) -> Option<(codepod_shell_syntax::Name, Variable)> {
    let name = match what {
        What::Variable(name) | What::Element(name, _) | What::All(name, _) => *name,
        _ => return None,
    };
    let attributes = shell.state.variables.get(name).attributes;
    let value = assign::value(shell, name);
    Some((name, Variable { value, attributes }))
}

/// `@a`: the letters of the attributes.
fn attributes(shell: &mut Shell, what: &What, fetched: Fetched) -> Fetched {
    let Some((_, variable)) = variable(shell, what) else {
        return match fetched {
            Fetched::Many(list, star) => Fetched::Many(vec![Text::EMPTY; list.len()], star),
            _ => Fetched::Unset,
        };
    };
    let letters = Text::from(listing::letters(&variable));
    match (what, fetched) {
        (What::All(..), Fetched::Many(list, star)) => {
            Fetched::Many(vec![letters; list.len()], star)
        }
        (_, Fetched::Unset) if letters.is_empty() => Fetched::Unset,
        _ => Fetched::One(letters),
    }
}

/// `@A`: what makes the variable again.
fn declared(shell: &mut Shell, what: &What, fetched: Fetched, quoted: bool) -> Fetched {
    let Some((name, variable)) = variable(shell, what) else {
        return match (what, fetched) {
            (What::Positionals(star), Fetched::Many(list, _)) if !list.is_empty() => {
                let words: Vec<Text> = list.iter().map(|text| reusable(text)).collect();
                let words: Vec<&[u8]> = words.iter().map(|text| &text[..]).collect();
                let mut separator = ifs::separator(shell);
                if separator.is_empty() {
                    separator = Text::from(" ");
                }
                let all = [b"set -- ", &*words.join(&*separator)].concat();
                return in_words(shell, all, quoted && !*star, *star);
            }
            _ => Fetched::Unset,
        };
    };
    let letters = listing::letters(&variable);
    let mut assignment = name.bytes().to_vec();
    let is_array = matches!(variable.value, Value::Indexed(_) | Value::Assoc(_));
    if let (What::All(_, star), true) = (what, is_array) {
        assignment.push(b'=');
        listing::array(&variable.value, &mut assignment);
        if quoted && !*star && ifs::current(shell, |ifs| ifs.at(b" ", 0).0 != Splits::No) {
            let dashed = [b"-", &letters[..]].concat();
            let all = vec![Text::from("declare"), dashed.into(), assignment.into()];
            return Fetched::Many(all, false);
        }
        let all = [b"declare -", &letters[..], b" ", &assignment].concat();
        return in_words(shell, all, quoted && !*star, *star);
    }
    let value = match fetched {
        Fetched::One(text) => Some(text),
        Fetched::Many(list, _) => list.into_iter().next(),
        Fetched::Unset => None,
    };
    let mut out = Vec::new();
    if !letters.is_empty() {
        out.extend_from_slice(b"declare -");
        out.extend_from_slice(&letters);
        out.push(b' ');
    }
    match value {
        Some(value) => {
            assignment.push(b'=');
            quote::reusable(&value, &mut assignment);
        }
        None if letters.is_empty() => return Fetched::Unset,
        None => {}
    }
    out.extend_from_slice(&assignment);
    Fetched::One(out.into())
}

/// A text that is split as if it were not quoted, where `splits`.
fn in_words(shell: &mut Shell, text: Vec<u8>, splits: bool, star: bool) -> Fetched {
    if !splits {
        return Fetched::One(text.into());
    }
    let mut sink = Sink::new(Kind::Fields, Vec::new());
    let noglob = shell.state.set;
    shell.state.set.set(SetOptions::NOGLOB, true);
    let done = sink.split(shell, &text).and_then(|()| sink.end(shell));
    shell.state.set = noglob;
    match done {
        Ok(()) => Fetched::Many(sink.into_fields(), star),
        Err(_) => Fetched::One(text.into()),
    }
}

/// `@K` and `@k`: keys and values, as one string or as a list.
fn pairs(shell: &mut Shell, what: &What, letter: u8, fetched: Fetched) -> Fetched {
    if let What::All(name, star) = what {
        let (mut list, mut joined) = (Vec::new(), Vec::new());
        let mut add = |key: &[u8], quoted_key: &mut dyn FnMut(&mut Vec<u8>), value: &[u8]| {
            if letter == b'k' {
                list.push(Text::new(key));
                list.push(Text::new(value));
            } else {
                quoted_key(&mut joined);
                joined.push(b' ');
                quote::declared(value, &mut joined);
            }
            if letter == b'K' {
                joined.push(b' ');
            }
        };
        match assign::value(shell, *name) {
            Value::Indexed(array) => {
                for (index, value) in array.iter() {
                    let index = Text::number(index as i64);
                    add(&index, &mut |out| out.extend_from_slice(&index), value);
                }
                if joined.last() == Some(&b' ') {
                    joined.pop();
                }
            }
            Value::Assoc(array) => {
                for (key, value) in array.iter() {
                    add(key, &mut |out| quote::key(key, out), value);
                }
            }
            _ => return map(fetched, |text| reusable(&text)),
        }
        if list.is_empty() && joined.is_empty() {
            return Fetched::Many(list, *star);
        }
        return if letter == b'k' {
            Fetched::Many(list, *star)
        } else {
            Fetched::One(joined.into())
        };
    }
    map(fetched, |text| reusable(&text))
}
