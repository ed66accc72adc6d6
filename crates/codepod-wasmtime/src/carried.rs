//! Compiled code as the host program carries it: ready to run, or packed.
//!
//! Packed code is unpacked into the user's cache when it is used first, and mapped from there ever
//! after; into memory, where there is no cache or nothing can be written to it.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::checked_file::{Content, cache_of_user};

/// The compiled form of a guest.
#[derive(Debug, Clone, Copy)]
pub enum Carried {
    /// As it is; it is run where it lies if it starts at a page.
    Here(&'static [u8]),
    /// A piece of what is packed: where it begins, and how long it is.
    Piece(Packed, usize, usize),
}

/// Reads packed bytes as they are unpacked.
pub type Unpack = fn(&'static [u8]) -> io::Result<Box<dyn Read>>;

/// Packed bytes, and what they are when they are unpacked. Code of several guests together is
/// packed a quarter smaller than one by one.
#[derive(Debug, Clone, Copy)]
pub struct Packed {
    /// As they are carried.
    pub bytes: &'static [u8],
    /// How they are packed.
    pub unpack: Unpack,
    /// Unpacked.
    pub content: Content,
}

impl Carried {
    /// The code, unpacked if it was not; `None` if that is not possible.
    pub(crate) fn bytes(self) -> Option<&'static [u8]> {
        match self {
            Carried::Here(bytes) => Some(bytes),
            Carried::Piece(packed, at, bytes) => packed.unpack()?.get(at..at.checked_add(bytes)?),
        }
    }
}

impl Packed {
    /// Unpacks them, once in this program, whichever engine asks. Two that want different code do
    /// not wait for each other. `None` if that is not possible.
    pub fn unpack(self) -> Option<&'static [u8]> {
        type Slot = Arc<OnceLock<Option<&'static [u8]>>>;
        static UNPACKED: Mutex<BTreeMap<&str, Slot>> = Mutex::new(BTreeMap::new());
        let slot = {
            let mut unpacked = UNPACKED.lock().unwrap_or_else(PoisonError::into_inner);
            unpacked.entry(self.content.digest).or_default().clone()
        };
        *slot.get_or_init(|| {
            let reader = || (self.unpack)(self.bytes);
            self.content.keep(reader, cache_of_user()).ok()
        })
    }
}
