//! What a shell starts with: variables, options, descriptors, startup files.

use std::rc::Rc;

use codepod_shell_syntax::tree::CommandKind;
use codepod_shell_syntax::{Name, Parser};
use codepod_sys::directory::FileType;
use codepod_sys::file::{self, OpenOptions};
use codepod_sys::{Fd, descriptor, directory, environment};

use super::arguments::{Arguments, Mode};
use super::interactive;
use crate::exec;
use crate::expand;
use crate::fds::Open;
use crate::flow::{Run, Stop};
use crate::options::{SetOptions, ShellOptions};
use crate::shell::{self, Shell};
use crate::special;
use crate::state::{Invocation, State};
use crate::text::Text;
use crate::traps;
use crate::variables::{Value, Variable};

/// A shell as the arguments want it.
pub(super) fn shell(arguments: &Arguments) -> Shell {
    let invocation = match &arguments.mode {
        Mode::Command(_) => Invocation::Command,
        Mode::File(_) => Invocation::File,
        Mode::Input => Invocation::Stdin,
    };
    let mut shell = new(arguments.zero.clone(), invocation);
    shell.state.positional = Rc::new(arguments.positional.clone());
    if let Mode::File(path) = &arguments.mode {
        shell.state.script = path.clone();
    }
    inherited(&mut shell);
    if arguments.interactive {
        interactive::prepare(&mut shell);
    }
    for (option, on) in &arguments.shopt {
        shell.state.shopt.set(*option, *on);
    }
    for (option, on) in &arguments.set {
        shell.state.set.set(*option, *on);
    }
    if shell.state.set.has(SetOptions::POSIX) {
        shell.state.shopt.set(ShellOptions::EXPAND_ALIASES, true);
    }
    if arguments.login {
        shell.state.shopt.set(ShellOptions::LOGIN_SHELL, true);
    }
    if let Mode::Command(text) = &arguments.mode {
        *shell.state.variables.get_mut(Name::BASH_EXECUTION_STRING) = Variable::text(text.clone());
    }
    shell
}

/// A shell with the environment's variables and functions.
pub(super) fn new(zero: Text, invocation: Invocation) -> Shell {
    let state = State {
        zero,
        invocation,
        pid: shell::own_process_number(),
        ..State::default()
    };
    let mut shell = Shell::new(state);
    traps::start(&shell.state);
    let environment = environment::variables().unwrap_or_default();
    let functions = special::initial(&mut shell, &environment);
    for (name, text) in functions {
        import(&mut shell, &name, &text);
    }
    let invoked = environment
        .iter()
        .find_map(|entry| entry.strip_prefix(b"_="));
    shell.state.last_argument = invoked.map_or_else(|| shell.state.zero.clone(), Text::new);
    if let Value::Text(options) = &shell.state.variables.get(Name::SHELLOPTS).value {
        let options = options.clone();
        for name in options.split(|byte| *byte == b':') {
            if let Some(option) = SetOptions::named(name) {
                shell.state.set.set(option, true);
            }
        }
    }
    if shell.state.variables.get(Name::POSIXLY_CORRECT).exists() {
        shell.state.set.set(SetOptions::POSIX, true);
    }
    shell.state.hints = shell
        .state
        .variables
        .get(Name::new(b"CODEPOD_HINTS"))
        .scalar()
        .is_some_and(|text| &**text == b"1");
    shell
}

/// Defines a function of the environment. Nothing but one function definition is taken.
fn import(shell: &mut Shell, name: &[u8], text: &[u8]) {
    if !text.starts_with(b"()") {
        return;
    }
    let text = [name, b" ", text].concat();
    let mut parser = Parser::new(&text, exec::parser_options(shell, 0));
    let (Ok(Some(mut list)), Ok(None)) = (parser.next(&()), parser.next(&())) else {
        shell.error([b"error importing function definition for `", name, b"'"].concat());
        return;
    };
    let Some(item) = list
        .items
        .pop()
        .filter(|item| list.items.is_empty() && item.rest.is_empty())
    else {
        return;
    };
    if let [stage] = item.first.stages.as_slice()
        && let CommandKind::Function(function) = &stage.kind
        && function.name[..] == *name
    {
        exec::define(shell, function);
        let functions = Rc::make_mut(&mut shell.state.functions);
        if let Some(definition) = functions.get_mut(name) {
            definition.exported = true;
            definition.source = Text::from("environment");
        }
    }
}

/// Takes over the descriptors beyond the standard ones that the parent passed on.
fn inherited(shell: &mut Shell) {
    let Ok(names) = directory::list(b"/proc/self/fd") else {
        return;
    };
    for (name, _) in names {
        let number = std::str::from_utf8(&name)
            .ok()
            .and_then(|name| name.parse().ok());
        let Some(number) = number.filter(|number| *number > 2) else {
            continue;
        };
        // 3 is the root directory where nothing else was passed on, and the listing's own
        // descriptor is closed again.
        let wanted = match descriptor::file_type(Fd(number)) {
            Ok(kind) => number != Fd::ROOT.0 || FileType::from_raw(kind) != FileType::Directory,
            Err(_) => false,
        };
        if wanted {
            shell.fds.set(number, Open::kernel(Fd(number)));
        }
    }
}

/// Runs the startup files.
pub(super) fn files(shell: &mut Shell, arguments: &Arguments) -> Run {
    if arguments.login && !arguments.no_profile {
        source(shell, b"/etc/profile")?;
        let home = shell.state.variables.get(Name::HOME).scalar().cloned();
        if let Some(home) = home {
            for name in [&b"/.bash_profile"[..], b"/.bash_login", b"/.profile"] {
                let path = [&*home, name].concat();
                if file::access(&path, file::Links::Follow, file::READ).is_ok() {
                    source(shell, &path)?;
                    break;
                }
            }
        }
    }
    if arguments.interactive {
        if !arguments.no_rc && !arguments.posix && !arguments.login {
            let home = shell.state.variables.get(Name::HOME).scalar().cloned();
            let path = match (&arguments.rc_file, home) {
                (Some(file), _) => file.clone(),
                (None, Some(home)) => Text::from([&*home, b"/.bashrc"].concat()),
                (None, None) => return Ok(()),
            };
            source(shell, &path)?;
        }
        return Ok(());
    }
    if arguments.posix {
        return Ok(());
    }
    let environment = shell
        .state
        .variables
        .get(Name::new(b"BASH_ENV"))
        .scalar()
        .cloned();
    match environment {
        Some(path) if !path.is_empty() => {
            let path = expand::text_in_quotes(shell, &path)?;
            source(shell, &path)
        }
        _ => Ok(()),
    }
}

/// Runs a startup file, if it is there.
fn source(shell: &mut Shell, path: &[u8]) -> Run {
    let Ok(fd) = file::open(path, OpenOptions::READ) else {
        return Ok(());
    };
    let _ = descriptor::close(fd);
    let arguments = [Text::from("."), Text::new(path)];
    match crate::builtins::find(b".") {
        Some(entry) => match (entry.run)(shell, &arguments) {
            Ok(_) | Err(Stop::Return | Stop::Discard) => Ok(()),
            Err(stop) => Err(stop),
        },
        None => Ok(()),
    }
}
