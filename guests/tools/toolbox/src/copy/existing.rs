//! What is there already where a copy goes: whether it may be replaced, and how it gets out of the
//! way.
//!
//! The checks come in the order in which their messages are seen, from those about options that
//! say "leave it alone" to those that change something:
//!
//! | check | says |
//! |---|---|
//! | `-n` | nothing |
//! | the source would be lost | `'a' and 'b' are the same file` |
//! | `-u`, and it is not older | nothing |
//! | `-i`, or `mv` at a terminal | a question |
//! | one of both is a directory | `cannot overwrite directory 'd' with non-directory` |
//! | an earlier operand made it | `will not overwrite just-created 'd/a' with 'e/a'` |
//! | its backup would replace the source | `backing up 'a' might destroy source` |

use codepod_tool::quoted;

use super::same::{Action, Fate};
use super::{Copier, Follow, How, Item, Outcome, Overwrite, failure};
use crate::ask::confirm;
use crate::mode::{self, is_directory, is_link};
use crate::paths::{self, is_dots, last_part};
use crate::system::{self, Errno, Links, Stat};

/// Asks `system::may` about writing.
const MAY_WRITE: u32 = 2;

/// What a copy finds in its place.
#[derive(Default)]
pub(super) struct Existing {
    /// A file that is still there.
    pub(super) stat: Option<Stat>,
    /// Where the file is now that was there.
    pub(super) backup: Option<Vec<u8>>,
}

