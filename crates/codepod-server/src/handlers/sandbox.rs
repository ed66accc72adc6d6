//! Sandboxes: make, list, fork, merge, destroy.

use std::time::Duration;

use codepod::{LimitNames, Mount, MountSource, Options, Persistence, Persistent, Profile};
use codepod_api::methods::sandbox::{
    AdoptParams, Conflict, CreateParams, Guard, MergeOutput, MergeParams, PersistenceMode,
    PersistenceParams, SandboxAdopt, SandboxCreate, SandboxDestroy, SandboxFork, SandboxGet,
    SandboxInfo, SandboxKill, SandboxList, SandboxListOutput, SandboxMerge, SandboxStats,
    StatsOutput,
};
use codepod_api::methods::{Done, Empty, sandbox};
use codepod_api::{ApiError, Kind};

use crate::call::Call;
use crate::convert::{change_kind, mount_access, path_change, text, usage};
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::handlers::network;

/// The shortest time that a change waits until it is saved.
const SHORTEST_AUTOSAVE: Duration = Duration::from_millis(250);
/// The longest.
const LONGEST_AUTOSAVE: Duration = Duration::from_secs(24 * 3600);

impl Handle for SandboxCreate {
    fn handle(call: &Call<'_>, params: CreateParams) -> Result<SandboxInfo, ApiError> {
        let options = options(call, params)?;
        Ok(call.server.create(call.tenant, options)?.info.clone())
    }
}

impl Handle for SandboxList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SandboxListOutput, ApiError> {
        let sandboxes = call.server.list(call.tenant);
        Ok(SandboxListOutput { sandboxes })
    }
}

impl Handle for SandboxGet {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SandboxInfo, ApiError> {
        Ok(call.live()?.info.clone())
    }
}

impl Handle for SandboxFork {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SandboxInfo, ApiError> {
        Ok(call.server.fork(call.live()?)?.info.clone())
    }
}

impl Handle for SandboxDestroy {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<Done, ApiError> {
        call.server.destroy(&call.live()?.info.sandbox_id);
        Ok(Done::OK)
    }
}

