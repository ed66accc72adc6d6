//! Keys: who asks. Only hashes are kept, and they are looked up whole, so that neither the
//! configuration nor the time of an answer tells a key. Keys are 256 random bits: a fast hash is
//! enough.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use codepod_api::{ApiError, Kind};

use super::config::Config;
use crate::quota::Quota;
use crate::tenant::Tenant;

/// The hash of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// The hash of a key.
    pub fn of(key: &str) -> KeyHash {
        KeyHash(blake3::derive_key("codepod 2026 API keys", key.as_bytes()))
    }

    fn parse(text: &str) -> Option<KeyHash> {
        blake3::Hash::from_hex(text)
            .ok()
            .map(|hash| KeyHash(*hash.as_bytes()))
    }
}

impl std::fmt::Display for KeyHash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(blake3::Hash::from_bytes(self.0).to_hex().as_str())
    }
}

/// A new key, to be shown once.
pub fn new_key() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|_| io::Error::other("the host gives no random numbers"))?;
    Ok(format!("cpk_{}", blake3::Hash::from_bytes(bytes).to_hex()))
}

/// Who has which key.
pub(super) struct Keys {
    by_hash: HashMap<KeyHash, Known>,
    /// Those that have no key any more are there, too: their sandboxes are.
    tenants: Vec<Arc<Tenant>>,
}

/// Whose key it is.
struct Known {
    tenant: Arc<Tenant>,
    /// When it stops to be one.
    expires: Option<SystemTime>,
}

impl Keys {
    /// The tenants of a configuration; with none, one with a key that is made now.
    pub(super) fn new(config: &Config) -> io::Result<(Keys, Option<String>)> {
        if !config.tenants.is_empty() {
            return Ok((Keys::of(config, &[])?, None));
        }
        let key = new_key()?;
        let tenant = Tenant::new("", Quota::alone());
        let known = Known {
            tenant: tenant.clone(),
            expires: None,
        };
        let keys = Keys {
            by_hash: HashMap::from([(KeyHash::of(&key), known)]),
            tenants: vec![tenant],
        };
        Ok((keys, Some(key)))
    }

    /// The keys of a configuration that was read again. Tenants stay who they are, with what they
    /// have and may have.
    pub(super) fn renewed(&self, config: &Config) -> io::Result<Keys> {
        if config.tenants.is_empty() || self.tenants.iter().any(|tenant| tenant.name.is_empty()) {
            let message = "a server does not change between tenants and a key of its own";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        Keys::of(config, &self.tenants)
    }

    fn of(config: &Config, known: &[Arc<Tenant>]) -> io::Result<Keys> {
        let mut keys = Keys {
            by_hash: HashMap::new(),
            tenants: known.to_vec(),
        };
        for wanted in &config.tenants {
            let same = |tenant: &&Arc<Tenant>| tenant.name == wanted.name;
            let tenant = match known.iter().find(same) {
                Some(tenant) => tenant.clone(),
                None => {
                    let tenant = Tenant::new(&wanted.name, wanted.quota());
                    keys.tenants.push(tenant.clone());
                    tenant
                }
            };
            for key in &wanted.keys {
                let hash = KeyHash::parse(&key.hash).ok_or_else(|| {
                    let message = format!(
                        "a key of the tenant `{}` is not a hash of 64 hexadecimal digits",
                        wanted.name
                    );
                    io::Error::new(io::ErrorKind::InvalidInput, message)
                })?;
                let known = Known {
                    tenant: tenant.clone(),
                    expires: key.expires,
                };
                keys.by_hash.insert(hash, known);
            }
        }
        Ok(keys)
    }

    /// Everybody.
    pub(super) fn tenants(&self) -> impl Iterator<Item = &Arc<Tenant>> {
        self.tenants.iter()
    }

    /// Whose key an `Authorization` header holds.
    pub(super) fn tenant(&self, header: Option<&[u8]>) -> Result<&Arc<Tenant>, ApiError> {
        let key = header
            .and_then(|header| std::str::from_utf8(header).ok())
            .and_then(|header| header.split_once(' '))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
            .map(|(_, key)| key.trim());
        let found = key.and_then(|key| self.by_hash.get(&KeyHash::of(key)));
        // One that has expired is as one that never was.
        let valid = |known: &&Known| {
            known
                .expires
                .is_none_or(|expires| SystemTime::now() < expires)
        };
        let known = found.filter(valid).ok_or_else(|| {
            ApiError::new(Kind::Unauthorized, "there is no valid key in this request")
        })?;
        Ok(&known.tenant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(keys: &str) -> Config {
        Config::parse(keys).unwrap()
    }

    fn header(key: &str) -> Vec<u8> {
        format!("Bearer {key}").into_bytes()
    }

    #[test]
    fn a_key_that_has_expired_is_none() {
        let hash = |key: &str| KeyHash::of(key).to_string();
        let text = format!(
            r#"
            [[tenants]]
            name = "acme"
            keys = [
                "{}",
                {{ hash = "{}", expires = 2020-01-01T00:00:00Z }},
                {{ hash = "{}", expires = 2999-01-01 }},
            ]
            "#,
            hash("always"),
            hash("old"),
            hash("new")
        );
        let (keys, made) = Keys::new(&config(&text)).unwrap();
        assert!(made.is_none());
        for (key, valid) in [
            ("always", true),
            ("old", false),
            ("new", true),
            ("none", false),
        ] {
            assert_eq!(keys.tenant(Some(&header(key))).is_ok(), valid, "{key}");
        }
    }

    #[test]
    fn keys_are_read_again_and_tenants_stay_who_they_are() {
        let text = |tenants: &[(&str, &str)]| -> String {
            let one = |(name, key): &(&str, &str)| {
                let hash = KeyHash::of(key);
                format!("[[tenants]]\nname = \"{name}\"\nkeys = [\"{hash}\"]\n")
            };
            tenants.iter().map(one).collect()
        };
        let before = text(&[("a", "a1"), ("b", "b1")]);
        let (keys, _) = Keys::new(&config(&before)).unwrap();
        let after = text(&[("a", "a2"), ("c", "c1")]);
        let renewed = keys.renewed(&config(&after)).unwrap();
        let find = |keys: &Keys, key: &str| keys.tenant(Some(&header(key))).cloned();
        assert!(find(&renewed, "a1").is_err() && find(&renewed, "b1").is_err());
        assert!(Arc::ptr_eq(
            &find(&keys, "a1").unwrap(),
            &find(&renewed, "a2").unwrap()
        ));
        assert!(find(&renewed, "c1").is_ok());
        // Who has no key any more still has sandboxes.
        assert_eq!(renewed.tenants().count(), 3);
        assert!(keys.renewed(&config("")).is_err());
        let broken = "[[tenants]]\nname = \"a\"\nkeys = [\"00\"]\n";
        assert!(keys.renewed(&config(broken)).is_err());
    }
}
