//! States that are kept under names in a directory of the host, with the host directories that they
//! are used with: whoever comes back to a state finds them mounted again.
//!
//! ```text
//! DIRECTORY/NAME/state-…/   the state and those before it, as `codepod-store` keeps them
//! DIRECTORY/NAME/mounts     the host directories, as JSON, with a digest only this user can make
//! DIRECTORY.key             what the digests are made with
//! ```
//!
//! A state is saved by [`SavedSandbox::save`], after each run. The last [`VERSIONS`] are kept whose
//! files differ; of those with the same files the newest, with its variables. Going back removes
//! the newer ones for good: a saved state never changes, and the newest one counts. Whoever wants
//! to keep both forks first.

mod remembered;

use std::fs;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use codepod_store::{Key, Saved, Store, StoreOptions, Version};

use self::remembered::Remembered;
use crate::error::{Error, ErrorKind};
use crate::mounts::{Mount, MountAccess, MountSource};
use crate::options::Options;
use crate::persist::{Persistence, Persistent};
use crate::platform::Facility;
use crate::runtime::Runtime;
use crate::sandbox::Sandbox;

/// How many versions of a saved state there are.
pub const VERSIONS: usize = 20;
/// Longest name of a state.
const LONGEST: usize = 64;
/// The namespace in each state's own directory: the same for all, so that a copy is a state too.
const NAMESPACE: &str = "state";
/// A save is asked for, never made by itself.
const NEVER: Duration = Duration::from_secs(60 * 60 * 24 * 365);

/// A directory of named states.
#[derive(Debug, Clone)]
pub struct StateDirectory {
    path: PathBuf,
}

/// What there is to know about a saved state.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SavedState {
    /// Its name.
    pub name: String,
    /// Its versions, the oldest first; none if nothing has been saved yet.
    pub versions: Vec<Version>,
    /// Host directories that it is used with.
    pub mounts: Vec<Mount>,
    /// Whether this user has chosen them; if not, the state comes from elsewhere and they are not
    /// mounted.
    pub mounts_known: bool,
    /// Bytes on the host's disk.
    pub bytes: u64,
}

/// A sandbox whose state is saved under a name.
#[derive(Debug)]
pub struct SavedSandbox {
    sandbox: Sandbox,
    path: PathBuf,
    key: PathBuf,
    /// Those of `sandbox` that nobody has given this time.
    remembered: Vec<Mount>,
}

impl StateDirectory {
    /// A directory; it is made when something is kept there.
    pub fn new(path: impl Into<PathBuf>) -> StateDirectory {
        StateDirectory { path: path.into() }
    }

    /// The one of this user: `CODEPOD_STATES`, else `$XDG_STATE_HOME/codepod/states`, else
    /// `~/.local/state/codepod/states`.
    ///
    /// Fails with [`ErrorKind::InvalidArgument`] where none of them is known, and with
    /// [`ErrorKind::Unsupported`] where the platform has no directories.
    pub fn of_user() -> Result<StateDirectory, Error> {
        Facility::StateDirectories.demand()?;
        let set = |name: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let path = set("CODEPOD_STATES")
            .or_else(|| set("XDG_STATE_HOME").map(|path| path.join("codepod/states")))
            .or_else(|| set("HOME").map(|path| path.join(".local/state/codepod/states")));
        path.map(StateDirectory::new).ok_or_else(|| {
            let why =
                "there is no directory for states: set CODEPOD_STATES, XDG_STATE_HOME or HOME";
            ErrorKind::InvalidArgument(why.into()).into()
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the states in it, in order.
    pub fn names(&self) -> Result<Vec<String>, Error> {
        let listed = match fs::read_dir(&self.path) {
            Ok(listed) => listed,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed("list the states", &error)),
        };
        let names = listed.flatten().filter(|entry| entry.path().is_dir());
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| self.is_state(name)).collect();
        names.sort();
        Ok(names)
    }

    /// Whether a directory is a state: others keep theirs beside them, in another form.
    fn is_state(&self, name: &str) -> bool {
        let entries = fs::read_dir(self.path.join(name)).into_iter().flatten();
        let mut names = entries.flatten().map(|entry| entry.file_name());
        let folder = |name: std::ffi::OsString| name.to_string_lossy().starts_with("state-");
        check(name).is_ok() && names.any(folder)
    }

    /// Whether there is a state of this name. Fails with [`ErrorKind::StateName`] where the name
    /// cannot be one.
    pub fn contains(&self, name: &str) -> Result<bool, Error> {
        check(name)?;
        Ok(self.is_state(name))
    }

    /// Where a state's own files are. Others may be put beside them, such as its history.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Error> {
        check(name)?;
        Ok(self.path.join(name))
    }

