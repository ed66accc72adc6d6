//! `git stash push` and `git stash save`.

use super::is_merged;
use crate::args::options;
use crate::cmd::commit::stage_known;
use crate::cmd::status::{Untracked, unknown};
use crate::cmd::{Call, write_commit};
use crate::diff::change;
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "stash" {
        keep_index: bool = "k|keep-index",
        staged: bool = "S|staged",
        quiet: bool = "q|quiet",
        untracked: bool = "u|include-untracked",
        /// Ignored files too.
        all: bool = "a|all",
        message: Option<Vec<u8>> = "m|message=",
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    refused "p|patch"
}

/// What is to be kept.
struct Changes<'a> {
    repo: &'a Repo,
    head: Commit,
    index: Index,
    paths: Pathspec,
    /// Whether paths were named.
    is_limited: bool,
    untracked: Vec<Vec<u8>>,
}

/// `git stash push`.
pub(super) fn push(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let (options, rest) = Options::read(words)?;
    if options.from.is_some() && !rest.words.is_empty() {
        return fatal("'--pathspec-from-file' and pathspec arguments cannot be used together");
    }
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    run(call, &options, &words)
}

/// `git stash save`: the words are the message.
pub(super) fn save(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let (mut options, rest) = Options::read(words)?;
    if !rest.words.is_empty() {
        options.message = Some(rest.words.join(&b' '));
    }
    run(call, &options, &[])
}

fn run(call: &Call, options: &Options, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.work_tree()?;
    let paths = Pathspec::new(&repo, words)?;
    let Some(head) = repo.head() else {
        out::note("You do not have the initial commit yet");
        return Ok(1);
    };
    let mut index = repo.index()?;
    change::refresh(&repo, &mut index)?;
    if !is_merged(&index) || !options.untracked && !are_known(&repo, &index, words, &paths) {
        return Ok(1);
    }
    let changes = Changes {
        head: Commit::read(&repo.objects, &head)?,
        is_limited: !words.is_empty(),
        untracked: untracked(&repo, &index, &paths, options)?,
        repo: &repo,
        index,
        paths,
    };
    if changes.is_empty(options)? {
        if !options.quiet {
            out::line("No local changes to save");
        }
        return Ok(0);
    }
    let title = changes.record(options)?;
    changes.take_back(options)?;
    if !options.quiet {
        out::line(format!("Saved working directory and index state {title}"));
    }
    Ok(0)
}

/// Whether each word fits a file that git knows; the first that does not is named.
fn are_known(repo: &Repo, index: &Index, words: &[Vec<u8>], paths: &Pathspec) -> bool {
    if words.is_empty() {
        return true;
    }
    let known = index.entries.values().map(|entry| &entry.path[..]);
    let unmatched = paths.unmatched(known);
    if let Some(word) = unmatched.first() {
        out::note(format!(
            "error: pathspec ':(prefix:{})./{}' did not match any file(s) known to git\nDid you forget to 'git add'?",
            repo.prefix.len(),
            show(word)
        ));
    }
    unmatched.is_empty()
}

/// The files that git does not know, where those are to be kept.
fn untracked(
    repo: &Repo,
    index: &Index,
    paths: &Pathspec,
    options: &Options,
) -> Result<Vec<Vec<u8>>> {
    if !options.untracked && !options.all {
        return Ok(Vec::new());
    }
    let ignored = options.all.then_some(Untracked::All);
    let (mut files, ignored) = unknown(repo, index, Untracked::All, ignored, paths)?;
    files.extend(ignored);
    files.sort();
    Ok(files)
}

