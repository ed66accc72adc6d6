//! Handing changes down to the lower file system, or dropping them, path by path.
//!
//! Either makes the upper tree lose what it held for a path, so that the lower file system shows
//! through again. For that every directory above has to be merged with the lower one of its name;
//! one that was made anew becomes so first, its hidden entries marked one by one.

use codepod_abi::Errno;

use super::{InodeId, Overlay};
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::FileKind;
use crate::publish::{Fingerprint, Publish, Publisher};
use crate::tree::{Change, ChangeKind};

/// What became of a change: [`Errno::Stale`] where the lower file is not any more what the sandbox
/// saw, [`Errno::Perm`] where its path is guarded.
pub type HandedDown = (Change, Result<(), Errno>);

/// What the host can put nodes into; nothing else takes changes.
fn publisher(lower: &mut dyn FileSystem) -> Result<&mut dyn Publisher, Errno> {
    lower.publisher().ok_or(Errno::Rofs)
}

impl Overlay {
    /// Hands the changes at and below some paths down; all without any. A new directory that they
    /// lie in goes along.
    ///
    /// What became of each: [`Errno::Perm`] for a guarded path unless `guarded` ones are to go
    /// along, and for a link that leads out. Nothing may be open.
    pub(crate) fn hand_down(
        &mut self,
        caller: &Caller<'_>,
        paths: &[Vec<u8>],
        guarded: bool,
    ) -> Result<Vec<HandedDown>, Errno> {
        let outcome = self.hand_down_all(caller, paths, guarded);
        self.listing = None;
        outcome
    }

    /// Begins a change of several files of the lower file system, which can be rolled back.
    pub(crate) fn begin_handing_down(&mut self) {
        if let Some(publisher) = self.lower.publisher() {
            publisher.begin();
        }
    }

    /// Commits (`keep`) or rolls back what was handed down since [`Self::begin_handing_down`].
    /// Returns the paths that could not be rolled back.
    pub(crate) fn end_handing_down(&mut self, keep: bool) -> Vec<Vec<u8>> {
        let publisher = self.lower.publisher();
        publisher.map_or_else(Vec::new, |publisher| publisher.end(keep))
    }

    fn hand_down_all(
        &mut self,
        caller: &Caller<'_>,
        paths: &[Vec<u8>],
        guarded: bool,
    ) -> Result<Vec<HandedDown>, Errno> {
        let changes = self.list_changes(caller)?;
        let chosen = chosen(changes, paths, true);
        let (refused, chosen): (Vec<_>, Vec<_>) = chosen
            .into_iter()
            .partition(|change| self.is_refused(change, guarded));
        self.merge_above(caller, &chosen)?;
        let refused = refused.into_iter();
        let mut outcome: Vec<_> = refused.map(|change| (change, Err(Errno::Perm))).collect();
        let removed = |change: &&Change| change.kind == ChangeKind::Removed;
        for change in chosen.iter().rev().filter(removed) {
            let result = self.remove_below(caller, change);
            outcome.push((change.clone(), result));
        }
        for change in chosen.iter().filter(|change| !removed(change)) {
            let result = self.put_below(caller, change);
            outcome.push((change.clone(), result));
        }
        outcome.sort_by(|(a, _), (b, _)| a.path.cmp(&b.path));
        Ok(outcome)
    }

    /// Whether a change stays here because its path is guarded, or because it is a link that leads
    /// out of the directory.
    fn is_refused(&self, change: &Change, guarded: bool) -> bool {
        let guard = self.lower.guard();
        let target = match change.kind {
            ChangeKind::Removed => None,
            _ => self.state.tree.at(&change.path).ok(),
        };
        let target = target.and_then(|upper| self.state.tree.readlink(upper).ok());
        !guarded && guard.covers(&change.path)
            || target.is_some_and(|target| guard.leads_out(&change.path, &target))
    }

