//! Commands of the host: functions of the embedder that scripts call as programs.
//!
//! A host command is a process of the sandbox: it stands in pipelines, reads and writes while it
//! runs, has a working directory and an environment, is listed by `help`, and is killed with its
//! run. What it does is the embedder's; it acts outside of the wall, so it should trust nothing
//! that it is given.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::ready;

use codepod_abi::Errno;
use codepod_kernel::{Fd, HostCall, HostCommands, HostProgram, SharedKernel};

use crate::error::{Error, ErrorKind};
use crate::events::Event;
use crate::files::absolute;
use crate::image::COMMANDS;
use crate::sandbox::{Inner, Sandbox};
use crate::streams::Turn;

type Answer = Pin<Box<dyn Future<Output = u8> + Send>>;
type Handler = Arc<dyn Fn(Call) -> Answer + Send + Sync>;

/// The longest name.
const LONGEST_NAME: usize = 64;

/// A command that the host answers.
#[derive(Clone)]
pub struct HostCommand {
    name: String,
    aliases: Vec<String>,
    description: String,
    usage: String,
    handler: Handler,
}

impl fmt::Debug for HostCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HostCommand")
            .field("name", &self.name)
            .field("aliases", &self.aliases)
            .finish_non_exhaustive()
    }
}

impl HostCommand {
    /// A command and what it does; the handler's number is its exit status.
    ///
    /// ```
    /// # fn main() -> Result<(), codepod::Error> {
    /// use codepod::{HostCommand, Options, Sandbox};
    ///
    /// let sandbox = Sandbox::create(Options::default())?;
    /// sandbox.register(HostCommand::new("shout", |mut call| async move {
    ///     let text = call.read_all().await.unwrap_or_default();
    ///     call.write(&text.to_ascii_uppercase()).await.is_err().into()
    /// }))?;
    /// let result = sandbox.run_blocking("echo hello | shout | rev")?;
    /// assert_eq!(result.stdout, b"OLLEH\n");
    /// # Ok(())
    /// # }
    /// ```
    pub fn new<F, A>(name: impl Into<String>, handler: F) -> HostCommand
    where
        F: Fn(Call) -> A + Send + Sync + 'static,
        A: Future<Output = u8> + Send + 'static,
    {
        HostCommand {
            name: name.into(),
            aliases: Vec::new(),
            description: String::new(),
            usage: String::new(),
            handler: Arc::new(move |call| Box::pin(handler(call))),
        }
    }

    /// Gives it another name.
    pub fn alias(mut self, name: impl Into<String>) -> HostCommand {
        self.aliases.push(name.into());
        self
    }

    /// Sets what it does, in a line: `help` shows it.
    pub fn description(mut self, text: impl Into<String>) -> HostCommand {
        self.description = text.into();
        self
    }

    /// Sets how it is called. With that, `NAME --help` is answered without the handler.
    pub fn usage(mut self, text: impl Into<String>) -> HostCommand {
        self.usage = text.into();
        self
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.aliases)
    }

    fn check(&self) -> Result<(), Error> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.+".contains(&byte);
        let good = |name: &&String| {
            (1..=LONGEST_NAME).contains(&name.len())
                && name.bytes().all(is_plain)
                && !name.starts_with(['-', '.'])
        };
        if let Some(bad) = self.names().find(|name| !good(name)) {
            let why = format!(
                "`{bad}` cannot be the name of a command: letters, digits and `_-.+` can, up to {LONGEST_NAME}"
            );
            return Err(ErrorKind::InvalidArgument(why).into());
        }
        Ok(())
    }
}

/// The host commands of a sandbox, by name.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    commands: Mutex<BTreeMap<String, HostCommand>>,
}

