//! `git stash`.

mod apply;
mod push;

use super::{Call, checkout, log};
use crate::args::{options, usage};
use crate::diff::{self, change, patch};
use crate::index::Index;
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, error, fatal, show};

options! {
    /// What the command line of `git stash drop` says.
    struct DropOptions for "stash" {
        quiet: bool = "q|quiet",
    }
}

/// A stash.
struct Stash {
    /// Its place in the log, from the newest, where it was named by that.
    number: Option<usize>,
    name: String,
    commit: Commit,
}

/// `git stash`.
pub(crate) fn stash(call: &Call) -> Result<i32> {
    let Some((first, rest)) = call.words.split_first() else {
        return push::push(call, &[]);
    };
    match &first[..] {
        b"push" => push::push(call, rest),
        b"save" => push::save(call, rest),
        b"list" => list(call, rest),
        b"show" => show_stash(call, rest),
        b"apply" => apply::apply(call, rest),
        b"pop" => apply::pop(call, rest),
        b"drop" => drop_stash(call, rest),
        b"clear" => clear(call, rest),
        b"branch" => branch(call, rest),
        b"create" | b"store" => fatal(format!(
            "codepod's git stash does not support {}",
            show(first)
        )),
        _ if first.starts_with(b"-") => push::push(call, &call.words),
        _ => fatal(format!(
            "subcommand wasn't specified; 'push' can't be assumed due to unexpected token '{}'",
            show(first)
        )),
    }
}

fn list(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.repo()?;
    if repo.refs.resolve(b"refs/stash").is_none() {
        return Ok(0);
    }
    if !words.is_empty() {
        let mut all = vec![b"-g".to_vec(), b"--first-parent".to_vec(), b"-m".to_vec()];
        if !words.iter().any(|word| {
            word.starts_with(b"--format") || word.starts_with(b"--pretty") || word == b"--oneline"
        }) {
            all.push(b"--format=%gd: %gs".to_vec());
        }
        all.extend_from_slice(words);
        all.push(b"stash".to_vec());
        os::chdir(&repo.started_in)?;
        return log::log(&Call {
            global: call.global.clone(),
            words: all,
            name: "log",
        });
    }
    for (number, line) in repo.refs.read_log(b"refs/stash").iter().rev().enumerate() {
        out::line([format!("stash@{{{number}}}: ").as_bytes(), &line.message].concat());
    }
    Ok(0)
}

/// The stash that is named, or the newest.
fn find(repo: &Repo, words: &[Vec<u8>]) -> Result<Stash> {
    if words.len() > 1 {
        let list: Vec<String> = words
            .iter()
            .map(|word| format!(" {}", show(word)))
            .collect();
        return fatal(format!("Too many revisions specified:{}", list.concat()));
    }
    let name = match words.first() {
        None if repo.refs.read_log(b"refs/stash").is_empty() => {
            out::note("No stash entries found.");
            return Err(Stop::Status(1));
        }
        None => "refs/stash@{0}".to_owned(),
        Some(word) if word.iter().all(u8::is_ascii_digit) => format!("stash@{{{}}}", show(word)),
        Some(word) => show(word),
    };
    let number = name
        .strip_prefix("refs/")
        .unwrap_or(&name)
        .strip_prefix("stash@{")
        .and_then(|text| text.strip_suffix('}'))
        .and_then(|text| text.parse::<usize>().ok());
    let found = match number {
        Some(number) => numbered(repo, number)?,
        None => revision::try_resolve(repo, name.as_bytes())?,
    };
    let Some(oid) = found else {
        out::note(format!("error: {name} is not a valid reference"));
        return Err(Stop::Status(1));
    };
    let commit = Commit::read(&repo.objects, &oid)?;
    if commit.parents.len() < 2 {
        return fatal(format!("'{name}' is not a stash-like commit"));
    }
    Ok(Stash {
        number,
        name,
        commit,
    })
}

/// The stash with a number, from the newest; none when there is no stash at all.
fn numbered(repo: &Repo, number: usize) -> Result<Option<Oid>> {
    let log = repo.refs.read_log(b"refs/stash");
    match log.iter().rev().nth(number) {
        Some(line) => Ok(Some(line.new)),
        None if log.is_empty() => Ok(None),
        None => error(format!("log for 'stash' only has {} entries", log.len())),
    }
}

