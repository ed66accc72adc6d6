//! What `.gitattributes` says of files: binary or text, and line ends.

use crate::diff::patch;
use crate::os;
use crate::repo::Repo;
use crate::wildmatch::{self, Slashes};

/// A value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// `name`.
    Set,
    /// `-name`.
    Unset,
    /// `name=value`.
    Text(Vec<u8>),
}

/// The value of an attribute for a path; none when nothing says so.
pub(crate) fn get(repo: &Repo, path: &[u8], name: &[u8]) -> Option<Value> {
    let mut files = Vec::new();
    let mut ends: Vec<usize> = path
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| at + 1)
        .collect();
    ends.insert(0, 0);
    for end in ends {
        files.push((
            path[..end].to_vec(),
            [&path[..end], b".gitattributes"].concat(),
        ));
    }
    files.push((Vec::new(), repo.shared("info/attributes")));
    let mut found = None;
    for (base, file) in files {
        let Some(text) = cached(&file) else {
            continue;
        };
        for line in text.split(|byte| *byte == b'\n') {
            let mut words = line
                .split(|byte| byte.is_ascii_whitespace())
                .filter(|word| !word.is_empty());
            let Some(pattern) = words.next().filter(|word| word[0] != b'#') else {
                continue;
            };
            if !applies(pattern, &path[base.len()..]) {
                continue;
            }
            for word in words {
                read_word(word, name, &mut found);
            }
        }
    }
    found.flatten()
}

fn read_word(word: &[u8], name: &[u8], found: &mut Option<Option<Value>>) {
    if word == b"binary" {
        for part in [&b"-diff"[..], b"-merge", b"-text"] {
            read_word(part, name, found);
        }
    }
    if word == name {
        *found = Some(Some(Value::Set));
    } else if word.strip_prefix(b"-") == Some(name) {
        *found = Some(Some(Value::Unset));
    } else if word.strip_prefix(b"!") == Some(name) {
        *found = Some(None);
    } else if let Some(value) = word
        .strip_prefix(name)
        .and_then(|rest| rest.strip_prefix(b"="))
    {
        *found = Some(Some(Value::Text(value.to_vec())));
    }
}

fn applies(pattern: &[u8], path: &[u8]) -> bool {
    if pattern.contains(&b'/') {
        let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
        return wildmatch::matches(pattern, path, Slashes::Stop, false);
    }
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
    wildmatch::matches(pattern, name, Slashes::Stop, false)
}

/// Files are read once.
fn cached(file: &[u8]) -> Option<std::rc::Rc<Vec<u8>>> {
    use std::cell::RefCell;
    use std::collections::HashMap;
    use std::rc::Rc;
    thread_local! {
        static FILES: RefCell<HashMap<Vec<u8>, Option<Rc<Vec<u8>>>>> = RefCell::default();
    }
    FILES.with_borrow_mut(|files| {
        let read = || match os::lstat(file) {
            Ok(found) if found.is_file() => os::read(file).ok().map(Rc::new),
            _ => None,
        };
        files.entry(file.to_vec()).or_insert_with(read).clone()
    })
}

/// Whether a file is shown as binary.
pub(crate) fn is_binary(repo: &Repo, path: &[u8], content: &[u8]) -> bool {
    match get(repo, path, b"diff") {
        Some(Value::Unset) => true,
        Some(Value::Set) => false,
        _ => patch::is_binary(content),
    }
}

/// How line ends of a path are treated: whether they are made `\n` inside, and `\r\n` outside.
fn line_ends(repo: &Repo, path: &[u8], content: &[u8]) -> (bool, bool) {
    let autocrlf = repo.config.get("core.autocrlf");
    let text = get(repo, path, b"text");
    let eol = get(repo, path, b"eol");
    let automatic = match (&text, &eol) {
        (Some(Value::Unset), _) => return (false, false),
        (Some(Value::Set), _) => false,
        (Some(Value::Text(word)), _) if word == b"auto" => true,
        (None, Some(_)) => false,
        (None, None) => match autocrlf.map(|value| (value, crate::config::parse_truth(value))) {
            Some((b"input", _) | (_, Some(true))) => true,
            _ => return (false, false),
        },
        _ => return (false, false),
    };
    if automatic && patch::is_binary(content) {
        return (false, false);
    }
    let crlf = match &eol {
        Some(Value::Text(word)) => word == b"crlf",
        _ => match autocrlf.and_then(crate::config::parse_truth) {
            Some(true) => true,
            _ => repo.config.get("core.eol") == Some(b"crlf"),
        },
    };
    (true, crlf)
}

/// A file's content as it goes into the repository.
pub(crate) fn clean(repo: &Repo, path: &[u8], content: Vec<u8>) -> Vec<u8> {
    if !content.windows(2).any(|pair| pair == b"\r\n") || !line_ends(repo, path, &content).0 {
        return content;
    }
    let mut out = Vec::with_capacity(content.len());
    for (at, &byte) in content.iter().enumerate() {
        if !(byte == b'\r' && content.get(at + 1) == Some(&b'\n')) {
            out.push(byte);
        }
    }
    out
}

/// A file's content as it comes out of the repository.
pub(crate) fn smudge(repo: &Repo, path: &[u8], content: &[u8]) -> Vec<u8> {
    if !content.contains(&b'\n')
        || !line_ends(repo, path, content).1
        || content.windows(2).any(|pair| pair == b"\r\n")
    {
        return content.to_vec();
    }
    let mut out = Vec::with_capacity(content.len() + 64);
    for &byte in content {
        if byte == b'\n' {
            out.push(b'\r');
        }
        out.push(byte);
    }
    out
}
