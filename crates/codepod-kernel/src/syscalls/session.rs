//! Serving the host.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_vfs::Charged;

use super::Syscall;
use crate::memory::GuestMemory;
use crate::process::Answer;

/// Waits for the host's next request to this process, a [`codepod_abi::session::Request`]; its
/// standard input, output and error are then on 0, 1 and 2. When it does not fit, `used` is its
/// size and it stays.
pub fn session_next<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    buf: u32,
    buf_len: u32,
    used: u32,
) -> Poll<Result<(), Errno>> {
    match take(call, buf, buf_len, used) {
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(true) => Poll::Ready(Ok(())),
        // The host wakes the process itself.
        Ok(false) => call.wait(None, |_, _, _| ()),
    }
}

/// Takes the request, if there is one.
fn take<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    buf: u32,
    buf_len: u32,
    used: u32,
) -> Result<bool, Errno> {
    call.memory.check(buf, buf_len)?;
    call.memory.check(used, 4)?;
    let session = call.process()?.host_session.as_ref().ok_or(Errno::Perm)?;
    if session.running {
        return Err(Errno::Inval);
    }
    let Some(request) = &session.request else {
        return Ok(false);
    };
    let size = request.bytes.len();
    call.memory.write_u32(used, size as u32)?;
    if size > buf_len as usize {
        return Err(Errno::Range);
    }
    let bytes = call.kernel.begin_run(call.pid)?;
    call.memory.write_bytes(buf, &bytes)?;
    Ok(true)
}

/// Answers the request: the exit status, and the state to go on from after this one (length 0: as
/// before). 0, 1 and 2 read nothing and write nowhere then.
pub fn session_done<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    status: u32,
    state: u32,
    state_len: u32,
) -> Result<(), Errno> {
    let session = call.process()?.host_session.as_ref().ok_or(Errno::Perm)?;
    if !session.running {
        return Err(Errno::Inval);
    }
    let most = call.kernel.limits.session_bytes;
    let state = call
        .memory
        .read_vec(state, state_len, most, Errno::TooBig)?;
    let state = match state.len() {
        0 => None,
        bytes => {
            let charge = call.kernel.budget.memory(bytes as u64);
            Some(Charged::new(state, charge.ok_or(Errno::TooBig)?))
        }
    };
    let answer = Answer {
        status: status as u8,
        state,
    };
    call.kernel.end_run(call.pid, answer)
}
