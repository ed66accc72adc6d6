//! Does one thing with sockets many times, and prints how many nanoseconds it took altogether.
//!
//! ```text
//! net_speed accept COUNT             connects to itself, accepts, closes both
//! net_speed sink                     accepts one connection at port 8000 and reads it to its end
//! net_speed source BYTES             sends so much to port 8000
//! net_speed connect HOST PORT COUNT  tries to connect, which is refused
//! net_speed get HOST PORT COUNT      sends requests of HTTP on one connection, reads the answers
//! ```

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Instant;

use codepod_abi::Errno;
use codepod_abi::wire::socket::INET;
use codepod_sys::Fd;
use codepod_sys::descriptor::{close, read, write_all};
use codepod_sys::socket::{Address, Kind, connect, local, open, resolve};
use test_programs::resources::number_argument;
use test_programs::sockets::{self, accept};

/// How much is read and written at a time.
const PIECE: usize = 65536;

fn main() {
    let what = std::env::args().nth(1).unwrap_or_default();
    let done = match what.as_str() {
        "accept" => accepts(number_argument(2, 1)),
        "sink" => sink(),
        "source" => source(number_argument(2, 1)),
        "connect" => connects(number_argument(4, 1)),
        "get" => gets(number_argument(4, 1)),
        _ => Err(Errno::Inval),
    };
    match done {
        Ok(nanoseconds) => println!("{nanoseconds}"),
        Err(errno) => {
            eprintln!("net_speed {what}: {errno}");
            std::process::exit(1);
        }
    }
}

fn accepts(count: u64) -> Result<u128, Errno> {
    let (fd, _) = sockets::listener(INET, &sockets::loopback(0), 16);
    let address = local(Fd(fd))?;
    let began = Instant::now();
    for _ in 0..count {
        let ours = open(Kind::Stream, &address)?;
        connect(ours, &address)?;
        close(Fd(accept(fd)))?;
        close(ours)?;
    }
    Ok(began.elapsed().as_nanos())
}

fn sink() -> Result<u128, Errno> {
    let (fd, _) = sockets::listener(INET, &sockets::loopback(8000), 16);
    println!("ready");
    let from = Fd(accept(fd));
    let began = Instant::now();
    let mut buffer = vec![0; PIECE];
    while read(from, &mut buffer)? > 0 {}
    Ok(began.elapsed().as_nanos())
}

fn source(bytes: u64) -> Result<u128, Errno> {
    let address = Address::Inet(SocketAddrV4::new(Ipv4Addr::LOCALHOST, 8000));
    let fd = open(Kind::Stream, &address)?;
    connect(fd, &address)?;
    let (buffer, mut left) = (vec![b'x'; PIECE], bytes);
    let began = Instant::now();
    while left > 0 {
        let part = left.min(PIECE as u64);
        write_all(fd, &buffer[..part as usize])?;
        left -= part;
    }
    Ok(began.elapsed().as_nanos())
}

/// The address that the arguments name.
fn named() -> Result<Address, Errno> {
    let host = std::env::args().nth(2).unwrap_or_default();
    let port = u16::try_from(number_argument(3, 0)).map_err(|_| Errno::Inval)?;
    let ip = resolve(host.as_bytes())?;
    Ok(Address::Inet(SocketAddrV4::new(ip, port)))
}

fn connects(count: u64) -> Result<u128, Errno> {
    let address = named()?;
    let began = Instant::now();
    for _ in 0..count {
        let fd = open(Kind::Stream, &address)?;
        if connect(fd, &address) != Err(Errno::Access) {
            return Err(Errno::IsConn);
        }
        close(fd)?;
    }
    Ok(began.elapsed().as_nanos())
}

fn gets(count: u64) -> Result<u128, Errno> {
    let address = named()?;
    let host = std::env::args().nth(2).unwrap_or_default();
    let port = number_argument(3, 0);
    let request = format!("GET / HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n");
    let fd = open(Kind::Stream, &address)?;
    connect(fd, &address)?;
    let mut buffer = vec![0; PIECE];
    let began = Instant::now();
    for _ in 0..count {
        write_all(fd, request.as_bytes())?;
        let mut used = 0;
        // The answers end with a line of their own.
        while !buffer[..used].ends_with(b"\nend\n") {
            let more = read(fd, &mut buffer[used..])?;
            if more == 0 {
                return Err(Errno::ConnReset);
            }
            used += more;
        }
    }
    Ok(began.elapsed().as_nanos())
}
