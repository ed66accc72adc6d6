//! `head`: prints the first lines or bytes of files. Ours because it stands in most pipelines and
//! must start at once.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Stdin, Usage, Value, complain, flag, long, path,
    quoted, value,
};

use crate::arguments::{help, version};
use crate::{count, system};

/// How much is read at once. As much as GNU's reads, so that the same is left in a pipe for whoever
/// reads next.
const BLOCK: usize = 8 << 10;

#[derive(Clone, Copy)]
enum Key {
    Bytes,
    Lines,
    Quiet,
    Verbose,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    value(Key::Bytes, b'c', "bytes"),
    value(Key::Lines, b'n', "lines"),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Quiet, "silent", Value::None),
    flag(Key::Verbose, b'v', "verbose"),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// How much of a file is printed.
#[derive(Clone, Copy)]
enum Part {
    Lines(u64),
    Bytes(u64),
    AllButLines(u64),
    AllButBytes(u64),
}

impl Part {
    /// The part that the value of `-n` or `-c` asks for.
    fn parse(text: &[u8], lines: bool) -> Result<Part, Vec<u8>> {
        let what = if lines { "lines" } else { "bytes" };
        let (all_but, digits) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let number = count::parse(digits, what)?;
        Ok(match (lines, all_but) {
            (true, false) => Part::Lines(number),
            (false, false) => Part::Bytes(number),
            (true, true) => Part::AllButLines(number),
            (false, true) => Part::AllButBytes(number),
        })
    }
}

struct Head {
    part: Part,
    line_end: u8,
    /// Whether names are printed; none: where there are several files.
    headers: Option<bool>,
}

/// Runs it.
pub(crate) fn main(tool: &str, mut arguments: Arguments) -> i32 {
    let mut head = Head {
        part: Part::Lines(10),
        line_end: b'\n',
        headers: None,
    };
    if let Some(first) = arguments.first()
        && first.len() > 1
        && first[0] == b'-'
        && first[1].is_ascii_digit()
    {
        let first = arguments.remove(0);
        match head.old_form(&first[1..]) {
            Ok(()) => {}
            Err(Mistake::Letter(letter)) => return bad_trailer(tool, letter),
            Err(Mistake::Number(message)) => {
                complain(tool, message);
                return 1;
            }
        }
    }
    let mut options = Options::new(TABLE, arguments);
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Bytes | Key::Lines => {
                    let text = value.unwrap_or_default();
                    match Part::parse(&text, matches!(key, Key::Lines)) {
                        Ok(part) => head.part = part,
                        Err(message) => {
                            complain(tool, message);
                            return 1;
                        }
                    }
                }
                Key::Quiet => head.headers = Some(false),
                Key::Verbose => head.headers = Some(true),
                Key::Zero => head.line_end = 0,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Print the first 10 lines of each FILE to standard output.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => {
                return match usage.message.strip_prefix(b"invalid option -- '") {
                    Some([digit, b'\'']) if digit.is_ascii_digit() => bad_trailer(tool, *digit),
                    _ => usage.report(tool, 1),
                };
            }
        }
    }
    head.files(tool, operands)
}

fn bad_trailer(tool: &str, letter: u8) -> i32 {
    Usage::new([&b"invalid trailing option -- "[..], &[letter]].concat()).report(tool, 1)
}

/// What is wrong with `-NUM…`.
enum Mistake {
    Letter(u8),
    Number(Vec<u8>),
}

