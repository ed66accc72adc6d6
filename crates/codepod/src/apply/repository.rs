//! A repository of git is applied as one: all that the sandbox did in `.git`, or nothing.
//!
//! Git's index holds what is staged, and a cache of what files looked like, which every
//! `git status` renews. An index that differs in the cache only counts as unchanged. What goes down
//! has the host's cache where both stage the same, and none elsewhere: git then reads such files.
//!
//! If anything else that the sandbox changed, or the branch that is checked out, has changed on the
//! host as well, it is a conflict of the whole repository: a merge of histories is for git.

use codepod_abi::Errno;
use codepod_vfs::{Below, Change, ChangeKind, FileKind, Replacement, Step};

use super::plan::{Planner, over, plain};
use super::{Reason, Resolve};
use crate::git_index;
use crate::visible::visible_line;

/// Files by which git says that it is at work.
const LOCKS: [&str; 3] = ["index.lock", "HEAD.lock", "packed-refs.lock"];
/// What a repository may hold for nobody to read again: the host's stays.
const SCRATCH: [&[u8]; 2] = [b"COMMIT_EDITMSG", b"gc.log"];
/// So many changed files are named in a conflict.
const NAMED: usize = 3;

impl Planner<'_, '_> {
    /// Plans what was changed in the repository at `place`; `whole` unless some of that is not
    /// chosen.
    pub(super) fn plan_repository(
        &mut self,
        place: &[u8],
        changes: Vec<Change>,
        whole: bool,
    ) -> Result<(), Errno> {
        let itself = Change {
            path: place.to_vec(),
            kind: ChangeKind::Modified,
            file: FileKind::Directory,
        };
        if !whole {
            self.leave(itself, Errno::Inval, Reason::PartOfRepository);
            return Ok(());
        }
        for lock in LOCKS {
            let held = Change {
                path: [place, b"/", lock.as_bytes()].concat(),
                kind: ChangeKind::Added,
                file: FileKind::File,
            };
            let found = self.vfs.look_below(self.caller, self.mount, &held)?;
            if found.now.is_some() {
                self.leave(itself, Errno::Busy, Reason::Locked(lock.to_owned()));
                return Ok(());
            }
        }
        let (mut steps, mut kept, mut conflicts) = (Vec::new(), Vec::new(), Vec::new());
        let mut more_than_objects = false;
        for change in changes {
            if self.is_refused(&change)? {
                continue;
            }
            let inner = change.path.get(place.len() + 1..).unwrap_or_default();
            more_than_objects |= !inner.starts_with(b"objects");
            let found = self.vfs.look_below(self.caller, self.mount, &change)?;
            let name = inner.to_vec();
            match self.reconcile(place, change, found)? {
                Outcome::Put(step) => steps.push(step),
                Outcome::Keep(change) => kept.push(change),
                Outcome::Conflict(step) => {
                    conflicts.push(name);
                    steps.push(step);
                }
            }
        }
        // What the sandbox has done is about the branch that was checked out then.
        let head = [place, b"/HEAD"].concat();
        let head_moved = match steps.iter().any(|step| step.change.path == head) {
            true => None,
            false => self.vfs.look_at_seen(self.caller, self.mount, &head)?,
        };
        if more_than_objects && head_moved.is_some_and(|head| head.stale) && !steps.is_empty() {
            conflicts.push(b"HEAD".to_vec());
        }
        if !conflicts.is_empty() {
            // References say most; their logs follow them.
            conflicts.sort_by_key(|name| name.starts_with(b"logs/"));
            let named = names(&conflicts);
            match self.options.resolve {
                Resolve::Merge | Resolve::Theirs => {
                    self.leave(itself, Errno::Stale, Reason::Repository { changed: named });
                    return Ok(());
                }
                Resolve::Ours => {
                    let what = "nothing: the host's repository stays as it is, and the sandbox's \
                                commits stay in the sandbox";
                    self.lose(place, what);
                    return Ok(());
                }
                Resolve::Force => self.lose(place, format!("what the host did in {named}")),
            }
        }
        self.plan.kept.extend(kept);
        order(place, &mut steps);
        if !steps.is_empty() {
            self.plan.repositories.push(steps);
        }
        Ok(())
    }

