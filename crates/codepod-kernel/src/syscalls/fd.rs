//! Descriptors: closing, duplicating, seeking, describing, listing.

use codepod_abi::Errno;
use codepod_abi::wire::wasi::{
    DIRENT_SIZE, FDSTAT_SIZE, FILESTAT_SIZE, fdflags, filetype, fstflags, rights,
};
use codepod_vfs::{FileKind, NodeRef, Stat};

use super::{Syscall, follow};
use crate::fd_table::Descriptor;
use crate::ids::Fd;
use crate::kernel::Kernel;
use crate::memory::GuestMemory;
use crate::open_file::Object;
use crate::pipe::{End, Pipe};
use crate::process::PathRights;
use crate::{Pid, PipeId};

/// WASI's number for a kind of file. It has none for fifos.
pub(super) fn filetype_of(kind: FileKind) -> u8 {
    match kind {
        FileKind::File => filetype::REGULAR_FILE,
        FileKind::Directory => filetype::DIRECTORY,
        FileKind::Symlink => filetype::SYMBOLIC_LINK,
        FileKind::CharDevice => filetype::CHARACTER_DEVICE,
        FileKind::Socket => filetype::SOCKET_STREAM,
        FileKind::Fifo | FileKind::Other => filetype::UNKNOWN,
    }
}

pub(super) fn object_filetype(object: Object) -> u8 {
    match object {
        Object::File(_) => filetype::REGULAR_FILE,
        Object::Directory(..) => filetype::DIRECTORY,
        Object::Device(..) | Object::Terminal(_) | Object::Null => filetype::CHARACTER_DEVICE,
        Object::Socket(_, kind) => kind.filetype(),
        Object::Pipe(..) | Object::Fifo(..) | Object::Sink(_) => filetype::UNKNOWN,
    }
}

/// A `filestat` as bytes.
pub(super) fn filestat_bytes(stat: &Stat, kind: u8) -> [u8; FILESTAT_SIZE] {
    let mut bytes = [0; FILESTAT_SIZE];
    bytes[0..8].copy_from_slice(&stat.device.to_le_bytes());
    bytes[8..16].copy_from_slice(&stat.inode.to_le_bytes());
    bytes[16] = kind;
    bytes[24..32].copy_from_slice(&stat.nlink.to_le_bytes());
    bytes[32..40].copy_from_slice(&stat.size.to_le_bytes());
    bytes[40..48].copy_from_slice(&stat.atime.to_le_bytes());
    bytes[48..56].copy_from_slice(&stat.mtime.to_le_bytes());
    bytes[56..64].copy_from_slice(&stat.ctime.to_le_bytes());
    bytes
}

/// The times that `fstflags` ask for. `Inval` for contradictions and unknown flags.
pub(super) fn times(
    flags: u32,
    atime: u64,
    mtime: u64,
    now: u64,
) -> Result<(Option<u64>, Option<u64>), Errno> {
    if flags & !fstflags::ALL != 0 {
        return Err(Errno::Inval);
    }
    let one = |set: u32, set_now: u32, time: u64| match (flags & set != 0, flags & set_now != 0) {
        (true, true) => Err(Errno::Inval),
        (true, false) => Ok(Some(time)),
        (false, true) => Ok(Some(now)),
        (false, false) => Ok(None),
    };
    Ok((
        one(fstflags::ATIM, fstflags::ATIM_NOW, atime)?,
        one(fstflags::MTIM, fstflags::MTIM_NOW, mtime)?,
    ))
}

