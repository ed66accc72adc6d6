//! `exec`.

use super::Getopt;
use crate::exec::{self, Replace};
use crate::flow::{Run, Stop};
use crate::options::ShellOptions;
use crate::shell::Shell;
use crate::text::Text;

/// `exec [-cl] [-a name] [command [argument ...]] [redirection ...]`
///
/// Without a command, whoever called it keeps the redirections.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut options = Getopt::new(arguments, "cla:");
    let mut how = Replace::default();
    loop {
        match options.next(shell) {
            Ok(Some(option)) => match option.letter {
                b'c' => how.clean = true,
                b'l' => how.login = true,
                _ => how.name = Some(Text::new(option.value)),
            },
            Ok(None) => break,
            Err(status) => return Ok(status),
        }
    }
    let operands = options.operands();
    if operands.is_empty() {
        return Ok(0);
    }
    let status = exec::replace(shell, operands, &how)?;
    let stays = shell.state.shopt.has(ShellOptions::EXECFAIL)
        || shell.state.interactive && shell.state.subshell == 0;
    if stays {
        return Ok(status);
    }
    shell.state.status = status;
    Err(Stop::Exit)
}
