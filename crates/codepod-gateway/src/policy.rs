//! What a sandbox may reach.
//!
//! A policy is pure: it reads a name, a port, a URL and a method, and answers with the rule that
//! allows it or with a [`Denial`]. It looks nothing up and counts nothing. A decision goes through
//! these steps, and the first that refuses ends it:
//!
//! 1. a sandbox without a policy has no network (the caller's step);
//! 2. hosts and URLs are read by one parser; what is ambiguous is denied ([`Host`], [`Target`]);
//! 3. metadata services are denied, unless a rule with `private` names them literally;
//! 4. `allowed_hosts`, when there is a list, must match; otherwise `blocked_hosts`, when there is
//!    a list, must not match; with neither, everything is denied.
//!
//! A policy may have another above it, which has to allow the same.
//!
//! Addresses are vetted after the lookup, by [`crate::vet`].
//!
//! [`Host`]: host::Host
//! [`Target`]: target::Target

pub mod denial;
pub mod host;
mod metadata;
mod path_prefix;
mod pattern;
mod rule;
mod rule_set;
mod secret_rules;
pub mod target;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use denial::{Denial, DenialKind};
use host::Host;
use target::{Scheme, Target};

pub use metadata::is_metadata_address;
pub use rule::{ClientCert, Protocol, Rule, RuleError, RuleSpec, TlsSpec};
pub use rule_set::{List, RuleRef};
pub(crate) use secret_rules::SecretRules;

use crate::vet::{self, Beyond};
use rule::Use;
use rule_set::RuleSet;

/// How many rules a list may have, and how many static addresses.
pub const MAX_RULES: usize = 10_000;

/// What a policy is made from.
#[derive(Debug, Clone, Default)]
pub struct PolicySpec {
    /// What may be reached. `None` leaves the decision to `blocked_hosts`; an empty list allows
    /// nothing.
    pub allowed_hosts: Option<Vec<RuleSpec>>,
    /// What may not be reached, while everything public else may, by https on port 443 and http on
    /// port 80. Ignored when there is a list of allowed hosts.
    pub blocked_hosts: Option<Vec<RuleSpec>>,
    /// Static addresses of names, as `IP` or `IP:PORT`. An entry grants its address to its name,
    /// whatever range it is in; the name still needs a rule.
    pub hosts: BTreeMap<String, String>,
    /// Whether the lists are enforced.
    pub mode: Mode,
}

/// Whether the lists are enforced.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// What the lists do not allow is denied.
    #[default]
    Enforce,
    /// What the lists do not allow is let through over http and https, and reported. Everything
    /// else is enforced: ambiguous targets, metadata services, addresses, budgets and secrets.
    Report,
}

/// What a sandbox may reach; see the [module](self).
#[derive(Debug)]
pub struct Policy {
    version: u64,
    mode: Mode,
    lists: Lists,
    hosts: HashMap<Box<str>, StaticAddress>,
    /// What it may not go beyond.
    ceiling: Option<Arc<Policy>>,
}

#[derive(Debug)]
enum Lists {
    Allowed(RuleSet),
    /// The rules that block, and the rule for everything else.
    Blocked(RuleSet, Arc<Rule>),
    Neither,
}

/// The address that `hosts` gives a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StaticAddress {
    ip: IpAddr,
    port: Option<u16>,
}

impl StaticAddress {
    /// Where a connection to `port` of the name goes.
    pub fn at(self, port: u16) -> SocketAddr {
        SocketAddr::new(self.ip, self.port.unwrap_or(port))
    }
}

/// What allows a connection or a request.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The rule, unless everything is let through and reported.
    pub rule: Option<Arc<Rule>>,
    /// Its place in its list; the rule that stands for everything not blocked has none.
    pub rule_ref: Option<RuleRef>,
    /// What would have denied it, if the mode were to enforce.
    pub reported: Option<Denial>,
    /// The version of the policy that decided.
    pub version: u64,
    /// How TLS is spoken, where it is.
    pub tls: Arc<TlsSpec>,
    /// Whether addresses that are not public may be dialled.
    private: bool,
    /// Whether the host is a metadata service, which is granted by its own name only.
    metadata: bool,
}

impl Grant {
    /// What a connection under this grant carries.
    pub fn protocol(&self) -> Protocol {
        self.rule
            .as_ref()
            .map_or(Protocol::Http, |rule| rule.protocol())
    }

    /// What may be dialled beyond public addresses.
    pub fn beyond(&self) -> Beyond {
        Beyond {
            private: self.private,
            metadata: self.private && self.metadata,
        }
    }
}

