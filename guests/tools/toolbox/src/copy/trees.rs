//! Directories: made or merged, and their attributes set when all that is in them is copied.

use codepod_tool::quoted;

use super::existing::Existing;
use super::{Copier, Ended, Follow, Identity, Item, Outcome, Step, failure, identity};
use crate::mode::is_directory;
use crate::paths::{self, is_same_entry, join};
use crate::system::{self, Errno, Links, Stat};

/// A directory whose entries are being copied.
pub(super) struct Level {
    from: Vec<u8>,
    to: Vec<u8>,
    names: std::vec::IntoIter<Vec<u8>>,
    pub(super) source: Stat,
    /// The directory that was there already.
    pub(super) there: Option<Stat>,
    /// The permission bits that it has and gets, if it was made.
    modes: Option<(u32, u32)>,
    is_operand: bool,
}

impl Level {
    /// The next thing in it.
    pub(super) fn next(&mut self) -> Option<Item> {
        let name = self.names.next()?;
        Some(Item {
            from: join(&self.from, &name),
            to: join(&self.to, &name),
            is_operand: false,
            is_new: self.there.is_none(),
        })
    }
}

impl Copier<'_> {
    /// Makes a copy of a directory, or takes the one that is there, and lists what is in it.
    pub(super) fn enter(
        &mut self,
        item: &Item,
        stat: &Stat,
        there: &Existing,
        levels: &[Level],
    ) -> Outcome<Level> {
        let id = identity(stat);
        if levels.iter().any(|level| identity(&level.source) == id) {
            let what = b"cannot copy cyclic symbolic link ";
            return Err([what, &quoted(&item.from)[..]].concat());
        }
        let there_stat = there.stat.filter(|found| is_directory(found.mode));
        let modes = match there_stat {
            Some(_) => None,
            None => Some(self.make_directory(item, stat)?),
        };
        let names = if self.is_elsewhere(stat, levels) {
            Vec::new()
        } else {
            self.list(item)
        };
        Ok(Level {
            from: item.from.clone(),
            to: item.to.clone(),
            names: names.into_iter(),
            source: *stat,
            there: there_stat,
            modes,
            is_operand: item.is_operand,
        })
    }

    /// Whether `-x` keeps it from entering a directory.
    fn is_elsewhere(&self, stat: &Stat, levels: &[Level]) -> bool {
        let parent = levels.last();
        self.settings.one_file_system && parent.is_some_and(|parent| parent.source.dev != stat.dev)
    }

    fn list(&mut self, item: &Item) -> Vec<Vec<u8>> {
        system::list(&item.from).unwrap_or_else(|errno| {
            self.complain(&failure("cannot access", &item.from, errno));
            Vec::new()
        })
    }

    /// Makes the directory. Returns the permission bits that it has and those it gets in the end.
    fn make_directory(&mut self, item: &Item, stat: &Stat) -> Outcome<(u32, u32)> {
        paths::make_directory(&item.to)
            .map_err(|errno| failure("cannot create directory", &item.to, errno))?;
        let made = system::stat(&item.to, Links::Keep)
            .map_err(|errno| failure("cannot stat", &item.to, errno))?;
        // Whoever finds it among the sources is copying it into itself.
        self.copies.insert(identity(&made), item.to.clone());
        if self.settings.verbose {
            if self.settings.moving {
                let line = [b"created directory ", &quoted(&item.to)[..], b"\n"].concat();
                self.out.put(&line);
            } else {
                self.tell("", item, None);
            }
        }
        let umask = self.umask();
        let keep = self.settings.keep;
        let wanted = if keep.mode {
            stat.mode & 0o7777
        } else if keep.usual_mode {
            (0o777 | stat.mode & 0o1000) & !umask
        } else {
            (stat.mode & 0o1777 & !umask) | (made.mode & 0o6000)
        };
        // Others stay out until the owner and the mode are right.
        let others = if keep.owner { 0o077 } else { 0o022 };
        let now = (wanted & 0o777 & !others) | 0o700;
        let has = made.mode & 0o7777;
        if has & 0o777 & !wanted != 0 || has & 0o700 != 0o700 {
            return match system::set_mode(&item.to, Links::Follow, now) {
                Ok(()) => Ok((now, wanted)),
                Err(errno) => Err(failure("setting permissions for", &item.to, errno)),
            };
        }
        Ok((has, wanted))
    }

    /// Sets the attributes of a directory whose entries are copied.
    pub(super) fn leave(&mut self, level: Level) {
        let item = Item {
            from: level.from,
            to: level.to,
            is_operand: level.is_operand,
            is_new: false,
        };
        if level.is_operand {
            self.record_result(&item);
        }
        let result = self.keep_all(&item, &level.source, level.there.as_ref());
        let result = result.and_then(|()| match level.modes {
            Some((has, wanted)) if !self.settings.keep.mode && has != wanted => {
                system::set_mode(&item.to, Links::Follow, wanted)
                    .map_err(|errno| failure("preserving permissions for", &item.to, errno))
            }
            _ => Ok(()),
        });
        if let Err(message) = result {
            self.complain(&message);
        }
    }

    /// Makes a link to the copy of an item that was copied before, under this name or another.
    /// None where there is none.
    pub(super) fn link_to_copy(
        &mut self,
        item: &Item,
        stat: &Stat,
        levels: &[Level],
    ) -> Outcome<Option<Step>> {
        let Some(copy) = self.earlier_copy(item, stat) else {
            return Ok(None);
        };
        if is_directory(stat.mode) {
            return self.meet_directory(item, &copy, levels);
        }
        if self.hard_link(&copy, &item.to, Links::Keep, true)? {
            self.tell_removed(&item.to);
        }
        Ok(Some(Step::Ended(Ended::Copied)))
    }

    /// The copy of an item that was copied before. Remembers this one where there was none.
    fn earlier_copy(&mut self, item: &Item, stat: &Stat) -> Option<Vec<u8>> {
        let id: Identity = identity(stat);
        let settings = &self.settings;
        if settings.recursive && is_directory(stat.mode) {
            if !item.is_operand || settings.moving {
                return self.copies.get(&id).cloned();
            }
        } else {
            let follows = settings.follow == Follow::Always
                || (settings.follow == Follow::Operands && item.is_operand);
            if settings.moving && stat.nlink == 1 {
                // Its other names were moved already.
                return self.copies.get(&id).cloned();
            }
            let has_names = stat.nlink > 1 || follows;
            if !settings.keep.links || settings.how == super::How::HardLink || !has_names {
                return None;
            }
        }
        let earlier = self.copies.get(&id).cloned();
        if earlier.is_none() {
            self.copies.insert(id, item.to.clone());
        }
        earlier
    }

    /// Deals with a directory that was copied before.
    fn meet_directory(
        &mut self,
        item: &Item,
        copy: &[u8],
        levels: &[Level],
    ) -> Outcome<Option<Step>> {
        if is_same_entry(&item.from, copy) {
            // Once is enough: the rest of the tree is copied all the same.
            if std::mem::replace(&mut self.is_into_itself, true) {
                return Ok(Some(Step::Ended(Ended::Done)));
            }
            let top = levels.first();
            let (from, to) = top.map_or((&item.from, &item.to), |top| (&top.from, &top.to));
            let (from, to) = (quoted(from), quoted(to));
            let into = b", into itself, ";
            return Err([b"cannot copy a directory, ", &from[..], into, &to].concat());
        }
        if is_same_entry(&item.to, copy) {
            let name = quoted(&item.from);
            let what = b"warning: source directory ";
            self.warn(&[what, &name[..], b" specified more than once"].concat());
            return Ok(Some(Step::Ended(Ended::Done)));
        }
        if self.links(item) == Links::Follow {
            return Ok(None);
        }
        let (to, copy) = (quoted(&item.to), quoted(copy));
        let what = b"will not create hard link ";
        Err([what, &to[..], b" to directory ", &copy].concat())
    }

    /// Makes a hard link. `replace` says whether it may take the place of a file. Returns whether
    /// it has.
    pub(super) fn hard_link(
        &mut self,
        from: &[u8],
        to: &[u8],
        links: Links,
        replace: bool,
    ) -> Outcome<bool> {
        let make = |path: &[u8]| paths::hard_link(from, path, links);
        let result = match make(to) {
            Err(Errno::Exist) if replace => paths::replace(to, make).map(|()| true),
            result => result.map(|()| false),
        };
        result.map_err(|errno| {
            let (from, to) = (quoted(from), quoted(to));
            let why = codepod_tool::errno_text(errno).as_bytes();
            let what = b"cannot create hard link ";
            [what, &to[..], b" to ", &from, b": ", why].concat()
        })
    }
}