    /// The changes that could not be handed down now.
    pub(crate) fn stale_changes(&mut self, caller: &Caller<'_>) -> Result<Vec<Change>, Errno> {
        let mut changes = self.list_changes(caller)?;
        let mut failed = None;
        changes.retain(|change| match self.is_stale(caller, change) {
            Ok(stale) => stale,
            Err(errno) => {
                failed = Some(errno);
                true
            }
        });
        failed.map_or(Ok(changes), Err)
    }

    fn is_stale(&mut self, caller: &Caller<'_>, change: &Change) -> Result<bool, Errno> {
        let lower = match self.lower_at(caller, &change.path) {
            Ok(lower) => Some(lower),
            Err(Errno::NoEnt | Errno::NotDir) => None,
            Err(errno) => return Err(errno),
        };
        let now = match lower {
            Some(lower) => Some(self.lower.fingerprint(caller, lower)?),
            None => None,
        };
        let seen = match change.kind {
            ChangeKind::Added => None,
            _ => self.state.seen.get(&change.path[..]),
        };
        if let (Some(seen), Some(lower)) = (seen, lower)
            && seen.is_sampled()
        {
            let Some(whole) = seen.whole else {
                return Ok(true);
            };
            let fs = &mut self.lower;
            let read = |offset, buffer: &mut [u8]| fs.read_at(caller, lower, offset, buffer);
            if crate::publish::digest(read)? != whole {
                return Ok(true);
            }
        }
        Ok(match (seen, now) {
            (None, None) => false,
            (None, Some(now)) => !(now.is_directory() && change.file == FileKind::Directory),
            (Some(_), None) => true,
            (Some(seen), Some(now)) => !seen.looks_same(&now) || seen.digests_differ(&now),
        })
    }

    /// Drops the changes at and below some paths; all without any. Returns them.
    pub(crate) fn drop_changes(
        &mut self,
        caller: &Caller<'_>,
        paths: &[Vec<u8>],
    ) -> Result<Vec<Change>, Errno> {
        let changes = self.list_changes(caller)?;
        let chosen = chosen(changes, paths, false);
        self.in_one_step(|overlay| {
            overlay.merge_above(caller, &chosen)?;
            for change in chosen.iter().rev() {
                overlay.drop_change(caller, change)?;
            }
            Ok(())
        })?;
        self.listing = None;
        Ok(chosen)
    }

    fn remove_below(&mut self, caller: &Caller<'_>, change: &Change) -> Result<(), Errno> {
        let expected = self.expected(&change.path)?;
        let lower = publisher(&mut *self.lower)?;
        lower.publish(&change.path, Publish::Nothing, Some(expected))?;
        self.state.forget_seen(&change.path);
        self.forget_upper(caller, &change.path)
    }

    fn put_below(&mut self, caller: &Caller<'_>, change: &Change) -> Result<(), Errno> {
        let path = &change.path[..];
        let expected = match change.kind {
            ChangeKind::Added => None,
            _ => Some(self.expected(path)?),
        };
        let upper = self.state.tree.at(path)?;
        let stat = self.state.tree.stat(upper)?;
        let tree = &self.state.tree;
        let target;
        let mut content = |offset: u64, buffer: &mut [u8]| tree.read_at(upper, offset, buffer);
        let new = match stat.kind {
            _ if change.kind == ChangeKind::AttributesChanged => Publish::Mode(stat.mode),
            FileKind::Directory => Publish::Directory { mode: stat.mode },
            FileKind::File => Publish::File {
                mode: stat.mode,
                mtime: stat.mtime,
                content: &mut content,
            },
            FileKind::Symlink => {
                target = tree.readlink(upper)?;
                Publish::Symlink { target: &target }
            }
            _ => return Err(Errno::NotSup),
        };
        let now = publisher(&mut *self.lower)?.publish(path, new, expected)?;
        if let Some(now) = now {
            self.state.note_seen(path, now, u64::MAX)?;
        }
        if stat.kind != FileKind::Directory {
            return self.forget_upper(caller, path);
        }
        let lower = self.lower_at(caller, path)?;
        self.stand_for(upper, lower);
        Ok(())
    }

    /// What the sandbox saw at a path. Without it nobody knows what would be overwritten.
    fn expected(&self, path: &[u8]) -> Result<Fingerprint, Errno> {
        self.state.seen.get(path).copied().ok_or(Errno::Stale)
    }

