//! The module cache: compiled code on disk, checked before it is mapped.
//!
//! Loading compiled code runs it without any further check, so a forged file would be an escape.
//! Each file has a keyed digest beside it; the key is a random file that only its owner can read.
//! What does not match is compiled again. A directory or a key of somebody else, or one that others
//! can write or read, is refused: whoever knows the key decides what code we run. The cache belongs
//! to the host: no guest, snapshot or sandbox can reach it.

use std::fs::{self, File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wasmtime::Module;

use crate::error::{EngineError, EngineResult};

/// How much compiled code stays: five times all guests.
const MOST_BYTES: u64 = 1 << 30;

/// Compiled modules in a directory.
#[derive(Debug, Clone)]
pub struct ModuleCache {
    directory: PathBuf,
    key: [u8; 32],
    most: u64,
}

impl ModuleCache {
    /// Opens or makes a cache. Only the owner of the directory can look into it.
    ///
    /// Fails with [`EngineError::Cache`] where the directory or its key is somebody else's, or
    /// where others can write to the one or read the other.
    pub fn open(directory: impl Into<PathBuf>) -> EngineResult<ModuleCache> {
        let directory = directory.into();
        private_directory(&directory)?;
        let key = read_or_make_key(&directory.join("key"))?;
        let most = MOST_BYTES;
        Ok(ModuleCache {
            directory,
            key,
            most,
        })
    }

    /// Limits the compiled code in it to this many bytes; what was not used for the longest time
    /// goes first.
    pub fn with_room(mut self, bytes: u64) -> ModuleCache {
        self.most = bytes;
        self
    }

    /// The cache of this user; `None` where no directory is theirs, and everything is compiled when
    /// it is used first.
    pub fn of_user() -> EngineResult<Option<ModuleCache>> {
        let directory = ModuleCache::directory_of_user();
        directory.map(ModuleCache::open).transpose()
    }

    /// Where it is: `CODEPOD_CACHE_DIR`, else the user's cache directory, and `modules` in it.
    /// `None` where the environment names neither: a directory that all users share is no place
    /// for code.
    pub fn directory_of_user() -> Option<PathBuf> {
        let set = |name: &str| {
            std::env::var_os(name)
                .filter(|value| !value.is_empty())
                .map(PathBuf::from)
        };
        let base = set("CODEPOD_CACHE_DIR")
            .or_else(|| set("XDG_CACHE_HOME").map(|path| path.join("codepod")))
            .or_else(|| set("HOME").map(|path| path.join(".cache/codepod")));
        base.map(|base| base.join("modules"))
    }

    /// Whether the compiled form of a module is there. It is not checked.
    pub fn has(&self, engine: &wasmtime::Engine, wasm: &[u8]) -> bool {
        self.path(&self.name(engine, wasm)).exists()
    }

    /// The compiled form of a module, compiled now if it is not there or does not check out.
    pub fn load(&self, engine: &wasmtime::Engine, wasm: &[u8]) -> EngineResult<Module> {
        let name = self.name(engine, wasm);
        if let Some(module) = self.load_checked(engine, &name) {
            return Ok(module);
        }
        let code = engine
            .precompile_module(wasm)
            .map_err(|error| EngineError::InvalidModule(format!("{error:#}")))?;
        self.store(&name, &code)?;
        self.load_checked(engine, &name)
            .ok_or_else(|| EngineError::Cache("what was just written does not check out".into()))
    }

    /// The name covers everything that decides the code: the module, wasmtime's version and
    /// settings.
    fn name(&self, engine: &wasmtime::Engine, wasm: &[u8]) -> String {
        let mut settings = DefaultHasher::new();
        engine.precompile_compatibility_hash().hash(&mut settings);
        format!(
            "{}-{:016x}",
            &blake3::hash(wasm).to_hex()[..32],
            settings.finish()
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name).with_extension("cwasm")
    }

    fn load_checked(&self, engine: &wasmtime::Engine, name: &str) -> Option<Module> {
        let mut file = File::open(self.path(name)).ok()?;
        let expected: [u8; 32] = fs::read(self.path(name).with_extension("mac"))
            .ok()?
            .try_into()
            .ok()?;
        let found = self.digest(name, &mut file).ok()?;
        if found != blake3::Hash::from_bytes(expected) {
            return None;
        }
        file.rewind().ok()?;
        // When it was used last decides only when it is forgotten.
        let _ = file.set_modified(SystemTime::now());
        #[expect(unsafe_code, reason = "mapping compiled code is unsafe by nature")]
        // SAFETY: the file must be unchanged output of `precompile_module`. Its keyed digest says
        // that this host wrote it, the digest was taken through this very descriptor, and
        // the name covers the engine's settings, which wasmtime checks once more. Whoever
        // can change the file afterwards is this user.
        unsafe {
            Module::deserialize_open_file(engine, file).ok()
        }
    }

    fn digest(&self, name: &str, file: &mut File) -> std::io::Result<blake3::Hash> {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes());
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hasher.finalize()),
                read => hasher.update(&buffer[..read]),
            };
        }
    }

    fn store(&self, name: &str, code: &[u8]) -> EngineResult<()> {
        let mut hasher = blake3::Hasher::new_keyed(&self.key);
        hasher.update(name.as_bytes());
        hasher.update(code);
        let path = self.path(name);
        // The digest first: a reader that comes between the two finds no match and compiles for
        // itself.
        write_whole(&path.with_extension("mac"), hasher.finalize().as_bytes())?;
        write_whole(&path, code)?;
        self.forget_unused(&path);
        Ok(())
    }

    /// Deletes what was not used for the longest time, until the rest has room. `path` stays. What
    /// cannot be deleted is left to the next who tries.
    fn forget_unused(&self, path: &Path) {
        let Ok(entries) = fs::read_dir(&self.directory) else {
            return;
        };
        let mut others: Vec<(SystemTime, u64, PathBuf)> = entries
            .filter_map(|entry| {
                let found = entry.ok()?.path();
                let is_other = found.extension()? == "cwasm" && found != path;
                let metadata = is_other.then(|| found.metadata().ok())??;
                Some((metadata.modified().ok()?, metadata.len(), found))
            })
            .collect();
        others.sort();
        let written = path.metadata().map_or(0, |metadata| metadata.len());
        let mut all = written + others.iter().map(|(_, bytes, _)| bytes).sum::<u64>();
        for (_, bytes, unused) in others {
            if all <= self.most {
                break;
            }
            let _ = fs::remove_file(&unused);
            let _ = fs::remove_file(unused.with_extension("mac"));
            all -= bytes;
        }
    }
}

fn io(what: &'static str) -> impl Fn(std::io::Error) -> EngineError {
    move |error| EngineError::Cache(format!("cannot {what}: {error}"))
}

/// Writes a file under another name first, so that nobody sees half of it.
fn write_whole(path: &Path, bytes: &[u8]) -> EngineResult<()> {
    let mut random = [0; 8];
    getrandom::fill(&mut random).map_err(|error| EngineError::Cache(error.to_string()))?;
    let temporary = path.with_extension(format!("{:016x}.tmp", u64::from_le_bytes(random)));
    private_file(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, path))
        .inspect_err(|_| drop(fs::remove_file(&temporary)))
        .map_err(io("write a module"))
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
        let mut suffix = [0; 8];
        getrandom::fill(&mut suffix).map_err(|error| EngineError::Cache(error.to_string()))?;
        let temporary = path.with_extension(format!("{:016x}.tmp", u64::from_le_bytes(suffix)));
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
