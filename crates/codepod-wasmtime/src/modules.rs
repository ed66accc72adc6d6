//! Modules: the ones that the engine knows by name, and foreign ones by digest.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use codepod_abi::Grant;
use codepod_kernel::ModuleSource;
use wasmtime::{InstancePre, Module, ModuleExport};

use crate::cache::ModuleCache;
use crate::carried::Carried;
use crate::compile::{Compiler, check, with_stack};
#[cfg(unix)]
use crate::embedded_code;
use crate::error::{EngineError, EngineResult};
use crate::executor::in_host;
use crate::interrupt;
use crate::kept::Kept;
use crate::linker;
#[cfg(target_os = "linux")]
use crate::prepared::Prepared;
use crate::pristine::Pristine;
use crate::process::ProcessState;

/// Where a guest's code is.
#[derive(Debug, Clone)]
pub enum Code {
    /// A WebAssembly module in memory.
    Wasm(Cow<'static, [u8]>),
    /// A WebAssembly module in memory, compressed by [`Code::pack`]: for what is compiled seldom or
    /// never.
    Packed(&'static [u8]),
    /// A WebAssembly module in a host file, read when it is used first.
    File(PathBuf),
    /// Only the compiled form is there.
    Elsewhere,
}

impl Code {
    /// A WebAssembly module made small.
    pub fn pack(wasm: &[u8]) -> io::Result<Vec<u8>> {
        zstd::encode_all(wasm, PACKING_LEVEL)
    }

    /// The WebAssembly module.
    pub fn wasm(&self) -> io::Result<Cow<'static, [u8]>> {
        match self {
            Code::Wasm(bytes) => Ok(bytes.clone()),
            Code::Packed(bytes) => zstd::decode_all(*bytes).map(Cow::Owned),
            Code::File(path) => std::fs::read(path).map(Cow::Owned),
            Code::Elsewhere => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "its machine code does not fit this processor, and its portable form is not installed",
            )),
        }
    }
}

/// A guest that programs can name.
#[derive(Debug, Clone)]
pub struct GuestModule {
    /// The name, as in `#!codepod NAME`.
    pub name: String,
    /// Its code.
    pub code: Code,
    /// The compiled module, if the host program carries it from its own build. It is trusted as the
    /// host program is, and run where it lies if it starts at a page and is for this very engine.
    pub compiled: Option<Carried>,
    /// What it may import.
    pub grants: Vec<Grant>,
    /// Memory in which it has imported large packages, the fullest first.
    pub images: Vec<ImageSource>,
}

/// An image as the host program has it.
#[derive(Debug, Clone, Copy)]
pub struct ImageSource {
    /// The package that it has imported; a program that names it will want it.
    pub package: &'static str,
    /// The bytes of the image.
    pub bytes: &'static [u8],
}

/// Whether this processor has what carried code is compiled for (`config.rs`). Where it has not,
/// guests are compiled anew.
pub fn can_run_carried_code() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("sse3")
        && std::arch::is_x86_feature_detected!("ssse3")
        && std::arch::is_x86_feature_detected!("sse4.1")
        && std::arch::is_x86_feature_detected!("sse4.2")
        && std::arch::is_x86_feature_detected!("popcnt");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(unix)
}

/// A module that is ready to start.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) pre: InstancePre<ProcessState>,
    pub(crate) start: ModuleExport,
    pub(crate) memory: ModuleExport,
    /// The global that names its interrupt word, if it has one.
    pub(crate) interrupt: Option<ModuleExport>,
    /// The memory that each process begins with, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) initial_memory: usize,
    /// What its sessions can begin with; `None` for a module without sessions.
    #[cfg(target_os = "linux")]
    pub(crate) prepared: Option<Arc<Prepared>>,
    pub(crate) pristine: Arc<Pristine>,
}

/// Beyond this it takes twice the time to save a hundredth.
const PACKING_LEVEL: i32 = 9;

/// Foreign modules kept compiled, and the bytes of their code; what was not used for the longest
/// time goes first.
const FOREIGN_KEPT: usize = 64;
const FOREIGN_BYTES: usize = 256 << 20;

/// What foreign modules may import: they know nothing of codepod.
const FOREIGN_GRANTS: &[Grant] = &[Grant::Wasi];

/// A guest by its name. Each is loaded under a lock of its own: compiling one must not hold up the
/// others.
struct Named {
    guest: GuestModule,
    loaded: OnceLock<Loaded>,
    loading: Mutex<()>,
}

pub(crate) struct Modules {
    engine: wasmtime::Engine,
    cache: Option<ModuleCache>,
    named: Mutex<HashMap<Arc<str>, Arc<Named>>>,
    foreign: Mutex<Kept<Loaded>>,
    compiler: Compiler,
    /// The guest that is being compiled or read from the cache.
    busy_with: Mutex<Option<String>>,
}

