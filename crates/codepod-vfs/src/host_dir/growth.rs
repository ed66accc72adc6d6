//! How far a sandbox and its forks may let a directory of the host grow.

use std::sync::atomic::Ordering;

use codepod_abi::Errno;

use super::Shared;

impl Shared {
    /// Takes up to `growth` bytes from the budget.
    pub(super) fn grow_up_to(&self, growth: u64) -> u64 {
        let limit = self.options.growth_bytes;
        let mut granted = 0;
        let _ = self
            .grown_bytes
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |grown| {
                granted = growth.min(limit.saturating_sub(grown));
                Some(grown + granted)
            });
        granted
    }

    /// Takes exactly `growth` bytes, or fails with `NoSpc`.
    pub(super) fn grow(&self, growth: u64) -> Result<(), Errno> {
        let granted = self.grow_up_to(growth);
        if granted < growth {
            self.give_back(granted);
            return Err(Errno::NoSpc);
        }
        Ok(())
    }

    pub(super) fn give_back(&self, bytes: u64) {
        self.grown_bytes.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(super) fn give_back_node(&self) {
        self.grown_nodes.fetch_sub(1, Ordering::Relaxed);
    }

    /// Takes one node from the budget, or fails with `NoSpc`.
    pub(super) fn add_node(&self) -> Result<(), Errno> {
        let limit = self.options.growth_nodes;
        let more = |nodes| (nodes < limit).then_some(nodes + 1);
        let taken = self
            .grown_nodes
            .try_update(Ordering::Relaxed, Ordering::Relaxed, more);
        taken.map(|_| ()).map_err(|_| Errno::NoSpc)
    }
}
