//! A process that its caller drives: on the caller's own thread as long as it takes no more than a
//! time slice at a time, on the engine's while it takes more.
//!
//! A short command then costs no change of threads, and long ones of any number of callers share
//! the engine's threads by turns, instead of one thread of the system's each.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use crate::engine::Inner;
use crate::fair_queue::Lane;

/// How long the end of a time slice is waited for when a process is dropped; a call into the host
/// may take longer, and ends it when it returns.
const LAST_SLICE: Duration = Duration::from_millis(20);

/// How many ticks of the clock a time slice has: one whole one, wherever in another it began. A
/// short command that begins just before a tick would otherwise be passed to another thread, which
/// takes longer than the command.
const SLICE: u64 = 2;

thread_local! {
    static SLICE_BEGAN: Cell<u64> = const { Cell::new(0) };
    static SLICE_IS_OVER: Cell<bool> = const { Cell::new(false) };
}

/// Notes that code begins to run on this thread at this tick of the clock.
pub(crate) fn begin_slice(tick: u64) {
    SLICE_BEGAN.set(tick);
}

/// Whether the code which runs on this thread has used its time slice at this tick of the clock. If
/// so it goes on when it is polled again.
pub(crate) fn end_slice(tick: u64) -> bool {
    let is_over = tick.saturating_sub(SLICE_BEGAN.get()) >= SLICE;
    if is_over {
        SLICE_IS_OVER.set(true);
    }
    is_over
}

/// Polls, and says whether the time slice was over rather than that something is waited for.
pub(crate) fn poll_slice<F: Future + ?Sized>(
    future: Pin<&mut F>,
    cx: &mut Context<'_>,
) -> (Poll<F::Output>, bool) {
    apart(|| {
        let polled = future.poll(cx);
        (polled, SLICE_IS_OVER.get())
    })
}

/// Runs code with a time slice of its own. What was noted of the one that it runs in stays noted.
pub(crate) fn apart<R>(code: impl FnOnce() -> R) -> R {
    let before = SLICE_IS_OVER.replace(false);
    let result = code();
    SLICE_IS_OVER.set(before);
    result
}

type Process = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A process that is driven by who polls this. Dropping it ends the process.
pub(crate) struct Driven {
    engine: Arc<Inner>,
    lane: Lane,
    shared: Arc<Shared>,
}

struct Shared {
    process: Mutex<Held>,
    /// Who drives, while the engine's threads go on with it.
    caller: Mutex<Option<Waker>>,
    /// Whether nobody drives any more.
    is_dropped: AtomicBool,
}

enum Held {
    /// Its caller polls it.
    Here(Process),
    /// The engine's threads poll it.
    There(Process),
    /// It has ended, or is to end with the poll that is under way.
    Over,
}

impl Driven {
    pub(crate) fn new(
        engine: Arc<Inner>,
        lane: Lane,
        process: impl Future<Output = ()> + Send + 'static,
    ) -> Driven {
        Driven {
            engine,
            lane,
            shared: Arc::new(Shared {
                process: Mutex::new(Held::Here(Box::pin(process))),
                caller: Mutex::default(),
                is_dropped: AtomicBool::new(false),
            }),
        }
    }
}

impl Future for Driven {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(mut held) = self.shared.come_back(cx) else {
            return Poll::Pending;
        };
        let Held::Here(process) = &mut *held else {
            return Poll::Ready(());
        };
        match poll_slice(process.as_mut(), cx) {
            (Poll::Ready(()), _) => {
                *held = Held::Over;
                Poll::Ready(())
            }
            (Poll::Pending, false) => Poll::Pending,
            (Poll::Pending, true) => {
                if let Held::Here(process) = std::mem::replace(&mut *held, Held::Over) {
                    *held = Held::There(process);
                }
                drop(held);
                self.shared.set_caller(Some(cx.waker().clone()));
                let shared = self.shared.clone();
                let there = std::future::poll_fn(move |cx| shared.poll_there(cx));
                self.engine.spawn_on(&self.lane, there);
                Poll::Pending
            }
        }
    }
}

impl Shared {
    /// The process, unless the engine's threads have it: they wake `cx` then.
    fn come_back(&self, cx: &Context<'_>) -> Option<MutexGuard<'_, Held>> {
        let held = self.held_here();
        if held.is_some() {
            return held;
        }
        self.set_caller(Some(cx.waker().clone()));
        // Who was done with it just before has woken nobody.
        self.held_here()
    }

    fn held_here(&self) -> Option<MutexGuard<'_, Held>> {
        let held = match self.process.try_lock() {
            Ok(held) => held,
            // It is being polled there.
            Err(TryLockError::WouldBlock) => return None,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        };
        (!matches!(*held, Held::There(_))).then_some(held)
    }

    /// Goes on with the process until it ends, or waits for something: then it is its caller's
    /// again.
    fn poll_there(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut held = self.lock();
        let Held::There(process) = &mut *held else {
            return Poll::Ready(());
        };
        match poll_slice(process.as_mut(), cx) {
            (Poll::Pending, _) if self.is_dropped.load(Ordering::SeqCst) => *held = Held::Over,
            (Poll::Pending, true) => return Poll::Pending,
            (Poll::Ready(()), _) => *held = Held::Over,
            (Poll::Pending, false) => {
                if let Held::There(process) = std::mem::replace(&mut *held, Held::Over) {
                    *held = Held::Here(process);
                }
            }
        }
        drop(held);
        if let Some(caller) = self.set_caller(None) {
            caller.wake();
        }
        Poll::Ready(())
    }

    fn set_caller(&self, caller: Option<Waker>) -> Option<Waker> {
        let mut set = self.caller.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *set, caller)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        let began = Instant::now();
        self.shared.is_dropped.store(true, Ordering::SeqCst);
        loop {
            match self.shared.process.try_lock() {
                Ok(mut held) => {
                    let ended = std::mem::replace(&mut *held, Held::Over);
                    drop(held);
                    drop(ended);
                    return;
                }
                Err(TryLockError::Poisoned(_)) => return,
                Err(TryLockError::WouldBlock) if began.elapsed() < LAST_SLICE => {
                    std::thread::sleep(Duration::from_micros(100));
                }
                // A call into the host takes long. Who polls the process finds out when that
                // returns.
                Err(TryLockError::WouldBlock) => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_has_a_whole_tick_wherever_it_begins() {
        begin_slice(5);
        assert!(!end_slice(5) && !end_slice(6));
        assert!(end_slice(7));
    }

    #[test]
    fn a_slice_within_another_leaves_that_as_it_was() {
        begin_slice(0);
        let inner = apart(|| end_slice(9));
        assert!(inner && !SLICE_IS_OVER.get());
        assert!(end_slice(9));
        apart(|| assert!(!SLICE_IS_OVER.get()));
        assert!(SLICE_IS_OVER.get());
    }
}
