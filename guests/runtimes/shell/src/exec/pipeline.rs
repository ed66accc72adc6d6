//! Pipelines: stages that run at the same time.

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{Command, CommandKind, Pipeline};
use codepod_sys::pipe;
use codepod_sys::process::Status;

use super::redirect::{self, Undo};
use super::stage::{self, Place, Started};
use super::subshell::{self, Kind};
use super::{
    check_status, command, cost, give_back, program, set_status, simple, stage_command, take_stack,
    timing, unchecked,
};
use crate::fds::{FdTable, Open, Outlets};
use crate::flow::{Run, Stop};
use crate::jobs;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::traps;

#[inline]
pub(super) fn run(shell: &mut Shell, pipeline: &Pipeline) -> Run {
    match pipeline.stages.as_slice() {
        [only] if !pipeline.negated && pipeline.time.is_none() => command(shell, only),
        _ => unusual(shell, pipeline),
    }
}

#[inline(never)]
fn unusual(shell: &mut Shell, pipeline: &Pipeline) -> Run {
    take_stack(shell, cost::UNUSUAL)?;
    let result = match (pipeline.time, pipeline.stages.as_slice()) {
        // bash prints the time of a subshell inside its redirections.
        (Some(time), [only])
            if matches!(only.kind, CommandKind::Subshell(_)) && !only.redirects.is_empty() =>
        {
            let mut undo = Undo::default();
            let result = match redirect::apply(shell, &only.redirects, &mut undo) {
                Ok(true) => timing::measure(shell, time, &mut |shell| negatable(shell, pipeline)),
                Ok(false) => {
                    set_status(shell, 1);
                    Ok(())
                }
                Err(stop) => Err(stop),
            };
            undo.run(shell);
            result
        }
        (Some(time), _) => timing::measure(shell, time, &mut |shell| negatable(shell, pipeline)),
        (None, _) => negatable(shell, pipeline),
    };
    give_back(shell, cost::UNUSUAL);
    result
}

fn negatable(shell: &mut Shell, pipeline: &Pipeline) -> Run {
    if !pipeline.negated {
        stages(shell, &pipeline.stages)?;
        return match pipeline.stages.as_slice() {
            [] => Ok(()),
            [only] if !is_checked(only) => Ok(()),
            _ => check_status(shell),
        };
    }
    // Where `set -e` is on already, `!` keeps it from what is inside, too.
    let ignores = u32::from(shell.state.set.has(SetOptions::ERREXIT));
    shell.state.condition += ignores;
    let result = stages(shell, &pipeline.stages);
    shell.state.condition -= ignores;
    result?;
    shell.state.status = i32::from(shell.state.status == 0);
    Ok(())
}

/// Whether a command is one whose own failure counts.
fn is_checked(command: &Command) -> bool {
    matches!(
        command.kind,
        CommandKind::Simple(_)
            | CommandKind::Subshell(_)
            | CommandKind::Arith(_)
            | CommandKind::Cond(_)
            | CommandKind::Function(_)
            | CommandKind::Coproc(_)
    )
}

fn stages(shell: &mut Shell, stages: &[Command]) -> Run {
    match stages {
        [] => {
            set_status(shell, 0);
            Ok(())
        }
        [only] => unchecked(shell, only),
        _ => many(shell, stages),
    }
}

/// A stage that runs inside the shell, once all others have been started.
struct Inside<'a> {
    stage: &'a Command,
    fds: FdTable,
    at: usize,
}

