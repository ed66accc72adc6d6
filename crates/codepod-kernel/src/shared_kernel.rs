//! A sandbox's kernel behind its one lock.
//!
//! Threads of the host's own may block on it; the engine's threads must not, since they belong to
//! all sandboxes: they wait for it as for anything else, and do something for others meanwhile. A
//! call that panicked poisons the lock: that sandbox is over.

use std::fmt;
use std::future::poll_fn;
use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::task::{Context, Poll, Waker};

use crate::kernel::Kernel;

/// How often a lock is tried before its caller waits: most calls take about a microsecond.
const TRIES: usize = 64;

/// A kernel, and who waits for it.
pub struct SharedKernel {
    kernel: Mutex<Kernel>,
    waiting: Mutex<Vec<Waker>>,
    /// Whether anybody is in `waiting`.
    is_waited_for: AtomicBool,
    /// Whether something of this sandbox panicked.
    is_over: AtomicBool,
}

/// Something panicked: the sandbox is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Poisoned;

impl SharedKernel {
    /// Puts a kernel behind its lock.
    pub fn new(kernel: Kernel) -> SharedKernel {
        SharedKernel {
            kernel: Mutex::new(kernel),
            waiting: Mutex::default(),
            is_waited_for: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Waits for the kernel on this thread, which must not be one of the engine's.
    pub fn lock(&self) -> Result<KernelGuard<'_>, Poisoned> {
        match self.kernel.lock() {
            Ok(guard) if !self.is_over() => Ok(self.guard(guard)),
            _ => Err(Poisoned),
        }
    }

    /// Whether something panicked.
    pub fn is_poisoned(&self) -> bool {
        self.kernel.is_poisoned() || self.is_over()
    }

    /// Ends the sandbox: something of it panicked, in its kernel or beside it. Whoever waits for
    /// something of it is woken, and hears that it is over.
    pub fn poison(&self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Who has the kernel now wakes them when it lets go.
        match self.kernel.try_lock() {
            Ok(mut kernel) => wake_everybody(&mut kernel),
            Err(TryLockError::Poisoned(kernel)) => wake_everybody(&mut kernel.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The kernel, or wakes `cx` when it is worth asking again.
    pub fn poll_lock(&self, cx: &Context<'_>) -> Poll<Result<KernelGuard<'_>, Poisoned>> {
        for _ in 0..TRIES {
            if let Some(answer) = self.try_lock() {
                return Poll::Ready(answer);
            }
            std::hint::spin_loop();
        }
        let mut waiting = self.waiting();
        if !waiting.iter().any(|waker| waker.will_wake(cx.waker())) {
            waiting.push(cx.waker().clone());
        }
        self.is_waited_for.store(true, Ordering::Relaxed);
        drop(waiting);
        // Either this sees that the kernel was let go, or who lets it go sees that it is waited
        // for.
        fence(Ordering::SeqCst);
        match self.try_lock() {
            Some(answer) => Poll::Ready(answer),
            None => Poll::Pending,
        }
    }

    /// Waits for the kernel without blocking the thread.
    pub async fn wait(&self) -> Result<KernelGuard<'_>, Poisoned> {
        poll_fn(|cx| self.poll_lock(cx)).await
    }

    /// The kernel, if nobody has it.
    pub fn try_lock(&self) -> Option<Result<KernelGuard<'_>, Poisoned>> {
        match self.kernel.try_lock() {
            Err(TryLockError::WouldBlock) => None,
            Ok(guard) if !self.is_over() => Some(Ok(self.guard(guard))),
            _ => Some(Err(Poisoned)),
        }
    }

    fn guard<'a>(&'a self, guard: MutexGuard<'a, Kernel>) -> KernelGuard<'a> {
        KernelGuard {
            guard: Some(guard),
            shared: self,
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Waker>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Wakes all who wait in a kernel whose call may have stopped half-way: whatever that has left
/// behind must not end the thread.
fn wake_everybody(kernel: &mut Kernel) {
    let _ = catch_unwind(AssertUnwindSafe(|| kernel.wake_everybody()));
}

impl fmt::Debug for SharedKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedKernel").finish_non_exhaustive()
    }
}

/// The kernel, until this is dropped.
pub struct KernelGuard<'a> {
    /// There until it is dropped.
    guard: Option<MutexGuard<'a, Kernel>>,
    shared: &'a SharedKernel,
}

impl Deref for KernelGuard<'_> {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        match &self.guard {
            Some(guard) => guard,
            None => unreachable!("a guard is empty only while it is dropped"),
        }
    }
}

impl DerefMut for KernelGuard<'_> {
    fn deref_mut(&mut self) -> &mut Kernel {
        match &mut self.guard {
            Some(guard) => guard,
            None => unreachable!("a guard is empty only while it is dropped"),
        }
    }
}

impl Drop for KernelGuard<'_> {
    fn drop(&mut self) {
        let requests = match &mut self.guard {
            Some(kernel) if !std::thread::panicking() => kernel.take_requests(),
            _ => None,
        };
        self.guard = None;
        fence(Ordering::SeqCst);
        if self.shared.is_over() && !std::thread::panicking() {
            self.shared.poison();
        }
        if self.shared.is_waited_for.load(Ordering::Relaxed) {
            let mut waiting = self.shared.waiting();
            self.shared.is_waited_for.store(false, Ordering::Relaxed);
            let wakers = std::mem::take(&mut *waiting);
            drop(waiting);
            for waker in wakers {
                waker.wake();
            }
        }
        if let Some((gateway, requests)) = requests {
            for request in requests {
                request.hand_to(&*gateway);
            }
        }
    }
}

impl fmt::Debug for KernelGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KernelGuard").finish_non_exhaustive()
    }
}
