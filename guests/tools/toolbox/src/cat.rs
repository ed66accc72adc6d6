//! `cat`: prints files one after another.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Value, complain, complain_of, flag, long, path,
};

use crate::arguments::{help, version};
use crate::system::{self, Links};

/// How much is read at once.
const BLOCK: usize = 64 << 10;

#[derive(Clone, Copy)]
enum Key {
    All,
    NonBlank,
    EndsNonPrinting,
    Ends,
    Number,
    Squeeze,
    TabsNonPrinting,
    Tabs,
    Unbuffered,
    NonPrinting,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'A', "show-all"),
    flag(Key::NonBlank, b'b', "number-nonblank"),
    flag(Key::EndsNonPrinting, b'e', ""),
    flag(Key::Ends, b'E', "show-ends"),
    flag(Key::Number, b'n', "number"),
    flag(Key::Squeeze, b's', "squeeze-blank"),
    flag(Key::TabsNonPrinting, b't', ""),
    flag(Key::Tabs, b'T', "show-tabs"),
    flag(Key::Unbuffered, b'u', ""),
    flag(Key::NonPrinting, b'v', "show-nonprinting"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

#[derive(Default)]
struct Cat {
    number: bool,
    only_non_blank: bool,
    ends: bool,
    tabs: bool,
    non_printing: bool,
    squeeze: bool,
    line: u64,
    /// Newlines since the last other byte, at most two; a file begins as after one.
    newlines: u32,
    /// A carriage return that waits to be seen at a line's end.
    carriage: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let mut cat = Cat {
        newlines: 1,
        ..Cat::default()
    };
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, _))) => match key {
                Key::All => (cat.non_printing, cat.ends, cat.tabs) = (true, true, true),
                Key::NonBlank => (cat.number, cat.only_non_blank) = (true, true),
                Key::EndsNonPrinting => (cat.non_printing, cat.ends) = (true, true),
                Key::Ends => cat.ends = true,
                Key::Number => cat.number = true,
                Key::Squeeze => cat.squeeze = true,
                Key::TabsNonPrinting => (cat.non_printing, cat.tabs) = (true, true),
                Key::Tabs => cat.tabs = true,
                Key::Unbuffered => {}
                Key::NonPrinting => cat.non_printing = true,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [FILE]...",
                        "Concatenate FILE(s) to standard output.",
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
    for operand in operands {
        if let Err(message) = cat.file(&operand, &mut out) {
            out.write_out();
            complain_of(tool, &operand, &message);
            status = 1;
        }
        if out.is_broken() {
            break;
        }
    }
    if cat.carriage {
        out.put_byte(b'\r');
    }
    if let Err(error) = out.finish() {
        complain(tool, format!("write error: {}", system::io_message(&error)));
        return 1;
    }
    status
}

impl Cat {
    fn file(&mut self, name: &[u8], out: &mut Output) -> Result<(), String> {
        let input: Box<dyn io::Read> = if name == b"-" {
            Box::new(io::stdin().lock())
        } else {
            if is_output(name) {
                return Err("input file is output file".into());
            }
            let file = File::open(path(name)).map_err(|error| system::io_message(&error))?;
            Box::new(file)
        };
        let plain = !(self.number || self.ends || self.tabs || self.non_printing || self.squeeze);
        let mut input = BufReader::with_capacity(BLOCK, input);
        loop {
            let text = match input.fill_buf() {
                Ok([]) => return Ok(()),
                Ok(text) => text,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(system::io_message(&error)),
            };
            if plain {
                out.put(text)
            } else {
                self.show(text, out)
            }
            let count = text.len();
            input.consume(count);
            // What was read is to be seen before more is waited for.
            if count < BLOCK {
                let _ = out.flush();
            }
            if out.is_broken() {
                return Ok(());
            }
        }
    }

    fn show(&mut self, bytes: &[u8], out: &mut Output) {
        for &byte in bytes {
            if byte == b'\n' {
                if self.newlines >= 1 {
                    self.newlines += 1;
                    if self.squeeze && self.newlines > 2 {
                        continue;
                    }
                    if self.number && !self.only_non_blank {
                        self.line += 1;
                        out.put(format!("{:6}\t", self.line).as_bytes());
                    }
                } else {
                    self.newlines = 1;
                }
                if self.carriage {
                    self.carriage = false;
                    out.put(if self.ends { b"^M" } else { b"\r" });
                }
                if self.ends {
                    out.put_byte(b'$');
                }
                out.put_byte(b'\n');
                continue;
            }
            if self.newlines > 0 {
                self.newlines = 0;
                if self.number {
                    self.line += 1;
                    out.put(format!("{:6}\t", self.line).as_bytes());
                }
            }
            if self.carriage {
                self.carriage = false;
                out.put_byte(b'\r');
            }
            self.byte(byte, out);
        }
    }

    fn byte(&mut self, byte: u8, out: &mut Output) {
        match byte {
            b'\t' if self.tabs => out.put(b"^I"),
            b'\t' => out.put_byte(b'\t'),
            b'\r' if self.ends && !self.non_printing => self.carriage = true,
            _ if !self.non_printing => out.put_byte(byte),
            _ => {
                let low = byte & 0x7f;
                if byte >= 0x80 {
                    out.put(b"M-");
                }
                match low {
                    0..=31 => out.put(&[b'^', low + 64]),
                    127 => out.put(b"^?"),
                    _ => out.put_byte(low),
                }
            }
        }
    }
}

/// Whether a file is what standard output goes to, and would be read for ever.
fn is_output(name: &[u8]) -> bool {
    let (Ok(own), Ok(out)) = (system::stat(name, Links::Follow), system::stat_output()) else {
        return false;
    };
    let regular = own.mode & system::mode::TYPE_MASK == system::mode::REGULAR;
    regular && own.size > 0 && (own.dev, own.ino) == (out.dev, out.ino)
}
