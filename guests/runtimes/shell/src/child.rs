//! Child shells: a state and a tree through a pipe.
//!
//! What must run at the same time as the shell and is more than a program runs in a process of its
//! own: the shell's own program, which finds on descriptor [`BLOB`] what to do. Its descriptors are
//! passed on by the kernel; the blob says which number of the script each is.

use std::time::Duration;

use codepod_shell_syntax::tree::{Command, Item, List};
use codepod_sys::process::{self, Group};
use codepod_sys::signal::{self, Action};
use codepod_sys::{Errno, Fd, Pid, Signal, Spawn, descriptor, pipe, poll};
use serde::{Deserialize, Serialize};

use crate::exec;
use crate::fds::{FdTable, Open, Outlets, Owned};
use crate::flow::{Run, Stop};
use crate::jobs;
use crate::shell::Shell;
use crate::state::{State, VERSION};
use crate::traps;

/// The option that makes the program a child shell.
pub const OPTION: &str = "--codepod-child";

/// Where a child finds its blob.
const BLOB: Fd = Fd(4);
/// The first number in the child's kernel for a descriptor of the script beyond the standard ones.
const FIRST: u32 = 5;
/// How often starting a process is tried again, each time after twice as long; together about a
/// quarter of a second.
const PATIENCE: u32 = 8;
/// What surely fits into an empty pipe.
const PIPE_BYTES: usize = 64 << 10;

