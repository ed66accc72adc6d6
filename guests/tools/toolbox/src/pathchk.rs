//! `pathchk`: checks whether file names are valid or portable.

use codepod_tool::{
    Arguments, Opt, Options, Stop, Usage, Value, complain, errno_text, flag, long, quoted,
    quoted_if_needed, quoted_text,
};

use crate::arguments::{help, version};
use crate::system::{self, Errno, Links};

/// The longest path that every POSIX system takes.
const PORTABLE_PATH: usize = 255;
/// The longest name that every POSIX system takes.
const PORTABLE_NAME: usize = 14;
/// The longest path here.
const LONGEST_PATH: usize = 4095;
/// The longest name here.
const LONGEST_NAME: usize = 255;

#[derive(Clone, Copy)]
enum Key {
    Basic,
    Extra,
    Portability,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Basic, b'p', ""),
    flag(Key::Extra, b'P', ""),
    long(Key::Portability, "portability", Value::None),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Which checks are asked for.
#[derive(Default)]
struct Checks {
    /// For most POSIX systems, instead of this one.
    basic: bool,
    /// For empty names and leading dashes.
    extra: bool,
}

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut checks = Checks::default();
    let names = Options::new(TABLE, arguments).each(|key, _| {
        match key {
            Key::Basic => checks.basic = true,
            Key::Extra => checks.extra = true,
            Key::Portability => (checks.basic, checks.extra) = (true, true),
            Key::Help => {
                let about = "Diagnose invalid or unportable file names.";
                let status = help(tool, "[OPTION]... NAME...", about, TABLE);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
        }
        Ok(())
    });
    let names = match names {
        Ok(names) if names.is_empty() => return Usage::new("missing operand").report(tool, 1),
        Ok(names) => names,
        Err(stop) => return stop.report(tool, 1),
    };
    let mut status = 0;
    for name in names {
        if let Err(message) = checks.check(&name) {
            complain(tool, message);
            status = 1;
        }
    }
    status
}

impl Checks {
    /// Fails with what is wrong.
    fn check(&self, path: &[u8]) -> Result<(), Vec<u8>> {
        let mut parts = path.split(|byte| *byte == b'/');
        if self.extra && parts.any(|part| part.starts_with(b"-")) {
            let start = b"leading '-' in a component of file name ";
            return Err([&start[..], &quoted(path)].concat());
        }
        if (self.basic || self.extra) && path.is_empty() {
            return Err(b"empty file name".to_vec());
        }
        if self.basic {
            portable_characters(path)?;
            return lengths(path, PORTABLE_PATH, PORTABLE_NAME);
        }
        let found = match path {
            b"" => Err(Errno::NoEnt),
            _ => system::stat(path, Links::Keep).map(|_| ()),
        };
        match found {
            Ok(()) => Ok(()),
            Err(Errno::NoEnt) if !path.is_empty() => lengths(path, LONGEST_PATH, LONGEST_NAME),
            Err(errno) => {
                let why = errno_text(errno).as_bytes();
                Err([&quoted_if_needed(path)[..], b": ", why].concat())
            }
        }
    }
}

fn portable_characters(path: &[u8]) -> Result<(), Vec<u8>> {
    let is_portable =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/');
    let Some(at) = path.iter().position(|byte| !is_portable(byte)) else {
        return Ok(());
    };
    let rest = &path[at..];
    let first = rest.utf8_chunks().next();
    let character = first.and_then(|chunk| chunk.valid().chars().next());
    let length = character.map_or(1, char::len_utf8);
    Err([
        b"nonportable character ",
        &quoted_text(&rest[..length])[..],
        b" in file name ",
        &quoted(path),
    ]
    .concat())
}

fn lengths(path: &[u8], longest_path: usize, longest_name: usize) -> Result<(), Vec<u8>> {
    let wrong = |limit: usize, length: usize, what: &str, shown: Vec<u8>| {
        let start = format!("limit {limit} exceeded by length {length} of file name {what}");
        Err([start.as_bytes(), &shown].concat())
    };
    if path.len() > longest_path {
        return wrong(longest_path, path.len(), "", quoted(path));
    }
    let mut parts = path.split(|byte| *byte == b'/');
    match parts.find(|part| part.len() > longest_name) {
        Some(part) => wrong(longest_name, part.len(), "component ", quoted_text(part)),
        None => Ok(()),
    }
}
