//! Sockets with addresses, and names of hosts. A program that calls these needs the grant `socket`.

pub mod services;

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_abi::Errno;
use codepod_abi::wire::socket::{
    ADDRESS_SLOT, DATAGRAM, INET, INET_ADDRESS_BYTES, LOCAL, NO_SIGNAL, PEER, Received, STREAM,
    UNIX,
};

use crate::descriptor::Fd;
use crate::{address, address_mut, check, raw};

pub use codepod_abi::wire::socket::{DONT_WAIT, PEEK, SocketOption, UNIX_NAME_BYTES};
pub use codepod_abi::wire::wasi::{SHUT_RD, SHUT_WR};

/// The longest address that is read.
const LONGEST: usize = 128;
/// The longest reason that is read.
const LONGEST_REASON: usize = 512;

/// What a socket carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A stream of bytes.
    Stream,
    /// Messages, each by itself.
    Datagram,
}

/// An address of a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// IPv4.
    Inet(SocketAddrV4),
    /// A path, or a NUL and an abstract name; empty for a socket without a name.
    Unix(Vec<u8>),
}

impl Address {
    fn family(&self) -> u16 {
        match self {
            Address::Inet(_) => INET,
            Address::Unix(_) => UNIX,
        }
    }

    /// As the kernel takes it.
    fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.family().to_le_bytes().to_vec();
        match self {
            Address::Inet(inet) => {
                bytes.extend(inet.port().to_be_bytes());
                bytes.extend(inet.ip().octets());
            }
            Address::Unix(name) => bytes.extend(name),
        }
        bytes
    }

    /// From what the kernel has written; `None` for a family that is not known here.
    fn from_bytes(bytes: &[u8]) -> Option<Address> {
        let (family, rest) = bytes.split_first_chunk()?;
        match u16::from_le_bytes(*family) {
            INET => {
                let (port, rest) = rest.split_first_chunk()?;
                let ip: [u8; 4] = *rest.first_chunk()?;
                let port = u16::from_be_bytes(*port);
                Some(Address::Inet(SocketAddrV4::new(ip.into(), port)))
            }
            UNIX => {
                let path = match rest {
                    // An abstract name goes to the end, a path to its NUL.
                    [0, ..] => rest,
                    _ => rest.split(|byte| *byte == 0).next()?,
                };
                Some(Address::Unix(path.to_vec()))
            }
            _ => None,
        }
    }
}

/// Creates a socket for addresses like `address`.
///
/// Fails with [`Errno::Mfile`] when the process, and with [`Errno::Nfile`] when the sandbox has no
/// room for more.
pub fn open(kind: Kind, like: &Address) -> Result<Fd, Errno> {
    let kind = match kind {
        Kind::Stream => STREAM,
        Kind::Datagram => DATAGRAM,
    };
    let mut opened = 0u32;
    // SAFETY: the call writes to `opened` only.
    let number = unsafe { raw::sock_open(like.family().into(), kind, 0, address_mut(&mut opened)) };
    check(number).map(|()| Fd(opened))
}

/// Gives a socket an address of its own.
///
/// Fails with [`Errno::AddrInUse`] when it is another's, [`Errno::AddrNotAvail`] when it is none of
/// the sandbox, and, of a path, as making a file does.
pub fn bind(fd: Fd, to: &Address) -> Result<(), Errno> {
    let bytes = to.to_bytes();
    // SAFETY: the call reads the address only.
    check(unsafe { raw::sock_bind(fd.0, address(bytes.as_ptr()), bytes.len() as u32) })
}

/// Connects a socket, or says where a datagram socket sends to; waits until it is done.
///
/// Fails with [`Errno::ConnRefused`] when nobody listens, [`Errno::Access`] when the sandbox may
/// not connect there ([`why`] tells more), [`Errno::Intr`] when a caught signal came first.
pub fn connect(fd: Fd, to: &Address) -> Result<(), Errno> {
    let bytes = to.to_bytes();
    // SAFETY: the call reads the address only.
    check(unsafe { raw::sock_connect(fd.0, address(bytes.as_ptr()), bytes.len() as u32) })
}

/// Waits for a connection and accepts it. Fails with [`Errno::Intr`] when a caught signal came
/// first.
pub fn accept(fd: Fd) -> Result<Fd, Errno> {
    let mut accepted = 0u32;
    // SAFETY: the call writes to `accepted` only.
    let number = unsafe { raw::sock_accept(fd.0, 0, address_mut(&mut accepted)) };
    check(number).map(|()| Fd(accepted))
}

/// Sends to the address that a socket is connected to, or a message to another, and returns how
/// much went. There is no SIGPIPE.
///
/// Fails with [`Errno::Pipe`] when nobody reads any more, [`Errno::MsgSize`] when a message is too
/// long, and as [`connect`] does.
pub fn send_to(fd: Fd, bytes: &[u8], to: Option<&Address>) -> Result<usize, Errno> {
    let iovec = [address(bytes.as_ptr()), bytes.len() as u32];
    let to = to.map(Address::to_bytes).unwrap_or_default();
    let mut sent = 0u32;
    // SAFETY: the call reads one iovec with the bytes it names and the address, and writes to
    // `sent`.
    let number = unsafe {
        raw::sock_send_to(
            fd.0,
            address(&iovec),
            1,
            NO_SIGNAL,
            address(to.as_ptr()),
            to.len() as u32,
            address_mut(&mut sent),
        )
    };
    check(number).map(|()| sent as usize)
}

