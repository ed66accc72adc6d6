//! What is there already where a copy goes: whether it may be replaced, and how it gets out of the
//! way.

use codepod_tool::quoted;

use super::same::Same;
use super::{Copier, Follow, How, Item, Outcome, Overwrite, failure};
use crate::ask::confirm;
use crate::mode::{self, is_directory, is_link};
use crate::paths::{self, is_dots, last_part};
use crate::system::{self, Errno, Links, Stat};

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
        let settings = &self.settings;
        let is_regular = source.mode & system::mode::TYPE_MASK == system::mode::REGULAR;
        let is_remade = !is_regular
            && (!settings.read_specials || is_directory(source.mode) || is_link(source.mode));
        let is_replaced = is_remade
            || settings.moving
            || settings.remove_first
            || settings.backups.are_made()
            || matches!(settings.how, How::HardLink | How::SymbolicLink);
        let links = if is_replaced {
            Links::Keep
        } else {
            Links::Follow
        };
        match system::stat(&item.to, links) {
            Ok(found) => Ok(Some(found)),
            Err(Errno::NoEnt) => Ok(None),
            // What cannot be opened is removed.
            Err(Errno::Loop) if settings.force => Ok(system::stat(&item.to, Links::Keep).ok()),
            Err(errno) => Err(failure("cannot stat", &item.to, errno)),
        }
    }

    /// Deals with what is there. None where the item is left alone.
    pub(super) fn meet(
        &mut self,
        item: &Item,
        source: &Stat,
        found: Stat,
    ) -> Outcome<Option<Existing>> {
        let never = self.settings.overwrite == Overwrite::Never;
        let same = if never {
            None
        } else {
            Some(self.same_file(item, source, &found)?)
        };
        if self.settings.newer_only && !is_directory(source.mode) && source.mtime <= found.mtime {
            self.link_to_copy(item, source, &[])?;
            return Ok(None);
        }
        if !self.may_replace(item, source, &found) || same == Some(Same::NothingToDo) {
            return Ok(None);
        }
        self.check_kinds(item, source, &found)?;
        self.clear(item, source, found).map(Some)
    }

    /// Whether the settings and the user let `found` be replaced.
    fn may_replace(&self, item: &Item, source: &Stat, found: &Stat) -> bool {
        let settings = &self.settings;
        if is_directory(source.mode) && !settings.moving {
            return true;
        }
        match settings.overwrite {
            Overwrite::Never => false,
            Overwrite::Ask => self.ask(item, found),
            Overwrite::Always => true,
            Overwrite::Default => {
                !settings.moving
                    || self.is_writable(item, found)
                    || !system::is_terminal(0)
                    || self.ask(item, found)
            }
        }
    }

    fn is_writable(&self, item: &Item, found: &Stat) -> bool {
        is_link(found.mode) || system::user().0 == 0 || system::may(&item.to, 2)
    }

    fn ask(&self, item: &Item, found: &Stat) -> bool {
        let to = quoted(&item.to);
        let settings = &self.settings;
        let bits = found.mode & 0o7777;
        let text = mode::text(bits);
        let letters = &text[1..];
        let question = if self.is_writable(item, found) {
            [b"overwrite ", &to[..]].concat()
        } else if settings.moving || settings.remove_first || settings.force {
            let mode = format!(", overriding mode {bits:04o} ({letters})");
            [b"replace ", &to[..], mode.as_bytes()].concat()
        } else {
            let mode = format!(" (mode {bits:04o}, {letters}); try anyway");
            [b"unwritable ", &to[..], mode.as_bytes()].concat()
        };
        confirm(self.tool, &question)
    }

    /// Fails where a directory would replace something else or the reverse, or an operand what an
    /// earlier one has become.
    fn check_kinds(&self, item: &Item, source: &Stat, found: &Stat) -> Outcome<()> {
        let (from, to) = (quoted(&item.from), quoted(&item.to));
        // A move with backups may change the kind.
        let is_kept = !(self.settings.moving && self.settings.backups.are_made());
        let is_result = item.is_operand
            && !self.settings.backups.are_numbered()
            && self.is_result(&item.to, found);
        match (is_directory(source.mode), is_directory(found.mode)) {
            (true, false) if is_kept => {
                let with = b" with directory ";
                Err([b"cannot overwrite non-directory ", &to[..], with, &from].concat())
            }
            (_, false) if is_result => {
                let what = b"will not overwrite just-created ";
                Err([what, &to[..], b" with ", &from].concat())
            }
            (false, true) if is_kept => {
                let with = b" with non-directory";
                Err([b"cannot overwrite directory ", &to[..], with].concat())
            }
            _ => Ok(()),
        }
    }

    /// Moves `found` out of the way, removes it or leaves it, as the settings say.
    fn clear(&mut self, item: &Item, source: &Stat, found: Stat) -> Outcome<Existing> {
        let settings = &self.settings;
        let is_dir = is_directory(found.mode);
        if settings.backups.are_made()
            && !is_dots(last_part(&item.from))
            && (settings.moving || !is_dir)
        {
            return self.back_up(item, source);
        }
        let is_linked = settings.keep.links && found.nlink > 1;
        let is_remade = settings.follow == Follow::Never
            && source.mode & system::mode::TYPE_MASK != system::mode::REGULAR;
        let is_removed =
            settings.remove_first || (settings.how != How::Attributes && (is_linked || is_remade));
        if is_dir || settings.moving || !is_removed {
            return Ok(Existing {
                stat: Some(found),
                backup: None,
            });
        }
        match paths::remove_file(&item.to) {
            Ok(()) | Err(Errno::NoEnt) => {}
            Err(errno) => return Err(failure("cannot remove", &item.to, errno)),
        }
        self.tell_removed(&item.to);
        Ok(Existing::default())
    }

    fn back_up(&self, item: &Item, source: &Stat) -> Outcome<Existing> {
        let backups = &self.settings.backups;
        if backups.would_replace(&item.from, source, &item.to) {
            let (from, to) = (quoted(&item.from), quoted(&item.to));
            let done: &[u8] = if self.settings.moving {
                b" not moved"
            } else {
                b" not copied"
            };
            let what = b" might destroy source;  ";
            return Err([b"backing up ", &to[..], what, &from, done].concat());
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
}