impl Handle for SandboxAdopt {
    fn handle(call: &Call<'_>, params: AdoptParams) -> Result<Done, ApiError> {
        let fork = call.server.find(call.tenant, &params.fork)?;
        call.live()?.sandbox.adopt(&fork.sandbox).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for SandboxMerge {
    fn handle(call: &Call<'_>, params: MergeParams) -> Result<MergeOutput, ApiError> {
        let live = call.live()?;
        let fork = call.server.find(call.tenant, &params.fork)?;
        let base = live
            .snapshots
            .find(&params.base)
            .or_else(|_| fork.snapshots.find(&params.base))?;
        let merged = live.sandbox.merge(&base, &fork.sandbox).map_err(failure)?;
        let conflict = |conflict: &codepod::Conflict| Conflict {
            path: text(&conflict.path),
            ours: change_kind(conflict.ours),
            theirs: change_kind(conflict.theirs),
        };
        Ok(MergeOutput {
            taken: merged.taken.iter().map(path_change).collect(),
            same: merged.same.iter().map(|path| text(path)).collect(),
            conflicts: merged.conflicts.iter().map(conflict).collect(),
        })
    }
}

impl Handle for SandboxKill {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<Done, ApiError> {
        call.live()?.sandbox.kill_all().map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for SandboxStats {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<StatsOutput, ApiError> {
        let sandbox = &call.live()?.sandbox;
        let stats = sandbox.stats().map_err(failure)?;
        Ok(StatsOutput {
            bytes: stats.bytes,
            nodes: stats.nodes,
            processes: stats.processes as u64,
            open: stats.open as u64,
            memory: stats.memory,
            runs: stats.runs,
            usage: usage(stats.usage),
            network: sandbox.network_usage().map(network::usage),
        })
    }
}

/// As much as 32 bits can point to.
const MOST_MEMORY: u64 = 4 << 30;

/// What a client wants, within what a server allows.
fn options(call: &Call<'_>, params: CreateParams) -> Result<Options, ApiError> {
    let mut options = Options::with_profile(match params.profile {
        None | Some(sandbox::Profile::Default) => Profile::Default,
        Some(sandbox::Profile::Small) => Profile::Small,
        Some(sandbox::Profile::Large) => Profile::Large,
    });
    options.share = Some(call.tenant.share());
    let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
    if let Some(cwd) = params.cwd {
        options.cwd = cwd;
    }
    if let Some(env) = params.env {
        options.env = env.into_iter().collect();
    }
    if let Some(ms) = params.timeout_ms {
        options.timeout = call.server.options().timeout(ms);
    }
    if let Some(bytes) = params.memory_bytes {
        if bytes > MOST_MEMORY {
            let why = format!("`memoryBytes` is {bytes}: a process can have {MOST_MEMORY} bytes");
            return Err(ApiError::new(Kind::InvalidParams, why)
                .hint("pointers inside have 32 bits; several processes can have more together"));
        }
        options.set_memory(size(bytes));
    }
    if let Some(bytes) = params.disk_bytes {
        options.set_disk(bytes);
    }
    options.limit_names = LimitNames::Api;
    if let Some(processes) = params.processes {
        options.limits.processes = size(processes);
    }
    if let Some(bytes) = params.output_budget {
        options.output_budget = Some(size(bytes));
    }
    if let Some(mut names) = params.allowed_commands {
        names.push("bash".to_owned());
        options.allowed_commands = Some(names);
    }
    if let Some(runs) = params.undo_runs {
        options.undo.runs = size(runs);
    }
    if let Some(hints) = params.hints {
        options.hints = hints;
    }
    for mount in params.mounts.unwrap_or_default() {
        if !call.server.options().host_mounts {
            let message = "this server mounts no directories of its host";
            return Err(ApiError::new(Kind::Denied, message));
        }
        let guard = mount.guard;
        let mount = Mount::host(mount.host, mount.at, mount_access(mount.access));
        options.mounts.push(match guard {
            Some(Guard::None) => mount.unguarded(),
            None | Some(Guard::Usual) => mount,
        });
    }
    debug_assert!(
        options
            .mounts
            .iter()
            .all(|mount| matches!(mount.source, MountSource::Host(..)))
    );
    if let Some(wanted) = params.network {
        options.network = Some(network::network(call, wanted)?);
    }
    if let Some(persistence) = params.persistence {
        options.persistence = self::persistence(call, persistence)?;
    }
    if let Some(ceiling) = &call.server.options().ceiling {
        ceiling.hold(&mut options);
    }
    Ok(options)
}

fn persistence(call: &Call<'_>, params: PersistenceParams) -> Result<Persistence, ApiError> {
    let bad = |message: &str| Err(ApiError::new(Kind::InvalidParams, message));
    match (params.mode, params.namespace) {
        (PersistenceMode::Persistent, None) => bad("a persistent sandbox needs a `namespace`"),
        (PersistenceMode::Persistent, Some(namespace)) => {
            let saved = call.saved()?;
            saved.make(&namespace)?;
            let mut kept = Persistent::new(saved.directory(), namespace);
            if let Some(ms) = params.autosave_ms {
                let wanted = Duration::from_millis(ms);
                kept.autosave = wanted.clamp(SHORTEST_AUTOSAVE, LONGEST_AUTOSAVE);
            }
            kept.store.largest_state = Some(call.tenant.quota.state_bytes);
            kept.room = Some(saved.clone());
            Ok(Persistence::Persistent(kept))
        }
        (_, Some(_)) => bad("only a persistent sandbox has a `namespace`"),
        (PersistenceMode::Ephemeral, None) => Ok(Persistence::Ephemeral),
        (PersistenceMode::Exportable, None) => Ok(Persistence::Exportable),
    }
}
