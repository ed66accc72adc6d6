//! `tac`: prints files, the last record first.

use std::io::{ErrorKind, Read as _};

use codepod_posix_regex::{Config, Regex, Syntax};
use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, flag, long, path, quoted,
    quoted_if_needed, value,
};

use crate::arguments::{help, version};
use crate::system;

#[derive(Clone, Copy)]
enum Key {
    Before,
    Regex,
    Separator,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Before, b'b', "before"),
    flag(Key::Regex, b'r', "regex"),
    value(Key::Separator, b's', "separator"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// A separator that is longer is taken whole: looking for its last part would take too long.
const LONGEST: usize = 4096;

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut before, mut regex, mut separator) = (false, false, b"\n".to_vec());
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Before => before = true,
                Key::Regex => regex = true,
                Key::Separator => separator = value.unwrap_or_default(),
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Write each FILE to standard output, last line first.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if separator.is_empty() {
        // GNU's means a NUL by it.
        separator.push(0);
    }
    let pattern = if regex {
        match Regex::new(&separator, &Config::new(Syntax::EMACS)) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                complain(tool, error.message());
                return 1;
            }
        }
    } else {
        None
    };
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let mut status = 0;
    for operand in operands {
        let mut text = Vec::new();
        let read = if operand == b"-" {
            std::io::stdin()
                .lock()
                .read_to_end(&mut text)
                .map(|_| ())
                .map_err(|error| (b"read error".to_vec(), error))
        } else {
            match std::fs::File::open(path(&operand)) {
                Ok(mut file) => file.read_to_end(&mut text).map(|_| ()).map_err(|error| {
                    let name = quoted_if_needed(&operand);
                    ([&name[..], b": read error"].concat(), error)
                }),
                Err(error) => Err((
                    [b"failed to open ", &quoted(&operand)[..], b" for reading"].concat(),
                    error,
                )),
            }
        };
        if let Err((what, error)) = read {
            out.write_out();
            // GNU's seeks first, which a directory refuses.
            let why = match error.kind() {
                ErrorKind::IsADirectory if operand != b"-" => "Invalid argument".to_owned(),
                _ => system::io_message(&error),
            };
            complain(tool, [&what[..], b": ", why.as_bytes()].concat());
            status = 1;
            continue;
        }
        let separators = match &pattern {
            None => plain(&text, &separator),
            Some(pattern) => matches(&text, pattern),
        };
        print(&text, &separators, before, &mut out);
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// Where a separator stands, begin and end.
fn plain(text: &[u8], separator: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at + separator.len() <= text.len() {
        if text[at..].starts_with(separator) {
            found.push((at, at + separator.len()));
            at += separator.len();
        } else {
            at += 1;
        }
    }
    found
}

/// Where an expression matches, looked for from the end as GNU's does: a match begins as late as it
/// can.
fn matches(text: &[u8], pattern: &Regex) -> Vec<(usize, usize)> {
    let mut regions = Vec::new();
    let mut at = 0;
    while let Ok(Some((begin, end))) = pattern.find(text, at) {
        if end > begin {
            regions.push((begin, end));
        }
        at = end.max(begin + 1);
        if at > text.len() {
            break;
        }
    }
    let mut found = Vec::new();
    let mut limit = text.len();
    for (begin, end) in regions.into_iter().rev() {
        if end - begin > LONGEST {
            found.push((begin, end));
            limit = begin;
            continue;
        }
        for start in (begin..end).rev() {
            if start < limit
                && let Ok(Some((from, to))) = pattern.find(&text[..limit], start)
                && from == start
                && to > start
            {
                found.push((from, to));
                limit = start;
            }
        }
    }
    found.reverse();
    found
}

fn print(text: &[u8], separators: &[(usize, usize)], before: bool, out: &mut Output) {
    let mut end = text.len();
    for (begin, after) in separators.iter().rev() {
        let cut = if before { *begin } else { *after };
        out.put(&text[cut..end]);
        end = cut;
    }
    out.put(&text[..end]);
}
