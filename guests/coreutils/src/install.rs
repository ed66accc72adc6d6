//! `install`: copies files and sets their modes, owners and times.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long,
    optional, quoted, value,
};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use crate::arguments::{help, version};
use crate::mode::{Change, is_directory};
use crate::names::Names;
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Backup,
    BackupSimple,
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
    flag(Key::BackupSimple, b'b', ""),
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

struct Job<'a> {
    tool: &'a str,
    out: Output,
    change: Change,
    uid: Option<u32>,
    gid: Option<u32>,
    leading: bool,
    preserve: bool,
    verbose: bool,
    compare: bool,
    backup: Option<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut names = Names::default();
    let usual = Change::parse(b"755");
    let Some(usual) = usual else { return 1 };
    let mut job = Job {
        tool,
        out: Output::new().by_line(),
        change: usual,
        uid: None,
        gid: None,
        leading: false,
        preserve: false,
        verbose: false,
        compare: false,
        backup: None,
    };
    let (mut directories, mut no_target, mut target) = (false, false, None);
    let mut suffix = b"~".to_vec();
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let given = value.clone().unwrap_or_default();
                let text = String::from_utf8_lossy(&given).into_owned();
                match key {
                    Key::Backup | Key::BackupSimple => job.backup = Some(Vec::new()),
                    Key::Suffix => {
                        job.backup = Some(Vec::new());
                        suffix = given;
                    }
                    Key::Ignored | Key::Context => {}
                    Key::Compare => job.compare = true,
                    Key::Directory => directories = true,
                    Key::Leading => job.leading = true,
                    Key::Group => match names.gid(&text) {
                        Some(gid) => job.gid = Some(gid),
                        None => {
                            complain(tool, [b"invalid group ", &quoted(&given)[..]].concat());
                            return 1;
                        }
                    },
                    Key::Owner => match names.uid(&text) {
                        Some(uid) => job.uid = Some(uid),
                        None => {
                            complain(tool, [b"invalid user ", &quoted(&given)[..]].concat());
                            return 1;
                        }
                    },
                    Key::Mode => match Change::parse(&given) {
                        Some(change) => job.change = change,
                        None => {
                            complain(tool, [b"invalid mode ", &quoted(&given)[..]].concat());
                            return 1;
                        }
                    },
                    Key::Preserve => job.preserve = true,
                    Key::Strip => {
                        complain(
                            tool,
                            "unsupported option '-s': there are no symbols to strip",
                        );
                        return 1;
                    }
                    Key::Target => target = value,
                    Key::NoTarget => no_target = true,
                    Key::Verbose => job.verbose = true,
                    Key::Help => {
                        return help(
                            tool,
                            "[OPTION]... SOURCE DEST",
                            "Copy files, setting permission modes and owner/group.",
                            TABLE,
                        );
                    }
                    Key::Version => return version(tool),
                }
            }
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if job.backup.is_some() {
        job.backup = Some(suffix);
    }
    if operands.is_empty() {
        return Usage::new("missing file operand").report(tool, 1);
    }
    let mut status = 0;
    let mut say = |result: Result<(), Vec<u8>>| {
        if let Err(message) = result {
            complain(tool, message);
            status = 1;
        }
    };
    if directories {
        for path in &operands {
            say(job.directory(path));
        }
        return status;
    }
    let is_dir =
        |path: &[u8]| system::stat(path, Links::Follow).is_ok_and(|stat| is_directory(stat.mode));
    let into = match target {
        Some(target) => {
            if job.leading && !is_dir(&target) {
                say(job.parents(&[&target[..], b"/x"].concat()));
            } else if !is_dir(&target) {
                let why = match system::stat(&target, Links::Follow) {
                    Ok(_) => "Not a directory",
                    Err(errno) => errno_text(errno),
                };
                let what: &[u8] = if why == "Not a directory" {
                    b"target "
                } else {
                    b"failed to access "
                };
                complain(
                    tool,
                    [
                        what,
                        &quoted(&target)[..],
                        if what == b"target " {
                            b" is not a directory"
                        } else {
                            b": "
                        },
                        if what == b"target " {
                            b""
                        } else {
                            why.as_bytes()
                        },
                    ]
                    .concat(),
                );
                return 1;
            }
            Some(target)
        }
        None => {
            if operands.len() < 2 {
                let message = [
                    b"missing destination file operand after ",
                    &quoted(&operands[0])[..],
                ]
                .concat();
                return Usage::new(message).report(tool, 1);
            }
            let last = operands.last().cloned().unwrap_or_default();
            if no_target {
                if operands.len() > 2 {
                    return Usage::new([b"extra operand ", &quoted(&operands[2])[..]].concat())
                        .report(tool, 1);
                }
                None
            } else if is_dir(&last) {
                operands.pop();
                Some(last)
            } else if operands.len() > 2 {
                let why = match system::stat(&last, Links::Follow) {
                    Ok(_) => "Not a directory",
                    Err(errno) => errno_text(errno),
                };
                complain(
                    tool,
                    [b"target ", &quoted(&last)[..], b": ", why.as_bytes()].concat(),
                );
                return 1;
            } else {
                None
            }
        }
    };
    match into {
        Some(directory) => {
            for from in &operands {
                let name = from
                    .rsplit(|byte| *byte == b'/')
                    .find(|part| !part.is_empty())
                    .unwrap_or(from);
                let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
                say(job.file(from, &[&directory[..], slash, name].concat()));
            }
        }
        None => {
            let to = operands[1].clone();
            if job.leading {
                say(job.parents(&to));
            }
            say(job.file(&operands[0], &to));
        }
    }
    let _ = job.out.finish();
    status
}

