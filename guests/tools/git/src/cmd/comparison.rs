//! What `diff`, `diff-files`, `diff-index` and `diff-tree` share: their command line, and how they
//! show changes.

use super::log::all_files;
use crate::config::Config;
use crate::diff::{self, Change, Options, patch};
use crate::history::check_path;
use crate::oid::{Kind, Oid};
use crate::os;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, Stop, fatal, show};
use crate::walk;

/// What the command line says.
///
/// It is not read by a table, since the options of differences are common to more commands.
pub(crate) struct CommandLine {
    pub(crate) options: Options,
    pub(crate) cached: bool,
    pub(crate) merge_base: bool,
    pub(crate) no_index: bool,
    /// Whether the working tree is compared with one stage of a path in conflict.
    pub(crate) one_stage: bool,
    pub(crate) recursive: bool,
    pub(crate) root: bool,
    pub(crate) no_commit_id: bool,
    pub(crate) stdin: bool,
    pub(crate) words: Vec<Vec<u8>>,
    /// How many of the words stood before `--`; none without `--`.
    pub(crate) dashes: Option<usize>,
}

impl CommandLine {
    /// Reads a command line.
    pub(crate) fn read(
        repo: Option<&Repo>,
        config: &Config,
        words: &[Vec<u8>],
    ) -> Result<CommandLine> {
        let mut line = CommandLine {
            options: Options::new(config),
            cached: false,
            merge_base: false,
            no_index: false,
            one_stage: false,
            recursive: false,
            root: false,
            no_commit_id: false,
            stdin: false,
            words: Vec::new(),
            dashes: None,
        };
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            if word == b"--" {
                line.dashes = Some(line.words.len());
                line.words.extend(rest.cloned());
                break;
            }
            if word.len() < 2 || word[0] != b'-' {
                line.words.push(word.clone());
                continue;
            }
            line.take(&show(word), &mut || rest.next().map(|word| show(word)))?;
        }
        if let (Some(repo), Some(prefix)) = (repo, line.options.relative.clone()) {
            line.options.relative = Some(match &prefix[..] {
                b"." => repo.prefix.clone(),
                path => {
                    let mut path = repo.path_of_user(path).unwrap_or_default();
                    path.push(b'/');
                    path
                }
            });
        }
        Ok(line)
    }

    /// Takes an option; `next` gives the word after it.
    fn take(&mut self, text: &str, next: &mut dyn FnMut() -> Option<String>) -> Result<()> {
        match text {
            "--cached" | "--staged" => self.cached = true,
            "--merge-base" => self.merge_base = true,
            "--no-index" => self.no_index = true,
            "-r" | "-t" => self.recursive = true,
            "--root" => self.root = true,
            "--no-commit-id" => self.no_commit_id = true,
            "--stdin" => self.stdin = true,
            "--base" | "-1" | "--ours" | "-2" | "--theirs" | "-3" => self.one_stage = true,
            "-0" | "-c" | "--cc" | "-m" | "-q" => {}
            _ if self.options.take(text, next)? => {}
            _ => {
                let message = format!("invalid option: {text}");
                return Err(Stop::ErrorStatus(message.into_bytes(), 129));
            }
        }
        Ok(())
    }

    /// Without options the plumbing prints raw lines, whole names, and finds no renames.
    pub(crate) fn be_plumbing(&mut self) {
        let options = &mut self.options;
        if !options.has_format() {
            options.raw = true;
        }
        if options.raw && options.abbrev.is_none() {
            options.abbrev = Some(40);
        }
        options.renames &= options.copies || options.rename_score != 30_000;
    }

    /// Trees of the revisions, and the paths after them.
    pub(crate) fn trees(&self, repo: &Repo) -> Result<(Vec<Oid>, Pathspec)> {
        let mut trees = Vec::new();
        let mut paths = Vec::new();
        for (at, word) in self.words.iter().enumerate() {
            let is_after = self.dashes.is_some_and(|count| at >= count);
            if is_after || !paths.is_empty() {
                if !is_after {
                    check_path(repo, word)?;
                }
                paths.push(word.clone());
                continue;
            }
            if let Some(found) = range(repo, word)? {
                trees.extend(found);
                continue;
            }
            match tree(repo, word)? {
                Some(_) if self.dashes.is_none() && is_file(repo, word) => {
                    return fatal(format!(
                        "ambiguous argument '{}': both revision and filename\nUse '--' to separate paths from revisions, like \
                         this:\n'git <command> [<revision>...] -- [<file>...]'",
                        show(word)
                    ));
                }
                Some(found) => trees.push(found),
                None if self.dashes.is_some() => {
                    return fatal(format!("bad revision '{}'", show(word)));
                }
                None => {
                    // Two blobs can be compared too, but that is rare.
                    check_path(repo, word)?;
                    paths.push(word.clone());
                }
            }
        }
        if self.merge_base && !trees.is_empty() {
            let second = self.words.get(1).filter(|_| trees.len() > 1);
            let second = second.map_or(&b"HEAD"[..], Vec::as_slice);
            trees[0] = base_tree(repo, &self.words[0], second)?;
        }
        Ok((trees, Pathspec::new(repo, &paths)?))
    }
}

