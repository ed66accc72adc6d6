//! Files that the sandbox has open: their descriptors, and how they are found again after they made
//! room for others.
//!
//! A file is the one that was opened, by the host's device and inode numbers. One that made room
//! (`pool.rs`) and is not found again under its name, because somebody on the host has moved or
//! replaced it, fails with `Stale`; whatever a sandbox itself renames or removes is found, or was
//! pinned before.

use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;

use codepod_abi::Errno;
use rustix::fs::{AtFlags, Mode, OFlags};

use super::errno::translate;
use super::facts::check_regular;
use super::pool::Ticket;
use super::{HostDir, SAFE};
use crate::node::InodeId;

/// An open node.
#[derive(Debug, Default)]
pub(super) struct Open {
    pub(super) count: u32,
    /// The file; none for a directory.
    pub(super) file: Option<OpenFile>,
}

/// An open file.
#[derive(Debug)]
pub(super) struct OpenFile {
    /// Device and inode number.
    pub(super) identity: (u64, u64),
    pub(super) writable: bool,
    ticket: Ticket,
}

impl Open {
    /// Whether it can be read, or also written to.
    pub(super) fn serves(&self, write: bool) -> bool {
        !write || self.file.as_ref().is_some_and(|file| file.writable)
    }
}

/// Which file of the host it is.
#[expect(
    clippy::unnecessary_cast,
    reason = "the field types differ from host to host"
)]
pub(super) fn identity(stat: &rustix::fs::Stat) -> (u64, u64) {
    (stat.st_dev as u64, stat.st_ino as u64)
}

impl HostDir {
    /// Opens a regular file anew. `Nxio` for what is neither file nor directory.
    pub(super) fn open_file(
        &mut self,
        id: InodeId,
        write: bool,
    ) -> Result<(OwnedFd, rustix::fs::Stat), Errno> {
        let (dir, name) = self.place(id)?.ok_or(Errno::IsDir)?;
        check_regular(
            &rustix::fs::statat(&dir, &*name, AtFlags::SYMLINK_NOFOLLOW).map_err(translate)?,
        )?;
        let open = |flags| rustix::fs::openat(&dir, &*name, flags | SAFE, Mode::empty());
        let file = match write {
            false => open(OFlags::RDONLY),
            true => match open(OFlags::RDWR) {
                Err(rustix::io::Errno::ACCESS) => open(OFlags::WRONLY),
                other => other,
            },
        }
        .map_err(translate)?;
        // What was looked at may not be what was opened.
        let stat = rustix::fs::fstat(&file).map_err(translate)?;
        check_regular(&stat)?;
        self.shared.check_device(&file, &stat)?;
        Ok((file, stat))
    }

    /// The descriptor of an open file, opened again if it had made room; `None` if the node is not
    /// open, or no file.
    pub(super) fn descriptor(&mut self, id: InodeId) -> Result<Option<Arc<OwnedFd>>, Errno> {
        let Some(Open {
            file: Some(open), ..
        }) = self.open.get(&id)
        else {
            return Ok(None);
        };
        if let Some(file) = open.ticket.get() {
            return Ok(Some(file));
        }
        let (known, writable) = (open.identity, open.writable);
        let (file, stat) = self.open_file(id, writable).map_err(lost)?;
        if identity(&stat) != known {
            return Err(Errno::Stale);
        }
        let Some(Open {
            file: Some(open), ..
        }) = self.open.get(&id)
        else {
            return Ok(None);
        };
        open.ticket.put(file).map(Some)
    }

