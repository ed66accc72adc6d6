//! Where the files of a namespace are kept: few calls, so that a directory, an object storage and a
//! test can be one.
//!
//! Keys are `m/…` (manifests), `p/…` (packs) and `c/…` (claims). Nothing is ever overwritten: a key
//! is created or it is there already.

use std::fmt::Debug;
use std::sync::Arc;

use crate::error::StoreError;

/// Keeps the files of one namespace.
pub trait Backend: Send + Sync + Debug {
    /// Keeps `bytes` under a key that is free, for good: when this returns they survive a crash of
    /// the machine. `false` if there is something under the key already, which stays as it is.
    fn create(&self, key: &str, bytes: &[u8]) -> Result<bool, StoreError>;

    /// Opens what is under a key; `None` if nothing is.
    fn open(&self, key: &str) -> Result<Option<Arc<dyn Blob>>, StoreError>;

    /// The keys below a prefix (`m/`, `p/` or `c/`), in any order.
    fn list(&self, prefix: &str) -> Result<Vec<String>, StoreError>;

    /// Removes a key; fine if it is not there.
    fn delete(&self, key: &str) -> Result<(), StoreError>;
}

/// Something that was opened. It can be read even if its key is deleted meanwhile, where the
/// backend can do that.
pub trait Blob: Send + Sync + Debug {
    /// How many bytes there are.
    fn size(&self) -> Result<u64, StoreError>;

    /// Fills a buffer from an offset, or fails.
    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), StoreError>;
}
