//! Programs: finding them, starting them, and saying why that failed.

use codepod_sys::file::{self, Links, OpenOptions};
use codepod_sys::process::{Group, Status};
use codepod_sys::{Errno, Fd, Pid, Signal, Spawn, descriptor};

use super::{absent, function};
use crate::assign;
use crate::fds::{FdTable, Open, Outlets};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::text::Text;
use crate::{child, jobs, path, quote};

/// Runs a program in the foreground and returns its status. The first argument is its name;
/// functions and builtins do not count.
pub fn run_program(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    run_shown(shell, arguments, || arguments.join(&b' '))
}

/// Runs a program; `text` is shown where a signal ends it.
pub(super) fn run_shown(
    shell: &mut Shell,
    arguments: &[Text],
    text: impl FnOnce() -> Vec<u8>,
) -> Run<i32> {
    let mut outlets = Outlets::default();
    let fds = shell.fds.clone();
    match start(shell, arguments, &fds, &mut outlets, Group::Inherit)? {
        Ok(pid) => {
            drop(fds);
            outlets.drain();
            let status = jobs::wait_foreground(shell, pid)?;
            report(shell, pid, status, text);
            jobs::settle(shell);
            Ok(status.code().cast_signed())
        }
        Err(status) => Ok(status),
    }
}

/// Says that a signal ended a process of the foreground, as bash does for most signals.
pub(super) fn report(shell: &Shell, pid: Pid, status: Status, text: impl FnOnce() -> Vec<u8>) {
    let Status::Signaled(signal) = status else {
        return;
    };
    // Nor does a command substitution tell.
    let captured = matches!(shell.fds.get(1), Some(Open::Capture(_)));
    if captured || matches!(signal, Signal::Int | Signal::Pipe) {
        return;
    }
    let mut line = Vec::new();
    if signal == Signal::Term {
        line.extend_from_slice(jobs::signal_text(signal).as_bytes());
        line.push(b'\n');
    } else {
        line.extend_from_slice(&shell.prefix());
        jobs::ended(&mut line, pid.0, signal, &text());
    }
    let _ = shell.fds.write(2, &line);
}

/// Starts a program. The inner error is the status of the command where it could not be started,
/// after saying why.
pub(super) fn start(
    shell: &mut Shell,
    arguments: &[Text],
    fds: &FdTable,
    outlets: &mut Outlets,
    group: Group,
) -> Run<Result<Pid, i32>> {
    let Some(name) = arguments.first() else {
        return Ok(Err(0));
    };
    let found = if name.is_empty() {
        None
    } else {
        find(shell, name)
    };
    let Some(program) = found else {
        return missing(shell, arguments).map(Err);
    };
    let spawn = Spawn::new(&*program).args(arguments.iter().map(|argument| &**argument));
    let spawn = environment(shell, spawn, &program);
    match started(shell, &spawn, fds, outlets, group) {
        Ok(pid) => Ok(Ok(pid)),
        Err(Errno::NoExec) => script(shell, &program, arguments, fds, outlets, group),
        Err(errno) => failed(shell, name, &program, errno).map(Err),
    }
}

/// Where a program is. Without a `PATH`, its name is its path.
fn find(shell: &mut Shell, name: &Text) -> Option<Text> {
    if path::variable(shell).is_none_or(|list| list.is_empty())
        && !shell.state.hash.contains_key(name)
    {
        return Some(name.clone());
    }
    path::find(shell, name)
}

/// Starts what is prepared, with the descriptors of a table. When there are too many processes,
/// those that have ended are let go first.
pub(crate) fn started(
    shell: &mut Shell,
    spawn: &Spawn,
    fds: &FdTable,
    outlets: &mut Outlets,
    group: Group,
) -> Result<Pid, Errno> {
    let mut spawn = spawn.clone().group(group);
    for (number, open) in fds.iter() {
        spawn = spawn.fd(outlets.of(open)?, Fd(number));
    }
    child::spawned(shell, &spawn)
}