impl Modules {
    pub(crate) fn new(engine: wasmtime::Engine, cache: Option<ModuleCache>) -> Modules {
        Modules {
            compiler: Compiler::new(engine.clone()),
            engine,
            cache,
            named: Mutex::default(),
            foreign: Mutex::new(Kept::new(FOREIGN_KEPT, FOREIGN_BYTES)),
            busy_with: Mutex::default(),
        }
    }

    pub(crate) fn register(&self, guest: GuestModule) {
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let name = guest.name.as_str().into();
        let known = Named {
            guest,
            loaded: OnceLock::new(),
            loading: Mutex::default(),
        };
        named.insert(name, Arc::new(known));
    }

    /// The module of a program that a process of this share runs, loaded if it was not. An error
    /// goes to whoever started the program, inside: it says nothing of the host's files.
    pub(crate) async fn load(&self, source: &ModuleSource, share: u64) -> EngineResult<Loaded> {
        match source {
            ModuleSource::Named(name) => {
                in_host(|| self.load_named(name)).map_err(|error| error.for_guest(Some(name)))
            }
            ModuleSource::Bytes(bytes) => self
                .load_foreign(bytes, share)
                .await
                .map_err(|error| error.for_guest(None)),
            // The host's own code is not loaded; `process.rs` calls it.
            ModuleSource::Host(_) => Err(EngineError::UnknownModule("a host command".into())),
        }
    }

    pub(crate) fn load_named(&self, name: &str) -> EngineResult<Loaded> {
        let named = {
            let all = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            all.get(name)
                .cloned()
                .ok_or_else(|| EngineError::UnknownModule(name.into()))?
        };
        if let Some(loaded) = named.loaded.get() {
            return Ok(loaded.clone());
        }
        let _loading = named.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = named.loaded.get() {
            return Ok(loaded.clone());
        }
        let guest = &named.guest;
        let module = match self.carried(guest) {
            Some(module) => module,
            None => {
                self.set_busy(Some(guest.name.clone()));
                let compiled = self.compiled(guest);
                self.set_busy(None);
                compiled?
            }
        };
        let loaded = self.link(&module, &guest.grants, &guest.images)?;
        Ok(named.loaded.get_or_init(|| loaded).clone())
    }

    /// Whether a guest can start without being compiled first.
    pub(crate) fn is_ready(&self, name: &str) -> bool {
        let named = {
            let all = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            match all.get(name) {
                Some(named) => named.clone(),
                None => return false,
            }
        };
        if named.loaded.get().is_some() || named.guest.compiled.is_some() {
            return true;
        }
        let (Some(cache), Ok(wasm)) = (&self.cache, named.guest.code.wasm()) else {
            return false;
        };
        cache.has(&self.engine, &wasm)
    }

