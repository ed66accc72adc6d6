//! Handing changes down to the lower file system, or dropping them, path by path.
//!
//! Either makes the upper tree lose what it held for a path, so that the lower file system shows
//! through again. For that every directory above has to be merged with the lower one of its name;
//! one that was made anew becomes so first, its hidden entries marked one by one.

use codepod_abi::Errno;

use super::{InodeId, Overlay, split};
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::FileKind;
use crate::publish::{Fingerprint, Publish, Publisher};
use crate::tree::{Change, ChangeKind};

/// What became of a change: [`Errno::Stale`] where the lower file is not any more what the sandbox
/// saw, [`Errno::Perm`] where its path is guarded.
pub type HandedDown = (Change, Result<(), Errno>);

/// How the lower file at a changed path stands to what the sandbox saw of it.
#[derive(Debug, Clone, Copy)]
pub struct Below {
    /// Whether it is not any more what the sandbox saw.
    pub stale: bool,
    /// What it is now, all of its content included; `None` where there is none.
    pub now: Option<Fingerprint>,
    /// What the sandbox saw.
    pub seen: Option<Fingerprint>,
}

/// A change to hand down.
#[derive(Debug, Clone)]
pub struct Step {
    /// The change, as the overlay lists it.
    pub change: Change,
    /// What has to be there: what the sandbox saw, or what its host has looked at since.
    pub over: Option<Below>,
    /// What is put there in place of what the sandbox has.
    pub instead: Option<Replacement>,
}

