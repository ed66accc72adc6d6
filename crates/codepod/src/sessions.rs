//! Sessions of Python and of JavaScript: interpreters that keep their variables from call to call.
//!
//! Between two calls there is no process: a session is a file of the sandbox with the memory that
//! differs from what every interpreter of its language starts with. So a fork, a snapshot, an undo
//! and a saved state have it, and what it costs while nobody calls it is that file. A call begins
//! with the file's blocks mapped and replaces those that it has changed
//! (`codepod-wasmtime/src/kept_memory.rs`); what it does not touch is neither read nor written.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use futures_lite::future::{block_on, or};

use crate::command::Command;
use crate::error::{Error, ErrorKind};
use crate::pipeline::Pipeline;
use crate::result::{CANCELLED, RunResult};
use crate::sandbox::Sandbox;
use crate::script::Canceller;
use crate::script::running_script::{Opened, Streams, Wanted};
use crate::shell::{Turn, Turns};
use crate::streams::{PipeReader, PipeWriter};

/// What differs between the languages.
#[derive(Debug)]
pub(crate) struct Language {
    /// As messages have it.
    name: &'static str,
    /// The interpreter, which takes `--codepod-turn FILE CODE`.
    program: &'static str,
    /// Where its sessions are.
    pub(crate) directory: &'static str,
    /// A variable that tells it that somebody reads its output while the code runs.
    streamed: Option<&'static str>,
}

const PYTHON: Language = Language {
    name: "Python",
    program: "/usr/bin/python3",
    directory: "/var/lib/codepod/python",
    // It then writes lines as they end (guests/runtimes/python/src/driver.py).
    streamed: Some("CODEPOD_STREAMED"),
};

const JAVASCRIPT: Language = Language {
    name: "JavaScript",
    program: "/usr/bin/node",
    directory: "/var/lib/codepod/javascript",
    streamed: None,
};

/// All of them.
pub(crate) const LANGUAGES: [&Language; 2] = [&PYTHON, &JAVASCRIPT];

/// What is behind the name of a session's file while it is written.
const FRESH: &str = ".new";
/// The longest name.
const LONGEST_NAME: usize = 64;

/// So many names are remembered before those are forgotten that nobody uses.
const MOST_NAMES: usize = 64;

/// Who has the turn in which session.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    /// By the path of the session's file.
    named: Mutex<BTreeMap<String, Arc<Turns>>>,
}

impl Sessions {
    fn turns(&self, path: &str) -> Arc<Turns> {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if named.len() >= MOST_NAMES {
            // Whom nobody calls has no turns to take.
            named.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        named.entry(path.to_owned()).or_default().clone()
    }
}

/// An interpreter that goes on from call to call. Made by [`Sandbox::python_session`] and
/// [`Sandbox::javascript_session`]; two of a language with the same name are the same.
///
/// ```
/// # fn main() -> Result<(), codepod::Error> {
/// use codepod::{Options, Sandbox};
///
/// let sandbox = Sandbox::create(Options::default())?;
/// let python = sandbox.python_session("main")?;
/// python.run_blocking("import math; r = 2")?;
/// let fork = sandbox.fork()?;
/// python.run_blocking("r = 3")?;
/// let area = "round(math.pi * r ** 2, 1)";
/// assert_eq!(python.run_blocking(area)?.stdout, b"28.3\n");
/// assert_eq!(fork.python_session("main")?.run_blocking(area)?.stdout, b"12.6\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct InterpreterSession {
    sandbox: Sandbox,
    language: &'static Language,
    path: String,
    turns: Arc<Turns>,
    timeout: Option<Duration>,
    input: Vec<u8>,
    cancel: Option<Canceller>,
    output_budget: Option<usize>,
}

/// A session of Python.
pub type PythonSession = InterpreterSession;
/// A session of JavaScript, in Node.
pub type JavaScriptSession = InterpreterSession;
/// A call of a session of Python, with streams.
pub type RunningPython = RunningCode;
/// A call of a session of JavaScript, with streams.
pub type RunningJavaScript = RunningCode;

