//! Starting programs.

use std::io;

use codepod_sys::process::{Of, Status};
use codepod_sys::{Errno, Fd, Pid, Spawn};

/// A running program.
#[derive(Debug)]
pub(crate) enum Child {
    /// A process of codepod.
    Process(Pid),
    /// One of the machine, where there is no kernel of codepod: for trying a tool there.
    Native(std::process::Child),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    Exited(u32),
    Killed(u32),
}

/// How a program is started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct How<'a> {
    /// Where it starts; none for here.
    pub(crate) directory: Option<&'a [u8]>,
    /// Its standard input is empty.
    pub(crate) no_input: bool,
    /// A variable that is added to its environment.
    pub(crate) variable: Option<(&'a str, &'a str)>,
}

/// Starts a program that is searched for in `PATH`. Fails as `execvp` does.
pub(crate) fn start(argv: &[Vec<u8>], how: How<'_>) -> io::Result<Child> {
    let Some(name) = argv.first() else {
        return Err(io::Error::from(io::ErrorKind::NotFound));
    };
    if codepod_sys::process::ids() == Err(Errno::NoSys) {
        return native(argv, how);
    }
    let program = search(name, how.directory).map_err(codepod_sys::io_error)?;
    let mut spawn = Spawn::new(&program).args(argv).caller_env();
    if let Some((name, value)) = how.variable {
        spawn = spawn.env(name, value);
    }
    let empty = match how.no_input {
        true => codepod_sys::file::open(b"/dev/null", codepod_sys::file::OpenOptions::READ).ok(),
        false => None,
    };
    spawn = match empty {
        Some(fd) => spawn
            .fd(fd, Fd::STDIN)
            .fd(Fd::STDOUT, Fd::STDOUT)
            .fd(Fd::STDERR, Fd::STDERR),
        None => spawn.stdio(),
    };
    if let Some(directory) = how.directory {
        spawn = spawn.cwd(directory);
    }
    let started = spawn.start();
    if let Some(fd) = empty {
        // It was only for the child.
        let _ = codepod_sys::descriptor::close(fd);
    }
    started.map(Child::Process).map_err(codepod_sys::io_error)
}

/// Where a program is.
fn search(name: &[u8], directory: Option<&[u8]>) -> Result<Vec<u8>, Errno> {
    if name.contains(&b'/') {
        return Ok(match directory {
            Some(directory) if !name.starts_with(b"/") => [directory, b"/", name].concat(),
            _ => name.to_vec(),
        });
    }
    let path = std::env::var_os("PATH").map_or(
        b"/usr/bin:/bin".to_vec(),
        std::ffi::OsString::into_encoded_bytes,
    );
    let mut refused = Errno::NoEnt;
    for place in path.split(|byte| *byte == b':') {
        let place = if place.is_empty() { &b"."[..] } else { place };
        let full = [place, b"/", name].concat();
        let Ok(stat) = codepod_sys::file::stat_path(&full, codepod_sys::file::Links::Follow) else {
            continue;
        };
        if stat.mode & 0o170_000 != 0o100_000 {
            continue;
        }
        match codepod_sys::file::access(&full, codepod_sys::file::Links::Follow, 1) {
            Ok(()) => return Ok(full),
            Err(errno) => refused = errno,
        }
    }
    Err(refused)
}

fn native(argv: &[Vec<u8>], how: How<'_>) -> io::Result<Child> {
    let mut command = std::process::Command::new(codepod_tool::os_str(&argv[0]));
    command.args(
        argv[1..]
            .iter()
            .map(|argument| codepod_tool::os_str(argument)),
    );
    if let Some(directory) = how.directory {
        command.current_dir(codepod_tool::path(directory));
    }
    if let Some((name, value)) = how.variable {
        command.env(name, value);
    }
    if how.no_input {
        command.stdin(std::process::Stdio::null());
    }
    command.spawn().map(Child::Native)
}

/// Waits for one of several and takes it out. None where there is none.
pub(crate) fn wait_any(children: &mut Vec<Child>) -> Option<(Child, Ended)> {
    loop {
        if children.is_empty() {
            return None;
        }
        if matches!(children[0], Child::Native(_)) {
            let mut child = children.remove(0);
            let ended = wait(&mut child);
            return Some((child, ended));
        }
        match codepod_sys::process::wait(Of::Any) {
            Ok((pid, status)) => {
                let found = children
                    .iter()
                    .position(|child| matches!(child, Child::Process(known) if *known == pid));
                if let Some(at) = found {
                    return Some((children.remove(at), ended(status)));
                }
            }
            Err(Errno::Intr) => {}
            Err(_) => return Some((children.remove(0), Ended::Exited(127))),
        }
    }
}

/// Waits for a program.
pub(crate) fn wait(child: &mut Child) -> Ended {
    match child {
        Child::Process(pid) => loop {
            match codepod_sys::process::wait(Of::Process(*pid)) {
                Ok((_, status)) => return ended(status),
                Err(Errno::Intr) => {}
                Err(_) => return Ended::Exited(127),
            }
        },
        Child::Native(child) => match child.wait() {
            Ok(status) => match status.code() {
                Some(code) => Ended::Exited(code as u32),
                None => Ended::Killed(native_signal(status)),
            },
            Err(_) => Ended::Exited(127),
        },
    }
}

#[cfg(unix)]
fn native_signal(status: std::process::ExitStatus) -> u32 {
    use std::os::unix::process::ExitStatusExt as _;
    status.signal().unwrap_or(0) as u32
}

#[cfg(not(unix))]
fn native_signal(_: std::process::ExitStatus) -> u32 {
    0
}

fn ended(status: Status) -> Ended {
    match status {
        Status::Exited(code) => Ended::Exited(code),
        Status::Signaled(signal) | Status::Stopped(signal) => Ended::Killed(signal.raw()),
        Status::Continued => Ended::Exited(0),
    }
}
