//! `install`: copies files and sets their modes, owners and times.

use std::collections::HashSet;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, errno_text, flag, long,
    optional, quoted, value,
};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use crate::arguments::{help, version};
use crate::backup::{self, Backups};
use crate::copy::failure;
use crate::mode::{Change, is_directory, is_link};
use crate::names::Names;
use crate::paths::{self, is_same_entry, is_same_file};
use crate::system::{self, Errno, Links, Stat};

#[derive(Clone, Copy)]
enum Key {
    Backup,
    Ignored,
    Compare,
    Directory,
    Leading,
    Group,
    Mode,
    Owner,
    Preserve,
    Strip,
    Suffix,
    Target,
    NoTarget,
    Verbose,
    Context,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    optional(Key::Backup, 0, "backup"),
    flag(Key::Backup, b'b', ""),
    flag(Key::Ignored, b'c', ""),
    flag(Key::Compare, b'C', "compare"),
    flag(Key::Directory, b'd', "directory"),
    flag(Key::Leading, b'D', ""),
    value(Key::Group, b'g', "group"),
    value(Key::Mode, b'm', "mode"),
    value(Key::Owner, b'o', "owner"),
    flag(Key::Preserve, b'p', "preserve-timestamps"),
    flag(Key::Strip, b's', "strip"),
    value(Key::Suffix, b'S', "suffix"),
    value(Key::Target, b't', "target-directory"),
    flag(Key::NoTarget, b'T', "no-target-directory"),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Context, b'Z', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the options say.
#[derive(Default)]
struct Settings {
    /// The mode of what is installed; none for the usual one.
    change: Option<Change>,
    uid: Option<u32>,
    gid: Option<u32>,
    leading: bool,
    preserve: bool,
    verbose: bool,
    compare: bool,
    backup: backup::Given,
    directories: bool,
    target: Option<Vec<u8>>,
    no_target: bool,
}

impl Settings {
    fn take(
        &mut self,
        tool: &str,
        names: &mut Names,
        key: Key,
        value: Option<Vec<u8>>,
    ) -> Result<(), Stop> {
        let given = value.as_deref().unwrap_or_default();
        let text = String::from_utf8_lossy(given);
        let invalid =
            |what: &[u8]| Stop::failed([b"invalid ", what, b" ", &quoted(given)].concat());
        match key {
            Key::Backup => self.backup.take_backup(value),
            Key::Suffix => self.backup.take_suffix(value),
            Key::Ignored | Key::Context => {}
            Key::Compare => self.compare = true,
            Key::Directory => self.directories = true,
            Key::Leading => self.leading = true,
            Key::Group => self.gid = Some(names.gid(&text).ok_or_else(|| invalid(b"group"))?),
            Key::Owner => self.uid = Some(names.uid(&text).ok_or_else(|| invalid(b"user"))?),
            Key::Mode => {
                self.change = Some(Change::parse(given).ok_or_else(|| invalid(b"mode"))?);
            }
            Key::Preserve => self.preserve = true,
            Key::Strip => {
                return Err(Stop::failed(
                    "unsupported option '-s': there are no symbols to strip",
                ));
            }
            Key::Target => self.target = value,
            Key::NoTarget => self.no_target = true,
            Key::Verbose => self.verbose = true,
            Key::Help => {
                return Err(Stop::Status(help(
                    tool,
                    "[OPTION]... SOURCE DEST",
                    "Copy files, setting permission modes and owner/group.",
                    TABLE,
                )));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    }
}

/// What is to be done.
enum Task {
    /// Making directories.
    Directories(Vec<Vec<u8>>),
    /// Copying files into a directory.
    Into {
        files: Vec<Vec<u8>>,
        directory: Vec<u8>,
    },
    /// Copying one file.
    File { from: Vec<u8>, to: Vec<u8> },
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match read(tool, arguments) {
        Ok((job, task)) => run(job, &task),
        Err(stop) => stop.report(tool, 1),
    }
}

/// Reads the arguments: what the options say, and what is to be done.
fn read(tool: &str, arguments: Arguments) -> Result<(Job<'_>, Task), Stop> {
    let mut names = Names::default();
    let mut settings = Settings::default();
    let operands = Options::new(TABLE, arguments)
        .each(|key, value| settings.take(tool, &mut names, key, value))?;
    let backups = std::mem::take(&mut settings.backup).backups()?;
    let task = task(&settings, operands)?;
    let job = Job {
        tool,
        settings,
        backups,
        made: HashSet::new(),
        out: Output::new().by_line(),
    };
    Ok((job, task))
}

/// What the operands mean with these settings. Fails where the destination cannot be one.
fn task(settings: &Settings, operands: Vec<Vec<u8>>) -> Result<Task, Stop> {
    let into = |files: &[Vec<u8>], directory: &[u8]| Task::Into {
        files: files.to_vec(),
        directory: directory.to_vec(),
    };
    match (&operands[..], &settings.target) {
        ([], _) => Err(Usage::new("missing file operand").into()),
        _ if settings.directories => Ok(Task::Directories(operands)),
        (_, Some(target)) if !settings.leading && !is_there(target) => {
            Err(Stop::Failed(not_a_target(target)))
        }
        (files, Some(target)) => Ok(into(files, target)),
        ([only], None) => {
            let message = [
                b"missing destination file operand after ",
                &quoted(only)[..],
            ];
            Err(Usage::new(message.concat()).into())
        }
        ([_, _, extra, ..], None) if settings.no_target => {
            Err(Usage::new([b"extra operand ", &quoted(extra)[..]].concat()).into())
        }
        ([files @ .., last], None) if !settings.no_target && is_there(last) => {
            Ok(into(files, last))
        }
        ([from, to], None) => Ok(Task::File {
            from: from.clone(),
            to: to.clone(),
        }),
        ([.., last], None) => {
            let why = match system::stat(last, Links::Follow) {
                Ok(_) => "Not a directory",
                Err(errno) => errno_text(errno),
            };
            Err(Stop::failed(
                [b"target ", &quoted(last)[..], b": ", why.as_bytes()].concat(),
            ))
        }
    }
}

/// Whether a directory is there.
fn is_there(directory: &[u8]) -> bool {
    system::stat(directory, Links::Follow).is_ok_and(|stat| is_directory(stat.mode))
}

/// Why the directory of `-t` cannot be one.
fn not_a_target(target: &[u8]) -> Vec<u8> {
    match system::stat(target, Links::Follow) {
        Ok(_) | Err(Errno::NotDir) => {
            [b"target ", &quoted(target)[..], b" is not a directory"].concat()
        }
        Err(errno) => [
            b"failed to access ",
            &quoted(target)[..],
            b": ",
            errno_text(errno).as_bytes(),
        ]
        .concat(),
    }
}

fn run(mut job: Job<'_>, task: &Task) -> i32 {
    let tool = job.tool;
    let mut status = 0;
    let mut say = |result: Result<(), Vec<u8>>| {
        if let Err(message) = result {
            complain(tool, message);
            status = 1;
        }
    };
    match task {
        Task::Directories(paths) => {
            for path in paths {
                say(job.directory(path));
            }
        }
        Task::Into { files, directory } => {
            if !is_there(directory) {
                say(job.parents(&[&directory[..], b"/x"].concat()));
            }
            for from in files {
                let name = from
                    .rsplit(|byte| *byte == b'/')
                    .find(|part| !part.is_empty())
                    .unwrap_or(from);
                let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
                say(job.file(from, &[&directory[..], slash, name].concat()));
            }
        }
        Task::File { from, to } => {
            if job.settings.leading {
                say(job.parents(paths::without_slashes(to)));
            }
            say(job.file(from, to));
        }
    }
    // Lines are written as they come, so there is nothing left.
    let _ = job.out.finish();
    status
}

struct Job<'a> {
    tool: &'a str,
    settings: Settings,
    backups: Backups,
    /// The paths of what is installed.
    made: HashSet<Vec<u8>>,
    out: Output,
}

impl Job<'_> {
    /// The mode of what is installed.
    fn mode(&self, directory: bool) -> u32 {
        match &self.settings.change {
            // The umask does not count, not even for `=rw`.
            Some(change) => change.apply(0, directory, 0),
            None => 0o755,
        }
    }

