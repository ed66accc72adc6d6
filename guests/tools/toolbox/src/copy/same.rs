//! Whether an action would harm its own source.
//!
//! The question is always what becomes of the entry at the target's path, and whether the source
//! can still be read after that. An entry that stays is written through, so what it leads to must
//! not be the source. An entry that goes must not be one that the source's path needs, nor the only
//! name of the data that a copied link leads to.

use codepod_tool::quoted;

use super::{Copier, How, Item, Outcome};
use crate::mode::{is_directory, is_link};
use crate::paths::{directory, is_same_entry, is_same_file, join};
use crate::system::{self, Links, Stat};

/// How many symbolic links are followed; more are a loop for the kernel, too.
const MOST_LINKS: usize = 40;

/// What an action makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// The source gets another name.
    Rename,
    /// The source's content is written to a file, or a fifo or device is made anew.
    Write,
    /// What is in the source is added to a directory.
    Merge,
    /// A symbolic link with the text of the source.
    CopyLink,
    /// `cp -l`
    HardLink,
    /// `cp -s`
    SymbolicLink,
}

/// What options ask to do first with the entry that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// Nothing.
    Stays,
    /// It is removed: `--remove-destination`.
    Removed,
    /// It becomes a backup.
    BackedUp,
}

/// What an action may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It goes on.
    Harmless,
    /// What it would make is there already.
    Done,
    /// It would lose its source.
    SameFile,
}

/// How the source and the entry at the target's path are related.
#[derive(Debug, Clone, Copy, Default)]
struct Relation {
    /// Both paths are one entry of one directory.
    one_entry: bool,
    /// What is copied is the entry's own file.
    is_entry: bool,
    /// What is copied is a symbolic link, not what it leads to.
    is_link: bool,
    /// What that link leads to is the entry's own file.
    leads_to_entry: bool,
    /// The source is what a symbolic link leads to, and the entry's file is on the way or its end.
    needs_entry: bool,
    /// The entry's file has other names, too.
    has_other_names: bool,
}

impl Copier<'_> {
    /// What is done with a source of this kind.
    pub(super) fn action(&self, source: &Stat) -> Action {
        let settings = &self.settings;
        match settings.how {
            _ if settings.moving => Action::Rename,
            How::HardLink => Action::HardLink,
            How::SymbolicLink => Action::SymbolicLink,
            How::Content | How::Attributes if is_directory(source.mode) => Action::Merge,
            How::Content | How::Attributes if is_link(source.mode) => Action::CopyLink,
            How::Content | How::Attributes => Action::Write,
        }
    }

    /// What happens first to the entry that is there.
    pub(super) fn fate(&self) -> Fate {
        if self.settings.backups.are_made() {
            Fate::BackedUp
        } else if self.settings.remove_first {
            Fate::Removed
        } else {
            Fate::Stays
        }
    }

    /// Whether there is nothing to do because the copy is there already. Fails where the source
    /// would be lost.
    pub(super) fn is_done(&self, item: &Item, source: &Stat, found: &Stat) -> Outcome<bool> {
        let (action, fate) = (self.action(source), self.fate());
        let verdict = if matches!(action, Action::Write | Action::Merge) && fate == Fate::Stays {
            self.judge_written(item, source, found)
        } else {
            judge(action, fate, self.relation(item, source, found))
        };
        match verdict {
            Verdict::Harmless => Ok(false),
            Verdict::Done => Ok(true),
            Verdict::SameFile => {
                let (from, to) = (quoted(&item.from), quoted(&item.to));
                Err([&from[..], b" and ", &to, b" are the same file"].concat())
            }
        }
    }

    /// The entry stays: what it leads to is written to.
    fn judge_written(&self, item: &Item, source: &Stat, found: &Stat) -> Verdict {
        let is_same = |end: &Stat| is_same_file(source, end);
        let is_source = if is_link(found.mode) {
            system::stat(&item.to, Links::Follow).is_ok_and(|end| is_same(&end))
        } else {
            is_same(found)
        };
        if is_source {
            Verdict::SameFile
        } else {
            Verdict::Harmless
        }
    }

    fn relation(&self, item: &Item, source: &Stat, entry: &Stat) -> Relation {
        let is_source_link = is_link(source.mode);
        let is_followed = self.links(item) == Links::Follow;
        Relation {
            one_entry: is_same_entry(&item.from, &item.to),
            is_entry: is_same_file(source, entry),
            is_link: is_source_link,
            leads_to_entry: is_source_link
                && system::stat(&item.from, Links::Follow)
                    .is_ok_and(|end| is_same_file(&end, entry)),
            needs_entry: !is_source_link && is_followed && leads_through(&item.from, entry),
            has_other_names: entry.nlink > 1 && !is_directory(entry.mode),
        }
    }
}

