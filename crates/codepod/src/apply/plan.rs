//! What applying is going to do, decided before anything is written: which changes go down as they
//! are, which are merged, which stay, and which are conflicts.

use std::collections::BTreeMap;

use codepod_abi::Errno;
use codepod_vfs::{Below, Caller, Change, ChangeKind, FileKind, MountId, Replacement, Step, Vfs};

use super::{ApplyOptions, Lost, Reason, Resolve};
use crate::changes::{LARGEST_TEXT, is_binary};
use crate::error::Error;
use crate::files::read_node;
use crate::gitignore::{Ignore, git_directory};
use crate::merge_text::{Side, merge};
use crate::overlays::below;
use crate::transfer::look;

/// A change that is not going to be applied, and why.
#[derive(Debug)]
pub(super) struct Left {
    pub(super) change: Change,
    pub(super) why: Errno,
    pub(super) reason: Reason,
}

/// What is going to be done at one mount.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// What is handed down, apart from repositories of git.
    pub(super) steps: Vec<Step>,
    /// What is handed down of each repository: all of it or nothing.
    pub(super) repositories: Vec<Vec<Step>>,
    /// Changes that the sandbox gives up because the host's version stays.
    pub(super) kept: Vec<Change>,
    pub(super) left: Vec<Left>,
    /// Paths that hold what both sides have changed.
    pub(super) merged: Vec<Vec<u8>>,
    pub(super) lost: Vec<Lost>,
    /// How many changes were left out because they are ignored or excluded.
    pub(super) ignored: u64,
}

/// A mount whose changes are planned.
pub(super) struct Planner<'a, 'c> {
    pub(super) vfs: &'a mut Vfs,
    pub(super) caller: &'a Caller<'c>,
    pub(super) at: &'a str,
    pub(super) mount: MountId,
    pub(super) options: &'a ApplyOptions,
    pub(super) plan: Plan,
}

impl Planner<'_, '_> {
    /// Plans the changes at and below some paths; all without any.
    pub(super) fn make(mut self, paths: &[Vec<u8>]) -> Result<Plan, Error> {
        let failed = |errno| Error::file(self.at, errno);
        let changes = self.vfs.overlay_changes(self.caller, self.mount);
        let changes = changes.map_err(failed)?;
        let (chosen, others): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .partition(|change| is_chosen(change, paths));
        let mut chosen = self.not_ignored(chosen)?;
        self.with_directories(&mut chosen, others.iter());
        let mut repositories: BTreeMap<Vec<u8>, Vec<Change>> = BTreeMap::new();
        for change in chosen {
            match git_directory(&change.path) {
                Some(end) => {
                    let place = change.path[..end].to_vec();
                    repositories.entry(place).or_default().push(change);
                }
                None => self
                    .plan_change(change)
                    .map_err(|errno| Error::file(self.at, errno))?,
            }
        }
        for (place, changes) in repositories {
            let whole = !others.iter().any(|other| starts_with(&other.path, &place));
            self.plan_repository(&place, changes, whole)
                .map_err(|errno| Error::file(self.at, errno))?;
        }
        sort(&mut self.plan.steps);
        Ok(self.plan)
    }

    /// What is neither ignored nor excluded.
    fn not_ignored(&mut self, changes: Vec<Change>) -> Result<Vec<Change>, Error> {
        let (mount, caller, at) = (self.mount, self.caller, self.at);
        let mut earlier = |vfs: &mut Vfs, path: &[u8]| {
            let inner = crate::files::rest_below(at, path)?;
            let inner = inner.strip_prefix(b"/")?;
            let most = crate::git_index::LARGEST;
            vfs.lower_content(caller, mount, inner, most).ok()?
        };
        let mut ignore = Ignore::new(self.vfs, &mut earlier, &self.options.selection)?;
        let listed = changes.iter().map(|change| {
            let is_directory = change.file == FileKind::Directory;
            (below(at, &change.path), change.kind, is_directory)
        });
        let listed: Vec<_> = listed.collect();
        let ignored = ignore.all_of(&listed);
        self.plan.ignored = ignored.iter().filter(|ignored| **ignored).count() as u64;
        let kept = changes.into_iter().zip(ignored);
        Ok(kept
            .filter(|(_, ignored)| !ignored)
            .map(|(change, _)| change)
            .collect())
    }

