//! The one number that `exit`, `return`, `break`, `continue` and `shift` take.

use super::number;
use crate::flow::{Run, Stop};
use crate::shell::Shell;
use crate::state::Invocation;
use crate::text::Text;

/// What was given.
#[derive(Debug, Clone, Copy)]
pub(super) enum Count<'a> {
    /// Nothing.
    None,
    /// A number, and its text.
    Number(i64, &'a Text),
    /// Something that is no number; the message is printed.
    Bad,
}

/// Reads it. More than one argument gives up the command line.
pub(super) fn count<'a>(shell: &mut Shell, arguments: &'a [Text]) -> Run<Count<'a>> {
    let rest = match &arguments[1..] {
        [first, rest @ ..] if &**first == b"--" => rest,
        rest => rest,
    };
    let Some(text) = rest.first() else {
        return Ok(Count::None);
    };
    let Some(number) = number(text) else {
        let message = [text, &b": numeric argument required"[..]].concat();
        shell.builtin_error(&arguments[0], message);
        return Ok(Count::Bad);
    };
    if rest.len() > 1 {
        shell.builtin_error(&arguments[0], "too many arguments");
        shell.state.status = 1;
        // The text of `-c` is given up as a whole.
        let command = shell.state.invocation == Invocation::Command;
        return Err(if command { Stop::Exit } else { Stop::Discard });
    }
    Ok(Count::Number(number, text))
}
