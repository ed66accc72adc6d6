//! Moments: states of a sandbox that can be looked at, compared and taken from.

use crate::error::Error;
use crate::sandbox::{Sandbox, Snapshot};

/// A state of a sandbox.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Moment {
    /// As it is now.
    Now,
    /// As it was before a run, by the run's number.
    Before(u64),
    /// As it was when a run had ended.
    After(u64),
    /// As a snapshot has it.
    Snapshot(Snapshot),
}

impl From<Snapshot> for Moment {
    fn from(snapshot: Snapshot) -> Moment {
        Moment::Snapshot(snapshot)
    }
}

impl From<&Snapshot> for Moment {
    fn from(snapshot: &Snapshot) -> Moment {
        Moment::Snapshot(snapshot.clone())
    }
}

impl Sandbox {
    /// The state at a moment. Fails where a run is not kept any more.
    pub(crate) fn snapshot_at(&self, moment: Moment) -> Result<Snapshot, Error> {
        let timeline = &self.inner.timeline;
        match moment {
            Moment::Now => self.snapshot(),
            Moment::Before(number) => timeline.find(number, |point| point.before.clone()),
            Moment::After(number) => timeline.find(number, |point| point.after.clone()),
            Moment::Snapshot(snapshot) => self.own(snapshot),
        }
    }
}