impl<M: GuestMemory> Syscall<'_, M> {
    pub(super) fn object(&self, fd: u32, rights: u64) -> Result<Object, Errno> {
        let descriptor = self.descriptor(fd, rights)?;
        Ok(self.open_file(descriptor)?.object)
    }

    /// The open file behind a magic link of `/proc/PID/fd` that is to be followed: a pipe or a
    /// terminal there has no path.
    pub(super) fn behind_magic_link(
        &self,
        node: NodeRef,
        flags: u32,
    ) -> Result<Option<Object>, Errno> {
        match self.kernel.vfs.magic_link(node) {
            Some((pid, fd)) if follow(flags)? => {
                let descriptor = linked_descriptor(self.kernel, Pid(pid), Fd(fd))?;
                Ok(Some(self.kernel.file(descriptor.file)?.object))
            }
            _ => Ok(None),
        }
    }

    /// What is known of an open file, also of one that has no node.
    pub(super) fn stat_object(&mut self, object: Object) -> Result<Stat, Errno> {
        if let Some(node) = object.node() {
            let (vfs, caller) = self.vfs()?;
            return vfs.stat(&caller, node);
        }
        let process = self.process()?;
        let (uid, gid) = (process.uid, process.gid);
        let now = self.kernel.file_time();
        let kind = match object {
            Object::Terminal(_) | Object::Null => FileKind::CharDevice,
            Object::Socket(..) => FileKind::Socket,
            _ => FileKind::Fifo,
        };
        Ok(Stat {
            inode: 0,
            device: 0,
            kind,
            mode: 0o600,
            uid,
            gid,
            nlink: 1,
            size: 0,
            blocks: 0,
            atime: now,
            mtime: now,
            ctime: now,
            rdev: 0,
        })
    }
}

/// Takes advice about future reads; it changes nothing.
pub fn fd_advise<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    _offset: u64,
    _len: u64,
    advice: u32,
) -> Result<(), Errno> {
    let object = call.object(fd, 0)?;
    if object.is_stream() {
        return Err(Errno::Spipe);
    }
    if advice > 5 {
        return Err(Errno::Inval);
    }
    Ok(())
}

/// Makes sure that a file is at least `offset + len` bytes long.
pub fn fd_allocate<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    offset: u64,
    len: u64,
) -> Result<(), Errno> {
    if call.object(fd, 0)?.is_stream() {
        return Err(Errno::Spipe);
    }
    let (_, object) = call.writable(fd, rights::FD_ALLOCATE)?;
    if len == 0 {
        return Err(Errno::Inval);
    }
    let Object::File(node) = object else {
        return Err(Errno::Inval);
    };
    let (vfs, caller) = call.vfs()?;
    vfs.allocate(&caller, node, offset, len)
}

/// Closes a descriptor.
pub fn fd_close<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<(), Errno> {
    let descriptor = call.process_mut()?.fds.take(Fd(fd))?;
    call.kernel.release(descriptor.file);
    Ok(())
}

fn sync<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<(), Errno> {
    match call.object(fd, 0)? {
        Object::File(node) | Object::Directory(node, _) => call.kernel.vfs.sync(node),
        _ => Err(Errno::Inval),
    }
}

/// Flushes a file's content. Memory files are always flushed.
pub fn fd_datasync<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<(), Errno> {
    sync(call, fd)
}

/// Flushes a file. Memory files are always flushed.
pub fn fd_sync<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32) -> Result<(), Errno> {
    sync(call, fd)
}

/// Returns a descriptor's type, flags and rights.
pub fn fd_fdstat_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    stat_at: u32,
) -> Result<(), Errno> {
    let root = call.process()?.root;
    let descriptor = match call.descriptor(fd, 0) {
        Ok(descriptor) => descriptor,
        // libc asks before it opens a path: the root can be used, whether or not it is open.
        Err(_) if fd == Fd::ROOT.0 => {
            let stat = fdstat_bytes(filetype::DIRECTORY, 0, root.base, root.inheriting);
            return call.memory.write_bytes(stat_at, &stat);
        }
        Err(errno) => return Err(errno),
    };
    let inheriting = match fd == Fd::ROOT.0 {
        true => root.inheriting,
        false => descriptor.inheriting,
    };
    let file = call.open_file(descriptor)?;
    // libc takes a character device that cannot seek for a terminal.
    let hidden = if matches!(file.object, Object::Terminal(_)) {
        rights::FD_SEEK | rights::FD_TELL
    } else {
        0
    };
    let bytes = fdstat_bytes(
        object_filetype(file.object),
        file.flags,
        descriptor.rights & !hidden,
        inheriting,
    );
    call.memory.write_bytes(stat_at, &bytes)
}

