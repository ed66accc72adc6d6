//! A namespace: save a state, load the newest, check it, and throw away what is not needed any more.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use codepod_abi::Errno;
use codepod_vfs::{BlockSource, Digest, Piece};

use crate::backend::{Backend, Blob};
use crate::block::{BlockId, Framer};
use crate::directory::Directory;
use crate::error::StoreError;
use crate::key::Key;
use crate::manifest::{LARGEST_MANIFEST, Manifest};
use crate::pack::{self, FullPack, PackWriter, Place};
use crate::state::{self, Bases, BlockReader, BlockSink, Loaded, State, Version};

/// How many states are kept: the newest, and what to go back to by hand.
const KEPT: usize = 3;
/// Packs below this size are put together when there are many.
const SMALL_PACK: u64 = 4 << 20;
const MANY_SMALL: usize = 32;

/// How a namespace is opened.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Encrypts everything, and refuses what is not encrypted with it.
    pub key: Option<Key>,
    /// The most bytes of content that a state may have; no limit if `None`.
    pub largest_state: Option<u64>,
}

/// A namespace of saved states. Clones share it; nobody else can open it meanwhile.
#[derive(Debug, Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    backend: Arc<dyn Backend>,
    namespace: String,
    options: StoreOptions,
    index: Mutex<Index>,
}

/// What this writer knows of the namespace.
#[derive(Debug, Default)]
struct Index {
    /// Whether the newest manifest and its packs were looked at.
    read: bool,
    /// The newest manifest.
    head: Option<Manifest>,
    /// What this writer has claimed.
    epoch: Option<u64>,
    packs: HashMap<Digest, Pack>,
    /// Where blocks are; only those of the packs above.
    known: Arc<HashMap<Digest, (Digest, Place)>>,
    /// The manifests that are kept, the oldest first, with their packs.
    kept: Vec<(String, Vec<Digest>)>,
}

#[derive(Debug, Clone)]
struct Pack {
    blob: Arc<dyn Blob>,
    size: u64,
}

/// What a save did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Saved {
    /// What was saved.
    pub version: Version,
    /// Bytes that were written for it.
    pub written: u64,
    /// Blocks that were new.
    pub blocks: u64,
}

impl Store {
    /// Opens a namespace in a directory of the host. What is missing is made.
    pub fn open(
        directory: impl AsRef<Path>,
        namespace: &str,
        options: StoreOptions,
    ) -> Result<Store, StoreError> {
        let backend = Directory::open(directory.as_ref(), namespace)?;
        Ok(Store::on(Arc::new(backend), namespace, options))
    }

    /// A namespace that a backend keeps. The backend sees to it that no two namespaces share a key.
    pub fn on(backend: Arc<dyn Backend>, namespace: &str, options: StoreOptions) -> Store {
        Store {
            inner: Arc::new(Inner {
                backend,
                namespace: namespace.to_owned(),
                options,
                index: Mutex::default(),
            }),
        }
    }

    /// Its name.
    pub fn namespace(&self) -> &str {
        &self.inner.namespace
    }

    /// Saves a state: blocks that are new, then the manifest. When this returns the state is on disk; a process that is
    /// killed before leaves the one that was there.
    pub fn save(&self, state: &State<'_>) -> Result<Saved, StoreError> {
        let inner = &*self.inner;
        let mut index = inner.ready()?;
        inner.claim(&mut index)?;
        let (head_sequence, epoch) = (
            index.head.as_ref().map_or(0, |head| head.sequence),
            index.epoch.unwrap_or(0),
        );
        let mut saving = Saving {
            inner,
            framer: Framer::new(inner.key())?,
            pack: PackWriter::new(inner.key().is_some()),
            needed: HashSet::new(),
            bytes: 0,
            saved: (0, 0),
            index: &mut index,
        };
        let contents = state.write(&mut saving)?;
        let packs = saving.finish()?;
        let (mut written, blocks) = saving.saved;
        let manifest = Manifest {
            namespace: inner.namespace.clone(),
            epoch,
            sequence: head_sequence + 1,
            created: state.now,
            image: state.image,
            contents,
            packs,
        };
        let bytes = manifest.encode(inner.key())?;
        written += bytes.len() as u64;
        let key = manifest_key(manifest.epoch, manifest.sequence);
        if !inner.backend.create(&key, &bytes)? || inner.is_fenced(epoch)? {
            index.read = false;
            return Err(StoreError::Fenced);
        }
        index.kept.push((key, manifest.packs.clone()));
        let version = Version::of(&manifest);
        index.head = Some(manifest);
        inner.collect(&mut index);
        Ok(Saved {
            version,
            written,
            blocks,
        })
    }

