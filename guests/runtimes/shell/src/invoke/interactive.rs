//! `bash -i`: prompts and history, without editing lines and without job control.

use codepod_shell_syntax::Name;
use codepod_sys::file::{self, Links};

use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Value, Variable};
use crate::{assign, builtins, exec, expand};

/// What an interactive shell starts with.
pub(super) fn prepare(shell: &mut Shell) {
    shell.state.interactive = true;
    shell.state.shopt.set(ShellOptions::EXPAND_ALIASES, true);
    shell.state.set.set(SetOptions::EMACS, true);
    let home = shell
        .state
        .variables
        .get(Name::HOME)
        .scalar()
        .cloned()
        .unwrap_or_default();
    let file = Text::from([&*home, b"/.bash_history"].concat());
    for (name, value) in [
        (Name::PS1, Text::from("\\s-\\v\\$ ")),
        (Name::PS2, Text::from("> ")),
        (Name::HISTFILE, file),
        (Name::HISTSIZE, Text::from("500")),
        (Name::HISTFILESIZE, Text::from("500")),
    ] {
        if !shell.state.variables.get(name).exists() {
            *shell.state.variables.get_mut(name) = Variable::text(value);
        }
    }
}

/// Before the first command: the history of earlier shells.
pub(super) fn start(shell: &mut Shell) -> Run {
    shell.state.set.set(SetOptions::HISTORY, true);
    match assign::get(shell, Name::HISTFILE) {
        Some(file) if file::access(&file, Links::Follow, file::READ).is_ok() => {
            history(shell, "-r")
        }
        _ => Ok(()),
    }
}

/// After the last: writes the history.
pub(super) fn end(shell: &mut Shell, by_end_of_input: bool) {
    if by_end_of_input {
        let _ = shell.fds.write(2, b"exit\n");
    }
    if assign::get(shell, Name::HISTFILE).is_some_and(|file| !file.is_empty()) {
        let status = shell.state.status;
        let _ = history(shell, "-w");
        shell.state.status = status;
    }
}

fn history(shell: &mut Shell, option: &str) -> Run {
    if let Some(entry) = builtins::find(b"history") {
        (entry.run)(shell, &[Text::from("history"), Text::from(option)])?;
    }
    Ok(())
}

/// Runs `PROMPT_COMMAND`, prints `PS1` and returns `PS2`.
pub(super) fn ask(shell: &mut Shell) -> Run<Text> {
    let commands: Vec<Text> = match &shell.state.variables.get(Name::PROMPT_COMMAND).value {
        Value::Text(text) => vec![text.clone()],
        Value::Indexed(array) => array.iter().map(|(_, text)| text.clone()).collect(),
        _ => Vec::new(),
    };
    for command in commands {
        let status = shell.state.status;
        let line = shell.state.line;
        match exec::labelled(shell, &command, 1, "PROMPT_COMMAND") {
            Ok(()) | Err(Stop::Discard) => {}
            Err(stop) => return Err(stop),
        }
        shell.state.status = status;
        shell.state.line = line;
    }
    let prompt = match assign::get(shell, Name::PS1) {
        Some(text) => expand::prompt(shell, &text)?,
        None => Text::EMPTY,
    };
    let _ = shell.fds.write(2, &prompt);
    match assign::get(shell, Name::PS2) {
        Some(text) => expand::prompt(shell, &text),
        None => Ok(Text::EMPTY),
    }
}
