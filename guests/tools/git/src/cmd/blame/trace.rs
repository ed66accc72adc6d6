//! Follows the lines of a file back to the commits that brought them.

use std::collections::HashSet;

use imara_diff::Algorithm;

use crate::diff::change;
use crate::diff::lines::{self, Space};
use crate::diff::{Options, rename};
use crate::object::Commit;
use crate::oid::Oid;
use crate::os;
use crate::pathspec::Pathspec;
use crate::repo::Repo;
use crate::revision;
use crate::stop::{Result, fatal, show, why};

/// Who a line is from: commit (null for the working tree), the path there, the line's number there.
#[derive(Debug, Clone)]
pub(super) struct Origin {
    pub(super) commit: Oid,
    pub(super) path: Vec<u8>,
    pub(super) line: usize,
    /// A commit without parents, or the end of a range.
    pub(super) boundary: bool,
}

/// How lines are followed.
pub(super) struct Tracer<'a> {
    pub(super) repo: &'a Repo,
    pub(super) space: Space,
    /// Commits that are not looked into.
    pub(super) hidden: HashSet<Oid>,
    pub(super) first_parent: bool,
}

/// A line whose origin is not known yet.
#[derive(Debug, Clone, Copy)]
struct Open {
    /// Its number in the file that is asked about.
    at: usize,
    /// Its number in the file that is looked at.
    there: usize,
}

/// What is still to be looked at: a file of a commit that has open lines.
struct Step {
    commit: Oid,
    path: Vec<u8>,
    open: Vec<Open>,
}

impl Tracer<'_> {
    /// A file's content and where each line is from.
    pub(super) fn trace(&self, start: Option<Oid>, path: &[u8]) -> Result<(Vec<u8>, Vec<Origin>)> {
        let (head, content) = self.content(start, path)?;
        let count = lines::split(&content).len();
        let mut origins: Vec<Option<Origin>> = vec![None; count];
        let mut open: Vec<Open> = (0..count).map(|at| Open { at, there: at }).collect();
        if start.is_none() {
            let old = match self.file_in(&head, path)? {
                Some(oid) => self.repo.objects.blob(&oid)?.to_vec(),
                None => Vec::new(),
            };
            let (same, changed) = split(&old, &content, &open, self.space);
            settle(&mut origins, &changed, Oid::NULL, path, false);
            open = same;
        }
        let mut queue = vec![Step {
            commit: head,
            path: path.to_vec(),
            open,
        }];
        while let Some(step) = self.next(&mut queue) {
            self.look(step, &mut queue, &mut origins)?;
        }
        let unknown = Origin {
            commit: head,
            path: path.to_vec(),
            line: 0,
            boundary: false,
        };
        let origins = origins.into_iter();
        let origins = origins.map(|origin| origin.unwrap_or_else(|| unknown.clone()));
        Ok((content, origins.collect()))
    }

    /// The commit to begin with and the file's content: there, or in the working tree.
    fn content(&self, start: Option<Oid>, path: &[u8]) -> Result<(Oid, Vec<u8>)> {
        let repo = self.repo;
        if let Some(commit) = start {
            return match self.file_in(&commit, path)? {
                Some(oid) => Ok((commit, repo.objects.blob(&oid)?.to_vec())),
                None => fatal(format!("no such path {} in {commit}", show(path))),
            };
        }
        let no_such = || fatal(format!("no such path '{}' in HEAD", show(path)));
        let Some(head) = repo.head() else {
            return no_such();
        };
        if self.file_in(&head, path)?.is_none() && !repo.index()?.has(path) {
            return no_such();
        }
        match os::lstat(path) {
            Ok(found) => Ok((head, change::read_file(path, &found)?)),
            Err(found) => fatal(format!("Cannot lstat '{}': {}", show(path), why(&found))),
        }
    }

    /// The blob that a commit has at a path.
    fn file_in(&self, commit: &Oid, path: &[u8]) -> Result<Option<Oid>> {
        let tree = Commit::read(&self.repo.objects, commit)?.tree;
        let found = revision::in_tree(self.repo, tree, path)?;
        let is_file = |mode: u32| mode & os::S_IFMT != os::S_IFDIR;
        let found =
            found.filter(|found| found.entry.as_ref().is_some_and(|(mode, _)| is_file(*mode)));
        Ok(found.map(|found| found.oid))
    }

    /// The newest commit first, and all that is asked of it at once.
    fn next(&self, queue: &mut Vec<Step>) -> Option<Step> {
        let time = |step: &Step| {
            Commit::read(&self.repo.objects, &step.commit).map_or(0, |commit| commit.time())
        };
        let mut best = 0;
        for at in 1..queue.len() {
            if time(&queue[at]) > time(&queue[best]) {
                best = at;
            }
        }
        if queue.is_empty() {
            return None;
        }
        let mut step = queue.swap_remove(best);
        let mut at = 0;
        while at < queue.len() {
            if queue[at].commit == step.commit && queue[at].path == step.path {
                step.open.extend(queue.swap_remove(at).open);
            } else {
                at += 1;
            }
        }
        Some(step)
    }

    /// Passes the lines on that a parent has too; the others are the commit's own.
    fn look(
        &self,
        step: Step,
        queue: &mut Vec<Step>,
        origins: &mut [Option<Origin>],
    ) -> Result<()> {
        let Step {
            commit: oid,
            path,
            mut open,
        } = step;
        let objects = &self.repo.objects;
        let commit = Commit::read(objects, &oid)?;
        let is_hidden = self.hidden.contains(&oid);
        let own = match self.file_in(&oid, &path)? {
            Some(blob) => objects.blob(&blob)?,
            None => return Ok(()),
        };
        let parents = match (is_hidden, self.first_parent) {
            (true, _) => 0,
            (false, true) => 1,
            (false, false) => commit.parents.len(),
        };
        for parent in commit.parents.iter().take(parents) {
            if open.is_empty() {
                break;
            }
            let (old_path, blob) = match self.file_in(parent, &path)? {
                Some(blob) => (path.clone(), blob),
                None => match renamed_from(self.repo, parent, &commit, &path)? {
                    Some(found) => found,
                    None => continue,
                },
            };
            let (same, changed) = split(&objects.blob(&blob)?, &own, &open, self.space);
            open = changed;
            if !same.is_empty() {
                queue.push(Step {
                    commit: *parent,
                    path: old_path,
                    open: same,
                });
            }
        }
        let boundary = is_hidden || commit.parents.is_empty();
        settle(origins, &open, oid, &path, boundary);
        Ok(())
    }
}

