//! Undo, redo and what changed.

use codepod::{Moment, PastRun, Sandbox};
use codepod_api::ApiError;
use codepod_api::methods::timeline::{
    Changes, ChangesOutput, ChangesParams, Redo, Undo, UndoOutput, UndoParams,
};

use crate::call::Call;
use crate::convert::{moment, path_change, selection, step_with_files, text};
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for Undo {
    fn handle(call: &Call<'_>, params: UndoParams) -> Result<UndoOutput, ApiError> {
        step(call, params, Sandbox::undo)
    }
}

impl Handle for Redo {
    fn handle(call: &Call<'_>, params: UndoParams) -> Result<UndoOutput, ApiError> {
        step(call, params, Sandbox::redo)
    }
}

fn step(
    call: &Call<'_>,
    params: UndoParams,
    go: fn(&Sandbox, usize) -> Result<Vec<PastRun>, codepod::Error>,
) -> Result<UndoOutput, ApiError> {
    let count = usize::try_from(params.count.unwrap_or(1)).unwrap_or(usize::MAX);
    let sandbox = &call.live()?.sandbox;
    let steps = go(sandbox, count).map_err(failure)?;
    // A step that was undone is known as long as it can be done again.
    let steps = steps.into_iter().map(|step| step_with_files(sandbox, step));
    Ok(UndoOutput {
        runs: steps.collect(),
    })
}

impl Handle for Changes {
    fn handle(call: &Call<'_>, params: ChangesParams) -> Result<ChangesOutput, ApiError> {
        let live = call.live()?;
        let from = match params.from {
            Some(written) => moment(live, &written)?,
            None => match live.sandbox.history().last() {
                Some(run) => Moment::Before(run.number),
                None => Moment::Now,
            },
        };
        let to = match params.to {
            Some(written) => moment(live, &written)?,
            None => Moment::Now,
        };
        let mut changes = live.sandbox.changes(from, to).map_err(failure)?;
        let selection = selection(params.all, params.exclude);
        changes.select(&selection).map_err(failure)?;
        let diff = params
            .diff
            .unwrap_or(false)
            .then(|| text(&changes.unified_diff()));
        Ok(ChangesOutput {
            changes: changes.iter().map(path_change).collect(),
            diff,
            ignored: changes.ignored(),
        })
    }
}
