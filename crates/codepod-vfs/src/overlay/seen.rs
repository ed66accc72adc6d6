//! What the sandbox saw of the lower file system before it changed it: so that its changes can be
//! handed down without overwriting what somebody else has done since.
//!
//! A file counts as seen when it is opened to be read, as it is then; one that is changed without
//! having been read, as it is when it is changed.

use std::sync::Arc;

use codepod_abi::Errno;

use super::{InodeId, Overlay, OverlayState};
use crate::caller::Caller;
use crate::map::Map;
use crate::publish::Fingerprint;
use crate::tree::Tree;

/// What an overlay has seen of the files below it, to be saved with its state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    files: Option<&'a Map<Arc<[u8]>, Fingerprint>>,
    bases: Option<&'a Tree>,
}

impl<'a> Seen<'a> {
    /// Of a state.
    pub(crate) fn of(state: &'a OverlayState) -> Seen<'a> {
        Seen {
            files: Some(&state.seen),
            bases: Some(&state.bases),
        }
    }

    /// The files by path from the overlay's root, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a Fingerprint)> + use<'a> {
        let files = self.files.into_iter().flat_map(Map::iter);
        files.map(|(path, fingerprint)| (&**path, fingerprint))
    }

    /// What files held before they were changed, by path from the overlay's root; `None` if
    /// nothing was.
    pub fn bases(&self) -> Option<&'a Tree> {
        self.bases.filter(|bases| bases.usage().nodes > 0)
    }

    /// Whether both have seen the same, as nothing was looked at between them.
    pub(crate) fn is_same(&self, other: &Seen<'_>) -> bool {
        match (self.files, other.files) {
            (Some(a), Some(b)) => a.ptr_eq(b),
            (None, None) => true,
            _ => false,
        }
    }
}

/// What a file that was seen is charged beside its path.
const CHARGE: u64 = 128;

impl OverlayState {
    /// Notes what a file is; [`Errno::NoSpc`] if that would be more than `most` in all.
    pub(super) fn note_seen(
        &mut self,
        path: &[u8],
        fingerprint: Fingerprint,
        most: u64,
    ) -> Result<(), Errno> {
        let charge = match self.seen.contains_key(path) {
            true => 0,
            false => path.len() as u64 + CHARGE,
        };
        if charge > most.saturating_sub(self.seen_bytes) {
            return Err(Errno::NoSpc);
        }
        self.seen_bytes += charge;
        self.seen.insert(path.into(), fingerprint);
        Ok(())
    }

    pub(super) fn forget_seen(&mut self, path: &[u8]) {
        if self.seen.remove(path).is_some() {
            self.seen_bytes -= path.len() as u64 + CHARGE;
        }
    }
}

impl Overlay {
    /// Notes what a lower file is now, because it is read. Beyond half of what may be noted,
    /// nothing is: such a file counts as seen when it is changed.
    pub(super) fn see_to_read(&mut self, caller: &Caller<'_>, path: &[u8], lower: InodeId) {
        let most = self.state.tree.limits().seen_bytes / 2;
        let known = self.state.seen.contains_key(path);
        let full = path.len() as u64 + CHARGE > most.saturating_sub(self.state.seen_bytes);
        if full && !known {
            return;
        }
        if let Ok(fingerprint) = self.lower.fingerprint(caller, lower) {
            let _ = self.state.note_seen(path, fingerprint, u64::MAX);
        }
    }

    /// Notes what a lower node is now, because it is about to be changed, unless it was seen
    /// before; whether only parts of its content were looked at. [`Errno::NoSpc`] if no more
    /// can be noted.
    pub(super) fn see_to_change(
        &mut self,
        caller: &Caller<'_>,
        path: &[u8],
        lower: InodeId,
    ) -> Result<bool, Errno> {
        if let Some(seen) = self.state.seen.get(path) {
            return Ok(seen.is_sampled());
        }
        let Ok(fingerprint) = self.lower.fingerprint(caller, lower) else {
            return Ok(false);
        };
        let most = self.state.tree.limits().seen_bytes;
        self.state.note_seen(path, fingerprint, most)?;
        Ok(fingerprint.is_sampled())
    }

    /// Notes the digest of all the content of a file that was seen.
    pub(super) fn see_whole(&mut self, path: &[u8], whole: Option<u64>) {
        if let (Some(seen), Some(_)) = (self.state.seen.get(path).copied(), whole) {
            self.state
                .seen
                .insert(path.into(), Fingerprint { whole, ..seen });
        }
    }

    /// Notes what a name means in the lower directory that an upper one is merged with, if it means
    /// something.
    pub(super) fn see_name(
        &mut self,
        caller: &Caller<'_>,
        upper: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        match self.lookup_lower(caller, upper, name) {
            Ok(lower) => {
                let path = super::below(&self.state.tree.path_of(upper)?, name);
                self.see_to_change(caller, &path, lower).map(|_| ())
            }
            Err(Errno::NoEnt) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
