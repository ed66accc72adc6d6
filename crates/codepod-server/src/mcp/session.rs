//! A session: its sandbox, and calls of methods in it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use codepod::Canceller;
use codepod_api::methods::run::{Cut, RunOutput};
use codepod_api::{ApiError, Kind, Surface};
use serde_json::{Map, Value};

use super::McpOptions;
use super::result::streams;
use crate::call::{Call, Silent};
use crate::dispatch::{dispatch, guarded};
use crate::lock::lock;
use crate::quota::Quota;
use crate::server::Server;
use crate::tenant::Tenant;

/// A client's session. Its sandboxes end with it.
#[derive(Debug)]
pub(super) struct Session {
    server: Server,
    /// A tenant for each session: what one has, others cannot name.
    tenant: Arc<Tenant>,
    options: McpOptions,
    /// The session's own sandbox, once it was needed.
    sandbox: Mutex<Option<String>>,
    closed: AtomicBool,
    last_run: Mutex<Option<LastRun>>,
}

impl Session {
    pub(super) fn new(server: &Server, options: McpOptions) -> Arc<Session> {
        let quota = Quota {
            sandboxes: options.sandboxes,
            requests: 32,
            snapshots: 200,
            snapshot_bytes: 256 << 20,
            ..Quota::alone()
        };
        Arc::new(Session {
            server: server.clone(),
            tenant: Tenant::new("mcp", quota),
            options,
            sandbox: Mutex::default(),
            closed: AtomicBool::new(false),
            last_run: Mutex::default(),
        })
    }

    pub(super) fn options(&self) -> &McpOptions {
        &self.options
    }

    /// What the last run in the session's own sandbox printed, if there was one.
    pub(super) fn last_run(&self) -> Option<LastRun> {
        lock(&self.last_run).clone()
    }

    pub(super) fn set_last_run(&self, run: LastRun) {
        *lock(&self.last_run) = Some(run);
    }

    /// Calls a method and waits for its answer. `sandbox` is a fork's id; `None` means the
    /// session's own sandbox.
    pub(super) fn call(
        &self,
        method: &str,
        sandbox: Option<&str>,
        params: Map<String, Value>,
        canceller: Canceller,
    ) -> Result<Value, ApiError> {
        let _place = self.tenant.take_request()?;
        let own = match sandbox {
            Some(_) => None,
            None => Some(guarded(|| self.own_sandbox())?),
        };
        let id = sandbox.or(own.as_deref());
        let call = Call::new(&self.server, &self.tenant, Surface::Mcp, &Silent, canceller);
        let answer = dispatch(call, method, id, params)?;
        serde_json::from_str(&answer).map_err(|_| ApiError::internal())
    }

    /// The session's sandbox, made if it is not there.
    fn own_sandbox(&self) -> Result<String, ApiError> {
        let mut sandbox = lock(&self.sandbox);
        if let Some(id) = &*sandbox {
            return Ok(id.clone());
        }
        if self.closed.load(Ordering::SeqCst) {
            return Err(ApiError::new(Kind::NotFound, "the session is over"));
        }
        let live = self
            .server
            .create(&self.tenant, self.options.sandbox.clone())?;
        Ok(sandbox.insert(live.info.sandbox_id.clone()).clone())
    }

    /// Ends the session's sandboxes and all that runs in them.
    pub(super) fn close(&self) {
        // Under the lock: whoever makes the sandbox just now is before us, or sees that it is over.
        let sandbox = lock(&self.sandbox);
        self.closed.store(true, Ordering::SeqCst);
        self.server.destroy_all(&self.tenant);
        drop(sandbox);
    }
}

/// What a run printed: the bytes, or the path of the file in the sandbox that has them.
#[derive(Debug, Clone)]
pub(super) struct LastRun {
    pub(super) stdout: Result<Vec<u8>, String>,
    pub(super) stderr: Result<Vec<u8>, String>,
}

impl LastRun {
    pub(super) fn new(output: &RunOutput) -> LastRun {
        let (stdout, stderr) = streams(output);
        let kept = |bytes: Vec<u8>, cut: &Option<Cut>| match cut {
            Some(cut) => Err(cut.path.clone()),
            None => Ok(bytes),
        };
        LastRun {
            stdout: kept(stdout, &output.stdout_cut),
            stderr: kept(stderr, &output.stderr_cut),
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.server.destroy_all(&self.tenant);
    }
}
