//! One piece of a file's content: bytes in memory, bytes of a store that are fetched when somebody
//! reads them, or bytes in memory that somebody else manages.
//!
//! A chunk knows the digest of its bytes once somebody has asked for it, so that saving a tree
//! again hashes only what changed. This crate hashes nothing itself: who asks brings the function.

use std::fmt;
use std::sync::{Arc, OnceLock};

use codepod_abi::Errno;

use crate::budget::{Budget, Charge, Charged};
use crate::limits::FsLimits;

/// What a chunk takes beside its bytes.
const OWN_BYTES: u64 = 128;

/// The digest of a block's bytes. Whoever saves and whoever loads agree on the function.
pub type Digest = [u8; 32];

/// Where blocks are that are not in memory yet.
pub trait BlockSource: Send + Sync + fmt::Debug {
    /// The bytes with that digest, checked; [`Errno::Io`] when they cannot be had. `length` is how
    /// many there are.
    fn fetch(&self, digest: &Digest, length: usize) -> Result<Arc<[u8]>, Errno>;
}

/// Bytes in memory that somebody else manages, and that never change: an engine has them where it
/// can map them into a process.
pub trait OutsideBytes: Send + Sync + fmt::Debug {
    /// The bytes.
    fn bytes(&self) -> &[u8];
}

/// Some bytes, possibly shared with other trees.
#[derive(Debug)]
pub(crate) struct Chunk {
    bytes: Bytes,
    /// Whether it is part of a base image and therefore free of charge. A copy is not.
    base: bool,
    /// Set once somebody has asked; a change takes it away.
    digest: OnceLock<Box<Digest>>,
    /// For the memory that it takes, as long as somebody has it; nothing for a base image.
    charge: Charge,
}

#[derive(Debug)]
enum Bytes {
    Here(Vec<u8>),
    /// Part of the program that runs the kernel: nothing is copied.
    Carried(&'static [u8]),
    Outside(Arc<dyn OutsideBytes>),
    Stored(Stored),
}

/// Bytes of a store.
#[derive(Debug)]
struct Stored {
    source: Arc<dyn BlockSource>,
    length: u32,
    /// Who is charged for them.
    budget: Budget,
    /// Filled by the first reader.
    fetched: OnceLock<Charged<Arc<[u8]>>>,
}

impl Chunk {
    /// A chunk of a base image.
    pub(crate) fn base(bytes: Vec<u8>) -> Chunk {
        Chunk {
            bytes: Bytes::Here(bytes),
            base: true,
            digest: OnceLock::new(),
            charge: Charge::default(),
        }
    }

    /// A chunk of a tree's own; `NoSpc` if the budget has no memory for it.
    pub(crate) fn new(bytes: Vec<u8>, budget: &Budget) -> Result<Chunk, Errno> {
        let charge = budget.memory(memory_of(bytes.capacity()));
        Ok(Chunk {
            bytes: Bytes::Here(bytes),
            base: false,
            digest: OnceLock::new(),
            charge: charge.ok_or(Errno::NoSpc)?,
        })
    }

    /// A chunk of a base image that the program carries.
    pub(crate) fn carried(bytes: &'static [u8]) -> Chunk {
        Chunk {
            bytes: Bytes::Carried(bytes),
            base: true,
            digest: OnceLock::new(),
            charge: Charge::default(),
        }
    }

    /// A chunk of bytes that somebody else manages, with their digest if it is known; `NoSpc` if
    /// the budget has no memory for it.
    pub(crate) fn outside(
        bytes: Arc<dyn OutsideBytes>,
        digest: Option<Digest>,
        budget: &Budget,
    ) -> Result<Chunk, Errno> {
        let charge = budget.memory(memory_of(bytes.bytes().len()));
        Ok(Chunk {
            bytes: Bytes::Outside(bytes),
            base: false,
            digest: digest.map_or_else(OnceLock::new, |digest| OnceLock::from(Box::new(digest))),
            charge: charge.ok_or(Errno::NoSpc)?,
        })
    }

    /// A chunk that a store has; `NoSpc` if there is no memory to remember it.
    pub(crate) fn stored(
        source: Arc<dyn BlockSource>,
        digest: Digest,
        length: u32,
        budget: &Budget,
    ) -> Result<Chunk, Errno> {
        Ok(Chunk {
            bytes: Bytes::Stored(Stored {
                source,
                length,
                budget: budget.clone(),
                fetched: OnceLock::new(),
            }),
            base: false,
            digest: OnceLock::from(Box::new(digest)),
            charge: budget.memory(memory_of(0)).ok_or(Errno::NoSpc)?,
        })
    }

    pub(crate) fn len(&self) -> usize {
        match &self.bytes {
            Bytes::Here(bytes) => bytes.len(),
            Bytes::Carried(bytes) => bytes.len(),
            Bytes::Outside(bytes) => bytes.bytes().len(),
            Bytes::Stored(stored) => stored.length as usize,
        }
    }

