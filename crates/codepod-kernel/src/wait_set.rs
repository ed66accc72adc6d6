//! Wait sets: who is to be woken when something changes.
//!
//! A waiter is in a set at most once. One that was killed or interrupted stays until the set is
//! woken, so a full set wakes all. Waking is a hint: who is woken looks again, and waits again if
//! there is nothing.
//!
//! Invariant: `waiters.len() <= MOST`.

use std::task::Waker;

use crate::ids::WaiterId;

/// How many waiters a set holds before it wakes them: more than there are processes.
const MOST: usize = 1024;

/// The waiters of one event.
#[derive(Debug, Default)]
pub(crate) struct WaitSet {
    waiters: Vec<(WaiterId, Waker)>,
}

impl WaitSet {
    /// Adds a waiter, or renews its waker. A full set wakes all others first.
    pub(crate) fn add(&mut self, id: WaiterId, waker: &Waker) {
        match self.waiters.iter_mut().find(|(waiter, _)| *waiter == id) {
            Some((_, old)) => old.clone_from(waker),
            None => {
                if self.waiters.len() >= MOST {
                    self.wake();
                }
                self.waiters.push((id, waker.clone()));
            }
        }
    }

    /// Whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Wakes everybody and forgets them.
    pub(crate) fn wake(&mut self) {
        for (_, waker) in self.waiters.drain(..) {
            waker.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiter_is_in_the_set_once() {
        let mut set = WaitSet::default();
        for _ in 0..1000 {
            set.add(WaiterId(1), Waker::noop());
            set.add(WaiterId(2), Waker::noop());
        }
        assert_eq!(set.waiters.len(), 2);
        set.wake();
        assert!(set.waiters.is_empty());
    }

    #[test]
    fn a_set_is_bounded_however_many_come_and_go() {
        let mut set = WaitSet::default();
        for waiter in 0..100_000 {
            set.add(WaiterId(waiter), Waker::noop());
            assert!(set.waiters.len() <= MOST);
        }
    }
}