    /// The newest state, over the trees that `bases` gives and within their limits. Contents of files are not read yet.
    ///
    /// A newest state that is damaged is an error, never a reason to go on from an older one in silence.
    pub fn load(&self, bases: Bases<'_>) -> Result<Loaded, StoreError> {
        let inner = &*self.inner;
        let index = inner.ready()?;
        let head = index.head.as_ref().ok_or_else(|| StoreError::Nothing {
            namespace: inner.namespace.clone(),
        })?;
        let packs = index.packs.iter();
        let packs = Arc::new(PackSource {
            known: index.known.clone(),
            blobs: packs
                .map(|(name, pack)| (*name, pack.blob.clone()))
                .collect(),
            key: inner.options.key.clone(),
        });
        let source: Arc<dyn BlockSource> = packs.clone();
        state::read(head, bases, &source, &mut &*packs)
    }

    /// What the newest state is; `None` if there is none.
    pub fn newest(&self) -> Result<Option<Version>, StoreError> {
        Ok(self.inner.ready()?.head.as_ref().map(Version::of))
    }

    /// Reads everything that the newest state consists of, and compares it with what was saved.
    pub fn check(&self) -> Result<Option<Version>, StoreError> {
        let inner = &*self.inner;
        let mut index = inner.lock();
        index.read = false;
        drop(index);
        let index = inner.ready()?;
        for (name, pack) in &index.packs {
            let mut hasher = blake3::Hasher::new();
            let mut buffer = vec![0; 1 << 20];
            let mut offset = 0;
            while offset < pack.size {
                let length = (buffer.len() as u64).min(pack.size - offset) as usize;
                pack.blob.read_at(offset, &mut buffer[..length])?;
                hasher.update(&buffer[..length]);
                offset += length as u64;
            }
            if hasher.finalize().as_bytes() != name {
                return Err(StoreError::Damaged("a pack that is not what was saved"));
            }
            for (digest, place) in pack::read_index(&*pack.blob, inner.key())? {
                let id = BlockId {
                    digest,
                    length: place.length,
                };
                pack::read_block(&*pack.blob, place, &id, inner.key())?;
            }
        }
        Ok(index.head.as_ref().map(Version::of))
    }
}

impl Inner {
    fn key(&self) -> Option<&Key> {
        self.options.key.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index, with the newest manifest and its packs.
    fn ready(&self) -> Result<MutexGuard<'_, Index>, StoreError> {
        let mut index = self.lock();
        if !index.read {
            *index = Index {
                epoch: index.epoch,
                ..self.read()?
            };
        }
        Ok(index)
    }

    fn read(&self) -> Result<Index, StoreError> {
        let mut index = Index {
            read: true,
            ..Index::default()
        };
        let mut names: Vec<(u64, u64)> = Vec::new();
        for key in self.backend.list("m/")? {
            names.push(parse_key(&key).ok_or(StoreError::Damaged("a file that is no manifest"))?);
        }
        names.sort_unstable();
        let Some((newest, older)) = names.split_last() else {
            return Ok(index);
        };
        for name in older {
            let key = manifest_key(name.0, name.1);
            // An older one that cannot be read does not matter, and is not kept.
            let packs = self.manifest(*name).map(|manifest| manifest.packs);
            index.kept.push((key, packs.unwrap_or_default()));
        }
        let head = self.manifest(*newest)?;
        index
            .kept
            .push((manifest_key(newest.0, newest.1), head.packs.clone()));
        let mut known = HashMap::new();
        for name in &head.packs {
            let blob = self
                .backend
                .open(&pack_key(name))?
                .ok_or(StoreError::Damaged("a pack is missing"))?;
            for (digest, place) in pack::read_index(&*blob, self.key())? {
                known.insert(digest, (*name, place));
            }
            let size = blob.size()?;
            index.packs.insert(*name, Pack { blob, size });
        }
        index.known = Arc::new(known);
        index.head = Some(head);
        Ok(index)
    }

    fn manifest(&self, (epoch, sequence): (u64, u64)) -> Result<Manifest, StoreError> {
        let blob = self
            .backend
            .open(&manifest_key(epoch, sequence))?
            .ok_or(StoreError::Damaged("a manifest is missing"))?;
        let size = blob.size()?;
        if size > u64::from(LARGEST_MANIFEST) {
            return Err(StoreError::Limit("the size of a manifest"));
        }
        let mut bytes = vec![0; size as usize];
        blob.read_at(0, &mut bytes)?;
        let manifest = Manifest::decode(&bytes, self.key())?;
        let named = (&*manifest.namespace, manifest.epoch, manifest.sequence);
        if named != (&*self.namespace, epoch, sequence) {
            return Err(StoreError::Damaged("a manifest in the place of another"));
        }
        Ok(manifest)
    }

