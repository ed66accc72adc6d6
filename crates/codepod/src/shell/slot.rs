//! One shell of a sandbox: its process while it is warm, and the state to start the next one from.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_vfs::{Budget, Charged};

use super::queue::Turns;
use super::warm::Warm;

/// What a shell can be started from; its form is the shell's own.
pub(crate) type State = Arc<Charged<Vec<u8>>>;

/// A shell.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Who uses it now. Process and state are changed only by who has the turn.
    pub(crate) turns: Turns,
    inner: Mutex<Inner>,
    /// Whether it was used since the last look at it.
    used: AtomicBool,
    /// Whether it is in the runtime's list of warm shells.
    listed: AtomicBool,
}

#[derive(Debug, Default)]
struct Inner {
    /// `None` before the first run, while a run has it, and after it was dropped.
    warm: Option<Warm>,
    /// `None` before the first run.
    state: Option<State>,
}

impl Slot {
    pub(crate) fn with_state(state: Option<State>) -> Slot {
        let slot = Slot::default();
        slot.lock().state = state;
        slot
    }

    pub(crate) fn state(&self) -> Option<State> {
        self.lock().state.clone()
    }

    pub(crate) fn set_state(&self, state: Option<State>) {
        self.lock().state = state;
    }

    pub(crate) fn take_warm(&self) -> Option<Warm> {
        self.lock().warm.take()
    }

    /// Drops the process unless it is in use, has something that would be lost, or its sandbox is
    /// busy: the caller uses another sandbox and waits for nothing of this one. Whether none is
    /// left.
    pub(crate) fn cool(&self) -> bool {
        self.cool_if(|_| true)
    }

    /// Drops the process as [`Self::cool`] does, if its sandbox draws from this budget.
    pub(crate) fn cool_for(&self, budget: &Budget) -> bool {
        self.cool_if(|warm| warm.draws_from(budget))
    }

    fn cool_if(&self, is_wanted: impl Fn(&Warm) -> bool) -> bool {
        let Some(_turn) = self.turns.try_take() else {
            return false;
        };
        let mut inner = self.lock();
        if inner.warm.as_ref().is_some_and(|warm| !is_wanted(warm)) {
            return false;
        }
        let warm = inner.warm.take();
        drop(inner);
        // Outside of the lock: a process that ends gives its memory back. Whose turn it is may put
        // it where it was.
        match warm.map(Warm::try_end) {
            Some(Err(warm)) => {
                self.lock().warm = Some(warm);
                false
            }
            None | Some(Ok(())) => true,
        }
    }

    /// Whether it was used since this was asked last.
    pub(crate) fn was_used(&self) -> bool {
        self.used.swap(false, Ordering::Relaxed)
    }

    /// Notes whether it is in the list of warm shells; whether it was.
    pub(crate) fn set_listed(&self, listed: bool) -> bool {
        self.listed.swap(listed, Ordering::Relaxed)
    }

    /// Keeps a process for the next run, with the state that it has now.
    pub(crate) fn keep(&self, warm: Warm, state: Option<Charged<Vec<u8>>>) {
        self.used.store(true, Ordering::Relaxed);
        let mut inner = self.lock();
        inner.warm = Some(warm);
        if let Some(state) = state {
            inner.state = Some(Arc::new(state));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
