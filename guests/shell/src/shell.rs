//! A running shell: its state, its descriptors, its children.

use std::rc::Rc;

use crate::fds::{FdTable, Open, Owned};
use crate::jobs::Jobs;
use crate::state::State;
use codepod_sys::Fd;

/// A shell.
#[derive(Debug)]
pub struct Shell {
    /// What it knows. A subshell works on a clone.
    pub state: State,
    /// What it has open. A subshell works on a clone.
    pub fds: FdTable,
    /// Its children. A subshell starts without any.
    pub jobs: Jobs,
    /// How deep the tree that runs nests now, to end with an error before the stack does.
    pub depth: u32,
}

impl Shell {
    /// A shell with the process's standard descriptors.
    pub fn new(state: State) -> Shell {
        let mut fds = FdTable::default();
        for number in 0..3 {
            fds.set(number, Open::Kernel(Rc::new(Owned::new(Fd(number)))));
        }
        Shell {
            state,
            fds,
            jobs: Jobs::default(),
            depth: 0,
        }
    }

    /// Prints `NAME: line N: MESSAGE` to standard error, as bash does.
    pub fn error(&self, message: impl AsRef<[u8]>) {
        let mut line = self.prefix();
        line.extend_from_slice(message.as_ref());
        line.push(b'\n');
        let _ = self.fds.write(2, &line);
    }

    /// Prints `NAME: line N: COMMAND: MESSAGE`, as builtins do.
    pub fn builtin_error(&self, command: impl AsRef<[u8]>, message: impl AsRef<[u8]>) {
        self.error([command.as_ref(), b": ", message.as_ref()].concat());
    }

    /// Prints a `codepod: hint:` line, unless hints are off.
    pub fn hint(&self, message: impl AsRef<[u8]>) {
        if self.state.hints {
            let line = [b"codepod: hint: ", message.as_ref(), b"\n"].concat();
            let _ = self.fds.write(2, &line);
        }
    }

    /// `NAME: line N: `
    pub fn prefix(&self) -> Vec<u8> {
        let mut prefix = self.state.zero.to_vec();
        prefix.extend_from_slice(format!(": line {}: ", self.state.line).as_bytes());
        prefix
    }
}
