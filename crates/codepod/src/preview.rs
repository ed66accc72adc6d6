//! Previews: a script that ran in a throw-away copy, to be looked at, then kept or dropped.

use futures_lite::future::block_on;

use crate::changes::Changes;
use crate::error::{Error, ErrorKind};
use crate::moment::Moment;
use crate::result::RunResult;
use crate::sandbox::{Sandbox, Snapshot};
use crate::script::Script;
use crate::timeline::Mark;

/// What a script did in a fork. Dropped, nothing of it has happened.
#[derive(Debug)]
#[must_use = "a preview that is dropped has not happened"]
pub struct Preview {
    /// The script's result.
    pub result: RunResult,
    sandbox: Sandbox,
    fork: Sandbox,
    /// The sandbox's state when the fork was made, and the fork's own.
    before: Snapshot,
    began: Snapshot,
}

impl Script {
    /// Runs it in a fork of the sandbox, whose files and shells stay as they are. A host directory that is mounted to be
    /// written to is an overlay there, so nothing reaches the host either.
    pub async fn preview(self) -> Result<Preview, Error> {
        let sandbox = self.sandbox().clone();
        let before = sandbox.snapshot()?;
        let fork = sandbox.fork_apart()?;
        let began = fork.snapshot()?;
        let result = self.in_sandbox(&fork).run().await?;
        Ok(Preview {
            result,
            sandbox,
            fork,
            before,
            began,
        })
    }

    /// The same without an async runtime.
    pub fn preview_blocking(self) -> Result<Preview, Error> {
        block_on(self.preview())
    }
}

impl Preview {
    /// What it changed.
    pub fn changes(&self) -> Result<Changes, Error> {
        self.fork.changes(&self.began, Moment::Now)
    }

    /// The fork that it ran in, to look around or to go on in.
    pub fn fork(&self) -> &Sandbox {
        &self.fork
    }

    /// Makes it happen: the sandbox becomes what the fork is, in constant time. It can be undone as a run can.
    ///
    /// What was changed in a host directory that is mounted to be written to is applied to it first, which takes as long as
    /// there are changes and cannot be undone.
    ///
    /// Fails with [`ErrorKind::Changed`] when the sandbox has changed since, or the host has changed a file that would be
    /// overwritten, and as [`Sandbox::restore`] does; with [`ErrorKind::PartlyApplied`] when the host has changed one while
    /// the changes were being applied.
    pub fn commit(self) -> Result<RunResult, Error> {
        let Preview {
            mut result,
            sandbox,
            fork,
            before,
            began: _,
        } = self;
        if !sandbox.snapshot()?.is_same(&before) {
            return Err(ErrorKind::Changed.into());
        }
        for at in sandbox.writable_host_mounts() {
            if !fork.can_apply(at)? {
                return Err(ErrorKind::Changed.into());
            }
        }
        for at in sandbox.writable_host_mounts() {
            let applied = fork.apply(at, [""; 0])?;
            if let Some(refused) = applied.refused.first() {
                let path = String::from_utf8_lossy(&refused.path).into_owned();
                return Err(ErrorKind::PartlyApplied { path }.into());
            }
        }
        let after = fork.snapshot()?;
        let mark = Mark::begin(&sandbox, result.command.as_bytes())?;
        let number = mark.number();
        if let Err(error) = sandbox.restore(&after) {
            mark.forget();
            return Err(error);
        }
        mark.end(result.exit_code);
        result.run = number;
        Ok(result)
    }
}
