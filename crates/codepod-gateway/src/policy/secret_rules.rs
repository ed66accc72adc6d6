//! The rules that say where a secret is bound to.

use super::rule::Use;
use super::rule_set::{List, RuleSet};
use super::target::Target;
use super::{PolicyError, RuleSpec};

/// The hosts of a secret, with their ports, paths and methods.
#[derive(Debug)]
pub(crate) struct SecretRules(RuleSet);

impl SecretRules {
    /// Reads the rules, which have to be such as allow.
    pub(crate) fn new(rules: &[RuleSpec]) -> Result<SecretRules, PolicyError> {
        // A secret may be bound to a private host; whether that may be reached is the policy's.
        let rules: Vec<RuleSpec> = rules
            .iter()
            .map(|rule| RuleSpec {
                private: true,
                ..rule.clone()
            })
            .collect();
        RuleSet::new(List::Secret, &rules).map(SecretRules)
    }

    /// Whether the secret may be used for a request.
    pub(crate) fn allow(&self, target: &Target, method: &str) -> bool {
        let request = Use::Request {
            scheme: target.scheme,
            method,
            path: &target.path,
        };
        self.0
            .candidates(&target.host)
            .any(|index| self.0.rule(index).allows(target.port, &request))
    }
}
