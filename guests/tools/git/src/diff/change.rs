//! Which paths differ.

use std::collections::{BTreeMap, HashSet};

use crate::index::{Entry, Index};
use crate::object::{GITLINK, canonical_mode, read_tree};
use crate::oid::{self, Kind, Oid};
use crate::os::{self, S_IFMT, Stat};
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, fatal, show};

/// One side of a change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Side {
    /// 0 when there is nothing.
    pub(crate) mode: u32,
    /// Null when only the working tree has it.
    pub(crate) oid: Oid,
    pub(crate) path: Vec<u8>,
}

/// What happened to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) old: Side,
    pub(crate) new: Side,
    /// A, D, M, T, R, C or U.
    pub(crate) status: u8,
    /// How much is the same, of 60000, for R and C.
    pub(crate) score: u32,
    /// The status when a conflict left the working tree different too.
    pub(crate) dissimilarity: Option<u32>,
}

/// A mode and an object.
pub(crate) type Item = (u32, Oid);

impl Change {
    /// From both sides; the status follows.
    pub(crate) fn new(path: &[u8], old: Option<Item>, new: Option<Item>) -> Change {
        let side = |item: Option<Item>| {
            let (mode, oid) = item.unwrap_or_default();
            Side {
                mode,
                oid,
                path: path.to_vec(),
            }
        };
        let status = match (old, new) {
            (None, _) => b'A',
            (_, None) => b'D',
            (Some((a, _)), Some((b, _))) if a & S_IFMT != b & S_IFMT => b'T',
            _ => b'M',
        };
        Change {
            old: side(old),
            new: side(new),
            status,
            score: 0,
            dissimilarity: None,
        }
    }

    /// A path in conflict.
    pub(crate) fn unmerged(path: &[u8]) -> Change {
        let side = Side {
            mode: 0,
            oid: Oid::NULL,
            path: path.to_vec(),
        };
        Change {
            old: side.clone(),
            new: side,
            status: b'U',
            score: 0,
            dissimilarity: None,
        }
    }

    /// The path it is sorted by.
    pub(crate) fn path(&self) -> &[u8] {
        &self.new.path
    }

    /// The change with its sides exchanged.
    pub(crate) fn reversed(self) -> Change {
        let status = match self.status {
            b'A' => b'D',
            b'D' => b'A',
            other => other,
        };
        Change {
            old: self.new,
            new: self.old,
            status,
            ..self
        }
    }
}

/// All files of a tree.
pub(crate) fn flatten(repo: &Repo, tree: &Oid) -> Result<BTreeMap<Vec<u8>, Item>> {
    let mut files = BTreeMap::new();
    flatten_below(repo, tree, b"", &mut files, 0)?;
    Ok(files)
}

fn flatten_below(
    repo: &Repo,
    tree: &Oid,
    prefix: &[u8],
    files: &mut BTreeMap<Vec<u8>, Item>,
    depth: usize,
) -> Result<()> {
    if depth > 2048 {
        return fatal("exceeded maximum allowed tree depth");
    }
    for entry in read_tree(&repo.objects, tree)? {
        let path = [prefix, &entry.name].concat();
        if entry.is_tree() {
            flatten_below(
                repo,
                &entry.oid,
                &[&path[..], b"/"].concat(),
                files,
                depth + 1,
            )?;
        } else {
            files.insert(path, (entry.mode, entry.oid));
        }
    }
    Ok(())
}

/// The changes from one tree to another; none stands for an empty one.
pub(crate) fn trees(
    repo: &Repo,
    old: Option<Oid>,
    new: Option<Oid>,
    paths: &Pathspec,
) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    trees_below(repo, old, new, b"", paths, &mut changes, 0)?;
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

fn trees_below(
    repo: &Repo,
    old: Option<Oid>,
    new: Option<Oid>,
    prefix: &[u8],
    paths: &Pathspec,
    changes: &mut Vec<Change>,
    depth: usize,
) -> Result<()> {
    if old == new {
        return Ok(());
    }
    if depth > 2048 {
        return fatal("exceeded maximum allowed tree depth");
    }
    let read = |tree: Option<Oid>| match tree {
        Some(tree) => read_tree(&repo.objects, &tree),
        None => Ok(Vec::new()),
    };
    let mut both: BTreeMap<Vec<u8>, (Option<Item>, Option<Item>)> = BTreeMap::new();
    for entry in read(old)? {
        both.entry(entry.name).or_default().0 = Some((entry.mode, entry.oid));
    }
    for entry in read(new)? {
        both.entry(entry.name).or_default().1 = Some((entry.mode, entry.oid));
    }
    let is_tree = |item: &Item| item.0 & S_IFMT == os::S_IFDIR;
    for (name, (a, b)) in both {
        if a == b {
            continue;
        }
        let path = [prefix, &name].concat();
        let (tree_a, tree_b) = (a.filter(is_tree), b.filter(is_tree));
        let (file_a, file_b) = (
            a.filter(|item| !is_tree(item)),
            b.filter(|item| !is_tree(item)),
        );
        if (file_a.is_some() || file_b.is_some()) && paths.matches(&path) {
            changes.push(Change::new(&path, file_a, file_b));
        }
        if (tree_a.is_some() || tree_b.is_some()) && paths.may_match_below(&path) {
            let below = [&path[..], b"/"].concat();
            let oid = |item: Option<Item>| item.map(|(_, oid)| oid);
            trees_below(
                repo,
                oid(tree_a),
                oid(tree_b),
                &below,
                paths,
                changes,
                depth + 1,
            )?;
        }
    }
    Ok(())
}

