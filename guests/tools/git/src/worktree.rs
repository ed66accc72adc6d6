//! The working tree: writing and removing files, going from one tree to another, making trees of
//! the index.

use std::collections::{BTreeMap, BTreeSet};

use crate::attributes;
use crate::diff::change::{self, Found, Item, compare, flatten};
use crate::ignore::Ignore;
use crate::index::{Entry, Index};
use crate::object::{GITLINK, TreeEntry, canonical_mode, serialise_tree};
use crate::oid::{Kind, Oid};
use crate::os::{self, S_IFLNK, S_IFMT};
use crate::repo::Repo;
use crate::stop::{Result, error, fatal, show};

/// Whether git may write at this path: it stays in the tree and keeps off `.git`.
pub(crate) fn is_safe_path(path: &[u8]) -> bool {
    !path.is_empty()
        && !path.contains(&0)
        && path.split(|byte| *byte == b'/').all(|part| {
            !part.is_empty() && part != b"." && part != b".." && !part.eq_ignore_ascii_case(b".git")
        })
}

/// Makes room for a file: the directories above it, and nothing in its place. Links above it are
/// not followed.
fn make_room(path: &[u8]) -> Result<()> {
    for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        match os::lstat(&path[..at]) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                os::remove(&path[..at])?;
                os::mkdir(&path[..at])?;
            }
            Err(_) => os::mkdir(&path[..at])?,
        }
    }
    if let Ok(found) = os::lstat(path) {
        if found.is_dir() {
            os::remove_tree(path)?;
        } else {
            os::remove(path)?;
        }
    }
    Ok(())
}

/// Writes a file of the index into the working tree and returns its entry.
pub(crate) fn write_file(repo: &Repo, path: &[u8], (mode, oid): Item) -> Result<Entry> {
    if !is_safe_path(path) {
        return fatal(format!("invalid path '{}'", show(path)));
    }
    let mut entry = Entry::new(path.to_vec(), mode, oid, 0);
    if mode == GITLINK {
        if !os::is_dir(path) {
            make_room(path)?;
            os::mkdir(path)?;
        }
        return Ok(entry);
    }
    let content = repo.objects.blob(&oid)?;
    write_content(repo, path, mode, &content)?;
    entry.stat = os::lstat(path)?;
    Ok(entry)
}

/// Writes content into the working tree.
pub(crate) fn write_content(repo: &Repo, path: &[u8], mode: u32, content: &[u8]) -> Result<()> {
    if !is_safe_path(path) {
        return fatal(format!("invalid path '{}'", show(path)));
    }
    make_room(path)?;
    if mode & S_IFMT == S_IFLNK {
        os::symlink(content, path)?;
        return Ok(());
    }
    os::write(path, &attributes::smudge(repo, path, content))?;
    if mode & 0o100 != 0 {
        os::chmod(path, 0o777 & !os::umask())?;
    }
    Ok(())
}

/// Removes a file from the working tree, and the directories that are empty then, but not where the
/// user stands.
pub(crate) fn remove_file(repo: &Repo, path: &[u8]) {
    if !is_safe_path(path) || change::is_behind_link(path) {
        return;
    }
    let is_directory = os::lstat(path).is_ok_and(|found| found.is_dir());
    let gone = if is_directory {
        os::rmdir(path)
    } else {
        os::remove(path)
    };
    if gone.is_err() && os::exists(path) {
        return;
    }
    let mut end = path.len();
    while let Some(at) = path[..end].iter().rposition(|byte| *byte == b'/') {
        if repo.prefix.starts_with(&path[..=at]) || os::rmdir(&path[..at]).is_err() {
            break;
        }
        end = at;
    }
}

/// Why a way from one tree to another is not free.
#[derive(Debug, Default)]
pub(crate) struct Obstacles {
    /// Files with changes that would be lost.
    pub(crate) changed: BTreeSet<Vec<u8>>,
    /// Files that git does not know.
    pub(crate) untracked: BTreeSet<Vec<u8>>,
    /// Files that git does not know and that would be removed.
    pub(crate) untracked_removed: BTreeSet<Vec<u8>>,
}

impl Obstacles {
    /// Whether the way is free.
    pub(crate) fn is_empty(&self) -> bool {
        self.changed.is_empty() && self.untracked.is_empty() && self.untracked_removed.is_empty()
    }

    /// Says what is in the way, for a command, and stops.
    pub(crate) fn report<T>(&self, command: &str) -> Result<T> {
        let (before, aborting) = match command {
            "checkout" => ("switch branches", "Aborting"),
            "merge" => ("merge", "Aborting"),
            other => (other, "Aborting"),
        };
        let list = |paths: &BTreeSet<Vec<u8>>| {
            paths
                .iter()
                .map(|path| format!("\t{}\n", show(path)))
                .collect::<String>()
        };
        if !self.changed.is_empty() {
            crate::out::note(format!(
                "error: Your local changes to the following files would be overwritten by {command}:\n{}Please commit your changes or \
                 stash them before you {before}.",
                list(&self.changed)
            ));
        }
        for (paths, what) in [
            (&self.untracked, "overwritten"),
            (&self.untracked_removed, "removed"),
        ] {
            if !paths.is_empty() {
                crate::out::note(format!(
                    "error: The following untracked working tree files would be {what} by {command}:\n{}Please move or remove them \
                     before you {before}.",
                    list(paths)
                ));
            }
        }
        crate::out::note(aborting);
        Err(crate::stop::Stop::Status(1))
    }
}

