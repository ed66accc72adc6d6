//! `setsid`: runs a program in a new session.
//!
//! The sandbox has groups of processes and no sessions: the program leads a group of its own, which
//! no key of the terminal and no `kill` to the old group reaches.

use codepod_sys::process::{self, Group};
use codepod_tool::{Arguments, Found, Opt, Options, Usage, complain, errno_text, flag};

use crate::program::{self, Program};
use crate::{help, version};

const USAGE: &str = "
Usage:
 setsid [options] <program> [arguments ...]

Run a program in a new session.

Options:
 -f, --fork     always fork
 -w, --wait     wait program to exit, and use the same return
 -h, --help     display this help
 -V, --version  display version

For more details see setsid(1).
";

#[derive(Clone, Copy)]
enum Key {
    Terminal,
    Fork,
    Wait,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Terminal, b'c', "ctty"),
    flag(Key::Fork, b'f', "fork"),
    flag(Key::Wait, b'w', "wait"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let (mut fork, mut wait) = (false, false);
    let mut words = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Option(Key::Terminal, _))) => {
                complain(
                    tool,
                    "failed to set the controlling terminal: not supported: a sandbox has one terminal, which stays with the shell",
                );
                return 1;
            }
            Ok(Some(Found::Option(Key::Fork, _))) => fork = true,
            Ok(Some(Found::Option(Key::Wait, _))) => wait = true,
            Ok(Some(Found::Option(Key::Help, _))) => return help(USAGE),
            Ok(Some(Found::Option(Key::Version, _))) => return version(tool),
            Ok(Some(Found::Operand(word))) => words.push(word),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if words.is_empty() {
        return Usage::new("no command specified").report(tool, 1);
    }
    // Who leads a group cannot leave it: then the real one forks, too, and does not wait.
    let leads = process::ids().is_ok_and(|ids| ids.group == ids.pid);
    let mut program = Program::new(words);
    program.group = Group::New;
    match program.start() {
        Ok(_) if (fork || leads) && !wait => 0,
        Ok(pid) => program::follow(pid),
        Err(errno) => {
            let name = program.words.first().map(Vec::as_slice).unwrap_or_default();
            let why = errno_text(errno).as_bytes();
            complain(tool, [b"failed to execute ", name, b": ", why].concat());
            if errno == codepod_sys::Errno::NoEnt {
                127
            } else {
                126
            }
        }
    }
}
