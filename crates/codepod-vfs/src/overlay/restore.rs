//! An overlay's state from a saved upper tree: its directories find their places over the lower
//! file system again.

use codepod_abi::Errno;

use super::{Overlay, OverlayState};
use crate::caller::Caller;
use crate::map::Map;
use crate::node::FileKind;
use crate::tree::Tree;
use crate::tree::portable::LoadedTree;

impl Overlay {
    /// The state that a saved upper tree leads to. A directory that the lower file system does not
    /// have any more stands for itself; numbers of files that were copied up are new. What the
    /// sandbox had seen below counts on, so that its changes are handed down only where that is
    /// still so.
    pub(super) fn load_state(&mut self, loaded: LoadedTree) -> Result<OverlayState, Errno> {
        let LoadedTree {
            mut tree,
            merged,
            seen: saved,
            bases,
        } = loaded;
        let caller = Caller::root(0);
        let mut copied = Map::new();
        for id in merged {
            let lower = match tree.get(id)?.links.first().cloned() {
                None if id == Tree::ROOT => Some(self.lower.root()),
                None => None,
                Some(link) => match tree.origin(link.directory) {
                    Some(above) => match self.lower.lookup(&caller, above, &link.name) {
                        Ok(lower) => Some(lower),
                        Err(Errno::NoEnt | Errno::NotDir | Errno::Stale) => None,
                        Err(errno) => return Err(errno),
                    },
                    None => None,
                },
            };
            let Some(lower) = lower else { continue };
            if self.lower.stat(&caller, lower)?.kind == FileKind::Directory {
                tree.set_origin(id, lower);
                copied.insert(lower, id);
            }
        }
        let mut state = OverlayState {
            bases: bases.unwrap_or_else(|| tree.for_bases()),
            tree,
            copied,
            seen: Map::new(),
            seen_bytes: 0,
        };
        let most = state.tree.limits().seen_bytes;
        for (path, fingerprint) in saved {
            state.note_seen(&path, fingerprint, most)?;
        }
        Ok(state)
    }
}
