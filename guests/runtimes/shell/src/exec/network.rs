//! `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT` in redirections: not files, but connections.

use std::net::SocketAddrV4;

use codepod_sys::socket::{self, Address, Kind, services};
use codepod_sys::{Errno, calls};

use crate::fds::Open;
use crate::shell::Shell;

/// What a path is connected to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target<'a> {
    kind: Kind,
    host: &'a [u8],
    port: &'a [u8],
}

/// The connection that a path stands for; none for a path of a file.
pub(super) fn target(path: &[u8]) -> Option<Target<'_>> {
    let (kind, rest) = if let Some(rest) = path.strip_prefix(b"/dev/tcp/") {
        (Kind::Stream, rest)
    } else {
        (Kind::Datagram, path.strip_prefix(b"/dev/udp/")?)
    };
    let slash = rest.iter().position(|byte| *byte == b'/')?;
    Some(Target {
        kind,
        host: &rest[..slash],
        port: &rest[slash + 1..],
    })
}

/// Connects. Says what bash says before the error of the redirection itself; `reason` is why the
/// sandbox refused, if it did.
pub(super) fn open(
    shell: &Shell,
    target: &Target<'_>,
    reason: &mut Vec<u8>,
) -> Result<Open, Errno> {
    let Some(port) = services::port(target.port, target.kind) else {
        shell.error([target.port, b": Servname not supported for ai_socktype"].concat());
        return Err(Errno::Inval);
    };
    let Ok(ip) = again(|| socket::resolve(target.host)) else {
        shell.error([target.host, b": Name or service not known"].concat());
        return Err(Errno::Inval);
    };
    let address = Address::Inet(SocketAddrV4::new(ip, port));
    let fd =
        socket::open(target.kind, &address).inspect_err(|errno| say(shell, "socket", *errno))?;
    match again(|| socket::connect(fd, &address)) {
        // It was connected while a signal was taken.
        Ok(()) | Err(Errno::IsConn) => Ok(Open::kernel(fd)),
        Err(errno) => {
            *reason = socket::why(fd);
            say(shell, "connect", errno);
            let _ = calls::fd_close(fd.0);
            Err(errno)
        }
    }
}

/// Does a call until no signal comes first.
fn again<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    loop {
        match call() {
            Err(Errno::Intr) => crate::traps::collect(),
            done => return done,
        }
    }
}

/// Prints `NAME: CALL: MESSAGE`.
fn say(shell: &Shell, call: &str, errno: Errno) {
    let name = shell.name_for_errors();
    let message = errno.message().as_bytes();
    let text = [&name[..], b": ", call.as_bytes(), b": ", message, b"\n"].concat();
    let _ = shell.fds.write(2, &text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_a_host_and_a_port_is_a_connection() {
        let found = target(b"/dev/tcp/localhost/80").unwrap();
        assert_eq!(
            (found.kind, found.host, found.port),
            (Kind::Stream, &b"localhost"[..], &b"80"[..])
        );
        let found = target(b"/dev/udp//80/x").unwrap();
        assert_eq!(
            (found.kind, found.host, found.port),
            (Kind::Datagram, &b""[..], &b"80/x"[..])
        );
        for path in [
            &b"/dev/tcp/localhost"[..],
            b"/dev/tcp/",
            b"/dev/tcpx/a/1",
            b"/dev/null",
        ] {
            assert_eq!(target(path), None);
        }
    }
}
