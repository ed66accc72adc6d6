//! Numbers for the nodes of a host directory, and the way back to their names.
//!
//! Host numbers would tell about the host and mean nothing after a rename, so nodes get numbers of
//! our own: a hash of directory and name. The table remembers what each number stands for, as many
//! as it may; the longest unused are forgotten, except those that are open. A number that was
//! forgotten fails with `Stale`; looking its name up again gives the same one.
//!
//! Invariant: `by_name` is the inverse of `nodes`, and no directory is forgotten before what lies
//! in it.

use std::collections::HashMap;
use std::sync::Arc;

use codepod_abi::Errno;

use crate::listing::hash;
use crate::node::InodeId;

/// The root's number. Others are larger.
pub(super) const ROOT: InodeId = InodeId(1);

/// A name and where it is.
pub(super) type Place = (InodeId, Arc<[u8]>);

#[derive(Debug, Clone)]
struct Entry {
    place: Place,
    /// The tick of its last use.
    used: u64,
}

/// What the numbers stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Table {
    nodes: HashMap<InodeId, Entry>,
    by_name: HashMap<Place, InodeId>,
    tick: u64,
}

impl Table {
    /// The names that lead from the root to a node; `Stale` if it was forgotten or removed.
    pub(super) fn names(&mut self, id: InodeId) -> Result<Vec<Arc<[u8]>>, Errno> {
        self.tick += 1;
        let mut names = Vec::new();
        let mut at = id;
        while at != ROOT {
            let entry = self.nodes.get_mut(&at).ok_or(Errno::Stale)?;
            entry.used = self.tick;
            names.push(entry.place.1.clone());
            at = entry.place.0;
        }
        names.reverse();
        Ok(names)
    }

    /// The directory that holds a node, and its name there; `Stale` as above.
    pub(super) fn step_up(&mut self, id: InodeId) -> Result<Place, Errno> {
        self.tick += 1;
        let entry = self.nodes.get_mut(&id).ok_or(Errno::Stale)?;
        entry.used = self.tick;
        Ok(entry.place.clone())
    }

    pub(super) fn parent(&self, id: InodeId) -> Result<InodeId, Errno> {
        if id == ROOT {
            return Ok(ROOT);
        }
        Ok(self.nodes.get(&id).ok_or(Errno::Stale)?.place.0)
    }

    /// The number of a name, if it has one.
    pub(super) fn find(&self, dir: InodeId, name: &[u8]) -> Option<InodeId> {
        self.by_name.get(&(dir, name.into())).copied()
    }

    /// The number that a name has or would get.
    pub(super) fn number(
        &self,
        dir: InodeId,
        name: &[u8],
        taken: impl Fn(InodeId) -> bool,
    ) -> InodeId {
        if let Some(id) = self.find(dir, name) {
            return id;
        }
        // A number may be taken by a node that was renamed, or that is deleted but open.
        let mut seed = dir.0;
        loop {
            // The highest bit is left to overlays, the lowest numbers to roots.
            let id = InodeId((hash(seed, name) >> 1).max(ROOT.0 + 1));
            if !self.nodes.contains_key(&id) && !taken(id) {
                return id;
            }
            seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        }
    }

    /// Remembers a name and returns its number.
    pub(super) fn insert(
        &mut self,
        dir: InodeId,
        name: &[u8],
        taken: impl Fn(InodeId) -> bool,
    ) -> InodeId {
        self.tick += 1;
        let id = self.number(dir, name, taken);
        let place: Place = (dir, name.into());
        self.by_name.insert(place.clone(), id);
        self.nodes.insert(
            id,
            Entry {
                place,
                used: self.tick,
            },
        );
        id
    }

    /// Forgets a name that is gone, or that means something else now.
    pub(super) fn remove(&mut self, dir: InodeId, name: &[u8]) {
        if let Some(id) = self.by_name.remove(&(dir, name.into())) {
            self.nodes.remove(&id);
        }
    }

    /// Moves a number to another name.
    pub(super) fn rename(&mut self, dir: InodeId, name: &[u8], new_dir: InodeId, new_name: &[u8]) {
        self.remove(new_dir, new_name);
        if let Some(id) = self.by_name.remove(&(dir, name.into())) {
            let place: Place = (new_dir, new_name.into());
            self.by_name.insert(place.clone(), id);
            if let Some(entry) = self.nodes.get_mut(&id) {
                entry.place = place;
            }
        }
    }

    /// Whether `inner` is `outer` or lies below it.
    pub(super) fn is_within(&self, inner: InodeId, outer: InodeId) -> Result<bool, Errno> {
        let mut at = inner;
        while at != outer {
            if at == ROOT {
                return Ok(false);
            }
            at = self.parent(at)?;
        }
        Ok(true)
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Forgets about half of what is remembered, the longest unused first. `held` are those that
    /// have to stay, with all directories above them.
    pub(super) fn shrink(&mut self, held: impl Iterator<Item = InodeId>) {
        for id in held.collect::<Vec<_>>() {
            // Held ones count as used now; those without a name have nothing to keep.
            let _ = self.names(id);
        }
        self.use_directories();
        let mut ticks: Vec<u64> = self.nodes.values().map(|entry| entry.used).collect();
        let middle = ticks.len() / 2;
        let (_, oldest, _) = ticks.select_nth_unstable(middle);
        // Equal ticks go together, so nothing stays without the directory it lies in.
        let oldest = *oldest;
        self.nodes.retain(|_, entry| entry.used > oldest);
        let nodes = &self.nodes;
        self.by_name.retain(|_, id| nodes.contains_key(id));
    }

    /// Makes every directory used no earlier than what lies in it.
    fn use_directories(&mut self) {
        let mut latest: Vec<_> = self.nodes.iter().map(|(id, e)| (e.used, *id)).collect();
        // The latest first: then each directory is lifted at most once, and the whole takes as long
        // as there are nodes.
        latest.sort_unstable_by(|a, b| b.cmp(a));
        for (used, id) in latest {
            let mut at = self.parent(id);
            while let Ok(dir) = at
                && let Some(entry) = self.nodes.get_mut(&dir)
                && entry.used < used
            {
                entry.used = used;
                at = Ok(entry.place.0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_survives_shrinking_with_its_directories() {
        let mut table = Table::default();
        let free = |_| false;
        let mut dir = ROOT;
        for _ in 0..20 {
            dir = table.insert(dir, b"deep", free);
        }
        for n in 0..1000 {
            table.insert(ROOT, format!("{n}").as_bytes(), free);
        }
        let first = table.find(ROOT, b"0").unwrap();
        table.shrink([dir].into_iter());
        assert!(table.len() < 600);
        assert_eq!(table.names(dir).unwrap().len(), 20);
        assert_eq!(table.names(first), Err(Errno::Stale));
        assert_eq!(table.insert(ROOT, b"0", free), first);
    }

    #[test]
    fn a_renamed_node_keeps_its_number_and_its_old_name_gets_another() {
        let mut table = Table::default();
        let a = table.insert(ROOT, b"a", |_| false);
        table.rename(ROOT, b"a", ROOT, b"b");
        assert_eq!(table.find(ROOT, b"b"), Some(a));
        assert_ne!(table.insert(ROOT, b"a", |_| false), a);
        assert_eq!(&*table.names(a).unwrap()[0], b"b");
    }
}
