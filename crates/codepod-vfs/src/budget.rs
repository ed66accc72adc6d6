//! Budgets: what sandboxes use together, and how far that may go.
//!
//! Limits are one sandbox's; a budget is shared by as many sandboxes as have it: all of a tenant,
//! all of a host. It may be a part of another, which then counts the same once more: what is drawn
//! from a tenant is drawn from its host as well, from both or from neither.
//!
//! Whoever grows draws first and holds the [`Charge`] or the [`Place`] as long as what it stands
//! for; dropping that gives it back. Nothing is counted by hand, so that a process that is killed,
//! a fork that is dropped and a snapshot that outlives its sandbox all give back exactly what they
//! had. What is shared is held once, by what is shared.
//!
//! Invariant: what a budget has given out is the sum of the charges and places that are alive, and
//! no more than its limits allow but for what [`Charge::overdraw`] adds: the small copies of what
//! is about to be removed or changed, which must not fail half-way. As long as there are such,
//! nothing else is drawn.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far those that share a budget may go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BudgetLimits {
    /// Processes alive or not yet waited for. A shell that only waits for its next script is not
    /// one.
    pub processes: u64,
    /// Bytes of the host's memory: linear memory and stacks of processes, files that are held in
    /// memory with all that undo and snapshots keep of them, pipes, outputs, states of shells.
    pub memory_bytes: u64,
}

impl BudgetLimits {
    /// No limit: everything is counted only.
    pub const UNLIMITED: BudgetLimits = BudgetLimits {
        processes: u64::MAX,
        memory_bytes: u64::MAX,
    };

    /// So many processes and bytes.
    pub const fn new(processes: u64, memory_bytes: u64) -> BudgetLimits {
        BudgetLimits {
            processes,
            memory_bytes,
        }
    }
}

/// What has been drawn from a budget and not given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct BudgetUse {
    /// Processes.
    pub processes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
}

/// A budget. Clones are the same one; the default one counts nothing and has no limit.
#[derive(Debug, Clone, Default)]
pub struct Budget(Option<Arc<Inner>>);

#[derive(Debug)]
struct Inner {
    limits: BudgetLimits,
    processes: AtomicU64,
    memory: AtomicU64,
    /// What it is a part of.
    whole: Budget,
}

impl Budget {
    /// Counts nothing and has no limit.
    pub const FREE: Budget = Budget(None);

    /// A budget of its own.
    pub fn new(limits: BudgetLimits) -> Budget {
        Budget::default().part(limits)
    }

    /// A part of this one: what is drawn from it counts here as well.
    pub fn part(&self, limits: BudgetLimits) -> Budget {
        Budget(Some(Arc::new(Inner {
            limits,
            processes: AtomicU64::new(0),
            memory: AtomicU64::new(0),
            whole: self.clone(),
        })))
    }

    /// Whether what is drawn from this one is drawn from `whole`.
    pub fn is_within(&self, whole: &Budget) -> bool {
        let mut at = self;
        loop {
            match (&at.0, &whole.0) {
                (_, None) => return true,
                (None, Some(_)) => return false,
                (Some(own), Some(wanted)) if Arc::ptr_eq(own, wanted) => return true,
                (Some(own), Some(_)) => at = &own.whole,
            }
        }
    }

