//! A namespace: save a state, load the newest, check it, and throw away what is not needed any
//! more.

mod claim;
mod keys;
mod saving;
mod source;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use codepod_vfs::{BlockSource, Digest};

use self::keys::{manifest_key, pack_key};
use self::saving::Saving;
use self::source::PackSource;
use crate::backend::{Backend, Blob};
use crate::block::BlockId;
use crate::directory::Directory;
use crate::error::StoreError;
use crate::key::Key;
use crate::manifest::{LARGEST_MANIFEST, Manifest};
use crate::pack::{self, PackName, Place};
use crate::state::{self, Bases, Loaded, State, Version};

/// How often a state is looked for that others supersede meanwhile.
const MOST_TURNS: usize = 10;

/// Nobody has saved or claimed so often.
const NO_NUMBER: StoreError = StoreError::Damaged("numbers that have come to their end");

/// How a namespace is opened.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StoreOptions {
    /// Encrypts everything, and refuses what is not encrypted with it.
    pub key: Option<Key>,
    /// The most bytes of content that a state may have; no limit if `None`.
    pub largest_state: Option<u64>,
    /// How many states are kept, the newest among them: at least 1.
    pub kept: usize,
}

impl Default for StoreOptions {
    fn default() -> StoreOptions {
        StoreOptions {
            key: None,
            largest_state: None,
            kept: 3,
        }
    }
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
    /// Whether another writer has taken over: nothing is saved until the newest state was loaded.
    fenced: bool,
    packs: Packs,
    /// Where blocks are; only those of the packs above.
    known: Arc<Places>,
    /// The manifests that are there, by epoch and sequence, the oldest first, with their packs.
    kept: Vec<((u64, u64), Vec<PackName>)>,
    /// What loaded states read from.
    sources: Vec<Weak<PackSource>>,
}

