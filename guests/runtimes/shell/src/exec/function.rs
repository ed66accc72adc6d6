//! Functions: defining and calling them.

use std::rc::Rc;

use codepod_shell_syntax::print;
use codepod_shell_syntax::{Name, tree::Function};

use super::{command, cost, set_status, simple};
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::shell::Shell;
use crate::state::{Definition, Frame, Invocation};
use crate::text::Text;
use crate::{assign, builtins, traps};

/// Defines a function. The status says whether that was allowed.
pub fn define(shell: &mut Shell, function: &Rc<Function>) {
    let name = &function.name;
    let old = shell.state.functions.get(&name[..]);
    if old.is_some_and(|old| old.readonly) {
        shell.error([name, &b": readonly function"[..]].concat());
        return set_status(shell, 1);
    }
    let posix = shell.state.set.has(SetOptions::POSIX);
    if posix && !builtins::is_name(name) {
        shell.error([b"`", &name[..], b"': not a valid identifier"].concat());
        return set_status(shell, 1);
    }
    if name.is_empty() || name.iter().any(|byte| matches!(byte, b'$' | 0)) {
        shell.error([b"`", &name[..], b"': not a valid identifier"].concat());
        return set_status(shell, 1);
    }
    let exported =
        old.is_some_and(|old| old.exported) || shell.state.set.has(SetOptions::ALLEXPORT);
    let mut definition = Definition::new(Rc::clone(function), source(shell));
    definition.exported = exported;
    Rc::make_mut(&mut shell.state.functions).insert(Text::new(name), definition);
    shell.state.status = 0;
}

/// `BASH_SOURCE` of what is defined now.
fn source(shell: &Shell) -> Text {
    match shell.state.frames.last() {
        Some(frame) => frame.source.clone(),
        None => match shell.state.invocation {
            Invocation::File => shell.state.script.clone(),
            Invocation::Command => Text::from("environment"),
            Invocation::Stdin => Text::from("main"),
        },
    }
}

/// A function as it is put into the environment: `() {  …}`.
pub(super) fn exported_text(function: &Function) -> Vec<u8> {
    let text = print::function(function);
    // `name () ` goes, and the newline before the body.
    let start = text.windows(2).position(|two| two == b"()").unwrap_or(0);
    let mut text = text[start..].to_vec();
    if let Some(at) = text.iter().position(|byte| *byte == b'\n') {
        text[at] = b' ';
    }
    text
}

/// Calls a function whose definition is not at hand.
pub(super) fn call(shell: &mut Shell, function: &Rc<Function>, arguments: Vec<Text>) -> Run {
    let known = shell.state.functions.get(&function.name[..]).cloned();
    let definition = known.unwrap_or_else(|| Definition::new(Rc::clone(function), Text::EMPTY));
    run(shell, &definition, arguments, true)
}

/// What a call puts aside.
#[derive(Debug)]
pub(crate) struct Call {
    positional: Rc<Vec<Text>>,
    hidden: traps::Hidden,
    /// Whether the scope is the call's own to close.
    scoped: bool,
}

impl Call {
    /// The arguments of whoever called.
    pub(crate) fn caller_arguments(&self) -> &[Text] {
        &self.positional
    }
}

/// Calls a function. The first field is its name. With `scoped` it gets a scope of its own;
/// otherwise that is there already.
#[inline(never)]
pub(super) fn run(
    shell: &mut Shell,
    definition: &Definition,
    fields: Vec<Text>,
    scoped: bool,
) -> Run {
    let function = enter(shell, definition, fields, scoped)?;
    let result = body(shell, &function);
    leave(shell, result)
}

/// Runs the body. A DEBUG trap that functions inherit runs once more before it.
#[inline]
pub(super) fn body(shell: &mut Shell, function: &Function) -> Run {
    if shell.state.traps.debugs() {
        shell.at(function.body.line);
        traps::debug(shell)?;
    }
    command(shell, &function.body)
}

/// Begins a call: what runs next is the body, and then [`leave`]. They are apart to keep what a
/// call needs of the stack small.
#[inline(never)]
pub(super) fn enter(
    shell: &mut Shell,
    definition: &Definition,
    mut fields: Vec<Text>,
    scoped: bool,
) -> Run<Rc<Function>> {
    check_nesting(shell, &fields)?;
    super::take_stack(shell, cost::CALL)?;
    if scoped {
        shell.state.scopes.push(true);
    }
    let name = if fields.is_empty() {
        Text::EMPTY
    } else {
        fields.remove(0)
    };
    let positional = std::mem::replace(&mut shell.state.positional, Rc::new(fields));
    let extdebug = shell.state.shopt.has(ShellOptions::EXTDEBUG);
    let arguments = extdebug.then(|| Rc::clone(&shell.state.positional));
    shell.state.frames.push(Frame {
        arguments,
        function: name,
        source: definition.source.clone(),
        line: shell.state.line,
        loops: std::mem::take(&mut shell.state.loops),
        line_shift: std::mem::take(&mut shell.state.line_shift),
        sourced: false,
    });
    let hidden = traps::enter_function(shell, definition.traced);
    shell.calls.push(Call {
        positional,
        hidden,
        scoped,
    });
    Ok(Rc::clone(definition.function()))
}

/// Ends a call whose body has ended so.
#[inline(never)]
pub(super) fn leave(shell: &mut Shell, result: Run) -> Run {
    let mut result = match result {
        Err(Stop::Return) => Ok(()),
        result => result,
    };
    super::give_back(shell, cost::CALL);
    if shell.state.traps.returns() && result.is_ok() {
        result = traps::ret(shell);
    }
    let Some(call) = shell.calls.pop() else {
        return result;
    };
    traps::leave_function(shell, call.hidden);
    if let Some(frame) = shell.state.frames.pop() {
        shell.state.line = frame.line;
        shell.state.loops = frame.loops;
        shell.state.line_shift = frame.line_shift;
        shell.state.last_argument = frame.function;
    }
    let fields = std::mem::replace(&mut shell.state.positional, call.positional);
    if let Some(last) = fields.last() {
        shell.state.last_argument = last.clone();
    }
    if let Ok(fields) = Rc::try_unwrap(fields) {
        shell.give_fields(fields);
    }
    if result.is_ok() {
        let status = shell.state.status;
        set_status(shell, status);
    }
    if call.scoped {
        simple::leave_scope(shell);
    }
    result
}

/// `FUNCNEST`: how deep functions may call each other.
#[inline]
fn check_nesting(shell: &mut Shell, fields: &[Text]) -> Run {
    if !shell.state.variables.get(Name::FUNCNEST).exists() {
        return Ok(());
    }
    check_limit(shell, fields)
}

#[cold]
#[inline(never)]
fn check_limit(shell: &mut Shell, fields: &[Text]) -> Run {
    let Some(most) = assign::get(shell, Name::FUNCNEST).and_then(|text| builtins::number(&text))
    else {
        return Ok(());
    };
    let depth = shell
        .state
        .frames
        .iter()
        .filter(|frame| !frame.sourced)
        .count();
    if most <= 0 || (depth as i64) < most {
        return Ok(());
    }
    let name = fields.first().map_or(&[][..], |name| name);
    let most = Text::number(most);
    shell.error(
        [
            name,
            b": maximum function nesting level exceeded (",
            &most,
            b")",
        ]
        .concat(),
    );
    set_status(shell, 1);
    Err(Stop::Discard)
}