impl Copier<'_> {
    /// What is where an item goes. None for nothing.
    pub(super) fn existing(&self, item: &Item, source: &Stat) -> Outcome<Option<Stat>> {
        if item.is_new {
            return Ok(None);
        }
        let links = if self.writes_through(source) {
            Links::Follow
        } else {
            Links::Keep
        };
        match system::stat(&item.to, links) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NoEnt) => Ok(None),
            // What cannot be opened is removed, and a link that leads to itself cannot.
            Err(Errno::Loop) if self.settings.force => Ok(system::stat(&item.to, Links::Keep).ok()),
            Err(errno) => Err(failure("cannot stat", &item.to, errno)),
        }
    }

    /// Whether a symbolic link at the target's path is followed, and not replaced.
    fn writes_through(&self, source: &Stat) -> bool {
        let is_read = is_regular(source) || self.settings.read_specials;
        self.action(source) == Action::Write && self.fate() == Fate::Stays && is_read
    }

    /// Deals with what is there. None where the item is left alone.
    pub(super) fn meet(
        &mut self,
        item: &Item,
        source: &Stat,
        found: Stat,
    ) -> Outcome<Option<Existing>> {
        if self.settings.overwrite == Overwrite::Never {
            if self.is_one_file(source) {
                return Ok(None);
            }
        } else if self.is_done(item, source, &found)? {
            // A question is asked all the same.
            self.may_replace(item, source, &found);
            return Ok(None);
        }
        if self.settings.newer_only && !is_directory(source.mode) && source.mtime <= found.mtime {
            // Names of one file stay names of one file, although this one is not copied.
            self.link_to_copy(item, source, &[])?;
            return Ok(None);
        }
        if !self.may_replace(item, source, &found) {
            return Ok(None);
        }
        self.check_kinds(item, source, &found)?;
        self.check_created(item, source, &found)?;
        if self.is_backed_up(item, source) {
            return self.back_up(item, source).map(Some);
        }
        if self.is_removed_first(source, &found) {
            self.remove(item)?;
            return Ok(Some(Existing::default()));
        }
        Ok(Some(Existing {
            stat: Some(found),
            backup: None,
        }))
    }

    /// Whether `-n` and `-i` are about the source: they are not about directories that `cp` merges.
    fn is_one_file(&self, source: &Stat) -> bool {
        self.settings.moving || !is_directory(source.mode)
    }

    /// Asks where it is to be asked.
    fn may_replace(&self, item: &Item, source: &Stat, found: &Stat) -> bool {
        if !self.is_one_file(source) {
            return true;
        }
        // A symbolic link has no permissions of its own, and root may write everywhere.
        let is_writable =
            || is_link(found.mode) || system::user().0 == 0 || system::may(&item.to, MAY_WRITE);
        match self.settings.overwrite {
            Overwrite::Always | Overwrite::Never => true,
            Overwrite::Ask => self.ask(item, found, is_writable()),
            Overwrite::Default => {
                !self.settings.moving
                    || !system::is_terminal(0)
                    || is_writable()
                    || self.ask(item, found, false)
            }
        }
    }

    fn ask(&self, item: &Item, found: &Stat, is_writable: bool) -> bool {
        let name = quoted(&item.to);
        if is_writable {
            return confirm(self.tool, &[b"overwrite ", &name[..]].concat());
        }
        let bits = found.mode & 0o7777;
        let text = mode::text(bits);
        let letters = text.get(1..).unwrap_or_default();
        let settings = &self.settings;
        let question = if settings.moving || settings.force || settings.remove_first {
            let mode = format!(", overriding mode {bits:04o} ({letters})");
            [b"replace ", &name[..], mode.as_bytes()].concat()
        } else {
            let mode = format!(" (mode {bits:04o}, {letters}); try anyway");
            [b"unwritable ", &name[..], mode.as_bytes()].concat()
        };
        confirm(self.tool, &question)
    }

    /// Fails where a directory would replace something else, or something else a directory. `mv`
    /// does so where a backup is made.
    fn check_kinds(&self, item: &Item, source: &Stat, found: &Stat) -> Outcome<()> {
        if self.settings.moving && self.fate() == Fate::BackedUp {
            return Ok(());
        }
        let (from, to) = (quoted(&item.from), quoted(&item.to));
        match (is_directory(source.mode), is_directory(found.mode)) {
            (true, false) => {
                let what = b"cannot overwrite non-directory ";
                Err([what, &to[..], b" with directory ", &from].concat())
            }
            (false, true) => {
                let what = b"cannot overwrite directory ";
                Err([what, &to[..], b" with non-directory"].concat())
            }
            _ => Ok(()),
        }
    }

    /// Fails where an earlier operand has become what is there. A numbered backup keeps that.
    fn check_created(&self, item: &Item, source: &Stat, found: &Stat) -> Outcome<()> {
        let is_lost = item.is_operand
            && !is_directory(source.mode)
            && !self.settings.backups.are_numbered()
            && self.is_result(&item.to, found);
        if !is_lost {
            return Ok(());
        }
        let (from, to) = (quoted(&item.from), quoted(&item.to));
        Err([
            b"will not overwrite just-created ",
            &to[..],
            b" with ",
            &from,
        ]
        .concat())
    }

    /// Whether what is there becomes a backup: never `.` and `..`, nor a directory that is merged.
    fn is_backed_up(&self, item: &Item, source: &Stat) -> bool {
        self.fate() == Fate::BackedUp && self.is_one_file(source) && !is_dots(last_part(&item.from))
    }

    fn back_up(&self, item: &Item, source: &Stat) -> Outcome<Existing> {
        let backups = &self.settings.backups;
        if backups.would_replace(&item.from, source, &item.to) {
            let (from, to) = (quoted(&item.from), quoted(&item.to));
            let done = if self.settings.moving {
                "moved"
            } else {
                "copied"
            };
            let why = b" might destroy source;  ";
            let what = [b"backing up ", &to[..], why, &from, b" not "];
            return Err([&what.concat(), done.as_bytes()].concat());
        }
        match backups.make(&item.to) {
            Ok(backup) => Ok(Existing {
                stat: None,
                backup: Some(backup),
            }),
            Err(Errno::NoEnt) => Ok(Existing::default()),
            Err(errno) => Err(failure("cannot backup", &item.to, errno)),
        }
    }

    /// Whether what is there is removed before anything is made in its place.
    fn is_removed_first(&self, source: &Stat, found: &Stat) -> bool {
        let settings = &self.settings;
        if settings.moving || is_directory(source.mode) || is_directory(found.mode) {
            return false;
        }
        // Only a regular file can be written into what is there. Other names of that would get
        // the content, too, and the copies that are links to each other would be more.
        let is_needed = (settings.follow == Follow::Never && !is_regular(source))
            || (settings.keep.links && found.nlink > 1);
        settings.remove_first || (is_needed && settings.how != How::Attributes)
    }

    fn remove(&mut self, item: &Item) -> Outcome<()> {
        match paths::remove_file(&item.to) {
            Ok(()) => {
                self.tell_removed(&item.to);
                Ok(())
            }
            Err(Errno::NoEnt) => Ok(()),
            Err(errno) => Err(failure("cannot remove", &item.to, errno)),
        }
    }
}

fn is_regular(stat: &Stat) -> bool {
    stat.mode & system::mode::TYPE_MASK == system::mode::REGULAR
}
