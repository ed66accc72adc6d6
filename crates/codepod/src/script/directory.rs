//! The directory of a script: a shell goes there before it and back after it.

use codepod_abi::session::{Request, Run};
use codepod_kernel::Stdio;
use codepod_vfs::VfsSnapshot;

use super::{Canceller, result_of};
use crate::error::Error;
use crate::result::RunResult;
use crate::shell::{End, Job, Served, Shell, serve};
use crate::sinks::{AfterTaken, Sinks};

/// Goes to `$1` and prints where it was. No option that the shell has set ends it.
const GO: &[u8] = br#"builtin cd -- "$1" >/dev/null && builtin printf %s "$OLDPWD""#;

/// Serves a job in a directory, or where the shell is; what came of going there, if it cannot. The
/// caller has the shell's turn.
pub(super) async fn serve_in(
    shell: &Shell,
    directory: Option<&[u8]>,
    job: Job<'_>,
) -> Result<Result<Served, RunResult>, Error> {
    let mut back = None;
    if let Some(directory) = directory {
        match go(shell, directory, job.cancel, job.before.clone()).await? {
            Ok(was) => back = Some(was),
            Err(result) => return Ok(Err(result)),
        }
    }
    let served = serve(&shell.sandbox, &shell.slot, job).await?;
    if let Some(was) = back {
        // The directory may have gone meanwhile: the shell stays where it is then.
        let _ = go(shell, &was, None, None).await?;
    }
    Ok(Ok(served))
}

/// Lets a shell go to a directory. Where it was before; or what came of it, if it cannot.
async fn go(
    shell: &Shell,
    to: &[u8],
    cancel: Option<&Canceller>,
    before: Option<VfsSnapshot>,
) -> Result<Result<Vec<u8>, RunResult>, Error> {
    let stopwatch = shell.sandbox.stopwatch();
    let arguments = [b"bash\0", to, b"\0"].concat();
    let mut request = Vec::new();
    Request::Run(Run {
        flags: 0,
        script: GO,
        env: b"",
        arguments: &arguments,
    })
    .encode(&mut request);
    let sinks = Sinks::new(&shell.sandbox, AfterTaken::Discarded)?;
    let job = Job {
        request,
        number: 0,
        stdio: [Stdio::Null, Stdio::Sink(sinks.out), Stdio::Sink(sinks.err)],
        feed: None,
        timeout: shell.sandbox.options().timeout,
        cancel,
        before,
    };
    let served = serve(&shell.sandbox, &shell.slot, job).await?;
    let output = sinks.take();
    if served.end == End::Answered(0) {
        return Ok(Ok(output.stdout));
    }
    let mut result = result_of(served, b"cd", stopwatch.elapsed());
    result.stderr.splice(0..0, output.stderr);
    Ok(Err(result))
}
