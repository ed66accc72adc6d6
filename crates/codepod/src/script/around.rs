//! What a shell does before a script and after it, on the host's behalf: it goes to a directory and
//! back, and a copy of a shell lets go of traps that are not its own and runs those that are.

use std::time::Instant;

use codepod_abi::session::{Request, Run};
use codepod_kernel::Stdio;
use codepod_vfs::VfsSnapshot;

use super::{Canceller, result_of};
use crate::error::Error;
use crate::result::RunResult;
use crate::shell::{End, Job, Shell, serve};
use crate::sinks::{AfterTaken, Sinks};

/// Goes to `$1` and prints where it was. No option that the shell has set ends it.
const GO: &[u8] = br#"builtin cd -- "$1" >/dev/null && builtin printf %s "$OLDPWD""#;
/// Forgets traps of the shell that this one is a copy of, as a subshell does.
const NO_TRAPS: &[u8] = b"builtin trap - EXIT ERR DEBUG RETURN";

/// Lets a shell go to a directory. Where it was before; or what came of it, if it cannot. The
/// caller has the shell's turn.
pub(super) async fn go(
    shell: &Shell,
    to: &[u8],
    cancel: Option<&Canceller>,
    before: Option<VfsSnapshot>,
) -> Result<Result<Vec<u8>, RunResult>, Error> {
    let arguments = [b"bash\0", to, b"\0"].concat();
    ask(shell, GO, &arguments, cancel, before).await
}

/// Lets a copy of a shell forget the traps that it has inherited.
pub(super) async fn without_traps(shell: &Shell, cancel: &Canceller) -> Result<(), Error> {
    let _ = ask(shell, NO_TRAPS, b"", Some(cancel), None).await?;
    Ok(())
}

/// Lets a copy of a shell run its EXIT trap, which prints where its script did.
pub(super) async fn end(shell: &Shell, stdio: [Stdio; 3], cancel: &Canceller) -> Result<(), Error> {
    let mut request = Vec::new();
    Request::End.encode(&mut request);
    let job = Job {
        request,
        stdio,
        feed: None,
        timeout: shell.sandbox.options().timeout,
        cancel: Some(cancel),
        before: None,
    };
    serve(&shell.sandbox, &shell.slot, job).await?;
    Ok(())
}

/// Runs a script of ours: what it prints, or what came of it, if it fails.
async fn ask(
    shell: &Shell,
    script: &[u8],
    arguments: &[u8],
    cancel: Option<&Canceller>,
    before: Option<VfsSnapshot>,
) -> Result<Result<Vec<u8>, RunResult>, Error> {
    let started = Instant::now();
    let mut request = Vec::new();
    Request::Run(Run {
        flags: 0,
        script,
        env: b"",
        arguments,
    })
    .encode(&mut request);
    let sinks = Sinks::new(&shell.sandbox, AfterTaken::Discarded)?;
    let job = Job {
        request,
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
    let mut result = result_of(served, b"cd", started);
    result.stderr.splice(0..0, output.stderr);
    Ok(Err(result))
}