fn fdstat_bytes(kind: u8, flags: u16, base: u64, inheriting: u64) -> [u8; FDSTAT_SIZE] {
    let mut bytes = [0; FDSTAT_SIZE];
    bytes[0] = kind;
    bytes[2..4].copy_from_slice(&flags.to_le_bytes());
    bytes[8..16].copy_from_slice(&base.to_le_bytes());
    bytes[16..24].copy_from_slice(&inheriting.to_le_bytes());
    bytes
}

/// Sets a descriptor's flags (append, non-blocking, sync).
pub fn fd_fdstat_set_flags<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
) -> Result<(), Errno> {
    let descriptor = call.descriptor(fd, 0)?;
    if flags & !u32::from(fdflags::ALL) != 0 {
        return Err(Errno::Inval);
    }
    call.kernel.file_mut(descriptor.file)?.flags = flags as u16;
    Ok(())
}

/// Takes rights away from a descriptor.
pub fn fd_fdstat_set_rights<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    base: u64,
    inheriting: u64,
) -> Result<(), Errno> {
    let process = call.process_mut()?;
    let descriptor = process.fds.get_mut(Fd(fd))?;
    if base & !descriptor.rights != 0 || inheriting & !descriptor.inheriting != 0 {
        return Err(Errno::NotCapable);
    }
    descriptor.rights = base;
    descriptor.inheriting = inheriting;
    // Who takes rights away from the root means the paths below it.
    if descriptor.preopen {
        process.root = PathRights { base, inheriting };
    }
    Ok(())
}

/// Returns what is known of an open file.
pub fn fd_filestat_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    stat: u32,
) -> Result<(), Errno> {
    let object = call.object(fd, 0)?;
    let found = call.stat_object(object)?;
    call.memory
        .write_bytes(stat, &filestat_bytes(&found, object_filetype(object)))
}

/// Cuts or extends an open file.
pub fn fd_filestat_set_size<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    size: u64,
) -> Result<(), Errno> {
    let Object::File(node) = call.object(fd, 0)? else {
        return Err(Errno::Inval);
    };
    call.writable(fd, rights::FD_FILESTAT_SET_SIZE)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_size(&caller, node, size)
}

/// Sets an open file's times.
pub fn fd_filestat_set_times<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    atime: u64,
    mtime: u64,
    flags: u32,
) -> Result<(), Errno> {
    let object = call.object(fd, 0)?;
    let (atime, mtime) = times(flags, atime, mtime, call.kernel.file_time())?;
    let node = object.node().ok_or(Errno::Inval)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_times(&caller, node, atime, mtime)
}

/// The name of the one directory that is open from the start.
const PREOPEN: &[u8] = b"/";

/// Describes a preopened directory: its name's length.
pub fn fd_prestat_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    prestat: u32,
) -> Result<(), Errno> {
    if fd != Fd::ROOT.0 {
        return Err(Errno::Badf);
    }
    let mut bytes = [0; 8];
    bytes[4..8].copy_from_slice(&(PREOPEN.len() as u32).to_le_bytes());
    call.memory.write_bytes(prestat, &bytes)
}

/// Writes a preopened directory's name.
pub fn fd_prestat_dir_name<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
) -> Result<(), Errno> {
    if fd != Fd::ROOT.0 {
        return Err(Errno::Badf);
    }
    if (len as usize) < PREOPEN.len() {
        return Err(Errno::NameTooLong);
    }
    call.memory.write_bytes(path, PREOPEN)
}

