//! Names of objects: SHA-1.

use std::fmt;

use sha1::{Digest as _, Sha1};

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub(crate) struct Oid(pub(crate) [u8; 20]);

impl Oid {
    /// The name of nothing.
    pub(crate) const NULL: Oid = Oid([0; 20]);
    /// The tree without entries.
    pub(crate) const EMPTY_TREE: Oid = Oid([
        0x4b, 0x82, 0x5d, 0xc6, 0x42, 0xcb, 0x6e, 0xb9, 0xa0, 0x60, 0xe5, 0x4b, 0xf8, 0xd6, 0x92,
        0x88, 0xfb, 0xee, 0x49, 0x04,
    ]);

    /// From 40 hexadecimal digits.
    pub(crate) fn parse(text: &[u8]) -> Option<Oid> {
        if text.len() != 40 {
            return None;
        }
        let mut oid = [0u8; 20];
        for (byte, [high, low]) in oid.iter_mut().zip(text.as_chunks().0) {
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Some(Oid(oid))
    }

    /// From 20 bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Oid> {
        bytes.try_into().ok().map(Oid)
    }

    /// 40 hexadecimal digits.
    pub(crate) fn hex(&self) -> String {
        self.to_string()
    }

    /// Whether it names nothing.
    pub(crate) fn is_null(&self) -> bool {
        *self == Oid::NULL
    }
}

/// The value of a hexadecimal digit.
pub(crate) fn digit(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|value| value as u8)
}

impl fmt::Display for Oid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

/// What an object is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub(crate) enum Kind {
    /// A commit.
    Commit,
    /// A directory.
    Tree,
    /// A file's content.
    Blob,
    /// An annotated tag.
    Tag,
}

impl Kind {
    /// The word for it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Commit => "commit",
            Kind::Tree => "tree",
            Kind::Blob => "blob",
            Kind::Tag => "tag",
        }
    }

    /// From the word.
    pub(crate) fn parse(word: &[u8]) -> Option<Kind> {
        [Kind::Commit, Kind::Tree, Kind::Blob, Kind::Tag]
            .into_iter()
            .find(|kind| kind.name().as_bytes() == word)
    }
}

/// The name of an object with this content.
pub(crate) fn hash(kind: Kind, content: &[u8]) -> Oid {
    let mut state = Sha1::new();
    state.update(format!("{} {}\0", kind.name(), content.len()).as_bytes());
    state.update(content);
    Oid(state.finalize().into())
}

/// The SHA-1 of bytes.
pub(crate) fn sha1(content: &[u8]) -> Oid {
    Oid(Sha1::digest(content).into())
}
