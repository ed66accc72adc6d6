//! `suspend`.

use codepod_sys::{Signal, signal};

use super::Getopt;
use crate::flow::Run;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::text::Text;

/// `suspend [-f]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "f");
    let mut force = false;
    loop {
        match options.next(shell) {
            Ok(Some(_)) => force = true,
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    if !force {
        if !shell.state.set.has(SetOptions::MONITOR) {
            shell.builtin_error(&arguments[0], "cannot suspend: no job control");
            return Ok(1);
        }
        if shell.state.shopt.has(ShellOptions::LOGIN_SHELL) {
            shell.builtin_error(&arguments[0], "cannot suspend a login shell");
            return Ok(1);
        }
    }
    Ok(i32::from(signal::raise(Signal::Stop).is_err()))
}
