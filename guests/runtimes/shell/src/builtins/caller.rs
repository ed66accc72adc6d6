//! `caller`.

use super::{getopt, number, print, usage};
use crate::flow::Run;
use crate::shell::Shell;
use crate::state::{Frame, Invocation};
use crate::text::Text;

/// `caller [expr]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let operands = match getopt::none(shell, arguments) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let level = match operands.first() {
        None => None,
        Some(text) => match number(text) {
            Some(number) => Some(number),
            None => {
                shell.builtin_error(&arguments[0], [text, &b": invalid number"[..]].concat());
                return Ok(usage(shell, &arguments[0]));
            }
        },
    };
    let state = &shell.state;
    // A script's own frame is below all others.
    let main = (state.invocation == Invocation::File).then(|| Frame {
        arguments: None,
        function: Text::from("main"),
        source: state.script.clone(),
        line: 0,
        loops: 0,
        line_shift: 0,
        sourced: false,
    });
    let frame = |above: usize| match state.frames.len().checked_sub(above + 1) {
        Some(at) => state.frames.get(at),
        None if above == state.frames.len() => main.as_ref(),
        None => None,
    };
    let above = usize::try_from(level.unwrap_or(0)).unwrap_or(usize::MAX - 1);
    let Some(inner) = frame(above) else {
        return Ok(1);
    };
    let outer = frame(above + 1);
    let mut line = Text::number(i64::from(inner.line)).into_vec();
    line.push(b' ');
    match (level, outer) {
        (None, outer) => line.extend_from_slice(outer.map_or(b"NULL", |frame| &frame.source)),
        (Some(_), Some(outer)) => {
            line.extend_from_slice(&outer.function);
            line.push(b' ');
            line.extend_from_slice(&outer.source);
        }
        (Some(_), None) => return Ok(1),
    }
    line.push(b'\n');
    Ok(print(shell, &arguments[0], &line))
}
