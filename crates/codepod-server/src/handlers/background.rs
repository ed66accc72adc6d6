//! Runs in the background.

use std::sync::Arc;
use std::time::Duration;

use codepod::{Canceller, Error, ErrorKind, PipeReader, RunResult, RunningScript};
use codepod_api::methods::run::{
    RunOutputSince, RunStart, SinceOutput, SinceParams, StartOutput, StartParams,
};
use codepod_api::{ApiError, Kind};
use futures_lite::future::{block_on, zip};

use crate::background::{Log, PIECE};
use crate::call::Call;
use crate::dispatch::Handle;
use crate::failure::failure;
use crate::ids;
use crate::live_sandbox::LiveSandbox;
use crate::runs::Entered;

impl Handle for RunStart {
    fn handle(call: &Call<'_>, params: StartParams) -> Result<StartOutput, ApiError> {
        let live = call.live()?;
        let run_id = match params.run_id.clone() {
            Some(name) => name,
            None => ids::random("run")?,
        };
        let canceller = Canceller::new();
        let mut running = prepare(call, params, &canceller)?;
        let stdin = running.stdin.take();
        let entered = live.enter_run(Some(&run_id), &canceller, stdin)?;
        let no_memory = || failure(ErrorKind::Memory { what: "a log" }.into());
        let charge = live.sandbox.budget().memory(0).ok_or_else(no_memory)?;
        let log = live.background.add(&run_id, charge)?;
        let driven = drive(live.clone(), running, log, entered);
        if driven.is_err() {
            live.background.remove(&run_id);
        }
        driven.map(|()| StartOutput { run_id })
    }
}

impl Handle for RunOutputSince {
    fn handle(call: &Call<'_>, params: SinceParams) -> Result<SinceOutput, ApiError> {
        let log = call.live()?.background.find(&params.run_id)?;
        let wait = Duration::from_millis(params.wait_ms.unwrap_or(0));
        let most = params.length.map_or(usize::MAX, |length| {
            usize::try_from(length).unwrap_or(usize::MAX)
        });
        let output = log.since(params.since, wait, most, &call.canceller);
        call.take_bytes((output.stdout.len() + output.stderr.len()) as u64)?;
        Ok(output)
    }
}

/// The script of a run, in a copy of the shell that is meant.
fn prepare(
    call: &Call<'_>,
    params: StartParams,
    canceller: &Canceller,
) -> Result<RunningScript, ApiError> {
    let live = call.live()?;
    let shell = params.shell.unwrap_or_default();
    live.check_shell(&shell)?;
    let timeout = match params.timeout_ms {
        Some(ms) => call.server.options().timeout(ms),
        None => live.sandbox.options().background.age,
    };
    let mut script = live
        .sandbox
        .shell(&shell)
        .detached()
        .script(params.command)
        .in_background()
        .timeout(timeout)
        .cancelled_by(canceller);
    if let Some(cwd) = params.cwd {
        script = script.cwd(cwd);
    }
    for (name, value) in params.env.unwrap_or_default() {
        script = script.env(name, value);
    }
    if let Some(arguments) = params.arguments {
        script = script.arguments(std::iter::once("bash".to_owned()).chain(arguments));
    }
    script.start().map_err(failure)
}

/// Drives a run on a thread of its own until it has ended. The guard keeps its name until then.
fn drive(
    live: Arc<LiveSandbox>,
    mut running: RunningScript,
    log: Arc<Log>,
    entered: Entered,
) -> Result<(), ApiError> {
    let printed = [running.stdout.take(), running.stderr.take()];
    let thread = std::thread::Builder::new().name("codepod-run".into());
    let work = move || {
        let [stdout, stderr] = printed;
        let reading = zip(read(&log, stdout, false), read(&log, stderr, true));
        let (ended, _) = block_on(zip(running.wait(), reading));
        log.finish(ended.unwrap_or_else(|error| not_run(&log, &error)));
        drop(entered);
        live.touch();
    };
    let failed = |_| ApiError::new(Kind::Limit, "the server has no thread for another run");
    thread.spawn(work).map(drop).map_err(failed)
}

/// The result of a run that could not begin; its log says why.
fn not_run(log: &Log, error: &Error) -> RunResult {
    log.add(true, format!("codepod: {error}\n").as_bytes());
    let mut result = RunResult::default();
    result.exit_code = 126;
    result
}

async fn read(log: &Log, reader: Option<PipeReader>, is_stderr: bool) {
    let Some(mut reader) = reader else {
        return;
    };
    let mut buffer = vec![0; PIECE];
    while let Ok(read @ 1..) = reader.read(&mut buffer).await {
        log.add(is_stderr, &buffer[..read]);
    }
}
