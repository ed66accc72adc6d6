//! `less` and `more`: as `cat` where standard output is no terminal, a screen at a time where it is.

use std::io::{BufRead as _, IsTerminal as _};

use codepod_tool::{Arguments, Output, complain};

use crate::files;

/// less and more as tools. Options that only change how a screen looks are taken.
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let mut inputs = Vec::new();
    let (mut numbers, mut squeeze) = (false, false);
    let mut only_operands = false;
    for argument in arguments {
        match argument.as_slice() {
            b"--" if !only_operands => only_operands = true,
            b"--help" | b"-?" => {
                return files::print(&format!("Usage: {name} [-N] [-s] [FILE]...\n"));
            }
            b"--version" | b"-V" => return files::print(&format!("{name} (codepod) 0.1.0\n")),
            [b'-', flags @ ..] if !only_operands && !flags.is_empty() => {
                if flags.starts_with(b"-") {
                    complain(
                        name,
                        format!("There is no {} option", String::from_utf8_lossy(&argument)),
                    );
                    return 1;
                }
                for flag in flags {
                    match flag {
                        b'N' => numbers = true,
                        b's' => squeeze = true,
                        // How a screen looks, what is searched, and when it ends by itself.
                        b'R' | b'r' | b'S' | b'F' | b'X' | b'E' | b'e' | b'i' | b'I' | b'M'
                        | b'm' | b'n' | b'q' | b'Q' | b'g' | b'f' | b'd' | b'l' | b'p' | b'c'
                        | b'u' => {}
                        other => {
                            complain(
                                name,
                                format!("option -{} is not supported", char::from(*other)),
                            );
                            return 1;
                        }
                    }
                }
            }
            [b'+', ..] if !only_operands => {}
            _ => inputs.push(argument),
        }
    }
    let terminal = std::io::stdout().is_terminal();
    if inputs.is_empty() {
        if std::io::stdin().is_terminal() {
            files::tell(&format!("Missing filename (\"{name} --help\" for help)\n"));
            return 1;
        }
        inputs.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let mut text = Vec::new();
    for input in &inputs {
        match files::read(input) {
            Ok(content) => {
                if name == "more" && !terminal && input != b"-" {
                    let shown = String::from_utf8_lossy(input).into_owned();
                    text.extend_from_slice(
                        format!("::::::::::::::\n{shown}\n::::::::::::::\n").as_bytes(),
                    );
                }
                text.extend_from_slice(&content);
            }
            Err(error) => {
                let mut shown = String::from_utf8_lossy(input).into_owned();
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
    if !terminal {
        if squeeze && name == "more" {
            text = squeezed(&text);
        }
        out.put(&text);
        return i32::from(out.finish().is_err());
    }
    let lines: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let height = std::env::var("LINES")
        .ok()
        .and_then(|text| text.parse::<usize>().ok())
        .unwrap_or(24)
        .max(2);
    let mut tty = std::fs::File::open("/dev/tty")
        .ok()
        .map(std::io::BufReader::new);
    for (number, line) in lines.iter().enumerate() {
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
    i32::from(out.finish().is_err())
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
