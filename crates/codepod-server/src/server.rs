//! The server: which sandboxes there are, and whose they are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::Duration;

use codepod::network::Network;
use codepod::{BudgetUse, Options, Persistence, Runtime, Sandbox};
use codepod_api::ApiError;
use codepod_api::methods::sandbox::SandboxInfo;

use crate::failure::failure;
use crate::failure::not_found;
use crate::hibernation::{Asleep, Bedroom};
use crate::live_sandbox::LiveSandbox;
use crate::lock::lock;
use crate::tenant::Tenant;

/// How a server is made.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Where states are kept, each tenant's in a directory of its own; `None` if none are.
    pub states: Option<PathBuf>,
    /// Whether clients may mount directories of the host.
    pub host_mounts: bool,
    /// What no sandbox may go beyond, whatever its client asks for.
    pub ceiling: Option<Ceiling>,
    /// What clients may have their sandboxes reach.
    pub reach: Reach,
}

/// What clients may have their sandboxes reach.
#[derive(Debug, Clone, Default)]
pub enum Reach {
    /// Nothing.
    #[default]
    Nothing,
    /// What this allows as well.
    Within(Network),
    /// Anything that they ask for: whoever has started the server could reach it anyway.
    Anything,
}

/// What no sandbox may go beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ceiling {
    /// How long a command may take, whatever its sandbox or its call says.
    pub timeout: Duration,
    /// How long processes may go on after their command.
    pub background: Duration,
    /// Processor time of a sandbox's processes that go on after their command, all together.
    pub background_cpu: Duration,
    /// Memory of one process in bytes.
    pub memory_bytes: usize,
    /// Memory of all its processes in bytes.
    pub total_memory_bytes: usize,
    /// Bytes of files.
    pub disk_bytes: u64,
    /// Files and directories.
    pub nodes: u64,
    /// Processes at a time.
    pub processes: usize,
    /// Descriptors of one process.
    pub descriptors: usize,
    /// Pipes at a time.
    pub pipes: usize,
    /// Bytes of each output stream of a command.
    pub output_bytes: usize,
    /// Bytes of outputs that it keeps.
    pub kept_output_bytes: usize,
    /// Runs that can be undone.
    pub undo_runs: usize,
    /// Bytes that are kept for that.
    pub undo_bytes: u64,
}

impl Ceiling {
    pub(crate) fn hold(&self, options: &mut Options) {
        options.timeout = options.timeout.min(self.timeout);
        let background = &mut options.background;
        background.age = background.age.min(self.background);
        background.cpu = background.cpu.min(self.background_cpu);
        let (limits, files, undo) = (
            &mut options.limits,
            &mut options.fs_limits,
            &mut options.undo,
        );
        for (limit, most) in [
            (&mut limits.memory_bytes, self.memory_bytes),
            (&mut limits.total_memory_bytes, self.total_memory_bytes),
            (&mut limits.processes, self.processes),
            (&mut limits.descriptors, self.descriptors),
            (&mut limits.pipes, self.pipes),
            (&mut limits.output_bytes, self.output_bytes),
            (&mut limits.kept_output_bytes, self.kept_output_bytes),
            (&mut undo.runs, self.undo_runs),
        ] {
            *limit = most.min(*limit);
        }
        for (limit, most) in [
            (&mut files.bytes, self.disk_bytes),
            (&mut files.file_bytes, self.disk_bytes),
            (&mut files.nodes, self.nodes),
            (&mut undo.bytes, self.undo_bytes),
        ] {
            *limit = most.min(*limit);
        }
    }
}

/// The longest time that a command can be given where there is no ceiling.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(24 * 3600);

impl ServerOptions {
    /// How long a command may take for which a client asks so many milliseconds; 0 asks for as long
    /// as there is.
    pub(crate) fn timeout(&self, ms: u64) -> Duration {
        let longest = self.ceiling.map_or(LONGEST_TIMEOUT, |most| most.timeout);
        match ms {
            0 => longest,
            _ => Duration::from_millis(ms).min(longest),
        }
    }
}

/// Holds sandboxes. Clones mean the same server.
#[derive(Debug, Clone)]
pub struct Server {
    inner: Arc<Inner>,
}

/// A server that may have gone.
#[derive(Debug, Clone)]
pub(crate) struct WeakServer(Weak<Inner>);

