//! `git diff` and its plumbing.

use super::{Call, head_tree};
use crate::diff::change::{self, Change};
use crate::diff::{self, Options, combined, patch};
use crate::oid::{Kind, Oid};
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};

/// The options and words of a command line; words before `--` are counted.
struct Parsed {
    options: Options,
    cached: bool,
    merge_base: bool,
    no_index: bool,
    words: Vec<Vec<u8>>,
    dashes: Option<usize>,
    recursive: bool,
    root: bool,
    no_commit_id: bool,
    stdin: bool,
    side: Option<usize>,
}

fn parse(repo: Option<&Repo>, config: &crate::config::Config, words: &[Vec<u8>]) -> Result<Parsed> {
    let mut parsed = Parsed {
        options: Options::new(config),
        cached: false,
        merge_base: false,
        no_index: false,
        words: Vec::new(),
        dashes: None,
        recursive: false,
        root: false,
        no_commit_id: false,
        stdin: false,
        side: None,
    };
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        at += 1;
        if word == b"--" {
            parsed.dashes = Some(parsed.words.len());
            parsed.words.extend_from_slice(&words[at..]);
            break;
        }
        if word.len() < 2 || word[0] != b'-' {
            parsed.words.push(word.clone());
            continue;
        }
        let text = show(word);
        let mut next = || {
            at += 1;
            words.get(at - 1).map(|word| show(word))
        };
        match text.as_str() {
            "--cached" | "--staged" => parsed.cached = true,
            "--merge-base" => parsed.merge_base = true,
            "--no-index" => parsed.no_index = true,
            "-r" | "-t" => parsed.recursive = true,
            "--root" => parsed.root = true,
            "--no-commit-id" => parsed.no_commit_id = true,
            "--stdin" => parsed.stdin = true,
            "-0" => {}
            "--base" | "-1" => parsed.side = Some(1),
            "--ours" | "-2" => parsed.side = Some(2),
            "--theirs" | "-3" => parsed.side = Some(3),
            "-c" | "--cc" | "-m" | "-q" => {}
            _ => {
                if !parsed.options.take(&text, &mut next)? {
                    return Err(Stop::ErrorStatus(
                        format!("invalid option: {text}").into_bytes(),
                        129,
                    ));
                }
            }
        }
    }
    if let (Some(repo), Some(prefix)) = (repo, parsed.options.relative.clone()) {
        parsed.options.relative = Some(match &prefix[..] {
            b"." => repo.prefix.clone(),
            path => {
                let mut path = repo.path_of_user(path).unwrap_or_default();
                path.push(b'/');
                path
            }
        });
    }
    Ok(parsed)
}

/// `git diff`.
pub(crate) fn diff(call: &Call) -> Result<i32> {
    let repo = Repo::try_discover(&call.global)?;
    let Some(repo) = repo else {
        return no_index(call, None);
    };
    if call
        .words
        .iter()
        .take_while(|word| *word != b"--")
        .any(|word| word == b"--no-index")
    {
        return no_index(call, Some(repo));
    }
    let mut parsed = parse(Some(&repo), &repo.config, &call.words)?;
    if !parsed.options.has_format() {
        parsed.options.patch = true;
    }
    let (revisions, paths) = split_words(&repo, &parsed)?;
    let options = &parsed.options;
    let mut renames = options.clone();
    renames.renames = options.renames;
    let changes: Vec<Change>;
    let mut conflicts: Vec<Vec<u8>> = Vec::new();
    let mut old_tree = None;
    match &revisions[..] {
        [] if parsed.cached => {
            let index = repo.index()?;
            old_tree = head_tree(&repo)?;
            changes = change::tree_to_index(&repo, old_tree, &index, &paths)?;
        }
        [] => {
            repo.need_work_tree()?;
            let mut index = repo.index()?;
            change::refresh(&repo, &mut index)?;
            let mut found = change::index_to_files(&repo, &index, &paths)?;
            conflicts = index
                .unmerged()
                .into_iter()
                .filter(|path| paths.matches(path))
                .collect();
            if options.patch && parsed.side.is_none() {
                found.retain(|change| !conflicts.contains(&change.new.path));
                return show_with_conflicts(&repo, found, &conflicts, &index, options);
            }
            changes = found;
        }
        [one] if parsed.cached => {
            let index = repo.index()?;
            old_tree = Some(*one);
            changes = change::tree_to_index(&repo, Some(*one), &index, &paths)?;
        }
        [one] => {
            repo.need_work_tree()?;
            let index = repo.index()?;
            old_tree = Some(*one);
            changes = change::tree_to_files(&repo, Some(*one), &index, &paths)?;
        }
        [one, two] => {
            old_tree = Some(*one);
            changes = change::trees(&repo, Some(*one), Some(*two), &paths)?;
        }
        _ => return fatal("codepod's git diff compares at most two revisions"),
    }
    let _ = conflicts;
    finish(&repo, changes, options, old_tree)
}

