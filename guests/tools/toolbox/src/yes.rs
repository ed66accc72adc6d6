//! `yes`: prints a line until nobody reads any more. Ours because it must start at once.

use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, complain, long};

use crate::arguments::{help, version};
use crate::system;

/// Lines are repeated up to this size, to be written together.
const BLOCK: usize = 16 << 10;

#[derive(Clone, Copy)]
enum Key {
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments).in_order();
    let mut words = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(word))) => words.push(word),
            Ok(Some(Found::Option(Key::Help, _))) => {
                let about = "Repeatedly output a line with all specified STRING(s), or 'y'.";
                return help(tool, "[STRING]...", about, TABLE);
            }
            Ok(Some(Found::Option(Key::Version, _))) => return version(tool),
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if words.is_empty() {
        words.push(b"y".to_vec());
    }
    let mut line = words.join(&b' ');
    line.push(b'\n');
    let mut out = Output::new();
    // The first line at once, and then it is the reader's turn: most want no more.
    out.put(&line);
    out.write_out();
    std::thread::yield_now();
    let block = line.repeat((BLOCK / line.len()).max(1));
    while !out.is_broken() {
        out.put(&block);
        out.write_out();
    }
    if let Err(error) = out.finish() {
        let why = system::io_message(&error);
        complain(tool, format!("standard output: {why}"));
    }
    1
}
