//! The host of a rule: a name, all names beneath one, an address, or a range of addresses.

use std::net::IpAddr;

use ipnet::IpNet;

use super::host::Host;
use super::rule::RuleError;

/// Which hosts a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostPattern {
    /// This name or address.
    Exactly(Host),
    /// Every name beneath this one, which itself is not meant.
    Beneath(Box<str>),
    /// Every address in a range. Names are not meant: policy is by name, before a lookup.
    Range(IpNet),
}

impl HostPattern {
    /// Reads a name, `*.name`, an address (IPv6 in brackets), or a range with its length.
    pub(super) fn parse(text: &str) -> Result<HostPattern, RuleError> {
        let bare = match text.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').ok_or(RuleError::Host)?,
            None => text,
        };
        if bare.contains('/') {
            let range: IpNet = bare.parse().map_err(|_| RuleError::Host)?;
            return if range.addr() == range.network() {
                Ok(HostPattern::Range(range))
            } else {
                Err(RuleError::RangeHasHostBits)
            };
        }
        if let Some(parent) = text.strip_prefix("*.") {
            let Ok(Host::Name(parent)) = Host::parse(parent) else {
                return Err(RuleError::Host);
            };
            return if is_public_suffix(&parent) {
                Err(RuleError::PublicSuffix)
            } else {
                Ok(HostPattern::Beneath(parent))
            };
        }
        match Host::parse(bare) {
            Ok(Host::Name(_)) if bare != text => Err(RuleError::Host),
            Ok(host) => Ok(HostPattern::Exactly(host)),
            Err(_) => Err(RuleError::Host),
        }
    }

    /// The addresses that it names, if it names any; the first and the last of a range.
    pub(super) fn addresses(&self) -> Vec<IpAddr> {
        match self {
            HostPattern::Exactly(Host::Ip(ip)) => vec![*ip],
            HostPattern::Range(range) => vec![range.network(), range.broadcast()],
            HostPattern::Exactly(Host::Name(_)) | HostPattern::Beneath(_) => Vec::new(),
        }
    }
}

/// Whether anybody can register names beneath `name`: then a rule for all of them allows everybody.
fn is_public_suffix(name: &str) -> bool {
    !name.contains('.') || psl::suffix_str(name).is_none_or(|suffix| suffix == name)
}
