//! Processes: starting, waiting, groups, the end.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::{
    GROUP_INHERIT, GROUP_NEW, SpawnRequest, WAIT_ALL, WAIT_NOHANG, WaitResult,
};

use super::Syscall;
use crate::ids::{Fd, Pid};
use crate::memory::GuestMemory;
use crate::process::ExitStatus;
use crate::process::spawn::{Group, SpawnSpec, Stdio};
use crate::strings::Strings;

/// Starts a program. `request` is a [`codepod_abi::wire::SpawnRequest`]. The new process is in
/// [`crate::Kernel::take_started`] for the engine to run.
pub fn proc_spawn<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    request: u32,
    pid: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(spawn(call, request, pid))
}

fn spawn<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    request: u32,
    result: u32,
) -> Result<(), Errno> {
    let request = SpawnRequest::from_bytes(&call.memory.read_array(request)?);
    call.memory.check(result, 4)?;
    if request.flags != 0 {
        return Err(Errno::Inval);
    }
    let limit = call.kernel.limits.argument_bytes;
    let path = call.path(request.path, request.path_len)?;
    let argv = call
        .memory
        .read_vec(request.argv, request.argv_len, limit, Errno::TooBig)?;
    let env = call
        .memory
        .read_vec(request.env, request.env_len, limit, Errno::TooBig)?;
    let cwd = call.path(request.cwd, request.cwd_len)?;
    if request.fds_len as usize > call.kernel.limits.descriptors {
        return Err(Errno::Inval);
    }
    let words = call
        .memory
        .read(request.fds, request.fds_len * 8, <[u8]>::to_vec)?;
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let fds = words
        .as_chunks::<8>()
        .0
        .iter()
        .map(|pair| (Stdio::Inherit(Fd(word(&pair[..4]))), Fd(word(&pair[4..]))))
        .collect();
    let spec = SpawnSpec {
        path,
        argv: Strings::from_block(&argv).ok_or(Errno::Inval)?,
        env: Strings::from_block(&env).ok_or(Errno::Inval)?,
        cwd: (!cwd.is_empty()).then_some(cwd),
        fds,
        group: match request.group {
            GROUP_INHERIT => Group::Inherit,
            GROUP_NEW => Group::New,
            group => Group::Join(Pid(group)),
        },
    };
    let program = call.kernel.spawn(Some(call.pid), spec)?;
    call.memory.write_u32(result, program.pid.0)?;
    call.kernel.started.push(program);
    Ok(())
}

/// Waits for a child: `pid` > 0 that one, -1 any, 0 one of the own group, < -1 one of group `-pid`.
/// `result` is a [`codepod_abi::wire::WaitResult`]; with `WAIT_NOHANG` its pid is 0 when none has
/// changed.
pub fn proc_wait<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    selector: i32,
    flags: u32,
    result: u32,
) -> Poll<Result<(), Errno>> {
    if flags & !WAIT_ALL != 0 {
        return Poll::Ready(Err(Errno::Inval));
    }
    if let Err(errno) = call.memory.check(result, WaitResult::SIZE as u32) {
        return Poll::Ready(Err(errno));
    }
    match call.kernel.take_child(call.pid, selector, flags) {
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(Some(change)) => Poll::Ready(call.memory.write_bytes(result, &change.to_bytes())),
        Ok(None) if flags & WAIT_NOHANG != 0 => Poll::Ready(
            call.memory
                .write_bytes(result, &WaitResult::default().to_bytes()),
        ),
        Ok(None) => {
            let me = call.pid;
            call.wait(None, |kernel, waiter, waker| {
                if let Ok(process) = kernel.processes.get_mut(me) {
                    process.child_waiters.add(waiter, waker);
                }
            })
        }
    }
}

/// Puts a process (0: itself) into a process group (0: one of its own).
pub fn proc_group_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    pid: u32,
    group: u32,
) -> Result<(), Errno> {
    let me = call.pid;
    let pid = if pid == 0 { me } else { Pid(pid) };
    let group = if group == 0 { pid } else { Pid(group) };
    if i32::try_from(group.0).is_err() {
        return Err(Errno::Inval);
    }
    let own = call.process()?;
    if pid != me && !own.children.contains(&pid) {
        return Err(Errno::Srch);
    }
    let target = call.kernel.processes.get(pid)?;
    let session = target.session;
    if !target.is_alive() {
        return Err(Errno::Srch);
    }
    // A session's leader stays where it is, and a group is never joined across sessions.
    let leads = session == pid && group != target.group;
    let joins = |p: &crate::process::Process| p.group == group && p.session == session;
    if leads || (group != pid && call.kernel.processes.alive_where(joins).is_empty()) {
        return Err(Errno::Perm);
    }
    call.kernel.processes.get_mut(pid)?.group = group;
    Ok(())
}

/// Ends the process.
pub fn proc_exit<M: GuestMemory>(call: &mut Syscall<'_, M>, status: u32) -> Result<(), Errno> {
    call.process_mut()?.end(ExitStatus::Exited(status as u8));
    Ok(())
}