    fn drop_change(&mut self, caller: &Caller<'_>, change: &Change) -> Result<(), Errno> {
        let path = &change.path[..];
        if change.kind == ChangeKind::AttributesChanged && change.file == FileKind::Directory {
            let lower = self.lower_at(caller, path)?;
            let stat = self.lower.stat(caller, lower)?;
            let upper = self.state.tree.at(path)?;
            self.state.tree.copy_attributes(upper, &stat);
            return Ok(());
        }
        self.forget_upper(caller, path)
    }

    /// Takes what the upper tree has at a path out of it, a whiteout among others. A directory that
    /// came from below stays, merged: it may hold what is not to be forgotten.
    fn forget_upper(&mut self, caller: &Caller<'_>, path: &[u8]) -> Result<(), Errno> {
        let (dir, name) = split(path);
        match self.state.tree.at(dir) {
            Ok(dir) if self.state.tree.directory(dir).is_ok() => {
                self.remove_upper(caller, dir, name)
            }
            // A mark or a file stands above it, which hides it and is told by itself.
            _ => Ok(()),
        }
    }

    /// Makes every directory above the changes that was made anew show what is below it, apart from
    /// what it hid.
    fn merge_above(&mut self, caller: &Caller<'_>, changes: &[Change]) -> Result<(), Errno> {
        let mut before: &[u8] = b"";
        for change in changes {
            // They are sorted: what one has in common with the one before is done.
            let pairs = change.path.iter().zip(before);
            let common = pairs.take_while(|(a, b)| a == b).count();
            let slashes = change.path.iter().enumerate().skip(common);
            for (end, _) in slashes.filter(|(_, byte)| **byte == b'/') {
                self.merge(caller, &change.path[..end])?;
            }
            before = &change.path;
        }
        Ok(())
    }

    fn merge(&mut self, caller: &Caller<'_>, path: &[u8]) -> Result<(), Errno> {
        let Ok(upper) = self.state.tree.at(path) else {
            return Ok(());
        };
        if self.state.tree.directory(upper).is_err() || self.state.tree.origin(upper).is_some() {
            return Ok(());
        }
        let lower = match self.lower_at(caller, path) {
            Ok(lower) => lower,
            Err(Errno::NoEnt | Errno::NotDir) => return Ok(()),
            Err(error) => return Err(error),
        };
        if self.lower.stat(caller, lower)?.kind != FileKind::Directory {
            return Ok(());
        }
        let mut hidden = Vec::new();
        let tree = &self.state.tree;
        self.lower.list(caller, lower, 0, u64::MAX, &mut |entry| {
            if tree.lookup(upper, entry.name).is_err() {
                hidden.push(entry.name.to_vec());
            }
            true
        })?;
        for name in hidden {
            self.state.tree.insert_whiteout(upper, &name, caller.now)?;
        }
        self.stand_for(upper, lower);
        Ok(())
    }

    /// Makes an upper directory stand for a lower one.
    fn stand_for(&mut self, upper: InodeId, lower: InodeId) {
        if let Some(old) = self.state.tree.origin(upper) {
            self.state.copied.remove(&old);
        }
        self.state.tree.set_origin(upper, lower);
        self.state.copied.insert(lower, upper);
    }
}

/// The changes at and below paths, with the new directories that they lie in if `parents`.
fn chosen(changes: Vec<Change>, paths: &[Vec<u8>], parents: bool) -> Vec<Change> {
    if paths.is_empty() {
        return changes;
    }
    let inside = |path: &[u8], start: &[u8]| {
        start.is_empty()
            || path
                .strip_prefix(start)
                .is_some_and(|rest| rest.is_empty() || rest[0] == b'/')
    };
    let wanted = |change: &Change| {
        paths.iter().any(|path| {
            inside(&change.path, path)
                || parents && change.kind != ChangeKind::Removed && inside(path, &change.path)
        })
    };
    changes.into_iter().filter(wanted).collect()
}

/// The directory of a path, and the name in it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}
