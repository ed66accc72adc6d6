//! Previews: a run in a throw-away copy.

use codepod_api::methods::Done;
use codepod_api::methods::preview::{
    PreviewCommit, PreviewDrop, PreviewOutput, PreviewParams, PreviewRun,
};
use codepod_api::methods::run::{RunOutput, RunParams};
use codepod_api::{ApiError, Kind};

use crate::call::Call;
use crate::convert::{path_change, run_output, text};
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::handlers::run::script;

impl Handle for PreviewRun {
    fn handle(call: &Call<'_>, params: RunParams) -> Result<PreviewOutput, ApiError> {
        if params.stream.is_some()
            || params.interactive.is_some()
            || params.idempotency_key.is_some()
        {
            let message = "a preview takes no `stream`, `interactive` or `idempotencyKey`";
            return Err(ApiError::new(Kind::InvalidParams, message));
        }
        let live = call.live()?;
        let run_id = params.run_id.clone();
        let _entered = live.enter_run(run_id.as_deref(), &call.canceller, None)?;
        let preview = script(call, params)?.preview_blocking().map_err(failure)?;
        let mut changes = preview.changes().map_err(failure)?;
        changes
            .select(&codepod::Selection::default())
            .map_err(failure)?;
        let ignored = changes.ignored();
        let diff = text(&changes.unified_diff());
        let changes = changes.iter().map(path_change).collect();
        let result = run_output(preview.result.clone());
        let preview_id = live.add_preview(preview)?;
        Ok(PreviewOutput {
            preview_id,
            result,
            changes,
            diff,
            ignored,
        })
    }
}

impl Handle for PreviewCommit {
    fn handle(call: &Call<'_>, params: PreviewParams) -> Result<RunOutput, ApiError> {
        let preview = call.live()?.take_preview(&params.preview_id)?;
        preview.commit().map(run_output).map_err(failure)
    }
}

impl Handle for PreviewDrop {
    fn handle(call: &Call<'_>, params: PreviewParams) -> Result<Done, ApiError> {
        drop(call.live()?.take_preview(&params.preview_id)?);
        Ok(Done::OK)
    }
}
