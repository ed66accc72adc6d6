//! `paste`: lines of files side by side.

use std::io::{self, BufRead, BufReader};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, complain_of, flag, long, path, value,
};

use crate::arguments::{help, version};
use crate::system;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    Delimiters,
    Serial,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Delimiters, b'd', "delimiters"),
    flag(Key::Serial, b's', "serial"),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// A file, or standard input, which several may share.
enum Source {
    Standard,
    File(BufReader<std::fs::File>),
}

impl Source {
    fn open(name: &[u8]) -> io::Result<Source> {
        match name {
            b"-" => Ok(Source::Standard),
            _ => {
                let file = std::fs::File::open(path(name))?;
                Ok(Source::File(BufReader::with_capacity(BLOCK, file)))
            }
        }
    }

    /// Adds the next line without its end to `line`; whether there was one.
    fn line(&mut self, end: u8, line: &mut Vec<u8>) -> io::Result<bool> {
        let start = line.len();
        let count = match self {
            Source::Standard => io::stdin().lock().read_until(end, line)?,
            Source::File(file) => file.read_until(end, line)?,
        };
        if line.len() > start && line.last() == Some(&end) {
            line.pop();
        }
        Ok(count > 0)
    }
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut list, mut serial, mut end) = (b"\t".to_vec(), false, b'\n');
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Delimiters => list = value.unwrap_or_default(),
                Key::Serial => serial = true,
                Key::Zero => end = 0,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Write lines consisting of the sequentially corresponding lines from each FILE.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    let Some(delimiters) = delimiters(&list) else {
        complain(
            tool,
            [
                b"delimiter list ends with an unescaped backslash: ",
                &list[..],
            ]
            .concat(),
        );
        return 1;
    };
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let status = if serial {
        in_series(tool, &operands, &delimiters, end, &mut out)
    } else {
        side_by_side(tool, &operands, &delimiters, end, &mut out)
    };
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// What stands between lines, one after the other; nothing for `\0`. None if the list ends with a
/// backslash.
fn delimiters(list: &[u8]) -> Option<Vec<Option<u8>>> {
    let mut all = Vec::new();
    let mut bytes = list.iter();
    while let Some(byte) = bytes.next() {
        all.push(match byte {
            b'\\' => match bytes.next()? {
                b'0' => None,
                b'b' => Some(8),
                b'f' => Some(12),
                b'n' => Some(b'\n'),
                b'r' => Some(b'\r'),
                b't' => Some(b'\t'),
                b'v' => Some(11),
                other => Some(*other),
            },
            _ => Some(*byte),
        });
    }
    if all.is_empty() {
        all.push(None);
    }
    Some(all)
}

fn side_by_side(
    tool: &str,
    names: &[Vec<u8>],
    delimiters: &[Option<u8>],
    end: u8,
    out: &mut Output,
) -> i32 {
    let mut sources = Vec::new();
    for name in names {
        match Source::open(name) {
            Ok(source) => sources.push(Some(source)),
            Err(error) => {
                complain_of(tool, name, &system::io_message(&error));
                return 1;
            }
        }
    }
    let mut status = 0;
    let mut line = Vec::new();
    while sources.iter().any(Option::is_some) && !out.is_broken() {
        let mut any = false;
        line.clear();
        for (place, source) in sources.iter_mut().enumerate() {
            if place > 0 {
                line.extend(delimiters[(place - 1) % delimiters.len()]);
            }
            let Some(open) = source else { continue };
            match open.line(end, &mut line) {
                Ok(true) => any = true,
                Ok(false) => *source = None,
                Err(error) => {
                    complain_of(tool, &names[place], &system::io_message(&error));
                    *source = None;
                    status = 1;
                }
            }
        }
        if any {
            out.put(&line);
            out.put_byte(end);
        }
    }
    status
}

fn in_series(
    tool: &str,
    names: &[Vec<u8>],
    delimiters: &[Option<u8>],
    end: u8,
    out: &mut Output,
) -> i32 {
    let mut status = 0;
    let mut line = Vec::new();
    for name in names {
        let mut source = match Source::open(name) {
            Ok(source) => source,
            Err(error) => {
                out.write_out();
                complain_of(tool, name, &system::io_message(&error));
                status = 1;
                continue;
            }
        };
        let mut place = 0;
        loop {
            line.clear();
            match source.line(end, &mut line) {
                Ok(true) => {
                    if place > 0 {
                        delimiters[(place - 1) % delimiters.len()]
                            .into_iter()
                            .for_each(|byte| out.put_byte(byte));
                    }
                    out.put(&line);
                    place += 1;
                }
                Ok(false) => break,
                Err(error) => {
                    out.write_out();
                    complain_of(tool, name, &system::io_message(&error));
                    status = 1;
                    break;
                }
            }
        }
        out.put_byte(end);
    }
    status
}
