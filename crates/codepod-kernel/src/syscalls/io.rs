//! Reading and writing.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{IOVEC_SIZE, fdflags, rights};

use super::transfer::Destination;
use super::{Syscall, files_of};
use crate::device;
use crate::fd_table::Descriptor;
use crate::ids::{Fd, PipeId};
use crate::kernel::Kernel;
use crate::limits::Limits;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::pipe::{ATOMIC_WRITE, End};

/// Buffers of a guest: a list of pointers and lengths in its own memory. Each is checked when it is
/// read, so a list that the guest's own data overwrites meanwhile stays harmless.
#[derive(Clone, Copy)]
pub(super) struct Buffers {
    at: u32,
    count: u32,
    /// Bytes in all of them.
    pub(super) total: u64,
    /// Bytes that are moved at most.
    most: u64,
}

impl Buffers {
    /// Checks the list and every range in it. `Inval` for too many, `Fault` for a bad pointer.
    pub(super) fn check<M: GuestMemory>(memory: &M, at: u32, count: u32) -> Result<Buffers, Errno> {
        if count > Limits::IOVECS {
            return Err(Errno::Inval);
        }
        let mut buffers = Buffers {
            at,
            count,
            total: 0,
            most: u64::MAX,
        };
        for i in 0..count {
            let (pointer, len) = buffers.get(memory, i)?;
            memory.read(pointer, len, |_| ())?;
            buffers.total += u64::from(len);
        }
        Ok(buffers)
    }

    /// Limits the buffers for files and devices, which never wait: buffers may be the same memory a
    /// thousand times, and a call that cannot be interrupted must end soon. More is a short count,
    /// which callers must expect.
    fn of_one_call(self) -> Buffers {
        self.of_at_most(Limits::CALL_BYTES)
    }

    /// The same buffers, of which so many bytes are moved at most.
    pub(super) fn of_at_most(self, most: u64) -> Buffers {
        Buffers { most, ..self }
    }

