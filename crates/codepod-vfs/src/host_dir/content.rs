//! Writing to files of the host, within what they may grow.

use codepod_abi::Errno;

use super::HostDir;
use super::errno::translate;
use crate::node::InodeId;

impl HostDir {
    /// Writes at `offset`, or at the end; returns the offset after it and the number of bytes.
    pub(super) fn write(
        &mut self,
        id: InodeId,
        offset: Option<u64>,
        bytes: &[u8],
    ) -> Result<(u64, usize), Errno> {
        self.check_writable()?;
        let shared = self.shared.clone();
        self.with_file(id, true, |file| {
            let size = rustix::fs::fstat(file).map_err(translate)?.st_size as u64;
            let offset = offset.unwrap_or(size);
            if bytes.is_empty() {
                return Ok((offset, 0));
            }
            if offset >= i64::MAX as u64 {
                return Err(Errno::Fbig);
            }
            let most = (bytes.len() as u64).min(i64::MAX as u64 - offset);
            let growth = (offset + most).saturating_sub(size);
            let granted = shared.grow_up_to(growth);
            let length = (size.saturating_add(granted))
                .saturating_sub(offset)
                .min(most) as usize;
            let written = if length == 0 {
                Err(Errno::NoSpc)
            } else {
                rustix::io::pwrite(file, &bytes[..length], offset).map_err(translate)
            };
            let end = written
                .map_or(size, |written| offset + written as u64)
                .max(size);
            shared.give_back(granted - (end - size).min(granted));
            written.map(|written| (offset + written as u64, written))
        })
    }

    /// Cuts or extends a file.
    pub(super) fn resize(&mut self, inode: InodeId, size: u64) -> Result<(), Errno> {
        self.check_writable()?;
        if size > i64::MAX as u64 {
            return Err(Errno::Fbig);
        }
        let shared = self.shared.clone();
        self.with_file(inode, true, |file| {
            let old = rustix::fs::fstat(file).map_err(translate)?.st_size as u64;
            let growth = size.saturating_sub(old);
            shared.grow(growth)?;
            rustix::fs::ftruncate(file, size).map_err(|error| {
                shared.give_back(growth);
                translate(error)
            })
        })
    }
}
