//! Tenants: whose sandboxes they are, and how much each may have.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use codepod::{Budget, BudgetLimits, BudgetUse, Share};
use codepod_api::{ApiError, Kind};

use crate::quota::Quota;
use crate::runs::Runs;
use crate::saved::SavedStates;

/// Somebody who has sandboxes. What one has, others can neither see nor name.
#[derive(Debug)]
pub struct Tenant {
    /// Its name, for logs and for the directory of its states.
    pub name: String,
    /// How much it may have.
    pub quota: Quota,
    sandboxes: AtomicUsize,
    requests: AtomicUsize,
    flight: AtomicU64,
    /// What all its sandboxes use together.
    share: Share,
    /// What all its sandboxes are drawn from, once there is one: a part of the server's.
    budget: OnceLock<Budget>,
    saved: OnceLock<Arc<SavedStates>>,
    /// What runs in its sandboxes.
    pub(crate) runs: Arc<Runs>,
}

impl Tenant {
    /// A tenant that has nothing yet.
    pub fn new(name: impl Into<String>, quota: Quota) -> Arc<Tenant> {
        Arc::new(Tenant {
            name: name.into(),
            quota,
            sandboxes: AtomicUsize::new(0),
            requests: AtomicUsize::new(0),
            flight: AtomicU64::new(0),
            share: Share::new(quota.cpu_weight),
            budget: OnceLock::new(),
            saved: OnceLock::new(),
            runs: Arc::default(),
        })
    }

    /// What all its sandboxes use together of the processors.
    pub(crate) fn share(&self) -> Share {
        self.share.clone()
    }

    /// What all its sandboxes are drawn from, on a server whose own budget is this.
    pub(crate) fn budget(&self, of_server: &Budget) -> Budget {
        let limits = BudgetLimits::new(self.quota.processes, self.quota.memory_bytes);
        self.budget.get_or_init(|| of_server.part(limits)).clone()
    }

    /// What it uses now of its processes and its memory.
    pub fn used(&self) -> BudgetUse {
        self.budget.get().map(Budget::used).unwrap_or_default()
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

    /// What it has saved where a server keeps states: the local client's own, or in a directory for
    /// each.
    pub(crate) fn saved(&self, states: &Path) -> &Arc<SavedStates> {
        self.saved.get_or_init(|| {
            let directory = match &*self.name {
                "" => states.to_owned(),
                name => states.join(name),
            };
            Arc::new(SavedStates::new(directory, self.quota))
        })
    }

    /// An account of bytes that are on their way; none yet.
    pub(crate) fn flight(self: &Arc<Tenant>) -> Flight {
        Flight {
            tenant: self.clone(),
            bytes: 0,
        }
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

/// Bytes that are on their way to a tenant or from it. Dropped, they have arrived.
#[derive(Debug)]
pub(crate) struct Flight {
    tenant: Arc<Tenant>,
    bytes: u64,
}

impl Flight {
    /// Adds bytes. Fails with [`Kind::Limit`] if the tenant has too many on their way.
    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), ApiError> {
        let most = self.tenant.quota.flight_bytes;
        let within = |now: u64| now.checked_add(bytes).filter(|sum| *sum <= most);
        let added = self
            .tenant
            .flight
            .try_update(Ordering::Relaxed, Ordering::Relaxed, within);
        if added.is_err() {
            let message = format!("there may be {most} bytes of requests and answers on their way");
            let error = ApiError::new(Kind::Limit, message);
            return Err(error.hint("read answers that wait, or ask for less at a time"));
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Takes bytes away that have arrived.
    pub(crate) fn remove(&mut self, bytes: u64) {
        let gone = bytes.min(self.bytes);
        self.bytes -= gone;
        self.tenant.flight.fetch_sub(gone, Ordering::Relaxed);
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        self.tenant.flight.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_on_their_way_are_counted_until_they_have_arrived() {
        let quota = Quota {
            flight_bytes: 100,
            ..Quota::default()
        };
        let tenant = Tenant::new("t", quota);
        let (mut a, mut b) = (tenant.flight(), tenant.flight());
        a.add(60).unwrap();
        assert_eq!(b.add(41).unwrap_err().kind(), Kind::Limit);
        b.add(40).unwrap();
        assert!(a.add(1).is_err() && a.add(u64::MAX).is_err());
        a.remove(10);
        b.add(10).unwrap();
        a.remove(1000);
        drop(b);
        a.add(100).unwrap();
        drop(a);
        assert_eq!(tenant.flight.load(Ordering::Relaxed), 0);
    }
}