fn many(shell: &mut Shell, stages: &[Command]) -> Run {
    let last = stages.len() - 1;
    let lastpipe =
        shell.state.shopt.has(ShellOptions::LASTPIPE) && !shell.state.set.has(SetOptions::MONITOR);
    let places = stage::places(shell, stages, lastpipe);
    let mut statuses: Vec<Started> = Vec::with_capacity(stages.len());
    let mut outlets = Outlets::default();
    let mut inside = None;
    let mut input: Option<Open> = None;
    for (at, stage) in stages.iter().enumerate() {
        if shell.state.traps.debugs() && places.get(at) != Some(&Place::Inside) {
            announce(shell, stage)?;
        }
        let mut fds = shell.fds.clone();
        if let Some(input) = input.take() {
            fds.set(0, input);
        }
        if at < last {
            let Ok((read, write)) = pipe::pipe() else {
                shell.error("pipe error: Too many open files");
                shell.state.status = 1;
                statuses.push(Started::Ended(1));
                break;
            };
            input = Some(Open::kernel(read));
            fds.set(1, Open::kernel(write));
        }
        match places.get(at) {
            Some(Place::Inside) => {
                inside = Some(Inside { stage, fds, at });
                statuses.push(Started::Ended(0));
            }
            place => {
                let before = place == Some(&Place::Before);
                statuses.push(stage::start(shell, stage, fds, before, &mut outlets)?);
            }
        }
    }
    drop(input);
    if let Some(inside) = inside {
        let at = inside.at;
        run_inside(shell, inside, lastpipe && at == last)?;
        statuses[at] = Started::Ended(shell.state.status);
    }
    outlets.drain();
    finish(shell, stages, &statuses)
}

fn run_inside(shell: &mut Shell, inside: Inside<'_>, stays: bool) -> Run {
    let Inside { stage, fds, .. } = inside;
    let saved = std::mem::replace(&mut shell.fds, fds);
    let result = if stays {
        unchecked(shell, stage)
    } else {
        if shell.state.traps.debugs() {
            announce(shell, stage)?;
        }
        subshell::in_place(shell, Kind::Stage, &mut |shell| {
            stage_command(shell, stage, false)
        })
        .map(drop)
    };
    // What the stage had open is closed now: its neighbours see the end.
    shell.fds = saved;
    match result {
        // A stage that is the shell itself and writes to nobody ends like any other.
        Err(Stop::Killed(signal)) if stays => {
            shell.state.status = 128 + signal.cast_signed();
            Ok(())
        }
        result => result,
    }
}

/// Runs the DEBUG trap for a stage that is a simple command; a subshell has no DEBUG trap of its
/// own.
#[cold]
fn announce(shell: &mut Shell, stage: &Command) -> Run {
    if matches!(stage.kind, CommandKind::Simple(_)) {
        shell.at(stage.line);
        simple::note_command(shell, stage);
        traps::debug(shell)?;
    }
    Ok(())
}

/// Waits for all stages and sets the status.
fn finish(shell: &mut Shell, stages: &[Command], statuses: &[Started]) -> Run {
    let mut codes = Vec::with_capacity(statuses.len());
    let mut signals = Vec::new();
    for (at, started) in statuses.iter().enumerate() {
        codes.push(match started {
            Started::Ended(status) => *status,
            Started::Running(pid) => {
                let status = jobs::wait_foreground(shell, *pid)?;
                if matches!(status, Status::Signaled(_)) {
                    signals.push((at, *pid, status));
                }
                status.code().cast_signed()
            }
        });
    }
    // The stage whose status is the pipeline's.
    let mut decides = codes.len().saturating_sub(1);
    if shell.state.set.has(SetOptions::PIPEFAIL) {
        decides = codes.iter().rposition(|code| *code != 0).unwrap_or(decides);
    }
    for (at, pid, status) in signals {
        if at == decides
            && let Some(stage) = stages.get(at)
        {
            shell.at(stage.line);
            program::report(shell, pid, status, || print::command(stage));
        }
    }
    jobs::settle(shell);
    let status = codes.get(decides).copied().unwrap_or(0);
    shell.state.status = status;
    shell.state.pipe_status = codes;
    if let Some(last) = stages.last() {
        shell.at(last.line);
        // bash asks about a subshell at the end twice: for itself, and for the pipeline.
        let failed =
            status != 0 && shell.state.condition == 0 && !shell.state.set.has(SetOptions::ERREXIT);
        if failed && shell.state.traps.errs() && matches!(last.kind, CommandKind::Subshell(_)) {
            traps::err(shell)?;
        }
    }
    Ok(())
}
