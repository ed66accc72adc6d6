//! Trees as segments: the nodes of a tree one after the other, cut into blocks where the content
//! says so.
//!
//! The cut depends on a node's own bytes, not on its place. A change therefore makes one or two
//! segments new, wherever in the tree it is, and saving writes only those.

use std::sync::Arc;

use codepod_vfs::{Attributes, Digest, FileKind, Fingerprint, Item, Node, Piece, TreeLoader};

use crate::block::{BlockId, LARGEST};
use crate::error::StoreError;
use crate::wire::{Reader, put, put_bytes, put_step};

const DIRECTORY: u8 = 0;
const FILE: u8 = 1;
const SYMLINK: u8 = 2;
const FIFO: u8 = 3;
const DEVICE: u8 = 4;
const LINK: u8 = 5;
const WHITEOUT: u8 = 6;
const PIECE: u8 = 7;
/// A piece of the usual length, right after the one before.
const NEXT_PIECE: u8 = 8;
const SOCKET: u8 = 9;
/// Added to the kind.
const FREE: u8 = 0x80;
const LINKED: u8 = 0x40;
const MERGED: u8 = 0x40;
/// A directory with the attributes of the image.
const KEPT: u8 = 0x20;

/// Kinds of files that were seen, by number. The last stands for whatever is none of the others.
const KINDS: [FileKind; 6] = [
    FileKind::File,
    FileKind::Directory,
    FileKind::Symlink,
    FileKind::Fifo,
    FileKind::CharDevice,
    FileKind::Other,
];

/// One in so many records ends a segment.
const ONE_IN: u64 = 256;
const SMALLEST: usize = 4 << 10;

/// Cuts records into segments.
#[derive(Debug, Default)]
pub(crate) struct Segmenter {
    segment: Vec<u8>,
    record: Vec<u8>,
    /// The place after the last piece of the file that is being written.
    place: u64,
}

impl Segmenter {
    /// Adds a node; a segment that is complete by that.
    pub(crate) fn node(&mut self, node: &Node) -> Option<Vec<u8>> {
        self.place = 0;
        self.record.clear();
        let linked = |linked: bool| if linked { LINKED } else { 0 };
        let tag = match &node.item {
            Item::Directory { merged, attributes } => {
                let merged = if *merged { MERGED } else { 0 };
                DIRECTORY | merged | if attributes.is_none() { KEPT } else { 0 }
            }
            Item::File { linked: l, .. } => FILE | linked(*l),
            Item::Symlink { linked: l, .. } => SYMLINK | linked(*l),
            Item::Fifo { linked: l, .. } => FIFO | linked(*l),
            Item::Socket { linked: l, .. } => SOCKET | linked(*l),
            Item::Device { linked: l, .. } => DEVICE | linked(*l),
            Item::Link(_) => LINK,
            Item::Whiteout => WHITEOUT,
        };
        let out = &mut self.record;
        out.push(tag | if node.free { FREE } else { 0 });
        put(out, node.up);
        put_bytes(out, &node.name);
        match &node.item {
            Item::Directory { attributes, .. } => {
                if let Some(attributes) = attributes {
                    put_attributes(out, attributes);
                }
            }
            Item::File {
                attributes, size, ..
            } => {
                put_attributes(out, attributes);
                put(out, *size);
            }
            Item::Symlink {
                attributes, target, ..
            } => {
                put_attributes(out, attributes);
                put_bytes(out, target);
            }
            Item::Fifo { attributes, .. } | Item::Socket { attributes, .. } => {
                put_attributes(out, attributes);
            }
            Item::Device {
                attributes, number, ..
            } => {
                put_attributes(out, attributes);
                put(out, *number);
            }
            Item::Link(number) => put(out, *number),
            Item::Whiteout => {}
        }
        self.add()
    }

    /// Adds a piece; a segment that is complete by that.
    pub(crate) fn piece(&mut self, place: u64, id: &BlockId) -> Option<Vec<u8>> {
        self.record.clear();
        if place == self.place && id.length == Piece::MOST {
            self.record.push(NEXT_PIECE);
        } else {
            self.record.push(PIECE);
            put(&mut self.record, place - self.place);
            put(&mut self.record, id.length.into());
        }
        self.record.extend_from_slice(&id.digest);
        self.place = place + 1;
        self.add()
    }

    /// Adds what was seen of a file below an overlay; a segment that is complete by that.
    pub(crate) fn seen(&mut self, path: &[u8], seen: &Fingerprint) -> Option<Vec<u8>> {
        self.record.clear();
        let out = &mut self.record;
        let kind = KINDS.iter().position(|kind| *kind == seen.kind);
        put_bytes(out, path);
        put(out, kind.unwrap_or(KINDS.len() - 1) as u64);
        put(out, seen.identity.0);
        put(out, seen.identity.1);
        put(out, seen.size);
        put(out, seen.mode.into());
        put(out, seen.mtime);
        put_step(out, seen.mtime, seen.ctime);
        out.push(seen.digest.is_some().into());
        out.extend_from_slice(&seen.digest.unwrap_or(0).to_le_bytes());
        self.add()
    }

    /// What is left.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        Some(self.segment).filter(|segment| !segment.is_empty())
    }

    fn add(&mut self) -> Option<Vec<u8>> {
        if self.segment.len() + self.record.len() > LARGEST as usize {
            let done = std::mem::take(&mut self.segment);
            self.segment.extend_from_slice(&self.record);
            return Some(done);
        }
        self.segment.extend_from_slice(&self.record);
        let ends = self.segment.len() >= SMALLEST && mix(&self.record).is_multiple_of(ONE_IN);
        ends.then(|| std::mem::take(&mut self.segment))
    }
}

