//! `chown` and `chgrp`: change owners and groups.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, quoted,
};

use crate::arguments::{help, version};
use crate::mode::{is_directory, is_link};
use crate::names::Names;
use crate::system::{self, Errno, Links};

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

struct Job<'a> {
    tool: &'a str,
    out: Output,
    names: Names,
    uid: Option<u32>,
    gid: Option<u32>,
    /// What must be there now.
    from: (Option<u32>, Option<u32>),
    /// As it was written, for messages.
    wanted: Vec<u8>,
    links: Links,
    recursive: bool,
    follow_operands: bool,
    follow_all: bool,
    quiet: bool,
    verbose: bool,
    changes: bool,
    status: i32,
}

/// Runs either.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let group_only = tool == "chgrp";
    let mut options = Options::new(TABLE, arguments);
    let mut job = Job {
        tool,
        out: Output::new(),
        names: Names::default(),
        uid: None,
        gid: None,
        from: (None, None),
        wanted: Vec::new(),
        links: Links::Follow,
        recursive: false,
        follow_operands: false,
        follow_all: false,
        quiet: false,
        verbose: false,
        changes: false,
        status: 0,
    };
    let mut operands = Vec::new();
    let mut reference = None;
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Changes => job.changes = true,
                Key::Quiet => job.quiet = true,
                Key::Verbose => job.verbose = true,
                Key::Dereference => job.links = Links::Follow,
                Key::NoDereference => job.links = Links::Keep,
                Key::From if group_only => {
                    let shown = [
                        b"unrecognized option '--from=",
                        &value.unwrap_or_default()[..],
                        b"'",
                    ]
                    .concat();
                    return Usage::new(shown).report(tool, 1);
                }
                Key::From => match job.owner(&value.unwrap_or_default()) {
                    Ok(from) => job.from = from,
                    Err(message) => {
                        complain(tool, message);
                        return 1;
                    }
                },
                Key::NoPreserveRoot | Key::PreserveRoot => {}
                Key::Reference => reference = value,
                Key::Recursive => job.recursive = true,
                Key::FollowOperands => (job.follow_operands, job.follow_all) = (true, false),
                Key::FollowAll => (job.follow_operands, job.follow_all) = (true, true),
                Key::FollowNone => (job.follow_operands, job.follow_all) = (false, false),
                Key::Help if group_only => {
                    return help(
                        tool,
                        "[OPTION]... GROUP FILE...",
                        "Change the group of each FILE to GROUP.",
                        TABLE,
                    );
                }
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [OWNER][:[GROUP]] FILE...",
                        "Change the owner and/or group of each FILE to OWNER and/or GROUP.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let least = if reference.is_some() { 1 } else { 2 };
    if operands.len() < least {
        let message = match operands.first() {
            None => b"missing operand".to_vec(),
            Some(first) => [b"missing operand after ", &quoted(first)[..]].concat(),
        };
        return Usage::new(message).report(tool, 1);
    }
    if let Some(path) = reference {
        match system::stat(&path, Links::Follow) {
            Ok(stat) => {
                (job.uid, job.gid) = (
                    if group_only { None } else { Some(stat.uid) },
                    Some(stat.gid),
                );
                let (user, group) = (
                    job.names.user_name(stat.uid),
                    job.names.group_name(stat.gid),
                );
                job.wanted = if group_only {
                    group.into()
                } else {
                    format!("{user}:{group}").into()
                };
            }
            Err(errno) => {
                complain(
                    tool,
                    [
                        b"failed to get attributes of ",
                        &quoted(&path)[..],
                        b": ",
                        errno_text(errno).as_bytes(),
                    ]
                    .concat(),
                );
                return 1;
            }
        }
    } else {
        let text = operands.remove(0);
        let parsed = if group_only {
            job.group(&text).map(|gid| (None, gid))
        } else {
            job.owner(&text)
        };
        match parsed {
            Ok((uid, gid)) => (job.uid, job.gid) = (uid, gid),
            Err(message) => {
                complain(tool, message);
                return 1;
            }
        }
        job.wanted = text;
    }
    for path in operands {
        job.path(&path, true);
    }
    if let Err(error) = job.out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    job.status
}

