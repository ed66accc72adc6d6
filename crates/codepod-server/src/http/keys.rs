//! Keys: who asks. Only hashes are kept, and they are looked up whole, so that neither the configuration nor the time of an
//! answer tells a key. Keys are 256 random bits: a fast hash is enough.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use codepod_api::{ApiError, Kind};

use super::config::Config;
use crate::tenant::{Quota, Tenant};

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
    by_hash: HashMap<KeyHash, Arc<Tenant>>,
    tenants: Vec<Arc<Tenant>>,
}

impl Keys {
    /// The tenants of a configuration; with none, one with a key that is made now.
    pub(super) fn new(config: &Config) -> io::Result<(Keys, Option<String>)> {
        let mut keys = Keys {
            by_hash: HashMap::new(),
            tenants: Vec::new(),
        };
        if config.tenants.is_empty() {
            let key = new_key()?;
            keys.add(Tenant::new("", Quota::default()), [KeyHash::of(&key)]);
            return Ok((keys, Some(key)));
        }
        for tenant in &config.tenants {
            let hashes: Option<Vec<KeyHash>> = tenant
                .keys
                .iter()
                .map(|text| KeyHash::parse(text))
                .collect();
            let hashes = hashes.ok_or_else(|| {
                let message = format!(
                    "a key of the tenant `{}` is not a hash of 64 hexadecimal digits",
                    tenant.name
                );
                io::Error::new(io::ErrorKind::InvalidInput, message)
            })?;
            keys.add(Tenant::new(&tenant.name, tenant.quota()), hashes);
        }
        Ok((keys, None))
    }

    fn add(&mut self, tenant: Arc<Tenant>, hashes: impl IntoIterator<Item = KeyHash>) {
        for hash in hashes {
            self.by_hash.insert(hash, tenant.clone());
        }
        self.tenants.push(tenant);
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
        found.ok_or_else(|| {
            ApiError::new(Kind::Unauthorized, "there is no valid key in this request")
        })
    }
}
