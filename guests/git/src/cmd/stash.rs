//! `git stash`.

use super::status::{Untracked, unknown};
use super::{Call, head_tree, write_commit};
use crate::args;
use crate::diff::change;
use crate::diff::{self, Options, patch};
use crate::ident::{Role, identity};
use crate::index::Index;
use crate::merge::{self, Labels};
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show};
use crate::worktree;

/// `git stash`.
pub(crate) fn stash(call: &Call) -> Result<i32> {
    let first = call
        .words
        .first()
        .map(|word| show(word))
        .unwrap_or_default();
    let rest = if call.words.is_empty() {
        &[][..]
    } else {
        &call.words[1..]
    };
    match first.as_str() {
        "" => push(call, &[], false),
        "push" => push(call, rest, false),
        "save" => push(call, rest, true),
        "list" => list(call, rest),
        "show" => show_stash(call, rest),
        "apply" => apply(call, rest, false),
        "pop" => apply(call, rest, true),
        "drop" => drop_stash(call, rest),
        "clear" => {
            let repo = call.repo()?;
            if !rest.is_empty() {
                return crate::stop::error("git stash clear with arguments is unimplemented");
            }
            if repo.refs.resolve(b"refs/stash").is_some() {
                repo.refs.delete(b"refs/stash")?;
            }
            Ok(0)
        }
        "branch" => branch(call, rest),
        "create" | "store" => fatal(format!("codepod's git stash does not support {first}")),
        _ if first.starts_with('-') => push(call, &call.words, false),
        _ => Err(args::usage("stash", format!("unknown subcommand: `{first}'"))).map_err(|stop| match stop {
            crate::stop::Stop::ErrorStatus(..) => {
                crate::stop::Stop::Fatal(format!("subcommand wasn't specified; 'push' can't be assumed due to unexpected token '{first}'").into_bytes())
            }
            other => other,
        }),
    }
}

