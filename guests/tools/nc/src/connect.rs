//! Connecting: to each port in turn, or to a path.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::time::Duration;

use codepod_sys::calls;
use codepod_sys::descriptor::Fd;
use codepod_sys::socket::{self, Address, Kind, services};
use codepod_sys::{Errno, poll};

use crate::arguments::{Place, Plan};
use crate::{carry, say};

/// How often it is tried whether somebody takes datagrams.
const PROBES: u32 = 4;

/// Connects and carries. Returns nc's status.
pub(crate) fn run(plan: &Plan) -> i32 {
    match &plan.place {
        Place::Path(path) => to_path(plan, path),
        Place::Host(host, ports) => to_host(plan, host.as_deref().unwrap_or_default(), ports),
    }
}

fn to_path(plan: &Plan, path: &[u8]) -> i32 {
    let address = Address::Unix(path.to_vec());
    let connected = socket::open(plan.kind, &address).and_then(|fd| {
        if plan.kind == Kind::Datagram {
            // A name to answer to.
            socket::bind(fd, &Address::Unix(Vec::new()))?;
        }
        connect(fd, &address, plan).map(|()| fd)
    });
    match connected {
        Ok(fd) => {
            talk(fd, plan);
            0
        }
        Err(errno) => say::failure(format!("{}: {}", say::text(path), errno.message())),
    }
}

fn to_host(plan: &Plan, host: &[u8], ports: &[u16]) -> i32 {
    let mut status = 1;
    let ip = match address_of(
        host,
        plan.numeric,
        ports.first().copied().unwrap_or_default(),
    ) {
        Ok(ip) => ip,
        Err(status) => return status,
    };
    let protocol = protocol(plan.kind);
    let shown = match plan.numeric || say::text(host) == ip.to_string() {
        true => say::text(host),
        false => format!("{} ({ip})", say::text(host)),
    };
    for port in ports {
        let address = Address::Inet(SocketAddrV4::new(ip, *port));
        let fd = match open_from(plan, &address) {
            Ok(fd) => fd,
            Err(status) => return status,
        };
        if let Err(errno) = connect(fd, &address, plan) {
            let why = socket::why(fd);
            let what = match errno {
                Errno::InProgress => "timed out",
                _ => "failed",
            };
            let mut text = format!(
                "connect to {shown} port {port} ({protocol}) {what}: {}",
                errno.message()
            );
            if !why.is_empty() {
                text.push_str(&format!(" (codepod: {})", say::text(&why)));
            }
            if plan.verbose || !why.is_empty() {
                say::failure(text);
            }
        } else if answers(fd, plan) {
            status = 0;
            if plan.verbose {
                let service = match plan.numeric {
                    true => None,
                    false => services::name(*port, plan.kind),
                };
                let service = service.unwrap_or("*");
                say::line(format!(
                    "Connection to {shown} {port} port [{protocol}/{service}] succeeded!"
                ));
            }
            talk(fd, plan);
        }
        let _ = calls::fd_close(fd.0);
        carry::pause(plan.interval);
    }
    status
}

/// A socket with the address that `-s` and `-p` say.
fn open_from(plan: &Plan, to: &Address) -> Result<Fd, i32> {
    let fd = socket::open(plan.kind, to).map_err(|errno| say::failure(errno.message()))?;
    if plan.source.is_some() || plan.source_port.is_some() {
        let port = plan.source_port.unwrap_or_default();
        let ip = match &plan.source {
            Some(source) => address_of(source, plan.numeric, port)?,
            None => Ipv4Addr::UNSPECIFIED,
        };
        let own = Address::Inet(SocketAddrV4::new(ip, port));
        let bound = socket::reuse_address(fd).and_then(|()| socket::bind(fd, &own));
        bound.map_err(|errno| say::failure(format!("bind failed: {}", errno.message())))?;
    }
    Ok(fd)
}

/// Connects within the time that `-w` gives; a signal does not end it.
fn connect(fd: Fd, address: &Address, plan: &Plan) -> Result<(), Errno> {
    if let Some(wait) = plan.wait.filter(|wait| *wait > Duration::ZERO) {
        let nanoseconds = u64::try_from(wait.as_nanos()).unwrap_or(u64::MAX);
        socket::set_option(fd, socket::SocketOption::SendTimeout, nanoseconds)?;
    }
    loop {
        match socket::connect(fd, address) {
            Err(Errno::Intr) => {}
            Err(Errno::IsConn) => break,
            done => {
                done?;
                break;
            }
        }
    }
    if plan.wait.is_some() {
        socket::set_option(fd, socket::SocketOption::SendTimeout, 0)?;
    }
    Ok(())
}

/// Whether somebody takes datagrams; asked only when that is to be told. A stream is connected.
fn answers(fd: Fd, plan: &Plan) -> bool {
    if plan.kind == Kind::Stream || !(plan.verbose || plan.zero) {
        return true;
    }
    (0..PROBES).all(|_| {
        let sent = socket::send_to(fd, b"X", None).is_ok();
        let _ = poll::sleep(Duration::from_millis(10));
        sent
    })
}

fn talk(fd: Fd, plan: &Plan) {
    if !plan.zero {
        carry::both_ways(fd, plan, &mut !plan.detached);
    }
}

/// The word for a kind.
pub(crate) fn protocol(kind: Kind) -> &'static str {
    match kind {
        Kind::Stream => "tcp",
        Kind::Datagram => "udp",
    }
}

/// The address of a host; the error is nc's status.
pub(crate) fn address_of(host: &[u8], numeric: bool, port: u16) -> Result<Ipv4Addr, i32> {
    let found = match std::str::from_utf8(host)
        .ok()
        .and_then(|host| host.parse().ok())
    {
        Some(ip) => Some(ip),
        None if numeric => None,
        None => socket::resolve(host).ok(),
    };
    found.ok_or_else(|| {
        say::failure(format!(
            "getaddrinfo for host \"{}\" port {port}: Name or service not known",
            say::text(host)
        ))
    })
}