/// Notes where lines are from.
fn settle(
    origins: &mut [Option<Origin>],
    lines: &[Open],
    commit: Oid,
    path: &[u8],
    boundary: bool,
) {
    for line in lines {
        origins[line.at] = Some(Origin {
            commit,
            path: path.to_vec(),
            line: line.there,
            boundary,
        });
    }
}

/// Lines that the old text has too, with their numbers there, and those it has not.
fn split(old: &[u8], new: &[u8], open: &[Open], space: Space) -> (Vec<Open>, Vec<Open>) {
    let (a, b) = (lines::split(old), lines::split(new));
    let mut from: Vec<Option<usize>> = vec![None; b.len()];
    let (mut x, mut y) = (0, 0);
    for hunk in lines::compare(&a, &b, space, Algorithm::Myers) {
        while y < hunk.new {
            from[y] = Some(x);
            x += 1;
            y += 1;
        }
        x = hunk.old + hunk.old_len;
        y = hunk.new + hunk.new_len;
    }
    while y < b.len() {
        from[y] = Some(x);
        x += 1;
        y += 1;
    }
    let (mut same, mut changed) = (Vec::new(), Vec::new());
    for line in open {
        match from.get(line.there).copied().flatten() {
            Some(old) => same.push(Open {
                there: old,
                ..*line
            }),
            None => changed.push(*line),
        }
    }
    (same, changed)
}

/// The path and blob that a file was renamed from.
fn renamed_from(
    repo: &Repo,
    parent: &Oid,
    commit: &Commit,
    path: &[u8],
) -> Result<Option<(Vec<u8>, Oid)>> {
    let old = Commit::read(&repo.objects, parent)?.tree;
    let changes = change::trees(repo, Some(old), Some(commit.tree), &Pathspec::default())?;
    let options = Options::new(&repo.config);
    let changes = rename::detect(repo, changes, &options, &[])?;
    Ok(changes
        .into_iter()
        .find(|change| change.status == b'R' && change.new.path == path)
        .map(|change| (change.old.path, change.old.oid)))
}