/// Whether one of the symbolic links that a path leads through, or their end, is `entry`. The
/// path's own entry does not count: it may be another name of the same link.
fn leads_through(path: &[u8], entry: &Stat) -> bool {
    let mut path = path.to_vec();
    for _ in 0..MOST_LINKS {
        let Ok(text) = system::read_link(&path) else {
            return false;
        };
        path = if text.starts_with(b"/") {
            text
        } else {
            join(directory(&path), &text)
        };
        if system::stat(&path, Links::Keep).is_ok_and(|stat| is_same_file(&stat, entry)) {
            return true;
        }
    }
    false
}

/// Judges actions before which, or by which, the entry goes away.
fn judge(action: Action, fate: Fate, relation: Relation) -> Verdict {
    let is_kept = fate == Fate::BackedUp;
    match action {
        Action::Rename => {
            // The kernel does nothing when asked to rename one name of a file to another.
            let is_nothing = relation.is_entry && !is_kept;
            let is_last_name = !is_kept && relation.leads_to_entry && !relation.has_other_names;
            if relation.one_entry || is_nothing || is_last_name {
                Verdict::SameFile
            } else {
                Verdict::Harmless
            }
        }
        // A directory is never taken away.
        Action::Merge if relation.is_entry => Verdict::SameFile,
        Action::Merge => Verdict::Harmless,
        Action::HardLink if relation.is_entry => Verdict::Done,
        // Where other actions complain about a link onto what it leads to, this one is silent.
        Action::HardLink if relation.leads_to_entry && !is_kept => Verdict::Done,
        // The new name replaces the old one in one step.
        Action::HardLink if fate == Fate::Stays => Verdict::Harmless,
        // A file's other name becomes a symbolic link only when its removal is asked for.
        Action::SymbolicLink if fate == Fate::Stays && relation.is_entry && !relation.is_link => {
            Verdict::SameFile
        }
        Action::HardLink | Action::SymbolicLink | Action::Write | Action::CopyLink => {
            judge_taken(is_kept, relation)
        }
    }
}

/// The entry is taken away, and kept as a backup or not, before the source is read.
fn judge_taken(is_kept: bool, relation: Relation) -> Verdict {
    if relation.one_entry || relation.needs_entry {
        Verdict::SameFile
    } else if is_kept {
        Verdict::Harmless
    } else if relation.is_link && relation.is_entry {
        Verdict::Done
    } else if relation.leads_to_entry {
        Verdict::SameFile
    } else {
        Verdict::Harmless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FATES: [Fate; 3] = [Fate::Stays, Fate::Removed, Fate::BackedUp];

    fn verdicts(action: Action, relation: Relation) -> [Verdict; 3] {
        FATES.map(|fate| judge(action, fate, relation))
    }

    #[test]
    fn one_entry_is_never_taken_away_for_itself() {
        let relation = Relation {
            one_entry: true,
            is_entry: true,
            ..Relation::default()
        };
        for action in [Action::Rename, Action::SymbolicLink, Action::Merge] {
            assert_eq!(verdicts(action, relation), [Verdict::SameFile; 3]);
        }
        assert_eq!(verdicts(Action::HardLink, relation), [Verdict::Done; 3]);
    }

    #[test]
    fn another_name_of_the_source_may_go() {
        use Verdict::{Done, Harmless, SameFile};
        let relation = Relation {
            is_entry: true,
            has_other_names: true,
            ..Relation::default()
        };
        assert_eq!(verdicts(Action::Write, relation)[1..], [Harmless, Harmless]);
        let renamed = [SameFile, SameFile, Harmless];
        assert_eq!(verdicts(Action::Rename, relation), renamed);
        let linked = [SameFile, Harmless, Harmless];
        assert_eq!(verdicts(Action::SymbolicLink, relation), linked);
        let link = Relation {
            is_link: true,
            ..relation
        };
        assert_eq!(verdicts(Action::CopyLink, link), [Done, Done, Harmless]);
    }

    #[test]
    fn a_link_replaces_what_it_leads_to_only_where_that_is_kept() {
        use Verdict::{Done, Harmless, SameFile};
        let relation = Relation {
            is_link: true,
            leads_to_entry: true,
            ..Relation::default()
        };
        let refused = [SameFile, SameFile, Harmless];
        for action in [Action::Rename, Action::CopyLink, Action::SymbolicLink] {
            assert_eq!(verdicts(action, relation), refused);
        }
        assert_eq!(verdicts(Action::HardLink, relation), [Done, Done, Harmless]);
        let named_twice = Relation {
            has_other_names: true,
            ..relation
        };
        assert_eq!(verdicts(Action::Rename, named_twice), [Harmless; 3]);
        assert_eq!(verdicts(Action::CopyLink, named_twice), refused);
    }

    #[test]
    fn a_source_that_is_found_through_the_entry_needs_it() {
        let relation = Relation {
            needs_entry: true,
            ..Relation::default()
        };
        for action in [Action::Write, Action::SymbolicLink] {
            assert_eq!(verdicts(action, relation)[1..], [Verdict::SameFile; 2]);
        }
        assert_eq!(
            verdicts(Action::HardLink, relation),
            [Verdict::Harmless, Verdict::SameFile, Verdict::SameFile]
        );
    }
}
