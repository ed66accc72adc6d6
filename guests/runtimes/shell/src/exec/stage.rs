//! Stages of pipelines and background jobs: what runs where.
//!
//! A program is started directly. What needs a shell runs in a child shell; one stage may run
//! inside this one, after all others were started. A builtin that only prints, as in `echo x | …`,
//! runs at once: what it prints waits in the pipe.

use std::rc::Rc;

use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{
    AndOr, Argument, AssignValue, Command, CommandKind, Item, ParamOp, Part, Pipeline, Redirect,
    RedirectKind, RedirectLeft, Simple, Word,
};
use codepod_sys::file::{self, OpenOptions};
use codepod_sys::process::Group;
use codepod_sys::{Pid, pipe};

use super::redirect::{self, PIPE_BYTES, Undo};
use super::subshell::{self, Kind};
use super::{program, set_status, simple, trace};
use crate::builtins;
use crate::child::{self, Work};
use crate::fds::{Capture, FdTable, Open, Outlets};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::{Shell, Waiting};
use crate::text::Text;
use crate::traps;

/// Where a stage runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In a process of its own.
    Apart,
    /// At once, inside the shell: it reads nothing and prints something.
    Before,
    /// Inside the shell, after all others were started.
    Inside,
}

/// What became of a stage.
#[derive(Debug, Clone, Copy)]
pub(super) enum Started {
    /// It runs.
    Running(Pid),
    /// It has ended, or could not be started.
    Ended(i32),
}

/// Builtins that print without reading or waiting, and change nothing that a later stage could
/// miss.
const PRINTERS: [&str; 26] = [
    ":", "[", "alias", "caller", "compgen", "declare", "dirs", "echo", "export", "false", "hash",
    "help", "history", "jobs", "let", "printf", "pwd", "readonly", "set", "shopt", "test", "times",
    "trap", "true", "type", "typeset",
];

/// Decides where the stages run.
pub(super) fn places(shell: &Shell, stages: &[Command], lastpipe: bool) -> Vec<Place> {
    let mut places: Vec<Place> = stages
        .iter()
        .map(|stage| match needs_shell(shell, stage) {
            true => Place::Inside,
            false => Place::Apart,
        })
        .collect();
    let last = stages.len() - 1;
    for (place, stage) in places.iter_mut().zip(stages).take(1) {
        if *place == Place::Inside && prints_only(shell, stage) {
            *place = Place::Before;
        }
    }
    // One stage may be inside: the last that can be. The others must not wait for this shell to
    // read what they print.
    let captured = |at: usize| {
        shell.fds.iter().any(|(number, open)| {
            let replaced = (number == 1 && at < last) || (number == 0 && at > 0);
            !replaced && matches!(open, Open::Capture(_))
        })
    };
    let chosen = if lastpipe {
        places[last] = Place::Inside;
        Some(last)
    } else {
        // One that neither reads nor does much is better off apart than somebody who writes to it.
        let works = |at: &usize| places[*at] == Place::Inside && !prints_only(shell, &stages[*at]);
        let last_inside = places.iter().rposition(|place| *place == Place::Inside);
        (0..stages.len()).rev().find(works).or(last_inside)
    };
    let allowed = |chosen: usize| {
        (0..stages.len()).all(|at| at == chosen || places[at] == Place::Before || !captured(at))
    };
    let chosen = chosen.filter(|chosen| lastpipe || allowed(*chosen));
    for (at, place) in places.iter_mut().enumerate() {
        if *place == Place::Inside && Some(at) != chosen {
            *place = Place::Apart;
        }
    }
    places
}

/// Whether a stage is more than a program: the name says so, or it has substitutions, which take
/// their time.
fn needs_shell(shell: &Shell, stage: &Command) -> bool {
    let CommandKind::Simple(simple) = &stage.kind else {
        return true;
    };
    let Some(Argument::Word(first)) = simple.words.first() else {
        return true;
    };
    if !is_quick(simple, stage) {
        return true;
    }
    match first.as_literal() {
        Some(name) => is_inside(shell, name),
        None => false,
    }
}

