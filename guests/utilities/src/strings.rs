//! `strings`: the printable runs in files.

use codepod_tool::{Arguments, Found, Opt, Options, Output, Value, complain, flag, long, value};

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

/// strings as a tool.
pub fn main(name: &str, arguments: Arguments) -> i32 {
    let (mut least, mut digits) = (4usize, None::<usize>);
    let (mut file_names, mut radix, mut whitespace, mut high) = (false, None, false, false);
    let mut separator = b"\n".to_vec();
    let mut inputs = Vec::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        let (key, value) = match options.next() {
            Ok(Some(Found::Option(key, value))) => (key, value.unwrap_or_default()),
            Ok(Some(Found::Operand(file))) => {
                inputs.push(file);
                continue;
            }
            Ok(None) => break,
            Err(usage) => {
                complain(name, &usage.message);
                return 1;
            }
        };
        let text = String::from_utf8_lossy(&value).into_owned();
        match key {
            Key::All => {}
            Key::FileName => file_names = true,
            Key::Bytes => match text.parse::<usize>() {
                Ok(0) => {
                    complain(name, "invalid minimum string length 0");
                    return 1;
                }
                Ok(number) => least = number,
                Err(_) => {
                    complain(name, format!("invalid integer argument {text}"));
                    return 1;
                }
            },
            Key::Radix => match text.as_str() {
                "o" | "d" | "x" => radix = text.chars().next(),
                _ => {
                    complain(name, format!("invalid radix {text}"));
                    return 1;
                }
            },
            Key::Octal => radix = Some('o'),
            Key::Encoding => match text.as_str() {
                "s" => {}
                "S" => high = true,
                "b" | "B" | "l" | "L" => {
                    complain(name, format!("encoding {text} is not supported"));
                    return 1;
                }
                _ => {
                    complain(name, format!("invalid encoding {text}"));
                    return 1;
                }
            },
            Key::Whitespace => whitespace = true,
            Key::Separator => separator = value,
            Key::Digit(digit) => digits = Some(digits.unwrap_or(0) * 10 + usize::from(digit)),
            Key::Help => {
                return files::print(
                    "Usage: strings [-af] [-n NUMBER] [-t {o,d,x}] [-e {s,S}] [-s TEXT] [-w] [FILE]...\n",
                );
            }
        }
    }
    let least = digits.filter(|digits| *digits > 0).unwrap_or(least);
    let from_stdin = inputs.is_empty();
    if from_stdin {
        inputs.push(b"-".to_vec());
    }
    let mut out = Output::new();
    let mut status = 0;
    for input in &inputs {
        let shown = String::from_utf8_lossy(input).into_owned();
        let data = match if from_stdin {
            files::stdin()
        } else {
            files::read(input)
        } {
            Ok(data) => data,
            Err(error) => {
                out.write_out();
                let message = match error.kind() {
                    std::io::ErrorKind::NotFound => format!("'{shown}': No such file"),
                    std::io::ErrorKind::IsADirectory => {
                        format!("Warning: '{shown}' is a directory")
                    }
                    _ => format!("{shown}: {}", files::why(&error)),
                };
                complain(name, message);
                status = 1;
                continue;
            }
        };
        let printable = |byte: u8| {
            (0x20..0x7f).contains(&byte)
                || byte == b'\t'
                || (high && byte >= 0x80)
                || (whitespace && byte.is_ascii_whitespace())
        };
        let mut at = 0;
        while at < data.len() {
            let length = data[at..]
                .iter()
                .take_while(|byte| printable(**byte))
                .count();
            if length >= least {
                if file_names {
                    let label = if from_stdin {
                        "{standard input}"
                    } else {
                        &shown
                    };
                    out.put(format!("{label}: ").as_bytes());
                }
                match radix {
                    Some('o') => out.put(format!("{at:7o} ").as_bytes()),
                    Some('d') => out.put(format!("{at:7} ").as_bytes()),
                    Some(_) => out.put(format!("{at:7x} ").as_bytes()),
                    None => {}
                }
                out.put(&data[at..at + length]);
                out.put(&separator);
            }
            at += length.max(1);
        }
    }
    if out.finish().is_err() { 1 } else { status }
}
