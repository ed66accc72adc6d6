//! `git add`.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args::options;
use crate::diff::change::{self, Found, compare};
use crate::ignore::Ignore;
use crate::index::{Entry, Index};
use crate::object::{self, GITLINK};
use crate::oid::{Kind, hash};
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

options! {
    /// What the command line says.
    struct Options for "add" {
        dry: bool = "n|dry-run",
        verbose: bool = "v|verbose",
        force: bool = "f|force",
        update: bool = "u|update",
        intent_to_add: bool = "N|intent-to-add",
        all: bool = "A|all",
        ignore_removal: bool = "ignore-removal",
        ignore_errors: bool = "ignore-errors",
        ignore_missing: bool = "ignore-missing",
        chmod: Option<Vec<u8>> = "chmod=",
        /// Paths come from this file.
        from: Option<Vec<u8>> = "pathspec-from-file=",
        nul: bool = "pathspec-file-nul",
    }
    ignored "refresh"
    refused "i|interactive p|patch e|edit renormalize sparse"
}

/// What is to happen to the index.
struct Plan {
    removed: Vec<Vec<u8>>,
    /// Changed and new files, and repositories, whose paths end with a slash.
    added: Vec<Vec<u8>>,
    /// The mode that `--chmod` gives to all regular files.
    mode: Option<u32>,
}

/// `git add`.
pub(crate) fn add(call: &Call) -> Result<i32> {
    let (options, rest) = Options::read(&call.words)?;
    let repo = call.work_tree()?;
    let words = rest.with_listed(options.from.as_deref(), options.nul)?;
    if words.is_empty() && !options.all && !options.update {
        out::note("Nothing specified, nothing added.");
        if repo.config.truth("advice.addemptypathspec") != Some(false) {
            out::hint(
                "Maybe you wanted to say 'git add .'?\nDisable this message with \"git config advice.addEmptyPathspec false\"",
            );
        }
        return Ok(0);
    }
    if options.all && options.update {
        return fatal("options '-A' and '-u' cannot be used together");
    }
    let mode = options.mode()?;
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    let (removed, added) = changes(&repo, &index, &paths, &options)?;
    let plan = Plan {
        removed,
        added,
        mode,
    };
    let complete = apply(&repo, &mut index, &plan, &paths, &options)?;
    if !options.dry {
        change::refresh(&repo, &mut index)?;
        repo.write_index(&index)?;
    }
    Ok(i32::from(!complete))
}

impl Options {
    /// The mode that `--chmod` names.
    fn mode(&self) -> Result<Option<u32>> {
        match self.chmod.as_deref() {
            None => Ok(None),
            Some(b"+x") => Ok(Some(0o100_755)),
            Some(b"-x") => Ok(Some(0o100_644)),
            Some(other) => fatal(format!(
                "--chmod param '{}' must be either -x or +x",
                show(other)
            )),
        }
    }

    /// Says what happens to a path, where that is asked for.
    fn say(&self, verb: &str, path: &[u8]) {
        if self.dry || self.verbose {
            out::line(format!("{verb} '{}'", show(path)));
        }
    }
}

/// The paths to remove from the index and those to add to it.
fn changes(
    repo: &Repo,
    index: &Index,
    paths: &Pathspec,
    options: &Options,
) -> Result<(Vec<Vec<u8>>, Vec<Vec<u8>>)> {
    let new = match options.update {
        true => {
            check_update(paths, index)?;
            Vec::new()
        }
        false => new_files(repo, index, paths, options)?,
    };
    let (mut gone, mut changed) = (Vec::new(), Vec::new());
    let mut known: Vec<&Vec<u8>> = index.entries.values().map(|entry| &entry.path).collect();
    known.dedup();
    for path in known.into_iter().filter(|path| paths.matches(path)) {
        let is_gone = match index.get(path) {
            Some(entry) => match compare(repo, entry)?.0 {
                Found::Same => continue,
                Found::Gone => true,
                Found::Changed(_) => false,
            },
            // A conflict is settled by what is there now.
            None => !os::lstat(path).is_ok_and(|found| !found.is_dir()),
        };
        match is_gone {
            true => gone.push(path.clone()),
            false => changed.push(path.clone()),
        }
    }
    changed.retain(|path| !change::is_behind_link(path));
    if options.ignore_removal {
        gone.clear();
    }
    changed.extend(new);
    changed.sort();
    Ok((gone, changed))
}

/// The files that the index does not have yet.
fn new_files(
    repo: &Repo,
    index: &Index,
    paths: &Pathspec,
    options: &Options,
) -> Result<Vec<Vec<u8>>> {
    let with_ignored = options.force.then_some(Untracked::All);
    let (mut new, ignored) = unknown(repo, index, Untracked::All, with_ignored, paths)?;
    new.extend(ignored);
    new.sort();
    check_words(repo, paths, index, &new, options)?;
    Ok(new)
}