/// Why a policy cannot be made. The text names the list and the rule.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PolicyError {
    /// A rule is not one.
    #[error("{rule}: {why}")]
    Rule {
        /// Which.
        rule: RuleRef,
        /// Why.
        why: RuleError,
    },
    /// A static address is not one.
    #[error("hosts: `{name}` = `{address}`: {why}")]
    Host {
        /// The name.
        name: String,
        /// Its address.
        address: String,
        /// Why.
        why: &'static str,
    },
    /// There are too many rules.
    #[error("a list has at most {MAX_RULES} rules")]
    TooMany,
}

impl Policy {
    /// A policy with `version`, which is in every decision that it makes.
    ///
    /// Fails when a rule or a static address cannot be read, or grants less than it says.
    pub fn new(spec: &PolicySpec, version: u64) -> Result<Policy, PolicyError> {
        let lists = match (&spec.allowed_hosts, &spec.blocked_hosts) {
            (Some(allowed), _) => Lists::Allowed(RuleSet::new(List::Allowed, allowed)?),
            (None, Some(blocked)) => Lists::Blocked(
                RuleSet::new(List::Blocked, blocked)?,
                Arc::new(Rule::everything_public()),
            ),
            (None, None) => Lists::Neither,
        };
        if spec.hosts.len() > MAX_RULES {
            return Err(PolicyError::TooMany);
        }
        let mut hosts = HashMap::new();
        for (name, address) in &spec.hosts {
            let fail = |why| PolicyError::Host {
                name: name.clone(),
                address: address.clone(),
                why,
            };
            let Ok(Host::Name(key)) = Host::parse(name) else {
                return Err(fail("that is not the name of a host"));
            };
            let target = static_address(address).ok_or_else(|| fail("write `IP` or `IP:PORT`"))?;
            hosts.insert(key, target);
        }
        Ok(Policy {
            version,
            mode: spec.mode,
            lists,
            hosts,
            ceiling: None,
        })
    }

    /// The policy, within another: what both allow. Static addresses, which grant what is not
    /// public, are the other's only.
    pub fn beneath(self, ceiling: Arc<Policy>) -> Policy {
        Policy {
            hosts: HashMap::new(),
            ceiling: Some(ceiling),
            ..self
        }
    }

    /// The ports that connections may go to; `None` where that can be any.
    pub fn ports(&self) -> Option<BTreeSet<u16>> {
        let mut ports = BTreeSet::new();
        let web = [80, 443];
        match &self.lists {
            _ if self.mode == Mode::Report => return None,
            Lists::Allowed(rules) => {
                for rule in rules.iter() {
                    ports.extend(rule.ports()?);
                }
            }
            Lists::Blocked(..) => ports.extend(web),
            Lists::Neither => {}
        }
        ports.extend(self.hosts.values().filter_map(|address| address.port));
        Some(ports)
    }

    /// The version, which is in every decision.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The static address of a name.
    pub fn static_address(&self, host: &Host) -> Option<StaticAddress> {
        match (host, &self.ceiling) {
            (Host::Ip(_), _) => None,
            (Host::Name(_), Some(ceiling)) => ceiling.static_address(host),
            (Host::Name(name), None) => self.hosts.get(name).copied(),
        }
    }

    /// Whether a name may be looked up: some port of it may be reached.
    pub fn knows(&self, host: &Host) -> bool {
        let listed = match &self.lists {
            Lists::Allowed(rules) => {
                self.mode == Mode::Report || rules.candidates(host).next().is_some()
            }
            Lists::Blocked(rules, _) => {
                self.mode == Mode::Report
                    || !rules
                        .candidates(host)
                        .any(|index| rules.rule(index).blocks_every_port())
            }
            Lists::Neither => false,
        };
        let within = self.ceiling.as_ref();
        listed && self.metadata(host).is_ok() && within.is_none_or(|ceiling| ceiling.knows(host))
    }

    /// Whether a connection to `port` of `host` may be opened at all. What it may carry is decided
    /// when that is known, by [`Policy::stream`] and [`Policy::request`].
    pub fn open(&self, host: &Host, port: u16) -> Result<Grant, Denial> {
        self.decide(host, port, &Use::Any)
    }

    /// Whether a connection to `port` of `host` may carry `scheme`.
    pub fn stream(&self, host: &Host, port: u16, scheme: Scheme) -> Result<Grant, Denial> {
        self.decide(host, port, &Use::Stream(scheme))
    }

