//! `chown` and `chgrp`: change owners and groups.

use codepod_tool::{Arguments, Opt, Options, Stop, Usage, Value, errno_text, flag, long, quoted};

use crate::arguments::{help, version};
use crate::mode::{is_directory, is_link};
use crate::names::Names;
use crate::report::Report;
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Changes,
    Quiet,
    Verbose,
    Dereference,
    NoDereference,
    From,
    NoPreserveRoot,
    PreserveRoot,
    Reference,
    Recursive,
    FollowOperands,
    FollowAll,
    FollowNone,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Changes, b'c', "changes"),
    flag(Key::Quiet, b'f', "silent"),
    flag(Key::Quiet, b'f', "quiet"),
    flag(Key::Verbose, b'v', "verbose"),
    long(Key::Dereference, "dereference", Value::None),
    flag(Key::NoDereference, b'h', "no-dereference"),
    long(Key::From, "from", Value::Required),
    long(Key::NoPreserveRoot, "no-preserve-root", Value::None),
    long(Key::PreserveRoot, "preserve-root", Value::None),
    long(Key::Reference, "reference", Value::Required),
    flag(Key::Recursive, b'R', "recursive"),
    flag(Key::FollowOperands, b'H', ""),
    flag(Key::FollowAll, b'L', ""),
    flag(Key::FollowNone, b'P', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the arguments ask for.
struct Settings {
    flags: Flags,
    /// The owner and group that files get.
    to: Owner,
    /// The owner and group as they were written, for messages.
    wanted: Vec<u8>,
    paths: Vec<Vec<u8>>,
}

/// What the options say.
struct Flags {
    /// The owner and group that files must have to be changed.
    from: Owner,
    links: Links,
    recursive: bool,
    follow_operands: bool,
    follow_all: bool,
    quiet: bool,
    verbose: bool,
    changes: bool,
}

/// An owner and a group, each of which may be left open.
#[derive(Clone, Copy, Default)]
struct Owner {
    uid: Option<u32>,
    gid: Option<u32>,
}

/// Runs either.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut names = Names::default();
    match settings(tool, &mut names, arguments) {
        Ok(settings) => run(tool, names, settings),
        Err(stop) => stop.report(tool, 1),
    }
}

fn settings(tool: &str, names: &mut Names, arguments: Arguments) -> Result<Settings, Stop> {
    let group_only = tool == "chgrp";
    let mut reference = None;
    let mut flags = Flags {
        from: Owner::default(),
        links: Links::Follow,
        recursive: false,
        follow_operands: false,
        follow_all: false,
        quiet: false,
        verbose: false,
        changes: false,
    };
    let mut paths = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Changes => flags.changes = true,
            Key::Quiet => flags.quiet = true,
            Key::Verbose => flags.verbose = true,
            Key::Dereference => flags.links = Links::Follow,
            Key::NoDereference => flags.links = Links::Keep,
            Key::From => flags.from = from(names, group_only, &value.unwrap_or_default())?,
            Key::NoPreserveRoot | Key::PreserveRoot => {}
            Key::Reference => reference = value,
            Key::Recursive => flags.recursive = true,
            Key::FollowOperands => (flags.follow_operands, flags.follow_all) = (true, false),
            Key::FollowAll => (flags.follow_operands, flags.follow_all) = (true, true),
            Key::FollowNone => (flags.follow_operands, flags.follow_all) = (false, false),
            Key::Help => return Err(Stop::Status(usage(tool, group_only))),
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let least = if reference.is_some() { 1 } else { 2 };
    if paths.len() < least {
        let message = match paths.first() {
            None => b"missing operand".to_vec(),
            Some(first) => [b"missing operand after ", &quoted(first)[..]].concat(),
        };
        return Err(Usage::new(message).into());
    }
    let (to, wanted) = match reference {
        Some(path) => owner_of(names, group_only, &path)?,
        None => {
            let text = paths.remove(0);
            let to = if group_only {
                group(names, &text)
            } else {
                owner(names, &text)
            };
            (to.map_err(Stop::Failed)?, text)
        }
    };
    Ok(Settings {
        flags,
        to,
        wanted,
        paths,
    })
}

