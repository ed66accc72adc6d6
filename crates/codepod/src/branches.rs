//! Branches: forks that try different things, of which one is kept or whose files are merged.

use std::collections::BTreeMap;

use codepod_abi::Errno;
use codepod_vfs::{ChangeKind, FileKind, Vfs};

use crate::changes::PathChange;
use crate::error::{Error, ErrorKind};
use crate::moment::Moment;
use crate::sandbox::{Sandbox, Snapshot};
use crate::timeline::{Mark, StepKind};
use crate::transfer::{look, remove, take_one};

/// What a merge did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// What was taken over.
    pub taken: Vec<PathChange>,
    /// Paths that both had changed to the same.
    pub same: Vec<Vec<u8>>,
    /// Paths that both had changed differently; they are as they were.
    pub conflicts: Vec<Conflict>,
}

/// A path that two branches have changed differently.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Conflict {
    /// The path, absolute.
    pub path: Vec<u8>,
    /// What this sandbox did: to the path, or to one above or below it.
    pub ours: ChangeKind,
    /// What the other did to it.
    pub theirs: ChangeKind,
}

impl Sandbox {
    /// As many forks as wanted. See [`Sandbox::fork`].
    pub fn forks(&self, count: usize) -> Result<Vec<Sandbox>, Error> {
        (0..count).map(|_| self.fork()).collect()
    }

    /// Becomes what a fork of it has become, files and shells, in constant time, whatever either
    /// holds. It can be undone as a run can. Busy while processes run here.
    pub fn adopt(&self, fork: &Sandbox) -> Result<(), Error> {
        let snapshot = self.own(fork.snapshot()?)?;
        let mark = Mark::begin_kind(self, b"(a fork adopted)", StepKind::State)?;
        match self.restore(&snapshot) {
            Ok(()) => {
                mark.end(0);
                Ok(())
            }
            Err(error) => {
                mark.forget();
                Err(error)
            }
        }
    }

    /// Takes over what a fork has changed since `base`, path by path. A path that both have changed
    /// since is compared: equal ones are fine, others are conflicts and stay as they are here.
    /// It can be undone as a run can.
    pub fn merge(&self, base: &Snapshot, fork: &Sandbox) -> Result<Merged, Error> {
        let snapshot = fork.snapshot()?;
        let theirs = self.changes(base, &snapshot)?;
        let ours = self.changes(base, Moment::Now)?;
        let mark = Mark::begin_kind(self, b"(a fork merged)", StepKind::State)?;
        let mut kernel = self.kernel()?;
        let (vfs, caller) = kernel.files();
        let now = caller.now;
        let mut other = vfs.at(&snapshot.files).map_err(|_| ErrorKind::Internal)?;
        let plan = Plan::new(&ours, &theirs, vfs, &mut other)?;
        let outcome = plan.carry_out(vfs, &mut other, now);
        drop(kernel);
        mark.end(i32::from(outcome.is_err()));
        outcome
    }
}

/// What is to be done with each path.
struct Plan {
    merged: Merged,
}

impl Plan {
    fn new(
        ours: &[PathChange],
        theirs: &[PathChange],
        here: &mut Vfs,
        other: &mut Vfs,
    ) -> Result<Plan, Error> {
        let own: BTreeMap<&[u8], &PathChange> = ours
            .iter()
            .map(|change| (&change.path[..], change))
            .collect();
        let mut merged = Merged::default();
        for change in theirs {
            let conflict = match own.get(&change.path[..]) {
                Some(_) if is_same(here, other, &change.path).map_err(at(&change.path))? => {
                    merged.same.push(change.path.clone());
                    continue;
                }
                // Both have the directory; what is in it is told by itself.
                Some(own) if is_directory(own) && is_directory(change) => None,
                Some(own) => Some(own.kind),
                None => in_the_way(&own, change),
            };
            match conflict {
                Some(ours) => merged.conflicts.push(Conflict {
                    path: change.path.clone(),
                    ours,
                    theirs: change.kind,
                }),
                None => merged.taken.push(change.clone()),
            }
        }
        Ok(Plan { merged })
    }

    fn carry_out(self, here: &mut Vfs, other: &mut Vfs, now: u64) -> Result<Merged, Error> {
        let removed = |change: &&PathChange| change.kind == ChangeKind::Removed;
        // What lies deepest goes first, what lies highest comes first.
        for change in self.merged.taken.iter().rev().filter(removed) {
            remove(here, &change.path, now).map_err(at(&change.path))?;
        }
        for change in self.merged.taken.iter().filter(|change| !removed(change)) {
            take_one(other, here, &change.path, now).map_err(at(&change.path))?;
        }
        Ok(self.merged)
    }
}

/// What we did above or below a path that makes it impossible to take it over.
fn in_the_way(own: &BTreeMap<&[u8], &PathChange>, change: &PathChange) -> Option<ChangeKind> {
    let path = &change.path[..];
    let above = path
        .iter()
        .enumerate()
        .skip(1)
        .filter(|(_, byte)| **byte == b'/')
        .filter_map(|(end, _)| own.get(&path[..end]))
        .find(|own| {
            !own.after
                .is_some_and(|stat| stat.kind == FileKind::Directory)
        });
    if let Some(above) = above {
        return Some(above.kind);
    }
    let stays = change
        .after
        .is_some_and(|stat| stat.kind == FileKind::Directory);
    if stays {
        return None;
    }
    let start = [path, b"/"].concat();
    let below = own.range(&start[..]..).next();
    below
        .filter(|(inside, own)| inside.starts_with(&start) && own.kind != ChangeKind::Removed)
        .map(|(_, own)| own.kind)
}

fn is_directory(change: &PathChange) -> bool {
    change
        .after
        .is_some_and(|stat| stat.kind == FileKind::Directory)
}

/// Whether a path is the same in both: kind, content, mode and owner.
fn is_same(a: &mut Vfs, b: &mut Vfs, path: &[u8]) -> Result<bool, Errno> {
    let (one, two) = match (look(a, path)?, look(b, path)?) {
        (None, None) => return Ok(true),
        (Some(one), Some(two)) => (one, two),
        _ => return Ok(false),
    };
    let facts = |stat: &codepod_vfs::Stat| (stat.kind, stat.mode, stat.uid, stat.gid);
    if facts(&one.1) != facts(&two.1) {
        return Ok(false);
    }
    a.same_content((one.0, &one.1), b, (two.0, &two.1))
}

fn at(path: &[u8]) -> impl FnOnce(Errno) -> Error {
    move |errno| Error::file(path, errno)
}
