//! Streams that fit in all but what a test puts into them.

use crate::block::{BlockId, Framer, LARGEST, digest};
use crate::error::StoreError;
use crate::manifest::{Contents, Manifest, MountContents, header};

/// A stream whose manifest, blocks and checksums are right around a tree that is made of these bytes.
pub fn stream_around(tree: &[u8]) -> Vec<u8> {
    let mut manifest = Manifest {
        namespace: String::new(),
        epoch: 0,
        sequence: 0,
        created: 0,
        image: [0; 32],
        contents: Contents::default(),
        packs: Vec::new(),
    };
    let mut blocks = Vec::new();
    for segment in tree.chunks(LARGEST as usize) {
        let id = BlockId {
            digest: digest(segment),
            length: segment.len() as u32,
        };
        blocks.push((id, segment.to_vec()));
    }
    manifest.contents.mounts.push(MountContents {
        at: b"/".to_vec(),
        overlay: false,
        segments: blocks.iter().map(|(id, _)| *id).collect(),
        seen: Vec::new(),
    });
    stream(&manifest, &blocks).unwrap_or_default()
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
