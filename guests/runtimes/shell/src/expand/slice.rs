//! `${x:offset:length}`

use codepod_shell_syntax::tree::Arith;

use super::lookup::{Fetched, What};
use crate::flow::{Run, Stop};
use crate::pattern::chars;
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::Value;
use crate::{arith, assign};

/// A part of a string, of the positional parameters or of an array. Messages about the numbers
/// begin with the name `shown`.
pub(super) fn slice(
    shell: &mut Shell,
    what: &What,
    fetched: Fetched,
    offset: &Arith,
    length: Option<&Arith>,
    shown: impl Fn() -> Vec<u8> + Copy,
) -> Run<Fetched> {
    if matches!(fetched, Fetched::Unset) {
        return Ok(fetched);
    }
    if let (What::All(..), Fetched::Many(list, _)) = (what, &fetched)
        && list.is_empty()
    {
        return Ok(fetched);
    }
    let offset = arith::about(shell, shown, offset)?;
    let written = length;
    let length = match length {
        // Where there is nothing to take any of, nobody looks at the length.
        Some(_) if is_outside(shell, what, &fetched, offset) => None,
        Some(length) => Some(arith::about(shell, shown, length)?),
        None => None,
    };
    match fetched {
        Fetched::Unset => Ok(Fetched::Unset),
        Fetched::One(text) => {
            let part = string(shell, &text, offset, length, written)?;
            let fetched = Fetched::One(text);
            // Nothing because there is nothing is another nothing than an empty part.
            if part.is_empty() && is_outside(shell, what, &fetched, offset) {
                return Ok(Fetched::Unset);
            }
            Ok(Fetched::One(part))
        }
        Fetched::Many(list, _) if is_scalar(shell, what) => {
            let text = list.into_iter().next().unwrap_or_default();
            string(shell, &text, offset, length, written).map(Fetched::One)
        }
        Fetched::Many(list, star) => {
            if let Some(..0) = length {
                return Err(negative(shell, written));
            }
            let length = length.map_or(usize::MAX, |length| {
                usize::try_from(length).unwrap_or(usize::MAX)
            });
            Ok(Fetched::Many(part(shell, what, list, offset, length), star))
        }
    }
}

/// Whether a part that starts at `offset` is outside of what there is.
fn is_outside(shell: &mut Shell, what: &What, fetched: &Fetched, offset: i64) -> bool {
    let (count, last) = match fetched {
        Fetched::Unset => return true,
        Fetched::One(text) => (chars::count(text) as i64, 0),
        Fetched::Many(list, _) => match what {
            // `$0` counts, too.
            What::Positionals(_) => (list.len() as i64 + 1, 0),
            What::All(name, _) => match assign::value(shell, *name) {
                Value::Indexed(array) => (array.end() as i64, 1),
                _ => (list.len() as i64, 0),
            },
            _ => (list.len() as i64, 0),
        },
    };
    offset > count - last || offset.saturating_add(count) < 0
}

/// Whether all elements are those of a string: `${x[@]:1}` is then `${x:1}`.
fn is_scalar(shell: &Shell, what: &What) -> bool {
    matches!(what, What::All(name, _) if matches!(shell.state.variables.get(*name).value, Value::Text(_)))
}

#[cold]
fn negative(shell: &mut Shell, length: Option<&Arith>) -> Stop {
    let text = length.map_or_else(Vec::new, |length| {
        codepod_shell_syntax::print::word(&length.word)
    });
    shell.error([&*text, b": substring expression < 0"].concat());
    shell.state.status = 1;
    Stop::Discard
}

fn string(
    shell: &mut Shell,
    text: &Text,
    offset: i64,
    length: Option<i64>,
    written: Option<&Arith>,
) -> Run<Text> {
    let count = if offset < 0 || length.is_some_and(|length| length < 0) {
        chars::count(text) as i64
    } else {
        i64::MAX
    };
    let start = if offset < 0 {
        offset.saturating_add(count)
    } else {
        offset
    };
    if start < 0 || count != i64::MAX && start > count {
        return Ok(Text::EMPTY);
    }
    let from = chars::offset(text, usize::try_from(start).unwrap_or(usize::MAX));
    let rest = &text[from..];
    let Some(length) = length else {
        return Ok(Text::new(rest));
    };
    let length = if length < 0 {
        let end = length.saturating_add(count);
        if end < start {
            return Err(negative(shell, written));
        }
        end - start
    } else {
        length
    };
    let to = chars::offset(rest, usize::try_from(length).unwrap_or(usize::MAX));
    Ok(Text::new(&rest[..to]))
}

fn part(shell: &mut Shell, what: &What, list: Vec<Text>, offset: i64, length: usize) -> Vec<Text> {
    match what {
        What::Positionals(_) => {
            // `$0` counts as the one before the first; from the end it is there too.
            let count = list.len() as i64 + 1;
            let start = if offset < 0 {
                offset.saturating_add(count)
            } else {
                offset
            };
            if start < 0 {
                return Vec::new();
            }
            let zero = shell.state.zero.clone();
            let all = std::iter::once(zero).chain(list);
            all.skip(start as usize).take(length).collect()
        }
        What::All(name, _) => {
            if let Value::Indexed(array) = assign::value(shell, *name) {
                let end = array.end() as i64;
                let start = if offset < 0 {
                    offset.saturating_add(end)
                } else {
                    offset
                };
                if start < 0 {
                    return Vec::new();
                }
                let from = array.iter().filter(|(index, _)| *index >= start as u64);
                return from.take(length).map(|(_, text)| text.clone()).collect();
            }
            // An associative array has no order to speak of; bash counts its elements from 1.
            let count = list.len() as i64;
            let start = if offset < 0 {
                offset.saturating_add(count)
            } else {
                (offset - 1).max(0)
            };
            if start < 0 {
                return Vec::new();
            }
            list.into_iter().skip(start as usize).take(length).collect()
        }
        _ => list,
    }
}
