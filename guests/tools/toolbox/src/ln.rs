//! `ln`: makes hard and symbolic links.

use std::collections::HashSet;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Value, complain, errno_text, flag, long, optional,
    quoted, quoted_if_needed, value,
};

use crate::arguments::{help, version};
use crate::ask::confirm;
use crate::backup::{self, Backups};
use crate::canonical::{Existing, relative, resolve};
use crate::copy::failure;
use crate::destination::{self, Destination};
use crate::mode::is_directory;
use crate::paths::{self, directory, is_same_entry, is_same_file, join, last_part};
use crate::system::{self, Errno, Links, Result, Stat};

#[derive(Clone, Copy)]
enum Key {
    Backup,
    Directory,
    Force,
    Interactive,
    Logical,
    NoDereference,
    Physical,
    Relative,
    Symbolic,
    Suffix,
    Target,
    NoTarget,
    Verbose,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    optional(Key::Backup, 0, "backup"),
    flag(Key::Backup, b'b', ""),
    flag(Key::Directory, b'd', "directory"),
    flag(Key::Directory, b'F', ""),
    flag(Key::NoDereference, b'n', "no-dereference"),
    flag(Key::NoTarget, b'T', "no-target-directory"),
    flag(Key::Force, b'f', "force"),
    flag(Key::Interactive, b'i', "interactive"),
    value(Key::Suffix, b'S', "suffix"),
    value(Key::Target, b't', "target-directory"),
    flag(Key::Logical, b'L', "logical"),
    flag(Key::Physical, b'P', "physical"),
    flag(Key::Relative, b'r', "relative"),
    flag(Key::Symbolic, b's', "symbolic"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options say.
struct Given {
    backup: backup::Given,
    destination: destination::Given,
    /// Whether a last operand that is a symbolic link counts as a directory.
    dereference: bool,
    flags: Flags,
}

/// The options that are on.
#[derive(Clone, Copy)]
struct Flags {
    symbolic: bool,
    relative: bool,
    force: bool,
    ask: bool,
    /// Whether the target of a symbolic link gets the hard link.
    links: Links,
    /// `-d`: directories are tried as well.
    directories: bool,
    verbose: bool,
}

/// What is to be done.
struct Task {
    flags: Flags,
    backups: Backups,
    sources: Vec<Vec<u8>>,
    destination: Destination,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match task(tool, arguments) {
        Ok(task) => run(tool, task),
        Err(stop) => stop.report(tool, 1),
    }
}

impl Given {
    fn take(&mut self, tool: &str, key: Key, value: Option<Vec<u8>>) -> Result<(), Stop> {
        let flags = &mut self.flags;
        match key {
            Key::Backup => self.backup.take_backup(value),
            Key::Directory => flags.directories = true,
            Key::Force => (flags.force, flags.ask) = (true, false),
            Key::Interactive => (flags.force, flags.ask) = (false, true),
            Key::Logical => flags.links = Links::Follow,
            Key::NoDereference => self.dereference = false,
            Key::Physical => flags.links = Links::Keep,
            Key::Relative => flags.relative = true,
            Key::Symbolic => flags.symbolic = true,
            Key::Suffix => self.backup.take_suffix(value),
            Key::Target => self.destination.take_link_directory(value)?,
            Key::NoTarget => self.destination.take_no_directory(),
            Key::Verbose => flags.verbose = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... TARGET... [LINK_NAME]",
                    "Make links to TARGETs: hard ones, or symbolic ones with -s.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

fn task(tool: &str, arguments: Arguments) -> Result<Task, Stop> {
    let mut given = Given {
        backup: backup::Given::default(),
        destination: destination::Given::default(),
        dereference: true,
        flags: Flags {
            symbolic: false,
            relative: false,
            force: false,
            ask: false,
            links: Links::Keep,
            directories: false,
            verbose: false,
        },
    };
    let mut sources =
        Options::new(TABLE, arguments).each(|key, value| given.take(tool, key, value))?;
    let links = if given.dereference {
        Links::Follow
    } else {
        Links::Keep
    };
    if given.flags.relative && !given.flags.symbolic && !sources.is_empty() {
        return Err(Stop::failed("cannot do --relative without --symbolic"));
    }
    let destination = given.destination.link_destination(&mut sources, links)?;
    let backups = given.backup.backups()?;
    Ok(Task {
        flags: given.flags,
        backups,
        sources,
        destination,
    })
}

fn run(tool: &str, task: Task) -> i32 {
    let mut linker = Linker {
        tool,
        flags: task.flags,
        backups: task.backups,
        out: Output::new().by_line(),
        made: HashSet::new(),
    };
    let mut status = 0;
    for source in &task.sources {
        let done = match &task.destination {
            Destination::As(name) => linker.link(source, name),
            Destination::Into(directory) => {
                linker.link(source, &join(directory, last_part(source)))
            }
        };
        if let Err(message) = done {
            linker.out.write_out();
            complain(tool, message);
            status = 1;
        }
    }
    if let Err(error) = linker.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// Makes links.
struct Linker<'a> {
    tool: &'a str,
    flags: Flags,
    backups: Backups,
    out: Output,
    /// The hard links that were made: none replaces another.
    made: HashSet<(Vec<u8>, u64, u64)>,
}

/// What becomes of a name that is taken.
enum Taken {
    /// The link can be made.
    Free,
    /// The user wants to keep it.
    Kept,
    /// Its file is this now.
    Moved(Vec<u8>),
}

impl Linker<'_> {
    fn link(&mut self, source: &[u8], name: &[u8]) -> Result<(), Vec<u8>> {
        if !self.flags.symbolic {
            self.check_source(source)?;
        }
        let text = if self.flags.relative {
            relative_text(source, name)
        } else {
            source.to_vec()
        };
        let replaces = self.flags.force || self.flags.ask || self.backups.are_made();
        let backup = match if replaces {
            self.clear(source, name)?
        } else {
            Taken::Free
        } {
            Taken::Kept => return Ok(()),
            Taken::Free => None,
            Taken::Moved(backup) => Some(backup),
        };
        if let Err(errno) = self.make(&text, name, replaces) {
            let message = self.not_made(&text, name, errno);
            if let Some(backup) = backup
                && let Err(errno) = paths::rename(&backup, name)
            {
                complain(self.tool, failure("cannot un-backup", name, errno));
            }
            return Err(message);
        }
        if self.flags.force
            && !self.flags.symbolic
            && let Ok(stat) = system::stat(name, Links::Keep)
        {
            self.made.insert((name.to_vec(), stat.dev, stat.ino));
        }
        if self.flags.verbose {
            self.tell(&text, name, backup.as_deref());
        }
        Ok(())
    }

    /// Fails where there is nothing to link to, or a directory.
    fn check_source(&self, source: &[u8]) -> Result<(), Vec<u8>> {
        match system::stat(source, self.flags.links) {
            Ok(stat) if is_directory(stat.mode) && !self.flags.directories => {
                let what = b": hard link not allowed for directory";
                Err([&quoted_if_needed(source)[..], what].concat())
            }
            Ok(_) => Ok(()),
            Err(errno) => Err(failure("failed to access", source, errno)),
        }
    }

    /// Deals with what has the name already.
    fn clear(&mut self, source: &[u8], name: &[u8]) -> Result<Taken, Vec<u8>> {
        let there = match system::stat(name, Links::Keep) {
            Ok(there) => there,
            Err(Errno::NoEnt) => return Ok(Taken::Free),
            Err(errno) => return Err(failure("failed to access", name, errno)),
        };
        if is_directory(there.mode) {
            let what = b": cannot overwrite directory";
            return Err([&quoted_if_needed(name)[..], what].concat());
        }
        if !self.backups.are_numbered()
            && self.made.contains(&(name.to_vec(), there.dev, there.ino))
        {
            let what = b"will not overwrite just-created ";
            return Err([what, &quoted(name)[..], b" with ", &quoted(source)].concat());
        }
        if self.is_itself(source, name, &there) {
            let what = b" are the same file";
            return Err([&quoted(source)[..], b" and ", &quoted(name), what].concat());
        }
        if self.flags.ask {
            self.out.write_out();
            if !confirm(self.tool, &[b"replace ", &quoted(name)[..]].concat()) {
                return Ok(Taken::Kept);
            }
        }
        if !self.backups.are_made() {
            return Ok(Taken::Free);
        }
        match self.backups.make(name) {
            Ok(backup) => Ok(Taken::Moved(backup)),
            Err(Errno::NoEnt) => Ok(Taken::Free),
            Err(errno) => Err(failure("cannot backup", name, errno)),
        }
    }

    /// Whether the source would be gone without the name.
    fn is_itself(&self, source: &[u8], name: &[u8], there: &Stat) -> bool {
        if self.flags.symbolic && self.backups.are_made() {
            return false;
        }
        let links = if self.flags.symbolic {
            Links::Follow
        } else {
            self.flags.links
        };
        system::stat(source, links).is_ok_and(|found| {
            is_same_file(&found, there) && (found.nlink == 1 || is_same_entry(source, name))
        })
    }

    fn make(&self, text: &[u8], name: &[u8], replaces: bool) -> Result<()> {
        let make = |name: &[u8]| {
            if self.flags.symbolic {
                paths::symbolic_link(text, name)
            } else {
                paths::hard_link(text, name, self.flags.links)
            }
        };
        match make(name) {
            Err(Errno::Exist) if replaces => {}
            made => return made,
        }
        // A rename puts the new link in place of the old one, so that there always is one.
        let temporary = join(
            directory(name),
            format!("Cu{:08x}", system::random()).as_bytes(),
        );
        make(&temporary)?;
        let renamed = paths::rename(&temporary, name);
        if renamed.is_err() || !self.flags.symbolic {
            // A rename to another name of the same file leaves both. Mostly it is gone already.
            let _ = paths::remove_file(&temporary);
        }
        renamed
    }

    fn not_made(&self, text: &[u8], name: &[u8], errno: Errno) -> Vec<u8> {
        let (kind, arrow): (&[u8], &[u8]) = if self.flags.symbolic {
            (b"symbolic", b" -> ")
        } else {
            (b"hard", b" => ")
        };
        let shows_text = if self.flags.symbolic {
            errno == Errno::NameTooLong || text.is_empty()
        } else {
            !matches!(
                errno,
                Errno::Exist | Errno::NoSpc | Errno::Rofs | Errno::Dquot
            )
        };
        let start = [b"failed to create ", kind, b" link ", &quoted(name)].concat();
        let shown = if shows_text {
            [arrow, &quoted(text)].concat()
        } else {
            Vec::new()
        };
        [&start[..], &shown, b": ", errno_text(errno).as_bytes()].concat()
    }

    fn tell(&mut self, text: &[u8], name: &[u8], backup: Option<&[u8]>) {
        let mut line = Vec::new();
        if let Some(backup) = backup {
            line.extend([&quoted(backup)[..], b" ~ "].concat());
        }
        let arrow: &[u8] = if self.flags.symbolic {
            b" -> "
        } else {
            b" => "
        };
        line.extend([&quoted(name)[..], arrow, &quoted(text), b"\n"].concat());
        self.out.put(&line);
    }
}

/// The way from a link to its target.
fn relative_text(source: &[u8], name: &[u8]) -> Vec<u8> {
    let resolved = |path: &[u8]| resolve(path, Existing::Any, Links::Follow);
    match (resolved(source), resolved(directory(name))) {
        (Ok(source), Ok(directory)) => relative(&source, &directory),
        _ => source.to_vec(),
    }
}