/// Shows changes and says by the status whether there were any, if asked to.
fn finish(
    repo: &Repo,
    changes: Vec<Change>,
    options: &Options,
    old_tree: Option<Oid>,
) -> Result<i32> {
    let changes = patch::prepare(
        repo,
        changes,
        options,
        &super::log::all_files(repo, old_tree, options)?,
    )?;
    let any = diff::show(repo, &changes, options)?;
    if options.check {
        return Ok(if any { 2 } else { 0 });
    }
    Ok(i32::from(options.exit_code && any))
}

fn show_with_conflicts(
    repo: &Repo,
    changes: Vec<Change>,
    conflicts: &[Vec<u8>],
    index: &crate::index::Index,
    options: &Options,
) -> Result<i32> {
    let mut all = patch::prepare(repo, changes, options, &[])?;
    if conflicts.is_empty() {
        let any = diff::show(repo, &all, options)?;
        return Ok(i32::from(options.exit_code && any));
    }
    all.extend(conflicts.iter().map(|path| Change::unmerged(path)));
    all.sort_by(|a, b| a.path().cmp(b.path()));
    let other = Options {
        patch: false,
        ..options.clone()
    };
    if other.has_format() {
        diff::show(repo, &all, &other)?;
        out::put(b"\n");
    }
    for change in &all {
        if change.status != b'U' {
            patch::Printer::new(repo, options).patch(change)?;
            continue;
        }
        let stages = index.stages(change.path());
        if stages[2].is_some() && stages[3].is_some() {
            combined::conflict(index, change.path()).print(repo, options)?;
        } else {
            patch::Printer::new(repo, options).patch(change)?;
        }
    }
    Ok(i32::from(options.exit_code))
}