impl Registry {
    pub(crate) fn clone_all(&self) -> Registry {
        let commands = self.lock().clone();
        Registry {
            commands: Mutex::new(commands),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<String, HostCommand>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sandbox {
    /// Makes a command of the host known: it is in `/usr/bin` and in `help` from then on, also in
    /// forks that are made later. One of the same name is replaced; a tool of the sandbox's own
    /// that has it stands back.
    pub fn register(&self, command: HostCommand) -> Result<(), Error> {
        command.check()?;
        // Held to the end: of two that are registered at once, neither undoes what the other has
        // written.
        let mut commands = self.inner.commands.lock();
        let root = self.as_root();
        for name in command.names() {
            let path = format!("/usr/bin/{name}");
            // A file that others link to must not become the command.
            if root.stat(&path).is_ok() {
                root.remove(&path)?;
            }
            root.write_file(&path, format!("#!codepod-host {name}\n"))?;
            root.set_mode(&path, 0o755)?;
        }
        let mut listed = root.read_file(COMMANDS).unwrap_or_default();
        for name in command.names() {
            let start = format!("{name}\t");
            let lines = listed.split_inclusive(|byte| *byte == b'\n');
            let others = lines.filter(|line| !line.starts_with(start.as_bytes()));
            listed = others.collect::<Vec<_>>().concat();
            let description = command.description.replace(['\n', '\t'], " ");
            listed.extend(format!("{start}{description}\n").bytes());
        }
        root.write_file(COMMANDS, listed)?;
        for name in command.names() {
            commands.insert(name.clone(), command.clone());
        }
        self.install(&commands)
    }

    /// Hands the registered commands to the kernel.
    pub(crate) fn install_commands(&self) -> Result<(), Error> {
        self.install(&self.inner.commands.lock())
    }

    fn install(&self, commands: &BTreeMap<String, HostCommand>) -> Result<(), Error> {
        let commands: HostCommands = commands
            .iter()
            .map(|(name, command)| {
                let program = Registered {
                    name: name.as_str().into(),
                    command: command.clone(),
                    sandbox: Arc::downgrade(&self.inner),
                };
                (name.as_str().into(), HostProgram(Arc::new(program)))
            })
            .collect();
        if !commands.is_empty() {
            self.kernel()?.set_host_commands(commands);
        }
        Ok(())
    }
}

/// A command in the kernel of one sandbox.
struct Registered {
    /// The command's name, or the alias that this one is for.
    name: Arc<str>,
    command: HostCommand,
    sandbox: Weak<Inner>,
}

impl codepod_kernel::HostCommand for Registered {
    fn call(&self, kernel: Arc<SharedKernel>, call: HostCall) -> Answer {
        let HostCommand {
            usage,
            description,
            handler,
            ..
        } = &self.command;
        let mut call = Call {
            name: self.name.clone(),
            kernel,
            call,
            sandbox: self.sandbox.clone(),
            turn: Turn::default(),
        };
        if let Some(inner) = self.sandbox.upgrade() {
            let name = self.command.name.clone();
            let sandbox = Sandbox::of(inner);
            sandbox.tell(|sandbox| Event::HostCommand { sandbox, name });
        }
        if !usage.is_empty() && call.call.argv.get(1).is_some_and(|word| word == b"--help") {
            let text = format!("{usage}\n{description}\n");
            return Box::pin(async move { call.write(text.as_bytes()).await.is_err().into() });
        }
        handler(call)
    }
}

/// One call of a host command: arguments, streams, files.
#[derive(Debug)]
pub struct Call {
    name: Arc<str>,
    kernel: Arc<SharedKernel>,
    call: HostCall,
    sandbox: Weak<Inner>,
    turn: Turn,
}

impl Call {
    /// The command's name, or its alias if it was called by one: also where it was called by a
    /// path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The arguments, without the name.
    pub fn args(&self) -> &[Vec<u8>] {
        self.call.argv.get(1..).unwrap_or_default()
    }

    /// The arguments as text; what is not UTF-8 is replaced.
    pub fn args_text(&self) -> Vec<Cow<'_, str>> {
        let words = self.args().iter();
        words.map(|word| String::from_utf8_lossy(word)).collect()
    }

    /// The value of an environment variable.
    pub fn env(&self, name: &str) -> Option<&[u8]> {
        let mut variables = self.call.env.iter();
        variables.find_map(|variable| {
            let rest = variable.strip_prefix(name.as_bytes())?;
            rest.strip_prefix(b"=")
        })
    }

    /// All environment variables, by name.
    pub fn variables(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.call.env.iter().filter_map(|variable| {
            let at = variable.iter().position(|byte| *byte == b'=')?;
            Some((&variable[..at], &variable[at + 1..]))
        })
    }

    /// The working directory.
    pub fn cwd(&self) -> &[u8] {
        &self.call.cwd
    }

    /// A path as seen from the working directory.
    pub fn resolve_path(&self, path: impl AsRef<[u8]>) -> Vec<u8> {
        absolute(&self.call.cwd, path.as_ref())
    }

    /// The sandbox, to read and write its files. A script in the shell that has called this command
    /// waits for it for ever; one in another shell does not.
    pub fn sandbox(&self) -> Result<Sandbox, Error> {
        let inner = self.sandbox.upgrade().ok_or(ErrorKind::Internal)?;
        Ok(Sandbox::of(inner))
    }

    /// Reads from standard input what there is; 0 bytes is the end.
    pub async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Errno> {
        let pid = self.call.pid;
        self.turn.take().await;
        poll_fn(|cx| {
            let mut kernel = ready!(self.kernel.poll_lock(cx)).map_err(|_| Errno::Io)?;
            kernel.poll_read(pid, Fd(0), buffer, cx.waker())
        })
        .await
    }

    /// Reads all of standard input. [`Errno::TooBig`] when it is larger than a process's memory may
    /// be.
    pub async fn read_all(&mut self) -> Result<Vec<u8>, Errno> {
        let most = {
            let kernel = self.kernel.wait().await.map_err(|_| Errno::Io)?;
            kernel.limits().memory_bytes
        };
        let mut all = Vec::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            let count = self.read(&mut buffer).await?;
            if count == 0 {
                return Ok(all);
            }
            if all.len() + count > most {
                return Err(Errno::TooBig);
            }
            all.extend_from_slice(&buffer[..count]);
        }
    }

    /// Writes all of it to standard output. [`Errno::Pipe`] when nobody reads.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.write_to(Fd(1), bytes).await
    }

    /// Writes all of it to standard error.
    pub async fn write_error(&mut self, bytes: &[u8]) -> Result<(), Errno> {
        self.write_to(Fd(2), bytes).await
    }

    async fn write_to(&mut self, fd: Fd, mut bytes: &[u8]) -> Result<(), Errno> {
        let pid = self.call.pid;
        while !bytes.is_empty() {
            self.turn.take().await;
            let count = poll_fn(|cx| {
                let mut kernel = ready!(self.kernel.poll_lock(cx)).map_err(|_| Errno::Io)?;
                kernel.poll_write(pid, fd, bytes, cx.waker())
            })
            .await?;
            bytes = &bytes[count..];
        }
        Ok(())
    }
}
