//! What an overlay has changed, told by path.
//!
//! The upper tree holds little else than changes, so this takes as long as there are changes. Of a
//! directory that was removed or replaced, everything that was in it is listed too.

use codepod_abi::Errno;

use super::{InodeId, Overlay, below, tagged};
use crate::backend::FileSystem;
use crate::caller::Caller;
use crate::node::{FileKind, Stat};
use crate::tree::content::CHUNK;
use crate::tree::{Change, ChangeKind};

impl Overlay {
    /// All paths that differ from the lower file system, sorted.
    pub(crate) fn list_changes(&mut self, caller: &Caller<'_>) -> Result<Vec<Change>, Errno> {
        self.in_one_walk(|overlay| overlay.find_changes(caller))
    }

    fn find_changes(&mut self, caller: &Caller<'_>) -> Result<Vec<Change>, Errno> {
        let mut changes = Vec::new();
        // Directories whose two sides are still to be compared: path and lower number, if any.
        let mut open = vec![(Vec::new(), self.root(), Some(self.lower.root()))];
        while let Some((path, dir, lower_dir)) = open.pop() {
            let Some(upper_dir) = self.upper(dir) else {
                continue;
            };
            let mut names: Vec<Vec<u8>> = Vec::new();
            self.state.tree.list(upper_dir, 0, u64::MAX, &mut |entry| {
                names.push(entry.name.to_vec());
                true
            })?;
            let merged = self.state.tree.origin(upper_dir).is_some();
            if let (Some(lower), false) = (lower_dir, merged) {
                // The directory was made anew: nothing shows through any more.
                self.lower.list(caller, lower, 0, u64::MAX, &mut |entry| {
                    names.push(entry.name.to_vec());
                    true
                })?;
                names.sort();
                names.dedup();
            }
            for name in names {
                let path = below(&path, &name);
                let lower = match lower_dir {
                    Some(dir) => present(self.lower.lookup(caller, dir, &name))?,
                    None => None,
                };
                let now = present(self.lookup(caller, dir, &name))?;
                self.compare(caller, path, lower, now, &mut changes, &mut open)?;
            }
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(changes)
    }

    fn compare(
        &mut self,
        caller: &Caller<'_>,
        path: Vec<u8>,
        lower: Option<InodeId>,
        now: Option<InodeId>,
        changes: &mut Vec<Change>,
        open: &mut Vec<(Vec<u8>, InodeId, Option<InodeId>)>,
    ) -> Result<(), Errno> {
        let before = match lower {
            Some(lower) => Some(self.lower.stat(caller, lower)?),
            None => None,
        };
        let after = match now {
            Some(now) => Some(self.stat(caller, now)?),
            None => None,
        };
        let was_directory = before.is_some_and(|stat| stat.kind == FileKind::Directory);
        let is_directory = after.is_some_and(|stat| stat.kind == FileKind::Directory);
        if let (Some(now), true) = (now, is_directory) {
            open.push((path.clone(), now, lower.filter(|_| was_directory)));
        }
        if let (Some(lower), true, false) = (lower, was_directory, is_directory) {
            self.removed_below(caller, lower, &path, changes)?;
        }
        let kind = match (before, after) {
            (None, None) => return Ok(()),
            (None, Some(_)) => Some(ChangeKind::Added),
            (Some(_), None) => Some(ChangeKind::Removed),
            (Some(a), Some(b)) if a.kind != b.kind => Some(ChangeKind::TypeChanged),
            (Some(a), Some(b)) => match (lower, now) {
                (Some(lower), Some(now)) if !self.same(caller, (lower, &a), (now, &b))? => {
                    Some(ChangeKind::Modified)
                }
                _ if (a.mode, a.uid, a.gid) != (b.mode, b.uid, b.gid) => {
                    Some(ChangeKind::AttributesChanged)
                }
                _ => None,
            },
        };
        if let (Some(kind), Some(stat)) = (kind, after.or(before)) {
            changes.push(Change {
                path,
                kind,
                file: stat.kind,
            });
        }
        Ok(())
    }

    /// Lists everything below a lower directory as removed.
    fn removed_below(
        &mut self,
        caller: &Caller<'_>,
        dir: InodeId,
        path: &[u8],
        changes: &mut Vec<Change>,
    ) -> Result<(), Errno> {
        let mut open = vec![(path.to_vec(), dir)];
        while let Some((path, dir)) = open.pop() {
            let mut names = Vec::new();
            self.lower.list(caller, dir, 0, u64::MAX, &mut |entry| {
                names.push((entry.name.to_vec(), entry.kind));
                true
            })?;
            for (name, file) in names {
                let path = below(&path, &name);
                if file == FileKind::Directory {
                    open.push((path.clone(), self.lower.lookup(caller, dir, &name)?));
                }
                changes.push(Change {
                    path,
                    kind: ChangeKind::Removed,
                    file,
                });
            }
        }
        Ok(())
    }

    /// Whether two nodes of one kind hold the same.
    fn same(
        &mut self,
        caller: &Caller<'_>,
        (lower, before): (InodeId, &Stat),
        (now, after): (InodeId, &Stat),
    ) -> Result<bool, Errno> {
        match before.kind {
            // What was not copied up is the same.
            _ if now == tagged(lower) && self.upper(now).is_none() => Ok(true),
            FileKind::Symlink => {
                Ok(self.lower.readlink(caller, lower)? == self.readlink(caller, now)?)
            }
            FileKind::File if before.size != after.size => Ok(false),
            FileKind::File => {
                let (mut a, mut b) = (vec![0; CHUNK as usize], vec![0; CHUNK as usize]);
                let mut offset = 0;
                while offset < before.size {
                    let read = self.lower.read_at(caller, lower, offset, &mut a)?;
                    let other = self.read_at(caller, now, offset, &mut b[..read])?;
                    if read == 0 || a[..read] != b[..other] {
                        return Ok(false);
                    }
                    offset += read as u64;
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }
}

fn present(found: Result<InodeId, Errno>) -> Result<Option<InodeId>, Errno> {
    match found {
        Ok(id) => Ok(Some(id)),
        Err(Errno::NoEnt) => Ok(None),
        Err(error) => Err(error),
    }
}
