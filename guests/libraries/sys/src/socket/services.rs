//! Ports by the names of services, those that scripts use. The same are in
//! `guests/runtimes/python/posix/netdb.c`.

use super::Kind;

/// Names with their ports; the last says whether datagrams have it, too.
const SERVICES: &[(&str, u16, Kinds)] = &[
    ("echo", 7, Kinds::Both),
    ("discard", 9, Kinds::Both),
    ("daytime", 13, Kinds::Stream),
    ("ftp-data", 20, Kinds::Stream),
    ("ftp", 21, Kinds::Stream),
    ("ssh", 22, Kinds::Stream),
    ("telnet", 23, Kinds::Stream),
    ("smtp", 25, Kinds::Stream),
    ("time", 37, Kinds::Both),
    ("domain", 53, Kinds::Both),
    ("tftp", 69, Kinds::Datagram),
    ("finger", 79, Kinds::Stream),
    ("http", 80, Kinds::Stream),
    ("pop3", 110, Kinds::Stream),
    ("nntp", 119, Kinds::Stream),
    ("ntp", 123, Kinds::Datagram),
    ("imap2", 143, Kinds::Stream),
    ("snmp", 161, Kinds::Both),
    ("ldap", 389, Kinds::Stream),
    ("https", 443, Kinds::Both),
    ("submissions", 465, Kinds::Stream),
    ("syslog", 514, Kinds::Datagram),
    ("submission", 587, Kinds::Stream),
    ("ldaps", 636, Kinds::Stream),
    ("ftps", 990, Kinds::Stream),
    ("imaps", 993, Kinds::Stream),
    ("pop3s", 995, Kinds::Stream),
    ("socks", 1080, Kinds::Stream),
    ("mysql", 3306, Kinds::Stream),
    ("postgresql", 5432, Kinds::Stream),
    ("amqp", 5672, Kinds::Stream),
    ("http-alt", 8080, Kinds::Both),
];

/// Which sockets a service is for.
#[derive(Clone, Copy)]
enum Kinds {
    Stream,
    Datagram,
    Both,
}

impl Kinds {
    fn has(self, kind: Kind) -> bool {
        match self {
            Kinds::Both => true,
            Kinds::Stream => kind == Kind::Stream,
            Kinds::Datagram => kind == Kind::Datagram,
        }
    }
}

/// The port of a service: its number, of which the lowest 16 bits count and none is 0 as in Linux,
/// or its name.
pub fn port(service: &[u8], kind: Kind) -> Option<u16> {
    if service.iter().all(u8::is_ascii_digit) {
        let add =
            |port: u16, digit: &u8| port.wrapping_mul(10).wrapping_add(u16::from(*digit - b'0'));
        return Some(service.iter().fold(0, add));
    }
    let named =
        |&&(name, _, kinds): &&(&str, u16, Kinds)| name.as_bytes() == service && kinds.has(kind);
    SERVICES.iter().find(named).map(|(_, port, _)| *port)
}

/// The name of the service that has a port.
pub fn name(port: u16, kind: Kind) -> Option<&'static str> {
    let at = |&&(_, found, kinds): &&(&str, u16, Kinds)| found == port && kinds.has(kind);
    SERVICES.iter().find(at).map(|(name, ..)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_a_number_or_a_name() {
        assert_eq!(port(b"80", Kind::Stream), Some(80));
        assert_eq!(port(b"99999", Kind::Stream), Some(34463));
        assert_eq!(port(b"http", Kind::Stream), Some(80));
        assert_eq!(port(b"", Kind::Stream), Some(0));
        for service in [&b"http"[..], b"-1", b"80/x"] {
            assert_eq!(port(service, Kind::Datagram), None, "{service:?}");
        }
        assert_eq!(name(53, Kind::Datagram), Some("domain"));
        assert_eq!(name(80, Kind::Datagram), None);
    }
}
