//! The warm shells of a runtime: when there are too many, those that nobody used for a while are
//! dropped.
//!
//! A warm shell takes memory and one of the engine's places. Its state is in its [`Slot`], so its
//! next script only takes longer. A shell that has jobs or open descriptors stays: those would be
//! lost. So does one whose sandbox is busy: whoever makes room waits for no other sandbox.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use codepod_vfs::Budget;

use super::slot::Slot;

/// Less than this is hardly any: a shell and two tools take half of it.
const SCARCE: u64 = 32 << 20;

/// Shells in the order in which they were looked at; each is in it once.
#[derive(Debug)]
pub(crate) struct WarmList {
    limit: usize,
    slots: Mutex<VecDeque<Weak<Slot>>>,
}

impl WarmList {
    pub(crate) fn new(limit: usize) -> WarmList {
        WarmList {
            limit,
            slots: Mutex::default(),
        }
    }

    /// Notes a shell that becomes warm, and makes room for it.
    pub(crate) fn add(&self, slot: &Arc<Slot>) {
        let mut slots = self.lock();
        if slot.set_listed(true) {
            return;
        }
        slots.push_back(Arc::downgrade(slot));
        // Each is looked at twice at most: once to see that it was used, once to drop it.
        for _ in 0..2 * slots.len() {
            if slots.len() <= self.limit {
                return;
            }
            let Some(slot) = slots.pop_front().and_then(|slot| slot.upgrade()) else {
                continue;
            };
            if slot.was_used() || !slot.cool() {
                slots.push_back(Arc::downgrade(&slot));
            } else {
                slot.set_listed(false);
            }
        }
    }

    /// Makes memory free for those that draw from a budget which has hardly any left: their shells
    /// that nobody uses are dropped.
    pub(crate) fn relieve(&self, budget: &Budget) {
        if !budget.lacks(SCARCE) {
            return;
        }
        self.lock().retain(|slot| {
            let Some(slot) = slot.upgrade() else {
                return false;
            };
            let cold = slot.cool_for(budget);
            if cold {
                slot.set_listed(false);
            }
            !cold
        });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Weak<Slot>>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