impl Job<'_> {
    fn group(&mut self, text: &[u8]) -> Result<Option<u32>, Vec<u8>> {
        if text.is_empty() {
            return Ok(None);
        }
        let gid = std::str::from_utf8(text)
            .ok()
            .and_then(|name| self.names.gid(name));
        gid.map(Some)
            .ok_or_else(|| [b"invalid group: ", &quoted(text)[..]].concat())
    }

    /// `OWNER`, `OWNER:GROUP`, `OWNER:`, `:GROUP`.
    fn owner(&mut self, text: &[u8]) -> Result<(Option<u32>, Option<u32>), Vec<u8>> {
        let (user, group) = match text.iter().position(|byte| *byte == b':') {
            Some(colon) => (&text[..colon], Some(&text[colon + 1..])),
            None => (text, None),
        };
        let name = String::from_utf8_lossy(user).into_owned();
        let uid = if user.is_empty() {
            None
        } else {
            Some(self.names.uid(&name))
        };
        if uid == Some(None) {
            return Err([b"invalid user: ", &quoted(text)[..]].concat());
        }
        let gid = match group {
            None => None,
            // `OWNER:` means the login group.
            Some(b"") => match self.names.user(&name) {
                Some(user) => Some(user.gid),
                None if user.is_empty() => None,
                None => return Err([b"invalid spec: ", &quoted(text)[..]].concat()),
            },
            Some(group) => {
                let gid = std::str::from_utf8(group)
                    .ok()
                    .and_then(|name| self.names.gid(name));
                Some(gid.ok_or_else(|| [b"invalid group: ", &quoted(text)[..]].concat())?)
            }
        };
        Ok((uid.flatten(), gid))
    }

    fn fail(&mut self, what: &[u8], path: &[u8], errno: Errno) {
        self.status = 1;
        if !self.quiet {
            self.out.write_out();
            complain(
                self.tool,
                [what, &quoted(path), b": ", errno_text(errno).as_bytes()].concat(),
            );
        }
    }

    fn path(&mut self, path: &[u8], operand: bool) {
        let follow = if self.recursive {
            self.follow_all || (operand && self.follow_operands)
        } else {
            self.links == Links::Follow
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
                self.fail(what, path, errno);
                if self.verbose {
                    let what: &[u8] = if self.uid.is_some() || self.gid.is_none() {
                        b"failed to change ownership of "
                    } else {
                        b"failed to change group of "
                    };
                    let wanted = self.wanted.clone();
                    self.out
                        .put(&[what, &quoted(path), b" to ", &wanted, b"\n"].concat());
                }
                return;
            }
        };
        if self.recursive && is_directory(stat.mode) && (operand || !is_link(stat.mode)) {
            match system::list(path) {
                Ok(mut names) => {
                    names.sort();
                    for name in names {
                        let slash: &[u8] = if path.ends_with(b"/") { b"" } else { b"/" };
                        self.path(&[path, slash, &name].concat(), false);
                    }
                }
                Err(errno) => self.fail(b"cannot read directory ", path, errno),
            }
        }
        let matches = |wanted: Option<u32>, is: u32| wanted.is_none_or(|wanted| wanted == is);
        let chosen = matches(self.from.0, stat.uid) && matches(self.from.1, stat.gid);
        let change_link = if self.recursive && !follow {
            Links::Keep
        } else {
            links
        };
        let done = if chosen {
            system::set_owner(path, change_link, self.uid, self.gid)
        } else {
            Ok(())
        };
        let ok = done.is_ok();
        if let Err(errno) = done {
            let what: &[u8] = if self.uid.is_some() {
                b"changing ownership of "
            } else {
                b"changing group of "
            };
            self.fail(what, path, errno);
        }
        let changed = chosen && !(matches(self.uid, stat.uid) && matches(self.gid, stat.gid));
        if self.verbose || (self.changes && changed && ok) {
            self.tell(path, stat.uid, stat.gid, changed, ok);
        }
    }

    fn tell(&mut self, path: &[u8], uid: u32, gid: u32, changed: bool, ok: bool) {
        let by_user = self.uid.is_some();
        let (user, group) = (self.names.user_name(uid), self.names.group_name(gid));
        let show = |uid: Option<String>, gid: Option<String>| match (uid, gid) {
            (Some(user), Some(group)) => format!("{user}:{group}"),
            (Some(user), None) => user,
            (None, Some(group)) => group,
            (None, None) => String::new(),
        };
        let old = show(by_user.then_some(user), self.gid.is_some().then_some(group));
        let new = {
            let user = self.uid.map(|uid| self.names.user_name(uid));
            let group = self.gid.map(|gid| self.names.group_name(gid));
            show(user, group)
        };
        let what = if by_user || self.gid.is_none() {
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
        self.out.put(&line);
    }
}
