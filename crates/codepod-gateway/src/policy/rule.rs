//! A rule: `[scheme://]host[:port[,port…]|:*][/path/prefix]`, and what its object adds.

use std::fmt;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::host::Host;
use super::path_prefix::PathPrefix;
use super::pattern::HostPattern;
use super::target::{Scheme, parse_port};
use crate::vet::{self, Range};

/// The longest rule.
const MAX_RULE: usize = 4096;

/// A rule as an embedder writes it; a plain string is one without options.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleSpec {
    /// `[scheme://]host[:port[,port…]|:*][/path/prefix]`.
    pub rule: String,
    /// The methods; all but CONNECT and TRACE when there are none given.
    pub methods: Option<Vec<String>>,
    /// Whether private, link-local and loopback addresses may be dialled.
    pub private: bool,
    /// How TLS is spoken.
    pub tls: TlsSpec,
}

/// How TLS is spoken under a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsSpec {
    /// Root certificates (DER) that decide in place of the default ones.
    pub roots: Option<Vec<Vec<u8>>>,
    /// Whether any certificate is taken. Events say so, and no secret goes there.
    pub insecure: bool,
    /// What the server is shown in place of what a guest has.
    pub client_cert: Option<ClientCert>,
}

impl TlsSpec {
    /// How TLS is spoken where a ceiling allows the same: it is checked as much as the ceiling
    /// checks it, by the ceiling's roots where it has some.
    pub(super) fn beneath(self: Arc<TlsSpec>, most: &Arc<TlsSpec>) -> Arc<TlsSpec> {
        let insecure = self.insecure && most.insecure;
        match &most.roots {
            None if insecure == self.insecure => self,
            roots => Arc::new(TlsSpec {
                roots: roots.as_ref().or(self.roots.as_ref()).cloned(),
                insecure,
                client_cert: self.client_cert.clone(),
            }),
        }
    }
}

/// A certificate for clients, and its key, which no guest sees.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientCert {
    /// The certificates (DER), its own first.
    pub chain: Vec<Vec<u8>>,
    /// The key (DER).
    pub key: Zeroizing<Vec<u8>>,
}

impl fmt::Debug for ClientCert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ClientCert(…)")
    }
}

impl From<&str> for RuleSpec {
    fn from(rule: &str) -> RuleSpec {
        RuleSpec {
            rule: rule.to_owned(),
            ..RuleSpec::default()
        }
    }
}

/// Why a rule cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// The scheme is none of the four.
    #[error("the scheme is https, http, tcp or tls")]
    Scheme,
    /// The host cannot be read.
    #[error("the host is a name, `*.name`, an address, or a range such as `10.0.0.0/8`")]
    Host,
    /// A range has bits behind its length.
    #[error("the range's address has bits beyond its length")]
    RangeHasHostBits,
    /// `*.` of a domain that belongs to everybody.
    #[error("everybody can have a name beneath this one, so the rule would allow everybody")]
    PublicSuffix,
    /// The ports cannot be read.
    #[error("ports are numbers from 1 to 65535 with commas between them, or `*`")]
    Port,
    /// A raw connection has no port of its own.
    #[error("a rule for tcp or tls names its ports")]
    NoPort,
    /// The path cannot be read, or is ambiguous.
    #[error("the path has no `..`, `//`, `;`, `\\`, `?`, `#`, and no encoded delimiters")]
    Path,
    /// Only HTTP has paths and methods.
    #[error("a rule for tcp or tls has neither path nor methods")]
    NotHttp,
    /// A method is not one.
    #[error("a method is a word such as `GET`; CONNECT is never forwarded")]
    Method,
    /// It names addresses that are not public.
    #[error("that is not a public address: it is only reached by a rule with `private`")]
    NeedsPrivate,
    /// It names addresses that are never dialled.
    #[error("addresses of this range are never dialled")]
    NeverDialled,
    /// Who takes any certificate cannot know who it is shown to.
    #[error("a rule that is `insecure` has neither roots nor a client's certificate")]
    Insecure,
    /// It is too long.
    #[error("a rule has at most {MAX_RULE} bytes")]
    TooLong,
}

/// A rule that was read.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    scheme: Option<Scheme>,
    pattern: HostPattern,
    ports: Ports,
    path: Option<PathPrefix>,
    methods: Option<Vec<String>>,
    private: bool,
    tls: Arc<TlsSpec>,
}

#[derive(Debug, PartialEq, Eq)]
enum Ports {
    /// Those of the scheme.
    Default,
    Every,
    These(Vec<u16>),
}

/// What a connection under a rule carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// HTTP, plain or in TLS; each request is decided.
    Http,
    /// Any bytes.
    Tcp,
    /// Any bytes in TLS.
    Tls,
}

