//! Children: background jobs and the processes of the pipeline in the foreground.

use codepod_sys::Pid;
use codepod_sys::process::Status;

use crate::text::Text;

/// The job table.
#[derive(Debug, Clone, Default)]
pub struct Jobs {
    /// By number, the lowest first.
    pub list: Vec<Job>,
    /// Statuses of children that nobody has asked for yet.
    pub ended: Vec<(Pid, Status)>,
}

/// A background pipeline.
#[derive(Debug, Clone)]
pub struct Job {
    /// `%1`
    pub number: u32,
    /// Its processes.
    pub processes: Vec<(Pid, Option<Status>)>,
    /// How `jobs` shows it.
    pub text: Text,
    /// Whether `jobs` or `wait` has told of its end.
    pub told: bool,
}
