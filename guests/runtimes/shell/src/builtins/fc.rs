//! `fc`: listing and running lines of the history again. Editing them needs an editor on a terminal
//! and is refused.

use std::rc::Rc;

use super::{number, print, usage};
use crate::exec;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// How many lines `fc -l` prints when not told.
const LISTED: i64 = 16;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let (mut lists, mut numbers, mut reverses, mut again) = (false, true, false, false);
    let mut rest = &arguments[1..];
    // A negative number is no option.
    while let [word, after @ ..] = rest
        && let [b'-', letters @ ..] = &word[..]
        && letters
            .first()
            .is_some_and(|letter| !letter.is_ascii_digit())
    {
        rest = after;
        if letters == b"-" {
            break;
        }
        for (at, letter) in letters.iter().enumerate() {
            match letter {
                b'l' => lists = true,
                b'n' => numbers = false,
                b'r' => reverses = true,
                b's' => again = true,
                b'e' => {
                    let mut editor = &letters[at + 1..];
                    if editor.is_empty() {
                        let Some((next, after)) = rest.split_first() else {
                            shell.builtin_error(b"fc", b"-e: option requires an argument");
                            return Ok(usage(shell, b"fc"));
                        };
                        rest = after;
                        editor = next;
                    }
                    again |= editor == b"-";
                    break;
                }
                _ => {
                    shell
                        .builtin_error(b"fc", [&[b'-', *letter][..], b": invalid option"].concat());
                    return Ok(usage(shell, b"fc"));
                }
            }
        }
    }
    if lists {
        return Ok(list(shell, rest, numbers, reverses));
    }
    if again {
        return repeat(shell, rest);
    }
    shell.builtin_error(b"fc", b"editing commands is not supported");
    shell.hint(b"`fc -l` lists and `fc -s` runs a command again");
    Ok(1)
}

/// The place of a line: a number, negative from the end, or how it starts.
fn place(history: &[Text], word: &[u8]) -> Option<usize> {
    let count = history.len() as i64;
    match number(word) {
        Some(number) => {
            let at = if number > 0 {
                number - 1
            } else {
                count + number.min(-1)
            };
            Some(at.clamp(0, count - 1) as usize)
        }
        None => history.iter().rposition(|line| line.starts_with(word)),
    }
}

fn list(shell: &Shell, words: &[Text], numbers: bool, reverses: bool) -> i32 {
    let history = &shell.state.history;
    if history.is_empty() {
        return 0;
    }
    let find = |word: Option<&Text>, default: i64| match word {
        Some(word) => place(history, word),
        None => Some((history.len() as i64 + default).max(0) as usize),
    };
    let (Some(first), Some(last)) = (find(words.first(), -LISTED), find(words.get(1), -1)) else {
        shell.builtin_error(b"fc", b"no command found");
        return 1;
    };
    let mut places: Vec<usize> = (first.min(last)..=first.max(last)).collect();
    if reverses != (first > last) {
        places.reverse();
    }
    let mut out = Vec::new();
    for at in places {
        if numbers {
            out.extend_from_slice(&Text::number(at as i64 + 1));
        }
        out.extend_from_slice(b"\t ");
        out.extend_from_slice(&history[at]);
        out.push(b'\n');
    }
    print(shell, b"fc", &out)
}

/// `fc -s [old=new]... [command]`
fn repeat(shell: &mut Shell, words: &[Text]) -> Run<i32> {
    let history = Rc::clone(&shell.state.history);
    let changes = words.iter().take_while(|word| word.contains(&b'=')).count();
    let found = match words.get(changes) {
        Some(word) => place(&history, word),
        None => history.len().checked_sub(1),
    };
    let Some(line) = found.and_then(|at| history.get(at)) else {
        shell.builtin_error(b"fc", b"no command found");
        return Ok(1);
    };
    let mut line = line.to_vec();
    for change in &words[..changes] {
        let equals = change.iter().position(|byte| *byte == b'=').unwrap_or(0);
        line = replaced(&line, &change[..equals], &change[equals + 1..]);
    }
    let _ = shell.fds.write(2, &[&line[..], b"\n"].concat());
    if let Some(last) = Rc::make_mut(&mut shell.state.history).last_mut() {
        *last = Text::new(&line);
    }
    let number = shell.state.line;
    shell.state.status = 0;
    exec::text(shell, &line, number)?;
    Ok(shell.state.status)
}

/// Every `old` replaced.
fn replaced(line: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    if old.is_empty() {
        return line.to_vec();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < line.len() {
        if line[at..].starts_with(old) {
            out.extend_from_slice(new);
            at += old.len();
        } else {
            out.push(line[at]);
            at += 1;
        }
    }
    out
}