    /// Takes an epoch above all that there were, once per writer.
    fn claim(&self, index: &mut Index) -> Result<(), StoreError> {
        if index.epoch.is_some() {
            return Ok(());
        }
        let claims = self.backend.list("c/")?;
        let claimed = claims.iter().filter_map(|key| parse_claim(key)).max();
        let last = index.head.as_ref().map_or(0, |head| head.epoch);
        let epoch = last.max(claimed.unwrap_or(0)) + 1;
        if !self.backend.create(&claim_key(epoch), &[])? {
            return Err(StoreError::Fenced);
        }
        for old in &claims {
            let _ = self.backend.delete(old);
        }
        index.epoch = Some(epoch);
        Ok(())
    }

    /// Whether another writer has claimed a higher epoch.
    fn is_fenced(&self, epoch: u64) -> Result<bool, StoreError> {
        let claims = self.backend.list("c/")?;
        Ok(claims
            .iter()
            .filter_map(|key| parse_claim(key))
            .any(|other| other > epoch))
    }

    /// Removes manifests beyond those that are kept, and packs that none of them names. What cannot be removed now will
    /// be later.
    fn collect(&self, index: &mut Index) {
        let surplus = index.kept.len().saturating_sub(KEPT);
        for (key, _) in index.kept.drain(..surplus) {
            let _ = self.backend.delete(&key);
        }
        let needed: HashSet<&Digest> = index.kept.iter().flat_map(|(_, packs)| packs).collect();
        let Ok(keys) = self.backend.list("p/") else {
            return;
        };
        for key in keys {
            let is_needed = needed.iter().any(|name| pack_key(name) == key);
            if !is_needed {
                let _ = self.backend.delete(&key);
            }
        }
        if let Some(head) = &index.head {
            let named: HashSet<&Digest> = head.packs.iter().collect();
            index.packs.retain(|name, _| named.contains(name));
        }
    }
}

/// A state that is being saved.
struct Saving<'a> {
    inner: &'a Inner,
    index: &'a mut Index,
    framer: Framer<'a>,
    pack: PackWriter,
    /// The blocks of the state.
    needed: HashSet<Digest>,
    /// Bytes of content so far.
    bytes: u64,
    /// Bytes written, and blocks that were new.
    saved: (u64, u64),
}

impl Saving<'_> {
    fn needs(&mut self, id: &BlockId) -> Result<bool, StoreError> {
        if !self.needed.insert(id.digest) {
            return Ok(false);
        }
        self.bytes += u64::from(id.length);
        let largest = self.inner.options.largest_state;
        if largest.is_some_and(|largest| self.bytes > largest) {
            return Err(StoreError::Limit("the size that a state may have"));
        }
        Ok(!self.index.known.contains_key(&id.digest))
    }

    fn add(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        let frame = self.framer.frame(&id.digest, content)?;
        self.saved.1 += 1;
        self.add_frame(id, &frame)
    }

    fn add_frame(&mut self, id: &BlockId, frame: &[u8]) -> Result<(), StoreError> {
        self.pack.add(id, frame);
        if self.pack.is_full() {
            self.write_pack()?;
        }
        Ok(())
    }

    fn write_pack(&mut self) -> Result<(), StoreError> {
        let key = self.inner.key();
        let full = std::mem::replace(&mut self.pack, PackWriter::new(key.is_some()));
        let FullPack {
            name,
            bytes,
            places,
        } = full.finish(key)?;
        let path = pack_key(&name);
        self.inner.backend.create(&path, &bytes)?;
        self.saved.0 += bytes.len() as u64;
        let blob = self.inner.backend.open(&path)?;
        let blob = blob.ok_or(StoreError::Damaged("a pack is missing"))?;
        let size = bytes.len() as u64;
        if blob.size()? != size {
            return Err(StoreError::Damaged("a pack that is cut short"));
        }
        self.index.packs.insert(name, Pack { blob, size });
        let known = Arc::make_mut(&mut self.index.known);
        for (digest, place) in places {
            known.insert(digest, (name, place));
        }
        Ok(())
    }

    /// Writes what is left; the packs that the state needs.
    fn finish(&mut self) -> Result<Vec<Digest>, StoreError> {
        self.repack()?;
        if !self.pack.is_empty() {
            self.write_pack()?;
        }
        let needed = &self.needed;
        let packs: HashSet<Digest> = self
            .index
            .known
            .iter()
            .filter(|(digest, _)| needed.contains(*digest))
            .map(|(_, (pack, _))| *pack)
            .collect();
        // Blocks of packs that this state does not name may be gone when the next one is saved.
        Arc::make_mut(&mut self.index.known).retain(|_, (pack, _)| packs.contains(pack));
        let mut packs: Vec<Digest> = packs.into_iter().collect();
        packs.sort_unstable();
        Ok(packs)
    }

    /// Moves blocks that are needed out of packs that are mostly not, and out of small ones when there are many.
    fn repack(&mut self) -> Result<(), StoreError> {
        let mut live: HashMap<Digest, u64> = HashMap::new();
        for (digest, (pack, place)) in self.index.known.iter() {
            if self.needed.contains(digest) {
                *live.entry(*pack).or_default() += u64::from(place.stored);
            }
        }
        let packs = &self.index.packs;
        let small = live
            .iter()
            .filter(|(name, _)| packs.get(*name).is_some_and(|pack| pack.size < SMALL_PACK));
        let many = small.count() > MANY_SMALL;
        let moved: HashSet<Digest> = live
            .iter()
            .filter(|(name, live)| {
                packs
                    .get(*name)
                    .is_some_and(|pack| **live * 2 < pack.size || many && pack.size < SMALL_PACK)
            })
            .map(|(name, _)| *name)
            .collect();
        let blocks: Vec<(Digest, Digest, Place)> = self
            .index
            .known
            .iter()
            .filter(|(digest, (pack, _))| moved.contains(pack) && self.needed.contains(*digest))
            .map(|(digest, (pack, place))| (*digest, *pack, *place))
            .collect();
        for (digest, pack, place) in blocks {
            let Some(pack) = self.index.packs.get(&pack) else {
                continue;
            };
            let frame = pack::read_frame(&*pack.blob, place)?;
            let id = BlockId {
                digest,
                length: place.length,
            };
            self.add_frame(&id, &frame)?;
        }
        Ok(())
    }
}