/// What a child shell does.
#[derive(Debug, Clone, Copy, Serialize)]
pub enum Work<'a> {
    /// Runs a list: a process substitution.
    List(&'a List),
    /// Runs a command: a stage of a pipeline, or a job of its own.
    Command(&'a Command, bool),
    /// Runs an item, as if no `&` ended it.
    Item(&'a Item),
    /// Prints and ends with a status.
    Print(&'a [u8], i32),
}

/// What a child is to do, as the child gets it.
#[derive(Debug, Deserialize)]
enum Task<'a> {
    List(List),
    Command(Command, bool),
    Item(Item),
    Print(&'a [u8], i32),
}

/// Starts a child shell with these descriptors.
///
/// Fails as [`Spawn::start`] does, and with [`Errno::Mfile`] and [`Errno::Nfile`] when there is no
/// pipe for the blob.
pub fn start(
    shell: &mut Shell,
    work: Work<'_>,
    fds: &FdTable,
    outlets: &mut Outlets,
    group: Group,
) -> Result<Pid, Errno> {
    let mut state = shell.state.clone();
    exec::enter_child(&mut state);
    let numbers: Vec<u32> = fds.iter().map(|(number, _)| number).collect();
    let mut blob = vec![0; 4];
    blob =
        postcard::to_extend(&(VERSION, numbers, &state, work), blob).map_err(|_| Errno::NoMem)?;
    let length = (blob.len() - 4) as u32;
    blob[..4].copy_from_slice(&length.to_le_bytes());

    let (read, write) = pipe::pipe()?;
    let (read, write) = (Owned::new(read), Owned::new(write));
    let fits = blob.len() <= PIPE_BYTES;
    if fits {
        descriptor::write_all(write.fd(), &blob)?;
    }
    let mut spawn = Spawn::new(exec::BASH)
        .arg("bash")
        .arg(OPTION)
        .group(group)
        .fd(read.fd(), BLOB);
    let mut next = FIRST;
    for (number, open) in fds.iter() {
        let to = if number < 3 { number } else { next };
        next += u32::from(number >= 3);
        spawn = spawn.fd(outlets.of(open)?, Fd(to));
    }
    let pid = spawned(shell, &spawn)?;
    drop(read);
    if !fits {
        send(write.fd(), &blob);
    }
    Ok(pid)
}

/// Starts a process. Where there are too many, waits a little for others to end, as bash does.
pub fn spawned(shell: &mut Shell, spawn: &Spawn) -> Result<Pid, Errno> {
    let mut result = spawn.start();
    for exponent in 0..PATIENCE {
        if result != Err(Errno::Again) {
            break;
        }
        jobs::reap(shell);
        result = spawn.start();
        if result == Err(Errno::Again) {
            let _ = poll::sleep(Duration::from_millis(1 << exponent));
        }
    }
    result
}

/// Writes the blob while the child reads it. A child that has ended meanwhile needs it no more.
fn send(fd: Fd, mut blob: &[u8]) {
    while !blob.is_empty() {
        match descriptor::write(fd, blob) {
            Ok(count) => blob = blob.get(count..).unwrap_or_default(),
            Err(Errno::Intr) => traps::collect(),
            Err(_) => {
                traps::collect();
                return;
            }
        }
    }
}

/// Says that no child could be started. Gives up the line, as bash does when it cannot fork.
#[cold]
pub fn refused(shell: &mut Shell, errno: Errno) -> Run<i32> {
    shell.error(["fork: ", errno.message()].concat());
    shell.state.status = 254;
    Err(Stop::Discard)
}

/// Runs the process as a child shell.
pub fn main() -> ! {
    // Until the state is there, nothing can be said but that it is missing.
    let status = receive().map_or(126, |blob| serve(&blob));
    process::exit(status)
}

fn receive() -> Option<Vec<u8>> {
    let mut length = [0u8; 4];
    fill(&mut length)?;
    let mut blob = vec![0; u32::from_le_bytes(length) as usize];
    fill(&mut blob)?;
    let _ = descriptor::close(BLOB);
    Some(blob)
}

fn fill(mut buffer: &mut [u8]) -> Option<()> {
    while !buffer.is_empty() {
        match descriptor::read(BLOB, buffer) {
            Ok(0) => return None,
            Ok(count) => buffer = buffer.get_mut(count..)?,
            Err(Errno::Intr) => {}
            Err(_) => return None,
        }
    }
    Some(())
}

/// Does what a blob says and returns the exit status.
fn serve(blob: &[u8]) -> u32 {
    let decoded: Result<(u32, Vec<u32>, State, Task<'_>), _> = postcard::from_bytes(blob);
    let Ok((VERSION, numbers, state, task)) = decoded else {
        return 126;
    };
    let mut shell = Shell::with_fds(state, table(&numbers));
    traps::start(&shell.state);
    let result = match &task {
        Task::List(list) => exec::list(&mut shell, list),
        Task::Command(command, alone) => exec::stage_command(&mut shell, command, *alone),
        Task::Item(item) => exec::item(&mut shell, item),
        Task::Print(bytes, status) => {
            if shell.fds.get(1).is_some()
                && shell.fds.write(1, bytes).is_err()
                && crate::fds::is_pipe_broken()
            {
                end(Stop::Killed(Signal::Pipe.raw()), &mut shell)
            } else {
                shell.state.status = *status;
                Ok(())
            }
        }
    };
    // Signals that came during the last command.
    let result = result.and_then(|()| traps::check(&mut shell));
    finish(&mut shell, result)
}

/// The end of a shell that is a process: its traps, and its status or the signal that ends it.
pub fn finish(shell: &mut Shell, result: Run) -> u32 {
    if let Err(Stop::Killed(signal)) = result {
        let killed = end(Stop::Killed(signal), shell);
        debug_assert!(killed.is_err());
        return 128 + signal;
    }
    traps::exit(shell);
    shell.fds = FdTable::default();
    jobs::wait_substitutions(shell);
    (shell.state.status & 255).cast_unsigned()
}

/// Lets a signal end the process, after the EXIT trap.
fn end(stop: Stop, shell: &mut Shell) -> Run {
    if let Stop::Killed(signal) = stop {
        shell.state.status = 128 + signal.cast_signed();
        crate::fds::take_broken_pipe();
        if signal != Signal::Pipe.raw() {
            traps::exit(shell);
        }
        if let Some(signal) = Signal::from_raw(signal) {
            let _ = signal::set_action(signal, Action::Default);
            let _ = signal::raise(signal);
        }
    }
    Err(stop)
}

/// The table of a child: the kernel's numbers are those that [`start`] gave.
fn table(numbers: &[u32]) -> FdTable {
    let mut fds = FdTable::default();
    let mut next = FIRST;
    for number in numbers {
        let from = if *number < 3 { *number } else { next };
        next += u32::from(*number >= 3);
        fds.set(*number, Open::kernel(Fd(from)));
    }
    fds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_arrives_as_it_was_sent() {
        let list = List::default();
        let state = State::default();
        let blob =
            postcard::to_allocvec(&(VERSION, vec![0u32, 7], &state, Work::List(&list))).unwrap();
        let (version, numbers, _, task): (u32, Vec<u32>, State, Task<'_>) =
            postcard::from_bytes(&blob).unwrap();
        assert_eq!((version, numbers), (VERSION, vec![0, 7]));
        assert!(matches!(task, Task::List(list) if list.items.is_empty()));
        let blob = postcard::to_allocvec(&Work::Print(b"abc", 3)).unwrap();
        assert!(matches!(
            postcard::from_bytes(&blob).unwrap(),
            Task::Print(b"abc", 3)
        ));
    }
}
