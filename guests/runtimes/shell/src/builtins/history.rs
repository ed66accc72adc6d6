//! `history`.

mod event;

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_sys::file::{self, OpenOptions};
use codepod_sys::{Errno, descriptor};

use super::{Getopt, number, print};
use crate::assign;
use crate::completion;
use crate::flow::Run;
use crate::pattern::{Options as PatternOptions, Pattern};
use crate::shell::Shell;
use crate::text::Text;

/// Adds a line to the history, unless `HISTCONTROL` or `HISTIGNORE` keeps it out; `HISTSIZE` limits
/// how many are kept.
pub fn remember(shell: &mut Shell, line: &[u8]) {
    let control = assign::get(shell, Name::HISTCONTROL).unwrap_or_default();
    let has = |word: &[u8]| control.split(|byte| *byte == b':').any(|part| part == word);
    let both = has(b"ignoreboth");
    let last = shell.state.history.last();
    if (both || has(b"ignorespace")) && line.first() == Some(&b' ')
        || (both || has(b"ignoredups")) && last.is_some_and(|last| &last[..] == line)
    {
        return;
    }
    let erases = has(b"erasedups");
    if let Some(ignore) = assign::get(shell, Name::HISTIGNORE) {
        let ignored = ignore.split(|byte| *byte == b':').any(|pattern| {
            !pattern.is_empty() && Pattern::new(pattern, PatternOptions::default()).matches(line)
        });
        if ignored {
            return;
        }
    }
    let history = Rc::make_mut(&mut shell.state.history);
    if erases {
        history.retain(|known| &known[..] != line);
    }
    history.push(Text::new(line));
    shrink(shell);
}

/// A limit that a variable sets; none when it sets none.
fn limit(shell: &mut Shell, name: Name) -> Option<usize> {
    let size = assign::get(shell, name)?;
    usize::try_from(number(&size)?).ok()
}

/// Forgets the oldest lines that are more than `HISTSIZE`.
pub fn shrink(shell: &mut Shell) {
    let Some(limit) = limit(shell, Name::HISTSIZE) else {
        return;
    };
    let excess = shell.state.history.len().saturating_sub(limit);
    if excess > 0 {
        Rc::make_mut(&mut shell.state.history).drain(..excess);
        shell.state.history_written = shell.state.history_written.saturating_sub(excess as u32);
    }
}

/// Removes the first lines of `HISTFILE` that are more than `HISTFILESIZE`.
pub fn shrink_file(shell: &mut Shell) {
    let Some(limit) = limit(shell, Name::HISTFILESIZE) else {
        return;
    };
    let path = assign::get(shell, Name::HISTFILE).filter(|path| !path.is_empty());
    let Some((path, text)) =
        path.and_then(|path| Some((path.clone(), completion::read_file(&path)?)))
    else {
        return;
    };
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let excess = lines.len().saturating_sub(limit);
    if excess > 0 {
        // Without success the file stays as it is.
        let _ = write(&path, OpenOptions::WRITE, &lines[excess..].concat());
    }
}

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut file_action = None;
    let (mut clears, mut stores, mut expands, mut delete) = (false, false, false, None);
    let mut options = Getopt::new(arguments, "acd:npsrw");
    loop {
        let option = match options.next(shell) {
            Ok(Some(option)) => option,
            Ok(None) => break,
            Err(status) => return Ok(status),
        };
        match option.letter {
            b'c' => clears = true,
            b's' => stores = true,
            b'p' => expands = true,
            b'd' => delete = Some(option.value),
            letter => {
                if file_action.is_some_and(|known| known != letter) {
                    shell.builtin_error(b"history", b"cannot use more than one of -anrw");
                    return Ok(1);
                }
                file_action = Some(letter);
            }
        }
    }
    let operands = options.operands();
    if clears {
        shell.state.history = Rc::default();
        shell.state.history_written = 0;
        if file_action.is_none() && !stores {
            return Ok(0);
        }
    }
    if stores {
        if !operands.is_empty() {
            remember(shell, &operands.join(&b' '));
        }
        return Ok(0);
    }
    if expands {
        return Ok(expand_events(shell, operands));
    }
    if let Some(range) = delete {
        return Ok(remove(shell, range));
    }
    if let Some(letter) = file_action {
        return Ok(with_file(shell, letter, operands.first()));
    }
    list(shell, operands)
}

