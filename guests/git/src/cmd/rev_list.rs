//! `git rev-list`: names of commits, and of the objects that they lead to.

use super::Call;
use super::log::LogOptions;
use crate::args;
use crate::object::Commit;
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pretty::{self, Format};
use crate::repo::Repo;
use crate::stop::{Result, fatal};

/// `git rev-list`.
pub(crate) fn rev_list(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut count, mut objects, mut timestamp, mut children) = (false, false, false, false);
    let mut words = Vec::new();
    let mut no_commit_header = false;
    for word in &call.words {
        match &word[..] {
            b"--count" => count = true,
            b"--objects" => objects = true,
            b"--timestamp" => timestamp = true,
            b"--children" => children = true,
            b"--no-commit-header" => no_commit_header = true,
            b"--commit-header" => no_commit_header = false,
            b"--quiet" => {}
            _ => words.push(word.clone()),
        }
    }
    if children {
        return fatal("codepod's git rev-list does not support --children");
    }
    let formatted = words.iter().any(|word| {
        word.starts_with(b"--format") || word.starts_with(b"--pretty") || word == b"--oneline"
    });
    let (mut state, rest, dashes) = LogOptions::parse(&repo, &words, "log")?;
    state.query.words(&repo, &rest, dashes)?;
    if !state.query.revision_given {
        return Err(args::usage("rev-list", "a revision is needed"));
    }
    let commits = state.query.run(&repo)?;
    let marks = state.query.marks(&repo)?;
    if count {
        if state.query.left_right {
            let left = commits
                .iter()
                .filter(|commit| marks.get(&commit.oid) == Some(&'<'))
                .count();
            out::line(format!("{left}\t{}", commits.len() - left));
        } else {
            out::line(commits.len().to_string());
        }
        return Ok(0);
    }
    for commit in &commits {
        let mark = marks
            .get(&commit.oid)
            .map_or(String::new(), |mark| mark.to_string());
        if formatted {
            let text = pretty::show_commit(&repo, commit, &state.format, &state.context);
            if let Format::User(..) = state.format {
                if !no_commit_header {
                    out::line(format!("commit {mark}{}", commit.oid));
                }
                out::line(text);
            } else {
                out::put(&text);
                out::put(b"\n");
            }
            continue;
        }
        let time = if timestamp {
            format!("{} ", commit.time())
        } else {
            String::new()
        };
        let name = match state.context.abbrev_commit {
            true => repo
                .objects
                .abbreviate(&commit.oid, state.context.abbrev.unwrap_or(repo.abbrev())),
            false => commit.oid.hex(),
        };
        let parents: String = match state.context.parents {
            true => commit
                .parents
                .iter()
                .map(|parent| format!(" {parent}"))
                .collect(),
            false => String::new(),
        };
        out::line(format!("{time}{mark}{name}{parents}"));
    }
    if objects {
        let mut hidden = std::collections::HashSet::new();
        for oid in &state.query.without {
            collect(
                &repo,
                Commit::read(&repo.objects, oid)?.tree,
                b"",
                &mut hidden,
                &mut |_, _| {},
            )?;
        }
        for commit in &commits {
            collect(&repo, commit.tree, b"", &mut hidden, &mut |oid, path| {
                out::line([oid.hex().as_bytes(), b" ", path].concat());
            })?;
        }
    }
    Ok(0)
}

/// Goes through a tree's objects that were not seen yet.
pub(crate) fn collect(
    repo: &Repo,
    tree: Oid,
    path: &[u8],
    seen: &mut std::collections::HashSet<Oid>,
    found: &mut dyn FnMut(Oid, &[u8]),
) -> Result<()> {
    if !seen.insert(tree) {
        return Ok(());
    }
    found(tree, path);
    for entry in crate::object::read_tree(&repo.objects, &tree)? {
        let below = if path.is_empty() {
            entry.name.clone()
        } else {
            [path, b"/", &entry.name].concat()
        };
        match entry.kind() {
            Kind::Tree => collect(repo, entry.oid, &below, seen, found)?,
            Kind::Blob if seen.insert(entry.oid) => found(entry.oid, &below),
            _ => {}
        }
    }
    Ok(())
}
