//! Merging trees: what both sides did to each file, with renames.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::text;
use crate::diff::change::{Item, flatten};
use crate::diff::patch::is_binary;
use crate::diff::{self, Options};
use crate::object::{Commit, GITLINK};
use crate::oid::{Kind, Oid};
use crate::os::{S_IFMT, S_IFREG};
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::stop::{Result, show};

/// What the sides are called in marks and messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    pub(crate) ours: String,
    pub(crate) theirs: String,
    pub(crate) base: String,
    pub(crate) favor: text::Favor,
    pub(crate) space: diff::lines::Space,
}

/// The result of a merge.
#[derive(Debug, Default)]
pub(crate) struct Merged {
    /// What the working tree gets.
    pub(crate) files: BTreeMap<Vec<u8>, Item>,
    /// Stages of paths in conflict: base, ours, theirs.
    pub(crate) conflicts: BTreeMap<Vec<u8>, [Option<Item>; 3]>,
    /// What is said, by path.
    pub(crate) messages: Vec<(Vec<u8>, String)>,
}

impl Merged {
    /// Whether nothing is left to the user.
    pub(crate) fn is_clean(&self) -> bool {
        self.conflicts.is_empty()
    }
}

/// Merges two commits by their common ancestors.
pub(crate) fn commits(repo: &Repo, ours: Oid, theirs: Oid, labels: &Labels) -> Result<Merged> {
    let bases = crate::walk::merge_bases(repo, ours, theirs)?;
    let base = virtual_base(repo, &bases, 0)?;
    let tree = |oid: Oid| Commit::read(&repo.objects, &oid).map(|commit| commit.tree);
    let mut labels = labels.clone();
    if labels.base.is_empty() {
        labels.base = match bases[..] {
            [] => "empty tree".to_owned(),
            [base] => repo.short(&base),
            _ => "merged common ancestors".to_owned(),
        };
    }
    trees(repo, base, tree(ours)?, tree(theirs)?, &labels, 0)
}

/// The tree of the common ancestors, merged among themselves when there are several.
fn virtual_base(repo: &Repo, bases: &[Oid], depth: usize) -> Result<Option<Oid>> {
    let Some(first) = bases.first() else {
        return Ok(None);
    };
    let mut tree = Commit::read(&repo.objects, first)?.tree;
    if depth > 8 {
        return Ok(Some(tree));
    }
    for other in bases.iter().skip(1) {
        let below = crate::walk::merge_bases(repo, *first, *other)?;
        let base = virtual_base(repo, &below, depth + 1)?;
        let labels = Labels {
            ours: "Temporary merge branch 1".into(),
            theirs: "Temporary merge branch 2".into(),
            base: "merged common ancestors".into(),
            ..Labels::default()
        };
        let other = Commit::read(&repo.objects, other)?.tree;
        let merged = trees(repo, base, tree, other, &labels, depth + 1)?;
        tree = crate::worktree::write_files(repo, &merged.files)?;
    }
    Ok(Some(tree))
}

/// Where a path of the base went on a side.
fn renames(repo: &Repo, base: Option<Oid>, side: Oid) -> Result<HashMap<Vec<u8>, Vec<u8>>> {
    let options = Options::new(&repo.config);
    let changes = diff::change::trees(repo, base, Some(side), &Pathspec::default())?;
    let found = diff::rename::detect(repo, changes, &options, &[])?;
    Ok(found
        .into_iter()
        .filter(|change| change.status == b'R')
        .map(|change| (change.old.path, change.new.path))
        .collect())
}

struct State<'a> {
    repo: &'a Repo,
    labels: &'a Labels,
    depth: usize,
    merged: Merged,
}

type Files = BTreeMap<Vec<u8>, Item>;

/// The files of three trees, each by the path at which it is merged.
struct Trees {
    base: Files,
    ours: Files,
    theirs: Files,
}

/// Who moved a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Ours,
    Theirs,
}