/// The environment of a program: exported variables and functions.
fn environment(shell: &mut Shell, spawn: Spawn, program: &[u8]) -> Spawn {
    let mut spawn = spawn.env_block(&assign::environment(shell));
    for (name, definition) in shell.state.functions.iter() {
        if definition.exported {
            let name = [b"BASH_FUNC_", &**name, b"%%"].concat();
            spawn = spawn.env(name, function::exported_text(definition.function()));
        }
    }
    spawn.env("_", program)
}

/// A file that is no program: a script without `#!`, unless it looks like something else.
fn script(
    shell: &mut Shell,
    program: &[u8],
    arguments: &[Text],
    fds: &FdTable,
    outlets: &mut Outlets,
    group: Group,
) -> Run<Result<Pid, i32>> {
    if looks_binary(program) {
        shell.error([program, b": cannot execute binary file: Exec format error"].concat());
        shell.hint("a WebAssembly program starts with `\\0asm`, a script with `#!`");
        return Ok(Err(126));
    }
    let spawn = Spawn::new(BASH)
        .arg("bash")
        .arg(program)
        .args(arguments.iter().skip(1).map(|argument| &**argument));
    let spawn = environment(shell, spawn, program);
    match started(shell, &spawn, fds, outlets, group) {
        Ok(pid) => Ok(Ok(pid)),
        Err(errno) => failed(shell, program, program, errno).map(Err),
    }
}

/// The option that tells the shell its `$0`, for `exec -a`: `invoke/arguments.rs` knows it.
const ZERO: &str = "--codepod-zero";

/// The shell's own program.
pub(crate) const BASH: &str = "/bin/bash";

/// Whether a file's first line has a NUL, as bash asks.
fn looks_binary(path: &[u8]) -> bool {
    let head = head(path);
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    line.contains(&0)
}

fn head(path: &[u8]) -> Vec<u8> {
    let Ok(fd) = file::open(path, OpenOptions::READ) else {
        return Vec::new();
    };
    let mut buffer = vec![0; 128];
    let count = descriptor::read(fd, &mut buffer).unwrap_or(0);
    let _ = descriptor::close(fd);
    buffer.truncate(count);
    buffer
}

/// What happens when there is no such program: `command_not_found_handle`, or a message and 127.
#[cold]
pub fn missing(shell: &mut Shell, arguments: &[Text]) -> Run<i32> {
    let name = arguments.first().map_or(&[][..], |name| name);
    let handler = shell
        .state
        .functions
        .get(&b"command_not_found_handle"[..])
        .cloned();
    if let Some(handler) = handler {
        let mut fields = vec![Text::from("command_not_found_handle")];
        fields.extend_from_slice(arguments);
        super::subshell::in_place(shell, super::subshell::Kind::Parentheses, &mut |shell| {
            function::run(shell, &handler, std::mem::take(&mut fields), true)
        })?;
        return Ok(shell.state.status);
    }
    let mut shown = Vec::new();
    if quote::wants_ansi(name) {
        quote::ansi(name, &mut shown);
    } else {
        shown.extend_from_slice(name);
    }
    shown.extend_from_slice(b": command not found");
    shell.error(shown);
    if !name.is_empty() && shell.state.hints {
        shell.hint(absent::hint(name));
    }
    Ok(127)
}