    /// Whether a request may use `method` on `target`, whose path is as the client sent it.
    pub fn request(&self, target: &Target, method: &str) -> Result<Grant, Denial> {
        if method == "CONNECT" || !rule::is_token(method) {
            return Err(Subject::new(&target.host, target.port).denial(
                DenialKind::Ambiguous,
                None,
                format!("the method `{}` is not forwarded", printable(method)),
                None,
            ));
        }
        let request = Use::Request {
            scheme: target.scheme,
            method,
            path: &target.path,
        };
        self.decide(&target.host, target.port, &request)
    }

    /// Whether `method` may be used on `url`: steps 2 to 4. Nothing is consumed.
    pub fn check(&self, url: &str, method: &str) -> Result<Grant, Denial> {
        self.check_target(&Target::parse(url)?, method)
    }

    /// The same of a URL that was read.
    pub(crate) fn check_target(&self, target: &Target, method: &str) -> Result<Grant, Denial> {
        let stream = || self.stream(&target.host, target.port, target.scheme);
        let mut grant = match target.scheme {
            Scheme::Http | Scheme::Https => self.request(target, method)?,
            Scheme::Tcp | Scheme::Tls => stream()?,
        };
        // A connection has the TLS of the rule that it was opened under.
        grant.tls = match target.scheme {
            Scheme::Https | Scheme::Tls => stream()?.tls,
            Scheme::Http | Scheme::Tcp => Arc::default(),
        };
        Ok(grant)
    }

    fn decide(&self, host: &Host, port: u16, what: &Use<'_>) -> Result<Grant, Denial> {
        let mut grant = self.decide_alone(host, port, what)?;
        if let Some(ceiling) = &self.ceiling {
            let most = ceiling
                .decide(host, port, what)
                .map_err(Denial::by_ceiling)?;
            grant.private &= most.private;
            grant.metadata &= most.metadata;
            grant.tls = grant.tls.beneath(&most.tls);
        }
        Ok(grant)
    }

    fn decide_alone(&self, host: &Host, port: u16, what: &Use<'_>) -> Result<Grant, Denial> {
        self.metadata(host)?;
        let subject = Subject::new(host, port);
        match &self.lists {
            Lists::Allowed(rules) => {
                let mut closest = None;
                for index in rules.candidates(host) {
                    let rule = rules.rule(index);
                    if rule.allows(port, what) {
                        return Ok(self.granted(host, rule, Some(rules.reference(index))));
                    }
                    closest.get_or_insert(index);
                }
                self.refused(match closest {
                    Some(index) => subject.not_by(rules.reference(index)),
                    None => subject.unlisted(),
                })
            }
            Lists::Blocked(rules, everything) => {
                // An address is blocked in all its forms.
                let blocking = forms_of(host).into_iter().find_map(|form| {
                    rules
                        .candidates(&form)
                        .find(|&index| rules.rule(index).blocks(port, what))
                });
                match blocking {
                    Some(index) => self.refused(subject.blocked(rules.reference(index))),
                    None if everything.allows(port, what) => {
                        Ok(self.granted(host, everything, None))
                    }
                    None => self.refused(subject.unusual_port()),
                }
            }
            Lists::Neither => Err(subject.no_list()),
        }
    }

    /// The parent of a name that is allowed by a rule with a `*` and by no other.
    pub fn wildcard_of(&self, name: &str) -> Option<Box<str>> {
        let Lists::Allowed(rules) = &self.lists else {
            return None;
        };
        let mut parent = None;
        for index in rules.candidates(&Host::Name(name.into())) {
            let own = rules.rule(index).wildcard()?;
            parent.get_or_insert_with(|| own.into());
        }
        parent
    }

    /// The rule that blocks an address which a name has, whatever the name is.
    pub fn blocks_address(&self, ip: IpAddr, port: u16) -> Option<Denial> {
        let ceiling = self.ceiling.as_ref();
        if let Some(denial) = ceiling.and_then(|ceiling| ceiling.blocks_address(ip, port)) {
            return Some(denial.by_ceiling());
        }
        let Lists::Blocked(..) = &self.lists else {
            return None;
        };
        let host = Host::from(ip);
        match self.decide_alone(&host, port, &Use::Any) {
            Err(denial) if denial.kind == DenialKind::Blocked => Some(denial),
            _ => None,
        }
    }

    /// Denies metadata services. Allowed by name and `private`, they are like any other host.
    fn metadata(&self, host: &Host) -> Result<(), Denial> {
        if !metadata::is_metadata(host) || self.names_literally(host) {
            return Ok(());
        }
        Err(Denial {
            kind: DenialKind::Metadata,
            host: host.to_string(),
            port: None,
            rule: None,
            reason: format!("{host} is a metadata service of a cloud"),
            ask: Some(format!(
                "name `{host}` itself in allowed_hosts, with `private`"
            )),
        })
    }

