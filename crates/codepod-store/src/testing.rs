//! Streams that fit in all but what a test puts into them.

use std::collections::HashSet;

use codepod_vfs::{Attributes, Item, Node};

use crate::block::{BlockId, Framer, LARGEST, digest, unframe};
use crate::error::StoreError;
use crate::header::{header, read_header};
use crate::key::Key;
use crate::manifest::{Contents, Manifest, MountContents};
use crate::record::Segmenter;
use crate::wire::Reader;

/// What a stream is made of, without any regard to whether it makes sense.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// The mounts: where each is, whether it is an overlay, and the segments of its tree, of at
    /// most 64 KiB each.
    pub mounts: Vec<(Vec<u8>, bool, Vec<Vec<u8>>)>,
    /// The shells by name, with the blocks of their states, of at most 64 KiB each.
    pub shells: Vec<(String, Vec<Vec<u8>>)>,
    /// The contents of files.
    pub contents: Vec<Vec<u8>>,
}

impl Sketch {
    /// The stream: its manifest, blocks and checksums are right. A block that comes twice is in it
    /// once.
    pub fn stream(&self) -> Vec<u8> {
        let mut contents = Contents::default();
        let (mut blocks, mut known) = (Vec::new(), HashSet::new());
        let mut put = |pieces: &[Vec<u8>]| -> Vec<BlockId> {
            let ids = pieces.iter().map(|piece| {
                let id = BlockId {
                    digest: digest(piece),
                    length: piece.len() as u32,
                };
                if known.insert(id.digest) {
                    blocks.push((id, piece.clone()));
                }
                id
            });
            ids.collect()
        };
        for (at, overlay, segments) in &self.mounts {
            contents.mounts.push(MountContents {
                at: at.clone(),
                overlay: *overlay,
                segments: put(segments),
                seen: Vec::new(),
                bases: Vec::new(),
            });
        }
        for (name, pieces) in &self.shells {
            contents.shells.push((name.clone(), put(pieces)));
        }
        put(&self.contents);
        let manifest = Manifest::of_stream(0, [0; 32], contents);
        stream(&manifest, &blocks).unwrap_or_default()
    }
}

/// A stream whose manifest, blocks and checksums are right around a tree that is made of these
/// bytes.
pub fn stream_around(tree: &[u8]) -> Vec<u8> {
    let segments = tree.chunks(LARGEST as usize).map(<[u8]>::to_vec);
    let sketch = Sketch {
        mounts: vec![(b"/".to_vec(), false, segments.collect())],
        ..Sketch::default()
    };
    sketch.stream()
}

/// The form of one node of a tree: a name of the image that is gone.
pub fn gone(name: &[u8]) -> Vec<u8> {
    form(&Node {
        up: 0,
        name: name.into(),
        free: false,
        item: Item::Whiteout,
    })
}

/// The form of the root directory, which comes first.
pub fn root() -> Vec<u8> {
    form(&Node {
        up: 0,
        name: [].into(),
        free: false,
        item: Item::Directory {
            merged: true,
            attributes: None,
        },
    })
}

/// The form of a file with so many pieces of so many bytes, of which nothing is known but their
/// digests.
pub fn file(name: &[u8], digests: &[[u8; 32]], length: u32) -> Vec<u8> {
    let most = u64::from(LARGEST);
    let mut segmenter = Segmenter::default();
    let mut bytes = Vec::new();
    let node = Node {
        up: 0,
        name: name.into(),
        free: false,
        item: Item::File {
            attributes: Attributes::default(),
            size: digests.len() as u64 * most,
            linked: false,
        },
    };
    bytes.extend(segmenter.node(&node).into_iter().flatten());
    for (place, digest) in digests.iter().enumerate() {
        let id = BlockId {
            digest: *digest,
            length,
        };
        bytes.extend(segmenter.piece(place as u64, &id).into_iter().flatten());
    }
    bytes.extend(segmenter.finish().into_iter().flatten());
    bytes
}

fn form(node: &Node) -> Vec<u8> {
    let mut segmenter = Segmenter::default();
    let cut = segmenter.node(node);
    cut.into_iter()
        .chain(segmenter.finish())
        .flatten()
        .collect()
}

/// Everything that is in a stream, as it is before it is compressed and encrypted: the manifest and
/// all blocks.
pub fn contents_of(stream: &[u8], key: Option<&Key>) -> Result<Vec<u8>, StoreError> {
    let mut reader = Reader::new(stream);
    let sealed = read_header(&mut reader, b"CODEPODX")?.sealed;
    let mut contents = Vec::new();
    let length = reader.u32()?;
    let manifest = Manifest::decode(reader.take(length as usize)?, key)?;
    contents.extend_from_slice(&manifest.encode(None)?);
    loop {
        let length = reader.u32()?;
        if length == 0 {
            return Ok(contents);
        }
        let frame = reader.take(length as usize)?;
        contents.extend_from_slice(&unframe(key, sealed, frame)?.1);
    }
}

/// Reads bytes as what an overlay has seen; how many files that are, if it is any.
pub fn seen_of(bytes: &[u8]) -> Option<usize> {
    let mut seen = Vec::new();
    crate::record::read_seen(bytes, &mut seen).ok()?;
    Some(seen.len())
}

/// A stream of a manifest and of blocks, whatever is in them.
pub(crate) fn stream(
    manifest: &Manifest,
    blocks: &[(BlockId, Vec<u8>)],
) -> Result<Vec<u8>, StoreError> {
    let mut framer = Framer::new(None)?;
    let mut bytes = header(b"CODEPODX", false);
    let part = |bytes: &mut Vec<u8>, part: &[u8]| {
        bytes.extend_from_slice(&(part.len() as u32).to_le_bytes());
        bytes.extend_from_slice(part);
    };
    part(&mut bytes, &manifest.encode(None)?);
    for (id, content) in blocks {
        part(&mut bytes, &framer.frame(&id.digest, content)?);
    }
    bytes.extend_from_slice(&[0; 4]);
    let checksum = digest(&bytes);
    bytes.extend_from_slice(&checksum);
    Ok(bytes)
}
