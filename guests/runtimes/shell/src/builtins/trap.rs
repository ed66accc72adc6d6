//! `trap`.

use super::{Getopt, print, signals, usage};
use crate::flow::Run;
use crate::options::SetOptions;
use crate::quote;
use crate::shell::Shell;
use crate::text::Text;
use crate::traps::{self, Event};

/// `trap [-lp] [[arg] signal_spec ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "lp");
    let (mut table, mut list) = (false, false);
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'l' => table = true,
                _ => list = true,
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    traps::learn_ignored(shell);
    let operands = options.operands();
    if table {
        let posix = shell.state.set.has(SetOptions::POSIX);
        return Ok(print(shell, &arguments[0], &signals::table(posix)));
    }
    if list || operands.is_empty() {
        return Ok(show(shell, &arguments[0], operands, list));
    }
    let (action, specs) = match operands {
        // A lone signal, or a number first: back to what it was.
        [one] => {
            if signals::number(one).is_none() {
                return Ok(usage(shell, &arguments[0]));
            }
            (None, operands)
        }
        [first, ..]
            if super::number(first).is_some_and(|_| first[0].is_ascii_digit())
                && signals::number(first).is_some() =>
        {
            (None, operands)
        }
        [first, rest @ ..] if &**first == b"-" => (None, rest),
        [first, rest @ ..] => (Some(first), rest),
        [] => return Ok(0),
    };
    let mut status = 0;
    for spec in specs {
        match signals::number(spec) {
            Some(number) => traps::set(shell, signals::event(number), action.cloned()),
            None => {
                status = invalid(shell, &arguments[0], spec);
            }
        }
    }
    Ok(status)
}

fn invalid(shell: &Shell, command: &[u8], spec: &[u8]) -> i32 {
    shell.builtin_error(command, [spec, b": invalid signal specification"].concat());
    1
}

/// Prints the traps of the signals named, or all.
fn show(shell: &Shell, command: &[u8], specs: &[Text], explicit: bool) -> i32 {
    let posix = shell.state.set.has(SetOptions::POSIX);
    let mut out = Vec::new();
    let mut status = 0;
    if specs.is_empty() {
        // In posix mode `trap -p` also shows what is at its default.
        for number in 0..=67 {
            line(
                shell,
                signals::event(number),
                posix,
                posix && explicit,
                &mut out,
            );
        }
    }
    for spec in specs {
        match signals::number(spec) {
            Some(number) => {
                line(shell, signals::event(number), posix, posix, &mut out);
                status |= print(shell, command, &std::mem::take(&mut out));
            }
            None => status = invalid(shell, command, spec),
        }
    }
    print(shell, command, &out) | status
}

/// `trap -- 'command' SIGINT`
fn line(shell: &Shell, event: Event, posix: bool, default: bool, out: &mut Vec<u8>) {
    let Some(name) = signals::name(signals::event_number(event)) else {
        return;
    };
    let name = if posix {
        name.strip_prefix(b"SIG").unwrap_or(&name)
    } else {
        &name
    };
    let known = &shell.state.traps;
    match known
        .commands
        .get(&event)
        .or_else(|| known.inherited.get(&event))
    {
        Some(command) => {
            out.extend_from_slice(b"trap -- ");
            quote::single(command, out);
        }
        None if default => out.extend_from_slice(b"trap -- -"),
        None => return,
    }
    out.push(b' ');
    out.extend_from_slice(name);
    out.push(b'\n');
}
