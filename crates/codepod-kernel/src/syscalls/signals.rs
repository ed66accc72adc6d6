//! Signals.

use codepod_abi::{Errno, Signal};

use super::Syscall;
use crate::memory::GuestMemory;

/// Sends a signal (WASI's numbers) to the process itself.
pub fn proc_raise<M: GuestMemory>(call: &mut Syscall<'_, M>, signal: u32) -> Result<(), Errno> {
    let signal = Signal::from_wasi(signal).ok_or(Errno::Inval)?;
    call.kernel.signal(call.pid, signal)
}

/// Sends a signal (Linux numbers): `pid` > 0 to that process, 0 to the own group, -1 to all others,
/// < -1 to group `-pid`. Signal 0 only asks whether there is one.
pub fn proc_kill<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    pid: i32,
    signal: u32,
) -> Result<(), Errno> {
    let signal = match signal {
        0 => None,
        number => Some(Signal::from_raw(number).ok_or(Errno::Inval)?),
    };
    call.kernel.kill(call.pid, pid, signal)
}

/// Asks for SIGALRM after so many nanoseconds (0: no more), and returns what was left of the last
/// request.
pub fn proc_alarm<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    after: u64,
    left: u32,
) -> Result<(), Errno> {
    let now = call.kernel.host.monotonic();
    let control = call.process()?.control.clone();
    let before = match control.alarm() {
        u64::MAX => 0,
        deadline => deadline.saturating_sub(now).max(1),
    };
    call.memory.write_u64(left, before)?;
    control.set_alarm((after != 0).then(|| now.saturating_add(after)));
    Ok(())
}

/// Says what a signal does: 0 default, 1 ignore, 2 catch; returns what it did before.
pub fn signal_action<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    signal: u32,
    action: u32,
    old: u32,
) -> Result<(), Errno> {
    let signal = Signal::from_raw(signal).ok_or(Errno::Inval)?;
    call.memory.check(old, 4)?;
    let before = call.process_mut()?.set_signal_action(signal, action)?;
    call.memory.write_u32(old, before)
}

/// Takes the caught signals in `mask` that have arrived, as a set of bits (1 << number).
pub fn signal_take<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    mask: u64,
    taken: u32,
) -> Result<(), Errno> {
    call.memory.check(taken, 8)?;
    call.kernel.fire_alarm(call.pid);
    let signals = call.process_mut()?.take_signals(mask);
    call.memory.write_u64(taken, signals)
}
