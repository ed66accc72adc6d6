//! States that are kept for persistent sandboxes.

use std::time::UNIX_EPOCH;

use codepod_api::ApiError;
use codepod_api::methods::states::{
    NamespaceParams, SavedState, StatesList, StatesListOutput, StatesRemove,
};
use codepod_api::methods::{Done, Empty};

use crate::call::Call;
use crate::dispatch::Handle;

impl Handle for StatesList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<StatesListOutput, ApiError> {
        let kept = |found: codepod::Namespace| SavedState {
            namespace: found.name,
            bytes: found.bytes,
            changed_ms: found
                .changed
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_millis() as u64),
        };
        let states = call.saved()?.list()?.into_iter().map(kept).collect();
        Ok(StatesListOutput { states })
    }
}

impl Handle for StatesRemove {
    fn handle(call: &Call<'_>, params: NamespaceParams) -> Result<Done, ApiError> {
        call.saved()?.remove(&params.namespace)?;
        Ok(Done::OK)
    }
}
