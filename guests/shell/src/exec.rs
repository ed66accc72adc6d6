//! Walking the tree.

use std::rc::Rc;

use codepod_shell_syntax::tree::{Function, List};

use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Runs a list. The status is left in the state.
pub fn list(shell: &mut Shell, list: &List) -> Run {
    let _ = (shell, list);
    todo!()
}

/// Runs a list in a subshell on a clone of the state and collects what it writes to standard output.
/// The status is left in the state; trailing newlines are kept.
pub fn capture(shell: &mut Shell, list: &List) -> Run<Vec<u8>> {
    let _ = (shell, list);
    todo!()
}

/// Starts a list in a child shell behind a pipe and returns the path of the other end (`/dev/fd/63`). It is closed when the command
/// ends that the word belongs to.
pub fn process_substitution(shell: &mut Shell, list: &Rc<List>, read: bool) -> Run<Text> {
    let _ = (shell, list, read);
    todo!()
}

/// Calls a function with arguments.
pub fn call(shell: &mut Shell, function: &Rc<Function>, arguments: Vec<Text>) -> Run {
    let _ = (shell, function, arguments);
    todo!()
}

/// Parses and runs text: `eval`, `source`, traps.
pub fn text(shell: &mut Shell, text: &[u8], first_line: u32) -> Run {
    let _ = (shell, text, first_line);
    todo!()
}
