//! A save in progress: new blocks into packs, blocks of packs that are mostly not needed into new
//! ones.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use codepod_vfs::{Digest, Piece};

use super::keys::pack_key;
use super::{Index, Inner, Pack};
use crate::block::{BlockId, Framer};
use crate::error::StoreError;
use crate::pack::{self, FullPack, PackName, PackWriter, Place};
use crate::state::BlockSink;

/// Packs below this size are put together when there are many.
const SMALL_PACK: u64 = 4 << 20;
const MANY_SMALL: usize = 32;

/// A state that is being saved.
pub(super) struct Saving<'a> {
    inner: &'a Inner,
    index: &'a mut Index,
    framer: Framer<'a>,
    pack: PackWriter,
    /// The blocks of the state.
    needed: HashSet<Digest>,
    /// Bytes of content so far.
    bytes: u64,
    /// Bytes written, and blocks that were new.
    pub(super) saved: (u64, u64),
}

impl<'a> Saving<'a> {
    pub(super) fn new(inner: &'a Inner, index: &'a mut Index) -> Result<Saving<'a>, StoreError> {
        Ok(Saving {
            inner,
            framer: Framer::new(inner.key())?,
            pack: PackWriter::new(inner.key().is_some()),
            needed: HashSet::new(),
            bytes: 0,
            saved: (0, 0),
            index,
        })
    }

    fn needs(&mut self, id: &BlockId) -> Result<bool, StoreError> {
        if !self.needed.insert(id.digest) {
            return Ok(false);
        }
        self.bytes += u64::from(id.length);
        let largest = self.inner.options.largest_state;
        if largest.is_some_and(|largest| self.bytes > largest) {
            return Err(StoreError::Limit("the size that a state may have"));
        }
        Ok(!self.index.known.contains_key(&id.digest))
    }

    fn add(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        let frame = self.framer.frame(&id.digest, content)?;
        self.saved.1 += 1;
        self.add_frame(id, &frame)
    }

    fn add_frame(&mut self, id: &BlockId, frame: &[u8]) -> Result<(), StoreError> {
        self.pack.add(id, frame);
        if self.pack.is_full() {
            self.write_pack()?;
        }
        Ok(())
    }

    fn write_pack(&mut self) -> Result<(), StoreError> {
        let key = self.inner.key();
        let full = std::mem::replace(&mut self.pack, PackWriter::new(key.is_some()));
        let FullPack {
            digest,
            bytes,
            places,
        } = full.finish(key)?;
        let name = PackName {
            epoch: self.index.epoch.unwrap_or(0),
            digest,
        };
        let path = pack_key(&name);
        self.inner.backend.create(&path, &bytes)?;
        self.saved.0 += bytes.len() as u64;
        let blob = self.inner.backend.open(&path)?;
        let blob = blob.ok_or(StoreError::Damaged("a pack is missing"))?;
        let size = bytes.len() as u64;
        if blob.size()? != size {
            return Err(StoreError::Damaged("a pack that is cut short"));
        }
        self.index.packs.insert(name, Pack { blob, size });
        let known = Arc::make_mut(&mut self.index.known);
        for (digest, place) in places {
            known.insert(digest, (name, place));
        }
        Ok(())
    }

    /// Writes what is left; the packs that the state needs.
    pub(super) fn finish(&mut self) -> Result<Vec<PackName>, StoreError> {
        self.repack()?;
        if !self.pack.is_empty() {
            self.write_pack()?;
        }
        let needed = &self.needed;
        let packs: HashSet<PackName> = self
            .index
            .known
            .iter()
            .filter(|(digest, _)| needed.contains(*digest))
            .map(|(_, (pack, _))| *pack)
            .collect();
        // Blocks of packs that this state does not name may be gone when the next one is saved.
        Arc::make_mut(&mut self.index.known).retain(|_, (pack, _)| packs.contains(pack));
        let mut packs: Vec<PackName> = packs.into_iter().collect();
        packs.sort_unstable();
        Ok(packs)
    }

    /// Moves blocks that are needed out of packs that are mostly not, and out of small ones when
    /// there are many.
    fn repack(&mut self) -> Result<(), StoreError> {
        let mut live: HashMap<PackName, u64> = HashMap::new();
        for (digest, (pack, place)) in self.index.known.iter() {
            if self.needed.contains(digest) {
                *live.entry(*pack).or_default() += u64::from(place.stored);
            }
        }
        let packs = &self.index.packs;
        let small = live
            .iter()
            .filter(|(name, _)| packs.get(*name).is_some_and(|pack| pack.size < SMALL_PACK));
        let many = small.count() > MANY_SMALL;
        let moved: HashSet<PackName> = live
            .iter()
            .filter(|(name, live)| {
                packs
                    .get(*name)
                    .is_some_and(|pack| **live * 2 < pack.size || many && pack.size < SMALL_PACK)
            })
            .map(|(name, _)| *name)
            .collect();
        let blocks: Vec<(Digest, PackName, Place)> = self
            .index
            .known
            .iter()
            .filter(|(digest, (pack, _))| moved.contains(pack) && self.needed.contains(*digest))
            .map(|(digest, (pack, place))| (*digest, *pack, *place))
            .collect();
        for (digest, pack, place) in blocks {
            let Some(pack) = self.index.packs.get(&pack) else {
                continue;
            };
            let frame = pack::read_frame(&*pack.blob, place)?;
            let id = BlockId {
                digest,
                length: place.length,
            };
            self.add_frame(&id, &frame)?;
        }
        Ok(())
    }
}

impl BlockSink for Saving<'_> {
    fn block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        if self.needs(id)? {
            self.add(id, content)?;
        }
        Ok(())
    }

    fn piece(&mut self, id: &BlockId, piece: Piece<'_>) -> Result<(), StoreError> {
        if self.needs(id)? {
            self.add(id, piece.bytes()?)?;
        }
        Ok(())
    }
}
