//! Deadlines of the host's own tasks.

use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;

use codepod_kernel::{Host, TimerKey};

/// A deadline that wakes the task that waits for it. A command that ends at once never arms it.
pub(crate) struct Timer {
    host: Arc<dyn Host>,
    key: TimerKey,
    deadline: u64,
    armed: Option<Waker>,
}

impl Timer {
    pub(crate) fn after(host: Arc<dyn Host>, key: TimerKey, timeout: Duration) -> Timer {
        let timeout = u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX);
        let deadline = host.monotonic().saturating_add(timeout);
        Timer {
            host,
            key,
            deadline,
            armed: None,
        }
    }

    pub(crate) fn is_due(&self) -> bool {
        self.host.monotonic() >= self.deadline
    }

    pub(crate) fn arm(&mut self, cx: &Context<'_>) {
        if self.deadline == u64::MAX
            || self
                .armed
                .as_ref()
                .is_some_and(|waker| waker.will_wake(cx.waker()))
        {
            return;
        }
        self.armed = Some(cx.waker().clone());
        self.host.wake_at(self.key, self.deadline, cx.waker());
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        if self.armed.is_some() {
            self.host.forget(self.key);
        }
    }
}
