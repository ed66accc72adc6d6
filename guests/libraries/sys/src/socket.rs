//! Sockets and names of hosts.
//!
//! A socket is an [`Fd`]: it is read, written, polled and closed as one. What [`crate::calls`] has
//! without addresses (`sock_listen`, `sock_shutdown`, `sock_option_set`) is used from there.

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_abi::Errno;
use codepod_abi::wire::socket::{
    ADDRESS_BYTES, ADDRESS_SLOT, INET, INET_ADDRESS_BYTES, LOCAL, Received, UNIX, UNIX_NAME_BYTES,
};
pub use codepod_abi::wire::socket::{
    DATAGRAM, DONT_WAIT, NO_SIGNAL, PEEK, STREAM, SocketOption, WAIT_ALL,
};
use codepod_abi::wire::wasi::fdflags;

use crate::descriptor::Fd;
use crate::{address, address_mut, check, raw};

/// Where a socket is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// IPv4.
    Inet(SocketAddrV4),
    /// A path.
    Path(Vec<u8>),
    /// An abstract name, without the NUL before it.
    Abstract(Vec<u8>),
    /// A UNIX socket that has no name; bound to it, a socket gets a free abstract one.
    Unnamed,
}

impl Address {
    /// A port of the loopback.
    pub fn loopback(port: u16) -> Address {
        Address::Inet(SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))
    }

    fn family(&self) -> u16 {
        match self {
            Address::Inet(_) => INET,
            Address::Path(_) | Address::Abstract(_) | Address::Unnamed => UNIX,
        }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.family().to_le_bytes().to_vec();
        match self {
            Address::Inet(address) => {
                bytes.extend(address.port().to_be_bytes());
                bytes.extend(address.ip().octets());
            }
            Address::Path(path) => bytes.extend(path),
            Address::Abstract(name) => {
                bytes.push(0);
                bytes.extend(name);
            }
            Address::Unnamed => {}
        }
        bytes
    }

    /// What lies in memory as an address; `None` for what is none.
    fn from_bytes(bytes: &[u8]) -> Option<Address> {
        let (family, rest) = bytes.split_first_chunk()?;
        match (u16::from_le_bytes(*family), rest) {
            (INET, [p, q, a, b, c, d, ..]) => {
                let ip = Ipv4Addr::new(*a, *b, *c, *d);
                let port = u16::from_be_bytes([*p, *q]);
                Some(Address::Inet(SocketAddrV4::new(ip, port)))
            }
            (UNIX, []) => Some(Address::Unnamed),
            (UNIX, [0, name @ ..]) => Some(Address::Abstract(name.to_vec())),
            (UNIX, path) => {
                let end = path.iter().position(|byte| *byte == 0);
                Some(Address::Path(path[..end.unwrap_or(path.len())].to_vec()))
            }
            _ => None,
        }
    }
}

/// Creates a socket of the family of `like`, for [`STREAM`] or [`DATAGRAM`].
///
/// Fails with [`Errno::Mfile`] when the process, and with [`Errno::Nfile`] when the sandbox has no
/// room for more.
pub fn open(like: &Address, kind: u32, nonblocking: bool) -> Result<Fd, Errno> {
    let flags = if nonblocking { fdflags::NONBLOCK } else { 0 };
    let mut opened = 0u32;
    // SAFETY: the call writes to `opened` only.
    let number = unsafe {
        raw::sock_open(
            like.family().into(),
            kind,
            flags.into(),
            address_mut(&mut opened),
        )
    };
    check(number).map(|()| Fd(opened))
}

/// Gives a socket an address of its own. Fails with [`Errno::AddrInUse`] when another has it, and
/// as making a file does where it is a path.
pub fn bind(fd: Fd, own: &Address) -> Result<(), Errno> {
    let bytes = own.to_bytes();
    // SAFETY: the call reads the bytes only.
    check(unsafe { raw::sock_bind(fd.0, address(bytes.as_ptr()), bytes.len() as u32) })
}

