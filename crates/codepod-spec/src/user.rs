//! The user that host bash runs scripts as: the sandbox's user if this program is root, otherwise
//! the current user.
//!
//! Modes, owners and names are the same as in a sandbox then: uid and gid 1000, both named `user`.
//! Only root can do that; anybody else runs scripts as themselves, and cases that show an owner say
//! so by failing.

use std::os::fd::AsFd;
use std::os::unix::fs::chown;
use std::path::Path;
use std::process::Command;

use rustix::fs::{Gid, Uid};

use crate::failure::{Failure, Result};
use crate::temporary::Temporary;

/// Of the user in a sandbox.
const ID: u32 = 1000;
/// As in the base image.
const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh
user:x:1000:1000:user:/home/user:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
";
const GROUP: &str = "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n";
/// Puts the files over the machine's, for itself and what it starts, and becomes the user.
const BECOME: &str =
    "mount --bind \"$0/passwd\" /etc/passwd && mount --bind \"$0/group\" /etc/group &&
exec setpriv --reuid=1000 --regid=1000 --clear-groups -- \"$@\"";

/// How to become the user.
#[derive(Debug)]
pub(crate) enum User {
    /// This program cannot.
    Own,
    /// With a user's ids, and the names that the machine has for them.
    Ids,
    /// With the names as well; the directory has the files that say them.
    Named(Temporary),
}

impl User {
    /// Finds out what is possible. Fails when files cannot be made.
    pub(crate) fn find() -> Result<User> {
        if !rustix::process::geteuid().is_root() {
            return Ok(User::Own);
        }
        let directory = Temporary::new()?;
        for (name, text) in [("passwd", PASSWD), ("group", GROUP)] {
            let path = directory.path().join(name);
            std::fs::write(&path, text).map_err(|error| Failure::file("write", &path, error))?;
        }
        let named = User::Named(directory);
        let works = named.command("true").output();
        if works.is_ok_and(|output| output.status.success()) {
            return Ok(named);
        }
        println!("note: mounts are not allowed here: names of users are the machine's");
        Ok(User::Ids)
    }

    /// A program, to be started as the user.
    pub(crate) fn command(&self, program: &str) -> Command {
        match self {
            User::Own => Command::new(program),
            User::Ids => {
                let mut command = Command::new("/usr/bin/setpriv");
                command.args([
                    "--reuid=1000",
                    "--regid=1000",
                    "--clear-groups",
                    "--",
                    program,
                ]);
                command
            }
            User::Named(directory) => {
                let mut command = Command::new("/usr/bin/unshare");
                command.args(["--mount", "--", "/bin/sh", "-c", BECOME]);
                command.arg(directory.path()).arg(program);
                command
            }
        }
    }

    /// Makes a pipe the user's, who can open it by its name in `/dev` then.
    pub(crate) fn own_open(&self, pipe: impl AsFd) -> std::io::Result<()> {
        if !matches!(self, User::Own) {
            rustix::fs::fchown(pipe, Some(Uid::from_raw(ID)), Some(Gid::from_raw(ID)))?;
        }
        Ok(())
    }

    /// Makes everything from a directory down the user's.
    pub(crate) fn own(&self, path: &Path) -> std::io::Result<()> {
        if matches!(self, User::Own) {
            return Ok(());
        }
        chown(path, Some(ID), Some(ID))?;
        if path.is_dir() {
            for entry in std::fs::read_dir(path)? {
                self.own(&entry?.path())?;
            }
        }
        Ok(())
    }
}
