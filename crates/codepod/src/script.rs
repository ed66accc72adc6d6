//! Scripts: what a shell runs at a time, with its input, variables and limits.

pub(crate) mod cancel;
mod directory;
pub(crate) mod running_script;

use std::time::Duration;

use codepod_abi::session::{HINTS, Request, Run};
use codepod_kernel::{ExitStatus, Stdio};
use futures_lite::future::block_on;

use crate::budget;
use crate::command::Stdin;
use crate::error::{Error, ErrorKind};
use crate::feed::{Feed, Input};
use crate::result::{CANCELLED, RunResult, TIMED_OUT};
use crate::sandbox::Sandbox;
use crate::shell::{End, Job, Served, Shell};
use crate::sinks::{AfterTaken, Sinks};
use crate::timeline::Mark;

pub use cancel::Canceller;
use running_script::Wanted;
pub use running_script::{RunningScript, TerminalHandle, TerminalModes};

/// A script to run in a shell.
#[derive(Debug, Clone)]
#[must_use = "a script does nothing until it is run"]
pub struct Script {
    shell: Shell,
    text: Vec<u8>,
    /// `NAME=value`, each ended by a NUL.
    env: Vec<u8>,
    arguments: Vec<u8>,
    /// The directory that it runs in; where the shell is if not given.
    cwd: Option<Vec<u8>>,
    /// Whether the history has it from its start on.
    background: bool,
    /// Whether a string held a NUL, which none can.
    broken: bool,
    stdin: Stdin,
    timeout: Duration,
    hints: bool,
    output_budget: Option<usize>,
    cancel: Option<Canceller>,
}

impl Script {
    pub(crate) fn new(shell: Shell, text: &[u8]) -> Script {
        let options = shell.sandbox.options();
        let (timeout, hints) = (options.timeout, options.hints);
        let output_budget = options.output_budget;
        Script {
            shell,
            text: text.to_vec(),
            env: Vec::new(),
            arguments: Vec::new(),
            cwd: None,
            background: false,
            broken: false,
            stdin: Stdin::Empty,
            timeout,
            hints,
            output_budget,
            cancel: None,
        }
    }

    /// The sandbox that it is for.
    pub(crate) fn sandbox(&self) -> &Sandbox {
        &self.shell.sandbox
    }

    /// This script, for the shell of the same name in another sandbox.
    pub(crate) fn in_sandbox(mut self, sandbox: &Sandbox) -> Script {
        self.shell = sandbox.shell(self.shell.name());
        self
    }

    /// Exports a variable to this script only.
    pub fn env(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Script {
        let variable = format!("{}={}", name.as_ref(), value.as_ref());
        self.broken |= variable.contains('\0');
        self.env.extend_from_slice(variable.as_bytes());
        self.env.push(0);
        self
    }

    /// Sets `$0` and the positional parameters for this script only.
    pub fn arguments<S: AsRef<[u8]>>(mut self, words: impl IntoIterator<Item = S>) -> Script {
        for word in words {
            self.broken |= word.as_ref().contains(&0);
            self.arguments.extend_from_slice(word.as_ref());
            self.arguments.push(0);
        }
        self
    }

    /// Sets the directory that it runs in, absolute or from where the shell is. Afterwards the
    /// shell is where it was.
    pub fn cwd(mut self, path: impl AsRef<[u8]>) -> Script {
        self.broken |= path.as_ref().contains(&0);
        self.cwd = Some(path.as_ref().to_vec());
        self
    }

    /// Makes it a step of the history when it starts, for one that goes on while others run: what
    /// it changes later goes back with the steps that come after its start. When its shell fails,
    /// files stay as they are. For [`Self::start`], in a [`Shell::detached`].
    pub fn in_background(mut self) -> Script {
        self.background = true;
        self
    }

    /// Gives it bytes to read.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Script {
        self.stdin = Stdin::Bytes(bytes.into());
        self
    }

    /// Sets how long it may take, waiting for its turn not counted.
    pub fn timeout(mut self, timeout: Duration) -> Script {
        self.timeout = timeout;
        self
    }

    /// Sets whether the shell adds a line `codepod: hint: …` where bash's own message leaves a
    /// model without help.
    pub fn hints(mut self, hints: bool) -> Script {
        self.hints = hints;
        self
    }

    /// Sets how many bytes of each output stream the result holds. See
    /// [`Options::output_budget`](crate::Options::output_budget).
    pub fn output_budget(mut self, bytes: usize) -> Script {
        self.output_budget = Some(bytes);
        self
    }

    /// Lets it be ended from elsewhere, also while it waits for its turn: the result says so.
    pub fn cancelled_by(mut self, canceller: &Canceller) -> Script {
        self.cancel = Some(canceller.clone());
        self
    }

