//! A tree as plain data: nodes in an order that anybody can read front to back, and the pieces of
//! files by digest.
//!
//! What is written is what differs from a base image, so that a state outlives the image: names
//! that are as the image has them are left out, names that are gone are [`Item::Whiteout`],
//! directories that both have are `merged`. Read over another image, tools are that image's and
//! what the user made stays. An overlay's upper tree is written in the same form, with what lies
//! below it in the place of the image.
//!
//! The order is the only structure: a node belongs to the directory that was entered last, after
//! `up` of them were left; names within a directory ascend. Numbers of inodes, cookies and open
//! files are not in it. Two trees that hold the same over the same image are written alike,
//! whatever led to them.

mod load;
mod save;

use std::sync::Arc;

use codepod_abi::Errno;

use super::chunk::{Chunk, Digest};
pub use load::{LoadError, LoadedTree, TreeLoader};

/// Owner, mode and times of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attributes {
    /// Permission bits with set-user, set-group and sticky bit.
    pub mode: u16,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last access in nanoseconds since 1970.
    pub atime: u64,
    /// Last change of content.
    pub mtime: u64,
    /// Last change of metadata.
    pub ctime: u64,
}

/// One node, or one more name of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// How many directories are left before it.
    pub up: u64,
    /// Its name; empty for the root, which comes first.
    pub name: Arc<[u8]>,
    /// Whether the name is the base image's and therefore free of charge.
    pub free: bool,
    /// What it is.
    pub item: Item,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A directory; what follows is in it.
    Directory {
        /// Whether it adds to the directory of the image, or of what lies below, instead of taking
        /// its place.
        merged: bool,
        /// `None` for those of the image.
        attributes: Option<Attributes>,
    },
    /// A regular file; its pieces follow.
    File {
        /// Owner, mode and times.
        attributes: Attributes,
        /// Bytes, holes included.
        size: u64,
        /// Whether further names follow as [`Item::Link`], counted from 0 in their order.
        linked: bool,
    },
    /// A symbolic link.
    Symlink {
        /// Owner, mode and times.
        attributes: Attributes,
        /// Where it leads.
        target: Arc<[u8]>,
        /// As a file's.
        linked: bool,
    },
    /// A named pipe.
    Fifo {
        /// Owner, mode and times.
        attributes: Attributes,
        /// As a file's.
        linked: bool,
    },
    /// A name for a socket.
    Socket {
        /// Owner, mode and times.
        attributes: Attributes,
        /// As a file's.
        linked: bool,
    },
    /// A device, by its number.
    Device {
        /// Owner, mode and times.
        attributes: Attributes,
        /// As in `st_rdev`.
        number: u64,
        /// As a file's.
        linked: bool,
    },
    /// One more name of the node that was the n-th `linked` one.
    Link(u64),
    /// The image's name is gone.
    Whiteout,
}

/// A piece of a file's content while a tree is written.
#[derive(Debug, Clone, Copy)]
pub struct Piece<'a> {
    chunk: &'a Chunk,
}

impl Piece<'_> {
    /// How many bytes it has; 1 to [`Piece::MOST`].
    pub fn length(&self) -> u32 {
        self.chunk.len() as u32
    }

    /// The most bytes that a piece has. Pieces begin at multiples of it.
    pub const MOST: u32 = super::content::CHUNK as u32;

    /// The digest of its bytes; computed only if the piece has changed since it was asked for last.
    pub fn digest(&self, hash: &dyn Fn(&[u8]) -> Digest) -> Result<Digest, Errno> {
        self.chunk.digest(hash)
    }

    /// Its bytes; [`Errno::Io`] if a store has them and does not give them.
    pub fn bytes(&self) -> Result<&[u8], Errno> {
        self.chunk.bytes()
    }
}

/// Takes a tree while it is written.
pub trait TreeSink {
    /// What can go wrong.
    type Error: From<Errno>;

    /// The next node.
    fn node(&mut self, node: &Node) -> Result<(), Self::Error>;

    /// A piece of the file that was the last node; places ascend, missing ones are holes.
    fn piece(&mut self, place: u64, piece: Piece<'_>) -> Result<(), Self::Error>;
}

#[cfg(test)]
mod tests;