impl Sandbox {
    /// A session of Python by its name. It begins with its first call.
    ///
    /// Files that it has open are opened again for the next call. Pipes, sockets and threads do not
    /// outlive a call.
    pub fn python_session(&self, name: &str) -> Result<PythonSession, Error> {
        self.session_of(&PYTHON, name)
    }

    /// A session of JavaScript by its name. It begins with its first call, and runs code as the
    /// prompt of Node does: what it declares stays and may be declared again, and `await` works.
    ///
    /// A call ends when its program would: when no timer, promise, socket or child is left to wait
    /// for. Those that do not keep a program alive, and open files, do not outlive a call.
    ///
    /// ```
    /// # fn main() -> Result<(), codepod::Error> {
    /// use codepod::{Options, Sandbox};
    ///
    /// let sandbox = Sandbox::create(Options::default())?;
    /// let javascript = sandbox.javascript_session("main")?;
    /// javascript.run_blocking("const { basename } = require('path'); let n = 1")?;
    /// let last = javascript.run_blocking("n += await Promise.resolve(1); [basename('/a/b'), n]")?;
    /// assert_eq!(last.stdout, b"[ 'b', 2 ]\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn javascript_session(&self, name: &str) -> Result<JavaScriptSession, Error> {
        self.session_of(&JAVASCRIPT, name)
    }

    fn session_of(
        &self,
        language: &'static Language,
        name: &str,
    ) -> Result<InterpreterSession, Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        if !(1..=LONGEST_NAME).contains(&name.len()) || !name.bytes().all(is_plain) {
            let why = format!(
                "`{name}` cannot be the name of a session: letters, digits, `_` and `-` can, up to {LONGEST_NAME}"
            );
            return Err(ErrorKind::InvalidArgument(why).into());
        }
        let path = format!("{}/{name}", language.directory);
        Ok(InterpreterSession {
            sandbox: self.clone(),
            language,
            turns: self.inner.sessions.turns(&path),
            path,
            timeout: None,
            input: Vec::new(),
            cancel: None,
            output_budget: None,
        })
    }
}

impl InterpreterSession {
    /// Sets how long a call may take. One that takes longer leaves the session as it was.
    pub fn timeout(mut self, timeout: Duration) -> InterpreterSession {
        self.timeout = Some(timeout);
        self
    }

    /// Sets what calls find on standard input.
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> InterpreterSession {
        self.input = bytes.into();
        self
    }

    /// Makes calls cancellable, even while they are queued. A cancelled call leaves the session
    /// unchanged.
    pub fn cancelled_by(mut self, canceller: &Canceller) -> InterpreterSession {
        self.cancel = Some(canceller.clone());
        self
    }

    /// Sets how many bytes of each output stream a result holds.
    pub fn output_budget(mut self, bytes: usize) -> InterpreterSession {
        self.output_budget = Some(bytes);
        self
    }

    /// Runs code and waits for its end; calls of the same session wait for each other. What the
    /// last line gives is printed, as the interactive interpreter does. An exception is printed
    /// on standard error, with status 1, and the session goes on; so it does after `sys.exit` and
    /// `process.exit`. Code that is killed leaves the session as it was before.
    pub async fn run(&self, code: &str) -> Result<RunResult, Error> {
        let command = self.command(code)?;
        match self.turn().await {
            Some(_turn) => {
                let _tidied = Tidied(self);
                command.run().await
            }
            None => Ok(cancelled(code)),
        }
    }

    /// Blocking form of [`Self::run`], for callers without an async runtime.
    pub fn run_blocking(&self, code: &str) -> Result<RunResult, Error> {
        block_on(self.run(code))
    }

    /// Prepares code with streams that the caller reads and writes while it runs.
    pub fn start(&self, code: &str) -> Result<RunningCode, Error> {
        self.start_with(code, Wanted::Pipes)
    }

    /// Prepares code as [`Self::start`] does, with nothing to read.
    pub fn start_without_input(&self, code: &str) -> Result<RunningCode, Error> {
        self.start_with(code, Wanted::NoInput)
    }

