//! Encryption at rest: every block, every pack's index and every manifest on its own, with a key of
//! the caller's.
//!
//! XChaCha20-Poly1305 with nonces drawn at random. What a sealed thing is goes in as associated
//! data, so a block cannot stand for a manifest, and each namespace has a key of its own that is
//! derived from the caller's, so nothing of one can stand for something of another. Whoever lacks
//! the key can read nothing and forge nothing; they can still delete, and so make an older
//! state the newest: [`Store::load_at_least`](crate::Store::load_at_least) is for who counts.
//!
//! Before, all namespaces had the caller's key itself. What was sealed so is still read: its blocks
//! are checked against the digests of a manifest, and a manifest says whose it is.

use std::borrow::Cow;

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::error::StoreError;

const NONCE: usize = 24;

/// The key of a store. Its text is never shown.
#[derive(Clone)]
pub struct Key {
    secret: [u8; 32],
    cipher: XChaCha20Poly1305,
    /// What older things of the same namespace were sealed with.
    older: Option<XChaCha20Poly1305>,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

impl Key {
    /// A key from 32 bytes that nobody can guess.
    pub fn new(bytes: &[u8; 32]) -> Key {
        // The bytes may be used elsewhere too: what we encrypt with is ours alone.
        let secret = blake3::derive_key("codepod 2026 saved states", bytes);
        Key {
            secret,
            cipher: XChaCha20Poly1305::new(&secret.into()),
            older: None,
        }
    }

    /// The key of one namespace, which opens what was sealed with this one, too.
    pub(crate) fn of_namespace(&self, namespace: &str) -> Key {
        let mut hasher = blake3::Hasher::new_derive_key("codepod 2026 saved states of a namespace");
        let secret = hasher.update(&self.secret).update(namespace.as_bytes());
        let secret = *secret.finalize().as_bytes();
        Key {
            secret,
            cipher: XChaCha20Poly1305::new(&secret.into()),
            older: Some(self.cipher.clone()),
        }
    }

    /// Encrypts; the nonce comes first.
    pub(crate) fn seal(&self, about: &[u8], plain: &[u8]) -> Result<Vec<u8>, StoreError> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce).map_err(|_| StoreError::Io {
            what: "draw random numbers",
            kind: std::io::ErrorKind::Other,
        })?;
        let payload = Payload {
            msg: plain,
            aad: about,
        };
        let sealed = self
            .cipher
            .encrypt(&XNonce::from(nonce), payload)
            .map_err(|_| StoreError::Sealed)?;
        let mut out = nonce.to_vec();
        out.extend_from_slice(&sealed);
        Ok(out)
    }

    /// Decrypts, or says that it is not what was encrypted with this key for this purpose.
    pub(crate) fn open(&self, about: &[u8], sealed: &[u8]) -> Result<Vec<u8>, StoreError> {
        let (nonce, text) = sealed
            .split_first_chunk::<NONCE>()
            .ok_or(StoreError::Sealed)?;
        let decrypt = |cipher: &XChaCha20Poly1305| {
            let payload = Payload {
                msg: text,
                aad: about,
            };
            cipher.decrypt(&XNonce::from(*nonce), payload).ok()
        };
        decrypt(&self.cipher)
            .or_else(|| decrypt(self.older.as_ref()?))
            .ok_or(StoreError::Sealed)
    }
}

/// Encrypts if there is a key.
pub(crate) fn seal(key: Option<&Key>, about: &[u8], plain: Vec<u8>) -> Result<Vec<u8>, StoreError> {
    match key {
        Some(key) => key.seal(about, &plain),
        None => Ok(plain),
    }
}

/// Decrypts what says that it is encrypted; both sides have to agree that it is.
pub(crate) fn open<'a>(
    key: Option<&Key>,
    sealed: bool,
    about: &[u8],
    bytes: &'a [u8],
) -> Result<Cow<'a, [u8]>, StoreError> {
    match (key, sealed) {
        (Some(key), true) => key.open(about, bytes).map(Cow::Owned),
        (None, false) => Ok(Cow::Borrowed(bytes)),
        (None, true) => Err(StoreError::KeyNeeded),
        (Some(_), false) => Err(StoreError::NotSealed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_opens_its_own_and_what_is_older_and_nothing_of_another() {
        let key = Key::new(&[1; 32]);
        let (mine, theirs) = (key.of_namespace("mine"), key.of_namespace("theirs"));
        let sealed = mine.seal(b"about", b"text").unwrap();
        assert_eq!(mine.open(b"about", &sealed).unwrap(), b"text");
        for other in [&theirs, &key, &Key::new(&[2; 32]).of_namespace("mine")] {
            assert!(other.open(b"about", &sealed).is_err());
        }
        assert!(mine.open(b"another", &sealed).is_err());
        let older = key.seal(b"about", b"text").unwrap();
        assert_eq!(mine.open(b"about", &older).unwrap(), b"text");
    }
}
