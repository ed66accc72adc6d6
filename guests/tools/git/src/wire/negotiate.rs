//! Which commits a server is told that are here, until it knows enough.

use std::collections::{BinaryHeap, HashMap};

use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::repo::Repo;
use crate::stop::Result;

/// The server has it, and what it leads to.
const COMMON: u8 = 1;
/// It is in the queue, or was.
const SEEN: u8 = 2;

/// Goes from the newest commits here to older ones.
pub(crate) struct Negotiator<'a> {
    repo: &'a Repo,
    queue: BinaryHeap<(i64, Oid)>,
    flags: HashMap<Oid, u8>,
    /// Those in the queue of which it is not known that the server has them.
    open: usize,
}

impl<'a> Negotiator<'a> {
    /// Begins with all references here; `common` are objects that the server has, too.
    pub(crate) fn new(repo: &'a Repo, common: &[Oid]) -> Result<Negotiator<'a>> {
        let mut negotiator = Negotiator {
            repo,
            queue: BinaryHeap::new(),
            flags: HashMap::new(),
            open: 0,
        };
        for oid in common {
            if let Some(commit) = negotiator.commit(*oid)? {
                // It is told itself, what it leads to is not.
                negotiator.add(&commit, 0);
                for parent in &commit.parents {
                    if let Some(parent) = negotiator.commit(*parent)? {
                        negotiator.add(&parent, COMMON);
                    }
                }
            }
        }
        let mut tips: Vec<Oid> = repo
            .refs
            .all(b"refs/")
            .into_iter()
            .map(|(_, oid)| oid)
            .collect();
        tips.extend(repo.head());
        for tip in tips {
            if let Ok(oid) = crate::revision::peel(repo, tip, Some(Kind::Commit))
                && let Some(commit) = negotiator.commit(oid)?
            {
                negotiator.add(&commit, 0);
            }
        }
        Ok(negotiator)
    }

    /// A commit, if it is here.
    fn commit(&self, oid: Oid) -> Result<Option<Commit>> {
        match self.repo.objects.get(&oid)? {
            Some((Kind::Commit, _)) => Commit::read(&self.repo.objects, &oid).map(Some),
            _ => Ok(None),
        }
    }

    fn add(&mut self, commit: &Commit, flag: u8) {
        let flags = self.flags.entry(commit.oid).or_default();
        let (was_seen, was_common) = (*flags & SEEN != 0, *flags & COMMON != 0);
        *flags |= flag | SEEN;
        match (was_seen, flag == COMMON) {
            (false, is_common) => {
                self.queue.push((commit.time(), commit.oid));
                self.open += usize::from(!is_common);
            }
            // In the queue still, or told already: then this changes nothing.
            (true, true) if !was_common && self.queue.iter().any(|(_, oid)| *oid == commit.oid) => {
                self.open -= 1;
            }
            _ => {}
        }
    }

    /// The next commit to tell.
    pub(crate) fn next(&mut self) -> Result<Option<Oid>> {
        while self.open > 0 {
            let Some((_, oid)) = self.queue.pop() else {
                return Ok(None);
            };
            let is_common = self
                .flags
                .get(&oid)
                .is_some_and(|flags| flags & COMMON != 0);
            self.open -= usize::from(!is_common);
            let Some(commit) = self.commit(oid)? else {
                continue;
            };
            for parent in &commit.parents {
                let known = self.flags.get(parent).copied().unwrap_or(0);
                if known & SEEN != 0 && (!is_common || known & COMMON != 0) {
                    continue;
                }
                if let Some(parent) = self.commit(*parent)? {
                    self.add(&parent, if is_common { COMMON } else { 0 });
                }
            }
            if !is_common {
                return Ok(Some(oid));
            }
        }
        Ok(None)
    }

    /// The server has a commit. Whether that was not known.
    pub(crate) fn acknowledge(&mut self, oid: Oid) -> Result<bool> {
        let flags = self.flags.entry(oid).or_default();
        if *flags & COMMON != 0 {
            return Ok(false);
        }
        *flags |= COMMON | SEEN;
        if let Some(commit) = self.commit(oid)? {
            for parent in &commit.parents {
                if let Some(parent) = self.commit(*parent)? {
                    self.add(&parent, COMMON);
                }
            }
        }
        Ok(true)
    }
}
