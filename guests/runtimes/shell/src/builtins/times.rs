//! `times`.

use codepod_sys::clock;

use super::{getopt, print};
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// Prints what the shell has used, and below it what its children have. The kernel counts neither a
/// process's own system calls nor its children apart, so only the first number can be other than 0.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    if let Err(status) = getopt::none(shell, arguments) {
        return Ok(status);
    }
    let used = clock::cpu();
    let seconds = used.as_secs();
    let milliseconds = used.subsec_millis();
    let line = format!(
        "{}m{}.{milliseconds:03}s 0m0.000s\n0m0.000s 0m0.000s\n",
        seconds / 60,
        seconds % 60
    );
    Ok(print(shell, b"times", line.as_bytes()))
}
