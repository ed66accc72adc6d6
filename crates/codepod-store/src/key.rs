//! Encryption at rest: every block, every pack's index and every manifest on its own, with a key of the caller's.
//!
//! XChaCha20-Poly1305 with nonces drawn at random. What a sealed thing is and whose it is goes in as associated data, so a
//! block cannot stand for a manifest, nor one namespace's manifest for another's. Whoever lacks the key can read nothing
//! and forge nothing; they can still delete, and put an older manifest of the same namespace in a newer one's place by
//! deleting the newer one.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};

use crate::error::StoreError;

const NONCE: usize = 24;

/// The key of a store. Its text is never shown.
#[derive(Clone)]
pub struct Key {
    cipher: XChaCha20Poly1305,
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
        let own = blake3::derive_key("codepod 2026 saved states", bytes);
        Key {
            cipher: XChaCha20Poly1305::new(&own.into()),
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
        let payload = Payload {
            msg: text,
            aad: about,
        };
        self.cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_| StoreError::Sealed)
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
pub(crate) fn open(
    key: Option<&Key>,
    sealed: bool,
    about: &[u8],
    bytes: &[u8],
) -> Result<Vec<u8>, StoreError> {
    match (key, sealed) {
        (Some(key), true) => key.open(about, bytes),
        (None, false) => Ok(bytes.to_vec()),
        (None, true) => Err(StoreError::KeyNeeded),
        (Some(_), false) => Err(StoreError::NotSealed),
    }
}