impl Head {
    /// Reads `-NUM` with its letters, as it was written before `-n` was there.
    fn old_form(&mut self, text: &[u8]) -> Result<(), Mistake> {
        let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, letters) = text.split_at(digits);
        let (mut lines, mut unit) = (true, None);
        for &letter in letters {
            match letter {
                b'c' => (lines, unit) = (false, None),
                b'b' | b'k' | b'm' => (lines, unit) = (false, Some(letter)),
                b'l' => lines = true,
                b'q' => self.headers = Some(false),
                b'v' => self.headers = Some(true),
                b'z' => self.line_end = 0,
                _ => return Err(Mistake::Letter(letter)),
            }
        }
        let text = [digits, unit.as_slice()].concat();
        self.part = Part::parse(&text, lines).map_err(Mistake::Number)?;
        Ok(())
    }

    fn files(&self, tool: &str, mut operands: Vec<Vec<u8>>) -> i32 {
        if operands.is_empty() {
            operands.push(b"-".to_vec());
        }
        let headers = self.headers.unwrap_or(operands.len() > 1);
        let mut out = Output::new();
        if system::is_terminal(1) {
            out = out.by_line();
        }
        let (mut status, mut first) = (0, true);
        for operand in operands {
            let standard = operand == b"-";
            let opened: io::Result<Box<dyn Read>> = if standard {
                Ok(Box::new(Stdin))
            } else {
                File::open(path(&operand)).map(|file| Box::new(file) as Box<dyn Read>)
            };
            let mut fail = |out: &mut Output, what: [&[u8]; 2], error: &io::Error| {
                out.write_out();
                let name = if standard {
                    b"standard input"
                } else {
                    &operand[..]
                };
                let why = system::io_message(error);
                complain(
                    tool,
                    [what[0], &quoted(name), what[1], b": ", why.as_bytes()].concat(),
                );
                status = 1;
            };
            let mut input = match opened {
                Ok(input) => BufReader::with_capacity(BLOCK, input.take(self.most())),
                Err(error) => {
                    fail(&mut out, [b"cannot open ", b" for reading"], &error);
                    continue;
                }
            };
            if headers {
                let name: &[u8] = if standard {
                    b"standard input"
                } else {
                    &operand
                };
                out.put(if first { b"==> " } else { b"\n==> " });
                out.put(name);
                out.put(b" <==\n");
                first = false;
            }
            if let Err(error) = self.print(&mut input, &mut out) {
                fail(&mut out, [b"error reading ", b""], &error);
            }
            if standard {
                system::give_back(input.buffer().len());
            }
            if out.is_broken() {
                break;
            }
        }
        let what = if out.is_broken() {
            "error writing 'standard output'"
        } else {
            "write error"
        };
        if let Err(error) = out.finish() {
            complain(tool, format!("{what}: {}", system::io_message(&error)));
            return 1;
        }
        status
    }

    /// How many bytes are read at most.
    fn most(&self) -> u64 {
        match self.part {
            Part::Bytes(count) => count,
            _ => u64::MAX,
        }
    }

    fn print<R: Read>(&self, input: &mut BufReader<R>, out: &mut Output) -> io::Result<()> {
        match self.part {
            Part::Lines(count) => lines(input, count, self.line_end, out),
            Part::Bytes(count) => bytes(input, count, out),
            Part::AllButLines(0) | Part::AllButBytes(0) => bytes(input, u64::MAX, out),
            Part::AllButLines(count) => all_but_lines(input, count, self.line_end, out),
            Part::AllButBytes(count) => all_but_bytes(input, count, out),
        }
    }
}

/// What can be read next; empty at the end.
fn more<R: Read>(input: &mut BufReader<R>) -> io::Result<&[u8]> {
    loop {
        match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => {
                result?;
                return Ok(input.buffer());
            }
        }
    }
}

fn lines<R: Read>(
    input: &mut BufReader<R>,
    mut left: u64,
    line_end: u8,
    out: &mut Output,
) -> io::Result<()> {
    while left > 0 && !out.is_broken() {
        let text = more(input)?;
        if text.is_empty() {
            break;
        }
        let mut end = text.len();
        for found in memchr::memchr_iter(line_end, text) {
            left -= 1;
            if left == 0 {
                end = found + 1;
                break;
            }
        }
        out.put(&text[..end]);
        input.consume(end);
    }
    Ok(())
}

fn bytes<R: Read>(input: &mut BufReader<R>, mut left: u64, out: &mut Output) -> io::Result<()> {
    while left > 0 && !out.is_broken() {
        let text = more(input)?;
        if text.is_empty() {
            break;
        }
        let end = usize::try_from(left).map_or(text.len(), |left| text.len().min(left));
        out.put(&text[..end]);
        input.consume(end);
        left -= end as u64;
    }
    Ok(())
}

fn all_but_bytes<R: Read>(
    input: &mut BufReader<R>,
    count: u64,
    out: &mut Output,
) -> io::Result<()> {
    let keep = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held = Vec::new();
    while !out.is_broken() {
        let text = more(input)?;
        if text.is_empty() {
            break;
        }
        held.extend_from_slice(text);
        let length = text.len();
        input.consume(length);
        // Moving what is held costs what it holds: only where as much goes out.
        let ready = held.len().saturating_sub(keep);
        if ready >= keep.max(1) {
            out.put(&held[..ready]);
            held.drain(..ready);
        }
    }
    out.put(&held[..held.len().saturating_sub(keep)]);
    Ok(())
}

fn all_but_lines<R: Read>(
    input: &mut BufReader<R>,
    count: u64,
    line_end: u8,
    out: &mut Output,
) -> io::Result<()> {
    let keep = usize::try_from(count).unwrap_or(usize::MAX);
    let mut held: Vec<u8> = Vec::new();
    // Where the held lines end, counted from the start of the file, and how much of it is out.
    let mut ends = VecDeque::new();
    let (mut written, mut read) = (0u64, 0u64);
    while !out.is_broken() {
        let text = more(input)?;
        if text.is_empty() {
            break;
        }
        let mut ready = written;
        for found in memchr::memchr_iter(line_end, text) {
            ends.push_back(read + found as u64 + 1);
            if ends.len() > keep {
                ready = ends.pop_front().unwrap_or(ready);
            }
        }
        held.extend_from_slice(text);
        let length = text.len();
        input.consume(length);
        read += length as u64;
        let ready = (ready - written) as usize;
        out.put(&held[..ready]);
        held.drain(..ready);
        written += ready as u64;
    }
    // A last line without an end counts.
    if held.last().is_some_and(|last| *last != line_end)
        && ends.len() >= keep
        && let Some(end) = ends.front()
    {
        out.put(&held[..(end - written) as usize]);
    }
    Ok(())
}
