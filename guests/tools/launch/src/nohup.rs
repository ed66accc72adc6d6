//! `nohup`: runs a program that hangups do not end.

use codepod_sys::Signal;
use codepod_sys::descriptor::{self, Fd};
use codepod_sys::file::{self, OpenOptions};
use codepod_sys::signal::{self, Action};
use codepod_tool::{Arguments, Usage, complain, errno_text};

use crate::program::{self, Program};
use crate::{help, version};

const USAGE: &str =
    "Usage: nohup COMMAND [ARG]...\n  or:  nohup OPTION\nRun COMMAND, ignoring hangup signals.\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut words = arguments;
    match words.first().map(Vec::as_slice) {
        None => return Usage::new("missing operand").report(tool, 125),
        Some(b"--help") => return help(USAGE),
        Some(b"--version") => return version(tool),
        Some(b"--") => {
            words.remove(0);
        }
        Some(option) if option.starts_with(b"-") && option.len() > 1 => {
            let message = match option.strip_prefix(b"--") {
                Some(_) => [b"unrecognized option '", option, b"'"].concat(),
                None => [b"invalid option -- '", &option[1..2], b"'"].concat(),
            };
            return Usage::new(message).report(tool, 125);
        }
        _ => {}
    }
    let terminal = codepod_sys::terminal::is_terminal;
    let (input, output, error) = (
        terminal(Fd::STDIN),
        terminal(Fd::STDOUT),
        terminal(Fd::STDERR),
    );
    if input && let Ok(null) = file::open(b"/dev/null", OpenOptions::WRITE) {
        let _ = descriptor::dup_to(null, Fd::STDIN);
    }
    if output {
        let opened = file::open(
            b"nohup.out",
            OpenOptions {
                mode: 0o600,
                ..OpenOptions::APPEND
            },
        );
        match opened {
            Ok(fd) => {
                let what = if input {
                    "ignoring input and appending output to 'nohup.out'"
                } else {
                    "appending output to 'nohup.out'"
                };
                complain(tool, what);
                let _ = descriptor::dup_to(fd, Fd::STDOUT);
            }
            Err(errno) => {
                complain(
                    tool,
                    format!("failed to open 'nohup.out': {}", errno_text(errno)),
                );
                return 125;
            }
        }
    } else if input {
        complain(tool, "ignoring input");
    }
    if error {
        let _ = descriptor::dup_to(Fd::STDOUT, Fd::STDERR);
    }
    let _ = signal::set_action(Signal::Hup, Action::Ignore);
    let program = Program::new(words);
    match program.start() {
        Ok(pid) => program::follow(pid),
        Err(errno) => program::not_started(tool, &program.words, errno, "failed to run command "),
    }
}
