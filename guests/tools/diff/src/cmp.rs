//! cmp: whether two files are the same, byte by byte.

use std::fs::File;
use std::io::{self, Read};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, flag, io_text, long, path, value,
};

use crate::arguments::usage;

/// How much is read at once.
const BLOCK: usize = 64 << 10;

const HELP: u8 = 1;
const TABLE: &[Opt<u8>] = &[
    flag(b'b', b'b', "print-bytes"),
    value(b'i', b'i', "ignore-initial"),
    flag(b'l', b'l', "verbose"),
    value(b'n', b'n', "bytes"),
    flag(b's', b's', "quiet"),
    flag(b's', b's', "silent"),
    flag(b'v', b'v', "version"),
    long(HELP, "help", Value::None),
];

/// What was asked for.
#[derive(Debug, Default)]
struct Asked {
    bytes: bool,
    all: bool,
    silent: bool,
    limit: Option<u64>,
    skip: [u64; 2],
    names: Vec<Vec<u8>>,
}

/// Runs cmp and returns its status.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let asked = match parse(tool, arguments) {
        Ok(asked) => asked,
        Err(status) => return status,
    };
    let name = &asked.names[0];
    if *name == asked.names[1]
        && asked.skip[0] == asked.skip[1]
        && (name == b"-" || std::fs::File::open(codepod_tool::path(name)).is_ok())
    {
        return 0;
    }
    let mut out = Output::new();
    let status = compare(tool, &asked, &mut out);
    match out.finish() {
        Ok(()) => status,
        Err(error) => {
            complain(tool, format!("write failed: {}", io_text(&error)));
            2
        }
    }
}

fn parse(tool: &str, arguments: Arguments) -> Result<Asked, i32> {
    let mut asked = Asked::default();
    let mut options = Options::new(TABLE, arguments);
    loop {
        match options.next() {
            Err(mistake) => return Err(usage(tool, &mistake.message)),
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => asked.names.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let text = value.unwrap_or_default();
                match key {
                    b'b' => asked.bytes = true,
                    b'l' => asked.all = true,
                    b's' => asked.silent = true,
                    b'n' => asked.limit = Some(number(tool, &text, "--bytes value")?),
                    b'i' => {
                        let (first, second) = match text.iter().position(|byte| *byte == b':') {
                            Some(at) => (&text[..at], &text[at + 1..]),
                            None => (&text[..], &text[..]),
                        };
                        asked.skip = [
                            number(tool, first, "--ignore-initial value")?,
                            number(tool, second, "--ignore-initial value")?,
                        ];
                    }
                    b'v' => return Err(print("cmp (codepod), as GNU diffutils 3.8\n")),
                    _ => {
                        let text = "Usage: cmp [-b] [-l | -s] [-i SKIP[:SKIP]] [-n LIMIT] FILE1 [FILE2 [SKIP1 [SKIP2]]]\n";
                        return Err(print(text));
                    }
                }
            }
        }
    }
    if asked.all && asked.silent {
        return Err(usage(tool, "options -l and -s are incompatible"));
    }
    if asked.names.is_empty() {
        return Err(usage(tool, "missing operand after 'cmp'"));
    }
    if asked.names.len() == 1 {
        asked.names.push(b"-".to_vec());
    }
    if asked.names.len() > 4 {
        let extra = String::from_utf8_lossy(&asked.names[4]).into_owned();
        return Err(usage(tool, format!("extra operand '{extra}'")));
    }
    for (at, text) in asked.names.split_off(2).into_iter().enumerate() {
        asked.skip[at] = number(tool, &text, "--ignore-initial value")?;
    }
    Ok(asked)
}

fn number(tool: &str, text: &[u8], what: &str) -> Result<u64, i32> {
    let shown = String::from_utf8_lossy(text).into_owned();
    let digits = shown.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &shown[digits.len()..] {
        "" => Some(1),
        "kB" => Some(1000),
        "k" | "K" | "KiB" => Some(1 << 10),
        "MB" => Some(1_000_000),
        "M" | "MiB" => Some(1 << 20),
        "GB" => Some(1_000_000_000),
        "G" | "GiB" => Some(1 << 30),
        _ => None,
    };
    match (digits.parse::<u64>().ok(), unit) {
        (Some(number), Some(unit)) => Ok(number.saturating_mul(unit)),
        _ => Err(usage(tool, format!("invalid {what} '{shown}'"))),
    }
}

fn print(text: &str) -> i32 {
    // The status says enough where nothing can be written.
    i32::from(io::Write::write_all(&mut io::stdout(), text.as_bytes()).is_err()) * 2
}

/// A file that is read in blocks.
struct Source {
    source: Box<dyn Read>,
    buffer: Vec<u8>,
    at: usize,
    size: Option<u64>,
}

