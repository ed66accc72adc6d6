//! Walking the tree.
//!
//! Every function leaves the status in [`State::status`](crate::state::State::status) and returns
//! whether the shell goes on ([`Run`]). Functions that call each other as deep as a script nests
//! keep their frames small: what is rare is in functions of its own.

mod absent;
mod capture;
mod compound;
mod coproc;
mod function;
mod list;
mod network;
mod pipeline;
mod program;
mod redirect;
mod script;
mod simple;
mod stage;
mod subshell;
mod substitution;
mod timing;
mod trace;

use std::rc::Rc;

use codepod_shell_syntax::tree::{Command, CommandKind, Function, Item, List};

use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::state::State;
use crate::text::Text;
use crate::traps;

pub(crate) use function::Call;
pub use function::define;
pub(crate) use program::BASH;
pub use program::{Replace, missing, replace, run_program};
pub use redirect::{Undo, here_text, open};
pub(crate) use script::note_names;
pub use script::{Aliases, Script, parser_options, syntax_error};
pub use subshell::put_back;

/// How much of the stack commands that nest may take, in bytes. The engine gives 32 MiB
/// (`config.rs` of codepod-wasmtime); the rest is for what runs at the bottom, the parser,
/// expansions and builtins, and for a compiler that makes frames bigger than those measured.
pub const STACK: u32 = 20_000_000;

/// What nesting takes of the engine's stack, in bytes: the engine's 24 MiB of then by the depth at
/// which they were used up with [`STACK`] out of the way, rounded up.
mod cost {
    /// The call of a function, without its body.
    pub(super) const CALL: u32 = 380;
    /// A command with assignments or redirections around a function or a builtin.
    pub(super) const PREPARED: u32 = 420;
    /// `!` and `time`.
    pub(super) const UNUSUAL: u32 = 1_070;
    /// `a && b`
    pub(super) const AND_OR: u32 = 220;
    /// `eval`, `source`, traps, and functions that builtins call. `source` takes most: 5,080, of 32
    /// MiB.
    pub(super) const TEXT: u32 = 4_000;
    /// A subshell inside the process. Each keeps a copy of the state, which costs memory more than
    /// stack: a thousand are enough.
    pub(super) const SUBSHELL: u32 = super::STACK / 1000;

    /// A compound command with its list; all kinds take the same.
    pub(super) const COMPOUND: u32 = 1_180;
}

/// Takes some of the stack, or ends the shell with an error where too little is left. Given back by
/// [`give_back`].
#[inline]
fn take_stack(shell: &mut Shell, bytes: u32) -> Run {
    if shell.depth + bytes > STACK {
        return too_deep(shell);
    }
    shell.depth += bytes;
    Ok(())
}

/// Gives back what [`take_stack`] took.
#[inline]
fn give_back(shell: &mut Shell, bytes: u32) {
    shell.depth -= bytes;
}

/// Runs a list. The status is left in the state.
pub fn list(shell: &mut Shell, list: &List) -> Run {
    list::run(shell, list)
}

/// Runs a list in a subshell on a clone of the state and collects what it writes to standard
/// output. The status is left in the state; trailing newlines are kept. `first` is the line in the
/// list that counts as the line of the command that asks.
pub fn capture(shell: &mut Shell, list: &List, first: u32) -> Run<Vec<u8>> {
    capture::run(shell, list, first)
}

/// Starts a list in a child shell behind a pipe and returns the path of the other end
/// (`/dev/fd/63`). It is closed when the command ends that the word belongs to.
pub fn process_substitution(shell: &mut Shell, list: &Rc<List>, read: bool) -> Run<Text> {
    substitution::run(shell, list, read)
}

/// Calls a function with arguments; the first is its name as it was called.
pub fn call(shell: &mut Shell, function: &Rc<Function>, arguments: Vec<Text>) -> Run {
    take_stack(shell, cost::TEXT)?;
    let result = function::call(shell, function, arguments);
    give_back(shell, cost::TEXT);
    result
}

