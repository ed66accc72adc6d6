//! `pwd`.

use codepod_sys::cwd;

use super::{Getopt, print};
use crate::flow::Run;
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let mut physical = shell.state.set.has(SetOptions::PHYSICAL);
    let mut options = Getopt::new(arguments, "LP");
    loop {
        match options.next(shell) {
            Ok(None) => break,
            Ok(Some(option)) => physical = option.letter == b'P',
            Err(status) => return Ok(status),
        }
    }
    let mut line = shell.state.directory.to_vec();
    if physical {
        match cwd::current() {
            Ok(current) => line = current,
            Err(errno) => {
                let message = [
                    &b"pwd: error retrieving current directory: getcwd: cannot access parent directories: "[..],
                    errno.message().as_bytes(),
                    b"\n",
                ];
                let _ = shell.fds.write(2, &message.concat());
                return Ok(1);
            }
        }
    }
    line.push(b'\n');
    Ok(print(shell, b"pwd", &line))
}
