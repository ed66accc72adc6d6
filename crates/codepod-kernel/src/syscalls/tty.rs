//! Terminals.

use codepod_abi::wire::TerminalState;
use codepod_abi::{Errno, Signal};

use super::Syscall;
use crate::ids::TerminalId;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::terminal::Terminal;

fn terminal<M: GuestMemory>(call: &Syscall<'_, M>, fd: u32) -> Result<TerminalId, Errno> {
    let descriptor = call.descriptor(fd, 0)?;
    match call.open_file(descriptor)?.object {
        Object::Terminal(id) => Ok(id),
        _ => Err(Errno::NotTy),
    }
}

/// Returns a terminal's size and mode as a [`codepod_abi::wire::TerminalState`].
pub fn tty_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    state: u32,
) -> Result<(), Errno> {
    let id = terminal(call, fd)?;
    let bytes = call
        .kernel
        .terminals
        .get(id.0)
        .ok_or(Errno::NotTy)?
        .state
        .to_bytes();
    call.memory.write_bytes(state, &bytes)
}

/// Sets a terminal's size and mode.
pub fn tty_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    state: u32,
) -> Result<(), Errno> {
    let id = terminal(call, fd)?;
    let wanted = TerminalState::from_bytes(&call.memory.read_array(state)?);
    if !Terminal::accepts(&wanted) {
        return Err(Errno::Inval);
    }
    let terminal = call.kernel.terminals.get_mut(id.0).ok_or(Errno::NotTy)?;
    let resized = (terminal.state.rows, terminal.state.columns) != (wanted.rows, wanted.columns);
    terminal.state = wanted;
    if resized {
        let group = call.process()?.group;
        let _ = call.kernel.signal_group(group, Signal::Winch);
    }
    Ok(())
}
