//! Changing a file's bytes within the limits.
//!
//! A write may be partial, as POSIX allows; everything else happens whole or not at all.

use codepod_abi::Errno;

use super::content::Content;
use super::inode::{Body, Inode};
use super::{InodeId, Tree};
use crate::budget::Budget;

/// Set-user and set-group bits: what a write by an ordinary user takes away.
const SET_ID: u16 = 0o6000;

impl Tree {
    /// Writes at `offset`. `Fbig` past the largest file size, `NoSpc` when not one byte fits.
    pub(crate) fn write_at(
        &mut self,
        id: InodeId,
        offset: u64,
        bytes: &[u8],
        uid: u32,
        now: u64,
    ) -> Result<usize, Errno> {
        let most = self.limits.file_bytes.min(i64::MAX as u64);
        let room = self.room();
        self.check_memory()?;
        let budget = self.budget.clone();
        let inode = self.get_mut(id)?;
        let content = content_mut(inode)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        if offset >= most {
            return Err(Errno::Fbig);
        }
        let fitting = (bytes.len() as u64).min(most - offset) as usize;
        let written = content.write(offset, &bytes[..fitting], room, &budget)?;
        if written.bytes == 0 {
            return Err(Errno::NoSpc);
        }
        touch(inode, uid, now);
        self.used.bytes += written.charged;
        Ok(written.bytes)
    }

    /// Writes at the end; returns the new end and the number of bytes written.
    pub(crate) fn append(
        &mut self,
        id: InodeId,
        bytes: &[u8],
        uid: u32,
        now: u64,
    ) -> Result<(u64, usize), Errno> {
        let end = self.content(id)?.size();
        let written = self.write_at(id, end, bytes, uid, now)?;
        Ok((end + written as u64, written))
    }

    /// Cuts or extends a file. `Fbig` past the largest size; `NoSpc` only if part of a piece has to
    /// be copied that is the base image's, or shared where there is no memory left.
    pub(crate) fn set_size(
        &mut self,
        id: InodeId,
        size: u64,
        uid: u32,
        now: u64,
    ) -> Result<(), Errno> {
        let content = self.content(id)?;
        if size > content.size() && size > self.limits.file_bytes.min(i64::MAX as u64) {
            return Err(Errno::Fbig);
        }
        let price = content.cost_of_size(size);
        if price > self.room() {
            return Err(Errno::NoSpc);
        }
        self.change_content(id, uid, now, |content, budget| {
            content.set_size(size, budget)
        })
    }

    /// Stores zeros in the holes of a range. `Fbig`, `NoSpc`, `Inval` for an empty range.
    pub(crate) fn allocate(
        &mut self,
        id: InodeId,
        offset: u64,
        length: u64,
        uid: u32,
        now: u64,
    ) -> Result<(), Errno> {
        let content = self.content(id)?;
        if length == 0 {
            return Err(Errno::Inval);
        }
        let end = offset.checked_add(length).ok_or(Errno::Fbig)?;
        if end > self.limits.file_bytes.min(i64::MAX as u64) {
            return Err(Errno::Fbig);
        }
        // A range that cannot fit fails before its pieces are counted one by one.
        if length.saturating_sub(content.stored()) > self.room() {
            return Err(Errno::NoSpc);
        }
        if content.cost_of_allocation(offset, end) > self.room() {
            return Err(Errno::NoSpc);
        }
        self.change_content(id, uid, now, |content, budget| {
            content.allocate(offset, end, budget)
        })
    }

    fn change_content(
        &mut self,
        id: InodeId,
        uid: u32,
        now: u64,
        change: impl FnOnce(&mut Content, &Budget) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let budget = self.budget.clone();
        let inode = self.get_mut(id)?;
        let content = content_mut(inode)?;
        let before = content.charge();
        let changed = change(content, &budget);
        let after = content.charge();
        touch(inode, uid, now);
        self.used.bytes = self.used.bytes - before + after;
        changed
    }

    pub(super) fn content(&self, id: InodeId) -> Result<&Content, Errno> {
        match &self.get(id)?.body {
            Body::File(content) => Ok(content),
            Body::Directory(_) => Err(Errno::IsDir),
            _ => Err(Errno::Inval),
        }
    }
}

fn content_mut(inode: &mut Inode) -> Result<&mut Content, Errno> {
    match &mut inode.body {
        Body::File(content) => Ok(content),
        Body::Directory(_) => Err(Errno::IsDir),
        _ => Err(Errno::Inval),
    }
}

fn touch(inode: &mut Inode, uid: u32, now: u64) {
    inode.mtime = now;
    inode.ctime = now;
    if uid != 0 {
        inode.mode &= !SET_ID;
    }
}