/// `history -p`
fn expand_events(shell: &Shell, operands: &[Text]) -> i32 {
    let mut out = Vec::new();
    let mut status = 0;
    for operand in operands {
        match event::expand(operand, &shell.state.history) {
            Some(text) => {
                out.extend_from_slice(&text);
                out.push(b'\n');
            }
            None => {
                shell.builtin_error(
                    b"history",
                    [&operand[..], b": history expansion failed"].concat(),
                );
                status = 1;
            }
        }
    }
    status.max(print(shell, b"history", &out))
}

/// `history -d`: a position, negative from the end, or a range.
fn remove(shell: &mut Shell, range: &[u8]) -> i32 {
    let count = shell.state.history.len() as i64;
    let place = |text: &[u8]| {
        let number = number(text)?;
        let at = if number < 0 {
            count + number
        } else {
            number - 1
        };
        (0..count).contains(&at).then_some(at as usize)
    };
    // A hyphen at the start belongs to a negative number.
    let hyphen = range.iter().skip(1).position(|byte| *byte == b'-');
    let (first, last) = match hyphen {
        Some(at) => (&range[..at + 1], &range[at + 2..]),
        None => (range, range),
    };
    let shown = if hyphen.is_some() && number(first).is_some() {
        first
    } else {
        range
    };
    match (place(first), place(last)) {
        (Some(first), Some(last)) if first <= last => {
            Rc::make_mut(&mut shell.state.history).drain(first..=last);
            0
        }
        _ => {
            shell.builtin_error(
                b"history",
                [shown, b": history position out of range"].concat(),
            );
            1
        }
    }
}

/// `-a`, `-n`, `-r`, `-w`
fn with_file(shell: &mut Shell, letter: u8, operand: Option<&Text>) -> i32 {
    let path = operand
        .cloned()
        .or_else(|| assign::get(shell, Name::HISTFILE))
        .filter(|path| !path.is_empty());
    let Some(path) = path else { return 0 };
    let written = shell.state.history_written as usize;
    if let b'r' | b'n' = letter {
        let Some(text) = completion::read_file(&path) else {
            return 1;
        };
        let skip = if letter == b'n' { written } else { 0 };
        let lines = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty());
        let history = Rc::make_mut(&mut shell.state.history);
        history.extend(lines.skip(skip).map(Text::new));
        shell.state.history_written = history.len() as u32;
        return 0;
    }
    let (options, from) = match letter {
        b'a' => (OpenOptions::APPEND, written),
        _ => (OpenOptions::WRITE, 0),
    };
    let mut text = Vec::new();
    for line in shell.state.history.iter().skip(from) {
        text.extend_from_slice(line);
        text.push(b'\n');
    }
    if let Err(errno) = write(&path, options, &text) {
        let message = [&path[..], b": cannot create: ", errno.message().as_bytes()];
        shell.builtin_error(b"history", message.concat());
        return 1;
    }
    if letter == b'a' {
        shell.state.history_written = shell.state.history.len() as u32;
    }
    0
}

fn write(path: &[u8], options: OpenOptions, text: &[u8]) -> Result<(), Errno> {
    let options = OpenOptions {
        mode: 0o600,
        ..options
    };
    let fd = file::open(path, options)?;
    let result = descriptor::write_all(fd, text);
    descriptor::close(fd)?;
    result
}

/// Prints the last so many lines, or all.
fn list(shell: &mut Shell, operands: &[Text]) -> Run<i32> {
    let count = match operands {
        [] => usize::MAX,
        [count] => match number(count) {
            Some(count) => usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX),
            None => {
                shell.builtin_error(
                    b"history",
                    [&count[..], b": numeric argument required"].concat(),
                );
                return Ok(1);
            }
        },
        _ => {
            shell.builtin_error(b"history", b"too many arguments");
            return Ok(1);
        }
    };
    let timed = assign::get(shell, Name::HISTTIMEFORMAT).is_some_and(|format| !format.is_empty());
    let history = Rc::clone(&shell.state.history);
    let mut out = Vec::new();
    for (at, line) in history
        .iter()
        .enumerate()
        .skip(history.len().saturating_sub(count))
    {
        let place = Text::number(at as i64 + 1);
        out.resize(out.len() + 5usize.saturating_sub(place.len()), b' ');
        out.extend_from_slice(&place);
        out.extend_from_slice(b"  ");
        if timed {
            // When a line was typed is not kept.
            out.extend_from_slice(b"??");
        }
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    Ok(print(shell, b"history", &out))
}