    /// Adds the new directories that the chosen changes lie in.
    fn with_directories<'c>(
        &self,
        chosen: &mut Vec<Change>,
        others: impl Iterator<Item = &'c Change>,
    ) {
        let above: Vec<Change> = others
            .filter(|other| other.kind != ChangeKind::Removed)
            .filter(|other| {
                let inside = |change: &Change| {
                    change.path != other.path && starts_with(&change.path, &other.path)
                };
                other.file == FileKind::Directory && chosen.iter().any(inside)
            })
            .cloned()
            .collect();
        chosen.extend(above);
        chosen.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Leaves a change alone.
    pub(super) fn leave(&mut self, change: Change, why: Errno, reason: Reason) {
        self.plan.left.push(Left {
            change,
            why,
            reason,
        });
    }

    pub(super) fn lose(&mut self, path: &[u8], what: impl Into<String>) {
        self.plan.lost.push(Lost {
            path: below(self.at, path),
            what: what.into(),
        });
    }

    /// Whether a change stays because it is guarded or leads out; it is told then.
    pub(super) fn is_refused(&mut self, change: &Change) -> Result<bool, Errno> {
        let guarded = self.options.guarded;
        if !self.vfs.refuses(self.mount, change, guarded)? {
            return Ok(false);
        }
        self.leave(change.clone(), Errno::Perm, Reason::Refused);
        Ok(true)
    }

    fn plan_change(&mut self, change: Change) -> Result<(), Errno> {
        if self.is_refused(&change)? {
            return Ok(());
        }
        let found = self.vfs.look_below(self.caller, self.mount, &change)?;
        if !found.stale {
            self.plan.steps.push(plain(change));
            return Ok(());
        }
        let conflict = match self.options.resolve {
            Resolve::Force => Reason::Stale,
            _ => match self.merge_texts(&change, &found)? {
                None => return Ok(()),
                Some(reason) => reason,
            },
        };
        match self.options.resolve {
            Resolve::Merge => self.leave(change, Errno::Stale, conflict),
            Resolve::Ours => {
                self.lose(&change.path, "the sandbox's version: the host's stays");
                self.plan.kept.push(change);
            }
            Resolve::Theirs | Resolve::Force => {
                let what = match found.now {
                    None => "that the host has removed it",
                    Some(_) => "what the host has made of it since the sandbox saw it",
                };
                self.lose(&change.path, what);
                self.plan.steps.push(over(change, found, None));
            }
        }
        Ok(())
    }

    /// Merges what both sides have made of a text; why that cannot be done.
    fn merge_texts(&mut self, change: &Change, found: &Below) -> Result<Option<Reason>, Errno> {
        let is_file = |below: Option<codepod_vfs::Fingerprint>| {
            below.is_some_and(|below| below.kind == FileKind::File)
        };
        if change.file != FileKind::File || !is_file(found.now) || !is_file(found.seen) {
            return Ok(Some(Reason::Stale));
        }
        let path = &change.path[..];
        let host = self
            .vfs
            .lower_content(self.caller, self.mount, path, LARGEST_TEXT)?;
        let base = self.vfs.base_content(self.mount, path)?;
        let ours = self.upper_content(path)?;
        let (Some(host), Some(base), Some((ours, mode))) = (host, base, ours) else {
            return Ok(Some(Reason::Stale));
        };
        if [&host, &base, &ours].iter().any(|text| is_binary(text)) {
            return Ok(Some(Reason::Stale));
        }
        let prefer = match self.options.resolve {
            Resolve::Theirs => Side::Theirs,
            _ => Side::Ours,
        };
        let merged = merge(&base, &host, &ours, prefer);
        let places = merged.conflicts;
        match self.options.resolve {
            _ if places == 0 => {}
            Resolve::Ours => self.lose(path, format!("{places} of the sandbox's edits")),
            Resolve::Theirs => self.lose(path, format!("{places} of the host's edits")),
            Resolve::Merge | Resolve::Force => return Ok(Some(Reason::Conflict { places })),
        }
        // A mode that only the host has changed stays the host's.
        let modes = found.seen.zip(found.now);
        let mode = modes
            .filter(|(seen, _)| seen.mode == mode)
            .map_or(mode, |(_, now)| now.mode);
        if merged.text == host && found.now.is_some_and(|now| now.mode == mode) {
            self.plan.kept.push(change.clone());
            return Ok(None);
        }
        self.plan.merged.push(below(self.at, path));
        let instead = Replacement {
            content: merged.text,
            mode,
        };
        self.plan
            .steps
            .push(over(change.clone(), *found, Some(instead)));
        Ok(None)
    }

    /// What the sandbox has at a path, if that is a file, and its permission bits.
    pub(super) fn upper_content(&mut self, path: &[u8]) -> Result<Option<(Vec<u8>, u16)>, Errno> {
        let Some((node, stat)) = look(self.vfs, &below(self.at, path))? else {
            return Ok(None);
        };
        if stat.kind != FileKind::File || stat.size > crate::git_index::LARGEST {
            return Ok(None);
        }
        let content = read_node(self.vfs, &Caller::root(0), node)?;
        Ok(Some((content, stat.mode & 0o777)))
    }
}

/// A change that goes down where the host has what the sandbox saw.
pub(super) fn plain(change: Change) -> Step {
    Step {
        change,
        over: None,
        instead: None,
    }
}

/// A change that goes down over what the host has been found to have.
pub(super) fn over(change: Change, found: Below, instead: Option<Replacement>) -> Step {
    Step {
        change,
        over: Some(found),
        instead,
    }
}

/// Removals first, from the deepest up; then the rest, from the highest down.
fn sort(steps: &mut [Step]) {
    steps.sort_by(|a, b| {
        let removed = |step: &Step| step.change.kind == ChangeKind::Removed;
        match (removed(a), removed(b)) {
            (true, true) => b.change.path.cmp(&a.change.path),
            (false, false) => a.change.path.cmp(&b.change.path),
            (a, b) => b.cmp(&a),
        }
    });
}

/// Whether a path is another or lies below it.
pub(super) fn starts_with(path: &[u8], start: &[u8]) -> bool {
    start.is_empty()
        || path
            .strip_prefix(start)
            .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
}

fn is_chosen(change: &Change, paths: &[Vec<u8>]) -> bool {
    paths.is_empty() || paths.iter().any(|path| starts_with(&change.path, path))
}
