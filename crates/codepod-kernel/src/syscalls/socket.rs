//! Sockets: making, naming and describing them, and their end. `connect.rs` connects them,
//! `transfer.rs` sends and receives.

use codepod_abi::Errno;
use codepod_abi::wire::socket::{DATAGRAM, INET, LOCAL, PEER, STREAM, SocketOption, UNIX};
use codepod_abi::wire::wasi::{SHUT_RD, SHUT_WR, fdflags};
use codepod_vfs::{Access, FileKind};

use super::Syscall;
use super::fd::{check_pair, put_pair};
use crate::fd_table::Descriptor;
use crate::ids::SocketId;
use crate::memory::GuestMemory;
use crate::net::address::{self, Family, UnixName};
use crate::net::socket::Credentials;
use crate::net::{Address, Kind, Shut};
use crate::open_file::Object;

/// The longest address that is read: Linux's `sockaddr_storage`.
const LONGEST_ADDRESS: usize = 128;

/// A descriptor that is a socket.
#[derive(Debug, Clone, Copy)]
pub(super) struct SocketFd {
    pub(super) id: SocketId,
    pub(super) kind: Kind,
    pub(super) family: Family,
    pub(super) blocking: bool,
}

impl<M: GuestMemory> Syscall<'_, M> {
    /// A descriptor that is a socket. `Badf`, `NotSock`.
    pub(super) fn socket(&self, fd: u32) -> Result<SocketFd, Errno> {
        let file = self.open_file(self.descriptor(fd, 0)?)?;
        let Object::Socket(id, kind) = file.object else {
            return Err(Errno::NotSock);
        };
        Ok(SocketFd {
            id,
            kind,
            family: self.kernel.net.get(id)?.family,
            blocking: file.flags & fdflags::NONBLOCK == 0,
        })
    }

    /// An address out of guest memory. `Fault`, `Inval`.
    pub(super) fn socket_address(&self, at: u32, len: u32) -> Result<Vec<u8>, Errno> {
        self.memory.read_vec(at, len, LONGEST_ADDRESS, Errno::Inval)
    }

    /// Writes as much of an address as fits and returns its whole length. `Fault`.
    pub(super) fn tell_address(
        &mut self,
        address: Option<&Address>,
        at: u32,
        len: u32,
    ) -> Result<u32, Errno> {
        let bytes = address.map(Address::to_bytes).unwrap_or_default();
        let fits = bytes.len().min(len as usize);
        self.memory.write_bytes(at, &bytes[..fits])?;
        Ok(bytes.len() as u32)
    }

    /// The socket that is bound to a UNIX name. `ConnRefused` when none is, `Access` without the
    /// right to write to its node, `Inval` for no name, and what looking up a path can fail with.
    pub(super) fn bound_to(&mut self, kind: Kind, name: &UnixName) -> Result<SocketId, Errno> {
        match name {
            UnixName::Unnamed => Err(Errno::Inval),
            UnixName::Abstract(name) => {
                let found = self.kernel.net.find_abstract(kind, name);
                found.ok_or(Errno::ConnRefused)
            }
            UnixName::Path(path) => {
                let cwd = self.process()?.cwd;
                let (vfs, caller) = self.vfs()?;
                let (node, stat) = vfs.resolve_and_stat(&caller, cwd, path, true)?;
                vfs.access(&caller, node, Access::WRITE)?;
                if stat.kind != FileKind::Socket {
                    return Err(Errno::ConnRefused);
                }
                self.kernel.net.find_node(node).ok_or(Errno::ConnRefused)
            }
        }
    }

    /// The caller, as the other end of a UNIX socket sees it.
    pub(super) fn credentials(&self) -> Result<Credentials, Errno> {
        let process = self.process()?;
        Ok(Credentials {
            pid: process.pid.0,
            uid: process.uid,
            gid: process.gid,
        })
    }

    /// Gives a socket that no file has yet to the process. `Mfile`; the socket is closed then.
    pub(super) fn install_socket(&mut self, id: SocketId, flags: u16) -> Result<u32, Errno> {
        let kind = self.kernel.net.get(id)?.kind;
        let descriptor = self.socket_descriptor(id, kind, flags)?;
        let limit = self.kernel.limits.descriptors;
        let placed = self.process_mut().and_then(|process| {
            let fd = process.fds.lowest_free(0, limit)?;
            process.fds.put(fd, descriptor, limit)?;
            Ok(fd.0)
        });
        if placed.is_err() {
            self.kernel.release(descriptor.file);
        }
        placed
    }

    fn socket_descriptor(
        &mut self,
        id: SocketId,
        kind: Kind,
        flags: u16,
    ) -> Result<Descriptor, Errno> {
        let object = Object::Socket(id, kind);
        let descriptor = self.kernel.stream(object, true, true)?;
        self.kernel.file_mut(descriptor.file)?.flags = flags;
        Ok(descriptor)
    }

    /// Checks that there is room for one more descriptor. `Mfile`.
    pub(super) fn check_room(&self) -> Result<(), Errno> {
        let limit = self.kernel.limits.descriptors;
        self.process()?.fds.lowest_free(0, limit).map(drop)
    }
}

