//! Sockets: families, kinds, addresses, flags and options.
//!
//! An address is the bytes of a `sockaddr` of wasi-libc: the family as a `u16`, then
//!
//! * [`INET`]: the port (`u16`, big-endian) and the four bytes of the address. Bytes behind the
//!   first [`INET_ADDRESS_BYTES`] are ignored.
//! * [`UNIX`]: a path, up to its end or the first NUL; or, after a NUL, an abstract name, up to the
//!   end. Without any bytes it is the address of a socket that has no name.
//!
//! Calls that return an address write as much of it as fits and return its whole length.

/// No family: `sock_connect` with it takes the peer of a datagram socket away.
pub const UNSPEC: u16 = 0;
/// IPv4.
pub const INET: u16 = 1;
/// IPv6, which no socket has yet.
pub const INET6: u16 = 2;
/// Sockets with a path or an abstract name.
pub const UNIX: u16 = 3;

/// Messages, each by itself: WASI's file type of such a socket.
pub const DATAGRAM: u32 = super::wasi::filetype::SOCKET_DGRAM as u32;
/// A stream of bytes: WASI's file type of such a socket.
pub const STREAM: u32 = super::wasi::filetype::SOCKET_STREAM as u32;

/// Bytes of an IPv4 address with its family and port.
pub const INET_ADDRESS_BYTES: usize = 8;
/// The longest path or abstract name, its NUL included.
pub const UNIX_NAME_BYTES: usize = 108;
/// The longest address.
pub const ADDRESS_BYTES: usize = 2 + UNIX_NAME_BYTES;
/// What each address takes that `name_resolve` returns: room for one of IPv6.
pub const ADDRESS_SLOT: usize = 28;
/// The longest name of a host.
pub const HOST_NAME_BYTES: usize = 253;

/// `sock_recv_from`: leave the data in the queue (WASI's `riflags`).
pub const PEEK: u32 = super::wasi::RECV_PEEK;
/// `sock_recv_from`: wait until the buffers are full (WASI's `riflags`).
pub const WAIT_ALL: u32 = super::wasi::RECV_WAITALL;
/// `sock_recv_from`, `sock_send_to`: fail with `Again` where it would wait.
pub const DONT_WAIT: u32 = 4;
/// `sock_recv_from`: return the whole length of a message that the buffers do not hold.
pub const WHOLE_LENGTH: u32 = 8;
/// `sock_send_to`: no SIGPIPE when nobody reads any more.
pub const NO_SIGNAL: u32 = 16;

/// `Received::flags`: the message was longer than the buffers, and the rest of it is lost.
pub const TRUNCATED: u32 = 1;

/// `sock_name`: the socket's own address.
pub const LOCAL: u32 = 0;
/// `sock_name`: the address it is connected to.
pub const PEER: u32 = 1;

wire_struct! {
    /// What `sock_recv_from` received.
    Received {
        /// Bytes.
        bytes: u32,
        /// [`TRUNCATED`] or 0.
        flags: u32,
        /// Length of the sender's address; 0 if it is not told, as with a stream.
        address_len: u32,
    }
}

macro_rules! options {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $c_name:literal;)*) => {
        /// What `sock_option_get` and `sock_option_set` are about. A value is a `u64`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum SocketOption {
            $($(#[doc = $doc])* $name = $number,)*
        }

        impl SocketOption {
            /// Each option with its name for guests in C.
            pub const ALL: &'static [(&'static str, SocketOption)] =
                &[$(($c_name, SocketOption::$name),)*];

            /// The option of a number.
            pub const fn from_number(number: u32) -> Option<SocketOption> {
                match number { $($number => Some(SocketOption::$name),)* _ => None }
            }
        }
    };
}

options! {
    /// The kind, [`STREAM`] or [`DATAGRAM`]; only to be read.
    Kind = 1, "KIND";
    /// The family; only to be read.
    Family = 2, "FAMILY";
    /// Whether it listens; only to be read.
    Listening = 3, "LISTENING";
    /// The error number that waits to be told, which is taken by reading it; only to be read.
    Error = 4, "ERROR";
    /// Whether a port may be bound that a closed connection still has.
    ReuseAddress = 5, "REUSE_ADDRESS";
    /// Whether several sockets may be bound to one port.
    ReusePort = 6, "REUSE_PORT";
    /// Whether broadcasts may be sent. Nothing here can be reached by one.
    Broadcast = 7, "BROADCAST";
    /// Whether idle connections are asked if they are still there. Within a sandbox they are.
    KeepAlive = 8, "KEEP_ALIVE";
    /// What closing does with bytes that were not read: 1 << 32 for "waits", and seconds. With 0
    /// seconds the peer's connection is reset.
    Linger = 9, "LINGER";
    /// Bytes that wait to be received, at most.
    ReceiveBuffer = 10, "RECEIVE_BUFFER";
    /// Bytes that wait to be sent, at most.
    SendBuffer = 11, "SEND_BUFFER";
    /// Nanoseconds that a receive or an accept waits at most; 0 for ever.
    ReceiveTimeout = 12, "RECEIVE_TIMEOUT";
    /// Nanoseconds that a send or a connect waits at most; 0 for ever.
    SendTimeout = 13, "SEND_TIMEOUT";
    /// Whether small pieces are sent at once; they always are. Of an IPv4 stream.
    NoDelay = 14, "NO_DELAY";
    /// Seconds of silence before an idle connection is asked. Of an IPv4 stream.
    KeepIdle = 15, "KEEP_IDLE";
    /// Seconds between such questions. Of an IPv4 stream.
    KeepInterval = 16, "KEEP_INTERVAL";
    /// How many such questions may stay unanswered. Of an IPv4 stream.
    KeepCount = 17, "KEEP_COUNT";
    /// Process at the other end when it connected or listened, of a UNIX socket; only to be read.
    PeerPid = 18, "PEER_PID";
    /// That process's user; only to be read.
    PeerUid = 19, "PEER_UID";
    /// That process's group; only to be read.
    PeerGid = 20, "PEER_GID";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_option_has_its_number() {
        for (name, option) in SocketOption::ALL {
            assert_eq!(
                SocketOption::from_number(*option as u32),
                Some(*option),
                "{name}"
            );
        }
        assert_eq!(SocketOption::from_number(0), None);
    }
}