    fn start_with(&self, code: &str, wanted: Wanted) -> Result<RunningCode, Error> {
        let mut command = self.command(code)?;
        if let Some(variable) = self.language.streamed {
            command = command.env(variable, "1");
        }
        let kernel = &self.sandbox.inner.kernel;
        let opened = Opened::new(kernel, self.language.name, wanted)?;
        Ok(RunningCode {
            stdin: opened.stdin,
            stdout: opened.stdout,
            stderr: opened.stderr,
            streams: opened.streams,
            session: self.clone(),
            command,
        })
    }

    /// Waits for the session's turn; `None` if the call was cancelled meanwhile.
    async fn turn(&self) -> Option<Turn<'_>> {
        let turn = async { Some(self.turns.take().await) };
        let cancelled = poll_fn(|cx| match &self.cancel {
            Some(canceller) if canceller.poll(cx) => Poll::Ready(None),
            _ => Poll::Pending,
        });
        or(turn, cancelled).await
    }

    /// Forgets everything: the next call begins anew.
    pub fn reset(&self) -> Result<(), Error> {
        match self.size() {
            0 => Ok(()),
            _ => self.sandbox.as_root().remove(&self.path),
        }
    }

    /// How many bytes it is kept in; 0 before its first call.
    pub fn size(&self) -> u64 {
        let root = self.sandbox.as_root();
        root.stored_bytes(&self.path).unwrap_or(0)
    }

    fn command(&self, code: &str) -> Result<Command, Error> {
        if code.contains('\0') {
            return Err(ErrorKind::InvalidArgument("the code holds a NUL byte".into()).into());
        }
        let words = [self.language.program, "--codepod-turn", &self.path, code];
        let command = self.sandbox.command(words).shown_as(code);
        let mut command = command.stdin(self.input.clone());
        if let Some(canceller) = &self.cancel {
            command = command.cancelled_by(canceller);
        }
        if let Some(bytes) = self.output_budget {
            command = command.output_budget(bytes);
        }
        if let Some(timeout) = self.timeout {
            command = command.timeout(timeout);
        }
        Ok(command)
    }
}

/// Removes what a call leaves that was killed while its memory was being kept.
struct Tidied<'a>(&'a InterpreterSession);

impl Drop for Tidied<'_> {
    fn drop(&mut self) {
        let fresh = format!("{}{FRESH}", self.0.path);
        let root = self.0.sandbox.as_root();
        if root.stat(&fresh).is_ok() {
            // One that cannot be removed is written over by the next call.
            let _ = root.remove(&fresh);
        }
    }
}

/// What a call gives that was cancelled before its turn.
fn cancelled(code: &str) -> RunResult {
    RunResult {
        command: code.to_owned(),
        exit_code: CANCELLED,
        cancelled: true,
        ..RunResult::default()
    }
}

/// A call of a session, with streams. It runs while [`RunningCode::wait`] is polled, and is
/// killed when that future is dropped.
#[derive(Debug)]
pub struct RunningCode {
    /// What it reads; drop it to end its input.
    pub stdin: Option<PipeWriter>,
    /// What it prints.
    pub stdout: Option<PipeReader>,
    /// What it complains about.
    pub stderr: Option<PipeReader>,
    session: InterpreterSession,
    command: Command,
    streams: Streams,
}

impl RunningCode {
    /// Runs it to its end, as [`InterpreterSession::run`] does. The streams must be read meanwhile,
    /// or it waits for them; what they gave is not in the result.
    pub async fn wait(self) -> Result<RunResult, Error> {
        match self.session.turn().await {
            Some(_turn) => {
                let _tidied = Tidied(&self.session);
                let pipeline = Pipeline::of(self.command);
                pipeline.run_on(self.streams.stdio).await
            }
            None => Ok(cancelled(&self.command.line())),
        }
    }

    /// Blocking form of [`Self::wait`], for callers without an async runtime.
    pub fn wait_blocking(self) -> Result<RunResult, Error> {
        block_on(self.wait())
    }
}
