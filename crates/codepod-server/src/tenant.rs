//! Tenants: whose sandboxes they are, and how much each may have.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use codepod_api::{ApiError, Kind};

/// How much a tenant may have at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Sandboxes that are alive.
    pub sandboxes: usize,
    /// Requests that are being answered.
    pub requests: usize,
    /// Snapshots of one sandbox.
    pub snapshots: usize,
    /// Bytes that only snapshots of one sandbox still hold.
    pub snapshot_bytes: u64,
}

impl Default for Quota {
    fn default() -> Quota {
        Quota {
            sandboxes: 10_000,
            requests: 256,
            snapshots: 1000,
            snapshot_bytes: 1 << 30,
        }
    }
}

/// Somebody who has sandboxes. What one has, others can neither see nor name.
#[derive(Debug)]
pub struct Tenant {
    /// Its name, for logs and for the directory of its states.
    pub name: String,
    /// How much it may have.
    pub quota: Quota,
    sandboxes: AtomicUsize,
    requests: AtomicUsize,
}

impl Tenant {
    /// A tenant that has nothing yet.
    pub fn new(name: impl Into<String>, quota: Quota) -> Arc<Tenant> {
        Arc::new(Tenant {
            name: name.into(),
            quota,
            sandboxes: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
        })
    }

    /// Sandboxes that it has.
    pub fn sandboxes(&self) -> usize {
        self.sandboxes.load(Ordering::Relaxed)
    }

    /// A place for a sandbox, until it is dropped.
    pub(crate) fn take_sandbox(self: &Arc<Tenant>) -> Result<Place, ApiError> {
        let what = "sandboxes";
        self.take(|tenant| &tenant.sandboxes, self.quota.sandboxes, what)
    }

    /// A place for a request, until it is dropped.
    pub fn take_request(self: &Arc<Tenant>) -> Result<Place, ApiError> {
        let what = "requests at a time";
        self.take(|tenant| &tenant.requests, self.quota.requests, what)
    }

    fn take(
        self: &Arc<Tenant>,
        counter: fn(&Tenant) -> &AtomicUsize,
        most: usize,
        what: &str,
    ) -> Result<Place, ApiError> {
        if counter(self).fetch_add(1, Ordering::Relaxed) >= most {
            counter(self).fetch_sub(1, Ordering::Relaxed);
            return Err(ApiError::new(
                Kind::Limit,
                format!("there may be {most} {what}"),
            ));
        }
        Ok(Place {
            tenant: self.clone(),
            counter,
        })
    }
}

/// A place within a quota; dropped, it is free again.
#[derive(Debug)]
pub struct Place {
    tenant: Arc<Tenant>,
    counter: fn(&Tenant) -> &AtomicUsize,
}

impl Drop for Place {
    fn drop(&mut self) {
        (self.counter)(&self.tenant).fetch_sub(1, Ordering::Relaxed);
    }
}
