//! Manifests: what one saved state consists of. Written once under a name of their own, never
//! changed.
//!
//! A manifest is a header in the clear (what it is, its format, the smallest reader, whether it is
//! sealed), a body, and a checksum over both. It is the only thing that makes a state visible:
//! blocks that no manifest names do not count.

use codepod_vfs::Digest;

use crate::block::{BlockId, LARGEST, digest};
use crate::error::StoreError;
use crate::header::{Header, flag, header, read_header};
use crate::key::{self, Key};
use crate::pack::PackName;
use crate::wire::{Out, Reader, put, put_bytes};

/// The most bytes that a manifest has.
pub(crate) const LARGEST_MANIFEST: u32 = 64 << 20;

/// The most mounts that a state has. A mount of three bytes takes a hundred in memory: their number
/// is limited before they are read.
pub(crate) const MOST_MOUNTS: usize = 256;
/// The most shells that a state has.
pub(crate) const MOST_SHELLS: usize = 1024;
/// The longest path of a mount.
const LONGEST_PLACE: usize = 4096;

const MAGIC: &[u8; 8] = b"CODEPODM";
const CHECKSUM: usize = 32;
/// Blocks of a fixed size.
const FIXED_BLOCKS: u8 = 1;

/// What a state consists of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Contents {
    pub(crate) mounts: Vec<MountContents>,
    pub(crate) shells: Vec<Shell>,
}

/// A shell by its name, with the blocks of its state.
pub(crate) type Shell = (String, Vec<BlockId>);

/// The files of one mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MountContents {
    /// Where it is mounted.
    pub(crate) at: Vec<u8>,
    pub(crate) overlay: bool,
    /// The tree, as `record.rs` writes it.
    pub(crate) segments: Vec<BlockId>,
    /// What an overlay has seen of the files below it. Not in the hash: two that hold the same are
    /// the same state, whatever each has looked at.
    pub(crate) seen: Vec<BlockId>,
    /// What these files held before the overlay changed them: a tree, as `segments` is one. Not in
    /// the hash either.
    pub(crate) bases: Vec<BlockId>,
}

/// One saved state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) namespace: String,
    /// Which writer; each that opens the namespace to write gets a higher one.
    pub(crate) epoch: u64,
    /// Which save; the next is one higher.
    pub(crate) sequence: u64,
    /// When, in nanoseconds since 1970. For people: nothing is decided by it.
    pub(crate) created: u64,
    /// The base image that the files are written against.
    pub(crate) image: Digest,
    pub(crate) contents: Contents,
    /// The packs that its blocks are in.
    pub(crate) packs: Vec<PackName>,
}

impl Contents {
    /// The hash of the state: of everything that is saved, and of nothing else.
    pub(crate) fn hash(&self) -> Digest {
        hash_of(&self.mounts, &self.shells)
    }

    /// The hash of the files alone.
    pub(crate) fn hash_of_files(&self) -> Digest {
        hash_of(&self.mounts, &[])
    }

    /// The blocks of the form of trees and of shells, as often as they are named.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = &BlockId> {
        let mounts = self.mounts.iter();
        let mounts = mounts.flat_map(|mount| {
            let forms = mount.segments.iter().chain(&mount.seen);
            forms.chain(&mount.bases)
        });
        mounts.chain(self.shells.iter().flat_map(|(_, blocks)| blocks))
    }

    fn encode(&self, out: &mut impl Out) {
        encode(&self.mounts, &self.shells, out);
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Contents, StoreError> {
        let mut contents = Contents::default();
        let mounts = reader.count(3)?;
        if mounts > MOST_MOUNTS {
            return Err(StoreError::Limit("the number of mounts"));
        }
        for _ in 0..mounts {
            let at = reader.bytes()?;
            if at.len() > LONGEST_PLACE {
                return Err(StoreError::Limit("the length of a path"));
            }
            contents.mounts.push(MountContents {
                at: at.to_vec(),
                overlay: flag(reader)?,
                segments: blocks(reader)?,
                seen: Vec::new(),
                bases: Vec::new(),
            });
        }
        let shells = reader.count(2)?;
        if shells > MOST_SHELLS {
            return Err(StoreError::Limit("the number of shells"));
        }
        for _ in 0..shells {
            let name = reader.text()?.to_owned();
            contents.shells.push((name, blocks(reader)?));
        }
        let ascend = contents.shells.is_sorted_by(|a, b| a.0 < b.0);
        if !ascend {
            return Err(StoreError::Damaged("shells that are out of order"));
        }
        Ok(contents)
    }
}

fn hash_of(mounts: &[MountContents], shells: &[Shell]) -> Digest {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"codepod state 1\0");
    encode(mounts, shells, &mut hasher);
    *hasher.finalize().as_bytes()
}

