//! Commands: one program with its arguments, input and limits.

use std::time::Duration;

use codepod_abi::Errno;
use codepod_kernel::{Fd, Group, Kernel, Program, SpawnSpec, Stdio, Strings};
use codepod_vfs::{Access, FileKind};
use futures_lite::future::block_on;

use crate::absent;
use crate::error::{Error, ErrorKind};
use crate::options::set_variables;
use crate::pipeline::Pipeline;
use crate::result::RunResult;
use crate::running_command::Running;
use crate::sandbox::Sandbox;
use crate::script::Canceller;

/// What a command reads.
#[derive(Debug, Clone, Default)]
pub enum Stdin {
    /// Nothing.
    #[default]
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
}

/// A command to run.
#[derive(Debug, Clone)]
#[must_use = "a command does nothing until it is run"]
pub struct Command {
    pub(crate) sandbox: Sandbox,
    pub(crate) argv: Vec<Vec<u8>>,
    env: Vec<(String, String)>,
    cwd: Option<String>,
    pub(crate) stdin: Stdin,
    pub(crate) timeout: Duration,
    pub(crate) cancel: Option<Canceller>,
    pub(crate) output_budget: Option<usize>,
    /// What stands for it in lists, where its words are not what somebody wrote.
    shown: Option<String>,
    /// Whether it is a step of the history.
    pub(crate) recorded: bool,
}

/// Why a command could not be started, as a shell would tell: 127 when it is not there, 126
/// otherwise.
pub(crate) enum NotStarted {
    Result { exit_code: i32, message: String },
    Error(Error),
}

