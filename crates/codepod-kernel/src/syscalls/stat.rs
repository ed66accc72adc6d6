//! Modes, owners, fifos: what WASI cannot say about files.

use codepod_abi::Errno;
use codepod_abi::wire::{self, OWNER_KEEP, mode};
use codepod_vfs::{Access, FileKind, Stat};

use super::{Syscall, follow};
use crate::memory::GuestMemory;
use crate::open_file::Object;

fn to_wire(stat: &Stat) -> wire::Stat {
    let kind = match stat.kind {
        FileKind::File => mode::REGULAR,
        FileKind::Directory => mode::DIRECTORY,
        FileKind::Symlink => mode::SYMLINK,
        FileKind::Fifo => mode::FIFO,
        FileKind::CharDevice => mode::CHARACTER_DEVICE,
        FileKind::Socket => mode::SOCKET,
        FileKind::Other => 0,
    };
    wire::Stat {
        dev: stat.device,
        ino: stat.inode,
        nlink: stat.nlink,
        size: stat.size,
        blocks: stat.blocks,
        atime: stat.atime,
        mtime: stat.mtime,
        ctime: stat.ctime,
        rdev: stat.rdev,
        mode: kind | u32::from(stat.mode),
        uid: stat.uid,
        gid: stat.gid,
        reserved: 0,
    }
}

fn permissions(mode: u32) -> Result<u16, Errno> {
    if mode & !mode::PERMISSIONS != 0 {
        return Err(Errno::Inval);
    }
    Ok(mode as u16)
}

fn owner(id: u32) -> Option<u32> {
    (id != OWNER_KEEP).then_some(id)
}

/// Returns what is known of a path, modes and owners included, as a [`codepod_abi::wire::Stat`].
pub fn path_stat<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    stat: u32,
) -> Result<(), Errno> {
    let node = call.lookup(fd, 0, flags, path, len)?;
    let found = match call.behind_magic_link(node, flags)? {
        Some(object) => object_to_wire(call, object)?,
        None => {
            let (vfs, caller) = call.vfs()?;
            to_wire(&vfs.stat(&caller, node)?)
        }
    };
    call.memory.write_bytes(stat, &found.to_bytes())
}

/// Returns what is known of an open file, modes and owners included.
pub fn fd_stat<M: GuestMemory>(call: &mut Syscall<'_, M>, fd: u32, stat: u32) -> Result<(), Errno> {
    let object = call.object(fd, 0)?;
    let found = object_to_wire(call, object)?;
    call.memory.write_bytes(stat, &found.to_bytes())
}

fn object_to_wire<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    object: Object,
) -> Result<wire::Stat, Errno> {
    Ok(to_wire(&call.stat_object(object)?))
}

/// Sets the permission bits of a path.
pub fn path_mode_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    mode: u32,
) -> Result<(), Errno> {
    let mode = permissions(mode)?;
    let node = call.lookup(fd, 0, flags, path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_mode(&caller, node, mode)
}

/// Sets the permission bits of an open file.
pub fn fd_mode_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    mode: u32,
) -> Result<(), Errno> {
    let object = call.object(fd, 0)?;
    let mode = permissions(mode)?;
    let node = object.node().ok_or(Errno::Inval)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_mode(&caller, node, mode)
}

/// Sets the owner and group of a path; 4294967295 leaves one as it is.
pub fn path_owner_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    uid: u32,
    gid: u32,
) -> Result<(), Errno> {
    let node = call.lookup(fd, 0, flags, path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_owner(&caller, node, owner(uid), owner(gid))
}

/// Sets the owner and group of an open file.
pub fn fd_owner_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    uid: u32,
    gid: u32,
) -> Result<(), Errno> {
    let node = call.object(fd, 0)?.node().ok_or(Errno::Perm)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_owner(&caller, node, owner(uid), owner(gid))
}

/// Checks whether the process may read (4), write (2), execute (1) a path; 0 asks whether it
/// exists.
pub fn path_access<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    mode: u32,
) -> Result<(), Errno> {
    if mode > 7 {
        return Err(Errno::Inval);
    }
    follow(flags)?;
    let node = call.lookup(fd, 0, flags, path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.access(&caller, node, Access(mode as u8))
}

/// Creates a fifo.
pub fn path_mkfifo<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
    mode: u32,
) -> Result<(), Errno> {
    let mode = permissions(mode)?;
    let base = call.directory(fd, 0)?;
    let path = call.path(path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.mkfifo(&caller, base, &path, mode).map(drop)
}