/// What is known of what a connection is for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Use<'a> {
    /// Nothing yet.
    Any,
    /// What it carries.
    Stream(Scheme),
    /// One request.
    Request {
        scheme: Scheme,
        method: &'a str,
        path: &'a str,
    },
}

impl Use<'_> {
    fn scheme(&self) -> Option<Scheme> {
        match *self {
            Use::Any => None,
            Use::Stream(scheme) | Use::Request { scheme, .. } => Some(scheme),
        }
    }
}

impl Rule {
    /// Reads a rule that allows.
    pub(super) fn allowing(spec: &RuleSpec) -> Result<Rule, RuleError> {
        let rule = Rule::parse(spec)?;
        for ip in rule.pattern.addresses() {
            match vet::range_of(ip) {
                Range::Public => {}
                Range::Private(_) if rule.private => {}
                Range::Private(_) => return Err(RuleError::NeedsPrivate),
                Range::Metadata if rule.private && rule.is_exactly(&Host::Ip(ip)) => {}
                Range::Metadata | Range::Never(_) => return Err(RuleError::NeverDialled),
            }
        }
        let tls = &rule.tls;
        if tls.insecure && (tls.roots.is_some() || tls.client_cert.is_some()) {
            return Err(RuleError::Insecure);
        }
        if matches!(rule.scheme, Some(Scheme::Tcp | Scheme::Tls)) {
            if rule.ports == Ports::Default {
                return Err(RuleError::NoPort);
            }
            if rule.path.is_some() || rule.methods.is_some() {
                return Err(RuleError::NotHttp);
            }
        }
        Ok(rule)
    }

    /// Reads a rule that blocks. Without ports it blocks all of them.
    pub(super) fn blocking(spec: &RuleSpec) -> Result<Rule, RuleError> {
        Rule::parse(spec)
    }

    /// The rule for everything that is not blocked.
    pub(super) fn everything_public() -> Rule {
        Rule {
            scheme: None,
            pattern: HostPattern::Range(ipnet::Ipv6Net::default().into()),
            ports: Ports::Default,
            path: None,
            methods: None,
            private: false,
            tls: Arc::default(),
        }
    }

