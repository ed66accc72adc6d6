//! The end of a tool's output.

use codepod_tool::{Output, complain, io_text};

/// Writes what is left, and returns the exit status: `status`, or `failure` after saying that not
/// all of the output could be written.
pub(crate) fn finish(tool: &str, out: &mut Output, status: i32, failure: i32) -> i32 {
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain(tool, format!("write error: {}", io_text(&error)));
            failure
        }
    }
}
