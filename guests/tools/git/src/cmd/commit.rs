//! `git commit`.

mod author;
mod message;

use super::status::{Untracked, collect, long_text, untracked_mode};
use super::{Call, head_tree, hook, move_head, write_commit};
use crate::args::{Optional, options};
use crate::date;
use crate::diff::change::{self, Found, compare};
use crate::diff::{self, patch, stat};
use crate::ident::{self, Role};
use crate::index::Index;
use crate::object::{Commit, who_parts, who_time};
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

pub(crate) use message::{cleanup, join_messages, sign_off};

options! {
    /// What the command line says.
    struct Options for "commit" {
        quiet: bool = "q|quiet",
        /// The message comes from this file.
        file: Option<Vec<u8>> = "F|file=",
        author: Option<Vec<u8>> = "author=",
        date: Option<String> = "date=",
        message: Vec<Vec<u8>> = "m|message=",
        /// The message and author come from this commit, and the message is edited.
        reedit: Option<Vec<u8>> = "c|reedit-message=",
        reuse: Option<Vec<u8>> = "C|reuse-message=",
        fixup: Option<Vec<u8>> = "fixup=",
        squash: Option<Vec<u8>> = "squash=",
        reset_author: bool = "reset-author",
        trailers: Vec<Vec<u8>> = "trailer=",
        signoff: bool = "s|signoff",
        edit: Option<bool> = "e|edit",
        cleanup: Option<String> = "cleanup=",
        all: bool = "a|all",
        include: bool = "i|include",
        no_verify: bool = "n|no-verify",
        dry: bool = "dry-run",
        short: bool = "short",
        porcelain: bool = "porcelain",
        long: bool = "long",
        null: bool = "z|null",
        amend: bool = "amend",
        untracked: Optional = "u|untracked-files?",
        allow_empty: bool = "allow-empty",
        allow_empty_message: bool = "allow-empty-message",
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    ignored "status o|only verify branch post-rewrite"
    refused "v|verbose S|gpg-sign? interactive p|patch t|template="
}

/// What the repository is about to do.
struct Situation {
    head: Option<Oid>,
    merging: bool,
    picking: bool,
}

/// Two states of the index. With paths, only these are committed; the index keeps the rest.
struct Staged {
    index: Index,
    committed: Index,
}

/// A commit without author and message.
struct Draft {
    tree: Oid,
    parents: Vec<Oid>,
    /// The commit that is amended.
    old: Option<Commit>,
    /// It has the tree of its first parent.
    is_empty: bool,
}

/// `git commit`.
pub(crate) fn commit(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let index = repo.index()?;
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    let now = Situation::of(&repo);
    now.check(&words, &options)?;
    let staged = stage(&repo, index, &words, &now, &options)?;
    let untracked = untracked_mode(&repo, &options.untracked)?;
    if !options.no_verify && !options.is_dry() && hook(&repo, "pre-commit", &[])? != 0 {
        return Err(Stop::Status(1));
    }
    let draft = Draft::new(&repo, &staged.committed, &now, &options)?;
    if options.is_dry() || draft.is_refused(&options) {
        if !options.is_dry() {
            repo.write_index(&staged.index)?;
        }
        if !options.quiet {
            print_status(&repo, &staged.committed, untracked)?;
        }
        return Ok(i32::from(draft.is_empty && !options.allow_empty));
    }
    if draft.amends_to_nothing(&options) {
        out::note(
            "You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with \
             --allow-empty, or you can\nremove the commit entirely with \"git reset HEAD^\".",
        );
        print_status(&repo, &staged.committed, untracked)?;
        return Ok(1);
    }
    let commit = write(&repo, draft, &staged, &now, &options)?;
    finish(&repo, &commit, &now, &options)?;
    if !options.quiet {
        let is_reused =
            options.reuse.is_some() || options.reedit.is_some() || options.date.is_some();
        let dated = options.amend || now.picking || is_reused;
        summary(&repo, &commit, now.head.is_none(), dated)?;
    }
    // What it says does not count.
    let _ = hook(&repo, "post-commit", &[]);
    Ok(0)
}

impl Options {
    /// Whether nothing is committed, and only the state is shown.
    fn is_dry(&self) -> bool {
        self.dry || self.short || self.porcelain || self.long || self.null
    }
}

impl Situation {
    fn of(repo: &Repo) -> Situation {
        Situation {
            head: repo.head(),
            merging: repo.has_file("MERGE_HEAD"),
            picking: repo.has_file("CHERRY_PICK_HEAD"),
        }
    }

    /// Fails where what is asked for does not make sense.
    fn check(&self, words: &[Vec<u8>], options: &Options) -> Result<()> {
        if let (true, Some(word)) = (options.all, words.first()) {
            return fatal(format!(
                "paths '{} ...' with -a does not make sense",
                show(word)
            ));
        }
        if !options.amend {
            return Ok(());
        }
        let what = match () {
            () if self.head.is_none() => return fatal("You have nothing yet to amend."),
            () if self.merging => "merge",
            () if self.picking => "cherry-pick",
            () => return Ok(()),
        };
        fatal(format!(
            "You are in the middle of a {what} -- cannot amend."
        ))
    }

    /// The word for it in the log.
    fn log_word(&self, amend: bool) -> &'static str {
        match () {
            () if amend => "commit (amend)",
            () if self.head.is_none() => "commit (initial)",
            () if self.merging => "commit (merge)",
            () if self.picking => "commit (cherry-pick)",
            () => "commit",
        }
    }
}

