//! What files of the lower file system held when the sandbox first changed them: the base of a
//! three-way merge, should the host change them as well.
//!
//! Bases are a tree beside the upper one, under the same paths and with a limit of its own. A file
//! has none if it is too large, if the limit is reached, or if it was not any more what the sandbox
//! had seen. Then a change on both sides is a conflict. Keeping a base never fails a change.

use codepod_abi::Errno;

use super::{InodeId, Overlay, OverlayState, below};
use crate::caller::Caller;
use crate::limits::FsLimits;
use crate::node::{FileKind, New, NewBody};
use crate::tree::Tree;

/// Files that are larger have no base.
const LARGEST: u64 = 1 << 20;
/// An index of git may be larger: whether it was only refreshed is told by its base.
const LARGEST_INDEX: u64 = 16 << 20;
/// Bases of so many files and directories are kept.
const MOST_NODES: u64 = 50_000;

impl Tree {
    /// An empty tree for the bases of this overlay's upper tree, charged to the same budget.
    pub fn for_bases(&self) -> Tree {
        let limits = FsLimits {
            bytes: self.limits().base_bytes,
            nodes: MOST_NODES,
            ..self.limits()
        };
        Tree::new().with_limits(limits).with_budget(self.budget())
    }
}

impl OverlayState {
    /// What the file at a path held before the sandbox changed it, if that is known.
    pub(super) fn base(&self, path: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
        let Ok(file) = self.bases.at(path) else {
            return Ok(None);
        };
        let stat = self.bases.stat(file)?;
        if stat.kind != FileKind::File {
            return Ok(None);
        }
        read_whole(stat.size, |offset, buffer| {
            self.bases.read_at(file, offset, buffer)
        })
        .map(Some)
    }

    /// Whether a base is kept for a path.
    pub(super) fn has_base(&self, path: &[u8]) -> bool {
        let kind = |file| self.bases.stat(file).map(|stat| stat.kind);
        self.bases.at(path).and_then(kind) == Ok(FileKind::File)
    }

    pub(super) fn forget_base(&mut self, path: &[u8], now: u64) {
        if !self.has_base(path) {
            return;
        }
        let (dir, name) = super::split(path);
        if let Ok(dir) = self.bases.at(dir) {
            let _ = self.bases.remove(dir, name, now, &|_| false);
        }
    }

    fn keep(&mut self, path: &[u8], content: &[u8], now: u64) -> Result<(), Errno> {
        let new = |body| New {
            body,
            mode: 0o755,
            uid: 0,
            gid: 0,
        };
        let (dir, name) = super::split(path);
        let mut at = Tree::ROOT;
        for name in dir.split(|byte| *byte == b'/').filter(|n| !n.is_empty()) {
            at = match self.bases.lookup(at, name) {
                Err(Errno::NoEnt) => self.bases.create(at, name, new(NewBody::Directory), now)?,
                found => found?,
            };
        }
        let file = self.bases.create(at, name, new(NewBody::File), now)?;
        let written = match content {
            [] => 0,
            _ => self.bases.write_at(file, 0, content, 0, now)?,
        };
        if written == content.len() {
            Ok(())
        } else {
            Err(Errno::NoSpc)
        }
    }
}

impl Overlay {
    /// Keeps what a lower file holds, because it is about to be changed.
    pub(super) fn keep_base(&mut self, caller: &Caller<'_>, path: &[u8], lower: InodeId) {
        if self.state.has_base(path) {
            return;
        }
        if let Some(content) = self.base_content(caller, path, lower) {
            let before = self.state.bases.clone();
            if self.state.keep(path, &content, caller.now).is_err() {
                self.state.bases = before;
            }
        }
    }

    /// Keeps what the lower file under a name of an upper directory holds, because the name is
    /// about to get another one.
    pub(super) fn keep_base_of(&mut self, caller: &Caller<'_>, upper: InodeId, name: &[u8]) {
        let Ok(lower) = self.lookup_lower(caller, upper, name) else {
            return;
        };
        if let Ok(dir) = self.state.tree.path_of(upper) {
            self.keep_base(caller, &below(&dir, name), lower);
        }
    }

    /// What a lower file holds, if it is small enough and still what the sandbox saw.
    fn base_content(
        &mut self,
        caller: &Caller<'_>,
        path: &[u8],
        lower: InodeId,
    ) -> Option<Vec<u8>> {
        let seen = self.state.seen.get(path).copied()?;
        let most = match super::split(path).1 {
            b"index" => LARGEST_INDEX,
            _ => LARGEST,
        };
        let limits = self.state.bases.limits();
        let room = limits.bytes.saturating_sub(self.state.bases.usage().bytes);
        if seen.kind != FileKind::File || seen.size > most.min(room) {
            return None;
        }
        let read = |offset, buffer: &mut [u8]| self.lower.read_at(caller, lower, offset, buffer);
        let content = read_whole(seen.size, read).ok()?;
        let now = self.lower.fingerprint(caller, lower).ok()?;
        (seen.looks_same(&now) && !seen.digests_differ(&now)).then_some(content)
    }

    /// What a file of the lower file system holds now; `None` where there is no file, or one
    /// that is larger than `most`.
    pub(crate) fn lower_content(
        &mut self,
        caller: &Caller<'_>,
        path: &[u8],
        most: u64,
    ) -> Result<Option<Vec<u8>>, Errno> {
        let lower = match self.lower_at(caller, path) {
            Ok(lower) => lower,
            Err(Errno::NoEnt | Errno::NotDir) => return Ok(None),
            Err(errno) => return Err(errno),
        };
        let stat = self.lower.stat(caller, lower)?;
        if stat.kind != FileKind::File || stat.size > most {
            return Ok(None);
        }
        let read = |offset, buffer: &mut [u8]| self.lower.read_at(caller, lower, offset, buffer);
        read_whole(stat.size, read).map(Some)
    }

    /// What the file at a path held before the sandbox changed it, if that is known.
    pub(crate) fn base(&self, path: &[u8]) -> Result<Option<Vec<u8>>, Errno> {
        self.state.base(path)
    }
}

/// Reads so many bytes, or fewer where a file has become shorter meanwhile.
fn read_whole(
    size: u64,
    mut read: impl FnMut(u64, &mut [u8]) -> Result<usize, Errno>,
) -> Result<Vec<u8>, Errno> {
    let mut content = vec![0; usize::try_from(size).map_err(|_| Errno::NoMem)?];
    let mut done = 0;
    while done < content.len() {
        match read(done as u64, &mut content[done..])? {
            0 => break,
            more => done += more,
        }
    }
    content.truncate(done);
    Ok(content)
}
