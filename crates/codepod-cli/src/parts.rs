//! `codepod parts …`: guests that ship beside this program.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use codepod::{Part, PartError};

use crate::failure::Failure;
use crate::progress::Progress;
use crate::terminal_text::shown;

const EXAMPLES: &str = "\
Examples:
  codepod parts                        which there are, and which are installed
  codepod parts add python.part.zst    install one from a file
  codepod parts verify                 read the installed ones whole, and compare
  codepod parts remove python

A part and this program are of one release: the program knows the digest of each. Parts are looked for
in the directories that CODEPOD_PARTS names, beside this program, in ../lib/codepod from there, in
~/.local/share/codepod/parts, and in /usr/lib/codepod. They are never fetched.";

#[derive(Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct Parts {
    /// Print one line of JSON
    #[arg(long)]
    json: bool,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List the parts of this release
    #[command(alias = "ls")]
    List {
        /// Print one line of JSON
        #[arg(long)]
        json: bool,
    },
    /// Install a part from a file, packed or not
    Add {
        /// The file: NAME.part or NAME.part.zst
        file: PathBuf,
    },
    /// Remove a part that `add` has installed
    #[command(alias = "rm")]
    Remove {
        /// The part
        name: String,
    },
    /// Read the installed parts whole, and compare them with what this program knows
    Verify,
}

impl Parts {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let json = self.json;
        match self.command.unwrap_or(Command::List { json }) {
            Command::List { json } => Ok(list(json)),
            Command::Add { file } => add(&file),
            Command::Remove { name } => remove(&name),
            Command::Verify => verify(),
        }
    }
}

fn list(json: bool) -> u8 {
    let parts = codepod::parts();
    // Found, and unpacked, before the first line is written.
    let progress = Progress::of_parts();
    let _ = parts.first().map(codepod::Part::opened);
    drop(progress);
    let mut out = std::io::stdout().lock();
    let written = if json {
        let values = parts.iter().map(|part| {
            let opened = part.opened();
            serde_json::json!({
                "name": part.name,
                "about": part.about,
                "bytes": part.bytes,
                "digest": part.digest,
                "carried": part.is_carried(),
                "path": opened.as_ref().ok().map(|path| path.display().to_string()),
                "why": opened.as_ref().err().filter(|_| !part.is_carried()).map(ToString::to_string),
            })
        });
        writeln!(
            out,
            "{}",
            serde_json::Value::from(values.collect::<Vec<_>>())
        )
    } else if parts.is_empty() {
        writeln!(
            out,
            "this program has all its guests with it; there are no parts"
        )
    } else {
        parts.iter().try_for_each(|part| {
            writeln!(
                out,
                "{:<10}  {} ({} MB)",
                part.name,
                part.about,
                part.bytes >> 20
            )?;
            let state = match part.opened() {
                _ if part.is_carried() => "in this program".to_owned(),
                Ok(path) => format!("installed: {}", path.display()),
                Err(PartError::Missing) => format!(
                    "not installed: `codepod parts add {}.part.zst` installs it from a file of \
                     the release",
                    part.name
                ),
                Err(error) => format!("not installed: {error}"),
            };
            writeln!(out, "{:<10}  {}", "", shown(&state))
        })
    };
    // A reader that has seen enough, such as `head`, is no error.
    let _ = written;
    0
}

fn add(file: &Path) -> Result<u8, Failure> {
    if file.to_str().is_some_and(|name| name.contains("://")) {
        return Err(Failure::new(
            "parts are not fetched from addresses",
            "download the file, and name it here",
        ));
    }
    let progress = Progress::of("checking and unpacking the part");
    let added = codepod::add_part(file);
    drop(progress);
    let added = added.map_err(|error| {
        let hint = match &error {
            PartError::Needs(part) => format!("add `{part}.part.zst` of the same release first"),
            _ => "`codepod parts` lists the parts of this release; a part of another is refused"
                .to_owned(),
        };
        Failure::new(error.to_string(), hint)
    })?;
    let line = format!("installed `{}`: {}", added.name, added.path.display());
    let _ = writeln!(std::io::stdout(), "{}", shown(&line));
    Ok(0)
}

fn remove(name: &str) -> Result<u8, Failure> {
    let part = known(name)?;
    if part.is_carried() {
        return Err(Failure::new(
            format!("this program carries the part `{name}` itself"),
            "only parts that lie in files of their own can be removed",
        ));
    }
    let file = codepod::own_parts().map(|own| own.join(format!("{}.part", part.name)));
    if let Some(file) = file.filter(|file| file.exists()) {
        return match std::fs::remove_file(&file) {
            Ok(()) => Ok(0),
            Err(error) => Err(Failure::new(
                format!("{}: {error}", file.display()),
                "remove the file by hand",
            )),
        };
    }
    Err(match part.opened() {
        Ok(path) => Failure::new(
            format!("the part `{name}` was not installed by `codepod parts add`"),
            format!(
                "it is {}: whatever brought it there removes it",
                path.display()
            ),
        ),
        Err(_) => Failure::new(
            format!("the part `{name}` is not installed"),
            "`codepod parts` lists what is",
        ),
    })
}

fn verify() -> Result<u8, Failure> {
    let mut bad = false;
    // What the program carries is compared with its digest when it is unpacked.
    let in_files = codepod::parts().iter().filter(|part| !part.is_carried());
    for part in in_files {
        let Ok(path) = part.opened() else {
            continue;
        };
        let progress = Progress::of(&format!("reading {}", part.name));
        let checked = part.check(&path);
        drop(progress);
        let line = match checked {
            Ok(()) => format!("{:<10}  ok: {}", part.name, path.display()),
            Err(error) => {
                bad = true;
                format!("{:<10}  {error}", part.name)
            }
        };
        let _ = writeln!(std::io::stdout(), "{}", shown(&line));
    }
    Ok(bad.into())
}

fn known(name: &str) -> Result<&'static Part, Failure> {
    let found = codepod::parts().iter().find(|part| part.name == name);
    found.ok_or_else(|| {
        Failure::new(
            format!("there is no part `{name}`"),
            "`codepod parts` lists them",
        )
    })
}