/// Takes what is to be committed into the index.
fn stage(
    repo: &Repo,
    mut index: Index,
    words: &[Vec<u8>],
    now: &Situation,
    options: &Options,
) -> Result<Staged> {
    if !options.all {
        check_merged(repo, &index)?;
    }
    if words.is_empty() {
        if options.all {
            stage_known(repo, &mut index, &Pathspec::default())?;
        }
        return Ok(Staged {
            committed: index.clone(),
            index,
        });
    }
    if now.merging && !options.include {
        return fatal("cannot do a partial commit during a merge.");
    }
    let paths = Pathspec::new(repo, words)?;
    let old = match head_tree(repo)? {
        Some(tree) => change::flatten(repo, &tree)?,
        None => Default::default(),
    };
    let known = index.entries.values().map(|entry| &entry.path[..]);
    let unmatched = paths.unmatched(known.chain(old.keys().map(Vec::as_slice)));
    for word in &unmatched {
        out::note(format!(
            "error: pathspec '{}' did not match any file(s) known to git",
            show(word)
        ));
    }
    if !unmatched.is_empty() {
        return Err(Stop::Status(1));
    }
    stage_known(repo, &mut index, &paths)?;
    if options.include {
        return Ok(Staged {
            committed: index.clone(),
            index,
        });
    }
    let mut committed = worktree::reset_index(repo, head_tree(repo)?, &index)?;
    let is_gone = |path: &&Vec<u8>| paths.matches(path) && !index.has(path);
    for path in old.keys().filter(is_gone) {
        committed.remove(path);
    }
    for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
        committed.put(entry.clone());
    }
    Ok(Staged { index, committed })
}

/// Fails where the index has conflicts.
fn check_merged(repo: &Repo, index: &Index) -> Result<()> {
    let unmerged = index.unmerged();
    if unmerged.is_empty() {
        return Ok(());
    }
    for path in &unmerged {
        out::line(format!("U\t{}", show(path)));
    }
    out::note("error: Committing is not possible because you have unmerged files.");
    if repo.config.truth("advice.resolveconflict") != Some(false) {
        out::hint(
            "Fix them up in the work tree, and then use 'git add/rm <file>'\nas appropriate to mark resolution and make a commit.",
        );
    }
    fatal("Exiting because of an unresolved conflict.")
}

/// Takes all changes of known files into the index.
pub(crate) fn stage_known(repo: &Repo, index: &mut Index, paths: &Pathspec) -> Result<()> {
    let mut known: Vec<Vec<u8>> = index
        .entries
        .values()
        .map(|entry| entry.path.clone())
        .filter(|path| paths.matches(path))
        .collect();
    known.dedup();
    for path in known {
        let found = match index.get(&path) {
            Some(entry) => compare(repo, entry)?.0,
            None if os::lstat(&path).is_ok_and(|found| !found.is_dir()) => Found::Changed(0),
            None => Found::Gone,
        };
        match found {
            Found::Same => {}
            Found::Gone => {
                index.remove(&path);
            }
            Found::Changed(_) => {
                let entry = worktree::take_file(repo, &path)?;
                index.put(entry);
            }
        }
    }
    Ok(())
}

impl Draft {
    fn new(repo: &Repo, index: &Index, now: &Situation, options: &Options) -> Result<Draft> {
        let old = match now.head.filter(|_| options.amend) {
            Some(head) => Some(Commit::read(&repo.objects, &head)?),
            None => None,
        };
        let parents: Vec<Oid> = match &old {
            Some(old) => old.parents.clone(),
            None => now.head.into_iter().chain(merge_heads(repo)).collect(),
        };
        let tree = worktree::write_tree(repo, index)?;
        let is_empty = match parents.first() {
            Some(parent) => Commit::read(&repo.objects, parent)?.tree == tree,
            None => index.entries.is_empty(),
        };
        Ok(Draft {
            tree,
            parents,
            old,
            is_empty,
        })
    }

