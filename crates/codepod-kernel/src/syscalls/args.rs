//! Arguments, environment, ids, working directory, umask, version.

use codepod_abi::{ABI_VERSION, Errno};
use codepod_vfs::{Access, FileKind};

use super::Syscall;
use crate::memory::GuestMemory;
use crate::process::turn;
use crate::strings::Strings;

fn sizes<M: GuestMemory>(
    memory: &mut M,
    strings: &Strings,
    count: u32,
    size: u32,
) -> Result<(), Errno> {
    memory.write_u32(count, strings.len() as u32)?;
    memory.write_u32(size, strings.block().len() as u32)
}

fn get<M: GuestMemory>(
    memory: &mut M,
    strings: &Strings,
    list: u32,
    buf: u32,
) -> Result<(), Errno> {
    memory.write_bytes(buf, strings.block())?;
    let mut at = 0;
    for (i, string) in strings.iter().enumerate() {
        let slot = list.checked_add(4 * i as u32).ok_or(Errno::Fault)?;
        memory.write_u32(slot, buf + at)?;
        at += string.len() as u32 + 1;
    }
    Ok(())
}

/// Writes the arguments: pointers to `argv`, NUL-terminated strings to `argv_buf`.
pub fn args_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    argv: u32,
    argv_buf: u32,
) -> Result<(), Errno> {
    let strings = call.process()?.argv.clone();
    get(call.memory, &strings, argv, argv_buf)
}

/// Returns the number of arguments and the size of their strings.
pub fn args_sizes_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    argc: u32,
    size: u32,
) -> Result<(), Errno> {
    let strings = call.process()?.argv.clone();
    sizes(call.memory, &strings, argc, size)
}

/// Writes the environment: pointers to `environ`, `NAME=value` strings to `environ_buf`.
pub fn environ_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    environ: u32,
    buf: u32,
) -> Result<(), Errno> {
    let strings = call.process()?.env.clone();
    get(call.memory, &strings, environ, buf)
}

/// Returns the number of environment variables and the size of their strings.
pub fn environ_sizes_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    count: u32,
    size: u32,
) -> Result<(), Errno> {
    let strings = call.process()?.env.clone();
    sizes(call.memory, &strings, count, size)
}

/// Checks that the kernel serves the version a guest was built for, and returns its own.
pub fn abi_version<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    wanted: u32,
    version: u32,
) -> Result<(), Errno> {
    if wanted == 0 || wanted > ABI_VERSION {
        return Err(Errno::NotSup);
    }
    call.memory.write_u32(version, ABI_VERSION)
}

/// Returns the process's ids: pid, parent, group, session, uid, gid, six `u32`.
pub fn proc_ids<M: GuestMemory>(call: &mut Syscall<'_, M>, ids: u32) -> Result<(), Errno> {
    let process = call.process()?;
    let words = [
        process.pid.0,
        process.parent.0,
        process.group.0,
        process.session.0,
        process.uid,
        process.gid,
    ];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    call.memory.write_bytes(ids, &bytes)
}

/// Writes the working directory's path.
pub fn proc_cwd<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    buf: u32,
    len: u32,
    used: u32,
) -> Result<(), Errno> {
    let cwd = call.process()?.cwd;
    let path = call.kernel.vfs.path_of(cwd)?;
    if path.len() > len as usize {
        return Err(Errno::Range);
    }
    call.memory.check(used, 4)?;
    call.memory.write_bytes(buf, &path)?;
    call.memory.write_u32(used, path.len() as u32)
}

/// Changes the working directory.
pub fn proc_chdir<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    path: u32,
    len: u32,
) -> Result<(), Errno> {
    let node = call.lookup(fd, 0, 1, path, len)?;
    let (vfs, caller) = call.vfs()?;
    if vfs.stat(&caller, node)?.kind != FileKind::Directory {
        return Err(Errno::NotDir);
    }
    vfs.access(&caller, node, Access::EXECUTE)?;
    let path = vfs.path_of(node)?;
    vfs.retain(&caller, node)?;
    let process = call.process_mut()?;
    let old = std::mem::replace(&mut process.cwd, node);
    process.cwd_path = path.into();
    call.kernel.vfs.close(old);
    Ok(())
}

/// Sets the mask of permission bits that new files do not get, and returns the old one.
pub fn proc_umask<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    mask: u32,
    old: u32,
) -> Result<(), Errno> {
    let before = call.process()?.umask;
    call.memory.write_u32(old, u32::from(before))?;
    call.process_mut()?.umask = (mask & 0o777) as u16;
    Ok(())
}

/// Says which pages of 4,096 bytes of the process's own memory, from `start` on, may hold something
/// else than its module put there: a bit for each, the lowest first. Bits for what is behind the
/// end are 0, and so are all where the engine keeps the memory of a session's turn itself.
pub fn memory_touched<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    start: u32,
    bitmap: u32,
    len: u32,
) -> Result<(), Errno> {
    const PAGE: usize = 4096;
    if !(start as usize).is_multiple_of(PAGE) {
        return Err(Errno::Inval);
    }
    call.memory.check(bitmap, len)?;
    // A guest whose memory the engine keeps has nothing left to write.
    if let Some(kept) = turn::keep(call, bitmap) {
        return kept.and_then(|()| call.memory.write(bitmap, len, |target| target.fill(0)));
    }
    let size = call.memory.size().saturating_sub(start as usize);
    let pages = (size / PAGE).min(len as usize * 8);
    let mut bits = vec![0u8; pages.div_ceil(8)];
    for page in 0..pages {
        bits[page / 8] |= 1 << (page % 8);
    }
    call.memory.clear_untouched(start as usize, &mut bits);
    call.memory.write(bitmap, len, |target| {
        target[..bits.len()].copy_from_slice(&bits);
        target[bits.len()..].fill(0);
    })
}