    /// Whether a rule that allows private addresses names exactly this host.
    fn names_literally(&self, host: &Host) -> bool {
        match &self.lists {
            Lists::Allowed(rules) => rules
                .candidates(host)
                .any(|index| rules.rule(index).private() && rules.rule(index).is_exactly(host)),
            Lists::Blocked(..) | Lists::Neither => false,
        }
    }

    fn granted(&self, host: &Host, rule: &Arc<Rule>, rule_ref: Option<RuleRef>) -> Grant {
        Grant {
            rule: Some(rule.clone()),
            rule_ref,
            reported: None,
            version: self.version,
            tls: rule.tls().clone(),
            private: rule.private(),
            metadata: metadata::is_metadata(host),
        }
    }

    /// A denial by the lists, which a policy that only reports lets through.
    fn refused(&self, denial: Denial) -> Result<Grant, Denial> {
        match self.mode {
            Mode::Enforce => Err(denial),
            Mode::Report => Ok(Grant {
                rule: None,
                rule_ref: None,
                reported: Some(denial),
                version: self.version,
                tls: Arc::default(),
                private: false,
                metadata: false,
            }),
        }
    }
}

fn forms_of(host: &Host) -> Vec<Host> {
    match host {
        Host::Name(_) => vec![host.clone()],
        Host::Ip(ip) => vet::forms(*ip).into_iter().map(Host::from).collect(),
    }
}

/// The host and port that a denial is about.
struct Subject<'a> {
    host: &'a Host,
    port: u16,
}

impl<'a> Subject<'a> {
    fn new(host: &'a Host, port: u16) -> Self {
        Subject { host, port }
    }

    fn denial(
        &self,
        kind: DenialKind,
        rule: Option<RuleRef>,
        reason: String,
        ask: Option<String>,
    ) -> Denial {
        Denial {
            kind,
            host: self.host.to_string(),
            port: Some(self.port),
            rule,
            reason,
            ask,
        }
    }

    /// How a rule for this host and port is written.
    fn as_rule(&self) -> String {
        let host = self.host.in_url();
        match self.port {
            80 | 443 => host,
            port => format!("{host}:{port}"),
        }
    }

    fn unlisted(&self) -> Denial {
        self.denial(
            DenialKind::NotAllowed,
            None,
            format!(
                "{}:{} is not in allowed_hosts",
                self.host.in_url(),
                self.port
            ),
            Some(format!("add `{}` to allowed_hosts", self.as_rule())),
        )
    }

    fn not_by(&self, rule: RuleRef) -> Denial {
        let reason = format!(
            "{}:{} is in allowed_hosts, but {rule} does not allow this port, protocol, method or path",
            self.host.in_url(),
            self.port,
        );
        let ask = format!("widen rule {} of allowed_hosts", rule.number);
        self.denial(DenialKind::NotAllowed, Some(rule), reason, Some(ask))
    }

    fn blocked(&self, rule: RuleRef) -> Denial {
        let reason = format!("{}:{} is blocked by {rule}", self.host.in_url(), self.port);
        let ask = format!("take rule {} out of blocked_hosts", rule.number);
        self.denial(DenialKind::Blocked, Some(rule), reason, Some(ask))
    }

    fn unusual_port(&self) -> Denial {
        self.denial(
            DenialKind::NotAllowed,
            None,
            format!(
                "{}:{}: with blocked_hosts alone, only https on port 443 and http on port 80 are open",
                self.host.in_url(),
                self.port
            ),
            Some(format!("list `{}` in allowed_hosts", self.as_rule())),
        )
    }

    fn no_list(&self) -> Denial {
        self.denial(
            DenialKind::NotAllowed,
            None,
            format!(
                "{}:{}: nothing is allowed, because there are neither allowed_hosts nor blocked_hosts",
                self.host.in_url(),
                self.port
            ),
            Some(format!("set allowed_hosts to [`{}`]", self.as_rule())),
        )
    }
}

/// Reads `IP` or `IP:PORT`.
fn static_address(text: &str) -> Option<StaticAddress> {
    if let Ok(ip) = text.parse() {
        return Some(StaticAddress { ip, port: None });
    }
    let socket: SocketAddr = text.parse().ok()?;
    (socket.port() != 0).then_some(StaticAddress {
        ip: socket.ip(),
        port: Some(socket.port()),
    })
}

/// The text with what a terminal would act on replaced, and of a bounded length.
pub(crate) fn printable(text: &str) -> String {
    text.chars()
        .take(200)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect()
}
