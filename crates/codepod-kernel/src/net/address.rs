//! Addresses of sockets, and how they lie in memory: [`codepod_abi::wire::socket`] says.

use std::net::{Ipv4Addr, SocketAddrV4};

use codepod_abi::Errno;
use codepod_abi::wire::socket::{INET, INET_ADDRESS_BYTES, UNIX, UNIX_NAME_BYTES, UNSPEC};

/// A family of sockets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Inet,
    Unix,
}

/// An address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Address {
    Inet(SocketAddrV4),
    Unix(UnixName),
}

/// What a UNIX socket is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum UnixName {
    /// Nothing.
    Unnamed,
    /// A path, as it was given.
    Path(Vec<u8>),
    /// What follows the NUL of an abstract name.
    Abstract(Vec<u8>),
}

impl Family {
    pub(crate) fn number(self) -> u16 {
        match self {
            Family::Inet => INET,
            Family::Unix => UNIX,
        }
    }

    /// The address of a socket that has none.
    pub(crate) fn no_address(self) -> Address {
        match self {
            Family::Inet => Address::Inet(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0)),
            Family::Unix => Address::Unix(UnixName::Unnamed),
        }
    }
}

/// The family that an address names; `Inval` when it is too short for one.
pub(crate) fn family_of(bytes: &[u8]) -> Result<u16, Errno> {
    match *bytes {
        [low, high, ..] => Ok(u16::from_le_bytes([low, high])),
        _ => Err(Errno::Inval),
    }
}

/// An IPv4 address. `Inval` when it is too short, `AfNoSupport` when it is another family's.
pub(crate) fn inet(bytes: &[u8]) -> Result<SocketAddrV4, Errno> {
    let [_, _, p, q, a, b, c, d, ..] = *bytes else {
        return Err(Errno::Inval);
    };
    if family_of(bytes)? != INET {
        return Err(Errno::AfNoSupport);
    }
    let port = u16::from_be_bytes([p, q]);
    Ok(SocketAddrV4::new(Ipv4Addr::new(a, b, c, d), port))
}

/// A path or an abstract name. `Inval` when it is too short or too long, or another family's.
pub(crate) fn unix(bytes: &[u8]) -> Result<UnixName, Errno> {
    if family_of(bytes)? != UNIX || bytes.len() > 2 + UNIX_NAME_BYTES {
        return Err(Errno::Inval);
    }
    match &bytes[2..] {
        [] => Ok(UnixName::Unnamed),
        [0, name @ ..] => Ok(UnixName::Abstract(name.to_vec())),
        path => {
            let end = path.iter().position(|byte| *byte == 0);
            Ok(UnixName::Path(path[..end.unwrap_or(path.len())].to_vec()))
        }
    }
}

/// Whether an address asks to forget the peer.
pub(crate) fn is_unspecified(bytes: &[u8]) -> Result<bool, Errno> {
    Ok(family_of(bytes)? == UNSPEC)
}

impl Address {
    /// As it lies in memory.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Address::Inet(address) => {
                let mut bytes = Vec::with_capacity(INET_ADDRESS_BYTES);
                bytes.extend(INET.to_le_bytes());
                bytes.extend(address.port().to_be_bytes());
                bytes.extend(address.ip().octets());
                bytes
            }
            Address::Unix(name) => {
                let mut bytes = UNIX.to_le_bytes().to_vec();
                match name {
                    UnixName::Unnamed => {}
                    UnixName::Path(path) => {
                        bytes.extend(path);
                        bytes.push(0);
                    }
                    UnixName::Abstract(name) => {
                        bytes.push(0);
                        bytes.extend(name);
                    }
                }
                bytes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_their_bytes() {
        let bytes = [1, 0, 0x1f, 0x90, 127, 0, 0, 1];
        let address = inet(&bytes).unwrap();
        assert_eq!(address.to_string(), "127.0.0.1:8080");
        assert_eq!(Address::Inet(address).to_bytes(), bytes);
        for (bytes, back) in [
            (&b"\x03\0/tmp/s"[..], &b"\x03\0/tmp/s\0"[..]),
            (b"\x03\0/tmp/s\0junk", b"\x03\0/tmp/s\0"),
            (b"\x03\0\0a\0b", b"\x03\0\0a\0b"),
            (b"\x03\0\0", b"\x03\0\0"),
            (b"\x03\0", b"\x03\0"),
        ] {
            assert_eq!(Address::Unix(unix(bytes).unwrap()).to_bytes(), back);
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        assert_eq!(inet(b""), Err(Errno::Inval));
        assert_eq!(inet(&[1, 0, 0, 80, 127, 0, 0]), Err(Errno::Inval));
        assert_eq!(inet(&[3, 0, 0, 80, 127, 0, 0, 1]), Err(Errno::AfNoSupport));
        assert_eq!(unix(b"\x03"), Err(Errno::Inval));
        assert_eq!(unix(b"\x01\0/tmp/s"), Err(Errno::Inval));
        let mut long = b"\x03\0".to_vec();
        long.resize(2 + UNIX_NAME_BYTES, b'x');
        assert!(unix(&long).is_ok());
        long.push(b'x');
        assert_eq!(unix(&long), Err(Errno::Inval));
    }
}
