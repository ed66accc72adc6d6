//! `shopt`.

use codepod_shell_syntax::Name;

use super::{Getopt, print, set};
use crate::assign::{self, Place};
use crate::flow::Run;
use crate::options::{SET_OPTIONS, SHELL_OPTIONS, SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;

/// What is asked for.
#[derive(Debug, Clone, Copy, Default)]
struct Asked {
    on: bool,
    off: bool,
    quiet: bool,
    reusable: bool,
}

/// `shopt [-pqsu] [-o] [optname ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "psuoq");
    let mut asked = Asked::default();
    let mut of_set = false;
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'p' => asked.reusable = true,
                b's' => asked.on = true,
                b'u' => asked.off = true,
                b'o' => of_set = true,
                _ => asked.quiet = true,
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let names = options.operands();
    if asked.on && asked.off {
        shell.builtin_error(
            &arguments[0],
            "cannot set and unset shell options simultaneously",
        );
        return Ok(1);
    }
    match (of_set, names.is_empty(), asked.on || asked.off) {
        (true, true, _) => Ok(set::list(shell, &arguments[0], asked.reusable, |option| {
            asked.wants(shell.state.set.has(option))
        })),
        (true, false, true) => switch_set(shell, &arguments[0], names, asked.on),
        (true, false, false) => Ok(show_set(shell, &arguments[0], names, asked)),
        (false, true, _) => Ok(list(shell, &arguments[0], asked)),
        (false, false, true) => switch(shell, &arguments[0], names, asked.on),
        (false, false, false) => Ok(show(shell, &arguments[0], names, asked)),
    }
}

impl Asked {
    /// Whether an option that is so is to be listed.
    fn wants(self, on: bool) -> bool {
        !(self.on && !on || self.off && on)
    }
}

/// All options of `shopt`.
fn list(shell: &Shell, command: &[u8], asked: Asked) -> i32 {
    let mut out = Vec::new();
    for (name, _, option) in SHELL_OPTIONS {
        let on = shell.state.shopt.has(*option);
        if asked.wants(on) && !asked.quiet {
            line(name, on, asked.reusable, &mut out);
        }
    }
    print(shell, command, &out)
}

/// The name, a tab and `on`; or `shopt -s name`.
fn line(name: &str, on: bool, reusable: bool, out: &mut Vec<u8>) {
    if reusable {
        out.extend_from_slice(if on { b"shopt -s " } else { b"shopt -u " });
        out.extend_from_slice(name.as_bytes());
        out.push(b'\n');
    } else {
        set::line(name, on, false, out);
    }
}

fn show(shell: &Shell, command: &[u8], names: &[Text], asked: Asked) -> i32 {
    let mut status = 0;
    for name in names {
        let found = SHELL_OPTIONS
            .iter()
            .find(|(known, ..)| known.as_bytes() == &**name);
        let Some((known, _, option)) = found else {
            status = invalid(shell, command, name);
            continue;
        };
        let on = shell.state.shopt.has(*option);
        status |= i32::from(!on);
        if !asked.quiet {
            let mut out = Vec::new();
            line(known, on, asked.reusable, &mut out);
            status |= print(shell, command, &out);
        }
    }
    status
}

fn invalid(shell: &Shell, command: &[u8], name: &[u8]) -> i32 {
    shell.builtin_error(command, [name, b": invalid shell option name"].concat());
    1
}

fn switch(shell: &mut Shell, command: &[u8], names: &[Text], on: bool) -> Run<i32> {
    let mut status = 0;
    for name in names {
        match ShellOptions::named(name) {
            Some(option) => set_option(shell, option, on)?,
            None => status = invalid(shell, command, name),
        }
    }
    Ok(status)
}

/// The options of old versions, of which only one can be on.
const COMPAT: [(ShellOptions, &str); 7] = [
    (ShellOptions::COMPAT31, "31"),
    (ShellOptions::COMPAT32, "32"),
    (ShellOptions::COMPAT40, "40"),
    (ShellOptions::COMPAT41, "41"),
    (ShellOptions::COMPAT42, "42"),
    (ShellOptions::COMPAT43, "43"),
    (ShellOptions::COMPAT44, "44"),
];

/// Switches an option, with what that implies.
fn set_option(shell: &mut Shell, option: ShellOptions, on: bool) -> Run {
    // These tell how the shell was started.
    if matches!(
        option,
        ShellOptions::LOGIN_SHELL | ShellOptions::RESTRICTED_SHELL
    ) {
        return Ok(());
    }
    shell.state.shopt.set(option, on);
    match option {
        ShellOptions::EXTDEBUG => {
            shell.state.set.set(SetOptions::FUNCTRACE, on);
            shell.state.set.set(SetOptions::ERRTRACE, on);
        }
        ShellOptions::INTERACTIVE_COMMENTS => {
            let option = SetOptions::INTERACTIVE_COMMENTS;
            shell.state.set.set(option, on);
        }
        _ => {}
    }
    if let Some((_, version)) = COMPAT.iter().find(|(known, _)| *known == option) {
        for (known, _) in COMPAT {
            shell.state.shopt.set(known, on && known == option);
        }
        let version = if on { version } else { "52" };
        assign::set(
            shell,
            Name::BASH_COMPAT,
            Place::Whole,
            Text::from(version),
            false,
        )?;
    }
    Ok(())
}

fn show_set(shell: &Shell, command: &[u8], names: &[Text], asked: Asked) -> i32 {
    let mut status = 0;
    for name in names {
        let found = SET_OPTIONS
            .iter()
            .find(|(known, ..)| known.as_bytes() == &**name);
        let Some((known, _, option)) = found else {
            shell.builtin_error(command, [name, &b": invalid option name"[..]].concat());
            status = 1;
            continue;
        };
        let on = shell.state.set.has(*option);
        status |= i32::from(!on);
        if !asked.quiet {
            let mut out = Vec::new();
            set::line(known, on, asked.reusable, &mut out);
            status |= print(shell, command, &out);
        }
    }
    status
}

/// bash tells of an unknown name here, but the status stays 0.
fn switch_set(shell: &mut Shell, command: &[u8], names: &[Text], on: bool) -> Run<i32> {
    for name in names {
        match SetOptions::named(name) {
            Some(option) => set::switch(shell, option, on)?,
            None => shell.builtin_error(command, [name, &b": invalid option name"[..]].concat()),
        }
    }
    Ok(0)
}