impl WeakServer {
    pub(crate) fn upgrade(&self) -> Option<Server> {
        self.0.upgrade().map(|inner| Server { inner })
    }
}

#[derive(Debug)]
struct Inner {
    runtime: Runtime,
    options: ServerOptions,
    /// By id; ids are random, so the order says nothing.
    sandboxes: RwLock<BTreeMap<String, Entry>>,
    /// Where sandboxes sleep, once one does. After them: what is left there goes last.
    bedroom: Mutex<Option<Arc<Bedroom>>>,
}

/// A sandbox, or what is left of it while nobody uses it.
#[derive(Debug, Clone)]
enum Entry {
    Awake(Arc<LiveSandbox>),
    Asleep(Arc<Asleep>),
}

impl Entry {
    fn tenant(&self) -> &Tenant {
        match self {
            Entry::Awake(live) => &live.tenant,
            Entry::Asleep(asleep) => &asleep.tenant,
        }
    }

    fn info(&self) -> &SandboxInfo {
        match self {
            Entry::Awake(live) => &live.info,
            Entry::Asleep(asleep) => &asleep.info,
        }
    }
}

impl Server {
    /// A server on a runtime.
    pub fn new(runtime: Runtime, options: ServerOptions) -> Server {
        if let Some(states) = &options.states {
            Bedroom::sweep(states);
        }
        Server {
            inner: Arc::new(Inner {
                runtime,
                options,
                sandboxes: RwLock::default(),
                bedroom: Mutex::default(),
            }),
        }
    }

    /// How it was made.
    pub fn options(&self) -> &ServerOptions {
        &self.inner.options
    }

    /// What all sandboxes use now of the host.
    pub fn used(&self) -> BudgetUse {
        self.inner.runtime.budget().used()
    }

