//! `git log`: the history of commits.

mod options;
mod printer;

use std::collections::HashMap;

use super::Call;
use super::graph::Graph;
use super::reflog;
use crate::diff;
use crate::diff::change;
use crate::object::Commit;
use crate::oid::Oid;
use crate::out::{self, put};
use crate::pathspec::Pathspec;
use crate::pretty::{self, Format};
use crate::repo::Repo;
use crate::stop::{Result, fatal, show as text_of};

pub(crate) use options::{LogOptions, Merges};
pub(crate) use printer::all_files;

/// `git log`.
pub(crate) fn log(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let (mut show, words, dashes) = LogOptions::parse(&repo, &call.words, "log")?;
    if call.name == "whatchanged" {
        show.diff.raw = !show.diff.has_format();
    }
    show.query.words(&repo, &words, dashes)?;
    if show.walk_reflogs {
        let name = show
            .query
            .names
            .first()
            .map_or(b"HEAD".to_vec(), |(_, name)| name.clone());
        return reflog::show_log(&repo, &name, show);
    }
    if !show.query.revision_given {
        let head = born_head(&repo)?;
        show.query.starts.push(head);
        show.query.names.push((head, b"HEAD".to_vec()));
    }
    if show.follow {
        if show.query.words_after.len() != 1 {
            return fatal("--follow requires exactly one pathspec");
        }
        return follow(&repo, show);
    }
    // A picky diff is counted after it has picked.
    let picky = show.diff.pickaxe.is_some() || show.diff.filter.is_some();
    let max = show.query.max;
    if picky {
        show.query.max = None;
    }
    let commits = show.query.run(&repo)?;
    let marks = show.query.marks(&repo)?;
    let sources = sources(&repo, &show)?;
    let mut first = true;
    let hidden = if show.graph {
        crate::walk::ancestors(&repo, &show.query.without)?
    } else {
        Default::default()
    };
    let mut graph = show.graph.then(|| Graph::new(show.diff.color, hidden));
    let mut shown = 0;
    for commit in &commits {
        if out::is_broken() {
            break;
        }
        if picky {
            if max.is_some_and(|max| shown >= max) {
                break;
            }
            let changes = show.changes(&repo, commit)?;
            if changes.iter().all(|(_, list)| list.is_empty()) {
                continue;
            }
            shown += 1;
        }
        show.context.mark = marks.get(&commit.oid).copied();
        show.context.source = sources.get(&commit.oid).cloned();
        show.commit(&repo, commit, &mut first, &mut graph)?;
    }
    Ok(0)
}

/// The commit that `HEAD` is; fails when its branch has none.
pub(crate) fn born_head(repo: &Repo) -> Result<Oid> {
    repo.head().map_or_else(
        || {
            let branch = text_of(&repo.branch().unwrap_or_default());
            fatal(format!(
                "your current branch '{branch}' does not have any commits yet"
            ))
        },
        Ok,
    )
}

fn sources(repo: &Repo, show: &LogOptions) -> Result<HashMap<Oid, Vec<u8>>> {
    let mut sources = HashMap::new();
    let wanted = show.source
        || matches!(&show.format, Format::User(text, _) if text.windows(2).any(|pair| pair == b"%S"));
    if wanted {
        for (oid, name) in &show.query.names {
            for commit in crate::walk::by_date(repo, &[*oid])? {
                sources.entry(commit.oid).or_insert_with(|| name.clone());
            }
        }
    }
    Ok(sources)
}

/// `--follow`: one file through its renames.
fn follow(repo: &Repo, mut show: LogOptions) -> Result<i32> {
    let Some(mut path) = repo.path_of_user(&show.query.words_after[0]) else {
        return fatal("outside of the repository");
    };
    show.query.paths = Pathspec::default();
    let max = show.query.max.take();
    let commits = show.query.run(repo)?;
    let mut first = true;
    let mut shown = 0;
    for commit in &commits {
        if max.is_some_and(|max| shown >= max) || out::is_broken() {
            break;
        }
        if commit.parents.len() > 1 {
            continue;
        }
        let tree = match commit.parents.first() {
            Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
            None => None,
        };
        let mut changes = change::trees(repo, tree, Some(commit.tree), &Pathspec::default())?;
        if !changes.iter().any(|change| change.new.path == path) {
            continue;
        }
        let mut options = show.diff.clone();
        options.renames = true;
        changes = crate::diff::rename::detect(repo, changes, &options, &[])?;
        let Some(change) = changes.into_iter().find(|change| change.new.path == path) else {
            continue;
        };
        let old = change.old.path.clone();
        let renamed = change.status == b'R';
        let text = pretty::show_commit(repo, commit, &show.format, &show.context);
        if !first && !show.format.ends() {
            put(b"\n");
        }
        first = false;
        put(&text);
        if show.format.ends() {
            put(b"\n");
        }
        if show.diff.has_format() && !show.diff.silent {
            if show.format != Format::Oneline {
                put(if show.diff.stat && show.diff.patch {
                    b"---\n"
                } else {
                    b"\n"
                });
            }
            diff::show(repo, &[change], &show.diff)?;
        }
        shown += 1;
        if renamed {
            path = old;
        }
    }
    Ok(0)
}
