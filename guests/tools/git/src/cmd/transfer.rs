//! What `fetch`, `push` and `clone` share: the other repository, its objects, and how it is told
//! what was done.

use std::cell::RefCell;
use std::collections::HashSet;

use super::remotes::rewritten;
use crate::config::Config;
use crate::object::{Commit, Tag, parse_tree};
use crate::objects::Objects;
use crate::oid::{Kind, Oid};
use crate::refs::Refs;
use crate::repo::{self, Repo};
use crate::stop::{Result, Stop, fatal, show};
use crate::wire::advertised::{self, Advertised, Reference};
use crate::wire::fetch::{self, Depth, Wanted};
use crate::wire::send::{self, Command, How};
use crate::wire::session::{Session, anonymous, is_url};
use crate::{os, out};

/// Another repository: its references, and the way to it.
pub(crate) struct Other {
    /// Where it is, for messages.
    pub(crate) place: Vec<u8>,
    way: Way,
}

enum Way {
    /// In a directory here.
    Path(Local),
    /// At a URL.
    Http(Box<(RefCell<Session>, Advertised)>),
}

/// A repository in a directory.
pub(crate) struct Local {
    pub(crate) dir: Vec<u8>,
    pub(crate) refs: Refs,
    pub(crate) objects: Objects,
}

/// What another repository is opened for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum For<'a> {
    /// To bring objects from; of its references those are needed that begin with one of these, or
    /// all.
    Fetch(&'a [Vec<u8>]),
    /// To bring objects to.
    Push,
}

/// Opens a repository by the place of a remote: a path, or a URL of http. `base` is what a path is
/// relative to.
pub(crate) fn open(
    config: &Config,
    place: &[u8],
    base: &[u8],
    what_for: For<'_>,
    quiet: bool,
) -> Result<Other> {
    let place = rewritten(config, place, matches!(what_for, For::Push));
    check_place(&place)?;
    if is_url(&place) {
        let mut session = Session::new(config, &place, quiet)?;
        let server = match what_for {
            For::Fetch(prefixes) => advertised::for_fetch(&mut session, prefixes)?,
            For::Push => advertised::for_push(&mut session)?,
        };
        return Ok(Other {
            place: anonymous(&place),
            way: Way::Http(Box::new((RefCell::new(session), server))),
        });
    }
    let local = open_path(&place, base)?;
    Ok(Other {
        place,
        way: Way::Path(local),
    })
}

/// Whether a place is on another host, as `ssh` writes it.
fn is_host(text: &str) -> bool {
    let host = text.split_once(':').map(|(host, _)| host);
    !text.starts_with('/') && !text.starts_with('.') && host.is_some_and(|host| !host.contains('/'))
}

/// Fails for places that cannot be reached, and says why.
pub(crate) fn check_place(place: &[u8]) -> Result<()> {
    let text = show(&anonymous(place));
    let scheme = text
        .split_once("://")
        .map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https" | "file") => Ok(()),
        Some("ssh" | "git+ssh" | "ssh+git") => no_ssh(&text),
        Some(other) => fatal(format!(
            "codepod's git does not speak '{other}': use https:// or http:// instead of '{text}'"
        )),
        None if is_host(&text) && !os::exists(place) => no_ssh(&text),
        None => Ok(()),
    }
}

fn no_ssh(text: &str) -> Result<()> {
    fatal(format!(
        "codepod's git has no ssh, because a sandbox has no keys and reaches hosts by http(s) only: \
         use the https:// URL instead of '{text}'"
    ))
}

/// Opens a repository by its path.
fn open_path(path: &[u8], base: &[u8]) -> Result<Local> {
    let path = path.strip_prefix(b"file://").unwrap_or(path);
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
            if !objects.shallow().is_empty() {
                return fatal("source repository is shallow, reject to clone.");
            }
            return Ok(Local {
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

impl Other {
    /// The repository, where it is in a directory here.
    pub(crate) fn local(&self) -> Option<&Local> {
        match &self.way {
            Way::Path(local) => Some(local),
            Way::Http(_) => None,
        }
    }

    /// The object of a reference, by its full name.
    pub(crate) fn resolve(&self, name: &[u8]) -> Option<Oid> {
        match &self.way {
            Way::Path(local) => local.refs.resolve(name),
            Way::Http(way) => found(&way.1, name).map(|found| found.oid),
        }
    }

    /// Every reference below a prefix, with its object, sorted by name.
    pub(crate) fn all(&self, prefix: &[u8]) -> Vec<(Vec<u8>, Oid)> {
        match &self.way {
            Way::Path(local) => local.refs.all(prefix),
            Way::Http(way) => {
                let fitting = way
                    .1
                    .refs
                    .iter()
                    .filter(|found| found.name.starts_with(prefix));
                fitting
                    .map(|found| (found.name.clone(), found.oid))
                    .collect()
            }
        }
    }

    /// The branch that `HEAD` leads to.
    pub(crate) fn head_branch(&self) -> Option<Vec<u8>> {
        match &self.way {
            Way::Path(local) => local.refs.head_branch(),
            Way::Http(way) => way.1.head.clone(),
        }
    }

    /// What a reference leads to, by its full name and object: what its tag names.
    pub(crate) fn target(&self, name: &[u8], oid: Oid) -> Option<Oid> {
        match &self.way {
            Way::Path(local) => match local.objects.get(&oid) {
                Ok(Some((Kind::Tag, content))) => Tag::parse(&content).map(|tag| tag.target),
                Ok(Some(_)) => Some(oid),
                _ => None,
            },
            Way::Http(way) => found(&way.1, name).map(|found| found.target.unwrap_or(oid)),
        }
    }

    /// Brings objects from there, and all that they lead to.
    pub(crate) fn bring(&self, repo: &Repo, wanted: Wanted<'_>) -> Result<()> {
        match &self.way {
            Way::Path(_) if wanted.depth != Depth::AsItIs => {
                fatal("codepod's git makes history shallow over http(s) only, and not from a path")
            }
            Way::Path(local) => copy(&local.objects, &repo.objects, wanted.oids).map(drop),
            Way::Http(way) => fetch::fetch(&mut way.0.borrow_mut(), &way.1, repo, wanted),
        }
    }

    /// Changes references there; the objects they need go along. Returns why some were refused.
    pub(crate) fn change(
        &self,
        repo: &Repo,
        commands: &[Command],
        how: &How,
    ) -> Result<std::collections::HashMap<Vec<u8>, String>> {
        let local = match &self.way {
            Way::Path(local) => local,
            Way::Http(way) => {
                return send::send(&mut way.0.borrow_mut(), &way.1, repo, commands, how);
            }
        };
        for command in commands {
            match command.new {
                Some(oid) => {
                    copy(&repo.objects, &local.objects, &[oid])?;
                    local.refs.write(&command.name, oid, None)?;
                }
                None => local.refs.delete(&command.name)?,
            }
        }
        Ok(std::collections::HashMap::new())
    }
}

fn found<'a>(server: &'a Advertised, name: &[u8]) -> Option<&'a Reference> {
    server.refs.iter().find(|found| found.name == name)
}

/// Copies objects, and all that they lead to, that the target does not have.
fn copy(from: &Objects, to: &Objects, starts: &[Oid]) -> Result<usize> {
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

/// The place of a repository as messages name it: without `.git`.
pub(crate) fn shown_place(place: &[u8]) -> String {
    let whole = show(&anonymous(place));
    let shown = whole.trim_end_matches('/');
    let shown = shown.strip_suffix(".git").unwrap_or(shown);
    shown.trim_end_matches('/').to_owned()
}
