//! The runtime: the engine with its guests, and the base images that sandboxes start from.
//!
//! Most programs never name it: [`crate::Sandbox::create`] uses one for the whole host process.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

#[cfg(feature = "network")]
use codepod_gateway::net::{Gateway, GatewayOptions};
use codepod_guests::Guest;
use codepod_kernel::Allowed;
use codepod_vfs::{Budget, BudgetLimits, Tree};

use crate::engine::{self, Engine};
use crate::error::{Error, ErrorKind};
use crate::host_memory;
use crate::image::base_image;
use crate::platform::Facility;
use crate::shell::WarmList;

/// How a runtime is set up.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RuntimeOptions {
    /// Processes that exist at once, over all sandboxes; more wait for a place.
    pub slots: u32,
    /// Threads for processes beside those that callers drive; 0 for one per core.
    pub threads: usize,
    /// Shells that stay warm between scripts, over all sandboxes. Beyond that, those that were not
    /// used for the longest time are started anew by their next script, unless they have jobs
    /// or open descriptors.
    pub warm_shells: usize,
    /// Bytes of memory that all sandboxes may have together; `None` for four fifths of what the
    /// host has, or the cgroup of this process.
    pub memory_bytes: Option<u64>,
    /// Where the names of hosts are looked up; `None` for where the host itself does.
    #[cfg(feature = "network")]
    pub resolver: Option<Arc<dyn crate::network::Resolver>>,
    /// What sandboxes share of what they download; `None` for nothing.
    #[cfg(feature = "network")]
    pub downloads: Option<crate::network::Downloads>,
}

impl Default for RuntimeOptions {
    fn default() -> RuntimeOptions {
        let (slots, threads) = engine::default_places();
        RuntimeOptions {
            slots,
            threads,
            warm_shells: 256,
            memory_bytes: None,
            #[cfg(feature = "network")]
            resolver: None,
            #[cfg(feature = "network")]
            downloads: None,
        }
    }
}

/// Engine and images. Clones share it.
#[derive(Debug, Clone)]
pub struct Runtime {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    engine: Engine,
    /// Base images by the groups of guests in them.
    images: Mutex<HashMap<Vec<String>, Tree>>,
    warm_shells: WarmList,
    /// What all sandboxes draw from.
    budget: Budget,
    sandboxes: AtomicU64,
    /// The connections of all sandboxes. It has no threads before the first is allowed.
    #[cfg(feature = "network")]
    gateway: Gateway,
}

/// The guest that nearly every command begins with.
#[cfg(feature = "jail")]
const SHELL: &str = "shell";

impl Runtime {
    /// Sets up a runtime with all guests that were built. Their code is carried by this program, or
    /// comes from the module cache; what is in neither is compiled when it is used first. Where
    /// there can be no cache, it is compiled in every host process.
    pub fn new(options: RuntimeOptions) -> Result<Runtime, Error> {
        Facility::Engine.demand()?;
        let engine = engine::set_up(options.slots, options.threads)?;
        let memory = options.memory_bytes.or_else(host_memory::ceiling);
        let memory = memory.unwrap_or(u64::MAX);
        Ok(Runtime {
            inner: Arc::new(Inner {
                engine,
                images: Mutex::default(),
                warm_shells: WarmList::new(options.warm_shells),
                budget: Budget::new(BudgetLimits::new(u64::MAX, memory)),
                sandboxes: AtomicU64::new(1),
                #[cfg(feature = "network")]
                gateway: {
                    let mut own = GatewayOptions {
                        downloads: options.downloads,
                        ..GatewayOptions::default()
                    };
                    own.resolver = options.resolver.unwrap_or(own.resolver);
                    Gateway::new(own)
                },
            }),
        })
    }

    /// The runtime of this host process, set up at the first call.
    pub fn global() -> Result<Runtime, Error> {
        static GLOBAL: OnceLock<Runtime> = OnceLock::new();
        if let Some(runtime) = GLOBAL.get() {
            return Ok(runtime.clone());
        }
        // One sets it up while the others wait: each would reserve terabytes of addresses.
        static SETTING_UP: Mutex<()> = Mutex::new(());
        let _alone = SETTING_UP.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(runtime) = GLOBAL.get() {
            return Ok(runtime.clone());
        }
        let runtime = Runtime::new(RuntimeOptions::default())?;
        Ok(GLOBAL.get_or_init(|| runtime).clone())
    }