/// Changes the index; whether all files could be added.
fn apply(
    repo: &Repo,
    index: &mut Index,
    plan: &Plan,
    paths: &Pathspec,
    options: &Options,
) -> Result<bool> {
    for path in &plan.removed {
        options.say("remove", path);
        if !options.dry {
            index.remove(path);
        }
    }
    let mut complete = true;
    for path in &plan.added {
        if path.ends_with(b"/") {
            add_repository(repo, index, path, options.dry)?;
            continue;
        }
        options.say("add", path);
        if options.dry {
            continue;
        }
        match add_file(repo, index, path, options) {
            Err(_) if options.ignore_errors => complete = false,
            done => done?,
        }
    }
    if let Some(mode) = plan.mode {
        set_modes(index, paths, mode);
    }
    Ok(complete)
}

fn add_file(repo: &Repo, index: &mut Index, path: &[u8], options: &Options) -> Result<()> {
    if options.intent_to_add && !index.has(path) {
        let mode = object::canonical_mode(os::lstat(path)?.mode);
        let mut entry = Entry::new(path.to_vec(), mode, hash(Kind::Blob, b""), 0);
        entry.intent_to_add = true;
        index.put(entry);
        return Ok(());
    }
    let mut entry = worktree::take_file(repo, path)?;
    if !repo.trusts_modes()
        && let Some(old) = index.get(path)
        && entry.mode & os::S_IFMT == os::S_IFREG
    {
        entry.mode = old.mode;
    }
    index.put(entry);
    Ok(())
}

/// Gives all regular files that were named a mode.
fn set_modes(index: &mut Index, paths: &Pathspec, mode: u32) {
    let named: Vec<Vec<u8>> = index
        .merged()
        .filter(|entry| paths.matches(&entry.path))
        .map(|entry| entry.path.clone())
        .collect();
    for path in named {
        if let Some(entry) = index.entries.get_mut(&(path, 0))
            && entry.mode & os::S_IFMT == os::S_IFREG
        {
            entry.mode = mode;
        }
    }
}

/// A repository inside of the working tree goes in as a link to its commit, with a warning.
fn add_repository(repo: &Repo, index: &mut Index, path: &[u8], dry: bool) -> Result<()> {
    let bare = path.strip_suffix(b"/").unwrap_or(path);
    let dir = crate::repo::git_link(&[path, b".git"].concat())?.unwrap_or_default();
    let refs = crate::refs::Refs {
        own: dir.clone(),
        common: dir,
    };
    let Some(head) = refs.resolve(b"HEAD") else {
        out::note(format!(
            "error: '{}' does not have a commit checked out",
            show(path)
        ));
        return Err(Stop::Fatal(b"adding files failed".to_vec()));
    };
    if dry {
        out::line(format!("add '{}'", show(path)));
        return Ok(());
    }
    out::warn(format!("adding embedded git repository: {}", show(bare)));
    if repo.config.truth("advice.addembeddedrepo") != Some(false) {
        let name = show(bare);
        out::hint(&format!(
            "You've added another git repository inside your current repository.\nClones of the outer repository will not contain the \
             contents of\nthe embedded repository and will not know how to obtain it.\nIf you meant to add a submodule, \
             use:\n\n\tgit submodule add <url> {name}\n\nIf you added this path by mistake, you can remove it from the\nindex \
             with:\n\n\tgit rm --cached {name}\n\nSee \"git help submodule\" for more information.\nDisable this message with \"git config \
             set advice.addEmbeddedRepo false\""
        ));
    }
    index.put(Entry::new(bare.to_vec(), GITLINK, head, 0));
    Ok(())
}

/// Fails for words that lead to nothing, and for ignored files that were named.
fn check_words(
    repo: &Repo,
    paths: &Pathspec,
    index: &Index,
    new: &[Vec<u8>],
    options: &Options,
) -> Result<()> {
    let known = index.entries.values().map(|entry| &entry.path[..]);
    let all: Vec<&[u8]> = known
        .chain(
            new.iter()
                .map(|path| path.strip_suffix(b"/").unwrap_or(path)),
        )
        .collect();
    let unmatched = paths.unmatched(all.iter().copied());
    let ignore = Ignore::new(repo);
    let mut ignored = Vec::new();
    for word in unmatched {
        let Some(path) = repo.path_of_user(&word) else {
            continue;
        };
        let found = os::lstat(&path);
        if found.is_err() && !(options.dry && options.ignore_missing) {
            return fatal(format!(
                "pathspec '{}' did not match any files",
                show(&word)
            ));
        }
        let is_directory = found.is_ok_and(|found| found.is_dir());
        if !path.is_empty() && !options.force && ignore.ignores_deep(&path, is_directory) {
            ignored.push(path);
        }
    }
    if ignored.is_empty() {
        return Ok(());
    }
    let list: Vec<String> = ignored.iter().map(|path| show(path)).collect();
    out::note(format!(
        "The following paths are ignored by one of your .gitignore files:\n{}",
        list.join("\n")
    ));
    if repo.config.truth("advice.addignoredfile") != Some(false) {
        out::hint(
            "Use -f if you really want to add them.\nDisable this message with \"git config advice.addIgnoredFile false\"",
        );
    }
    Err(Stop::Status(1))
}

fn check_update(paths: &Pathspec, index: &Index) -> Result<()> {
    match paths
        .unmatched(index.entries.values().map(|entry| &entry.path[..]))
        .first()
    {
        Some(word) if word != b"." => {
            fatal(format!("pathspec '{}' did not match any files", show(word)))
        }
        _ => Ok(()),
    }
}
