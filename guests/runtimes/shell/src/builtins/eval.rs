//! `eval`.

use super::getopt;
use crate::exec;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// `eval [arg ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let operands = match getopt::none(shell, arguments) {
        Ok(operands) => operands,
        Err(status) => return Ok(status),
    };
    let text = match operands {
        [] => return Ok(0),
        [text] => text.clone(),
        many => Text::from(many.join(&b' ')),
    };
    shell.state.status = 0;
    let line = shell.state.line;
    exec::text(shell, &text, line)?;
    Ok(shell.state.status)
}
