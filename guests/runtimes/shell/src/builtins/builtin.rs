//! `builtin`.

use super::{enabled, getopt};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// `builtin [shell-builtin [arg ...]]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let operands = match getopt::none(shell, arguments) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let Some(name) = operands.first() else {
        return Ok(0);
    };
    match enabled(shell, name) {
        Some(entry) => (entry.run)(shell, operands),
        None => {
            shell.builtin_error(
                &arguments[0],
                [name, &b": not a shell builtin"[..]].concat(),
            );
            Ok(1)
        }
    }
}
