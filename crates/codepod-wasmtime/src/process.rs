//! Running a process: from a program to an exit status.

use std::fmt;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};
use std::task::{Poll, ready};
use std::time::{Duration, Instant};

use codepod_abi::Signal;
use codepod_kernel::{
    Control, ExitStatus, Host, HostProgram, Kernel, ModuleSource, Pid, Program, RunState, megabytes,
};
use futures_lite::FutureExt as _;
use futures_lite::future::or;
use wasmtime::{Instance, Memory, ResourceLimiter, Store, StoreHookState, Trap, UpdateDeadline};

use crate::config::TABLE_ELEMENTS;
use crate::driven;
use crate::engine::Inner;
use crate::executor::in_host;
use crate::interrupt;
#[cfg(target_os = "linux")]
use crate::kept_memory::KeptMemory;
use crate::kernel_handle::KernelHandle;
use crate::modules::Loaded;
#[cfg(target_os = "linux")]
use crate::prepared::Source;
use crate::pristine::Pristine;
use crate::stack::Stack;
use crate::thread_handoff::Handoff;

/// How often an instance is made anew while the kernel is busy, and how long it is left alone in
/// between.
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
    /// Where it says which word is its interrupt word.
    interrupt: Option<u32>,
    pub(crate) pristine: Arc<Pristine>,
    control: Arc<Control>,
    stack: Stack,
    /// What the last memory would have grown to, if the sandbox's limits had allowed it.
    refused: Option<usize>,
    /// What is kept of its memory at the end of a session's turn.
    #[cfg(target_os = "linux")]
    pub(crate) kept: Option<KeptMemory>,
}

impl ProcessState {
    /// Looks how deep its stack is; called on it. Fails as where there is no more of it.
    pub(crate) fn look_at_stack(&mut self) -> Result<(), Trap> {
        match self.stack.look(&self.control) {
            true => Ok(()),
            false => Err(Trap::StackOverflow),
        }
    }
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
    /// Weak: what holds it holds its memory, which is to be free when the end is known.
    control: Weak<Control>,
    is_told: bool,
}

impl ExitGuard {
    async fn tell(mut self, status: ExitStatus) {
        if let Ok(mut kernel) = self.kernel.wait().await {
            kernel.exit(self.pid, status);
        }
        self.is_told = true;
    }
}

impl Drop for ExitGuard {
    fn drop(&mut self) {
        let is_running = |control: Arc<Control>| !control.has_exited();
        if !self.is_told
            && self.control.upgrade().is_some_and(is_running)
            && let Ok(mut kernel) = self.kernel.lock()
        {
            kernel.exit(self.pid, ExitStatus::Signaled(Signal::Kill));
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
        control: Arc::downgrade(&program.control),
        is_told: false,
    };
    async move {
        if let ModuleSource::Host(command) = &program.module {
            let status = answer(&kernel, program.pid, command).await;
            return guard.tell(status).await;
        }
        // Loading may compile and may wait for a place; a process that is to end waits for neither.
        let ready = async {
            let share = kernel.lane.share();
            let loaded = engine.modules.load(&program.module, share).await;
            let place = engine.places.take(share).await;
            Some((loaded, place))
        };
        let ending = ending(&kernel, program.pid);
        let status = match or(ready, ending).await {
            Some((Ok(loaded), _place)) => execute(&engine, &kernel, program, &loaded).await,
            Some((Err(error), _)) => {
                complain(&kernel, program.pid, &error.to_string()).await;
                ExitStatus::Exited(126)
            }
            None => ExitStatus::Signaled(Signal::Kill),
        };
        guard.tell(status).await;
    }
}

/// Waits until a process is to end.
async fn ending<T>(kernel: &KernelHandle, pid: Pid) -> Option<T> {
    poll_fn(|cx| match ready!(kernel.poll_lock(cx)) {
        Ok(mut kernel) => kernel.poll_ending(pid, cx.waker()).map(|()| None),
        Err(_) => Poll::Ready(None),
    })
    .await
}

/// Lets the host answer a process, until that is to end.
async fn answer(kernel: &KernelHandle, pid: Pid, command: &HostProgram) -> ExitStatus {
    let call = match kernel.wait().await {
        Ok(kernel) => kernel.host_call(pid),
        Err(_) => return ExitStatus::Signaled(Signal::Kill),
    };
    let Ok(call) = call else {
        return ExitStatus::Signaled(Signal::Kill);
    };
    let ending = ending(kernel, pid);
    let answered = AssertUnwindSafe(async { command.0.call(kernel.shared().clone(), call).await });
    match or(async { Some(answered.catch_unwind().await) }, ending).await {
        Some(Ok(status)) => ExitStatus::Exited(status),
        Some(Err(_)) => {
            complain(kernel, pid, "the host command failed: it panicked").await;
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
        interrupt: None,
        pristine: loaded.pristine.clone(),
        control: program.control.clone(),
        stack: Stack::default(),
        refused: None,
        #[cfg(target_os = "linux")]
        kept: None,
    };
    let control = program.control;
    let mut own = OwnStore::new(engine, loaded, state);
    let store = own.get();
    store.limiter(|state| state);
    // The first function that begins shows where its stack does.
    store.set_epoch_deadline(0);
    store.epoch_deadline_callback(at_epoch);
    let mut running = Box::pin(async {
        let instance = instantiate(store, loaded).await?;
        let memory = instance
            .get_module_export(&mut *store, &loaded.memory)
            .and_then(|export| export.into_memory());
        store.data_mut().memory = memory;
        store.data_mut().interrupt = loaded
            .interrupt
            .and_then(|export| instance.get_module_export(&mut *store, &export))
            .and_then(|export| export.into_global())
            .and_then(|global| interrupt::address_of(global, &mut *store));
        begin_turn(store, loaded).await?;
        let start = instance
            .get_module_export(&mut *store, &loaded.start)
            .and_then(|export| export.into_func())
            .ok_or_else(|| wasmtime::Error::msg("`_start` is not a function"))?
            .typed::<(), ()>(&*store)?;
        store.data_mut().stack.renew();
        store.set_epoch_deadline(0);
        start.call_async(store, ()).await
    });
    // The clock ticks for code that runs, not for processes that wait.
    let ended = poll_fn(|cx| {
        let polled = {
            let _running = engine.clock.enter();
            driven::begin_slice(engine.clock.ticks());
            let began = Instant::now();
            let polled = catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx)));
            control.add_cpu(began.elapsed());
            polled.unwrap_or_else(|_| {
                // A fault of ours beside the calls, which look after themselves: this sandbox is
                // over, and no other.
                kernel.poison();
                Poll::Ready(Err(Ended.into()))
            })
        };
        if polled.is_pending() {
            handoff.run();
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
                complain(kernel, pid, &format!("{error:#}")).await;
                ExitStatus::Exited(126)
            }
        },
    };
    drop(own);
    status
}

