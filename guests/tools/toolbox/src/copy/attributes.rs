//! Times, owners and permission bits that copies have from their sources.

use super::{Copier, Item, Outcome, failure};
use crate::mode::is_link;
use crate::paths;
use crate::system::{self, Errno, Links, Stat};

impl Copier<'_> {
    /// Gives a copy what is kept of its source. `there` is what the copy was written over.
    pub(super) fn keep_all(
        &mut self,
        item: &Item,
        source: &Stat,
        there: Option<&Stat>,
    ) -> Outcome<()> {
        let keep = self.settings.keep;
        let links = if is_link(source.mode) {
            Links::Keep
        } else {
            Links::Follow
        };
        if keep.times
            && let Err(errno) = paths::copy_times(source, &item.to, links)
        {
            self.not_kept(failure("preserving times for", &item.to, errno))?;
        }
        let mut bits = source.mode & 0o7777;
        if keep.owner && !self.keep_owner(item, source, there)? {
            // Another's program must not become the user's with these bits.
            bits &= 0o777;
        }
        if keep.mode
            && links == Links::Follow
            && let Err(errno) = system::set_mode(&item.to, Links::Follow, bits)
        {
            self.not_kept(failure("preserving permissions for", &item.to, errno))?;
        }
        Ok(())
    }

    /// Whether the copy has the source's owner and group now.
    fn keep_owner(&mut self, item: &Item, source: &Stat, there: Option<&Stat>) -> Outcome<bool> {
        let own = system::user();
        let has = there.map_or(own, |there| (there.uid, there.gid));
        let wanted = (source.uid, source.gid);
        // The group of a new file can be its directory's: only one that was there is known.
        if there.is_some() && has == wanted {
            return Ok(true);
        }
        let set = |uid, gid| system::set_owner(&item.to, Links::Keep, uid, gid);
        match set(Some(source.uid), Some(source.gid)) {
            Ok(()) => Ok(true),
            Err(Errno::Perm | Errno::Inval) if own.0 != 0 => {
                // The group alone may be one of the user's.
                let _ = set(None, Some(source.gid));
                Ok(false)
            }
            Err(errno) => {
                self.not_kept(failure("failed to preserve ownership for", &item.to, errno))?;
                Ok(false)
            }
        }
    }

    /// Says what could not be kept. That is a failure where it was asked for.
    fn not_kept(&mut self, message: Vec<u8>) -> Outcome<()> {
        if self.settings.keep.required {
            return Err(message);
        }
        self.warn(&message);
        Ok(())
    }
}
