//! A source and a target that are one file: when that is an error.
//!
//! Copying a file to itself would empty it, and moving it could lose it. Which of source and target
//! is reached through a symbolic link decides what is safe.

use codepod_tool::quoted;

use super::{Copier, Follow, How, Item, Outcome};
use crate::canonical::{Existing, resolve};
use crate::mode::is_link;
use crate::paths::{is_same_entry, is_same_file};
use crate::system::{self, Links, Stat};

/// What two files have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    /// One can replace the other.
    Apart,
    /// They are already what is wanted.
    NothingToDo,
    /// It would destroy the source.
    Clash,
}

/// The source and the target without following links.
struct Pair {
    source: Stat,
    target: Stat,
    /// Whether these two are one file.
    is_one: bool,
}

impl Copier<'_> {
    /// Whether the target can be replaced by the source. Fails when they are the same file.
    pub(super) fn same_file(&self, item: &Item, source: &Stat, target: &Stat) -> Outcome<Same> {
        match self.compare(item, source, target) {
            Same::Clash => {
                let (from, to) = (quoted(&item.from), quoted(&item.to));
                Err([&from[..], b" and ", &to, b" are the same file"].concat())
            }
            same => Ok(same),
        }
    }

    fn compare(&self, item: &Item, source: &Stat, target: &Stat) -> Same {
        let is_same = is_same_file(source, target);
        if is_same && self.settings.how == How::HardLink {
            return Same::NothingToDo;
        }
        let keeps_links = self.settings.follow == Follow::Never;
        if keeps_links && is_link(source.mode) && is_link(target.mode) {
            return self.compare_links(item, is_same);
        }
        let pair = if keeps_links {
            Pair {
                source: *source,
                target: *target,
                is_one: is_same,
            }
        } else if !is_same {
            return Same::Apart;
        } else {
            let [from, to] = [&item.from, &item.to].map(|path| system::stat(path, Links::Keep));
            let (Ok(source), Ok(target)) = (from, to) else {
                return Same::Apart;
            };
            let is_one = is_same_file(&source, &target);
            Pair {
                source,
                target,
                is_one,
            }
        };
        self.compare_pair(item, &pair)
    }

    /// Compares two symbolic links that are copied as links.
    fn compare_links(&self, item: &Item, is_same: bool) -> Same {
        if is_same_entry(&item.from, &item.to) {
            Same::Clash
        } else if is_same && !self.settings.backups.are_made() {
            // Renaming one name of a file to another does nothing.
            if self.settings.moving {
                Same::Clash
            } else {
                Same::NothingToDo
            }
        } else {
            Same::Apart
        }
    }

    fn compare_pair(&self, item: &Item, pair: &Pair) -> Same {
        let settings = &self.settings;
        let is_link_source = is_link(pair.source.mode);
        let is_link_target = is_link(pair.target.mode);
        let follows = settings.follow != Follow::Never;
        let apart = |is_apart: bool| if is_apart { Same::Apart } else { Same::Clash };
        if follows && is_link_source && is_link_target && settings.remove_first {
            return Same::Apart;
        }
        if settings.backups.are_made() {
            // The backup of what the source leads to would leave the source without a target.
            let is_left_dangling = !settings.moving && follows && is_link_source && !is_link_target;
            return apart(if pair.is_one {
                !is_same_entry(&item.from, &item.to)
            } else {
                !is_left_dangling
            });
        }
        if settings.moving || settings.remove_first {
            if is_link_target {
                return Same::Apart;
            }
            let is_hard_link = pair.is_one && pair.target.nlink > 1;
            if is_hard_link && !is_same_entry(&item.from, &item.to) {
                return apart(!settings.moving);
            }
        }
        if !is_link_source && !is_link_target && !pair.is_one {
            return Same::Apart;
        }
        if settings.moving
            && is_link_source
            && pair.target.nlink > 1
            && let Ok(resolved) = resolve(&item.from, Existing::All, Links::Follow)
        {
            return apart(!is_same_entry(&resolved, &item.to));
        }
        if settings.how == How::SymbolicLink && is_link_target {
            return Same::Apart;
        }
        if follows {
            return Same::Clash;
        }
        self.compare_resolved(item, is_link_target)
    }

    /// Compares what a source and a target lead to, which are copied as links.
    fn compare_resolved(&self, item: &Item, is_link_target: bool) -> Same {
        let [from, to] = [&item.from, &item.to].map(|path| system::stat(path, Links::Follow));
        match (from, to) {
            (Ok(from), Ok(to)) if is_same_file(&from, &to) => match self.settings.how {
                How::HardLink if is_link_target => Same::Apart,
                How::HardLink => Same::NothingToDo,
                _ => Same::Clash,
            },
            _ => Same::Apart,
        }
    }
}
