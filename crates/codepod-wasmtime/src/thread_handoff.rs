//! Handing a thread from a process to those that it has started.
//!
//! A shell starts a program, or the stages of a pipeline, and waits. Passing them to another
//! thread, and their ends back, would cost as much as running them. So the last few processes that
//! another one has started are kept until it waits, and then run on its thread, the oldest first:
//! what a stage reads is there when its turn comes. If one has to wait itself, or its time slice is
//! over, the engine's threads go on with it.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_kernel::Program;

use crate::driven::apart;
use crate::engine::Inner;
use crate::kernel_handle::KernelHandle;
use crate::process;

/// How many processes may run inside each other's polls: each takes some of the host's stack.
const DEPTH: u32 = 4;

/// How many processes wait for their parent to wait. More would be too long without the other
/// threads.
const KEPT: usize = 4;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

/// The last processes that another one has started and that nobody runs yet.
pub(crate) struct Handoff {
    engine: Arc<Inner>,
    kernel: KernelHandle,
    kept: Mutex<VecDeque<Program>>,
}

impl Handoff {
    pub(crate) fn new(engine: Arc<Inner>, kernel: KernelHandle) -> Handoff {
        Handoff {
            engine,
            kernel,
            kept: Mutex::default(),
        }
    }

    /// Keeps a process until its parent waits. The oldest of too many goes to the engine's threads.
    pub(crate) fn keep(&self, program: Program) {
        let mut kept = self.lock();
        kept.push_back(program);
        let oldest = if kept.len() > KEPT {
            kept.pop_front()
        } else {
            None
        };
        drop(kept);
        if let Some(program) = oldest {
            self.pass_on(program);
        }
    }

    /// Runs the kept processes on this thread, each until it ends or has to wait. Their parent
    /// waits.
    pub(crate) fn run(&self) {
        while let Some(program) = self.take() {
            let Some(nested) = Nested::enter() else {
                self.pass_on(program);
                continue;
            };
            let child = process::run(self.engine.clone(), self.kernel.clone(), program);
            apart(|| self.engine.begin_here(&self.kernel.lane, child));
            drop(nested);
        }
    }

    /// Gives the kept processes to the engine's threads: their parent does not wait for them.
    pub(crate) fn release(&self) {
        while let Some(program) = self.take() {
            self.pass_on(program);
        }
    }

    fn pass_on(&self, program: Program) {
        self.engine.spawn(self.kernel.clone(), program);
    }

    fn take(&self) -> Option<Program> {
        self.lock().pop_front()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Program>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One process more on this thread's stack. However its turn ends, by a panic of ours, too, the
/// thread is as deep as before.
struct Nested;

impl Nested {
    /// `None` where the thread is as deep as it may be.
    fn enter() -> Option<Nested> {
        let deeper = NESTED.get() + 1;
        (deeper <= DEPTH).then(|| {
            NESTED.set(deeper);
            Nested
        })
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        NESTED.set(NESTED.get() - 1);
    }
}

impl Drop for Handoff {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_leaves_the_thread_as_deep_as_it_was() {
        let before = NESTED.get();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let _outer = Nested::enter();
            let _inner = Nested::enter();
            std::panic::resume_unwind(Box::new("a fault of ours"));
        }));
        assert!(outcome.is_err());
        assert_eq!(NESTED.get(), before);
    }

    #[test]
    fn a_thread_is_only_so_deep() {
        let within: Vec<Nested> = std::iter::from_fn(Nested::enter).collect();
        assert_eq!(within.len(), DEPTH as usize);
        drop(within);
        assert!(Nested::enter().is_some());
    }
}
