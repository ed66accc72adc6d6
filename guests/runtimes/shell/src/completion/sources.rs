//! What words come from: variables, functions, files, programs and so on.

use codepod_sys::Signal;
use codepod_sys::directory::{self, FileType};
use codepod_sys::file::{self, Links, mode};

use crate::builtins;
use crate::builtins::help;
use crate::jobs::JobState;
use crate::options::{SET_OPTIONS, SHELL_OPTIONS};
use crate::shell::Shell;
use crate::text::Text;
use crate::variables::{Attributes, Value, Variable};
use codepod_shell_syntax::Name;

/// The reserved words in bash's order.
const KEYWORDS: &[&str] = &[
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do",
    "done", "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// Appends the words of an action that start with `prefix`.
pub(super) fn action(shell: &Shell, name: &str, prefix: &[u8], words: &mut Vec<Text>) {
    let mut add = |word: &[u8]| {
        if word.starts_with(prefix) {
            words.push(Text::new(word));
        }
    };
    match name {
        "alias" => shell.state.aliases.keys().for_each(|name| add(name)),
        "arrayvar" => variables(shell, add, |variable| {
            matches!(variable.value, Value::Indexed(_) | Value::Assoc(_))
        }),
        "variable" => variables(shell, add, |variable| {
            !matches!(variable.value, Value::Unset)
        }),
        "export" => variables(shell, add, |variable| {
            variable.attributes.has(Attributes::EXPORT) && !matches!(variable.value, Value::Unset)
        }),
        "builtin" => builtins::TABLE
            .iter()
            .for_each(|entry| add(entry.name.as_bytes())),
        "enabled" | "disabled" => {
            for entry in builtins::TABLE {
                let enabled = builtins::enabled(shell, entry.name.as_bytes()).is_some();
                if enabled == (name == "enabled") {
                    add(entry.name.as_bytes());
                }
            }
        }
        "function" => shell.state.functions.keys().for_each(|name| add(name)),
        "helptopic" => help::topics().for_each(|topic| add(topic.as_bytes())),
        "keyword" => KEYWORDS.iter().for_each(|word| add(word.as_bytes())),
        "setopt" => SET_OPTIONS
            .iter()
            .for_each(|(name, ..)| add(name.as_bytes())),
        "shopt" => SHELL_OPTIONS
            .iter()
            .for_each(|(name, ..)| add(name.as_bytes())),
        "signal" => {
            for signal in Signal::ALL {
                add(signal.name().to_ascii_uppercase().as_bytes());
            }
        }
        "job" | "running" | "stopped" => {
            for job in &shell.jobs.list {
                let fits = match name {
                    "running" => job.state() == JobState::Running,
                    "stopped" => matches!(job.state(), JobState::Stopped(_)),
                    _ => true,
                };
                if fits {
                    let end = job.text.iter().position(|byte| *byte == b' ');
                    add(&job.text[..end.unwrap_or(job.text.len())]);
                }
            }
        }
        "user" => columns(b"/etc/passwd", b':', |fields| fields.first().copied(), add),
        "group" => columns(b"/etc/group", b':', |fields| fields.first().copied(), add),
        "service" => columns(
            b"/etc/services",
            b' ',
            |fields| fields.first().copied(),
            add,
        ),
        "hostname" => columns(b"/etc/hosts", b' ', |fields| fields.get(1).copied(), add),
        "command" => commands(shell, prefix, words),
        "file" => files(prefix, false, words),
        "directory" => files(prefix, true, words),
        _ => {}
    }
}

fn variables(shell: &Shell, mut add: impl FnMut(&[u8]), fits: impl Fn(&Variable) -> bool) {
    for name in shell.state.variables.names() {
        if fits(shell.state.variables.get(name)) {
            add(&name.bytes());
        }
    }
}

/// A column of a file in `/etc`.
fn columns(
    path: &[u8],
    separator: u8,
    pick: impl for<'l> Fn(&[&'l [u8]]) -> Option<&'l [u8]>,
    mut add: impl FnMut(&[u8]),
) {
    let Some(text) = read(path) else { return };
    for line in text.split(|byte| *byte == b'\n') {
        let line = line.split(|byte| *byte == b'#').next().unwrap_or_default();
        let fields: Vec<&[u8]> = line
            .split(|byte| *byte == separator || (separator == b' ' && *byte == b'\t'))
            .filter(|field| !field.is_empty())
            .collect();
        if let Some(word) = pick(&fields) {
            add(word);
        }
    }
}

/// A small file's content.
pub(crate) fn read(path: &[u8]) -> Option<Vec<u8>> {
    let fd = file::open(path, file::OpenOptions::READ).ok()?;
    let mut text = Vec::new();
    let mut buffer = [0u8; 4096];
    let result = loop {
        match codepod_sys::descriptor::read(fd, &mut buffer) {
            Ok(0) => break Some(text),
            Ok(count) => text.extend_from_slice(&buffer[..count]),
            Err(codepod_sys::Errno::Intr) => crate::traps::collect(),
            Err(_) => break None,
        }
    };
    let _ = codepod_sys::descriptor::close(fd);
    result
}

/// Everything that can stand first in a command.
fn commands(shell: &Shell, prefix: &[u8], words: &mut Vec<Text>) {
    if prefix.contains(&b'/') {
        let mut found = Vec::new();
        files(prefix, false, &mut found);
        found.retain(|path| {
            is_directory(path) || file::access(path, Links::Follow, file::EXECUTE).is_ok()
        });
        words.append(&mut found);
        return;
    }
    for source in ["alias", "keyword", "function", "builtin"] {
        action(shell, source, prefix, words);
    }
    let path = shell.state.variables.get(Name::PATH).scalar().cloned();
    for part in path.unwrap_or_default().split(|byte| *byte == b':') {
        let part = if part.is_empty() { b"." } else { part };
        let Ok(names) = directory::list(part) else {
            continue;
        };
        let mut names: Vec<Vec<u8>> = names
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| name.starts_with(prefix))
            .filter(|name| {
                let full = [part, b"/", name].concat();
                !is_directory(&full) && file::access(&full, Links::Follow, file::EXECUTE).is_ok()
            })
            .collect();
        crate::sort::by(&mut names, Ord::cmp);
        words.extend(names.into_iter().map(Text::from));
    }
}

/// The files whose path starts with `prefix`.
pub(super) fn files(prefix: &[u8], directories: bool, words: &mut Vec<Text>) {
    let slash = prefix.iter().rposition(|byte| *byte == b'/');
    let (parent, start) = prefix.split_at(slash.map_or(0, |slash| slash + 1));
    let Ok(names) = directory::list(if parent.is_empty() { b"." } else { parent }) else {
        return;
    };
    let mut names: Vec<(Vec<u8>, FileType)> = names
        .into_iter()
        .chain(
            [b".".to_vec(), b"..".to_vec()]
                .into_iter()
                .filter(|_| start.starts_with(b"."))
                .map(|name| (name, FileType::Directory)),
        )
        .filter(|(name, _)| name.starts_with(start))
        .collect();
    crate::sort::by(&mut names, |(one, _), (other, _)| one.cmp(other));
    for (name, kind) in names {
        let path = [parent, &name[..]].concat();
        let fits = !directories
            || kind == FileType::Directory
            || (kind == FileType::Symlink && is_directory(&path));
        if fits {
            words.push(Text::from(path));
        }
    }
}

fn is_directory(path: &[u8]) -> bool {
    file::stat_path(path, Links::Follow)
        .is_ok_and(|stat| stat.mode & mode::TYPE_MASK == mode::DIRECTORY)
}
