//! Options of a sandbox, as every command that makes one takes them.

use std::env::VarError;
use std::fs::OpenOptions;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use codepod::network::{Network, Resolver};
use codepod::{
    ErrorKind, Event, EventFn, LimitNames, Mount, MountAccess, MountSource, Options, Profile,
    Runtime, RuntimeOptions, Sandbox, SavedSandbox, SavedState, StateDirectory,
};

use crate::failure::Failure;
use crate::network::NetworkOptions;
use crate::progress::Progress;
use crate::terminal_text::shown_path;

#[derive(Args)]
pub(crate) struct SandboxOptions {
    /// Mount a host directory: HOST:GUEST, then `:ro` (default), `:rw`, or `:overlay` to keep
    /// changes in the sandbox. `,unguarded` after it allows changes to `.git/hooks`, `.envrc` and
    /// other files that host programs execute
    #[arg(short, long = "mount", value_name = "HOST:GUEST[:ACCESS]", value_parser = parse_mount)]
    mounts: Vec<Mount>,
    /// Set an environment variable; NAME alone passes on the host's, if it has one
    #[arg(short, long = "env", value_name = "NAME[=VALUE]", value_parser = parse_variable)]
    env: Vec<Variable>,
    /// Working directory in the sandbox
    #[arg(short = 'C', long, value_name = "DIRECTORY")]
    cwd: Option<String>,
    /// Stop after this time: seconds, or a number with `ms`, `s`, `m`, `h` or `d`. `0` and `none`
    /// are no limit. Without it: 30 seconds, ten minutes with `--profile large`
    #[arg(short, long, value_name = "TIME", value_parser = parse_time)]
    timeout: Option<Duration>,
    /// A set of limits: `small`, `default` or `large`
    #[arg(long, value_name = "NAME", value_parser = parse_profile, default_value = "default")]
    profile: Profile,
    /// Memory limit of a process in megabytes, or a number with `g`; up to 4 GB. The limit of all
    /// processes together grows with it
    #[arg(long, value_name = "MB", value_parser = parse_memory)]
    memory: Option<usize>,
    /// Limit of all files together in megabytes, or a number with `g`; up to 64 GB
    #[arg(long, value_name = "MB", value_parser = parse_disk)]
    disk: Option<u64>,
    /// Limit of processes at a time
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    processes: Option<u16>,
    /// Allow only this command to be started; can be repeated. Builtins of bash stay allowed
    #[arg(long = "allow", value_name = "COMMAND")]
    allowed: Vec<String>,
    /// Append events to a file, one line of JSON each: runs, their programs, changed files, limits
    #[arg(long, value_name = "FILE")]
    events: Option<PathBuf>,
    /// Allow WebAssembly modules among the sandbox's files to be executed
    #[arg(long)]
    allow_foreign_modules: bool,
    #[command(flatten)]
    network: NetworkOptions,
}

impl SandboxOptions {
    /// The options, with the variables apart: a state that is kept has its own environment already.
    pub(crate) fn options(self) -> Result<Options, Failure> {
        let mut options = Options::with_profile(self.profile);
        if !self.allowed.is_empty() {
            let shell = "bash".to_owned();
            options.allowed_commands = Some(self.allowed.into_iter().chain([shell]).collect());
        }
        if let Some(path) = self.events {
            options.events = Some(append_to(&path)?);
        }
        self.mounts.iter().for_each(warn_of_own_files);
        options.mounts = self.mounts.into_iter().map(with_whole_path).collect();
        options.env = self
            .env
            .into_iter()
            .filter_map(|variable| variable.0)
            .collect();
        options.allow_foreign_modules = self.allow_foreign_modules;
        if let Some(cwd) = self.cwd {
            options.cwd = cwd;
        }
        if let Some(timeout) = self.timeout {
            options.timeout = timeout;
        }
        if let Some(megabytes) = self.memory {
            options.set_memory(megabytes << 20);
        }
        if let Some(megabytes) = self.disk {
            options.set_disk(megabytes << 20);
        }
        if let Some(processes) = self.processes {
            options.limits.processes = processes.into();
        }
        options.limit_names = LimitNames::CommandLine;
        options.network = self.network.network()?;
        Ok(options)
    }