/// Whether a word is the name of a file, too.
fn is_file(repo: &Repo, word: &[u8]) -> bool {
    let path = repo.path_of_user(word).filter(|path| !path.is_empty());
    repo.work_tree.is_some() && path.is_some_and(|path| os::exists(&path))
}

/// The tree of a revision; of `HEAD` where the name is empty.
fn tree(repo: &Repo, name: &[u8]) -> Result<Option<Oid>> {
    match revision::try_resolve(repo, or_head(name))? {
        Some(oid) => Ok(revision::peel(repo, oid, Some(Kind::Tree)).ok()),
        None => Ok(None),
    }
}

fn or_head(name: &[u8]) -> &[u8] {
    if name.is_empty() { b"HEAD" } else { name }
}

/// The two trees of `A..B`, or of `A...B`, where the first is that of the merge base.
fn range(repo: &Repo, word: &[u8]) -> Result<Option<[Oid; 2]>> {
    if let Some(dots) = word.windows(3).position(|three| three == b"...") {
        let commit = |name: &[u8]| revision::resolve_commit(repo, or_head(name));
        let (Ok(a), Ok(b)) = (commit(&word[..dots]), commit(&word[dots + 3..])) else {
            return Ok(None);
        };
        let Some(base) = walk::merge_bases(repo, a, b)?.first().copied() else {
            return fatal(format!("{}: no merge base", show(word)));
        };
        let tree = |oid: Oid| revision::peel(repo, oid, Some(Kind::Tree));
        return Ok(Some([tree(base)?, tree(b)?]));
    }
    let Some(dots) = word.windows(2).position(|two| two == b"..") else {
        return Ok(None);
    };
    let (a, b) = (tree(repo, &word[..dots])?, tree(repo, &word[dots + 2..])?);
    Ok(a.zip(b).map(|(a, b)| [a, b]))
}

/// The tree of the commit that two revisions have in common.
fn base_tree(repo: &Repo, first: &[u8], second: &[u8]) -> Result<Oid> {
    let first = revision::resolve_commit(repo, first)?;
    let second = revision::resolve_commit(repo, second)?;
    match walk::merge_bases(repo, first, second)?.first() {
        Some(base) => revision::peel(repo, *base, Some(Kind::Tree)),
        None => fatal("no merge base found"),
    }
}

/// Shows changes and says by the status whether there were any, if asked to.
pub(crate) fn finish(
    repo: &Repo,
    changes: Vec<Change>,
    options: &Options,
    old_tree: Option<Oid>,
) -> Result<i32> {
    let changes = patch::prepare(repo, changes, options, &all_files(repo, old_tree, options)?)?;
    let any = diff::show(repo, &changes, options)?;
    if options.check {
        return Ok(if any { 2 } else { 0 });
    }
    Ok(i32::from(options.exit_code && any))
}
