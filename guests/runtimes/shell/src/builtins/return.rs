//! `return`.

use super::{exit, getopt};
use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::text::Text;

/// `return [n]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    let status = exit::status(shell, arguments)?;
    let sourced = || shell.state.frames.iter().any(|frame| frame.sourced);
    if !shell.state.scopes.in_function() && !sourced() {
        shell.builtin_error(
            &arguments[0],
            "can only `return' from a function or sourced script",
        );
        return Ok(2);
    }
    shell.state.status = status;
    Err(Stop::Return)
}
