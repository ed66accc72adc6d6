//! Linking: every line of the abi table becomes an import that runs the kernel's handler of that
//! name.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll, ready};

use codepod_abi::table::{Call, In, Out};
use codepod_abi::{Errno, Grant};
use codepod_kernel::{Outcome, SliceMemory, Syscall, syscalls};
use wasmtime::{Caller, Linker};

use crate::executor::in_host;
use crate::pristine::ProcessMemory;
use crate::process::{Ended, ProcessState};

macro_rules! link {
    (@module wasi) => { "wasi_snapshot_preview1" };
    (@module codepod) => { "codepod" };
    (@define $linker:ident $module:expr, ready $name:ident ( $($param:ident : $ty:ident),* )) => {
        $linker.func_wrap_async(
            $module,
            stringify!($name),
            |mut caller: Caller<'_, ProcessState>, ($($param,)*): ($($ty,)*)| {
                Box::new(poll_fn(move |cx| {
                    ready(&mut caller, cx, Call::$name, |call| syscalls::$name(call, $($param),*))
                }))
            },
        )?;
    };
    (@define $linker:ident $module:expr, ends $name:ident ( $($param:ident : $ty:ident),* )) => {
        $linker.func_wrap_async(
            $module,
            stringify!($name),
            |mut caller: Caller<'_, ProcessState>, ($($param,)*): ($($ty,)*)| {
                Box::new(poll_fn(move |cx| {
                    ready(&mut caller, cx, Call::$name, |call| syscalls::$name(call, $($param),*))
                        .map_ok(drop)
                }))
            },
        )?;
    };
    (@define $linker:ident $module:expr, waits $name:ident ( $($param:ident : $ty:ident),* )) => {
        $linker.func_wrap_async(
            $module,
            stringify!($name),
            |mut caller: Caller<'_, ProcessState>, ($($param,)*): ($($ty,)*)| {
                Box::new(poll_fn(move |cx| {
                    waits(&mut caller, cx, Call::$name, |call| syscalls::$name(call, $($param),*))
                }))
            },
        )?;
    };
    ($linker:ident $grants:ident $(
        $(#[doc = $doc:literal])*
        [$namespace:ident $grant:ident] $waiting:ident $name:ident ( $($param:ident : $ty:ident),* )
            fails [$($errno:ident),*] $(without $success:ident)? ;
    )*) => {$(
        if $grants.contains(&Grant::$grant) {
            link!(@define $linker link!(@module $namespace), $waiting $name ( $($param : $ty),* ));
        }
    )*};
}

/// A linker that has what `grants` allow, and nothing else.
pub(crate) fn linker(
    engine: &wasmtime::Engine,
    grants: &[Grant],
) -> wasmtime::Result<Linker<ProcessState>> {
    let mut linker = Linker::new(engine);
    codepod_abi::for_each_call!(link [linker grants]);
    Ok(linker)
}

type Call_<'a, 'm> = Syscall<'a, ProcessMemory<'m>>;

fn ready(
    caller: &mut Caller<'_, ProcessState>,
    cx: &mut Context<'_>,
    call: Call,
    handler: impl FnOnce(&mut Call_<'_, '_>) -> Result<(), Errno>,
) -> Poll<wasmtime::Result<u32>> {
    enter(caller, cx, |syscall| syscall.ready(call, handler)).map(|outcome| finish(outcome?))
}

fn waits(
    caller: &mut Caller<'_, ProcessState>,
    cx: &mut Context<'_>,
    call: Call,
    handler: impl FnOnce(&mut Call_<'_, '_>) -> Poll<Result<(), Errno>>,
) -> Poll<wasmtime::Result<u32>> {
    match ready!(enter(caller, cx, |syscall| syscall.poll(call, handler))) {
        Err(error) => Poll::Ready(Err(error)),
        Ok(Poll::Pending) => Poll::Pending,
        Ok(Poll::Ready(outcome)) => Poll::Ready(finish(outcome)),
    }
}

fn finish(outcome: Outcome) -> wasmtime::Result<u32> {
    match outcome {
        Outcome::Return(errno) => Ok(u32::from(errno)),
        Outcome::End => Err(Ended.into()),
    }
}

/// Runs a handler with the process's memory under the kernel's lock, once it is free. A panic in it
/// poisons the lock, which ends this sandbox and no other.
fn enter<R>(
    caller: &mut Caller<'_, ProcessState>,
    cx: &mut Context<'_>,
    handler: impl FnOnce(&mut Call_<'_, '_>) -> R,
) -> Poll<wasmtime::Result<R>> {
    if let Err(trap) = caller.data_mut().look_at_stack() {
        return Poll::Ready(Err(trap.into()));
    }
    match enter_or_end(caller, cx, handler) {
        Ok(entered) => entered.map(Ok),
        Err(Ended) => Poll::Ready(Err(Ended.into())),
    }
}

fn enter_or_end<R>(
    caller: &mut Caller<'_, ProcessState>,
    cx: &mut Context<'_>,
    handler: impl FnOnce(&mut Call_<'_, '_>) -> R,
) -> Result<Poll<R>, Ended> {
    let memory = caller.data().memory.ok_or(Ended)?;
    let (bytes, state) = memory.data_and_store_mut(caller);
    let kernel = state.kernel.clone();
    let entered = catch_unwind(AssertUnwindSafe(|| {
        let mut kernel = match kernel.poll_lock(cx) {
            Poll::Pending => return Ok(Poll::Pending),
            Poll::Ready(locked) => locked.map_err(|_| Ended)?,
        };
        let mut memory = ProcessMemory {
            bytes: SliceMemory(bytes),
            pristine: &state.pristine,
            #[cfg(target_os = "linux")]
            kept: state.kept.as_ref(),
        };
        let mut syscall = Syscall {
            kernel: &mut kernel,
            pid: state.pid,
            memory: &mut memory,
            waker: cx.waker(),
        };
        let result = in_host(|| handler(&mut syscall));
        Ok::<_, Ended>(Poll::Ready((result, kernel.take_started())))
    }))
    .map_err(|_| {
        kernel.poison();
        Ended
    })??;
    let Poll::Ready((result, started)) = entered else {
        return Ok(Poll::Pending);
    };
    for program in started {
        state.handoff.keep(program);
    }
    Ok(Poll::Ready(result))
}
