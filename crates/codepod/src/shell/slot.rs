//! One shell of a sandbox: its process while it is warm, and the state to start the next one from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::turns::Turns;
use super::warm::Warm;

/// What a shell can be started from; its form is the shell's own.
pub(crate) type State = Arc<Vec<u8>>;

/// A shell.
#[derive(Debug, Default)]
pub(crate) struct Slot {
    /// Who uses it now. Process and state are changed only by who has the turn.
    pub(crate) turns: Turns,
    inner: Mutex<Inner>,
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

    /// Keeps a process for the next run, with the state that it has now.
    pub(crate) fn keep(&self, warm: Warm, state: Option<Vec<u8>>) {
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
