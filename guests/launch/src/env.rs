//! `env`: runs a program in another environment, or prints the one it has.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, errno_text, flag, long, quoted,
    value,
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

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut program = Program::new(Vec::new());
    let (mut ignore, mut zero, mut debug, mut unset) = (false, false, false, Vec::new());
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut words: Vec<Vec<u8>> = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                words.push(operand);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => {
                let value = value.unwrap_or_default();
                match key {
                    Key::Ignore => ignore = true,
                    Key::Zero => zero = true,
                    Key::Unset => unset.push(value),
                    Key::Chdir => program.directory = Some(value),
                    Key::Debug => debug = true,
                    Key::Split => match split(&value) {
                        Ok(mut parts) => {
                            parts.extend(options.rest());
                            options = Options::new(TABLE, parts).in_order();
                        }
                        Err(message) => {
                            complain(tool, message);
                            return 125;
                        }
                    },
                    Key::Signals => {
                        complain(tool, "options of signals are not supported");
                        return 125;
                    }
                    Key::Help => return help(USAGE),
                    Key::Version => return version(tool),
                }
            }
            Ok(None) => break,
            Err(usage) => {
                let message = usage.message.clone();
                if message.starts_with(b"invalid option -- ' '") {
                    complain(tool, &message);
                    complain(tool, "use -[v]S to pass options in shebang lines");
                    return Usage::new("").report(tool, 125);
                }
                return usage.report(tool, 125);
            }
        }
    }
    if words.first().is_some_and(|word| word == b"-") {
        words.remove(0);
        ignore = true;
    }
    if ignore {
        program.environment.clear();
    }
    for name in unset {
        if name.is_empty() || name.contains(&b'=') {
            complain(
                tool,
                [b"cannot unset ", &quoted(&name)[..], b": Invalid argument"].concat(),
            );
            return 125;
        }
        program
            .environment
            .retain(|variable| !is_of(variable, &name));
    }
    while let Some(equals) = words
        .first()
        .and_then(|word| word.iter().position(|byte| *byte == b'='))
    {
        let variable = words.remove(0);
        let name = &variable[..equals];
        match program
            .environment
            .iter_mut()
            .find(|known| is_of(known, name))
        {
            Some(known) => *known = variable,
            None => program.environment.push(variable),
        }
    }
    if words.is_empty() {
        if let Some(directory) = &program.directory {
            let _ = directory;
            return Usage::new("must specify command with --chdir (-C)").report(tool, 125);
        }
        let mut out = Output::new();
        for variable in &program.environment {
            out.put(variable);
            out.put_byte(if zero { 0 } else { b'\n' });
        }
        return match out.finish() {
            Ok(()) => 0,
            Err(_) => 125,
        };
    }
    if zero {
        return Usage::new("cannot specify --null (-0) with command").report(tool, 125);
    }
    if let Some(directory) = &program.directory
        && let Err(errno) = codepod_sys::cwd::change(directory)
    {
        complain(
            tool,
            [
                b"cannot change directory to ",
                &quoted(directory)[..],
                b": ",
                errno_text(errno).as_bytes(),
            ]
            .concat(),
        );
        return 125;
    }
    program.directory = None;
    if debug {
        let mut text = [b"executing: ", &words[0][..], b"\n"].concat();
        for (index, word) in words.iter().enumerate() {
            text.extend_from_slice(format!("   arg[{index}]= ").as_bytes());
            text.extend_from_slice(&quoted(word));
            text.push(b'\n');
        }
        // Where standard error is gone there is nobody to tell.
        let _ = std::io::Write::write_all(&mut std::io::stderr(), &text);
    }
    program.words = words;
    match program.start() {
        Ok(pid) => program::follow(pid),
        Err(errno) => {
            let status = program::not_started(tool, &program.words, errno, "");
            if status == 127 && program.words[0].contains(&b' ') {
                complain(tool, "use -[v]S to pass options in shebang lines");
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