fn show_stash(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = diff::Options::new(&repo.config);
    let mut rest = Vec::new();
    let mut untracked = false;
    for word in words {
        let text = show(word);
        match text.as_str() {
            "-u" | "--include-untracked" => untracked = true,
            "--only-untracked" => {
                return fatal("codepod's git stash show does not support --only-untracked");
            }
            _ if word.first() == Some(&b'-') => {
                if !options.take(&text, &mut || None)? {
                    return Err(usage("stash", format!("unknown option: {text}")));
                }
            }
            _ => rest.push(word.clone()),
        }
    }
    let commit = find(&repo, &rest)?.commit;
    if !options.has_format() {
        options.stat = true;
    }
    let base = Commit::read(&repo.objects, &commit.parents[0])?.tree;
    let mut changes = change::trees(&repo, Some(base), Some(commit.tree), &Pathspec::default())?;
    if let (true, Some(extra)) = (untracked, commit.parents.get(2)) {
        let tree = Commit::read(&repo.objects, extra)?.tree;
        changes.extend(change::trees(
            &repo,
            None,
            Some(tree),
            &Pathspec::default(),
        )?);
        changes.sort_by(|a, b| a.path().cmp(b.path()));
    }
    let changes = patch::prepare(&repo, changes, &options, &[])?;
    diff::show(&repo, &changes, &options)?;
    Ok(0)
}

fn drop_stash(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let (options, rest) = DropOptions::read(words)?;
    let repo = call.repo()?;
    let stash = find(&repo, &rest.words)?;
    if stash.number.is_none() {
        out::note(format!("error: '{}' is not a stash reference", stash.name));
        return Ok(1);
    }
    forget(&repo, &stash, options.quiet)?;
    Ok(0)
}

/// Whether no path is in conflict. Names those that are.
fn is_merged(index: &Index) -> bool {
    let unmerged = index.unmerged();
    for path in &unmerged {
        out::line(format!("{}: needs merge", show(path)));
    }
    if !unmerged.is_empty() {
        out::note("error: could not write index");
    }
    unmerged.is_empty()
}

/// Takes a stash from the log.
fn forget(repo: &Repo, stash: &Stash, quiet: bool) -> Result<()> {
    let Some(number) = stash.number else {
        return Ok(());
    };
    let mut log = repo.refs.read_log(b"refs/stash");
    let at = log.len() - 1 - number;
    log.remove(at);
    // What came after it follows on what was before it.
    if at < log.len() {
        log[at].old = if at == 0 { Oid::NULL } else { log[at - 1].new };
    }
    match log.last() {
        Some(last) => {
            repo.refs.write(b"refs/stash", last.new, None)?;
            repo.refs.write_log(b"refs/stash", &log)?;
        }
        None => repo.refs.delete(b"refs/stash")?,
    }
    if !quiet {
        out::line(format!("Dropped {} ({})", stash.name, stash.commit.oid));
    }
    Ok(())
}

fn clear(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.repo()?;
    if !words.is_empty() {
        return error("git stash clear with arguments is unimplemented");
    }
    if repo.refs.resolve(b"refs/stash").is_some() {
        repo.refs.delete(b"refs/stash")?;
    }
    Ok(0)
}

/// Makes a branch where a stash was made, and takes the stash there.
fn branch(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let Some((name, rest)) = words.split_first() else {
        out::note("No branch name specified");
        return Ok(1);
    };
    let repo = call.work_tree()?;
    let stash = find(&repo, rest)?;
    os::chdir(&repo.started_in)?;
    let start = stash.commit.parents[0].hex().into_bytes();
    let status = checkout::checkout(&Call {
        global: call.global.clone(),
        words: vec![b"-b".to_vec(), name.clone(), start],
        name: "checkout",
    })?;
    if status != 0 {
        return Ok(status);
    }
    os::chdir(&repo.started_in)?;
    let mut arguments = vec![b"--index".to_vec()];
    arguments.extend(rest.iter().cloned());
    let status = apply::apply(call, &arguments)?;
    if status == 0 {
        forget(&repo, &stash, false)?;
    }
    Ok(status)
}
