//! What is saved of a sandbox, and how it is taken apart into blocks and put together again.

use std::collections::HashSet;
use std::sync::Arc;

use codepod_vfs::{
    BlockSource, Digest, FsLimits, Item, LoadedTree, Node, Piece, Seen, Tree, TreeLoader, TreeSink,
};

use crate::block::{BlockId, LARGEST, digest};
use crate::error::StoreError;
use crate::manifest::{Contents, MOST_MOUNTS, MOST_SHELLS, Manifest, MountContents};
use crate::record::{SeenFiles, Segmenter, Segments, read_seen};

/// The most bytes that the states of all shells have together.
const LARGEST_SHELLS: u64 = 64 << 20;

/// The most bytes that is kept of what overlays have seen.
const LARGEST_SEEN: u64 = 64 << 20;

/// The most bytes of the form of a tree, beside what its limits allow: names and targets of links
/// are bytes there, and so many a node takes beside them.
const LARGEST_FORM: u64 = 64 << 20;
const FORM_OF_A_NODE: u64 = 512;

/// What is saved of a sandbox at one moment: files, and the states of shells. Processes, open files
/// and pipes are not.
#[derive(Debug)]
pub struct State<'a> {
    /// The file systems that have a state of their own.
    pub mounts: Vec<MountState<'a>>,
    /// The shells by name, each with the state that it would go on from.
    pub shells: Vec<(&'a str, &'a [u8])>,
    /// What tells the base image apart from others.
    pub image: Digest,
    /// The present time in nanoseconds since 1970, for people.
    pub now: u64,
}

/// The files of one mount.
#[derive(Debug, Clone, Copy)]
pub struct MountState<'a> {
    /// Where it is mounted.
    pub at: &'a [u8],
    /// Its tree; an overlay's upper one.
    pub tree: &'a Tree,
    /// What the tree came from: only what differs is saved.
    pub base: Option<&'a Tree>,
    /// Whether it is an overlay's.
    pub overlay: bool,
    /// What an overlay has seen of the files below it: saved, and no part of the state's hash.
    pub seen: Seen<'a>,
}

/// A state that was loaded. Contents of files come when they are read, unless it was imported.
#[derive(Debug)]
pub struct Loaded {
    /// The files, by mount.
    pub mounts: Vec<LoadedMount>,
    /// The shells by name, with their states.
    pub shells: Vec<(String, Vec<u8>)>,
    /// What is known about it.
    pub version: Version,
}

/// The files of one mount.
#[derive(Debug)]
pub struct LoadedMount {
    /// Where it was mounted.
    pub at: Vec<u8>,
    /// Whether it is an overlay's upper tree.
    pub overlay: bool,
    /// The tree.
    pub tree: LoadedTree,
}

/// What is known about a saved state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Version {
    /// Which writer saved it; a later one has a higher number.
    pub epoch: u64,
    /// Which save it was; a later one has a higher number.
    pub sequence: u64,
    /// The hash of the state: the same for two that hold the same.
    pub hash: Digest,
    /// The hash of its files alone, without the states of shells.
    pub files: Digest,
    /// The base image that it was saved over.
    pub image: Digest,
    /// When, in nanoseconds since 1970.
    pub created: u64,
}

impl Version {
    pub(crate) fn of(manifest: &Manifest) -> Version {
        Version {
            epoch: manifest.epoch,
            sequence: manifest.sequence,
            hash: manifest.contents.hash(),
            files: manifest.contents.hash_of_files(),
            image: manifest.image,
            created: manifest.created,
        }
    }
}

/// The tree that a mount's files are read over, with the limits that they have to keep; by its
/// place and whether it is an overlay's. `None` where the sandbox has no such mount.
pub type Bases<'a> = &'a dyn Fn(&[u8], bool) -> Option<Tree>;

/// Takes blocks.
pub(crate) trait BlockSink {
    /// A block of the tree's form or of a shell's state.
    fn block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError>;

    /// A block of a file.
    fn piece(&mut self, id: &BlockId, piece: Piece<'_>) -> Result<(), StoreError>;
}

impl State<'_> {
    /// Takes a state apart.
    pub(crate) fn write(&self, sink: &mut dyn BlockSink) -> Result<Contents, StoreError> {
        let mut contents = Contents::default();
        for mount in &self.mounts {
            contents.mounts.push(MountContents {
                at: mount.at.to_vec(),
                overlay: mount.overlay,
                segments: write_tree(sink, mount.tree, mount.base)?,
                seen: write_seen(sink, mount.seen)?,
                bases: match mount.seen.bases() {
                    Some(bases) => write_tree(sink, bases, None)?,
                    None => Vec::new(),
                },
            });
        }
        for (name, state) in &self.shells {
            let mut blocks = Vec::new();
            for piece in state.chunks(LARGEST as usize) {
                blocks.push(put(sink, piece)?);
            }
            contents.shells.push(((*name).to_owned(), blocks));
        }
        contents.shells.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(contents)
    }

