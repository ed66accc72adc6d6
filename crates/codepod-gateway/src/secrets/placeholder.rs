//! The string that stands for a secret inside a sandbox.
//!
//! It has the shape of the real one, so that programs which look at shapes accept it, and its
//! length, so that exchanging one for the other changes no `Content-Length`. It is worth nothing.

/// Beginnings by which programs recognize tokens.
const PREFIXES: &[&str] = &[
    "sk-ant-api03-",
    "sk-ant-",
    "sk-proj-",
    "sk-or-v1-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "sk-",
    "github_pat_",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "xapp-",
    "AKIA",
    "ASIA",
    "AIza",
    "hf_",
    "npm_",
    "pypi-",
    "dop_v1_",
    "gsk_",
];

/// Letters and digits only, which no encoder touches.
const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

/// What the ids of AWS keys are made of.
#[cfg(feature = "net")]
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// 128 bits, at almost 6 bits each.
const RANDOM: usize = 22;
const SHORTEST: usize = 24;

/// The placeholder of the secret `name` in `namespace`: the same for the same key, so that forks
/// and saved states keep theirs.
///
/// It has the length of `value`, or more where 128 bits do not fit. It says nothing of the value
/// but its known prefix and its length.
pub(super) fn placeholder(key: &[u8; 32], namespace: &str, name: &str, value: &str) -> String {
    let prefix = PREFIXES
        .iter()
        .find(|prefix| value.starts_with(**prefix))
        .copied()
        .unwrap_or_default();
    let length = value.len().max(prefix.len() + RANDOM).max(SHORTEST);
    made(key, namespace, name, prefix, length, ALPHABET)
}

/// The placeholder of the id of an AWS key. Programs look at its shape, and it opens nothing: it
/// has the length of `value` and less than 128 bits.
#[cfg(feature = "net")]
pub(super) fn key_id(key: &[u8; 32], namespace: &str, name: &str, value: &str) -> String {
    let mut prefixes = ["AKIA", "ASIA"].into_iter();
    let prefix = prefixes.find(|own| value.starts_with(own));
    let prefix = prefix.unwrap_or_default();
    made(key, namespace, name, prefix, value.len(), BASE32)
}

fn made(
    key: &[u8; 32],
    namespace: &str,
    name: &str,
    prefix: &str,
    length: usize,
    alphabet: &[u8],
) -> String {
    let mut hash = blake3::Hasher::new_keyed(key);
    hash.update(&(namespace.len() as u64).to_le_bytes());
    hash.update(namespace.as_bytes());
    hash.update(name.as_bytes());
    let mut random = vec![[0; 2]; length - prefix.len()];
    hash.finalize_xof().fill(random.as_flattened_mut());
    let random = random
        .into_iter()
        .map(|two| usize::from(u16::from_le_bytes(two)) % alphabet.len())
        .map(|index| char::from(alphabet[index]));
    prefix.chars().chain(random).collect()
}
