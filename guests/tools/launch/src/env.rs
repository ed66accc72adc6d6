//! `env`: runs a program in another environment, or prints the one it has.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Stop, Usage, Value, complain, errno_text, flag, long,
    quoted, value,
};

use crate::program::{self, Program};
use crate::{help, version};

#[derive(Clone, Copy)]
enum Key {
    Ignore,
    Zero,
    Unset,
    Chdir,
    Split,
    Debug,
    Signals,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Ignore, b'i', "ignore-environment"),
    flag(Key::Zero, b'0', "null"),
    value(Key::Unset, b'u', "unset"),
    value(Key::Chdir, b'C', "chdir"),
    value(Key::Split, b'S', "split-string"),
    flag(Key::Debug, b'v', "debug"),
    long(Key::Signals, "block-signal", Value::Optional),
    long(Key::Signals, "default-signal", Value::Optional),
    long(Key::Signals, "ignore-signal", Value::Optional),
    long(Key::Signals, "list-signal-handling", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USAGE: &str = "Usage: env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]\n\
    Set each NAME to VALUE in the environment and run COMMAND.\n\n  -i, --ignore-environment\n  -0, --null\n  -u, --unset=NAME\n  -C, --chdir=DIR\n  -S, --split-string=S\n  -v, --debug\n";

/// The status when the arguments are wrong or nothing can be done.
const FAILED: i32 = 125;

/// What is said where somebody forgot `-S` in the first line of a script.
const SPLIT_HINT: &str = "use -[v]S to pass options in shebang lines";

/// What the arguments ask for.
#[derive(Default)]
struct Settings {
    ignore: bool,
    zero: bool,
    debug: bool,
    unset: Vec<Vec<u8>>,
    directory: Option<Vec<u8>>,
    /// `NAME=VALUE`, in order.
    variables: Vec<Vec<u8>>,
    /// The program and its arguments; none to print the environment.
    words: Vec<Vec<u8>>,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match settings(tool, arguments).and_then(|settings| run(tool, settings)) {
        Ok(status) => status,
        Err(stop) => stop.report(tool, FAILED),
    }
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut options = Options::new(TABLE, arguments).in_order();
    while let Some(found) = options.next().map_err(|usage| misuse(tool, usage))? {
        let (key, value) = match found {
            Found::Option(key, value) => (key, value.unwrap_or_default()),
            Found::Operand(operand) => {
                settings.words.push(operand);
                settings.words.extend(options.rest());
                break;
            }
        };
        match key {
            Key::Ignore => settings.ignore = true,
            Key::Zero => settings.zero = true,
            Key::Unset => settings.unset.push(value),
            Key::Chdir => settings.directory = Some(value),
            Key::Debug => settings.debug = true,
            Key::Split => {
                let mut parts = split(&value).map_err(Stop::failed)?;
                parts.extend(options.rest());
                options = Options::new(TABLE, parts).in_order();
            }
            Key::Signals => return Err(Stop::failed("options of signals are not supported")),
            Key::Help => return Err(Stop::Status(help(USAGE))),
            Key::Version => return Err(Stop::Status(version(tool))),
        }
    }
    if settings.words.first().is_some_and(|word| word == b"-") {
        settings.words.remove(0);
        settings.ignore = true;
    }
    let is_command = |word: &Vec<u8>| !word.contains(&b'=');
    let command = settings.words.iter().position(is_command);
    let words = settings
        .words
        .split_off(command.unwrap_or(settings.words.len()));
    settings.variables = std::mem::replace(&mut settings.words, words);
    Ok(settings)
}

/// A mistake in the options, with a hint where the first line of a script may be the cause.
fn misuse(tool: &str, usage: Usage) -> Stop {
    if !usage.message.starts_with(b"invalid option -- ' '") {
        return usage.into();
    }
    complain(tool, &usage.message);
    complain(tool, SPLIT_HINT);
    Usage::new("").into()
}

/// Prints the environment or runs the program. Returns the status.
fn run(tool: &str, settings: Settings) -> Result<i32, Stop> {
    let mut program = Program::new(Vec::new());
    change(&mut program.environment, &settings)?;
    match (settings.words.is_empty(), &settings.directory) {
        (true, Some(_)) => Err(Usage::new("must specify command with --chdir (-C)").into()),
        (true, None) => Ok(print(&program.environment, settings.zero)),
        (false, _) if settings.zero => {
            Err(Usage::new("cannot specify --null (-0) with command").into())
        }
        (false, directory) => {
            if let Some(directory) = directory {
                enter(directory)?;
            }
            if settings.debug {
                show(&settings.words);
            }
            program.words = settings.words;
            Ok(start(tool, &program))
        }
    }
}

/// Changes an environment as it is asked for.
fn change(environment: &mut Vec<Vec<u8>>, settings: &Settings) -> Result<(), Stop> {
    if settings.ignore {
        environment.clear();
    }
    for name in &settings.unset {
        if name.is_empty() || name.contains(&b'=') {
            return Err(Stop::failed(
                [b"cannot unset ", &quoted(name)[..], b": Invalid argument"].concat(),
            ));
        }
        environment.retain(|variable| !is_of(variable, name));
    }
    for variable in &settings.variables {
        let name = variable.split(|byte| *byte == b'=').next();
        let name = name.unwrap_or_default();
        match environment.iter_mut().find(|known| is_of(known, name)) {
            Some(known) => known.clone_from(variable),
            None => environment.push(variable.clone()),
        }
    }
    Ok(())
}

/// Prints the variables. Returns the status.
fn print(environment: &[Vec<u8>], zero: bool) -> i32 {
    let mut out = Output::new();
    for variable in environment {
        out.put(variable);
        out.put_byte(if zero { 0 } else { b'\n' });
    }
    match out.finish() {
        Ok(()) => 0,
        Err(_) => FAILED,
    }
}

/// Changes the working directory.
fn enter(directory: &[u8]) -> Result<(), Stop> {
    codepod_sys::cwd::change(directory).map_err(|errno| {
        Stop::failed(
            [
                b"cannot change directory to ",
                &quoted(directory)[..],
                b": ",
                errno_text(errno).as_bytes(),
            ]
            .concat(),
        )
    })
}

/// Shows what is run, for `-v`.
fn show(words: &[Vec<u8>]) {
    let name = words.first().map(Vec::as_slice).unwrap_or_default();
    let mut text = [b"executing: ", name, b"\n"].concat();
    for (index, word) in words.iter().enumerate() {
        text.extend_from_slice(format!("   arg[{index}]= ").as_bytes());
        text.extend_from_slice(&quoted(word));
        text.push(b'\n');
    }
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), &text);
}