    /// Sandboxes that are alive.
    pub fn len(&self) -> usize {
        self.read().len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn create(
        &self,
        tenant: &Arc<Tenant>,
        mut options: Options,
    ) -> Result<Arc<LiveSandbox>, ApiError> {
        let place = tenant.take_sandbox()?;
        options.budget = Some(tenant.budget(self.inner.runtime.budget()));
        let namespace = match &options.persistence {
            Persistence::Persistent(kept) => Some(kept.namespace.clone()),
            _ => None,
        };
        let sandbox = Sandbox::create_on(&self.inner.runtime, options).map_err(failure)?;
        self.add(LiveSandbox::new(sandbox, tenant, place, None, namespace)?)
    }

    pub(crate) fn fork(&self, parent: &LiveSandbox) -> Result<Arc<LiveSandbox>, ApiError> {
        let place = parent.tenant.take_sandbox()?;
        let fork = parent.sandbox.fork().map_err(failure)?;
        let from = Some(parent.info.sandbox_id.clone());
        self.add(LiveSandbox::new(fork, &parent.tenant, place, from, None)?)
    }

    fn add(&self, live: LiveSandbox) -> Result<Arc<LiveSandbox>, ApiError> {
        let live = Arc::new(live);
        let id = live.info.sandbox_id.clone();
        self.write().insert(id, Entry::Awake(live.clone()));
        Ok(live)
    }

    /// A sandbox of a tenant, woken if it is asleep. One of another tenant is not there.
    pub(crate) fn find(&self, tenant: &Tenant, id: &str) -> Result<Arc<LiveSandbox>, ApiError> {
        let entry = self.read().get(id).cloned();
        let own = entry.filter(|entry| std::ptr::eq(entry.tenant(), tenant));
        let live = match own.ok_or_else(|| not_found("sandbox"))? {
            Entry::Awake(live) => live,
            Entry::Asleep(asleep) => {
                let live = asleep.wake(&self.inner.runtime)?;
                let mut sandboxes = self.write();
                match sandboxes.get_mut(id) {
                    Some(entry) => *entry = Entry::Awake(live.clone()),
                    // It was destroyed meanwhile.
                    None => return Err(not_found("sandbox")),
                }
                live
            }
        };
        live.touch();
        Ok(live)
    }

    /// The sandboxes of a tenant, the oldest first.
    pub(crate) fn list(&self, tenant: &Tenant) -> Vec<SandboxInfo> {
        let sandboxes = self.read();
        let own = sandboxes
            .values()
            .filter(|entry| std::ptr::eq(entry.tenant(), tenant));
        let mut own: Vec<SandboxInfo> = own.map(|entry| entry.info().clone()).collect();
        drop(sandboxes);
        own.sort_by(|a, b| (a.created_ms, &a.sandbox_id).cmp(&(b.created_ms, &b.sandbox_id)));
        own
    }

    /// Ends a sandbox: its runs are cancelled, its processes killed.
    pub(crate) fn destroy(&self, id: &str) {
        let gone = self.write().remove(id);
        match gone {
            Some(Entry::Awake(live)) => {
                live.end();
                // Whatever still holds it finds no process alive.
                let _ = live.sandbox.kill_all();
            }
            Some(Entry::Asleep(asleep)) => asleep.forget(),
            None => {}
        }
    }

    /// The id of a sandbox by the library's number of it.
    pub(crate) fn id_of(&self, number: u64) -> Option<String> {
        let sandboxes = self.read();
        let mut awake = sandboxes.values().filter_map(|entry| match entry {
            Entry::Awake(live) => Some(live),
            Entry::Asleep(_) => None,
        });
        let found = awake.find(|live| live.sandbox.id() == number)?;
        Some(found.info.sandbox_id.clone())
    }

    /// The server, for somebody who must not keep it alive.
    pub(crate) fn weak(&self) -> WeakServer {
        WeakServer(Arc::downgrade(&self.inner))
    }

    /// Whose sandbox it is.
    pub fn tenant_of(&self, id: &str) -> Option<Arc<Tenant>> {
        self.read().get(id).map(|entry| match entry {
            Entry::Awake(live) => live.tenant.clone(),
            Entry::Asleep(asleep) => asleep.tenant.clone(),
        })
    }

    /// Ends all sandboxes of a tenant.
    pub fn destroy_all(&self, tenant: &Tenant) {
        for info in self.list(tenant) {
            self.destroy(&info.sandbox_id);
        }
    }

    /// Saves sandboxes of a tenant that nobody used for so long and frees their memory; the next
    /// call wakes them. How many it were. Those with processes, snapshots or previews stay
    /// awake, and so do ephemeral ones, whose state may not leave.
    pub fn sleep_idle(&self, tenant: &Tenant, idle_ms: u64) -> usize {
        let Some(directory) = &self.inner.options.states else {
            return 0;
        };
        let now = crate::live_sandbox::now_ms();
        let sandboxes = self.read();
        let idle = |entry: &&Entry| match entry {
            Entry::Awake(live) => {
                let unused = now.saturating_sub(live.used_ms()) >= idle_ms;
                std::ptr::eq(&*live.tenant, tenant) && unused && live.can_sleep()
            }
            Entry::Asleep(_) => false,
        };
        let found: Vec<Entry> = sandboxes.values().filter(idle).cloned().collect();
        drop(sandboxes);
        let mut slept = 0;
        for entry in found {
            let Entry::Awake(live) = entry else {
                continue;
            };
            let Ok(bedroom) = self.bedroom(directory) else {
                return slept;
            };
            let Ok(asleep) = Asleep::new(&live, directory, &bedroom) else {
                continue;
            };
            let mut sandboxes = self.write();
            // Two: the table's and ours. Who else has it uses it now.
            let unused =
                Arc::strong_count(&live) == 2 && now.saturating_sub(live.used_ms()) >= idle_ms;
            match sandboxes.get_mut(&live.info.sandbox_id) {
                Some(entry) if unused => {
                    *entry = Entry::Asleep(Arc::new(asleep));
                    slept += 1;
                }
                _ => asleep.forget(),
            }
            drop(sandboxes);
        }
        slept
    }

    /// Where sandboxes sleep.
    fn bedroom(&self, states: &Path) -> Result<Arc<Bedroom>, ApiError> {
        let mut bedroom = lock(&self.inner.bedroom);
        if let Some(bedroom) = &*bedroom {
            return Ok(bedroom.clone());
        }
        let made = Arc::new(Bedroom::new(states)?);
        Ok(bedroom.insert(made).clone())
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Entry>> {
        self.inner
            .sandboxes
            .read()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<String, Entry>> {
        self.inner
            .sandboxes
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
