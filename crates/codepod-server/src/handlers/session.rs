//! Calls of sessions, whatever their language.

use codepod::{Error, InterpreterSession, Sandbox};
use codepod_api::methods::Done;
use codepod_api::methods::run::RunOutput;
use codepod_api::methods::session::{SessionResetParams, SessionRunParams};
use codepod_api::{ApiError, Bytes};

use crate::call::Call;
use crate::convert::run_output;
use crate::failure::{bad_base64, failure};
use crate::handlers::run::Wanted;

/// The session that is meant where none is named.
const MAIN: &str = "main";

/// How a sandbox gives the session of a name.
type Named = fn(&Sandbox, &str) -> Result<InterpreterSession, Error>;

/// Runs code in a session and waits for its end.
pub(super) fn run(
    call: &Call<'_>,
    params: SessionRunParams,
    named: Named,
) -> Result<RunOutput, ApiError> {
    let has_input = params.stdin.is_some() || params.stdin_base64.is_some();
    let wanted = Wanted::new(params.run_id, params.stream, params.interactive, has_input)?;
    let mut session = session(call, params.session, named)?.cancelled_by(&call.canceller);
    if let Some(stdin) = Bytes::take(params.stdin, params.stdin_base64).map_err(bad_base64)? {
        session = session.stdin(stdin);
    }
    if let Some(ms) = params.timeout_ms {
        session = session.timeout(call.server.options().timeout(ms));
    }
    if let Some(bytes) = params.output_budget {
        session = session.output_budget(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    let result = if wanted.is_streamed {
        let mut running = session.start(&params.code).map_err(failure)?;
        let stdin = running.stdin.take();
        let printed = [running.stdout.take(), running.stderr.take()];
        wanted.pass(call, stdin, printed, running.wait())
    } else {
        wanted.wait(call, || session.run_blocking(&params.code))
    };
    result.map(run_output)
}

/// Makes a session begin anew.
pub(super) fn reset(
    call: &Call<'_>,
    params: SessionResetParams,
    named: Named,
) -> Result<Done, ApiError> {
    let session = session(call, params.session, named)?;
    session.reset().map_err(failure)?;
    Ok(Done::OK)
}

fn session(
    call: &Call<'_>,
    name: Option<String>,
    named: Named,
) -> Result<InterpreterSession, ApiError> {
    named(&call.live()?.sandbox, name.as_deref().unwrap_or(MAIN)).map_err(failure)
}