/// Parses and runs text: `eval`. The lines count from `first_line`.
pub fn text(shell: &mut Shell, text: &[u8], first_line: u32) -> Run {
    script::text(shell, text, first_line, "eval")
}

/// Runs the text of another source: `label` stands before the line of a syntax error. It is empty
/// for a file, whose name says it all.
pub fn labelled(shell: &mut Shell, text: &[u8], first_line: u32, label: &'static str) -> Run {
    script::text(shell, text, first_line, label)
}

/// Runs an item of a list as if no `&` ended it.
pub fn item(shell: &mut Shell, item: &Item) -> Run {
    list::foreground(shell, item)
}

/// Runs a command that is a stage of a pipeline: its failure counts where the pipeline is.
/// A stage is in a subshell already: the parentheses of `( … )` make no other. `alone` says that it
/// is a job in the background.
pub fn stage_command(shell: &mut Shell, stage: &Command, alone: bool) -> Run {
    let CommandKind::Subshell(list) = &stage.kind else {
        shell.simple_stage = matches!(stage.kind, CommandKind::Simple(_));
        shell.early = shell.simple_stage && !alone;
        let result = unchecked(shell, stage);
        shell.simple_stage = false;
        shell.early = false;
        return result;
    };
    shell.state.loops = 0;
    let mut undo = Undo::default();
    let result = match redirect::apply(shell, &stage.redirects, &mut undo) {
        Ok(true) => list::run(shell, list),
        Ok(false) => {
            shell.state.status = 1;
            Ok(())
        }
        Err(stop) => Err(stop),
    };
    // Nothing follows but the EXIT trap, which writes where the subshell does.
    undo.keep();
    result
}

/// Makes a state that of a child shell.
pub fn enter_child(state: &mut State) {
    subshell::enter(state, subshell::Kind::Stage);
}

/// Runs a command with its redirections.
#[inline]
fn command(shell: &mut Shell, command: &Command) -> Run {
    match &command.kind {
        CommandKind::Simple(simple) => {
            shell.at(command.line);
            // A trap that the command itself sets is not for its own failure.
            let errs = shell.state.traps.errs();
            simple::run(shell, command, simple)?;
            check_status_with(shell, errs)?;
            traps::check(shell)
        }
        _ => match compound(shell, command, true)? {
            Checked::Yes => check_status(shell),
            Checked::No => Ok(()),
        },
    }
}

/// Runs a command whose own failure is somebody else's business; what it consists of is still
/// subject to `set -e`.
fn unchecked(shell: &mut Shell, command: &Command) -> Run {
    match &command.kind {
        CommandKind::Simple(simple) => {
            shell.at(command.line);
            simple::run(shell, command, simple)?;
            traps::check(shell)
        }
        _ => compound(shell, command, false).map(drop),
    }
}

/// Whether a command is one whose failure counts (`set -e`, the ERR trap), not only that of its
/// parts.
enum Checked {
    Yes,
    No,
}

#[inline(never)]
fn compound(shell: &mut Shell, command: &Command, counts: bool) -> Run<Checked> {
    traps::check(shell)?;
    take_stack(shell, cost::COMPOUND)?;
    let result = if command.redirects.is_empty() {
        kind(shell, command)
    } else {
        redirected(shell, command, counts)
    };
    give_back(shell, cost::COMPOUND);
    result
}

