//! Cancelling a script from outside of the task that runs it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Waker};

/// Ends a script that runs or waits for its turn. Clones mean the same script.
#[derive(Debug, Clone, Default)]
pub struct Canceller {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    cancelled: bool,
    waker: Option<Waker>,
}

impl PartialEq for Canceller {
    fn eq(&self, other: &Canceller) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }
}

impl Eq for Canceller {}

impl Canceller {
    /// For a script that is yet to come: see [`Script::cancelled_by`](crate::Script::cancelled_by).
    pub fn new() -> Canceller {
        Canceller::default()
    }

    /// Ends the script and everything it has started. Without effect on one that has ended.
    pub fn cancel(&self) {
        let mut state = self.lock();
        state.cancelled = true;
        if let Some(waker) = state.waker.take() {
            drop(state);
            waker.wake();
        }
    }

    /// Whether it was cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.lock().cancelled
    }

    /// Whether it was cancelled; if not, the task is woken when it is.
    pub(crate) fn poll(&self, cx: &Context<'_>) -> bool {
        let mut state = self.lock();
        if !state.cancelled {
            state.waker = Some(cx.waker().clone());
        }
        state.cancelled
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