/// Merges two trees by a base.
pub(crate) fn trees(
    repo: &Repo,
    base: Option<Oid>,
    ours: Oid,
    theirs: Oid,
    labels: &Labels,
    depth: usize,
) -> Result<Merged> {
    let mut trees = Trees {
        base: match base {
            Some(tree) => flatten(repo, &tree)?,
            None => Files::new(),
        },
        ours: flatten(repo, &ours)?,
        theirs: flatten(repo, &theirs)?,
    };
    let mut state = State {
        repo,
        labels,
        depth,
        merged: Merged::default(),
    };
    let wanted = repo
        .config
        .truth("merge.renames")
        .or(repo.config.truth("diff.renames"))
        .unwrap_or(true);
    if wanted && ours != theirs {
        let our_moves = renames(repo, base, ours)?;
        let their_moves = renames(repo, base, theirs)?;
        state.moves(&mut trees, &our_moves, &their_moves)?;
    }
    let paths: BTreeSet<&Vec<u8>> = trees
        .base
        .keys()
        .chain(trees.ours.keys())
        .chain(trees.theirs.keys())
        .collect();
    for path in paths {
        if state.merged.conflicts.contains_key(path) {
            continue;
        }
        let item = |files: &Files| files.get(path).copied();
        state.path(
            path,
            item(&trees.base),
            item(&trees.ours),
            item(&trees.theirs),
        )?;
    }
    state.directories()?;
    let mut merged = state.merged;
    merged.messages.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(merged)
}