/// Whether a name is that of a function or a builtin.
fn is_inside(shell: &Shell, name: &[u8]) -> bool {
    shell.state.functions.contains_key(name) || builtins::enabled(shell, name).is_some()
}

/// Whether a stage is a builtin that only prints.
fn prints_only(shell: &Shell, stage: &Command) -> bool {
    let CommandKind::Simple(simple) = &stage.kind else {
        return false;
    };
    let Some(Argument::Word(first)) = simple.words.first() else {
        return false;
    };
    let Some(name) = first.as_literal() else {
        return false;
    };
    PRINTERS.iter().any(|printer| printer.as_bytes() == name)
        && !shell.state.functions.contains_key(name)
        && stage.redirects.iter().all(|redirect| {
            matches!(
                redirect.kind,
                RedirectKind::DupWrite(_) | RedirectKind::Write(_) | RedirectKind::Append(_)
            ) && !matches!(redirect.left, RedirectLeft::Variable(..))
        })
}

/// Whether expanding a command takes no time: no substitutions in it.
fn is_quick(simple: &Simple, stage: &Command) -> bool {
    let words = simple.words.iter().all(|argument| match argument {
        Argument::Word(word) => is_plain(word),
        Argument::Assign(_) => false,
    });
    let assigns = simple.assigns.iter().all(|assign| match &assign.value {
        AssignValue::Word(word) => assign.subscript.is_none() && is_plain(word),
        AssignValue::Array(_) => false,
    });
    words && assigns && are_plain(&stage.redirects)
}

/// Whether expanding redirections takes no time and changes nothing.
fn are_plain(redirects: &[Redirect]) -> bool {
    redirects.iter().all(|redirect| match &redirect.kind {
        RedirectKind::Read(word)
        | RedirectKind::Write(word)
        | RedirectKind::Clobber(word)
        | RedirectKind::Append(word)
        | RedirectKind::ReadWrite(word)
        | RedirectKind::WriteBoth(word)
        | RedirectKind::AppendBoth(word)
        | RedirectKind::DupRead(word)
        | RedirectKind::DupWrite(word)
        | RedirectKind::HereString(word) => is_plain(word),
        RedirectKind::HereDoc(document) => is_plain(&document.body),
    })
}

fn is_plain(word: &Word) -> bool {
    word.parts.iter().all(is_plain_part)
}

fn is_plain_part(part: &Part) -> bool {
    match part {
        Part::Literal(_) | Part::Quoted(..) | Part::Tilde(_) => true,
        Part::Double(parts) => parts.iter().all(is_plain_part),
        Part::Param(param) => {
            param.subscript.is_none() && matches!(param.op, ParamOp::Value | ParamOp::Length)
        }
        _ => false,
    }
}

/// Starts a stage with these descriptors.
pub(super) fn start(
    shell: &mut Shell,
    stage: &Command,
    fds: FdTable,
    before: bool,
    outlets: &mut Outlets,
) -> Run<Started> {
    if before {
        return print_ahead(shell, stage, fds, outlets);
    }
    apart(shell, stage, fds, outlets, Group::Inherit, false)
}

/// Runs a stage that only prints, and leaves what it prints in the pipe.
fn print_ahead(
    shell: &mut Shell,
    stage: &Command,
    mut fds: FdTable,
    outlets: &mut Outlets,
) -> Run<Started> {
    let Some(Open::Kernel(pipe)) = fds.get(1).cloned() else {
        return apart(shell, stage, fds, outlets, Group::Inherit, false);
    };
    let printed = Rc::new(Capture::default());
    fds.set(1, Open::Capture(Rc::clone(&printed)));
    let saved = std::mem::replace(&mut shell.fds, fds);
    let result = subshell::in_place(shell, Kind::Stage, &mut |shell| {
        super::stage_command(shell, stage, false)
    });
    let mut fds = std::mem::replace(&mut shell.fds, saved);
    result?;
    let status = shell.state.status;
    let printed = printed.take();
    if printed.len() <= PIPE_BYTES {
        // It fits: nobody waits.
        let _ = codepod_sys::descriptor::write_all(pipe.fd(), &printed);
        return Ok(Started::Ended(status));
    }
    fds.set(1, Open::Kernel(pipe));
    match child::start(
        shell,
        Work::Print(&printed, status),
        &fds,
        outlets,
        Group::Inherit,
    ) {
        Ok(pid) => Ok(Started::Running(pid)),
        Err(errno) => child::refused(shell, errno).map(Started::Ended),
    }
}

