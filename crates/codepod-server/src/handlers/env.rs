//! The environment of shells.

use codepod_api::ApiError;
use codepod_api::methods::Done;
use codepod_api::methods::env::{EnvGet, EnvGetOutput, EnvGetParams, EnvSet, EnvSetParams};

use crate::call::Call;
use crate::convert::text;
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for EnvGet {
    fn handle(call: &Call<'_>, params: EnvGetParams) -> Result<EnvGetOutput, ApiError> {
        let (live, shell) = (call.live()?, params.shell.unwrap_or_default());
        live.check_shell(&shell)?;
        let env = live.sandbox.shell(&shell).env_blocking().map_err(failure)?;
        let env = env
            .into_iter()
            .map(|(name, value)| (name, text(&value)))
            .collect();
        Ok(EnvGetOutput { env })
    }
}

impl Handle for EnvSet {
    fn handle(call: &Call<'_>, params: EnvSetParams) -> Result<Done, ApiError> {
        let (live, shell) = (call.live()?, params.shell.unwrap_or_default());
        live.check_shell(&shell)?;
        let shell = live.sandbox.shell(&shell);
        for (name, value) in params.env {
            shell.set_env_blocking(&name, &value).map_err(failure)?;
        }
        Ok(Done::OK)
    }
}
