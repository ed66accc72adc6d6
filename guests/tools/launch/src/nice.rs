//! `nice`: runs a program; all processes of a sandbox have the same priority.

use codepod_tool::{Arguments, Found, Opt, Options, Output, Usage, Value, long, quoted, value};

use crate::program::{self, Program};
use crate::{help, version};

#[derive(Clone, Copy)]
enum Key {
    Adjustment,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Adjustment, b'n', "adjustment"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const USAGE: &str = "Usage: nice [OPTION] [COMMAND [ARG]...]\nRun COMMAND with an adjusted niceness.\n\n  -n, --adjustment=N\n";

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    // `-5` and `--5` are adjustments.
    let is_number = |word: &[u8]| {
        let digits = word.strip_prefix(b"-").map(|rest| {
            rest.strip_prefix(b"-")
                .or(rest.strip_prefix(b"+"))
                .unwrap_or(rest)
        });
        digits.is_some_and(|digits| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit))
    };
    let mut arguments = arguments;
    let mut adjusted = false;
    while arguments.first().is_some_and(|word| is_number(word)) {
        arguments.remove(0);
        adjusted = true;
    }
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut words = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => {
                words.push(operand);
                words.extend(options.rest());
                break;
            }
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Adjustment => {
                    let text = value.unwrap_or_default();
                    let digits = text
                        .strip_prefix(b"-")
                        .or(text.strip_prefix(b"+"))
                        .unwrap_or(&text);
                    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                        codepod_tool::complain(
                            tool,
                            [b"invalid adjustment ", &quoted(&text)[..]].concat(),
                        );
                        return 125;
                    }
                    adjusted = true;
                }
                Key::Help => return help(USAGE),
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 125),
        }
    }
    if words.is_empty() {
        if adjusted {
            return Usage::new("a command must be given with an adjustment").report(tool, 125);
        }
        let mut out = Output::new();
        out.put(b"0\n");
        return i32::from(out.finish().is_err()) * 125;
    }
    let program = Program::new(words);
    match program.start() {
        Ok(pid) => program::follow(pid),
        Err(errno) => program::not_started(tool, &program.words, errno, ""),
    }
}
