//! States that outlive their sandbox: saved to a store, exported as one stream, kept by themselves.
//!
//! Saved are the files (with owners, modes, times and links), the changes of overlays, and the
//! states of shells with their variables; not processes, pipes and open files, nothing of the host,
//! no code of the engine. Files are saved as they differ from the base image: loaded over another
//! image, tools are that image's and the user's files stay.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use codepod_store::{
    Key, Loaded, MountState, Saved, State, Store, StoreError, StoreOptions, Version, image_identity,
};
use codepod_vfs::{Charged, Digest, MountId, MountInfo, Tree, VfsSnapshot};

use crate::engine::KernelHandle;
use crate::error::{Error, ErrorKind};
use crate::platform::Facility;
use crate::sandbox::Sandbox;
use crate::shell::{Shells, States};

mod autosave;

/// Whether a sandbox's state can leave it, and where it is kept.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::large_enum_variant,
    reason = "there is one in the options of a sandbox, where a box would only make it harder to write"
)]
pub enum Persistence {
    /// The state ends with the sandbox; saving, exporting and importing are refused.
    Ephemeral,
    /// The state ends with the sandbox, unless somebody saves or exports it.
    #[default]
    Exportable,
    /// The state is loaded when the sandbox is made, and saved by itself.
    Persistent(Persistent),
}

/// Where a sandbox's state is kept.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Persistent {
    /// A directory of the host.
    pub directory: PathBuf,
    /// Which state in it. One sandbox at a time has it; others cannot see it.
    pub namespace: String,
    /// How long a change may wait until it is saved.
    pub autosave: Duration,
    /// Encryption, and the largest state.
    pub store: StoreOptions,
    /// Who says how much may be saved, where several sandboxes share a place.
    pub room: Option<Arc<dyn SaveRoom>>,
}

/// How much may be saved by sandboxes that share a place.
pub trait SaveRoom: std::fmt::Debug + Send + Sync {
    /// Whether something may be saved: how many bytes there may be in all, if there are as many.
    fn is_full(&self) -> Option<u64>;

    /// Notes that so many bytes were saved.
    fn saved(&self, bytes: u64);
}

impl Persistent {
    /// A namespace in a directory, saved within a second after each change.
    pub fn new(directory: impl Into<PathBuf>, namespace: impl Into<String>) -> Persistent {
        Persistent {
            directory: directory.into(),
            namespace: namespace.into(),
            autosave: Duration::from_millis(1000),
            store: StoreOptions::default(),
            room: None,
        }
    }
}

/// How a persistent sandbox is doing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Autosaved {
    /// The last save, by itself or asked for.
    pub last: Option<Saved>,
    /// Why the newest state is not saved, if an attempt has failed.
    pub failed: Option<String>,
}

/// What is needed to save a sandbox, apart from the sandbox.
#[derive(Debug)]
pub(crate) struct Saver {
    kernel: KernelHandle,
    shells: Arc<Shells>,
    image: Tree,
    autosave: Duration,
    /// Whose turn it is when several want to be saved: sandboxes that share a directory take
    /// turns.
    group: Arc<Path>,
    room: Option<Arc<dyn SaveRoom>>,
    /// `None` once the sandbox is over. Held while a save goes on.
    store: Mutex<Option<Store>>,
    kept: Mutex<Kept>,
}

/// What is saved already.
#[derive(Debug, Default)]
struct Kept {
    state: Option<(VfsSnapshot, States)>,
    status: Autosaved,
}

/// A state at one moment, with where its parts are mounted.
struct CapturedState {
    files: VfsSnapshot,
    mounts: Vec<MountInfo>,
    shells: States,
    now: u64,
}

impl CapturedState {
    fn of(kernel: &KernelHandle, shells: &Shells) -> Result<CapturedState, Error> {
        // Not while the kernel is held: whoever has the shells may want it.
        let shells = shells.states();
        let mut kernel = kernel.lock().map_err(|_| ErrorKind::Internal)?;
        let (vfs, caller) = kernel.files();
        Ok(CapturedState {
            files: vfs.snapshot(),
            mounts: vfs.mounts(),
            shells,
            now: caller.now,
        })
    }

