//! Sockets: making them, and addresses as they lie in memory.

use codepod_abi::wire::socket::{INET, LOCAL, UNIX};
use codepod_abi::wire::wasi::fdflags;

use crate::{CLOSED, Slot, at, call, check, len};

/// A socket that does not wait.
pub const NONBLOCK: u32 = fdflags::NONBLOCK as u32;

/// Opens a socket.
pub fn socket(family: u16, kind: u32, flags: u32) -> u32 {
    let opened = Slot::new(CLOSED);
    let number = call::sock_open(family.into(), kind, flags, opened.at());
    check!(number == 0, "sock_open: {number}");
    opened.get()
}

/// An IPv4 address.
pub fn inet(ip: [u8; 4], port: u16) -> Vec<u8> {
    [&INET.to_le_bytes()[..], &port.to_be_bytes(), &ip].concat()
}

/// A port of the loopback.
pub fn loopback(port: u16) -> Vec<u8> {
    inet([127, 0, 0, 1], port)
}

/// A path, or an abstract name behind a NUL.
pub fn unix(name: &str) -> Vec<u8> {
    [&UNIX.to_le_bytes()[..], name.as_bytes()].concat()
}

/// Binds a socket; the number of the call.
pub fn bind(fd: u32, address: &[u8]) -> u32 {
    call::sock_bind(fd, at(address), len(address))
}

/// Connects a socket; the number of the call.
pub fn connect(fd: u32, address: &[u8]) -> u32 {
    call::sock_connect(fd, at(address), len(address))
}

/// The socket's own address.
pub fn name(fd: u32) -> Vec<u8> {
    let (buffer, used) = (Slot::new([0u8; 128]), Slot::new(0u32));
    let number = call::sock_name(fd, LOCAL, buffer.at(), 128, used.at());
    check!(number == 0, "sock_name: {number}");
    buffer.get()[..(used.get() as usize).min(128)].to_vec()
}

/// A socket that listens at an address, and the address.
pub fn listener(family: u16, address: &[u8], backlog: u32) -> (u32, Vec<u8>) {
    use codepod_abi::wire::socket::STREAM;
    let fd = socket(family, STREAM, 0);
    let bound = bind(fd, address);
    check!(bound == 0, "sock_bind: {bound}");
    let listening = call::sock_listen(fd, backlog);
    check!(listening == 0, "sock_listen: {listening}");
    let name = name(fd);
    (fd, name)
}

/// Accepts a connection.
pub fn accept(fd: u32) -> u32 {
    let accepted = Slot::new(CLOSED);
    let number = call::sock_accept(fd, 0, accepted.at());
    check!(number == 0, "sock_accept: {number}");
    accepted.get()
}

/// Two ends of a connection over the loopback.
pub fn connection() -> (u32, u32) {
    use codepod_abi::wire::socket::STREAM;
    let (listener, address) = listener(INET, &loopback(0), 1);
    let client = socket(INET, STREAM, 0);
    let connected = connect(client, &address);
    check!(connected == 0, "sock_connect: {connected}");
    let server = accept(listener);
    call::fd_close(listener);
    (client, server)
}
