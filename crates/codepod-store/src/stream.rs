//! A state as one stream: to send it, to keep it elsewhere, to hand it to somebody.
//!
//! The manifest comes first, then the blocks that say what the tree is, then the contents of files, then a checksum over
//! all of it. So the limits of who imports are checked before the first byte of content is taken, and nothing is taken that
//! the manifest does not lead to.

use std::collections::{HashMap, HashSet};
use std::io::{Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use codepod_abi::Errno;
use codepod_vfs::{BlockSource, Digest, Piece, Seen};

use crate::block::{BlockId, Framer, LARGEST_FRAME, unframe};
use crate::error::StoreError;
use crate::key::Key;
use crate::manifest::{LARGEST_MANIFEST, Manifest, header, read_header};
use crate::state::{self, Bases, BlockReader, BlockSink, Loaded, MountState, State, Version};
use crate::wire::Reader;

const MAGIC: &[u8; 8] = b"CODEPODX";

/// Writes a state, without what overlays have seen: names and times of the host's files are no business of whoever gets it, and
/// on another machine they mean nothing.
pub fn export(
    state: &State<'_>,
    key: Option<&Key>,
    out: &mut dyn Write,
) -> Result<Version, StoreError> {
    let mounts = state.mounts.iter().map(|mount| MountState {
        seen: Seen::default(),
        ..*mount
    });
    let state = &State {
        mounts: mounts.collect(),
        shells: state.shells.clone(),
        ..*state
    };
    let mut form = Form::default();
    let contents = state.write(&mut form)?;
    let manifest = Manifest {
        namespace: String::new(),
        epoch: 0,
        sequence: 0,
        created: state.now,
        image: state.image,
        contents,
        packs: Vec::new(),
    };
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
        blocks: HashMap::new(),
        wanted: HashMap::new(),
    };
    let head = stream.read(header(MAGIC, false).len() as u32)?;
    stream.sealed = read_header(&mut Reader::new(&head), MAGIC)?.sealed;
    let manifest = stream
        .read_part(LARGEST_MANIFEST)?
        .ok_or(StoreError::Damaged("no manifest"))?;
    let manifest = Manifest::decode(&manifest, key)?;
    let mut mounts = manifest.contents.mounts.iter();
    if mounts.any(|mount| !mount.seen.is_empty()) {
        return Err(StoreError::Damaged("files that somebody else has seen"));
    }
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

struct Importer<'a> {
    input: &'a mut dyn Read,
    hasher: blake3::Hasher,
    key: Option<&'a Key>,
    sealed: bool,
    /// Blocks of the tree's form, for those that come twice.
    blocks: HashMap<Digest, Vec<u8>>,
    /// What files need.
    wanted: HashMap<Digest, u32>,
}

impl Importer<'_> {
    /// The next bytes. Memory is taken as they come, whatever length was promised.
    fn read(&mut self, length: u32) -> Result<Vec<u8>, StoreError> {
        let mut bytes = Vec::new();
        (&mut *self.input)
            .take(length.into())
            .read_to_end(&mut bytes)
            .map_err(StoreError::io("read"))?;
        if bytes.len() != length as usize {
            return Err(StoreError::Damaged("it ends too early"));
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
        if let Some(content) = self.blocks.get(&id.digest) {
            return Ok(content.clone());
        }
        let (found, content) = self
            .read_block()?
            .ok_or(StoreError::Damaged("a block is missing"))?;
        if found != *id {
            return Err(StoreError::Damaged("a block in the place of another"));
        }
        self.blocks.insert(id.digest, content.clone());
        Ok(content)
    }

    fn piece(&mut self, id: &BlockId) -> Result<(), StoreError> {
        match self.wanted.insert(id.digest, id.length) {
            Some(other) if other != id.length => Err(StoreError::Damaged("two lengths of a block")),
            _ => Ok(()),
        }
    }
}