    /// How long a command may take, if that was said.
    pub(crate) fn timeout(&self) -> Option<Duration> {
        self.timeout
    }

    /// Fails where the options say what a state that is kept decides.
    pub(crate) fn check_for_state(&self, name: &str) -> Result<(), Failure> {
        match self.cwd {
            Some(_) if StateDirectory::of_user()?.contains(name)? => Err(Failure::new(
                format!("the state `{name}` has a working directory of its own"),
                "leave out `--cwd`, and write `cd DIRECTORY` in the script",
            )),
            _ => Ok(()),
        }
    }
}

/// The variables that scripts in a state that is kept are given: its environment is its own.
pub(crate) fn variables(options: &Options) -> Vec<(String, String)> {
    let network = options.network.iter().flat_map(Network::environment);
    let network = network.map(|(name, value)| (name.to_owned(), value.to_owned()));
    network.chain(options.env.iter().cloned()).collect()
}

/// The mount with an absolute host path: behind the wall nobody asks for the working directory.
fn with_whole_path(mut mount: Mount) -> Mount {
    if let MountSource::Host(host, _) = &mut mount.source
        && let Ok(whole) = std::path::absolute(&*host)
    {
        *host = whole;
    }
    mount
}

/// A sandbox that is new, or goes on from a state and is kept.
pub(crate) enum Place {
    New(Sandbox),
    Saved(SavedSandbox),
}

impl Place {
    /// Makes it; for a state that is there already the variables of the options are for
    /// [`Place::sandbox`]'s scripts.
    pub(crate) fn open(
        runtime: &Runtime,
        options: Options,
        state: Option<&str>,
    ) -> Result<Place, Failure> {
        Ok(match state {
            Some(name) => Place::Saved(wake(runtime, name, options)?),
            None => Place::New(Sandbox::create_on(runtime, options)?),
        })
    }

    pub(crate) fn sandbox(&self) -> &Sandbox {
        match self {
            Place::New(sandbox) => sandbox,
            Place::Saved(saved) => saved.sandbox(),
        }
    }

    /// Saves what has changed, where it is kept.
    pub(crate) fn save(&self) -> Result<(), Failure> {
        if let Place::Saved(saved) = self {
            let _progress = Progress::of("saving the state");
            saved.save()?;
        }
        Ok(())
    }
}

/// Goes on from a state. Directories that this user has not chosen are asked about, where there is
/// somebody to ask.
fn wake(runtime: &Runtime, name: &str, options: Options) -> Result<SavedSandbox, Failure> {
    let states = StateDirectory::of_user()?;
    let wake = |options| {
        let _progress = Progress::of("loading the state");
        states.wake(runtime, name, options)
    };
    let kept = match wake(options.clone()) {
        Err(error)
            if matches!(error.kind(), ErrorKind::UnknownMounts { .. })
                && allowed_by_user(&states.look(name)?) =>
        {
            states.trust_mounts(name)?;
            wake(options)?
        }
        woken => woken?,
    };
    for mount in kept.remembered_mounts() {
        if let MountSource::Host(_, MountAccess::ReadWrite) = mount.source {
            eprintln!("codepod: the state may write to {}", shown_mount(mount));
        }
        warn_of_own_files(mount);
    }
    Ok(kept)
}

/// Asks whether the directories that a state from elsewhere comes with may be mounted.
fn allowed_by_user(state: &SavedState) -> bool {
    if !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        return false;
    }
    eprintln!(
        "The state `{}` comes with directories of this machine that nobody here has chosen:",
        state.name
    );
    for mount in &state.mounts {
        eprintln!("  {}", shown_mount(mount));
    }
    eprint!("May it have them? [y/N] ");
    let mut answer = String::new();
    let read = std::io::stdin().read_line(&mut answer);
    read.is_ok() && matches!(answer.trim(), "y" | "yes")
}

/// A mount as it is given: HOST:GUEST:ACCESS.
pub(crate) fn shown_mount(mount: &Mount) -> String {
    let at = shown_path(mount.at.as_bytes());
    match &mount.source {
        MountSource::Host(host, access) => {
            let host = shown_path(host.as_os_str().as_encoded_bytes());
            format!("{host}:{at}:{}", access_word(*access))
        }
        _ => at,
    }
}

