//! Processes of a sandbox.

use codepod::Signal;
use codepod_api::methods::jobs::{Job, JobState, JobsList, JobsOutput, JobsSignal, SignalParams};
use codepod_api::methods::{Done, Empty};
use codepod_api::{ApiError, Kind};

use crate::call::Call;
use crate::convert::ms;
use crate::dispatch::Handle;
use crate::failure::failure;

impl Handle for JobsList {
    fn handle(call: &Call<'_>, Empty {}: Empty) -> Result<JobsOutput, ApiError> {
        let jobs = call.live()?.sandbox.jobs().map_err(failure)?;
        let job = |job: codepod::Job| Job {
            pid: job.pid,
            group: job.group,
            parent: job.parent,
            command: job.command,
            state: match job.state {
                codepod::JobState::Running => JobState::Running,
                codepod::JobState::Stopped => JobState::Stopped,
                codepod::JobState::Ended => JobState::Ended,
                _ => JobState::Waiting,
            },
            age_ms: ms(job.age),
            cpu_ms: ms(job.cpu),
            memory: job.memory,
        };
        Ok(JobsOutput {
            jobs: jobs.into_iter().map(job).collect(),
        })
    }
}

impl Handle for JobsSignal {
    fn handle(call: &Call<'_>, params: SignalParams) -> Result<Done, ApiError> {
        let name = params
            .signal
            .unwrap_or_else(|| "TERM".into())
            .to_ascii_uppercase();
        let short = name.strip_prefix("SIG").unwrap_or(&name);
        let named = |signal: &&Signal| signal.name().strip_prefix("SIG") == Some(short);
        let signal = Signal::ALL.iter().find(named).ok_or_else(|| {
            ApiError::new(Kind::InvalidParams, "there is no such signal")
                .hint("TERM, KILL, INT, HUP, STOP and CONT are usual")
        })?;
        call.live()?
            .sandbox
            .signal(params.pid, *signal)
            .map_err(failure)?;
        Ok(Done::OK)
    }
}
