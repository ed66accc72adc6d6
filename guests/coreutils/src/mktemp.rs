//! `mktemp`: makes temporary files that only their owner may use. uutils' own cannot set modes here.

use codepod_tool::{
    Arguments, Found, Opt, Options, Output, Usage, Value, complain, flag, long, optional, quoted,
    value,
};

use crate::arguments::{help, version};
use crate::system::{self, Links};

#[derive(Clone, Copy)]
enum Key {
    Directory,
    DryRun,
    Quiet,
    Suffix,
    ParentShort,
    Parent,
    Temporary,
    Help,
    Version,
}

const TABLE: &[Opt<Key>] = &[
    flag(Key::Directory, b'd', "directory"),
    flag(Key::DryRun, b'u', "dry-run"),
    flag(Key::Quiet, b'q', "quiet"),
    long(Key::Suffix, "suffix", Value::Required),
    value(Key::ParentShort, b'p', ""),
    optional(Key::Parent, 0, "tmpdir"),
    flag(Key::Temporary, b't', ""),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// Letters of names.
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/// How often another name is tried.
const TRIES: usize = 1000;

/// Runs it.
pub(crate) fn main(tool: &str, arguments: Arguments) -> i32 {
    let mut options = Options::new(TABLE, arguments);
    let (mut directory, mut dry, mut quiet, mut temporary) = (false, false, false, false);
    let mut suffix: Option<Vec<u8>> = None;
    // Some(None): below TMPDIR.
    let mut parent: Option<Option<Vec<u8>>> = None;
    let mut operands = Vec::new();
    loop {
        match options.next() {
            Ok(Some(Found::Operand(operand))) => operands.push(operand),
            Ok(Some(Found::Option(key, value))) => match key {
                Key::Directory => directory = true,
                Key::DryRun => dry = true,
                Key::Quiet => quiet = true,
                Key::Suffix => suffix = value,
                Key::ParentShort | Key::Parent => {
                    parent = Some(value.filter(|value| !value.is_empty()))
                }
                Key::Temporary => temporary = true,
                Key::Help => {
                    return help(
                        tool,
                        "[OPTION]... [TEMPLATE]",
                        "Create a temporary file or directory, safely, and print its name.",
                        TABLE,
                    );
                }
                Key::Version => return version(tool),
            },
            Ok(None) => break,
            Err(usage) => return usage.report(tool, 1),
        }
    }
    if operands.len() > 1 {
        return Usage::new("too many templates").report(tool, 1);
    }
    let given = operands.pop();
    let has_template = given.is_some();
    let mut template = given.unwrap_or_else(|| b"tmp.XXXXXXXXXX".to_vec());
    let fail = |message: Vec<u8>| {
        complain(tool, message);
        1
    };
    let (stem_end, tail) = match &suffix {
        Some(suffix) => {
            if template.last() != Some(&b'X') {
                return fail(
                    [
                        b"with --suffix, template ",
                        &quoted(&template)[..],
                        b" must end in X",
                    ]
                    .concat(),
                );
            }
            (template.len(), suffix.clone())
        }
        None => {
            let end = template
                .iter()
                .rposition(|byte| *byte == b'X')
                .map_or(template.len(), |last| last + 1);
            let tail = template.split_off(end);
            (end, tail)
        }
    };
    if tail.contains(&b'/') {
        return fail(
            [
                b"invalid suffix ",
                &quoted(&tail)[..],
                b", contains directory separator",
            ]
            .concat(),
        );
    }
    let count = template[..stem_end]
        .iter()
        .rev()
        .take_while(|byte| **byte == b'X')
        .count();
    if count < 3 {
        let whole = [
            &template[..],
            if suffix.is_some() { b"" } else { &tail[..] },
        ]
        .concat();
        return fail([b"too few X's in template ", &quoted(&whole)[..]].concat());
    }
    let environment = || {
        std::env::var_os("TMPDIR")
            .map(|value| value.into_encoded_bytes())
            .filter(|value| !value.is_empty())
    };
    let base = if temporary || parent.is_some() || !has_template {
        if template.contains(&b'/') && temporary {
            return fail(
                [
                    b"invalid template, ",
                    &quoted(&template)[..],
                    b", contains directory separator",
                ]
                .concat(),
            );
        }
        if parent.is_some() && template.starts_with(b"/") {
            return fail(
                [
                    b"invalid template, ",
                    &quoted(&template)[..],
                    b"; with --tmpdir, it may not be absolute",
                ]
                .concat(),
            );
        }
        let named = parent.clone().flatten();
        Some(
            if temporary {
                environment().or(named)
            } else {
                named.or_else(environment)
            }
            .unwrap_or_else(|| b"/tmp".to_vec()),
        )
    } else {
        None
    };
    let prefix = match base {
        Some(base) if base.ends_with(b"/") => base,
        Some(base) => [&base[..], b"/"].concat(),
        None => Vec::new(),
    };
    let stem = [&prefix[..], &template[..stem_end - count]].concat();
    let mut last = String::from("File exists");
    for _ in 0..TRIES {
        let mut path = stem.clone();
        for _ in 0..count {
            path.push(LETTERS[system::random() as usize % LETTERS.len()]);
        }
        path.extend_from_slice(&tail);
        match make(&path, directory, dry) {
            Ok(()) => {
                let mut out = Output::new();
                out.put(&path);
                out.put_byte(b'\n');
                return i32::from(out.finish().is_err());
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => {
                last = system::io_message(&error);
                break;
            }
        }
    }
    if !quiet {
        let what: &[u8] = if directory {
            b"failed to create directory via template "
        } else {
            b"failed to create file via template "
        };
        let shown = [&prefix[..], &template, &tail].concat();
        complain(
            tool,
            [what, &quoted(&shown), b": ", last.as_bytes()].concat(),
        );
    }
    1
}

fn make(path: &[u8], directory: bool, dry: bool) -> std::io::Result<()> {
    let name = codepod_tool::path(path);
    let owner_only = |mode: u32| {
        system::set_mode(path, Links::Keep, mode & !system::current_umask())
            .map_err(codepod_sys::io_error)
    };
    if dry {
        let there = system::stat(path, Links::Keep).is_ok();
        return if there {
            Err(std::io::ErrorKind::AlreadyExists.into())
        } else {
            Ok(())
        };
    }
    if directory {
        std::fs::create_dir(name)?;
        return owner_only(0o700);
    }
    std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(name)?;
    owner_only(0o600)
}
