//! `printenv`: prints variables of the environment.

use codepod_sys::environment;
use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, flag, long};

use crate::arguments::{help, version};
use crate::output::finish;

/// The exit status of a mistake in the arguments. 1 says that a variable is missing.
const FAILURE: i32 = 2;

#[derive(Clone, Copy)]
enum Key {
    Null,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Null, b'0', "null"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut end = b'\n';
    let names = Options::new(TABLE, arguments).in_order().each(|key, _| {
        match key {
            Key::Null => end = 0,
            Key::Help => {
                let about = "Print the values of the specified environment VARIABLE(s).";
                let status = help(tool, "[OPTION]... [VARIABLE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    });
    match names {
        Ok(names) => run(tool, &names, end),
        Err(stop) => stop.report(tool, FAILURE),
    }
}

fn run(tool: &str, names: &[Vec<u8>], end: u8) -> i32 {
    let variables = environment::variables().unwrap_or_else(|_| native_variables());
    let mut out = Output::new();
    let mut print = |text: &[u8]| {
        out.put(text);
        out.put_byte(end);
    };
    if names.is_empty() {
        variables.iter().for_each(|variable| print(variable));
        return finish(tool, &mut out, 0, FAILURE);
    }
    let mut all = true;
    for name in names {
        // A name with `=` could only match a part of a value.
        let mut values = variables
            .iter()
            .filter(|_| !name.contains(&b'='))
            .filter_map(|variable| variable.strip_prefix(&name[..])?.strip_prefix(b"="))
            .peekable();
        all &= values.peek().is_some();
        values.for_each(&mut print);
    }
    finish(tool, &mut out, i32::from(!all), FAILURE)
}

/// The environment outside of a sandbox, where tools are tried.
fn native_variables() -> Vec<Vec<u8>> {
    std::env::vars_os()
        .map(|(name, value)| [name.as_encoded_bytes(), b"=", value.as_encoded_bytes()].concat())
        .collect()
}