fn push(call: &Call, words: &[Vec<u8>], save: bool) -> Result<i32> {
    let table = "k|keep-index S|staged p|patch q|quiet u|include-untracked a|all m|message= pathspec-from-file= pathspec-file-nul";
    let parsed = args::parse("stash", table, words)?;
    parsed.refuse(&["patch"])?;
    let repo = call.work_tree()?;
    let mut message = parsed.value("message").map(<[u8]>::to_vec);
    let mut path_words = parsed.words.clone();
    if save && !path_words.is_empty() {
        message = Some(path_words.join(&b' '));
        path_words.clear();
    }
    let paths = Pathspec::new(&repo, &path_words)?;
    let Some(head) = repo.head() else {
        out::note("You do not have the initial commit yet");
        return Ok(1);
    };
    let mut index = repo.index()?;
    change::refresh(&repo, &mut index)?;
    let unmerged = index.unmerged();
    if !unmerged.is_empty() {
        for path in unmerged {
            out::line(format!("{}: needs merge", show(&path)));
        }
        out::note("error: could not write index");
        return Ok(1);
    }
    if !path_words.is_empty() {
        for word in paths.unmatched(index.entries.values().map(|entry| &entry.path[..])) {
            if !parsed.has("include-untracked") {
                out::note(format!(
                    "error: pathspec ':(prefix:{})./{}' did not match any file(s) known to git\nDid you forget to 'git add'?",
                    repo.prefix.len(),
                    show(&word)
                ));
                return Ok(1);
            }
        }
    }
    let head_commit = Commit::read(&repo.objects, &head)?;
    let staged = change::tree_to_index(&repo, Some(head_commit.tree), &index, &paths)?;
    let unstaged = if parsed.has("staged") {
        Vec::new()
    } else {
        change::index_to_files(&repo, &index, &paths)?
    };
    let with_untracked = parsed.has("include-untracked") || parsed.has("all");
    let mut untracked = Vec::new();
    if with_untracked {
        let (list, ignored) = unknown(
            &repo,
            &index,
            Untracked::All,
            parsed.has("all").then_some(Untracked::All),
            &paths,
        )?;
        untracked = list;
        untracked.extend(ignored);
        untracked.sort();
    }
    if staged.is_empty() && unstaged.is_empty() && untracked.is_empty() {
        if !parsed.has("quiet") {
            out::line("No local changes to save");
        }
        return Ok(0);
    }
    let branch = repo
        .branch()
        .map_or("(no branch)".to_owned(), |branch| show(&branch));
    let about = format!(
        "{branch}: {} {}",
        repo.short(&head),
        show(&head_commit.subject())
    );
    let who = identity(&repo, Role::Author, false)?;
    let committer = identity(&repo, Role::Committer, false)?;
    let make = |tree: Oid, parents: Vec<Oid>, message: String| {
        let commit = Commit {
            oid: Oid::NULL,
            tree,
            parents,
            author: who.clone(),
            committer: committer.clone(),
            encoding: None,
            message: message.into_bytes(),
        };
        write_commit(&repo, &commit)
    };
    // The index, then the files it does not know, then the working tree.
    let index_commit = make(
        worktree::write_tree(&repo, &index)?,
        vec![head],
        format!("index on {about}\n"),
    )?;
    let mut parents = vec![head, index_commit];
    if with_untracked && !untracked.is_empty() {
        let mut files = Index::default();
        for path in &untracked {
            files.put(worktree::take_file(
                &repo,
                path.strip_suffix(b"/").unwrap_or(path),
            )?);
        }
        parents.push(make(
            worktree::write_tree(&repo, &files)?,
            Vec::new(),
            format!("untracked files on {about}\n"),
        )?);
    }
    let mut work = index.clone();
    if !parsed.has("staged") {
        super::commit::stage_known(&repo, &mut work, &paths)?;
    }
    if !path_words.is_empty() {
        // Only the named paths differ from HEAD in what is kept.
        let base = worktree::reset_index(&repo, Some(head_commit.tree), &work)?;
        let mut only = base;
        let outside: Vec<Vec<u8>> = only
            .entries
            .values()
            .map(|entry| entry.path.clone())
            .filter(|path| paths.matches(path) && !work.has(path))
            .collect();
        outside.iter().for_each(|path| {
            only.remove(path);
        });
        for entry in work.merged().filter(|entry| paths.matches(&entry.path)) {
            only.put(entry.clone());
        }
        work = only;
    }
    let title = match &message {
        Some(text) => format!("On {branch}: {}", show(text)),
        None => format!("WIP on {about}"),
    };
    let stash = make(worktree::write_tree(&repo, &work)?, parents, title.clone())?;
    let first = repo.refs.resolve(b"refs/stash").unwrap_or(Oid::NULL);
    let log = repo.shared("logs/refs/stash");
    if !os::exists(&log) {
        os::mkdir_above(&log)?;
        os::write(&log, b"")?;
    }
    let _ = first;
    repo.refs
        .write(b"refs/stash", stash, Some((&committer, title.as_bytes())))?;
    // The working tree goes back.
    let mut clean = index.clone();
    let keep = parsed.has("keep-index") && !parsed.has("no-keep-index");
    if path_words.is_empty() {
        let tree = if keep {
            worktree::write_tree(&repo, &index)?
        } else {
            head_commit.tree
        };
        worktree::reset_hard(&repo, tree, &mut clean)?;
    } else {
        let files = change::flatten(&repo, &head_commit.tree)?;
        let known: Vec<Vec<u8>> = clean
            .entries
            .values()
            .map(|entry| entry.path.clone())
            .filter(|path| paths.matches(path))
            .collect();
        for path in known.iter().filter(|path| !files.contains_key(*path)) {
            worktree::remove_file(&repo, path);
            clean.remove(path);
        }
        for (path, item) in files.into_iter().filter(|(path, _)| paths.matches(path)) {
            clean.put(worktree::write_file(&repo, &path, item)?);
        }
    }
    for path in &untracked {
        worktree::remove_file(&repo, path.strip_suffix(b"/").unwrap_or(path));
    }
    repo.write_index(&clean)?;
    if !parsed.has("quiet") {
        out::line(format!("Saved working directory and index state {title}"));
    }
    Ok(0)
}

