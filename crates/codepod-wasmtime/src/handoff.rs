//! Handing a thread from a process to the one that it has started.
//!
//! A shell starts a program and waits for it. Passing the program to another thread, and its end back, would
//! cost as much as running it. So the last process that another one has started is kept until its parent
//! waits, and then runs on the parent's thread; if it has to wait itself, or its time slice is over, the
//! engine's threads go on with it.

use std::cell::Cell;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;

use codepod_kernel::Program;

use crate::engine::{Inner, KernelHandle};
use crate::process;

/// How many processes may run inside each other's polls: each takes some of the host's stack.
const DEPTH: u32 = 4;

thread_local! {
    static NESTED: Cell<u32> = const { Cell::new(0) };
}

/// The last process that another one has started and that nobody runs yet.
pub(crate) struct Handoff {
    engine: Arc<Inner>,
    kernel: KernelHandle,
    next: Mutex<Option<Program>>,
}

impl Handoff {
    pub(crate) fn new(engine: Arc<Inner>, kernel: KernelHandle) -> Handoff {
        Handoff {
            engine,
            kernel,
            next: Mutex::default(),
        }
    }

    /// Keeps a process until its parent waits. The one before it goes to the engine's threads.
    pub(crate) fn keep(&self, program: Program) {
        let before = self.replace(Some(program));
        self.pass_on(before);
    }

    /// Runs the kept process on this thread until it ends or has to wait. Its parent waits.
    pub(crate) fn run(&self, cx: &mut Context<'_>) {
        let Some(program) = self.replace(None) else {
            return;
        };
        let nested = NESTED.get();
        if nested >= DEPTH {
            return self.pass_on(Some(program));
        }
        NESTED.set(nested + 1);
        let mut child = Box::pin(process::run(
            self.engine.clone(),
            self.kernel.clone(),
            program,
        ));
        let polled = child.as_mut().poll(cx);
        NESTED.set(nested);
        if polled.is_pending() {
            self.engine.spawn_task(child);
        }
    }

    /// Gives the kept process to the engine's threads: its parent does not wait for it.
    pub(crate) fn release(&self) {
        self.pass_on(self.replace(None));
    }

    fn pass_on(&self, program: Option<Program>) {
        if let Some(program) = program {
            self.engine.spawn(self.kernel.clone(), program);
        }
    }

    fn replace(&self, program: Option<Program>) -> Option<Program> {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut next, program)
    }
}

impl Drop for Handoff {
    fn drop(&mut self) {
        self.release();
    }
}
