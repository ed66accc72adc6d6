//! Names of namespaces, and the folders that they have wherever states are kept.

use crate::error::StoreError;

const LONGEST: usize = 100;

/// The folder of a namespace: no two have the same, not even where upper and lower case are one,
/// and none is inside another.
pub(crate) fn folder(namespace: &str) -> Result<String, StoreError> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./".contains(&byte);
    if namespace.is_empty() || namespace.len() > LONGEST || !namespace.bytes().all(allowed) {
        return Err(StoreError::Namespace {
            namespace: namespace.chars().take(LONGEST).collect(),
        });
    }
    let readable: String = namespace
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .take(32)
        .collect();
    let hash = blake3::hash(namespace.as_bytes()).to_hex();
    Ok(format!("{readable}-{}", &hash[..32]))
}