/// Whether two trees are the same as far as paths go.
pub(crate) fn same_trees(
    repo: &Repo,
    old: Option<Oid>,
    new: Option<Oid>,
    paths: &Pathspec,
) -> Result<bool> {
    if old == new {
        return Ok(true);
    }
    Ok(trees(repo, old, new, paths)?.is_empty())
}

/// The changes from a tree to the index.
pub(crate) fn tree_to_index(
    repo: &Repo,
    tree: Option<Oid>,
    index: &Index,
    paths: &Pathspec,
) -> Result<Vec<Change>> {
    let files = match tree {
        Some(tree) => flatten(repo, &tree)?,
        None => BTreeMap::new(),
    };
    let mut changes = Vec::new();
    for (path, item) in files.iter().filter(|(path, _)| paths.matches(path)) {
        if !index.has(path) || index.get(path).is_some_and(|entry| entry.intent_to_add) {
            changes.push(Change::new(path, Some(*item), None));
        }
    }
    for path in index.unmerged().iter().filter(|path| paths.matches(path)) {
        changes.push(Change::unmerged(path));
    }
    for entry in index
        .merged()
        .filter(|entry| !entry.intent_to_add && paths.matches(&entry.path))
    {
        let new = (entry.mode, entry.oid);
        let old = files.get(&entry.path).copied();
        if old != Some(new) {
            changes.push(Change::new(&entry.path, old, Some(new)));
        }
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

/// What the working tree has at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or a directory where a file should be.
    Gone,
    /// What the index has.
    Same,
    /// Something else, with this mode.
    Changed(u32),
}

/// Whether a path goes through a symbolic link or a file, so that git does not see anything there.
pub(crate) fn is_behind_link(path: &[u8]) -> bool {
    let slashes = path
        .iter()
        .enumerate()
        .filter(|(_, byte)| **byte == b'/')
        .map(|(at, _)| at);
    slashes
        .into_iter()
        .any(|at| os::lstat(&path[..at]).is_ok_and(|found| !found.is_dir()))
}

/// Compares an entry with the working tree. The stat that proves that they are the same comes too.
pub(crate) fn compare(repo: &Repo, entry: &Entry) -> Result<(Found, Option<Stat>)> {
    if entry.assume_valid || entry.skip_worktree {
        return Ok((Found::Same, None));
    }
    let found = match os::lstat(&entry.path) {
        Ok(found) => found,
        Err(_) => return Ok((Found::Gone, None)),
    };
    if entry.mode == GITLINK {
        return Ok((
            if found.is_dir() {
                Found::Same
            } else {
                Found::Gone
            },
            None,
        ));
    }
    if found.is_dir() || !(found.is_file() || found.is_link()) {
        return Ok((Found::Gone, None));
    }
    let mut mode = canonical_mode(found.mode);
    if !repo.trusts_modes() && mode & S_IFMT == entry.mode & S_IFMT {
        mode = entry.mode;
    }
    if mode != entry.mode || entry.intent_to_add {
        return Ok((Found::Changed(mode), None));
    }
    if same_stat(&entry.stat, &found) {
        return Ok((Found::Same, None));
    }
    let content = match read_file(&entry.path, &found) {
        Ok(content) => content,
        Err(found) => {
            return fatal(format!(
                "could not open '{}' for reading: {}",
                show(&entry.path),
                crate::stop::why(&found)
            ));
        }
    };
    let content = crate::attributes::clean(repo, &entry.path, content);
    if oid::hash(Kind::Blob, &content) == entry.oid {
        return Ok((Found::Same, Some(found)));
    }
    Ok((Found::Changed(mode), None))
}

/// Whether a file is as the index knows it. An index of another system, as a mounted repository has
/// one of the host's, knows other numbers for the same files and owners: its times and sizes count,
/// which are the same on both sides. Otherwise each file would be read.
fn same_stat(known: &Stat, found: &Stat) -> bool {
    let here = known.dev == found.dev;
    let numbers = |stat: &Stat| (stat.ino, stat.uid, stat.gid);
    known.mtime == found.mtime
        && known.ctime == found.ctime
        && known.size as u32 == found.size as u32
        && (!here || numbers(known) == numbers(found))
}

/// A file's content, or where a symbolic link leads.
pub(crate) fn read_file(path: &[u8], found: &Stat) -> std::io::Result<Vec<u8>> {
    if found.is_link() {
        os::read_link(path)
    } else {
        os::read(path)
    }
}

/// Brings the index's knowledge of files up to date; whether something was learnt.
pub(crate) fn refresh(repo: &Repo, index: &mut Index) -> Result<bool> {
    refresh_each(repo, index, |_| ())
}

/// As [`refresh`], for a command that changes no files: they are not looked at again.
pub(crate) fn refresh_to_look(repo: &Repo, index: &mut Index) -> Result<bool> {
    let mut same = HashSet::new();
    let any = refresh_each(repo, index, |path| {
        same.insert(path.to_vec());
    })?;
    index.same = same;
    Ok(any)
}

/// Calls `same` with each path that is as the index has it.
fn refresh_each(repo: &Repo, index: &mut Index, mut same: impl FnMut(&[u8])) -> Result<bool> {
    let mut learnt = Vec::new();
    for entry in index.merged() {
        let (found, stat) = compare(repo, entry)?;
        if found == Found::Same {
            same(&entry.path);
        }
        if let (Found::Same, Some(stat)) = (found, stat) {
            learnt.push((entry.path.clone(), stat));
        }
    }
    let any = !learnt.is_empty();
    for (path, stat) in learnt {
        if let Some(entry) = index.entries.get_mut(&(path, 0)) {
            entry.stat = stat;
        }
    }
    Ok(any)
}

/// The changes from the index to the working tree.
pub(crate) fn index_to_files(repo: &Repo, index: &Index, paths: &Pathspec) -> Result<Vec<Change>> {
    let mut changes = Vec::new();
    for path in index.unmerged().iter().filter(|path| paths.matches(path)) {
        changes.push(Change::unmerged(path));
        // What the working tree has is compared with our side.
        if let Some(ours) = index.stages(path)[2].or(index.stages(path)[3]) {
            let mut entry = ours.clone();
            entry.stage = 0;
            match compare(repo, &entry)?.0 {
                Found::Gone => changes.push(Change::new(path, Some((ours.mode, ours.oid)), None)),
                Found::Changed(mode) => changes.push(Change::new(
                    path,
                    Some((ours.mode, ours.oid)),
                    Some((mode, Oid::NULL)),
                )),
                Found::Same => {}
            }
        }
    }
    for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
        if index.same.contains(&entry.path) {
            continue;
        }
        let old = if entry.intent_to_add {
            None
        } else {
            Some((entry.mode, entry.oid))
        };
        match compare(repo, entry)?.0 {
            Found::Same => {}
            Found::Gone => changes.push(Change::new(
                &entry.path,
                Some((entry.mode, entry.oid)),
                None,
            )),
            Found::Changed(mode) => {
                changes.push(Change::new(&entry.path, old, Some((mode, Oid::NULL))))
            }
        }
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

/// The changes from a tree to the working tree, as far as the index knows its files.
pub(crate) fn tree_to_files(
    repo: &Repo,
    tree: Option<Oid>,
    index: &Index,
    paths: &Pathspec,
) -> Result<Vec<Change>> {
    let files = match tree {
        Some(tree) => flatten(repo, &tree)?,
        None => BTreeMap::new(),
    };
    let mut changes = Vec::new();
    for (path, item) in files
        .iter()
        .filter(|(path, _)| paths.matches(path) && !index.has(path))
    {
        changes.push(Change::new(path, Some(*item), None));
    }
    for path in index.unmerged().iter().filter(|path| paths.matches(path)) {
        changes.push(Change::unmerged(path));
        if let Ok(found) = os::lstat(path)
            && !found.is_dir()
        {
            let new = Some((canonical_mode(found.mode), Oid::NULL));
            changes.push(Change::new(path, files.get(path).copied(), new));
        }
    }
    for entry in index.merged().filter(|entry| paths.matches(&entry.path)) {
        let old = files.get(&entry.path).copied();
        let new = match compare(repo, entry)?.0 {
            Found::Gone => None,
            Found::Same => Some((entry.mode, entry.oid)),
            Found::Changed(mode) => Some((mode, Oid::NULL)),
        };
        if old != new && (old.is_some() || new.is_some()) {
            let change = Change::new(&entry.path, old, new);
            // It may have come back to what the tree has.
            if let (Some((a, oid)), Some((b, Oid::NULL))) = (old, new)
                && a == b
                && hash_file(repo, &entry.path)? == oid
            {
                continue;
            }
            changes.push(change);
        }
    }
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(changes)
}

/// The name that a file of the working tree would have.
pub(crate) fn hash_file(repo: &Repo, path: &[u8]) -> Result<Oid> {
    let found = os::lstat(path)?;
    let content = crate::attributes::clean(repo, path, read_file(path, &found)?);
    Ok(oid::hash(Kind::Blob, &content))
}

/// The content of a side.
pub(crate) fn content(repo: &Repo, side: &Side) -> Result<Vec<u8>> {
    if side.mode == 0 {
        return Ok(Vec::new());
    }
    if side.mode == GITLINK {
        return Ok(format!("Subproject commit {}\n", side.oid).into_bytes());
    }
    if side.oid.is_null() {
        let found = os::lstat(&side.path)?;
        return Ok(crate::attributes::clean(
            repo,
            &side.path,
            read_file(&side.path, &found)?,
        ));
    }
    Ok(repo.objects.blob(&side.oid)?.to_vec())
}