impl BlockSink for Saving<'_> {
    fn block(&mut self, id: &BlockId, content: &[u8]) -> Result<(), StoreError> {
        if self.needs(id)? {
            self.add(id, content)?;
        }
        Ok(())
    }

    fn piece(&mut self, id: &BlockId, piece: Piece<'_>) -> Result<(), StoreError> {
        if self.needs(id)? {
            self.add(id, piece.bytes()?)?;
        }
        Ok(())
    }
}

/// Gives the blocks of a state that was loaded. It keeps packs open, so later saves cannot take them away.
#[derive(Debug)]
struct PackSource {
    known: Arc<HashMap<Digest, (Digest, Place)>>,
    blobs: HashMap<Digest, Arc<dyn Blob>>,
    key: Option<Key>,
}

impl PackSource {
    fn read(&self, id: &BlockId) -> Result<Vec<u8>, StoreError> {
        const MISSING: StoreError = StoreError::Damaged("a block is missing");
        let (pack, place) = self.known.get(&id.digest).ok_or(MISSING)?;
        let blob = self.blobs.get(pack).ok_or(MISSING)?;
        pack::read_block(&**blob, *place, id, self.key.as_ref())
    }
}

impl BlockSource for PackSource {
    fn fetch(&self, digest: &Digest, length: usize) -> Result<Arc<[u8]>, Errno> {
        let length = u32::try_from(length).map_err(|_| Errno::Io)?;
        let id = BlockId {
            digest: *digest,
            length,
        };
        self.read(&id).map(Into::into).map_err(|_| Errno::Io)
    }
}

impl BlockReader for &PackSource {
    fn block(&mut self, id: &BlockId) -> Result<Vec<u8>, StoreError> {
        self.read(id)
    }

    fn piece(&mut self, id: &BlockId) -> Result<(), StoreError> {
        match self.known.get(&id.digest) {
            Some((_, place)) if place.length == id.length => Ok(()),
            _ => Err(StoreError::Damaged("a block is missing")),
        }
    }
}

fn manifest_key(epoch: u64, sequence: u64) -> String {
    format!("m/{epoch:016x}.{sequence:016x}.manifest")
}

fn parse_key(key: &str) -> Option<(u64, u64)> {
    let name = key.strip_prefix("m/")?.strip_suffix(".manifest")?;
    let (epoch, sequence) = name.split_once('.')?;
    let number = |text: &str| u64::from_str_radix(text, 16).ok();
    let (epoch, sequence) = (number(epoch)?, number(sequence)?);
    (manifest_key(epoch, sequence) == key).then_some((epoch, sequence))
}

fn pack_key(name: &Digest) -> String {
    format!("p/{}", blake3::Hash::from_bytes(*name).to_hex())
}

fn claim_key(epoch: u64) -> String {
    format!("c/{epoch:016x}")
}

fn parse_claim(key: &str) -> Option<u64> {
    u64::from_str_radix(key.strip_prefix("c/")?, 16).ok()
}
