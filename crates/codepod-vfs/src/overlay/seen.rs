//! What the sandbox saw of the lower file system before it changed it: so that its changes can be handed down without
//! overwriting what somebody else has done since.
//!
//! A file counts as seen when it is opened to be read, as it is then; one that is changed without having been read, as it
//! is when it is changed.

use std::sync::Arc;

use codepod_abi::Errno;

use super::{InodeId, Overlay, OverlayState};
use crate::caller::Caller;
use crate::map::Map;
use crate::publish::Fingerprint;

/// What an overlay has seen of the files below it, to be saved with its state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Seen<'a> {
    files: Option<&'a Map<Arc<[u8]>, Fingerprint>>,
}

impl<'a> Seen<'a> {
    /// Of a state.
    pub(crate) fn of(state: &'a OverlayState) -> Seen<'a> {
        Seen {
            files: Some(&state.seen),
        }
    }

    /// The files by path from the overlay's root, ascending.
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], &'a Fingerprint)> + use<'a> {
        let files = self.files.into_iter().flat_map(Map::iter);
        files.map(|(path, fingerprint)| (&**path, fingerprint))
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

impl Overlay {
    /// Notes what a lower node is now; `again` replaces what was noted before.
    pub(super) fn see(&mut self, caller: &Caller<'_>, path: &[u8], lower: InodeId, again: bool) {
        if !again && self.state.seen.contains_key(path) {
            return;
        }
        if let Ok(fingerprint) = self.lower.fingerprint(caller, lower) {
            self.state.seen.insert(path.into(), fingerprint);
        }
    }

    /// Notes what a name means in the lower directory that an upper one is merged with, if it means something.
    pub(super) fn see_name(
        &mut self,
        caller: &Caller<'_>,
        upper: InodeId,
        name: &[u8],
    ) -> Result<(), Errno> {
        match self.lookup_lower(caller, upper, name) {
            Ok(lower) => {
                let path = super::below(&self.state.tree.path_of(upper)?, name);
                self.see(caller, &path, lower, false);
                Ok(())
            }
            Err(Errno::NoEnt) => Ok(()),
            Err(error) => Err(error),
        }
    }
}
