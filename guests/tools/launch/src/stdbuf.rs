//! `stdbuf`: runs a program with other buffers. Programs here write lines as they please: the
//! variables that GNU's library reads are set, for those who look.

use codepod_tool::{Arguments, Found, Opt, Options, Usage, Value, complain, long, quoted, value};

use crate::program::{self, Program};
use crate::{help, version};

#[derive(Clone, Copy)]
enum Key {
    Buffer(&'static str),
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Buffer("_STDBUF_I"), b'i', "input"),
    value(Key::Buffer("_STDBUF_O"), b'o', "output"),
    value(Key::Buffer("_STDBUF_E"), b'e', "error"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USAGE: &str = "Usage: stdbuf OPTION... COMMAND\nRun COMMAND, with modified buffering operations for its standard streams.\n\n  -i, --input=MODE\n  -o, --output=MODE\n  -e, --error=MODE\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut words = Vec::new();
    let mut variables = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                words.push(operand);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Buffer(name) => {
                    let mode = value.unwrap_or_default();
                    if mode == b"L" && name == "_STDBUF_I" {
                        return Usage::new("line buffering stdin is meaningless").report(tool, 125);
                    }
                    let digits = mode.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    let unit = [
                        &b""[..],
                        b"K",
                        b"k",
                        b"kB",
                        b"KB",
                        b"KiB",
                        b"M",
                        b"MB",
                        b"MiB",
                        b"G",
                        b"GB",
                    ]
                    .contains(&&mode[digits..]);
                    if mode != b"L" && (digits == 0 || !unit) {
                        complain(tool, [b"invalid mode ", &quoted(&mode)[..]].concat());
                        return 125;
                    }
                    variables.push([name.as_bytes(), b"=", &mode].concat());
                }
                Key::Help => return help(USAGE),
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 125),
        }
    }
    if words.is_empty() {
        return Usage::new("missing operand").report(tool, 125);
    }
    if variables.is_empty() {
        return Usage::new("you must specify a buffering mode option").report(tool, 125);
    }
    let mut program = Program::new(words);
    program.environment.extend(variables);
    match program.start() {
        Ok(pid) => program::follow(pid),
        Err(errno) => program::not_started(tool, &program.words, errno, "failed to run command "),
    }
}