/// Goes from one tree to another: the index and the working tree follow, changes of the user stay.
///
/// `obstacles` says what prevents it; nothing was changed then.
pub(crate) fn switch(
    repo: &Repo,
    old: Option<Oid>,
    new: Oid,
    index: &mut Index,
) -> Result<std::result::Result<(), Obstacles>> {
    let old_files = match old {
        Some(tree) => flatten(repo, &tree)?,
        None => BTreeMap::new(),
    };
    let new_files = flatten(repo, &new)?;
    let plan = match plan(repo, &old_files, &new_files, index)? {
        Ok(plan) => plan,
        Err(obstacles) => return Ok(Err(obstacles)),
    };
    apply(repo, &plan, index)?;
    Ok(Ok(()))
}

/// What is to be done at a path: write this, or remove.
pub(crate) type Plan = Vec<(Vec<u8>, Option<Item>)>;

/// Finds what has to be done, or what is in the way.
pub(crate) fn plan(
    repo: &Repo,
    old: &BTreeMap<Vec<u8>, Item>,
    new: &BTreeMap<Vec<u8>, Item>,
    index: &Index,
) -> Result<std::result::Result<Plan, Obstacles>> {
    let mut plan = Vec::new();
    let mut obstacles = Obstacles::default();
    let ignore = Ignore::new(repo);
    let paths: BTreeSet<&Vec<u8>> = old.keys().chain(new.keys()).collect();
    for path in paths {
        let (before, after) = (old.get(path).copied(), new.get(path).copied());
        let entry = index.get(path);
        let staged = entry.map(|entry| (entry.mode, entry.oid));
        if staged == after {
            continue;
        }
        if index.has(path) && entry.is_none() {
            obstacles.changed.insert(path.clone());
            continue;
        }
        if staged == before {
            match entry {
                Some(entry) => {
                    if let Found::Changed(_) = compare(repo, entry)?.0 {
                        obstacles.changed.insert(path.clone());
                        continue;
                    }
                    if after.is_some() && os::lstat(path).is_ok_and(|found| found.is_dir()) {
                        untracked_below(repo, path, index, new, &ignore, &mut obstacles)?;
                    }
                }
                None => untracked(repo, path, after, index, new, &ignore, &mut obstacles)?,
            }
            plan.push((path.clone(), after));
            continue;
        }
        if before == after {
            continue;
        }
        obstacles.changed.insert(path.clone());
    }
    Ok(if obstacles.is_empty() {
        Ok(plan)
    } else {
        Err(obstacles)
    })
}

/// Notes a file that git does not know and that a new one would replace.
fn untracked(
    repo: &Repo,
    path: &[u8],
    after: Option<Item>,
    index: &Index,
    new: &BTreeMap<Vec<u8>, Item>,
    ignore: &Ignore,
    obstacles: &mut Obstacles,
) -> Result<()> {
    // A file above the path that is to become a directory.
    for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        let above = &path[..at];
        if let Ok(found) = os::lstat(above)
            && !found.is_dir()
        {
            if !index.has(above) && !ignore.ignores_deep(above, false) {
                obstacles.untracked.insert(above.to_vec());
            }
            return Ok(());
        }
    }
    let (Ok(found), Some((mode, oid))) = (os::lstat(path), after) else {
        return Ok(());
    };
    if found.is_dir() {
        return untracked_below(repo, path, index, new, ignore, obstacles);
    }
    if canonical_mode(found.mode) == mode && change::hash_file(repo, path)? == oid {
        return Ok(());
    }
    if !ignore.ignores_deep(path, false) {
        obstacles.untracked.insert(path.to_vec());
    }
    Ok(())
}

fn untracked_below(
    repo: &Repo,
    directory: &[u8],
    index: &Index,
    new: &BTreeMap<Vec<u8>, Item>,
    ignore: &Ignore,
    obstacles: &mut Obstacles,
) -> Result<()> {
    for (name, kind) in os::list(directory)? {
        let path = [directory, b"/", &name].concat();
        if kind == os::Kind::Directory {
            untracked_below(repo, &path, index, new, ignore, obstacles)?;
        } else if !index.has(&path) && !ignore.ignores_deep(&path, false) {
            obstacles.untracked_removed.insert(path);
        }
    }
    Ok(())
}

/// Does what a plan says.
pub(crate) fn apply(repo: &Repo, plan: &Plan, index: &mut Index) -> Result<()> {
    for (path, after) in plan {
        if after.is_none() {
            remove_file(repo, path);
            index.remove(path);
        }
    }
    for (path, after) in plan {
        if let Some(item) = after {
            let entry = write_file(repo, path, *item)?;
            index.put(entry);
        }
    }
    Ok(())
}

