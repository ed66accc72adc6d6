//! Opening a path.

use std::task::Poll;

use codepod_abi::Errno;
use codepod_abi::wire::mode;
use codepod_abi::wire::wasi::{fdflags, oflags, rights};
use codepod_vfs::{Device, FileKind, NodeRef, OpenOptions};

use super::fd::linked_descriptor;
use super::fifo::FifoOpen;
use super::{Syscall, follow};
use crate::fd_table::Descriptor;
use crate::ids::{Fd, OpenFileId, Pid};
use crate::memory::GuestMemory;
use crate::open_file::{Object, OpenFile};

/// What a `path_open` asks for, after its arguments were checked.
#[derive(Clone, Copy)]
struct Request {
    read: bool,
    write: bool,
    flags: u16,
    rights: u64,
    inheriting: u64,
    /// Permission bits of a file that is made.
    mode: u16,
    opened: u32,
}

/// What there was at the path.
enum Opened {
    /// A new open file is to be made of it.
    Object(Object),
    /// An open file that exists already, through `/proc/PID/fd`; the reference is counted.
    Shared(OpenFileId),
    Fifo(NodeRef),
}

const WRITING: u64 =
    rights::FD_WRITE | rights::FD_DATASYNC | rights::FD_ALLOCATE | rights::FD_FILESTAT_SET_SIZE;

/// Opens or creates a file or directory. A fifo waits for its other end.
#[expect(clippy::too_many_arguments, reason = "WASI's signature")]
pub fn path_open<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    dirflags: u32,
    path: u32,
    path_len: u32,
    open_flags: u32,
    rights_base: u64,
    rights_inheriting: u64,
    fd_flags: u32,
    opened: u32,
) -> Poll<Result<(), Errno>> {
    let asked = Asked {
        fd,
        dirflags,
        path,
        path_len,
        open_flags,
        rights_base,
        rights_inheriting,
        fd_flags,
        mode: 0o666,
        opened,
    };
    open(call, &asked)
}

/// Opens a path as `path_open` does; a file that is made gets these permission bits, less the
/// umask.
#[expect(
    clippy::too_many_arguments,
    reason = "as WASI's `path_open`, with a mode"
)]
pub fn path_open_mode<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    dirflags: u32,
    path: u32,
    path_len: u32,
    open_flags: u32,
    rights: u64,
    fd_flags: u32,
    mode: u32,
    opened: u32,
) -> Poll<Result<(), Errno>> {
    let asked = Asked {
        fd,
        dirflags,
        path,
        path_len,
        open_flags,
        rights_base: rights,
        rights_inheriting: rights::ALL,
        fd_flags,
        mode,
        opened,
    };
    open(call, &asked)
}

/// The arguments of the two calls, as they came.
struct Asked {
    fd: u32,
    dirflags: u32,
    path: u32,
    path_len: u32,
    open_flags: u32,
    rights_base: u64,
    rights_inheriting: u64,
    fd_flags: u32,
    mode: u32,
    opened: u32,
}

fn open<M: GuestMemory>(call: &mut Syscall<'_, M>, asked: &Asked) -> Poll<Result<(), Errno>> {
    let waiting = call
        .process()
        .is_ok_and(|process| process.waiting.fifo.is_some());
    let request = match check(call, asked) {
        Ok(request) => request,
        Err(errno) => return Poll::Ready(Err(errno)),
    };
    let object = if waiting {
        call.continue_fifo()
    } else {
        match find(call, asked, request) {
            Err(errno) => return Poll::Ready(Err(errno)),
            Ok(Opened::Shared(file)) => return Poll::Ready(install(call, file, request)),
            Ok(Opened::Object(object)) => Poll::Ready(Ok(object)),
            Ok(Opened::Fifo(node)) => {
                let open = FifoOpen {
                    node,
                    read: request.read,
                    write: request.write,
                    flags: request.flags,
                };
                call.begin_fifo(open)
            }
        }
    };
    match object {
        Poll::Pending => Poll::Pending,
        Poll::Ready(Err(errno)) => Poll::Ready(Err(errno)),
        Poll::Ready(Ok(object)) => {
            let readable = request.read || matches!(object, Object::Directory(..));
            let file = OpenFile::new(object, request.flags, readable, request.write);
            let file = call.kernel.insert_file(file);
            Poll::Ready(install(call, file, request))
        }
    }
}

fn check<M: GuestMemory>(call: &mut Syscall<'_, M>, asked: &Asked) -> Result<Request, Errno> {
    let open_flags = asked.open_flags;
    let mut needed = rights::PATH_OPEN;
    if open_flags & oflags::CREAT != 0 {
        needed |= rights::PATH_CREATE_FILE;
    }
    if open_flags & oflags::TRUNC != 0 {
        needed |= rights::PATH_FILESTAT_SET_SIZE;
    }
    let from = call.path_rights(asked.fd, needed)?;
    if open_flags & !oflags::ALL != 0
        || asked.fd_flags & !u32::from(fdflags::ALL) != 0
        || asked.mode & !mode::PERMISSIONS != 0
    {
        return Err(Errno::Inval);
    }
    call.memory.check(asked.opened, 4)?;
    call.process()?
        .fds
        .lowest_free(0, call.kernel.limits.descriptors)?;
    let rights = asked.rights_base & from.inheriting;
    let directory = open_flags & oflags::DIRECTORY != 0;
    Ok(Request {
        read: rights & (rights::FD_READ | rights::FD_READDIR) != 0,
        write: rights & WRITING != 0 && !directory,
        flags: asked.fd_flags as u16,
        rights,
        inheriting: asked.rights_inheriting & from.inheriting,
        mode: asked.mode as u16,
        opened: asked.opened,
    })
}

