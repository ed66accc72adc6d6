//! Why a tool ends before its work begins.

use crate::{Usage, complain};

/// Why a tool ends before its work begins. Functions that read arguments fail with it, and the
/// tool's main function reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The arguments are wrong: the message is followed by the hint to `--help`.
    Usage(Usage),
    /// Something else is wrong: the message stands alone.
    Failed(Vec<u8>),
    /// Everything has been printed, as with `--help`: only the exit status is left.
    Status(i32),
}

impl Stop {
    /// A message without the hint to `--help`.
    pub fn failed(message: impl Into<Vec<u8>>) -> Stop {
        Stop::Failed(message.into())
    }

    /// Writes the message, if there is one, and returns the exit status: `failure`, unless the
    /// reason has its own.
    pub fn report(&self, tool: &str, failure: i32) -> i32 {
        match self {
            Stop::Usage(usage) => usage.report(tool, failure),
            Stop::Failed(message) => {
                complain(tool, message);
                failure
            }
            Stop::Status(status) => *status,
        }
    }
}

impl From<Usage> for Stop {
    fn from(usage: Usage) -> Stop {
        Stop::Usage(usage)
    }
}
