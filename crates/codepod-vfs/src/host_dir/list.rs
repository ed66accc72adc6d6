//! Reading directories of the host.

use codepod_abi::Errno;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use super::errno::translate;
use super::facts::{kind, kind_of};
use super::{HostDir, SAFE};
use crate::listing::{Listed, Listing};
use crate::node::{FileKind, InodeId};

/// What an entry of a listing takes beside its name.
const LISTED: usize = size_of::<Listed>();

impl HostDir {
    /// All entries of a directory. `Overflow` when there are too many.
    pub(super) fn read_directory(&mut self, dir: InodeId) -> Result<Listing, Errno> {
        let opened = self.dir(dir)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | SAFE;
        let file = rustix::fs::openat(&opened, ".", flags, Mode::empty()).map_err(translate)?;
        let (mut entries, mut bytes) = (Vec::new(), 0);
        for entry in rustix::fs::Dir::new(file).map_err(translate)? {
            let entry = entry.map_err(translate)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            bytes += name.len() + LISTED;
            let options = &self.shared.options;
            if entries.len() == options.listed_entries || bytes > options.listed_bytes {
                return Err(Errno::Overflow);
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let stat =
                        rustix::fs::statat(&opened, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
                    stat.map_or(FileKind::Other, |stat| kind(&stat))
                }
                known => kind_of(known),
            };
            let id = self
                .table
                .number(dir, name, |id| self.open.contains_key(&id));
            entries.push((name.to_vec(), id, kind));
        }
        Ok(Listing::new(entries))
    }
}
