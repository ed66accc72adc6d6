//! `flock`: locks a file for as long as a program runs, or for whoever has a descriptor.

use std::io::IsTerminal as _;
use std::num::{IntErrorKind, ParseIntError};
use std::time::Duration;

use codepod_sys::calls::{self, lock};
use codepod_sys::file::{self, OpenOptions};
use codepod_sys::process::{self, Of, Status};
use codepod_sys::signal::{self, Action, SignalSet};
use codepod_sys::{Errno, Fd, Signal, clock};
use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, flag, long, value,
};

use crate::program::Program;
use crate::{help, version};

const USAGE: &str = "
Usage:
 flock [options] <file>|<directory> <command> [<argument>...]
 flock [options] <file>|<directory> -c <command>
 flock [options] <file descriptor number>

Manage file locks from shell scripts.

Options:
 -s, --shared             get a shared lock
 -x, --exclusive          get an exclusive lock (default)
 -u, --unlock             remove a lock
 -n, --nonblock           fail rather than wait
 -w, --timeout <secs>     wait for a limited amount of time
 -E, --conflict-exit-code <number>  exit code after conflict or timeout
 -o, --close              close file descriptor before running command
 -c, --command <command>  run a single command string through the shell
 -F, --no-fork            execute command without forking
     --verbose            increase verbosity

 -h, --help               display this help
 -V, --version            display version

For more details see flock(1).
";

#[derive(Clone, Copy)]
enum Key {
    Operation(u32),
    Nonblock,
    Timeout,
    ConflictStatus,
    Close,
    NoFork,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Operation(lock::SHARED), b's', "shared"),
    flag(Key::Operation(lock::EXCLUSIVE), b'x', "exclusive"),
    flag(Key::Operation(lock::EXCLUSIVE), b'e', ""),
    flag(Key::Operation(lock::UNLOCK), b'u', "unlock"),
    flag(Key::Nonblock, b'n', "nonblocking"),
    flag(Key::Nonblock, b'n', "nb"),
    value(Key::Timeout, b'w', "timeout"),
    value(Key::Timeout, b'w', "wait"),
    value(Key::ConflictStatus, b'E', "conflict-exit-code"),
    flag(Key::Close, b'o', "close"),
    flag(Key::NoFork, b'F', "no-fork"),
    long(Key::Verbose, "verbose", Value::None),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// The statuses of `sysexits.h`.
mod status {
    pub(super) const USAGE: i32 = 64;
    pub(super) const DATA: i32 = 65;
    pub(super) const NO_INPUT: i32 = 66;
    pub(super) const UNAVAILABLE: i32 = 69;
    pub(super) const OS: i32 = 71;
    pub(super) const CANNOT_CREATE: i32 = 73;
}

/// What the arguments ask for.
struct Settings {
    operation: u32,
    /// Zero for no limit.
    timeout: Duration,
    conflict: i32,
    close: bool,
    no_fork: bool,
    verbose: bool,
    target: Target,
}

