//! A list of rules that finds those for a host without looking at the others.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use ipnet::IpNet;

use super::host::Host;
use super::pattern::HostPattern;
use super::rule::{Rule, RuleSpec};
use super::{MAX_RULES, PolicyError};

/// Which list a rule is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum List {
    /// `allowed_hosts`.
    Allowed,
    /// `blocked_hosts`.
    Blocked,
    /// The hosts of a secret.
    Secret,
}

/// A rule by its place, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRef {
    /// The list.
    pub list: List,
    /// The place in it, from 1.
    pub number: usize,
    /// The text.
    pub text: Arc<str>,
}

impl fmt::Display for RuleRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = match self.list {
            List::Allowed => "allowed_hosts",
            List::Blocked => "blocked_hosts",
            List::Secret => "its hosts",
        };
        write!(f, "rule {} of {list} (`{}`)", self.number, self.text)
    }
}

/// The rules of a list, in order.
#[derive(Debug)]
pub(super) struct RuleSet {
    list: List,
    rules: Vec<(Arc<Rule>, Arc<str>)>,
    exactly: HashMap<Host, Vec<usize>>,
    beneath: HashMap<Box<str>, Vec<usize>>,
    ranges: Vec<(IpNet, usize)>,
}

impl RuleSet {
    /// Reads the rules; fails at the first that is not one.
    pub(super) fn new(list: List, specs: &[RuleSpec]) -> Result<RuleSet, PolicyError> {
        if specs.len() > MAX_RULES {
            return Err(PolicyError::TooMany);
        }
        let mut set = RuleSet {
            list,
            rules: Vec::with_capacity(specs.len()),
            exactly: HashMap::new(),
            beneath: HashMap::new(),
            ranges: Vec::new(),
        };
        for (index, spec) in specs.iter().enumerate() {
            let read = match list {
                List::Allowed | List::Secret => Rule::allowing(spec),
                List::Blocked => Rule::blocking(spec),
            };
            let rule = read.map_err(|why| PolicyError::Rule {
                rule: RuleRef {
                    list,
                    number: index + 1,
                    text: super::printable(&spec.rule).into(),
                },
                why,
            })?;
            match rule.pattern() {
                HostPattern::Exactly(host) => {
                    set.exactly.entry(host.clone()).or_default().push(index);
                }
                HostPattern::Beneath(parent) => {
                    set.beneath.entry(parent.clone()).or_default().push(index);
                }
                HostPattern::Range(range) => set.ranges.push((*range, index)),
            }
            set.rules.push((Arc::new(rule), spec.rule.as_str().into()));
        }
        Ok(set)
    }

    /// The places of the rules whose pattern covers a host, in order.
    pub(super) fn candidates(&self, host: &Host) -> impl Iterator<Item = usize> {
        let mut found = self.exactly.get(host).cloned().unwrap_or_default();
        match host {
            Host::Name(name) => {
                let mut rest: &str = name;
                while let Some((_, parent)) = rest.split_once('.') {
                    found.extend(self.beneath.get(parent).into_iter().flatten());
                    rest = parent;
                }
            }
            Host::Ip(ip) => {
                let covers = |range: &IpNet| match (range, ip) {
                    (IpNet::V4(range), IpAddr::V4(ip)) => range.contains(ip),
                    (IpNet::V6(range), IpAddr::V6(ip)) => range.contains(ip),
                    _ => false,
                };
                let covering = self.ranges.iter().filter(|(range, _)| covers(range));
                found.extend(covering.map(|(_, index)| *index));
            }
        }
        found.sort_unstable();
        found.into_iter()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Rule> {
        self.rules.iter().map(|(rule, _)| &**rule)
    }

    pub(super) fn rule(&self, index: usize) -> &Arc<Rule> {
        &self.rules[index].0
    }

    pub(super) fn reference(&self, index: usize) -> RuleRef {
        RuleRef {
            list: self.list,
            number: index + 1,
            text: self.rules[index].1.clone(),
        }
    }
}