fn find<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    asked: &Asked,
    request: Request,
) -> Result<Opened, Errno> {
    let follow = follow(asked.dirflags)?;
    let base = call.directory(asked.fd, 0)?;
    let path = call.path(asked.path, asked.path_len)?;
    let open_flags = asked.open_flags;
    let options = OpenOptions {
        read: request.read,
        write: request.write,
        append: request.flags & fdflags::APPEND != 0,
        create: open_flags & oflags::CREAT != 0,
        exclusive: open_flags & oflags::EXCL != 0,
        truncate: open_flags & oflags::TRUNC != 0,
        directory: open_flags & oflags::DIRECTORY != 0,
        follow,
        mode: request.mode,
    };
    let (vfs, caller) = call.vfs()?;
    let node = vfs.open(&caller, base, &path, &options)?;
    let found = classify(call, node, request);
    if !matches!(found, Ok(Opened::Object(object)) if object.node() == Some(node))
        && !matches!(found, Ok(Opened::Fifo(_)))
    {
        call.kernel.vfs.close(node);
    }
    found
}

/// Turns an opened node into an object. Whoever gets an object with this node, or a fifo, owns its
/// count.
fn classify<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    node: NodeRef,
    request: Request,
) -> Result<Opened, Errno> {
    if let Some((pid, fd)) = call.kernel.vfs.magic_link(node) {
        return reopen(call, Pid(pid), Fd(fd), request);
    }
    match call.kernel.vfs.device(node) {
        Some(Device::Tty) => return controlling_terminal(call),
        Some(device) => return Ok(Opened::Object(Object::Device(device, node))),
        None => {}
    }
    let (vfs, caller) = call.vfs()?;
    match vfs.stat(&caller, node)?.kind {
        FileKind::Directory => {
            let until = vfs.dir_end_cookie(node)?;
            Ok(Opened::Object(Object::Directory(node, until)))
        }
        FileKind::Fifo => Ok(Opened::Fifo(node)),
        FileKind::File => Ok(Opened::Object(Object::File(node))),
        // `follow` was not asked for and it is a link, or a device or socket.
        FileKind::Symlink => Err(Errno::Loop),
        FileKind::CharDevice | FileKind::Socket | FileKind::Other => Err(Errno::Nxio),
    }
}

/// Opens what a descriptor refers to: files anew, with an offset of their own; streams as they are.
fn reopen<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    pid: Pid,
    fd: Fd,
    request: Request,
) -> Result<Opened, Errno> {
    let descriptor = linked_descriptor(call.kernel, pid, fd)?;
    let file = call.kernel.file(descriptor.file)?;
    if (request.read && !file.readable) || (request.write && !file.writable) {
        return Err(Errno::Access);
    }
    match file.object {
        object @ (Object::File(node) | Object::Directory(node, _) | Object::Device(_, node)) => {
            let (vfs, caller) = call.vfs()?;
            vfs.retain(&caller, node)?;
            Ok(Opened::Object(object))
        }
        _ => {
            call.kernel.file_mut(descriptor.file)?.references += 1;
            Ok(Opened::Shared(descriptor.file))
        }
    }
}

/// The terminal that a process uses: the first among its standard descriptors. `Nxio` without one.
fn controlling_terminal<M: GuestMemory>(call: &mut Syscall<'_, M>) -> Result<Opened, Errno> {
    for fd in 0..3 {
        let Ok(descriptor) = call.descriptor(fd, 0) else {
            continue;
        };
        if let Object::Terminal(_) = call.open_file(descriptor)?.object {
            call.kernel.file_mut(descriptor.file)?.references += 1;
            return Ok(Opened::Shared(descriptor.file));
        }
    }
    Err(Errno::Nxio)
}

fn install<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    file: OpenFileId,
    request: Request,
) -> Result<(), Errno> {
    let target = call.kernel.file(file)?.object.target();
    let descriptor = Descriptor {
        file,
        target,
        rights: request.rights,
        inheriting: request.inheriting,
        preopen: false,
    };
    let limit = call.kernel.limits.descriptors;
    let placed = call.process_mut().and_then(|process| {
        let fd = process.fds.lowest_free(0, limit)?;
        process.fds.put(fd, descriptor, limit)?;
        Ok(fd)
    });
    match placed {
        Ok(fd) => call.memory.write_u32(request.opened, fd.0),
        Err(errno) => {
            call.kernel.release(file);
            Err(errno)
        }
    }
}
