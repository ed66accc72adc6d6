//! Arithmetic.

use codepod_shell_syntax::tree::Arith;

use crate::flow::Run;
use crate::shell::Shell;

/// Evaluates. An error is reported and discards the command.
pub fn eval(shell: &mut Shell, arith: &Arith) -> Run<i64> {
    let _ = (shell, arith);
    todo!()
}

/// Evaluates text that is already expanded: the value of a variable with `-i`, an operand of `[[ -eq ]]`, `let`.
pub fn eval_text(shell: &mut Shell, text: &[u8]) -> Run<i64> {
    let _ = (shell, text);
    todo!()
}
