//! Command substitutions: a subshell whose output goes into memory.

use std::rc::Rc;

use codepod_shell_syntax::tree::List;

use super::list;
use super::subshell::{self, Kind};
use crate::fds::{Capture, Open};
use crate::flow::Run;
use crate::shell::Shell;

/// `first` is the line in the list that is the line of the command that asks.
pub(super) fn run(shell: &mut Shell, list: &List, first: u32) -> Run<Vec<u8>> {
    let capture = Rc::new(Capture::default());
    let output = Open::Capture(Rc::clone(&capture));
    if list.items.is_empty() {
        shell.state.status = 0;
    }
    let shift = shell.state.line.wrapping_sub(first);
    subshell::in_place(shell, Kind::Substitution, &mut |shell| {
        shell.fds.set(1, output.clone());
        shell.state.trace_level += 1;
        shell.state.line_shift = shift;
        list::run(shell, list)
    })?;
    capture.drain();
    shell.captured = Some(shell.state.status);
    Ok(capture.take())
}