/// Starts a stage in a process of its own; `alone` where there is no other.
fn apart(
    shell: &mut Shell,
    stage: &Command,
    fds: FdTable,
    outlets: &mut Outlets,
    group: Group,
    alone: bool,
) -> Run<Started> {
    shell.early = !alone;
    if !needs_shell(shell, stage)
        && let CommandKind::Simple(simple) = &stage.kind
        && let Some(started) = directly(shell, stage, simple, &fds, outlets, group)?
    {
        return Ok(started);
    }
    shell.early = false;
    match child::start(shell, Work::Command(stage, alone), &fds, outlets, group) {
        Ok(pid) => Ok(Started::Running(pid)),
        Err(errno) => child::refused(shell, errno).map(Started::Ended),
    }
}

/// Starts a program without a shell around it. `None` when its name turned out to be one of the
/// shell's, or it would have to wait before it starts.
fn directly(
    shell: &mut Shell,
    stage: &Command,
    simple: &Simple,
    fds: &FdTable,
    outlets: &mut Outlets,
    group: Group,
) -> Run<Option<Started>> {
    let saved = Box::new((
        shell.state.clone(),
        std::mem::replace(&mut shell.fds, fds.clone()),
    ));
    subshell::enter(&mut shell.state, Kind::Stage);
    shell.at(stage.line);
    shell.simple_stage = true;
    shell.waiting = Waiting::Refused;
    let mut undo = Undo::default();
    let result = expanded(shell, stage, simple, &mut undo, outlets, group);
    let status = shell.state.status;
    shell.simple_stage = false;
    shell.waiting = Waiting::Allowed;
    shell.early = false;
    drop(undo);
    let hash = Rc::clone(&shell.state.hash);
    (shell.state, shell.fds) = *saved;
    // What was found along PATH is remembered.
    shell.state.hash = hash;
    match result {
        Ok(started) => Ok(started),
        Err(Stop::Killed(signal)) => Err(Stop::Killed(signal)),
        Err(_) => Ok(Some(Started::Ended(status.max(1)))),
    }
}

fn expanded(
    shell: &mut Shell,
    stage: &Command,
    simple: &Simple,
    undo: &mut Undo,
    outlets: &mut Outlets,
    group: Group,
) -> Run<Option<Started>> {
    let mut fields = shell.take_fields();
    simple::expand_words(shell, simple, &mut fields)?;
    if fields.first().is_none_or(|name| is_inside(shell, name)) {
        shell.give_fields(fields);
        return Ok(None);
    }
    simple::temporaries(shell, simple, true)?;
    for assign in &simple.assigns {
        simple::export(shell, assign.name);
    }
    trace::words(shell, &fields)?;
    if !redirect::apply(shell, &stage.redirects, undo)? {
        // A child shell waits for the other end of a fifo.
        let waits = shell.waiting == Waiting::Met;
        return Ok((!waits).then_some(Started::Ended(1)));
    }
    let fds = shell.fds.clone();
    let started = program::start(shell, &fields, &fds, outlets, group)?;
    shell.give_fields(fields);
    Ok(Some(match started {
        Ok(pid) => Started::Running(pid),
        Err(status) => Started::Ended(status),
    }))
}