/// Connects a socket; waits for that unless it is non-blocking.
///
/// Fails with [`Errno::ConnRefused`] when nobody listens, [`Errno::Access`] when that is not
/// allowed ([`why`] says more), [`Errno::InProgress`] where it would wait and must not.
pub fn connect(fd: Fd, to: &Address) -> Result<(), Errno> {
    let bytes = to.to_bytes();
    // SAFETY: the call reads the bytes only.
    check(unsafe { raw::sock_connect(fd.0, address(bytes.as_ptr()), bytes.len() as u32) })
}

/// Accepts a connection; waits for one. Fails with [`Errno::Again`] where it must not wait.
pub fn accept(fd: Fd) -> Result<Fd, Errno> {
    let mut accepted = 0u32;
    // SAFETY: the call writes to `accepted` only.
    check(unsafe { raw::sock_accept(fd.0, 0, address_mut(&mut accepted)) })?;
    Ok(Fd(accepted))
}

/// A stream that listens at an address, where a port may be bound again at once; on failure it is
/// closed.
pub fn listen(own: &Address, backlog: u32) -> Result<Fd, Errno> {
    let fd = open(own, STREAM, false)?;
    let reuse = SocketOption::ReuseAddress as u32;
    let listening = crate::calls::sock_option_set(fd.0, reuse, 1)
        .and_then(|()| bind(fd, own))
        .and_then(|()| crate::calls::sock_listen(fd.0, backlog));
    or_close(fd, listening)
}

/// A stream that is connected to an address; on failure it is closed, and what [`why`] says is with
/// the error.
pub fn dial(to: &Address) -> Result<Fd, (Errno, String)> {
    let alone = |errno| (errno, String::new());
    let fd = open(to, STREAM, false).map_err(alone)?;
    let connected = connect(fd, to).map_err(|errno| (errno, why(fd).unwrap_or_default()));
    or_close(fd, connected)
}

fn or_close<E>(fd: Fd, done: Result<(), E>) -> Result<Fd, E> {
    if done.is_err() {
        // The first error is the one that matters.
        let _ = crate::calls::fd_close(fd.0);
    }
    done.map(|()| fd)
}

/// Sends a message to an address, or to the peer; of a stream, as much as there is room for.
pub fn send(fd: Fd, bytes: &[u8], flags: u32, to: Option<&Address>) -> Result<usize, Errno> {
    let to = to.map(Address::to_bytes).unwrap_or_default();
    let iovec = [address(bytes.as_ptr()), bytes.len() as u32];
    let mut count = 0u32;
    // SAFETY: the call reads one iovec, the bytes that it names and the address, and writes to
    // `count`.
    let number = unsafe {
        raw::sock_send_to(
            fd.0,
            address(&iovec),
            1,
            flags,
            address(to.as_ptr()),
            to.len() as u32,
            address_mut(&mut count),
        )
    };
    check(number).map(|()| count as usize)
}

/// Receives a message, or what a stream has, and who has sent it, if that is told.
pub fn receive(fd: Fd, buffer: &mut [u8], flags: u32) -> Result<(usize, Option<Address>), Errno> {
    let iovec = [address_mut(buffer.as_mut_ptr()), buffer.len() as u32];
    let mut from = [0u8; ADDRESS_BYTES + 1];
    let mut told = Received::default();
    // SAFETY: the call reads one iovec and writes within the buffer that it names, which is borrowed
    // for writing, to `from` and to `told`.
    let number = unsafe {
        raw::sock_recv_from(
            fd.0,
            address(&iovec),
            1,
            flags,
            address_mut(from.as_mut_ptr()),
            from.len() as u32,
            address_mut(&mut told),
        )
    };
    check(number)?;
    let from = from.get(..told.address_len as usize).unwrap_or_default();
    Ok((told.bytes as usize, Address::from_bytes(from)))
}