/// Says why a program could not be started, and returns the command's status.
#[cold]
fn failed(shell: &mut Shell, name: &[u8], program: &[u8], errno: Errno) -> Run<i32> {
    if path::is_directory(program) {
        shell.error([program, b": Is a directory"].concat());
        return Ok(126);
    }
    match errno {
        Errno::NoEnt | Errno::NotDir | Errno::Loop => {
            if file::stat_path(program, Links::Follow).is_ok() {
                // The file is there: its interpreter is not.
                shell.error([program, b": cannot execute: required file not found"].concat());
                if shell.state.hints {
                    shell.hint(absent::interpreter_hint(&head(program)));
                }
                return Ok(127);
            }
            shell.error([name, b": ", errno.message().as_bytes()].concat());
            if shell.state.hints
                && let Some(hint) = absent::listed_hint(name)
            {
                shell.hint(hint);
            }
            Ok(if errno == Errno::NoEnt { 127 } else { 126 })
        }
        Errno::Again => {
            shell.error("fork: retry: Resource temporarily unavailable");
            shell.state.status = 254;
            Err(Stop::Discard)
        }
        Errno::Perm => {
            shell.error([program, b": Operation not permitted"].concat());
            shell.hint("this sandbox does not allow this program: it is not among the allowed commands, or a module of its own");
            Ok(126)
        }
        errno => {
            shell.error([program, b": ", errno.message().as_bytes()].concat());
            Ok(126)
        }
    }
}

/// How `exec` replaces the shell.
#[derive(Debug, Clone, Default)]
pub struct Replace {
    /// `-a NAME`: the first argument of the program.
    pub name: Option<Text>,
    /// `-c`: with an empty environment.
    pub clean: bool,
    /// `-l`: a `-` before the first argument.
    pub login: bool,
}

/// `exec PROGRAM`: there is no `exec` here, so the program runs and the shell ends with its status.
/// Returns the status where it could not be started.
pub fn replace(shell: &mut Shell, arguments: &[Text], how: &Replace) -> Run<i32> {
    let Some(name) = arguments.first() else {
        return Ok(0);
    };
    let Some(program) = find(shell, name) else {
        if path::is_directory(name) {
            shell.error([b"exec: ", &**name, b": cannot execute: Is a directory"].concat());
            return Ok(126);
        }
        shell.error([b"exec: ", &**name, b": not found"].concat());
        return Ok(127);
    };
    let first = how.name.clone().unwrap_or_else(|| name.clone());
    let first = if how.login {
        Text::from([b"-", &*first].concat())
    } else {
        first
    };
    let mut spawn = Spawn::new(&*program).arg(&*first);
    let renamed = how.name.is_some() || how.login;
    let is_shell = program.ends_with(b"/bash") || program.ends_with(b"/sh");
    if renamed && is_shell {
        // The kernel starts a module with several names by the one it was found under.
        spawn = spawn.arg(ZERO).arg(&*first);
    }
    let spawn = spawn.args(arguments.iter().skip(1).map(|argument| &**argument));
    let spawn = if how.clean {
        spawn
    } else {
        environment(shell, spawn, &program)
    };
    let mut outlets = Outlets::default();
    let fds = shell.fds.clone();
    let pid = match started(shell, &spawn, &fds, &mut outlets, Group::Inherit) {
        Ok(pid) => pid,
        Err(Errno::NoExec) => match script(
            shell,
            &program,
            arguments,
            &fds,
            &mut outlets,
            Group::Inherit,
        )? {
            Ok(pid) => pid,
            Err(status) => return Ok(status),
        },
        Err(errno) => return not_replaced(shell, name, &program, errno),
    };
    drop(fds);
    outlets.drain();
    let status = jobs::wait_foreground(shell, pid)?;
    shell.state.status = status.code().cast_signed();
    // The program took the shell's place: no EXIT trap runs.
    crate::traps::forget_exit(shell);
    Err(Stop::Exit)
}

/// Says why `exec` failed: where there is a file, twice.
#[cold]
fn not_replaced(shell: &mut Shell, name: &[u8], program: &[u8], errno: Errno) -> Run<i32> {
    let status = failed(shell, name, program, errno)?;
    if status == 126 {
        let is_directory = path::is_directory(program);
        let errno = if is_directory { Errno::IsDir } else { errno };
        let message = [
            b"exec: ",
            name,
            b": cannot execute: ",
            errno.message().as_bytes(),
        ];
        shell.error(message.concat());
    }
    Ok(status)
}

/// Whether job control is on.
pub(super) fn monitors(shell: &Shell) -> bool {
    shell.state.set.has(SetOptions::MONITOR)
}
