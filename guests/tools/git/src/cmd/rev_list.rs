//! `git rev-list`: names of commits, and of the objects that they lead to.

use std::collections::HashSet;

use super::Call;
use super::log::LogOptions;
use crate::args;
use crate::object::{self, Commit};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pretty::{self, Format};
use crate::repo::Repo;
use crate::stop::{Result, fatal};

/// The options that `log` does not have.
#[derive(Default)]
struct Options {
    count: bool,
    objects: bool,
    timestamp: bool,
    no_commit_header: bool,
    /// Whether commits are shown by a format.
    formatted: bool,
}

impl Options {
    /// Reads the own options of the command; the words that are left are those of `log`.
    fn read(words: &[Vec<u8>]) -> Result<(Options, Vec<Vec<u8>>)> {
        let mut options = Options::default();
        let mut rest = Vec::new();
        let mut children = false;
        for word in words {
            match &word[..] {
                b"--count" => options.count = true,
                b"--objects" => options.objects = true,
                b"--timestamp" => options.timestamp = true,
                b"--children" => children = true,
                b"--no-commit-header" => options.no_commit_header = true,
                b"--commit-header" => options.no_commit_header = false,
                b"--quiet" => {}
                _ => rest.push(word.clone()),
            }
        }
        if children {
            return fatal("codepod's git rev-list does not support --children");
        }
        options.formatted = rest.iter().any(|word| {
            word.starts_with(b"--format") || word.starts_with(b"--pretty") || word == b"--oneline"
        });
        Ok((options, rest))
    }
}

/// `git rev-list`.
pub(crate) fn rev_list(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (options, words) = Options::read(&call.words)?;
    let (mut log, rest, dashes) = LogOptions::parse(&repo, &words, "log")?;
    log.query.words(&repo, &rest, dashes)?;
    if !log.query.revision_given {
        return Err(args::usage("rev-list", "a revision is needed"));
    }
    let commits = log.query.run(&repo)?;
    let marks = log.query.marks(&repo)?;
    if options.count {
        let left = commits
            .iter()
            .filter(|commit| marks.get(&commit.oid) == Some(&'<'))
            .count();
        out::line(match log.query.left_right {
            true => format!("{left}\t{}", commits.len() - left),
            false => commits.len().to_string(),
        });
        return Ok(0);
    }
    for commit in &commits {
        let mark = marks
            .get(&commit.oid)
            .map_or(String::new(), |mark| mark.to_string());
        match options.formatted {
            true => print_formatted(&repo, commit, &mark, &log, &options),
            false => print(&repo, commit, &mark, &log, &options),
        }
    }
    if options.objects {
        print_objects(&repo, &commits, &log.query.without)?;
    }
    Ok(0)
}

fn print_formatted(repo: &Repo, commit: &Commit, mark: &str, log: &LogOptions, options: &Options) {
    let text = pretty::show_commit(repo, commit, &log.format, &log.context);
    if let Format::User(..) = log.format {
        if !options.no_commit_header {
            out::line(format!("commit {mark}{}", commit.oid));
        }
        out::line(text);
    } else {
        out::put(&text);
        out::put(b"\n");
    }
}

fn print(repo: &Repo, commit: &Commit, mark: &str, log: &LogOptions, options: &Options) {
    let time = match options.timestamp {
        true => format!("{} ", commit.time()),
        false => String::new(),
    };
    let name = match log.context.abbrev_commit {
        true => {
            let count = log.context.abbrev.unwrap_or(repo.abbrev());
            repo.objects.abbreviate(&commit.oid, count)
        }
        false => commit.oid.hex(),
    };
    let mut parents = String::new();
    if log.context.parents {
        parents.extend(commit.parents.iter().map(|parent| format!(" {parent}")));
    }
    out::line(format!("{time}{mark}{name}{parents}"));
}

/// Prints trees and files of commits that those which are left out do not have.
fn print_objects(repo: &Repo, commits: &[Commit], without: &[Oid]) -> Result<()> {
    let mut seen = HashSet::new();
    for oid in without {
        let tree = Commit::read(&repo.objects, oid)?.tree;
        collect(repo, tree, b"", &mut seen, &mut |_, _| {})?;
    }
    for commit in commits {
        collect(repo, commit.tree, b"", &mut seen, &mut |oid, path| {
            out::line([oid.hex().as_bytes(), b" ", path].concat());
        })?;
    }
    Ok(())
}

/// Goes through a tree's objects that were not seen yet.
fn collect(
    repo: &Repo,
    tree: Oid,
    path: &[u8],
    seen: &mut HashSet<Oid>,
    found: &mut dyn FnMut(Oid, &[u8]),
) -> Result<()> {
    if !seen.insert(tree) {
        return Ok(());
    }
    found(tree, path);
    for entry in object::read_tree(&repo.objects, &tree)? {
        let below = match path.is_empty() {
            true => entry.name.clone(),
            false => [path, b"/", &entry.name].concat(),
        };
        match entry.kind() {
            Kind::Tree => collect(repo, entry.oid, &below, seen, found)?,
            Kind::Blob if seen.insert(entry.oid) => found(entry.oid, &below),
            _ => {}
        }
    }
    Ok(())
}
