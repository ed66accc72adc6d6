//! Options of a sandbox, with the defaults that first runs use.

use std::time::Duration;

use codepod_kernel::{Limits, TraceFn};
use codepod_vfs::{Budget, FsLimits};

use crate::background::BackgroundLimits;
use crate::engine::Share;
use crate::events::EventFn;
use crate::mounts::Mount;
#[cfg(feature = "network")]
use crate::network::Network;
use crate::persist::Persistence;
use crate::reached::LimitNames;
use crate::timeline::UndoLimits;

/// How a sandbox is made.
#[derive(Clone)]
#[non_exhaustive]
pub struct Options {
    /// Working directory of commands.
    pub cwd: String,
    /// Environment beside the usual (`PATH`, `HOME`, `USER`, `LANG`); a name given here replaces
    /// it.
    pub env: Vec<(String, String)>,
    /// How long a command may take.
    pub timeout: Duration,
    /// What processes may use that go on after their command.
    pub background: BackgroundLimits,
    /// Limits of processes, pipes, memory, output.
    pub limits: Limits,
    /// Limits of files.
    pub fs_limits: FsLimits,
    /// Owner of the processes; 0 is root inside the sandbox.
    pub uid: u32,
    /// Their group.
    pub gid: u32,
    /// Host directories.
    pub mounts: Vec<Mount>,
    /// What it may reach beyond itself; nothing if `None`.
    #[cfg(feature = "network")]
    pub network: Option<Network>,
    /// Whether files that hold a WebAssembly module may be run. Off by default: compiling hostile
    /// code is work for the host.
    pub allow_foreign_modules: bool,
    /// The only tools and host commands that may be started, by name, and `bash` for scripts;
    /// `None` for all. What the shell does itself (`echo`, `cd`, redirections) is not a
    /// command that is started. Modules from files are not allowed beside such a list.
    pub allowed_commands: Option<Vec<String>>,
    /// Groups of further guests whose commands are in `/usr/bin`.
    pub guest_groups: Vec<String>,
    /// Whether shells add a line `codepod: hint: …` where bash's own message leaves a model
    /// without help, and whether standard error ends with a line for each limit that was reached.
    pub hints: bool,
    /// How those lines call what raises a limit.
    pub limit_names: LimitNames,
    /// Bytes of each output stream that a result holds, its beginning and its end; all of a longer
    /// one is in `/proc/runs/N/stdout` or `stderr` then. `None`: as much as
    /// `limits.output_bytes` lets through.
    pub output_budget: Option<usize>,
    /// How many runs can be undone.
    pub undo: UndoLimits,
    /// Gets what happens: runs, limits, host commands, restores.
    pub events: Option<EventFn>,
    /// Whether its state can leave it, and where it is kept.
    pub persistence: Persistence,
    /// Whose processor time its processes use, where there is less than all want; several
    /// sandboxes may have the same. `None` for a share of its own.
    pub share: Option<Share>,
    /// What its processes, files and outputs are drawn from, together with all sandboxes that have
    /// the same: a part of the runtime's ([`Runtime::budget`](crate::Runtime::budget)). `None`
    /// for nothing but the runtime's.
    pub budget: Option<Budget>,
    /// Gets every call of every process.
    pub trace: Option<TraceFn>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            cwd: "/home/user".into(),
            env: Vec::new(),
            timeout: Duration::from_secs(30),
            background: BackgroundLimits::default(),
            limits: Limits::default(),
            fs_limits: FsLimits {
                bytes: 256 << 20,
                nodes: 100_000,
                file_bytes: 256 << 20,
                ..FsLimits::default()
            },
            uid: 1000,
            gid: 1000,
            mounts: Vec::new(),
            #[cfg(feature = "network")]
            network: None,
            allow_foreign_modules: false,
            allowed_commands: None,
            guest_groups: Vec::new(),
            hints: true,
            limit_names: LimitNames::default(),
            output_budget: None,
            undo: UndoLimits::default(),
            events: None,
            persistence: Persistence::default(),
            share: None,
            budget: None,
            trace: None,
        }
    }
}

/// Where Python keeps what it compiles, in sandboxes that write to directories of the host.
const PYTHON_CACHE: &str = "/home/user/.cache/python";

impl Options {
    /// What processes that the host starts in `cwd` have as their environment.
    pub(crate) fn environment(&self, cwd: &str) -> Vec<(String, String)> {
        let mut env: Vec<_> = [
            // Scripts of packages that pip installs for the user; last, so that none hides a tool.
            ("PATH", "/usr/local/bin:/usr/bin:/bin:/home/user/.local/bin"),
            ("HOME", "/home/user"),
            ("USER", "user"),
            ("LANG", "C.UTF-8"),
            ("PWD", cwd),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if self.mounts.iter().any(Mount::is_written_to) {
            // What Python compiles is not for the host: its directory stays as its owner left it.
            env.push(("PYTHONPYCACHEPREFIX".into(), PYTHON_CACHE.into()));
        }
        #[cfg(feature = "network")]
        for (name, placeholder) in self.network.iter().flat_map(Network::environment) {
            env.push((name.to_owned(), placeholder.to_owned()));
        }
        set_variables(&mut env, &self.env);
        env
    }
}

/// Sets variables in an environment, in the place that they have.
pub(crate) fn set_variables(env: &mut Vec<(String, String)>, new: &[(String, String)]) {
    for (name, value) in new {
        match env.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => old.clone_from(value),
            None => env.push((name.clone(), value.clone())),
        }
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("cwd", &self.cwd)
            .field("timeout", &self.timeout)
            .field("limits", &self.limits)
            .field("fs_limits", &self.fs_limits)
            .finish_non_exhaustive()
    }
}
