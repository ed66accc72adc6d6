//! Finding a program and running it.

use codepod_sys::descriptor::{self, Fd};
use codepod_sys::file::{self, EXECUTE, Links, mode};
use codepod_sys::process::{self, Group, Of, Pid, Spawn, Status};
use codepod_sys::{Errno, Signal};
use codepod_tool::{complain, errno_text, quoted};

/// The most descriptors that are passed on beside the first three.
const MOST_DESCRIPTORS: u32 = 64;

/// A program to start.
#[derive(Debug)]
pub(crate) struct Program {
    /// Its name and arguments.
    pub(crate) words: Vec<Vec<u8>>,
    /// `NAME=value` of its environment.
    pub(crate) environment: Vec<Vec<u8>>,
    /// Where it starts, if not here.
    pub(crate) directory: Option<Vec<u8>>,
    /// Its process group.
    pub(crate) group: Group,
    /// An open descriptor that it does not get.
    pub(crate) without: Option<Fd>,
}

impl Program {
    /// One with the environment of this process.
    pub(crate) fn new(words: Vec<Vec<u8>>) -> Program {
        let environment = codepod_sys::environment::variables().unwrap_or_default();
        Program {
            words,
            environment,
            directory: None,
            group: Group::Inherit,
            without: None,
        }
    }

    /// Starts it. Fails with what is wrong with the program.
    pub(crate) fn start(&self) -> Result<Pid, Errno> {
        let name = self.words.first().ok_or(Errno::NoEnt)?;
        let path = self.find(name)?;
        let mut spawn = Spawn::new(&path).args(&self.words).group(self.group);
        let mut block = Vec::new();
        for variable in &self.environment {
            block.extend_from_slice(variable);
            block.push(0);
        }
        spawn = spawn.env_block(&block);
        if let Some(directory) = &self.directory {
            spawn = spawn.cwd(directory);
        }
        for number in 0..MOST_DESCRIPTORS {
            let fd = Fd(number);
            let wanted = self.without != Some(fd) && !is_preopened(fd);
            if wanted && descriptor::flags(fd).is_ok() {
                spawn = spawn.fd(fd, fd);
            }
        }
        match spawn.start() {
            Err(Errno::IsDir) => Err(Errno::Access),
            // A script without `#!` is the shell's.
            Err(Errno::NoExec) => {
                let mut shell = self.words.clone();
                shell.splice(0..1, [b"sh".to_vec(), path.clone()]);
                let mut again = Spawn::new("/bin/sh")
                    .args(&shell)
                    .group(self.group)
                    .env_block(&block)
                    .stdio();
                if let Some(directory) = &self.directory {
                    again = again.cwd(directory);
                }
                again.start()
            }
            started => started,
        }
    }

    /// Looks for a program as `execvp` does, in the `PATH` that the program gets.
    pub(crate) fn find(&self, name: &[u8]) -> Result<Vec<u8>, Errno> {
        if name.contains(&b'/') {
            return Ok(name.to_vec());
        }
        let variable = self
            .environment
            .iter()
            .find_map(|variable| variable.strip_prefix(b"PATH="));
        let path = variable.unwrap_or(b"/bin:/usr/bin");
        let mut failed = Errno::NoEnt;
        for directory in path.split(|byte| *byte == b':') {
            let slash: &[u8] = if directory.is_empty() { b"" } else { b"/" };
            let candidate = [directory, slash, name].concat();
            match file::stat_path(&candidate, Links::Follow) {
                Ok(stat) if stat.mode & mode::TYPE_MASK == mode::DIRECTORY => {}
                Ok(_) => match file::access(&candidate, Links::Follow, EXECUTE) {
                    Ok(()) => return Ok(candidate),
                    Err(_) => failed = Errno::Access,
                },
                Err(_) => {}
            }
        }
        Err(failed)
    }
}

/// Whether a descriptor is one of WASI's open directories, which every process gets anew.
fn is_preopened(fd: Fd) -> bool {
    fd.0 > 2 && file::stat_open(fd).is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY)
}

/// Says why a program did not start and returns 126 or 127.
pub(crate) fn not_started(tool: &str, words: &[Vec<u8>], errno: Errno, what: &str) -> i32 {
    let name = words.first().map(Vec::as_slice).unwrap_or_default();
    complain(
        tool,
        [
            what.as_bytes(),
            &quoted(name)[..],
            b": ",
            errno_text(errno).as_bytes(),
        ]
        .concat(),
    );
    if errno == Errno::NoEnt { 127 } else { 126 }
}

/// Waits for a program's end and ends as it did: by its status, or by its signal.
pub(crate) fn follow(pid: Pid) -> i32 {
    loop {
        match process::wait(Of::Process(pid)) {
            Ok((_, Status::Exited(status))) => return status.cast_signed(),
            Ok((_, Status::Signaled(signal))) => return die(signal),
            Ok(_) | Err(Errno::Intr) => {}
            Err(_) => return 125,
        }
    }
}

/// Ends by a signal, as the program did.
fn die(signal: Signal) -> i32 {
    let _ = codepod_sys::signal::set_action(signal, codepod_sys::signal::Action::Default);
    let _ = codepod_sys::signal::raise(signal);
    codepod_sys::process::yield_now();
    128 + signal.raw().cast_signed()
}
