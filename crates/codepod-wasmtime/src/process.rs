//! Running a process: from a program to an exit status.

use std::fmt;
use std::future::poll_fn;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use codepod_abi::Signal;
use codepod_kernel::{
    Control, ExitStatus, Host, HostProgram, Kernel, ModuleSource, Pid, Program, RunState,
};
use futures_lite::FutureExt as _;
use futures_lite::future::or;
use wasmtime::{Instance, Memory, ResourceLimiter, Store, StoreContextMut, Trap, UpdateDeadline};

use crate::config::TABLE_ELEMENTS;
use crate::engine::{Inner, KernelHandle};
use crate::handoff::Handoff;
use crate::modules::Loaded;

/// How often an instance is made anew while the kernel is busy, and how long it is left alone in between.
const BUSY_TRIES: u32 = 50;
const BUSY_PAUSE: Duration = Duration::from_millis(2);

/// Ends the guest's code; the kernel knows why.
#[derive(Debug)]
pub(crate) struct Ended;

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the process has ended")
    }
}

impl std::error::Error for Ended {}

/// What a process's store carries.
pub(crate) struct ProcessState {
    pub(crate) kernel: KernelHandle,
    pub(crate) engine: Arc<Inner>,
    /// Where the processes go that this one starts.
    pub(crate) handoff: Arc<Handoff>,
    pub(crate) pid: Pid,
    pub(crate) memory: Option<Memory>,
    control: Arc<Control>,
    /// What the last memory would have grown to, if the sandbox's limits had allowed it.
    refused: Option<usize>,
}

impl ResourceLimiter for ProcessState {
    fn memory_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let allowed = self.control.grow_memory(desired);
        self.refused = (!allowed).then_some(desired);
        Ok(allowed)
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        Ok(desired <= TABLE_ELEMENTS)
    }
}

/// Tells the kernel that a process has ended, also when its future is dropped half-way.
struct ExitGuard {
    kernel: KernelHandle,
    pid: Pid,
    status: ExitStatus,
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        if let Ok(mut kernel) = self.kernel.lock() {
            kernel.exit(self.pid, self.status);
        }
    }
}

/// Runs a process to its end. Dropping the future kills it, also when it was never polled.
pub(crate) fn run(
    engine: Arc<Inner>,
    kernel: KernelHandle,
    program: Program,
) -> impl Future<Output = ()> + Send + 'static {
    let guard = ExitGuard {
        kernel: kernel.clone(),
        pid: program.pid,
        status: ExitStatus::Signaled(Signal::Kill),
    };
    async move {
        // All of it, not only its status, moves into the future.
        let mut guard = guard;
        if let ModuleSource::Host(command) = &program.module {
            guard.status = answer(&kernel, program.pid, command).await;
            return;
        }
        // Loading may compile and may wait for a place; a process that is to end waits for neither.
        let ready = async {
            let loaded = engine.modules.load(&program.module).await;
            Some((loaded, engine.slots.acquire().await))
        };
        let ending = poll_fn(|cx| match kernel.lock() {
            Ok(mut kernel) => kernel.poll_ending(program.pid, cx.waker()).map(|()| None),
            Err(_) => Poll::Ready(None),
        });
        guard.status = match or(ready, ending).await {
            Some((Ok(loaded), _slot)) => execute(&engine, &kernel, program, &loaded).await,
            Some((Err(error), _)) => {
                complain(&kernel, program.pid, &error.to_string());
                ExitStatus::Exited(126)
            }
            None => return,
        };
    }
}

/// Lets the host answer a process, until that is to end.
async fn answer(kernel: &KernelHandle, pid: Pid, command: &HostProgram) -> ExitStatus {
    let call = match kernel.lock() {
        Ok(kernel) => kernel.host_call(pid),
        Err(_) => return ExitStatus::Signaled(Signal::Kill),
    };
    let Ok(call) = call else {
        return ExitStatus::Signaled(Signal::Kill);
    };
    let ending = poll_fn(|cx| match kernel.lock() {
        Ok(mut kernel) => kernel.poll_ending(pid, cx.waker()).map(|()| None),
        Err(_) => Poll::Ready(None),
    });
    let answered = AssertUnwindSafe(async { command.0.call(kernel.clone(), call).await });
    match or(async { Some(answered.catch_unwind().await) }, ending).await {
        Some(Ok(status)) => ExitStatus::Exited(status),
        Some(Err(_)) => {
            complain(kernel, pid, "the host command failed: it panicked");
            ExitStatus::Exited(126)
        }
        None => ExitStatus::Signaled(Signal::Kill),
    }
}