    /// What there is to know about a state. Nobody else may have it meanwhile.
    pub fn look(&self, name: &str) -> Result<SavedState, Error> {
        let path = self.existing(name)?;
        let remembered = Remembered::read(&path, &self.key())?;
        Ok(SavedState {
            name: name.to_owned(),
            versions: open(&path)?.versions()?,
            mounts: remembered.mounts,
            mounts_known: remembered.known,
            bytes: size(&path),
        })
    }

    /// Says that the host directories of a state may be mounted, as it has them now, though
    /// somebody else has chosen them.
    pub fn trust_mounts(&self, name: &str) -> Result<(), Error> {
        let path = self.existing(name)?;
        let remembered = Remembered::read(&path, &self.key())?;
        Remembered::write(&path, &self.key(), &remembered.mounts)
    }

    /// Makes what a state needs before it is woken; its folder, the key of all states, and the host
    /// directories that it remembers.
    #[cfg(feature = "jail")]
    pub(crate) fn make_ready(&self, name: &str) -> Result<(PathBuf, PathBuf, Vec<Mount>), Error> {
        let (folder, key) = (self.folder(name)?, self.key());
        private(&self.path)?;
        private(&folder)?;
        remembered::make_key(&key)?;
        let mounts = Remembered::read(&folder, &key)?.mounts;
        Ok((folder, key, mounts))
    }

    /// Where the key is that lists of host directories are sealed with: beside the directory, so
    /// that no state brings one.
    fn key(&self) -> PathBuf {
        let mut key = self.path.clone().into_os_string();
        key.push(".key");
        key.into()
    }

    /// Options with the host directories of a state beside those that they have; which those are.
    fn with_remembered(
        &self,
        name: &str,
        options: Options,
    ) -> Result<(Options, Vec<Mount>), Error> {
        let Remembered { mounts, known } = Remembered::read(&self.folder(name)?, &self.key())?;
        let mut options = with_absolute_mounts(options)?;
        let given = |mount: &Mount| options.mounts.iter().any(|given| given.at == mount.at);
        let remembered: Vec<Mount> = mounts.into_iter().filter(|mount| !given(mount)).collect();
        if !known && !remembered.is_empty() {
            let name = name.to_owned();
            return Err(ErrorKind::UnknownMounts { name }.into());
        }
        options.mounts.extend(remembered.iter().cloned());
        Ok((options, remembered))
    }

    /// A sandbox that goes on from a state and is kept under its name; one that is not there
    /// begins. The host directories of last time are mounted again unless `options` has others
    /// in their places.
    ///
    /// Fails with [`ErrorKind::Store`] (`Locked`) while somebody else has it, and with
    /// [`ErrorKind::UnknownMounts`] where it has host directories that this user has not
    /// chosen: see [`StateDirectory::trust_mounts`].
    pub fn wake(
        &self,
        runtime: &Runtime,
        name: &str,
        options: Options,
    ) -> Result<SavedSandbox, Error> {
        let path = self.folder(name)?;
        private(&self.path)?;
        private(&path)?;
        let (options, remembered) = self.with_remembered(name, options)?;
        let mut persistent = Persistent::new(&path, NAMESPACE);
        persistent.autosave = NEVER;
        persistent.store = store_options();
        let options = Options {
            persistence: Persistence::Persistent(persistent),
            ..options
        };
        let sandbox = Sandbox::create_on(runtime, options).map_err(|error| named(error, name))?;
        Ok(SavedSandbox {
            sandbox,
            path,
            key: self.key(),
            remembered,
        })
    }

