//! Mode, times and owner that a file gets.

use codepod_tool::{io_text, path};

use super::Unzip;
use super::later::Later;
use crate::system::{self, Moment};
use crate::zipfile::{Entry, Local, shown, times, unix_owner};

/// The longest text of a symbolic link.
const LONGEST_LINK: u64 = 64 << 10;

/// Times and owner that a file gets.
#[derive(Clone, Copy)]
pub(super) struct Stamp {
    modified: i64,
    accessed: i64,
    pub(super) owner: Option<(u32, u32)>,
}

impl Stamp {
    /// Sets the times of a file. What counts is its content, so a failure is nothing to tell.
    pub(super) fn set_times(&self, name: &[u8]) {
        let _ = system::set_times(name, moment(self.accessed), moment(self.modified), true);
    }
}

impl Unzip<'_> {
    /// Gives a new file its mode, times and owner.
    pub(super) fn settle(&mut self, target: &[u8], entry: &Entry, local: &Local) {
        let stamp = self.stamp_of(local);
        // The content is what counts: a file system without modes or times does not make it wrong.
        if let Some((uid, gid)) = stamp.owner
            && let Err(error) = system::set_owner(target, Some(uid), Some(gid))
        {
            let text = format!(
                " (warning) cannot set UID {uid} and/or GID {gid}\n          {}",
                io_text(&error)
            );
            self.console.error(text);
        }
        let _ = system::set_mode(target, self.mode(entry));
        if self.settings.no_times <= 1 {
            stamp.set_times(target);
        }
    }

    /// Remembers the link that a new file stands for.
    pub(super) fn settle_link(&mut self, target: &[u8], local: &Local, later: &mut Later) {
        let text = match local.plain {
            0..=LONGEST_LINK => std::fs::read(path(target)).unwrap_or_default(),
            _ => Vec::new(),
        };
        if text.is_empty() || text.len() as u64 != local.plain {
            self.console.error_line(
                [
                    b"warning:  symbolic link (",
                    &shown(target)[..],
                    b") failed\n",
                ]
                .concat(),
            );
            return;
        }
        if self.settings.quiet == 0 {
            self.console
                .out(&[b"-> ", &shown(&text)[..], b" "].concat());
        }
        later.links.push((target.to_vec(), text));
    }

    /// The times and the owner that an entry has.
    pub(super) fn stamp_of(&self, local: &Local) -> Stamp {
        let known = times(&local.extra);
        let modified = known
            .modified
            .unwrap_or_else(|| crate::zipfile::moment_of(local.time, &self.zone));
        Stamp {
            modified,
            accessed: known.accessed.unwrap_or(modified),
            owner: self
                .settings
                .owners
                .then(|| unix_owner(&local.extra))
                .flatten(),
        }
    }

    /// Whether an entry is a symbolic link.
    pub(super) fn is_link(&self, entry: &Entry) -> bool {
        let unix = matches!(entry.host(), 0 | 2 | 3 | 5 | 13 | 16 | 30);
        unix && entry.mode() & system::TYPE == system::SYMLINK
    }

    /// The mode that a file gets.
    pub(super) fn mode(&self, entry: &Entry) -> u32 {
        let keep = if self.settings.keep_bits {
            0o7777
        } else {
            0o777
        };
        let mode = entry.mode();
        if matches!(entry.host(), 2 | 3 | 5 | 12 | 13 | 16 | 17 | 30) {
            return mode & keep;
        }
        let mut dos = entry.external;
        if entry.name.ends_with(b"/") {
            dos |= 0x10;
        }
        let bits = u32::from(dos & 1 == 0) << 1 | (dos & 0x10) >> 4;
        if entry.host() == 0 && mode & 0o700 == 0o400 | bits << 6 {
            return mode & keep;
        }
        (0o444 | bits << 6 | bits << 3 | bits) & !system::umask()
    }
}

fn moment(seconds: i64) -> Moment {
    Moment {
        seconds,
        nanoseconds: 0,
    }
}