impl Changes<'_> {
    fn is_empty(&self, options: &Options) -> Result<bool> {
        let Changes {
            repo,
            head,
            index,
            paths,
            ..
        } = self;
        let staged = change::tree_to_index(repo, Some(head.tree), index, paths)?;
        let is_unchanged = options.staged || change::index_to_files(repo, index, paths)?.is_empty();
        Ok(staged.is_empty() && is_unchanged && self.untracked.is_empty())
    }

    /// Makes the commits of the stash and writes its log; its title.
    fn record(&self, options: &Options) -> Result<String> {
        let repo = self.repo;
        let head = self.head.oid;
        let branch = repo
            .branch()
            .map_or("(no branch)".to_owned(), |branch| show(&branch));
        let (short, subject) = (repo.short(&head), show(&self.head.subject()));
        let about = format!("{branch}: {short} {subject}");
        let author = identity(repo, Role::Author, false)?;
        let committer = identity(repo, Role::Committer, false)?;
        let make = |tree: Oid, parents: Vec<Oid>, message: String| {
            let commit = Commit {
                oid: Oid::NULL,
                tree,
                parents,
                author: author.clone(),
                committer: committer.clone(),
                encoding: None,
                message: message.into_bytes(),
            };
            write_commit(repo, &commit)
        };
        // The index, then the files it does not know, then the working tree.
        let tree = worktree::write_tree(repo, &self.index)?;
        let mut parents = vec![head];
        parents.push(make(tree, vec![head], format!("index on {about}\n"))?);
        if !self.untracked.is_empty() {
            let tree = self.untracked_tree()?;
            let message = format!("untracked files on {about}\n");
            parents.push(make(tree, Vec::new(), message)?);
        }
        let title = match &options.message {
            Some(text) => format!("On {branch}: {}", show(text)),
            None => format!("WIP on {about}"),
        };
        let stash = make(self.work_tree(options)?, parents, title.clone())?;
        let log = repo.shared("logs/refs/stash");
        if !os::exists(&log) {
            os::mkdir_above(&log)?;
            os::write(&log, b"")?;
        }
        let line = Some((&committer[..], title.as_bytes()));
        repo.refs.write(b"refs/stash", stash, line)?;
        Ok(title)
    }

    fn untracked_tree(&self) -> Result<Oid> {
        let mut files = Index::default();
        for path in &self.untracked {
            let path = path.strip_suffix(b"/").unwrap_or(path);
            files.put(worktree::take_file(self.repo, path)?);
        }
        worktree::write_tree(self.repo, &files)
    }

    /// The tree of what is kept of the working tree.
    fn work_tree(&self, options: &Options) -> Result<Oid> {
        let Changes { repo, paths, .. } = self;
        let mut work = self.index.clone();
        if !options.staged {
            stage_known(repo, &mut work, paths)?;
        }
        if !self.is_limited {
            return worktree::write_tree(repo, &work);
        }
        // Only the named paths differ from HEAD in what is kept.
        let mut only = worktree::reset_index(repo, Some(self.head.tree), &work)?;
        for path in matching(&only, paths) {
            if !work.has(&path) {
                only.remove(&path);
            }
        }
        for entry in work.merged().filter(|entry| paths.matches(&entry.path)) {
            only.put(entry.clone());
        }
        worktree::write_tree(repo, &only)
    }

    /// Takes what is kept from the index and the working tree.
    fn take_back(&self, options: &Options) -> Result<()> {
        let Changes { repo, paths, .. } = self;
        let mut index = self.index.clone();
        if self.is_limited {
            let files = change::flatten(repo, &self.head.tree)?;
            for path in matching(&index, paths) {
                if !files.contains_key(&path) {
                    worktree::remove_file(repo, &path);
                    index.remove(&path);
                }
            }
            for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
                index.put(worktree::write_file(repo, &path, item)?);
            }
        } else {
            let tree = match options.keep_index {
                true => worktree::write_tree(repo, &index)?,
                false => self.head.tree,
            };
            worktree::reset_hard(repo, tree, &mut index)?;
        }
        for path in &self.untracked {
            worktree::remove_file(repo, path.strip_suffix(b"/").unwrap_or(path));
        }
        repo.write_index(&index)
    }
}

/// The paths of an index that are named.
fn matching(index: &Index, paths: &Pathspec) -> Vec<Vec<u8>> {
    let known = index.entries.values().map(|entry| entry.path.clone());
    known.filter(|path| paths.matches(path)).collect()
}