/// Prints the help of either. Returns its status.
fn usage(tool: &str, group_only: bool) -> i32 {
    let (usage, about) = if group_only {
        (
            "[OPTION]... GROUP FILE...",
            "Change the group of each FILE to GROUP.",
        )
    } else {
        (
            "[OPTION]... [OWNER][:[GROUP]] FILE...",
            "Change the owner and/or group of each FILE to OWNER and/or GROUP.",
        )
    };
    help(tool, usage, about, TABLE)
}

/// The value of `--from`, which `chgrp` does not have.
fn from(names: &mut Names, group_only: bool, text: &[u8]) -> Result<Owner, Stop> {
    if group_only {
        return Err(Usage::new([b"unrecognized option '--from=", text, b"'"].concat()).into());
    }
    owner(names, text).map_err(Stop::Failed)
}

/// The owner and group of the reference, and how they are written.
fn owner_of(names: &mut Names, group_only: bool, path: &[u8]) -> Result<(Owner, Vec<u8>), Stop> {
    let stat = system::stat(path, Links::Follow).map_err(|errno| {
        Stop::failed(
            [
                b"failed to get attributes of ",
                &quoted(path)[..],
                b": ",
                errno_text(errno).as_bytes(),
            ]
            .concat(),
        )
    })?;
    let owner = Owner {
        uid: (!group_only).then_some(stat.uid),
        gid: Some(stat.gid),
    };
    let (user, group) = (names.user_name(stat.uid), names.group_name(stat.gid));
    let shown = if group_only {
        group
    } else {
        format!("{user}:{group}")
    };
    Ok((owner, shown.into_bytes()))
}

/// `GROUP`, of `chgrp`. Fails with the message.
fn group(names: &mut Names, text: &[u8]) -> Result<Owner, Vec<u8>> {
    if text.is_empty() {
        return Ok(Owner::default());
    }
    let gid = std::str::from_utf8(text)
        .ok()
        .and_then(|name| names.gid(name));
    match gid {
        Some(gid) => Ok(Owner {
            uid: None,
            gid: Some(gid),
        }),
        None => Err([b"invalid group: ", &quoted(text)[..]].concat()),
    }
}

/// `OWNER`, `OWNER:GROUP`, `OWNER:`, `:GROUP`. Fails with the message.
fn owner(names: &mut Names, text: &[u8]) -> Result<Owner, Vec<u8>> {
    let (user, group) = match text.iter().position(|byte| *byte == b':') {
        Some(colon) => (&text[..colon], Some(&text[colon + 1..])),
        None => (text, None),
    };
    let invalid = |what: &[u8]| [b"invalid ", what, b": ", &quoted(text)].concat();
    let name = String::from_utf8_lossy(user).into_owned();
    let uid = if user.is_empty() {
        None
    } else {
        Some(names.uid(&name).ok_or_else(|| invalid(b"user"))?)
    };
    let gid = match group {
        None => None,
        // `OWNER:` means the login group.
        Some(b"") => match names.user(&name) {
            Some(user) => Some(user.gid),
            None if user.is_empty() => None,
            None => return Err(invalid(b"spec")),
        },
        Some(group) => {
            let gid = std::str::from_utf8(group)
                .ok()
                .and_then(|name| names.gid(name));
            Some(gid.ok_or_else(|| invalid(b"group"))?)
        }
    };
    Ok(Owner { uid, gid })
}

fn run(tool: &str, names: Names, settings: Settings) -> i32 {
    let mut job = Job {
        report: Report::new(tool, settings.flags.quiet),
        names,
        flags: settings.flags,
        to: settings.to,
        wanted: settings.wanted,
    };
    for path in &settings.paths {
        job.path(path, true);
    }
    job.report.finish()
}