    fn get<M: GuestMemory>(&self, memory: &M, i: u32) -> Result<(u32, u32), Errno> {
        let slot = self.at.checked_add(i * IOVEC_SIZE).ok_or(Errno::Fault)?;
        let bytes: [u8; 8] = memory.read_array(slot)?;
        let word = |at: usize| {
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        Ok((word(0), word(4)))
    }

    /// Fills the buffers from `skip` on, one after the other, until `read` gives less than asked
    /// for. An error after the first byte ends it without being reported.
    pub(super) fn fill<M: GuestMemory>(
        self,
        memory: &mut M,
        mut skip: u64,
        mut read: impl FnMut(&mut [u8], u64) -> Result<usize, Errno>,
    ) -> Result<u64, Errno> {
        let mut done = 0;
        for i in 0..self.count {
            let (pointer, len) = self.get(memory, i)?;
            let from = skip.min(len.into()) as u32;
            skip -= u64::from(from);
            let pointer = pointer.checked_add(from).ok_or(Errno::Fault)?;
            let len = len - from;
            let part = u64::from(len).min(self.most - done) as u32;
            if part == 0 {
                continue;
            }
            match memory
                .write(pointer, part, |bytes| read(bytes, done))
                .flatten()
            {
                Ok(got) => {
                    done += got as u64;
                    if got < len as usize {
                        break;
                    }
                }
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        Ok(done)
    }

    /// Hands out the buffers' bytes from `skip` on until `write` takes less than it was given.
    pub(super) fn drain<M: GuestMemory>(
        self,
        memory: &M,
        mut skip: u64,
        mut write: impl FnMut(&[u8], u64) -> Result<usize, Errno>,
    ) -> Result<u64, Errno> {
        let mut done = 0;
        for i in 0..self.count {
            let (pointer, len) = self.get(memory, i)?;
            if u64::from(len) <= skip {
                skip -= u64::from(len);
                continue;
            }
            let from = std::mem::take(&mut skip) as usize;
            let part = (u64::from(len) - from as u64).min(self.most - done) as usize;
            if part == 0 {
                break;
            }
            match memory
                .read(pointer, len, |bytes| write(&bytes[from..from + part], done))
                .flatten()
            {
                Ok(taken) => {
                    done += taken as u64;
                    if taken < len as usize - from {
                        break;
                    }
                }
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        Ok(done)
    }
}

impl<M: GuestMemory> Syscall<'_, M> {
    /// A descriptor that is open for reading and has `rights`. `Badf`, `NotCapable`.
    pub(super) fn readable(&self, fd: u32, rights: u64) -> Result<(Descriptor, Object), Errno> {
        let descriptor = self.process()?.fds.get(Fd(fd))?;
        let file = self.open_file(descriptor)?;
        if !file.readable {
            return Err(Errno::Badf);
        }
        if descriptor.rights & rights != rights {
            return Err(Errno::NotCapable);
        }
        Ok((descriptor, file.object))
    }

    /// A descriptor that is open for writing and has `rights`. `Badf`, `NotCapable`.
    pub(super) fn writable(&self, fd: u32, rights: u64) -> Result<(Descriptor, Object), Errno> {
        let descriptor = self.process()?.fds.get(Fd(fd))?;
        let file = self.open_file(descriptor)?;
        if !file.writable {
            return Err(Errno::Badf);
        }
        if descriptor.rights & rights != rights {
            return Err(Errno::NotCapable);
        }
        Ok((descriptor, file.object))
    }

    pub(super) fn nonblocking(&self, descriptor: Descriptor) -> bool {
        self.open_file(descriptor)
            .is_ok_and(|file| file.flags & fdflags::NONBLOCK != 0)
    }

    /// Reads from a pipe, waiting if `blocking`; `done` writes the count.
    pub(super) fn read_pipe(
        &mut self,
        pipe: PipeId,
        buffers: Buffers,
        blocking: bool,
        result: u32,
    ) -> Poll<Result<(), Errno>> {
        let Some(state) = self.kernel.pipes.get_mut(pipe.0) else {
            return Poll::Ready(Err(Errno::Badf));
        };
        let read = buffers.fill(self.memory, 0, |bytes, _| state.read(bytes));
        match read {
            Err(Errno::Again) if blocking => self.wait(None, |kernel, waiter, waker| {
                kernel.wait_for_pipe(pipe, End::Read, waiter, waker);
            }),
            Err(errno) => Poll::Ready(Err(errno)),
            Ok(count) => Poll::Ready(self.tell_read(result, count as u32)),
        }
    }

    /// Writes to a pipe until all is written, waiting if `blocking`.
    pub(super) fn write_pipe(
        &mut self,
        pipe: PipeId,
        buffers: Buffers,
        blocking: bool,
        result: u32,
    ) -> Poll<Result<(), Errno>> {
        let before = match self.process() {
            Ok(process) => process.waiting.written as u64,
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        let Some(state) = self.kernel.pipes.get_mut(pipe.0) else {
            return Poll::Ready(Err(Errno::Badf));
        };
        // A small write goes in whole or not at all, so two writers never mix within a line.
        let fits = buffers.total > ATOMIC_WRITE as u64 || state.takes(buffers.total as usize);
        let written = if state.readers() > 0 && !fits {
            Err(Errno::Again)
        } else {
            buffers.drain(self.memory, before, |bytes, _| state.write(bytes))
        };
        let done = match written {
            Ok(count) => before + count,
            Err(Errno::Again) => before,
            Err(Errno::Pipe) => {
                let errno = self.broken_pipe();
                return Poll::Ready(Err(errno));
            }
            Err(errno) => return Poll::Ready(Err(errno)),
        };
        if done < buffers.total && blocking {
            if let Ok(process) = self.process_mut() {
                process.waiting.written = done as usize;
            }
            match self.wait(None, |kernel, waiter, waker| {
                kernel.wait_for_pipe(pipe, End::Write, waiter, waker);
            }) {
                Poll::Pending => return Poll::Pending,
                // Interrupted after a part: the part counts.
                Poll::Ready(_) if done > 0 => {}
                Poll::Ready(error) => return Poll::Ready(error),
            }
        } else if done == 0 && buffers.total > 0 {
            return Poll::Ready(Err(Errno::Again));
        }
        Poll::Ready(self.tell_written(result, done as u32))
    }

    /// Counts what was read and tells the guest how much it was.
    pub(super) fn tell_read(&mut self, at: u32, count: u32) -> Result<(), Errno> {
        self.process_mut()?.read += u64::from(count);
        self.memory.write_u32(at, count)
    }

    /// Counts what was written and tells the guest how much it was.
    pub(super) fn tell_written(&mut self, at: u32, count: u32) -> Result<(), Errno> {
        self.process_mut()?.written += u64::from(count);
        self.memory.write_u32(at, count)
    }
}

/// Reads a node or device at an offset.
pub(super) fn read_node(
    kernel: &mut Kernel,
    pid: crate::Pid,
    object: Object,
    offset: u64,
    bytes: &mut [u8],
) -> Result<usize, Errno> {
    match object {
        Object::File(node) => {
            let (vfs, caller) = files_of(kernel, pid)?;
            vfs.read_at(&caller, node, offset, bytes)
        }
        Object::Device(device, _) => device::read(device, &*kernel.host, bytes),
        Object::Null => Ok(0),
        Object::Directory(..) => Err(Errno::IsDir),
        _ => Err(Errno::Spipe),
    }
}

/// Writes a node or device at an offset.
fn write_node(
    kernel: &mut Kernel,
    pid: crate::Pid,
    object: Object,
    offset: u64,
    bytes: &[u8],
) -> Result<usize, Errno> {
    match object {
        Object::File(node) => {
            let (vfs, caller) = files_of(kernel, pid)?;
            vfs.write_at(&caller, node, offset, bytes)
        }
        Object::Device(device, _) => device::write(device, bytes.len()),
        Object::Null => Ok(bytes.len()),
        _ => Err(Errno::Spipe),
    }
}

/// Reads at an offset without moving the descriptor's own.
pub fn fd_pread<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    offset: u64,
    nread: u32,
) -> Result<(), Errno> {
    let (_, object) = call.readable(fd, rights::FD_READ)?;
    if object.is_stream() {
        return Err(Errno::Spipe);
    }
    let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
    if matches!(object, Object::Directory(..)) {
        return Err(Errno::IsDir);
    }
    call.memory.check(nread, 4)?;
    let (kernel, pid) = (&mut *call.kernel, call.pid);
    let count = buffers.of_one_call().fill(call.memory, 0, |bytes, done| {
        read_node(kernel, pid, object, offset.saturating_add(done), bytes)
    })?;
    call.tell_read(nread, count as u32)
}

/// Writes at an offset without moving the descriptor's own.
pub fn fd_pwrite<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    offset: u64,
    nwritten: u32,
) -> Result<(), Errno> {
    let (_, object) = call.writable(fd, rights::FD_WRITE)?;
    if object.is_stream() {
        return Err(Errno::Spipe);
    }
    let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
    call.memory.check(nwritten, 4)?;
    let (kernel, pid) = (&mut *call.kernel, call.pid);
    let count = buffers.of_one_call().drain(call.memory, 0, |bytes, done| {
        // Past the largest offset a file is too large, and a device does not care.
        write_node(kernel, pid, object, offset.saturating_add(done), bytes)
    })?;
    call.tell_written(nwritten, count as u32)
}

/// Reads from a descriptor; waits for a pipe, a terminal or a socket to have something.
pub fn fd_read<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    nread: u32,
) -> Poll<Result<(), Errno>> {
    let begin = || -> Result<_, Errno> {
        let (descriptor, object) = call.readable(fd, rights::FD_READ)?;
        let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
        Ok((descriptor, object, buffers))
    };
    let (descriptor, object, buffers) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    if let Err(errno) = call.memory.check(nread, 4) {
        return Poll::Ready(Err(errno));
    }
    let blocking = !call.nonblocking(descriptor);
    match object {
        Object::Pipe(pipe, ..) | Object::Fifo(pipe, _) => {
            call.read_pipe(pipe, buffers, blocking, nread)
        }
        Object::Socket(..) => match call.socket(fd) {
            Ok(socket) => {
                let arrived = call.receive(socket, buffers, 0);
                call.tell_received(arrived, nread)
            }
            Err(errno) => Poll::Ready(Err(errno)),
        },
        Object::Terminal(id) => match call.kernel.terminals.get(id.0) {
            Some(terminal) => {
                let input = terminal.input;
                call.read_pipe(input, buffers, blocking, nread)
            }
            None => Poll::Ready(Err(Errno::Io)),
        },
        Object::Sink(_) => Poll::Ready(Err(Errno::Badf)),
        Object::File(_) | Object::Device(..) | Object::Directory(..) | Object::Null => {
            Poll::Ready(read_seekable(call, descriptor, object, buffers, nread))
        }
    }
}

fn read_seekable<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    descriptor: Descriptor,
    object: Object,
    buffers: Buffers,
    nread: u32,
) -> Result<(), Errno> {
    if matches!(object, Object::Directory(..)) {
        return Err(Errno::IsDir);
    }
    let offset = call.open_file(descriptor)?.offset;
    let (kernel, pid) = (&mut *call.kernel, call.pid);
    let count = buffers.of_one_call().fill(call.memory, 0, |bytes, done| {
        read_node(kernel, pid, object, offset.saturating_add(done), bytes)
    })?;
    if matches!(object, Object::File(_)) {
        call.kernel.file_mut(descriptor.file)?.offset = offset.saturating_add(count);
    }
    call.tell_read(nread, count as u32)
}

/// Writes to a descriptor; waits while a pipe or the host's sink is full. Without readers the
/// process gets SIGPIPE, and `Pipe` where that is ignored.
pub fn fd_write<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    iovs: u32,
    iovs_len: u32,
    nwritten: u32,
) -> Poll<Result<(), Errno>> {
    let begin = || -> Result<_, Errno> {
        let (descriptor, object) = call.writable(fd, rights::FD_WRITE)?;
        let buffers = Buffers::check(call.memory, iovs, iovs_len)?;
        Ok((descriptor, object, buffers))
    };
    let (descriptor, object, buffers) = match begin() {
        Ok(begun) => begun,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    if let Err(errno) = call.memory.check(nwritten, 4) {
        return Poll::Ready(Err(errno));
    }
    match silenced(call, fd, (iovs, iovs_len)) {
        Ok(None) => {}
        Ok(Some(length)) => return Poll::Ready(call.memory.write_u32(nwritten, length)),
        Err(errno) => return Poll::Ready(Err(errno)),
    }
    let blocking = !call.nonblocking(descriptor);
    match object {
        Object::Pipe(pipe, ..) | Object::Fifo(pipe, _) => {
            call.write_pipe(pipe, buffers, blocking, nwritten)
        }
        Object::Socket(..) => match call.socket(fd) {
            Ok(socket) => {
                let sent = call.send(socket, buffers, 0, Destination::Peer);
                call.tell_sent(sent, nwritten)
            }
            Err(errno) => Poll::Ready(Err(errno)),
        },
        Object::Terminal(id) => match call.kernel.terminals.get(id.0) {
            Some(terminal) => {
                let output = terminal.output;
                call.write_pipe(output, buffers, blocking, nwritten)
            }
            None => Poll::Ready(Err(Errno::Io)),
        },
        Object::Sink(sink) => Poll::Ready(write_sink(call, sink.0, buffers, nwritten)),
        Object::File(_) | Object::Device(..) | Object::Directory(..) | Object::Null => {
            Poll::Ready(write_seekable(call, descriptor, object, buffers, nwritten))
        }
    }
}

/// What Rust's runtime writes first when it ends a program for want of memory, and what the user
/// reads instead: as long, since it is put in its place.
const ALLOCATION: &[u8; 21] = b"memory allocation of ";
const EXHAUSTED: &[u8; 21] = b"memory is exhausted.\n";

/// Lets a program that was refused memory end with a line that users understand: the runtime's own
/// is about allocations and backtraces. Returns the length of a write that is dropped, since it
/// would be the rest of that.
fn silenced<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    (iovs, iovs_len): (u32, u32),
) -> Result<Option<u32>, Errno> {
    let control = &call.kernel.processes.get(call.pid)?.control;
    // The runtime writes one buffer at a time; with one, both words are inside the memory.
    if fd != 2 || iovs_len != 1 || !control.was_refused_memory() {
        return Ok(None);
    }
    let (at, length) = (call.memory.read_u32(iovs)?, call.memory.read_u32(iovs + 4)?);
    let is = |text: &[u8]| call.memory.read(at, length, |bytes| bytes == text);
    if is(ALLOCATION)? {
        control.is_exhausted(true);
        call.memory.write_bytes(at, EXHAUSTED)?;
        return Ok(None);
    }
    let rest = control.is_exhausted(false) && !is(EXHAUSTED)?;
    Ok(rest.then_some(length))
}

