//! What `fetch`, `push` and `clone` share: the other repository, its objects, and how it is told
//! what was done.

use crate::object::{Commit, Tag, parse_tree};
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::refs::Refs;
use crate::repo::{self};
use crate::stop::{Result, Stop, fatal, show};
use crate::{os, out};
use std::collections::HashSet;

/// Another repository: its references and objects.
pub(crate) struct Other {
    pub(crate) dir: Vec<u8>,
    pub(crate) refs: Refs,
    pub(crate) objects: Objects,
}

/// Opens a repository by the path of a remote. Names of hosts are refused: there is no network
/// here.
pub(crate) fn open(path: &[u8], base: &[u8]) -> Result<Other> {
    let path = path.strip_prefix(b"file://").unwrap_or(path);
    let text = show(path);
    let has_scheme = text.contains("://");
    let is_host = !text.starts_with('/')
        && !text.starts_with('.')
        && text
            .split_once(':')
            .is_some_and(|(host, _)| !host.contains('/'));
    if has_scheme || is_host {
        return fatal(format!(
            "codepod's git has no network: '{text}' is not a path"
        ));
    }
    let whole = if path.first() == Some(&b'/') {
        path.to_vec()
    } else {
        [base, b"/", path].concat()
    };
    for suffix in [&b"/.git"[..], b"", b".git/.git", b".git"] {
        let place = [&whole[..], suffix].concat();
        if let Ok(Some(dir)) = repo::git_link(&place) {
            let dir = os::real_path(&dir)?;
            let common = match os::read(&[&dir[..], b"/commondir"].concat()) {
                Ok(text) => os::real_path(&[&dir[..], b"/", text.trim_ascii_end()].concat())?,
                Err(_) => dir.clone(),
            };
            let objects = Objects::open([&common[..], b"/objects"].concat());
            return Ok(Other {
                refs: Refs {
                    own: dir.clone(),
                    common,
                },
                dir,
                objects,
            });
        }
    }
    let shown = show(path);
    out::note(format!(
        "fatal: '{shown}' does not appear to be a git repository"
    ));
    out::note(
        "fatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.",
    );
    Err(Stop::Status(128))
}

/// Copies objects, and all that they lead to, that the target does not have.
pub(crate) fn copy(from: &Objects, to: &Objects, starts: &[Oid]) -> Result<usize> {
    let mut seen: HashSet<Oid> = HashSet::new();
    let mut todo: Vec<Oid> = starts.to_vec();
    let mut found: Vec<Oid> = Vec::new();
    while let Some(oid) = todo.pop() {
        if !seen.insert(oid) || (to.has(&oid) && oid != Oid::EMPTY_TREE) {
            continue;
        }
        let (kind, content) = from.read(&oid)?;
        match kind {
            Kind::Blob => {}
            Kind::Tag => todo.extend(Tag::parse(&content).map(|tag| tag.target)),
            Kind::Commit => {
                if let Some(commit) = Commit::parse(oid, &content) {
                    todo.push(commit.tree);
                    todo.extend(commit.parents);
                }
            }
            Kind::Tree => {
                let entries = parse_tree(&content).unwrap_or_default();
                todo.extend(
                    entries
                        .into_iter()
                        .filter(|entry| entry.kind() != Kind::Commit)
                        .map(|entry| entry.oid),
                );
            }
        }
        found.push(oid);
    }
    // A parent is written before its children, so that a copy that was cut off is still whole.
    for oid in found.iter().rev() {
        let (kind, content) = from.read(oid)?;
        to.write(kind, &content)?;
    }
    Ok(found.len())
}

/// A line of what `fetch` and `push` did.
pub(crate) struct Row {
    pub(crate) flag: char,
    pub(crate) summary: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) reason: String,
}

impl Row {
    /// This row, with what became of it.
    pub(crate) fn with(self, flag: char, summary: impl Into<String>, reason: &str) -> Row {
        Row {
            flag,
            summary: summary.into(),
            reason: reason.to_owned(),
            ..self
        }
    }
}

pub(crate) fn print_rows(title: &str, place: &str, rows: &[&Row]) {
    if rows.is_empty() {
        return;
    }
    out::note(format!("{title} {place}"));
    let width = rows
        .iter()
        .map(|row| row.summary.len())
        .max()
        .unwrap_or(0)
        .max(17);
    let from_width = rows
        .iter()
        .map(|row| row.from.len())
        .max()
        .unwrap_or(0)
        .max(10);
    for row in rows {
        let reason = if row.reason.is_empty() {
            String::new()
        } else {
            format!(" ({})", row.reason)
        };
        let from = match title {
            "To" => row.from.clone(),
            _ => format!("{:<from_width$}", row.from),
        };
        let from = match row.flag {
            '-' if title == "To" => String::new(),
            _ => format!("{from} -> "),
        };
        out::note(format!(
            " {} {:<width$} {from}{}{reason}",
            row.flag, row.summary, row.to
        ));
    }
}

/// What a tag leads to.
pub(crate) fn revision_target(other: &Other, oid: Oid) -> Option<Oid> {
    match other.objects.get(&oid) {
        Ok(Some((Kind::Tag, content))) => Tag::parse(&content).map(|tag| tag.target),
        Ok(Some(_)) => Some(oid),
        _ => None,
    }
}

/// The place of a repository as messages name it: without `.git`.
pub(crate) fn shown_place(place: &[u8]) -> String {
    let whole = show(place);
    let shown = whole.trim_end_matches('/');
    let shown = shown.strip_suffix(".git").unwrap_or(shown);
    shown.trim_end_matches('/').to_owned()
}
