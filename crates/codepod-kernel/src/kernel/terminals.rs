//! Terminals.

use codepod_abi::wire::TerminalState;
use codepod_abi::{Errno, Signal};

use crate::fd_table::Descriptor;
use crate::ids::{Pid, TerminalId};
use crate::kernel::{Kernel, PipeEnd};
use crate::open_file::Object;
use crate::pipe::End;
use crate::process::Process;
use crate::terminal::Terminal;

impl Kernel {
    /// A terminal, and the host's ends of it: what it types and what it shows.
    pub fn new_terminal(
        &mut self,
        state: TerminalState,
    ) -> Result<(TerminalId, PipeEnd, PipeEnd), Errno> {
        let input = self.new_pipe()?;
        let output = match self.new_pipe() {
            Ok(output) => output,
            Err(errno) => {
                self.discard_pipe(input);
                return Err(errno);
            }
        };
        self.pipe_mut(input)?.open(End::Write);
        self.pipe_mut(output)?.open(End::Read);
        let id = self.terminals.insert(Terminal {
            state,
            input,
            output,
            references: 0,
        });
        Ok((TerminalId(id), PipeEnd::Write(input), PipeEnd::Read(output)))
    }

    /// Removes a terminal that was made for a process that never started, with the host's ends.
    pub fn discard_terminal(&mut self, id: TerminalId) {
        if let Some(terminal) = self.terminals.get(id.0)
            && terminal.references == 0
        {
            let (input, output) = (terminal.input, terminal.output);
            self.terminals.remove(id.0);
            self.drop_end(input, End::Write, None);
            self.drop_end(output, End::Read, None);
        }
    }

    /// Forgets a terminal that no process has opened; the host's ends stay its own.
    pub fn forget_terminal(&mut self, id: TerminalId) {
        let unused = self.terminals.get(id.0).map(|terminal| terminal.references);
        if unused == Some(0) {
            self.terminals.remove(id.0);
        }
    }

    /// A terminal's size and mode, and whether somebody waits for its input; `None` once no process
    /// has it.
    pub fn terminal(&self, id: TerminalId) -> Option<(TerminalState, bool)> {
        let terminal = self.terminals.get(id.0)?;
        let input = self.pipes.get(terminal.input.0);
        let wanted = input.is_some_and(|pipe| !pipe.read_waiters.is_empty());
        Some((terminal.state, wanted))
    }

    /// Tells a terminal its size.
    pub fn resize_terminal(&mut self, id: TerminalId, rows: u32, columns: u32) {
        if let Some(terminal) = self.terminals.get_mut(id.0) {
            let state = TerminalState {
                rows,
                columns,
                ..terminal.state
            };
            if Terminal::accepts(&state) {
                terminal.state = state;
            }
        }
    }

    /// Interrupts the processes that have a terminal, as Ctrl-C does, if one of them catches
    /// SIGINT; whether one does. A process that serves the host gets the signal only if it catches
    /// it: it is not in the foreground while something else is.
    pub fn interrupt_terminal(&mut self, id: TerminalId) -> bool {
        let has_terminal = |process: &Process| {
            process.fds.iter().any(|(_, descriptor)| {
                let file = self.files.get(descriptor.file.0);
                file.is_some_and(|file| matches!(file.object, Object::Terminal(own) if own == id))
            })
        };
        let users = self.processes.alive_where(has_terminal);
        let catches = |pid: &Pid| {
            let process = self.processes.get(*pid);
            process.is_ok_and(|process| process.signals.catches(Signal::Int))
        };
        if !users.iter().any(catches) {
            return false;
        }
        let serves = |pid: &Pid| {
            let process = self.processes.get(*pid);
            process.is_ok_and(|process| process.host_session.is_some())
        };
        let reached: Vec<Pid> = users
            .into_iter()
            .filter(|pid| catches(pid) || !serves(pid))
            .collect();
        for pid in reached {
            let _ = self.signal(pid, Signal::Int);
        }
        true
    }

    pub(crate) fn open_terminal(&mut self, id: TerminalId) -> Result<Descriptor, Errno> {
        let terminal = self.terminals.get_mut(id.0).ok_or(Errno::Nxio)?;
        terminal.references += 1;
        let (input, output) = (terminal.input, terminal.output);
        self.pipe_mut(input)?.open(End::Read);
        self.pipe_mut(output)?.open(End::Write);
        self.stream(Object::Terminal(id), true, true)
    }
}
