//! A target: what a URL points to, as far as a policy looks at it.
//!
//! A URL is read twice, by RFC 3986's plain division and by WHATWG's parser, and both have to
//! agree. What programs are known to read differently is denied before: white space, backslashes,
//! missing slashes, an empty port, an `@` where no user can be.

use super::denial::{Denial, DenialKind};
use super::host::Host;
use super::printable;

/// The longest URL that is looked at.
const MAX_URL: usize = 64 * 1024;

/// How a target is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTP inside TLS that the gateway ends.
    Https,
    /// Bytes that nobody looks at.
    Tcp,
    /// Such bytes inside TLS that the gateway ends.
    Tls,
}

impl Scheme {
    /// Reads a scheme in any case.
    pub fn parse(text: &str) -> Option<Scheme> {
        [
            ("http", Scheme::Http),
            ("ws", Scheme::Http),
            ("https", Scheme::Https),
            ("wss", Scheme::Https),
            ("tcp", Scheme::Tcp),
            ("tls", Scheme::Tls),
        ]
        .into_iter()
        .find(|(name, _)| text.eq_ignore_ascii_case(name))
        .map(|(_, scheme)| scheme)
    }

    /// The port without one in the URL; raw connections have none.
    pub fn default_port(self) -> Option<u16> {
        match self {
            Scheme::Http => Some(80),
            Scheme::Https => Some(443),
            Scheme::Tcp | Scheme::Tls => None,
        }
    }

    /// The name in URLs.
    pub fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
            Scheme::Tcp => "tcp",
            Scheme::Tls => "tls",
        }
    }
}

/// What a URL points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// How it is spoken to.
    pub scheme: Scheme,
    /// The host.
    pub host: Host,
    /// The port, the scheme's own when the URL has none.
    pub port: u16,
    /// The path as it was written, `/` when there is none.
    pub path: String,
}

impl Target {
    /// Reads a URL.
    ///
    /// Fails when its scheme is none of ours, or when programs could read it differently.
    pub fn parse(url: &str) -> Result<Target, Denial> {
        read(url).map_err(|why| Denial {
            kind: DenialKind::Ambiguous,
            host: printable(url),
            port: None,
            rule: None,
            reason: format!("`{}`: {why}", printable(url)),
            ask: None,
        })
    }
}

fn read(text: &str) -> Result<Target, &'static str> {
    if text.len() > MAX_URL {
        return Err("the URL is too long");
    }
    if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err("a URL has no white space or control characters");
    }
    if text.contains('\\') {
        return Err("programs read backslashes in URLs differently");
    }
    let (scheme, rest) = text
        .split_once("://")
        .ok_or("write it as `scheme://host/path`")?;
    let scheme = Scheme::parse(scheme).ok_or("only http, https, tcp and tls are forwarded")?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    // `http://good#@evil/` is evil's for some parsers.
    if !tail.starts_with('/') && tail.contains('@') {
        return Err("programs read an `@` behind the host differently");
    }
    let (user, address) = match authority.rsplit_once('@') {
        Some((user, address)) => (Some(user), address),
        None => (None, authority),
    };
    if user.is_some_and(|user| user.contains(['@', '[', ']'])) {
        return Err("programs read two `@` before a path differently");
    }
    let (host, port) = split_port(address)?;
    let port = match port {
        Some(port) => port,
        None => scheme.default_port().ok_or("write the port")?,
    };
    let host = Host::parse(host).map_err(|_| "that is not a host")?;
    // WHATWG's parser on the whole has to find the same host and port. It knows no `tcp`.
    if scheme.default_port().is_some() {
        let whole = url::Url::parse(text).map_err(|_| "that is not a URL")?;
        let same_host = whole
            .host()
            .and_then(|host| Host::of(host).ok())
            .is_some_and(|other| other == host);
        if !same_host || whole.port_or_known_default() != Some(port) {
            return Err("programs read this URL differently");
        }
    } else if !matches!(tail, "" | "/") || user.is_some() {
        return Err("a raw connection has a host and a port only");
    }
    let path = tail.split(['?', '#']).next().unwrap_or_default();
    Ok(Target {
        scheme,
        host,
        port,
        path: if path.is_empty() { "/" } else { path }.to_owned(),
    })
}

/// Divides `host`, `host:port` and `[v6]:port`.
pub(crate) fn split_port(address: &str) -> Result<(&str, Option<u16>), &'static str> {
    let (host, port) = match address.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (address, None),
    };
    let bracketed = host.starts_with('[') && host.ends_with(']');
    if !bracketed && host.contains([':', '[', ']']) {
        return Err("IPv6 addresses stand in brackets");
    }
    Ok((host, port.map(parse_port).transpose()?))
}

/// Reads a port: decimal digits and nothing else.
pub(super) fn parse_port(text: &str) -> Result<u16, &'static str> {
    let is_plain = !text.is_empty() && text.len() <= 5 && text.bytes().all(|b| b.is_ascii_digit());
    match text.parse() {
        Ok(port) if is_plain && port != 0 => Ok(port),
        _ => Err("a port is a number from 1 to 65535"),
    }
}