    /// Whether it can be loaded once it is saved; [`StoreError::Limit`] if not.
    pub(crate) fn check_size(&self) -> Result<(), StoreError> {
        let shells: u64 = self
            .shells
            .iter()
            .map(|(_, state)| state.len() as u64)
            .sum();
        if self.mounts.len() > MOST_MOUNTS {
            return Err(StoreError::Limit("the number of mounts"));
        }
        if self.shells.len() > MOST_SHELLS {
            return Err(StoreError::Limit("the number of shells"));
        }
        if shells > LARGEST_SHELLS {
            return Err(StoreError::Limit("the states of shells"));
        }
        Ok(())
    }

    /// The hash of a state: what saving it would give.
    pub fn hash(&self) -> Result<Digest, StoreError> {
        Ok(self.write(&mut Nowhere)?.hash())
    }
}

/// What tells a base image apart from others: names, modes, owners and contents, not times.
pub fn image_identity(image: &Tree) -> Result<Digest, StoreError> {
    let mut identity = Identity(blake3::Hasher::new());
    image.save(None, &mut identity)?;
    Ok(*identity.0.finalize().as_bytes())
}

/// Hashes a tree without its times.
struct Identity(blake3::Hasher);

impl TreeSink for Identity {
    type Error = StoreError;

    fn node(&mut self, node: &Node) -> Result<(), StoreError> {
        let mut node = node.clone();
        let attributes = match &mut node.item {
            Item::Directory { attributes, .. } => attributes.as_mut(),
            Item::File { attributes, .. }
            | Item::Symlink { attributes, .. }
            | Item::Fifo { attributes, .. }
            | Item::Socket { attributes, .. }
            | Item::Device { attributes, .. } => Some(attributes),
            Item::Link(_) | Item::Whiteout => None,
        };
        if let Some(attributes) = attributes {
            (attributes.atime, attributes.mtime, attributes.ctime) = (0, 0, 0);
        }
        let mut segmenter = Segmenter::default();
        let cut = segmenter.node(&node);
        for segment in cut.into_iter().chain(segmenter.finish()) {
            self.0.update(&segment);
        }
        Ok(())
    }

    fn piece(&mut self, place: u64, piece: Piece<'_>) -> Result<(), StoreError> {
        self.0.update(&place.to_le_bytes());
        self.0.update(&piece.digest(&digest)?);
        Ok(())
    }
}

/// Takes nothing.
struct Nowhere;

