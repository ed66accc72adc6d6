//! A running shell: its state, its descriptors, its children.

use std::cell::Cell;

use codepod_sys::{Errno, Fd, file, process};

use crate::exec::Call;
use crate::fds::{self, FdTable, Open};
use crate::jobs::Jobs;
use crate::options::ShellOptions;
use crate::state::State;
use crate::text::Text;

/// What opening a fifo does, which waits until somebody opens its other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Waiting {
    /// It waits.
    Allowed,
    /// It is refused: what runs beside this shell must not keep it.
    Refused,
    /// It was refused.
    Met,
}

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
    /// The descriptors of process substitutions of the commands being run, the innermost last.
    pub substitutions: Vec<u32>,
    /// The status of the last command substitution since the command's words began to be expanded.
    pub captured: Option<i32>,
    /// The command that messages about arithmetic name: `((`, `[[`, `let`, or nothing.
    pub running: &'static str,
    /// The parameter whose part is being taken, which messages about arithmetic name.
    pub about: Text,
    /// The last line of the complete command that runs.
    pub last_line: u32,
    /// Whether a simple command is being run as a stage of a pipeline.
    pub simple_stage: bool,
    /// Whether opening a file may wait for its other end.
    pub waiting: Waiting,
    /// The words of a stage of a pipeline are being expanded: `BASH_SUBSHELL` does not count it
    /// yet.
    pub early: bool,
    /// How many texts are being evaluated as expressions, each out of the one before.
    pub expressions: u32,
    /// The umask that the process started with, once it was changed.
    first_umask: Option<u32>,
    /// The calls of functions that run, the innermost last.
    pub(crate) calls: Vec<Call>,
    /// The number of the subshell that runs inside this process; 0 where the process itself is the
    /// shell.
    pub inside: Cell<u32>,
    /// Whether a `$*` without `IFS` is one field: in a substitution in the value of an assignment,
    /// or in `[[`, until the next assignment.
    pub joins: bool,
    /// Vectors of fields to use again.
    spare: Vec<Vec<Text>>,
}

thread_local! {
    /// The last number given to a subshell inside the process. They start beyond what the kernel
    /// gives.
    static LAST_INSIDE: Cell<u32> = const { Cell::new(1 << 22) };
    /// The process's own number, once it was asked for.
    static OWN: Cell<u32> = const { Cell::new(0) };
}

/// In [`Shell::inside`]: a subshell inside the process whose number nobody has asked for.
pub const NOT_ASKED: u32 = u32::MAX;

/// How many vectors are kept.
const SPARE: usize = 16;

impl Shell {
    /// What runs next is on this line of the text it was read from.
    #[inline]
    pub fn at(&mut self, line: u32) {
        self.state.line = line.wrapping_add(self.state.line_shift);
    }

    /// A shell with the process's standard descriptors.
    pub fn new(state: State) -> Shell {
        let mut fds = FdTable::default();
        for number in 0..3 {
            fds.set(number, Open::kernel(Fd(number)));
        }
        Shell::with_fds(state, fds)
    }

    /// A shell with these descriptors.
    pub fn with_fds(state: State, fds: FdTable) -> Shell {
        Shell {
            state,
            fds,
            jobs: Jobs::default(),
            depth: 0,
            substitutions: Vec::new(),
            captured: None,
            running: "",
            about: Text::EMPTY,
            last_line: 0,
            simple_stage: false,
            waiting: Waiting::Allowed,
            early: false,
            expressions: 0,
            first_umask: None,
            calls: Vec::new(),
            inside: Cell::new(0),
            joins: false,
            spare: Vec::new(),
        }
    }

    /// The number of the process, or of the subshell inside it (`BASHPID`).
    pub fn process_number(&self) -> u32 {
        match self.inside.get() {
            0 => own_process_number(),
            NOT_ASKED => {
                let number = LAST_INSIDE.get() + 1;
                LAST_INSIDE.set(number);
                self.inside.set(number);
                number
            }
            number => number,
        }
    }

    /// Whether a number is that of the subshell that runs, or of one that it runs in.
    pub fn is_inside(&self, number: u32) -> bool {
        number > 1 << 22 && number <= LAST_INSIDE.get()
    }

    /// Sets the mask of permission bits that new files do not get (`umask`).
    pub fn set_umask(&mut self, mask: u32) -> Result<(), Errno> {
        let old = file::umask(mask)?;
        self.first_umask.get_or_insert(old);
        self.state.umask = Some(mask);
        Ok(())
    }

    /// Puts the mask back to what another state says.
    pub fn put_back_umask(&mut self, to: Option<u32>) {
        if let Some(mask) = to.or(self.first_umask) {
            let _ = file::umask(mask);
        }
    }

    /// An empty vector for fields.
    #[inline]
    pub fn take_fields(&mut self) -> Vec<Text> {
        self.spare.pop().unwrap_or_default()
    }

    /// Gives one back.
    #[inline]
    pub fn give_fields(&mut self, mut fields: Vec<Text>) {
        if self.spare.len() < SPARE && fields.capacity() <= 1024 {
            fields.clear();
            self.spare.push(fields);
        }
    }

    /// Prints `NAME: line N: MESSAGE` to standard error, as bash does.
    pub fn error(&self, message: impl AsRef<[u8]>) {
        self.error_at(self.state.line, message.as_ref());
    }

    /// Prints an error of another line.
    pub fn error_at(&self, line: u32, message: &[u8]) {
        // What SIGPIPE ends says nothing.
        if fds::is_pipe_broken() {
            return;
        }
        let mut text = self.prefix_at(line);
        text.extend_from_slice(message);
        text.push(b'\n');
        let _ = self.fds.write(2, &text);
    }

    /// Prints `NAME: line N: COMMAND: MESSAGE`, as builtins do.
    pub fn builtin_error(&self, command: impl AsRef<[u8]>, message: impl AsRef<[u8]>) {
        if fds::is_pipe_broken() {
            return;
        }
        // `gnu_errfmt` does not matter to them.
        let prefix = self.prefix_with(b": line ", self.state.line);
        let text = [
            &prefix[..],
            command.as_ref(),
            b": ",
            message.as_ref(),
            b"\n",
        ]
        .concat();
        let _ = self.fds.write(2, &text);
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
        self.prefix_at(self.state.line)
    }

    /// What messages start with: the file or `environment` where a function was defined, or `$0`.
    pub fn name_for_errors(&self) -> &Text {
        let source = self.state.frames.last().map(|frame| &frame.source);
        let name = source.filter(|source| !source.is_empty());
        name.unwrap_or(&self.state.zero)
    }

    fn prefix_at(&self, line: u32) -> Vec<u8> {
        let gnu = self.state.shopt.has(ShellOptions::GNU_ERRFMT);
        self.prefix_with(if gnu { b":" } else { b": line " }, line)
    }

    fn prefix_with(&self, before_line: &[u8], line: u32) -> Vec<u8> {
        if self.state.interactive {
            return b"bash: ".to_vec();
        }
        let mut prefix = self.name_for_errors().to_vec();
        prefix.extend_from_slice(before_line);
        prefix.extend_from_slice(&Text::number(line.into()));
        prefix.extend_from_slice(b": ");
        prefix
    }
}

/// The process's own number in the kernel.
pub fn own_process_number() -> u32 {
    if OWN.get() == 0 {
        OWN.set(process::ids().map_or(1, |ids| ids.pid.0));
    }
    OWN.get()
}
