//! What an overlay hands down when its host wants its changes: one node at a time, each only where the one below is still
//! what the sandbox saw.

use codepod_abi::Errno;

use crate::node::{FileKind, Stat};

/// What a file was when it was looked at: enough to notice that somebody has changed it since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Which file it is, where that is known.
    pub identity: (u64, u64),
    /// What it is.
    pub kind: FileKind,
    /// Bytes.
    pub size: u64,
    /// Permission bits.
    pub mode: u16,
    /// Last change of content.
    pub mtime: u64,
    /// Last change of metadata.
    pub ctime: u64,
    /// Of its content, where it had changed shortly before: times are coarse and numbers are used again, so that two quick
    /// edits can look alike.
    pub digest: Option<u64>,
}

impl Fingerprint {
    /// Of what is known about a node.
    pub fn of(stat: &Stat) -> Fingerprint {
        Fingerprint {
            identity: (0, 0),
            kind: stat.kind,
            size: stat.size,
            mode: stat.mode,
            mtime: stat.mtime,
            ctime: stat.ctime,
            digest: None,
        }
    }

    /// Whether it was a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Whether nobody seems to have changed it. Of a directory only that it is one: its entries tell for themselves.
    pub(crate) fn looks_same(&self, now: &Fingerprint) -> bool {
        self.is_directory() && now.is_directory()
            || self.ctime == now.ctime && self.looks_renamed(now)
    }

    /// Whether the contents are known and not the same.
    pub(crate) fn digests_differ(&self, now: &Fingerprint) -> bool {
        matches!((self.digest, now.digest), (Some(a), Some(b)) if a != b)
    }

    /// The same, for a file that was renamed in between.
    pub(crate) fn looks_renamed(&self, now: &Fingerprint) -> bool {
        let (ctime, digest) = (now.ctime, now.digest);
        let expected = Fingerprint {
            ctime,
            digest,
            ..*self
        };
        *now == expected
    }
}

/// Gives bytes from an offset on; 0 at the end.
pub type Content<'a> = &'a mut dyn FnMut(u64, &mut [u8]) -> Result<usize, Errno>;

/// What is to be at a path.
pub enum Publish<'a> {
    /// Nothing.
    Nothing,
    /// A directory; one that is there stays.
    Directory {
        /// Its permission bits.
        mode: u16,
    },
    /// A regular file.
    File {
        /// Its permission bits.
        mode: u16,
        /// When its content was changed last.
        mtime: u64,
        /// Its bytes.
        content: Content<'a>,
    },
    /// A symbolic link.
    Symlink {
        /// Its target.
        target: &'a [u8],
    },
    /// What is there, with other permission bits.
    Mode(u16),
}
