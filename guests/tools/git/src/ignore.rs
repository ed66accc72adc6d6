//! Which files git does not look at: `.gitignore`, `info/exclude`, `core.excludesFile`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use crate::os;
use crate::repo::Repo;
use crate::wildmatch::{self, Slashes};

/// A line of such a file.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    pattern: Vec<u8>,
    negated: bool,
    only_directories: bool,
    /// Compared with the last part of a path only.
    base_name: bool,
    /// The line as it stands there, its number, and the file: for `check-ignore -v`.
    pub(crate) text: Vec<u8>,
    pub(crate) line: usize,
    pub(crate) source: Vec<u8>,
    /// The directory of the file, with a slash at its end; empty for the root.
    base: Vec<u8>,
}

/// All rules of a repository.
pub(crate) struct Ignore {
    general: Vec<Rule>,
    by_directory: RefCell<HashMap<Vec<u8>, Rc<Vec<Rule>>>>,
    fold: bool,
}

impl Ignore {
    /// The rules of a repository; those of directories are read when they are needed.
    pub(crate) fn new(repo: &Repo) -> Ignore {
        let mut general = Vec::new();
        let outside = match repo.config.get("core.excludesfile") {
            Some(path) => Some(crate::config::expand_home(path)),
            None => {
                let config = os::variable("XDG_CONFIG_HOME").filter(|value| !value.is_empty());
                let config = config
                    .or_else(|| os::variable("HOME").map(|home| [&home[..], b"/.config"].concat()));
                config.map(|config| [&config[..], b"/git/ignore"].concat())
            }
        };
        if let Some(text) = outside.as_ref().and_then(|path| os::read(path).ok()) {
            general.extend(parse(&text, b"", outside.as_deref().unwrap_or_default()));
        }
        let path = repo.shared("info/exclude");
        if let Ok(text) = os::read(&path) {
            general.extend(parse(&text, b"", &path));
        }
        let fold = repo.config.truth("core.ignorecase").unwrap_or(false);
        Ignore {
            general,
            by_directory: RefCell::default(),
            fold,
        }
    }

    fn of_directory(&self, directory: &[u8]) -> Rc<Vec<Rule>> {
        if let Some(rules) = self.by_directory.borrow().get(directory) {
            return rules.clone();
        }
        let path = [directory, b".gitignore"].concat();
        let is_file = os::lstat(&path).is_ok_and(|found| found.is_file());
        let text = if is_file {
            os::read(&path).unwrap_or_default()
        } else {
            Vec::new()
        };
        let rules = Rc::new(parse(&text, directory, &path));
        self.by_directory
            .borrow_mut()
            .insert(directory.to_vec(), rules.clone());
        rules
    }

    /// The rule that decides about a path itself, not looking at the directories above it.
    pub(crate) fn rule(&self, path: &[u8], is_directory: bool) -> Option<Rule> {
        let mut end = path
            .iter()
            .rposition(|byte| *byte == b'/')
            .map_or(0, |at| at + 1);
        let name = &path[end..];
        loop {
            let rules = self.of_directory(&path[..end]);
            if let Some(rule) = rules
                .iter()
                .rev()
                .find(|rule| rule.applies(path, name, is_directory, self.fold))
            {
                return Some(rule.clone());
            }
            if end == 0 {
                break;
            }
            end = path[..end - 1]
                .iter()
                .rposition(|byte| *byte == b'/')
                .map_or(0, |at| at + 1);
        }
        self.general
            .iter()
            .rev()
            .find(|rule| rule.applies(path, name, is_directory, self.fold))
            .cloned()
    }

    /// Whether a path is ignored, when no directory above it is.
    pub(crate) fn ignores(&self, path: &[u8], is_directory: bool) -> bool {
        self.rule(path, is_directory)
            .is_some_and(|rule| !rule.negated)
    }

    /// The rule by which a path, or a directory above it, is ignored.
    pub(crate) fn deciding(&self, path: &[u8], is_directory: bool) -> Option<Rule> {
        for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            if let Some(rule) = self.rule(&path[..at], true).filter(|rule| !rule.negated) {
                return Some(rule);
            }
        }
        self.rule(path, is_directory)
    }

    /// Whether a path or a directory above it is ignored.
    pub(crate) fn ignores_deep(&self, path: &[u8], is_directory: bool) -> bool {
        self.deciding(path, is_directory)
            .is_some_and(|rule| !rule.negated)
    }
}

impl Rule {
    /// Whether it brings back what another took out.
    pub(crate) fn is_negated(&self) -> bool {
        self.negated
    }

    fn applies(&self, path: &[u8], name: &[u8], is_directory: bool, fold: bool) -> bool {
        if self.only_directories && !is_directory {
            return false;
        }
        if self.base_name {
            return path.starts_with(&self.base)
                && wildmatch::matches(&self.pattern, name, Slashes::Stop, fold);
        }
        let Some(rest) = path.strip_prefix(&self.base[..]) else {
            return false;
        };
        wildmatch::matches(&self.pattern, rest, Slashes::Stop, fold)
    }
}

fn parse(text: &[u8], base: &[u8], source: &[u8]) -> Vec<Rule> {
    let mut rules = Vec::new();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    for (number, whole) in text.split(|byte| *byte == b'\n').enumerate() {
        let whole = whole.strip_suffix(b"\r").unwrap_or(whole);
        let mut line = whole;
        if line.is_empty() || line[0] == b'#' {
            continue;
        }
        // Spaces at the end do not count unless they are escaped.
        while line.last() == Some(&b' ') && !line.ends_with(b"\\ ") {
            line = &line[..line.len() - 1];
        }
        let negated = line.first() == Some(&b'!');
        if negated {
            line = &line[1..];
        }
        let only_directories = line.last() == Some(&b'/');
        if only_directories {
            line = &line[..line.len() - 1];
        }
        if line.is_empty() {
            continue;
        }
        let base_name = !line.contains(&b'/');
        let pattern = line.strip_prefix(b"/").unwrap_or(line).to_vec();
        rules.push(Rule {
            pattern,
            negated,
            only_directories,
            base_name,
            text: whole.to_vec(),
            line: number + 1,
            source: source.to_vec(),
            base: base.to_vec(),
        });
    }
    rules
}