    /// Hands the state to whoever saves it.
    fn with<R>(
        &self,
        image: &Tree,
        use_it: impl FnOnce(&State<'_>) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut mounts = Vec::new();
        for saved in self.files.saved_mounts() {
            let Some(info) = self.mounts.iter().find(|info| info.id == saved.id) else {
                continue;
            };
            mounts.push(MountState {
                at: &info.point,
                tree: saved.tree,
                base: (saved.id == MountId(0)).then_some(image),
                overlay: saved.overlay,
                seen: saved.seen,
            });
        }
        let shells = self.shells.iter();
        use_it(&State {
            mounts,
            shells: shells.map(|(name, state)| (&**name, &state[..])).collect(),
            image: image_identity(image)?,
            now: self.now,
        })
    }
}

impl Saver {
    /// Saves the present state. With `always` also one that is saved already.
    fn save(&self, always: bool) -> Result<Option<Saved>, Error> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(store) = &*store else {
            return Ok(None);
        };
        let captured = CapturedState::of(&self.kernel, &self.shells)?;
        if !always && self.is_kept(&captured) {
            return Ok(None);
        }
        let saved = match self.room.as_ref().and_then(|room| room.is_full()) {
            Some(bytes) => Err(ErrorKind::StateRoom { bytes }.into()),
            None => captured
                .with(&self.image, |state| store.save(state))
                .map_err(Error::from),
        };
        if let (Some(room), Ok(saved)) = (&self.room, &saved) {
            room.saved(saved.written);
        }
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match saved {
            Ok(saved) => {
                kept.state = Some((captured.files, captured.shells));
                kept.status = Autosaved {
                    last: Some(saved),
                    failed: None,
                };
                Ok(Some(saved))
            }
            Err(error) => {
                kept.status.failed = Some(error.to_string());
                Err(error)
            }
        }
    }

    fn is_kept(&self, captured: &CapturedState) -> bool {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.state.as_ref().is_some_and(|(files, shells)| {
            files.is_saved_alike(&captured.files) && *shells == captured.shells
        })
    }

    /// Saves a last time and lets go of the namespace.
    pub(crate) fn finish(&self) {
        // Nobody is left to tell; who wants to know calls `Sandbox::save` before.
        let _ = self.save(false);
        let store = self
            .store
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(store);
    }
}

impl Sandbox {
    /// Loads what is kept, and begins to keep, if the options say so.
    pub(crate) fn begin_saving(&self) -> Result<(), Error> {
        let Persistence::Persistent(wanted) = &self.options().persistence else {
            return Ok(());
        };
        Facility::StateDirectories.demand()?;
        let store = Store::open(&wanted.directory, &wanted.namespace, wanted.store.clone())?;
        if store.newest()?.is_some() {
            self.load_from(&store)?;
        }
        // As it is now it need not be saved: it is what is kept, or what every new sandbox is.
        let captured = CapturedState::of(&self.inner.kernel, &self.inner.shells)?;
        let kept = Kept {
            state: Some((captured.files, captured.shells)),
            ..Kept::default()
        };
        let saver = Arc::new(Saver {
            kernel: self.inner.kernel.clone(),
            shells: self.inner.shells.clone(),
            image: self.image()?,
            autosave: wanted.autosave,
            group: wanted.directory.as_path().into(),
            room: wanted.room.clone(),
            store: Mutex::new(Some(store)),
            kept: Mutex::new(kept),
        });
        autosave::watch(&saver);
        let _ = self.inner.saver.set(saver);
        Ok(())
    }

    /// Saves the state where it is kept, now. When this returns it survives a crash of the machine.
    ///
    /// Fails with [`ErrorKind::NotPersistent`] where [`Persistence`] is another.
    pub fn save(&self) -> Result<Saved, Error> {
        let saver = self.inner.saver.get().ok_or(ErrorKind::NotPersistent)?;
        saver.save(true)?.ok_or_else(|| ErrorKind::Internal.into())
    }

    /// Saves the state as [`Self::save`] does, unless it is saved already: `None` then.
    pub fn save_changes(&self) -> Result<Option<Saved>, Error> {
        let saver = self.inner.saver.get().ok_or(ErrorKind::NotPersistent)?;
        saver.save(false)
    }

    /// Goes back to the state that was saved last. Busy while processes run.
    pub fn load(&self) -> Result<Version, Error> {
        let saver = self.inner.saver.get().ok_or(ErrorKind::NotPersistent)?;
        let store = saver.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = store.as_ref().ok_or(ErrorKind::Internal)?;
        self.load_from(store)
    }

    /// What was saved last where the state is kept; `None` if nothing was.
    pub fn newest_saved(&self) -> Result<Option<Version>, Error> {
        let saver = self.inner.saver.get().ok_or(ErrorKind::NotPersistent)?;
        let store = saver.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = store.as_ref().ok_or(ErrorKind::Internal)?;
        Ok(store.newest()?)
    }

    /// Removes an older state from where the state is kept.
    pub(crate) fn forget_saved(&self, sequence: u64) -> Result<(), Error> {
        let saver = self.inner.saver.get().ok_or(ErrorKind::NotPersistent)?;
        let store = saver.store.lock().unwrap_or_else(PoisonError::into_inner);
        let store = store.as_ref().ok_or(ErrorKind::Internal)?;
        Ok(store.forget(sequence)?)
    }

    /// How the saving of a persistent sandbox goes; `None` if it is not one.
    pub fn autosaved(&self) -> Option<Autosaved> {
        let kept = &self.inner.saver.get()?.kept;
        let kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        Some(kept.status.clone())
    }

