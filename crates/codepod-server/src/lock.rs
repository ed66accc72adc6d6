//! Locks whose holder may have failed: what they guard is whole after every step, so the next one
//! goes on.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex guards.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
