//! The command line.

use std::io::Read as _;

use codepod_tool::{
    Arguments, Found, Opt, Options, Value, complain, flag, io_text, long, optional, path, value,
};

use crate::command::Script;
use crate::parse::{self, Mode, Source};

/// What was asked for, beside the script.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    pub(crate) quiet: bool,
    /// The suffix of backups; empty for none.
    pub(crate) in_place: Option<Vec<u8>>,
    pub(crate) separate: bool,
    pub(crate) unbuffered: bool,
    pub(crate) width: usize,
    pub(crate) follow: bool,
    /// What ends a line.
    pub(crate) end: u8,
    pub(crate) posix: bool,
    pub(crate) files: Vec<Vec<u8>>,
}

const POSIX: u8 = 1;
const DEBUG: u8 = 2;
const SANDBOX: u8 = 3;
const FOLLOW: u8 = 4;
const HELP: u8 = 5;
const VERSION: u8 = 6;

const TABLE: &[Opt<u8>] = &[
    flag(b'n', b'n', "quiet"),
    flag(b'n', b'n', "silent"),
    value(b'e', b'e', "expression"),
    value(b'f', b'f', "file"),
    flag(b'E', b'E', "regexp-extended"),
    flag(b'E', b'r', ""),
    optional(b'i', b'i', "in-place"),
    value(b'l', b'l', "line-length"),
    flag(b's', b's', "separate"),
    flag(b'u', b'u', "unbuffered"),
    flag(b'z', b'z', "null-data"),
    flag(b'z', b'z', "zero-terminated"),
    flag(b'b', b'b', "binary"),
    long(POSIX, "posix", Value::None),
    long(DEBUG, "debug", Value::None),
    long(SANDBOX, "sandbox", Value::None),
    long(FOLLOW, "follow-symlinks", Value::None),
    long(HELP, "help", Value::None),
    long(VERSION, "version", Value::None),
];

/// Reads the command line and the script. Fails with the status, after saying why.
pub(crate) fn parse(arguments: Arguments) -> Result<(Asked, Script), i32> {
    let mut asked = Asked {
        width: columns().unwrap_or(70),
        end: b'\n',
        posix: std::env::var_os("POSIXLY_CORRECT").is_some(),
        ..Asked::default()
    };
    let mut mode = Mode::default();
    let mut sources = Vec::new();
    let mut options = Options::new(TABLE, arguments);
    loop {
        match options.next() {
            Err(mistake) => {
                complain("sed", &mistake.message);
                return Err(usage());
            }
            Ok(None) => break,
            Ok(Some(Found::Operand(operand))) => asked.files.push(operand),
            Ok(Some(Found::Option(key, value))) => {
                let value = value.unwrap_or_default();
                match key {
                    b'n' => asked.quiet = true,
                    b'e' => sources.push(Source {
                        text: value,
                        file: None,
                        ended: false,
                    }),
                    b'f' => sources.push(file(value)?),
                    b'E' => mode.extended = true,
                    b'i' => {
                        asked.in_place = Some(value);
                        asked.separate = true;
                    }
                    b'l' => asked.width = width(&value),
                    b's' => asked.separate = true,
                    b'u' => asked.unbuffered = true,
                    b'z' => {
                        asked.end = 0;
                        mode.null_data = true;
                    }
                    b'b' => {}
                    POSIX => {
                        asked.posix = true;
                        mode.posix = true;
                    }
                    SANDBOX => mode.sandbox = true,
                    FOLLOW => asked.follow = true,
                    DEBUG => {
                        complain("sed", "--debug is not supported");
                        return Err(1);
                    }
                    VERSION => return Err(print("sed (codepod), as GNU sed 4.9\n")),
                    _ => return Err(print(include_str!("help.txt"))),
                }
            }
        }
    }
    if sources.is_empty() {
        if asked.files.is_empty() {
            return Err(usage());
        }
        sources.push(Source {
            text: asked.files.remove(0),
            file: None,
            ended: false,
        });
    }
    if asked.files.is_empty() {
        if asked.in_place.is_some() {
            complain("sed", "no input files");
            return Err(4);
        }
        asked.files.push(b"-".to_vec());
    }
    match parse::parse(&sources, mode) {
        Ok(script) => {
            asked.quiet |= script.quiet;
            Ok((asked, script))
        }
        Err((message, status)) => {
            complain("sed", message);
            Err(status)
        }
    }
}

fn file(name: Vec<u8>) -> Result<Source, i32> {
    let mut text = Vec::new();
    let result = match &name[..] {
        b"-" => std::io::stdin().lock().read_to_end(&mut text),
        _ => std::fs::File::open(path(&name)).and_then(|mut file| file.read_to_end(&mut text)),
    };
    if let Err(error) = result {
        complain(
            "sed",
            [
                b"couldn't open file ",
                &name[..],
                b": ",
                io_text(&error).as_bytes(),
            ]
            .concat(),
        );
        return Err(4);
    }
    let ended = text.pop_if(|last| *last == b'\n').is_some();
    Ok(Source {
        text,
        ended,
        file: Some(name),
    })
}

/// The width of lines that `COLS` asks for.
fn columns() -> Option<usize> {
    let columns = std::env::var("COLS").ok()?.trim().parse::<usize>().ok()?;
    (columns > 1).then(|| columns - 1)
}

/// The number at the start; what is none is 0.
fn width(text: &[u8]) -> usize {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let digits = String::from_utf8_lossy(&text[..digits]);
    digits
        .parse()
        .unwrap_or(if digits.is_empty() { 0 } else { usize::MAX })
}

fn usage() -> i32 {
    // Where standard error is gone there is nobody to tell.
    let _ = std::io::Write::write_all(&mut std::io::stderr(), include_bytes!("help.txt"));
    1
}

fn print(text: &str) -> i32 {
    // The status says enough where nothing can be written.
    i32::from(std::io::Write::write_all(&mut std::io::stdout(), text.as_bytes()).is_err()) * 4
}
