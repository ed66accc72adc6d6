//! Commands of `-x` and `-X`: placeholders, and running them.

use std::io;
use std::path::{Path, PathBuf};

use codepod_tool::{Command, Ended, Ends};

/// What stands for parts of a path.
const PLACEHOLDERS: [&[u8]; 5] = [b"{}", b"{/}", b"{//}", b"{.}", b"{/.}"];

/// A command with placeholders.
pub(crate) struct Template {
    words: Vec<Vec<u8>>,
}

impl Template {
    /// One of these words; without a placeholder the path comes last.
    pub(crate) fn new(mut words: Vec<Vec<u8>>) -> Template {
        let has = |word: &Vec<u8>| {
            PLACEHOLDERS
                .iter()
                .any(|holder| word.windows(holder.len()).any(|part| part == *holder))
        };
        if !words.iter().any(has) {
            words.push(b"{}".to_vec());
        }
        Template { words }
    }

    /// The command for one path.
    fn of(&self, path: &[u8]) -> Vec<Vec<u8>> {
        self.words.iter().map(|word| filled(word, path)).collect()
    }

    /// The command for all paths: a word with a placeholder is repeated for each.
    fn of_all(&self, paths: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut words = Vec::new();
        for word in &self.words {
            let plain = filled(word, b"x") == *word && filled(word, b"y.z") == *word;
            match plain {
                true => words.push(word.clone()),
                false => words.extend(paths.iter().map(|path| filled(word, path))),
            }
        }
        words
    }

    /// Runs it for one path; whether it succeeded.
    pub(crate) fn run(&self, path: &[u8]) -> bool {
        start(&self.of(path))
    }

    /// Runs it for all paths, these many at a time; whether all succeeded.
    pub(crate) fn run_all(&self, paths: &[Vec<u8>], most: usize) -> bool {
        // A process takes no more arguments than this.
        let most = most.min(10_000);
        let results = paths.chunks(most).map(|paths| start(&self.of_all(paths)));
        // All are run, also behind one that failed.
        results.filter(|well| !well).count() == 0
    }
}

/// A word with parts of a path in the place of what stands for them.
fn filled(word: &[u8], path: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = word;
    while !rest.is_empty() {
        match PLACEHOLDERS.iter().find(|holder| rest.starts_with(holder)) {
            Some(holder) => {
                out.extend_from_slice(&part(holder, path));
                rest = &rest[holder.len()..];
            }
            None => {
                out.push(rest[0]);
                rest = &rest[1..];
            }
        }
    }
    out
}

fn part(holder: &[u8], path: &[u8]) -> Vec<u8> {
    let whole = codepod_tool::path(path);
    let name = whole.file_name().unwrap_or(whole.as_os_str());
    let bytes = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
    match holder {
        b"{/}" => name.as_encoded_bytes().to_vec(),
        b"{//}" => match whole.parent() {
            Some(parent) if parent.as_os_str().is_empty() => b".".to_vec(),
            Some(parent) => bytes(parent),
            None => path.to_vec(),
        },
        b"{.}" => {
            let plain = whole.strip_prefix("./").unwrap_or(whole);
            bytes(&plain.with_extension(""))
        }
        b"{/.}" => bytes(&PathBuf::from(name).with_extension("")),
        _ => path.to_vec(),
    }
}

/// Runs a command; whether it succeeded.
fn start(words: &[Vec<u8>]) -> bool {
    let Some(name) = words.first() else {
        return false;
    };
    let arguments: Vec<&[u8]> = words.iter().map(Vec::as_slice).collect();
    let started = find(name).and_then(|path| Command::start(&path, &arguments, Ends::None));
    match started.and_then(Command::wait) {
        Ok(ended) => ended == Ended::Exited(0),
        Err(error) => {
            let shown = String::from_utf8_lossy(name);
            let why = match error.kind() {
                io::ErrorKind::NotFound => format!("Command not found: {shown}"),
                _ => format!(
                    "Problem while executing command: {}",
                    codepod_tool::io_text(&error)
                ),
            };
            crate::say(&format!("[fd error]: {why}"));
            false
        }
    }
}

/// Where a program is.
fn find(name: &[u8]) -> io::Result<Vec<u8>> {
    if name.contains(&b'/') {
        return Ok(name.to_vec());
    }
    let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
    let candidates = path.as_encoded_bytes().split(|byte| *byte == b':');
    let mut candidates = candidates.map(|directory| [directory, b"/", name].concat());
    let found = candidates.find(|candidate| codepod_tool::path(candidate).is_file());
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(words: &[&str], path: &str) -> Vec<String> {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        let words = Template::new(words.collect()).of(path.as_bytes());
        let text = |word: Vec<u8>| String::from_utf8(word).expect("text");
        words.into_iter().map(text).collect()
    }

    #[test]
    fn placeholders_are_parts_of_the_path() {
        let words = ["{}", "{/}", "{//}", "{.}", "{/.}", "x{}y"];
        assert_eq!(
            one(&words, "./a/b.c.txt"),
            [
                "./a/b.c.txt",
                "b.c.txt",
                "./a",
                "a/b.c",
                "b.c",
                "x./a/b.c.txty"
            ]
        );
        assert_eq!(one(&["{//}"], "a"), ["."]);
        assert_eq!(one(&["echo"], "a"), ["echo", "a"]);
        assert_eq!(one(&["{", "}"], "a"), ["{", "}", "a"]);
    }
}
