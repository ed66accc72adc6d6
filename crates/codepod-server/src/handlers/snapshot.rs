//! Snapshots by name.

use codepod_api::ApiError;
use codepod_api::methods::snapshot::{
    SnapshotCreate, SnapshotInfo, SnapshotList, SnapshotListOutput, SnapshotParams, SnapshotRemove,
    SnapshotRestore,
};
use codepod_api::methods::{Done, Empty};

use crate::call::Call;
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for SnapshotCreate {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SnapshotInfo, ApiError> {
        let held = call.held()?;
        let id = held.add_snapshot(held.sandbox.snapshot().map_err(failure)?)?;
        Ok(SnapshotInfo { id })
    }
}

impl Handle for SnapshotRestore {
    fn handle(call: &Call<'_>, params: SnapshotParams) -> Result<Done, ApiError> {
        let held = call.held()?;
        let snapshot = held.snapshot(&params.id)?;
        held.sandbox.restore(&snapshot).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for SnapshotList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SnapshotListOutput, ApiError> {
        let ids = call.held()?.snapshot_ids().into_iter();
        Ok(SnapshotListOutput {
            snapshots: ids.map(|id| SnapshotInfo { id }).collect(),
        })
    }
}

impl Handle for SnapshotRemove {
    fn handle(call: &Call<'_>, params: SnapshotParams) -> Result<Done, ApiError> {
        call.held()?.remove_snapshot(&params.id)?;
        Ok(Done::OK)
    }
}
