//! Dialling vetted addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use socket2::{Domain, Socket, Type};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// How long an address has a start over the next one (RFC 8305).
const HEAD_START: Duration = Duration::from_millis(250);
/// How many addresses of a name are tried.
const MAX_TRIED: usize = 8;

/// The order in which addresses are tried: as the lookup has them, the families in turn.
pub(super) fn order(addresses: &[SocketAddr]) -> Vec<SocketAddr> {
    let Some(first) = addresses.first() else {
        return Vec::new();
    };
    let (same, other): (Vec<_>, Vec<_>) = addresses
        .iter()
        .partition(|address| address.is_ipv6() == first.is_ipv6());
    let longest = same.len().max(other.len());
    (0..longest)
        .flat_map(|i| [same.get(i), other.get(i)])
        .flatten()
        .copied()
        .copied()
        .take(MAX_TRIED)
        .collect()
}

/// Connects to the first of `addresses` that answers, and calls `count` for each that is tried.
///
/// Fails with the error of the last when none does. The time is the caller's to limit.
pub(super) async fn dial(
    addresses: &[SocketAddr],
    count: impl Fn(),
) -> io::Result<(TcpStream, SocketAddr)> {
    let mut left = order(addresses).into_iter();
    let mut tried = JoinSet::new();
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    let mut start = |tried: &mut JoinSet<_>| {
        if let Some(address) = left.next() {
            count();
            tried.spawn(async move { (TcpStream::connect(address).await, address) });
        }
    };
    start(&mut tried);
    loop {
        tokio::select! {
            joined = tried.join_next() => match joined {
                None => return Err(last),
                Some(Ok((Ok(stream), address))) => {
                    let _ = stream.set_nodelay(true);
                    return Ok((stream, address));
                }
                Some(Ok((Err(error), _))) => {
                    last = error;
                    start(&mut tried);
                }
                Some(Err(_)) => start(&mut tried),
            },
            () = tokio::time::sleep(HEAD_START) => start(&mut tried),
        }
    }
}

/// Whether an address is one of the host's own: then it is also the one that the host would speak
/// from. Nothing is sent.
pub(super) fn is_own(ip: IpAddr) -> bool {
    let there = SocketAddr::new(ip, 9);
    // Not bound before: whoever is locked in may connect, and not bind.
    Socket::new(Domain::for_address(there), Type::DGRAM, None)
        .and_then(|socket| {
            socket.connect(&there.into())?;
            socket.local_addr()
        })
        .is_ok_and(|local| local.as_socket().is_some_and(|local| local.ip() == ip))
}

#[cfg(test)]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn families_take_turns() {
        let all: Vec<SocketAddr> = ["[::1]:1", "[::2]:1", "[::3]:1", "1.1.1.1:1", "2.2.2.2:1"]
            .map(|text| text.parse().unwrap())
            .into();
        let ordered: Vec<String> = order(&all).iter().map(SocketAddr::to_string).collect();
        assert_eq!(
            ordered,
            ["[::1]:1", "1.1.1.1:1", "[::2]:1", "2.2.2.2:1", "[::3]:1"]
        );
        assert_eq!(order(&vec![all[0]; 4000]).len(), MAX_TRIED);
        assert!(order(&[]).is_empty());
    }

    #[test]
    fn the_hosts_own_addresses_are_known_without_a_list() {
        assert!(is_own("127.0.0.1".parse().unwrap()));
        assert!(!is_own("192.0.2.1".parse().unwrap()));
        // The address that the host speaks from is its own, where it has one.
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        if socket.connect("192.0.2.1:9").is_ok() {
            assert!(is_own(socket.local_addr().unwrap().ip()));
        }
    }
}
