//! Where the contents of a loaded state come from.

use std::collections::HashMap;
use std::sync::Arc;

use codepod_abi::Errno;
use codepod_vfs::{BlockSource, Digest};

use crate::backend::Blob;
use crate::block::BlockId;
use crate::error::StoreError;
use crate::key::Key;
use crate::pack::{self, PackName, Place};
use crate::state::BlockReader;

/// Gives the blocks of a state that was loaded. As long as it is there, its packs are not removed
/// by this store; in a directory they can be read even if another has removed them.
#[derive(Debug)]
pub(super) struct PackSource {
    pub(super) known: Arc<HashMap<Digest, (PackName, Place)>>,
    pub(super) blobs: HashMap<PackName, Arc<dyn Blob>>,
    pub(super) key: Option<Key>,
}

impl PackSource {
    fn read(&self, id: &BlockId) -> Result<Vec<u8>, StoreError> {
        const MISSING: StoreError = StoreError::Damaged("a block is missing");
        let (pack, place) = self.known.get(&id.digest).ok_or(MISSING)?;
        let blob = self.blobs.get(pack).ok_or(MISSING)?;
        pack::read_block(&**blob, *place, id, self.key.as_ref())
    }
}

impl BlockSource for PackSource {
    fn fetch(&self, digest: &Digest, length: usize) -> Result<Arc<[u8]>, Errno> {
        let length = u32::try_from(length).map_err(|_| Errno::Io)?;
        let id = BlockId {
            digest: *digest,
            length,
        };
        self.read(&id).map(Into::into).map_err(|_| Errno::Io)
    }
}

impl BlockReader for &PackSource {
    fn block(&mut self, id: &BlockId) -> Result<Vec<u8>, StoreError> {
        self.read(id)
    }

    fn piece(&mut self, id: &BlockId) -> Result<(), StoreError> {
        match self.known.get(&id.digest) {
            Some((_, place)) if place.length == id.length => Ok(()),
            _ => Err(StoreError::Damaged("a block is missing")),
        }
    }
}
