//! A connection to a host by its name: the kernel's in the sandbox, std's for tests on a host.

use std::time::Duration;

use crate::Error;

/// The address of a host; in the sandbox it is one that the kernel makes up for the name.
pub fn resolve(host: &str) -> Option<std::net::Ipv4Addr> {
    #[cfg(target_os = "wasi")]
    return codepod_sys::socket::resolve(host.as_bytes()).ok();
    #[cfg(not(target_os = "wasi"))]
    {
        use std::net::{IpAddr, ToSocketAddrs as _};
        let mut found = (host, 0).to_socket_addrs().ok()?;
        found.find_map(|address| match address.ip() {
            IpAddr::V4(ip) => Some(ip),
            IpAddr::V6(_) => None,
        })
    }
}

#[cfg(not(target_os = "wasi"))]
pub(crate) use native::Socket;
#[cfg(target_os = "wasi")]
pub(crate) use sandbox::Socket;

/// How long things may take; without a time they take what they take.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Patience {
    pub(crate) connect: Option<Duration>,
    /// Without a byte from the other side.
    pub(crate) read: Option<Duration>,
}

fn unreachable(host: &str, port: u16, text: String, why: Option<String>) -> Error {
    Error::Connect {
        host: host.to_owned(),
        port,
        text,
        why,
    }
}

#[cfg(target_os = "wasi")]
mod sandbox {
    use std::net::SocketAddrV4;
    use std::time::Duration;

    use codepod_sys::socket::{self, Address, Kind, SocketOption};
    use codepod_sys::{Errno, Fd, calls, descriptor, poll};

    use super::{Patience, unreachable};
    use crate::Error;

    #[derive(Debug)]
    pub(crate) struct Socket(Fd);

    impl Socket {
        pub(crate) fn connect(host: &str, port: u16, patience: Patience) -> Result<Self, Error> {
            let ip = match host.parse() {
                Ok(ip) => ip,
                Err(_) => match again(|| socket::resolve(host.as_bytes())) {
                    Ok(ip) => ip,
                    Err(_) => return Err(Error::NoHost(host.to_owned())),
                },
            };
            let address = Address::Inet(SocketAddrV4::new(ip, port));
            let failed = |errno: Errno| unreachable(host, port, errno.message().to_owned(), None);
            let opened = Socket(socket::open(Kind::Stream, &address).map_err(failed)?);
            let fd = opened.0;
            if let Some(time) = patience.connect {
                let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                socket::set_option(fd, SocketOption::SendTimeout, nanos).map_err(failed)?;
            }
            let connected = again(|| match socket::connect(fd, &address) {
                Err(Errno::IsConn) => Ok(()),
                done => done,
            });
            match connected {
                Ok(()) => {}
                Err(Errno::InProgress | Errno::Again | Errno::TimedOut) => {
                    return Err(Error::TimedOut("Connection"));
                }
                Err(errno) => {
                    let why = socket::why(fd);
                    let why = String::from_utf8_lossy(&why).into_owned();
                    let why = Some(why).filter(|why| !why.is_empty());
                    return Err(unreachable(host, port, errno.message().to_owned(), why));
                }
            }
            if patience.connect.is_some() {
                socket::set_option(fd, SocketOption::SendTimeout, 0).map_err(failed)?;
            }
            Ok(opened)
        }

        pub(crate) fn read(
            &mut self,
            buffer: &mut [u8],
            wait: Option<Duration>,
        ) -> Result<usize, Error> {
            if wait.is_some() && !again(|| poll::readable(self.0, wait)).map_err(broken)? {
                return Err(Error::TimedOut("Read"));
            }
            again(|| descriptor::read(self.0, buffer)).map_err(broken)
        }

        pub(crate) fn write_all(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
            while !bytes.is_empty() {
                let sent = again(|| socket::send_to(self.0, bytes, None)).map_err(broken)?;
                bytes = &bytes[sent..];
            }
            Ok(())
        }
    }

    impl Drop for Socket {
        fn drop(&mut self) {
            // Nothing is lost that anybody waits for.
            let _ = calls::fd_close(self.0.0);
        }
    }

    fn broken(errno: Errno) -> Error {
        Error::Broken(errno.message().to_owned())
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
}

#[cfg(not(target_os = "wasi"))]
mod native {
    use std::io::{self, Read as _, Write as _};
    use std::net::{TcpStream, ToSocketAddrs as _};
    use std::time::Duration;

    use super::{Patience, unreachable};
    use crate::Error;

    #[derive(Debug)]
    pub(crate) struct Socket(TcpStream);

    impl Socket {
        pub(crate) fn connect(host: &str, port: u16, patience: Patience) -> Result<Self, Error> {
            let no_host = || Error::NoHost(host.to_owned());
            let addresses: Vec<_> = match (host, port).to_socket_addrs() {
                Ok(addresses) => addresses.collect(),
                Err(_) => return Err(no_host()),
            };
            let mut last = no_host();
            for address in addresses {
                let connected = match patience.connect {
                    Some(time) => TcpStream::connect_timeout(&address, time),
                    None => TcpStream::connect(address),
                };
                match connected {
                    Ok(stream) => return Ok(Socket(stream)),
                    Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                        last = Error::TimedOut("Connection");
                    }
                    Err(error) => {
                        let text = error.to_string();
                        let text = text.split(" (os error").next().unwrap_or_default();
                        last = unreachable(host, port, text.to_owned(), None);
                    }
                }
            }
            Err(last)
        }

        pub(crate) fn read(
            &mut self,
            buffer: &mut [u8],
            wait: Option<Duration>,
        ) -> Result<usize, Error> {
            self.0.set_read_timeout(wait).map_err(broken)?;
            self.0.read(buffer).map_err(|error| match error.kind() {
                io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Error::TimedOut("Read"),
                _ => broken(error),
            })
        }

        pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Error> {
            self.0.write_all(bytes).map_err(broken)
        }
    }

    fn broken(error: io::Error) -> Error {
        Error::Broken(error.to_string())
    }
}
