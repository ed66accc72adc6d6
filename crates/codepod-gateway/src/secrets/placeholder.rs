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
    let mut hash = blake3::Hasher::new_keyed(key);
    hash.update(&(namespace.len() as u64).to_le_bytes());
    hash.update(namespace.as_bytes());
    hash.update(name.as_bytes());
    let mut random = vec![[0; 2]; length - prefix.len()];
    hash.finalize_xof().fill(random.as_flattened_mut());
    let random = random
        .into_iter()
        .map(|two| usize::from(u16::from_le_bytes(two)) % ALPHABET.len())
        .map(|index| char::from(ALPHABET[index]));
    prefix.chars().chain(random).collect()
}
