//! Simple commands: assignments, words, redirections.

use std::rc::Rc;

use codepod_shell_syntax::Name;
use codepod_shell_syntax::print;
use codepod_shell_syntax::tree::{Argument, Command, Function, Simple};

use super::redirect::{self, Undo};
use super::{cost, function, give_back, program, set_status, substitution, take_stack, trace};
use crate::builtins::{self, Entry, declare};
use crate::flow::{Run, Stop};
use crate::options::SetOptions;
use crate::shell::Shell;
use crate::state::Definition;
use crate::text::Text;
use crate::variables::Attributes;
use crate::{assign, expand, fds, special, traps};

/// Runs a simple command. What runs a function's body keeps little on the stack: everything else is
/// in [`begin`].
#[inline(never)]
pub(super) fn run(shell: &mut Shell, command: &Command, simple: &Simple) -> Run {
    let mark = shell.substitutions.len();
    let mut result = Ok(());
    match begin(shell, command, simple) {
        Ok(None) => {}
        Ok(Some(function)) => {
            result = function::body(shell, &function);
            result = function::leave(shell, result);
        }
        Err(stop) => result = Err(stop),
    }
    if shell.substitutions.len() > mark {
        substitution::close(shell, mark);
    }
    result
}

/// Runs a simple command, except for the body of a function, which is returned.
#[inline(never)]
fn begin(shell: &mut Shell, command: &Command, simple: &Simple) -> Run<Option<Rc<Function>>> {
    if (shell.state.traps.debugs() || shell.state.names_command || shell.state.traps.errs())
        && !announce(shell, command)?
    {
        return Ok(None);
    }
    shell.captured = None;
    if simple.words.is_empty() {
        assignments(shell, command, simple)?;
        return Ok(None);
    }
    words(shell, command, simple)
}

/// Notes the command for `BASH_COMMAND` and runs the DEBUG trap. False when the command is to be
/// skipped.
#[cold]
#[inline(never)]
fn announce(shell: &mut Shell, command: &Command) -> Run<bool> {
    note_command(shell, command);
    if shell.state.traps.debugs() {
        return traps::debug(shell);
    }
    Ok(true)
}

pub(super) fn note_command(shell: &mut Shell, command: &Command) {
    if !traps::is_running() {
        shell.state.command = Text::from(print::command(command));
    }
}

/// A command without words.
#[inline(never)]
fn assignments(shell: &mut Shell, command: &Command, simple: &Simple) -> Run {
    for assign in &simple.assigns {
        assign::assign(shell, assign)?;
    }
    if !command.redirects.is_empty() {
        let mut undo = Undo::default();
        let applied = redirect::apply(shell, &command.redirects, &mut undo);
        undo.run(shell);
        if !applied? {
            set_status(shell, 1);
            return Ok(());
        }
    }
    shell.state.last_argument = Text::EMPTY;
    let status = shell.captured.take().unwrap_or(0);
    set_status(shell, status);
    Ok(())
}

/// A command with words.
fn words(shell: &mut Shell, command: &Command, simple: &Simple) -> Run<Option<Rc<Function>>> {
    let mut fields = shell.take_fields();
    if let Err(stop) = expand_words(shell, simple, &mut fields) {
        shell.give_fields(fields);
        return Err(stop);
    }
    if fields.is_empty() {
        shell.give_fields(fields);
        assignments(shell, command, simple)?;
        return Ok(None);
    }
    dispatch(shell, command, simple, fields)
}

/// Expands the words of a command.
#[inline]
pub(super) fn expand_words(shell: &mut Shell, simple: &Simple, fields: &mut Vec<Text>) -> Run {
    for argument in &simple.words {
        match argument {
            Argument::Word(word) => expand::fields(shell, word, fields)?,
            Argument::Assign(assign) => declare::argument(shell, assign, fields)?,
        }
    }
    Ok(())
}

