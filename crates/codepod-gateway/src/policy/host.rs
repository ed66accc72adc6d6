//! A host: the name or the address that a rule and a client speak of.
//!
//! There is one way to read one, WHATWG's: upper case, IDN and the number forms of IPv4 addresses
//! (`0x7f.1`, `2130706433`) come out in one canonical form, which is what policy compares and what
//! is dialled.

use std::fmt;
use std::net::IpAddr;

/// A host in canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Host {
    /// A name: lower case, A-labels, without a dot at the end, at most 253 bytes.
    Name(Box<str>),
    /// An address; an IPv4 address mapped into IPv6 is that IPv4 address.
    Ip(IpAddr),
}

impl From<IpAddr> for Host {
    fn from(ip: IpAddr) -> Host {
        Host::Ip(ip.to_canonical())
    }
}

/// The text does not name a host, or not unambiguously.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is not a host")]
pub struct NotAHost;

impl Host {
    /// Reads a name or an address; IPv6 addresses with or without brackets.
    ///
    /// Fails for everything that programs read differently: percent signs, empty or long labels,
    /// characters that are in no name of a host.
    pub fn parse(text: &str) -> Result<Host, NotAHost> {
        if text.is_empty() || text.len() > 1024 || text.contains('%') {
            return Err(NotAHost);
        }
        if let Ok(ip) = text.parse::<IpAddr>() {
            return Ok(Host::from(ip));
        }
        Host::of(url::Host::parse(text).map_err(|_| NotAHost)?)
    }

    /// A host that was read as WHATWG says.
    pub(super) fn of(host: url::Host<impl AsRef<str>>) -> Result<Host, NotAHost> {
        match host {
            url::Host::Domain(name) => {
                let name = name.as_ref();
                let name = name.strip_suffix('.').unwrap_or(name);
                if is_name(name) {
                    Ok(Host::Name(name.into()))
                } else {
                    Err(NotAHost)
                }
            }
            url::Host::Ipv4(ip) => Ok(Host::from(IpAddr::from(ip))),
            url::Host::Ipv6(ip) => Ok(Host::from(IpAddr::from(ip))),
        }
    }

    /// The host as it stands in a URL: IPv6 addresses in brackets.
    pub fn in_url(&self) -> String {
        match self {
            Host::Ip(IpAddr::V6(ip)) => format!("[{ip}]"),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => f.write_str(name),
            Host::Ip(ip) => ip.fmt(f),
        }
    }
}

fn is_name(name: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
    };
    name.len() <= 253 && name.split('.').all(is_label)
}