    pub(crate) fn is_base(&self) -> bool {
        self.base
    }

    /// Whether its bytes come from a store.
    pub(crate) fn is_stored(&self) -> bool {
        matches!(self.bytes, Bytes::Stored(_))
    }

    /// What it is charged.
    pub(crate) fn cost(&self) -> u64 {
        if self.base { 0 } else { cost(self.len()) }
    }

    /// Its bytes; `Io` if a store does not give them, or there is no memory for them.
    pub(crate) fn bytes(&self) -> Result<&[u8], Errno> {
        let stored = match &self.bytes {
            Bytes::Here(bytes) => return Ok(bytes),
            Bytes::Carried(bytes) => return Ok(bytes),
            Bytes::Outside(bytes) => return Ok(bytes.bytes()),
            Bytes::Stored(stored) => stored,
        };
        if let Some(bytes) = stored.fetched.get() {
            return Ok(bytes);
        }
        let digest = self.digest.get().ok_or(Errno::Io)?;
        let charge = stored.budget.memory(u64::from(stored.length));
        let charge = charge.ok_or(Errno::Io)?;
        let bytes = stored.source.fetch(digest, stored.length as usize)?;
        if bytes.len() != stored.length as usize {
            return Err(Errno::Io);
        }
        let fetched = stored.fetched.get_or_init(|| Charged::new(bytes, charge));
        Ok(fetched)
    }

    /// Its bytes to change, with room for `length` of them; `None` unless they are a tree's own and
    /// in memory. `NoSpc` if there is no memory.
    pub(crate) fn bytes_mut(&mut self, length: usize) -> Result<Option<&mut Vec<u8>>, Errno> {
        let Bytes::Here(bytes) = &mut self.bytes else {
            return Ok(None);
        };
        if self.base {
            return Ok(None);
        }
        if length > bytes.capacity() {
            // Room to grow, if there is memory for it: files often grow a little at a time.
            let room = [length.next_power_of_two(), length]
                .into_iter()
                .find(|room| self.charge.set(memory_of(*room)))
                .ok_or(Errno::NoSpc)?;
            bytes.reserve_exact(room - bytes.len());
        }
        self.digest = OnceLock::new();
        Ok(Some(bytes))
    }

    /// What the budget was charged for it, and what it takes; what was fetched apart.
    #[cfg(test)]
    pub(crate) fn charged_and_taken(&self) -> (u64, u64) {
        let taken = match &self.bytes {
            _ if self.base => 0,
            Bytes::Here(bytes) => memory_of(bytes.capacity()),
            Bytes::Outside(bytes) => memory_of(bytes.bytes().len()),
            Bytes::Carried(_) | Bytes::Stored(_) => memory_of(0),
        };
        (self.charge.bytes(), taken)
    }

    /// The digest of its bytes, if somebody has asked for it.
    pub(crate) fn known_digest(&self) -> Option<Digest> {
        self.digest.get().map(|digest| **digest)
    }

    /// The digest of its bytes, computed by `hash` unless it is known.
    pub(crate) fn digest(&self, hash: &dyn Fn(&[u8]) -> Digest) -> Result<Digest, Errno> {
        match self.digest.get() {
            Some(digest) => Ok(**digest),
            None => {
                let digest = hash(self.bytes()?);
                Ok(**self.digest.get_or_init(|| Box::new(digest)))
            }
        }
    }

    /// Whether both are equal once the shorter one is filled up with zeros. Bytes that cannot be
    /// had differ.
    pub(crate) fn same(&self, other: &Chunk) -> bool {
        if let (Some(a), Some(b)) = (self.digest.get(), other.digest.get())
            && self.len() == other.len()
        {
            return a == b;
        }
        match (self.bytes(), other.bytes()) {
            (Ok(a), Ok(b)) => same_padded(a, b),
            _ => false,
        }
    }

    /// Whether it holds nothing but zeros.
    pub(crate) fn is_zero(&self) -> bool {
        self.bytes().is_ok_and(|bytes| same_padded(bytes, &[]))
    }
}

/// What a chunk takes of the host's memory that has room for so many bytes.
fn memory_of(capacity: usize) -> u64 {
    OWN_BYTES + capacity as u64
}

/// What a chunk of that length is charged.
pub(crate) fn cost(length: usize) -> u64 {
    if length == 0 {
        0
    } else {
        (length as u64).max(FsLimits::SMALLEST_CHARGE)
    }
}

/// Whether two chunks are equal once the shorter one is filled up with zeros.
fn same_padded(a: &[u8], b: &[u8]) -> bool {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let (head, tail) = long.split_at(short.len());
    head == short && tail.iter().all(|byte| *byte == 0)
}
