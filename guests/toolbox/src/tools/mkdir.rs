//! `mkdir`: makes directories. uutils' own cannot set their modes here.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};
use codepod_sys::Errno;
use codepod_sys::file::{self, Links};

use super::{Arguments, complain, parse};

const TOOL: &str = "mkdir";

fn command() -> Command {
    Command::new(TOOL)
        .version("(codepod)")
        .about("Create the DIRECTORY(ies), if they do not already exist.")
        .override_usage("mkdir [OPTION]... DIRECTORY...")
        .infer_long_args(true)
        .arg(
            Arg::new("mode")
                .short('m')
                .long("mode")
                .value_name("MODE")
                .help("set file mode (as in chmod), not a=rwx - umask"),
        )
        .arg(
            Arg::new("parents")
                .short('p')
                .long("parents")
                .help("no error if existing, make parent directories as needed")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("verbose")
                .short('v')
                .long("verbose")
                .help("print a message for each created directory")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("directories")
                .action(ArgAction::Append)
                .required(true)
                .value_parser(ValueParser::os_string()),
        )
}

pub(super) fn main(arguments: Arguments) -> i32 {
    let matches = match parse(command(), arguments) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    let mode = match matches.get_one::<String>("mode") {
        None => None,
        Some(text) => match parse_mode(text) {
            Some(mode) => Some(mode),
            None => {
                complain(TOOL, &format!("invalid mode '{text}'"));
                return 1;
            }
        },
    };
    let job = Job {
        mode,
        parents: matches.get_flag("parents"),
        verbose: matches.get_flag("verbose"),
    };
    let mut status = 0;
    for name in matches
        .get_many::<OsString>("directories")
        .unwrap_or_default()
    {
        if let Err((path, error)) = job.run(name) {
            let why = uucore::error::strip_errno(&error);
            let path = path.display();
            complain(TOOL, &format!("cannot create directory '{path}': {why}"));
            status = 1;
        }
    }
    status
}

/// The mode that a text says, as `chmod` understands it.
fn parse_mode(text: &str) -> Option<u32> {
    // Asking for the mask means setting it.
    let mask = file::umask(0).and_then(|mask| file::umask(mask).map(|_| mask));
    uucore::mode::parse_chmod(0o777, text, true, mask.unwrap_or(0o022)).ok()
}

struct Job {
    mode: Option<u32>,
    parents: bool,
    verbose: bool,
}

impl Job {
    /// Makes one directory; fails with the path that could not be made.
    fn run(&self, name: &OsStr) -> Result<(), (PathBuf, io::Error)> {
        let path = Path::new(name);
        if name.is_empty() {
            return Err((path.to_owned(), codepod_sys::io_error(Errno::NoEnt)));
        }
        if self.parents {
            for parent in parents(path) {
                match self.make(&parent) {
                    Err(_) if parent.is_dir() => {}
                    Err(_) if parent.exists() => {
                        return Err((parent, codepod_sys::io_error(Errno::NotDir)));
                    }
                    result => result.map_err(|error| (parent, error))?,
                }
            }
        }
        match self.make(path) {
            Err(_) if self.parents && path.is_dir() => return Ok(()),
            result => result.map_err(|error| (path.to_owned(), error))?,
        }
        let Some(mode) = self.mode else {
            return Ok(());
        };
        file::set_mode(name.as_encoded_bytes(), Links::Follow, mode)
            .map_err(|errno| (path.to_owned(), codepod_sys::io_error(errno)))
    }

    fn make(&self, path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)?;
        if self.verbose {
            let path = path.display();
            writeln!(io::stdout(), "{TOOL}: created directory '{path}'")?;
        }
        Ok(())
    }
}

/// The paths above a path that may have to be made, the topmost first.
fn parents(path: &Path) -> Vec<PathBuf> {
    let mut parents: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .filter(|parent| {
            let last = parent.components().next_back();
            matches!(last, Some(Component::Normal(_)))
        })
        .map(Path::to_owned)
        .collect();
    parents.reverse();
    parents
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_from_the_top() {
        let named = |path: &str| -> Vec<String> {
            let parents = parents(Path::new(path));
            parents.iter().map(|p| p.display().to_string()).collect()
        };
        assert_eq!(named("a/b/c"), ["a", "a/b"]);
        assert_eq!(named("/a/b/"), ["/a"]);
        assert_eq!(named("../x"), Vec::<String>::new());
        assert_eq!(named("x"), Vec::<String>::new());
    }
}
