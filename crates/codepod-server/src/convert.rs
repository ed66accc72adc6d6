//! Values of the library as they travel.

use std::time::Duration;

use codepod::{
    ChangeKind, Cut, FileKind, FileStat, Moment, MountAccess, MountChange, PastRun, PathChange,
    ProcessFacts, RunResult, RunUsage, Sandbox, StepKind,
};
use codepod_api::methods::{files, mounts, run, sandbox, shell, timeline};
use codepod_api::{ApiError, Bytes, Kind};

use crate::live_sandbox::LiveSandbox;

/// Files of a step that an answer holds.
const MOST_FILES: usize = 100;

/// Milliseconds with their fraction.
pub(crate) fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Text of bytes; what is not UTF-8 is replaced.
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A moment as clients write it: `now`, `before:3`, `after:3`, `snapshot:ID`.
pub(crate) fn moment(live: &LiveSandbox, written: &str) -> Result<Moment, ApiError> {
    let bad = || {
        ApiError::new(Kind::InvalidParams, "that is not a moment")
            .hint("write `now`, `before:3`, `after:3` (a run's number) or `snapshot:ID`")
    };
    let (word, rest) = written.split_once(':').unwrap_or((written, ""));
    let number = || rest.parse::<u64>().map_err(|_| bad());
    match word {
        "now" if rest.is_empty() => Ok(Moment::Now),
        "before" => Ok(Moment::Before(number()?)),
        "after" => Ok(Moment::After(number()?)),
        "snapshot" => Ok(Moment::Snapshot(live.snapshots.find(rest)?)),
        _ => Err(bad()),
    }
}

pub(crate) fn usage(usage: RunUsage) -> run::Usage {
    run::Usage {
        processes: usage.processes,
        cpu_ms: ms(usage.cpu),
        read: usage.read,
        written: usage.written,
        requests: usage.requests,
        bytes_in: usage.bytes_in,
        bytes_out: usage.bytes_out,
    }
}

/// A stream with the mark of what is missing in it.
fn marked(bytes: Vec<u8>, cut: Option<Cut>) -> (Vec<u8>, Option<run::Cut>) {
    let Some(cut) = cut else {
        return (bytes, None);
    };
    let (bytes, mark) = cut.marked(&bytes);
    let cut = run::Cut {
        head: cut.head as u64,
        mark: mark as u64,
        omitted: cut.omitted,
        path: cut.path,
    };
    (bytes, Some(cut))
}

fn facts(facts: ProcessFacts) -> run::ProcessFacts {
    run::ProcessFacts {
        pid: facts.pid,
        command: text(&facts.command),
        exit_code: facts.status.code(),
        time_ms: facts.time_ns as f64 / 1e6,
        cpu_ms: facts.cpu_ns as f64 / 1e6,
        read: facts.read,
        written: facts.written,
        memory: facts.memory,
    }
}

pub(crate) fn run_output(result: RunResult) -> run::RunOutput {
    let success = result.success();
    let (stdout, stdout_cut) = marked(result.stdout, result.stdout_cut);
    let (stderr, stderr_cut) = marked(result.stderr, result.stderr_cut);
    let (stdout, stdout_base64) = Bytes::lossy(stdout);
    let (stderr, stderr_base64) = Bytes::lossy(stderr);
    run::RunOutput {
        run: result.run,
        exit_code: result.exit_code,
        success,
        stdout,
        stderr,
        stdout_base64,
        stderr_base64,
        stdout_cut,
        stderr_cut,
        truncated: result.truncated,
        timed_out: result.timed_out,
        cancelled: result.cancelled,
        crashed: result.crashed,
        execution_time_ms: ms(result.execution_time),
        usage: usage(result.usage),
        processes: result.processes.into_iter().map(facts).collect(),
    }
}

pub(crate) fn file_kind(kind: FileKind) -> files::FileKind {
    match kind {
        FileKind::File => files::FileKind::File,
        FileKind::Directory => files::FileKind::Directory,
        FileKind::Symlink => files::FileKind::Symlink,
        _ => files::FileKind::Other,
    }
}

pub(crate) fn stat(stat: FileStat) -> files::Stat {
    files::Stat {
        kind: file_kind(stat.kind),
        size: stat.size,
        mode: stat.mode.into(),
        uid: stat.uid,
        gid: stat.gid,
        mtime_ms: stat.mtime / 1_000_000,
    }
}

pub(crate) fn change_kind(kind: ChangeKind) -> timeline::ChangeKind {
    match kind {
        ChangeKind::Added => timeline::ChangeKind::Added,
        ChangeKind::Removed => timeline::ChangeKind::Removed,
        ChangeKind::AttributesChanged => timeline::ChangeKind::Mode,
        _ => timeline::ChangeKind::Modified,
    }
}

pub(crate) fn path_change(change: &PathChange) -> timeline::PathChange {
    timeline::PathChange {
        path: text(&change.path),
        kind: change_kind(change.kind),
        before: change.before.map(stat),
        after: change.after.map(stat),
        inside: (change.inside > 0).then_some(change.inside),
    }
}

pub(crate) fn mount_change(change: &MountChange) -> mounts::MountChange {
    mounts::MountChange {
        path: text(&change.path),
        kind: change_kind(change.kind),
        guarded: change.guarded,
        target: change.target.as_deref().map(text),
        inside: (change.inside > 0).then_some(change.inside),
    }
}

/// Which changes are told, as a caller says it.
pub(crate) fn selection(all: Option<bool>, exclude: Option<Vec<String>>) -> codepod::Selection {
    codepod::Selection::new(all.unwrap_or(false), exclude.unwrap_or_default())
}

/// A step without its files.
pub(crate) fn past_run(run: PastRun) -> shell::PastRun {
    shell::PastRun {
        run: run.number,
        kind: match run.kind {
            StepKind::Files => shell::StepKind::Files,
            StepKind::State => shell::StepKind::State,
            _ => shell::StepKind::Run,
        },
        command: run.command,
        exit_code: run.exit_code,
        execution_time_ms: ms(run.execution_time),
        files: Vec::new(),
        files_omitted: None,
    }
}

/// A step with the files that it changed, as many as an answer holds. Of a host directory that
/// cannot be looked at now, nothing is told.
pub(crate) fn step_with_files(sandbox: &Sandbox, run: PastRun) -> shell::PastRun {
    let (before, after) = (Moment::Before(run.number), Moment::After(run.number));
    let mut step = past_run(run);
    if let Ok(changes) = sandbox.changes(before, after) {
        let changed = |change: &PathChange| shell::ChangedFile {
            path: text(&change.path),
            kind: change_kind(change.kind),
        };
        step.files = changes.iter().take(MOST_FILES).map(changed).collect();
        let omitted = changes.len() - step.files.len();
        step.files_omitted = (omitted > 0).then_some(omitted as u64);
    }
    step
}

pub(crate) fn access(access: MountAccess) -> sandbox::Access {
    match access {
        MountAccess::ReadOnly => sandbox::Access::Ro,
        MountAccess::ReadWrite => sandbox::Access::Rw,
        MountAccess::Overlay => sandbox::Access::Overlay,
    }
}

pub(crate) fn mount_access(access: Option<sandbox::Access>) -> MountAccess {
    match access {
        None | Some(sandbox::Access::Ro) => MountAccess::ReadOnly,
        Some(sandbox::Access::Rw) => MountAccess::ReadWrite,
        Some(sandbox::Access::Overlay) => MountAccess::Overlay,
    }
}
