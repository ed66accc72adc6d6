//! `exit` and `logout`.

use super::argument::{self, Count};
use super::getopt;
use crate::flow::{Run, Stop};
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::traps;

/// `exit [n]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    if shell.state.interactive && shell.state.subshell == 0 {
        let _ = shell.fds.write(2, b"exit\n");
    }
    leave(shell, arguments)
}

/// `logout [n]`
pub(super) fn run_logout(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    if !shell.state.shopt.has(ShellOptions::LOGIN_SHELL) {
        shell.builtin_error(&arguments[0], "not login shell: use `exit'");
        return Ok(1);
    }
    leave(shell, arguments)
}

fn leave(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    shell.state.status = status(shell, arguments)?;
    // Here, where the function's variables are still there and its redirections hold.
    traps::exit(shell);
    Err(Stop::Exit)
}

/// The status that `exit` and `return` leave: the argument's low byte, or the last status.
pub(super) fn status(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    Ok(match argument::count(shell, arguments)? {
        Count::None => shell.state.status,
        Count::Number(number, _) => (number & 255) as i32,
        Count::Bad => 2,
    })
}