    /// Runs `action` on a file: the open one, or one opened for the purpose.
    pub(super) fn with_file<T>(
        &mut self,
        id: InodeId,
        write: bool,
        action: impl FnOnce(BorrowedFd<'_>) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        if self.open.get(&id).is_some_and(|open| open.serves(write))
            && let Some(file) = self.descriptor(id)?
        {
            return action(file.as_fd());
        }
        if write {
            self.check_unguarded(id)?;
        }
        let (file, _) = self.open_file(id, write)?;
        action(file.as_fd())
    }

    /// Notes that a file is open with this descriptor, in exchange for what it was open with.
    pub(super) fn note_open(
        &mut self,
        id: InodeId,
        file: OwnedFd,
        writable: bool,
    ) -> Result<(), Errno> {
        let stat = rustix::fs::fstat(&file).map_err(translate)?;
        let now = identity(&stat);
        let open = self.open.get(&id).and_then(|open| open.file.as_ref());
        if open.is_some_and(|open| open.identity != now) {
            return Err(Errno::Stale);
        }
        let open = match self.open.get_mut(&id).and_then(|open| open.file.as_mut()) {
            Some(open) => open,
            None => {
                let file = OpenFile {
                    identity: now,
                    writable,
                    ticket: self.shared.pool.ticket(),
                };
                let open = self.open.entry(id).or_default();
                open.file.insert(file)
            }
        };
        if let Err(errno) = open.ticket.put(file) {
            self.forget_unopened(id);
            return Err(errno);
        }
        open.writable |= writable;
        self.note_mode(id, &stat);
        Ok(())
    }

    /// Drops the note of a file that could not be opened after all.
    fn forget_unopened(&mut self, id: InodeId) {
        if self.open.get(&id).is_some_and(|open| open.count == 0) {
            self.open.remove(&id);
        }
    }

    /// Keeps an open file open, because its mode may not let us open it again.
    pub(super) fn note_mode(&self, id: InodeId, stat: &rustix::fs::Stat) {
        if let Some(open) = self.open.get(&id).and_then(|open| open.file.as_ref())
            && !reopens(open, stat)
        {
            open.ticket.pin(true);
        }
    }

    /// Keeps the file that a name means open if it is, because the name is about to go;
    /// [`Errno::Mfile`] if there is no place for it. What it was is to be told to
    /// [`HostDir::release`] if the name stays.
    pub(super) fn secure(&mut self, dir: InodeId, name: &[u8]) -> Result<Option<InodeId>, Errno> {
        let Some(id) = self.table.find(dir, name) else {
            return Ok(None);
        };
        match self.descriptor(id) {
            Err(errno @ (Errno::Mfile | Errno::Nfile)) => return Err(errno),
            Ok(Some(_)) => {}
            // It is not open, or somebody else was quicker.
            Ok(None) | Err(_) => return Ok(None),
        }
        self.pin(id, true);
        Ok(Some(id))
    }

    /// Lets a file make room again: its name has stayed.
    pub(super) fn release(&mut self, secured: Option<InodeId>) {
        if let Some(id) = secured {
            self.pin(id, false);
            if let Some(open) = self.open.get(&id).and_then(|open| open.file.as_ref())
                && let Some(file) = open.ticket.get()
                && let Ok(stat) = rustix::fs::fstat(&file)
            {
                self.note_mode(id, &stat);
            }
        }
    }

    /// Forgets a name that is gone or means something else now; what is open under it stays so.
    pub(super) fn lose(&mut self, dir: InodeId, name: &[u8]) {
        if let Some(id) = self.table.find(dir, name) {
            self.pin(id, true);
            self.table_mut().remove(dir, name);
        }
    }

    fn pin(&self, id: InodeId, pinned: bool) {
        if let Some(open) = self.open.get(&id).and_then(|open| open.file.as_ref()) {
            open.ticket.pin(pinned);
        }
    }
}

/// Whether a file's mode lets its owner open it as it is open.
fn reopens(open: &OpenFile, stat: &rustix::fs::Stat) -> bool {
    let needed = if open.writable { 0o600 } else { 0o400 };
    stat.st_mode & needed == needed
}

/// Why a file that made room is not there any more.
fn lost(errno: Errno) -> Errno {
    match errno {
        Errno::NoEnt | Errno::NotDir | Errno::IsDir | Errno::Loop | Errno::Nxio => Errno::Stale,
        other => other,
    }
}