fn list(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.repo()?;
    if repo.refs.resolve(b"refs/stash").is_none() {
        return Ok(0);
    }
    let formatted = !words.is_empty();
    if formatted {
        let mut all = vec![b"-g".to_vec(), b"--first-parent".to_vec(), b"-m".to_vec()];
        if !words.iter().any(|word| {
            word.starts_with(b"--format") || word.starts_with(b"--pretty") || word == b"--oneline"
        }) {
            all.push(b"--format=%gd: %gs".to_vec());
        }
        all.extend_from_slice(words);
        all.push(b"stash".to_vec());
        os::chdir(&repo.started_in)?;
        return super::log::log(&Call {
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

/// A stash that is named, or the newest: its number where it has one, its name, its commit.
fn find(repo: &Repo, words: &[Vec<u8>]) -> Result<(Option<usize>, String, Commit)> {
    if words.len() > 1 {
        let list: Vec<String> = words
            .iter()
            .map(|word| format!(" {}", show(word)))
            .collect();
        return fatal(format!("Too many revisions specified:{}", list.concat()));
    }
    let log = repo.refs.read_log(b"refs/stash");
    let name = match words.first() {
        None if log.is_empty() => {
            out::note("No stash entries found.");
            return Err(crate::stop::Stop::Status(1));
        }
        None => "stash@{0}".to_owned(),
        Some(word) if word.iter().all(u8::is_ascii_digit) => format!("stash@{{{}}}", show(word)),
        Some(word) => show(word),
    };
    let full_name = if words.is_empty() {
        "refs/stash@{0}".to_owned()
    } else {
        name.clone()
    };
    let number = name
        .strip_prefix("refs/")
        .unwrap_or(&name)
        .strip_prefix("stash@{")
        .and_then(|text| text.strip_suffix('}'))
        .and_then(|text| text.parse::<usize>().ok());
    let oid = match number {
        Some(number) => match log.len().checked_sub(number + 1) {
            Some(at) => log[at].new,
            None => {
                return match log.is_empty() {
                    true => {
                        out::note(format!("error: {name} is not a valid reference"));
                        Err(crate::stop::Stop::Status(1))
                    }
                    false => fatal(format!("log for 'stash' only has {} entries", log.len()))
                        .map_err(|stop| match stop {
                            crate::stop::Stop::Fatal(text) => {
                                out::note([b"error: ", &text[..]].concat());
                                crate::stop::Stop::Status(1)
                            }
                            other => other,
                        }),
                };
            }
        },
        None => match revision::try_resolve(repo, name.as_bytes())? {
            Some(oid) => oid,
            None => {
                out::note(format!("error: {name} is not a valid reference"));
                return Err(crate::stop::Stop::Status(1));
            }
        },
    };
    let commit = Commit::read(&repo.objects, &oid)?;
    if commit.parents.len() < 2 {
        return fatal(format!("'{name}' is not a stash-like commit"));
    }
    Ok((number, full_name, commit))
}

fn show_stash(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let repo = call.repo()?;
    let mut options = Options::new(&repo.config);
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
                    return Err(args::usage("stash", format!("unknown option: {text}")));
                }
            }
            _ => rest.push(word.clone()),
        }
    }
    let (_, _, commit) = find(&repo, &rest)?;
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

fn apply(call: &Call, words: &[Vec<u8>], pop: bool) -> Result<i32> {
    let parsed = args::parse("stash", "q|quiet index", words)?;
    let repo = call.work_tree()?;
    let (number, name, stash) = find(&repo, &parsed.words)?;
    let mut index = repo.index()?;
    change::refresh(&repo, &mut index)?;
    if !index.unmerged().is_empty() {
        out::note("error: could not write index");
        return Ok(1);
    }
    let base = Commit::read(&repo.objects, &stash.parents[0])?.tree;
    let index_tree = Commit::read(&repo.objects, &stash.parents[1])?.tree;
    let own = worktree::write_tree(&repo, &index)?;
    let labels = Labels {
        ours: "Updated upstream".into(),
        theirs: "Stashed changes".into(),
        base: "Stash base".into(),
        ..Labels::default()
    };
    let merged = merge::trees(&repo, Some(base), own, stash.tree, &labels, 0)?;
    let before = index.clone();
    if let Err(obstacles) = super::merging::apply(&repo, &merged, &mut index, Some(own))? {
        let _ = obstacles.report::<()>("merge");
        if pop {
            out::line("The stash entry is kept in case you need it again.");
        }
        return Ok(1);
    }
    if let Some(extra) = stash.parents.get(2) {
        let tree = Commit::read(&repo.objects, extra)?.tree;
        for (path, item) in change::flatten(&repo, &tree)? {
            if os::exists(&path) {
                out::note(format!("{} already exists, no checkout", show(&path)));
                out::note("error: could not restore untracked files from stash");
                repo.write_index(&index)?;
                if pop {
                    out::line("The stash entry is kept in case you need it again.");
                }
                return Ok(1);
            }
            worktree::write_file(&repo, &path, item)?;
        }
    }
    super::merging::say(&merged);
    if base == stash.tree {
        out::line("Already up to date.");
    }
    let clean = merged.is_clean();
    if clean {
        if parsed.has("index") && index_tree != base {
            let staged = merge::trees(&repo, Some(base), own, index_tree, &labels, 0)?;
            if !staged.is_clean() {
                return crate::stop::error("conflicts in index. Try without --index.");
            }
            let tree = worktree::write_files(&repo, &staged.files)?;
            index = worktree::reset_index(&repo, Some(tree), &index)?;
        } else {
            // Only what is new stays staged.
            let mut fresh = before.clone();
            let head = head_tree(&repo)?;
            let known = match head {
                Some(tree) => change::flatten(&repo, &tree)?,
                None => Default::default(),
            };
            let _ = known;
            let added: Vec<_> = index
                .merged()
                .filter(|entry| before.get(&entry.path).is_none())
                .cloned()
                .collect();
            added.into_iter().for_each(|entry| fresh.put(entry));
            index = fresh;
        }
    }
    change::refresh(&repo, &mut index)?;
    repo.write_index(&index)?;
    if !parsed.has("quiet") {
        let state = super::status::collect(
            &repo,
            &index,
            Untracked::Normal,
            None,
            &Pathspec::default(),
            true,
        )?;
        super::status::long(&repo, &index, &state, Untracked::Normal, false, false)?;
    }
    if !clean {
        if pop {
            out::line("The stash entry is kept in case you need it again.");
        }
        return Ok(1);
    }
    if pop {
        return forget(&repo, number, &name, &stash, parsed.has("quiet"));
    }
    Ok(0)
}

fn forget(
    repo: &Repo,
    number: Option<usize>,
    name: &str,
    stash: &Commit,
    quiet: bool,
) -> Result<i32> {
    let Some(number) = number else {
        return Ok(0);
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
            let oid = last.new;
            repo.refs.write(b"refs/stash", oid, None)?;
            repo.refs.write_log(b"refs/stash", &log)?;
        }
        None => repo.refs.delete(b"refs/stash")?,
    }
    if !quiet {
        out::line(format!("Dropped {name} ({})", stash.oid));
    }
    Ok(0)
}

