//! `git checkout`: goes to a branch or a commit, or brings files back.

use super::Call;
use super::head::{Switch, guess, merge_base_name};
use super::restore::{Side, Unmerged, check_matched, from_index, tell_updated};
use crate::args::{Rest, options};
use crate::diff::change::{self, Found};
use crate::oid::Kind;
use crate::os;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "checkout" {
        create: Option<Vec<u8>> = "b|=",
        force_create: Option<Vec<u8>> = "B|=",
        orphan: Option<Vec<u8>> = "orphan=",
        quiet: bool = "q|quiet",
        detach: bool = "d|detach",
        track: Option<bool> = "t|track?",
        force: bool = "f|force",
        ignore_other: bool = "ignore-other-worktrees",
        side: Option<Side> = ["2|ours" => Side::Ours, "3|theirs" => Side::Theirs],
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    ignored "l| guess overlay recurse-submodules? progress overwrite-ignore \
        ignore-skip-worktree-bits"
    refused "p|patch conflict= m|merge"
}

/// What is asked for.
enum Plan {
    Switch(Switch),
    /// Files of the index.
    FromIndex(Vec<Vec<u8>>),
    /// Files of a revision.
    FromTree(Vec<u8>, Vec<Vec<u8>>),
}

/// `git checkout`.
pub(crate) fn checkout(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    match plan(&repo, &options, &rest)? {
        Plan::Switch(switch) => switch.run(&repo),
        Plan::FromIndex(words) => {
            let count = write_from_index(&repo, &words, &options)?;
            let is_told = rest.dashes.is_none() || options.side.is_some();
            if is_told && !options.quiet {
                tell_updated(count, "the index");
            }
            Ok(0)
        }
        Plan::FromTree(name, words) => {
            let count = write_from_tree(&repo, &name, &words)?;
            if rest.dashes.is_none() && !options.quiet {
                tell_updated(count, &short_name(&repo, &name));
            }
            Ok(0)
        }
    }
}

/// Finds out whether words are a branch, a revision or paths.
fn plan(repo: &Repo, options: &Options, rest: &Rest) -> Result<Plan> {
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    // What stands before `--` is a revision, what is behind it are paths.
    let before = rest.dashes.unwrap_or(words.len());
    let first = words.first().filter(|_| before > 0).cloned();
    let has_paths = rest.dashes.is_some_and(|_| words.len() > before);
    let switch = options.switch(first.clone());
    if switch.create.is_some() || switch.detach {
        if words.len() > 1
            && let (Some(create), false) = (&switch.create, has_paths)
        {
            return fatal(format!(
                "'{}' is not a commit and a branch '{}' cannot be created from it",
                show(&words[0]),
                show(create)
            ));
        }
        return Ok(Plan::Switch(switch));
    }
    let Some(first) = first else {
        return Ok(match has_paths {
            true => Plan::FromIndex(words),
            false => Plan::Switch(switch),
        });
    };
    if has_paths {
        return match before {
            1 => Ok(Plan::FromTree(first, words[1..].to_vec())),
            _ => fatal(format!("only one reference expected, {before} given.")),
        };
    }
    plan_words(repo, first, words, rest.dashes.is_some(), switch)
}

/// Plans by the words where no paths stand behind `--`.
fn plan_words(
    repo: &Repo,
    first: Vec<u8>,
    words: Vec<Vec<u8>>,
    has_dashes: bool,
    switch: Switch,
) -> Result<Plan> {
    let is_revision = first == b"-"
        || revision::try_resolve(repo, &first)?.is_some()
        || merge_base_name(repo, &first)?.is_some();
    let is_path = repo
        .path_of_user(&first)
        .is_some_and(|path| os::exists(&path) || repo.index().is_ok_and(|index| index.has(&path)));
    if is_revision && words.len() == 1 {
        if is_path && !has_dashes && first != b"-" {
            check_branch(repo, &first)?;
        }
        return Ok(Plan::Switch(switch));
    }
    if is_revision && !has_dashes {
        return Ok(Plan::FromTree(first, words[1..].to_vec()));
    }
    if words.len() == 1
        && !is_path
        && let Some(remote) = guess(repo, &first)?
    {
        return Ok(Plan::Switch(Switch {
            to: Some(remote),
            create: Some(first),
            track: Some(true),
            ..switch
        }));
    }
    Ok(Plan::FromIndex(words))
}

/// Fails where a name that is also a path is no branch.
fn check_branch(repo: &Repo, name: &[u8]) -> Result<()> {
    let full = [b"refs/heads/", name].concat();
    if repo.refs.resolve(&full).is_some() {
        return Ok(());
    }
    let name = show(name);
    fatal(format!(
        "ambiguous argument '{name}': both revision and filename\nUse '--' to separate paths from revisions, like this:\n'git \
         <command> [<revision>...] -- [<file>...]'"
    ))
}

impl Options {
    fn switch(&self, to: Option<Vec<u8>>) -> Switch {
        let create = self.create.as_ref().or(self.force_create.as_ref());
        Switch {
            to,
            create: create.or(self.orphan.as_ref()).cloned(),
            force_create: self.force_create.is_some(),
            orphan: self.orphan.is_some(),
            detach: self.detach,
            force: self.force,
            quiet: self.quiet,
            track: self.track,
            is_switch: false,
            ignore_other: self.ignore_other,
        }
    }
}

/// Writes files of the index; how many.
fn write_from_index(repo: &Repo, words: &[Vec<u8>], options: &Options) -> Result<usize> {
    let paths = Pathspec::new(repo, words)?;
    let unmerged = match options.side {
        Some(side) => Unmerged::Taken(side),
        None if options.force => Unmerged::Skipped,
        None => Unmerged::Refused,
    };
    from_index(repo, &mut repo.index()?, &paths, unmerged)
}

/// Writes files of a revision that differ, into the index too; how many.
fn write_from_tree(repo: &Repo, name: &[u8], words: &[Vec<u8>]) -> Result<usize> {
    let paths = Pathspec::new(repo, words)?;
    let mut index = repo.index()?;
    let mut count = 0;
    let oid = revision::resolve(repo, if name == b"-" { b"@{-1}" } else { name })?;
    let oid = revision::peel(repo, oid, Some(Kind::Tree))?;
    let files = change::flatten(repo, &oid)?;
    check_matched(&paths, files.keys().map(Vec::as_slice))?;
    for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
        let is_same = match index.get(&path) {
            Some(entry) => {
                (entry.mode, entry.oid) == item && change::compare(repo, entry)?.0 == Found::Same
            }
            None => false,
        };
        if !is_same {
            let entry = worktree::write_file(repo, &path, item)?;
            index.put(entry);
            count += 1;
        }
    }
    repo.write_index(&index)?;
    Ok(count)
}

/// A short form of a revision.
fn short_name(repo: &Repo, name: &[u8]) -> String {
    let oid = revision::resolve(repo, name).and_then(|oid| revision::peel(repo, oid, None));
    match oid {
        Ok(oid) => repo.short(&oid),
        Err(_) => show(name),
    }
}