    /// Sandboxes to look at two versions of states with: what changed from the one to the other.
    /// `None` is a new sandbox. Neither state is changed, and its host directories are mounted
    /// as overlays.
    pub fn compare(
        &self,
        runtime: &Runtime,
        from: Option<(&str, u64)>,
        to: (&str, u64),
    ) -> Result<crate::changes::Changes, Error> {
        let mut options = Options::default();
        for (name, _) in from.into_iter().chain([to]) {
            self.existing(name)?;
            options = self.with_remembered(name, options)?.0;
            options.mounts.retain(is_overlay);
        }
        let sandbox = Sandbox::create_on(runtime, options)?;
        let new = sandbox.snapshot()?;
        let load = |(name, sequence): (&str, u64)| -> Result<_, Error> {
            // Mounts that a state does not name keep theirs, so it begins with a new sandbox.
            sandbox.restore(&new)?;
            let store = open(&self.existing(name)?).map_err(|error| named(error, name))?;
            sandbox.load_version_from(&store, sequence)?;
            sandbox.snapshot()
        };
        let before = from.map_or_else(|| Ok(new.clone()), load)?;
        let after = load(to)?;
        sandbox.changes(before, after)
    }

    /// Takes a state back by `count` versions: to before the last `count` runs that changed files,
    /// with the variables of then. What is newer is gone.
    ///
    /// Fails with [`ErrorKind::NothingToUndo`] where there are not so many.
    pub fn undo(&self, name: &str, count: usize) -> Result<Version, Error> {
        let path = self.existing(name)?;
        let store = open(&path).map_err(|error| named(error, name))?;
        let have = store.versions()?.len().saturating_sub(1);
        if count == 0 || count > have {
            let wanted = count;
            return Err(ErrorKind::NothingToUndo { wanted, have }.into());
        }
        Ok(store.go_back(count)?)
    }

    /// Copies a state with all its versions under another name that is free.
    pub fn fork(&self, from: &str, to: &str) -> Result<(), Error> {
        let source = self.existing(from)?;
        let target = self.free(to)?;
        // Nobody saves meanwhile.
        let store = open(&source).map_err(|error| named(error, from))?;
        private(&target)?;
        let copied = copy(&source, &target);
        drop(store);
        copied.map_err(|error| {
            let _ = fs::remove_dir_all(&target);
            failed("copy the state", &error)
        })
    }

    /// Removes a state with all its versions.
    pub fn remove(&self, name: &str) -> Result<(), Error> {
        let path = self.existing(name)?;
        // Not while somebody has it.
        let store = open(&path).map_err(|error| named(error, name))?;
        let removed = fs::remove_dir_all(&path);
        drop(store);
        removed.map_err(|error| failed("remove the state", &error))
    }

    /// Writes the newest version of a state as one stream. Host directories are not in it; what an
    /// overlay holds is.
    pub fn export(
        &self,
        runtime: &Runtime,
        name: &str,
        out: impl Write,
        key: Option<&Key>,
    ) -> Result<Version, Error> {
        self.existing(name)?;
        let kept = self.wake(runtime, name, Options::default())?;
        kept.sandbox.export_state(out, key)
    }

    /// Makes a state of a stream that was exported, under a name that is free. `mounts` are for the
    /// overlays that it has.
    pub fn import(
        &self,
        runtime: &Runtime,
        name: &str,
        input: impl Read,
        key: Option<&Key>,
        mounts: Vec<Mount>,
    ) -> Result<Version, Error> {
        let path = self.free(name)?;
        let options = Options {
            mounts,
            ..Options::default()
        };
        let imported = (|| {
            let kept = self.wake(runtime, name, options)?;
            kept.sandbox.import_state(input, key)?;
            kept.save()?;
            kept.sandbox.save().map(|saved| saved.version)
        })();
        if imported.is_err() {
            let _ = fs::remove_dir_all(&path);
        }
        imported
    }

