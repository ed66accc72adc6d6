//! Running commands.

use codepod::{Error, PipeReader, PipeWriter, RunResult, Script};
use codepod_api::methods::Done;
use codepod_api::methods::run::{
    CancelParams, Run, RunCancel, RunOutput, RunParams, RunStdin, StdinParams,
};
use codepod_api::notifications::{Output, Stream};
use codepod_api::{ApiError, Bytes, Kind};
use futures_lite::future::{block_on, zip};

use crate::call::Call;
use crate::convert::run_output;
use crate::dispatch::Handle;
use crate::failure::{bad_base64, failure};
use crate::ids;

/// As much as one notification carries.
const PIECE: usize = 64 << 10;

impl Handle for Run {
    fn handle(call: &Call<'_>, mut params: RunParams) -> Result<RunOutput, ApiError> {
        let result = match params.idempotency_key.take() {
            Some(key) => call.live()?.once(&key, || run(call, params)),
            None => run(call, params),
        };
        result.map(run_output)
    }
}

impl Handle for RunStdin {
    fn handle(call: &Call<'_>, params: StdinParams) -> Result<Done, ApiError> {
        let bytes = Bytes::take(params.text, params.base64).map_err(bad_base64)?;
        let end = params.end.unwrap_or(false);
        let (runs, sandbox) = (&call.tenant.runs, &call.live()?.info.sandbox_id);
        runs.write(sandbox, &params.run_id, &bytes.unwrap_or_default(), end)?;
        Ok(Done::OK)
    }
}

impl Handle for RunCancel {
    fn handle(call: &Call<'_>, params: CancelParams) -> Result<Done, ApiError> {
        let sandbox = &call.live()?.info.sandbox_id;
        call.tenant.runs.cancel(sandbox, &params.run_id)?;
        Ok(Done::OK)
    }
}

