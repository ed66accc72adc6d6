//! Who may write, and what may go: claims of epochs, and the collection of what no state needs.
//!
//! Where a backend has no lock, several writers may be at it. Each claims an epoch above all others
//! and then looks whether the newest state is still the one that it knows; if not, it would write
//! over what it never saw, and is refused. Each looks for a higher claim after its manifest is
//! there; if there is one, the save does not count for its caller. So of two writers that meet at
//! least one is told, and a save that was acknowledged is what every later one goes on from.
//!
//! A writer collects after a save of its own, and only packs of its own epoch or lower ones. A
//! later writer names packs of the newest state that it knows, which is kept, and its own, which
//! are not looked at; an earlier one that is still at it has packs that may go, since its state is
//! not the newest any more and it is told so.

use std::collections::HashSet;

use super::keys::{claim_key, manifest_key, pack_epoch, pack_key, parse_claim, parse_key};
use super::{Index, Inner, NO_NUMBER};
use crate::error::StoreError;
use crate::pack::PackName;

impl Inner {
    /// Takes an epoch above all that there were, once per writer.
    pub(super) fn claim(&self, index: &mut Index) -> Result<(), StoreError> {
        if index.epoch.is_some() {
            return Ok(());
        }
        let claims = self.backend.list("c/")?;
        let claimed = claims.iter().filter_map(|key| parse_claim(key)).max();
        let last = index.head.as_ref().map_or(0, |head| head.epoch);
        let highest = last.max(claimed.unwrap_or(0));
        let epoch = highest.checked_add(1).ok_or(NO_NUMBER)?;
        // Something that nobody else would write: where an answer was lost, it tells whose claim it
        // is.
        let mut mark = [0; 16];
        getrandom::fill(&mut mark).map_err(|_| StoreError::Io {
            what: "draw a random number",
            kind: std::io::ErrorKind::Other,
        })?;
        if !self.backend.create(&claim_key(epoch), &mark)? {
            return Err(StoreError::Fenced);
        }
        let known = index.head.as_ref();
        let known = known.map(|head| (head.epoch, head.sequence));
        if self.names()?.last().copied() != known {
            let _ = self.backend.delete(&claim_key(epoch));
            return Err(StoreError::Fenced);
        }
        for old in &claims {
            let _ = self.backend.delete(old);
        }
        index.epoch = Some(epoch);
        Ok(())
    }

    /// Whether another writer has claimed a higher epoch.
    pub(super) fn is_fenced(&self, epoch: u64) -> Result<bool, StoreError> {
        let claims = self.backend.list("c/")?;
        Ok(claims
            .iter()
            .filter_map(|key| parse_claim(key))
            .any(|other| other > epoch))
    }

    /// The epochs and sequences of the manifests that are there, the newest last.
    pub(super) fn names(&self) -> Result<Vec<(u64, u64)>, StoreError> {
        let mut names: Vec<(u64, u64)> = Vec::new();
        for key in self.backend.list("m/")? {
            names.push(parse_key(&key).ok_or(StoreError::Damaged("a file that is no manifest"))?);
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes manifests beyond those that are kept, and packs that none of them names and nobody
    /// here still reads. What cannot be removed now will be later.
    pub(super) fn collect(&self, index: &mut Index) {
        // Packs first: one that comes after is not looked at, whoever is about to name it.
        let (Ok(packs), Ok(names)) = (self.backend.list("p/"), self.names()) else {
            return;
        };
        // Another writer's manifests count too.
        index.kept.retain(|(name, _)| names.contains(name));
        for name in names {
            if !index.kept.iter().any(|(known, _)| *known == name) {
                let packs = self.manifest(name).map(|manifest| manifest.packs);
                index.kept.push((name, packs.unwrap_or_default()));
            }
        }
        index.kept.sort_unstable_by_key(|(name, _)| *name);
        let surplus = index.kept.len().saturating_sub(self.options.kept.max(1));
        for ((epoch, sequence), _) in index.kept.drain(..surplus) {
            let _ = self.backend.delete(&manifest_key(epoch, sequence));
        }
        index.sources.retain(|source| source.strong_count() > 0);
        let sources: Vec<_> = index
            .sources
            .iter()
            .filter_map(|source| source.upgrade())
            .collect();
        let named = index.kept.iter().flat_map(|(_, packs)| packs);
        let read = sources.iter().flat_map(|source| source.blobs.keys());
        let needed: HashSet<String> = named.chain(read).map(pack_key).collect();
        // What a later writer has put down is its own affair: it may be about to name it.
        let own = |key: &String| pack_epoch(key).is_some_and(|epoch| Some(epoch) <= index.epoch);
        for key in packs.iter().filter(|key| own(key)) {
            if !needed.contains(key) {
                let _ = self.backend.delete(key);
            }
        }
        if let Some(head) = &index.head {
            let named: HashSet<&PackName> = head.packs.iter().collect();
            index.packs.retain(|name, _| named.contains(name));
        }
    }
}