struct Job<'a> {
    report: Report<'a>,
    names: Names,
    flags: Flags,
    to: Owner,
    wanted: Vec<u8>,
}

impl Job<'_> {
    fn path(&mut self, path: &[u8], operand: bool) {
        let follow = if self.flags.recursive {
            self.flags.follow_all || (operand && self.flags.follow_operands)
        } else {
            self.flags.links == Links::Follow
        };
        let links = if follow { Links::Follow } else { Links::Keep };
        let stat = match system::stat(path, links) {
            Ok(stat) => stat,
            Err(errno) => {
                let what: &[u8] = if follow && system::stat(path, Links::Keep).is_ok() {
                    b"cannot dereference "
                } else {
                    b"cannot access "
                };
                self.report.fail(what, path, errno);
                if self.flags.verbose {
                    let what: &[u8] = if self.to.uid.is_some() || self.to.gid.is_none() {
                        b"failed to change ownership of "
                    } else {
                        b"failed to change group of "
                    };
                    let wanted = self.wanted.clone();
                    self.report
                        .out
                        .put(&[what, &quoted(path), b" to ", &wanted, b"\n"].concat());
                }
                return;
            }
        };
        if self.flags.recursive && is_directory(stat.mode) && (operand || !is_link(stat.mode)) {
            for inner in self.report.list(path) {
                self.path(&inner, false);
            }
        }
        let matches = |wanted: Option<u32>, is: u32| wanted.is_none_or(|wanted| wanted == is);
        let chosen =
            matches(self.flags.from.uid, stat.uid) && matches(self.flags.from.gid, stat.gid);
        let change_link = if self.flags.recursive && !follow {
            Links::Keep
        } else {
            links
        };
        let done = if chosen {
            system::set_owner(path, change_link, self.to.uid, self.to.gid)
        } else {
            Ok(())
        };
        let ok = done.is_ok();
        if let Err(errno) = done {
            let what: &[u8] = if self.to.uid.is_some() {
                b"changing ownership of "
            } else {
                b"changing group of "
            };
            self.report.fail(what, path, errno);
        }
        let changed = chosen && !(matches(self.to.uid, stat.uid) && matches(self.to.gid, stat.gid));
        if self.flags.verbose || (self.flags.changes && changed && ok) {
            self.tell(path, stat.uid, stat.gid, changed, ok);
        }
    }

    fn tell(&mut self, path: &[u8], uid: u32, gid: u32, changed: bool, ok: bool) {
        let by_user = self.to.uid.is_some();
        let (user, group) = (self.names.user_name(uid), self.names.group_name(gid));
        let show = |uid: Option<String>, gid: Option<String>| match (uid, gid) {
            (Some(user), Some(group)) => format!("{user}:{group}"),
            (Some(user), None) => user,
            (None, Some(group)) => group,
            (None, None) => String::new(),
        };
        let old = show(
            by_user.then_some(user),
            self.to.gid.is_some().then_some(group),
        );
        let new = {
            let user = self.to.uid.map(|uid| self.names.user_name(uid));
            let group = self.to.gid.map(|gid| self.names.group_name(gid));
            show(user, group)
        };
        let what = if by_user || self.to.gid.is_none() {
            "ownership"
        } else {
            "group"
        };
        let name = quoted(path);
        let line = match (ok, changed) {
            (false, _) => [
                format!("failed to change {what} of ").as_bytes(),
                &name,
                format!(" from {old} to {new}\n").as_bytes(),
            ]
            .concat(),
            (true, true) => [
                format!("changed {what} of ").as_bytes(),
                &name,
                format!(" from {old} to {new}\n").as_bytes(),
            ]
            .concat(),
            (true, false) if old.is_empty() => {
                [format!("{what} of ").as_bytes(), &name[..], b" retained\n"].concat()
            }
            (true, false) => [
                format!("{what} of ").as_bytes(),
                &name,
                format!(" retained as {old}\n").as_bytes(),
            ]
            .concat(),
        };
        self.report.out.put(&line);
    }
}