fn write_sink<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    sink: u32,
    buffers: Buffers,
    nwritten: u32,
) -> Result<(), Errno> {
    let state = call.kernel.sinks.get_mut(sink).ok_or(Errno::Badf)?;
    match buffers.drain(call.memory, 0, |bytes, _| state.write(bytes)) {
        Ok(count) => call.tell_written(nwritten, count as u32),
        Err(Errno::Pipe) => Err(call.broken_pipe()),
        Err(errno) => Err(errno),
    }
}

fn write_seekable<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    descriptor: Descriptor,
    object: Object,
    buffers: Buffers,
    nwritten: u32,
) -> Result<(), Errno> {
    let file = call.open_file(descriptor)?;
    let (offset, appending) = (file.offset, file.flags & fdflags::APPEND != 0);
    let (kernel, pid) = (&mut *call.kernel, call.pid);
    let mut end = offset;
    let count = buffers
        .of_one_call()
        .drain(call.memory, 0, |bytes, done| match object {
            Object::File(node) if appending => {
                let (vfs, caller) = files_of(kernel, pid)?;
                let (new_end, written) = vfs.append(&caller, node, bytes)?;
                end = new_end;
                Ok(written)
            }
            _ => {
                let at = offset.checked_add(done).ok_or(Errno::Fbig)?;
                let written = write_node(kernel, pid, object, at, bytes)?;
                end = at.saturating_add(written as u64);
                Ok(written)
            }
        })?;
    if matches!(object, Object::File(_)) && count > 0 {
        call.kernel.file_mut(descriptor.file)?.offset = end;
    }
    call.tell_written(nwritten, count as u32)
}