fn encode(mounts: &[MountContents], shells: &[Shell], out: &mut impl Out) {
    put(out, mounts.len() as u64);
    for mount in mounts {
        put_bytes(out, &mount.at);
        out.append(&[mount.overlay.into()]);
        put_blocks(out, &mount.segments);
    }
    put(out, shells.len() as u64);
    for (name, blocks) in shells {
        put_bytes(out, name.as_bytes());
        put_blocks(out, blocks);
    }
}

impl Manifest {
    /// One that belongs to no namespace and brings its blocks with it.
    pub(crate) fn of_stream(created: u64, image: Digest, contents: Contents) -> Manifest {
        Manifest {
            namespace: String::new(),
            epoch: 0,
            sequence: 0,
            created,
            image,
            contents,
            packs: Vec::new(),
        }
    }

    /// The bytes to keep.
    pub(crate) fn encode(&self, key: Option<&Key>) -> Result<Vec<u8>, StoreError> {
        let mut body = Vec::new();
        put_bytes(&mut body, self.namespace.as_bytes());
        put(&mut body, self.epoch);
        put(&mut body, self.sequence);
        put(&mut body, self.created);
        body.push(FIXED_BLOCKS);
        body.extend_from_slice(&self.image);
        body.extend_from_slice(&self.contents.hash());
        self.contents.encode(&mut body);
        for mount in &self.contents.mounts {
            put_blocks(&mut body, &mount.seen);
            put_blocks(&mut body, &mount.bases);
        }
        put(&mut body, self.packs.len() as u64);
        for pack in &self.packs {
            put(&mut body, pack.epoch);
            body.extend_from_slice(&pack.digest);
        }
        let mut out = header(MAGIC, key.is_some());
        let body = key::seal(key, &about(&out), body)?;
        let length =
            u32::try_from(body.len()).map_err(|_| StoreError::Limit("the size of a manifest"))?;
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&body);
        let checksum = digest(&out);
        out.extend_from_slice(&checksum);
        Ok(out)
    }

    /// Reads a manifest; anything that was changed in it is an error.
    pub(crate) fn decode(bytes: &[u8], key: Option<&Key>) -> Result<Manifest, StoreError> {
        let mut reader = Reader::new(bytes);
        let Header { format, sealed } = read_header(&mut reader, MAGIC)?;
        let head = &bytes[..bytes.len() - reader.left()];
        let length = reader.u32()?;
        if length > LARGEST_MANIFEST {
            return Err(StoreError::Limit("the size of a manifest"));
        }
        let body = reader.take(length as usize)?;
        let covered = &bytes[..bytes.len() - reader.left()];
        let checksum: [u8; CHECKSUM] = reader.array()?;
        reader.end()?;
        if digest(covered) != checksum {
            return Err(StoreError::Damaged("a manifest whose checksum is wrong"));
        }
        let body = key::open(key, sealed, &about(head), body)?;
        Manifest::decode_body(&body, format)
    }

    fn decode_body(body: &[u8], format: u16) -> Result<Manifest, StoreError> {
        let mut reader = Reader::new(body);
        let namespace = reader.text()?.to_owned();
        let (epoch, sequence) = (reader.number()?, reader.number()?);
        let created = reader.number()?;
        if reader.byte()? != FIXED_BLOCKS {
            return Err(StoreError::Damaged("blocks that are cut in an unknown way"));
        }
        let image = reader.array()?;
        let hash: Digest = reader.array()?;
        let mut contents = Contents::decode(&mut reader)?;
        if format >= 2 {
            for mount in &mut contents.mounts {
                mount.seen = blocks(&mut reader)?;
                if format >= 3 {
                    mount.bases = blocks(&mut reader)?;
                }
            }
        }
        if contents.hash() != hash {
            return Err(StoreError::Damaged("a state whose hash is wrong"));
        }
        let count = reader.count(32)?;
        let mut packs = Vec::with_capacity(count);
        for _ in 0..count {
            let epoch = if format < 2 { 0 } else { reader.number()? };
            let digest = reader.array()?;
            packs.push(PackName { epoch, digest });
        }
        reader.end()?;
        Ok(Manifest {
            namespace,
            epoch,
            sequence,
            created,
            image,
            contents,
            packs,
        })
    }
}

/// What a sealed manifest is about.
fn about(header: &[u8]) -> Vec<u8> {
    [b"codepod manifest", header].concat()
}

fn put_blocks(out: &mut impl Out, blocks: &[BlockId]) {
    put(out, blocks.len() as u64);
    for block in blocks {
        out.append(&block.digest);
        put(out, block.length.into());
    }
}

fn blocks(reader: &mut Reader<'_>) -> Result<Vec<BlockId>, StoreError> {
    let count = reader.count(33)?;
    // No more than what was read: a block takes three bytes more here than there.
    let mut blocks = Vec::with_capacity(count);
    for _ in 0..count {
        let digest = reader.array()?;
        let length = reader.small()?;
        if length == 0 || length > LARGEST {
            return Err(StoreError::Limit("the size of a block"));
        }
        blocks.push(BlockId { digest, length });
    }
    Ok(blocks)
}