/// A socket's own address.
pub fn local(fd: Fd) -> Result<Address, Errno> {
    name(fd, LOCAL)
}

/// The address that a socket is connected to. Fails with [`Errno::NotConn`] without one.
pub fn peer(fd: Fd) -> Result<Address, Errno> {
    name(fd, codepod_abi::wire::socket::PEER)
}

fn name(fd: Fd, which: u32) -> Result<Address, Errno> {
    // A path of full length has a NUL behind it.
    let mut bytes = [0u8; ADDRESS_BYTES + 1];
    let mut used = 0u32;
    // SAFETY: the call writes to `bytes` and to `used` only.
    let number = unsafe {
        raw::sock_name(
            fd.0,
            which,
            address_mut(bytes.as_mut_ptr()),
            bytes.len() as u32,
            address_mut(&mut used),
        )
    };
    check(number)?;
    let bytes = bytes.get(..used as usize).unwrap_or_default();
    Address::from_bytes(bytes).ok_or(Errno::AfNoSupport)
}

/// An option's value.
pub fn option(fd: Fd, option: SocketOption) -> Result<u64, Errno> {
    let mut value = 0u64;
    // SAFETY: the call writes to `value` only.
    check(unsafe { raw::sock_option_get(fd.0, option as u32, address_mut(&mut value)) })?;
    Ok(value)
}

/// The addresses of a host. Fails with [`Errno::NoEnt`] when there is no such host, and with
/// [`Errno::Inval`] for what cannot be a name.
pub fn resolve(name: &str) -> Result<Vec<Ipv4Addr>, Errno> {
    let mut slots = [0u8; 8 * ADDRESS_SLOT];
    let mut count = 0u32;
    // SAFETY: the call reads the name and writes to `slots` and `count` only.
    let number = unsafe {
        raw::name_resolve(
            address(name.as_ptr()),
            name.len() as u32,
            address_mut(slots.as_mut_ptr()),
            slots.len() as u32,
            address_mut(&mut count),
        )
    };
    check(number)?;
    let found = slots
        .as_chunks::<ADDRESS_SLOT>()
        .0
        .iter()
        .take(count as usize);
    let addresses = found.filter_map(|slot| match Address::from_bytes(slot) {
        Some(Address::Inet(address)) => Some(*address.ip()),
        _ => None,
    });
    Ok(addresses.collect())
}

/// Why the last [`connect`] or [`send`] was refused, in words; empty when there is no more to say
/// than the error does.
pub fn why(fd: Fd) -> Result<String, Errno> {
    let mut text = [0u8; 1024];
    let mut used = 0u32;
    // SAFETY: the call writes to `text` and to `used` only.
    let number = unsafe {
        raw::net_why(
            fd.0,
            address_mut(text.as_mut_ptr()),
            text.len() as u32,
            address_mut(&mut used),
        )
    };
    check(number)?;
    let told = &text[..text.len().min(used as usize)];
    Ok(String::from_utf8_lossy(told).into_owned())
}

// An address always fits into what is passed for it.
const _: () = assert!(INET_ADDRESS_BYTES <= ADDRESS_BYTES && UNIX_NAME_BYTES < ADDRESS_BYTES);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_their_bytes() {
        for address in [
            Address::loopback(8080),
            Address::Path(b"/tmp/socket".to_vec()),
            Address::Abstract(b"a\0b".to_vec()),
            Address::Unnamed,
        ] {
            assert_eq!(Address::from_bytes(&address.to_bytes()), Some(address));
        }
        let told = b"\x03\0/tmp/socket\0";
        assert_eq!(
            Address::from_bytes(told),
            Some(Address::Path(b"/tmp/socket".to_vec()))
        );
        for none in [&b""[..], b"\x01", b"\x01\0\0\0", b"\x02\0\0\0\0\0\0\0"] {
            assert_eq!(Address::from_bytes(none), None);
        }
    }
}
