//! What a tool says while it goes through trees of files, and the exit status that follows.

use codepod_tool::{Output, complain, errno_text, quoted};

use crate::output::finish;
use crate::system::{self, Errno};

/// The output of a tool, and its failures.
pub(crate) struct Report<'a> {
    tool: &'a str,
    /// Where lines go.
    pub(crate) out: Output,
    /// Whether most failures are only counted: `-f`.
    quiet: bool,
    status: i32,
}

impl<'a> Report<'a> {
    /// One of nothing yet.
    pub(crate) fn new(tool: &'a str, quiet: bool) -> Report<'a> {
        Report {
            tool,
            out: Output::new(),
            quiet,
            status: 0,
        }
    }

    /// Counts a failure and says, unless quiet, `WHAT'PATH': WHY`.
    pub(crate) fn fail(&mut self, what: &[u8], path: &[u8], errno: Errno) {
        let why = errno_text(errno).as_bytes();
        self.complain(&[what, &quoted(path), b": ", why].concat());
    }

    /// Counts a failure and says what it is, unless quiet.
    pub(crate) fn complain(&mut self, message: &[u8]) {
        self.status = 1;
        if !self.quiet {
            self.complain_always(message);
        }
    }

    /// Counts a failure and says what it is, behind the lines so far.
    pub(crate) fn complain_always(&mut self, message: &[u8]) {
        self.status = 1;
        self.out.write_out();
        complain(self.tool, message);
    }

    /// The paths of what is in a directory, in order. None after a failure.
    pub(crate) fn list(&mut self, directory: &[u8]) -> Vec<Vec<u8>> {
        match system::list(directory) {
            Ok(mut names) => {
                names.sort();
                let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
                let path = |name: Vec<u8>| [directory, slash, &name].concat();
                names.into_iter().map(path).collect()
            }
            Err(errno) => {
                self.fail(b"cannot read directory ", directory, errno);
                Vec::new()
            }
        }
    }

    /// Writes the rest, and returns the exit status.
    pub(crate) fn finish(mut self) -> i32 {
        finish(self.tool, &mut self.out, self.status, 1)
    }
}
