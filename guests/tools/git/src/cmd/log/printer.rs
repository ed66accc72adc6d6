//! Commits with their changes, as `log` and `show` print them.

use super::{LogOptions, Merges};
use crate::cmd::graph::Graph;
use crate::diff::change::{self, Change};
use crate::diff::{self, Options, patch};
use crate::object::Commit;
use crate::oid::Oid;
use crate::out::put;
use crate::pretty::{self, Format};
use crate::repo::Repo;
use crate::stop::Result;

impl LogOptions {
    /// Shows one commit with its changes; `graph` draws beside it.
    pub(crate) fn commit(
        &mut self,
        repo: &Repo,
        commit: &Commit,
        first: &mut bool,
        graph: &mut Option<Graph>,
    ) -> Result<()> {
        let changes = self.changes(repo, commit)?;
        let picky = self.diff.pickaxe.is_some() || self.diff.filter.is_some();
        if picky && changes.iter().all(|(_, changes)| changes.is_empty()) {
            return Ok(());
        }
        let shows = self.diff.has_format() && !self.diff.silent;
        let text = pretty::show_commit(repo, commit, &self.format, &self.context);
        let blank = matches!(&self.format, Format::User(format, _) if format.is_empty());
        let end: &[u8] = if self.null { b"\0" } else { b"\n" };
        if let Some(graph) = graph {
            return self.graphed(repo, commit, &text, &changes, first, graph);
        }
        if !*first && !self.format.ends() {
            put(end);
        }
        *first = false;
        put(&text);
        if self.format.ends() || matches!(self.format, Format::User(_, false)) && shows {
            let skip = blank && !self.format.ends();
            if !(skip || (blank && self.format.ends())) {
                put(end);
            }
        }
        if !shows {
            return Ok(());
        }
        for (title, changes) in &changes {
            if changes.is_empty() {
                continue;
            }
            if let Some(title) = title {
                // Each parent of a merge has its own part.
                if *title > 0 {
                    if !self.format.ends() {
                        put(b"\n");
                    }
                    put(&text);
                    if self.format.ends() {
                        put(b"\n");
                    }
                }
            }
            if self.format != Format::Oneline && !blank {
                let both = self.diff.stat && self.diff.patch;
                put(if both { b"---\n" } else { b"\n" });
            }
            diff::show(repo, changes, &self.diff)?;
        }
        if self.merges == Merges::Combined && commit.parents.len() > 1 {
            self.combined(repo, commit, blank)?;
        }
        Ok(())
    }

    /// A merge beside all its parents; sums are those of the first.
    fn combined(&self, repo: &Repo, commit: &Commit, blank: bool) -> Result<()> {
        let sums = Options {
            patch: false,
            raw: false,
            name_only: false,
            name_status: false,
            ..self.diff.clone()
        };
        let both = sums.stat && self.diff.patch;
        if self.format != Format::Oneline && !blank {
            put(if both { b"---\n" } else { b"\n" });
        }
        if sums.has_format() {
            let parent = Commit::read(&repo.objects, &commit.parents[0])?.tree;
            let changes = change::trees(repo, Some(parent), Some(commit.tree), &self.query.paths)?;
            let changes = patch::prepare(repo, changes, &sums, &[])?;
            diff::show(repo, &changes, &sums)?;
        }
        let combined = diff::combined::commit(repo, commit, &self.query.paths)?;
        if self.diff.patch {
            if sums.has_format() && !combined.is_empty() {
                put(b"\n");
            }
            combined.print(repo, &self.diff)?;
        } else {
            combined.names(repo, &self.diff)?;
        }
        Ok(())
    }

    fn graphed(
        &mut self,
        repo: &Repo,
        commit: &Commit,
        text: &[u8],
        changes: &[(Option<usize>, Vec<Change>)],
        first: &mut bool,
        graph: &mut Graph,
    ) -> Result<()> {
        graph.start(commit);
        if !*first && !self.format.ends() {
            // The blank line between commits has the graph beside it.
            graph.padding();
        }
        *first = false;
        let text = text.strip_suffix(b"\n").unwrap_or(text);
        graph.commit_lines(text, !self.format.ends());
        if self.diff.has_format() && !self.diff.silent {
            let changes: Vec<&Vec<Change>> = changes
                .iter()
                .map(|(_, changes)| changes)
                .filter(|list| !list.is_empty())
                .collect();
            for list in changes {
                let prefix = graph.prefix();
                let mut options = self.diff.clone();
                options.line_prefix.clone_from(&prefix);
                if self.format != Format::Oneline {
                    put(&prefix);
                    put(if options.stat && options.patch {
                        b"---\n"
                    } else {
                        b"\n"
                    });
                }
                diff::show(repo, list, &options)?;
            }
        }
        graph.finish();
        Ok(())
    }

    /// The changes that are shown for a commit; with a number for each parent where there are
    /// several.
    pub(super) fn changes(
        &mut self,
        repo: &Repo,
        commit: &Commit,
    ) -> Result<Vec<(Option<usize>, Vec<Change>)>> {
        let picky = self.diff.pickaxe.is_some() || self.diff.filter.is_some();
        if (!self.diff.has_format() && !picky && !self.follow) || (self.diff.silent && !picky) {
            return Ok(Vec::new());
        }
        let commit = &Commit::read(&repo.objects, &commit.oid)?;
        let mut lists = Vec::new();
        let parents: Vec<Option<Oid>> = match commit.parents.len() {
            0 if !self.root => return Ok(Vec::new()),
            0 => vec![None],
            1 => vec![Some(commit.parents[0])],
            _ => match self.merges {
                Merges::None | Merges::Combined => return Ok(Vec::new()),
                Merges::First => vec![Some(commit.parents[0])],
                Merges::Each => commit.parents.iter().copied().map(Some).collect(),
            },
        };
        let many = parents.len() > 1;
        for (number, parent) in parents.into_iter().enumerate() {
            let tree = match parent {
                Some(parent) => Some(Commit::read(&repo.objects, &parent)?.tree),
                None => None,
            };
            let changes = change::trees(repo, tree, Some(commit.tree), &self.query.paths)?;
            let changes = patch::prepare(
                repo,
                changes,
                &self.diff,
                &all_files(repo, tree, &self.diff)?,
            )?;
            lists.push((many.then_some(number), changes));
        }
        Ok(lists)
    }
}

/// All files of a tree, where copies are looked for everywhere.
pub(crate) fn all_files(
    repo: &Repo,
    tree: Option<Oid>,
    options: &Options,
) -> Result<Vec<diff::Side>> {
    let Some(tree) = tree.filter(|_| options.copies_harder) else {
        return Ok(Vec::new());
    };
    let files = change::flatten(repo, &tree)?;
    Ok(files
        .into_iter()
        .map(|(path, (mode, oid))| diff::Side { mode, oid, path })
        .collect())
}