impl State<'_> {
    fn say(&mut self, path: &[u8], text: String) {
        self.merged.messages.push((path.to_vec(), text));
    }

    /// Brings files that a side moved to one path, where that can be done.
    fn moves(
        &mut self,
        trees: &mut Trees,
        ours: &HashMap<Vec<u8>, Vec<u8>>,
        theirs: &HashMap<Vec<u8>, Vec<u8>>,
    ) -> Result<()> {
        let before = trees.base.clone();
        let sources: BTreeSet<&Vec<u8>> = ours.keys().chain(theirs.keys()).collect();
        for source in sources {
            let Some(item) = before.get(source).copied() else {
                continue;
            };
            match (ours.get(source), theirs.get(source)) {
                (Some(a), Some(b)) if a == b => {
                    trees.base.remove(source);
                    trees.base.insert(a.clone(), item);
                }
                (Some(a), Some(b)) => self.rename_rename(trees, source, item, a, b)?,
                (Some(to), None) => self.follow(trees, source, item, to, Side::Ours),
                (None, Some(to)) => self.follow(trees, source, item, to, Side::Theirs),
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// One side moved a file: what the other did to it is done at the new place.
    fn follow(&mut self, trees: &mut Trees, source: &[u8], item: Item, to: &[u8], side: Side) {
        let (mover, other) = match side {
            Side::Ours => (&trees.ours, &mut trees.theirs),
            Side::Theirs => (&trees.theirs, &mut trees.ours),
        };
        if mover.contains_key(source) || other.contains_key(to) {
            return;
        }
        let moved = mover.get(to).copied();
        trees.base.remove(source);
        match other.remove(source) {
            Some(theirs) => {
                trees.base.insert(to.to_vec(), item);
                other.insert(to.to_vec(), theirs);
            }
            None => self.rename_delete(source, item, to, moved, side),
        }
    }

    /// One side moved a file, which the other deleted.
    fn rename_delete(
        &mut self,
        source: &[u8],
        item: Item,
        to: &[u8],
        moved: Option<Item>,
        side: Side,
    ) {
        let (source, name) = (show(source), show(to));
        let (renamed, deleted, stages) = match side {
            Side::Ours => (
                &self.labels.ours,
                &self.labels.theirs,
                [Some(item), moved, None],
            ),
            Side::Theirs => (
                &self.labels.theirs,
                &self.labels.ours,
                [Some(item), None, moved],
            ),
        };
        self.say(
            to,
            format!(
                "CONFLICT (rename/delete): {source} renamed to {name} in {renamed}, but deleted in {deleted}."
            ),
        );
        self.merged.conflicts.insert(to.to_vec(), stages);
        let Some(moved) = moved else {
            return;
        };
        self.merged.files.insert(to.to_vec(), moved);
        if moved != item {
            self.say(
                to,
                format!(
                    "CONFLICT (modify/delete): {name} deleted in {deleted} and modified in {renamed}.  Version {renamed} of {name} left in tree."
                ),
            );
        }
    }

    /// Both sides moved a file to different places.
    fn rename_rename(
        &mut self,
        trees: &mut Trees,
        source: &[u8],
        item: Item,
        a: &[u8],
        b: &[u8],
    ) -> Result<()> {
        let (our_name, their_name) = (self.labels.ours.clone(), self.labels.theirs.clone());
        let text = format!(
            "CONFLICT (rename/rename): {} renamed to {} in {our_name} and to {} in {their_name}.",
            show(source),
            show(a),
            show(b)
        );
        let (one, two) = (trees.ours.get(a).copied(), trees.theirs.get(b).copied());
        let (Some(one), Some(two)) = (one, two) else {
            return Ok(());
        };
        let (content, _) = self.content(source, Some(item), one, two)?;
        self.say(source, text);
        trees.base.remove(source);
        trees.ours.remove(a);
        trees.theirs.remove(b);
        self.merged
            .conflicts
            .insert(source.to_vec(), [Some(item), None, None]);
        self.merged
            .conflicts
            .insert(a.to_vec(), [None, Some((one.0, content.1)), None]);
        self.merged
            .conflicts
            .insert(b.to_vec(), [None, None, Some((two.0, content.1))]);
        self.merged.files.insert(a.to_vec(), content);
        self.merged.files.insert(b.to_vec(), content);
        Ok(())
    }

    fn path(
        &mut self,
        path: &[u8],
        base: Option<Item>,
        ours: Option<Item>,
        theirs: Option<Item>,
    ) -> Result<()> {
        let decided = match () {
            () if ours == theirs => Some(ours),
            () if base == ours => Some(theirs),
            () if base == theirs => Some(ours),
            () => None,
        };
        if let Some(item) = decided {
            if let Some(item) = item {
                self.merged.files.insert(path.to_vec(), item);
            }
            return Ok(());
        }
        let (our_name, their_name) = (self.labels.ours.clone(), self.labels.theirs.clone());
        let name = show(path);
        match (ours, theirs) {
            (Some(one), Some(two)) => {
                if one.0 & S_IFMT != two.0 & S_IFMT {
                    return self.types(path, base, one, two);
                }
                let (item, conflict) = self.content(path, base, one, two)?;
                self.merged.files.insert(path.to_vec(), item);
                if conflict {
                    let what = if base.is_none() { "add/add" } else { "content" };
                    let what = if item.0 & S_IFMT == GITLINK {
                        "submodule"
                    } else {
                        what
                    };
                    self.say(path, format!("CONFLICT ({what}): Merge conflict in {name}"));
                    self.merged
                        .conflicts
                        .insert(path.to_vec(), [base, ours, theirs]);
                }
            }
            (Some(item), None) | (None, Some(item)) => {
                let (deleted, kept) = match ours {
                    Some(_) => (&their_name, &our_name),
                    None => (&our_name, &their_name),
                };
                let text = format!(
                    "CONFLICT (modify/delete): {name} deleted in {deleted} and modified in {kept}.  Version {kept} of {name} left in tree."
                );
                self.say(path, text);
                self.merged.files.insert(path.to_vec(), item);
                self.merged
                    .conflicts
                    .insert(path.to_vec(), [base, ours, theirs]);
            }
            (None, None) => {}
        }
        Ok(())
    }

    /// A file on one side and a link on the other: each gets a name of its own.
    fn types(&mut self, path: &[u8], base: Option<Item>, ours: Item, theirs: Item) -> Result<()> {
        let name = show(path);
        let (one, two) = (
            self.unique(path, &self.labels.ours.clone()),
            self.unique(path, &self.labels.theirs.clone()),
        );
        let our_file = ours.0 & S_IFMT == S_IFREG;
        let (kept, moved, moved_to, stage) = match our_file {
            true => (ours, theirs, two, 2),
            false => (theirs, ours, one, 1),
        };
        let text = format!(
            "CONFLICT (distinct types): {name} had different types on each side; renamed one of them so each can be recorded somewhere."
        );
        self.say(path, text);
        self.merged.files.insert(path.to_vec(), kept);
        self.merged.files.insert(moved_to.clone(), moved);
        let mut stages = [base, None, None];
        stages[3 - stage] = Some(kept);
        self.merged.conflicts.insert(path.to_vec(), stages);
        let mut other = [None, None, None];
        other[stage] = Some(moved);
        self.merged.conflicts.insert(moved_to, other);
        Ok(())
    }

    fn unique(&self, path: &[u8], label: &str) -> Vec<u8> {
        let label = label.replace('/', "_");
        let mut name = [path, b"~", label.as_bytes()].concat();
        let mut number = 0;
        while self.merged.files.contains_key(&name) {
            name = [path, format!("~{label}_{number}").as_bytes()].concat();
            number += 1;
        }
        name
    }

    /// Merges the content of a file; whether it is in conflict.
    fn content(
        &mut self,
        path: &[u8],
        base: Option<Item>,
        ours: Item,
        theirs: Item,
    ) -> Result<(Item, bool)> {
        let base_mode = base.map_or(0, |item| item.0);
        let mode = if ours.0 == base_mode {
            theirs.0
        } else {
            ours.0
        };
        let mut conflict = ours.0 != theirs.0 && ours.0 != base_mode && theirs.0 != base_mode;
        let base_oid = base.map(|item| item.1);
        if ours.1 == theirs.1 || Some(theirs.1) == base_oid {
            return Ok(((mode, ours.1), conflict));
        }
        if Some(ours.1) == base_oid {
            return Ok(((mode, theirs.1), conflict));
        }
        if ours.0 & S_IFMT != S_IFREG {
            return Ok(((mode, ours.1), true));
        }
        let objects = &self.repo.objects;
        let (one, two) = (objects.blob(&ours.1)?, objects.blob(&theirs.1)?);
        let old = match base_oid {
            Some(oid) if base_mode & S_IFMT == S_IFREG => objects.blob(&oid)?,
            _ => std::rc::Rc::new(Vec::new()),
        };
        self.say(path, format!("Auto-merging {}", show(path)));
        let attribute = crate::attributes::get(self.repo, path, b"merge");
        let unmergeable = attribute == Some(crate::attributes::Value::Unset);
        if unmergeable || [&one, &two, &old].iter().any(|text| is_binary(text)) {
            let (name, a, b) = (show(path), &self.labels.ours, &self.labels.theirs);
            crate::out::warn(format!("Cannot merge binary files: {name} ({a} vs. {b})"));
            return Ok(((mode, ours.1), true));
        }
        let style = match self.repo.config.get("merge.conflictstyle") {
            Some(b"diff3") => text::Style::Diff3,
            Some(b"zdiff3") => text::Style::Zdiff3,
            _ => text::Style::Merge,
        };
        let union = attribute == Some(crate::attributes::Value::Text(b"union".to_vec()));
        let options = text::Options {
            ours: self.labels.ours.clone().into_bytes(),
            base: self.labels.base.clone().into_bytes(),
            theirs: self.labels.theirs.clone().into_bytes(),
            style,
            favor: if union {
                text::Favor::Union
            } else {
                self.labels.favor
            },
            space: self.labels.space,
            longer: self.depth * 2,
        };
        let (content, conflicts) = text::merge(&old, &one, &two, &options);
        conflict |= conflicts > 0;
        let oid = self.repo.objects.write(Kind::Blob, &content)?;
        Ok(((mode, oid), conflict))
    }

    /// A file where the other side has a directory gets another name.
    fn directories(&mut self) -> Result<()> {
        let paths: Vec<Vec<u8>> = self.merged.files.keys().cloned().collect();
        for path in paths {
            let below = [&path[..], b"/"].concat();
            let blocked = self
                .merged
                .files
                .range(below.clone()..)
                .next()
                .is_some_and(|(next, _)| next.starts_with(&below));
            if !blocked {
                continue;
            }
            let Some(item) = self.merged.files.remove(&path) else {
                continue;
            };
            let label = self.labels.ours.clone();
            let name = self.unique(&path, &label);
            self.say(
                &path,
                format!(
                    "CONFLICT (file/directory): directory in the way of {} from {label}; moving it to {} instead.",
                    show(&path),
                    show(&name)
                ),
            );
            self.merged.files.insert(name.clone(), item);
            let stages = self
                .merged
                .conflicts
                .remove(&path)
                .unwrap_or([None, Some(item), None]);
            self.merged.conflicts.insert(name, stages);
        }
        Ok(())
    }
}