fn dispatch(
    shell: &mut Shell,
    command: &Command,
    simple: &Simple,
    fields: Vec<Text>,
) -> Run<Option<Rc<Function>>> {
    let plain = simple.assigns.is_empty() && command.redirects.is_empty();
    shell.early = false;
    if let Some(definition) = find_function(shell, &fields) {
        let definition = definition.clone();
        if plain {
            trace::words(shell, &fields)?;
            return function::enter(shell, &definition, fields, true).map(Some);
        }
        prepared(shell, command, simple, What::Function(&definition), fields)?;
        return Ok(None);
    }
    let found = fields
        .first()
        .and_then(|name| builtins::enabled(shell, name));
    match found {
        Some(entry) if plain => {
            trace::words(shell, &fields)?;
            builtin(shell, entry, fields)?;
        }
        Some(entry) => prepared(shell, command, simple, What::Builtin(entry), fields)?,
        None if plain => {
            trace::words(shell, &fields)?;
            external(shell, command, fields)?;
        }
        None => prepared(shell, command, simple, What::Program, fields)?,
    }
    Ok(None)
}

/// The function that a command names.
#[inline]
pub(super) fn find_function<'s>(shell: &'s Shell, fields: &[Text]) -> Option<&'s Definition> {
    if shell.state.functions.is_empty() {
        return None;
    }
    let name = fields.first()?;
    let definition = shell.state.functions.get(&**name)?;
    // POSIX looks for special builtins first.
    if shell.state.set.has(SetOptions::POSIX)
        && builtins::enabled(shell, name).is_some_and(|entry| entry.special)
    {
        return None;
    }
    Some(definition)
}

