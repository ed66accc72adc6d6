//! A state as one stream: to send it, to keep it elsewhere, to hand it to somebody.
//!
//! The manifest comes first, then the blocks that say what the tree is, then the contents of files,
//! then a checksum over all of it. So the limits of who imports are checked before the first byte
//! of content is taken, and nothing is taken that the manifest does not lead to.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use codepod_abi::Errno;
use codepod_vfs::{BlockSource, Digest, Piece, Seen};

use crate::block::{BlockId, Framer, LARGEST_FRAME, unframe};
use crate::error::StoreError;
use crate::header::{header, read_header};
use crate::key::Key;
use crate::manifest::{self, LARGEST_MANIFEST, Manifest};
use crate::state::{self, Bases, BlockReader, BlockSink, Loaded, MountState, State, Version};
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"CODEPODX";

/// How much of something long is read before any of it has come.
const FIRST_READ: usize = 64 << 10;

/// Writes a state, without what overlays have seen: names and times of the host's files are no
/// business of whoever gets it, and on another machine they mean nothing.
pub fn export(
    state: &State<'_>,
    key: Option<&Key>,
    out: &mut dyn Write,
) -> Result<Version, StoreError> {
    let mounts = state.mounts.iter().map(|mount| MountState {
        seen: Seen::default(),
        ..*mount
    });
    state.check_size()?;
    let state = &State {
        mounts: mounts.collect(),
        shells: state.shells.clone(),
        ..*state
    };
    let mut form = Form::default();
    let contents = state.write(&mut form)?;
    let manifest = Manifest::of_stream(state.now, state.image, contents);
    let mut stream = Exporter {
        framer: Framer::new(key)?,
        out,
        hasher: blake3::Hasher::new(),
        pieces: HashSet::new(),
    };
    stream.write(&header(MAGIC, key.is_some()))?;
    stream.write_part(&manifest.encode(key)?)?;
    for (id, content) in &form.blocks {
        stream.write_block(id, content)?;
    }
    state.write(&mut stream)?;
    stream.write(&0u32.to_le_bytes())?;
    let checksum = stream.hasher.finalize();
    stream.write(checksum.as_bytes())?;
    stream.out.flush().map_err(StoreError::io("write"))?;
    Ok(Version::of(&manifest))
}

/// Reads a state, all of it; nothing is kept of one that is damaged, unknown or too large.
pub fn import(
    input: &mut dyn Read,
    key: Option<&Key>,
    bases: Bases<'_>,
) -> Result<Loaded, StoreError> {
    let mut stream = Importer {
        input,
        hasher: blake3::Hasher::new(),
        key,
        sealed: false,
        repeated: HashMap::new(),
        wanted: HashMap::new(),
    };
    let head = stream.read(header(MAGIC, false).len() as u32)?;
    stream.sealed = read_header(&mut Reader::new(&head), MAGIC)?.sealed;
    let manifest = stream
        .read_part(LARGEST_MANIFEST)?
        .ok_or(StoreError::Damaged("no manifest"))?;
    // What was read goes: a manifest may be all that there is of a stream.
    let manifest = Manifest::decode(&{ manifest }, key)?;
    let mut mounts = manifest.contents.mounts.iter();
    if mounts.any(|mount| !mount.seen.is_empty() || !mount.bases.is_empty()) {
        return Err(StoreError::Damaged("files that somebody else has seen"));
    }
    stream.repeated = repeated(&manifest.contents);
    let contents = Arc::new(Contents::default());
    let source: Arc<dyn BlockSource> = contents.clone();
    let loaded = state::read(&manifest, bases, &source, &mut stream)?;
    stream.read_contents(&contents)?;
    for mount in &loaded.mounts {
        mount.tree.fetch()?;
    }
    // The files have what they need; what is deleted of them must not stay.
    contents.lock().clear();
    Ok(loaded)
}

/// The blocks that say what a tree is, in the order in which they are needed.
#[derive(Default)]
struct Form {
    blocks: Vec<(BlockId, Vec<u8>)>,
    seen: HashSet<Digest>,
}

impl BlockSink for Form {
    fn block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        if self.seen.insert(id.digest) {
            self.blocks.push((*id, content.to_vec()));
        }
        Ok(())
    }

    fn piece(&mut self, _: &BlockId, _: Piece<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

struct Exporter<'a> {
    framer: Framer<'a>,
    out: &'a mut dyn Write,
    hasher: blake3::Hasher,
    pieces: HashSet<Digest>,
}

impl Exporter<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.hasher.update(bytes);
        self.out.write_all(bytes).map_err(StoreError::io("write"))
    }

    /// Writes something with its length.
    fn write_part(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.write(&(bytes.len() as u32).to_le_bytes())?;
        self.write(bytes)
    }

    fn write_block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        let frame = self.framer.frame(&id.digest, content)?;
        self.write_part(&frame)
    }
}

impl BlockSink for Exporter<'_> {
    fn block(&mut self, _: &BlockId, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    fn piece(&mut self, id: &BlockId, piece: Piece<'_>) -> Result<(), StoreError> {
        if self.pieces.insert(id.digest) {
            self.write_block(id, piece.bytes()?)?;
        }
        Ok(())
    }
}