impl Command {
    pub(crate) fn new<S: AsRef<[u8]>>(
        sandbox: Sandbox,
        argv: impl IntoIterator<Item = S>,
    ) -> Command {
        let timeout = sandbox.options().timeout;
        let output_budget = sandbox.options().output_budget;
        Command {
            sandbox,
            argv: argv
                .into_iter()
                .map(|word| word.as_ref().to_vec())
                .collect(),
            env: Vec::new(),
            cwd: None,
            stdin: Stdin::Empty,
            timeout,
            cancel: None,
            output_budget,
            shown: None,
            recorded: true,
        }
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Command {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Sets the working directory.
    pub fn cwd(mut self, path: impl Into<String>) -> Command {
        self.cwd = Some(path.into());
        self
    }

    /// Gives it bytes to read.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Command {
        self.stdin = Stdin::Bytes(bytes.into());
        self
    }

    /// Sets how long it may take.
    pub fn timeout(mut self, timeout: Duration) -> Command {
        self.timeout = timeout;
        self
    }

    /// Lets it be ended from outside: its result says so then, with status 130.
    pub fn cancelled_by(mut self, canceller: &Canceller) -> Command {
        self.cancel = Some(canceller.clone());
        self
    }

    /// Sets how many bytes of each output stream the result holds.
    pub fn output_budget(mut self, bytes: usize) -> Command {
        self.output_budget = Some(bytes);
        self
    }

    /// Leaves it out of the history, for a command that changes nothing: its result has no number,
    /// and no more than the limit of a stream of what it printed.
    pub fn unrecorded(mut self) -> Command {
        self.recorded = false;
        self
    }

    /// What stands for it in the list of runs.
    pub(crate) fn shown_as(mut self, line: impl Into<String>) -> Command {
        self.shown = Some(line.into());
        self
    }

    /// Lets the next command read what this one prints.
    pub fn pipe(self, next: Command) -> Pipeline {
        Pipeline::of(self).pipe(next)
    }

    /// Runs it and waits for its end. The caller's thread runs the program itself; dropping the
    /// future kills it.
    pub async fn run(self) -> Result<RunResult, Error> {
        Pipeline::of(self).run().await
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(self) -> Result<RunResult, Error> {
        block_on(self.run())
    }

    /// Starts it with streams that the caller reads and writes while it runs.
    pub fn start(self) -> Result<Running, Error> {
        Running::start(self)
    }

    /// Starts it as [`Self::start`] does, with nothing to read: its standard input is `/dev/null`.
    pub fn start_without_input(self) -> Result<Running, Error> {
        Running::start_without_input(self)
    }

    /// The command as one line, for people.
    pub(crate) fn line(&self) -> String {
        if let Some(shown) = &self.shown {
            return shown.clone();
        }
        let words: Vec<_> = self
            .argv
            .iter()
            .map(|word| String::from_utf8_lossy(word))
            .collect();
        words.join(" ")
    }

    /// Puts the process into the kernel's table.
    pub(crate) fn spawn(
        &self,
        kernel: &mut Kernel,
        stdio: [Stdio; 3],
    ) -> Result<Program, NotStarted> {
        let Some(name) = self.argv.first().filter(|name| !name.is_empty()) else {
            let why = "a command needs a program's name".to_owned();
            return Err(NotStarted::Error(ErrorKind::InvalidArgument(why).into()));
        };
        let cwd = self
            .cwd
            .as_ref()
            .unwrap_or(&self.sandbox.options().cwd)
            .clone();
        let env = self.environment(&cwd);
        let nul = || {
            NotStarted::Error(
                ErrorKind::InvalidArgument("an argument holds a NUL byte".into()).into(),
            )
        };
        let argv = Strings::new(&self.argv).ok_or_else(nul)?;
        let block = Strings::new(env.iter().map(|(name, value)| format!("{name}={value}")))
            .ok_or_else(nul)?;
        let shown = String::from_utf8_lossy(name).into_owned();
        let path = match search(kernel, name, &env) {
            Some(path) => path,
            None => {
                let mut message = format!("codepod: {shown}: command not found\n");
                if self.sandbox.options().hints
                    && let Some(instead) = absent::instead(&shown)
                {
                    message += &format!(
                        "codepod: hint: there is no `{shown}` in this sandbox: {instead}\n"
                    );
                }
                return Err(NotStarted::Result {
                    exit_code: 127,
                    message,
                });
            }
        };
        let directory = cwd.clone();
        let spec = SpawnSpec {
            path,
            argv,
            env: block,
            cwd: Some(cwd.into_bytes()),
            fds: stdio.into_iter().zip([Fd(0), Fd(1), Fd(2)]).collect(),
            group: Group::Inherit,
        };
        let spawned = kernel.spawn(None, spec);
        if spawned.is_err() {
            check_directory(kernel, &directory).map_err(NotStarted::Error)?;
        }
        spawned.map_err(|errno| match errno {
            Errno::NoEnt
            | Errno::Access
            | Errno::NoExec
            | Errno::IsDir
            | Errno::NotDir
            | Errno::Perm => {
                let exit_code = if errno == Errno::NoEnt { 127 } else { 126 };
                NotStarted::Result {
                    exit_code,
                    message: format!("codepod: {shown}: {errno}\n"),
                }
            }
            errno => NotStarted::Error(ErrorKind::Spawn { name: shown, errno }.into()),
        })
    }

    fn environment(&self, cwd: &str) -> Vec<(String, String)> {
        let mut env = self.sandbox.options().environment(cwd);
        set_variables(&mut env, &self.env);
        env
    }
}

/// Fails if nothing can be started in a directory, which would look as if the program were missing.
pub(crate) fn check_directory(kernel: &mut Kernel, path: &str) -> Result<(), Error> {
    let (vfs, caller) = kernel.files();
    let node = vfs.resolve(&caller, vfs.root(), path.as_bytes(), true);
    let errno = match node.and_then(|node| vfs.stat(&caller, node)) {
        Ok(stat) if stat.kind == FileKind::Directory => return Ok(()),
        Ok(_) => Errno::NotDir,
        Err(errno) => errno,
    };
    let path = path.to_owned();
    Err(ErrorKind::Directory { path, errno }.into())
}

/// Where a program is: as named when there is a slash in it, else in the first directory of `PATH`
/// that has it.
fn search(kernel: &mut Kernel, name: &[u8], env: &[(String, String)]) -> Option<Vec<u8>> {
    if name.contains(&b'/') {
        return Some(name.to_vec());
    }
    let path = env
        .iter()
        .find(|(name, _)| name == "PATH")
        .map_or("", |(_, value)| value);
    let (vfs, caller) = kernel.files();
    let root = vfs.root();
    path.split(':')
        .filter(|directory| directory.starts_with('/'))
        .find_map(|directory| {
            let mut candidate = directory.as_bytes().to_vec();
            candidate.push(b'/');
            candidate.extend_from_slice(name);
            let node = vfs.resolve(&caller, root, &candidate, true).ok()?;
            let runs = vfs
                .stat(&caller, node)
                .is_ok_and(|stat| stat.kind == FileKind::File)
                && vfs.access(&caller, node, Access::EXECUTE).is_ok();
            runs.then_some(candidate)
        })
}
