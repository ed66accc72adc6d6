//! `readlink` and `realpath`: where symbolic links and paths lead.

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, complain_of, errno_text, flag,
    long, quoted_if_needed, value,
};

use crate::arguments::{help, version};
use crate::canonical::{Existing, is_below, relative, resolve};
use crate::mode::is_directory;
use crate::system::{self, Errno, Links, Result};

#[derive(Clone, Copy)]
enum LinkKey {
    AllButLast,
    All,
    Any,
    NoNewline,
    Quiet,
    Verbose,
    Zero,
    Help,
    Version,
}

const LINK_TABLE: &[Opt<LinkKey>] = &[
    flag(LinkKey::AllButLast, b'f', "canonicalize"),
    flag(LinkKey::All, b'e', "canonicalize-existing"),
    flag(LinkKey::Any, b'm', "canonicalize-missing"),
    flag(LinkKey::NoNewline, b'n', "no-newline"),
    flag(LinkKey::Quiet, b'q', "quiet"),
    flag(LinkKey::Quiet, b's', "silent"),
    flag(LinkKey::Verbose, b'v', "verbose"),
    flag(LinkKey::Zero, b'z', "zero"),
    long(LinkKey::Help, "help", Value::None),
    long(LinkKey::Version, "version", Value::None),
];

/// What the arguments of `readlink` ask for.
struct LinkSettings {
    /// Whether whole paths are resolved, and what has to be there then.
    existing: Option<Existing>,
    verbose: bool,
    /// What stands behind each line.
    end: &'static [u8],
    paths: Vec<Vec<u8>>,
}

/// `readlink`
pub(crate) fn readlink(tool: &str, arguments: Arguments) -> i32 {
    let settings = match link_settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let mut status = 0;
    for path in &settings.paths {
        let found = match settings.existing {
            Some(existing) => resolve(path, existing, Links::Follow),
            None => system::read_link(path),
        };
        match found {
            Ok(text) => {
                out.put(&text);
                out.put(settings.end);
            }
            Err(errno) => {
                status = 1;
                if settings.verbose {
                    out.write_out();
                    complain_of(tool, path, errno_text(errno));
                }
            }
        }
    }
    finish(tool, out, status)
}

fn link_settings(tool: &str, arguments: Arguments) -> Result<LinkSettings, Stop> {
    let mut existing = None;
    let (mut verbose, mut newline, mut zero) = (false, true, false);
    let paths = Options::new(LINK_TABLE, arguments).each(|key, _| {
        match key {
            LinkKey::AllButLast => existing = Some(Existing::AllButLast),
            LinkKey::All => existing = Some(Existing::All),
            LinkKey::Any => existing = Some(Existing::Any),
            LinkKey::NoNewline => newline = false,
            LinkKey::Quiet => verbose = false,
            LinkKey::Verbose => verbose = true,
            LinkKey::Zero => zero = true,
            LinkKey::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... FILE...",
                    "Print value of a symbolic link or canonical file name.",
                    LINK_TABLE,
                )));
            }
            LinkKey::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if paths.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    if !newline && paths.len() > 1 {
        complain(tool, "ignoring --no-newline with multiple arguments");
        newline = true;
    }
    let end: &[u8] = match (newline, zero) {
        (false, _) => b"",
        (true, true) => b"\0",
        (true, false) => b"\n",
    };
    Ok(LinkSettings {
        existing,
        verbose,
        end,
        paths,
    })
}

#[derive(Clone, Copy)]
enum PathKey {
    All,
    Any,
    Logical,
    Physical,
    Quiet,
    RelativeTo,
    RelativeBase,
    NoSymlinks,
    Zero,
    Help,
    Version,
}

const PATH_TABLE: &[Opt<PathKey>] = &[
    flag(PathKey::All, b'e', "canonicalize-existing"),
    flag(PathKey::Any, b'm', "canonicalize-missing"),
    value(PathKey::RelativeTo, 0, "relative-to"),
    value(PathKey::RelativeBase, 0, "relative-base"),
    flag(PathKey::Quiet, b'q', "quiet"),
    flag(PathKey::NoSymlinks, b's', "strip"),
    flag(PathKey::NoSymlinks, b's', "no-symlinks"),
    flag(PathKey::Zero, b'z', "zero"),
    flag(PathKey::Logical, b'L', "logical"),
    flag(PathKey::Physical, b'P', "physical"),
    long(PathKey::Help, "help", Value::None),
    long(PathKey::Version, "version", Value::None),
];

