//! `git add`, `git rm`, `git mv`.

use super::Call;
use super::status::{Untracked, unknown};
use crate::args;
use crate::diff::change::{Found, compare};
use crate::ignore::Ignore;
use crate::index::{Entry, Index};
use crate::object::GITLINK;
use crate::oid::Oid;
use crate::os;
use crate::out;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, Stop, fatal, show};
use crate::worktree;

pub(crate) use crate::os::lines_of;

/// `git add`.
pub(crate) fn add(call: &Call) -> Result<i32> {
    let table = "n|dry-run v|verbose i|interactive p|patch e|edit f|force u|update renormalize N|intent-to-add A|all ignore-removal refresh \
                 ignore-errors ignore-missing sparse chmod= pathspec-from-file= pathspec-file-nul";
    let parsed = args::parse("add", table, &call.words)?;
    parsed.refuse(&["interactive", "patch", "edit", "renormalize", "sparse"])?;
    let repo = call.work_tree()?;
    let mut words = parsed.words.clone();
    if let Some(file) = parsed.value("pathspec-from-file") {
        words.extend(os::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    let (all, update) = (parsed.has("all"), parsed.has("update"));
    if words.is_empty() && !all && !update {
        out::note("Nothing specified, nothing added.");
        if repo.config.truth("advice.addemptypathspec") != Some(false) {
            out::hint(
                "Maybe you wanted to say 'git add .'?\nDisable this message with \"git config advice.addEmptyPathspec false\"",
            );
        }
        return Ok(0);
    }
    if all && update {
        return fatal("options '-A' and '-u' cannot be used together");
    }
    let chmod = match parsed.value("chmod") {
        None => None,
        Some(b"+x") => Some(0o100_755),
        Some(b"-x") => Some(0o100_644),
        Some(other) => {
            return fatal(format!(
                "--chmod param '{}' must be either -x or +x",
                show(other)
            ));
        }
    };
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    let dry = parsed.has("dry-run");
    let say = |verb: &str, path: &[u8]| {
        if dry || parsed.has("verbose") {
            out::line(format!("{verb} '{}'", show(path)));
        }
    };
    let mut new = Vec::new();
    if !update {
        let ignored = if parsed.has("force") {
            Some(Untracked::All)
        } else {
            None
        };
        let (untracked, ignored) = unknown(&repo, &index, Untracked::All, ignored, &paths)?;
        new = untracked;
        new.extend(ignored);
        new.sort();
        check_words(
            &repo,
            &paths,
            &index,
            &new,
            parsed.has("force"),
            dry && parsed.has("ignore-missing"),
        )?;
    } else {
        check_update(&paths, &index)?;
    }
    let mut gone = Vec::new();
    let mut changed = Vec::new();
    let known: Vec<Vec<u8>> = {
        let mut known: Vec<Vec<u8>> = index
            .entries
            .values()
            .map(|entry| entry.path.clone())
            .collect();
        known.dedup();
        known
            .into_iter()
            .filter(|path| paths.matches(path))
            .collect()
    };
    for path in known {
        match index.get(&path) {
            Some(entry) => match compare(&repo, entry)?.0 {
                Found::Same => {}
                Found::Gone => gone.push(path),
                Found::Changed(_) => changed.push(path),
            },
            // A conflict is settled by what is there now.
            None => match os::lstat(&path) {
                Ok(found) if !found.is_dir() => changed.push(path),
                _ => gone.push(path),
            },
        }
    }
    changed.retain(|path| !crate::diff::change::is_behind_link(path));
    if !parsed.has("ignore-removal") {
        for path in gone {
            say("remove", &path);
            if !dry {
                index.remove(&path);
            }
        }
    }
    let mut failed = false;
    changed.extend(new);
    changed.sort();
    for path in changed {
        if path.ends_with(b"/") {
            failed |= add_repository(&repo, &mut index, &path, dry)?;
            continue;
        }
        say("add", &path);
        if dry {
            continue;
        }
        if parsed.has("intent-to-add") && !index.has(&path) {
            let mut entry = Entry::new(
                path.clone(),
                0o100_644,
                crate::oid::hash(crate::oid::Kind::Blob, b""),
                0,
            );
            let found = os::lstat(&path)?;
            entry.mode = crate::object::canonical_mode(found.mode);
            entry.intent_to_add = true;
            index.put(entry);
            continue;
        }
        match worktree::take_file(&repo, &path) {
            Ok(mut entry) => {
                if !repo.trusts_modes()
                    && let Some(old) = index.get(&path)
                    && entry.mode & os::S_IFMT == os::S_IFREG
                {
                    entry.mode = old.mode;
                }
                index.put(entry);
            }
            Err(stop) if parsed.has("ignore-errors") => {
                failed = true;
                let _ = stop;
            }
            Err(stop) => return Err(stop),
        }
    }
    if let Some(mode) = chmod {
        let keys: Vec<_> = index
            .merged()
            .filter(|entry| paths.matches(&entry.path))
            .map(|entry| entry.path.clone())
            .collect();
        for path in keys {
            if let Some(entry) = index.entries.get_mut(&(path, 0))
                && entry.mode & os::S_IFMT == os::S_IFREG
            {
                entry.mode = mode;
            }
        }
    }
    if !dry {
        crate::diff::change::refresh(&repo, &mut index)?;
        repo.write_index(&index)?;
    }
    Ok(i32::from(failed))
}

/// A repository inside of the working tree goes in as a link to its commit, with a warning.
fn add_repository(repo: &Repo, index: &mut Index, path: &[u8], dry: bool) -> Result<bool> {
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
        return Ok(false);
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
    Ok(false)
}

/// Fails for words that lead to nothing, and for ignored files that were named.
fn check_words(
    repo: &Repo,
    paths: &Pathspec,
    index: &Index,
    new: &[Vec<u8>],
    force: bool,
    missing: bool,
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
        if found.is_err() && !missing {
            return fatal(format!(
                "pathspec '{}' did not match any files",
                show(&word)
            ));
        }
        let is_directory = found.is_ok_and(|found| found.is_dir());
        if !path.is_empty() && !force && ignore.ignores_deep(&path, is_directory) {
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

/// `git rm`.
pub(crate) fn rm(call: &Call) -> Result<i32> {
    let table = "n|dry-run q|quiet cached f|force r| ignore-unmatch sparse pathspec-from-file= pathspec-file-nul";
    let parsed = args::parse("rm", table, &call.words)?;
    let repo = call.work_tree()?;
    let mut words = parsed.words.clone();
    if let Some(file) = parsed.value("pathspec-from-file") {
        words.extend(os::lines_of(file, parsed.has("pathspec-file-nul"))?);
    }
    if words.is_empty() {
        return fatal("No pathspec was given. Which files should I remove?");
    }
    let paths = Pathspec::new(&repo, &words)?;
    let mut index = repo.index()?;
    let matched: Vec<Vec<u8>> = {
        let mut all: Vec<Vec<u8>> = index
            .entries
            .values()
            .map(|entry| entry.path.clone())
            .filter(|path| paths.matches(path))
            .collect();
        all.dedup();
        all
    };
    let unmatched = paths.unmatched(index.entries.values().map(|entry| &entry.path[..]));
    if let Some(word) = unmatched.first()
        && !parsed.has("ignore-unmatch")
    {
        return fatal(format!("pathspec '{}' did not match any files", show(word)));
    }
    if !parsed.has("r") {
        for (path, given) in paths.literal() {
            let path = path.strip_suffix(b"/").unwrap_or(path);
            if !index.has(path) && (path.is_empty() || index.has_below(path)) {
                return fatal(format!(
                    "not removing '{}' recursively without -r",
                    show(given)
                ));
            }
        }
    }
    if !parsed.has("force") {
        check_removal(&repo, &index, &matched, parsed.has("cached"))?;
    }
    for path in &matched {
        if !parsed.has("quiet") {
            out::line(format!("rm '{}'", show(path)));
        }
    }
    if parsed.has("dry-run") {
        return Ok(0);
    }
    for path in &matched {
        index.remove(path);
        if !parsed.has("cached") {
            worktree::remove_file(&repo, path);
        }
    }
    repo.write_index(&index)?;
    Ok(0)
}

/// Refuses to remove what is nowhere else.
fn check_removal(repo: &Repo, index: &Index, paths: &[Vec<u8>], cached: bool) -> Result<()> {
    let tree = match super::head_tree(repo)? {
        Some(tree) => crate::diff::change::flatten(repo, &tree)?,
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

/// `git mv`.
pub(crate) fn mv(call: &Call) -> Result<i32> {
    let parsed = args::parse("mv", "v|verbose n|dry-run f|force k| sparse", &call.words)?;
    if parsed.words.len() < 2 {
        out::note(
            "usage: git mv [-v] [-f] [-n] [-k] <source> <destination>\n   or: git mv [-v] [-f] [-n] [-k] <source>... <destination-directory>",
        );
        return Ok(129);
    }
    let repo = call.work_tree()?;
    let mut index = repo.index()?;
    let (sources, target) = parsed.words.split_at(parsed.words.len() - 1);
    let given = &target[0];
    let Some(target) = repo.path_of_user(given) else {
        return fatal(format!("'{}' is outside repository", show(given)));
    };
    let into = os::is_dir(&target) || target.is_empty();
    if sources.len() > 1 && !into {
        return fatal(format!("destination '{}' is not a directory", show(given)));
    }
    let mut moves: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for word in sources {
        let Some(source) = repo.path_of_user(word) else {
            return fatal(format!("'{}' is outside repository", show(word)));
        };
        let name = source
            .rsplit(|byte| *byte == b'/')
            .next()
            .unwrap_or(&source);
        let to = match (into, target.is_empty()) {
            (true, true) => name.to_vec(),
            (true, false) => [&target[..], b"/", name].concat(),
            (false, _) => target.clone(),
        };
        let is_directory = os::lstat(&source).is_ok_and(|found| found.is_dir());
        let bad = match () {
            () if !os::exists(&source) => Some("bad source"),
            () if is_directory
                && (to == source || to.starts_with(&[&source[..], b"/"].concat())) =>
            {
                Some("can not move directory into itself")
            }
            () if is_directory && !index.has_below(&source) => Some("source directory is empty"),
            () if !is_directory && index.get(&source).is_none() && index.has(&source) => {
                Some("conflicted")
            }
            () if !is_directory && !index.has(&source) => Some("not under version control"),
            () if os::exists(&to) && !parsed.has("force") => Some("destination exists"),
            () if !into && !above_exists(&to) => Some("destination directory does not exist"),
            () => None,
        };
        if let Some(bad) = bad {
            if parsed.has("k") {
                continue;
            }
            return fatal(format!(
                "{bad}, source={}, destination={}",
                show(&source),
                show(&to)
            ));
        }
        moves.push((source, to));
    }
    for (source, to) in moves {
        if parsed.has("verbose") || parsed.has("dry-run") {
            out::line(format!("Renaming {} to {}", show(&source), show(&to)));
        }
        if parsed.has("dry-run") {
            continue;
        }
        if let Err(found) = os::rename(&source, &to) {
            return fatal(format!(
                "renaming '{}' failed: {}",
                show(&source),
                crate::stop::why(&found)
            ));
        }
        let below = [&source[..], b"/"].concat();
        let entries: Vec<Entry> = index
            .entries
            .values()
            .filter(|entry| entry.path == source || entry.path.starts_with(&below))
            .cloned()
            .collect();
        for mut entry in entries {
            index.remove(&entry.path);
            entry.path = [&to[..], &entry.path[source.len()..]].concat();
            if let Ok(found) = os::lstat(&entry.path)
                && entry.oid != Oid::NULL
            {
                entry.stat.ctime = found.ctime;
            }
            index.put(entry);
        }
    }
    if !parsed.has("dry-run") {
        repo.write_index(&index)?;
    }
    Ok(0)
}

fn above_exists(path: &[u8]) -> bool {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => os::is_dir(&path[..at]),
        None => true,
    }
}