/// Makes the index and the working tree what a tree says, whatever they are.
pub(crate) fn reset_hard(repo: &Repo, tree: Oid, index: &mut Index) -> Result<()> {
    let files = flatten(repo, &tree)?;
    let gone: Vec<Vec<u8>> = index
        .entries
        .values()
        .map(|entry| entry.path.clone())
        .filter(|path| !files.contains_key(path))
        .collect();
    for path in gone {
        remove_file(repo, &path);
        index.remove(&path);
    }
    for (path, item) in files {
        if let Some(entry) = index.get(&path)
            && (entry.mode, entry.oid) == item
        {
            let (found, stat) = compare(repo, entry)?;
            if found == Found::Same {
                if let Some(stat) = stat
                    && let Some(entry) = index.entries.get_mut(&(path, 0))
                {
                    entry.stat = stat;
                }
                continue;
            }
        }
        let entry = write_file(repo, &path, item)?;
        index.put(entry);
    }
    Ok(())
}

/// Makes the index what a tree says, and keeps what is known of files.
pub(crate) fn reset_index(repo: &Repo, tree: Option<Oid>, index: &Index) -> Result<Index> {
    let files = match tree {
        Some(tree) => flatten(repo, &tree)?,
        None => BTreeMap::new(),
    };
    let mut fresh = Index::default();
    for (path, (mode, oid)) in files {
        let mut entry = Entry::new(path.clone(), mode, oid, 0);
        if let Some(old) = index.get(&path)
            && (old.mode, old.oid) == (mode, oid)
        {
            entry = old.clone();
        }
        fresh.entries.insert((path, 0), entry);
    }
    Ok(fresh)
}

/// Writes the trees of an index and returns the topmost.
pub(crate) fn write_tree(repo: &Repo, index: &Index) -> Result<Oid> {
    let unmerged = index.unmerged();
    if let Some(path) = unmerged.first() {
        for path in &unmerged {
            crate::out::note(format!(
                "{}: unmerged ({})",
                show(path),
                first_oid(index, path)
            ));
        }
        let _ = path;
        return fatal("git-write-tree: error building trees");
    }
    let files: Vec<(&[u8], Item)> = index
        .merged()
        .filter(|entry| !entry.intent_to_add)
        .map(|entry| (&entry.path[..], (entry.mode, entry.oid)))
        .collect();
    write_level(repo, &files, 0)
}

fn first_oid(index: &Index, path: &[u8]) -> Oid {
    index
        .stages(path)
        .into_iter()
        .flatten()
        .next()
        .map_or(Oid::NULL, |entry| entry.oid)
}

/// Writes the trees of a list of files, sorted by path.
pub(crate) fn write_files(repo: &Repo, files: &BTreeMap<Vec<u8>, Item>) -> Result<Oid> {
    let files: Vec<(&[u8], Item)> = files
        .iter()
        .map(|(path, item)| (&path[..], *item))
        .collect();
    write_level(repo, &files, 0)
}

fn write_level(repo: &Repo, files: &[(&[u8], Item)], skip: usize) -> Result<Oid> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < files.len() {
        let (path, (mode, oid)) = files[at];
        let rest = &path[skip..];
        match rest.iter().position(|byte| *byte == b'/') {
            None => {
                entries.push(TreeEntry {
                    mode,
                    name: rest.to_vec(),
                    oid,
                });
                at += 1;
            }
            Some(slash) => {
                let prefix = &path[..skip + slash + 1];
                let end = files[at..]
                    .iter()
                    .take_while(|(path, _)| path.starts_with(prefix))
                    .count()
                    + at;
                let oid = write_level(repo, &files[at..end], prefix.len())?;
                let name = rest[..slash].to_vec();
                // A name can come in two runs, before and after others that sort between `a` and
                // `a/`.
                entries.push(TreeEntry {
                    mode: os::S_IFDIR,
                    name,
                    oid,
                });
                at = end;
            }
        }
    }
    repo.objects.write(Kind::Tree, &serialise_tree(entries))
}

/// Takes a file of the working tree into the object database; what the index should say of it.
pub(crate) fn take_file(repo: &Repo, path: &[u8]) -> Result<Entry> {
    let found = match os::lstat(path) {
        Ok(found) => found,
        Err(found) => {
            return fatal(format!(
                "unable to stat '{}': {}",
                show(path),
                crate::stop::why(&found)
            ));
        }
    };
    if !is_safe_path(path) {
        return error(format!("invalid path '{}'", show(path)));
    }
    let content = match change::read_file(path, &found) {
        Ok(content) => content,
        Err(found) => {
            crate::out::note(format!(
                "error: open(\"{}\"): {}",
                show(path),
                crate::stop::why(&found)
            ));
            crate::out::note(format!("error: unable to index file '{}'", show(path)));
            return fatal("adding files failed");
        }
    };
    let content = if found.is_link() {
        content
    } else {
        attributes::clean(repo, path, content)
    };
    let oid = repo.objects.write(Kind::Blob, &content)?;
    let mut entry = Entry::new(path.to_vec(), canonical_mode(found.mode), oid, 0);
    entry.stat = found;
    Ok(entry)
}