/// What a command runs.
#[derive(Clone, Copy)]
enum What<'a> {
    Function(&'a Definition),
    Builtin(&'static Entry),
    Program,
}

#[inline]
fn builtin(shell: &mut Shell, entry: &'static Entry, fields: Vec<Text>) -> Run {
    let result = (entry.run)(shell, &fields);
    after_builtin(shell, entry, fields, result)
}

#[inline]
fn after_builtin(
    shell: &mut Shell,
    entry: &'static Entry,
    mut fields: Vec<Text>,
    result: Run<i32>,
) -> Run {
    if let Some(last) = fields.pop() {
        shell.state.last_argument = last;
    }
    shell.give_fields(fields);
    if fds::is_pipe_broken() {
        broken_pipe(shell)?;
    }
    let status = result?;
    set_status(shell, status);
    if status != 0 && entry.special && shell.state.set.has(SetOptions::POSIX) {
        return special_failed(shell, entry, status);
    }
    Ok(())
}

/// An error of a special builtin ends a POSIX shell; that it was an error shows its status for
/// those that only fail so.
#[cold]
fn special_failed(shell: &Shell, entry: &'static Entry, status: i32) -> Run {
    let _ = shell;
    // Usage errors and errors of assignments; `eval`, `.`, `return` and so on give the status of
    // what they ran.
    let passes_on = matches!(
        entry.name,
        "eval" | "." | "source" | "exec" | "return" | "trap" | "times" | "shift"
    );
    if !passes_on && status >= 2
        || (status == 1
            && matches!(
                entry.name,
                "export" | "readonly" | "set" | "unset" | "." | "source" | "shift"
            ))
    {
        return Err(Stop::Exit);
    }
    Ok(())
}

/// Somebody wrote to a pipe that nobody reads: the shell or the subshell ends, unless it ignores
/// SIGPIPE.
#[cold]
fn broken_pipe(shell: &mut Shell) -> Run {
    fds::take_broken_pipe();
    let signal = codepod_sys::Signal::Pipe;
    match shell.state.traps.get(traps::Event::Signal(signal.raw())) {
        Some(_) => Ok(()),
        None => Err(Stop::Killed(signal.raw())),
    }
}

#[inline(never)]
fn external(shell: &mut Shell, command: &Command, mut fields: Vec<Text>) -> Run {
    let status = program::run_shown(shell, &fields, || print::command(command))?;
    if let Some(last) = fields.pop() {
        shell.state.last_argument = last;
    }
    shell.give_fields(fields);
    set_status(shell, status);
    Ok(())
}

/// A command with assignments before it or redirections.
#[inline(never)]
fn prepared(
    shell: &mut Shell,
    command: &Command,
    simple: &Simple,
    what: What<'_>,
    fields: Vec<Text>,
) -> Run {
    take_stack(shell, cost::PREPARED)?;
    let stays = match what {
        What::Builtin(entry) => entry.special && shell.state.set.has(SetOptions::POSIX),
        What::Function(_) | What::Program => false,
    };
    let scoped = !simple.assigns.is_empty() && !stays;
    if scoped {
        // Those before a function are in its own scope.
        shell.state.scopes.push(matches!(what, What::Function(_)));
    }
    let mut undo = Undo::default();
    let result = prepare_and_run(shell, command, simple, what, fields, &mut undo, stays);
    undo.run(shell);
    if scoped {
        leave_scope(shell);
    }
    give_back(shell, cost::PREPARED);
    result
}

/// Closes a scope, with what follows from variables having their old values.
pub(super) fn leave_scope(shell: &mut Shell) {
    if let Some(options) = shell.state.scopes.options() {
        shell.state.set = options;
    }
    let getopts = shell.state.scopes.getopts();
    let names = shell.state.scopes.pop(&mut shell.state.variables);
    for name in names {
        special::changed(shell, name);
    }
    if let Some(inside) = getopts {
        shell.state.getopts = inside;
    }
}

fn prepare_and_run(
    shell: &mut Shell,
    command: &Command,
    simple: &Simple,
    what: What<'_>,
    fields: Vec<Text>,
    undo: &mut Undo,
    stays: bool,
) -> Run {
    let traced = trace::is_on(shell);
    if traced {
        temporaries(shell, simple, stays)?;
        trace::words(shell, &fields)?;
    }
    let applied = match what {
        What::Program => redirect_program(shell, command, undo)?,
        What::Builtin(_) | What::Function(_) => {
            let applied = redirect::apply(shell, &command.redirects, undo)?;
            if applied { Ok(()) } else { Err(1) }
        }
    };
    if let Err(status) = applied {
        shell.give_fields(fields);
        set_status(shell, status);
        return match what {
            What::Builtin(_) if stays || is_strict(shell, what) => Err(Stop::Exit),
            _ => Ok(()),
        };
    }
    if !traced {
        // What redirections expand does not see the assignments yet.
        temporaries(shell, simple, stays)?;
    }
    match what {
        What::Function(definition) => {
            function::run(shell, definition, fields, simple.assigns.is_empty())
        }
        What::Builtin(entry) => {
            if keeps_redirections(&fields) {
                undo.stay(shell);
            }
            builtin(shell, entry, fields)
        }
        What::Program => external(shell, command, fields),
    }
}

/// The redirections of a program. bash expands them in the new process: what they assign is lost,
/// and an error in them is the program's: its status.
fn redirect_program(shell: &mut Shell, command: &Command, undo: &mut Undo) -> Run<Result<(), i32>> {
    let variables = redirect::may_assign(&command.redirects).then(|| shell.state.variables.clone());
    let result = redirect::apply(shell, &command.redirects, undo);
    if let Some(variables) = variables {
        shell.state.variables = variables;
    }
    match result {
        Ok(true) => Ok(Ok(())),
        Ok(false) | Err(Stop::Discard) => Ok(Err(1)),
        Err(Stop::Exit) => Ok(Err(shell.state.status)),
        Err(stop) => Err(stop),
    }
}

/// Whether a failed redirection ends the shell: for special builtins in posix mode.
fn is_strict(shell: &Shell, what: What<'_>) -> bool {
    matches!(what, What::Builtin(entry) if entry.special) && shell.state.set.has(SetOptions::POSIX)
}

/// `exec` without a command makes its redirections those of the shell.
fn keeps_redirections(fields: &[Text]) -> bool {
    let mut words = fields.iter().map(|word| &**word);
    loop {
        match words.next() {
            Some(b"command" | b"builtin") => {}
            Some(b"exec") => {
                return words
                    .next()
                    .is_none_or(|word| word == b"--" && words.next().is_none());
            }
            _ => return false,
        }
    }
}

/// Runs the assignments before a command: for it alone, unless they stay. They are exported.
pub(super) fn temporaries(shell: &mut Shell, simple: &Simple, stays: bool) -> Run {
    for assign in &simple.assigns {
        if stays {
            assign::assign(shell, assign)?;
            continue;
        }
        // bash goes on without a readonly variable, except in posix mode.
        if !assign::temporary(shell, assign)? && shell.state.set.has(SetOptions::POSIX) {
            shell.state.status = 1;
            return Err(Stop::Exit);
        }
    }
    Ok(())
}

/// Exports a variable.
pub(super) fn export(shell: &mut Shell, name: Name) {
    shell
        .state
        .variables
        .change_attributes(name, Attributes::EXPORT, Attributes::NONE);
}
