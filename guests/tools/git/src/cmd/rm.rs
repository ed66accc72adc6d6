//! `git rm`.

use super::{Call, head_tree};
use crate::args::options;
use crate::diff::change::{self, Found, compare};
use crate::index::Index;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "rm" {
        dry: bool = "n|dry-run",
        quiet: bool = "q|quiet",
        cached: bool = "cached",
        force: bool = "f|force",
        recursive: bool = "r|",
        ignore_unmatched: bool = "ignore-unmatch",
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    ignored "sparse"
}

/// `git rm`.
pub(crate) fn rm(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    if words.is_empty() {
        return fatal("No pathspec was given. Which files should I remove?");
    }
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    let files = plan(&repo, &index, &paths, &options)?;
    if !options.quiet {
        for path in &files {
            out::line(format!("rm '{}'", show(path)));
        }
    }
    if options.dry {
        return Ok(0);
    }
    for path in &files {
        index.remove(path);
        if !options.cached {
            worktree::remove_file(&repo, path);
        }
    }
    repo.write_index(&index)?;
    Ok(0)
}

/// The files to remove; fails where one may not be removed.
fn plan(repo: &Repo, index: &Index, paths: &Pathspec, options: &Options) -> Result<Vec<Vec<u8>>> {
    let known = || index.entries.values().map(|entry| &entry.path[..]);
    if let Some(word) = paths.unmatched(known()).first()
        && !options.ignore_unmatched
    {
        return fatal(format!("pathspec '{}' did not match any files", show(word)));
    }
    if !options.recursive {
        check_no_directories(index, paths)?;
    }
    let matched = known().filter(|path| paths.matches(path));
    let mut files: Vec<Vec<u8>> = matched.map(<[u8]>::to_vec).collect();
    files.dedup();
    if !options.force {
        check_removal(repo, index, &files, options.cached)?;
    }
    Ok(files)
}

fn check_no_directories(index: &Index, paths: &Pathspec) -> Result<()> {
    for (path, given) in paths.literal() {
        let path = path.strip_suffix(b"/").unwrap_or(path);
        if !index.has(path) && (path.is_empty() || index.has_below(path)) {
            return fatal(format!(
                "not removing '{}' recursively without -r",
                show(given)
            ));
        }
    }
    Ok(())
}

/// Refuses to remove what is nowhere else.
fn check_removal(repo: &Repo, index: &Index, paths: &[Vec<u8>], cached: bool) -> Result<()> {
    let tree = match head_tree(repo)? {
        Some(tree) => change::flatten(repo, &tree)?,
        None => Default::default(),
    };
    let (mut both, mut staged, mut local) = (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let Some(entry) = index.get(path) else {
            continue;
        };
        let changed = matches!(compare(repo, entry)?.0, Found::Changed(_)) && !entry.intent_to_add;
        let in_head = tree.get(path) == Some(&(entry.mode, entry.oid));
        match (changed, !in_head) {
            (true, true) => both.push(path),
            (false, true) if !cached && !entry.intent_to_add => staged.push(path),
            (true, false) if !cached => local.push(path),
            _ => {}
        }
    }
    let mut any = false;
    let groups = [
        (
            both,
            "the following file has staged content different from both the\nfile and the HEAD:",
            "the following files have staged content different from both the\nfile and the HEAD:",
            "(use -f to force removal)",
        ),
        (
            staged,
            "the following file has changes staged in the index:",
            "the following files have changes staged in the index:",
            "(use --cached to keep the file, or -f to force removal)",
        ),
        (
            local,
            "the following file has local modifications:",
            "the following files have local modifications:",
            "(use --cached to keep the file, or -f to force removal)",
        ),
    ];
    for (list, one, many, hint) in groups {
        if list.is_empty() {
            continue;
        }
        any = true;
        let title = if list.len() == 1 { one } else { many };
        let names: String = list
            .iter()
            .map(|path| format!("\n    {}", show(path)))
            .collect();
        let hint = if repo.config.truth("advice.rmhints") == Some(false) {
            String::new()
        } else {
            format!("\n{hint}")
        };
        out::note(format!("error: {title}{names}{hint}"));
    }
    if any { Err(Stop::Status(1)) } else { Ok(()) }
}
