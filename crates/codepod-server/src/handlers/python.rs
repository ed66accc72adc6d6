//! Sessions of Python.

use codepod_api::ApiError;
use codepod_api::methods::Done;
use codepod_api::methods::python::{PythonReset, PythonRun};
use codepod_api::methods::run::RunOutput;
use codepod_api::methods::session::{SessionResetParams, SessionRunParams};

use super::session;
use crate::call::Call;
use crate::dispatch::Handle;

impl Handle for PythonRun {
    fn handle(call: &Call<'_>, params: SessionRunParams) -> Result<RunOutput, ApiError> {
        session::run(call, params, |sandbox, name| sandbox.python_session(name))
    }
}

impl Handle for PythonReset {
    fn handle(call: &Call<'_>, params: SessionResetParams) -> Result<Done, ApiError> {
        session::reset(call, params, |sandbox, name| sandbox.python_session(name))
    }
}
