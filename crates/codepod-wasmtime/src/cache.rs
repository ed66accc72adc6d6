//! The module cache: compiled code on disk, checked before it is mapped.
//!
//! Loading compiled code runs it without any further check, so a forged file would be an escape.
//! Each file has a keyed digest beside it ([`PrivateDirectory`]); what does not match is compiled
//! again.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{Read, Seek};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use wasmtime::Module;

use crate::compile::with_stack;
use crate::error::{EngineError, EngineResult};
use crate::nameless::without_names;
use crate::private_directory::PrivateDirectory;

/// How much compiled code stays: five times all guests.
const MOST_BYTES: u64 = 1 << 30;

/// The form of what is in it; raise when something else is done with what wasmtime has compiled.
const FORM: u32 = 1;

/// Compiled modules in a directory.
#[derive(Debug, Clone)]
pub struct ModuleCache {
    directory: PrivateDirectory,
    most: u64,
}

impl ModuleCache {
    /// Opens or makes a cache. Only the owner of the directory can look into it.
    ///
    /// Fails with [`EngineError::Cache`] where the directory or its key is somebody else's, or
    /// where others can write to the one or read the other.
    pub fn open(directory: impl Into<PathBuf>) -> EngineResult<ModuleCache> {
        Ok(ModuleCache {
            directory: PrivateDirectory::open(directory)?,
            most: MOST_BYTES,
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

    /// Where it is ([`PrivateDirectory::path_of_user`]).
    pub fn directory_of_user() -> Option<PathBuf> {
        PrivateDirectory::path_of_user("modules")
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
        let code = compiled(engine, wasm)?;
        // A full disk is no reason not to run.
        if self.store(&name, &code).is_ok()
            && let Some(module) = self.load_checked(engine, &name)
        {
            return Ok(module);
        }
        #[expect(unsafe_code, reason = "running compiled code is unsafe by nature")]
        // SAFETY: it must be output of `precompile_module`, and was made just now; only names that
        // nothing here reads were left out.
        let module = unsafe { Module::deserialize(engine, &code) };
        module.map_err(|error| EngineError::InvalidModule(format!("{error:#}")))
    }

    /// The compiled form of a module as bytes, also of an engine that compiles for another
    /// platform.
    pub(crate) fn code(&self, engine: &wasmtime::Engine, wasm: &[u8]) -> EngineResult<Vec<u8>> {
        let name = self.name(engine, wasm);
        if let Some(mut file) = self.checked(&name) {
            let mut code = Vec::new();
            file.read_to_end(&mut code)
                .map_err(|error| EngineError::Cache(error.to_string()))?;
            return Ok(code);
        }
        let code = compiled(engine, wasm)?;
        self.store(&name, &code)?;
        Ok(code)
    }

    /// The name covers everything that decides the code: the module, wasmtime's version and
    /// settings.
    fn name(&self, engine: &wasmtime::Engine, wasm: &[u8]) -> String {
        let mut settings = DefaultHasher::new();
        FORM.hash(&mut settings);
        engine.precompile_compatibility_hash().hash(&mut settings);
        format!(
            "{}-{:016x}",
            &blake3::hash(wasm).to_hex()[..32],
            settings.finish()
        )
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name).with_extension("cwasm")
    }

    /// A file whose digest is right, from its beginning.
    fn checked(&self, name: &str) -> Option<File> {
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
        Some(file)
    }

    fn load_checked(&self, engine: &wasmtime::Engine, name: &str) -> Option<Module> {
        let file = self.checked(name)?;
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
        let mut hasher = self.directory.keyed();
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
        let mut hasher = self.directory.keyed();
        hasher.update(name.as_bytes());
        hasher.update(code);
        // The digest first: a reader that comes between the two finds no match and compiles for
        // itself.
        let digest = hasher.finalize();
        let write =
            |kind: &str, bytes| self.directory.write_whole(&format!("{name}.{kind}"), bytes);
        write("mac", digest.as_bytes())?;
        write("cwasm", code)?;
        self.forget_unused(&self.path(name));
        Ok(())
    }

    /// Deletes what was not used for the longest time, until the rest has room. `path` stays. What
    /// cannot be deleted is left to the next who tries.
    fn forget_unused(&self, path: &Path) {
        let Ok(entries) = fs::read_dir(self.directory.path()) else {
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

/// Compiles a module as it is kept.
fn compiled(engine: &wasmtime::Engine, wasm: &[u8]) -> EngineResult<Vec<u8>> {
    with_stack(|| engine.precompile_module(wasm)).map(without_names)
}
