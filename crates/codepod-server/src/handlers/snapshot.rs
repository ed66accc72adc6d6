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
        let live = call.live()?;
        let id = live.add_snapshot(live.sandbox.snapshot().map_err(failure)?)?;
        Ok(SnapshotInfo { id })
    }
}

impl Handle for SnapshotRestore {
    fn handle(call: &Call<'_>, params: SnapshotParams) -> Result<Done, ApiError> {
        let live = call.live()?;
        let snapshot = live.snapshots.find(&params.id)?;
        live.sandbox.restore(&snapshot).map_err(failure)?;
        Ok(Done::OK)
    }
}

impl Handle for SnapshotList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<SnapshotListOutput, ApiError> {
        let ids = call.live()?.snapshots.ids().into_iter();
        Ok(SnapshotListOutput {
            snapshots: ids.map(|id| SnapshotInfo { id }).collect(),
        })
    }
}

impl Handle for SnapshotRemove {
    fn handle(call: &Call<'_>, params: SnapshotParams) -> Result<Done, ApiError> {
        call.live()?.snapshots.remove(&params.id)?;
        Ok(Done::OK)
    }
}