fn drop_stash(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let parsed = args::parse("stash", "q|quiet", words)?;
    let repo = call.repo()?;
    let (number, name, stash) = find(&repo, &parsed.words)?;
    if number.is_none() {
        out::note(format!("error: '{name}' is not a stash reference"));
        return Ok(1);
    }
    forget(&repo, number, &name, &stash, parsed.has("quiet"))
}

fn branch(call: &Call, words: &[Vec<u8>]) -> Result<i32> {
    let Some((name, rest)) = words.split_first() else {
        out::note("No branch name specified");
        return Ok(1);
    };
    let repo = call.work_tree()?;
    let (number, label, stash) = find(&repo, rest)?;
    os::chdir(&repo.started_in)?;
    let words = vec![
        b"-b".to_vec(),
        name.clone(),
        stash.parents[0].hex().into_bytes(),
    ];
    let status = super::checkout::checkout(&Call {
        global: call.global.clone(),
        words,
        name: "checkout",
    })?;
    if status != 0 {
        return Ok(status);
    }
    os::chdir(&repo.started_in)?;
    let mut arguments = vec![b"--index".to_vec()];
    arguments.extend(rest.iter().cloned());
    let status = apply(call, &arguments, false)?;
    if status != 0 {
        return Ok(status);
    }
    forget(&repo, number, &label, &stash, false)
}
