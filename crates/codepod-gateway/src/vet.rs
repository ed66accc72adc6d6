//! Which addresses may be dialled.
//!
//! A name is decided by the policy; its addresses are vetted here, all of them, and one that is
//! refused refuses the name. An address counts as public when it is in no range of IANA's
//! special-purpose registries, no multicast and no reserved space; in IPv6 only `2000::/3` is in
//! use. Forms that embed an IPv4 address are judged by it, or refused where nobody uses them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::policy::is_metadata_address;

/// The most addresses that a name may have. Each takes a look at the host's own, so that a lookup
/// without end would be work without end.
pub const MAX_ADDRESSES: usize = 128;

/// What kind of range an address is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// The internet.
    Public,
    /// Networks of the host; dialled for rules with `private`. The text says which range.
    Private(&'static str),
    /// A metadata service; dialled only when it is named itself.
    Metadata,
    /// Never dialled. The text says why.
    Never(&'static str),
}

/// What a grant allows beyond public addresses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beyond {
    /// Private, link-local and loopback addresses, and the host's own.
    pub private: bool,
    /// Metadata services.
    pub metadata: bool,
}

/// Why the addresses of a name may not be dialled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The name has no addresses.
    #[error("it has no addresses")]
    Nothing,
    /// The name has more than [`MAX_ADDRESSES`]. Those beyond are not left out: one of them might
    /// be one that refuses the name.
    #[error("it has {0} addresses, and more than {MAX_ADDRESSES} are not checked")]
    TooMany(usize),
    /// One of its addresses is not to be dialled.
    #[error("{0} is {1}")]
    Address(IpAddr, &'static str),
}

/// Vets the answers of a lookup. `is_own` says whether an address is one of the host's interfaces.
///
/// Fails when any of them may not be dialled, and names it; and when there are none or too many.
pub fn vet(
    answers: &[IpAddr],
    beyond: Beyond,
    is_own: impl Fn(IpAddr) -> bool,
) -> Result<Vec<IpAddr>, Refused> {
    if answers.is_empty() {
        return Err(Refused::Nothing);
    }
    if answers.len() > MAX_ADDRESSES {
        return Err(Refused::TooMany(answers.len()));
    }
    let mut vetted = Vec::with_capacity(answers.len());
    for ip in answers.iter().map(IpAddr::to_canonical) {
        match range_of(ip) {
            // NAT64 would lead back to this host, too.
            Range::Public if beyond.private || !forms(ip).into_iter().any(&is_own) => {}
            Range::Public => return Err(Refused::Address(ip, "an address of this host")),
            Range::Private(_) if beyond.private => {}
            Range::Metadata if beyond.metadata => {}
            Range::Metadata => return Err(Refused::Address(ip, "a metadata service")),
            Range::Private(why) | Range::Never(why) => return Err(Refused::Address(ip, why)),
        }
        if !vetted.contains(&ip) {
            vetted.push(ip);
        }
    }
    Ok(vetted)
}

/// Which range an address is in.
pub fn range_of(ip: IpAddr) -> Range {
    if forms(ip).into_iter().any(is_metadata_address) {
        return Range::Metadata;
    }
    match ip.to_canonical() {
        IpAddr::V4(ip) => range_of_v4(ip),
        IpAddr::V6(ip) => match nat64(ip) {
            Some(embedded) => range_of_v4(embedded),
            None if isatap(ip).is_some() => Range::Never("a tunnel of IPv6 over IPv4"),
            None => range_of_v6(ip),
        },
    }
}

