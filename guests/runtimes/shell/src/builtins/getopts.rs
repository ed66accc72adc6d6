//! `getopts`.

use codepod_shell_syntax::Name;

use super::target::invalid;
use super::{getopt, is_name, number, usage};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Attributes;

/// What the next option is.
enum Found {
    /// No more options.
    End,
    /// An option, with its argument.
    Option(u8, Option<Text>),
    /// A letter that is none.
    Unknown(u8),
    /// The argument is missing.
    Missing(u8),
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let operands = match getopt::none(shell, arguments) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let [letters, name, words @ ..] = operands else {
        return Ok(usage(shell, b"getopts"));
    };
    let index = assign::get(shell, Name::OPTIND)
        .and_then(|index| number(&index))
        .unwrap_or(1)
        .max(0);
    let positional = std::rc::Rc::clone(&shell.state.positional);
    let words = if words.is_empty() {
        &positional[..]
    } else {
        words
    };
    let silent = letters.first() == Some(&b':');
    let mut place = Position {
        index: usize::try_from(index).unwrap_or(usize::MAX).max(1),
        inside: shell.state.getopts as usize,
    };
    let found = next(
        words,
        letters.strip_prefix(b":").unwrap_or(letters),
        &mut place,
    );
    let index = Text::number(place.index as i64);
    assign::set(shell, Name::OPTIND, Place::Whole, index, false)?;
    // Setting `OPTIND` starts from the first letter; it was not the script that set it.
    shell.state.getopts = place.inside as u32;
    report(shell, &found, silent);
    let (value, argument) = match found {
        Found::End => {
            assign::unset(shell, Name::OPTARG);
            let status = bind(shell, name, Text::from("?"))?;
            return Ok(status.max(1));
        }
        Found::Option(letter, argument) => (letter, argument),
        Found::Unknown(letter) => (b'?', silent.then(|| Text::new(&[letter]))),
        Found::Missing(letter) if silent => (b':', Some(Text::new(&[letter]))),
        Found::Missing(_) => (b'?', None),
    };
    match argument {
        Some(argument) => {
            assign::set(shell, Name::OPTARG, Place::Whole, argument, false)?;
        }
        None => {
            assign::unset(shell, Name::OPTARG);
        }
    }
    bind(shell, name, Text::new(&[value]))
}

/// Prints what is wrong, unless `OPTERR` is 0 or the letters start with a colon.
fn report(shell: &mut Shell, found: &Found, silent: bool) {
    let (what, letter): (&[u8], u8) = match found {
        Found::Unknown(letter) => (b": illegal option -- ", *letter),
        Found::Missing(letter) => (b": option requires an argument -- ", *letter),
        _ => return,
    };
    let quiet = assign::get(shell, Name::OPTERR).is_some_and(|value| number(&value) == Some(0));
    if !silent && !quiet {
        let line = [&shell.state.zero[..], what, &[letter, b'\n']].concat();
        let _ = shell.fds.write(2, &line);
    }
}

fn bind(shell: &mut Shell, name: &[u8], value: Text) -> Run<i32> {
    if !is_name(name) {
        return Ok(invalid(shell, b"getopts", name));
    }
    let name = Name::new(name);
    let readonly = shell
        .state
        .variables
        .get(name)
        .attributes
        .has(Attributes::READONLY);
    assign::set(shell, name, Place::Whole, value, false)?;
    Ok(if readonly { 2 } else { 0 })
}

/// Where the next letter is: the word, counted from 1, and in it.
struct Position {
    index: usize,
    /// 0 before the word was looked at.
    inside: usize,
}

impl Position {
    fn next_word(&mut self) {
        self.index += 1;
        self.inside = 0;
    }
}

fn next(words: &[Text], letters: &[u8], place: &mut Position) -> Found {
    let Some(word) = words.get(place.index - 1) else {
        place.index = words.len() + 1;
        place.inside = 0;
        return Found::End;
    };
    if place.inside == 0 || place.inside >= word.len() {
        match &word[..] {
            b"--" => {
                place.next_word();
                return Found::End;
            }
            [b'-', _, ..] => place.inside = 1,
            _ => {
                place.inside = 0;
                return Found::End;
            }
        }
    }
    let letter = word[place.inside];
    place.inside += 1;
    let rest = &word[place.inside..];
    let known = letters.iter().position(|known| *known == letter);
    let Some(known) = known.filter(|_| letter != b':') else {
        if rest.is_empty() {
            place.next_word();
        }
        return Found::Unknown(letter);
    };
    if letters.get(known + 1) != Some(&b':') {
        if rest.is_empty() {
            place.next_word();
        }
        return Found::Option(letter, None);
    }
    place.next_word();
    if !rest.is_empty() {
        return Found::Option(letter, Some(Text::new(rest)));
    }
    match words.get(place.index - 1) {
        Some(argument) => {
            place.next_word();
            Found::Option(letter, Some(argument.clone()))
        }
        None => Found::Missing(letter),
    }
}
