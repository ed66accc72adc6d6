//! `codepod states …`: the states that are kept.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, BufWriter, IsTerminal as _, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use codepod::{
    ErrorKind, Mount, MountSource, Options, SavedState, Selection, StateDirectory, StoreError,
};

use crate::changes::{newest, print};
use crate::failure::{Failure, in_use};
use crate::options::{access_word, parse_mount, runtime, shown_mount};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  codepod states                              what there is
  codepod states show play                    versions, size, mounted directories
  codepod states fork play other              a copy with all its versions
  codepod states diff --diff play other       how their files differ
  codepod states export play play.state       one file, to take elsewhere
  codepod states import again play.state
  codepod states remove play other

They are in $CODEPOD_STATES, else $XDG_STATE_HOME/codepod/states, else ~/.local/state/codepod/states.";

#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct States {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List saved states
    #[command(alias = "ls")]
    List {
        /// Print one line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a state: its versions, its size and its mounts
    Show {
        /// Print one line of JSON
        #[arg(long)]
        json: bool,
        /// The state
        name: String,
    },
    /// Export the newest version to one file, without host directories
    Export {
        /// The state
        name: String,
        /// The file; standard output if missing or `-`
        file: Option<PathBuf>,
    },
    /// Create a state from an exported file
    Import {
        /// The host directory for an overlay of the state: HOST:GUEST:overlay
        #[arg(short, long = "mount", value_name = "HOST:GUEST:overlay", value_parser = parse_mount)]
        mounts: Vec<Mount>,
        /// The new state
        name: String,
        /// The file; standard input if missing or `-`
        file: Option<PathBuf>,
    },
    /// Copy a state with all its versions
    Fork {
        /// The state
        from: String,
        /// The name of the copy
        to: String,
    },
    /// Delete states permanently
    #[command(alias = "rm")]
    Remove {
        /// The states
        #[arg(required = true)]
        names: Vec<String>,
    },
    /// Compare the files of two states
    Diff {
        /// Show diffs of text files
        #[arg(long)]
        diff: bool,
        /// Print one line of JSON
        #[arg(long)]
        json: bool,
        /// The first state
        from: String,
        /// The second state
        to: String,
    },
}

impl States {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let states = StateDirectory::of_user()?;
        let json = self.json;
        match self.command.unwrap_or(Command::List { json }) {
            Command::List { json } => list(&states, json),
            Command::Show { json, name } => show(&states.look(&name)?, json),
            Command::Export { name, file } => export(&states, &name, file),
            Command::Import { mounts, name, file } => import(&states, &name, file, mounts),
            Command::Fork { from, to } => {
                let _progress = Progress::of("copying the state");
                states.fork(&from, &to)?;
                Ok(0)
            }
            Command::Remove { names } => {
                for name in names {
                    states.remove(&name)?;
                }
                Ok(0)
            }
            Command::Diff {
                diff,
                json,
                from,
                to,
            } => {
                let (a, b) = (states.look(&from)?, states.look(&to)?);
                let runtime = runtime(&Options::default())?;
                let versions = (newest(&a)?, newest(&b)?);
                let from = Some((&*from, versions.0));
                let mut changes = states.compare(&runtime, from, (&to, versions.1))?;
                print(&mut changes, &b.mounts, &Selection::default(), diff, json)
            }
        }
    }
}

fn list(states: &StateDirectory, json: bool) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    let mut values = Vec::new();
    let names = states.names()?;
    let width = names.iter().map(String::len).max().unwrap_or(0).max(4);
    if !json && !names.is_empty() {
        let _ = writeln!(
            out,
            "{:width$}  {:>8}  {:>8}  CHANGED",
            "NAME", "VERSIONS", "SIZE"
        );
    }
    for name in &names {
        match states.look(name) {
            Ok(state) if json => values.push(value(&state)),
            Ok(state) => {
                let _ = writeln!(
                    out,
                    "{name:width$}  {:>8}  {:>8}  {}",
                    state.versions.len(),
                    size(state.bytes),
                    changed(&state)
                );
            }
            // It can be listed though somebody has it, or it is damaged.
            Err(error) if json => {
                let why = error.to_string();
                values.push(serde_json::json!({ "name": name, "error": why }));
            }
            Err(error) => {
                let why = match error.kind() {
                    ErrorKind::Store(StoreError::Locked { process, .. }) => in_use(*process),
                    _ => error.to_string(),
                };
                let _ = writeln!(out, "{name:width$}  {:>8}  {:>8}  {why}", "-", "-");
            }
        }
    }
    if json {
        let _ = writeln!(out, "{}", serde_json::Value::from(values));
    } else if names.is_empty() {
        let _ = writeln!(
            std::io::stderr(),
            "codepod: no states are kept; `codepod run --state NAME SCRIPT` makes one"
        );
    }
    Ok(0)
}

