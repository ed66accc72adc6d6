//! Options of sockets: what has an effect here, and what is only remembered.

use codepod_abi::Errno;
use codepod_abi::wire::socket::{DATAGRAM, STREAM, SocketOption};

use super::Net;
use super::address::Family;
use super::socket::Kind;
use crate::ids::SocketId;
use crate::limits::Limits;

/// The smallest buffers, as on Linux.
const LEAST_RECEIVE: u64 = 2304;
const LEAST_SEND: u64 = 4608;

/// What can be set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    pub(crate) reuse_address: bool,
    pub(crate) reuse_port: bool,
    broadcast: bool,
    keep_alive: bool,
    /// `None`: closing does not wait. Otherwise seconds.
    pub(crate) linger: Option<u32>,
    pub(crate) receive_buffer: usize,
    pub(crate) send_buffer: usize,
    /// Nanoseconds; 0 for ever.
    pub(crate) receive_timeout: u64,
    pub(crate) send_timeout: u64,
    no_delay: bool,
    keep_idle: u32,
    keep_interval: u32,
    keep_count: u32,
}

impl Options {
    /// What a new socket has.
    pub(crate) fn new(limits: &Limits) -> Options {
        Options {
            reuse_address: false,
            reuse_port: false,
            broadcast: false,
            keep_alive: false,
            linger: None,
            receive_buffer: limits.socket_bytes,
            send_buffer: limits.socket_bytes,
            receive_timeout: 0,
            send_timeout: 0,
            no_delay: false,
            keep_idle: 7200,
            keep_interval: 75,
            keep_count: 9,
        }
    }
}

impl Net {
    /// An option's value. `NoProtoOpt` for one that this socket does not have.
    pub(crate) fn option(&mut self, id: SocketId, option: SocketOption) -> Result<u64, Errno> {
        use SocketOption as O;
        let socket = self.get_mut(id)?;
        let options = &socket.options;
        let tcp = |value: u64| match socket.is_tcp() {
            true => Ok(value),
            false => Err(Errno::NoProtoOpt),
        };
        // As Linux answers for an IPv4 socket and for one that never had a peer.
        let peer = socket.credentials.filter(|_| socket.family == Family::Unix);
        let no_one = u64::from(u32::MAX);
        Ok(match option {
            O::Kind => u64::from(match socket.kind {
                Kind::Stream => STREAM,
                Kind::Datagram => DATAGRAM,
            }),
            O::Family => socket.family.number().into(),
            O::Listening => socket.listener().is_some().into(),
            O::Error => socket.error.take().map_or(0, |errno| errno.raw().into()),
            O::ReuseAddress => options.reuse_address.into(),
            O::ReusePort => options.reuse_port.into(),
            O::Broadcast => options.broadcast.into(),
            O::KeepAlive => options.keep_alive.into(),
            O::Linger => options
                .linger
                .map_or(0, |seconds| 1 << 32 | u64::from(seconds)),
            O::ReceiveBuffer => options.receive_buffer as u64,
            O::SendBuffer => options.send_buffer as u64,
            O::ReceiveTimeout => options.receive_timeout,
            O::SendTimeout => options.send_timeout,
            O::NoDelay => tcp(options.no_delay.into())?,
            O::KeepIdle => tcp(options.keep_idle.into())?,
            O::KeepInterval => tcp(options.keep_interval.into())?,
            O::KeepCount => tcp(options.keep_count.into())?,
            O::PeerPid => peer.map_or(0, |peer| peer.pid.into()),
            O::PeerUid => peer.map_or(no_one, |peer| peer.uid.into()),
            O::PeerGid => peer.map_or(no_one, |peer| peer.gid.into()),
        })
    }

    /// Sets an option. `NoProtoOpt` for one that this socket does not have or that cannot be set,
    /// `Inval` for a value that Linux refuses.
    pub(crate) fn set_option(
        &mut self,
        id: SocketId,
        option: SocketOption,
        value: u64,
        most: usize,
    ) -> Result<(), Errno> {
        use SocketOption as O;
        let socket = self.get_mut(id)?;
        let is_tcp = socket.is_tcp();
        let options = &mut socket.options;
        // Linux doubles what is asked for, and says so when it is asked.
        let buffer = |least| value.saturating_mul(2).max(least).min(most as u64) as usize;
        let seconds = |most: u32| match u32::try_from(value) {
            Ok(value) if (1..=most).contains(&value) => Ok(value),
            _ => Err(Errno::Inval),
        };
        match option {
            O::ReuseAddress => options.reuse_address = value != 0,
            O::ReusePort => options.reuse_port = value != 0,
            O::Broadcast => options.broadcast = value != 0,
            O::KeepAlive => options.keep_alive = value != 0,
            O::Linger => options.linger = (value >> 32 != 0).then_some(value as u32),
            O::ReceiveBuffer => options.receive_buffer = buffer(LEAST_RECEIVE),
            O::SendBuffer => options.send_buffer = buffer(LEAST_SEND),
            O::ReceiveTimeout => options.receive_timeout = value,
            O::SendTimeout => options.send_timeout = value,
            O::NoDelay if is_tcp => options.no_delay = value != 0,
            O::KeepIdle if is_tcp => options.keep_idle = seconds(32767)?,
            O::KeepInterval if is_tcp => options.keep_interval = seconds(32767)?,
            O::KeepCount if is_tcp => options.keep_count = seconds(127)?,
            _ => return Err(Errno::NoProtoOpt),
        }
        Ok(())
    }
}
