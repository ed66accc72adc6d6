//! `dircolors`: turns a table of colours into the variable `LS_COLORS`.

use std::fs::File;
use std::io::{self, Read as _};

use codepod_posix_regex::Glob;
use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, complain, flag, io_text, long, path,
    quoted_if_needed, quoted_text,
};

use crate::arguments::{help, version};
use crate::output::finish;

/// The table that is used where none is given.
const DATABASE: &str = include_str!("dircolors.txt");

#[derive(Clone, Copy)]
enum Key {
    Bourne,
    C,
    PrintDatabase,
    PrintColors,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Bourne, b'b', "sh"),
    flag(Key::Bourne, b'b', "bourne-shell"),
    flag(Key::C, b'c', "csh"),
    flag(Key::C, b'c', "c-shell"),
    flag(Key::PrintDatabase, b'p', "print-database"),
    long(Key::PrintColors, "print-ls-colors", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A command of the Bourne shell.
    Bourne,
    /// A command of the C shell.
    C,
    /// A line for each colour, in that colour.
    Shown,
}

/// Keywords of the table, and what `LS_COLORS` has for them.
const KEYWORDS: &[(&str, &str)] = &[
    ("NORMAL", "no"),
    ("NORM", "no"),
    ("FILE", "fi"),
    ("RESET", "rs"),
    ("DIR", "di"),
    ("LNK", "ln"),
    ("LINK", "ln"),
    ("SYMLINK", "ln"),
    ("ORPHAN", "or"),
    ("MISSING", "mi"),
    ("FIFO", "pi"),
    ("PIPE", "pi"),
    ("SOCK", "so"),
    ("BLK", "bd"),
    ("BLOCK", "bd"),
    ("CHR", "cd"),
    ("CHAR", "cd"),
    ("DOOR", "do"),
    ("EXEC", "ex"),
    ("LEFT", "lc"),
    ("LEFTCODE", "lc"),
    ("RIGHT", "rc"),
    ("RIGHTCODE", "rc"),
    ("END", "ec"),
    ("ENDCODE", "ec"),
    ("SUID", "su"),
    ("SETUID", "su"),
    ("SGID", "sg"),
    ("SETGID", "sg"),
    ("STICKY", "st"),
    ("OTHER_WRITABLE", "ow"),
    ("OWR", "ow"),
    ("STICKY_OTHER_WRITABLE", "tw"),
    ("OWT", "tw"),
    ("CAPABILITY", "ca"),
    ("MULTIHARDLINK", "mh"),
    ("CLRTOEOL", "cl"),
];
/// Keywords of the table of another system, which mean nothing here.
const IGNORED: &[&str] = &["OPTIONS", "COLOR", "EIGHTBIT"];

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    match text(tool, arguments) {
        Ok(text) => {
            let mut out = Output::new();
            out.put(&text);
            finish(tool, &mut out, 0, 1)
        }
        Err(stop) => stop.report(tool, 1),
    }
}

/// What is to be printed.
fn text(tool: &str, arguments: Arguments) -> Result<Vec<u8>, Stop> {
    let (mut shell, mut database, mut shown) = (None, false, false);
    let files = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Bourne => shell = Some(Form::Bourne),
            Key::C => shell = Some(Form::C),
            Key::PrintDatabase => database = true,
            Key::PrintColors => shown = true,
            Key::Help => {
                let about = "Output commands to set the LS_COLORS environment variable.";
                let status = help(tool, "[OPTION]... [FILE]", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    })?;
    if (database || shown) && shell.is_some() {
        let message = "the options to output non shell syntax,\n\
                       and to select a shell syntax are mutually exclusive";
        return Err(Usage::new(message).into());
    }
    if database && shown {
        let message = "options --print-database and --print-ls-colors are mutually exclusive";
        return Err(Usage::new(message).into());
    }
    if let Some(extra) = files.get(usize::from(!database)) {
        let mut message = [b"extra operand ", &quoted_text(extra)[..]].concat();
        if database {
            message.extend_from_slice(
                b"\nfile operands cannot be combined with --print-database (-p)",
            );
        }
        return Err(Usage::new(message).into());
    }
    if database {
        return Ok(DATABASE.into());
    }
    let form = match shell {
        _ if shown => Form::Shown,
        Some(shell) => shell,
        None => shell_of_user()?,
    };
    let colors = match files.first() {
        Some(name) => colors(tool, name, &read(name)?, form),
        None => colors(tool, b"<internal>", DATABASE.as_bytes(), form),
    };
    // Each mistake was reported.
    let colors = colors.ok_or(Stop::Status(1))?;
    let (start, end): (&[u8], &[u8]) = match form {
        Form::Bourne => (b"LS_COLORS='", b"';\nexport LS_COLORS\n"),
        Form::C => (b"setenv LS_COLORS '", b"'\n"),
        Form::Shown => (b"", b""),
    };
    Ok([start, &colors, end].concat())
}

fn shell_of_user() -> Result<Form, Stop> {
    let shell = std::env::var_os("SHELL").unwrap_or_default();
    let name = shell.as_encoded_bytes();
    if name.is_empty() {
        let message = "no SHELL environment variable, and no shell type option given";
        return Err(Stop::failed(message));
    }
    let name = name.rsplit(|byte| *byte == b'/').next().unwrap_or(name);
    Ok(match name {
        b"csh" | b"tcsh" => Form::C,
        _ => Form::Bourne,
    })
}

