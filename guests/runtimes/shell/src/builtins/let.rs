//! `let`.

use super::getopt;
use crate::arith;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// `let arg [arg ...]`
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Some(status) = getopt::helped(shell, arguments) {
        return Ok(status);
    }
    let operands = match &arguments[1..] {
        [first, rest @ ..] if &**first == b"--" => rest,
        rest => rest,
    };
    if operands.is_empty() {
        shell.builtin_error(&arguments[0], "expression expected");
        return Ok(1);
    }
    let mut value = 0;
    for operand in operands {
        match arith::named(shell, "let", |shell| arith::eval_text(shell, operand)) {
            Ok(number) => value = number,
            Err(stop) => return super::recover(shell, stop, 1),
        }
    }
    Ok(i32::from(value == 0))
}