    /// The guests that a sandbox has, and whether their code is ready to run here: carried by this
    /// program or compiled before. What is not ready is compiled when it is used first, which
    /// takes seconds for the large ones.
    pub fn guests(&self) -> Result<Vec<(&'static str, bool)>, Error> {
        self.image(&[])?;
        let guests = codepod_guests::guests();
        let ready = |guest: &Guest| (guest.name, self.inner.engine.is_ready(guest.name));
        Ok(guests.map(ready).collect())
    }

    /// Has the code of a guest compiled now, if it is not ready.
    pub fn prepare(&self, guest: &str) -> Result<(), Error> {
        self.image(&[])?;
        Ok(self.inner.engine.preload(guest)?)
    }

    /// What all sandboxes on it draw from: the host's memory. A part of it ([`Budget::part`]) is
    /// for sandboxes that are to have limits
    /// together ([`Options::budget`](crate::Options::budget)).
    pub fn budget(&self) -> &Budget {
        &self.inner.budget
    }

    /// Does now what would open files or make memory executable later; whether that is all.
    #[cfg(feature = "jail")]
    pub(crate) fn settle(&self) -> Result<bool, Error> {
        self.image(&[])?;
        Ok(self.inner.engine.settle(SHELL))
    }

    /// The engine, to register further modules.
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    #[cfg(feature = "network")]
    pub(crate) fn gateway(&self) -> &Gateway {
        &self.inner.gateway
    }

    pub(crate) fn warm_shells(&self) -> &WarmList {
        &self.inner.warm_shells
    }

    pub(crate) fn next_id(&self) -> u64 {
        self.inner.sandboxes.fetch_add(1, Ordering::Relaxed)
    }

    /// The base image with the usual guests and those of `groups`.
    pub(crate) fn image(&self, groups: &[String]) -> Result<Tree, Error> {
        let mut images = self
            .inner
            .images
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(image) = images.get(groups) {
            return Ok(image.clone());
        }
        let guests: Vec<&Guest> = guests_of(groups).collect();
        if guests.is_empty() {
            return Err(ErrorKind::NoGuests.into());
        }
        for guest in &guests {
            engine::register(&self.inner.engine, guest);
        }
        let image = base_image(guests.into_iter(), self.inner.engine.host().realtime());
        images.insert(groups.to_vec(), image.clone());
        Ok(image)
    }
}

/// The guests of a sandbox with these groups beside the usual.
fn guests_of(groups: &[String]) -> impl Iterator<Item = &'static Guest> {
    codepod_guests::guests().chain(groups.iter().flat_map(|name| codepod_guests::group(name)))
}

/// The module that has a tool, in a sandbox with these groups of guests.
pub(crate) fn module_of(tool: &str, groups: &[String]) -> Option<&'static str> {
    let mut guests = guests_of(groups);
    let owner = guests.find(|guest| guest.commands.contains(&tool));
    owner.map(|guest| guest.name)
}

/// A list of allowed commands as the kernel checks it: each tool with its module. A name that no
/// guest has may be that of a host command, or of a module that the host has registered under it.
pub(crate) fn allowed(names: &[String], groups: &[String]) -> Allowed {
    let module = |name: &String| {
        let own = || Some(name.as_str()).filter(|name| !codepod_guests::is_module(name));
        module_of(name, groups).or_else(own).map(Arc::from)
    };
    Allowed::new(names.iter().map(|name| (name.clone(), module(name))))
}

/// The commands that every sandbox has, by name, each with a few words on what it does.
pub fn commands() -> Vec<(&'static str, &'static str)> {
    let of = |guest: &'static Guest| {
        guest.commands.iter().map(|name| {
            let about = guest.about.iter().find(|(known, _)| known == name);
            (*name, about.map_or("", |(_, about)| *about))
        })
    };
    let mut commands: Vec<_> = codepod_guests::guests().flat_map(of).collect();
    commands.sort_unstable();
    commands
}

/// Whether this program carries its guests; otherwise they are read from where they were built.
pub const GUESTS_EMBEDDED: bool = cfg!(feature = "embed");

/// Where compiled code is kept on this machine; `None` where no directory is this user's, and every
/// program compiles what it runs.
pub fn cache_directory() -> Option<std::path::PathBuf> {
    engine::cache_directory()
}

/// Why nothing can be kept in the cache of this user; `None` where something can. Programs run
/// without it: what is packed is unpacked into memory at each start, and what this program does not
/// carry is compiled at each start.
pub fn cache_trouble() -> Option<String> {
    engine::cache_trouble()
}