async fn execute(
    engine: &Arc<Inner>,
    kernel: &KernelHandle,
    program: Program,
    loaded: &Loaded,
) -> ExitStatus {
    let pid = program.pid;
    let handoff = Arc::new(Handoff::new(engine.clone(), kernel.clone()));
    let state = ProcessState {
        kernel: kernel.clone(),
        engine: engine.clone(),
        handoff: handoff.clone(),
        pid,
        memory: None,
        control: program.control.clone(),
        refused: None,
    };
    let control = program.control;
    let mut store = Store::new(&engine.wasmtime, state);
    store.limiter(|state| state);
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(at_epoch);
    let mut running = Box::pin(async {
        let instance = instantiate(&mut store, loaded).await?;
        let memory = instance
            .get_module_export(&mut store, &loaded.memory)
            .and_then(|export| export.into_memory());
        store.data_mut().memory = memory;
        let start = instance
            .get_module_export(&mut store, &loaded.start)
            .and_then(|export| export.into_func())
            .ok_or_else(|| wasmtime::Error::msg("`_start` is not a function"))?
            .typed::<(), ()>(&store)?;
        start.call_async(&mut store, ()).await
    });
    // The clock ticks for code that runs, not for processes that wait.
    let ended = poll_fn(|cx| {
        let polled = {
            let _running = engine.clock.enter();
            let began = Instant::now();
            let polled = running.as_mut().poll(cx);
            control.add_cpu(began.elapsed());
            polled
        };
        if polled.is_pending() {
            handoff.run(cx);
        }
        polled
    })
    .await;
    handoff.release();
    drop(running);
    let status = match ended {
        Ok(()) => ExitStatus::Exited(0),
        // The kernel has decided already; what is said here counts only if it has not.
        Err(error) if error.is::<Ended>() => ExitStatus::Signaled(Signal::Kill),
        Err(error) => match error.downcast_ref::<Trap>() {
            Some(trap) => ExitStatus::Signaled(signal_of(*trap)),
            None => {
                complain(kernel, pid, &format!("{error:#}"));
                ExitStatus::Exited(126)
            }
        },
    };
    release(engine, loaded, store);
    status
}

/// Lets go of an ended process's store; its memory is left for the next.
#[cfg(target_os = "linux")]
fn release(engine: &Inner, loaded: &Loaded, mut store: Store<ProcessState>) {
    let _leaving = store.data().memory.and_then(|memory| {
        let memory = memory.data_mut(&mut store);
        loaded
            .resident
            .leave(&engine.room, &engine.wasmtime, memory)
    });
    // Before what is left ceases to count.
    drop(store);
}

#[cfg(not(target_os = "linux"))]
fn release(_: &Inner, _: &Loaded, store: Store<ProcessState>) {
    drop(store);
}

/// Makes an instance. The kernel refuses to seal the image of a module's memory while it moves one of its pages about; a little later it does not.
async fn instantiate(
    store: &mut Store<ProcessState>,
    loaded: &Loaded,
) -> wasmtime::Result<Instance> {
    let mut tries = 0;
    loop {
        let error = match loaded.pre.instantiate_async(&mut *store).await {
            Ok(instance) => return Ok(instance),
            Err(error) => error,
        };
        if let Some(bytes) = store.data().refused {
            return Err(wasmtime::Error::msg(format!(
                "not enough memory to start: {} MB are needed, and the sandbox's limit leaves less",
                bytes.div_ceil(1 << 20)
            )));
        }
        let busy = error
            .chain()
            .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
            .any(|cause| cause.kind() == std::io::ErrorKind::ResourceBusy);
        if !busy || tries == BUSY_TRIES {
            return Err(error);
        }
        tries += 1;
        std::thread::sleep(BUSY_PAUSE);
    }
}

/// What a native program would have died of.
fn signal_of(trap: Trap) -> Signal {
    match trap {
        Trap::UnreachableCodeReached => Signal::Abrt,
        Trap::IntegerDivisionByZero | Trap::IntegerOverflow | Trap::BadConversionToInteger => {
            Signal::Fpe
        }
        Trap::Interrupt => Signal::Kill,
        Trap::StackOverflow | Trap::MemoryOutOfBounds | Trap::HeapMisaligned => Signal::Segv,
        _ => Signal::Ill,
    }
}

fn complain(kernel: &KernelHandle, pid: Pid, message: &str) {
    if let Ok(mut kernel) = kernel.lock() {
        kernel.complain(pid, message);
    }
}

/// At the end of a slice: let others run, or stop, or end.
fn at_epoch(context: StoreContextMut<'_, ProcessState>) -> wasmtime::Result<UpdateDeadline> {
    let state = context.data();
    // A call of another process panicked: this sandbox is over, and nobody can end its processes otherwise.
    if state.kernel.is_poisoned() {
        return Err(Ended.into());
    }
    match state.control.state() {
        RunState::End => Err(Ended.into()),
        RunState::Stop => {
            let (kernel, pid) = (state.kernel.clone(), state.pid);
            let running = poll_fn(move |cx| match kernel.lock() {
                Ok(mut kernel) => Kernel::poll_running(&mut kernel, pid, cx.waker()),
                Err(_) => Poll::Ready(()),
            });
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(running)))
        }
        RunState::Run => {
            if state.control.alarm() <= state.engine.clock.monotonic() {
                state
                    .kernel
                    .lock()
                    .map_err(|_| Ended)?
                    .fire_alarm(state.pid);
                if state.control.state() == RunState::End {
                    return Err(Ended.into());
                }
            }
            Ok(UpdateDeadline::Yield(1))
        }
    }
}