impl BlockSink for Nowhere {
    fn block(&mut self, _: &BlockId, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn piece(&mut self, _: &BlockId, _: Piece<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Takes a tree apart.
fn write_tree(
    sink: &mut dyn BlockSink,
    tree: &Tree,
    base: Option<&Tree>,
) -> Result<Vec<BlockId>, StoreError> {
    let mut files = Files {
        sink,
        segmenter: Segmenter::default(),
        segments: Vec::new(),
    };
    tree.save(base, &mut files)?;
    files.finish()
}

/// Takes apart what an overlay has seen. Of more than a reader takes, the rest is left out: what is
/// changed of that is not handed down before it is read again.
fn write_seen(sink: &mut dyn BlockSink, seen: Seen<'_>) -> Result<Vec<BlockId>, StoreError> {
    let mut segmenter = Segmenter::default();
    let mut blocks = Vec::new();
    let mut bytes = 0;
    for (path, fingerprint) in seen.iter() {
        if let Some(segment) = segmenter.seen(path, fingerprint) {
            bytes += segment.len() as u64;
            // There is one more to come.
            if bytes > LARGEST_SEEN - u64::from(LARGEST) {
                return Ok(blocks);
            }
            blocks.push(put(sink, &segment)?);
        }
    }
    if let Some(segment) = segmenter.finish() {
        blocks.push(put(sink, &segment)?);
    }
    Ok(blocks)
}

fn put(sink: &mut dyn BlockSink, content: &[u8]) -> Result<BlockId, StoreError> {
    let id = BlockId {
        digest: digest(content),
        length: content.len() as u32,
    };
    sink.block(&id, content)?;
    Ok(id)
}

/// Takes a tree while it is written.
struct Files<'a> {
    sink: &'a mut dyn BlockSink,
    segmenter: Segmenter,
    segments: Vec<BlockId>,
}

impl Files<'_> {
    fn add(&mut self, segment: Option<Vec<u8>>) -> Result<(), StoreError> {
        if let Some(segment) = segment {
            self.segments.push(put(self.sink, &segment)?);
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<BlockId>, StoreError> {
        let last = std::mem::take(&mut self.segmenter).finish();
        self.add(last)?;
        Ok(self.segments)
    }
}

impl TreeSink for Files<'_> {
    type Error = StoreError;

    fn node(&mut self, node: &Node) -> Result<(), StoreError> {
        let segment = self.segmenter.node(node);
        self.add(segment)
    }

    fn piece(&mut self, place: u64, piece: Piece<'_>) -> Result<(), StoreError> {
        let id = BlockId {
            digest: piece.digest(&digest)?,
            length: piece.length(),
        };
        self.sink.piece(&id, piece)?;
        let segment = self.segmenter.piece(place, &id);
        self.add(segment)
    }
}

/// Where the blocks of a state come from while it is put together.
pub(crate) trait BlockReader {
    /// The content of a block of the tree's form or of a shell's state.
    fn block(&mut self, id: &BlockId) -> Result<Vec<u8>, StoreError>;

    /// Notes that a file needs a block; fails if it cannot be had.
    fn piece(&mut self, id: &BlockId) -> Result<(), StoreError>;
}

/// Puts a state together, within the limits of what it is read over.
pub(crate) fn read(
    manifest: &Manifest,
    bases: Bases<'_>,
    source: &Arc<dyn BlockSource>,
    blocks: &mut dyn BlockReader,
) -> Result<Loaded, StoreError> {
    let mut places = HashSet::new();
    let mut seen_room = LARGEST_SEEN;
    let mut mounts = Vec::new();
    for mount in &manifest.contents.mounts {
        let no_mount = || StoreError::Mount {
            at: String::from_utf8_lossy(&mount.at).into_owned(),
        };
        if !places.insert(&mount.at) {
            return Err(StoreError::Damaged("two mounts in one place"));
        }
        let base = bases(&mount.at, mount.overlay).ok_or_else(no_mount)?;
        if !mount.overlay && !(mount.seen.is_empty() && mount.bases.is_empty()) {
            return Err(StoreError::Damaged("files below what lies over nothing"));
        }
        let before = base.for_bases();
        let limits = base.limits();
        let loader = if mount.overlay {
            TreeLoader::overlay(base, source.clone(), &digest)
        } else {
            TreeLoader::over(base, source.clone(), &digest)
        };
        let mut tree = read_tree(&mount.segments, loader, limits, blocks)?;
        tree.set_seen(seen(mount, &mut seen_room, blocks)?);
        if !mount.bases.is_empty() {
            let limits = before.limits();
            let loader = TreeLoader::over(before, source.clone(), &digest);
            tree.set_bases(read_tree(&mount.bases, loader, limits, blocks)?);
        }
        mounts.push(LoadedMount {
            at: mount.at.clone(),
            overlay: mount.overlay,
            tree,
        });
    }
    let lengths = manifest.contents.shells.iter().map(|(_, ids)| length(ids));
    if lengths.sum::<u64>() > LARGEST_SHELLS {
        return Err(StoreError::Limit("the states of shells"));
    }
    let mut shells = Vec::new();
    for (name, ids) in &manifest.contents.shells {
        let mut state = Vec::new();
        for id in ids {
            let content = blocks.block(id)?;
            if state.is_empty() {
                state.reserve_exact(length(ids) as usize);
            }
            state.extend_from_slice(&content);
        }
        shells.push((name.clone(), state));
    }
    Ok(Loaded {
        mounts,
        shells,
        version: Version::of(manifest),
    })
}

/// Puts a tree together.
fn read_tree(
    ids: &[BlockId],
    loader: TreeLoader<'_>,
    limits: FsLimits,
    blocks: &mut dyn BlockReader,
) -> Result<LoadedTree, StoreError> {
    let most = (limits.nodes.saturating_mul(FORM_OF_A_NODE))
        .saturating_add(limits.bytes)
        .saturating_add(LARGEST_FORM);
    if length(ids) > most {
        return Err(StoreError::Limit("the size of a tree"));
    }
    let mut segments = Segments::new(loader);
    for id in ids {
        let segment = blocks.block(id)?;
        segments.segment(&segment, &mut |id| blocks.piece(id))?;
    }
    segments.finish()
}

/// How many bytes blocks have together.
fn length(blocks: &[BlockId]) -> u64 {
    blocks.iter().map(|id| u64::from(id.length)).sum()
}

/// What an overlay had seen.
fn seen(
    mount: &MountContents,
    room: &mut u64,
    blocks: &mut dyn BlockReader,
) -> Result<SeenFiles, StoreError> {
    let mut seen = Vec::new();
    for id in &mount.seen {
        *room = room
            .checked_sub(id.length.into())
            .ok_or(StoreError::Limit("what overlays have seen"))?;
        read_seen(&blocks.block(id)?, &mut seen)?;
    }
    Ok(seen)
}
