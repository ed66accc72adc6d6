//! Messages: on standard error, or in a file.

use std::fs::File;
use std::io::Write as _;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Loudness {
    /// Nothing.
    Quiet,
    /// Errors, and a line for each file.
    NotVerbose,
    /// Everything.
    Verbose,
}

/// Where messages go.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) loudness: Loudness,
    /// Whether the dots are shown in any case.
    shows_progress: bool,
    file: Option<File>,
}

impl Log {
    pub(crate) fn new(loudness: Loudness, shows_progress: bool, file: Option<File>) -> Log {
        Log {
            loudness,
            shows_progress,
            file,
        }
    }

    fn write(&mut self, text: &str) {
        // Where nobody reads there is nobody to tell.
        let _ = match &mut self.file {
            Some(file) => file.write_all(text.as_bytes()),
            None => std::io::stderr().write_all(text.as_bytes()),
        };
    }

    /// Tells it with `-v` only, which is the default.
    pub(crate) fn verbose(&mut self, text: impl AsRef<str>) {
        if self.loudness == Loudness::Verbose {
            self.write(text.as_ref());
        }
    }

    /// Tells it unless `-q` was given.
    pub(crate) fn note(&mut self, text: impl AsRef<str>) {
        if self.loudness >= Loudness::NotVerbose {
            self.write(text.as_ref());
        }
    }

    /// Tells it with `-nv` only.
    pub(crate) fn short(&mut self, text: impl AsRef<str>) {
        if self.loudness == Loudness::NotVerbose {
            self.write(text.as_ref());
        }
    }

    /// Shows how far a download is.
    pub(crate) fn progress(&mut self, text: impl AsRef<str>) {
        if self.loudness == Loudness::Verbose || self.shows_progress {
            self.write(text.as_ref());
        }
    }
}