/// The flags of a new socket. `Inval` for any but non-blocking.
pub(super) fn socket_flags(flags: u32) -> Result<u16, Errno> {
    if flags & !u32::from(fdflags::NONBLOCK) != 0 {
        return Err(Errno::Inval);
    }
    Ok(flags as u16)
}

/// Creates a socket.
pub fn sock_open<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    family: u32,
    kind: u32,
    flags: u32,
    opened: u32,
) -> Result<(), Errno> {
    let flags = socket_flags(flags)?;
    let family = match u16::try_from(family) {
        Ok(INET) => Family::Inet,
        Ok(UNIX) => Family::Unix,
        _ => return Err(Errno::AfNoSupport),
    };
    let kind = match kind {
        STREAM => Kind::Stream,
        DATAGRAM => Kind::Datagram,
        _ => return Err(Errno::ProtoNoSupport),
    };
    call.memory.check(opened, 4)?;
    call.check_room()?;
    let id = call.kernel.new_socket(family, kind)?;
    let fd = call.install_socket(id, flags)?;
    call.memory.write_u32(opened, fd)
}

/// Creates two connected stream sockets.
pub fn sock_pair<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    first: u32,
    second: u32,
) -> Result<(), Errno> {
    check_pair(call, [first, second])?;
    let credentials = call.credentials()?;
    let (one, other) = call.kernel.socket_pair(credentials)?;
    let ends = [
        call.socket_descriptor(one, Kind::Stream, 0)?,
        call.socket_descriptor(other, Kind::Stream, 0)?,
    ];
    put_pair(call, ends, [first, second])
}

/// Gives a socket an address of its own.
pub fn sock_bind<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    address: u32,
    address_len: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    let bytes = call.socket_address(address, address_len)?;
    if socket.family == Family::Inet {
        return call.kernel.net.bind_inet(socket.id, address::inet(&bytes)?);
    }
    match address::unix(&bytes)? {
        UnixName::Unnamed => call.kernel.net.choose_name(socket.id),
        UnixName::Abstract(name) => call.kernel.net.bind_abstract(socket.id, name),
        UnixName::Path(path) => bind_path(call, socket.id, path),
    }
}

/// Makes the node first and then looks whether the socket is bound, as Linux does.
fn bind_path<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    id: SocketId,
    path: Vec<u8>,
) -> Result<(), Errno> {
    let cwd = call.process()?.cwd;
    let is_bound = call.kernel.net.get(id)?.local.is_some();
    let (vfs, caller) = call.vfs()?;
    let node = match vfs.mksocket(&caller, cwd, &path) {
        Err(Errno::Exist) => return Err(Errno::AddrInUse),
        made => made?,
    };
    if is_bound {
        vfs.unlink(&caller, cwd, &path)?;
        return Err(Errno::Inval);
    }
    vfs.retain(&caller, node)?;
    call.kernel.net.bind_node(id, path, node)
}

/// Lets a stream socket take connections, and says how many may wait to be accepted.
pub fn sock_listen<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    backlog: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    let credentials = call.credentials()?;
    let backlog = (backlog as usize).min(call.kernel.limits.backlog);
    call.kernel.listen(socket.id, backlog, credentials)
}

/// Closes one or both directions of a socket.
pub fn sock_shutdown<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    how: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    if how == 0 || how & !(SHUT_RD | SHUT_WR) != 0 {
        return Err(Errno::Inval);
    }
    let how = Shut {
        receive: how & SHUT_RD != 0,
        send: how & SHUT_WR != 0,
    };
    call.kernel.shut_down(socket.id, how)
}

/// Writes a socket's own address or the one it is connected to.
pub fn sock_name<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    which: u32,
    address: u32,
    address_len: u32,
    used: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    let name = match which {
        LOCAL => call.kernel.net.local_name(socket.id)?,
        PEER => call.kernel.net.peer_name(socket.id)?,
        _ => return Err(Errno::Inval),
    };
    call.memory.check(used, 4)?;
    let len = call.tell_address(Some(&name), address, address_len)?;
    call.memory.write_u32(used, len)
}

/// Returns an option.
pub fn sock_option_get<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    option: u32,
    value: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    let option = SocketOption::from_number(option).ok_or(Errno::NoProtoOpt)?;
    call.memory.check(value, 8)?;
    let found = call.kernel.net.option(socket.id, option)?;
    call.memory.write_u64(value, found)
}

/// Sets an option.
pub fn sock_option_set<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    option: u32,
    value: u64,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    let option = SocketOption::from_number(option).ok_or(Errno::NoProtoOpt)?;
    let most = call.kernel.limits.socket_bytes;
    call.kernel.net.set_option(socket.id, option, value, most)
}

/// Writes why the last `sock_connect` or `sock_send_to` of this descriptor was refused.
pub fn net_why<M: GuestMemory>(
    call: &mut Syscall<'_, M>,
    fd: u32,
    text: u32,
    text_len: u32,
    used: u32,
) -> Result<(), Errno> {
    let socket = call.socket(fd)?;
    call.memory.check(used, 4)?;
    let why = call.kernel.net.get(socket.id)?.why.clone();
    let fits = why.len().min(text_len as usize);
    call.memory.write_bytes(text, &why.as_bytes()[..fits])?;
    call.memory.write_u32(used, why.len() as u32)
}