/// The word for an access in `--mount`.
pub(crate) fn access_word(access: MountAccess) -> &'static str {
    match access {
        MountAccess::ReadOnly => "ro",
        MountAccess::ReadWrite => "rw",
        MountAccess::Overlay => "overlay",
    }
}

/// Warns where a guest could reach what codepod itself trusts.
fn warn_of_own_files(mount: &Mount) {
    if let Some(what) = mount.own_files() {
        eprintln!(
            "codepod: warning: {} holds codepod's own {what}: whatever runs in the sandbox can reach that",
            shown_mount(mount)
        );
    }
}

/// Tells while the first start on a machine compiles what it needs.
pub(crate) fn compiling(sandbox: &Sandbox) -> Progress {
    let runtime = sandbox.runtime().clone();
    Progress::watching(move || {
        let guest = runtime.engine().compiling()?;
        Some(format!("preparing `{guest}` for this machine, once"))
    })
}

/// Writes events to the end of a file.
fn append_to(path: &Path) -> Result<EventFn, Failure> {
    let opened = OpenOptions::new().create(true).append(true).open(path);
    let file = opened.map_err(|error| {
        let why = format!("cannot write events to `{}`: {error}", path.display());
        Failure::new(why, "name a file in a directory that you may write to")
    })?;
    Ok(Arc::new(move |event: &Event| {
        // A line at a time, so that several programs can write to one file. A full disk must not
        // stop the script.
        let _ = (&file).write_all(format!("{}\n", event.to_json()).as_bytes());
    }))
}

fn parse_profile(name: &str) -> Result<Profile, String> {
    Profile::by_name(name).ok_or_else(|| "there are `small`, `default` and `large`".into())
}

/// An engine with just the places that a sandbox's processes can take: setting up more takes longer
/// than `true`.
pub(crate) fn runtime(options: &Options) -> Result<Runtime, Failure> {
    runtime_with(options, None)
}

/// Such an engine, with lookups of names that do not happen in this process.
pub(crate) fn runtime_with(
    options: &Options,
    lookups: Option<Arc<dyn Resolver>>,
) -> Result<Runtime, Failure> {
    let mut setup = RuntimeOptions::default();
    setup.resolver = lookups;
    setup.slots = setup
        .slots
        .min(u32::try_from(options.limits.processes).unwrap_or(u32::MAX));
    Ok(Runtime::new(setup)?)
}

fn parse_memory(text: &str) -> Result<usize, String> {
    let megabytes = parse_megabytes(text, 4096)?;
    usize::try_from(megabytes).map_err(|error| error.to_string())
}

fn parse_disk(text: &str) -> Result<u64, String> {
    parse_megabytes(text, 64 << 10)
}

/// Megabytes: `256`, `256m`, `2g`.
fn parse_megabytes(text: &str, most: u64) -> Result<u64, String> {
    let lower = text.to_ascii_lowercase();
    let number = lower.strip_suffix('b').unwrap_or(&lower);
    let (number, unit) = match (number.strip_suffix('g'), number.strip_suffix('m')) {
        (Some(number), _) => (number, 1024),
        (None, Some(number)) => (number, 1),
        // `256b` is none.
        (None, None) => (lower.as_str(), 1),
    };
    let wrong = || "write a whole number of megabytes, such as 256, or gigabytes, such as 2g";
    let megabytes: u64 = number.parse().map_err(|_| wrong())?;
    match megabytes.checked_mul(unit) {
        Some(megabytes) if (1..=most).contains(&megabytes) => Ok(megabytes),
        _ => Err(format!("it can be 1 to {most} megabytes")),
    }
}

