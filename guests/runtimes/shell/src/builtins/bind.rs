//! `bind`.
//!
//! There is no line editor inside the sandbox. What scripts put into their start-up files is
//! accepted with bash's own warning, as it is there without a terminal; lists of what is bound are
//! refused.

use codepod_sys::file::{self, Links};

use super::Getopt;
use crate::flow::Run;
use crate::shell::Shell;
use crate::text::Text;

/// The names of keymaps that bash knows.
const KEYMAPS: &[&str] = &[
    "emacs",
    "emacs-standard",
    "emacs-meta",
    "emacs-ctlx",
    "vi",
    "vi-move",
    "vi-command",
    "vi-insert",
];

/// Runs it.
pub(super) fn run(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    shell.builtin_error(b"bind", b"warning: line editing not enabled");
    let mut options = Getopt::new(arguments, "lvpVPsSXf:q:u:m:r:x:");
    loop {
        let option = match options.next(shell) {
            Ok(Some(option)) => option,
            Ok(None) => return Ok(0),
            Err(status) => return Ok(status),
        };
        match option.letter {
            b'm' if !KEYMAPS.iter().any(|name| name.as_bytes() == option.value) => {
                shell.builtin_error(
                    b"bind",
                    [b"`", option.value, b"': invalid keymap name"].concat(),
                );
                return Ok(1);
            }
            b'f' => {
                if let Err(errno) = file::access(option.value, Links::Follow, file::READ) {
                    let message = [option.value, b": cannot read: ", errno.message().as_bytes()];
                    shell.builtin_error(b"bind", message.concat());
                    return Ok(1);
                }
            }
            b'l' | b'v' | b'p' | b'V' | b'P' | b'q' => {
                let message = [b"-", &[option.letter][..], b": not supported"];
                shell.builtin_error(b"bind", message.concat());
                shell.hint(b"there is no line editor in the sandbox, and so there are no key bindings to list");
                return Ok(1);
            }
            _ => {}
        }
    }
}
