//! `basename` and `dirname`: parts of paths, by their letters alone.

use codepod_tool::{
    Arguments, Opt, Options, Output, Stop, Usage, Value, flag, long, quoted_text, value,
};

use crate::arguments::{help, version};
use crate::output::finish;

#[derive(Clone, Copy)]
enum Key {
    Multiple,
    Suffix,
    Zero,
    Help,
    Version,
}

const BASENAME: &[Opt<Key>] = &[
    flag(Key::Multiple, b'a', "multiple"),
    value(Key::Suffix, b's', "suffix"),
    flag(Key::Zero, b'z', "zero"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

const DIRNAME: &[Opt<Key>] = &[
    flag(Key::Zero, b'z', "zero"),
    long(Key::Help, "help", Value::None),
    long(Key::Version, "version", Value::None),
];

/// What the arguments ask for.
struct Settings {
    names: Arguments,
    suffix: Vec<u8>,
    end: u8,
}

/// `basename`
pub(crate) fn basename(tool: &str, arguments: Arguments) -> i32 {
    match basename_settings(tool, arguments) {
        Ok(settings) => print(tool, &settings, |name| {
            without_suffix(last_part(name), &settings.suffix)
        }),
        Err(stop) => stop.report(tool, 1),
    }
}

fn basename_settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let (mut several, mut suffix, mut end) = (false, Vec::new(), b'\n');
    let mut names = Options::new(BASENAME, arguments)
        .in_order()
        .each(|key, value| {
            match key {
                Key::Multiple => several = true,
                Key::Suffix => (several, suffix) = (true, value.unwrap_or_default()),
                Key::Zero => end = 0,
                Key::Help => {
                    let usage = "NAME [SUFFIX]\n  or:  basename OPTION... NAME...";
                    let about = "Print NAME with any leading directory components removed.";
                    return Err(Stop::Status(help(tool, usage, about, BASENAME)));
                }
                Key::Version => return Err(Stop::Status(version(tool))),
            }
            Ok(())
        })?;
    if names.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    if !several {
        if let Some(extra) = names.get(2) {
            let message = [b"extra operand ", &quoted_text(extra)[..]].concat();
            return Err(Usage::new(message).into());
        }
        if names.len() == 2 {
            suffix = names.pop().unwrap_or_default();
        }
    }
    Ok(Settings { names, suffix, end })
}

/// `dirname`
pub(crate) fn dirname(tool: &str, arguments: Arguments) -> i32 {
    match dirname_settings(tool, arguments) {
        Ok(settings) => print(tool, &settings, directory),
        Err(stop) => stop.report(tool, 1),
    }
}

fn dirname_settings(tool: &str, arguments: Arguments) -> Result<Settings, Stop> {
    let mut end = b'\n';
    let names = Options::new(DIRNAME, arguments).each(|key, _| {
        match key {
            Key::Help => {
                let about = "Output each NAME with its last non-slash component removed.";
                let status = help(tool, "[OPTION] NAME...", about, DIRNAME);
                return Err(Stop::Status(status));
            }
            Key::Version => return Err(Stop::Status(version(tool))),
            _ => end = 0,
        }
        Ok(())
    })?;
    if names.is_empty() {
        return Err(Usage::new("missing operand").into());
    }
    let suffix = Vec::new();
    Ok(Settings { names, suffix, end })
}

fn print(tool: &str, settings: &Settings, part: impl Fn(&[u8]) -> &[u8]) -> i32 {
    let mut out = Output::new();
    for name in &settings.names {
        out.put(part(name));
        out.put_byte(settings.end);
    }
    finish(tool, &mut out, 0, 1)
}

/// A path without the slashes at its end.
fn without_slashes(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/');
    &path[..end.map_or(0, |last| last + 1)]
}

/// What stands behind the last slash; `/` for a path of slashes only.
fn last_part(path: &[u8]) -> &[u8] {
    match without_slashes(path) {
        [] => &path[..path.len().min(1)],
        path => path.rsplit(|byte| *byte == b'/').next().unwrap_or(path),
    }
}

/// What stands before the last part; `.` where nothing does.
fn directory(path: &[u8]) -> &[u8] {
    let bare = without_slashes(path);
    let before = match bare.iter().rposition(|byte| *byte == b'/') {
        Some(slash) => without_slashes(&bare[..slash]),
        None if bare.is_empty() && !path.is_empty() => b"",
        None => return b".",
    };
    if before.is_empty() { b"/" } else { before }
}

/// A name without its suffix, of which something else has to be left.
fn without_suffix<'a>(name: &'a [u8], suffix: &[u8]) -> &'a [u8] {
    match name.strip_suffix(suffix) {
        Some(rest) if !rest.is_empty() => rest,
        _ => name,
    }
}
