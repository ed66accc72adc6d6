//! A directory of the user on the host that nobody else can write to, with a key of its own.
//!
//! What is in it is trusted as far as its keyed digest goes: the key is a random file that only its
//! owner can read. A directory or a key of somebody else, or one that others can write or read, is
//! refused: whoever knows the key decides what we believe. It belongs to the host: no guest,
//! snapshot or sandbox can reach it.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::error::{EngineError, EngineResult};

/// A directory that is this user's alone.
#[derive(Clone)]
pub struct PrivateDirectory {
    path: PathBuf,
    key: [u8; 32],
}

impl std::fmt::Debug for PrivateDirectory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("PrivateDirectory");
        shown.field("path", &self.path).finish_non_exhaustive()
    }
}

impl PrivateDirectory {
    /// Opens or makes it. Only the owner of the directory can look into it.
    ///
    /// Fails with [`EngineError::Cache`] where the directory or its key is somebody else's, or
    /// where others can write to the one or read the other.
    pub fn open(path: impl Into<PathBuf>) -> EngineResult<PrivateDirectory> {
        let path = path.into();
        private_directory(&path)?;
        let key = read_or_make_key(&path.join("key"))?;
        Ok(PrivateDirectory { path, key })
    }

    /// Where a directory of this name is for this user: in `CODEPOD_CACHE_DIR`, else in the user's
    /// cache directory. `None` where the environment names neither: a directory that all users
    /// share is no place for code.
    pub fn path_of_user(name: &str) -> Option<PathBuf> {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let base = set("CODEPOD_CACHE_DIR")
            .or_else(|| set("XDG_CACHE_HOME").map(|path| path.join("codepod")))
            .or_else(|| set("HOME").map(|path| path.join(".cache/codepod")));
        base.map(|base| base.join(name))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A digest that only who has the key can make.
    pub fn keyed(&self) -> blake3::Hasher {
        blake3::Hasher::new_keyed(&self.key)
    }

    /// Writes a file in it under another name first, so that nobody sees half of it.
    pub fn write_whole(&self, name: &str, bytes: &[u8]) -> EngineResult<()> {
        self.write_with(name, |file| file.write_all(bytes))
    }

    /// As [`PrivateDirectory::write_whole`], for what is written piece by piece.
    pub fn write_with(
        &self,
        name: &str,
        write: impl FnOnce(&mut File) -> std::io::Result<()>,
    ) -> EngineResult<()> {
        let path = self.path.join(name);
        let temporary = self.path.join(format!("{name}.{}.tmp", random_name()?));
        private_file(&temporary)
            .and_then(|mut file| write(&mut file))
            .and_then(|()| fs::rename(&temporary, path))
            .inspect_err(|_| drop(fs::remove_file(&temporary)))
            .map_err(io("write a file"))
    }
}

fn random_name() -> EngineResult<String> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| EngineError::Cache(error.to_string()))?;
    Ok(format!("{:016x}", u64::from_le_bytes(random)))
}

fn io(what: &'static str) -> impl Fn(std::io::Error) -> EngineError {
    move |error| EngineError::Cache(format!("cannot {what}: {error}"))
}

fn private_file(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Makes a directory that is ours alone, or sees to it that it is.
fn private_directory(path: &Path) -> EngineResult<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(io("make its directory"))?;
    #[cfg(unix)]
    {
        let directory = File::open(path).map_err(io("open its directory"))?;
        let mode = mode_of_own(&directory, "directory")?;
        if mode & 0o022 != 0 {
            return Err(not_private("others can write to its directory"));
        }
        if mode & 0o077 != 0 {
            // Older versions let others read it. It is ours, and nobody but us has written to it.
            let only_ours = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            let closed = directory.set_permissions(only_ours);
            closed.map_err(io("close its directory to others"))?;
        }
    }
    Ok(())
}

/// The mode of an open file or directory that has to be ours.
#[cfg(unix)]
fn mode_of_own(file: &File, what: &str) -> EngineResult<u32> {
    let metadata = file.metadata().map_err(io("look at it"))?;
    if std::os::unix::fs::MetadataExt::uid(&metadata) != rustix::process::geteuid().as_raw() {
        let why = format!("its {what} belongs to another user");
        return Err(not_private(&why));
    }
    Ok(std::os::unix::fs::MetadataExt::mode(&metadata))
}

#[cfg(unix)]
fn not_private(why: &str) -> EngineError {
    let what = "remove it, or set CODEPOD_CACHE_DIR to a directory that is yours alone";
    EngineError::Cache(format!("{why}; {what}"))
}

/// The key, if there is one of the right length.
fn read_key(path: &Path) -> EngineResult<Option<[u8; 32]>> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("read its key")(error)),
    };
    // Through the descriptor that is read: what is looked at is what is believed.
    #[cfg(unix)]
    if mode_of_own(&file, "key")? & 0o077 != 0 {
        return Err(not_private("others can read its key"));
    }
    let mut bytes = Vec::new();
    let read = (&mut file).take(33).read_to_end(&mut bytes);
    read.map_err(io("read its key"))?;
    match bytes.try_into() {
        Ok(key) => Ok(Some(key)),
        Err(_) => {
            fs::remove_file(path).map_err(io("replace a damaged key"))?;
            Ok(None)
        }
    }
}

fn read_or_make_key(path: &Path) -> EngineResult<[u8; 32]> {
    for _ in 0..2 {
        if let Some(key) = read_key(path)? {
            return Ok(key);
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| EngineError::Cache(error.to_string()))?;
        // Under a name of its own first, then linked: of two hosts that start at once, one wins.
        let temporary = path.with_extension(format!("{}.tmp", random_name()?));
        private_file(&temporary)
            .and_then(|mut file| file.write_all(&key))
            .map_err(io("write its key"))?;
        let won = fs::hard_link(&temporary, path);
        let _ = fs::remove_file(&temporary);
        match won {
            Ok(()) => return Ok(key),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io("keep its key")(error)),
        }
    }
    Err(EngineError::Cache("its key keeps changing".into()))
}