    fn parse(spec: &RuleSpec) -> Result<Rule, RuleError> {
        let text = spec.rule.as_str();
        if text.len() > MAX_RULE {
            return Err(RuleError::TooLong);
        }
        if text.contains(|c: char| c.is_control() || c.is_whitespace() || "@%".contains(c))
            && !text.contains('/')
        {
            return Err(RuleError::Host);
        }
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(Scheme::parse(scheme).ok_or(RuleError::Scheme)?), rest),
            None => (None, text),
        };
        let (address, path) = divide(rest);
        let (host, ports) = divide_ports(address)?;
        let path = match path {
            "" => None,
            path if path
                .contains(|c: char| c.is_control() || c.is_whitespace() || "?#".contains(c)) =>
            {
                return Err(RuleError::Path);
            }
            path => Some(PathPrefix::parse(path).ok_or(RuleError::Path)?),
        };
        if let Some(methods) = &spec.methods
            && methods.iter().any(|m| !is_token(m) || m == "CONNECT")
        {
            return Err(RuleError::Method);
        }
        Ok(Rule {
            scheme,
            pattern: HostPattern::parse(host)?,
            ports,
            path: path.filter(|path| !path.is_root()),
            methods: spec.methods.clone(),
            private: spec.private,
            tls: Arc::new(spec.tls.clone()),
        })
    }

    pub(super) fn pattern(&self) -> &HostPattern {
        &self.pattern
    }

    /// What a connection under this rule carries.
    pub fn protocol(&self) -> Protocol {
        match self.scheme {
            Some(Scheme::Tcp) => Protocol::Tcp,
            Some(Scheme::Tls) => Protocol::Tls,
            Some(Scheme::Http | Scheme::Https) | None => Protocol::Http,
        }
    }

    /// The ports that it is for; `None` for any.
    pub(super) fn ports(&self) -> Option<Vec<u16>> {
        match (&self.ports, self.scheme) {
            (Ports::Every, _) => None,
            (Ports::These(ports), _) => Some(ports.clone()),
            (Ports::Default, Some(scheme)) => Some(scheme.default_port().into_iter().collect()),
            (Ports::Default, None) => Some(vec![80, 443]),
        }
    }

    /// Whether private addresses may be dialled.
    pub fn private(&self) -> bool {
        self.private
    }

    /// How TLS is spoken.
    pub fn tls(&self) -> &Arc<TlsSpec> {
        &self.tls
    }

    /// The parent of the names that the rule covers by `*`.
    pub fn wildcard(&self) -> Option<&str> {
        match &self.pattern {
            HostPattern::Beneath(parent) => Some(parent),
            HostPattern::Exactly(_) | HostPattern::Range(_) => None,
        }
    }

    /// Whether it names this host itself, and not a pattern that covers it.
    pub(super) fn is_exactly(&self, host: &Host) -> bool {
        matches!(&self.pattern, HostPattern::Exactly(exact) if exact == host)
    }

    /// Whether it allows this, for a host that its pattern covers.
    pub(super) fn allows(&self, port: u16, what: &Use<'_>) -> bool {
        let speaks = match (self.scheme, what.scheme()) {
            (_, None) => true,
            (Some(own), Some(scheme)) => own == scheme,
            (None, Some(scheme)) => matches!(scheme, Scheme::Http | Scheme::Https),
        };
        let scheme = self.scheme.or(what.scheme());
        let at_port = match (&self.ports, scheme) {
            (Ports::Every, _) => true,
            (Ports::These(ports), _) => ports.contains(&port),
            (Ports::Default, Some(scheme)) => scheme.default_port() == Some(port),
            (Ports::Default, None) => port == 443 || port == 80,
        };
        let asked = match what {
            Use::Any | Use::Stream(_) => true,
            Use::Request { method, path, .. } => {
                let method = match &self.methods {
                    Some(methods) => methods.iter().any(|own| own == method),
                    None => *method != "TRACE",
                };
                // A path that servers read differently is not beneath anything.
                method
                    && self
                        .path
                        .as_ref()
                        .is_none_or(|own| own.covers(path) == Some(true))
            }
        };
        speaks && at_port && asked
    }

    /// Whether it blocks this, for a host that its pattern covers. What may still become another
    /// scheme, method or path is not blocked yet.
    pub(super) fn blocks(&self, port: u16, what: &Use<'_>) -> bool {
        let speaks = self.scheme.is_none() || self.scheme == what.scheme();
        let at_port = match &self.ports {
            Ports::Default | Ports::Every => true,
            Ports::These(ports) => ports.contains(&port),
        };
        let asked = match what {
            Use::Any | Use::Stream(_) => self.methods.is_none() && self.path.is_none(),
            Use::Request { method, path, .. } => {
                let methods = self.methods.as_ref();
                // A path that servers read differently may be the one that is blocked.
                methods.is_none_or(|own| own.iter().any(|own| own == method))
                    && self
                        .path
                        .as_ref()
                        .is_none_or(|own| own.covers(path) != Some(false))
            }
        };
        speaks && at_port && asked
    }

    /// Whether nothing of a host that the pattern covers is left.
    pub(super) fn blocks_every_port(&self) -> bool {
        self.scheme.is_none()
            && self.methods.is_none()
            && self.path.is_none()
            && !matches!(self.ports, Ports::These(_))
    }
}

/// Divides host and ports from the path. The slash of a range, which is followed by digits and a
/// port or nothing, belongs to the host.
fn divide(rest: &str) -> (&str, &str) {
    let Some(slash) = rest.find('/') else {
        return (rest, "");
    };
    let (host, tail) = rest.split_at(slash);
    let digits = tail[1..].bytes().take_while(u8::is_ascii_digit).count();
    let behind = &tail[1 + digits..];
    let is_address = host
        .trim_start_matches('[')
        .parse::<std::net::IpAddr>()
        .is_ok();
    if !is_address
        || digits == 0
        || !matches!(behind.bytes().next(), None | Some(b':' | b']' | b'/'))
    {
        return (host, tail);
    }
    // `10.0.0.0/8/x` is a range and a path, `10.0.0.0/8` a range, `10.0.0.0/v1` an address and a
    // path.
    match behind.find('/') {
        Some(path) => rest.split_at(slash + 1 + digits + path),
        None => (rest, ""),
    }
}

/// Divides `host:ports`.
fn divide_ports(address: &str) -> Result<(&str, Ports), RuleError> {
    // An IPv6 address without brackets has no ports.
    let is_bare_v6 = !address.starts_with('[') && address.matches(':').count() > 1;
    let Some((host, ports)) = address
        .rsplit_once(':')
        .filter(|(_, ports)| !is_bare_v6 && !ports.contains(']'))
    else {
        return Ok((address, Ports::Default));
    };
    if ports == "*" {
        return Ok((host, Ports::Every));
    }
    let ports: Result<Vec<u16>, _> = ports.split(',').map(parse_port).collect();
    Ok((host, Ports::These(ports.map_err(|_| RuleError::Port)?)))
}

/// Whether a text is a token of HTTP, as methods are.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
}