    /// Saves the state to a store, after what is there. Only what the store lacks is written.
    pub fn save_to(&self, store: &Store) -> Result<Saved, Error> {
        self.with_state(|state| store.save(state))
    }

    /// Takes over the newest state of a store: files and shells, within the limits of this sandbox.
    /// Contents of files are read when they are used. Busy while processes run; after a failure
    /// nothing has changed.
    pub fn load_from(&self, store: &Store) -> Result<Version, Error> {
        self.check_mode()?;
        let image = self.limited_image()?;
        self.take_over(store.load(&|at, overlay| self.base(&image, at, overlay))?)
    }

    /// Takes over an older state of a store as [`Self::load_from`] does the newest, by its
    /// sequence; see [`Store::versions`].
    pub fn load_version_from(&self, store: &Store, sequence: u64) -> Result<Version, Error> {
        self.check_mode()?;
        let image = self.limited_image()?;
        let bases = |at: &[u8], overlay| self.base(&image, at, overlay);
        self.take_over(store.load_version(sequence, &bases)?)
    }

    /// Writes the state as one stream, encrypted if there is a key.
    pub fn export_state(&self, mut out: impl Write, key: Option<&Key>) -> Result<Version, Error> {
        self.with_state(|state| codepod_store::export(state, key, &mut out))
    }

    /// Takes over a state that was exported, within the limits of this sandbox. The stream may be
    /// anything: what is not a state is refused, and after a failure nothing has changed. Busy
    /// while processes run.
    pub fn import_state(&self, mut input: impl Read, key: Option<&Key>) -> Result<Version, Error> {
        self.check_mode()?;
        let image = self.limited_image()?;
        let bases = |at: &[u8], overlay| self.base(&image, at, overlay);
        self.take_over(codepod_store::import(&mut input, key, &bases)?)
    }

    /// The hash of the state: the same for two sandboxes that would be saved alike.
    pub fn state_hash(&self) -> Result<Digest, Error> {
        let captured = CapturedState::of(&self.inner.kernel, &self.inner.shells)?;
        Ok(captured.with(&self.image()?, |state| state.hash())?)
    }

    fn with_state<R>(
        &self,
        use_it: impl FnOnce(&State<'_>) -> Result<R, StoreError>,
    ) -> Result<R, Error> {
        self.check_mode()?;
        let captured = CapturedState::of(&self.inner.kernel, &self.inner.shells)?;
        Ok(captured.with(&self.image()?, use_it)?)
    }

    fn check_mode(&self) -> Result<(), Error> {
        match self.options().persistence {
            Persistence::Ephemeral => Err(ErrorKind::Ephemeral.into()),
            Persistence::Exportable | Persistence::Persistent(_) => Ok(()),
        }
    }

    fn image(&self) -> Result<Tree, Error> {
        self.inner.runtime.image(&self.options().guest_groups)
    }

    fn limited_image(&self) -> Result<Tree, Error> {
        let image = self.image()?.with_limits(self.options().fs_limits);
        Ok(image.with_budget(self.budget()))
    }

    /// What the files of a mount are read over.
    fn base(&self, image: &Tree, at: &[u8], overlay: bool) -> Option<Tree> {
        let mut kernel = self.kernel().ok()?;
        let vfs = kernel.files().0;
        let snapshot = vfs.snapshot();
        let id = vfs.mounts().into_iter().find(|info| info.point == at)?.id;
        let found = snapshot.saved_mounts().find(|mount| mount.id == id)?;
        (found.overlay == overlay).then(|| match id {
            MountId(0) => image.clone(),
            _ => Tree::new()
                .with_limits(self.options().fs_limits)
                .with_budget(self.budget()),
        })
    }

    fn take_over(&self, loaded: Loaded) -> Result<Version, Error> {
        let version = loaded.version;
        let shells = loaded.shells.into_iter();
        let budget = self.budget();
        let charged = |(name, state): (String, Vec<u8>)| {
            let charge = budget.memory(state.len() as u64);
            let charge = charge.ok_or(ErrorKind::Memory { what: "the state" })?;
            Ok((name.into(), Arc::new(Charged::new(state, charge))))
        };
        let shells: States = shells.map(charged).collect::<Result<_, ErrorKind>>()?;
        self.inner.shells.cool();
        let mut kernel = self.kernel()?;
        let processes = kernel.process_count();
        let mounts = kernel.files().0.mounts();
        let mut trees = Vec::new();
        for mount in loaded.mounts {
            let info = mounts.iter().find(|info| info.point == mount.at);
            let id = info.ok_or(ErrorKind::Internal)?.id;
            trees.push((id, mount.tree));
        }
        kernel.load(trees).map_err(|errno| match errno {
            codepod_abi::Errno::Busy if processes > 0 => Error::from(ErrorKind::Busy { processes }),
            _ => StoreError::Damaged("its directories do not fit this sandbox's mounts").into(),
        })?;
        self.inner.shells.set_states(&shells);
        Ok(version)
    }
}