/// A number that depends on all bytes (FNV-1a).
fn mix(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    });
    hash >> 32
}

fn put_attributes(out: &mut Vec<u8>, attributes: &Attributes) {
    put(out, attributes.mode.into());
    put(out, attributes.uid.into());
    put(out, attributes.gid.into());
    put(out, attributes.mtime);
    put_step(out, attributes.mtime, attributes.atime);
    put_step(out, attributes.mtime, attributes.ctime);
}

fn attributes(reader: &mut Reader<'_>) -> Result<Attributes, StoreError> {
    let (mode, uid, gid) = (reader.small()?, reader.small()?, reader.small()?);
    let mtime = reader.number()?;
    Ok(Attributes {
        mode,
        uid,
        gid,
        atime: reader.step(mtime)?,
        mtime,
        ctime: reader.step(mtime)?,
    })
}

/// Reads the segments of one tree in their order.
pub(crate) struct Segments<'a> {
    loader: TreeLoader<'a>,
    place: u64,
}

/// Notes that a file needs a block; fails if it cannot be had.
type Needs<'a> = &'a mut dyn FnMut(&BlockId) -> Result<(), StoreError>;

impl<'a> Segments<'a> {
    pub(crate) fn new(loader: TreeLoader<'a>) -> Segments<'a> {
        Segments { loader, place: 0 }
    }

    /// Reads the next segment.
    pub(crate) fn segment(&mut self, bytes: &[u8], needs: Needs<'_>) -> Result<(), StoreError> {
        let mut reader = Reader::new(bytes);
        while !reader.is_empty() {
            let tag = reader.byte()?;
            if tag == PIECE || tag == NEXT_PIECE {
                self.piece(tag, &mut reader, needs)?;
            } else {
                let node = node(tag, &mut reader)?;
                self.place = 0;
                self.loader.node(node)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<codepod_vfs::LoadedTree, StoreError> {
        Ok(self.loader.finish()?)
    }

    fn piece(
        &mut self,
        tag: u8,
        reader: &mut Reader<'_>,
        needs: Needs<'_>,
    ) -> Result<(), StoreError> {
        let (skipped, length) = if tag == NEXT_PIECE {
            (0, Piece::MOST)
        } else {
            (reader.number()?, reader.small()?)
        };
        let digest: Digest = reader.array()?;
        let place = self
            .place
            .checked_add(skipped)
            .filter(|place| *place < u64::MAX)
            .ok_or(StoreError::Damaged("a piece out of place"))?;
        self.place = place + 1;
        // The limits first: a file that is too large is not even looked for.
        self.loader.piece(place, length, digest)?;
        needs(&BlockId { digest, length })
    }
}

fn node(tag: u8, reader: &mut Reader<'_>) -> Result<Node, StoreError> {
    let up = reader.number()?;
    let name: Arc<[u8]> = reader.bytes()?.into();
    let linked = tag & LINKED != 0;
    let plain = tag & !FREE;
    let item = match plain & !LINKED {
        DIRECTORY => Item::Directory {
            merged: tag & MERGED != 0,
            attributes: Some(attributes(reader)?),
        },
        _ if plain & !MERGED == DIRECTORY | KEPT => Item::Directory {
            merged: tag & MERGED != 0,
            attributes: None,
        },
        FILE => Item::File {
            attributes: attributes(reader)?,
            size: reader.number()?,
            linked,
        },
        SYMLINK => Item::Symlink {
            attributes: attributes(reader)?,
            target: reader.bytes()?.into(),
            linked,
        },
        FIFO => Item::Fifo {
            attributes: attributes(reader)?,
            linked,
        },
        SOCKET => Item::Socket {
            attributes: attributes(reader)?,
            linked,
        },
        DEVICE => Item::Device {
            attributes: attributes(reader)?,
            number: reader.number()?,
            linked,
        },
        LINK if !linked => Item::Link(reader.number()?),
        WHITEOUT if !linked => Item::Whiteout,
        _ => return Err(StoreError::Damaged("a node of an unknown kind")),
    };
    Ok(Node {
        up,
        name,
        free: tag & FREE != 0,
        item,
    })
}

/// Files that an overlay has seen, by path.
pub(crate) type SeenFiles = Vec<(Arc<[u8]>, Fingerprint)>;

/// Reads a segment of what was seen; paths ascend over all segments.
pub(crate) fn read_seen(bytes: &[u8], seen: &mut SeenFiles) -> Result<(), StoreError> {
    let mut reader = Reader::new(bytes);
    while !reader.is_empty() {
        let path: Arc<[u8]> = reader.bytes()?.into();
        if seen.last().is_some_and(|(last, _)| *last >= path) {
            return Err(StoreError::Damaged("paths that do not ascend"));
        }
        let kind: usize = reader.small()?;
        let kind = *KINDS
            .get(kind)
            .ok_or(StoreError::Damaged("a file of an unknown kind"))?;
        let identity = (reader.number()?, reader.number()?);
        let size = reader.number()?;
        let mode = reader.small()?;
        let mtime = reader.number()?;
        let ctime = reader.step(mtime)?;
        let known = match reader.byte()? {
            0 => false,
            1 => true,
            _ => return Err(StoreError::Damaged("neither yes nor no")),
        };
        let digest = u64::from_le_bytes(reader.array()?);
        let fingerprint = Fingerprint {
            identity,
            kind,
            size,
            mode,
            mtime,
            ctime,
            digest: known.then_some(digest),
            whole: None,
        };
        seen.push((path, fingerprint));
    }
    Ok(())
}