/// The contents of files that were imported, until the files have them.
#[derive(Debug, Default)]
struct Contents(Mutex<HashMap<Digest, Arc<[u8]>>>);

impl Contents {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Digest, Arc<[u8]>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BlockSource for Contents {
    fn fetch(&self, digest: &Digest, _: usize) -> Result<Arc<[u8]>, Errno> {
        self.lock().get(digest).cloned().ok_or(Errno::Io)
    }
}

/// A block that is needed more than once.
#[derive(Debug, Default)]
struct Repeated {
    /// How often it is needed after the first time.
    left: usize,
    /// Empty before the first time and after the last.
    content: Vec<u8>,
}

/// The blocks that a state names more than once: the only ones that are kept until they come again.
fn repeated(contents: &manifest::Contents) -> HashMap<Digest, Repeated> {
    let mut digests: Vec<&Digest> = contents.blocks().map(|block| &block.digest).collect();
    digests.sort_unstable();
    let same = digests
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() > 1);
    let mut repeated = HashMap::with_capacity(same.clone().count());
    for same in same {
        let left = same.len() - 1;
        let content = Vec::new();
        repeated.insert(*same[0], Repeated { left, content });
    }
    repeated
}

struct Importer<'a> {
    input: &'a mut dyn Read,
    hasher: blake3::Hasher,
    key: Option<&'a Key>,
    sealed: bool,
    /// Blocks that the manifest names more than once, and that are in the stream once.
    repeated: HashMap<Digest, Repeated>,
    /// What files need.
    wanted: HashMap<Digest, u32>,
}

impl Importer<'_> {
    /// The next bytes. Memory is taken as they come, whatever length was promised, and no more than
    /// that.
    fn read(&mut self, length: u32) -> Result<Vec<u8>, StoreError> {
        let length = length as usize;
        let mut bytes = Vec::new();
        while bytes.len() < length {
            let more = (length - bytes.len()).min(bytes.len().max(FIRST_READ));
            bytes.reserve_exact(more);
            let read = (&mut *self.input)
                .take(more as u64)
                .read_to_end(&mut bytes)
                .map_err(StoreError::io("read"))?;
            if read < more {
                return Err(StoreError::Damaged("it ends too early"));
            }
        }
        self.hasher.update(&bytes);
        Ok(bytes)
    }

    /// Something with its length; `None` at the end.
    fn read_part(&mut self, most: u32) -> Result<Option<Vec<u8>>, StoreError> {
        let length = Reader::new(&self.read(4)?).u32()?;
        match length {
            0 => Ok(None),
            _ if length > most => Err(StoreError::Limit("the size of a block")),
            _ => self.read(length).map(Some),
        }
    }

    fn read_block(&mut self) -> Result<Option<(BlockId, Vec<u8>)>, StoreError> {
        let Some(frame) = self.read_part(LARGEST_FRAME)? else {
            return Ok(None);
        };
        unframe(self.key, self.sealed, &frame).map(Some)
    }

    /// Reads the contents of files to the end of the stream.
    fn read_contents(&mut self, contents: &Contents) -> Result<(), StoreError> {
        let mut contents = contents.lock();
        while let Some((id, content)) = self.read_block()? {
            if self.wanted.remove(&id.digest) != Some(id.length) {
                return Err(StoreError::Damaged("a block that nothing needs"));
            }
            contents.insert(id.digest, content.into());
        }
        if !self.wanted.is_empty() {
            return Err(StoreError::Damaged("a block is missing"));
        }
        let found = self.hasher.finalize();
        let checksum = self.read(32)?;
        if found.as_bytes() != &checksum[..] {
            return Err(StoreError::Damaged("the checksum is wrong"));
        }
        let more = self.input.read(&mut [0]).map_err(StoreError::io("read"))?;
        if more != 0 {
            return Err(StoreError::Damaged("it goes on after its end"));
        }
        Ok(())
    }
}

impl BlockReader for Importer<'_> {
    fn block(&mut self, id: &BlockId) -> Result<Vec<u8>, StoreError> {
        if let Some(Repeated { left, content }) = self.repeated.get_mut(&id.digest)
            && !content.is_empty()
        {
            *left = left.saturating_sub(1);
            return Ok(match left {
                0 => std::mem::take(content),
                _ => content.clone(),
            });
        }
        let (found, content) = self
            .read_block()?
            .ok_or(StoreError::Damaged("a block is missing"))?;
        if found != *id {
            return Err(StoreError::Damaged("a block in the place of another"));
        }
        if let Some(repeated) = self.repeated.get_mut(&id.digest) {
            repeated.content.clone_from(&content);
        }
        Ok(content)
    }

    fn piece(&mut self, id: &BlockId) -> Result<(), StoreError> {
        match self.wanted.insert(id.digest, id.length) {
            Some(other) if other != id.length => Err(StoreError::Damaged("two lengths of a block")),
            _ => Ok(()),
        }
    }
}