impl Job<'_> {
    fn set(&self, path: &[u8], directory: bool) -> Result<(), Vec<u8>> {
        let fail = |what: &[u8], errno| {
            [what, &quoted(path)[..], b": ", errno_text(errno).as_bytes()].concat()
        };
        if self.uid.is_some() || self.gid.is_some() {
            system::set_owner(path, Links::Keep, self.uid, self.gid)
                .map_err(|errno| fail(b"cannot change ownership of ", errno))?;
        }
        // The umask does not count, not even for `=rw`.
        let mode = self.change.apply(0, directory, 0);
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
            if let Err(error) = std::fs::create_dir(codepod_tool::path(parent)) {
                return Err([
                    b"cannot create directory ",
                    &quoted(parent)[..],
                    b": ",
                    system::io_message(&error).as_bytes(),
                ]
                .concat());
            }
            if self.verbose {
                self.out.put(
                    &[
                        self.tool.as_bytes(),
                        b": creating directory ",
                        &quoted(parent),
                        b"\n",
                    ]
                    .concat(),
                );
            }
        }
        Ok(())
    }

    fn directory(&mut self, path: &[u8]) -> Result<(), Vec<u8>> {
        self.parents(path)?;
        let there = system::stat(path, Links::Follow);
        match there {
            Ok(stat) if is_directory(stat.mode) => {}
            Ok(_) => {
                return Err([
                    b"cannot create directory ",
                    &quoted(path)[..],
                    b": File exists",
                ]
                .concat());
            }
            Err(_) => {
                if let Err(error) = std::fs::create_dir(codepod_tool::path(path)) {
                    return Err([
                        b"cannot create directory ",
                        &quoted(path)[..],
                        b": ",
                        system::io_message(&error).as_bytes(),
                    ]
                    .concat());
                }
                if self.verbose {
                    self.out.put(
                        &[
                            self.tool.as_bytes(),
                            b": creating directory ",
                            &quoted(path),
                            b"\n",
                        ]
                        .concat(),
                    );
                }
            }
        }
        self.set(path, true)
    }

    fn file(&mut self, from: &[u8], to: &[u8]) -> Result<(), Vec<u8>> {
        let stat = system::stat(from, Links::Follow).map_err(|errno| {
            [
                b"cannot stat ",
                &quoted(from)[..],
                b": ",
                errno_text(errno).as_bytes(),
            ]
            .concat()
        })?;
        if is_directory(stat.mode) {
            return Err([b"omitting directory ", &quoted(from)[..]].concat());
        }
        let content = std::fs::read(codepod_tool::path(from)).map_err(|error| {
            [
                b"cannot open ",
                &quoted(from)[..],
                b" for reading: ",
                system::io_message(&error).as_bytes(),
            ]
            .concat()
        })?;
        let old = system::stat(to, Links::Keep);
        if let Ok(old) = &old {
            if (old.dev, old.ino) == (stat.dev, stat.ino) {
                return Err([
                    &quoted(from)[..],
                    b" and ",
                    &quoted(to),
                    b" are the same file",
                ]
                .concat());
            }
            let wanted = self.change.apply(0, false, 0);
            if self.compare
                && old.mode & 0o7777 == wanted
                && std::fs::read(codepod_tool::path(to)).is_ok_and(|there| there == content)
            {
                return Ok(());
            }
            if let Some(suffix) = &self.backup {
                let backup = [to, suffix].concat();
                let _ = std::fs::rename(codepod_tool::path(to), codepod_tool::path(&backup));
            } else {
                let _ = std::fs::remove_file(codepod_tool::path(to));
            }
        }
        if self.verbose {
            if old.is_ok() && self.backup.is_none() {
                self.out
                    .put(&[b"removed ", &quoted(to)[..], b"\n"].concat());
            }
            self.out
                .put(&[&quoted(from)[..], b" -> ", &quoted(to), b"\n"].concat());
        }
        std::fs::write(codepod_tool::path(to), content).map_err(|error| {
            [
                b"cannot create regular file ",
                &quoted(to)[..],
                b": ",
                system::io_message(&error).as_bytes(),
            ]
            .concat()
        })?;
        self.set(to, false)?;
        if self.preserve {
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
