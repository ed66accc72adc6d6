//! Traces: every call with its result, for tests, debugging and replay.

use std::sync::Arc;

use codepod_abi::Errno;
use codepod_abi::table::Call;

use crate::ids::Pid;

/// One finished call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trace {
    /// Who called.
    pub pid: Pid,
    /// What.
    pub call: Call,
    /// How it ended.
    pub result: Result<(), Errno>,
}

/// Gets every finished call. It runs under the kernel's lock: it must be quick and must not call
/// back.
pub type TraceFn = Arc<dyn Fn(Trace) + Send + Sync>;