    /// Whether both are one and the same.
    pub fn is_same(&self, other: &Budget) -> bool {
        match (&self.0, &other.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other),
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// How far it goes, without what it is a part of.
    pub fn limits(&self) -> BudgetLimits {
        let limits = self.0.as_ref().map(|inner| inner.limits);
        limits.unwrap_or(BudgetLimits::UNLIMITED)
    }

    /// What is drawn from it now.
    pub fn used(&self) -> BudgetUse {
        let Some(inner) = &self.0 else {
            return BudgetUse::default();
        };
        BudgetUse {
            processes: inner.processes.load(Ordering::Relaxed),
            memory_bytes: inner.memory.load(Ordering::Relaxed),
        }
    }

    /// Draws bytes of memory. `None`, and nothing is drawn, when it or what it is a part of has not
    /// so many left.
    pub fn memory(&self, bytes: u64) -> Option<Charge> {
        self.draw(MEMORY, bytes).then(|| Charge {
            budget: self.clone(),
            bytes,
        })
    }

    /// Whether not even so many bytes are left.
    pub fn lacks(&self, bytes: u64) -> bool {
        let Some(inner) = &self.0 else {
            return false;
        };
        let used = inner.memory.load(Ordering::Relaxed);
        used.saturating_add(bytes) > inner.limits.memory_bytes || inner.whole.lacks(bytes)
    }

    /// Whether nothing is counted here.
    pub fn is_free(&self) -> bool {
        self.0.is_none()
    }

    /// Draws bytes of memory, also beyond what is left: see [`Charge::overdraw`].
    pub fn overdrawn(&self, bytes: u64) -> Charge {
        self.overdraw(bytes);
        Charge {
            budget: self.clone(),
            bytes,
        }
    }

    /// Draws a process. `None` when there is none left.
    pub fn process(&self) -> Option<Place> {
        self.draw(PROCESSES, 1).then(|| Place(self.clone()))
    }

    fn draw(&self, what: Resource, more: u64) -> bool {
        let Some(inner) = &self.0 else {
            return true;
        };
        if more == 0 {
            return true;
        }
        let most = (what.most)(&inner.limits);
        let within = |used: u64| used.checked_add(more).filter(|used| *used <= most);
        let counter = (what.counter)(inner);
        if counter
            .try_update(Ordering::Relaxed, Ordering::Relaxed, within)
            .is_err()
        {
            return false;
        }
        let drawn = inner.whole.draw(what, more);
        if !drawn {
            counter.fetch_sub(more, Ordering::Relaxed);
        }
        drawn
    }

    /// Draws bytes that there may not be.
    fn overdraw(&self, more: u64) {
        if let Some(inner) = &self.0
            && more > 0
        {
            inner.memory.fetch_add(more, Ordering::Relaxed);
            inner.whole.overdraw(more);
        }
    }

    fn give_back(&self, what: Resource, less: u64) {
        if let Some(inner) = &self.0
            && less > 0
        {
            (what.counter)(inner).fetch_sub(less, Ordering::Relaxed);
            inner.whole.give_back(what, less);
        }
    }
}

/// Something that is counted.
#[derive(Clone, Copy)]
struct Resource {
    counter: fn(&Inner) -> &AtomicU64,
    most: fn(&BudgetLimits) -> u64,
}

const PROCESSES: Resource = Resource {
    counter: |inner| &inner.processes,
    most: |limits| limits.processes,
};

const MEMORY: Resource = Resource {
    counter: |inner| &inner.memory,
    most: |limits| limits.memory_bytes,
};

/// Bytes that were drawn from a budget. Dropped, they are given back.
#[derive(Debug, Default)]
pub struct Charge {
    budget: Budget,
    bytes: u64,
}

impl Charge {
    /// How many there are.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Draws or gives back so that there are `bytes`. False, and nothing has changed, when there
    /// are not so many left.
    #[must_use]
    pub fn set(&mut self, bytes: u64) -> bool {
        let drawn = match bytes.checked_sub(self.bytes) {
            Some(more) => self.budget.draw(MEMORY, more),
            None => {
                self.budget.give_back(MEMORY, self.bytes - bytes);
                true
            }
        };
        if drawn {
            self.bytes = bytes;
        }
        drawn
    }

    /// Draws or gives back so that there are `bytes`, also beyond what is left. Only for a little,
    /// and where it is checked before ([`Budget::lacks`]) or something is given back soon.
    pub fn overdraw(&mut self, bytes: u64) {
        match bytes.checked_sub(self.bytes) {
            Some(more) => self.budget.overdraw(more),
            None => self.budget.give_back(MEMORY, self.bytes - bytes),
        }
        self.bytes = bytes;
    }

    /// As many bytes again from the same budget, also beyond what is left.
    pub fn overdraw_again(&self) -> Charge {
        self.budget.overdrawn(self.bytes)
    }