/// How symbolic links in a path are dealt with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Physical,
    /// `..` goes before symbolic links.
    Logical,
    NoSymlinks,
}

/// What the arguments of `realpath` ask for.
struct PathSettings {
    existing: Existing,
    way: Way,
    quiet: bool,
    end: u8,
    /// What paths are shown relative to.
    relative_to: Option<Vec<u8>>,
    /// What paths are below that are shown so.
    relative_base: Option<Vec<u8>>,
    paths: Vec<Vec<u8>>,
}

/// `realpath`
pub(crate) fn realpath(tool: &str, arguments: Arguments) -> i32 {
    let settings = match path_settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let mut status = 0;
    for path in &settings.paths {
        match real_path(path, settings.existing, settings.way) {
            Ok(path) => {
                out.put(&settings.shown(path));
                out.put_byte(settings.end);
            }
            Err(errno) => {
                status = 1;
                if !settings.quiet {
                    out.write_out();
                    complain_of(tool, path, errno_text(errno));
                }
            }
        }
    }
    finish(tool, out, status)
}

impl PathSettings {
    fn shown(&self, path: Vec<u8>) -> Vec<u8> {
        match (&self.relative_to, &self.relative_base) {
            (Some(_), Some(base)) if !is_below(&path, base) => path,
            (Some(to), _) => relative(&path, to),
            (None, _) => path,
        }
    }
}

fn real_path(path: &[u8], existing: Existing, way: Way) -> Result<Vec<u8>> {
    match way {
        Way::Physical => resolve(path, existing, Links::Follow),
        Way::NoSymlinks => resolve(path, existing, Links::Keep),
        Way::Logical => {
            let path = resolve(path, existing, Links::Keep)?;
            resolve(&path, existing, Links::Follow)
        }
    }
}

fn path_settings(tool: &str, arguments: Arguments) -> Result<PathSettings, Stop> {
    let mut settings = PathSettings {
        existing: Existing::AllButLast,
        way: Way::Physical,
        quiet: false,
        end: b'\n',
        relative_to: None,
        relative_base: None,
        paths: Vec::new(),
    };
    let paths = Options::new(PATH_TABLE, arguments).each(|key, value| {
        match key {
            PathKey::All => settings.existing = Existing::All,
            PathKey::Any => settings.existing = Existing::Any,
            PathKey::Logical => settings.way = Way::Logical,
            PathKey::Physical => settings.way = Way::Physical,
            PathKey::Quiet => settings.quiet = true,
            PathKey::RelativeTo => settings.relative_to = value,
            PathKey::RelativeBase => settings.relative_base = value,
            PathKey::NoSymlinks => settings.way = Way::NoSymlinks,
            PathKey::Zero => settings.end = b'\0',
            PathKey::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... FILE...",
                    "Print the resolved absolute file name; all but the last component must exist.",
                    PATH_TABLE,
                )));
            }
            PathKey::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if paths.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    settings.paths = paths;
    set_relative(&mut settings)?;
    Ok(settings)
}

/// Resolves the directories that paths are shown relative to.
fn set_relative(settings: &mut PathSettings) -> Result<(), Stop> {
    let directory = |path: &Option<Vec<u8>>| match path {
        None => Ok(None),
        Some(path) => base_directory(path, settings).map(Some),
    };
    let base = directory(&settings.relative_base)?;
    let to = match directory(&settings.relative_to)? {
        None => base.clone(),
        to => to,
    };
    // Where the start is not below the base, nothing is shown relative to it.
    let is_relative = match (&to, &base) {
        (Some(to), Some(base)) => is_below(to, base),
        _ => true,
    };
    settings.relative_to = to.filter(|_| is_relative);
    settings.relative_base = base;
    Ok(())
}

fn base_directory(path: &[u8], settings: &PathSettings) -> Result<Vec<u8>, Stop> {
    let failed = |errno| {
        let why = errno_text(errno).as_bytes();
        Stop::failed([&quoted_if_needed(path)[..], b": ", why].concat())
    };
    let found = real_path(path, settings.existing, settings.way).map_err(failed)?;
    let is_file = || system::stat(&found, Links::Follow).is_ok_and(|stat| !is_directory(stat.mode));
    if settings.existing == Existing::All && is_file() {
        return Err(failed(Errno::NotDir));
    }
    Ok(found)
}

/// Writes the rest. Returns the exit status.
fn finish(tool: &str, mut out: Output, status: i32) -> i32 {
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}