fn read(name: &[u8]) -> Result<Vec<u8>, Stop> {
    let mut text = Vec::new();
    // GNU's reads lines, and takes what cannot be read for the end of the file.
    if name == b"-" {
        let _ = io::stdin().lock().read_to_end(&mut text);
        return Ok(text);
    }
    let mut file = File::open(path(name)).map_err(|error| {
        let name = quoted_if_needed(name);
        Stop::failed([&name[..], b": ", io_text(&error).as_bytes()].concat())
    })?;
    let _ = file.read_to_end(&mut text);
    Ok(text)
}

/// Whether lines hold for the terminal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Terminal {
    /// They hold for all: there was no pattern yet.
    Any,
    /// No pattern above them matches.
    Other,
    /// A pattern above them matches.
    This,
    /// Likewise, and the last line was a pattern.
    Matched,
}

/// The colours of a table in the form that is wanted; none after reporting what is wrong with it.
fn colors(tool: &str, name: &[u8], text: &[u8], form: Form) -> Option<Vec<u8>> {
    let variable = |name| {
        std::env::var_os(name)
            .unwrap_or_default()
            .into_encoded_bytes()
    };
    let mut term = variable("TERM");
    if term.is_empty() {
        term = b"none".to_vec();
    }
    let color_term = variable("COLORTERM");
    let mut out = Vec::new();
    let mut state = Terminal::Any;
    let mut fine = true;
    for (place, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let Some((keyword, value)) = parts(line) else {
            continue;
        };
        let mut wrong = |what: &[u8]| {
            let number = format!(":{}: ", place + 1);
            let name = quoted_if_needed(name);
            complain(tool, [&name[..], number.as_bytes(), what].concat());
            fine = false;
        };
        if value.is_empty() {
            wrong(b"invalid line;  missing second token");
            continue;
        }
        let pattern_for = match keyword.to_ascii_uppercase().as_slice() {
            b"TERM" => Some(&term),
            b"COLORTERM" => Some(&color_term),
            _ => None,
        };
        if let Some(terminal) = pattern_for {
            if state != Terminal::Matched {
                let matches = Glob::default().matches(value, terminal);
                state = if matches {
                    Terminal::Matched
                } else {
                    Terminal::Other
                };
            }
            continue;
        }
        if state == Terminal::Matched {
            state = Terminal::This;
        }
        if state != Terminal::Other && !put(keyword, value, form, &mut out) {
            // Where no terminal was named it may be a keyword of another system.
            if state == Terminal::This {
                wrong(&[b"unrecognized keyword ", keyword].concat());
            }
        }
    }
    fine.then_some(out)
}

/// The keyword of a line and its value, which is empty where there is none. None for an empty line.
fn parts(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_space = |byte: &u8| matches!(byte, b' ' | 9..=13);
    // Lines end for C at a NUL.
    let line = line.split(|byte| *byte == 0).next().unwrap_or(line);
    let start = line.iter().position(|byte| !is_space(byte))?;
    let line = &line[start..];
    if line[0] == b'#' {
        return None;
    }
    let end = line.iter().position(is_space).unwrap_or(line.len());
    let (keyword, value) = line.split_at(end);
    let value = value.split(|byte| *byte == b'#').next().unwrap_or(value);
    let first = value.iter().position(|byte| !is_space(byte));
    let last = value.iter().rposition(|byte| !is_space(byte));
    Some((
        keyword,
        match (first, last) {
            (Some(first), Some(last)) => &value[first..=last],
            _ => b"",
        },
    ))
}

/// Adds a colour; false if there is no such keyword.
fn put(keyword: &[u8], value: &[u8], form: Form, out: &mut Vec<u8>) -> bool {
    let is = |name: &str| name.as_bytes().eq_ignore_ascii_case(keyword);
    let key = match keyword[0] {
        b'.' => [b"*", keyword].concat(),
        b'*' => keyword.to_vec(),
        _ => match KEYWORDS.iter().find(|(name, _)| is(name)) {
            Some((_, key)) => key.as_bytes().to_vec(),
            None => return IGNORED.iter().any(|name| is(name)),
        },
    };
    let (key, value) = (escaped(&key, form), escaped(value, form));
    let parts: [&[u8]; 5] = match form {
        Form::Shown => [
            b"\x1b[",
            &value,
            b"m",
            &[&key[..], b"\t", &value].concat(),
            b"\x1b[0m\n",
        ],
        _ => [&key, b"=", &value, b":", b""],
    };
    out.extend_from_slice(&parts.concat());
    true
}

/// A text as it stands between the quotes of a shell, with a backslash before what would end it in
/// `LS_COLORS`, unless it has one.
fn escaped(text: &[u8], form: Form) -> Vec<u8> {
    if form == Form::Shown {
        return text.to_vec();
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bare = true;
    for &byte in text {
        match byte {
            b'\'' => out.extend_from_slice(b"'\\'"),
            b':' | b'=' if bare => out.push(b'\\'),
            _ => {}
        }
        bare = !(matches!(byte, b'\\' | b'^') && bare);
        out.push(byte);
    }
    out
}
