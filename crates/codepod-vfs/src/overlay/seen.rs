//! What the sandbox saw of the lower file system before it changed it: so that its changes can be handed down without
//! overwriting what somebody else has done since.
//!
//! A file counts as seen when it is opened to be read, as it is then; one that is changed without having been read, as it
//! is when it is changed.

use codepod_abi::Errno;

use super::{InodeId, Overlay};
use crate::caller::Caller;

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