impl Source {
    fn open(name: &[u8], skip: u64) -> io::Result<Source> {
        let (source, size): (Box<dyn Read>, Option<u64>) = match name {
            b"-" => (Box::new(io::stdin()), None),
            _ => {
                let file = File::open(path(name))?;
                let size = file
                    .metadata()
                    .ok()
                    .filter(std::fs::Metadata::is_file)
                    .map(|metadata| metadata.len());
                (Box::new(file), size)
            }
        };
        let mut source = Source {
            source,
            buffer: Vec::new(),
            at: 0,
            size,
        };
        let mut left = skip;
        while left > 0 && source.fill()? > 0 {
            let take = left.min((source.buffer.len() - source.at) as u64);
            source.at += take as usize;
            left -= take;
        }
        Ok(source)
    }

    /// How much can be looked at; 0 at the end.
    fn fill(&mut self) -> io::Result<usize> {
        if self.at >= self.buffer.len() {
            self.buffer.resize(BLOCK, 0);
            let count = loop {
                match self.source.read(&mut self.buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    result => break result?,
                }
            };
            self.buffer.truncate(count);
            self.at = 0;
        }
        Ok(self.buffer.len() - self.at)
    }
}

fn compare(tool: &str, asked: &Asked, out: &mut Output) -> i32 {
    let mut sources = Vec::new();
    for (name, skip) in asked.names.iter().zip(asked.skip) {
        match Source::open(name, skip) {
            Ok(source) => sources.push(source),
            Err(error) => {
                if !asked.silent {
                    complain(
                        tool,
                        [&name[..], b": ", io_text(&error).as_bytes()].concat(),
                    );
                }
                return 2;
            }
        }
    }
    // Numbers are as wide as the shorter file's size.
    let sizes = sources.iter().filter_map(|source| source.size);
    let width = sizes.min().map_or(19, |size| {
        size.min(asked.limit.unwrap_or(u64::MAX)).to_string().len()
    });
    let (mut place, mut line, mut differs, mut last) = (0u64, 1u64, false, b'\n');
    loop {
        let mut rooms = [0; 2];
        for (at, source) in sources.iter_mut().enumerate() {
            match source.fill() {
                Ok(room) => rooms[at] = room,
                Err(error) => {
                    if !asked.silent {
                        complain(
                            tool,
                            [&asked.names[at][..], b": ", io_text(&error).as_bytes()].concat(),
                        );
                    }
                    return 2;
                }
            }
        }
        let left = asked
            .limit
            .map_or(u64::MAX, |limit| limit - place.min(limit));
        let count = (rooms[0].min(rooms[1]) as u64).min(left) as usize;
        if count == 0 {
            if left == 0 || rooms == [0, 0] {
                return i32::from(differs);
            }
            let short = usize::from(rooms[1] == 0);
            if !asked.silent {
                out.write_out();
                complain(
                    tool,
                    end_message(&asked.names[short], place, line, last, asked.all),
                );
            }
            return 1;
        }
        let (one, other) = (
            &sources[0].buffer[sources[0].at..][..count],
            &sources[1].buffer[sources[1].at..][..count],
        );
        if one == other {
            line += memchr::memchr_iter(b'\n', one).count() as u64;
            place += count as u64;
            last = one[count - 1];
        } else {
            for (left, right) in one.iter().zip(other) {
                place += 1;
                if left != right {
                    if asked.silent {
                        return 1;
                    }
                    differs = true;
                    if !asked.all {
                        difference(asked, place, line, (*left, *right), out);
                        return 1;
                    }
                    let text = match asked.bytes {
                        true => format!(
                            "{place:width$} {left:3o} {:<4} {right:3o} {}\n",
                            shown(*left),
                            shown(*right)
                        ),
                        false => format!("{place:width$} {left:3o} {right:3o}\n"),
                    };
                    out.put(text.as_bytes());
                }
                line += u64::from(*left == b'\n');
                last = *left;
            }
        }
        sources.iter_mut().for_each(|source| source.at += count);
    }
}

fn difference(asked: &Asked, place: u64, line: u64, (left, right): (u8, u8), out: &mut Output) {
    out.put(&[&asked.names[0][..], b" ", &asked.names[1], b" differ: "].concat());
    let text = match asked.bytes {
        true => format!(
            "byte {place}, line {line} is {left:3o} {} {right:3o} {}\n",
            shown(left),
            shown(right)
        ),
        false => format!("byte {place}, line {line}\n"),
    };
    out.put(text.as_bytes());
}

fn end_message(name: &[u8], place: u64, line: u64, last: u8, all: bool) -> Vec<u8> {
    let text = match (place, all, last) {
        (0, ..) => " which is empty".to_owned(),
        (_, true, _) => format!(" after byte {place}"),
        (_, _, b'\n') => format!(" after byte {place}, line {}", line - 1),
        _ => format!(" after byte {place}, in line {line}"),
    };
    [b"EOF on ", name, text.as_bytes()].concat()
}

/// A byte as `cat -v` shows it.
fn shown(byte: u8) -> String {
    let mut text = String::new();
    let mut byte = byte;
    if byte >= 128 {
        text.push_str("M-");
        byte -= 128;
    }
    match byte {
        127 => text.push_str("^?"),
        0..=31 => {
            text.push('^');
            text.push(char::from(byte + 64));
        }
        _ => text.push(char::from(byte)),
    }
    text
}
