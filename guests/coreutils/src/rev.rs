//! `rev`: prints the characters of every line in reverse order, as util-linux's does.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, Command};

use super::{Arguments, complain, parse};

const TOOL: &str = "rev";

fn command() -> Command {
    Command::new(TOOL)
        .version("(codepod)")
        .about("Print the characters of every line in reverse order.")
        .override_usage("rev [OPTION]... [FILE]...")
        .infer_long_args(true)
        .arg(
            Arg::new("zero")
                .short('0')
                .long("zero")
                .help("lines end with NUL instead of newline")
                .action(ArgAction::SetTrue),
        )
        .arg(
            Arg::new("files")
                .action(ArgAction::Append)
                .default_value("-")
                .value_parser(ValueParser::os_string()),
        )
}

pub(super) fn main(arguments: Arguments) -> i32 {
    let matches = match parse(command(), arguments) {
        Ok(matches) => matches,
        Err(status) => return status,
    };
    let end = if matches.get_flag("zero") { 0 } else { b'\n' };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut status = 0;
    for name in matches.get_many::<OsString>("files").unwrap_or_default() {
        let result = open(name).and_then(|file| reverse(file, &mut out, end));
        if let Err(error) = result {
            let why = uucore::error::strip_errno(&error);
            let name = name.to_string_lossy();
            complain(TOOL, &format!("cannot open {name}: {why}"));
            status = 1;
        }
    }
    if let Err(error) = out.flush() {
        let why = uucore::error::strip_errno(&error);
        complain(TOOL, &format!("write error: {why}"));
        status = 1;
    }
    status
}

fn open(name: &OsStr) -> io::Result<Box<dyn Read>> {
    if name == "-" {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(File::open(name)?))
}

fn reverse(file: Box<dyn Read>, out: &mut impl Write, end: u8) -> io::Result<()> {
    let mut file = BufReader::new(file);
    let mut line = Vec::new();
    while file.read_until(end, &mut line)? > 0 {
        let ended = line.last() == Some(&end);
        if ended {
            line.pop();
        }
        reverse_characters(&mut line);
        if ended {
            line.push(end);
        }
        out.write_all(&line)?;
        line.clear();
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
