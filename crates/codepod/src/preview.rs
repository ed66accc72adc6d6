//! Previews: a script that ran in a throw-away copy, to be looked at, then kept or dropped.

use futures_lite::future::block_on;

use crate::apply::Applied;
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
    /// Runs it in a fork of the sandbox, whose files and shells stay as they are. A host directory
    /// that is mounted to be written to is an overlay there, so nothing reaches the host
    /// either.
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

    /// Blocking form of [`Self::preview`], for callers without an async runtime.
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

    /// Makes it happen: the sandbox becomes what the fork is, in constant time. It can be undone as
    /// a run can.
    ///
    /// What was changed in a host directory that is mounted to be written to is applied to it,
    /// which takes as long as there are changes and cannot be undone later. All of it is there
    /// afterwards, or nothing: what cannot be applied is looked for before, and when one change
    /// fails those before it are taken back. A process that is killed meanwhile leaves
    /// some of them, and what they replaced beside them (`.codepod-…`).
    ///
    /// Fails with [`ErrorKind::Changed`] when the sandbox has changed since, or the host has
    /// changed a file that would be overwritten; as [`Sandbox::restore`] does; with what the
    /// host's file system fails with; with [`ErrorKind::PartlyApplied`] when the host has
    /// changed, too, what was to be taken back.
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
        let mounts: Vec<&str> = sandbox.writable_host_mounts().collect();
        for at in &mounts {
            if !fork.can_apply(at)? {
                return Err(ErrorKind::Changed.into());
            }
        }
        let after = fork.snapshot()?;
        let mark = Mark::begin(&sandbox, result.command.as_bytes())?;
        let number = mark.number();
        // The sandbox first: it goes back in constant time, should the host not take its part.
        if let Err(error) = sandbox.restore(&after) {
            mark.forget();
            return Err(error);
        }
        if let Err(error) = apply_all(&fork, &mounts) {
            let restored = sandbox.restore(&before);
            mark.forget();
            return Err(restored.err().unwrap_or(error));
        }
        mark.end(result.exit_code);
        result.run = number;
        Ok(result)
    }
}

/// Applies what a fork has changed at all these mounts, or nothing of it.
fn apply_all(fork: &Sandbox, mounts: &[&str]) -> Result<(), Error> {
    let mut done = Vec::new();
    let mut failed = None;
    for at in mounts {
        fork.begin_applying(at)?;
        match fork.hand_down(at) {
            Ok((applied, refused)) => {
                done.push((*at, applied));
                failed = refused;
            }
            Err(error) => {
                done.push((*at, Applied::default()));
                failed = Some(error);
            }
        }
        if failed.is_some() {
            break;
        }
    }
    let mut stuck = Vec::new();
    for (at, applied) in done.iter().rev() {
        stuck.extend(fork.end_applying(at, failed.is_none())?);
        if failed.is_none() {
            fork.tell_applied(at, applied);
        }
    }
    match (failed, stuck.first()) {
        (None, _) => Ok(()),
        (Some(error), None) => Err(error),
        (Some(_), Some(path)) => {
            let path = String::from_utf8_lossy(path).into_owned();
            Err(ErrorKind::PartlyApplied { path }.into())
        }
    }
}
