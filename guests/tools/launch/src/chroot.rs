//! `chroot`: refused. A sandbox has one root, and its user may not change it.

use codepod_tool::{Arguments, Usage, complain, quoted};

use crate::{help, version};

const USAGE: &str = "Usage: chroot [OPTION] NEWROOT [COMMAND [ARG]...]\nIt is refused here: a sandbox has one root.\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match arguments.first().map(Vec::as_slice) {
        None => Usage::new("missing operand").report(tool, 125),
        Some(b"--help") => help(USAGE),
        Some(b"--version") => version(tool),
        Some(option) if option.starts_with(b"-") => {
            complain(tool, "options are not supported: a sandbox has one root");
            125
        }
        Some(directory) => {
            let there = codepod_sys::file::stat_path(directory, codepod_sys::file::Links::Follow);
            let why = there.map_or_else(codepod_tool::errno_text, |_| "Operation not permitted");
            complain(
                tool,
                [
                    b"cannot change root directory to ",
                    &quoted(directory)[..],
                    b": ",
                    why.as_bytes(),
                ]
                .concat(),
            );
            125
        }
    }
}