    /// Runs it and waits for its end. The caller's thread runs the shell itself.
    ///
    /// At the timeout the shell and all that the script has started are killed; files stay as they
    /// are then, and variables are those from before the script. When the shell itself fails,
    /// files and variables are those from before the script. Dropping the future is as the
    /// timeout.
    ///
    /// Fails with [`ErrorKind::Spawn`] when there is no shell, and with [`ErrorKind::ShellState`]
    /// when it cannot take over its state.
    pub async fn run(self) -> Result<RunResult, Error> {
        let request = self.request()?;
        let Script {
            shell,
            text,
            stdin,
            timeout,
            output_budget,
            cancel,
            cwd,
            hints,
            ..
        } = self;
        let sandbox = &shell.sandbox;
        let _turn = shell.slot.turns.take().await;
        let mark = Mark::begin(sandbox, &text)?;
        let stopwatch = sandbox.stopwatch();
        let sinks = Sinks::new(sandbox, AfterTaken::Discarded)?;
        let kernel = &sandbox.inner.kernel;
        let (input, feed) = match stdin {
            Stdin::Empty => (None, None),
            Stdin::Bytes(bytes) => {
                let input = Input::new(kernel)?;
                let feed = Feed::begin(kernel, input.pipe, bytes)?;
                (Some(input), Some(feed))
            }
        };
        let reads = input
            .as_ref()
            .map_or(Stdio::Null, |input| Stdio::PipeRead(input.pipe));
        let job = Job {
            request,
            number: mark.number(),
            stdio: [reads, Stdio::Sink(sinks.out), Stdio::Sink(sinks.err)],
            feed,
            timeout,
            cancel: cancel.as_ref(),
            before: Some(mark.files()),
        };
        let served = match directory::serve_in(&shell, cwd.as_deref(), job).await? {
            Ok(served) => served,
            Err(mut result) => {
                mark.finish(&mut result, timeout, hints);
                return Ok(result);
            }
        };
        let output = sinks.take();
        let mut result = result_of(served, &text, stopwatch.elapsed());
        result.stdout = output.stdout;
        result.stderr.splice(0..0, output.stderr);
        result.truncated = output.lost != [false; 2];
        mark.finish(&mut result, timeout, hints);
        budget::cut(sandbox, &mut result, output_budget, output.lost)?;
        Ok(result)
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(self) -> Result<RunResult, Error> {
        block_on(self.run())
    }

    /// Prepares it with streams that the caller reads and writes while it runs.
    pub fn start(self) -> Result<RunningScript, Error> {
        RunningScript::new(self, Wanted::Pipes)
    }

    /// Prepares it as [`Self::start`] does, with nothing to read: its standard input is
    /// `/dev/null`, and tools that look whether there is a pipe to read from find none.
    pub fn start_without_input(self) -> Result<RunningScript, Error> {
        RunningScript::new(self, Wanted::NoInput)
    }

    /// Prepares it as [`Self::start`] does, on a terminal of this size: all that it prints comes
    /// from `stdout`. The terminal passes bytes on as they are; see [`RunningScript::terminal`] for
    /// what the surface has to do.
    pub fn start_on_terminal(self, rows: u32, columns: u32) -> Result<RunningScript, Error> {
        RunningScript::new(self, Wanted::Terminal { rows, columns })
    }

    fn request(&self) -> Result<Vec<u8>, Error> {
        if self.broken {
            let why = "a variable or an argument holds a NUL byte".to_owned();
            return Err(ErrorKind::InvalidArgument(why).into());
        }
        let mut request = Vec::new();
        Request::Run(Run {
            flags: if self.hints { HINTS } else { 0 },
            script: &self.text,
            env: &self.env,
            arguments: &self.arguments,
        })
        .encode(&mut request);
        Ok(request)
    }
}

/// The result of a script, without what it printed; standard error holds what the host has to say.
fn result_of(served: Served, text: &[u8], execution_time: Duration) -> RunResult {
    let mut result = RunResult {
        processes: served.processes,
        command: String::from_utf8_lossy(text).into_owned(),
        execution_time,
        ..RunResult::default()
    };
    match served.end {
        End::Answered(status) => result.exit_code = status.into(),
        End::Exited(status) => result.exit_code = status.code(),
        End::TimedOut => {
            result.exit_code = TIMED_OUT;
            result.timed_out = true;
        }
        End::Cancelled => {
            result.exit_code = CANCELLED;
            result.cancelled = true;
        }
        End::Crashed {
            status,
            files_restored,
        } => {
            result.exit_code = status.code();
            result.crashed = true;
            result.stderr = crash_message(status, files_restored).into_bytes();
        }
    }
    result
}

fn crash_message(status: ExitStatus, files_restored: bool) -> String {
    let how = match status {
        ExitStatus::Signaled(signal) => signal.name().to_owned(),
        ExitStatus::Exited(code) => format!("status {code}"),
    };
    let kept = if files_restored {
        "files and variables are as before this command"
    } else {
        "variables are as before this command; files are not, because other processes use them"
    };
    format!("codepod: the shell failed ({how}): {kept}\n")
}
