//! Sockets: connected pairs. Nothing listens and nothing leaves the sandbox.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{RECV_PEEK, RECV_WAITALL, SHUT_RD, SHUT_WR, fdflags};

use super::Syscall;
use super::fd::{check_pair, pipe_with_ends, put_pair};
use super::io::Buffers;
use crate::fd_table::Descriptor;
use crate::ids::PipeId;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::pipe::End;

/// A socket descriptor and its two directions; `None` for one that was shut down.
struct Socket {
    descriptor: Descriptor,
    receive: Option<PipeId>,
    send: Option<PipeId>,
    blocking: bool,
}

fn socket<M: GuestMemory>(call: &Syscall<'_, M>, fd: u32) -> Result<Socket, Errno> {
    let descriptor = call.descriptor(fd, 0)?;
    let file = call.open_file(descriptor)?;
    let Object::Socket {
        receive,
        send,
        receiving,
        sending,
    } = file.object
    else {
        return Err(Errno::NotSock);
    };
    Ok(Socket {
        descriptor,
        receive: receiving.then_some(receive),
        send: sending.then_some(send),
        blocking: file.flags & fdflags::NONBLOCK == 0,
    })
}

/// Creates two connected stream sockets.
pub fn sock_pair<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    first: u32,
    second: u32,
) -> Result<(), Errno> {
    check_pair(call, [first, second])?;
    let there = pipe_with_ends(call.kernel)?;
    let back = match pipe_with_ends(call.kernel) {
        Ok(back) => back,
        Err(errno) => {
            call.kernel.drop_end(there, End::Read, None);
            call.kernel.drop_end(there, End::Write, None);
            return Err(errno);
        }
    };
    let object = |receive, send| Object::Socket {
        receive,
        send,
        receiving: true,
        sending: true,
    };
    let ends = [
        call.kernel.stream(object(back, there), true, true)?,
        call.kernel.stream(object(there, back), true, true)?,
    ];
    put_pair(call, ends, [first, second])
}

/// Accepts a connection. No socket can listen yet.
pub fn sock_accept<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    _flags: u32,
    _accepted: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(socket(call, fd).and(Err(Errno::Inval)))
}

/// Receives from a socket.
pub fn sock_recv<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    nread: u32,
    out_flags: u32,
) -> Poll<Result<(), Errno>> {
    let begin = |call: &mut Syscall<'_, M>| -> Result<_, Errno> {
        let socket = socket(call, fd)?;
        // Waiting for all of it would need the bytes kept aside: refused, not ignored.
        if flags & !(RECV_PEEK | RECV_WAITALL) != 0 || flags & RECV_WAITALL != 0 {
            return Err(Errno::Inval);
        }
        let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
        call.memory.check(nread, 4)?;
        call.memory.write_bytes(out_flags, &[0, 0])?;
        Ok((socket, buffers))
    };
    let (socket, buffers) = match begin(call) {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    match socket.receive {
        Some(pipe) => call.read_pipe(
            pipe,
            buffers,
            flags & RECV_PEEK != 0,
            socket.blocking,
            nread,
        ),
        None => Poll::Ready(call.memory.write_u32(nread, 0)),
    }
}

/// Sends to a socket.
pub fn sock_send<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    flags: u32,
    nwritten: u32,
) -> Poll<Result<(), Errno>> {
    let begin = |call: &mut Syscall<'_, M>| -> Result<_, Errno> {
        let socket = socket(call, fd)?;
        if flags != 0 {
            return Err(Errno::Inval);
        }
        let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
        call.memory.check(nwritten, 4)?;
        Ok((socket, buffers))
    };
    let (socket, buffers) = match begin(call) {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    match socket.send {
        Some(pipe) => call.write_pipe(pipe, buffers, socket.blocking, nwritten),
        None => {
            let errno = call.broken_pipe();
            Poll::Ready(Err(errno))
        }
    }
}

/// Closes one or both directions of a socket.
pub fn sock_shutdown<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    how: u32,
) -> Result<(), Errno> {
    let socket = socket(call, fd)?;
    if how == 0 || how & !(SHUT_RD | SHUT_WR) != 0 {
        return Err(Errno::Inval);
    }
    let file = call.kernel.file_mut(socket.descriptor.file)?;
    if let Object::Socket {
        receiving, sending, ..
    } = &mut file.object
    {
        *receiving &= how & SHUT_RD == 0;
        *sending &= how & SHUT_WR == 0;
    }
    if let Some(pipe) = socket.receive.filter(|_| how & SHUT_RD != 0) {
        call.kernel.drop_end(pipe, End::Read, None);
    }
    if let Some(pipe) = socket.send.filter(|_| how & SHUT_WR != 0) {
        call.kernel.drop_end(pipe, End::Write, None);
    }
    Ok(())
}

/// Not yet.
pub fn sock_open<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _family: u32,
    _kind: u32,
    _flags: u32,
    _opened: u32,
) -> Result<(), Errno> {
    Err(Errno::AfNoSupport)
}

/// Not yet.
pub fn sock_bind<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn sock_listen<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn sock_connect<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(Err(Errno::NotSup))
}

/// Not yet.
pub fn sock_send_to<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
    _e: u32,
    _f: u32,
    _g: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(Err(Errno::NotSup))
}

/// Not yet.
pub fn sock_recv_from<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
    _e: u32,
    _f: u32,
    _g: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(Err(Errno::NotSup))
}

/// Not yet.
pub fn sock_name<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
    _e: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn sock_option_get<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn sock_option_set<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u64,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn name_resolve<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
    _e: u32,
) -> Poll<Result<(), Errno>> {
    Poll::Ready(Err(Errno::NotSup))
}

/// Not yet.
pub fn name_of<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
    _e: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}

/// Not yet.
pub fn net_why<M: GuestMemory>(
    _call: &mut Syscall<'_, M>,
    _a: u32,
    _b: u32,
    _c: u32,
    _d: u32,
) -> Result<(), Errno> {
    Err(Errno::NotSup)
}
