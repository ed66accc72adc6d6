//! Named shells, their history and completion.

use codepod::StepKind;
use codepod_api::methods::shell::{
    CompleteOutput, CompleteParams, HistoryClear, HistoryList, HistoryOutput, ShellClose,
    ShellCloseParams, ShellComplete, ShellCreate, ShellCreateOutput, ShellCreateParams, ShellList,
    ShellListOutput,
};
use codepod_api::methods::{Done, Empty};
use codepod_api::{ApiError, Kind};
use futures_lite::future::block_on;

use crate::call::Call;
use crate::convert::{past_run, step_with_files};
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::failure::not_found;
use crate::ids;
use crate::lock::lock;

/// Names of shells that were made and did not run anything.
const MOST_NEW: usize = 64;

impl Handle for ShellCreate {
    fn handle(call: &Call<'_>, params: ShellCreateParams) -> Result<ShellCreateOutput, ApiError> {
        let live = call.live()?;
        let shell = match params.shell {
            Some(name) => name,
            None => ids::random("sh")?,
        };
        live.check_shell(&shell)?;
        let mut new = lock(&live.new_shells);
        if shell.is_empty() || new.contains(&shell) || live.sandbox.shells().contains(&shell) {
            let message = "there is a shell of that name already";
            return Err(
                ApiError::new(Kind::InvalidParams, message).hint("give another name, or none")
            );
        }
        if new.len() >= MOST_NEW {
            return Err(ApiError::new(
                Kind::Limit,
                format!("{MOST_NEW} shells have not run anything yet"),
            ));
        }
        new.push(shell.clone());
        Ok(ShellCreateOutput { shell })
    }
}

impl Handle for ShellList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<ShellListOutput, ApiError> {
        let live = call.live()?;
        let mut shells = live.sandbox.shells();
        let mut new = lock(&live.new_shells);
        new.retain(|name| !shells.contains(name));
        shells.extend(new.iter().cloned());
        shells.sort();
        Ok(ShellListOutput { shells })
    }
}

impl Handle for ShellClose {
    fn handle(call: &Call<'_>, params: ShellCloseParams) -> Result<Done, ApiError> {
        let live = call.live()?;
        let name = params.shell;
        let mut new = lock(&live.new_shells);
        let was_new = new
            .iter()
            .position(|other| *other == name)
            .map(|at| new.swap_remove(at));
        drop(new);
        let runs = live.sandbox.shells().contains(&name);
        if !runs && was_new.is_none() && !name.is_empty() {
            return Err(not_found("shell"));
        }
        if runs {
            live.sandbox
                .shell(&name)
                .close_blocking()
                .map_err(failure)?;
        }
        Ok(Done::OK)
    }
}

impl Handle for HistoryList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<HistoryOutput, ApiError> {
        let sandbox = &call.live()?.sandbox;
        let runs = sandbox
            .history()
            .into_iter()
            .map(|step| match step.kind {
                StepKind::Files => step_with_files(sandbox, step),
                _ => past_run(step),
            })
            .collect();
        Ok(HistoryOutput { runs })
    }
}

impl Handle for HistoryClear {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<Done, ApiError> {
        call.live()?.sandbox.clear_history();
        Ok(Done::OK)
    }
}

impl Handle for ShellComplete {
    fn handle(call: &Call<'_>, params: CompleteParams) -> Result<CompleteOutput, ApiError> {
        let (live, shell) = (call.live()?, params.shell.unwrap_or_default());
        live.check_shell(&shell)?;
        let cursor = params.cursor.map_or(usize::MAX, |cursor| {
            usize::try_from(cursor).unwrap_or(usize::MAX)
        });
        let shell = live.sandbox.shell(&shell);
        let found = block_on(shell.complete(&params.line, cursor)).map_err(failure)?;
        Ok(CompleteOutput {
            start: found.start as u64,
            words: found.words,
        })
    }
}
