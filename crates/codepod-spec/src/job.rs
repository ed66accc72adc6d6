//! A script to run, the place to run it, and what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::failure::Result;

/// The directory that scripts run in. In the value of an environment variable it stands for
/// wherever that is.
pub(crate) const CASE_DIRECTORY: &str = "/tmp/case";

/// How bash gets the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Feed {
    /// `bash -c SCRIPT`, with `Job::stdin` to read.
    Command,
    /// On standard input.
    Stdin,
}

/// A script to run, in a new and otherwise empty directory.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub(crate) script: Vec<u8>,
    pub(crate) feed: Feed,
    /// What the script reads.
    pub(crate) stdin: Vec<u8>,
    /// Environment beside `PATH` and `PWD`; a sandbox adds what it always has.
    pub(crate) env: Vec<(String, String)>,
    /// Files and, with a slash at the end of the name, directories that are there before.
    pub(crate) files: BTreeMap<String, Vec<u8>>,
    /// Whether [`Outcome::files`] is wanted.
    pub(crate) wants_files: bool,
    pub(crate) timeout: Duration,
}

/// What came of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) status: i32,
    pub(crate) timed_out: bool,
    /// What is in the directory afterwards, where the job asked for it.
    pub(crate) files: BTreeMap<String, Left>,
    pub(crate) time: Duration,
}

/// Something that a script left in its directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Left {
    /// A file and its content.
    File(Vec<u8>),
    /// A directory.
    Directory,
    /// A link, a fifo or the like.
    Other,
}

/// Where scripts run.
pub(crate) trait Place: Sync {
    /// Runs a script and waits for its end, at most for its timeout. Fails when the place itself
    /// does.
    fn run(&self, job: &Job) -> Result<Outcome>;
}

impl Job {
    /// A script with nothing to read and nothing beside it.
    pub(crate) fn new(script: impl Into<Vec<u8>>, feed: Feed, timeout: Duration) -> Job {
        Job {
            script: script.into(),
            feed,
            stdin: Vec::new(),
            env: Vec::new(),
            files: BTreeMap::new(),
            wants_files: false,
            timeout,
        }
    }

    /// The words that start the shell.
    pub(crate) fn argv(&self) -> Vec<&[u8]> {
        match self.feed {
            Feed::Command => vec![b"bash", b"-c", &self.script],
            Feed::Stdin => vec![b"bash"],
        }
    }

    /// The bytes on its standard input.
    pub(crate) fn input(&self) -> &[u8] {
        match self.feed {
            Feed::Command => &self.stdin,
            Feed::Stdin => &self.script,
        }
    }
}

/// Whether a file of this content is made executable: what starts as a script does is one.
pub(crate) fn is_executable(content: &[u8]) -> bool {
    content.starts_with(b"#!")
}

/// Where programs are looked for.
pub(crate) const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The environment of our own cases and of random scripts, beside `PATH` and `PWD`.
pub(crate) fn environment() -> Vec<(String, String)> {
    let usual = [
        ("HOME", "/home/user"),
        ("USER", "user"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
    ];
    usual
        .map(|(name, value)| (name.into(), value.into()))
        .into()
}