/// The content that a file of the lower file system gets in place of the sandbox's.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Its bytes.
    pub content: Vec<u8>,
    /// Its permission bits.
    pub mode: u16,
}

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

    /// Hands changes down in the order in which they are given; what became of each.
    ///
    /// As [`Self::hand_down`], but it is for the caller to leave out guarded paths.
    pub(crate) fn hand_down_steps(
        &mut self,
        caller: &Caller<'_>,
        steps: &[Step],
    ) -> Result<Vec<HandedDown>, Errno> {
        let mut changes: Vec<Change> = steps.iter().map(|step| step.change.clone()).collect();
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        self.listing = None;
        self.merge_above(caller, &changes)?;
        let mut outcome = Vec::with_capacity(steps.len());
        for step in steps {
            let result = if self.is_refused(&step.change, true) {
                Err(Errno::Perm)
            } else if step.change.kind == ChangeKind::Removed {
                self.remove_below(caller, step)
            } else {
                self.put_below(caller, step)
            };
            outcome.push((step.change.clone(), result));
        }
        self.listing = None;
        Ok(outcome)
    }

    /// Whether handing a change down has to be allowed, or is never done.
    pub(crate) fn refuses(&self, change: &Change, guarded: bool) -> bool {
        self.is_refused(change, guarded)
    }

    /// Begins a change of several files of the lower file system, which can be rolled back.
    pub(crate) fn begin_handing_down(&mut self) {
        self.before = Some(self.state.clone());
        if let Some(publisher) = self.lower.publisher() {
            publisher.begin();
        }
    }

    /// Commits (`keep`) or rolls back what was handed down since [`Self::begin_handing_down`], and
    /// this overlay's own state with it. Returns the paths that could not be rolled back.
    pub(crate) fn end_handing_down(&mut self, keep: bool) -> Vec<Vec<u8>> {
        self.listing = None;
        if let Some(before) = self.before.take().filter(|_| !keep) {
            self.state = before;
        }
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
        let (gone, put): (Vec<_>, Vec<_>) = chosen
            .into_iter()
            .partition(|change| change.kind == ChangeKind::Removed);
        let steps = gone.into_iter().rev().chain(put).map(|change| Step {
            change,
            over: None,
            instead: None,
        });
        let steps: Vec<Step> = steps.collect();
        let mut outcome = self.hand_down_steps(caller, &steps)?;
        outcome.extend(refused.into_iter().map(|change| (change, Err(Errno::Perm))));
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
        changes.retain(|change| match self.look_below(caller, change) {
            Ok(below) => below.stale,
            Err(errno) => {
                failed = Some(errno);
                true
            }
        });
        failed.map_or(Ok(changes), Err)
    }

    /// How the lower file at a changed path stands to what the sandbox saw of it.
    pub(crate) fn look_below(
        &mut self,
        caller: &Caller<'_>,
        change: &Change,
    ) -> Result<Below, Errno> {
        let lower = match self.lower_at(caller, &change.path) {
            Ok(lower) => Some(lower),
            Err(Errno::NoEnt | Errno::NotDir) => None,
            Err(errno) => return Err(errno),
        };
        let mut now = match lower {
            Some(lower) => Some(self.lower.fingerprint(caller, lower)?),
            None => None,
        };
        // Where nothing is below, something may have been when the sandbox changed it.
        let seen = match change.kind {
            ChangeKind::Added if !self.state.has_base(&change.path) => None,
            _ => self.state.seen.get(&change.path[..]).copied(),
        };
        if let (Some(found), Some(lower)) = (&mut now, lower)
            && (found.is_sampled() || seen.is_some_and(|seen| seen.is_sampled()))
        {
            let fs = &mut self.lower;
            let read = |offset, buffer: &mut [u8]| fs.read_at(caller, lower, offset, buffer);
            found.whole = Some(crate::publish::digest(read)?);
        }
        let stale = match (&seen, &now) {
            (None, None) => false,
            (None, Some(now)) => !(now.is_directory() && change.file == FileKind::Directory),
            (Some(_), None) => true,
            (Some(seen), Some(now)) => {
                !seen.looks_same(now)
                    || seen.digests_differ(now)
                    || seen.is_sampled() && seen.whole != now.whole
            }
        };
        Ok(Below { stale, now, seen })
    }

    /// As [`Self::look_below`], for a path that the sandbox may only have read; `None` if it has
    /// not even done that.
    pub(crate) fn look_at_seen(
        &mut self,
        caller: &Caller<'_>,
        path: &[u8],
    ) -> Result<Option<Below>, Errno> {
        let Some(seen) = self.state.seen.get(path).copied() else {
            return Ok(None);
        };
        let change = Change {
            path: path.to_vec(),
            kind: ChangeKind::Modified,
            file: seen.kind,
        };
        self.look_below(caller, &change).map(Some)
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

    fn remove_below(&mut self, caller: &Caller<'_>, step: &Step) -> Result<(), Errno> {
        let change = &step.change;
        let expected = match step.over {
            Some(below) => below.now,
            None => Some(self.expected(&change.path)?),
        };
        let lower = publisher(&mut *self.lower)?;
        lower.publish(&change.path, Publish::Nothing, expected)?;
        self.state.forget_seen(&change.path);
        self.forget_upper(caller, &change.path)
    }

    fn put_below(&mut self, caller: &Caller<'_>, step: &Step) -> Result<(), Errno> {
        let change = &step.change;
        let path = &change.path[..];
        let expected = match (step.over, change.kind) {
            (Some(below), _) => below.now,
            (None, ChangeKind::Added) => None,
            (None, _) => Some(self.expected(path)?),
        };
        let upper = self.state.tree.at(path)?;
        let stat = self.state.tree.stat(upper)?;
        let tree = &self.state.tree;
        let target;
        let mut content = |offset: u64, buffer: &mut [u8]| match &step.instead {
            Some(instead) => Ok(read_slice(&instead.content, offset, buffer)),
            None => tree.read_at(upper, offset, buffer),
        };
        let instead = step.instead.as_ref();
        let new = match stat.kind {
            _ if change.kind == ChangeKind::AttributesChanged && instead.is_none() => {
                Publish::Mode(stat.mode)
            }
            FileKind::Directory => Publish::Directory { mode: stat.mode },
            FileKind::File => Publish::File {
                mode: instead.map_or(stat.mode, |instead| instead.mode),
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
        self.state.forget_base(path, caller.now);
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

/// Reads from bytes as from a file.
fn read_slice(bytes: &[u8], offset: u64, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|at| bytes.get(at..));
    let rest = rest.unwrap_or_default();
    let length = rest.len().min(buffer.len());
    buffer[..length].copy_from_slice(&rest[..length]);
    length
}
