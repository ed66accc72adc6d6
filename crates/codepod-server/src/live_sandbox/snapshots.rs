//! The snapshots of a sandbox that clients have asked for, by their ids.

use std::sync::Mutex;

use codepod::Snapshot;
use codepod_api::{ApiError, Kind};

use crate::failure::not_found;
use crate::ids;
use crate::lock::lock;
use crate::quota::Quota;

/// The snapshots of a sandbox.
#[derive(Debug, Default)]
pub(crate) struct Snapshots(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// By age.
    list: Vec<(String, Snapshot)>,
    /// Bytes that only they hold.
    bytes: u64,
}

impl Snapshots {
    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).list.is_empty()
    }

    /// Keeps one more, within the quota, and returns its id.
    pub(super) fn add(&self, snapshot: Snapshot, quota: &Quota) -> Result<String, ApiError> {
        let mut kept = lock(&self.0);
        let too_many = |message: String| {
            ApiError::new(Kind::Limit, message).hint("remove one with `snapshot.remove`")
        };
        if kept.list.len() >= quota.snapshots {
            let message = format!("there may be {} snapshots", quota.snapshots);
            return Err(too_many(message));
        }
        let held = match kept.list.last() {
            Some((_, last)) => last.held_beside(&snapshot),
            None => 0,
        };
        if kept.bytes.saturating_add(held) > quota.snapshot_bytes {
            let message = format!("snapshots may hold {} bytes", quota.snapshot_bytes);
            return Err(too_many(message));
        }
        let id = ids::random("sn")?;
        kept.bytes += held;
        kept.list.push((id.clone(), snapshot));
        Ok(id)
    }

    /// A snapshot by its id.
    pub(crate) fn find(&self, id: &str) -> Result<Snapshot, ApiError> {
        let kept = lock(&self.0);
        let found = kept.list.iter().find(|(other, _)| other == id);
        found
            .map(|(_, snapshot)| snapshot.clone())
            .ok_or_else(|| not_found("snapshot"))
    }

    /// The ids of all, by age.
    pub(crate) fn ids(&self) -> Vec<String> {
        let kept = lock(&self.0);
        kept.list.iter().map(|(id, _)| id.clone()).collect()
    }

    /// Forgets one.
    pub(crate) fn remove(&self, id: &str) -> Result<(), ApiError> {
        let mut kept = lock(&self.0);
        let at = kept.list.iter().position(|(other, _)| other == id);
        let (_, gone) = kept.list.remove(at.ok_or_else(|| not_found("snapshot"))?);
        // What is left holds what it holds: counted anew, because it may share with more than its
        // neighbours.
        let pairs = kept.list.windows(2);
        kept.bytes = pairs.map(|pair| pair[0].1.held_beside(&pair[1].1)).sum();
        drop(kept);
        drop(gone);
        Ok(())
    }
}
