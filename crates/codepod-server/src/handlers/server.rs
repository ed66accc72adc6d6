//! The server itself.

use codepod_api::methods::Empty;
use codepod_api::methods::server::{ServerInfo, ServerInfoOutput};
use codepod_api::{ApiError, METHODS};

use crate::call::Call;
use crate::dispatch::Handle;

/// Grows when a method changes incompatibly.
const PROTOCOL: u32 = 1;

impl Handle for ServerInfo {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<ServerInfoOutput, ApiError> {
        let here = METHODS
            .iter()
            .filter(|method| method.reason_not_on(call.surface).is_none());
        Ok(ServerInfoOutput {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            protocol: PROTOCOL,
            methods: here.map(|method| method.name.to_owned()).collect(),
            layers: codepod_jail::layers()
                .names()
                .iter()
                .map(|name| (*name).to_owned())
                .collect(),
        })
    }
}
