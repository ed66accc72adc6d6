//! `fold`: breaks lines that are too long.

use std::io::{self, BufReader};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, complain_of, flag, long, path,
    quoted_text, value,
};

use crate::arguments::{help, version};
use crate::system;

/// Where lines are broken unless something else is asked for.
const WIDTH: usize = 80;
/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    Bytes,
    Spaces,
    Width,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Bytes, b'b', "bytes"),
    flag(Key::Spaces, b's', "spaces"),
    value(Key::Width, b'w', "width"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

struct Fold {
    bytes: bool,
    spaces: bool,
    width: usize,
    /// What of the line is not printed yet.
    line: Vec<u8>,
    column: usize,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut fold = Fold {
        bytes: false,
        spaces: false,
        width: WIDTH,
        line: Vec::new(),
        column: 0,
    };
    let mut options = Options::new(TABLE, old_widths(arguments));
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Bytes => fold.bytes = true,
                Key::Spaces => fold.spaces = true,
                Key::Width => {
                    let text = value.unwrap_or_default();
                    let number = std::str::from_utf8(&text)
                        .ok()
                        .and_then(|text| text.parse().ok());
                    match number {
                        Some(width @ 1..) => fold.width = width,
                        _ => {
                            let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
                            let why: &[u8] = match number {
                                Some(_) => b": Numerical result out of range",
                                None if is_number => b": Value too large for defined data type",
                                None => b"",
                            };
                            let start = b"invalid number of columns: ";
                            complain(tool, [&start[..], &quoted_text(&text), why].concat());
                            return 1;
                        }
                    }
                }
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Wrap input lines in each FILE, writing to standard output.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if operands.is_empty() {
        operands.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let mut status = 0;
    for name in operands {
        if let Err(error) = fold.file(&name, &mut out) {
            out.write_out();
            complain_of(tool, &name, &system::io_message(&error));
            status = 1;
        }
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

/// `-N` as `-w N`, as it was once written.
fn old_widths(arguments: Arguments) -> Arguments {
    let mut all = Vec::with_capacity(arguments.len());
    let mut operands = false;
    for argument in arguments {
        operands |= argument == b"--";
        match &argument[..] {
            [b'-', digits @ ..]
                if !operands && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit) =>
            {
                all.push([b"-w", digits].concat());
            }
            _ => all.push(argument),
        }
    }
    all
}

impl Fold {
    fn file(&mut self, name: &[u8], out: &mut Output) -> io::Result<()> {
        let result = match name {
            b"-" => self.read(&mut io::stdin().lock(), out),
            _ => self.read(
                &mut BufReader::with_capacity(BLOCK, std::fs::File::open(path(name))?),
                out,
            ),
        };
        out.put(&self.line);
        self.line.clear();
        self.column = 0;
        result
    }

    fn read(&mut self, file: &mut dyn io::BufRead, out: &mut Output) -> io::Result<()> {
        loop {
            let block = match file.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            };
            if block.is_empty() || out.is_broken() {
                return Ok(());
            }
            let count = block.len();
            block.iter().for_each(|byte| self.byte(*byte, out));
            file.consume(count);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Output) {
        if byte == b'\n' {
            self.line.push(byte);
            out.put(&self.line);
            self.line.clear();
            self.column = 0;
            return;
        }
        loop {
            let column = self.behind(self.column, byte);
            if column <= self.width || self.line.is_empty() {
                self.column = column;
                self.line.push(byte);
                return;
            }
            let blank = self
                .line
                .iter()
                .rposition(|byte| matches!(byte, b' ' | b'\t'));
            match blank.filter(|_| self.spaces) {
                Some(blank) => {
                    out.put(&self.line[..=blank]);
                    out.put_byte(b'\n');
                    self.line.drain(..=blank);
                    self.column = self
                        .line
                        .iter()
                        .fold(0, |column, byte| self.behind(column, *byte));
                }
                None => {
                    out.put(&self.line);
                    out.put_byte(b'\n');
                    self.line.clear();
                    self.column = 0;
                }
            }
        }
    }

    /// The column behind a byte that stands at one.
    fn behind(&self, column: usize, byte: u8) -> usize {
        match byte {
            _ if self.bytes => column + 1,
            8 => column.saturating_sub(1),
            b'\r' => 0,
            b'\t' => (column | 7) + 1,
            _ => column + 1,
        }
    }
}