    /// Draws more. False, and nothing has changed, when there is not so much left.
    #[must_use]
    pub fn add(&mut self, more: u64) -> bool {
        self.bytes
            .checked_add(more)
            .is_some_and(|bytes| self.set(bytes))
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.give_back(MEMORY, self.bytes);
    }
}

/// Something in memory, and the charge for it.
#[derive(Debug, Default)]
pub struct Charged<T> {
    value: T,
    _charge: Charge,
}

impl<T> Charged<T> {
    /// Holds both together.
    pub fn new(value: T, charge: Charge) -> Charged<T> {
        Charged {
            value,
            _charge: charge,
        }
    }
}

impl<T> Deref for Charged<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Charged<T> {
    fn eq(&self, other: &Charged<T>) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Charged<T> {}

/// A process that was drawn from a budget. Dropped, it is given back.
#[derive(Debug)]
pub struct Place(Budget);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.give_back(PROCESSES, 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_is_given_back_by_dropping_it() {
        let budget = Budget::new(BudgetLimits::new(2, 100));
        let mut charge = budget.memory(60).unwrap();
        assert!(budget.memory(41).is_none());
        assert!(!charge.set(101) && charge.set(100) && charge.set(10));
        assert!(!charge.add(91) && !charge.add(u64::MAX) && charge.add(30));
        let (one, two) = (budget.process(), budget.process());
        assert!(one.is_some() && two.is_some() && budget.process().is_none());
        assert_eq!(
            (budget.used().processes, budget.used().memory_bytes),
            (2, 40)
        );
        drop((one, two, charge));
        assert_eq!(budget.used(), BudgetUse::default());
    }

    #[test]
    fn a_part_draws_from_the_whole_from_both_or_from_neither() {
        let host = Budget::new(BudgetLimits::new(3, 100));
        let (a, b) = (
            host.part(BudgetLimits::new(2, 80)),
            host.part(BudgetLimits::new(2, 80)),
        );
        let of_a = a.memory(70).unwrap();
        assert!(b.memory(40).is_none(), "the host has 30 left");
        assert_eq!(b.used(), BudgetUse::default());
        assert_eq!(host.used().memory_bytes, 70);
        let of_b = b.memory(30).unwrap();
        drop(of_a);
        assert_eq!(host.used().memory_bytes, 30);
        drop(of_b);
        let places = [a.process(), a.process(), b.process()];
        assert!(places.iter().all(Option::is_some) && b.process().is_none());
        drop(places);
        assert_eq!(host.used(), BudgetUse::default());
        assert!(a.is_within(&host) && host.is_within(&host) && !host.is_within(&a));
        assert!(!a.is_within(&b) && !Budget::default().is_within(&host));
    }

    #[test]
    fn what_is_overdrawn_has_to_be_given_back_before_more_is_drawn() {
        let host = Budget::new(BudgetLimits::new(0, 1000));
        let part = host.part(BudgetLimits::new(0, 100));
        let mut charge = part.memory(90).unwrap();
        let again = charge.overdraw_again();
        assert_eq!(host.used().memory_bytes, 180);
        assert!(part.lacks(1) && !host.lacks(820) && host.lacks(821));
        assert!(part.memory(1).is_none() && !charge.add(1));
        charge.overdraw(10);
        assert!(part.memory(1).is_none() == part.lacks(1) && !part.lacks(0));
        drop((charge, again));
        assert_eq!(host.used(), BudgetUse::default());
    }

    #[test]
    fn a_thousand_at_once_never_go_beyond_it_and_leave_nothing() {
        let host = Budget::new(BudgetLimits::new(u64::MAX, 10_000));
        let part = host.part(BudgetLimits::new(7, u64::MAX));
        std::thread::scope(|scope| {
            for seed in 0..8u64 {
                let (host, part) = (&host, &part);
                scope.spawn(move || {
                    let mut random = seed * 2 + 1;
                    let mut held: Vec<(Option<Charge>, Option<Place>)> = Vec::new();
                    for _ in 0..1000 {
                        random = random.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                        let bytes = (random >> 33) % 3000;
                        let mut charge = part.memory(bytes);
                        if let Some(charge) = &mut charge {
                            let _ = charge.set(bytes / 2) || charge.add(bytes);
                        }
                        held.push((charge, part.process()));
                        let used = part.used();
                        assert!(used.processes <= 7 && host.used().memory_bytes <= 10_000);
                        if random & (1 << 40) == 0 {
                            held.clear();
                        }
                    }
                });
            }
        });
        assert_eq!(host.used(), BudgetUse::default());
        assert_eq!(part.used(), BudgetUse::default());
    }
}