/// An address and the IPv4 address that it embeds, if any: mapped, compatible, translated, NAT64,
/// 6to4, Teredo (the server's and the client's), ISATAP.
pub fn forms(ip: IpAddr) -> Vec<IpAddr> {
    let ip = ip.to_canonical();
    let mut forms = vec![ip];
    if let IpAddr::V6(v6) = ip {
        let s = v6.segments();
        let v4 = |high: u16, low: u16| {
            IpAddr::V4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        };
        match s {
            [0, 0, 0, 0, 0, 0, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] if high != 0 => {
                forms.push(v4(high, low));
            }
            [0x64, 0xff9b, 0, 0, 0, 0, high, low] => forms.push(v4(high, low)),
            [0x2002, high, low, ..] => forms.push(v4(high, low)),
            [0x2001, 0, server_high, server_low, _, _, high, low] => {
                forms.push(v4(server_high, server_low));
                forms.push(v4(!high, !low));
            }
            _ => forms.extend(isatap(v6).map(IpAddr::V4)),
        }
    }
    forms
}

/// The IPv4 address of a host that speaks IPv6 over IPv4 within its site (RFC 5214), whatever the
/// prefix is.
fn isatap(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    match ip.segments() {
        [.., 0 | 0x200, 0x5efe, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}

fn nat64(ip: Ipv6Addr) -> Option<Ipv4Addr> {
    match ip.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    }
}

type V4Range = (Ipv4Addr, u32, Range);
type V6Range = (Ipv6Addr, u32, Range);

/// IANA's IPv4 special-purpose registry, multicast and the reserved space.
#[rustfmt::skip]
const V4: &[V4Range] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8, Range::Never("an address of no network")),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Range::Private("a private address")),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Range::Private("an address shared behind a carrier's NAT")),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Range::Private("a loopback address")),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Range::Private("a link-local address")),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Range::Private("a private address")),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Range::Never("an address for protocols")),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Range::Never("an address for documentation")),
    (Ipv4Addr::new(192, 31, 196, 0), 24, Range::Never("an address for protocols")),
    (Ipv4Addr::new(192, 52, 193, 0), 24, Range::Never("an address for protocols")),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Range::Never("a relay between IPv4 and IPv6")),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Range::Private("a private address")),
    (Ipv4Addr::new(192, 175, 48, 0), 24, Range::Never("an address for protocols")),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Range::Never("an address for benchmarks")),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Range::Never("an address for documentation")),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Range::Never("an address for documentation")),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Range::Never("a multicast address")),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Range::Never("a reserved address")),
];

/// IANA's IPv6 special-purpose registry within `2000::/3`, and what is in use outside of it.
#[rustfmt::skip]
const V6: &[V6Range] = &[
    (Ipv6Addr::LOCALHOST, 128, Range::Private("a loopback address")),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, Range::Never("an address for protocols")),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, Range::Never("an address for documentation")),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, Range::Never("a relay between IPv4 and IPv6")),
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48, Range::Never("an address for protocols")),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, Range::Never("an address for documentation")),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, Range::Private("a private address")),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, Range::Private("a link-local address")),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, Range::Never("a multicast address")),
    // The last range that matches nothing above: global unicast.
    (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3, Range::Public),
];

fn range_of_v4(ip: Ipv4Addr) -> Range {
    V4.iter()
        .find(|(base, length, _)| (ip.to_bits() ^ base.to_bits()) >> (32 - length) == 0)
        .map_or(Range::Public, |(_, _, range)| *range)
}