/// The store of a process. However that ends, also by being dropped, its memory is left for the
/// next.
struct OwnStore<'a> {
    engine: &'a Inner,
    loaded: &'a Loaded,
    store: Option<Store<ProcessState>>,
}

impl<'a> OwnStore<'a> {
    fn new(engine: &'a Inner, loaded: &'a Loaded, state: ProcessState) -> OwnStore<'a> {
        OwnStore {
            engine,
            loaded,
            store: Some(Store::new(&engine.wasmtime, state)),
        }
    }

    #[cfg_attr(
        not(test),
        expect(clippy::expect_used, reason = "only dropping takes it out")
    )]
    fn get(&mut self) -> &mut Store<ProcessState> {
        self.store.as_mut().expect("there until it is dropped")
    }
}

impl Drop for OwnStore<'_> {
    fn drop(&mut self) {
        let Some(store) = self.store.take() else {
            return;
        };
        in_host(|| release(self.engine, self.loaded, store));
    }
}

/// Why there are no sessions where the host has no `memfd_create`.
#[cfg(target_os = "linux")]
const NO_ARENA: &str = "sessions need `memfd_create` on the host, which a seccomp profile forbids or \
    the system lacks; `python3` and `node` without a session run";

/// Lets a process that takes the turn of a session begin with the session's memory.
#[cfg(target_os = "linux")]
async fn begin_turn(store: &mut Store<ProcessState>, loaded: &Loaded) -> wasmtime::Result<()> {
    let (Some(prepared), Some(memory)) = (&loaded.prepared, store.data().memory) else {
        return Ok(());
    };
    let (kernel, pid) = (store.data().kernel.clone(), store.data().pid);
    let Some(turn) = kernel.wait().await.map_err(|_| Ended)?.turn_of(pid) else {
        return Ok(());
    };
    let begun = in_host(|| {
        let state = store.data();
        let Some(arena) = state.engine.arena() else {
            return Err(NO_ARENA.to_owned());
        };
        let limit = state.control.memory_limit();
        let pristine = loaded.pristine.memory().unwrap_or_default();
        let source = Source { arena, pristine };
        let kept = KeptMemory::new(turn, prepared, limit, source)?;
        let missing = kept.size().saturating_sub(memory.data_size(&*store));
        if memory.grow(&mut *store, missing as u64 >> 16).is_err() {
            return Err(format!(
                "the session needs {} of memory, and its process may have {}",
                megabytes(kept.size() as u64),
                megabytes(limit as u64)
            ));
        }
        // Known before anything is mapped: whatever happens, the memory is then put back.
        store.data_mut().kept = Some(kept);
        let (bytes, state) = memory.data_and_store_mut(&mut *store);
        match &mut state.kept {
            Some(kept) => Ok(kept.put(bytes)?),
            None => Ok(()),
        }
    });
    if let Err(why) = begun {
        kernel
            .wait()
            .await
            .map_err(|_| Ended)?
            .refuse_turn(pid, &why);
        return Err(Ended.into());
    }
    Ok(())
}

