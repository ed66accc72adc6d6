//! What an overlay hands down when its host wants its changes: one node at a time, each only where
//! the one below is still what the sandbox saw.

use std::hash::{DefaultHasher, Hasher as _};
use std::ops::Range;

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
    /// Of its content, where it had changed shortly before: times are coarse and numbers are used
    /// again, so that two quick edits can look alike. Of a large file only its beginning and
    /// its end.
    pub digest: Option<u64>,
    /// Of all the content of a file that is too large for `digest` to be of all of it, once it has
    /// been copied. Not saved with a state.
    pub whole: Option<u64>,
}

/// Bytes of a file that are looked at when it is seen. Of a larger one, its beginning and its end.
pub(crate) const SAMPLED: u64 = 1 << 20;

/// A number for content: the same for the same, another for what a person or a program makes of it.
pub(crate) fn digest(
    read: impl FnMut(u64, &mut [u8]) -> Result<usize, Errno>,
) -> Result<u64, Errno> {
    let mut hasher = DefaultHasher::new();
    digest_into(&mut hasher, 0..u64::MAX, read)?;
    Ok(hasher.finish())
}

/// Adds a range of some content to a digest, as far as there is some.
pub(crate) fn digest_into(
    hasher: &mut DefaultHasher,
    range: Range<u64>,
    mut read: impl FnMut(u64, &mut [u8]) -> Result<usize, Errno>,
) -> Result<(), Errno> {
    let mut buffer = vec![0; 64 << 10];
    let mut offset = range.start;
    while offset < range.end {
        let wanted = (range.end - offset).min(buffer.len() as u64) as usize;
        let length = read(offset, &mut buffer[..wanted])?;
        if length == 0 {
            break;
        }
        hasher.write(&buffer[..length]);
        offset += length as u64;
    }
    Ok(())
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
            whole: None,
        }
    }

    /// Whether it had changed shortly before, and only parts of it were looked at.
    pub(crate) fn is_sampled(&self) -> bool {
        self.digest.is_some() && self.size > SAMPLED
    }

    /// Whether it was a directory.
    pub fn is_directory(&self) -> bool {
        self.kind == FileKind::Directory
    }

    /// Whether nobody seems to have changed it. Of a directory only that it is one: its entries
    /// tell for themselves.
    pub(crate) fn looks_same(&self, now: &Fingerprint) -> bool {
        self.is_directory() && now.is_directory()
            || self.ctime == now.ctime && self.looks_renamed(now)
    }

    /// Whether the contents are known and not the same.
    pub(crate) fn digests_differ(&self, now: &Fingerprint) -> bool {
        matches!((self.digest, now.digest), (Some(a), Some(b)) if a != b)
    }

    /// Whether the file is the one that was seen, renamed in between.
    pub(crate) fn looks_renamed(&self, now: &Fingerprint) -> bool {
        let expected = Fingerprint {
            ctime: now.ctime,
            digest: now.digest,
            whole: now.whole,
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

/// A file system into which its host puts nodes.
pub trait Publisher {
    /// Puts a node at a path because the host wants it, whatever a sandbox may do. Only where
    /// `expected` is what is there, `None` for nothing; [`Errno::Stale`] if not, and nothing
    /// has happened. What is there then.
    fn publish(
        &mut self,
        path: &[u8],
        new: Publish<'_>,
        expected: Option<Fingerprint>,
    ) -> Result<Option<Fingerprint>, Errno>;

    /// Begins a change of several files: what publishing replaces or removes from here on is kept
    /// aside, so that all of it can be rolled back.
    fn begin(&mut self);

    /// Commits (`keep`) or rolls back the changes since [`Self::begin`], newest first. Returns the
    /// paths that could not be rolled back because the host has changed them since; what was
    /// there before is kept beside them.
    fn end(&mut self, keep: bool) -> Vec<Vec<u8>>;
}