/// The script that a client wants run.
pub(crate) fn script(call: &Call<'_>, params: RunParams) -> Result<Script, ApiError> {
    let live = call.live()?;
    let shell = params.shell.unwrap_or_default();
    live.check_shell(&shell)?;
    let mut script = live
        .sandbox
        .shell(&shell)
        .script(params.command)
        .cancelled_by(&call.canceller);
    if let Some(stdin) = Bytes::take(params.stdin, params.stdin_base64).map_err(bad_base64)? {
        script = script.stdin(stdin);
    }
    if let Some(cwd) = params.cwd {
        script = script.cwd(cwd);
    }
    for (name, value) in params.env.unwrap_or_default() {
        script = script.env(name, value);
    }
    if let Some(arguments) = params.arguments {
        let words = std::iter::once("bash".to_owned()).chain(arguments);
        script = script.arguments(words);
    }
    if let Some(ms) = params.timeout_ms {
        script = script.timeout(call.server.options().timeout(ms));
    }
    if let Some(bytes) = params.output_budget {
        script = script.output_budget(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    Ok(script)
}

fn run(call: &Call<'_>, params: RunParams) -> Result<RunResult, ApiError> {
    let has_input = params.stdin.is_some() || params.stdin_base64.is_some();
    let run_id = params.run_id.clone();
    let wanted = Wanted::new(run_id, params.stream, params.interactive, has_input)?;
    let script = script(call, params)?;
    if !wanted.is_streamed {
        return wanted.wait(call, || script.run_blocking());
    }
    let mut running = script.start().map_err(failure)?;
    let stdin = running.stdin.take();
    let printed = [running.stdout.take(), running.stderr.take()];
    wanted.pass(call, stdin, printed, running.wait())
}

/// How a client wants to hear of a run.
pub(super) struct Wanted {
    run_id: Option<String>,
    pub(super) is_streamed: bool,
    is_interactive: bool,
}

impl Wanted {
    pub(super) fn new(
        run_id: Option<String>,
        stream: Option<bool>,
        interactive: Option<bool>,
        has_input: bool,
    ) -> Result<Wanted, ApiError> {
        let is_streamed = stream.unwrap_or(false);
        let is_interactive = interactive.unwrap_or(false);
        if is_interactive && (run_id.is_none() || !is_streamed) {
            let message = "`interactive` needs `runId` and `stream`";
            return Err(ApiError::new(Kind::InvalidParams, message));
        }
        if is_streamed && has_input {
            let message = "`stream` takes its input by `run.stdin`";
            return Err(ApiError::new(Kind::InvalidParams, message)
                .hint("set `interactive` and send it there"));
        }
        Ok(Wanted {
            run_id,
            is_streamed,
            is_interactive,
        })
    }

    /// Waits for the end of a run that is not streamed.
    pub(super) fn wait(
        self,
        call: &Call<'_>,
        run: impl FnOnce() -> Result<RunResult, Error>,
    ) -> Result<RunResult, ApiError> {
        let live = call.live()?;
        let _entered = live.enter_run(self.run_id.as_deref(), &call.canceller, None)?;
        run().map_err(failure)
    }

    /// Waits for the end of a run and passes on what it prints meanwhile.
    pub(super) fn pass(
        self,
        call: &Call<'_>,
        stdin: Option<PipeWriter>,
        [stdout, stderr]: [Option<PipeReader>; 2],
        ended: impl Future<Output = Result<RunResult, Error>>,
    ) -> Result<RunResult, ApiError> {
        let live = call.live()?;
        let name = match self.run_id {
            Some(name) => name,
            None => ids::random("run")?,
        };
        let stdin = stdin.filter(|_| self.is_interactive);
        let _entered = live.enter_run(Some(&name), &call.canceller, stdin)?;
        let sender = Sender {
            call,
            sandbox: &live.info.sandbox_id,
            run: &name,
        };
        let passing = zip(
            sender.pass(stdout, Stream::Stdout),
            sender.pass(stderr, Stream::Stderr),
        );
        let (result, _) = block_on(zip(ended, passing));
        let result = result.map_err(failure)?;
        // What the host has to say, such as which limit was reached, belongs to the stream as well.
        sender.send(&result.stderr, Stream::Stderr);
        Ok(result)
    }
}

/// Passes on what a run prints.
struct Sender<'a> {
    call: &'a Call<'a>,
    sandbox: &'a str,
    run: &'a str,
}

impl Sender<'_> {
    async fn pass(&self, reader: Option<PipeReader>, stream: Stream) {
        let Some(mut reader) = reader else {
            return;
        };
        let mut buffer = vec![0; PIECE];
        // A character that is not whole yet waits for its other bytes.
        let mut kept = 0;
        while let Ok(read @ 1..) = reader.read(&mut buffer[kept..]).await {
            let filled = kept + read;
            let whole = whole_characters(&buffer[..filled]);
            self.send(&buffer[..whole], stream);
            buffer.copy_within(whole..filled, 0);
            kept = filled - whole;
        }
        self.send(&buffer[..kept], stream);
    }

    fn send(&self, bytes: &[u8], stream: Stream) {
        if bytes.is_empty() {
            return;
        }
        let Bytes { text, base64 } = Bytes::new(bytes.to_vec());
        self.call.client.output(Output {
            sandbox_id: self.sandbox.to_owned(),
            run_id: self.run.to_owned(),
            stream,
            text,
            base64,
        });
    }
}

/// How many bytes there are before a character that is only cut off.
fn whole_characters(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::whole_characters;

    #[test]
    fn only_what_is_cut_off_waits() {
        assert_eq!(whole_characters("a\u{20ac}".as_bytes()), 4);
        assert_eq!(whole_characters(b"a\xe2\x82"), 1);
        assert_eq!(whole_characters(b"a\xff\xe2\x82"), 4);
        assert_eq!(whole_characters(b"\xe2\x82"), 2);
    }
}
