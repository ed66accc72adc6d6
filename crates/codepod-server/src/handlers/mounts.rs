//! Host directories of a sandbox.

use codepod::{ApplyOptions, MountSource};
use codepod_api::ApiError;
use codepod_api::methods::Empty;
use codepod_api::methods::mounts::{
    AppliedOutput, DiscardedOutput, LostChange, MountApplyParams, MountChangesOutput,
    MountChangesParams, MountInfo, MountPathsParams, MountsApply, MountsChanges, MountsDiscard,
    MountsList, MountsOutput, RefusedChange, Resolve,
};

use crate::call::Call;
use crate::convert::{access, change_kind, mount_change, selection, text};
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for MountsList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<MountsOutput, ApiError> {
        let mounts = call.live()?.sandbox.options().mounts.iter();
        let host = mounts.filter_map(|mount| match &mount.source {
            MountSource::Host(_, allowed) => Some(MountInfo {
                at: mount.at.clone(),
                access: access(*allowed),
            }),
            _ => None,
        });
        Ok(MountsOutput {
            mounts: host.collect(),
        })
    }
}

impl Handle for MountsChanges {
    fn handle(call: &Call<'_>, params: MountChangesParams) -> Result<MountChangesOutput, ApiError> {
        let selection = selection(params.all, params.exclude);
        let found = call
            .live()?
            .sandbox
            .mount_changes(&params.at, &selection)
            .map_err(failure)?;
        Ok(MountChangesOutput {
            changes: found.changes.iter().map(mount_change).collect(),
            ignored: found.ignored,
        })
    }
}

impl Handle for MountsApply {
    fn handle(call: &Call<'_>, params: MountApplyParams) -> Result<AppliedOutput, ApiError> {
        let paths = params.paths.unwrap_or_default();
        let sandbox = &call.live()?.sandbox;
        let mut options = ApplyOptions::default();
        options.selection = selection(params.all, params.exclude);
        options.guarded = params.allow_guarded.unwrap_or(false);
        options.partial = params.partial.unwrap_or(false);
        options.dry_run = params.dry_run.unwrap_or(false);
        options.resolve = match params.resolve {
            None | Some(Resolve::Merge) => codepod::Resolve::Merge,
            Some(Resolve::Ours) => codepod::Resolve::Ours,
            Some(Resolve::Theirs) => codepod::Resolve::Theirs,
            Some(Resolve::Force) => codepod::Resolve::Force,
        };
        let applied = sandbox
            .apply_with(&params.at, paths, &options)
            .map_err(failure)?;
        let refused = applied.refused.iter().map(|refused| RefusedChange {
            path: text(&refused.path),
            kind: change_kind(refused.kind),
            why: refused.reason.clone(),
            guarded: refused.guarded,
            target: refused.target.as_deref().map(text),
        });
        let lost = applied.lost.iter().map(|lost| LostChange {
            path: text(&lost.path),
            what: lost.what.clone(),
        });
        Ok(AppliedOutput {
            done: applied.done,
            applied: applied.applied.iter().map(mount_change).collect(),
            merged: applied.merged.iter().map(|path| text(path)).collect(),
            refused: refused.collect(),
            lost: lost.collect(),
            ignored: applied.ignored,
        })
    }
}

impl Handle for MountsDiscard {
    fn handle(call: &Call<'_>, params: MountPathsParams) -> Result<DiscardedOutput, ApiError> {
        let paths = params.paths.unwrap_or_default();
        let dropped = call
            .live()?
            .sandbox
            .discard(&params.at, paths)
            .map_err(failure)?;
        Ok(DiscardedOutput {
            changes: dropped.iter().map(mount_change).collect(),
        })
    }
}
