//! `set`.

use std::rc::Rc;

use codepod_shell_syntax::Name;

use super::{getopt, listing, print, usage};
use crate::assign::{self, Place};
use crate::flow::{Run, Stop};
use crate::options::{SET_OPTIONS, SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;

/// `set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]`
pub fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    let command = &arguments[0];
    let mut rest = &arguments[1..];
    if rest.is_empty() {
        let mut out = Vec::new();
        listing::variables(shell, &mut out);
        if !shell.state.set.has(SetOptions::POSIX) {
            for definition in shell.state.functions.values() {
                listing::function(definition, &mut out);
            }
        }
        return Ok(print(shell, command, &out));
    }
    if let Some(status) = check(shell, command, rest) {
        return Ok(status);
    }
    let mut status = 0;
    let mut replace = false;
    while let Some(word) = rest.first() {
        let on = match &word[..] {
            b"--" => {
                rest = &rest[1..];
                replace = true;
                break;
            }
            b"-" => {
                rest = &rest[1..];
                shell.state.set.set(SetOptions::XTRACE, false);
                shell.state.set.set(SetOptions::VERBOSE, false);
                break;
            }
            [b'-', ..] => true,
            [b'+', ..] => false,
            _ => break,
        };
        for letter in &word[1..] {
            if *letter != b'o' {
                if let Some(option) = of_letter(*letter) {
                    switch(shell, option, on)?;
                }
                continue;
            }
            match rest
                .get(1)
                .filter(|name| !matches!(name.first(), None | Some(b'-' | b'+')))
            {
                Some(name) => {
                    let Some(option) = SetOptions::named(name) else {
                        shell
                            .builtin_error(command, [name, &b": invalid option name"[..]].concat());
                        return Ok(2);
                    };
                    rest = &rest[1..];
                    switch(shell, option, on)?;
                }
                None => status |= list(shell, command, !on, |_| true),
            }
        }
        rest = &rest[1..];
    }
    if replace || !rest.is_empty() {
        shell.state.positional = Rc::new(rest.to_vec());
        shell.state.positional_sets = shell.state.positional_sets.wrapping_add(1);
    }
    Ok(status)
}

fn of_letter(letter: u8) -> Option<SetOptions> {
    let mut table = SET_OPTIONS.iter();
    table
        .find(|(_, known, _)| *known == Some(letter))
        .map(|(_, _, option)| *option)
}

/// Looks through all options before any is set. The status of an error.
fn check(shell: &Shell, command: &[u8], words: &[Text]) -> Option<i32> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match &word[..] {
            b"--" | b"-" | b"+" => return None,
            [b'-' | b'+', ..] => {}
            _ => return None,
        }
        for (at, letter) in word.iter().enumerate().skip(1) {
            if *letter == b'o' {
                // What follows in the word counts as the name here; otherwise it is the next word.
                if at + 1 == word.len() {
                    words.next();
                }
                break;
            }
            if of_letter(*letter).is_none() {
                let message = [&[word[0], *letter][..], b": invalid option"].concat();
                shell.builtin_error(command, message);
                return Some(usage(shell, command));
            }
        }
    }
    None
}

/// Prints the options that `wanted` takes, as `set -o` does, or as commands that set them.
pub(super) fn list(
    shell: &Shell,
    command: &[u8],
    reusable: bool,
    wanted: impl Fn(SetOptions) -> bool,
) -> i32 {
    let mut out = Vec::new();
    for (name, _, option) in SET_OPTIONS {
        if wanted(*option) {
            line(name, shell.state.set.has(*option), reusable, &mut out);
        }
    }
    print(shell, command, &out)
}

/// The name, a tab and `on`; or `set -o name`.
pub(super) fn line(name: &str, on: bool, reusable: bool, out: &mut Vec<u8>) {
    if reusable {
        out.extend_from_slice(if on { b"set -o " } else { b"set +o " });
        out.extend_from_slice(name.as_bytes());
    } else {
        out.extend_from_slice(name.as_bytes());
        out.resize(out.len() + 15usize.saturating_sub(name.len()), b' ');
        out.extend_from_slice(if on { b"\ton" } else { b"\toff" });
    }
    out.push(b'\n');
}

/// Switches an option, with what that implies.
pub fn switch(shell: &mut Shell, option: SetOptions, on: bool) -> Run {
    shell.state.set.set(option, on);
    match option {
        SetOptions::VI if on => shell.state.set.set(SetOptions::EMACS, false),
        SetOptions::EMACS if on => shell.state.set.set(SetOptions::VI, false),
        SetOptions::INTERACTIVE_COMMENTS => {
            let option = ShellOptions::INTERACTIVE_COMMENTS;
            shell.state.shopt.set(option, on);
        }
        SetOptions::POSIX => {
            mirror(shell, Name::POSIXLY_CORRECT, on.then_some("y"))?;
            if on {
                shell.state.shopt.set(ShellOptions::EXPAND_ALIASES, true);
                shell.state.shopt.set(ShellOptions::INHERIT_ERREXIT, true);
                shell.state.shopt.set(ShellOptions::SHIFT_VERBOSE, true);
            }
        }
        SetOptions::NOEXEC if on && !shell.state.interactive => {
            // From here on nothing runs, also in this line.
            shell.state.status = 0;
            return Err(Stop::Discard);
        }
        SetOptions::IGNOREEOF => mirror(shell, Name::IGNOREEOF, on.then_some("10"))?,
        _ => {}
    }
    Ok(())
}

/// Sets or unsets the variable that shows an option.
fn mirror(shell: &mut Shell, name: Name, value: Option<&str>) -> Run {
    match value {
        Some(value) => {
            assign::set(shell, name, Place::Whole, Text::from(value), false)?;
        }
        None => *shell.state.variables.get_mut(name) = Default::default(),
    }
    Ok(())
}
