//! Reading up to a delimiter: what lines are made of, without a call for every byte.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::rights;

use super::Syscall;
use super::io::read_node;
use crate::fd_table::Descriptor;
use crate::ids::PipeId;
use crate::limits::Limits;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::pipe::End;

/// How much of a file is looked at first: most lines are shorter. Each further piece is twice as
/// long.
const FIRST_PIECE: usize = 128;

/// Where to read to, and how far.
#[derive(Clone, Copy)]
struct Until {
    buf: u32,
    buf_len: u32,
    delimiter: u8,
    nread: u32,
}

/// Reads from a descriptor as `fd_read` does, stops after the first byte that is `delimiter`, and
/// takes nothing beyond it.
pub fn fd_read_until<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    buf: u32,
    buf_len: u32,
    delimiter: u32,
    nread: u32,
) -> Poll<Result<(), Errno>> {
    let mut begin = || -> Result<_, Errno> {
        let (descriptor, object) = call.readable(fd, rights::FD_READ)?;
        let delimiter = u8::try_from(delimiter).map_err(|_| Errno::Inval)?;
        call.memory.check(buf, buf_len)?;
        call.memory.check(nread, 4)?;
        let until = Until {
            buf,
            buf_len: buf_len.min(Limits::CALL_BYTES as u32),
            delimiter,
            nread,
        };
        Ok((descriptor, object, until))
    };
    let (descriptor, object, until) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    let pipe = match object {
        Object::Pipe(pipe, ..) | Object::Fifo(pipe, _) => pipe,
        Object::Socket(..) => {
            return match call.socket(fd) {
                Ok(socket) => {
                    let into = (until.buf, until.buf_len);
                    call.receive_until(socket, into, until.delimiter, until.nread)
                }
                Err(errno) => Poll::Ready(Err(errno)),
            };
        }
        Object::Terminal(id) => match call.kernel.terminals.get(id.0) {
            Some(terminal) => terminal.input,
            None => return Poll::Ready(Err(Errno::Io)),
        },
        Object::Sink(_) => return Poll::Ready(Err(Errno::Badf)),
        Object::Directory(..) => return Poll::Ready(Err(Errno::IsDir)),
        Object::Null => {
            return Poll::Ready(call.memory.write_u32(nread, 0));
        }
        Object::File(_) | Object::Device(..) => {
            return Poll::Ready(read_file(call, descriptor, object, until));
        }
    };
    read_pipe(call, descriptor, pipe, until)
}

fn read_pipe<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    descriptor: Descriptor,
    pipe: PipeId,
    until: Until,
) -> Poll<Result<(), Errno>> {
    let Some(state) = call.kernel.pipes.get_mut(pipe.0) else {
        return Poll::Ready(Err(Errno::Badf));
    };
    let wanted = state.line_len(until.delimiter, until.buf_len as usize);
    let read = call
        .memory
        .write(until.buf, wanted as u32, |bytes| state.read(bytes))
        .flatten();
    match read {
        Err(Errno::Again) if !call.nonblocking(descriptor) => {
            call.wait(None, |kernel, waiter, waker| {
                kernel.wait_for_pipe(pipe, End::Read, waiter, waker);
            })
        }
        Err(errno) => Poll::Ready(Err(errno)),
        Ok(count) => Poll::Ready(call.tell_read(until.nread, count as u32)),
    }
}

fn read_file<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    descriptor: Descriptor,
    object: Object,
    until: Until,
) -> Result<(), Errno> {
    let offset = call.open_file(descriptor)?.offset;
    let (kernel, pid) = (&mut *call.kernel, call.pid);
    let count = call.memory.write(until.buf, until.buf_len, |bytes| {
        let mut done = 0;
        let mut piece = FIRST_PIECE;
        while done < bytes.len() {
            let end = bytes.len().min(done + piece);
            let at = offset.saturating_add(done as u64);
            let read = match read_node(kernel, pid, object, at, &mut bytes[done..end]) {
                Ok(read) => read,
                Err(errno) if done == 0 => return Err(errno),
                // What was read before counts.
                Err(_) => break,
            };
            let fresh = &bytes[done..done + read];
            if let Some(found) = fresh.iter().position(|byte| *byte == until.delimiter) {
                return Ok(done + found + 1);
            }
            done += read;
            if done < end {
                break;
            }
            piece *= 2;
        }
        Ok(done)
    })??;
    if matches!(object, Object::File(_)) {
        call.kernel.file_mut(descriptor.file)?.offset = offset.saturating_add(count as u64);
    }
    call.tell_read(until.nread, count as u32)
}
