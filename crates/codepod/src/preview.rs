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
    before: Snapshot,
}

impl Script {
    /// Runs it in a fork of the sandbox, whose files and shells stay as they are. Fails with
    /// [`ErrorKind::HostMount`] where a host directory is mounted to be written to: that has no copy.
    pub async fn preview(self) -> Result<Preview, Error> {
        let sandbox = self.sandbox().clone();
        if let Some(at) = sandbox.writable_host_mount() {
            return Err(ErrorKind::HostMount { at: at.to_owned() }.into());
        }
        let fork = sandbox.fork()?;
        let before = fork.snapshot()?;
        let result = self.in_sandbox(&fork).run().await?;
        Ok(Preview {
            result,
            sandbox,
            fork,
            before,
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
        self.fork.changes(&self.before, Moment::Now)
    }

    /// The fork that it ran in, to look around or to go on in.
    pub fn fork(&self) -> &Sandbox {
        &self.fork
    }

    /// Makes it happen, in constant time: the sandbox becomes what the fork is. Fails with [`ErrorKind::Changed`] when
    /// the sandbox has changed since, and as [`Sandbox::restore`] does. It can be undone as a run can.
    pub fn commit(self) -> Result<RunResult, Error> {
        let Preview {
            mut result,
            sandbox,
            fork,
            before,
        } = self;
        if !sandbox.snapshot()?.is_same(&before) {
            return Err(ErrorKind::Changed.into());
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
