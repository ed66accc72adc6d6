//! The metadata services of clouds, which hand credentials to whoever can reach them.
//!
//! Most are at link-local addresses, which vetting refuses anyway; some are not, and a rule that
//! allows private addresses for a wildcard must not let them in.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::host::Host;

/// Names by which clouds publish their metadata service.
const NAMES: &[&str] = &[
    "api.metadata.cloud.ibm.com",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata",
    "metadata.aliyun.com",
    "metadata.goog",
    "metadata.google.internal",
    "metadata.packet.net",
    "metadata.platformequinix.com",
    "metadata.tencentyun.com",
];

const V4: &[Ipv4Addr] = &[
    // Amazon, Google, Microsoft, Oracle, IBM, DigitalOcean, Hetzner.
    Ipv4Addr::new(169, 254, 169, 254),
    // Amazon: the time service, DNS, credentials of containers and pods.
    Ipv4Addr::new(169, 254, 169, 123),
    Ipv4Addr::new(169, 254, 169, 253),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    // Tencent.
    Ipv4Addr::new(169, 254, 0, 23),
    // Scaleway.
    Ipv4Addr::new(169, 254, 42, 42),
    // Microsoft's wire server, which is in a public range.
    Ipv4Addr::new(168, 63, 129, 16),
    // Alibaba.
    Ipv4Addr::new(100, 100, 100, 200),
    // Volcano Engine.
    Ipv4Addr::new(100, 96, 0, 96),
    // UCloud.
    Ipv4Addr::new(100, 80, 80, 80),
    // Oracle's classic cloud.
    Ipv4Addr::new(192, 0, 0, 192),
];

const V6: &[Ipv6Addr] = &[
    // Amazon: instances, time, DNS, pods.
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x123),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x253),
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23),
    // Google.
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    // Scaleway.
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),
    // Oracle.
    Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
    // Alibaba.
    Ipv6Addr::new(0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200),
    // Akamai.
    Ipv6Addr::new(0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1),
    // OpenStack.
    Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
];

/// Whether a host is a metadata service, by its name or by its address in any form.
pub(super) fn is_metadata(host: &Host) -> bool {
    match host {
        Host::Name(name) => NAMES.contains(&&**name),
        Host::Ip(ip) => crate::vet::forms(*ip).into_iter().any(is_metadata_address),
    }
}

/// Whether an address is a metadata service's; forms that embed another address are unwrapped by
/// [`crate::vet`].
pub fn is_metadata_address(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => V4.contains(&ip),
        IpAddr::V6(ip) => V6.contains(&ip),
    }
}