/// Refuses the turn of a session that only hosts with mapped memory can go on with. Any other
/// session is for the guest to read and write.
#[cfg(not(target_os = "linux"))]
async fn begin_turn(store: &mut Store<ProcessState>, _: &Loaded) -> wasmtime::Result<()> {
    let (kernel, pid) = (store.data().kernel.clone(), store.data().pid);
    let mut kernel = kernel.wait().await.map_err(|_| Ended)?;
    let turn = kernel.turn_of(pid);
    let Some(why) = turn.and_then(|turn| crate::kept_form::refusal(turn.kept.as_ref())) else {
        return Ok(());
    };
    kernel.refuse_turn(pid, why);
    Err(Ended.into())
}

/// Lets go of an ended process's store; its memory is left for the next.
#[cfg(target_os = "linux")]
fn release(engine: &Inner, loaded: &Loaded, mut store: Store<ProcessState>) {
    let kept = store.data_mut().kept.take();
    let memory = store.data().memory;
    let memory = memory.map(|memory| memory.data_mut(&mut store));
    let memory = match (&kept, memory) {
        (Some(kept), Some(memory)) => match kept.release(memory) {
            Some(memory) => Some(memory),
            None => {
                // What is mapped there is another sandbox's business: nobody may have it.
                std::mem::forget((store, kept));
                return;
            }
        },
        (_, memory) => memory,
    };
    let is_new = kept.is_some();
    let _leaving = memory.and_then(|memory| {
        let module = std::ptr::from_ref(loaded).addr();
        engine.room.leave(
            &engine.wasmtime,
            module,
            loaded.initial_memory,
            memory,
            is_new,
        )
    });
    // Before what is left ceases to count.
    drop(store);
}

#[cfg(not(target_os = "linux"))]
fn release(_: &Inner, _: &Loaded, store: Store<ProcessState>) {
    drop(store);
}

/// Makes an instance. The kernel refuses to seal the image of a module's memory while it moves one
/// of its pages about; a little later it does not.
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
                "not enough memory to start: {} are needed, and the sandbox's limit leaves less",
                megabytes(bytes as u64)
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
        in_host(|| std::thread::sleep(BUSY_PAUSE));
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

async fn complain(kernel: &KernelHandle, pid: Pid, message: &str) {
    if let Ok(mut kernel) = kernel.wait().await {
        kernel.complain(pid, message);
    }
}

/// At the end of a slice: let others run, or stop, or end.
fn at_epoch(mut context: StoreHookState<'_, ProcessState>) -> wasmtime::Result<UpdateDeadline> {
    let state = context.data_mut();
    let begins = !state.stack.is_known();
    state.look_at_stack()?;
    if begins {
        return Ok(UpdateDeadline::Continue(1));
    }
    // A call of another process panicked: this sandbox is over, and nobody can end its processes
    // otherwise.
    if state.kernel.is_poisoned() {
        return Err(Ended.into());
    }
    match state.control.state() {
        RunState::End => Err(Ended.into()),
        RunState::Stop => {
            let (kernel, pid) = (state.kernel.clone(), state.pid);
            let running = poll_fn(move |cx| match ready!(kernel.poll_lock(cx)) {
                Ok(mut kernel) => Kernel::poll_running(&mut kernel, pid, cx.waker()),
                Err(_) => Poll::Ready(()),
            });
            Ok(UpdateDeadline::YieldCustom(1, Box::pin(running)))
        }
        RunState::Run => {
            if state.control.alarm() <= state.engine.clock.monotonic() {
                let (kernel, pid) = (state.kernel.clone(), state.pid);
                // What the alarm does to the process is seen at the end of the next slice.
                let fired = async move {
                    if let Ok(mut kernel) = kernel.wait().await {
                        kernel.fire_alarm(pid);
                    }
                };
                return Ok(UpdateDeadline::YieldCustom(1, Box::pin(fired)));
            }
            let is_over = driven::end_slice(state.engine.clock.ticks());
            let is_signalled = state.control.is_signalled();
            if let (Some(at), Some(memory)) = (state.interrupt, state.memory) {
                interrupt::set(&context, memory, at, is_signalled);
            }
            match is_over {
                true => Ok(UpdateDeadline::Yield(1)),
                false => Ok(UpdateDeadline::Continue(1)),
            }
        }
    }
}