    /// Whether it changes nothing and is not made for that reason.
    fn is_refused(&self, options: &Options) -> bool {
        self.is_empty && self.parents.len() < 2 && !options.amend && !options.allow_empty
    }

    /// Whether the amended commit changed something, and this one does not.
    fn amends_to_nothing(&self, options: &Options) -> bool {
        let is_new = |old: &Commit| old.tree != self.tree;
        self.is_empty
            && !options.allow_empty
            && self.parents.len() == 1
            && self.old.as_ref().is_some_and(is_new)
    }
}

/// The other parents of a merge that is under way.
fn merge_heads(repo: &Repo) -> Vec<Oid> {
    let text = repo.read_file("MERGE_HEAD").unwrap_or_default();
    text.split(|byte| *byte == b'\n')
        .filter_map(Oid::parse)
        .collect()
}

/// Prints the state of the working tree.
fn print_status(repo: &Repo, index: &Index, untracked: Untracked) -> Result<()> {
    let state = collect(repo, index, untracked, None, &Pathspec::default(), true)?;
    out::put(&long_text(repo, index, &state, untracked, true, false)?);
    Ok(())
}

/// Finds author and message, and writes the commit and the index.
fn write(
    repo: &Repo,
    draft: Draft,
    staged: &Staged,
    now: &Situation,
    options: &Options,
) -> Result<Commit> {
    let old = draft.old.as_ref();
    let author = author::author(repo, options, old, now.picking)?;
    let committer = ident::identity(repo, Role::Committer, true)?;
    let message = message::message(repo, options, old, &staged.committed, &committer)?;
    let made = Commit {
        oid: Oid::NULL,
        tree: draft.tree,
        parents: draft.parents,
        author,
        committer,
        encoding: None,
        message,
    };
    let oid = write_commit(repo, &made)?;
    repo.write_index(&staged.index)?;
    Ok(Commit { oid, ..made })
}

/// Moves `HEAD` and forgets the merge, or what else led to the commit.
fn finish(repo: &Repo, commit: &Commit, now: &Situation, options: &Options) -> Result<()> {
    let word = now.log_word(options.amend);
    let log = [word.as_bytes(), b": ", &commit.subject()].concat();
    move_head(repo, commit.oid, &log)?;
    for file in [
        "MERGE_HEAD",
        "MERGE_MSG",
        "MERGE_MODE",
        "CHERRY_PICK_HEAD",
        "REVERT_HEAD",
        "SQUASH_MSG",
        "AUTO_MERGE",
    ] {
        repo.remove_file(file);
    }
    if !repo.has_file("sequencer/todo") {
        let _ = os::remove_tree(&repo.file("sequencer"));
    }
    let _ = os::write(&repo.file("COMMIT_EDITMSG"), &commit.message);
    Ok(())
}

/// `[main abc1234] subject` and what changed; `dated` shows the date of an author that is not the
/// committer of now.
pub(crate) fn summary(repo: &Repo, commit: &Commit, root: bool, dated: bool) -> Result<()> {
    let place = match repo.branch() {
        Some(branch) => show(&branch),
        None => "detached HEAD".to_owned(),
    };
    let root = if root { " (root-commit)" } else { "" };
    out::put(format!("[{place}{root} {}] ", repo.short(&commit.oid)).as_bytes());
    out::line(commit.subject());
    let (name, mail) = who_parts(&commit.author);
    if who_parts(&commit.committer) != (name, mail) {
        out::line([b" Author: ", name, b" <", mail, b">"].concat());
    }
    if dated {
        let (time, zone) = who_time(&commit.author);
        out::line(format!(
            " Date: {}",
            date::show(time, zone, &date::Style::Normal)
        ));
    }
    if commit.parents.len() > 1 {
        return Ok(());
    }
    let old = match commit.parents.first() {
        Some(parent) => Some(Commit::read(&repo.objects, parent)?.tree),
        None => None,
    };
    changed(repo, old, commit.tree)
}

/// The sums and the files that came and went.
fn changed(repo: &Repo, old: Option<Oid>, new: Oid) -> Result<()> {
    let options = diff::Options {
        shortstat: true,
        summary: true,
        renames: true,
        ..diff::Options::new(&repo.config)
    };
    let changes = change::trees(repo, old, Some(new), &Pathspec::default())?;
    let changes = patch::prepare(repo, changes, &options, &[])?;
    if changes.is_empty() {
        return Ok(());
    }
    let stats = stat::count(repo, &changes, &options)?;
    stat::shortstat(&stats, &options);
    changes
        .iter()
        .for_each(|change| patch::summary(repo, change, &options));
    Ok(())
}
