//! Host directories of a sandbox.

use codepod::MountSource;
use codepod_api::ApiError;
use codepod_api::methods::Empty;
use codepod_api::methods::mounts::{
    AppliedOutput, MountApplyParams, MountChangesOutput, MountInfo, MountParams, MountPathsParams,
    MountsApply, MountsChanges, MountsDiscard, MountsList, MountsOutput, RefusedChange,
};

use crate::call::Call;
use crate::convert::{access, change_kind, mount_change, text};
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for MountsList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<MountsOutput, ApiError> {
        let mounts = call.held()?.sandbox.options().mounts.iter();
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
    fn handle(call: &Call<'_>, params: MountParams) -> Result<MountChangesOutput, ApiError> {
        let changes = call
            .held()?
            .sandbox
            .mount_changes(&params.at)
            .map_err(failure)?;
        Ok(MountChangesOutput {
            changes: changes.iter().map(mount_change).collect(),
        })
    }
}

impl Handle for MountsApply {
    fn handle(call: &Call<'_>, params: MountApplyParams) -> Result<AppliedOutput, ApiError> {
        let paths = params.paths.unwrap_or_default();
        let sandbox = &call.held()?.sandbox;
        let applied = match params.allow_guarded {
            Some(true) => sandbox.apply_guarded(&params.at, paths),
            None | Some(false) => sandbox.apply(&params.at, paths),
        }
        .map_err(failure)?;
        let refused = applied.refused.iter().map(|refused| RefusedChange {
            path: text(&refused.path),
            kind: change_kind(refused.kind),
            why: refused.why.to_string(),
            guarded: refused.guarded,
            target: refused.target.as_deref().map(text),
        });
        Ok(AppliedOutput {
            applied: applied.applied.iter().map(mount_change).collect(),
            refused: refused.collect(),
        })
    }
}

impl Handle for MountsDiscard {
    fn handle(call: &Call<'_>, params: MountPathsParams) -> Result<MountChangesOutput, ApiError> {
        let paths = params.paths.unwrap_or_default();
        let dropped = call
            .held()?
            .sandbox
            .discard(&params.at, paths)
            .map_err(failure)?;
        Ok(MountChangesOutput {
            changes: dropped.iter().map(mount_change).collect(),
        })
    }
}
