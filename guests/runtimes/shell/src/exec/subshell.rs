//! Subshells inside the process: on a clone of what the shell knows and has open, put back
//! afterwards.

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{Command, List};
use codepod_sys::process::Status;
use codepod_sys::{Pid, Signal, cwd};

use super::{list, program, set_status, simple};
use crate::fds::{self, FdTable};
use crate::flow::{Run, Stop};
use crate::jobs::Jobs;
use crate::options::{SetOptions, ShellOptions};
use crate::shell::{NOT_ASKED, Shell};
use crate::state::State;
use crate::traps;

/// What a subshell is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `( … )`
    Parentheses,
    /// `$(…)`
    Substitution,
    /// A stage of a pipeline.
    Stage,
}

/// `( … )`
pub(super) fn run(shell: &mut Shell, command: &Command, list: &List) -> Run {
    if shell.state.names_command || shell.state.traps.errs() {
        simple::note_command(shell, command);
    }
    let killed = in_place(shell, Kind::Parentheses, &mut |shell| {
        list::run(shell, list)
    })?;
    if let Some((signal, number)) = killed {
        shell.at(command.line);
        program::report(shell, number, Status::Signaled(signal), || {
            print::command(command)
        });
    }
    crate::jobs::settle(shell);
    let status = shell.state.status;
    set_status(shell, status);
    Ok(())
}

/// Makes a state that of a subshell.
pub(crate) fn enter(state: &mut State, kind: Kind) {
    state.subshell += 1;
    traps::enter_subshell(state);
    match kind {
        Kind::Parentheses => state.loops = 0,
        Kind::Substitution => {
            let keeps =
                state.shopt.has(ShellOptions::INHERIT_ERREXIT) || state.set.has(SetOptions::POSIX);
            if !keeps {
                state.set.set(SetOptions::ERREXIT, false);
            }
        }
        Kind::Stage => {}
    }
}

/// Runs something in a subshell inside the process. Afterwards only the status is different.
/// Returns the signal that ended it, and its number.
#[inline(never)]
pub(super) fn in_place(
    shell: &mut Shell,
    kind: Kind,
    run: &mut dyn FnMut(&mut Shell) -> Run,
) -> Run<Option<(Signal, Pid)>> {
    super::take_stack(shell, super::cost::SUBSHELL)?;
    let saved = save(shell, kind);
    // Signals that came during the last command are still its own.
    let result = run(shell).and_then(|()| traps::check(shell));
    let killed = ended(shell, result);
    super::give_back(shell, super::cost::SUBSHELL);
    restore(shell, saved);
    Ok(killed)
}

/// What a shell is without its subshell.
struct Saved {
    state: State,
    fds: FdTable,
    jobs: Jobs,
    inside: u32,
    substitutions: Vec<u32>,
}

#[inline(never)]
fn save(shell: &mut Shell, kind: Kind) -> Box<Saved> {
    let jobs = shell.jobs.for_subshell(kind != Kind::Parentheses);
    let saved = Box::new(Saved {
        state: shell.state.clone(),
        fds: shell.fds.clone(),
        jobs: std::mem::replace(&mut shell.jobs, jobs),
        inside: shell.inside.replace(NOT_ASKED),
        substitutions: std::mem::take(&mut shell.substitutions),
    });
    enter(&mut shell.state, kind);
    saved
}

#[inline(never)]
fn restore(shell: &mut Shell, saved: Box<Saved>) {
    let Saved {
        state,
        fds,
        jobs,
        inside,
        substitutions,
    } = *saved;
    shell.substitutions = substitutions;
    shell.inside.set(inside);
    let subshell = std::mem::replace(&mut shell.jobs, jobs);
    shell.jobs.adopt(subshell);
    shell.fds = fds;
    put_back(shell, state);
}

/// How a subshell ends: whatever unwinds, only its status remains, and which signal ended it.
#[inline(never)]
fn ended(shell: &mut Shell, result: Run) -> Option<(Signal, Pid)> {
    let mut killed = None;
    match result {
        Ok(())
        | Err(Stop::Exit | Stop::Return | Stop::Break(_) | Stop::Continue(_) | Stop::Discard) => {}
        Err(Stop::Killed(signal)) => {
            shell.state.status = 128 + signal.cast_signed();
            fds::take_broken_pipe();
            killed = Signal::from_raw(signal).map(|signal| (signal, Pid(shell.process_number())));
        }
    }
    if killed.is_none() {
        traps::exit(shell);
    }
    shell.state.status &= 255;
    killed
}

/// Puts the state back, and with it what the process shares with its subshells: directory, umask,
/// signals. The status stays.
pub fn put_back(shell: &mut Shell, state: State) {
    let ended = std::mem::replace(&mut shell.state, state);
    if ended.directory != shell.state.directory {
        // Where the directory is gone there is no way back; the process stays where it is.
        let _ = cwd::change(&shell.state.directory);
    }
    if ended.umask != shell.state.umask {
        let mask = shell.state.umask;
        shell.put_back_umask(mask);
    }
    traps::put_back(&ended.traps, &shell.state.traps);
    crate::special::locale(shell);
    shell.state.status = ended.status;
}