    /// What becomes of one change in a repository.
    fn reconcile(&mut self, place: &[u8], change: Change, found: Below) -> Result<Outcome, Errno> {
        let inner = &change.path[(place.len() + 1).min(change.path.len())..];
        if inner.rsplit(|byte| *byte == b'/').next() == Some(b"index")
            && !inner.starts_with(b"refs/")
            && change.file == FileKind::File
            && change.kind != ChangeKind::Removed
        {
            return self.reconcile_index(change, found);
        }
        if !found.stale {
            return Ok(Outcome::Put(plain(change)));
        }
        if SCRATCH.contains(&inner) {
            return Ok(Outcome::Keep(change));
        }
        if inner.starts_with(b"refs/") && found.now.is_none() {
            let base = self.vfs.base_content(self.mount, &change.path)?;
            let packed = [place, b"/packed-refs"].concat();
            let most = git_index::LARGEST;
            let packed = self
                .vfs
                .lower_content(self.caller, self.mount, &packed, most)?;
            if let (Some(base), Some(packed)) = (base, packed)
                && is_packed(&packed, &base, inner)
            {
                return Ok(Outcome::Put(over(change, found, None)));
            }
        }
        Ok(Outcome::Conflict(over(change, found, None)))
    }

    fn reconcile_index(&mut self, change: Change, found: Below) -> Result<Outcome, Errno> {
        let path = &change.path[..];
        let most = git_index::LARGEST;
        let host = self
            .vfs
            .lower_content(self.caller, self.mount, path, most)?;
        let base = self.vfs.base_content(self.mount, path)?;
        let Some((ours, mode)) = self.upper_content(path)? else {
            return Ok(match found.stale {
                true => Outcome::Conflict(over(change, found, None)),
                false => Outcome::Put(plain(change)),
            });
        };
        let same = |one: &Option<Vec<u8>>, two: &[u8]| {
            let one = one.as_deref();
            one.and_then(|one| git_index::same(one, two))
                .unwrap_or(false)
        };
        // The sandbox has only looked at files: the host's index is as good.
        if host.is_some() && (same(&base, &ours) || same(&host, &ours)) {
            return Ok(Outcome::Keep(change));
        }
        let written = found.now.map_or(0, |now| now.mtime);
        let content = match &host {
            Some(host) => git_index::refreshed(&ours, host, written),
            None => None,
        };
        let instead = content.map(|content| Replacement { content, mode });
        let only_refreshed = match (&host, &base) {
            (Some(host), Some(_)) => same(&base, host),
            _ => false,
        };
        let step = over(change, found, instead);
        Ok(match found.stale && !only_refreshed {
            true => Outcome::Conflict(step),
            false => Outcome::Put(step),
        })
    }
}

/// What becomes of one change in a repository.
enum Outcome {
    Put(Step),
    /// The host's stays.
    Keep(Change),
    /// Both sides have changed it; what would be done by force.
    Conflict(Step),
}

/// Whether the packed references have one with the value that its own file had.
fn is_packed(packed: &[u8], base: &[u8], name: &[u8]) -> bool {
    let wanted = [base.trim_ascii_end(), b" ", name].concat();
    packed
        .split(|byte| *byte == b'\n')
        .any(|line| line == wanted)
}

/// Objects first, then what names them, then what is gone: a crash in between leaves nothing that
/// names what is not there. A file that takes a directory's place needs it empty, and waits.
fn order(place: &[u8], steps: &mut [Step]) {
    let replaces = steps
        .iter()
        .any(|step| step.change.kind == ChangeKind::TypeChanged);
    let rank = |step: &Step| {
        let inner = step.change.path.get(place.len() + 1..).unwrap_or_default();
        match step.change.kind {
            ChangeKind::Removed if replaces => 1,
            ChangeKind::Removed => 5,
            _ if inner.is_empty() || inner.starts_with(b"objects") => 0,
            _ if inner.starts_with(b"refs/") || inner == b"packed-refs" => 3,
            _ if inner == b"HEAD" || inner == b"index" => 4,
            _ => 2,
        }
    };
    steps.sort_by(|a, b| {
        let paths = || match a.change.kind {
            ChangeKind::Removed => b.change.path.cmp(&a.change.path),
            _ => a.change.path.cmp(&b.change.path),
        };
        rank(a).cmp(&rank(b)).then_with(paths)
    });
}

/// Some names, for people.
fn names(conflicts: &[Vec<u8>]) -> String {
    let first = conflicts.iter().take(NAMED);
    let first: Vec<_> = first.map(|name| visible_line(name)).collect();
    let more = conflicts.len().saturating_sub(NAMED);
    match more {
        0 => first.join(", "),
        _ => format!("{} and {more} more", first.join(", ")),
    }
}
