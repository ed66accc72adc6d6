//! `strings`: the printable runs in files.

use codepod_tool::{Arguments, Opt, Options, Output, Stop, Value, complain, flag, long, value};

use crate::files;

#[derive(Debug, Clone, Copy)]
enum Key {
    All,
    FileName,
    Bytes,
    Radix,
    Octal,
    Encoding,
    Whitespace,
    Separator,
    Digit(u8),
    Help,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::All, b'a', "all"),
    flag(Key::FileName, b'f', "print-file-name"),
    value(Key::Bytes, b'n', "bytes"),
    value(Key::Radix, b't', "radix"),
    flag(Key::Octal, b'o', ""),
    value(Key::Encoding, b'e', "encoding"),
    flag(Key::Whitespace, b'w', "include-all-whitespace"),
    value(Key::Separator, b's', "output-separator"),
    flag(Key::Digit(0), b'0', ""),
    flag(Key::Digit(1), b'1', ""),
    flag(Key::Digit(2), b'2', ""),
    flag(Key::Digit(3), b'3', ""),
    flag(Key::Digit(4), b'4', ""),
    flag(Key::Digit(5), b'5', ""),
    flag(Key::Digit(6), b'6', ""),
    flag(Key::Digit(7), b'7', ""),
    flag(Key::Digit(8), b'8', ""),
    flag(Key::Digit(9), b'9', ""),
    long(Key::Help, "help", Value::None),
];

/// What the arguments ask for.
struct Settings {
    /// The length of the shortest run that is printed.
    least: usize,
    file_names: bool,
    /// The radix of the offsets before the runs: `o`, `d` or `x`.
    radix: Option<char>,
    whitespace: bool,
    /// Whether bytes from 128 are printable.
    high: bool,
    separator: Vec<u8>,
    inputs: Vec<Vec<u8>>,
}

/// strings as a tool.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match settings(arguments) {
        Ok(settings) => run(name, &settings),
        Err(stop) => stop.report(name, 1),
    }
}

fn settings(arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings {
        least: 4,
        file_names: false,
        radix: None,
        whitespace: false,
        high: false,
        separator: b"\n".to_vec(),
        inputs: Vec::new(),
    };
    let mut digits = None::<usize>;
    let inputs = Options::new(TABLE, arguments).each(|key, value| {
        let value = value.unwrap_or_default();
        match key {
            Key::Digit(digit) => digits = Some(digits.unwrap_or(0) * 10 + usize::from(digit)),
            _ => settings.take(key, value)?,
        }
        Ok(())
    });
    settings.inputs = inputs.map_err(|stop| match stop {
        // There is no hint to `--help`.
        Stop::Usage(usage) => Stop::Failed(usage.message),
        other => other,
    })?;
    if let Some(least) = digits.filter(|digits| *digits > 0) {
        settings.least = least;
    }
    Ok(settings)
}

impl Settings {
    fn take(&mut self, key: Key, value: Vec<u8>) -> Result<(), Stop> {
        let text = String::from_utf8_lossy(&value).into_owned();
        match key {
            Key::All | Key::Digit(_) => {}
            Key::FileName => self.file_names = true,
            Key::Bytes => match text.parse::<usize>() {
                Ok(0) => return Err(Stop::failed("invalid minimum string length 0")),
                Ok(number) => self.least = number,
                Err(_) => return Err(Stop::failed(format!("invalid integer argument {text}"))),
            },
            Key::Radix => match text.as_str() {
                "o" | "d" | "x" => self.radix = text.chars().next(),
                _ => return Err(Stop::failed(format!("invalid radix {text}"))),
            },
            Key::Octal => self.radix = Some('o'),
            Key::Encoding => match text.as_str() {
                "s" => {}
                "S" => self.high = true,
                "b" | "B" | "l" | "L" => {
                    return Err(Stop::failed(format!("encoding {text} is not supported")));
                }
                _ => return Err(Stop::failed(format!("invalid encoding {text}"))),
            },
            Key::Whitespace => self.whitespace = true,
            Key::Separator => self.separator = value,
            Key::Help => {
                return Err(Stop::Status(files::print(
                    "Usage: strings [-af] [-n NUMBER] [-t {o,d,x}] [-e {s,S}] [-s TEXT] [-w] [FILE]...\n",
                )));
            }
        }
        Ok(())
    }

    fn is_printable(&self, byte: u8) -> bool {
        (0x20..0x7f).contains(&byte)
            || byte == b'\t'
            || (self.high && byte >= 0x80)
            || (self.whitespace && byte.is_ascii_whitespace())
    }
}

fn run(name: &str, settings: &Settings) -> i32 {
    let mut out = Output::new();
    let mut status = 0;
    if settings.inputs.is_empty() {
        match files::stdin() {
            Ok(data) => print(&data, "{standard input}", settings, &mut out),
            Err(error) => status = failed(name, "-", &error),
        }
    }
    for input in &settings.inputs {
        let shown = String::from_utf8_lossy(input);
        match files::read(input) {
            Ok(data) => print(&data, &shown, settings, &mut out),
            Err(error) => {
                out.write_out();
                status = failed(name, &shown, &error);
            }
        }
    }
    if out.finish().is_err() { 1 } else { status }
}

/// Says why a file could not be read. Returns the status.
fn failed(name: &str, shown: &str, error: &std::io::Error) -> i32 {
    let message = match error.kind() {
        std::io::ErrorKind::NotFound => format!("'{shown}': No such file"),
        std::io::ErrorKind::IsADirectory => format!("Warning: '{shown}' is a directory"),
        _ => format!("{shown}: {}", files::why(error)),
    };
    complain(name, message);
    1
}

/// Prints the runs of a file, which `label` is the name of.
fn print(data: &[u8], label: &str, settings: &Settings, out: &mut Output) {
    let mut at = 0;
    while at < data.len() {
        let length = data[at..]
            .iter()
            .take_while(|byte| settings.is_printable(**byte))
            .count();
        if length >= settings.least {
            if settings.file_names {
                out.put(format!("{label}: ").as_bytes());
            }
            match settings.radix {
                Some('o') => out.put(format!("{at:7o} ").as_bytes()),
                Some('d') => out.put(format!("{at:7} ").as_bytes()),
                Some(_) => out.put(format!("{at:7x} ").as_bytes()),
                None => {}
            }
            out.put(&data[at..at + length]);
            out.put(&settings.separator);
        }
        at += length.max(1);
    }
}
