//! `less` and `more`: as `cat` where standard output is no terminal, a screen at a time where it
//! is.

use std::io::{BufRead as _, IsTerminal as _};

use codepod_tool::{Arguments, Output, Stop};

use crate::files;

/// What the arguments ask for.
#[derive(Default)]
struct Settings {
    numbers: bool,
    squeeze: bool,
    inputs: Vec<Vec<u8>>,
}

/// less and more as tools. Options that only change how a screen looks are taken.
pub(crate) fn main(name: &str, arguments: Arguments) -> i32 {
    match settings(name, arguments) {
        Ok(settings) => run(name, &settings),
        Err(stop) => stop.report(name, 1),
    }
}

fn settings(name: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut settings = Settings::default();
    let mut only_operands = false;
    for argument in arguments {
        match argument.as_slice() {
            b"--" if !only_operands => only_operands = true,
            b"--help" | b"-?" => {
                let usage = format!("Usage: {name} [-N] [-s] [FILE]...\n");
                return Err(Stop::Status(files::print(&usage)));
            }
            b"--version" | b"-V" => {
                let version = format!("{name} (codepod) 0.1.0\n");
                return Err(Stop::Status(files::print(&version)));
            }
            [b'-', b'-', ..] if !only_operands => {
                let shown = String::from_utf8_lossy(&argument);
                return Err(Stop::failed(format!("There is no {shown} option")));
            }
            [b'-', flags @ ..] if !only_operands && !flags.is_empty() => {
                settings.take(flags)?;
            }
            [b'+', ..] if !only_operands => {}
            _ => settings.inputs.push(argument),
        }
    }
    if settings.inputs.is_empty() {
        if std::io::stdin().is_terminal() {
            files::tell(&format!("Missing filename (\"{name} --help\" for help)\n"));
            return Err(Stop::Status(1));
        }
        settings.inputs.push(b"-".to_vec());
    }
    Ok(settings)
}

impl Settings {
    /// Takes the letters behind a dash.
    fn take(&mut self, flags: &[u8]) -> Result<(), Stop> {
        for flag in flags {
            match flag {
                b'N' => self.numbers = true,
                b's' => self.squeeze = true,
                // How a screen looks, what is searched, and when it ends by itself.
                b'R' | b'r' | b'S' | b'F' | b'X' | b'E' | b'e' | b'i' | b'I' | b'M' | b'm'
                | b'n' | b'q' | b'Q' | b'g' | b'f' | b'd' | b'l' | b'p' | b'c' | b'u' => {}
                other => {
                    let other = char::from(*other);
                    return Err(Stop::failed(format!("option -{other} is not supported")));
                }
            }
        }
        Ok(())
    }
}

fn run(name: &str, settings: &Settings) -> i32 {
    let terminal = std::io::stdout().is_terminal();
    let mut out = Output::new();
    let mut text = text_of(name, &settings.inputs, terminal, &mut out);
    if terminal {
        page(&text, settings.numbers, &mut out);
    } else {
        if settings.squeeze && name == "more" {
            text = squeezed(&text);
        }
        out.put(&text);
    }
    i32::from(out.finish().is_err())
}

/// The files as one text. What `more` has of it when a file cannot be read is written before it
/// says so.
fn text_of(name: &str, inputs: &[Vec<u8>], terminal: bool, out: &mut Output) -> Vec<u8> {
    let mut text = Vec::new();
    for input in inputs {
        let mut shown = String::from_utf8_lossy(input).into_owned();
        match files::read(input) {
            Ok(content) => {
                if name == "more" && !terminal && input != b"-" {
                    let heading = format!("::::::::::::::\n{shown}\n::::::::::::::\n");
                    text.extend_from_slice(heading.as_bytes());
                }
                text.extend_from_slice(&content);
            }
            Err(error) => {
                if name == "less" {
                    shown = shown.replace('\n', "^J");
                }
                let message = match error.kind() {
                    std::io::ErrorKind::IsADirectory => format!("{shown} is a directory\n"),
                    _ => format!("{shown}: {}\n", files::why(&error)),
                };
                // less writes it where the text goes, and is content.
                if name == "less" {
                    text.extend_from_slice(message.as_bytes());
                } else {
                    out.put(&text);
                    text.clear();
                    out.write_out();
                    files::tell(&format!("{name}: cannot open {message}"));
                }
            }
        }
    }
    text
}

/// Shows a text a screen at a time, until somebody answers `q`.
fn page(text: &[u8], numbers: bool, out: &mut Output) {
    let height = std::env::var("LINES")
        .ok()
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or(24)
        .max(2);
    let mut tty = std::fs::File::open("/dev/tty")
        .ok()
        .map(std::io::BufReader::new);
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    for (number, line) in lines.enumerate() {
        if number > 0 && number % (height - 1) == 0 {
            out.put(b":");
            out.write_out();
            let mut answer = String::new();
            let read = tty.as_mut().map(|tty| tty.read_line(&mut answer));
            if answer.trim() == "q" || matches!(read, Some(Err(_))) {
                break;
            }
        }
        if numbers {
            out.put(format!("{:7} ", number + 1).as_bytes());
        }
        out.put(line);
    }
}

/// Empty lines in a row as one.
fn squeezed(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut empty = false;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let is_empty = line == b"\n";
        if !(is_empty && empty) {
            out.extend_from_slice(line);
        }
        empty = is_empty;
    }
    out
}