/// Lists a directory from a cookie on, as many entries as fit.
pub fn fd_readdir<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    buf: u32,
    buf_len: u32,
    cookie: u64,
    used: u32,
) -> Result<(), Errno> {
    let descriptor = call.descriptor(fd, rights::FD_READDIR)?;
    let Object::Directory(node, mut until) = call.open_file(descriptor)?.object else {
        return Err(Errno::NotDir);
    };
    call.memory.check(used, 4)?;
    if cookie == 0 {
        // From the start: what has been made since the directory was opened counts.
        until = call.kernel.vfs.dir_end_cookie(node)?;
        call.kernel.file_mut(descriptor.file)?.object = Object::Directory(node, until);
    }
    let (vfs, caller) = super::files_of(call.kernel, call.pid)?;
    let filled = call.memory.write(buf, buf_len, |out| {
        let mut at = 0;
        vfs.read_dir(&caller, node, cookie, until, &mut |entry| {
            let mut head = [0; DIRENT_SIZE];
            head[0..8].copy_from_slice(&entry.next.to_le_bytes());
            head[8..16].copy_from_slice(&entry.inode.to_le_bytes());
            head[16..20].copy_from_slice(&(entry.name.len() as u32).to_le_bytes());
            head[20] = filetype_of(entry.kind);
            // The last entry may be cut: a full buffer tells the guest to come again.
            for part in [&head[..], entry.name] {
                let taken = part.len().min(out.len() - at);
                out[at..at + taken].copy_from_slice(&part[..taken]);
                at += taken;
            }
            at < out.len()
        })
        .map(|()| at)
    })??;
    call.memory.write_u32(used, filled as u32)
}

/// Moves a descriptor onto another open one, which is closed.
pub fn fd_renumber<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    from: u32,
    to: u32,
) -> Result<(), Errno> {
    let limit = call.kernel.limits.descriptors;
    let fds = &mut call.process_mut()?.fds;
    fds.get(Fd(to))?;
    let mut descriptor = fds.get(Fd(from))?;
    if from == to {
        return Ok(());
    }
    descriptor.preopen = false;
    fds.take(Fd(from))?;
    if let Some(old) = fds.put(Fd(to), descriptor, limit)? {
        call.kernel.release(old.file);
    }
    Ok(())
}

/// Moves a descriptor's offset.
pub fn fd_seek<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    offset: i64,
    whence: u32,
    new_offset: u32,
) -> Result<(), Errno> {
    let descriptor = call.descriptor(fd, 0)?;
    let object = call.open_file(descriptor)?.object;
    if object.is_stream() {
        return Err(Errno::Spipe);
    }
    call.memory.check(new_offset, 8)?;
    let start = match (whence, object) {
        (0, _) => 0,
        (1, _) => call.open_file(descriptor)?.offset,
        (2, Object::File(_)) => call.stat_object(object)?.size,
        (2, _) => 0,
        _ => return Err(Errno::Inval),
    };
    let target = start
        .checked_add_signed(offset)
        .filter(|at| i64::try_from(*at).is_ok())
        .ok_or(Errno::Inval)?;
    let target = match object {
        Object::File(_) => target,
        Object::Directory(..) => return Err(Errno::Badf),
        _ => 0,
    };
    call.kernel.file_mut(descriptor.file)?.offset = target;
    call.memory.write_u64(new_offset, target)
}

/// Returns a descriptor's offset.
pub fn fd_tell<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    offset: u32,
) -> Result<(), Errno> {
    let descriptor = call.descriptor(fd, 0)?;
    let file = call.open_file(descriptor)?;
    if file.object.is_stream() {
        return Err(Errno::Spipe);
    }
    let at = file.offset;
    call.memory.write_u64(offset, at)
}