/// Trees of the revisions, and the paths after them.
fn split_words(repo: &Repo, parsed: &Parsed) -> Result<(Vec<Oid>, Pathspec)> {
    let mut trees = Vec::new();
    let mut paths = Vec::new();
    let tree = |name: &[u8]| -> Result<Option<Oid>> {
        let name: &[u8] = if name.is_empty() { b"HEAD" } else { name };
        match revision::try_resolve(repo, name)? {
            Some(oid) => Ok(revision::peel(repo, oid, Some(Kind::Tree)).ok()),
            None => Ok(None),
        }
    };
    for (at, word) in parsed.words.iter().enumerate() {
        let after = parsed.dashes.is_some_and(|count| at >= count);
        if after || !paths.is_empty() {
            if !after {
                crate::history::check_path(repo, word)?;
            }
            paths.push(word.clone());
            continue;
        }
        if let Some(dots) = word.windows(3).position(|three| three == b"...") {
            let (a, b) = (&word[..dots], &word[dots + 3..]);
            let commit = |name: &[u8]| {
                revision::resolve_commit(repo, if name.is_empty() { b"HEAD" } else { name })
            };
            if let (Ok(a), Ok(b)) = (commit(a), commit(b)) {
                let bases = crate::walk::merge_bases(repo, a, b)?;
                let Some(base) = bases.first() else {
                    return fatal(format!("{}: no merge base", show(word)));
                };
                trees.push(revision::peel(repo, *base, Some(Kind::Tree))?);
                trees.push(revision::peel(repo, b, Some(Kind::Tree))?);
                continue;
            }
        } else if let Some(dots) = word.windows(2).position(|two| two == b"..")
            && let (Some(a), Some(b)) = (tree(&word[..dots])?, tree(&word[dots + 2..])?)
        {
            trees.extend([a, b]);
            continue;
        }
        match tree(word)? {
            Some(found) => {
                let is_file = repo.work_tree.is_some()
                    && repo
                        .path_of_user(word)
                        .is_some_and(|path| !path.is_empty() && crate::os::exists(&path));
                if is_file && parsed.dashes.is_none() {
                    let name = show(word);
                    return fatal(format!(
                        "ambiguous argument '{name}': both revision and filename\nUse '--' to separate paths from revisions, like \
                         this:\n'git <command> [<revision>...] -- [<file>...]'"
                    ));
                }
                trees.push(found);
            }
            None => {
                if parsed.dashes.is_some() {
                    return fatal(format!("bad revision '{}'", show(word)));
                }
                // Two blobs can be compared too, but that is rare.
                crate::history::check_path(repo, word)?;
                paths.push(word.clone());
            }
        }
    }
    if parsed.merge_base && !trees.is_empty() {
        let names: Vec<Vec<u8>> = parsed
            .words
            .iter()
            .take(2.min(trees.len()))
            .cloned()
            .collect();
        let first = revision::resolve_commit(repo, &names[0])?;
        let second = match names.get(1) {
            Some(name) => revision::resolve_commit(repo, name)?,
            None => revision::resolve_commit(repo, b"HEAD")?,
        };
        let Some(base) = crate::walk::merge_bases(repo, first, second)?
            .first()
            .copied()
        else {
            return fatal("no merge base found");
        };
        trees[0] = revision::peel(repo, base, Some(Kind::Tree))?;
    }
    Ok((trees, Pathspec::new(repo, &paths)?))
}

/// Two files outside of a repository.
fn no_index(call: &Call, repo: Option<Repo>) -> Result<i32> {
    let started = match &repo {
        Some(repo) => repo.started_in.clone(),
        None => crate::os::cwd()?,
    };
    let config = crate::repo::outside_config(&call.global)?;
    let mut parsed = parse(None, &config, &call.words)?;
    if !parsed.no_index && parsed.words.len() != 2 {
        out::note(
            "warning: Not a git repository. Use --no-index to compare two paths outside a working tree",
        );
        return Err(Stop::Status(129));
    }
    let [one, two] = &parsed.words[..] else {
        return Err(crate::args::usage(
            "diff --no-index",
            "two paths are needed",
        ));
    };
    if !parsed.options.has_format() {
        parsed.options.patch = true;
    }
    crate::os::chdir(&started)?;
    let side = |path: &[u8]| -> Result<Option<change::Item>> {
        if path == b"/dev/null" {
            return Ok(None);
        }
        match crate::os::stat(path) {
            Ok(found) if found.is_dir() => {
                fatal("codepod's git diff --no-index compares files only")
            }
            Ok(found) => Ok(Some((crate::object::canonical_mode(found.mode), Oid::NULL))),
            Err(found) => crate::stop::error(format!(
                "Could not access '{}': {}",
                show(path),
                crate::stop::why(&found)
            )),
        }
    };
    let (a, b) = (side(one)?, side(two)?);
    // A repository of nothing but its settings, for printing.
    let temporary = match repo {
        Some(repo) => repo,
        None => return fatal("codepod's git diff --no-index needs a repository around it"),
    };
    let mut change = Change::new(two, a, b);
    change.old.path.clone_from(one);
    change.new.path.clone_from(two);
    if change.status == b'D' {
        change.new.path.clone_from(one);
    } else if change.status == b'A' {
        change.old.path.clone_from(two);
    }
    let same = a.is_some() && b.is_some() && crate::os::read(one)? == crate::os::read(two)?;
    if same {
        return Ok(0);
    }
    diff::show(&temporary, &[change], &parsed.options)?;
    Ok(1)
}