fn show(state: &SavedState, json: bool) -> Result<u8, Failure> {
    let mut out = std::io::stdout().lock();
    if json {
        let _ = writeln!(out, "{}", value(state));
        return Ok(0);
    }
    let _ = writeln!(out, "name      {}", state.name);
    let _ = writeln!(out, "size      {}", size(state.bytes));
    let unknown = match state.mounts_known {
        true => "",
        false => "  (not chosen here)",
    };
    for mount in &state.mounts {
        let _ = writeln!(out, "mount     {}{unknown}", shown_mount(mount));
    }
    for (ago, version) in state.versions.iter().rev().enumerate() {
        let what = match ago {
            0 => "newest".to_owned(),
            ago => format!("undo {ago}"),
        };
        let hash: String = version.hash[..6]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let _ = writeln!(
            out,
            "version   {:<8} {hash}  {}",
            what,
            age(version.created)
        );
    }
    Ok(0)
}

fn value(state: &SavedState) -> serde_json::Value {
    let mounts = state.mounts.iter().filter_map(|mount| match &mount.source {
        MountSource::Host(host, access) => Some(serde_json::json!({
            "host": host.to_string_lossy(),
            "guest": mount.at,
            "access": access_word(*access),
            "chosen": state.mounts_known,
        })),
        _ => None,
    });
    let versions = state.versions.iter().map(|version| {
        let hash: String = version.hash.iter().map(|byte| format!("{byte:02x}")).collect();
        serde_json::json!({ "sequence": version.sequence, "hash": hash, "created_ns": version.created })
    });
    serde_json::json!({
        "name": state.name,
        "bytes": state.bytes,
        "mounts": mounts.collect::<Vec<_>>(),
        "versions": versions.collect::<Vec<_>>(),
    })
}

fn changed(state: &SavedState) -> String {
    let newest = state.versions.last();
    newest.map_or("never".into(), |version| age(version.created))
}

/// How long ago something was.
fn age(nanoseconds: u64) -> String {
    let then = UNIX_EPOCH + Duration::from_nanos(nanoseconds);
    let seconds = SystemTime::now()
        .duration_since(then)
        .map_or(0, |age| age.as_secs());
    let (number, unit) = match seconds {
        0..60 => return "just now".into(),
        60..3600 => (seconds / 60, "minute"),
        3600..86_400 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {unit}{plural} ago")
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KB", bytes.div_ceil(1024)),
        _ => format!("{} MB", bytes.div_ceil(1 << 20)),
    }
}

fn export(states: &StateDirectory, name: &str, file: Option<PathBuf>) -> Result<u8, Failure> {
    let file = file.filter(|file| file.as_os_str() != "-");
    let runtime = runtime(&Options::default())?;
    let _progress = Progress::of("exporting the state");
    let Some(path) = file else {
        if std::io::stdout().is_terminal() {
            return Err(Failure::new(
                "a state is not for a terminal",
                "name a file, or redirect the output: `codepod states export NAME > FILE`",
            ));
        }
        let mut out = BufWriter::new(std::io::stdout().lock());
        states.export(&runtime, name, &mut out, None)?;
        return Ok(u8::from(out.flush().is_err()));
    };
    // Under another name first: a file of that name is replaced by a whole one.
    let mut temporary = path.clone().into_os_string();
    temporary.push(".part");
    let cannot = |error: std::io::Error| {
        Failure::new(
            format!("cannot write `{}`: {error}", path.display()),
            "name a file in a directory that you may write to",
        )
    };
    let mut out = BufWriter::new(private_file(Path::new(&temporary)).map_err(cannot)?);
    let exported = states.export(&runtime, name, &mut out, None);
    let written = exported.map_err(Failure::from).and_then(|_| {
        let file = out
            .into_inner()
            .map_err(|error| cannot(error.into_error()))?;
        file.sync_all().map_err(cannot)?;
        std::fs::rename(&temporary, &path).map_err(cannot)
    });
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written.map(|()| 0)
}

/// A file that is new and that only its owner can read: a state holds what its files hold. What
/// somebody has left under that name, a link, too, goes.
fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            std::fs::remove_file(path)?;
            options.open(path)
        }
        opened => opened,
    }
}

fn import(
    states: &StateDirectory,
    name: &str,
    file: Option<PathBuf>,
    mounts: Vec<Mount>,
) -> Result<u8, Failure> {
    let file = file.filter(|file| file.as_os_str() != "-");
    let input: Box<dyn Read> = match &file {
        Some(path) => Box::new(BufReader::new(File::open(path).map_err(|error| {
            Failure::new(
                format!("cannot read `{}`: {error}", path.display()),
                "name a file that `codepod states export` has written",
            )
        })?)),
        None if std::io::stdin().is_terminal() => {
            return Err(Failure::new(
                "there is no file to import",
                "name one, or pass it on standard input: `codepod states import NAME < FILE`",
            ));
        }
        None => Box::new(std::io::stdin().lock()),
    };
    let runtime = runtime(&Options::default())?;
    let _progress = Progress::of("importing the state");
    states.import(&runtime, name, input, None, mounts)?;
    Ok(0)
}
