//! A script while it runs: streams to read and write, and its end.

use std::time::Instant;

use codepod_kernel::{PipeEnd, Stdio};
use codepod_wasmtime::KernelHandle;
use futures_lite::future::block_on;

use super::{Canceller, Script, result_of};
use crate::error::{Error, ErrorKind};
use crate::result::RunResult;
use crate::shell::{Job, serve};
use crate::streams::{PipeReader, PipeWriter, host_streams};
use crate::timeline::Mark;

/// A script with streams. It runs while [`RunningScript::wait`] is polled, and is killed when that future is
/// dropped.
#[derive(Debug)]
pub struct RunningScript {
    /// What it reads; drop it to end its input.
    pub stdin: Option<PipeWriter>,
    /// What it prints.
    pub stdout: Option<PipeReader>,
    /// What it complains about.
    pub stderr: Option<PipeReader>,
    script: Script,
    streams: Streams,
    canceller: Canceller,
}

impl RunningScript {
    pub(super) fn new(script: Script) -> Result<RunningScript, Error> {
        let handle = script.shell.sandbox.inner.kernel.clone();
        let mut kernel = handle.lock().map_err(|_| ErrorKind::Internal)?;
        let failed = |errno| ErrorKind::Spawn {
            name: "a script".into(),
            errno,
        };
        let made = host_streams(&mut kernel).map_err(failed)?;
        let stdio = made.map(|(_, stdio)| stdio);
        let mut stdin = None;
        let mut readers = Vec::new();
        for (end, _) in made {
            let waiter = kernel.new_waiter();
            match end {
                PipeEnd::Write(pipe) => stdin = Some(PipeWriter::new(&handle, pipe, waiter)),
                PipeEnd::Read(pipe) => readers.push(PipeReader::new(&handle, pipe, waiter)),
            }
            // Until the shell has them, the other ends are the host's too: the streams must not look closed.
            let held = kernel.hold_pipe(other(end));
            debug_assert!(held.is_ok(), "the pipe was made just now");
        }
        drop(kernel);
        let mut readers = readers.into_iter();
        Ok(RunningScript {
            stdin,
            stdout: readers.next(),
            stderr: readers.next(),
            script,
            streams: Streams {
                kernel: handle,
                ends: made.map(|(end, _)| other(end)),
                stdio,
            },
            canceller: Canceller::default(),
        })
    }

    /// Ends it from elsewhere.
    pub fn canceller(&self) -> Canceller {
        self.canceller.clone()
    }

    /// Runs it to its end. The streams must be read meanwhile, or it waits for them; what they gave is not in
    /// the result. What the script left in the background prints to nowhere from then on.
    ///
    /// Fails as [`Script::run`] does.
    pub async fn wait(self) -> Result<RunResult, Error> {
        let request = self.script.request()?;
        let shell = &self.script.shell;
        let _turn = shell.slot.turns.take().await;
        let mark = Mark::begin(&shell.sandbox, &self.script.text)?;
        let started = Instant::now();
        let job = Job {
            request,
            stdio: self.streams.stdio,
            feed: None,
            timeout: self.script.timeout,
            cancel: Some(&self.canceller),
        };
        let served = serve(&shell.sandbox, &shell.slot, job).await?;
        let mut result = result_of(served, &self.script.text, started);
        mark.finish(&mut result, self.script.timeout);
        Ok(result)
    }

    /// The same without an async runtime.
    pub fn wait_blocking(self) -> Result<RunResult, Error> {
        block_on(self.wait())
    }
}

/// The ends that the script has, held by the host while it waits and runs. Dropped, the streams end.
#[derive(Debug)]
struct Streams {
    kernel: KernelHandle,
    ends: [PipeEnd; 3],
    stdio: [Stdio; 3],
}

impl Drop for Streams {
    fn drop(&mut self) {
        let Ok(mut kernel) = self.kernel.lock() else {
            return;
        };
        for end in self.ends {
            if let PipeEnd::Write(pipe) = end {
                kernel.finish_pipe(pipe);
            }
            kernel.close_pipe(end);
        }
    }
}

fn other(end: PipeEnd) -> PipeEnd {
    match end {
        PipeEnd::Read(pipe) => PipeEnd::Write(pipe),
        PipeEnd::Write(pipe) => PipeEnd::Read(pipe),
    }
}