    fn set(&self, path: &[u8], directory: bool) -> Result<(), Vec<u8>> {
        let fail = |what: &[u8], errno| {
            [what, &quoted(path)[..], b": ", errno_text(errno).as_bytes()].concat()
        };
        if self.settings.uid.is_some() || self.settings.gid.is_some() {
            system::set_owner(path, Links::Keep, self.settings.uid, self.settings.gid)
                .map_err(|errno| fail(b"cannot change ownership of ", errno))?;
        }
        let mode = self.mode(directory);
        system::set_mode(path, Links::Follow, mode)
            .map_err(|errno| fail(b"cannot change permissions of ", errno))
    }

    /// Makes the directories above a path.
    fn parents(&mut self, path: &[u8]) -> Result<(), Vec<u8>> {
        for end in 1..path.len() {
            if path[end] != b'/' || path[end - 1] == b'/' {
                continue;
            }
            let parent = &path[..end];
            if system::stat(parent, Links::Follow).is_ok() {
                continue;
            }
            self.make_directory(parent)?;
        }
        Ok(())
    }

    fn make_directory(&mut self, path: &[u8]) -> Result<(), Vec<u8>> {
        paths::make_directory(path)
            .map_err(|errno| failure("cannot create directory", path, errno))?;
        if self.settings.verbose {
            let (tool, name) = (self.tool.as_bytes(), quoted(path));
            self.out
                .put(&[tool, b": creating directory ", &name, b"\n"].concat());
        }
        Ok(())
    }

    fn directory(&mut self, path: &[u8]) -> Result<(), Vec<u8>> {
        self.parents(path)?;
        match system::stat(path, Links::Follow) {
            Ok(stat) if is_directory(stat.mode) => {}
            Ok(_) => return Err(failure("cannot create directory", path, Errno::Exist)),
            Err(_) => self.make_directory(path)?,
        }
        self.set(path, true)
    }