    fn existing(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder(name)?;
        match self.is_state(name) {
            true => Ok(path),
            false => Err(ErrorKind::NoSuchState {
                name: name.to_owned(),
            }
            .into()),
        }
    }

    fn free(&self, name: &str) -> Result<PathBuf, Error> {
        let path = self.folder(name)?;
        match self.is_state(name) {
            true => Err(ErrorKind::StateExists {
                name: name.to_owned(),
            }
            .into()),
            false => Ok(path),
        }
    }
}

impl SavedSandbox {
    /// The sandbox.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Saves a version if something has changed since the last one, and remembers the host
    /// directories.
    pub fn save(&self) -> Result<Option<Saved>, Error> {
        let before = self.sandbox.newest_saved()?;
        let saved = self.sandbox.save_changes()?;
        self.write_mounts()?;
        if let (Some(before), Some(saved)) = (before, saved)
            && before.files == saved.version.files
        {
            self.sandbox.forget_saved(before.sequence)?;
        }
        Ok(saved)
    }

    fn write_mounts(&self) -> Result<(), Error> {
        Remembered::write(&self.path, &self.key, &self.sandbox.options().mounts)
    }

    /// The host directories that are mounted because the state remembers them.
    pub fn remembered_mounts(&self) -> &[Mount] {
        &self.remembered
    }
}

fn is_overlay(mount: &Mount) -> bool {
    matches!(mount.source, MountSource::Host(_, MountAccess::Overlay))
}

fn store_options() -> StoreOptions {
    let mut options = StoreOptions::default();
    options.kept = VERSIONS;
    options
}

fn open(path: &Path) -> Result<Store, Error> {
    Ok(Store::open(path, NAMESPACE, store_options())?)
}

/// An error about the namespace as one about the state: that is what its user knows.
fn named(error: Error, name: &str) -> Error {
    match error.kind() {
        ErrorKind::Store(codepod_store::StoreError::Locked { process, .. }) => {
            let process = *process;
            let namespace = name.to_owned();
            codepod_store::StoreError::Locked { namespace, process }.into()
        }
        _ => error,
    }
}

/// Letters, digits, `-`, `_` and dots that are not first: it is the name of a directory.
fn check(name: &str) -> Result<(), Error> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let starts = name.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '_');
    if starts && name.len() <= LONGEST && name.bytes().all(allowed) {
        return Ok(());
    }
    let name = name.chars().take(LONGEST).collect();
    Err(ErrorKind::StateName { name }.into())
}

/// Options whose host directories can be mounted again, from wherever that is done.
fn with_absolute_mounts(mut options: Options) -> Result<Options, Error> {
    for mount in &mut options.mounts {
        if let MountSource::Host(host, _) = &mut mount.source {
            *host = host.canonicalize().map_err(|error| ErrorKind::Mount {
                at: mount.at.clone(),
                why: format!("the host directory cannot be opened: {}", error.kind()),
            })?;
        }
    }
    Ok(options)
}

/// Makes a directory that only its owner can look into.
fn private(path: &Path) -> Result<(), Error> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let made = builder.create(path);
    made.map_err(|error| failed("make the directory of states", &error))
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type()?.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

fn size(path: &Path) -> u64 {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

fn failed(what: &'static str, error: &std::io::Error) -> Error {
    let kind = error.kind();
    codepod_store::StoreError::Io { what, kind }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["a", "Work-2.1", "_x", "9"] {
            assert!(check(good).is_ok(), "{good}");
        }
        let long = "x".repeat(65);
        for bad in [
            "", ".", "..", ".a", "-a", "a/b", "a b", "a\n", "ä", "a\0", &long,
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
