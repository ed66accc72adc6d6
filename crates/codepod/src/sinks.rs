//! Captured output: the two sinks of a command, given back whatever happens.

use codepod_kernel::SinkId;

use crate::engine::KernelHandle;
use crate::error::Error;
use crate::sandbox::Sandbox;

/// What becomes of what is written after the host has taken the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AfterTaken {
    /// Its writer finds the reader gone.
    Broken,
    /// It vanishes.
    Discarded,
}

/// What a command printed.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    /// Whether the end of standard output, and of standard error, is lost because the stream
    /// reached its limit.
    pub(crate) lost: [bool; 2],
}

/// The sinks of a command. Dropped, they are given back as well.
pub(crate) struct Sinks {
    kernel: KernelHandle,
    pub(crate) out: SinkId,
    pub(crate) err: SinkId,
    after: AfterTaken,
    taken: bool,
}

impl Sinks {
    pub(crate) fn new(sandbox: &Sandbox, after: AfterTaken) -> Result<Sinks, Error> {
        let limit = sandbox.options().limits.output_bytes;
        let mut kernel = sandbox.kernel()?;
        let (out, err) = (kernel.new_sink(limit), kernel.new_sink(limit));
        drop(kernel);
        Ok(Sinks {
            kernel: sandbox.inner.kernel.clone(),
            out,
            err,
            after,
            taken: false,
        })
    }

    /// What was printed so far.
    pub(crate) fn take(mut self) -> Output {
        self.finish()
    }

    fn finish(&mut self) -> Output {
        self.taken = true;
        let Ok(mut kernel) = self.kernel.lock() else {
            return Output::default();
        };
        let take = match self.after {
            AfterTaken::Broken => codepod_kernel::Kernel::take_sink,
            AfterTaken::Discarded => codepod_kernel::Kernel::finish_sink,
        };
        let (stdout, out_cut) = take(&mut kernel, self.out);
        let (stderr, err_cut) = take(&mut kernel, self.err);
        Output {
            stdout,
            stderr,
            lost: [out_cut, err_cut],
        }
    }
}

impl Drop for Sinks {
    fn drop(&mut self) {
        if !self.taken {
            self.finish();
        }
    }
}
