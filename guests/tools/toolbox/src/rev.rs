//! `rev`: prints the characters of every line in reverse order, as util-linux's does. A byte that
//! is part of no character counts as one, where util-linux's ends.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use codepod_tool::{Arguments, Opt, Options, Output, Stop, complain, flag, io_text, path};

use crate::arguments::{help, version};
use crate::output::finish;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Zero, b'0', "zero"),
    flag(Key::Help, b'h', "help"),
    flag(Key::Version, b'V', "version"),
];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut end = b'\n';
    let files = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Zero => end = 0,
            Key::Help => {
                let about = "Print the characters of every line in reverse order.";
                let status = help(tool, "[OPTION]... [FILE]...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    });
    match files {
        Ok(files) => run(tool, &files, end),
        Err(stop) => stop.report(tool, 1),
    }
}

fn run(tool: &str, files: &[Vec<u8>], end: u8) -> i32 {
    let mut out = Output::new();
    let mut status = 0;
    let mut fail = |out: &mut Output, message: &[&[u8]], error: &io::Error| {
        out.write_out();
        let why = io_text(error);
        complain(
            tool,
            [&message.concat()[..], b": ", why.as_bytes()].concat(),
        );
        status = 1;
    };
    if files.is_empty()
        && let Err((lines, error)) = reverse(&mut io::stdin().lock(), &mut out, end)
    {
        let lines = lines.to_string();
        fail(&mut out, &[b"stdin: ", lines.as_bytes()], &error);
    }
    for name in files {
        let file = match File::open(path(name)) {
            Ok(file) => file,
            Err(error) => {
                fail(&mut out, &[b"cannot open ", name], &error);
                continue;
            }
        };
        let mut file = BufReader::with_capacity(BLOCK, file);
        if let Err((lines, error)) = reverse(&mut file, &mut out, end) {
            fail(
                &mut out,
                &[name, b": ", lines.to_string().as_bytes()],
                &error,
            );
        }
    }
    finish(tool, &mut out, status, 1)
}

/// Prints the lines of a file. Fails with the number of lines that were read before the error.
fn reverse(file: &mut dyn BufRead, out: &mut Output, end: u8) -> Result<(), (u64, io::Error)> {
    let mut line = Vec::new();
    let mut lines = 0;
    while !out.is_broken() {
        line.clear();
        match file.read_until(end, &mut line) {
            Ok(0) => break,
            Ok(_) => lines += 1,
            Err(error) => return Err((lines, error)),
        }
        let length = line.len() - usize::from(line.last() == Some(&end));
        reverse_characters(&mut line[..length]);
        out.put(&line);
    }
    Ok(())
}

/// Turns the order of the characters around; a byte that is part of none counts as one.
fn reverse_characters(line: &mut [u8]) {
    line.reverse();
    if line.is_ascii() {
        return;
    }
    // Each character now stands with its bytes in the wrong order.
    let mut start = 0;
    while start < line.len() {
        let mut end = start + 1;
        // Bytes that continue a character, up to the one that starts it.
        while end < line.len() && end - start < 4 && line[end - 1] & 0xc0 == 0x80 {
            end += 1;
        }
        line[start..end].reverse();
        match std::str::from_utf8(&line[start..end]) {
            Ok(_) => start = end,
            Err(_) => {
                line[start..end].reverse();
                start += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reversed(line: &[u8]) -> Vec<u8> {
        let mut line = line.to_vec();
        reverse_characters(&mut line);
        line
    }

    #[test]
    fn characters_keep_their_bytes_in_order() {
        assert_eq!(reversed(b"abc"), b"cba");
        assert_eq!(reversed("héllo 日本".as_bytes()), "本日 olléh".as_bytes());
        assert_eq!(reversed("a😀b".as_bytes()), "b😀a".as_bytes());
    }

    #[test]
    fn bytes_that_are_no_text_are_turned_around_as_well() {
        assert_eq!(reversed(b"a\xffb"), b"b\xffa");
        assert_eq!(reversed(b"\xc3x"), b"x\xc3");
    }
}
