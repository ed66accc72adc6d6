//! `break` and `continue`.

use super::argument::{self, Count};
use super::getopt;
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

/// `break [n]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    leave(shell, arguments, Stop::Break)
}

/// `continue [n]`
pub(super) fn run_continue(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    leave(shell, arguments, Stop::Continue)
}

fn leave(shell: &mut Shell, arguments: &[Text], stop: fn(u32) -> Stop) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    if shell.state.loops == 0 {
        if !shell.state.set.has(SetOptions::POSIX) {
            shell.builtin_error(
                &arguments[0],
                "only meaningful in a `for', `while', or `until' loop",
            );
        }
        return Ok(0);
    }
    let (count, text) = match argument::count(shell, arguments)? {
        Count::None => (1, None),
        Count::Number(number, text) => (number, Some(text)),
        Count::Bad => {
            shell.state.status = 128;
            return Err(Stop::Exit);
        }
    };
    let loops = shell.state.loops;
    if count <= 0 {
        let text = text.map_or(Text::EMPTY, Text::clone);
        shell.builtin_error(
            &arguments[0],
            [&text, &b": loop count out of range"[..]].concat(),
        );
        shell.state.status = 1;
        return Err(Stop::Break(loops));
    }
    shell.state.status = 0;
    let count = u32::try_from(count).map_or(loops, |count| count.min(loops));
    Err(stop(count))
}