/// Runs the program and ends as it does.
fn start(tool: &str, program: &Program) -> i32 {
    match program.start() {
        Ok(pid) => program::follow(pid),
        Err(errno) => {
            let status = program::not_started(tool, &program.words, errno, "");
            if status == 127 && program.words[0].contains(&b' ') {
                complain(tool, SPLIT_HINT);
            }
            status
        }
    }
}

fn is_of(variable: &[u8], name: &[u8]) -> bool {
    variable
        .strip_prefix(name)
        .is_some_and(|rest| rest.first() == Some(&b'='))
}

/// Takes the text of `-S` apart: quotes, escapes, `${NAME}`, comments.
fn split(text: &[u8]) -> Result<Vec<Vec<u8>>, String> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote: Option<u8> = None;
    let mut at = 0;
    while at < text.len() {
        let byte = text[at];
        at += 1;
        match (byte, quote) {
            (b'\'' | b'"', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r', None) => words.extend(word.take()),
            (b'#', None) if word.is_none() => break,
            (b'\\', open) if open != Some(b'\'') || matches!(text.get(at), Some(b'\\' | b'\'')) => {
                let Some(&next) = text.get(at) else {
                    return Err("invalid backslash at end of string in -S".into());
                };
                at += 1;
                let escaped = match next {
                    b'"' | b'#' | b'$' | b'\'' | b'\\' => next,
                    b'_' if open.is_some() => b' ',
                    b'_' => {
                        words.extend(word.take());
                        continue;
                    }
                    b'c' if open == Some(b'"') => {
                        return Err("'\\c' must not appear in double-quoted -S string".into());
                    }
                    b'c' => {
                        words.extend(word.take());
                        return Ok(words);
                    }
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'v' => 0x0b,
                    _ => return Err(format!("invalid sequence '\\{}' in -S", char::from(next))),
                };
                word.get_or_insert_default().push(escaped);
            }
            (b'$', open) if open != Some(b'\'') => {
                let rest = &text[at..];
                let end = rest.iter().position(|byte| *byte == b'}');
                let (Some(b'{'), Some(end)) = (rest.first(), end) else {
                    let shown = String::from_utf8_lossy(&text[at - 1..]).into_owned();
                    return Err(format!(
                        "only ${{VARNAME}} expansion is supported, error at: {shown}"
                    ));
                };
                let name = String::from_utf8_lossy(&rest[1..end]).into_owned();
                at += end + 1;
                if let Some(value) = std::env::var_os(&name) {
                    word.get_or_insert_default()
                        .extend_from_slice(value.as_encoded_bytes());
                } else if open.is_some() {
                    word.get_or_insert_default();
                }
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quote.is_some() {
        return Err("no terminating quote in -S string".into());
    }
    words.extend(word);
    Ok(words)
}