/// What is locked.
enum Target {
    Descriptor(i32),
    /// A file or directory, for as long as the program runs.
    Path(Vec<u8>, Vec<Vec<u8>>),
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, &settings).unwrap_or_else(|status| status),
        Err(stop) => stop.report(tool, status::USAGE),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    if arguments.is_empty() {
        return Err(Usage::new("not enough arguments").into());
    }
    let mut settings = Settings {
        operation: lock::EXCLUSIVE,
        timeout: Duration::ZERO,
        conflict: 1,
        close: false,
        no_fork: false,
        verbose: false,
        target: Target::Descriptor(0),
    };
    let mut nonblock = false;
    let read = Options::new(TABLE, arguments).in_order();
    let mut operands = read.each(|key, value| {
        let value = value.unwrap_or_default();
        match key {
            Key::Operation(operation) => settings.operation = operation,
            Key::Nonblock => nonblock = true,
            Key::Timeout => {
                settings.timeout = timeout(tool, &value)?;
                nonblock |= settings.timeout.is_zero();
            }
            Key::ConflictStatus => settings.conflict = conflict_status(&value)?,
            Key::Close => settings.close = true,
            Key::NoFork => settings.no_fork = true,
            Key::Verbose => settings.verbose = true,
            Key::Help => return Err(Stop::Status(help(USAGE))),
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if nonblock {
        settings.operation |= lock::NONBLOCK;
    }
    if settings.no_fork && settings.close {
        let what = "the --no-fork and --close options are incompatible";
        return Err(Stop::failed(what));
    }
    settings.target = match &operands[..] {
        [] => {
            let what = "requires file descriptor, file or directory";
            return Err(Stop::failed(what));
        }
        [descriptor] => Target::Descriptor(number("bad file descriptor", descriptor)?),
        [_, ..] => {
            let path = operands.remove(0);
            Target::Path(path, command(operands)?)
        }
    };
    Ok(settings)
}

/// The command behind the file, or the shell that runs the text of `-c`.
fn command(words: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, Stop> {
    let [option @ (b"-c" | b"--command"), rest @ ..] =
        &words.iter().map(Vec::as_slice).collect::<Vec<_>>()[..]
    else {
        return Ok(words);
    };
    let [text] = rest else {
        let what = b" requires exactly one command argument";
        return Err(Stop::failed([*option, what].concat()));
    };
    let shell = std::env::var_os("SHELL").filter(|shell| !shell.is_empty());
    let shell = shell.map_or_else(|| b"/bin/sh".to_vec(), |path| path.into_encoded_bytes());
    Ok(vec![shell, b"-c".to_vec(), text.to_vec()])
}

fn run(tool: &str, settings: &Settings) -> Result<i32, i32> {
    let (fd, name) = match &settings.target {
        Target::Path(path, _) => (open(tool, path)?, path.clone()),
        Target::Descriptor(number) => (Fd(number.cast_unsigned()), number.to_string().into_bytes()),
    };
    let mut told = take(tool, settings, fd, &name)?;
    let Target::Path(_, words) = &settings.target else {
        tell(settings, &told);
        return Ok(0);
    };
    let program = words.first().map(Vec::as_slice).unwrap_or_default();
    told += &format!("{tool}: executing {}\n", String::from_utf8_lossy(program));
    // As the real one buffers it: a file or a pipe gets it after the program's output, and never
    // where the program takes the tool's place.
    let at_once = std::io::stdout().is_terminal();
    if at_once {
        tell(settings, &told);
    }
    let ended = start(tool, settings, fd, words);
    if !at_once && !settings.no_fork {
        tell(settings, &told);
    }
    ended
}

/// Prints what `--verbose` asks for.
fn tell(settings: &Settings, text: &str) {
    if settings.verbose {
        let _ = help(text);
    }
}

/// Opens what is to be locked: a file, made if there is none, or a directory.
fn open(tool: &str, path: &[u8]) -> Result<Fd, i32> {
    let made = OpenOptions {
        create: true,
        ..OpenOptions::READ
    };
    let opened = match file::open(path, made) {
        Err(Errno::IsDir) => file::open(path, OpenOptions::READ),
        opened => opened,
    };
    opened.map_err(|errno| {
        let why = errno_text(errno).as_bytes();
        let what = b"cannot open lock file ";
        complain(tool, [what, path, b": ", why].concat());
        match errno {
            Errno::NoMem | Errno::Mfile | Errno::Nfile => status::OS,
            Errno::Rofs | Errno::NoSpc => status::CANNOT_CREATE,
            _ => status::NO_INPUT,
        }
    })
}

/// Takes the lock or gives it back, and returns what there is to tell. Fails with the tool's
/// status.
fn take(tool: &str, settings: &Settings, fd: Fd, name: &[u8]) -> Result<String, i32> {
    let begin = clock::now_monotonic();
    if !settings.timeout.is_zero() {
        let _ = signal::set_action(Signal::Alrm, Action::Catch);
        let _ = process::alarm(settings.timeout);
    }
    let conflict = |what: &str| {
        if settings.verbose {
            complain(tool, what);
        }
        Err(settings.conflict)
    };
    loop {
        match calls::fd_lock(fd.0, settings.operation) {
            Ok(()) => break,
            Err(Errno::Again) => return conflict("failed to get lock"),
            Err(Errno::Intr) => {
                let alarm = SignalSet::default().with(Signal::Alrm);
                let taken = signal::take(alarm).unwrap_or_default();
                if taken.has(Signal::Alrm) {
                    return conflict("timeout while waiting to get lock");
                }
            }
            Err(errno) => {
                let why = errno_text(errno).as_bytes();
                complain(tool, [name, b": ", why].concat());
                return Err(status::DATA);
            }
        }
    }
    if !settings.timeout.is_zero() {
        let _ = process::alarm(Duration::ZERO);
    }
    let took = clock::now_monotonic().saturating_sub(begin);
    let (seconds, rest) = (took.as_secs(), took.subsec_micros());
    Ok(format!(
        "{tool}: getting lock took {seconds}.{rest:06} seconds\n"
    ))
}

/// Runs the program and returns its status. The lock ends with the last process that has it open.
fn start(tool: &str, settings: &Settings, fd: Fd, words: &[Vec<u8>]) -> Result<i32, i32> {
    let name = words.first().map(Vec::as_slice).unwrap_or_default();
    let mut program = Program::new(words.to_vec());
    if settings.close {
        program.without = Some(fd);
    }
    let pid = program.start().map_err(|errno| {
        let why = errno_text(errno).as_bytes();
        complain(tool, [b"failed to execute ", name, b": ", why].concat());
        status::UNAVAILABLE
    })?;
    loop {
        match process::wait(Of::Process(pid)) {
            Ok((_, Status::Exited(status))) => return Ok(status.cast_signed()),
            Ok((_, Status::Signaled(signal))) => return Ok(128 + signal.raw().cast_signed()),
            Ok(_) | Err(Errno::Intr) => {}
            Err(_) => return Err(status::OS),
        }
    }
}

/// `1`, `0.5`: seconds.
fn timeout(tool: &str, text: &[u8]) -> Result<Duration, Stop> {
    let number = std::str::from_utf8(text).ok();
    let number = number.and_then(|text| text.trim_start().parse::<f64>().ok());
    let seconds = number.ok_or_else(|| wrong("invalid timeout value", text, ""))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| {
        complain(tool, "cannot set up timer: Invalid argument");
        Stop::Status(status::OS)
    })
}

fn conflict_status(text: &[u8]) -> Result<i32, Stop> {
    match number("invalid exit code", text)? {
        status @ 0..=255 => Ok(status),
        _ => Err(Stop::failed("exit code out of range (expected 0 to 255)")),
    }
}

/// A decimal number of 32 bits.
fn number(what: &str, text: &[u8]) -> Result<i32, Stop> {
    let number = std::str::from_utf8(text).unwrap_or_default().trim_start();
    number.parse().map_err(|error: ParseIntError| {
        let why = match error.kind() {
            IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => {
                ": Numerical result out of range"
            }
            _ => "",
        };
        wrong(what, text, why)
    })
}

fn wrong(what: &str, text: &[u8], why: &str) -> Stop {
    Stop::failed([what.as_bytes(), b": '", text, b"'", why.as_bytes()].concat())
}
