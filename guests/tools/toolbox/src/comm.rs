//! `comm`: compares two sorted files line by line.

use std::io;

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, complain_of, flag, long,
    quoted_text,
};

use crate::arguments::{help, version};
use crate::system;
use crate::text_input::{Input, finish, without_end};

#[derive(Clone, Copy)]
enum Key {
    Without(usize),
    Check,
    NoCheck,
    Delimiter,
    Total,
    Zero,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Without(0), b'1', ""),
    flag(Key::Without(1), b'2', ""),
    flag(Key::Without(2), b'3', ""),
    long(Key::Check, "check-order", Value::None),
    long(Key::NoCheck, "nocheck-order", Value::None),
    long(Key::Delimiter, "output-delimiter", Value::Required),
    long(Key::Total, "total", Value::None),
    flag(Key::Zero, b'z', "zero-terminated"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Whether lines that are not in order are a mistake.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Always, and it ends the tool.
    Always,
    /// Once there was a line without its equal.
    Unpaired,
    Never,
}

struct Settings {
    /// Which columns are printed: lines of the first file, of the second, and of both.
    columns: [bool; 3],
    check: Check,
    delimiter: Vec<u8>,
    total: bool,
    line_end: u8,
    files: [Vec<u8>; 2],
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let settings = match settings(tool, arguments) {
        Ok(settings) => settings,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut out = Output::new();
    let status = match compare(tool, &settings, &mut out) {
        Ok(status) => status,
        Err((name, error)) => {
            out.write_out();
            complain_of(tool, name, &system::io_message(&error));
            1
        }
    };
    finish(tool, &mut out, status)
}

fn settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let (mut columns, mut check, mut total) = ([true; 3], Check::Unpaired, false);
    let (mut delimiter, mut line_end) = (None::<Vec<u8>>, b'\n');
    let operands = Options::new(TABLE, arguments).each(|key, value| {
        match key {
            Key::Without(column) => columns[column] = false,
            Key::Check => check = Check::Always,
            Key::NoCheck => check = Check::Never,
            Key::Delimiter => {
                if delimiter.is_some() && delimiter != value {
                    return Err(Stop::failed("multiple output delimiters specified"));
                }
                delimiter = value;
            }
            Key::Total => total = true,
            Key::Zero => line_end = 0,
            Key::Help => {
                let about = "Compare sorted files FILE1 and FILE2 line by line.";
                let status = help(tool, "[OPTION]... FILE1 FILE2", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    let mut delimiter = delimiter.unwrap_or_else(|| b"\t".to_vec());
    if delimiter.is_empty() {
        // GNU's means a NUL by it.
        delimiter.push(0);
    }
    Ok(Settings {
        columns,
        check,
        delimiter,
        total,
        line_end,
        files: two_files(operands)?,
    })
}

/// The two operands that `comm` and `join` need.
pub(crate) fn two_files(operands: Arguments) -> Result<[Vec<u8>; 2], Usage> {
    let wrong = |what: &str, operand: &[u8]| {
        let message = [what.as_bytes(), b" ", &quoted_text(operand)].concat();
        Err(Usage::new(message))
    };
    match &operands[..] {
        [] => Err(Usage::new("missing operand")),
        [only] => wrong("missing operand after", only),
        [first, second] => Ok([first.clone(), second.clone()]),
        [_, _, extra, ..] => wrong("extra operand", extra),
    }
}

/// The files that are compared. Both may be standard input, of which each takes lines in turn.
struct Sources {
    inputs: Vec<Input>,
    line_end: u8,
    lines: [Lines; 2],
}

/// The line of a file that is compared next, and the two before it.
#[derive(Default)]
struct Lines {
    next: Option<Vec<u8>>,
    last: Option<Vec<u8>>,
    /// The line before `last`.
    earlier: Option<Vec<u8>>,
}

impl Sources {
    /// Goes on to the next line of a file.
    fn advance(&mut self, file: usize) -> io::Result<()> {
        let input = file.min(self.inputs.len() - 1);
        let lines = &mut self.lines[file];
        let spare = std::mem::replace(&mut lines.earlier, lines.last.take());
        lines.last = lines.next.take();
        if let Some(record) = self.inputs[input].record(self.line_end)? {
            let mut line = spare.unwrap_or_default();
            line.clear();
            line.extend_from_slice(without_end(record, self.line_end));
            lines.next = Some(line);
        }
        Ok(())
    }
}

impl Lines {
    /// Whether the newest two lines are not in order. At the end of a file these are two that
    /// were looked at before, perhaps when it did not matter yet.
    fn out_of_order(&self) -> bool {
        match (&self.earlier, &self.last, &self.next) {
            (_, Some(last), Some(next)) => last > next,
            (Some(earlier), Some(last), None) => earlier > last,
            _ => false,
        }
    }
}

/// An error of a file, with its name.
type Failure<'a> = (&'a [u8], io::Error);

/// Compares the files and prints the columns. Returns the status.
fn compare<'a>(tool: &str, settings: &'a Settings, out: &mut Output) -> Result<i32, Failure<'a>> {
    let of = |file: usize| move |error| (&settings.files[file][..], error);
    let mut sources = Sources {
        inputs: Vec::new(),
        line_end: settings.line_end,
        lines: Default::default(),
    };
    let shared = settings.files.iter().all(|name| name == b"-");
    for (file, name) in settings.files.iter().enumerate() {
        if file == 0 || !shared {
            sources.inputs.push(Input::open(name).map_err(of(file))?);
        }
        sources.advance(file).map_err(of(file))?;
    }
    let mut counts = [0u64; 3];
    let (mut unpaired, mut warned) = (false, [false; 2]);
    while !out.is_broken() {
        let column = match (&sources.lines[0].next, &sources.lines[1].next) {
            (None, None) => break,
            (Some(_), None) => 0,
            (None, Some(_)) => 1,
            (Some(left), Some(right)) => match left.cmp(right) {
                std::cmp::Ordering::Less => 0,
                std::cmp::Ordering::Greater => 1,
                std::cmp::Ordering::Equal => 2,
            },
        };
        unpaired |= column < 2;
        counts[column] += 1;
        let line = &sources.lines[column % 2].next;
        print(settings, column, line.as_deref().unwrap_or_default(), out);
        for (file, warned) in warned.iter_mut().enumerate() {
            if column != 2 && column != file {
                continue;
            }
            sources.advance(file).map_err(of(file))?;
            let matters =
                settings.check == Check::Always || settings.check == Check::Unpaired && unpaired;
            if matters && !*warned && sources.lines[file].out_of_order() {
                out.write_out();
                complain(tool, format!("file {} is not in sorted order", file + 1));
                if settings.check == Check::Always {
                    return Ok(1);
                }
                *warned = true;
            }
        }
    }
    if settings.total {
        for count in counts {
            out.put(count.to_string().as_bytes());
            // The NUL that stands for an empty delimiter is left out here, as GNU does.
            if settings.delimiter != [0] {
                out.put(&settings.delimiter);
            }
        }
        out.put(b"total");
        out.put_byte(settings.line_end);
    }
    if warned.contains(&true) {
        out.write_out();
        complain(tool, "input is not in sorted order");
        return Ok(1);
    }
    Ok(0)
}

fn print(settings: &Settings, column: usize, line: &[u8], out: &mut Output) {
    if settings.columns[column] {
        for _ in settings.columns[..column].iter().filter(|shown| **shown) {
            out.put(&settings.delimiter);
        }
        out.put(line);
        out.put_byte(settings.line_end);
    }
}