/// A compound command with redirections. `counts` says that its failure does.
#[inline(never)]
fn redirected(shell: &mut Shell, command: &Command, counts: bool) -> Run<Checked> {
    let mark = shell.substitutions.len();
    let mut undo = Undo::default();
    if shell.state.frames.is_empty() && shell.last_line != 0 {
        // It has no line of its own: that of the end of the whole command counts.
        shell.state.line = shell.last_line;
    }
    // Redirections of a subshell are its own: what they assign is lost, and an error is its error.
    let own = matches!(command.kind, CommandKind::Subshell(_));
    let kept =
        (own && redirect::may_assign(&command.redirects)).then(|| shell.state.variables.clone());
    let applied = redirect::apply(shell, &command.redirects, &mut undo);
    if let Some(variables) = kept {
        shell.state.variables = variables;
    }
    let result = match applied {
        Err(Stop::Discard) if own => {
            shell.state.status = 1;
            Ok(Checked::Yes)
        }
        Err(Stop::Exit) if own => Ok(Checked::Yes),
        // The ERR trap of these two writes where they do.
        Ok(true)
            if counts && matches!(command.kind, CommandKind::Arith(_) | CommandKind::Cond(_)) =>
        {
            kind(shell, command)
                .and_then(|_| check_status(shell))
                .map(|()| Checked::No)
        }
        Ok(true) => kind(shell, command),
        Ok(false) => {
            shell.state.status = 1;
            Ok(Checked::Yes)
        }
        Err(stop) => Err(stop),
    };
    let ends = match result {
        Err(Stop::Exit) => true,
        Err(Stop::Discard) => shell.state.subshell > 0,
        _ => false,
    };
    if ends {
        // The EXIT trap writes where the command does.
        undo.keep();
    }
    undo.run(shell);
    substitution::close(shell, mark);
    result
}

#[inline]
fn kind(shell: &mut Shell, command: &Command) -> Run<Checked> {
    match &command.kind {
        CommandKind::Group(list) => list::run(shell, list)?,
        CommandKind::If(clause) => compound::choose(shell, clause)?,
        CommandKind::While(clause) => compound::repeat(shell, clause)?,
        CommandKind::For(clause) => compound::each(shell, clause, command.line)?,
        CommandKind::Case(clause) => compound::case(shell, clause, command.line)?,
        CommandKind::ArithFor(clause) => compound::count(shell, clause, command.line)?,
        _ => return rare(shell, command),
    }
    Ok(Checked::No)
}

#[inline(never)]
fn rare(shell: &mut Shell, command: &Command) -> Run<Checked> {
    match &command.kind {
        CommandKind::Arith(expression) => compound::arithmetic(shell, command, expression)?,
        CommandKind::Cond(expression) => compound::test(shell, command, expression)?,
        CommandKind::Subshell(list) => subshell::run(shell, command, list)?,
        CommandKind::Function(function) => {
            shell.at(command.line);
            function::define(shell, function);
        }
        CommandKind::Coproc(clause) => {
            shell.at(command.line);
            coproc::run(shell, clause)?;
        }
        CommandKind::Select(clause) => {
            compound::select(shell, clause, command.line)?;
            return Ok(Checked::No);
        }
        // The others are not rare.
        _ => return Ok(Checked::No),
    }
    Ok(Checked::Yes)
}

/// After a command that may fail: the ERR trap and `set -e`.
#[inline]
fn check_status(shell: &mut Shell) -> Run {
    check_status_with(shell, true)
}

/// Acts on a status that is not 0; `errs` says that the ERR trap may run.
#[inline]
fn check_status_with(shell: &mut Shell, errs: bool) -> Run {
    if shell.state.status == 0 || shell.state.condition != 0 {
        return Ok(());
    }
    failed(shell, errs)
}

#[cold]
#[inline(never)]
fn failed(shell: &mut Shell, errs: bool) -> Run {
    if errs && shell.state.traps.errs() {
        traps::err(shell)?;
    }
    if shell.state.set.has(SetOptions::ERREXIT) {
        return Err(Stop::Exit);
    }
    Ok(())
}

/// Sets the status of a command that is a pipeline of its own.
#[inline]
fn set_status(shell: &mut Shell, status: i32) {
    shell.state.status = status;
    match shell.state.pipe_status.as_mut_slice() {
        [only] => *only = status,
        _ => {
            shell.state.pipe_status.clear();
            shell.state.pipe_status.push(status);
        }
    }
}

#[cold]
#[inline(never)]
fn too_deep(shell: &mut Shell) -> Run {
    shell.error("maximum nesting level exceeded");
    shell.state.status = 1;
    Err(Stop::Exit)
}