/// Receives, and tells from whom; `flags` are [`PEEK`] and [`DONT_WAIT`].
///
/// Fails with [`Errno::Intr`] when a caught signal came first, [`Errno::ConnRefused`] when nobody
/// took the last message, [`Errno::Again`] where it would wait and must not.
pub fn recv_from(fd: Fd, buffer: &mut [u8], flags: u32) -> Result<(usize, Option<Address>), Errno> {
    let iovec = [address_mut(buffer.as_mut_ptr()), buffer.len() as u32];
    let mut from = [0u8; LONGEST];
    let mut received = [0u8; Received::SIZE];
    // SAFETY: the call reads one iovec, and writes within the buffer that it names, which is
    // borrowed for writing, within `from` and to `received`.
    let number = unsafe {
        raw::sock_recv_from(
            fd.0,
            address(&iovec),
            1,
            flags,
            address_mut(from.as_mut_ptr()),
            LONGEST as u32,
            address_mut(received.as_mut_ptr()),
        )
    };
    check(number)?;
    let received = Received::from_bytes(&received);
    let from = from.get(..received.address_len as usize);
    Ok((received.bytes as usize, from.and_then(Address::from_bytes)))
}

/// A socket's own address.
pub fn local(fd: Fd) -> Result<Address, Errno> {
    name(fd, LOCAL)
}

/// The address that a socket is connected to. Fails with [`Errno::NotConn`] without one.
pub fn peer(fd: Fd) -> Result<Address, Errno> {
    name(fd, PEER)
}

fn name(fd: Fd, which: u32) -> Result<Address, Errno> {
    let mut bytes = [0u8; LONGEST];
    let mut used = 0u32;
    // SAFETY: the call writes within `bytes` and to `used`.
    let number = unsafe {
        raw::sock_name(
            fd.0,
            which,
            address_mut(bytes.as_mut_ptr()),
            LONGEST as u32,
            address_mut(&mut used),
        )
    };
    check(number)?;
    let bytes = bytes.get(..used as usize);
    bytes.and_then(Address::from_bytes).ok_or(Errno::Inval)
}

/// Sets an option. Fails with [`Errno::NoProtoOpt`] when the socket has none like it.
pub fn set_option(fd: Fd, option: SocketOption, value: u64) -> Result<(), Errno> {
    crate::calls::sock_option_set(fd.0, option as u32, value)
}

/// Lets a port be bound that a closed connection still has.
pub fn reuse_address(fd: Fd) -> Result<(), Errno> {
    set_option(fd, SocketOption::ReuseAddress, 1)
}

/// The first address of a host by its name, or of an address in words.
///
/// Fails with [`Errno::NoEnt`] when there is no such host.
pub fn resolve(host: &[u8]) -> Result<Ipv4Addr, Errno> {
    let mut slot = [0u8; ADDRESS_SLOT];
    let mut count = 0u32;
    // SAFETY: the call reads the name, and writes within `slot` and to `count`.
    let number = unsafe {
        raw::name_resolve(
            address(host.as_ptr()),
            host.len() as u32,
            address_mut(slot.as_mut_ptr()),
            ADDRESS_SLOT as u32,
            address_mut(&mut count),
        )
    };
    check(number)?;
    match Address::from_bytes(&slot[..INET_ADDRESS_BYTES]) {
        Some(Address::Inet(found)) if count > 0 => Ok(*found.ip()),
        _ => Err(Errno::NoEnt),
    }
}

/// The name that an address stands for. Fails with [`Errno::NoEnt`] when it stands for none.
pub fn name_of(ip: Ipv4Addr) -> Result<Vec<u8>, Errno> {
    let bytes = Address::Inet(SocketAddrV4::new(ip, 0)).to_bytes();
    let mut name = vec![0u8; codepod_abi::wire::socket::HOST_NAME_BYTES];
    let mut used = 0u32;
    // SAFETY: the call reads the address, and writes within `name` and to `used`.
    let number = unsafe {
        raw::name_of(
            address(bytes.as_ptr()),
            bytes.len() as u32,
            address_mut(name.as_mut_ptr()),
            name.len() as u32,
            address_mut(&mut used),
        )
    };
    check(number)?;
    name.truncate(used as usize);
    Ok(name)
}

/// Why the last [`connect`] or [`send_to`] of a socket was refused, in words; empty when the error
/// number says it all.
pub fn why(fd: Fd) -> Vec<u8> {
    let mut text = vec![0u8; LONGEST_REASON];
    let mut used = 0u32;
    // SAFETY: the call writes within `text` and to `used`.
    let number = unsafe {
        raw::net_why(
            fd.0,
            address_mut(text.as_mut_ptr()),
            LONGEST_REASON as u32,
            address_mut(&mut used),
        )
    };
    let used = if check(number).is_ok() { used } else { 0 };
    text.truncate(used as usize);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_from_their_bytes() {
        for address in [
            Address::Inet(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8080)),
            Address::Unix(b"/tmp/s".to_vec()),
            Address::Unix(b"\0name\0x".to_vec()),
            Address::Unix(Vec::new()),
        ] {
            assert_eq!(Address::from_bytes(&address.to_bytes()), Some(address));
        }
        assert_eq!(
            Address::from_bytes(b"\x03\0/tmp/s\0"),
            Some(Address::Unix(b"/tmp/s".to_vec()))
        );
        for bytes in [&b""[..], b"\x01", b"\x01\0\0\x50\x7f", b"\x09\0abcdef"] {
            assert_eq!(Address::from_bytes(bytes), None, "{bytes:?}");
        }
    }
}
