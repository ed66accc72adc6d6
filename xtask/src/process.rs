//! Starts programs: each is shown before it runs, and a failure names it.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cache;
use crate::failure::{Failure, Outcome};

/// How much of a command line is shown.
const LONGEST_SHOWN: usize = 300;

/// A program to be started from the checkout's root.
pub(crate) struct Process {
    command: Command,
    shown: String,
    hint: Option<String>,
}

/// The cargo that runs this task.
pub(crate) fn cargo() -> Process {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Process::of(&cargo, "cargo")
}

/// Where the compiler is installed.
pub(crate) fn sysroot() -> Outcome<PathBuf> {
    let printed = program("rustc").args(["--print", "sysroot"]).output()?;
    Ok(PathBuf::from(printed.trim()))
}

/// A program by name.
pub(crate) fn program(name: impl AsRef<OsStr>) -> Process {
    let shown = name.as_ref().to_string_lossy().into_owned();
    Process::of(name.as_ref(), &shown)
}

impl Process {
    fn of(name: &OsStr, shown: &str) -> Process {
        let mut command = Command::new(name);
        command.current_dir(cache::root());
        // `cargo run` describes xtask's own package to us; another cargo must not take that for its
        // own.
        for (key, _) in std::env::vars_os() {
            let name = key.to_string_lossy();
            if name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_") {
                command.env_remove(&key);
            }
        }
        if let Some(target) = cache::chosen_target() {
            command.env("CARGO_TARGET_DIR", target);
        }
        // CI builds each commit once: what would make the second build quicker only fills the disk.
        if cache::own_target().is_some() {
            command.env("CARGO_INCREMENTAL", "0");
        }
        // Tools that `setup` installed are found as if they were the machine's own; the machine's
        // come first.
        if let (Ok(tools), Some(path)) = (cache::tools(), std::env::var_os("PATH")) {
            let mut paths: Vec<_> = std::env::split_paths(&path).collect();
            paths.push(tools.join("bin"));
            if let Ok(joined) = std::env::join_paths(paths) {
                command.env("PATH", joined);
            }
        }
        Process {
            command,
            shown: shown.to_owned(),
            hint: None,
        }
    }

    pub(crate) fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        let argument = argument.as_ref();
        // Long lists of files are cut: the reader wants to know the program.
        if self.shown.len() < LONGEST_SHOWN {
            self.shown += " ";
            self.shown += &argument.to_string_lossy();
        } else if !self.shown.ends_with('…') {
            self.shown += " …";
        }
        self.command.arg(argument);
        self
    }

    pub(crate) fn args(self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        arguments.into_iter().fold(self, Process::arg)
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn env_remove(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    pub(crate) fn directory(mut self, path: &Path) -> Self {
        self.command.current_dir(path);
        self
    }

    /// What to say when it fails.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Runs it in sight and fails unless it succeeds.
    pub(crate) fn run(mut self) -> Outcome {
        eprintln!("$ {}", self.shown);
        let status = self.command.stdin(Stdio::null()).status();
        self.judge(status)
    }

    /// Runs it out of sight; whether it succeeded.
    pub(crate) fn succeeds(mut self) -> bool {
        self.command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Runs it out of sight and returns what it wrote to standard output.
    pub(crate) fn output(mut self) -> Outcome<String> {
        let output = self
            .command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output();
        let output = match output {
            Ok(output) => output,
            Err(error) => return Err(self.did_not_start(&error)),
        };
        if !output.status.success() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            self.judge(Ok(output.status))?;
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Runs it in sight, shows each line of `stream` to `watch` as well, and returns whether it
    /// succeeded.
    pub(crate) fn watch(mut self, stream: Watched, mut watch: impl FnMut(&str)) -> Outcome<bool> {
        eprintln!("$ {}", self.shown);
        self.command.stdin(Stdio::null());
        match stream {
            Watched::Stdout => self.command.stdout(Stdio::piped()),
            Watched::Stderr => self.command.stderr(Stdio::piped()),
        };
        let mut child = match self.command.spawn() {
            Ok(child) => child,
            Err(error) => return Err(self.did_not_start(&error)),
        };
        let reader: Box<dyn std::io::Read> = match (child.stdout.take(), child.stderr.take()) {
            (Some(stdout), _) => Box::new(stdout),
            (None, Some(stderr)) => Box::new(stderr),
            (None, None) => Box::new(std::io::empty()),
        };
        // By bytes: a test may print what is not UTF-8.
        for line in BufReader::new(reader).split(b'\n') {
            let Ok(line) = line else { break };
            let line = String::from_utf8_lossy(&line);
            match stream {
                Watched::Stdout => println!("{line}"),
                Watched::Stderr => eprintln!("{line}"),
            }
            watch(&line);
        }
        match child.wait() {
            Ok(status) => Ok(status.success()),
            Err(error) => Err(self.did_not_start(&error)),
        }
    }

    fn judge(self, status: std::io::Result<std::process::ExitStatus>) -> Outcome {
        let failure = match status {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => Failure::new(format!("`{}` failed ({status})", self.shown)),
            Err(error) => return Err(self.did_not_start(&error)),
        };
        Err(match self.hint {
            Some(hint) => failure.hint(hint),
            None => failure,
        })
    }

    fn did_not_start(&self, error: &std::io::Error) -> Failure {
        Failure::new(format!("`{}` did not start: {error}", self.shown))
            .hint("`cargo xtask setup` installs what the tasks need")
    }
}

/// The stream that [`Process::watch`] reads.
#[derive(Clone, Copy)]
pub(crate) enum Watched {
    Stdout,
    Stderr,
}