    /// The guest that is being compiled now, or read from the cache.
    pub(crate) fn busy_with(&self) -> Option<String> {
        let busy = self.busy_with.lock();
        busy.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_busy(&self, with: Option<String>) {
        let mut busy = self
            .busy_with
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *busy = with;
    }

    /// What the host program carries of a guest in compiled form, if it can run here.
    fn carried(&self, guest: &GuestModule) -> Option<Module> {
        let code = guest.compiled?.bytes()?;
        #[cfg(unix)]
        return embedded_code::load(&self.engine, code);
        #[cfg(not(unix))]
        #[expect(unsafe_code, reason = "running compiled code is unsafe by nature")]
        // SAFETY: it is copied, and must be unchanged output of `precompile_module`: it is part of
        // this program, or has the digest that this program names.
        return unsafe { Module::deserialize(&self.engine, code) }.ok();
    }

    /// Makes all code that the program carries executable, without loading it; whether that is the
    /// code of all guests, and can run here.
    pub(crate) fn make_executable(&self, first: &str) -> bool {
        let named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        let guests: Vec<Arc<Named>> = named.values().cloned().collect();
        drop(named);
        #[cfg(unix)]
        let ready = guests.iter().filter(|named| {
            let code = named.guest.compiled.and_then(Carried::bytes);
            code.is_some_and(embedded_code::prepare)
        });
        #[cfg(not(unix))]
        let ready = guests.iter().filter(|_| false);
        if ready.count() < guests.len() {
            return false;
        }
        // One build has compiled all of them: if the one that is used first is for this engine, all
        // are.
        let first = guests.iter().find(|named| named.guest.name == first);
        first.is_some_and(|named| self.load_carried(named).is_some())
    }

    /// Loads a guest of which the program carries the code, if it is not loaded.
    fn load_carried(&self, named: &Named) -> Option<()> {
        let _loading = named.loading.lock().unwrap_or_else(PoisonError::into_inner);
        if named.loaded.get().is_none() {
            let module = self.carried(&named.guest)?;
            let loaded = {
                let guest = &named.guest;
                self.link(&module, &guest.grants, &guest.images).ok()?
            };
            named.loaded.get_or_init(|| loaded);
        }
        Some(())
    }

    /// A guest's code from the cache, or compiled now.
    fn compiled(&self, guest: &GuestModule) -> EngineResult<Module> {
        let invalid = |why: String| EngineError::InvalidModule(format!("{}: {why}", guest.name));
        let wasm = guest.code.wasm();
        let wasm = wasm.map_err(|error| invalid(error.to_string()))?;
        match &self.cache {
            Some(cache) => cache.load(&self.engine, &wasm),
            None => with_stack(|| Module::new(&self.engine, &wasm)),
        }
    }

    async fn load_foreign(&self, bytes: &Arc<[u8]>, share: u64) -> EngineResult<Loaded> {
        let digest = *blake3::hash(bytes).as_bytes();
        let known = || {
            let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
            foreign.get(&digest)
        };
        if let Some(loaded) = known() {
            return Ok(loaded);
        }
        check(bytes)?;
        let turn = self.compiler.turn(share).await;
        // Who had the turn before may have wanted the same module.
        if let Some(loaded) = known() {
            return Ok(loaded);
        }
        let module = self.compiler.compile(bytes.clone(), turn).await?;
        let loaded = self.link(&module, FOREIGN_GRANTS, &[])?;
        let image = module.image_range();
        let bytes = image.end as usize - image.start as usize;
        let mut foreign = self.foreign.lock().unwrap_or_else(PoisonError::into_inner);
        foreign.insert(digest, bytes, loaded.clone());
        Ok(loaded)
    }

    fn link(
        &self,
        module: &Module,
        grants: &[Grant],
        images: &[ImageSource],
    ) -> EngineResult<Loaded> {
        #[cfg(not(target_os = "linux"))]
        let _ = images;
        let linker = linker::linker(&self.engine, grants)
            .map_err(|error| EngineError::Setup(format!("{error:#}")))?;
        let pre = linker
            .instantiate_pre(module)
            .map_err(|error| EngineError::NotGranted(format!("{error:#}")))?;
        let export = |name: &str| {
            module.get_export_index(name).ok_or_else(|| {
                EngineError::InvalidModule(format!("it exports no `{name}`: not a WASI command"))
            })
        };
        let start = export("_start")?;
        let memory = export("memory")?;
        Ok(Loaded {
            pre,
            start,
            memory,
            interrupt: module.get_export_index(interrupt::EXPORT),
            #[cfg(target_os = "linux")]
            initial_memory: initial_memory(module),
            #[cfg(target_os = "linux")]
            prepared: Prepared::new(images).map(Arc::new),
            pristine: Arc::new(Pristine::new(module.clone())),
        })
    }
}

/// The memory that a process of the module begins with, in bytes.
#[cfg(target_os = "linux")]
fn initial_memory(module: &Module) -> usize {
    let memory = module.get_export("memory");
    let memory = memory.as_ref().and_then(|export| export.memory());
    let bytes = memory.map_or(0, |memory| memory.minimum() * memory.page_size());
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use futures_lite::future::block_on;

    use super::*;

    // FS-15: what goes wrong on the host is not told inside.
    #[test]
    fn fs_15_a_guest_learns_nothing_of_the_host_from_an_engine_error() {
        let directory = std::env::temp_dir();
        let name = format!("codepod-secret-place-{}", std::process::id());
        let directory = directory.join(name);
        let cache = ModuleCache::open(&directory).unwrap();
        // A file where its directory was: nothing can be written there any more, whoever we are.
        std::fs::remove_dir_all(&directory).unwrap();
        std::fs::write(&directory, "").unwrap();
        let modules = Modules::new(wasmtime::Engine::default(), Some(cache));
        let guest = |name: &str, code: Code| GuestModule {
            name: name.into(),
            code,
            compiled: None,
            grants: Vec::new(),
            images: Vec::new(),
        };
        let missing = directory.join("missing.wasm");
        modules.register(guest("missing", Code::File(missing)));
        let empty = b"\0asm\x01\0\0\0".to_vec();
        modules.register(guest("uncached", Code::Wasm(empty.into())));
        modules.register(guest("broken", Code::Wasm(b"garbage".into())));
        for (name, inside) in [
            ("missing", "the guest `missing` cannot be loaded"),
            ("uncached", "the guest `uncached` cannot be loaded"),
            ("broken", "the guest `broken` cannot be loaded"),
            ("unknown", "there is no module `unknown`"),
        ] {
            let source = ModuleSource::Named(name.into());
            let error = block_on(modules.load(&source, 0)).err().unwrap();
            assert_eq!(error.to_string(), inside);
            // The host itself is told why.
            let error = modules.load_named(name).err().unwrap().to_string();
            assert!(name == "unknown" || error.len() > inside.len(), "{error}");
        }
        // What is wrong with its own bytes a guest may know.
        let source = ModuleSource::Bytes(b"\0asm\x07\0\0\0".to_vec().into());
        let error = block_on(modules.load(&source, 0))
            .err()
            .unwrap()
            .to_string();
        assert!(
            error.starts_with("not a usable WebAssembly module: "),
            "{error}"
        );
        assert!(!error.contains("secret-place") && !error.contains("os error"));
        let _ = std::fs::remove_file(&directory);
    }
}