fn range_of_v6(ip: Ipv6Addr) -> Range {
    V6.iter()
        .find(|(base, length, _)| (ip.to_bits() ^ base.to_bits()) >> (128 - length) == 0)
        .map_or(Range::Never("an address that is not in use"), |found| {
            found.2
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether an address is dialled for a rule without options.
    fn dialled(text: &str) -> bool {
        vet(&[text.parse().unwrap()], Beyond::default(), |_| false).is_ok()
    }

    /// Both registries as IANA publishes them, with multicast and reserved space: the first and the
    /// last address, and whether their neighbours are public. Written out, not computed, so that a
    /// wrong mask shows.
    const RANGES: &[(&str, &str, &str, bool, &str, bool)] = &[
        // before, first, last, before is public, after, after is public
        (
            "0.0.0.0",
            "0.0.0.0",
            "0.255.255.255",
            false,
            "1.0.0.0",
            true,
        ),
        (
            "9.255.255.255",
            "10.0.0.0",
            "10.255.255.255",
            true,
            "11.0.0.0",
            true,
        ),
        (
            "100.63.255.255",
            "100.64.0.0",
            "100.127.255.255",
            true,
            "100.128.0.0",
            true,
        ),
        (
            "126.255.255.255",
            "127.0.0.0",
            "127.255.255.255",
            true,
            "128.0.0.0",
            true,
        ),
        (
            "169.253.255.255",
            "169.254.0.0",
            "169.254.255.255",
            true,
            "169.255.0.0",
            true,
        ),
        (
            "172.15.255.255",
            "172.16.0.0",
            "172.31.255.255",
            true,
            "172.32.0.0",
            true,
        ),
        (
            "191.255.255.255",
            "192.0.0.0",
            "192.0.0.255",
            true,
            "192.0.1.0",
            true,
        ),
        (
            "192.0.1.255",
            "192.0.2.0",
            "192.0.2.255",
            true,
            "192.0.3.0",
            true,
        ),
        (
            "192.31.195.255",
            "192.31.196.0",
            "192.31.196.255",
            true,
            "192.31.197.0",
            true,
        ),
        (
            "192.52.192.255",
            "192.52.193.0",
            "192.52.193.255",
            true,
            "192.52.194.0",
            true,
        ),
        (
            "192.88.98.255",
            "192.88.99.0",
            "192.88.99.255",
            true,
            "192.88.100.0",
            true,
        ),
        (
            "192.167.255.255",
            "192.168.0.0",
            "192.168.255.255",
            true,
            "192.169.0.0",
            true,
        ),
        (
            "192.175.47.255",
            "192.175.48.0",
            "192.175.48.255",
            true,
            "192.175.49.0",
            true,
        ),
        (
            "198.17.255.255",
            "198.18.0.0",
            "198.19.255.255",
            true,
            "198.20.0.0",
            true,
        ),
        (
            "198.51.99.255",
            "198.51.100.0",
            "198.51.100.255",
            true,
            "198.51.101.0",
            true,
        ),
        (
            "203.0.112.255",
            "203.0.113.0",
            "203.0.113.255",
            true,
            "203.0.114.0",
            true,
        ),
        (
            "223.255.255.255",
            "224.0.0.0",
            "239.255.255.255",
            true,
            "240.0.0.0",
            false,
        ),
        (
            "239.255.255.255",
            "240.0.0.0",
            "255.255.255.255",
            false,
            "255.255.255.255",
            false,
        ),
        ("::", "::1", "::1", false, "::2", false),
        ("::", "::", "::", false, "::1", false),
        (
            "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff",
            "64:ff9b::7f00:1",
            "64:ff9b::aff:ffff",
            false,
            "64:ff9b::1:0:0",
            false,
        ),
        (
            "64:ff9b:0:ffff:ffff:ffff:ffff:ffff",
            "64:ff9b:1::",
            "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
            false,
            "64:ff9b:2::",
            false,
        ),
        (
            "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "100::",
            "100::ffff:ffff:ffff:ffff",
            false,
            "100:0:0:2::",
            false,
        ),
        (
            "100::ffff:ffff:ffff:ffff",
            "100:0:0:1::",
            "100:0:0:1:ffff:ffff:ffff:ffff",
            false,
            "100:0:0:2::",
            false,
        ),
        (
            "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001::",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            true,
            "2001:200::",
            true,
        ),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            true,
            "2001:db9::",
            true,
        ),
        (
            "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "2002::",
            "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            true,
            "2003::",
            true,
        ),
        (
            "2620:4f:7fff:ffff:ffff:ffff:ffff:ffff",
            "2620:4f:8000::",
            "2620:4f:8000:ffff:ffff:ffff:ffff:ffff",
            true,
            "2620:4f:8001::",
            true,
        ),
        (
            "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "3fff::",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            true,
            "3fff:1000::",
            true,
        ),
        (
            "5eff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "5f00::",
            "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            false,
            "5f01::",
            false,
        ),
        (
            "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fc00::",
            "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            false,
            "fe00::",
            false,
        ),
        (
            "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fe80::",
            "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            false,
            "fec0::",
            false,
        ),
        (
            "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "fec0::",
            "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            false,
            "ff00::",
            false,
        ),
        (
            "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            "ff00::",
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            false,
            "::",
            false,
        ),
    ];

    #[test]
    fn nw_04_every_special_range_ends_where_iana_says() {
        for (before, first, last, before_public, after, after_public) in RANGES {
            assert!(!dialled(first), "{first}");
            assert!(!dialled(last), "{last}");
            assert_eq!(dialled(before), *before_public, "{before}");
            assert_eq!(dialled(after), *after_public, "{after}");
        }
        assert!(!dialled("1fff:ffff::1") && dialled("2000::1"));
        assert!(dialled("3fff:ffff::1") && !dialled("4000::1"));
    }

    #[test]
    fn nw_04_the_ranges_of_ipv4_hold_in_every_ipv6_form() {
        for (_, first, last, _, _, _) in RANGES.iter().filter(|r| r.1.contains('.')) {
            for v4 in [first, last] {
                let v4: Ipv4Addr = v4.parse().unwrap();
                let [a, b, c, d] = v4.octets();
                let hex = format!(
                    "{:x}:{:x}",
                    u16::from_be_bytes([a, b]),
                    u16::from_be_bytes([c, d])
                );
                let inverted = Ipv4Addr::from_bits(!v4.to_bits());
                for form in [
                    format!("::ffff:{v4}"),
                    format!("::{v4}"),
                    format!("::ffff:0:{v4}"),
                    format!("64:ff9b::{v4}"),
                    format!("64:ff9b:1::{v4}"),
                    format!("2002:{hex}::"),
                    format!("2001:0:{hex}::"),
                    format!("2001::{inverted}"),
                ] {
                    assert!(!dialled(&form), "{form}");
                }
            }
        }
        // NAT64 is how hosts without IPv4 reach what has nothing else.
        assert!(dialled("64:ff9b::8.8.8.8") && dialled("::ffff:8.8.8.8"));
    }

    /// The entries of the registries that lie within another one, the scopes of multicast, and
    /// ranges that were given back: first and last address, and what all of it is. What is beside
    /// them is refused as well, by the range around it.
    #[rustfmt::skip]
    const WITHIN: &[(&str, &str, &str)] = &[
        // IPv4: this host, DS-Lite, dummies, PCP and TURN anycast, NAT64 discovery, 6a44, AMT.
        ("0.0.0.0", "0.0.0.0", "an address of no network"),
        ("192.0.0.0", "192.0.0.7", "an address for protocols"),
        ("192.0.0.8", "192.0.0.8", "an address for protocols"),
        ("192.0.0.9", "192.0.0.10", "an address for protocols"),
        ("192.0.0.170", "192.0.0.171", "an address for protocols"),
        ("192.88.99.2", "192.88.99.2", "a relay between IPv4 and IPv6"),
        ("224.0.0.0", "224.0.0.255", "a multicast address"),
        ("232.0.0.0", "232.255.255.255", "a multicast address"),
        ("233.252.0.0", "233.252.0.255", "a multicast address"),
        ("239.255.255.250", "239.255.255.250", "a multicast address"),
        ("255.255.255.254", "255.255.255.255", "a reserved address"),
        // IPv6: Teredo, PCP, TURN, SRP, benchmarks, AMT, AS112, ORCHID, ORCHIDv2, drones.
        ("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:1::1", "2001:1::3", "an address for protocols"),
        ("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:3::", "2001:3:ffff:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:4:112::", "2001:4:112:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:10::", "2001:1f:ffff:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:20::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        ("2001:30::", "2001:3f:ffff:ffff:ffff:ffff:ffff:ffff", "an address for protocols"),
        // Compatible and translated addresses; mapped ones are IPv4 addresses.
        ("::2", "::fffe:ffff:ffff", "an address that is not in use"),
        ("::ffff:0:0:0", "::ffff:0:ffff:ffff", "an address that is not in use"),
        // NAT64 of the site, discarding, segment routing, OSI, IPX, site-local addresses.
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "an address that is not in use"),
        ("100::", "100::ffff:ffff:ffff:ffff", "an address that is not in use"),
        ("200::", "3ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "an address that is not in use"),
        ("400::", "5ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "an address that is not in use"),
        ("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "an address that is not in use"),
        ("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "an address that is not in use"),
        // The scopes of multicast: interface, link, site, organization, global; solicited nodes.
        ("ff01::1", "ff01::2", "a multicast address"),
        ("ff02::1", "ff02::fb", "a multicast address"),
        ("ff02::1:ff00:0", "ff02::1:ffff:ffff", "a multicast address"),
        ("ff05::1:3", "ff08::1", "a multicast address"),
        ("ff0e::1", "ff3e:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "a multicast address"),
    ];

    /// An address as far from another as `step` says.
    fn beside(ip: IpAddr, step: i32) -> IpAddr {
        match ip {
            IpAddr::V4(ip) => Ipv4Addr::from_bits(ip.to_bits().wrapping_add_signed(step)).into(),
            IpAddr::V6(ip) => {
                Ipv6Addr::from_bits(ip.to_bits().wrapping_add_signed(step.into())).into()
            }
        }
    }

    #[test]
    fn nw_04_what_lies_within_a_range_is_never_dialled() {
        let any = Beyond {
            private: true,
            metadata: true,
        };
        for (first, last, why) in WITHIN {
            for (text, outwards) in [(first, -1), (last, 1)] {
                let ip: IpAddr = text.parse().unwrap();
                assert_eq!(range_of(ip), Range::Never(why), "{text}");
                assert!(vet(&[ip], any, |_| false).is_err(), "{text}");
                // Where the range around it ends as well, the table above says what follows.
                let ends = RANGES.iter().any(|range| [range.1, range.2].contains(text));
                let outside = (!ends).then(|| beside(ip, outwards));
                for near in outside.into_iter().chain([beside(ip, -outwards)]) {
                    assert!(
                        vet(&[near], Beyond::default(), |_| false).is_err(),
                        "{near}"
                    );
                }
            }
        }
    }

    #[test]
    fn nw_04_a_tunnel_within_a_site_is_refused_under_every_prefix() {
        for prefix in ["2600:1:2:3", "fd00:1:2:3", "fe80:0:0:0"] {
            for id in ["0:5efe", "200:5efe"] {
                for v4 in ["10.0.0.1", "127.0.0.1", "8.8.8.8"] {
                    assert!(
                        !dialled(&format!("{prefix}:{id}:{v4}")),
                        "{prefix} {id} {v4}"
                    );
                }
                let metadata = format!("{prefix}:{id}:169.254.169.254").parse().unwrap();
                assert_eq!(range_of(metadata), Range::Metadata);
            }
        }
        assert!(dialled("2600:1:2:3:0:5eff:a00:1") && dialled("2600:1:2:3:100:5efe:a00:1"));
    }

    #[test]
    fn nw_04_an_address_of_this_host_is_one_in_every_form() {
        let own: Vec<IpAddr> = ["93.184.216.34", "2600::5"]
            .map(|t| t.parse().unwrap())
            .into();
        for text in [
            "93.184.216.34",
            "::ffff:93.184.216.34",
            "64:ff9b::93.184.216.34",
            "2600::5",
        ] {
            let ip = text.parse().unwrap();
            let refused = vet(&[ip], Beyond::default(), |ip| own.contains(&ip));
            assert_eq!(
                refused,
                Err(Refused::Address(
                    ip.to_canonical(),
                    "an address of this host"
                ))
            );
        }
        assert!(
            vet(
                &["64:ff9b::8.8.8.8".parse().unwrap()],
                Beyond::default(),
                |ip| own.contains(&ip)
            )
            .is_ok()
        );
    }

    #[test]
    fn nw_06_metadata_services_need_their_own_grant_in_every_form() {
        for text in [
            "169.254.169.254",
            "169.254.170.2",
            "169.254.170.23",
            "168.63.129.16",
            "100.100.100.200",
            "192.0.0.192",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fd00:c1::a9fe:a9fe",
            "fd00:100::100:200",
            "fd00:a9fe:a9fe::1",
            "fd00:42::42",
            "fe80::a9fe:a9fe",
            "100.80.80.80",
            "100.96.0.96",
            "169.254.0.23",
            "169.254.42.42",
            "::ffff:169.254.169.254",
            "::ffff:0:169.254.169.254",
            "2001:0:a9fe:a9fe::",
            "2001::5601:5601",
            "2600::5efe:169.254.169.254",
            "64:ff9b::168.63.129.16",
            "2002:a9fe:a9fe::",
            "::169.254.169.254",
        ] {
            let ip = text.parse().unwrap();
            assert_eq!(range_of(ip), Range::Metadata, "{text}");
            let private = Beyond {
                private: true,
                metadata: false,
            };
            assert!(vet(&[ip], private, |_| false).is_err(), "{text}");
        }
        let named = Beyond {
            private: true,
            metadata: true,
        };
        assert!(vet(&["169.254.169.254".parse().unwrap()], named, |_| false).is_ok());
    }

    #[test]
    fn one_refused_answer_refuses_the_name() {
        let answers: Vec<IpAddr> = ["8.8.8.8", "2600::1", "127.0.0.1"]
            .map(|t| t.parse().unwrap())
            .into();
        assert_eq!(
            vet(&answers, Beyond::default(), |_| false),
            Err(Refused::Address(answers[2], "a loopback address"))
        );
        assert_eq!(
            vet(&answers[..2], Beyond::default(), |_| false),
            Ok(answers[..2].to_vec())
        );
        assert_eq!(
            vet(&[], Beyond::default(), |_| false),
            Err(Refused::Nothing)
        );
    }

    // NW-11
    #[test]
    fn nw_11_a_name_with_too_many_addresses_is_refused_before_any_is_looked_at() {
        let addresses = |count: u32| -> Vec<IpAddr> {
            let first = u32::from(Ipv4Addr::new(8, 0, 0, 0));
            let all = (0..count).map(|i| Ipv4Addr::from_bits(first + i).into());
            all.collect()
        };
        let most = addresses(128);
        assert_eq!(vet(&most, Beyond::default(), |_| false), Ok(most.clone()));
        // Also when they are the same ones over and over.
        for many in [addresses(129), vec![most[0]; 129], addresses(1_000_000)] {
            let refused = vet(&many, Beyond::default(), |ip| panic!("{ip} was looked at"));
            assert_eq!(refused, Err(Refused::TooMany(many.len())));
        }
        assert_eq!(
            Refused::TooMany(129).to_string(),
            "it has 129 addresses, and more than 128 are not checked"
        );
    }

    #[test]
    fn an_address_of_the_host_itself_is_not_public() {
        let own = "8.8.4.4".parse().unwrap();
        let is_own = |ip| ip == own;
        assert!(vet(&[own], Beyond::default(), is_own).is_err());
        let private = Beyond {
            private: true,
            metadata: false,
        };
        assert_eq!(vet(&[own], private, is_own), Ok(vec![own]));
    }

    #[test]
    fn private_does_not_grant_what_is_never_dialled() {
        let private = Beyond {
            private: true,
            metadata: false,
        };
        for text in [
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "ff02::1",
            "::",
            "::127.0.0.1",
        ] {
            assert!(
                vet(&[text.parse().unwrap()], private, |_| false).is_err(),
                "{text}"
            );
        }
        for text in [
            "10.1.2.3",
            "127.0.0.1",
            "169.254.1.1",
            "100.64.0.1",
            "::1",
            "fe80::1",
            "fd00::1",
        ] {
            assert!(
                vet(&[text.parse().unwrap()], private, |_| false).is_ok(),
                "{text}"
            );
        }
    }
}
