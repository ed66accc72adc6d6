//! Clocks, randomness, yielding.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{
    CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME, CLOCK_REALTIME, CLOCK_THREAD_CPUTIME,
};

use super::Syscall;
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::memory::GuestMemory;

/// The time of a clock, as coarse as guests may see it. CPU clocks show the time since the start:
/// an engine cannot tell how long a process really ran. `Inval` for an unknown clock.
pub(super) fn time(kernel: &Kernel, started: u64, clock: u32) -> Result<u64, Errno> {
    let time = match clock {
        CLOCK_REALTIME => kernel.host.realtime(),
        CLOCK_MONOTONIC => kernel.host.monotonic(),
        CLOCK_PROCESS_CPUTIME | CLOCK_THREAD_CPUTIME => {
            kernel.host.monotonic().saturating_sub(started)
        }
        _ => return Err(Errno::Inval),
    };
    let step = kernel.limits.clock_resolution.max(1);
    Ok(time - time % step)
}

/// Returns the resolution of a clock in nanoseconds.
pub fn clock_res_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    clock: u32,
    resolution: u32,
) -> Result<(), Errno> {
    time(call.kernel, 0, clock)?;
    let step = call.kernel.limits.clock_resolution.max(1);
    call.memory.write_u64(resolution, step)
}

/// Returns the time of a clock in nanoseconds.
pub fn clock_time_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    clock: u32,
    _precision: u64,
    out: u32,
) -> Result<(), Errno> {
    let started = call.process()?.started;
    let time = time(call.kernel, started, clock)?;
    call.memory.write_u64(out, time)
}

/// Fills a buffer with random bytes. A long buffer is filled in pieces, and others get their turn
/// between them.
pub fn random_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    buf: u32,
    len: u32,
) -> Poll<Result<(), Errno>> {
    match random_piece(call, buf, len) {
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(true) => Poll::Ready(Ok(())),
        Ok(false) => {
            call.waker.wake_by_ref();
            Poll::Pending
        }
    }
}

/// Fills the next piece; whether it was the last.
fn random_piece<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    buf: u32,
    len: u32,
) -> Result<bool, Errno> {
    call.memory.check(buf, len)?;
    let done = call.process()?.waiting.written as u32;
    let piece = (len - done).min(Limits::RANDOM_BYTES as u32);
    let host = call.kernel.host.clone();
    call.memory
        .write(buf + done, piece, |bytes| host.random(bytes))?;
    call.process_mut()?.waiting.written += piece as usize;
    Ok(done + piece == len)
}

/// Lets other processes run.
pub fn sched_yield<M: GuestMemory>(call: &mut Syscall<'_, M>) -> Poll<Result<(), Errno>> {
    let waker = call.waker;
    let Ok(process) = call.process_mut() else {
        return Poll::Ready(Ok(()));
    };
    if std::mem::replace(&mut process.waiting.polled, true) {
        return Poll::Ready(Ok(()));
    }
    waker.wake_by_ref();
    Poll::Pending
}