/// `git diff-files`.
pub(crate) fn diff_files(call: &Call) -> Result<i32> {
    let repo = call.work_tree()?;
    let mut parsed = parse(Some(&repo), &repo.config, &call.words)?;
    plumbing(&mut parsed);
    let paths = Pathspec::new(&repo, &parsed.words)?;
    let index = repo.index()?;
    let changes = change::index_to_files(&repo, &index, &paths)?;
    finish(&repo, changes, &parsed.options, None)
}

/// `git diff-index`.
pub(crate) fn diff_index(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let mut parsed = parse(Some(&repo), &repo.config, &call.words)?;
    plumbing(&mut parsed);
    let (trees, paths) = split_words(&repo, &parsed)?;
    let [tree] = trees[..] else {
        return Err(crate::args::usage("diff-index", "one tree is needed"));
    };
    let index = repo.index()?;
    let changes = match parsed.cached {
        true => change::tree_to_index(&repo, Some(tree), &index, &paths)?,
        false => change::tree_to_files(&repo, Some(tree), &index, &paths)?,
    };
    finish(&repo, changes, &parsed.options, Some(tree))
}

/// Without options the plumbing prints raw lines, whole names, and finds no renames.
fn plumbing(parsed: &mut Parsed) {
    let options = &mut parsed.options;
    if !options.has_format() {
        options.raw = true;
    }
    if options.raw && options.abbrev.is_none() {
        options.abbrev = Some(40);
    }
    options.renames &= options.copies || options.rename_score != 30_000;
}

/// `git diff-tree`.
pub(crate) fn diff_tree(call: &Call) -> Result<i32> {
    let repo = call.repo()?;
    let renames = call.words.iter().any(|word| {
        word.starts_with(b"-M") || word.starts_with(b"-C") || word.starts_with(b"--find-")
    });
    let mut parsed = parse(Some(&repo), &repo.config, &call.words)?;
    plumbing(&mut parsed);
    parsed.options.renames = renames;
    if parsed.stdin {
        return fatal("codepod's git diff-tree does not support --stdin");
    }
    let (trees, paths) = split_words(&repo, &parsed)?;
    let recursive = parsed.recursive || parsed.options.patch || parsed.options.stat;
    let (old, new) = match trees[..] {
        [new] => {
            let oid = revision::resolve_commit(&repo, &parsed.words[0])?;
            let commit = crate::object::Commit::read(&repo.objects, &oid)?;
            let old = match commit.parents[..] {
                [] if !parsed.root => return Ok(0),
                [] => None,
                [parent] => Some(revision::peel(&repo, parent, Some(Kind::Tree))?),
                _ => return Ok(0),
            };
            if !parsed.no_commit_id && old != Some(new) {
                out::line(oid.hex());
            }
            (old, new)
        }
        [old, new] => (Some(old), new),
        _ => {
            return Err(crate::args::usage(
                "diff-tree",
                "one commit or two trees are needed",
            ));
        }
    };
    let mut changes = change::trees(&repo, old, Some(new), &paths)?;
    if !recursive {
        changes = top_level(&repo, old, new, changes)?;
    }
    finish(&repo, changes, &parsed.options, old)
}

/// Directories in the place of the files below them.
fn top_level(repo: &Repo, old: Option<Oid>, new: Oid, changes: Vec<Change>) -> Result<Vec<Change>> {
    let mut out: Vec<Change> = Vec::new();
    for change in changes {
        let Some(slash) = change.new.path.iter().position(|byte| *byte == b'/') else {
            out.push(change);
            continue;
        };
        let name = &change.new.path[..slash];
        if out.last().is_some_and(|last| last.new.path == name) {
            continue;
        }
        let item = |tree: Option<Oid>| -> Result<Option<change::Item>> {
            let Some(tree) = tree else {
                return Ok(None);
            };
            Ok(revision::in_tree(repo, tree, name)?
                .and_then(|found| found.entry.map(|(mode, _)| (mode, found.oid))))
        };
        out.push(Change::new(name, item(old)?, item(Some(new))?));
    }
    Ok(out)
}