/// Gives a process two new descriptors at once and tells it their numbers; neither if one does not
/// fit.
pub(super) fn put_pair<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    descriptors: [Descriptor; 2],
    results: [u32; 2],
) -> Result<(), Errno> {
    let limit = call.kernel.limits.descriptors;
    let fds = &mut call.kernel.processes.get_mut(call.pid)?.fds;
    for (descriptor, result) in descriptors.into_iter().zip(results) {
        let fd = fds.lowest_free(0, limit)?;
        fds.put(fd, descriptor, limit)?;
        call.memory.write_u32(result, fd.0)?;
    }
    Ok(())
}

/// Checks that two descriptors and their results have room. `Mfile`, `Fault`.
pub(super) fn check_pair<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    results: [u32; 2],
) -> Result<(), Errno> {
    for result in results {
        call.memory.check(result, 4)?;
    }
    let limit = call.kernel.limits.descriptors;
    let fds = &call.process()?.fds;
    let first = fds.lowest_free(0, limit)?;
    fds.lowest_free(first.0 + 1, limit)?;
    Ok(())
}

/// A new pipe with one end of each kind. `Nfile`.
pub(super) fn pipe_with_ends(kernel: &mut Kernel) -> Result<PipeId, Errno> {
    let id = kernel.new_pipe()?;
    let pipe: &mut Pipe = kernel.pipe_mut(id)?;
    pipe.open(End::Read);
    pipe.open(End::Write);
    Ok(id)
}

/// Creates a pipe and returns its read and write ends.
pub fn fd_pipe<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    read: u32,
    write: u32,
) -> Result<(), Errno> {
    check_pair(call, [read, write])?;
    let pipe = pipe_with_ends(call.kernel)?;
    let ends = [
        call.kernel
            .stream(Object::Pipe(pipe, End::Read, None), true, false)?,
        call.kernel
            .stream(Object::Pipe(pipe, End::Write, None), false, true)?,
    ];
    put_pair(call, ends, [read, write])
}

/// Duplicates a descriptor onto the lowest free number from `least` on.
pub fn fd_dup<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    least: u32,
    new: u32,
) -> Result<(), Errno> {
    let limit = call.kernel.limits.descriptors;
    let mut descriptor = call.descriptor(fd, 0)?;
    call.memory.check(new, 4)?;
    if least as usize >= limit {
        return Err(Errno::Inval);
    }
    let free = call.process()?.fds.lowest_free(least, limit)?;
    descriptor.preopen = false;
    call.process_mut()?.fds.put(free, descriptor, limit)?;
    call.kernel.file_mut(descriptor.file)?.references += 1;
    call.memory.write_u32(new, free.0)
}

/// Duplicates a descriptor onto a number, closing what was there.
pub fn fd_dup_to<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32, to: u32) -> Result<(), Errno> {
    let limit = call.kernel.limits.descriptors;
    let mut descriptor = call.descriptor(fd, 0)?;
    if fd == to {
        return Ok(());
    }
    descriptor.preopen = false;
    let old = call.process_mut()?.fds.put(Fd(to), descriptor, limit)?;
    call.kernel.file_mut(descriptor.file)?.references += 1;
    if let Some(old) = old {
        call.kernel.release(old.file);
    }
    Ok(())
}

/// The descriptor that a magic link of `/proc/PID/fd` stands for.
pub(super) fn linked_descriptor(kernel: &Kernel, pid: Pid, fd: Fd) -> Result<Descriptor, Errno> {
    let process = kernel.processes.get(pid)?;
    process.fds.get(fd).map_err(|_| Errno::NoEnt)
}

/// Where a magic link of `/proc/PID/fd` leads, for `path_readlink`.
pub(super) fn magic_target(kernel: &mut Kernel, pid: Pid, fd: u32) -> Result<Vec<u8>, Errno> {
    let descriptor = linked_descriptor(kernel, pid, Fd(fd))?;
    match descriptor.target {
        crate::Target::Node(node) => kernel.vfs.path_of(node),
        other => Ok(crate::process_table::describe(descriptor.file.0, other).0),
    }
}
