//! Commands for `sh -c`, with pipes to and from them.

use std::io::{self, Read, Write};

#[cfg(not(target_os = "wasi"))]
use native as system;
#[cfg(target_os = "wasi")]
use sandbox as system;

/// Which ends of a command the caller holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ends {
    /// None: it shares standard input and output.
    None,
    /// What it reads.
    Input,
    /// What it writes.
    Output,
    /// Both.
    Both,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// With this status.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
}

/// A command that runs.
#[derive(Debug)]
pub struct Command {
    child: system::Child,
    input: Option<system::Input>,
    output: Option<system::Output>,
}

impl Command {
    /// Starts `program` with `arguments`; it is not searched for. Fails where it cannot be started.
    pub fn start(program: &[u8], arguments: &[&[u8]], ends: Ends) -> io::Result<Command> {
        let (child, input, output) = system::start(program, arguments, None, ends)?;
        Ok(Command {
            child,
            input,
            output,
        })
    }

    /// Starts a program with this environment instead of the caller's.
    pub fn start_with(
        program: &[u8],
        arguments: &[&[u8]],
        environment: &[(Vec<u8>, Vec<u8>)],
        ends: Ends,
    ) -> io::Result<Command> {
        let (child, input, output) = system::start(program, arguments, Some(environment), ends)?;
        Ok(Command {
            child,
            input,
            output,
        })
    }

    /// Starts `sh -c TEXT`.
    pub fn shell(text: &[u8], ends: Ends) -> io::Result<Command> {
        Command::start(b"/bin/sh", &[b"sh", b"-c", text], ends)
    }

    /// Closes what the command reads, so that it comes to its end.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes what it writes.
    pub fn close_output(&mut self) {
        self.output = None;
    }

    /// Closes its ends and waits for it.
    pub fn wait(mut self) -> io::Result<Ended> {
        self.input = None;
        self.output = None;
        system::wait(self.child)
    }
}

impl Read for Command {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.output {
            Some(output) => output.read(buffer),
            None => Ok(0),
        }
    }
}

impl Write for Command {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.input {
            Some(input) => input.write(bytes),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(target_os = "wasi")]
mod sandbox {
    use std::io;

    use codepod_sys::process::{Of, Status};
    use codepod_sys::{Errno, Fd, Pid, Spawn, descriptor, io_error, pipe, process};

    use super::{Ended, Ends};

    pub(super) type Child = Pid;
    pub(super) type Input = End;
    pub(super) type Output = End;

    /// An end of a pipe, closed when it goes.
    #[derive(Debug)]
    pub(super) struct End(Fd);

    impl Drop for End {
        fn drop(&mut self) {
            // It is open, and nothing is lost by closing.
            let _ = descriptor::close(self.0);
        }
    }

    impl io::Read for End {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.0.read(buffer)
        }
    }

    impl io::Write for End {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    type Started = (Child, Option<Input>, Option<Output>);
    type Environment<'a> = Option<&'a [(Vec<u8>, Vec<u8>)]>;

    pub(super) fn start(
        program: &[u8],
        arguments: &[&[u8]],
        environment: Environment<'_>,
        ends: Ends,
    ) -> io::Result<Started> {
        let pipes = || -> Result<(End, End), Errno> {
            pipe::pipe().map(|(read, write)| (End(read), End(write)))
        };
        let input = match ends {
            Ends::Input | Ends::Both => Some(pipes().map_err(io_error)?),
            _ => None,
        };
        let output = match ends {
            Ends::Output | Ends::Both => Some(pipes().map_err(io_error)?),
            _ => None,
        };
        let reads = input.as_ref().map_or(Fd::STDIN, |(read, _)| read.0);
        let writes = output.as_ref().map_or(Fd::STDOUT, |(_, write)| write.0);
        let spawn = Spawn::new(program).args(arguments);
        let spawn = match environment {
            Some(variables) => variables
                .iter()
                .fold(spawn, |spawn, (name, value)| spawn.env(name, value)),
            None => spawn.caller_env(),
        };
        let spawn = spawn
            .fd(reads, Fd::STDIN)
            .fd(writes, Fd::STDOUT)
            .fd(Fd::STDERR, Fd::STDERR);
        let child = spawn.start().map_err(io_error)?;
        Ok((
            child,
            input.map(|(_, write)| write),
            output.map(|(read, _)| read),
        ))
    }

    pub(super) fn wait(child: Child) -> io::Result<Ended> {
        loop {
            match process::wait(Of::Process(child)) {
                Ok((_, Status::Exited(status))) => return Ok(Ended::Exited(status.cast_signed())),
                Ok((_, Status::Signaled(signal))) => {
                    return Ok(Ended::Signaled(signal.raw().cast_signed()));
                }
                Ok(_) | Err(Errno::Intr) => {}
                Err(errno) => return Err(io_error(errno)),
            }
        }
    }
}

#[cfg(not(target_os = "wasi"))]
mod native {
    use std::io;
    use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
    use std::process::{ChildStdin, ChildStdout, Command, Stdio};

    use super::{Ended, Ends};
    use crate::os_str;

    pub(super) type Child = std::process::Child;
    pub(super) type Input = ChildStdin;
    pub(super) type Output = ChildStdout;

    type Started = (Child, Option<Input>, Option<Output>);
    type Environment<'a> = Option<&'a [(Vec<u8>, Vec<u8>)]>;

    pub(super) fn start(
        program: &[u8],
        arguments: &[&[u8]],
        environment: Environment<'_>,
        ends: Ends,
    ) -> io::Result<Started> {
        let mut command = Command::new(os_str(program));
        if let Some((name, rest)) = arguments.split_first() {
            command.arg0(os_str(name));
            command.args(rest.iter().map(|argument| os_str(argument)));
        }
        if let Some(variables) = environment {
            command.env_clear();
            command.envs(
                variables
                    .iter()
                    .map(|(name, value)| (os_str(name), os_str(value))),
            );
        }
        if matches!(ends, Ends::Input | Ends::Both) {
            command.stdin(Stdio::piped());
        }
        if matches!(ends, Ends::Output | Ends::Both) {
            command.stdout(Stdio::piped());
        }
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok((child, input, output))
    }

    pub(super) fn wait(mut child: Child) -> io::Result<Ended> {
        let status = child.wait()?;
        Ok(match status.signal() {
            Some(signal) => Ended::Signaled(signal),
            None => Ended::Exited(status.code().unwrap_or(0)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_written_and_waited_for() {
        let mut command = Command::shell(b"tr a-z A-Z; exit 3", Ends::Both).unwrap();
        command.write_all(b"hello").unwrap();
        command.close_input();
        let mut text = String::new();
        command.read_to_string(&mut text).unwrap();
        assert_eq!(text, "HELLO");
        assert_eq!(command.wait().unwrap(), Ended::Exited(3));
    }
}
