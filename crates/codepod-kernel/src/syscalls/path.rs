//! Paths: making, removing, renaming, linking, describing.

use codepod_abi::Errno;
use codepod_abi::wire::wasi::rights;

use super::fd::{filestat_bytes, filetype_of, magic_target, object_filetype, times};
use super::{Syscall, follow};
use crate::ids::Pid;
use crate::memory::GuestMemory;

/// Creates a directory.
pub fn path_create_directory<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
) -> Result<(), Errno> {
    let base = call.directory(fd, rights::PATH_CREATE_DIRECTORY)?;
    let path = call.path(path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.mkdir(&caller, base, &path, 0o777).map(drop)
}

/// Returns what is known of a path.
pub fn path_filestat_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    stat: u32,
) -> Result<(), Errno> {
    let (node, found) = call.lookup_and_stat(fd, rights::PATH_FILESTAT_GET, flags, path, len)?;
    let (found, filetype) = match call.behind_magic_link(node, flags)? {
        Some(object) => (call.stat_object(object)?, object_filetype(object)),
        None => (found, filetype_of(found.kind)),
    };
    call.memory
        .write_bytes(stat, &filestat_bytes(&found, filetype))
}

/// Sets the times of a path.
#[expect(clippy::too_many_arguments, reason = "WASI's signature")]
pub fn path_filestat_set_times<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    flags: u32,
    path: u32,
    len: u32,
    atime: u64,
    mtime: u64,
    fst_flags: u32,
) -> Result<(), Errno> {
    let (atime, mtime) = times(fst_flags, atime, mtime, call.kernel.file_time())?;
    let node = call.lookup(fd, rights::PATH_FILESTAT_SET_TIMES, flags, path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.set_times(&caller, node, atime, mtime)
}

/// Makes a hard link.
#[expect(clippy::too_many_arguments, reason = "WASI's signature")]
pub fn path_link<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    old_fd: u32,
    old_flags: u32,
    old_path: u32,
    old_len: u32,
    new_fd: u32,
    new_path: u32,
    new_len: u32,
) -> Result<(), Errno> {
    let follow = follow(old_flags)?;
    let old_base = call.directory(old_fd, rights::PATH_LINK_SOURCE)?;
    let new_base = call.directory(new_fd, rights::PATH_LINK_TARGET)?;
    let old = call.path(old_path, old_len)?;
    let new = call.path(new_path, new_len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.link(&caller, old_base, &old, follow, new_base, &new)
}

/// Reads a symbolic link.
pub fn path_readlink<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
    buf: u32,
    buf_len: u32,
    used: u32,
) -> Result<(), Errno> {
    let base = call.directory(fd, rights::PATH_READLINK)?;
    let path = call.path(path, len)?;
    let (vfs, caller) = call.vfs()?;
    let node = vfs.resolve(&caller, base, &path, false)?;
    let target = match vfs.magic_link(node) {
        Some((pid, fd)) => magic_target(call.kernel, Pid(pid), fd)?,
        None => {
            let (vfs, caller) = call.vfs()?;
            vfs.readlink_node(&caller, node)?
        }
    };
    call.memory.check(used, 4)?;
    // As readlink(2): what does not fit is cut.
    let taken = target.len().min(buf_len as usize);
    call.memory.write_bytes(buf, &target[..taken])?;
    call.memory.write_u32(used, taken as u32)
}

/// Removes an empty directory.
pub fn path_remove_directory<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
) -> Result<(), Errno> {
    let base = call.directory(fd, rights::PATH_REMOVE_DIRECTORY)?;
    let path = call.path(path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.rmdir(&caller, base, &path)
}

/// Renames a file or directory, replacing what has the new name.
pub fn path_rename<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    old_path: u32,
    old_len: u32,
    new_fd: u32,
    new_path: u32,
    new_len: u32,
) -> Result<(), Errno> {
    let old_base = call.directory(fd, rights::PATH_RENAME_SOURCE)?;
    let new_base = call.directory(new_fd, rights::PATH_RENAME_TARGET)?;
    let old = call.path(old_path, old_len)?;
    let new = call.path(new_path, new_len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.rename(&caller, old_base, &old, new_base, &new)
}

/// Makes a symbolic link.
pub fn path_symlink<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    old_path: u32,
    old_len: u32,
    fd: u32,
    new_path: u32,
    new_len: u32,
) -> Result<(), Errno> {
    let base = call.directory(fd, rights::PATH_SYMLINK)?;
    let target = call.path(old_path, old_len)?;
    let path = call.path(new_path, new_len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.symlink(&caller, &target, base, &path).map(drop)
}

/// Removes a file, symbolic link or fifo.
pub fn path_unlink_file<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
) -> Result<(), Errno> {
    let base = call.directory(fd, rights::PATH_UNLINK_FILE)?;
    let path = call.path(path, len)?;
    let (vfs, caller) = call.vfs()?;
    vfs.unlink(&caller, base, &path)
}
