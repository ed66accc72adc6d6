//! Listening: for one connection after another, or for datagrams.

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_sys::calls;
use codepod_sys::descriptor::Fd;
use codepod_sys::socket::{self, Address, Kind, PEEK, SocketOption};
use codepod_sys::{Errno, poll};

use crate::arguments::{Place, Plan};
use crate::connect::address_of;
use crate::{carry, say};

/// How many connections may wait.
const BACKLOG: u32 = 1;

/// Listens and carries. Returns nc's status.
pub(crate) fn run(plan: &Plan) -> i32 {
    let address = match &plan.place {
        Place::Path(path) => Address::Unix(path.clone()),
        Place::Host(host, ports) => {
            let port = ports.first().copied().unwrap_or_default();
            let ip = match host {
                None => Ok(Ipv4Addr::UNSPECIFIED),
                Some(host) => address_of(host, plan.numeric, port),
            };
            match ip {
                Ok(ip) => Address::Inet(SocketAddrV4::new(ip, port)),
                Err(status) => return status,
            }
        }
    };
    let done = open(plan, &address).and_then(|fd| match plan.kind {
        Kind::Stream => streams(fd, plan, &address),
        Kind::Datagram => messages(fd, plan, &address),
    });
    match done {
        Ok(()) => 0,
        Err(errno) => say::failure(errno.message()),
    }
}

/// A socket that listens, or takes datagrams.
fn open(plan: &Plan, address: &Address) -> Result<Fd, Errno> {
    let fd = socket::open(plan.kind, address)?;
    let is_path = matches!(address, Address::Unix(_));
    if !is_path {
        socket::reuse_address(fd)?;
        socket::set_option(fd, SocketOption::ReusePort, 1)?;
    }
    socket::bind(fd, address)?;
    if plan.verbose && (is_path || plan.kind == Kind::Datagram) {
        say::line(format!("Bound on {}", shown(address, plan.numeric)));
    }
    if plan.kind == Kind::Stream {
        calls::sock_listen(fd.0, BACKLOG)?;
        if plan.verbose {
            say::line(format!("Listening on {}", shown(address, plan.numeric)));
        }
    }
    Ok(fd)
}

fn streams(fd: Fd, plan: &Plan, own: &Address) -> Result<(), Errno> {
    let mut input = !plan.detached;
    loop {
        let net = again(|| socket::accept(fd))?;
        received(plan, own, socket::peer(net).ok());
        carry::both_ways(net, plan, &mut input);
        calls::fd_close(net.0)?;
        if !plan.keeps {
            return Ok(());
        }
    }
}

/// Takes datagrams: of the first who sends, to whom standard input goes, or of all with `-k`.
fn messages(fd: Fd, plan: &Plan, own: &Address) -> Result<(), Errno> {
    again(|| poll::readable(fd, None))?;
    let (_, from) = again(|| socket::recv_from(fd, &mut [0], PEEK))?;
    if plan.keeps {
        let mut input = false;
        carry::both_ways(fd, plan, &mut input);
        return Ok(());
    }
    let has_name = !matches!(&from, None | Some(Address::Unix(_)));
    if let Some(from) = from.as_ref().filter(|_| has_name) {
        again(|| socket::connect(fd, from))?;
    }
    received(plan, own, from);
    carry::both_ways(fd, plan, &mut (has_name && !plan.detached));
    Ok(())
}

fn received(plan: &Plan, own: &Address, from: Option<Address>) {
    if plan.verbose {
        let from = match from {
            Some(inet @ Address::Inet(_)) => inet,
            _ => own.clone(),
        };
        say::line(format!(
            "Connection received on {}",
            shown(&from, plan.numeric)
        ));
    }
}

/// An address in words: a path, or host and port.
fn shown(address: &Address, numeric: bool) -> String {
    match address {
        Address::Unix(path) => say::text(path),
        Address::Inet(inet) => {
            let name = match numeric {
                true => None,
                false => socket::name_of(*inet.ip()).ok(),
            };
            let host = name.map_or_else(|| inet.ip().to_string(), |name| say::text(&name));
            format!("{host} {}", inet.port())
        }
    }
}

/// Does a call until no signal comes first.
fn again<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::Intr) => {}
            done => return done,
        }
    }
}