pub(crate) fn parse_mount(text: &str) -> Result<Mount, String> {
    let (text, guarded) = match text.strip_suffix(",unguarded") {
        Some(text) => (text, false),
        None => (text, true),
    };
    let (rest, access) = match text.rsplit_once(':') {
        Some((rest, "ro")) => (rest, MountAccess::ReadOnly),
        Some((rest, "rw")) => (rest, MountAccess::ReadWrite),
        Some((rest, "overlay")) => (rest, MountAccess::Overlay),
        _ if !guarded => return Err("write `unguarded` after an access: rw,unguarded".into()),
        _ => (text, MountAccess::ReadOnly),
    };
    let (host, at) = rest
        .rsplit_once(':')
        .ok_or("write HOST:GUEST, such as .:/mnt/project")?;
    if !at.starts_with('/') {
        if host.contains(":/") {
            return Err(format!("`{at}`: an access is ro, rw or overlay"));
        }
        return Err(format!("`{at}`: the path in the sandbox must be absolute"));
    }
    let mount = Mount::host(host, at, access);
    Ok(if guarded { mount } else { mount.unguarded() })
}

/// A variable for the sandbox; none where the host has no such one.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable(Option<(String, String)>);

fn parse_variable(text: &str) -> Result<Variable, String> {
    if let Some((name, value)) = text.split_once('=') {
        if name.is_empty() {
            return Err("write NAME=VALUE, or NAME to pass on the host's".into());
        }
        return Ok(Variable(Some((name.to_owned(), value.to_owned()))));
    }
    match std::env::var(text) {
        Ok(value) => Ok(Variable(Some((text.to_owned(), value)))),
        Err(VarError::NotPresent) => Ok(Variable(None)),
        Err(VarError::NotUnicode(_)) => Err("its value is not UTF-8".into()),
    }
}

/// No limit: longer than any command runs.
pub(crate) const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

fn parse_time(text: &str) -> Result<Duration, String> {
    const WRONG: &str =
        "write seconds, such as 2.5, or a time, such as 500ms, 90s, 5m or 1h; `none` is no limit";
    if text == "none" {
        return Ok(NEVER);
    }
    let end = text.find(|c: char| c.is_ascii_alphabetic());
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 60.0 * 60.0,
        "d" => 60.0 * 60.0 * 24.0,
        _ => return Err(WRONG.into()),
    };
    let number: f64 = number.parse().map_err(|_| WRONG)?;
    match number * unit {
        0.0 => Ok(NEVER),
        // Shorter than the shortest there is would be 0, which is no limit.
        seconds if seconds > 0.0 => Ok(Duration::from_secs_f64(
            seconds.clamp(1e-6, NEVER.as_secs_f64()),
        )),
        _ => Err(WRONG.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units_and_may_be_none() {
        let cases = [
            ("2.5", Some(2500)),
            ("500ms", Some(500)),
            ("90s", Some(90_000)),
            ("5m", Some(300_000)),
            ("1h", Some(3_600_000)),
            ("0", Some(NEVER.as_millis())),
            ("0s", Some(NEVER.as_millis())),
            ("none", Some(NEVER.as_millis())),
            ("999999999d", Some(NEVER.as_millis())),
            ("inf", None),
            ("nan", None),
            ("-1", None),
            ("1y", None),
            ("h", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let parsed = parse_time(text).ok().map(|time| time.as_millis());
            assert_eq!(parsed, expected, "{text}");
        }
    }

    #[test]
    fn sizes_are_megabytes_or_gigabytes_within_limits() {
        let cases = [
            ("1", Some(1)),
            ("256m", Some(256)),
            ("256MB", Some(256)),
            ("2g", Some(2048)),
            ("4G", Some(4096)),
            ("5g", None),
            ("0", None),
            ("256b", None),
            ("1.5g", None),
            ("-1", None),
            ("99999999999999999999", None),
            ("18014398509481984g", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_megabytes(text, 4096).ok(), expected, "{text}");
        }
    }

    #[test]
    fn a_mount_with_a_wrong_access_names_those_that_there_are() {
        for text in [".:/work:rx", "a:/b:RW", ".:/work:overlayed"] {
            let why = parse_mount(text).unwrap_err();
            assert!(why.contains("ro, rw or overlay"), "{text}: {why}");
        }
        for text in [".:work", ".:work:ro"] {
            let why = parse_mount(text).unwrap_err();
            assert!(why.contains("must be absolute"), "{text}: {why}");
        }
        // A host path may hold a colon.
        assert_eq!(parse_mount("/a:b:/c").unwrap().at, "/c");
    }
}
