//! Rules, hosts and URLs: one decision for one host, however it is written.

use std::net::IpAddr;
use std::sync::Arc;

use crate::policy::denial::DenialKind;
use crate::policy::host::Host;
use crate::policy::target::Target;
use crate::policy::{Policy, PolicySpec, RuleSpec};
use crate::vet::{self, Range};

const MOST_RULES: usize = 8;
const MOST_URLS: usize = 16;

/// Text. Its first line are rules with spaces between them, `!` before one with `private` and `?`
/// before one that blocks; each other line is a URL and a host.
///
/// Whatever they are: another spelling of a host is decided the same, an address that is refused is
/// refused in every form, and a policy beneath another allows what both do.
pub fn network_policy(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.split('\n');
    let rules = lines.next().unwrap_or_default().split_ascii_whitespace();
    let (blocking, allowing): (Vec<&str>, Vec<&str>) = rules
        .take(MOST_RULES)
        .partition(|rule| rule.starts_with('?'));
    let allowed = policy(PolicySpec {
        allowed_hosts: Some(kept(&allowing, |rules| PolicySpec {
            allowed_hosts: Some(rules),
            ..PolicySpec::default()
        })),
        ..PolicySpec::default()
    });
    let blocked = policy(PolicySpec {
        blocked_hosts: Some(kept(&blocking, |rules| PolicySpec {
            blocked_hosts: Some(rules),
            ..PolicySpec::default()
        })),
        ..PolicySpec::default()
    });
    let (Some(allowed), Some(blocked)) = (allowed, blocked) else {
        return;
    };
    let both = allowed_beneath(&allowing, &blocked);
    for line in lines.take(MOST_URLS) {
        if let Ok(host) = Host::parse(line) {
            one_host(&host);
        }
        let Ok(target) = Target::parse(line) else {
            let denial = allowed
                .check(line, "GET")
                .map(drop)
                .map_err(|denial| denial.kind);
            assert_eq!(denial, Err(DenialKind::Ambiguous), "{line}");
            continue;
        };
        one_host(&target.host);
        for policy in [&allowed, &blocked] {
            one_target(policy, line, &target);
        }
        if let Some(both) = &both {
            let by_both = allowed.check(line, "GET").is_ok() && blocked.check(line, "GET").is_ok();
            assert_eq!(both.check(line, "GET").is_ok(), by_both, "{line}");
        }
    }
}

fn policy(spec: PolicySpec) -> Option<Arc<Policy>> {
    Policy::new(&spec, 1).ok().map(Arc::new)
}

/// The rules that can be read; what cannot is refused by itself.
fn kept(rules: &[&str], spec: impl Fn(Vec<RuleSpec>) -> PolicySpec) -> Vec<RuleSpec> {
    let read = rules.iter().map(|rule| {
        let rule = rule.strip_prefix('?').unwrap_or(rule);
        match rule.strip_prefix('!') {
            Some(rule) => RuleSpec {
                private: true,
                ..RuleSpec::from(rule)
            },
            None => RuleSpec::from(rule),
        }
    });
    read.filter(|rule| Policy::new(&spec(vec![rule.clone()]), 1).is_ok())
        .collect()
}

fn allowed_beneath(allowing: &[&str], ceiling: &Arc<Policy>) -> Option<Policy> {
    let of = |rules| PolicySpec {
        allowed_hosts: Some(rules),
        ..PolicySpec::default()
    };
    let policy = Policy::new(&of(kept(allowing, of)), 1).ok()?;
    Some(policy.beneath(ceiling.clone()))
}

/// A host is itself, however it is written.
fn one_host(host: &Host) {
    for spelling in spellings(host) {
        assert_eq!(Host::parse(&spelling).as_ref(), Ok(host), "{spelling}");
    }
}

/// What the same host is written as.
fn spellings(host: &Host) -> Vec<String> {
    let mut all = vec![host.to_string(), host.in_url()];
    match host {
        Host::Name(name) => {
            all.push(name.to_uppercase());
            all.push(format!("{name}."));
            all.push(name.replace('.', "\u{3002}"));
        }
        Host::Ip(IpAddr::V4(ip)) => {
            let (number, [first, ..]) = (ip.to_bits(), ip.octets());
            all.push(number.to_string());
            all.push(format!("0x{number:X}"));
            all.push(format!("0{number:o}"));
            all.push(format!("0x{first:x}.{}", number & 0xff_ffff));
            all.push(format!("{ip}."));
            all.push(format!("::ffff:{ip}"));
            all.push(format!("[::FFFF:{:x}:{:x}]", number >> 16, number & 0xffff));
            let wide = |c: char| c.to_digit(10).and_then(|d| char::from_u32(0xff10 + d));
            all.push(
                ip.to_string()
                    .chars()
                    .map(|c| wide(c).unwrap_or('\u{ff0e}'))
                    .collect(),
            );
        }
        Host::Ip(IpAddr::V6(ip)) => {
            let long: Vec<_> = ip.segments().iter().map(|s| format!("{s:04X}")).collect();
            all.push(long.join(":"));
            all.push(format!("[{}]", long.join(":")));
        }
    }
    all
}

/// What must hold of a decision.
fn one_target(policy: &Policy, url: &str, target: &Target) {
    let decided = policy.check(url, "GET");
    let kind = decided.as_ref().err().map(|denial| denial.kind);
    let Target {
        scheme,
        host,
        port,
        path,
    } = target;
    for spelling in spellings(host) {
        // A bare IPv6 address is no authority.
        if spelling.contains(':') && !spelling.starts_with('[') {
            continue;
        }
        let other = format!("{}://{spelling}:{port}{path}", scheme.as_str());
        let again = policy.check(&other, "GET").err().map(|denial| denial.kind);
        assert_eq!(again, kind, "{url} and {other}");
    }
    let Ok(grant) = decided else {
        return;
    };
    assert!(
        policy.open(host, *port).is_ok(),
        "a request without a connection: {url}"
    );
    assert!(policy.knows(host), "a connection without a lookup: {url}");
    let Host::Ip(ip) = host else {
        return;
    };
    let beyond = grant.beyond();
    let is_dialled = |ip: IpAddr| vet::vet(&[ip], beyond, |_| false).is_ok();
    let expected = match vet::range_of(*ip) {
        Range::Public => true,
        Range::Private(_) => beyond.private,
        Range::Metadata => beyond.metadata,
        Range::Never(_) => false,
    };
    assert_eq!(is_dialled(*ip), expected, "{ip}");
    for form in vet::forms(*ip) {
        assert!(is_dialled(form) || !expected, "{ip} is {form}");
        assert!(
            policy.blocks_address(form, *port).is_none(),
            "{ip} is {form}"
        );
    }
}