/// Packs by their names.
type Packs = HashMap<PackName, Pack>;
/// In which pack blocks are, and where there.
type Places = HashMap<Digest, (PackName, Place)>;

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

    /// Opens a namespace in an object storage, below a prefix; empty for none. Nothing is asked of
    /// the storage yet.
    ///
    /// It must not do what a conditional put forbids (`S3ConditionalPut::ETagMatch`, the default of
    /// the crate). Nothing locks a namespace there: of two writers the one that began later
    /// wins, and the other's saves fail with [`StoreError::Fenced`] until it has loaded what
    /// the winner saved.
    #[cfg(feature = "object-store")]
    pub fn open_objects(
        objects: Arc<dyn object_store::ObjectStore>,
        prefix: &str,
        namespace: &str,
        options: StoreOptions,
    ) -> Result<Store, StoreError> {
        let backend = crate::objects::Objects::open(objects, prefix, namespace)?;
        Ok(Store::on(Arc::new(backend), namespace, options))
    }

    /// A namespace that a backend keeps. The backend sees to it that no two namespaces share a key.
    pub fn on(backend: Arc<dyn Backend>, namespace: &str, mut options: StoreOptions) -> Store {
        options.key = options.key.map(|key| key.of_namespace(namespace));
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

    /// Saves a state: blocks that are new, then the manifest. When this returns the state is on
    /// disk; a process that is killed before leaves the one that was there.
    pub fn save(&self, state: &State<'_>) -> Result<Saved, StoreError> {
        let inner = &*self.inner;
        let mut index = inner.ready()?;
        if index.fenced {
            return Err(StoreError::Fenced);
        }
        let saved = inner.save(&mut index, state);
        index.fenced = matches!(saved, Err(StoreError::Fenced));
        saved
    }

    /// The newest state, over the trees that `bases` gives and within their limits. Contents of
    /// files are not read yet.
    ///
    /// A newest state that is damaged is an error, never a reason to go on from an older one in
    /// silence.
    pub fn load(&self, bases: Bases<'_>) -> Result<Loaded, StoreError> {
        self.inner.unless_superseded(|inner| inner.load(bases))
    }

    /// Loads the newest state for a caller who knows how far it was: [`StoreError::Damaged`] if the
    /// newest one is older than that.
    ///
    /// Encryption keeps others from reading and from forging, not from deleting: whoever can write
    /// to where states are kept can remove the newest, and an older one of the same namespace
    /// is the newest then. The store cannot notice; a caller can that
    /// keeps the [`Version::sequence`] of its last save elsewhere.
    pub fn load_at_least(&self, sequence: u64, bases: Bases<'_>) -> Result<Loaded, StoreError> {
        let loaded = self.load(bases)?;
        if loaded.version.sequence < sequence {
            return Err(StoreError::Damaged("a newer state was there, and is gone"));
        }
        Ok(loaded)
    }

    /// One of the states that are kept, by its [`Version::sequence`]; otherwise as [`Store::load`].
    ///
    /// [`StoreError::Nothing`] if it is not kept (any more).
    pub fn load_version(&self, sequence: u64, bases: Bases<'_>) -> Result<Loaded, StoreError> {
        let inner = &*self.inner;
        let mut index = inner.ready()?;
        let mut names = index.kept.iter().rev().map(|(name, _)| *name);
        let name = names.find(|name| name.1 == sequence);
        let manifest = inner.manifest(name.ok_or_else(|| inner.nothing())?)?;
        let (packs, known) = inner.read_packs(&manifest)?;
        inner.put_together(
            &mut index.sources,
            &manifest,
            &packs,
            Arc::new(known),
            bases,
        )
    }

    /// The states that are kept, the oldest first. Older ones that are damaged are left out.
    pub fn versions(&self) -> Result<Vec<Version>, StoreError> {
        let inner = &*self.inner;
        let index = inner.ready()?;
        let read = index
            .kept
            .iter()
            .filter_map(|(name, _)| inner.manifest(*name).ok());
        Ok(read.map(|manifest| Version::of(&manifest)).collect())
    }

    /// Removes one of the states that are kept and not the newest; fine if it is not there.
    pub fn forget(&self, sequence: u64) -> Result<(), StoreError> {
        let inner = &*self.inner;
        let mut index = inner.ready()?;
        let older = index.kept.len().saturating_sub(1);
        let found = index.kept[..older]
            .iter()
            .position(|(name, _)| name.1 == sequence);
        if let Some(at) = found {
            let (name, _) = index.kept.remove(at);
            inner.backend.delete(&manifest_key(name.0, name.1))?;
        }
        Ok(())
    }

    /// Goes back: removes the newest `count` states, so that the one before them is the newest.
    /// There is no way forward again. Returns what is the newest then.
    ///
    /// [`StoreError::Nothing`] if no state would be left; nothing is removed then.
    pub fn go_back(&self, count: usize) -> Result<Version, StoreError> {
        let inner = &*self.inner;
        let mut index = inner.ready()?;
        let left = index.kept.len().saturating_sub(count);
        let (kept, newest) = index.kept.split_at(left);
        let target = kept.last().map(|(name, _)| *name);
        // It has to be whole, or there would be nothing.
        let target = inner.manifest(target.ok_or_else(|| inner.nothing())?)?;
        inner.read_packs(&target)?;
        for (name, _) in newest.iter().rev() {
            inner.backend.delete(&manifest_key(name.0, name.1))?;
        }
        index.read = false;
        Ok(Version::of(&target))
    }

    /// What the newest state is; `None` if there is none.
    pub fn newest(&self) -> Result<Option<Version>, StoreError> {
        Ok(self.inner.ready()?.head.as_ref().map(Version::of))
    }

    /// Reads everything that the newest state consists of, and compares it with what was saved.
    pub fn check(&self) -> Result<Option<Version>, StoreError> {
        let inner = &*self.inner;
        // Apart from what this writer knows: looking at a state is not going on from it.
        let index = inner.unless_superseded(Inner::read)?;
        for (name, pack) in &index.packs {
            pack::check_name(&*pack.blob, &name.digest)?;
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

    fn save(&self, index: &mut Index, state: &State<'_>) -> Result<Saved, StoreError> {
        state.check_size()?;
        self.claim(index)?;
        let (head_sequence, epoch) = (
            index.head.as_ref().map_or(0, |head| head.sequence),
            index.epoch.unwrap_or(0),
        );
        let sequence = head_sequence.checked_add(1).ok_or(NO_NUMBER)?;
        let mut saving = Saving::new(self, index)?;
        let contents = state.write(&mut saving)?;
        let packs = saving.finish()?;
        let (mut written, blocks) = saving.saved;
        let manifest = Manifest {
            namespace: self.namespace.clone(),
            epoch,
            sequence,
            created: state.now,
            image: state.image,
            contents,
            packs,
        };
        let bytes = manifest.encode(self.key())?;
        written += bytes.len() as u64;
        let key = manifest_key(manifest.epoch, manifest.sequence);
        // Until it is certain: whether the manifest is there after a failure shows only when it is
        // looked for.
        index.read = false;
        if !self.backend.create(&key, &bytes)? || self.is_fenced(epoch)? {
            return Err(StoreError::Fenced);
        }
        index.read = true;
        let name = (manifest.epoch, manifest.sequence);
        index.kept.push((name, manifest.packs.clone()));
        let version = Version::of(&manifest);
        index.head = Some(manifest);
        self.collect(index);
        Ok(Saved {
            version,
            written,
            blocks,
        })
    }

    fn load(&self, bases: Bases<'_>) -> Result<Loaded, StoreError> {
        let mut index = self.current()?;
        let index = &mut *index;
        let head = index.head.as_ref().ok_or_else(|| self.nothing())?;
        let known = index.known.clone();
        self.put_together(&mut index.sources, head, &index.packs, known, bases)
    }

    /// A state from its manifest.
    fn put_together(
        &self,
        sources: &mut Vec<Weak<PackSource>>,
        manifest: &Manifest,
        packs: &Packs,
        known: Arc<Places>,
        bases: Bases<'_>,
    ) -> Result<Loaded, StoreError> {
        let blobs = packs.iter();
        let packs = Arc::new(PackSource {
            known,
            blobs: blobs
                .map(|(name, pack)| (*name, pack.blob.clone()))
                .collect(),
            key: self.options.key.clone(),
        });
        let source: Arc<dyn BlockSource> = packs.clone();
        let loaded = state::read(manifest, bases, &source, &mut &*packs)?;
        sources.retain(|source| source.strong_count() > 0);
        sources.push(Arc::downgrade(&packs));
        Ok(loaded)
    }

    fn nothing(&self) -> StoreError {
        StoreError::Nothing {
            namespace: self.namespace.clone(),
        }
    }

    /// Tries again what has failed because another writer has saved meanwhile and removed what was
    /// being read.
    fn unless_superseded<R>(
        &self,
        attempt: impl Fn(&Inner) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut newest = self.names()?.pop();
        for _ in 0..MOST_TURNS {
            let outcome = attempt(self);
            let now = match &outcome {
                Err(StoreError::Damaged(_) | StoreError::Io { .. }) => self.names()?.pop(),
                _ => return outcome,
            };
            if now == newest {
                return outcome;
            }
            newest = now;
        }
        attempt(self)
    }

    fn lock(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The index, with the newest manifest and its packs.
    fn ready(&self) -> Result<MutexGuard<'_, Index>, StoreError> {
        let mut index = self.lock();
        if !index.read {
            let found = self.unless_superseded(Inner::read)?;
            *index = Index {
                epoch: index.epoch,
                fenced: index.fenced,
                sources: std::mem::take(&mut index.sources),
                ..found
            };
        }
        Ok(index)
    }

    /// The index as [`Self::ready`] returns it, with what another writer may have saved since.
    fn current(&self) -> Result<MutexGuard<'_, Index>, StoreError> {
        let mut index = self.ready()?;
        let known = index.head.as_ref();
        let known = known.map(|head| (head.epoch, head.sequence));
        if index.fenced || self.names()?.last().copied() != known {
            let found = self.unless_superseded(Inner::read)?;
            *index = Index {
                sources: std::mem::take(&mut index.sources),
                ..found
            };
        }
        Ok(index)
    }

    fn read(&self) -> Result<Index, StoreError> {
        let mut index = Index {
            read: true,
            ..Index::default()
        };
        let names = self.names()?;
        let Some((newest, older)) = names.split_last() else {
            return Ok(index);
        };
        for name in older {
            // An older one that cannot be read does not matter, and is not kept.
            let packs = self.manifest(*name).map(|manifest| manifest.packs);
            index.kept.push((*name, packs.unwrap_or_default()));
        }
        let head = self.manifest(*newest)?;
        index.kept.push((*newest, head.packs.clone()));
        let (packs, known) = self.read_packs(&head)?;
        index.packs = packs;
        index.known = Arc::new(known);
        index.head = Some(head);
        Ok(index)
    }

    /// The packs that a manifest names, and where the blocks in them are.
    fn read_packs(&self, manifest: &Manifest) -> Result<(Packs, Places), StoreError> {
        let (mut packs, mut known) = (Packs::new(), Places::new());
        for name in &manifest.packs {
            let blob = self
                .backend
                .open(&pack_key(name))?
                .ok_or(StoreError::Damaged("a pack is missing"))?;
            for (digest, place) in pack::read_index(&*blob, self.key())? {
                known.insert(digest, (*name, place));
            }
            let size = blob.size()?;
            packs.insert(*name, Pack { blob, size });
        }
        Ok((packs, known))
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
}
