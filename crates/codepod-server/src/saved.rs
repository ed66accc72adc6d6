//! What a tenant has saved: in how many namespaces, and how much. Both have a quota.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use codepod::{Namespace, SaveRoom, make_namespace, namespaces, remove_namespace};
use codepod_api::{ApiError, Kind};

use crate::failure::failure;
use crate::failure::not_found;
use crate::lock::lock;
use crate::quota::Quota;

/// What is full is counted anew after so long: old versions go by themselves.
const COUNTED: Duration = Duration::from_secs(1);

/// The saved states of a tenant.
#[derive(Debug)]
pub(crate) struct SavedStates {
    directory: PathBuf,
    quota: Quota,
    used: Mutex<Used>,
    /// Held by whoever makes or removes a namespace.
    changing: Mutex<()>,
}

#[derive(Debug, Default)]
struct Used {
    /// Bytes in namespaces.
    saved: u64,
    /// Bytes of sandboxes that sleep.
    asleep: u64,
    /// When they were counted.
    counted: Option<Instant>,
}

impl SavedStates {
    pub(crate) fn new(directory: PathBuf, quota: Quota) -> SavedStates {
        SavedStates {
            directory,
            quota,
            used: Mutex::default(),
            changing: Mutex::default(),
        }
    }

    /// Where they are.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// Makes sure that there is a namespace. Fails with [`Kind::Limit`] if it is new and there are
    /// too many.
    pub(crate) fn make(&self, name: &str) -> Result<(), ApiError> {
        let _changing = lock(&self.changing);
        let most = self.quota.namespaces;
        let made = make_namespace(&self.directory, name, most);
        if made.map_err(|error| failure(error.into()))? {
            return Ok(());
        }
        let error = ApiError::new(Kind::Limit, format!("there may be {most} namespaces"));
        Err(error.hint("remove one with `states.remove`"))
    }

    pub(crate) fn list(&self) -> Result<Vec<Namespace>, ApiError> {
        namespaces(&self.directory).map_err(|error| failure(error.into()))
    }

    pub(crate) fn remove(&self, name: &str) -> Result<(), ApiError> {
        let _changing = lock(&self.changing);
        let removed = remove_namespace(&self.directory, name);
        if !removed.map_err(|error| failure(error.into()))? {
            return Err(not_found("state"));
        }
        lock(&self.used).counted = None;
        Ok(())
    }

    /// Counts the bytes of a sandbox that sleeps. They count until they are taken away.
    pub(crate) fn add_asleep(&self, bytes: u64) {
        lock(&self.used).asleep += bytes;
    }

    pub(crate) fn remove_asleep(&self, bytes: u64) {
        let mut used = lock(&self.used);
        used.asleep = used.asleep.saturating_sub(bytes);
    }
}

impl SaveRoom for SavedStates {
    fn is_full(&self) -> Option<u64> {
        let most = self.quota.state_bytes;
        let mut used = lock(&self.used);
        let is_full = |used: &Used| used.saved.saturating_add(used.asleep) >= most;
        let old = |at: Instant| at.elapsed() >= COUNTED;
        if used.counted.is_none() || (is_full(&used) && used.counted.is_some_and(old)) {
            let found = namespaces(&self.directory).unwrap_or_default();
            used.saved = found.iter().map(|found| found.bytes).sum();
            used.counted = Some(Instant::now());
        }
        is_full(&used).then_some(most)
    }

    fn saved(&self, bytes: u64) {
        let mut used = lock(&self.used);
        used.saved = used.saved.saturating_add(bytes);
    }
}