    /// Copies a file. What is there is taken away first, so that its other names, and what it
    /// leads to, stay as they are.
    fn file(&mut self, from: &[u8], to: &[u8]) -> Result<(), Vec<u8>> {
        let stat = system::stat(from, Links::Follow)
            .map_err(|errno| failure("cannot stat", from, errno))?;
        if is_directory(stat.mode) {
            return Err([b"omitting directory ", &quoted(from)[..]].concat());
        }
        let old = match system::stat(to, Links::Keep) {
            Ok(old) => Some(old),
            Err(Errno::NoEnt) => None,
            Err(errno) => return Err(failure("cannot stat", to, errno)),
        };
        if let Some(old) = &old {
            check_target(from, &stat, to, old)?;
        }
        let content = std::fs::read(codepod_tool::path(from)).map_err(|error| {
            let why = system::io_message(&error);
            let name = quoted(from);
            [
                b"cannot open ",
                &name[..],
                b" for reading: ",
                why.as_bytes(),
            ]
            .concat()
        })?;
        if let Some(old) = &old {
            if self.is_installed(to, old, &content) {
                return Ok(());
            }
            self.check_created(from, to)?;
            self.clear(from, to)?;
        } else {
            self.tell(from, to, None);
        }
        let made = if to.ends_with(b"/") {
            Err(Errno::NotDir)
        } else {
            std::fs::write(codepod_tool::path(to), content).map_err(|error| system::errno(&error))
        };
        made.map_err(|errno| failure("cannot create regular file", to, errno))?;
        self.made.insert(to.to_vec());
        self.finish_file(&stat, to)
    }

    /// Fails where an earlier operand was installed. A numbered backup keeps that.
    fn check_created(&self, from: &[u8], to: &[u8]) -> Result<(), Vec<u8>> {
        if self.backups.are_numbered() || !self.made.contains(to) {
            return Ok(());
        }
        let (from, to) = (quoted(from), quoted(to));
        let what = b"will not overwrite just-created ";
        Err([what, &to[..], b" with ", &from].concat())
    }

    /// Whether `-C` is given and the file is there as it is to be.
    fn is_installed(&self, to: &[u8], old: &Stat, content: &[u8]) -> bool {
        self.settings.compare
            && old.mode & 0o7777 == self.mode(false)
            && std::fs::read(codepod_tool::path(to)).is_ok_and(|there| there == content)
    }

    /// Takes away what is there, and says what is installed.
    fn clear(&mut self, from: &[u8], to: &[u8]) -> Result<(), Vec<u8>> {
        if self.backups.are_made() {
            let made = self.backups.make(to);
            let backup = made.map_err(|errno| failure("cannot backup", to, errno))?;
            self.tell(from, to, Some(&backup));
            return Ok(());
        }
        paths::remove_file(to).map_err(|errno| failure("cannot remove", to, errno))?;
        if self.settings.verbose {
            self.out
                .put(&[b"removed ", &quoted(to)[..], b"\n"].concat());
        }
        self.tell(from, to, None);
        Ok(())
    }

    fn tell(&mut self, from: &[u8], to: &[u8], backup: Option<&[u8]>) {
        if !self.settings.verbose {
            return;
        }
        let mut line = [&quoted(from)[..], b" -> ", &quoted(to)].concat();
        if let Some(backup) = backup {
            line.extend([b" (backup: ", &quoted(backup)[..], b")"].concat());
        }
        line.push(b'\n');
        self.out.put(&line);
    }

    /// Sets mode, owner and times of a copy.
    fn finish_file(&self, stat: &Stat, to: &[u8]) -> Result<(), Vec<u8>> {
        self.set(to, false)?;
        if self.settings.preserve {
            let time = |nanoseconds: u64| Timespec {
                tv_sec: (nanoseconds / 1_000_000_000).cast_signed(),
                tv_nsec: (nanoseconds % 1_000_000_000) as _,
            };
            let times = Timestamps {
                last_access: time(stat.atime),
                last_modification: time(stat.mtime),
            };
            utimensat(CWD, codepod_tool::path(to), &times, AtFlags::empty()).map_err(|error| {
                [
                    b"cannot set timestamps for ",
                    &quoted(to)[..],
                    b": ",
                    system::io_message(&error.into()).as_bytes(),
                ]
                .concat()
            })?;
        }
        Ok(())
    }
}

/// Fails where a file cannot be installed in the place of another: a directory is there, or the
/// source itself. A source that is found by a link may be under any name of what is there.
fn check_target(from: &[u8], stat: &Stat, to: &[u8], old: &Stat) -> Result<(), Vec<u8>> {
    if is_directory(old.mode) {
        let what = b"cannot overwrite directory ";
        return Err([what, &quoted(to)[..], b" with non-directory"].concat());
    }
    let is_by_link = || system::stat(from, Links::Keep).is_ok_and(|own| is_link(own.mode));
    let is_same = is_same_file(stat, old) && (is_by_link() || is_same_entry(from, to));
    if !is_same {
        return Ok(());
    }
    let (from, to) = (quoted(from), quoted(to));
    Err([&from[..], b" and ", &to, b" are the same file"].concat())
}