/// `item &`
#[inline(never)]
pub(super) fn background(shell: &mut Shell, item: &Item) -> Run {
    traps::check(shell)?;
    let text = Text::from(item_text(item));
    let monitor = program::monitors(shell);
    let mut fds = shell.fds.clone();
    if !monitor && let Ok(null) = file::open(b"/dev/null", OpenOptions::READ) {
        fds.set(0, Open::kernel(null));
    }
    let mut outlets = Outlets::default();
    let mut pids = Vec::new();
    let keyboard = (!monitor).then(|| traps::ignore_keyboard(&mut shell.state));
    let result = start_item(shell, item, fds, &mut outlets, monitor, &mut pids);
    if let Some(keyboard) = keyboard {
        traps::heed_keyboard(&mut shell.state, keyboard);
    }
    result?;
    outlets.leave();
    if let Some(last) = pids.last() {
        shell.state.last_background = Some(last.0);
        let group = monitor.then(|| pids[0]);
        let pipefail = shell.state.set.has(SetOptions::PIPEFAIL);
        let directory = shell.state.directory.clone();
        shell.jobs.add(pids, text, group, pipefail, directory);
    }
    // Children that ended meanwhile are let go.
    crate::jobs::update(shell);
    set_status(shell, 0);
    Ok(())
}

/// Starts the processes of an item in the background.
fn start_item(
    shell: &mut Shell,
    item: &Item,
    fds: FdTable,
    outlets: &mut Outlets,
    monitor: bool,
    pids: &mut Vec<Pid>,
) -> Run {
    let pipeline = &item.first;
    // bash loses a `!` before a lone pipeline.
    if item.rest.is_empty() && pipeline.time.is_none() {
        return start_all(shell, pipeline, fds, outlets, monitor, pids);
    }
    let group = if monitor { Group::New } else { Group::Inherit };
    match child::start(shell, Work::Item(item), &fds, outlets, group) {
        Ok(pid) => pids.push(pid),
        Err(errno) => drop(child::refused(shell, errno)?),
    }
    Ok(())
}

/// Starts the stages of a pipeline in the background.
fn start_all(
    shell: &mut Shell,
    pipeline: &Pipeline,
    first: FdTable,
    outlets: &mut Outlets,
    monitor: bool,
    pids: &mut Vec<Pid>,
) -> Run {
    let last = pipeline.stages.len().saturating_sub(1);
    let mut input: Option<Open> = None;
    for (at, stage) in pipeline.stages.iter().enumerate() {
        let mut fds = if at == 0 {
            first.clone()
        } else {
            shell.fds.clone()
        };
        if let Some(input) = input.take() {
            fds.set(0, input);
        }
        if at < last {
            let Ok((read, write)) = pipe::pipe() else {
                shell.error("pipe error: Too many open files");
                return Ok(());
            };
            input = Some(Open::kernel(read));
            fds.set(1, Open::kernel(write));
        }
        let group = match (monitor, pids.first()) {
            (false, _) => Group::Inherit,
            (true, None) => Group::New,
            (true, Some(leader)) => Group::Join(*leader),
        };
        match apart(shell, stage, fds, outlets, group, last == 0)? {
            Started::Running(pid) => pids.push(pid),
            // A child that only has the status to give, so that `wait` finds it.
            Started::Ended(status) => {
                let none = FdTable::default();
                if let Ok(pid) =
                    child::start(shell, Work::Print(&[], status), &none, outlets, group)
                {
                    pids.push(pid);
                }
            }
        }
    }
    Ok(())
}

/// How `jobs` shows an item.
fn item_text(item: &Item) -> Vec<u8> {
    let mut text = Vec::new();
    pipeline_text(&item.first, !item.rest.is_empty(), &mut text);
    for (operator, pipeline) in &item.rest {
        text.extend_from_slice(match operator {
            AndOr::And => b" && ",
            AndOr::Or => b" || ",
        });
        pipeline_text(pipeline, true, &mut text);
    }
    text
}

fn pipeline_text(pipeline: &Pipeline, with_negation: bool, text: &mut Vec<u8>) {
    if let Some(time) = pipeline.time {
        text.extend_from_slice(if time.posix { b"time -p " } else { b"time " });
    }
    if pipeline.negated && with_negation {
        text.extend_from_slice(b"! ");
    }
    for (at, stage) in pipeline.stages.iter().enumerate() {
        if at > 0 {
            text.extend_from_slice(b" | ");
        }
        text.extend_from_slice(&print::command(stage));
    }
}
