//! From a number to an open directory: the only place where names of the host are walked.
//!
//! Every operation walks from the root, so that it sees the directories as they are now. Only the
//! steps of one path (between `begin` and `end`) share what was opened: each goes on from the
//! directory that the one before has reached, as the host's own walk of that path would, and a path
//! costs as many steps as it has names. Of those directories the last ones stay open, and of a long
//! way some marks spread over it, so that going up does not begin at the root each time. Nothing
//! stays open beyond the path, so that nobody meets a directory that was moved away since.
//!
//! What the last name was found to be is kept as well, so that it is not asked for again by the
//! next step of the same path.
//!
//! Invariant: outside of a path `recent`, `marks` and `seen` are empty; within one the first two
//! hold at most [`RECENT`] and [`MARKS`].

use std::collections::VecDeque;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use codepod_abi::Errno;
use rustix::fs::{Mode, OFlags};

use super::errno::translate;
use super::table::ROOT;
use super::{HostDir, SAFE};
use crate::node::InodeId;

/// Directories of one path that stay open, the last ones first.
const RECENT: usize = 32;
/// Directories spread over a long way that stay open besides.
const MARKS: usize = 32;

#[cfg(any(target_os = "linux", target_os = "android"))]
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(SAFE);
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const STEP: OFlags = OFlags::DIRECTORY.union(SAFE);

/// An open directory, for single names in it.
pub(super) type Dir = Arc<OwnedFd>;

/// A directory that was reached.
#[derive(Debug, Clone)]
pub(super) struct Reached {
    id: InodeId,
    pub(super) dir: Dir,
    /// Names between the root and it.
    pub(super) depth: usize,
}

/// What one path has opened so far.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// How many paths are being walked, one within the other; none: nothing is kept.
    nested: u32,
    recent: VecDeque<Reached>,
    marks: Vec<Reached>,
    /// What the last name of the path so far was found to be.
    seen: Option<(InodeId, rustix::fs::Stat)>,
}

impl Walk {
    pub(super) fn begin(&mut self) {
        self.nested += 1;
    }

    pub(super) fn end(&mut self) {
        self.nested = self.nested.saturating_sub(1);
        if self.nested == 0 {
            self.forget();
        }
    }

    /// Forgets what was reached, because names have changed.
    pub(super) fn forget(&mut self) {
        self.recent.clear();
        self.marks.clear();
        self.seen = None;
    }

    /// Notes what a name was found to be.
    pub(super) fn see(&mut self, id: InodeId, stat: rustix::fs::Stat) {
        self.seen = (self.nested > 0).then_some((id, stat));
    }

    /// What the last name was found to be, if that is the node.
    pub(super) fn seen(&self, id: InodeId) -> Option<rustix::fs::Stat> {
        let (_, stat) = self.seen.as_ref().filter(|(seen, _)| *seen == id)?;
        Some(*stat)
    }

    fn find(&self, id: InodeId) -> Option<Reached> {
        let mut all = self.recent.iter().rev().chain(&self.marks);
        all.find(|reached| reached.id == id).cloned()
    }

    fn keep(&mut self, reached: &Reached, mark: bool) {
        if self.nested == 0 {
            return;
        }
        if mark && self.marks.len() < MARKS {
            self.marks.push(reached.clone());
        }
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(reached.clone());
    }
}

impl HostDir {
    /// The directory `id`, opened for single names in it.
    ///
    /// [`Errno::NameTooLong`] if it is too deep, [`Errno::NotDir`] if something else has taken its
    /// place or that of one above it, [`Errno::Xdev`] if it is on a file system that the mount
    /// does not go into.
    pub(super) fn dir(&mut self, id: InodeId) -> Result<Dir, Errno> {
        self.reach(id).map(|reached| reached.dir)
    }

    /// The directory `id`, opened as [`Self::dir`] does, and how deep it is.
    pub(super) fn reach(&mut self, id: InodeId) -> Result<Reached, Errno> {
        let mut names = Vec::new();
        let mut at = id;
        let mut reached = loop {
            if at == ROOT {
                let dir = self.shared.root.clone();
                break Reached {
                    id: ROOT,
                    dir,
                    depth: 0,
                };
            }
            if let Some(reached) = self.walk.find(at) {
                break reached;
            }
            let (parent, name) = self.table_mut().step_up(at)?;
            names.push((at, name));
            at = parent;
        };
        if reached.depth + names.len() > self.shared.options.depth {
            return Err(Errno::NameTooLong);
        }
        let from_root = reached.depth == 0 && names.len() > RECENT;
        if from_root {
            self.walk.marks.clear();
        }
        let stride = names.len().div_ceil(MARKS).max(1);
        for (id, name) in names.into_iter().rev() {
            reached = Reached {
                id,
                dir: self.step(&reached.dir, &name)?,
                depth: reached.depth + 1,
            };
            let mark = from_root && reached.depth.is_multiple_of(stride);
            self.walk.keep(&reached, mark);
        }
        Ok(reached)
    }

    /// Opens the directory that `names` lead to, one step at a time.
    pub(super) fn walk_names(&self, names: &[Arc<[u8]>]) -> Result<Dir, Errno> {
        if names.len() > self.shared.options.depth {
            return Err(Errno::NameTooLong);
        }
        let mut at = self.shared.root.clone();
        for name in names {
            at = self.step(&at, name)?;
        }
        Ok(at)
    }

    /// Opens a directory by its name in another.
    pub(super) fn step(&self, from: &Dir, name: &[u8]) -> Result<Dir, Errno> {
        self.shared.count_step();
        let next = rustix::fs::openat(from, name, STEP, Mode::empty());
        let next = next.map_err(|error| match error {
            // Something else has taken the directory's place: a link among others.
            rustix::io::Errno::LOOP => Errno::NotDir,
            other => translate(other),
        })?;
        self.shared.check_directory(&next)?;
        Ok(Arc::new(next))
    }

    /// [`Errno::NameTooLong`] if a directory that is made or put into the one `reached` would be
    /// too deep.
    pub(super) fn check_depth(&self, reached: &Reached) -> Result<(), Errno> {
        if reached.depth < self.shared.options.depth {
            Ok(())
        } else {
            Err(Errno::NameTooLong)
        }
    }
}
