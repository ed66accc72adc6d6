//! `rmdir`: removes empty directories.

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, long, quoted,
};

use crate::arguments::{help, version};
use crate::copy::failure;
use crate::mode::is_link;
use crate::paths::{self, without_slashes};
use crate::system::{self, Errno, Links};

#[derive(Clone, Copy)]
enum Key {
    Ignore,
    Parents,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Ignore, "ignore-fail-on-non-empty", Value::None),
    flag(Key::Parents, b'p', "parents"),
    // An old name.
    flag(Key::Parents, b'p', "path"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the arguments ask for.
struct Settings {
    ignore: bool,
    parents: bool,
    verbose: bool,
    paths: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments) {
        Ok(settings) => run(tool, &settings),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let (mut ignore, mut parents, mut verbose) = (false, false, false);
    let paths = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Ignore => ignore = true,
            Key::Parents => parents = true,
            Key::Verbose => verbose = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... DIRECTORY...",
                    "Remove the DIRECTORY(ies), if they are empty.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if paths.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    Ok(Settings {
        ignore,
        parents,
        verbose,
        paths,
    })
}

fn run(tool: &str, settings: &Settings) -> i32 {
    let mut out = Output::new().by_line();
    let mut status = 0;
    for path in &settings.paths {
        if let Err(message) = remove_all(tool, path, settings, &mut out) {
            complain(tool, message);
            status = 1;
        }
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// Removes a directory and, with `-p`, those above it.
fn remove_all(
    tool: &str,
    path: &[u8],
    settings: &Settings,
    out: &mut Output,
) -> Result<(), Vec<u8>> {
    let mut rest = path;
    loop {
        if settings.verbose {
            let what = b": removing directory, ";
            out.put(&[tool.as_bytes(), what, &quoted(rest), b"\n"].concat());
        }
        if let Err(errno) = paths::remove_directory(rest) {
            if settings.ignore && is_in_use(rest, errno) {
                return Ok(());
            }
            let is_first = rest.len() == path.len();
            return Err(if is_first {
                first_failure(path, errno)
            } else {
                failure("failed to remove directory", rest, errno)
            });
        }
        let Some(slash) = without_slashes(rest).iter().rposition(|byte| *byte == b'/') else {
            return Ok(());
        };
        rest = without_slashes(&rest[..slash]);
        if !settings.parents || rest.is_empty() {
            return Ok(());
        }
    }
}

/// Whether a directory could not be removed because something is in it.
fn is_in_use(path: &[u8], errno: Errno) -> bool {
    match errno {
        Errno::NotEmpty | Errno::Exist => true,
        Errno::Access | Errno::Perm | Errno::Rofs | Errno::Busy => {
            system::list(path).is_ok_and(|names| !names.is_empty())
        }
        _ => false,
    }
}

fn first_failure(path: &[u8], errno: Errno) -> Vec<u8> {
    let name = without_slashes(path);
    let is_link = || system::stat(name, Links::Keep).is_ok_and(|stat| is_link(stat.mode));
    if errno == Errno::NotDir && path.ends_with(b"/") && is_link() {
        let what = b": Symbolic link not followed";
        return [b"failed to remove ", &quoted(path)[..], what].concat();
    }
    failure("failed to remove", path, errno)
}
