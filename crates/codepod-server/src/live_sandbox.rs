//! A sandbox that a server holds, with what clients can name of it.

mod answers;
mod snapshots;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use codepod::{Canceller, PipeWriter, Preview, RunResult, Sandbox, Snapshot};
use codepod_api::methods::sandbox::SandboxInfo;
use codepod_api::{ApiError, Kind};

use crate::background::Background;
use crate::failure::not_found;
use crate::ids;
use crate::lock::lock;
use crate::names::check_name;
use crate::runs::Entered;
use crate::tenant::{Place, Tenant};

use answers::Answers;
use snapshots::Snapshots;

/// Previews that wait for a decision.
const MOST_PREVIEWS: usize = 16;
/// Shells of a sandbox.
const MOST_SHELLS: usize = 64;

/// A sandbox that a server holds.
#[derive(Debug)]
pub(crate) struct LiveSandbox {
    pub(crate) info: SandboxInfo,
    pub(crate) tenant: Arc<Tenant>,
    pub(crate) sandbox: Sandbox,
    /// Runs that go on after the call that started them.
    pub(crate) background: Background,
    /// Shells that were made and have not run anything yet.
    pub(crate) new_shells: Mutex<Vec<String>>,
    pub(crate) snapshots: Snapshots,
    previews: Mutex<HashMap<String, Preview>>,
    /// Whether it was destroyed: nothing runs any more.
    gone: AtomicBool,
    answers: Answers,
    used: AtomicU64,
    pub(crate) place: Arc<Place>,
}

/// Milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}

impl LiveSandbox {
    pub(crate) fn new(
        sandbox: Sandbox,
        tenant: &Arc<Tenant>,
        place: Place,
        parent: Option<String>,
        namespace: Option<String>,
    ) -> Result<LiveSandbox, ApiError> {
        let info = SandboxInfo {
            sandbox_id: ids::random("sb")?,
            created_ms: now_ms(),
            parent,
            namespace,
        };
        Ok(LiveSandbox::woken(sandbox, info, tenant, Arc::new(place)))
    }

    /// A sandbox that was asleep, under its old name.
    pub(crate) fn woken(
        sandbox: Sandbox,
        info: SandboxInfo,
        tenant: &Arc<Tenant>,
        place: Arc<Place>,
    ) -> LiveSandbox {
        LiveSandbox {
            info,
            tenant: tenant.clone(),
            sandbox,
            background: Background::default(),
            new_shells: Mutex::default(),
            snapshots: Snapshots::default(),
            previews: Mutex::default(),
            gone: AtomicBool::new(false),
            answers: Answers::default(),
            used: AtomicU64::new(now_ms()),
            place,
        }
    }

    /// Whether nothing of it would be lost if only its state were kept: no process, snapshot or
    /// preview. What can be undone is.
    pub(crate) fn can_sleep(&self) -> bool {
        let quiet = self.sandbox.jobs().is_ok_and(|jobs| jobs.is_empty());
        quiet
            && self.tenant.runs.is_quiet(&self.info.sandbox_id)
            && self.snapshots.is_empty()
            && lock(&self.previews).is_empty()
    }

    /// Notes that somebody uses it.
    pub(crate) fn touch(&self) {
        self.used.store(now_ms(), Ordering::Relaxed);
    }

    /// When it was used last, in milliseconds since 1970.
    pub(crate) fn used_ms(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Keeps a preview for a decision.
    pub(crate) fn add_preview(&self, preview: Preview) -> Result<String, ApiError> {
        let id = ids::random("pv")?;
        let mut previews = lock(&self.previews);
        if previews.len() >= MOST_PREVIEWS {
            let message = format!("{MOST_PREVIEWS} previews wait for a decision");
            return Err(ApiError::new(Kind::Limit, message).hint("commit or drop some of them"));
        }
        previews.insert(id.clone(), preview);
        Ok(id)
    }

    /// Takes a preview: it is decided on.
    pub(crate) fn take_preview(&self, id: &str) -> Result<Preview, ApiError> {
        lock(&self.previews)
            .remove(id)
            .ok_or_else(|| not_found("preview"))
    }

    /// Makes a run known until the guard is dropped, by its name if it has one.
    pub(crate) fn enter_run(
        &self,
        name: Option<&str>,
        canceller: &Canceller,
        stdin: Option<PipeWriter>,
    ) -> Result<Entered, ApiError> {
        let runs = &self.tenant.runs;
        let entered = runs.enter(&self.info.sandbox_id, name, canceller, stdin)?;
        // Looked at afterwards: what is entered before the end is cancelled by it.
        if self.gone.load(Ordering::SeqCst) {
            return Err(not_found("sandbox"));
        }
        Ok(entered)
    }

    /// Ends everything that runs; nothing begins any more.
    pub(crate) fn end(&self) {
        self.gone.store(true, Ordering::SeqCst);
        self.tenant.runs.cancel_all(&self.info.sandbox_id);
    }

    /// Keeps a snapshot, and returns its id.
    pub(crate) fn add_snapshot(&self, snapshot: Snapshot) -> Result<String, ApiError> {
        self.snapshots.add(snapshot, &self.tenant.quota)
    }

    /// Runs something once for a key: another call with the same key waits for the first and gets
    /// its answer.
    pub(crate) fn once(
        &self,
        key: &str,
        run: impl FnOnce() -> Result<RunResult, ApiError>,
    ) -> Result<RunResult, ApiError> {
        self.answers.once(&self.sandbox, key, run)
    }

    /// Makes sure that there is room for another shell, and that its name is one.
    pub(crate) fn check_shell(&self, name: &str) -> Result<(), ApiError> {
        if name.is_empty() {
            return Ok(());
        }
        check_name(name)?;
        let known = self.sandbox.shells();
        if known.len() >= MOST_SHELLS && !known.iter().any(|other| other == name) {
            let message = format!("a sandbox has at most {MOST_SHELLS} shells");
            return Err(ApiError::new(Kind::Limit, message).hint("close one with `shell.close`"));
        }
        Ok(())
    }
}
